"""The player of Li, Li & Yuan (2012), "Research and Implementation of Dots-and-Boxes Game System".

The paper, sections IV and V: a game has three phases. In Start and Middle only C-boxes are taken, and chains and
loops are left alone; the line is found by alpha-beta in negamax form, with equivalent lines tried once, and an
estimate that counts long chains: on 5x5 the first player aims at 2 or 4 of them, the second at 3 or 5. In Final short
chains are given first, by their middle line. Of an open chain all but the last two boxes are taken, and those are
declined by the far line of the open box. Of an open loop four are declined while Boxes + 2 * Doublecrosses <= 12,
with Doublecrosses = Chains - 1 + 2 * Loops; otherwise all are taken. A possible loop counts as a loop. The program
thinks on the opponent's time too.

Choices made here where the paper leaves them open:

- Depth and estimate. A depth and a number of positions limit the search. The estimate compares how far the number of
  long chains is from each player's aim, and counts more the fewer safe lines are left to change it. Where none is
  left, parity decides.
- Other boards. The rule in structure.py decides whether an even or an odd number is wanted. From an empty board it
  agrees with the theorem of the paper as long as no line has taken two boxes. The numbers aimed at, from 2 or 3 on,
  are those of 25 boxes and scale in proportion. 12 becomes half the boxes, rounded down.
- Boxes are the opponent's. Chains are the present long ones and those opened before, as far as this player met them
  at its own moves. Loops are those that are left, the open one included.
- Nothing is declined when no more boxes are left than are declined, since control of them cannot pay; nor when an odd
  number of short chains is left, so that the opponent will give the last of them.
- Ties are broken at random. When something must be opened it is what costs least,
  and a loop before a chain of the same cost.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Move
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import Graph, String
from kibitz.games.dots.theory.advice import lines_to_draw
from kibitz.games.dots.theory.endgames import Captures, find_captures
from kibitz.games.dots.theory.structure import Structure, analyse, history_of, long_chain_rule, safe_lines, structure_of

Parity: TypeAlias = Literal["even", "odd"]
LiTable: TypeAlias = dict[int, tuple[int, int, int]]
"""Canonical number of a position -> depth searched, lower and upper bound of the value for the player to move."""

DECIDED = 1_000  # the estimate of a position without safe lines; the others are smaller
MAX_STORED_POSITIONS = 200_000
"""With more positions stored than this, those that cannot come up any more are dropped between moves."""
_FULL_DEPTH = 1 << 20  # the depth of a position that cannot be searched deeper


class Li2012(Agent[Dots, DotsState]):
    """The player of Li, Li & Yuan (2012): counts long chains, gives short ones first, double-deals by their rule.

    depth and nodes limit the search for a safe line: how many lines ahead, and how
    many new positions. ponder=true lets it think while the opponent does.
    """

    def __init__(self, game: Dots, *, depth: int = 6, nodes: int = 1000, ponder: bool = False) -> None:
        for name, value in (("depth", depth), ("number of nodes", nodes)):
            if value < 1:
                raise BadOption(f"The {name} of li-2012 must be 1 or more, not {value}.")
        self.depth, self.nodes, self.ponder = depth, nodes, ponder
        self._pondering: threading.Thread | None = None
        self._stop = threading.Event()
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget all positions."""
        self.close()
        super().reset(seed)
        self._table: LiTable = {}
        self._met: list[DotsState] = []

    def close(self) -> None:
        """Stop pondering."""
        if self._pondering is not None:
            self._stop.set()
            self._pondering.join()
            self._pondering = None

    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the line that the paper's rules for the phase ask for, with the phase and the rule in words."""
        self.check(view)
        self.close()
        began = time.perf_counter()
        if self._met and self._met[-1].drawn & ~view.drawn:
            self._met = []  # another game: the last position cannot have led to this one
        self._met.append(view)
        found, taken = structure_of(view), find_captures(view.game.board, view.drawn)
        if found.phase != "Final" and not taken.coins:
            choice = self._search(view, found, budget, watch)
        else:
            if found.phase == "Final":
                move, why = self._take_or_decline(view, taken) if taken.coins else _open(view, found)
            else:
                move, why = lines_to_draw(view, taken, double_deal=False)[0], f"Takes a {view.game.unit}."
            choice = Choice(move, note=f"{found.reason}. {why}", seconds=time.perf_counter() - began)
        if self.ponder:
            self._start_pondering(view.play(choice.move), view.to_move)
        return choice

    def _search(self, state: DotsState, found: Structure, budget: Budget, watch: Watch | None) -> Choice:
        """Return the best safe line found within the depth and the budget."""
        began = time.perf_counter()
        if len(self._table) > MAX_STORED_POSITIONS:
            left = state.undrawn.bit_count()
            self._table = {key: stored for key, stored in self._table.items() if key.bit_count() < left}
        deadline = None if budget.seconds is None else began + budget.seconds
        max_nodes = self.nodes if budget.nodes is None else min(budget.nodes, self.nodes)

        def spent() -> bool:
            late = deadline is not None and time.perf_counter() >= deadline
            return search.nodes >= max_nodes or late or (watch is not None and watch.stopped)

        search = SafeLineSearch(state.game.board, self._table, spent)
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
        """Return the next line when boxes can be taken in the Final phase, and why."""
        rest = analyse(state.game.board, taken.drawn_after)
        short = len(rest.handouts.single_boxes) + len(rest.handouts.hard_hearted)
        decline, game = False, state.game
        if not taken.declinable:
            why = "Takes what is there."
        elif sum(map(bool, rest.degrees)) <= taken.declinable:
            why = f"Takes all: what is left then is not worth {taken.declinable}."
        elif short % 2:
            why = f"Takes all: the number of short chains left, {short}, is odd."
        elif taken.declinable == 2:
            decline, why = True, f"Double-deals: takes all but the last {game.counted(2)}."
        else:
            sums = loop_sums(self._met)
            half, total = len(game.board.coins) // 2, sums.boxes + 2 * sums.doublecrosses
            decline = total <= half
            theirs = f"{game.players[1 - state.to_move]}'s {game.counted(sums.boxes)}"
            compared = f"= {total}, {'not ' * decline}more than {half}"
            does = "Double-deals the last 4 of a loop" if decline else "Takes the whole loop"
            why = f"{does}: {theirs} + 2 x {sums.doublecrosses} for double-crosses {compared}."
        return lines_to_draw(state, taken, decline)[0], why

    def _start_pondering(self, state: DotsState, me: int) -> None:
        """Fill the table by searching the opponent's replies in the background, until the next call."""
        drawn = find_captures(state.game.board, state.drawn).drawn_after
        lines = analyse(state.game.board, drawn).safe_lines
        if state.to_move == me or not lines:
            return
        self._stop.clear()

        def spent() -> bool:
            return self._stop.is_set() or len(self._table) > MAX_STORED_POSITIONS

        def work() -> None:
            search = SafeLineSearch(state.game.board, self._table, spent)
            list(search.deepen(state.game.board.all_strings & ~drawn, lines, self.depth + 2))

        self._pondering = threading.Thread(target=work, name="kibitz-ponder", daemon=True)
        self._pondering.start()


