"""Every game's kernel in lockstep with its rules, ply by ply over random games.

Only with bounds checked and with the JIT off, by compiled/test_modes.py: what is right there is right without.
"""

from __future__ import annotations

import pytest

from kibitz.core import registry
from kibitz.testing import KernelContract
from kibitz.testing.contract import key_of

pytestmark = pytest.mark.checked


class TestBattleLine(KernelContract, game="battleline"):
    """Battle Line."""


class TestDots(KernelContract, game="dots"):
    """Dots-and-Boxes."""


class TestGo(KernelContract, game="go", small={"size": 5, "komi": 0.5}):
    """Go, on a small board."""


class TestUttt(KernelContract, game="uttt"):
    """Ultimate Tic-Tac-Toe."""

    @pytest.mark.parametrize(
        "texts",
        [
            ("4x4/4o4/9/9/9/9/9/9/9 x 4", "9/4o4/4x4/9/9/9/9/9/9 x 4"),
            ("4x4/3xo4/9/9/o8/9/9/9/9 x 4", "4x4/3xo4/9/9/o8/9/9/9/9 x 0"),
            ("xxxooo3/9/9/9/9/9/9/9/9 x 3 x........", "xxxooo3/9/9/9/9/9/9/9/9 x 3 o........"),
        ],
        ids=["other marks", "other forced board", "other owner"],
    )
    def test_keys_of_similar_positions_differ(self, texts: tuple[str, str]) -> None:
        first, second = (registry.game("uttt", variant="open").parse_position(text) for text in texts)
        assert first != second
        assert key_of(first) != key_of(second)
