"""The cache of compiled kernels: never stale, shared by processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compiled.conftest import Forked
from kibitz.compiled import objects
from kibitz.compiled.jit import entry
from kibitz.compiled.sources import reachable

CALLEE = """
from kibitz.compiled.jit import jit

@jit
def step(x):
    return x + {step}
"""
CALLER = """
import json
import sys

import numpy as np

from kibitz.compiled.jit import entry
from kibitz.compiled.notice import compilations
from planted.callee import step


@entry
def ours(values):
    return step(values[0])


@entry
def beyond(values):
    return values[len(values) + 5]


if "theirs" in sys.argv:
    import numba

    @numba.njit(cache=True)
    def theirs(values):
        return step(values[0])


compiled = []
answers = {}
with compilations(lambda name: compiled.append(name) if name else None):
    for function in (ours, *(globals()[name] for name in sys.argv[1:])):
        try:
            answers[function.__name__] = int(function(np.zeros(3, np.int64)))
        except IndexError:
            answers[function.__name__] = "IndexError"
print(json.dumps({"answers": answers, "compiled": compiled}))
"""


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A package of two files in which one calls the other."""
    package = tmp_path / "planted"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "callee.py").write_text(CALLEE.format(step=1))
    (package / "caller.py").write_text(CALLER)
    return tmp_path


START = {"imported": ["-c", "import planted.caller"], "module": ["-m", "planted.caller"], "script": ["caller.py"]}
COMPILED = {"answers": {"ours": 1}, "compiled": ["ours"]}
LOADED = {"answers": {"ours": 1}, "compiled": []}


def run(folder: Path, *args: str, start: str = "imported", **env: str) -> Any:
    """Run the planted program in a new process with a cache of its own."""
    command, cwd = [sys.executable, *START[start], *args], folder / "planted" if start == "script" else folder
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "KIBITZ_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": path, **env}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


@pytest.mark.parametrize("start", START)
def test_an_edited_callee_is_never_served_stale(planted: Path, forked: Forked, start: str) -> None:
    def answer() -> Any:
        return forked(planted)[0] if start == "imported" else run(planted, start=start)

    assert answer() == COMPILED
    assert answer() == LOADED
    (planted / "planted" / "callee.py").write_text(CALLEE.format(step=100))
    assert answer() == {"answers": {"ours": 100}, "compiled": ["ours"]}


def test_numbas_own_cache_would_serve_it(planted: Path, forked: Forked) -> None:
    (fresh,) = forked(planted, "theirs")
    assert fresh["answers"]["theirs"] == 1
    (planted / "planted" / "callee.py").write_text(CALLEE.format(step=100))
    (stale,) = forked(planted, "theirs")
    assert stale["answers"] == {"ours": 100, "theirs": 1}, (
        "numba's own cache is not stale any more: ours may be simplified"
    )


def test_a_bounds_check_run_really_checks(planted: Path, forked: Forked) -> None:
    (unchecked,) = forked(planted, "beyond")
    assert unchecked["answers"]["beyond"] != "IndexError"
    checked = run(planted, "beyond", NUMBA_BOUNDSCHECK="1")
    assert checked["answers"]["beyond"] == "IndexError"
    assert "beyond" in checked["compiled"]


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "cache" / "objects").glob("*.o"))


def test_old_versions_go_when_a_new_one_is_made(planted: Path, forked: Forked) -> None:
    forked(planted)
    (first,) = kept(planted)
    now = time.time()
    for age in range(objects._MAX_VERSIONS):
        older = first.with_name(f"{first.name.rpartition('-')[0]}-{age}.o")
        older.write_bytes(b"")
        os.utime(older, (now - 1000 - age, now - 1000 - age))
    (planted / "planted" / "callee.py").write_text(CALLEE.format(step=100))
    forked(planted)
    assert len(kept(planted)) == objects._MAX_VERSIONS
    assert first in kept(planted)


@pytest.mark.parametrize("damage", [slice(20), slice(-1), slice(0)], ids=["begins", "lacks a byte", "is empty"])
def test_a_damaged_kernel_is_compiled_again(planted: Path, forked: Forked, damage: slice) -> None:
    forked(planted)
    for file in kept(planted):
        file.write_bytes(file.read_bytes()[damage])
    assert forked(planted) == [COMPILED]
    assert forked(planted) == [LOADED]


