#!/bin/sh
# Look for the programs that the tests need besides Python, make and git, and install those that are missing.
#
#   sh tools/needs.sh              before the environment is made: with apt, as root or by sudo without a password
#   sh tools/needs.sh PLAYWRIGHT   after that: a browser by Playwright's own download, if there is none yet
#
# Nothing here fails: without venv, make says what to do; without a browser, its tests are skipped and counted.

found() { command -v "$1" >/dev/null 2>&1; }
has_browser() { found chromium-headless-shell || found chromium || found chromium-browser || found google-chrome || found google-chrome-stable; }

if [ "$1" ]; then
    has_browser || "$1" install chromium || true
    exit 0
fi

missing=
# libatomic is for Playwright, which drives the browser; GNU Go is the peer of the tests of GTP
python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
has_browser || missing="$missing chromium"
ls /usr/lib*/libatomic.so.1 /usr/lib/*/libatomic.so.1 2>/dev/null | grep -q . || missing="$missing libatomic1"
found gnugo || [ -x /usr/games/gnugo ] || missing="$missing gnugo"
[ "$missing" ] || exit 0

if ! found apt-get; then
    echo "Not found:$missing. Install what your system calls them; tests that need them are skipped."
    exit 0
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif found sudo && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "Not found:$missing. Install them with: sudo apt install$missing"
    exit 0
fi
echo "Installing$missing ..."
$as_root apt-get update -qq
for package in $missing; do  # one by one: a package that cannot be had should not keep the others away
    if [ "$package" = chromium ] && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
        package=chromium-headless-shell  # Chromium without windows needs a third of the time
    fi
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$package" >/dev/null \
        || echo "apt could not install $package."
done
