"""Chosen tests with bounds checked and with the JIT off: what only those would notice."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

MODES = {
    "bounds checked": (
        {"NUMBA_BOUNDSCHECK": "1"},
        ["compiled", "contract", "search", "games/go/sgf/test_scan.py"],
    ),
    "JIT off": ({"NUMBA_DISABLE_JIT": "1"}, ["compiled", "contract", "search", "games"]),
}
"""Mode -> what makes it, and where its tests are. With the JIT off numpy checks bounds, so few need both."""
SEARCHES = "(test_search or test_selective or test_minimax)"
"""Where every search is compiled for several games; the smallest will do here."""
KEYS = "test_keys_tell_positions_apart"
"""Asks a position for what other tests ask it for on every ply."""


@pytest.mark.parametrize("mode", MODES)
def test_the_marked_tests_pass(mode: str) -> None:
    flags, places = MODES[mode]
    wanted = f"(not {SEARCHES} or toy) and not {KEYS}"
    chosen = ["-m", "modes or checked", "-k", wanted, *(f"tests/{place}" for place in places)]
    command = [sys.executable, "-m", "pytest", *chosen, "-Wignore:overflow encountered:RuntimeWarning"]
    done = subprocess.run(command, env={**os.environ, **flags}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
