"""Chromium for the tests that look at pictures."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from clocks import PATIENCE
from kibitz.picture.png import CHROMIUM_NAMES

FLAGS = ["--no-sandbox", "--disable-gpu"]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Use the Chromium of the system, wherever it is."""
    found = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    assert found, f"The tests of pictures need Chromium; one of {', '.join(CHROMIUM_NAMES)} must be on the PATH."
    return {**browser_type_launch_args, "executable_path": found, "args": FLAGS, "timeout": 1000 * PATIENCE}
