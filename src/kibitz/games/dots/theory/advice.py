"""Whether to take every box or to double-deal, with the lines to draw and the reason.

To double-deal is to decline the last 2 boxes, or 4: they are left to the opponent. Compares the value of both where
that of the rest of the board is known, from a search passed in or from theory. Otherwise the advice is a rule of
thumb, labelled as such. Does not search itself, and gives no advice where no box can be taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kibitz.core.game import Move
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.rules.graph import Coin, Graph, String
from kibitz.games.dots.theory import nimstring
from kibitz.games.dots.theory.endgames import Captures, captures, endgame_value, simple_endgame
from kibitz.games.dots.theory.runs import boxes_left, fall, strings_left

Source: TypeAlias = Literal["forced", "given", "theory", "thumb"]
"""The basis: nothing can be declined; the values passed in; theory; the rule of thumb."""


@dataclass(frozen=True)
class Advice:
    """What to do with the boxes that can be taken."""

    lines: tuple[Move, ...]  # The lines to draw now, in order. When boxes are declined, the last line does so.
    take: int
    leave: int  # how many boxes are left to the opponent: 0, 2 or 4
    taking: int | None  # the value of taking all for the player to move, where it is known
    declining: int | None  # the value of declining, where it is known and possible
    source: Source
    sentence: str


def advise(state: DotsState, value_of_rest: Callable[[int], int | None] | None = None) -> Advice | None:
    """Return what to do with the boxes that can be taken; None if there are none.

    value_of_rest takes the lines that are drawn once all these boxes are taken, as a set
    of bits, and returns the value for the player who then moves, or None if unknown.
    Without it the value is known only where isolated chains and loops are all that remains.
    """
    graph = state.game.board
    found = captures(graph, state.drawn)
    if not found.coins:
        return None
    rest = value_of_rest(found.rest) if value_of_rest else None
    source: Source = "theory" if rest is None else "given"
    if rest is None:
        endgame = simple_endgame(graph, found.rest)
        rest = None if endgame is None else endgame_value(*endgame).value
    boxes = len(found.coins)
    taking = None if rest is None else boxes + rest
    declining = None if rest is None or not found.decline else boxes - 2 * found.decline - rest
    if not found.decline:
        source, leaves, why = "forced", False, "there is nothing to double-deal"
    elif taking is not None and declining is not None:
        leaves, why = declining > taking, _compared(state, found, taking, declining)
    else:
        source, leaves, why = _by_thumb(state, found)
    lines, left = lines_to_draw(state, found, leaves), found.decline if leaves else 0
    words = {1: "take it", 2: "take both"}.get(boxes, f"take all {boxes}")
    if leaves:
        name = graph.line_text(lines[-1]) if graph.is_grid else graph.ids[lines[-1]]
        words = f"{f'take {boxes - left}, then ' if boxes > left else ''}leave {left} with {name} (a double-deal)"
    return Advice(lines, boxes - left, left, taking, declining, source, f"{words}: {why}")


def lines_to_draw(state: DotsState, found: Captures, leaves: bool) -> tuple[Move, ...]:
    """Return the lines that take all that can be taken, or all but the last boxes, which the last line declines."""
    graph = state.game.board
    if not leaves:
        return tuple(fall(graph, state.undrawn, found.coins).lines)
    keep, declining = _declining(graph, state.undrawn, found)
    return (*fall(graph, state.undrawn, found.coins, keep).lines, declining)


def _declining(graph: Graph, undrawn: int, found: Captures) -> tuple[tuple[Coin, ...], String]:
    """Return the boxes to leave, and the line that declines them when all others are taken.

    They are two next to each other, one of them at the way out of a tree, which is then
    cut; or four in a row of a closed tree, which is cut in the middle.
    """
    tree = next(tree for tree in found.trees if tree.double_deal and tree.half_open == (found.decline == 2))
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
    raise AssertionError("a tree with a double-deal has a string to cut")


def _compared(state: DotsState, found: Captures, taking: int, declining: int) -> str:
    """Return the reason in words, given the values of taking all and of declining."""
    if found.rest == state.game.board.all_strings:
        return "nothing else is left"
    if declining > taking:
        left = state.game.counted(boxes_left(state.game.board, found.rest))
        return f"it keeps control of {left} and is worth {declining}, while taking all is worth {taking}"
    if declining == taking:
        return f"it is worth {taking}, and so is a double-deal"
    return f"it is worth {taking}, while a double-deal is worth {declining}"


def _by_thumb(state: DotsState, found: Captures) -> tuple[Source, bool, str]:
    """Return the source, whether to decline, and the reason, where the value of the rest is not known.

    Nimstring decides which player has to open the first long chain of the rest: the player to move there if the
    nimber is 0. Whether it is then worth 2 or 4 boxes to make the opponent move there is estimated by the number of
    boxes left. On random positions of up to 14 lines with joints this was a best choice about nine times in ten.
    """
    boxes = boxes_left(state.game.board, found.rest)
    left = state.game.counted(boxes)
    if boxes <= found.decline:
        return "theory", False, f"with {left} left after that, control is not worth {found.decline}"
    nimber = nimstring.nimber(state.game.board, found.rest)
    if nimber is None:
        return "thumb", False, f"as a rule of thumb, with {left} left after that it is too early to double-deal"
    if nimber:
        return "thumb", False, "as a rule of thumb, moving first in the rest wins the fight for control there"
    if boxes <= 2 * found.decline:
        return "thumb", False, f"as a rule of thumb, control of {left} is not worth {found.decline}"
    return "thumb", True, f"as a rule of thumb, it keeps control of {left}"
