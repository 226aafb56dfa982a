"""The player of Li, Li & Yuan (2012), "Research and Implementation of Dots-and-Boxes Game System".

What the paper says, sections IV and V. A game has three phases. In Start and
Middle only C-boxes are taken, and chains and loops are left alone; the line is
found by alpha-beta in negamax form, with equivalent lines tried once, and an
estimate that counts long chains: on 5x5 the first player looks for 2 or 4 of
them, the second for 3 or 5. In Final short chains are given first, by their
middle line. Of an open chain all but the last two boxes are taken, and those are
declined by the far line of the open box. Of an open loop four are declined while
Boxes + 2 * Doublecrosses <= 12, with Doublecrosses = Chains - 1 + 2 * Loops; else
all are taken. A possible loop counts as a loop. The program thinks on the
opponent's time too.

What it leaves open, and what was decided here:

- Depth and estimate. A depth and a number of positions limit the search. The
  estimate says whose aim the number of long chains is nearer to, and counts more
  the fewer safe lines are left to change it. Where none is left, parity decides.
- Other boards. Whether an even or an odd number is wanted is asked of the rule in
  structure.py. From an empty board it says what the theorem of the paper says, as
  long as no line has taken two boxes. The numbers looked for, from 2 or 3 on, are
  those of 25 boxes and go in proportion. 12 becomes half the boxes, rounded down.
- Boxes are those that the rival has. Chains are the long ones there are and those
  that were opened before, as far as this player saw them at its own moves. Loops
  are those that are left, the open one included.
- Nothing is declined when no more boxes are left than are declined, since control
  of them cannot pay; nor when an odd number of short chains is left, so that the
  other player will give the last of them.
- With several equal lines, chance decides. When something must be opened it is
  what costs least, and a loop before a chain of the same cost.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, View
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import Graph, String
from kibitz.games.dots.theory.advice import advise
from kibitz.games.dots.theory.endgames import Captures, captures
from kibitz.games.dots.theory.structure import Structure, analyse, history, rule_of, safe_lines, structure_of

Parity: TypeAlias = Literal["even", "odd"]
Table: TypeAlias = dict[int, tuple[int, int, int]]
"""Of each position by its canonical number: depth searched, least and greatest value for the player to move."""

DECIDED = 1_000
"""The estimate of a position without safe lines; the others are smaller."""
MOST_KEPT = 200_000
"""How many positions are kept between moves before those are dropped that cannot come up any more."""
_LAST = 1 << 20
"""The depth of what cannot be searched deeper."""


class Li2012(Agent):
    """The player of Li, Li & Yuan (2012): counts long chains, gives short ones first, double-deals by their rule.

    depth and nodes limit the search for a safe line: how many lines ahead, and how
    many new positions. ponder=true lets it think while the opponent does.
    """

    def __init__(self, game: Game, *, depth: int = 6, nodes: int = 1000, ponder: bool = False) -> None:
        assert isinstance(game, Dots)
        if depth < 1:
            raise BadOption(f"li-2012 cannot search to depth {depth}: it must be 1 or more.")
        if nodes < 1:
            raise BadOption(f"li-2012 cannot search {nodes} positions: it must be 1 or more.")
        self.depth, self.nodes, self.ponder = depth, nodes, ponder
        self._pondering: threading.Thread | None = None
        self._stop = threading.Event()
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget all positions."""
        self.close()
        super().reset(seed)
        self._table: Table = {}
        self._seen: list[DotsState] = []

    def close(self) -> None:
        """Stop pondering."""
        if self._pondering is not None:
            self._stop.set()
            self._pondering.join()
            self._pondering = None

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the line that the paper's rules for the phase ask for, with the phase and the rule in words."""
        self.check(view)
        self.close()
        began = time.perf_counter()
        state = view.sample(self.rng)
        assert isinstance(state, DotsState)
        self._remember(state)
        found, taken = structure_of(state), captures(state.game.board, state.drawn)
        if found.phase == "Final":
            move, why = self._take_or_decline(state, taken) if taken.coins else _open(state, found)
            choice = Choice(move, note=f"{found.reason}. {why}", seconds=time.perf_counter() - began)
        elif taken.coins:
            move, why = _lines(state, decline=False)[0], f"Takes a {state.game.unit}."
            choice = Choice(move, note=f"{found.reason}. {why}", seconds=time.perf_counter() - began)
        else:
            choice = self._search(state, found, budget, watch)
        if self.ponder:
            self._start_pondering(state.play(choice.move), state.to_move)
        return choice

    def _remember(self, state: DotsState) -> None:
        """Add a position to those of this game; begin anew if it cannot have come from the last one."""
        if self._seen and self._seen[-1].drawn & ~state.drawn:
            self._seen = []
        self._seen.append(state)

    def _search(self, state: DotsState, found: Structure, budget: Budget, watch: Watch | None) -> Choice:
        """Return the best safe line that depth and budget allow to find."""
        began = time.perf_counter()
        if len(self._table) > MOST_KEPT:  # keep what can still come up
            left = state.undrawn.bit_count()
            self._table = {key: kept for key, kept in self._table.items() if key.bit_count() < left}
        deadline = None if budget.seconds is None else began + budget.seconds
        most = self.nodes if budget.nodes is None else min(budget.nodes, self.nodes)
        search = Search(state.game.board, self._table)

        def spent() -> bool:
            late = deadline is not None and time.perf_counter() >= deadline
            return search.nodes >= most or late or (watch is not None and watch.stopped)

        search.spent = spent
        lines = list(found.safe_lines)
        self.rng.shuffle(lines)
        for move, depth in search.deepen(state.undrawn, lines, self.depth):
            best, reached = move, depth
            if watch is not None:
                watch.move, watch.depth, watch.nodes = best, reached, search.nodes
        return Choice(
            best,
            depth=reached,
            nodes=search.nodes,
            seconds=time.perf_counter() - began,
            note=f"{found.reason}. {_aim(state, found)}",
        )

    def _take_or_decline(self, state: DotsState, taken: Captures) -> tuple[Move, str]:
        """Return the next line at a dead tree in the Final phase, and why."""
        rest = analyse(state.game.board, taken.rest)
        short = len(rest.handouts.single_boxes) + len(rest.handouts.hard_hearted)
        decline, game = False, state.game
        if not taken.decline:
            why = "Takes what is there."
        elif sum(map(bool, rest.degrees)) <= taken.decline:
            why = f"Takes all: what is left then is not worth {taken.decline}."
        elif short % 2:
            why = f"Takes all: the number of short chains left, {short}, is odd."
        elif taken.decline == 2:
            decline, why = True, f"Double-deals: takes all but the last {game.counted(2)}."
        else:
            sums = sums_of(self._seen)
            half, total = len(game.board.coins) // 2, sums.boxes + 2 * sums.doublecrosses
            decline = total <= half
            theirs = f"{game.players[1 - state.to_move]}'s {game.counted(sums.boxes)}"
            told = (
                f"{theirs} + 2 x {sums.doublecrosses} for double-crosses = {total}, {'not ' * decline}more than {half}"
            )
            why = f"Double-deals the last 4 of a loop: {told}." if decline else f"Takes the whole loop: {told}."
        return _lines(state, decline)[0], why

    def _start_pondering(self, state: DotsState, me: int) -> None:
        """Search what the opponent may do, until the next call: it fills the table."""
        drawn = captures(state.game.board, state.drawn).rest
        lines = analyse(state.game.board, drawn).safe_lines
        if state.to_move == me or not lines:
            return
        self._stop.clear()
        search = Search(state.game.board, self._table)
        search.spent = lambda: self._stop.is_set() or len(self._table) > MOST_KEPT
        undrawn = state.game.board.all_strings & ~drawn

        def work() -> None:
            for _ in search.deepen(undrawn, lines, self.depth + 2):
                pass

        self._pondering = threading.Thread(target=work, name="kibitz-ponder", daemon=True)
        self._pondering.start()


