"""Chosen tests again, with bounds checked and with the JIT off: what only those would notice."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("flag", ["NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT"])
def test_the_marked_tests_pass(flag: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-m", "modes", "-W", "ignore:overflow encountered:RuntimeWarning"],
        env={**os.environ, flag: "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
