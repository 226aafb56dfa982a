"""New processes for the tests of the kernel cache."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from forked import Forked, forks


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    with forks() as run_forks:
        yield run_forks
