"""What is seen in a position without searching: its structure, and the theory of it, as JSON and in words.

For `kibitz analyse` and for the page.
"""

from __future__ import annotations

from kibitz.core.game import Line
from kibitz.core.untrusted import JsonObject
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.theory import endgames, nimstring
from kibitz.games.dots.theory.advice import advise
from kibitz.games.dots.theory.structure import structure_json
from kibitz.games.dots.words.drawing import draw_structure


def analysis_json(state: DotsState) -> JsonObject:
    """Return the structure and the theory of a position, for programs."""
    return {"structure": structure_json(state), "theory": theory_json(state)}


def draw_analysis(state: DotsState, width: int = 80) -> tuple[Line, ...]:
    """Return a position with its structure, the dual beside it, and both explained."""
    headings = ("Nimbers", "Endgame", "Advice")
    return draw_structure(state, width, list(zip(headings, theory_words(state), strict=True)))


def theory_json(state: DotsState) -> JsonObject:
    """Return whether the position is loony, its nimbers, its endgame if that is simple, and advice."""
    graph = state.game.board
    captures, advice = endgames.captures(graph, state.drawn), advise(state)
    return {
        "loony": captures.decline > 0,
        "declinable": captures.decline,
        "regions": [
            {
                "boxes": [graph.coins[coin] for coin in region.coins],
                "nimber": "loony" if region.nimber == nimstring.LOONY else region.nimber,
            }
            for region in nimstring.regions(graph, state.drawn)
        ],
        "endgame": _endgame_json(state, captures.rest),
        "advice": advice
        and {
            "lines": [state.game.move_text(line) for line in advice.lines],
            "take": advice.take,
            "leave": advice.leave,
            "taking": advice.taking,
            "declining": advice.declining,
            "by": advice.source,
            "sentence": advice.sentence,
        },
    }


def _endgame_json(state: DotsState, rest: int) -> JsonObject | None:
    """Return the values of what is left when all that can be taken is gone; None unless it is a simple endgame."""
    endgame = endgames.simple_endgame(state.game.board, rest)
    if endgame is None or not any(endgame):
        return None
    long_ones = (
        tuple(n for n in endgame.chains if endgames.declined_in("chain", n)),
        tuple(n for n in endgame.loops if endgames.declined_in("loop", n)),
    )
    opening = endgames.endgame_value(*endgame)
    return {
        "chains": list(endgame.chains),
        "loops": list(endgame.loops),
        "fully_controlled_value": endgames.fully_controlled_value(*long_ones),
        "terminal_bonus": endgames.terminal_bonus(*long_ones),
        "controlled_value": endgames.controlled_value(*long_ones),
        "value": opening.value,
        "open": f"{opening.kind} of {opening.length}",
    }


def theory_words(state: DotsState) -> tuple[str, str, str]:
    """Return the nimbers, the values of a simple endgame, and advice, in sentences; empty where there are none."""
    theory = theory_json(state)
    advice = theory["advice"]["sentence"] if theory["advice"] else ""
    return (
        _nimbers_words(state, theory["regions"]),
        _endgame_words(state, theory["endgame"]),
        f"{advice[0].upper()}{advice[1:]}." if advice else "",
    )


def _nimbers_words(state: DotsState, regions: list[JsonObject]) -> str:
    """Return the nimbers of all regions, and of the whole; empty where one is too large to find."""
    nimbers = [region["nimber"] for region in regions]
    if not nimbers or None in nimbers:
        return ""
    if "loony" in nimbers:
        return "Loony: the player to move can choose which player moves first in the rest."
    each = " + ".join(f"*{region['nimber']} ({state.game.counted(len(region['boxes']))})" for region in regions)
    whole = nimstring.nimber(state.game.board, state.drawn)
    winner = "the player to move" if whole else "the other player"
    return f"{each}{f' = *{whole}' if len(regions) > 1 else ''}: {winner} can win the fight for control."


def _endgame_words(state: DotsState, endgame: JsonObject | None) -> str:
    if endgame is None:
        return ""
    dead = len(endgames.captures(state.game.board, state.drawn).coins)
    taken = f"dead {state.game.unit} is" if dead == 1 else f"dead {state.game.units} are"
    start = f"When the {taken} taken: " if dead else ""
    return (
        f"{start}{endgame['controlled_value']} for the player in control ({endgame['fully_controlled_value']} fully "
        f"controlled + {endgame['terminal_bonus']} terminal bonus). The player to move opens the {endgame['open']} "
        f"and nets {endgame['value']:+d}."
    )
