"""Whether to take every box or to double-deal, with the lines to draw and the reason.

A double-deal declines the last 2 boxes, or 4, and leaves them to the opponent. Where the value of the rest of the
board is known, from theory or from a function passed in, the values of both are compared. Otherwise the advice is a
rule of thumb, labelled as such. Does not search, and gives no advice where no box can be taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kibitz.core.game import Move
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.rules.graph import Coin, Graph, String
from kibitz.games.dots.theory import nimstring
from kibitz.games.dots.theory.endgames import Captures, best_opening, find_captures, simple_endgame
from kibitz.games.dots.theory.runs import boxes_left, strings_left, take_boxes

Source: TypeAlias = Literal["forced", "given", "theory", "thumb"]
"""The basis: nothing can be declined; the values passed in; theory; the rule of thumb."""


@dataclass(frozen=True)
class Advice:
    """What to do with the boxes that can be taken."""

    lines: tuple[Move, ...]  # The lines to draw now, in order. When boxes are declined, the last line does so.
    take: int  # how many boxes to take now
    leave: int  # how many boxes to leave to the opponent: 0, 2 or 4
    value_of_taking: int | None  # the value of taking all for the player to move, where known
    value_of_declining: int | None  # the value of declining, where known and possible
    source: Source
    sentence: str


def advise(state: DotsState, value_of_rest: Callable[[int], int | None] | None = None) -> Advice | None:
    """Return what to do with the boxes that can be taken; None if there are none.

    value_of_rest is called with the lines that are drawn once all these boxes are taken, as
    a set of bits, and returns the value for the player who then moves, or None if unknown.
    Without it the value is known only where nothing but isolated chains and loops remains.
    """
    graph = state.game.board
    found = find_captures(graph, state.drawn)
    if not found.coins:
        return None
    rest_value = value_of_rest(found.drawn_after) if value_of_rest else None
    source: Source = "theory" if rest_value is None else "given"
    if rest_value is None:
        endgame = simple_endgame(graph, found.drawn_after)
        rest_value = None if endgame is None else best_opening(*endgame).value
    boxes = len(found.coins)
    taking = None if rest_value is None else boxes + rest_value
    declining = None if rest_value is None or not found.declinable else boxes - 2 * found.declinable - rest_value
    if not found.declinable:
        source, double_deal, why = "forced", False, "there is nothing to double-deal"
    elif taking is not None and declining is not None:
        double_deal, why = declining > taking, _comparison_words(state, found, taking, declining)
    else:
        source, double_deal, why = _by_rule_of_thumb(state, found)
    lines, n_left = lines_to_draw(state, found, double_deal), found.declinable if double_deal else 0
    words = {1: "take it", 2: "take both"}.get(boxes, f"take all {boxes}")
    if double_deal:
        name = graph.line_text(lines[-1]) if graph.is_grid else graph.ids[lines[-1]]
        words = f"{f'take {boxes - n_left}, then ' if boxes > n_left else ''}leave {n_left} with {name} (a double-deal)"
    return Advice(lines, boxes - n_left, n_left, taking, declining, source, f"{words}: {why}")


def lines_to_draw(state: DotsState, found: Captures, double_deal: bool) -> tuple[Move, ...]:
    """Return the lines that take all boxes that can be taken, or, with double_deal, all but those that are declined."""
    graph = state.game.board
    if not double_deal:
        return tuple(take_boxes(graph, state.undrawn, found.coins).lines)
    keep, last_line = _find_double_deal(graph, state.undrawn, found)
    return (*take_boxes(graph, state.undrawn, found.coins, keep).lines, last_line)


def _find_double_deal(graph: Graph, undrawn: int, found: Captures) -> tuple[tuple[Coin, ...], String]:
    """Return the boxes to leave in a double-deal, and the line that declines them once all others are taken.

    These are two neighbours, one of them at the exit of a dead tree, and the line is the
    exit; or four in a row of a closed tree, and the line is the middle one.
    """
    tree = next(tree for tree in found.trees if tree.double_deal and tree.half_open == (found.declinable == 2))
    inside = {string for box in tree.boxes for string in strings_left(graph, undrawn, box)} - {tree.exit}
    for string in sorted(inside):
        pair = graph.strings[string]
        if tree.exit is not None:
            if any(box in pair for box in graph.strings[tree.exit]):
                return pair, tree.exit
        else:
            beyond = [[s for s in strings_left(graph, undrawn, box) if s != string] for box in pair]
            if all(beyond):
                outer = (graph.other_end(strings[0], box) for strings, box in zip(beyond, pair, strict=True))
                return (*pair, *outer), string
    raise AssertionError("A tree with a double-deal has a string to cut.")


def _comparison_words(state: DotsState, found: Captures, taking: int, declining: int) -> str:
    """Return the reason for the better choice in words, from the values of taking all boxes and of declining."""
    if found.drawn_after == state.game.board.all_strings:
        return "nothing else is left"
    if declining > taking:
        left = state.game.counted(boxes_left(state.game.board, found.drawn_after))
        return f"it keeps control of {left} and is worth {declining}, while taking all is worth {taking}"
    if declining == taking:
        return f"it is worth {taking}, and so is a double-deal"
    return f"it is worth {taking}, while a double-deal is worth {declining}"


def _by_rule_of_thumb(state: DotsState, found: Captures) -> tuple[Source, bool, str]:
    """Return the source, whether to double-deal, and the reason, where the value of the rest is unknown.

    Nimstring decides which player has to open the first long chain of the rest: the player to move there if the
    nimber is 0. Whether control is worth the 2 or 4 boxes is estimated from the number of boxes left. On random
    positions of up to 14 lines with joints this was a best choice about nine times in ten.
    """
    boxes = boxes_left(state.game.board, found.drawn_after)
    left = state.game.counted(boxes)
    if boxes <= found.declinable:
        return "theory", False, f"with {left} left after that, control is not worth {found.declinable}"
    nimber = nimstring.nimber(state.game.board, found.drawn_after)
    if nimber is None:
        return "thumb", False, f"as a rule of thumb, with {left} left after that it is too early to double-deal"
    if nimber:
        return "thumb", False, "as a rule of thumb, moving first in the rest wins the fight for control there"
    if boxes <= 2 * found.declinable:
        return "thumb", False, f"as a rule of thumb, control of {left} is not worth {found.declinable}"
    return "thumb", True, f"as a rule of thumb, it keeps control of {left}"
