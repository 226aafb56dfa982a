"""All that is seen in a position without searching: its structure, and what the theory says of it.

For `kibitz analyse`, in JSON and as a picture with words.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.game import Line, State
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.theory import endgames as theory
from kibitz.games.dots.theory import nimstring
from kibitz.games.dots.theory.advice import Advice, advise
from kibitz.games.dots.theory.structure import structure_json
from kibitz.games.dots.words.drawing import draw_structure


def analysis_json(state: State) -> dict[str, Any]:
    """Return the structure and the theory of a position, for programs."""
    return {"structure": structure_json(state), "theory": theory_json(state)}


def draw_analysis(state: State, width: int = 80) -> tuple[Line, ...]:
    """Return a position with its structure, the dual beside it, and both explained."""
    assert isinstance(state, DotsState)
    advice = advise(state)
    found = theory.captures(state.game.board, state.drawn)
    return draw_structure(
        state,
        width,
        [
            ("Nimbers", _nimbers_words(state)),
            ("Endgame", _endgame_words(state, found)),
            ("Advice", "" if advice is None else f"{advice.sentence}."),
        ],
    )


def theory_json(state: State) -> dict[str, Any]:
    """Return what the theory says: loony or not, nimbers, the endgame if it is a simple one, advice."""
    assert isinstance(state, DotsState)
    graph = state.game.board
    found, advice = theory.captures(graph, state.drawn), advise(state)
    return {
        "loony": found.decline > 0,
        "declinable": found.decline,
        "regions": [
            {"boxes": [graph.coins[coin] for coin in region.coins], "nimber": _nimber(region.nimber)}
            for region in nimstring.regions(graph, state.drawn)
        ],
        "endgame": _endgame_json(state, found.rest),
        "advice": None if advice is None else _advice_json(state, advice),
    }


def _nimber(value: int | None) -> int | str | None:
    """Return a nimber for programs: a number, "loony", or None where it is too large to find."""
    return "loony" if value == nimstring.LOONY else value


def _endgame_json(state: DotsState, rest: int) -> dict[str, Any] | None:
    """Return the values of what is left when all that can be taken is gone; None if it is no simple endgame."""
    endgame = theory.simple_endgame(state.game.board, rest)
    if endgame is None or not any(endgame):
        return None
    long_ones = _long(endgame)
    opening = theory.endgame_value(*endgame)
    return {
        "chains": list(endgame.chains),
        "loops": list(endgame.loops),
        "fully_controlled_value": theory.fully_controlled_value(*long_ones),
        "terminal_bonus": theory.terminal_bonus(*long_ones),
        "controlled_value": theory.controlled_value(*long_ones),
        "value": opening.value,
        "open": f"{opening.kind} of {opening.length}",
    }


def _long(endgame: theory.Endgame) -> theory.Endgame:
    """Return the chains and loops that can be controlled."""
    return theory.Endgame(
        tuple(n for n in endgame.chains if theory.declined_in("chain", n)),
        tuple(n for n in endgame.loops if theory.declined_in("loop", n)),
    )


def _advice_json(state: DotsState, advice: Advice) -> dict[str, Any]:
    return {
        "lines": [state.game.move_text(line) for line in advice.lines],
        "take": advice.take,
        "leave": advice.leave,
        "taking": advice.taking,
        "declining": advice.declining,
        "by": advice.source,
        "sentence": advice.sentence,
    }


def _nimbers_words(state: DotsState) -> str:
    """Return the nimber of each region and of all together."""
    graph = state.game.board
    found = nimstring.regions(graph, state.drawn)
    if not found or any(region.nimber is None for region in found):
        return ""
    if any(region.nimber == nimstring.LOONY for region in found):
        return "loony: the player to move can choose who moves in the rest"
    each = [f"*{region.nimber} ({state.game.counted(len(region.coins))})" for region in found]
    total = nimstring.nimber(graph, state.drawn)
    return " + ".join(each) + (f" = *{total}" if len(each) > 1 else "")


def _endgame_words(state: DotsState, captures: theory.Captures) -> str:
    """Return the values of a simple endgame."""
    found, dead = _endgame_json(state, captures.rest), len(captures.coins)
    if found is None:
        return ""
    boxes = f"dead {state.game.unit} is" if dead == 1 else f"dead {state.game.units} are"
    start = f"when the {boxes} taken, " if dead else ""
    return (
        f"{start}who must move opens the {found['open']} and nets {found['value']:+d}; controlled value "
        f"{found['controlled_value']} = {found['fully_controlled_value']} fully controlled + "
        f"{found['terminal_bonus']} terminal bonus"
    )