def test_an_altered_kernel_is_compiled_again(planted: Path, forked: Forked) -> None:
    forked(planted)
    (file,) = kept(planted)
    content = bytearray(file.read_bytes())
    content[-100] ^= 1
    file.write_bytes(bytes(content))
    assert forked(planted) == [COMPILED]


@pytest.mark.skipif(sys.platform == "win32", reason="no such modes there")
@pytest.mark.parametrize("place", ["file", "folder"])
def test_a_kernel_that_others_may_have_written_is_not_run(planted: Path, forked: Forked, place: str) -> None:
    forked(planted)
    (file,) = kept(planted)
    (file if place == "file" else file.parent).chmod(0o777)
    assert forked(planted) == [COMPILED]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files away")
def test_a_kernel_of_another_user_is_not_run(planted: Path, forked: Forked) -> None:
    forked(planted)
    (file,) = kept(planted)
    os.chown(file, 12345, 12345)
    assert forked(planted) == [COMPILED]


BUILT = "objects.host, objects.shipped_file = objects.shipped_cpu, lambda *_: None"
"""What tools/make/wheel.py does: compile for a processor of SHIPPED_CPUS."""
INSTALLED = "objects.shipped_folder = lambda cpu: pathlib.Path('shipped')"


@pytest.mark.skipif(objects.shipped_cpu() is None, reason="no kernels are shipped for this machine")
def test_a_shipped_kernel_is_loaded_until_its_sources_change(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(patch: str) -> Any:
        start = ["-c", f"import pathlib; from kibitz.compiled import objects; {patch}; import planted.caller"]
        monkeypatch.setitem(START, "patched", start)
        return run(planted, start="patched")

    assert answer(BUILT) == COMPILED
    (planted / "cache" / "objects").rename(planted / "shipped")
    assert answer(INSTALLED) == LOADED
    (planted / "planted" / "callee.py").write_text(CALLEE.format(step=100))
    assert answer(INSTALLED) == {"answers": {"ours": 100}, "compiled": ["ours"]}


def test_every_kind_of_argument_and_result_arrives(tmp_path: Path) -> None:
    """Compiled for each signature; read-only arrays, slices, single floats and wide integers included."""
    frozen = np.arange(3)
    frozen.flags.writeable = False
    args: list[Any] = [
        (np.arange(4), 2, 0.5, True), (frozen, 2, 0.5, True), (np.arange(8)[::2], 2, 0.5, False),
        (np.arange(4, dtype=np.int16), np.int16(-2), np.float32(0.25), True), (np.arange(4.0), 1 << 63, -0.5, False),
    ]  # fmt: skip
    for each in args:
        assert mixed(*each) == pytest.approx(vars(mixed)["__wrapped__"](*each))
    assert two(np.arange(5)) == (0, 4)
    assert is_long(np.arange(5)) is True
    assert is_long(np.arange(2)) is False
    assert nothing(np.arange(5)) is None


@entry
def mixed(values: Any, whole: int, part: float, flag: bool) -> float:
    """Return a number that depends on everything."""
    total = 0.0
    for i in range(len(values)):
        total += values[i] * (i + 1)
    return total + whole * 1.0 + part * 3 + (100 if flag else 0)


@entry
def two(values: Any) -> tuple[int, int]:
    return values[0], values[-1]


@entry
def is_long(values: Any) -> bool:
    return len(values) > 3


@entry
def nothing(values: Any) -> None:
    values[0] = 7


@entry
def divided(values: Any) -> int:
    return int(values[0] // values[1])


def test_an_error_inside_a_kernel_is_raised(planted: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        divided(np.zeros(2, np.int64))
    assert divided(np.array([7, 2])) == 3


def test_what_a_kernel_cannot_take_is_refused() -> None:
    with pytest.raises(TypeError, match="Kernels take arrays, tuples and numbers, not str"):
        divided("ab")


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_a_full_disk_keeps_nothing_but_computes(planted: Path, forked: Forked) -> None:
    caller = planted / "planted" / "caller.py"
    room = "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    room += "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    caller.write_text(room + CALLER)
    assert forked(planted) == [COMPILED]
    assert forked(planted) == [COMPILED]
    caller.write_text(CALLER)
    assert forked(planted) == [COMPILED]
    assert forked(planted) == [LOADED]


def test_an_unusable_cache_folder_is_reported(planted: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run(planted, KIBITZ_CACHE_DIR="/dev/null")
    assert "Cannot keep compiled searches in /dev/null/objects" in caught.value.stderr


def test_kernels_of_other_signatures_are_kept(planted: Path, forked: Forked) -> None:
    """One search serves many games: each has a signature of its own."""
    wide = "".join(f"    ours(np.zeros({(1,) * n}, np.int64)) if {n} > 1 else 0\n" for n in range(1, 8))
    caller = CALLER.replace("return step(values[0])", "return step(values.size)") + f"for _ in (1,):\n{wide}"
    (planted / "planted" / "caller.py").write_text(caller)
    forked(planted)
    assert len(kept(planted)) == 7 > objects._MAX_VERSIONS


def test_the_versions_used_last_are_kept(tmp_path: Path) -> None:
    files = [tmp_path / f"games.uttt-{number}.o" for number in range(objects._MAX_VERSIONS + 3)]
    other = tmp_path / "games.dots-1.o"
    now = time.time()
    for age, file in enumerate([*files, other]):
        file.write_bytes(b"")
        os.utime(file, (now - age, now - age))
    objects.prune(files[0])
    assert sorted(tmp_path.iterdir()) == sorted([*files[: objects._MAX_VERSIONS], other])


def test_a_kernel_reaches_its_game_and_the_search_but_no_command() -> None:
    found = set(reachable(("kibitz.search.alphabeta.kernel", "kibitz.games.uttt.kernel.position")))
    needed = ("games.uttt.rules", "compiled.transposition", "search.control", "core.seeds")
    assert {f"kibitz.{name}" for name in needed} <= found
    assert not any(name.startswith(("kibitz.cli", "kibitz.arena")) for name in found)


ALL_ENTRIES = """
import numpy as np
import kibitz
from kibitz.compiled.notice import compilations
from kibitz.compiled.rng import stream
from kibitz.games.uttt.kernel import position as kernel
from kibitz.search.control import new_signal
from kibitz.search.perft import perft, random_games

compiled = []
with compilations(lambda name: compiled.append(name) if name else None):
    state = kibitz.game("uttt").start()
    pos, moves = kernel.pack(state), np.zeros(4 * kernel.MAX_LEGAL_MOVES, np.int64)
    assert perft(pos, 4, moves, new_signal()) == 55080
    random_games(pos, kernel.pack(state), 100, stream(1), moves, np.zeros(3, np.int64))
    for spec in ("alphabeta(depth=5)", "alphabeta(depth=4,every=true)", "mcts(playouts=500)"):
        kibitz.agent("uttt", spec).choose(state)
print(sorted(compiled))
"""


def test_the_next_process_compiles_nothing_and_does_not_crash() -> None:
    exec(ALL_ENTRIES, {})
    command = [sys.executable, "-c", ALL_ENTRIES]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=180)
    assert done.stdout.strip() == "[]"


def test_processes_that_want_the_same_compile_it_once(planted: Path, forked: Forked) -> None:
    """The others wait for it, and say so."""
    counted = "from kibitz.compiled.compiler import kernels\nmade, plain = [], kernels.compile_kernel\n"
    counted += "kernels.compile_kernel = lambda *args: made.append(1) or plain(*args)\n"
    caller = CALLER.replace("compiled = []", f"{counted}compiled = []").replace(
        '"compiled": comp', '"made": made, "c": comp'
    )
    (planted / "planted" / "caller.py").write_text(caller)
    answers = forked(planted, times=3)
    assert [each["answers"]["ours"] for each in answers] == [1, 1, 1]
    assert sum(len(each["made"]) for each in answers) == 1
    assert [path.suffix for path in sorted((planted / "cache" / "objects").iterdir())] == [".lock", ".o"]


def test_a_process_killed_while_compiling_blocks_no_other(planted: Path, forked: Forked) -> None:
    """A lock goes with its process."""
    forked(planted)
    (lock,) = (planted / "cache").rglob("*.lock")
    lock.with_suffix(".o").unlink()
    holder = (
        "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print(1, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", holder, str(lock)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    assert forked(planted) == [COMPILED]
