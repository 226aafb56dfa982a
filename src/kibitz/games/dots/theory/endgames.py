"""The endgame of Dots-and-Boxes by theory: what can be taken, when to decline, and what chains and loops are worth.

The value of a position is the number of boxes that the player to move will still take with best play, less those of
the opponent. An isolated chain is a row of boxes from ground to ground, an isolated loop a ring of boxes; only
their lengths matter. A chain is long from 3 boxes on, a loop from 4. A player who opens a long one lets the opponent
decline, that is, take all of it but the last 2 boxes, or 4 of a loop, so that the same player has to move again. Such
a move is loony.

Positions with joints, where chains meet, have no formula and need a search. Sources: Berlekamp, The Dots and Boxes
Game (2000); Buzzard and Ciere, Playing Simple Loony Dots and Boxes Endgames Optimally (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

from kibitz.games.dots.rules.graph import Coin, Graph, String
from kibitz.games.dots.theory.runs import LONG_CHAIN, LONG_LOOP, DeadTree, degrees_of, find_runs, find_trees, take_boxes

Lengths: TypeAlias = tuple[int, ...]  # the lengths of chains, or of loops, ascending

ChainOrLoop: TypeAlias = Literal["chain", "loop"]

# Isolated chains and loops


class Endgame(NamedTuple):
    """A position of isolated chains and loops only, with nothing to take."""

    chains: Lengths
    loops: Lengths


class Opening(NamedTuple):
    """A best chain or loop to open for the player who must open one."""

    value: int  # the value of the position for that player
    kind: ChainOrLoop | None  # None if nothing is left
    length: int


def fully_controlled_value(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return the controller's net boxes from declining in every long chain and loop, the last included."""
    return sum(n - 2 - 2 for n in chains) + sum(n - 4 - 4 for n in loops)  # boxes taken less boxes declined