# The search over safe lines


class SearchSpent(Exception):
    """Raised when the search has reached its limits."""


class SafeLineSearch:
    """Alpha-beta in negamax form over the safe lines of positions in which no box can be taken."""

    def __init__(self, graph: Graph, table: LiTable, spent: Callable[[], bool] = lambda: False) -> None:
        self.graph, self.table, self.spent, self.nodes = graph, table, spent, 0

    def deepen(self, undrawn: int, lines: Sequence[String], depth: int) -> Iterator[tuple[String, int]]:
        """Yield the best line and the depth: first without any search, then after each depth."""
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
        except SearchSpent:
            return

    def value(self, undrawn: int, depth: int, alpha: int, beta: int) -> int:
        """Return the value for the player to move, or a bound of it outside the window."""
        key = canonical(self.graph, undrawn)
        stored = self.table.get(key)
        if stored is not None and stored[0] >= depth:
            _, least, greatest = stored
            if least == greatest or least >= beta or greatest <= alpha:
                return least if least >= beta else greatest
        if self.spent():
            raise SearchSpent
        self.nodes += 1
        lines = safe_lines(self.graph, undrawn)
        if depth == 0 or not lines:
            value = estimate(self.graph, undrawn, len(lines))
            self.table[key] = (depth if lines else _FULL_DEPTH, value, value)
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
    """Estimate a position for the player to move by its number of long chains; safe: the number of safe lines."""
    rule = long_chain_rule(graph, undrawn)
    if not safe:
        return DECIDED if rule.favours_mover else -DECIDED
    other: Parity = "odd" if rule.wants == "even" else "even"
    boxes = len(graph.coins)
    lead = missing(rule.long_chains, other, boxes) - missing(rule.long_chains, rule.wants, boxes)
    return lead * (DECIDED // 2 - safe)


def aim(wants: Parity, boxes: int) -> int:
    """Return the least number of long chains to aim at: 2 if even and 3 if odd on a board of 25 boxes."""
    least = 2 * boxes // 25
    return least if least % 2 == (wants == "odd") else least + 1


def missing(chains: int, wants: Parity, boxes: int) -> int:
    """Return how far the number of long chains is from the aim."""
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
    """Return for each symmetry and each group of eight lines the images of all 256 sets of these lines."""
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


class LoopSums(NamedTuple):
    """The numbers in the rule for an open loop."""

    boxes: int  # the opponent's
    chains: int  # long chains, present and past
    loops: int  # loops that are left, the open one included

    @property
    def doublecrosses(self) -> int:
        """The number of double-crosses expected by the end of the game."""
        return self.chains - 1 + 2 * self.loops


def loop_sums(states: Sequence[DotsState]) -> LoopSums:
    """Return the numbers for the last of the positions a player has met, from the view of the player to move there."""
    last, past = states[-1], history_of(states)
    opened = sum(tree.double_deal and not tree.half_open for tree in past.structures[-1].dead_trees)
    return LoopSums(
        last.scores[1 - last.to_move],
        past.present.long_chains + past.opened.long_chains,
        sum(past.present.loops.values()) + opened,
    )


def _open(state: DotsState, found: Structure) -> tuple[Move, str]:
    """Return the line that gives least away, the middle one of a chain of 2, and why."""
    in_loops = {line for run in found.runs if run.kind == "loop" for line in run.strings}
    best, *_ = sorted(
        (len(given.coins), given.declinable > 0, line not in in_loops, line)
        for line in state.legal_moves()
        for given in [find_captures(state.game.board, state.drawn | 1 << line)]
    )
    return best[-1], f"Gives {state.game.counted(best[0])}, the least it can."


def _aim(state: DotsState, found: Structure) -> str:
    """Return, in words, how many long chains are wanted and how many there are."""
    rule = found.rule
    assert rule is not None
    first = aim(rule.wants, len(state.game.board.coins))
    me = state.game.players[state.to_move]
    return f"{me} wants {first} or {first + 2} long chains; there {rule.number_words}."
