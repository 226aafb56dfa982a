"""The contract of games, on each of ours. The kernels' part runs in other modes too, see test_kernels.py."""

from __future__ import annotations

from pathlib import Path

from conftest import OURS
from kibitz.testing import AgentsContract, PictureContract, RulesContract


class OurContract(RulesContract, AgentsContract, PictureContract):
    """All but the kernels."""


class TestBattleLine(OurContract, game="battleline"):
    """Battle Line."""


class TestDots(OurContract, game="dots"):
    """Dots-and-Boxes."""


class TestGo(OurContract, game="go", small={"size": 5, "komi": 0.5}):
    """Go, on a small board."""


class TestUttt(OurContract, game="uttt"):
    """Ultimate Tic-Tac-Toe."""


def test_every_game_of_ours_is_here() -> None:
    assert {cls.name for cls in OurContract.__subclasses__()} == set(OURS)


def test_every_game_has_diagrams() -> None:
    folders = {
        path.name for path in (Path(__file__).parent.parent / "games").iterdir() if any(path.glob("rules/test_*.py"))
    }
    assert folders >= set(OURS)
