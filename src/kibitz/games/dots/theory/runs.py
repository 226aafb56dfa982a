"""Groups of boxes: runs of boxes of degree 2, and trees of dead boxes.

Works on a graph and the set of its undrawn strings; structure.py builds on it. A
box is a coin, an undrawn line a string.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String

Kind: TypeAlias = Literal["chain", "loop", "string"]

LONG_CHAIN, LONG_LOOP = 3, 4  # minimum numbers of boxes
VERY_LONG_CHAIN, VERY_LONG_LOOP = 4, 8


@dataclass(frozen=True)
class Run:
    """A maximal row of boxes of degree 2, none of them dead."""

    boxes: tuple[Coin, ...]  # In order. A loop begins at its lowest box and goes along the lower of its two strings.
    strings: tuple[String, ...]
    """In order: string i leads to box i, the last one leads out. In a loop, string i leads from box i to the next."""
    ends: tuple[Coin, ...]  # Where the first and the last string come out: GROUND or a joint. A loop has none.

    @property
    def length(self) -> int:
        """The number of boxes in the run."""
        return len(self.boxes)

    @property
    def kind(self) -> Kind:
        """The kind of run: a loop is closed, a chain has both ends at the ground, a string has an end at a joint."""
        if not self.ends:
            return "loop"
        return "chain" if self.ends == (GROUND, GROUND) else "string"

    @property
    def possible_loop(self) -> bool:
        """Whether both ends of the run are at the same joint."""
        return bool(self.ends) and self.ends[0] == self.ends[1] != GROUND

    @property
    def counts_as(self) -> Kind:
        """The kind of run, except that a possible loop counts as a loop."""
        return "loop" if self.possible_loop else self.kind

    @property
    def size(self) -> int:
        """The length of the run; a possible loop includes its joint."""
        return self.length + self.possible_loop

    @property
    def long(self) -> bool:
        """Whether the run is long: at least 3 boxes, or 4 for a loop."""
        return self.size >= (LONG_LOOP if self.counts_as == "loop" else LONG_CHAIN)

    @property
    def very_long(self) -> bool:
        """Whether the run is very long: at least 4 boxes, or 8 for a loop."""
        return self.size >= (VERY_LONG_LOOP if self.counts_as == "loop" else VERY_LONG_CHAIN)

    @property
    def name(self) -> str:
        """The name of the kind of run in texts: chain, loop, string or possible loop."""
        return "possible loop" if self.possible_loop else self.kind


@dataclass(frozen=True)
class RunCounts:
    """How many runs there are of each size."""

    chains: Mapping[int, int]
    loops: Mapping[int, int]  # possible loops among them
    strings: Mapping[int, int]
    possible_loops: int
    long_chains: int  # long chains and long strings, but no possible loops


@dataclass(frozen=True)
class DeadTree:
    """Dead boxes joined by strings: always a tree, with at most one string that leads out of it."""

    boxes: tuple[Coin, ...]  # ascending
    exit: String | None
    """The string that leads out, to the ground or to a box that is not dead. None: the tree is closed."""
    double_deal: bool  # whether its last two boxes, or the last four of a closed one, can be declined

    @property
    def half_open(self) -> bool:
        """Whether a string leads out of the tree."""
        return self.exit is not None


def degrees_of(graph: Graph, undrawn: int) -> tuple[int, ...]:
    """Return how many strings of each box are left."""
    return tuple([(mask & undrawn).bit_count() for mask in graph.masks])


def bits(strings: int) -> Iterator[String]:
    """Yield the strings whose bits are set, in ascending order."""
    while strings:
        yield (strings & -strings).bit_length() - 1
        strings &= strings - 1


def boxes_left(graph: Graph, drawn: int) -> int:
    """Return how many boxes are unfinished when these lines are drawn."""
    return sum(bool(mask & ~drawn) for mask in graph.masks)


def strings_left(graph: Graph, undrawn: int, box: Coin) -> list[String]:
    """Return the undrawn strings of a box, in ascending order."""
    return [string for string in graph.strings_of[box] if undrawn >> string & 1]


class BoxesTaken(NamedTuple):
    """Boxes that can be taken one after the other, and the lines left after that."""

    boxes: list[Coin]
    lines: list[String]  # The lines to draw, in order. One fewer than the boxes for each double-cross.
    undrawn: int  # the lines that are left, as a set of bits


def take_boxes(graph: Graph, undrawn: int, boxes: Iterable[Coin], keep: Collection[Coin] = ()) -> BoxesTaken:
    """Take those of the boxes that have one string left, then all boxes that this opens up, but none in `keep`."""
    masks = graph.masks
    taken = [box for box in boxes if (undrawn & masks[box]).bit_count() == 1 and box not in keep]
    lines = []
    for box in taken:  # the list grows meanwhile
        last = undrawn & masks[box]
        if not last:
            continue  # the same line took this box and another: a double-cross
        undrawn ^= last
        lines.append(last.bit_length() - 1)
        other = graph.other_end(lines[-1], box)
        if other != GROUND and other not in keep and (undrawn & masks[other]).bit_count() == 1:
            taken.append(other)
    return BoxesTaken(taken, lines, undrawn)


def find_runs(graph: Graph, undrawn: int, dead: Collection[Coin] = ()) -> tuple[Run, ...]:
    """Return the runs in the order of their lowest boxes.

    A box of degree 2 beside a dead one is dead itself, so a run ends at the ground or at a joint.
    """
    links = {box for box, degree in enumerate(degrees_of(graph, undrawn)) if degree == 2 and box not in dead}
    runs, done = list[Run](), set[Coin]()
    for box in sorted(links):
        if box in done:
            continue
        low, high = strings_left(graph, undrawn, box)
        behind, strings, end = _walk(graph, undrawn, links, box, low)
        if end == box:
            run = Run((box, *behind), tuple(strings), ())
        else:
            ahead, more_strings, other_end = _walk(graph, undrawn, links, box, high)
            run = Run((*reversed(behind), box, *ahead), (*reversed(strings), *more_strings), (end, other_end))
            if run.strings[0] > run.strings[-1]:
                run = Run(run.boxes[::-1], run.strings[::-1], run.ends[::-1])
        done.update(run.boxes)
        runs.append(run)
    return tuple(runs)


def _walk(
    graph: Graph, undrawn: int, links: Collection[Coin], box: Coin, string: String
) -> tuple[list[Coin], list[String], Coin]:
    """Follow a string out of a box through links; return the boxes and strings passed, and where it ends."""
    boxes, strings = list[Coin](), [string]
    here = graph.other_end(string, box)
    while here in links and here != box:
        boxes.append(here)
        string = (graph.masks[here] & undrawn & ~(1 << string)).bit_length() - 1
        strings.append(string)
        here = graph.other_end(string, here)
    return boxes, strings, here


def count_runs(runs: Iterable[Run]) -> RunCounts:
    """Return how many runs of each kind and size there are."""
    sizes = {"chain": Counter[int](), "loop": Counter[int](), "string": Counter[int]()}
    possible = long_chains = 0
    for run in runs:
        sizes[run.counts_as][run.size] += 1
        possible += run.possible_loop
        long_chains += run.long and run.counts_as != "loop"
    chains, loops, strings = (dict(sorted(table.items())) for table in sizes.values())
    return RunCounts(chains, loops, strings, possible, long_chains)


def find_trees(graph: Graph, undrawn: int, dead: Collection[Coin]) -> tuple[DeadTree, ...]:
    """Return the dead trees in the order of their lowest boxes."""
    trees, done = list[DeadTree](), set[Coin]()
    for root in sorted(dead):
        if root in done:
            continue
        boxes, way_out, has_middle = [root], None, False
        for box in boxes:  # the list grows meanwhile
            for string in strings_left(graph, undrawn, box):
                other = graph.other_end(string, box)
                if other not in dead:
                    way_out = string
                elif other not in boxes:
                    boxes.append(other)
                    has_middle |= all((graph.masks[end] & undrawn).bit_count() > 1 for end in (box, other))
        done.update(boxes)
        # Drawing the way out leaves a 2C-shape; a closed tree needs a string with two boxes on either side.
        double_deal = has_middle if way_out is None else len(boxes) > 1
        trees.append(DeadTree(tuple(sorted(boxes)), way_out, double_deal))
    return tuple(trees)


def loony_lines(graph: Graph, drawn: int) -> tuple[String, ...]:
    """Return the loony lines: those that take no box and let the opponent double-deal."""
    undrawn = graph.all_strings & ~drawn
    degrees = degrees_of(graph, undrawn)
    loony, nothing_to_take = [], 1 not in degrees
    for string in range(undrawn.bit_length()):
        lowest_degree = min(degrees[box] for box in graph.strings[string] if box != GROUND)
        if not undrawn >> string & 1 or lowest_degree == 1 or (nothing_to_take and lowest_degree > 2):
            continue  # drawn, takes a box, or leaves nothing to take
        after = undrawn ^ 1 << string
        dead = set(take_boxes(graph, after, range(len(degrees))).boxes)
        if any(tree.double_deal for tree in find_trees(graph, after, dead)):
            loony.append(string)
    return tuple(loony)
