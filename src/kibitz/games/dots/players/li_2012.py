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
  agrees with the theorem of the paper as long as no line has taken two boxes. The target numbers, from 2 or 3 on, are
  those for 25 boxes and scale in proportion. 12 becomes half the boxes, rounded down.
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
"""With more positions stored than this, those that can no longer come up are dropped before the next search."""
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
        self._positions_met: list[DotsState] = []

    def close(self) -> None:
        """Stop pondering."""
        if self._pondering is not None:
            self._stop.set()
            self._pondering.join()
            self._pondering = None

    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the line that the paper's rules for the phase call for. The note names the phase and the rule."""
        self.check(view)
        self.close()
        began = time.perf_counter()
        if self._positions_met and self._positions_met[-1].drawn & ~view.drawn:
            self._positions_met = []  # another game: the last position cannot have led to this one
        self._positions_met.append(view)
        structure, taken = structure_of(view), find_captures(view.game.board, view.drawn)
        if structure.phase != "Final" and not taken.coins:
            choice = self._search(view, structure, budget, watch)
        else:
            if structure.phase == "Final":
                move, why = self._take_or_decline(view, taken) if taken.coins else _choose_opening(view, structure)
            else:
                move, why = lines_to_draw(view, taken, double_deal=False)[0], f"Takes a {view.game.unit}."
            choice = Choice(move, note=f"{structure.reason}. {why}", seconds=time.perf_counter() - began)
        if self.ponder:
            self._start_pondering(view.play(choice.move), view.to_move)
        return choice

    def _search(self, state: DotsState, structure: Structure, budget: Budget, watch: Watch | None) -> Choice:
        """Return the best safe line found within the depth and the budget."""
        began = time.perf_counter()
        if len(self._table) > MAX_STORED_POSITIONS:
            # A key has one bit for each undrawn line. Only positions with fewer undrawn lines can still come up.
            undrawn_now = state.undrawn.bit_count()
            self._table = {key: stored for key, stored in self._table.items() if key.bit_count() < undrawn_now}
        deadline = None if budget.seconds is None else began + budget.seconds
        max_nodes = self.nodes if budget.nodes is None else min(budget.nodes, self.nodes)

        def is_spent() -> bool:
            late = deadline is not None and time.perf_counter() >= deadline
            return search.nodes >= max_nodes or late or (watch is not None and watch.stopped)

        search = SafeLineSearch(state.game.board, self._table, is_spent)
        lines = list(structure.safe_lines)
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
            note=f"{structure.reason}. {_target_words(state, structure)}",
        )

    def _take_or_decline(self, state: DotsState, taken: Captures) -> tuple[Move, str]:
        """Return the next line when boxes can be taken in the Final phase, and the paper's reason for it."""
        rest = analyse(state.game.board, taken.drawn_after)
        n_short = len(rest.handouts.single_boxes) + len(rest.handouts.hard_hearted)
        decline, game = False, state.game
        if not taken.declinable:
            why = "Takes what is there."
        elif sum(map(bool, rest.degrees)) <= taken.declinable:
            why = f"Takes all: what is left then is not worth {taken.declinable}."
        elif n_short % 2:
            why = f"Takes all: the number of short chains left, {n_short}, is odd."
        elif taken.declinable == 2:
            decline, why = True, f"Double-deals: takes all but the last {game.counted(2)}."
        else:
            numbers = loop_numbers(self._positions_met)
            half_boxes, total = len(game.board.coins) // 2, numbers.boxes + 2 * numbers.doublecrosses
            decline = total <= half_boxes
            opponent_boxes = f"{game.players[1 - state.to_move]}'s {game.counted(numbers.boxes)}"
            compared = f"= {total}, {'not ' * decline}more than {half_boxes}"
            action = "Double-deals the last 4 of a loop" if decline else "Takes the whole loop"
            why = f"{action}: {opponent_boxes} + 2 x {numbers.doublecrosses} for double-crosses {compared}."
        return lines_to_draw(state, taken, decline)[0], why

    def _start_pondering(self, state: DotsState, me: int) -> None:
        """Search the opponent's replies in the background, to fill the table, until the next call of choose."""
        drawn = find_captures(state.game.board, state.drawn).drawn_after
        lines = analyse(state.game.board, drawn).safe_lines
        if state.to_move == me or not lines:
            return
        self._stop.clear()

        def is_spent() -> bool:
            return self._stop.is_set() or len(self._table) > MAX_STORED_POSITIONS

        def work() -> None:
            search = SafeLineSearch(state.game.board, self._table, is_spent)
            list(search.deepen(state.game.board.all_strings & ~drawn, lines, self.depth + 2))

        self._pondering = threading.Thread(target=work, name="kibitz-ponder", daemon=True)
        self._pondering.start()


class SearchSpent(Exception):
    """Raised when the search has reached its limits."""


