"""Battle Line in the browser: the picture of the table, the words, the overlay and the panels."""

from kibitz.games.battleline.page.page import BattleLinePage

__all__ = ["BattleLinePage"]
