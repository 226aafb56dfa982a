"""Reasons for and against moves, in the game's own words."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.core import registry
from kibitz.core.game import Move, State


def reasons(state: State, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return what a legal move does, most important first, as clauses such as "wins the centre board".

    line is the expected play, starting with the move. The reasons use only what the player to move may know, so they
    can be shown to that player. Empty if the game has no words for the move.
    """
    words = registry.package(state.game.name).words
    return () if words is None else words().reasons(state.view(state.to_move), move, line)


def sentence(clauses: Sequence[str]) -> str:
    """Join clauses into one sentence; an empty string if there are none."""
    if not clauses:
        return ""
    *first, last = clauses
    if any("," in clause for clause in first):  # with commas inside clauses, "and" would be ambiguous
        text = "; ".join(clauses)
    else:
        text = f"{', '.join(first)} and {last}" if first else last
    return f"{text[0].upper()}{text[1:]}."
