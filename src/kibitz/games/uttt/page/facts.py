"""Facts about a position of Ultimate Tic-Tac-Toe, found without a search, for the page."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.games.uttt.rules import UtttState
from kibitz.games.uttt.rules.text import DRAWN, FREE
from kibitz.games.uttt.words import PLACES, completing_cells
from kibitz.picture import Fact


def position_facts(state: UtttState) -> Iterator[Fact]:
    """Yield the facts shown beside the board: boards won, where to play, and boards that would win the game."""
    drawn = state.boards.count(DRAWN)
    boards = f"X {state.boards.count(0)}, O {state.boards.count(1)}" + (f", {drawn} drawn" if drawn else "")
    yield Fact("Boards", boards)
    if state.result:
        return
    where = "any open board" if state.forced == FREE else f"the {PLACES[state.forced]} board"
    yield Fact("To play", f"{state.game.players[state.to_move]} in {where}")
    for player, name in enumerate(state.game.players):
        winning_boards = sorted(completing_cells(state.boards, player))
        if winning_boards:
            needed = " or the ".join(PLACES[board] for board in winning_boards)
            yield Fact("Three in a row", f"{name} needs the {needed} board")
