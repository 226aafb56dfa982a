"""The examples in docstrings."""

from __future__ import annotations

import doctest

import kibitz


def test_the_first_example_works() -> None:
    found = doctest.testmod(kibitz)
    assert found.attempted > 0
    assert found.failed == 0
