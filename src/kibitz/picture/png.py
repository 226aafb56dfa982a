"""Convert SVG text to a PNG image with whichever converter is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

CHROMIUM_NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
)  # fmt: skip
"""Programs that show pages without a window. The first has no windows at all, and needs a third of the time."""
CONVERTER_TIMEOUT_SECONDS = 60


class NoConverter(RuntimeError):
    """No program or package that turns SVG into PNG is installed."""


def to_png(svg_text: str, *, scale: float = 1) -> bytes:
    """Convert SVG text to a PNG image; scale: pixels of the image per pixel of the SVG.

    Try the package CairoSVG, then rsvg-convert, then Chromium or Chrome. Only browsers support embedded fonts. Raise
    NoConverter if none is installed, RuntimeError if the converter fails.
    """
    try:
        convert = import_module("cairosvg").svg2png
    except (ImportError, OSError):  # OSError: the package is installed but the Cairo library is not
        pass
    else:
        return bytes(convert(bytestring=svg_text.encode(), scale=scale))
    if program := shutil.which("rsvg-convert"):
        return _run([program, "--format=png", f"--zoom={scale}"], svg_text.encode())
    if program := next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None):
        return _take_screenshot(program, svg_text, scale)
    raise NoConverter(
        "Nothing that converts SVG to PNG is installed. Install the Python package cairosvg (pip install cairosvg), "
        "rsvg-convert (Debian: librsvg2-bin, macOS: brew install librsvg), or Chromium or Chrome; or save the picture "
        "as SVG."
    )


def _run(command: list[str], svg: bytes = b"") -> bytes:
    name = Path(command[0]).name
    try:
        done = subprocess.run(command, input=svg, capture_output=True, timeout=CONVERTER_TIMEOUT_SECONDS, check=True)
    except subprocess.CalledProcessError as error:
        message = error.stderr.decode(errors="replace").strip()
        raise RuntimeError(f"{name} could not convert the picture: {message}") from None
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{name} needed more than {CONVERTER_TIMEOUT_SECONDS} seconds for the picture") from None
    return done.stdout


def _take_screenshot(program: str, svg_text: str, scale: float) -> bytes:
    """Return a screenshot of a page that shows nothing but the picture."""
    size = re.search(r'<svg\b[^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"', svg_text)
    if not size:
        raise ValueError("the <svg> tag has no width and height in pixels")
    width, height = (round(float(each)) for each in size.groups())
    with TemporaryDirectory() as folder:
        page, image = Path(folder, "picture.html"), Path(folder, "picture.png")
        style = "html, body { margin: 0; overflow: hidden } svg { display: block }"
        page.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{svg_text}", "utf-8")
        command = [
            program, "--headless", "--disable-gpu", "--hide-scrollbars", "--default-background-color=00000000",
            f"--force-device-scale-factor={scale}", f"--user-data-dir={folder}/profile",
            f"--window-size={width},{height}", f"--screenshot={image}", page.as_uri(),
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # with its sandbox, Chromium refuses to start as root
        _run(command)
        if not image.exists():
            raise RuntimeError(f"{Path(program).name} wrote no image")
        return image.read_bytes()