class SafeLineSearch:
    """Alpha-beta in negamax form over the safe lines of positions in which no box can be taken."""

    def __init__(self, graph: Graph, table: LiTable, is_spent: Callable[[], bool] = lambda: False) -> None:
        self.graph, self.table, self.is_spent, self.nodes = graph, table, is_spent, 0

    def deepen(self, undrawn: int, lines: Sequence[String], depth: int) -> Iterator[tuple[String, int]]:
        """Yield the best line and the depth reached: the first of `lines` at depth 0, then the result of each depth."""
        yield lines[0], 0
        lines_to_try = self._distinct_lines(undrawn, lines)
        try:
            for reached in range(1, min(depth, len(lines)) + 1):
                best, best_value = lines_to_try[0], -2 * DECIDED
                for line in lines_to_try:
                    value = -self.value(undrawn ^ 1 << line, reached - 1, -2 * DECIDED, -best_value)
                    if value > best_value:
                        best, best_value = line, value
                lines_to_try.sort(key=lambda line: line != best)
                yield best, reached
        except SearchSpent:
            return

    def value(self, undrawn: int, depth: int, alpha: int, beta: int) -> int:
        """Return the value for the player to move, or a bound if it is outside (alpha, beta). Raise SearchSpent."""
        key = canonical_position(self.graph, undrawn)
        stored = self.table.get(key)
        if stored is not None and stored[0] >= depth:
            _, lower, upper = stored
            if lower == upper or lower >= beta or upper <= alpha:
                return lower if lower >= beta else upper
        if self.is_spent():
            raise SearchSpent
        self.nodes += 1
        lines = safe_lines(self.graph, undrawn)
        if depth == 0 or not lines:
            value = estimate(self.graph, undrawn, len(lines))
            self.table[key] = (depth if lines else _FULL_DEPTH, value, value)
            return value
        best, best_alpha = -2 * DECIDED, alpha
        for line in self._distinct_lines(undrawn, lines):
            best = max(best, -self.value(undrawn ^ 1 << line, depth - 1, -beta, -best_alpha))
            best_alpha = max(best_alpha, best)
            if best >= beta:
                break
        self.table[key] = (depth, -2 * DECIDED if best <= alpha else best, 2 * DECIDED if best >= beta else best)
        return best

    def _distinct_lines(self, undrawn: int, lines: Sequence[String]) -> list[String]:
        """Return one line for each different position that the lines lead to, the best according to the table first."""
        children = {canonical_position(self.graph, undrawn ^ 1 << line): line for line in reversed(lines)}
        keys = sorted(children, key=lambda key: self.table[key][2] if key in self.table else 0)
        return [children[key] for key in keys]


def estimate(graph: Graph, undrawn: int, safe: int) -> int:
    """Estimate a position for the player to move by its number of long chains. safe: the number of safe lines."""
    rule = long_chain_rule(graph, undrawn)
    if not safe:
        return DECIDED if rule.favours_mover else -DECIDED
    opponent_wants: Parity = "odd" if rule.wants == "even" else "even"
    boxes = len(graph.coins)
    lead = chains_missing(rule.long_chains, opponent_wants, boxes) - chains_missing(rule.long_chains, rule.wants, boxes)
    return lead * (DECIDED // 2 - safe)  # the fewer safe lines are left, the less can still change


def target_chains(wants: Parity, boxes: int) -> int:
    """Return the lowest number of long chains to aim at: on 25 boxes 2 if an even number is wanted, 3 if odd."""
    lowest = 2 * boxes // 25
    return lowest if lowest % 2 == (wants == "odd") else lowest + 1


def chains_missing(chains: int, wants: Parity, boxes: int) -> int:
    """Return how many long chains are missing: up to the target, or 1 beyond it if the parity is wrong."""
    target = target_chains(wants, boxes)
    return target - chains if chains < target else (chains - target) % 2


def canonical_position(graph: Graph, undrawn: int) -> int:
    """Return the lowest number among the symmetric images of a position: the same for all of them."""
    symmetries = _symmetry_tables(graph)
    if len(symmetries) == 1:
        return undrawn
    octets = undrawn.to_bytes(len(symmetries[0]), "little")
    return min(sum([table[octet] for table, octet in zip(tables, octets, strict=True)]) for tables in symmetries)


@lru_cache(maxsize=16)
def _symmetry_tables(graph: Graph) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return, for each symmetry and each group of eight lines, the images of all 256 sets of these lines as bits."""
    lines = range(len(graph.strings))

    def images(symmetry: Sequence[String], start: int) -> tuple[int, ...]:
        eight = lines[start : start + 8]
        return tuple(sum(1 << symmetry[line] for line in eight if octet >> line - start & 1) for octet in range(256))

    return tuple(tuple(images(symmetry, start) for start in lines[::8]) for symmetry in graph.symmetries())


class LoopNumbers(NamedTuple):
    """The numbers in the paper's rule for an open loop."""

    boxes: int  # the opponent's
    chains: int  # long chains, present and past
    loops: int  # loops that are left, the open one included

    @property
    def doublecrosses(self) -> int:
        """The number of double-crosses expected by the end of the game."""
        return self.chains - 1 + 2 * self.loops


def loop_numbers(states: Sequence[DotsState]) -> LoopNumbers:
    """Return the numbers in the paper's rule for an open loop. states: the positions that the player has met."""
    last, past = states[-1], history_of(states)
    opened = sum(tree.double_deal and not tree.half_open for tree in past.structures[-1].dead_trees)
    return LoopNumbers(
        last.scores[1 - last.to_move],
        past.present.long_chains + past.opened.long_chains,
        sum(past.present.loops.values()) + opened,
    )


def _choose_opening(state: DotsState, structure: Structure) -> tuple[Move, str]:
    """Return the line that gives the fewest boxes away, the middle one of a chain of 2, and why."""
    in_loops = {line for run in structure.runs if run.kind == "loop" for line in run.strings}

    def cost(line: Move) -> tuple[int, bool, bool]:
        given = find_captures(state.game.board, state.drawn | 1 << line)
        return len(given.coins), given.declinable > 0, line not in in_loops

    cheapest = min(state.legal_moves(), key=cost)
    return cheapest, f"Gives {state.game.counted(cost(cheapest)[0])}, the least it can."


def _target_words(state: DotsState, structure: Structure) -> str:
    """Return, in words, how many long chains the player to move wants and how many there are."""
    rule = structure.rule
    assert rule is not None
    target = target_chains(rule.wants, len(state.game.board.coins))
    me = state.game.players[state.to_move]
    return f"{me} wants {target} or {target + 2} long chains; there {rule.number_words}."
