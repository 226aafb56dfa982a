"""Chosen tests with bounds checked and with the JIT off: what only those would notice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MARKED = re.compile(r"pytest\.mark\.(?:modes|checked|bounds)\b")
MODES = {
    "bounds checked": (
        {"NUMBA_BOUNDSCHECK": "1"},
        "modes or checked or bounds",
        ["compiled", "contract", "search", "games/dots/kernel", "games/go/kernel", "games/go/sgf", "games/uttt/kernel"],
    ),
    "JIT off": ({"NUMBA_DISABLE_JIT": "1"}, "modes or checked", ["compiled", "contract", "search", "games"]),
}
"""Mode -> what makes it, and which tests are run where. With the JIT off numpy checks bounds, so few need both."""
SEARCHES = "(test_search or test_selective or test_minimax)"
"""Where every search is compiled for several games; the smallest will do here."""
KEYS = "test_keys_tell_positions_apart"
"""Asks a position for what other tests ask it for on every ply."""


def marked_files(place: Path) -> list[Path]:
    """Return the test files in a place that have marked tests: to import the others takes seconds."""
    paths = sorted(place.rglob("test_*.py")) if place.is_dir() else [place]
    return [path for path in paths if MARKED.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("mode", MODES)
def test_the_marked_tests_pass(mode: str) -> None:
    flags, marks, places = MODES[mode]
    files = [path for place in places for path in marked_files(TESTS / place)]
    assert len(files) >= len(places)
    wanted = f"(not {SEARCHES} or toy) and not {KEYS}"
    chosen = ["-m", marks, "-k", wanted, *map(str, files)]
    command = [sys.executable, "-m", "pytest", *chosen, "-Wignore:overflow encountered:RuntimeWarning"]
    done = subprocess.run(command, env={**os.environ, **flags}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
