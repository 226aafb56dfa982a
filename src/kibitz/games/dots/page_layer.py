"""What is seen in a position of Dots-and-Boxes without searching, for the page to lay over the board."""

from __future__ import annotations

from typing import Any

from kibitz.core.game import State as AnyState
from kibitz.games.dots import nimstring
from kibitz.games.dots.analysis import theory_json
from kibitz.games.dots.page_label import words
from kibitz.games.dots.rules import State
from kibitz.games.dots.runs import loony_lines
from kibitz.games.dots.structure import rule_words, structure_of

TONES = 8
"""So many colours tell runs apart."""


def layer(state: AnyState) -> dict[str, Any]:
    """Return runs, joints, loony and safe lines by number, and what structure and theory say in words."""
    assert isinstance(state, State)
    found = structure_of(state)
    facts = [("Phase", f"{found.reason}."), ("Long chains", rule_words(state, found))]
    theory = theory_json(state)
    facts += [
        ("Nimbers", _nimbers(state, theory["regions"])),
        ("Controlled value", _endgame(theory["endgame"], bool(found.dead))),
        ("Advice", words(state.game, _sentence(theory["advice"]["sentence"])) if theory["advice"] else ""),
    ]
    return {
        "runs": [
            {
                "kind": run.name,
                "length": run.length,
                "long": run.long,
                "boxes": list(run.boxes),
                "lines": list(run.strings),
                "tone": number % TONES,
            }
            for number, run in enumerate(found.runs)
        ],
        "joints": [joint.box for joint in found.joints if joint.runs],
        "dead": list(found.dead),
        "loony": list(loony_lines(state.game.board, state.drawn)),
        "safe": list(found.safe_lines),
        "facts": [{"label": label, "text": text} for label, text in facts if text],
    }


def _nimbers(state: State, regions: list[dict[str, Any]]) -> str:
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
