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
from kibitz.games.dots.theory.runs import LONG_CHAIN, LONG_LOOP, DeadTree, degrees_of, fall, find_runs, find_trees

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
    """Return the controller's net boxes from declining in every chain and loop, the last included."""
    return sum(n - 4 for n in chains) + sum(n - 8 for n in loops)


def terminal_bonus(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return what the controller gets beyond the fully controlled value by not declining at the end.

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


def loony_endgame(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return the value of long chains and loops for the controller, who waits while the opponent opens one.

    Tries every order in which they can be opened: the definition, for small endgames.
    """
    if any(n < LONG_CHAIN for n in chains) or any(n < LONG_LOOP for n in loops):
        raise ValueError("A long chain has at least 3 boxes and a long loop at least 4.")
    return _every_order(tuple(sorted(chains)), tuple(sorted(loops)))


def endgame_value(chains: Sequence[int], loops: Sequence[int]) -> Opening:
    """Return the value of any chains and loops for the player to move, who must open one, and a best one to open.

    With a chain of 1 or 2 or a loop of 2 left, the shortest of these is a best one: it costs least and passes the
    next move on. Loops of 2 and 3 occur only on graphs other than grids, and nothing in them can be declined. A loop
    of 2 is worth what a chain of 2 is; but a loop of 3 may have to wait: with chains of 3 and 5 and loops of 3 and 4
    the only best opening is the chain of 3.
    """
    if any(n < 1 for n in chains) or any(n < 2 for n in loops):
        raise ValueError("A chain has at least 1 box and a loop at least 2.")
    best = _shortest_first(
        sum(n == 3 for n in loops),
        tuple(sorted(n for n in chains if n >= LONG_CHAIN)),
        tuple(sorted(n for n in loops if n >= LONG_LOOP)),
    )
    for n in loops:
        if n == 2:
            best = Opening(_cost("loop", n, best.value), "loop", n)
    for n in sorted((n for n in chains if n < LONG_CHAIN), reverse=True):
        best = Opening(_cost("chain", n, best.value), "chain", n)
    return best


def declined_in(kind: ChainOrLoop, length: int) -> int:
    """Return how many boxes can be declined when a chain or loop is opened; a chain of 2 by its middle line."""
    if kind == "chain":
        return 2 if length >= LONG_CHAIN else 0
    return 4 if length >= LONG_LOOP else 0


def _cost(kind: ChainOrLoop, length: int, rest: int) -> int:
    """Return the value of opening a chain or loop, given that of the rest for the player who moves there."""
    return -after_captures(length, declined_in(kind, length), rest)


@lru_cache(maxsize=1 << 18)
def _every_order(chains: Lengths, loops: Lengths) -> int:
    """Return the value for the controller of long chains and loops, both ascending."""
    by_chain = [n - 2 + abs(_every_order(_without(chains, n), loops) - 2) for n in set(chains)]
    by_loop = [n - 4 + abs(_every_order(chains, _without(loops, n)) - 4) for n in set(loops)]
    return min(by_chain + by_loop, default=0)


def _without(lengths: Lengths, n: int) -> Lengths:
    at = lengths.index(n)
    return lengths[:at] + lengths[at + 1 :]


def _shortest_first(threes: int, chains: Lengths, loops: Lengths) -> Opening:
    """Return the best opening of loops of 3, long chains and long loops, always the shortest of a kind."""
    known: dict[tuple[int, int, int], Opening] = {}
    for t, i, j in product(range(threes + 1), range(len(chains), -1, -1), range(len(loops), -1, -1)):
        openings = []
        if t:
            openings.append(Opening(_cost("loop", 3, known[t - 1, i, j].value), "loop", 3))
        if i < len(chains):
            openings.append(Opening(_cost("chain", chains[i], known[t, i + 1, j].value), "chain", chains[i]))
        if j < len(loops):
            openings.append(Opening(_cost("loop", loops[j], known[t, i, j + 1].value), "loop", loops[j]))
        known[t, i, j] = max(openings, key=lambda opening: opening.value, default=Opening(0, None, 0))
    return known[threes, 0, 0]


# Boxes that can be taken


class Captures(NamedTuple):
    """All that can be taken in a position, and whether some of it can be declined."""

    coins: tuple[Coin, ...]  # in an order in which they can be taken
    trees: tuple[DeadTree, ...]  # the same coins, grouped by how they hang together
    decline: int  # how many coins a player gives up by declining: 2, 4, or 0 if everything must be taken
    rest: int  # the lines that are drawn once all of these are taken, as a set of bits

    def value(self, rest: int) -> int:
        """Return the value of the position, given that of the rest for the player who moves there."""
        return after_captures(len(self.coins), self.decline, rest)


def after_captures(coins: int, decline: int, rest: int) -> int:
    """Return the value of a position from the coins to take, how many of them can be declined, and the rest's value.

    Either take all and move in the rest, or leave some to the opponent, who takes them and moves there: max(coins +
    rest, coins - 2 * decline - rest). No other play is better. A cut that takes nothing leaves at least 2 coins, and
    if no tree has a way out 4, since each side of the cut keeps a coin with a string; the fewer the better, and
    leaving the opponent the choice to decline is no better still. A move in the rest with coins left over is worth no
    more than the same move after taking them.
    """
    return coins - decline + abs(decline + rest) if decline else coins + rest


def captures(graph: Graph, drawn: int) -> Captures:
    """Return all that the player to move can take, including coins that can be taken only after others."""
    undrawn = graph.all_strings & ~drawn
    fallen = fall(graph, undrawn, range(len(graph.coins)))
    trees = find_trees(graph, undrawn, fallen.boxes) if fallen.boxes else ()
    declinable = [tree for tree in trees if tree.double_deal]
    decline = 2 if any(tree.half_open for tree in declinable) else 4 if declinable else 0
    return Captures(tuple(fallen.boxes), trees, decline, graph.all_strings & ~fallen.undrawn)


# Positions as endgames


def simple_endgame(graph: Graph, drawn: int) -> Endgame | None:
    """Return the chains and loops of a position that has nothing else; None if a joint or a coin to take is left."""
    undrawn = graph.all_strings & ~drawn
    if not set(degrees_of(graph, undrawn)) <= {0, 2}:
        return None
    runs = find_runs(graph, undrawn)
    chains, loops = (sorted(run.length for run in runs if run.kind == kind) for kind in ("chain", "loop"))
    return Endgame(tuple(chains), tuple(loops))


def known_value(graph: Graph, drawn: int) -> int | None:
    """Return the value of a position of isolated chains and loops and coins to take; None for any other."""
    taken = captures(graph, drawn)
    rest = simple_endgame(graph, taken.rest)
    return None if rest is None else taken.value(endgame_value(*rest).value)


def line_to_open(graph: Graph, drawn: int) -> tuple[String, Opening] | None:
    """Return the line that opens the best chain or loop of a simple endgame, and what it opens; None for others.

    A chain of 2 is opened by its middle line, the hard-hearted handout: its end lines allow a double-deal.
    """
    endgame = simple_endgame(graph, drawn)
    if endgame is None or not any(endgame):
        return None
    best = endgame_value(*endgame)
    opened = best.kind, best.length
    run = next(run for run in find_runs(graph, graph.all_strings & ~drawn) if (run.kind, run.length) == opened)
    return run.strings[1 if opened == ("chain", 2) else 0], best
