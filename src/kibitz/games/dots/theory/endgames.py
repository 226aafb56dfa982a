"""The endgame of Dots-and-Boxes by theory: what can be taken, when to decline, and what chains and loops are worth.

The value of a position is the number of boxes that the player to move will still
take with best play, less those of the other. An isolated chain is a row of boxes
between ground and ground, an isolated loop a ring of boxes; both are told by
their length. A chain is long from 3 boxes on, a loop from 4: who opens a long
one lets the other decline, that is, take all of it but the last 2 boxes, or 4 of
a loop, and leave the next move to who opened it. Such a move is loony.

Positions with joints, where chains meet, have no formula and need a search.
Sources: Berlekamp, The Dots and Boxes Game (2000); Buzzard and Ciere, Playing
Simple Loony Dots and Boxes Endgames Optimally (2014).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String
from kibitz.games.dots.theory.runs import LONG_CHAIN, LONG_LOOP, DeadTree, Run, degrees_of, find_runs, find_trees

Lengths: TypeAlias = tuple[int, ...]
"""The lengths of some chains or loops, ascending."""

ChainOrLoop: TypeAlias = Literal["chain", "loop"]

# Isolated chains and loops


class Endgame(NamedTuple):
    """A position of isolated chains and loops only, with nothing to take."""

    chains: Lengths
    loops: Lengths


class Opening(NamedTuple):
    """What the player who must open a chain or loop should open."""

    value: int
    """The value of the position for that player."""
    kind: ChainOrLoop | None
    """None if nothing is left."""
    length: int


def fully_controlled_value(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return what the controller nets by declining in every one of these, the last included."""
    return sum(n - 4 for n in chains) + sum(n - 8 for n in loops)