# The search over safe lines


class Spent(Exception):
    """The search has used up what it may."""


class Search:
    """Alpha-beta in negamax form over the safe lines of positions in which no box can be taken."""

    def __init__(self, graph: Graph, table: Table) -> None:
        self.graph, self.table, self.nodes = graph, table, 0
        self.spent: Callable[[], bool] = lambda: False

    def deepen(self, undrawn: int, lines: Sequence[String], depth: int) -> Iterator[tuple[String, int]]:
        """Yield the best line and the depth, after each depth and first without any search."""
        yield lines[0], 0
        unlike = self._unlike(undrawn, lines)
        try:
            for reached in range(1, min(depth, len(lines)) + 1):
                best, top = unlike[0], -2 * DECIDED
                for line in unlike:
                    value = -self.value(undrawn ^ 1 << line, reached - 1, -2 * DECIDED, -top)
                    if value > top:
                        best, top = line, value
                unlike.sort(key=lambda line: line != best)
                yield best, reached
        except Spent:
            return

    def value(self, undrawn: int, depth: int, alpha: int, beta: int) -> int:
        """Return the value for the player to move, or a bound of it outside the window."""
        key = canonical(self.graph, undrawn)
        kept = self.table.get(key)
        if kept is not None and kept[0] >= depth:
            _, least, greatest = kept
            if least == greatest or least >= beta or greatest <= alpha:
                return least if least >= beta else greatest
        if self.spent():
            raise Spent
        self.nodes += 1
        lines = safe_lines(self.graph, undrawn)
        if depth == 0 or not lines:
            value = estimate(self.graph, undrawn, len(lines))
            self.table[key] = (depth if lines else _LAST, value, value)
            return value
        top, low = -2 * DECIDED, alpha
        for line in self._unlike(undrawn, lines):
            top = max(top, -self.value(undrawn ^ 1 << line, depth - 1, -beta, -low))
            low = max(low, top)
            if top >= beta:
                break
        self.table[key] = (depth, -2 * DECIDED if top <= alpha else top, 2 * DECIDED if top >= beta else top)
        return top

    def _unlike(self, undrawn: int, lines: Sequence[String]) -> list[String]:
        """Return one of each set of lines that lead to equivalent positions, those known to be good first."""
        children = {canonical(self.graph, undrawn ^ 1 << line): line for line in reversed(lines)}
        order = sorted(children, key=lambda key: self.table[key][2] if key in self.table else 0)
        return [children[key] for key in order]


