"""Pictures as PNG: the order of converters, and the message if none is installed."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from types import SimpleNamespace

import pytest

from kibitz.picture import png
from kibitz.picture.svg import svg
from picture.small_pictures import PICTURE
from web.browser.serving import NO_CHROMIUM


@pytest.fixture(autouse=True)
def _no_converters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    monkeypatch.setattr(shutil, "which", lambda name: None)


def test_the_package_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(svg2png=lambda bytestring, scale: b"PNG %d " % scale + bytestring)
    monkeypatch.setitem(sys.modules, "cairosvg", fake)
    assert png.to_png("<svg/>", scale=2) == b"PNG 2 <svg/>"


def test_then_rsvg_convert(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: sys.executable if name == "rsvg-convert" else None)
    ran = []

    def run(command: list[str], **more: object) -> subprocess.CompletedProcess[bytes]:
        ran.append((command, more["input"]))
        return subprocess.CompletedProcess(command, 0, b"PNG", b"")

    monkeypatch.setattr(subprocess, "run", run)
    assert png.to_png("<svg/>") == b"PNG"
    assert ran == [([sys.executable, "--format=png", "--zoom=1"], b"<svg/>")]


def test_then_chromium(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    which = shutil.which
    if not any(map(which, png.CHROMIUM_NAMES)):
        pytest.skip(NO_CHROMIUM)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "rsvg-convert" else which(name))
    image = png.to_png(svg(PICTURE, name="toy", width=150), scale=2)
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", image[16:24]) == (300, 300)


def test_failures_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(png.NoConverter, match=r"cairosvg.*rsvg-convert.*Chromium"):
        png.to_png("<svg/>")
    monkeypatch.setattr(shutil, "which", lambda name: sys.executable if name == "rsvg-convert" else None)
    with pytest.raises(RuntimeError, match="could not convert the picture: "):
        png.to_png("<svg/>")  # Python knows no --format
