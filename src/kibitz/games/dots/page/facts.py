"""What structure and theory say about a position of Dots-and-Boxes, in words."""

from __future__ import annotations

from typing import Any

from kibitz.games.dots.page.label import relabel
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.theory import nimstring
from kibitz.games.dots.theory.structure import Structure, rule_words
from kibitz.games.dots.words.insight import theory_json
from kibitz.picture import Fact


def facts_of(state: DotsState, found: Structure) -> tuple[Fact, ...]:
    """Return the phase, the long-chain rule, and what theory knows; found is the structure of the position."""
    theory = theory_json(state)
    advice = theory["advice"]
    facts = (
        Fact("Phase", f"{found.reason}."),
        Fact("Long chains", rule_words(state, found)),
        Fact("Nimbers", _nimbers(state, theory["regions"])),
        Fact("Controlled value", _endgame(theory["endgame"], bool(found.dead))),
        Fact("Advice", relabel(state.game, _sentence(advice["sentence"])) if advice else ""),
    )
    return tuple(fact for fact in facts if fact.text)


def _nimbers(state: DotsState, regions: list[dict[str, Any]]) -> str:
    """Return the nimbers of all regions, and of the whole; empty where one is too large to find."""
    values = [region["nimber"] for region in regions]
    if not values or None in values:
        return ""
    if "loony" in values:
        return "Loony: the player to move can choose who moves first in the rest."
    each = " + ".join(f"*{region['nimber']} ({state.game.counted(len(region['boxes']))})" for region in regions)
    whole = nimstring.nimber(state.game.board, state.drawn)
    who = "the player to move" if whole else "the other player"
    return f"{each}{f' = *{whole}' if len(regions) > 1 else ''}: {who} can win the fight for control."


def _endgame(endgame: dict[str, Any] | None, dead: bool) -> str:
    """Return the values of a simple endgame."""
    if endgame is None:
        return ""
    start = "When all that can be taken is gone: " if dead else ""
    return (
        f"{start}{endgame['controlled_value']} for who keeps control ({endgame['fully_controlled_value']} fully "
        f"controlled + {endgame['terminal_bonus']} terminal bonus). Who must move opens the {endgame['open']} and nets "
        f"{endgame['value']:+d}."
    )


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."