def terminal_bonus(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return what the controller gets beyond the fully controlled value at the end, where he need not decline.

    He takes the last chain whole, which adds 4, or the last loop, if there are only loops,
    which adds 8. Of loops and chains of 3 he takes the last loop whole and opens the last
    chain himself, which adds 8 - 2.
    """
    if not chains:
        return 8 if loops else 0
    return 6 if loops and max(chains) == 3 else 4


def controlled_value(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return what the controller nets by keeping control to the end.

    It is the true value where it is 3 or more, and also where it is 2 and every loop is
    even, as all loops of a grid are. (A chain of 4 and two loops of 7 have a controlled
    value of 2, but are worth 4.)
    """
    return fully_controlled_value(chains, loops) + terminal_bonus(chains, loops)


def loony_endgame(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return the value of long chains and loops for the controller, who waits while the other opens one.

    Tries every order in which they can be opened: the definition, for small ones.
    """
    _only_long(chains, loops)
    return _every_order(tuple(sorted(chains)), tuple(sorted(loops)))


def loony_endgame_fast(chains: Sequence[int], loops: Sequence[int]) -> int:
    """Return what loony_endgame returns, by a formula where one holds, else by opening only the shortest of a kind."""
    _only_long(chains, loops)
    controlled = controlled_value(chains, loops)
    if not (chains or loops) or controlled >= 3 or (controlled == 2 and all(n % 2 == 0 for n in loops)):
        return controlled
    if not loops:
        return 1 if sum(chains) % 2 else 2
    return -_shortest_first(0, tuple(sorted(chains)), tuple(sorted(loops))).value


def endgame_value(chains: Sequence[int], loops: Sequence[int]) -> Opening:
    """Return the value of any chains and loops for the player to move, who must open one, and a best one to open.

    With a chain of 1 or 2 or a loop of 2 left, the shortest of these is a best one: it
    costs least and leaves the next move to the other. Loops of 2 and 3 are found only on
    graphs that are no grid. Nobody can decline in one. A loop of 2 is worth what a chain
    of 2 is; but a loop of 3 may have to wait: with chains of 3 and 5 and loops of 3 and 4
    the only best opening is the chain of 3.
    """
    _only_possible(chains, loops)
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
    """Return how many boxes the other can leave when one is opened, its middle line if it is a chain of 2."""
    if kind == "chain":
        return 2 if length >= LONG_CHAIN else 0
    return 4 if length >= LONG_LOOP else 0


def _cost(kind: ChainOrLoop, length: int, rest: int) -> int:
    """Return the value of opening one when the rest is worth so much to who moves there."""
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
    """Return the best opening of so many loops of 3, long chains and long loops, the shortest of each kind only."""
    known: dict[tuple[int, int, int], Opening] = {}
    for t in range(threes + 1):
        for i in range(len(chains), -1, -1):
            for j in range(len(loops), -1, -1):
                found = []
                if t:
                    found.append(Opening(_cost("loop", 3, known[t - 1, i, j].value), "loop", 3))
                if i < len(chains):
                    found.append(Opening(_cost("chain", chains[i], known[t, i + 1, j].value), "chain", chains[i]))
                if j < len(loops):
                    found.append(Opening(_cost("loop", loops[j], known[t, i, j + 1].value), "loop", loops[j]))
                known[t, i, j] = max(found, key=lambda opening: opening.value, default=Opening(0, None, 0))
    return known[threes, 0, 0]


def _only_possible(chains: Iterable[int], loops: Iterable[int]) -> None:
    if any(n < 1 for n in chains) or any(n < 2 for n in loops):
        raise ValueError("A chain has at least 1 box and a loop at least 2.")


def _only_long(chains: Iterable[int], loops: Iterable[int]) -> None:
    if any(n < LONG_CHAIN for n in chains) or any(n < LONG_LOOP for n in loops):
        raise ValueError("A long chain has at least 3 boxes and a long loop at least 4.")


# Boxes that can be taken


class Captures(NamedTuple):
    """All that can be taken in a position, and whether some of it can be declined."""

    coins: tuple[Coin, ...]
    """In an order in which they can be taken."""
    trees: tuple[DeadTree, ...]
    """The same coins by how they hang together."""
    decline: int
    """How many coins are left to the other by declining: 2, 4, or 0 if everything must be taken."""
    rest: int
    """The lines that are drawn when all of this is gone, as a set of bits."""

    def value(self, rest: int) -> int:
        """Return the value of the position, given that of the rest for the player who moves there."""
        return after_captures(len(self.coins), self.decline, rest)


def after_captures(coins: int, decline: int, rest: int) -> int:
    """Return the value of a position with so many coins to take, of which so many can be declined.

    Either take all and move in the rest, or leave some to the other, who takes them and
    moves there: max(coins + rest, coins - 2 * decline - rest). No other play is better. A
    cut that takes nothing leaves the other at least 2 coins, and if no tree has a way out
    4, since each side of the cut keeps a coin with a string; the fewer the better, and
    leaving him the choice to decline is no better still. A move in the rest with coins
    left to the other is worth no more than the same move after taking them.
    """
    return coins - decline + abs(decline + rest) if decline else coins + rest


def captures(graph: Graph, drawn: int) -> Captures:
    """Return what the player to move can take, coins that fall only when others are gone included."""
    undrawn = graph.all_strings & ~drawn
    coins, _, left = fall(graph, undrawn, range(len(graph.coins)))
    trees = find_trees(graph, undrawn, coins) if coins else ()
    declinable = [tree for tree in trees if tree.double_deal]
    decline = 2 if any(tree.half_open for tree in declinable) else 4 if declinable else 0
    return Captures(tuple(coins), trees, decline, graph.all_strings & ~left)


def fall(
    graph: Graph, undrawn: int, coins: Iterable[Coin], keep: Collection[Coin] = ()
) -> tuple[list[Coin], list[String], int]:
    """Take those of some coins that have one string, and all that fall after them, but none to keep.

    Returns the coins, the strings to cut in that order, and the strings that are left.
    """
    masks = graph.masks
    fallen = [coin for coin in coins if (undrawn & masks[coin]).bit_count() == 1 and coin not in keep]
    cuts = []
    for coin in fallen:  # grows on the way
        last = undrawn & masks[coin]
        if not last:
            continue  # the cut that took the coin before took this one too: a double-cross
        undrawn ^= last
        cuts.append(last.bit_length() - 1)
        other = graph.other_end(cuts[-1], coin)
        if other != GROUND and other not in keep and (undrawn & masks[other]).bit_count() == 1:
            fallen.append(other)
    return fallen, cuts, undrawn


def is_loony(graph: Graph, drawn: int) -> bool:
    """Return whether the player to move can decline. The value of such a position is never negative."""
    return captures(graph, drawn).decline > 0


# Positions as endgames


def simple_endgame(graph: Graph, drawn: int) -> Endgame | None:
    """Return the chains and loops of a position that has nothing else; None if a joint or a coin to take is left."""
    runs = _isolated_runs(graph, drawn)
    if runs is None:
        return None
    chains, loops = (sorted(run.length for run in runs if run.kind == kind) for kind in ("chain", "loop"))
    return Endgame(tuple(chains), tuple(loops))


def _isolated_runs(graph: Graph, drawn: int) -> tuple[Run, ...] | None:
    undrawn = graph.all_strings & ~drawn
    degrees = degrees_of(graph, undrawn)
    return find_runs(graph, undrawn, degrees, ()) if set(degrees) <= {0, 2} else None


def known_value(graph: Graph, drawn: int) -> int | None:
    """Return the value of a position of isolated chains and loops and coins to take; None of any other."""
    taken = captures(graph, drawn)
    rest = simple_endgame(graph, taken.rest)
    return None if rest is None else taken.value(endgame_value(*rest).value)


def line_to_open(graph: Graph, drawn: int) -> tuple[String, Opening] | None:
    """Return the line that opens the best chain or loop of a simple endgame, and what it opens; None in others.

    A chain of 2 is opened by its middle line, the hard-hearted handout: its end line would let the other decline.
    """
    runs, endgame = _isolated_runs(graph, drawn), simple_endgame(graph, drawn)
    if not runs or endgame is None:
        return None
    best = endgame_value(*endgame)
    run = next(run for run in runs if (run.kind, run.length) == (best.kind, best.length))
    return run.strings[1 if (best.kind, best.length) == ("chain", 2) else 0], best
