"""Chosen tests with bounds checked and with the JIT off: what only those would notice."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

TESTS = ("compiled", "contract", "games", "patterns", "search")
"""The folders of tests with marked ones."""
SEARCHES = "(test_search or test_selective or test_minimax)"
"""Where every search is compiled for several games; the smallest will do here."""


@pytest.mark.parametrize(
    "flags",
    [{"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"}, {"NUMBA_DISABLE_JIT": "1"}],  # not optimised: compiled sooner
    ids=["bounds checked", "JIT off"],
)
def test_the_marked_tests_pass(flags: dict[str, str]) -> None:
    # what is not optimised is not kept, and says so
    passed_over = ("overflow encountered:RuntimeWarning", "Cannot cache compiled function")
    chosen = ["-m", "modes or checked", "-k", f"not {SEARCHES} or toy", *(f"tests/{folder}" for folder in TESTS)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *chosen, *(f"-Wignore:{text}" for text in passed_over)],
        env={**os.environ, **flags},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
