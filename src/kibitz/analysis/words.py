"""Moves in words: what speaks for or against one, as the game itself says it."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.core import registry
from kibitz.core.game import Move, State


def reasons(state: State, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return what a legal move does, in words, the most important first; none if the game has no words for it.

    The game is given what the player to move may know, so the words can be shown to that player.

    They are clauses without a subject, such as "wins the centre board". line is
    the play expected, the move itself first, where somebody expects one.
    """
    words = registry.package(state.game.name).words
    return () if words is None else words().reasons(state.view(state.to_move), move, line)


def sentence(clauses: Sequence[str]) -> str:
    """Return clauses as one sentence; empty if there are none."""
    if not clauses:
        return ""
    *first, last = clauses
    if any("," in clause for clause in first):  # an "and" could be read as part of what is between commas
        text = "; ".join(clauses)
    else:
        text = f"{', '.join(first)} and {last}" if first else last
    return f"{text[0].upper()}{text[1:]}."
