"""How Battle Line shows itself: the picture of the table, words, overlay and panels."""

from kibitz.games.battleline.page.page import BattleLinePage

__all__ = ["BattleLinePage"]
