"""Chosen tests with bounds checked and with the JIT off: what only those would notice."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "flags",
    [{"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"}, {"NUMBA_DISABLE_JIT": "1"}],  # not optimised: compiled sooner
    ids=["bounds checked", "JIT off"],
)
def test_the_marked_tests_pass(flags: dict[str, str]) -> None:
    # what is not optimised is not kept, and says so
    passed_over = ("overflow encountered:RuntimeWarning", "Cannot cache compiled function")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-m", "modes or checked", *(f"-Wignore:{text}" for text in passed_over)],
        env={**os.environ, **flags},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