def terminal_bonus(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return how many net boxes the controller gains over the fully controlled value by not declining at the end.

    Taking the last chain whole adds 4, or the last loop, if there are only loops, adds 8. Of loops and chains of 3
    the controller takes the last loop whole and then has to open the last chain, which adds 8 - 2.
    """
    if not chains:
        return 8 if loops else 0
    return 6 if loops and max(chains) == 3 else 4


def controlled_value(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return the controller's net boxes from keeping control to the end.

    It is the true value where it is 3 or more, and also where it is 2 and every loop is even, as all loops of a grid
    are. (A chain of 4 and two loops of 7 have a controlled value of 2, but are worth 4.)
    """
    return fully_controlled_value(chains, loops) + terminal_bonus(chains, loops)


def loony_endgame_value(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return the value of long chains and loops for the controller, who waits while the opponent opens one.

    Tries every order in which they can be opened: the definition, for small endgames.
    """
    if any(n < LONG_CHAIN for n in chains) or any(n < LONG_LOOP for n in loops):
        raise ValueError("A long chain has at least 3 boxes and a long loop at least 4.")
    return _value_over_all_orders(tuple(sorted(chains)), tuple(sorted(loops)))


def best_opening(chains: Sequence[int], loops: Sequence[int]) -> Opening:
    """Return a best chain or loop to open, with the value for the player who must open one of these.

    With a chain of 1 or 2 or a loop of 2 left, the shortest of these is a best one: it costs least and passes the
    next move on. Loops of 2 and 3 occur only on graphs other than grids, and nothing in them can be declined. A loop
    of 2 is worth what a chain of 2 is; but a loop of 3 may have to wait: with chains of 3 and 5 and loops of 3 and 4
    the only best opening is the chain of 3.
    """
    if any(n < 1 for n in chains) or any(n < 2 for n in loops):
        raise ValueError("A chain has at least 1 box and a loop at least 2.")
    best = _best_long_opening(
        sum(n == 3 for n in loops),
        tuple(sorted(n for n in chains if n >= LONG_CHAIN)),
        tuple(sorted(n for n in loops if n >= LONG_LOOP)),
    )
    for n in loops:
        if n == 2:
            best = Opening(_opening_value("loop", n, best.value), "loop", n)
    for n in sorted((n for n in chains if n < LONG_CHAIN), reverse=True):
        best = Opening(_opening_value("chain", n, best.value), "chain", n)
    return best


def declinable_boxes(kind: ChainOrLoop, length: int) -> int:
    """Return how many boxes of an opened chain or loop can be declined. A chain of 2 is opened by its middle line."""
    if kind == "chain":
        return 2 if length >= LONG_CHAIN else 0
    return 4 if length >= LONG_LOOP else 0


def _opening_value(kind: ChainOrLoop, length: int, rest_value: int) -> int:
    """Return the value of opening a chain or loop. rest_value: that of the rest for the player to move there."""
    return -value_with_captures(length, declinable_boxes(kind, length), rest_value)


@lru_cache(maxsize=1 << 18)
def _value_over_all_orders(chains: Lengths, loops: Lengths) -> int:
    """Return the value of long chains and loops for the controller; the lengths are in ascending order."""
    # The controller takes all but 2 boxes of a chain, or 4 of a loop, and gets the better of declining and not.
    by_chain = [n - 2 + abs(_value_over_all_orders(_without(chains, n), loops) - 2) for n in set(chains)]
    by_loop = [n - 4 + abs(_value_over_all_orders(chains, _without(loops, n)) - 4) for n in set(loops)]
    return min(by_chain + by_loop, default=0)


def _without(lengths: Lengths, n: int) -> Lengths:
    index = lengths.index(n)
    return lengths[:index] + lengths[index + 1 :]


def _best_long_opening(threes: int, chains: Lengths, loops: Lengths) -> Opening:
    """Return the best opening of `threes` loops of 3, long chains and long loops, trying the shortest of each kind."""
    best: dict[tuple[int, int, int], Opening] = {}  # with t loops of 3, and without the i and j shortest long runs
    for t, i, j in product(range(threes + 1), range(len(chains), -1, -1), range(len(loops), -1, -1)):
        openings = []
        if t:
            openings.append(Opening(_opening_value("loop", 3, best[t - 1, i, j].value), "loop", 3))
        if i < len(chains):
            openings.append(Opening(_opening_value("chain", chains[i], best[t, i + 1, j].value), "chain", chains[i]))
        if j < len(loops):
            openings.append(Opening(_opening_value("loop", loops[j], best[t, i, j + 1].value), "loop", loops[j]))
        best[t, i, j] = max(openings, key=lambda opening: opening.value, default=Opening(0, None, 0))
    return best[threes, 0, 0]


# Boxes that can be taken


class Captures(NamedTuple):
    """All coins that can be taken in a position, and how many of them can be declined."""

    coins: tuple[Coin, ...]  # in an order in which they can be taken
    trees: tuple[DeadTree, ...]  # the same coins, grouped by the strings that join them
    declinable: int  # how many coins a player gives up by declining: 2, 4, or 0 if everything must be taken
    drawn_after: int  # the lines that are drawn once all coins are taken, as a set of bits

    def value(self, rest_value: int) -> int:
        """Return the value of the position. rest_value: that of the rest for the player who moves there."""
        return value_with_captures(len(self.coins), self.declinable, rest_value)


def value_with_captures(coins: int, declinable: int, rest_value: int) -> int:
    """Return the value of a position with coins to take. declinable: how many can be left to the opponent.

    Either take all and move in the rest, or decline some, and the opponent takes them and moves there: max(coins +
    rest_value, coins - 2 * declinable - rest_value). No other play is better. A cut that takes nothing leaves at
    least 2 coins, or 4 if no tree has a way out, since each side of the cut keeps a coin with a string. Leaving more
    is no better, nor is leaving the opponent the choice to decline. A move in the rest with coins left over is worth
    no more than the same move after taking them.
    """
    return coins - declinable + abs(declinable + rest_value) if declinable else coins + rest_value


def find_captures(graph: Graph, drawn: int) -> Captures:
    """Return all coins that the player to move can take, including those that can be taken only after others."""
    undrawn = graph.all_strings & ~drawn
    taken = take_boxes(graph, undrawn, range(len(graph.coins)))
    trees = find_trees(graph, undrawn, taken.boxes) if taken.boxes else ()
    with_double_deal = [tree for tree in trees if tree.double_deal]
    declinable = 2 if any(tree.half_open for tree in with_double_deal) else 4 if with_double_deal else 0
    return Captures(tuple(taken.boxes), trees, declinable, graph.all_strings & ~taken.undrawn)


def simple_endgame(graph: Graph, drawn: int) -> Endgame | None:
    """Return the isolated chains and loops of a position; None if it also has a joint or a coin to take."""
    undrawn = graph.all_strings & ~drawn
    if not set(degrees_of(graph, undrawn)) <= {0, 2}:
        return None
    runs = find_runs(graph, undrawn)
    chains, loops = (sorted(run.length for run in runs if run.kind == kind) for kind in ("chain", "loop"))
    return Endgame(tuple(chains), tuple(loops))


def known_value(graph: Graph, drawn: int) -> int | None:
    """Return the value of a position that has only isolated chains, loops and coins to take; None for any other."""
    taken = find_captures(graph, drawn)
    rest = simple_endgame(graph, taken.drawn_after)
    return None if rest is None else taken.value(best_opening(*rest).value)


def line_to_open(graph: Graph, drawn: int) -> tuple[String, Opening] | None:
    """Return the line that opens the best chain or loop of a simple endgame, and that opening; None for others.

    A chain of 2 is opened by its middle line, the hard-hearted handout: its end lines allow a double-deal.
    """
    endgame = simple_endgame(graph, drawn)
    if endgame is None or not any(endgame):
        return None
    best = best_opening(*endgame)
    opened = best.kind, best.length
    run = next(run for run in find_runs(graph, graph.all_strings & ~drawn) if (run.kind, run.length) == opened)
    return run.strings[1 if opened == ("chain", 2) else 0], best