def estimate(graph: Graph, undrawn: int, safe: int) -> int:
    """Return what the number of long chains is worth to the player to move, with so many safe lines left."""
    rule = rule_of(graph, undrawn)
    if not safe:
        return DECIDED if rule.favours_mover else -DECIDED
    other: Parity = "odd" if rule.wants == "even" else "even"
    boxes = len(graph.coins)
    lead = missing(rule.long_chains, other, boxes) - missing(rule.long_chains, rule.wants, boxes)
    return lead * (DECIDED // 2 - safe)


def aim(wants: Parity, boxes: int) -> int:
    """Return the least number of long chains that is looked for: 2 if even and 3 if odd on a board of 25 boxes."""
    least = 2 * boxes // 25
    return least if least % 2 == (wants == "odd") else least + 1


def missing(chains: int, wants: Parity, boxes: int) -> int:
    """Return by how many long chains the number is off."""
    first = aim(wants, boxes)
    return first - chains if chains < first else (chains - first) % 2


def canonical(graph: Graph, undrawn: int) -> int:
    """Return the same number for positions that are equivalent by the symmetries of the board, and only for them."""
    images = _images(graph)
    if len(images) == 1:
        return undrawn
    octets = undrawn.to_bytes(len(images[0]), "little")
    return min(sum([table[octet] for table, octet in zip(tables, octets, strict=True)]) for tables in images)


@lru_cache(maxsize=16)
def _images(graph: Graph) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return, of each symmetry, where it sends each set of 8 lines: the first eight, the next eight ..."""
    lines = range(len(graph.strings))
    return tuple(
        tuple(
            tuple(
                sum(1 << image[line] for line in lines[first : first + 8] if octet >> line - first & 1)
                for octet in range(256)
            )
            for first in lines[::8]
        )
        for image in graph.symmetries()
    )


# The Final phase


class Sums(NamedTuple):
    """What goes into the rule for an open loop."""

    boxes: int
    """Of the rival."""
    chains: int
    """Long chains there are and were."""
    loops: int
    """Left, the open one included."""

    @property
    def doublecrosses(self) -> int:
        """How many are expected by the end."""
        return self.chains - 1 + 2 * self.loops


def sums_of(states: Sequence[DotsState]) -> Sums:
    """Return the sums for the last of the positions that a player met, for the player to move there."""
    last, told = states[-1], history(states)
    opened = sum(tree.double_deal and not tree.half_open for tree in told.structures[-1].dead_trees)
    return Sums(
        last.scores[1 - last.to_move],
        told.present.long_chains + told.opened.long_chains,
        sum(told.present.loops.values()) + opened,
    )


def _lines(state: DotsState, decline: bool) -> tuple[Move, ...]:
    """Return the lines that take all there is, or all but the last, which they decline."""
    # Advice knows the lines and goes by the value of the rest: a bad one makes it decline.
    boxes = len(state.game.board.coins)
    advice = advise(state, lambda rest: -boxes if decline else boxes)
    assert advice is not None
    return advice.lines


def _open(state: DotsState, found: Structure) -> tuple[Move, str]:
    """Return the line that gives least away, the middle one of a chain of 2, and why."""
    in_loops = {line for run in found.runs if run.kind == "loop" for line in run.strings}
    best, *_ = sorted(
        (len(given.coins), given.decline > 0, line not in in_loops, line)
        for line in state.legal_moves()
        for given in [captures(state.game.board, state.drawn | 1 << line)]
    )
    return best[-1], f"Gives {state.game.counted(best[0])}, the least it can."


def _aim(state: DotsState, found: Structure) -> str:
    """Return which number of long chains is wanted and how many there are."""
    rule = found.rule
    assert rule is not None
    first = aim(rule.wants, len(state.game.board.coins))
    me, number = state.game.players[state.to_move], rule.long_chains
    there = "is 1" if number == 1 else f"are {number or 'none'}"
    return f"{me} wants {first} or {first + 2} long chains; there {there}."
