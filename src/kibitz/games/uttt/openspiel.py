"""The same game in OpenSpiel, where a free choice takes two actions, board and cell."""

from __future__ import annotations

from kibitz.core.game import Move
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.rules import UNKNOWN
from kibitz.games.uttt.rules.text import FREE
from kibitz.interop.extend import SpielTwin


def _openspiel_name(game: Uttt) -> str:
    return "ultimate_tic_tac_toe" if game == Uttt() else ""


def _actions(state: UtttState, move: Move) -> tuple[int, ...]:
    board, cell = divmod(move, 9)
    return (board, cell) if state.forced == FREE else (cell,)


def _last_move(known: UtttState, state: UtttState) -> tuple[Move, ...]:
    return () if known == state or state.last == UNKNOWN else (state.last,)


TWIN = SpielTwin(_openspiel_name, _actions, _last_move)
