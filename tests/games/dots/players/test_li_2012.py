"""The player of Li, Li & Yuan (2012): its aims and estimates, its search, and the Final phase in pictures."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

import kibitz
from games.dots.boards import careful, cleared, picture
from games.dots.players.test_simple import BOARDS, choices
from kibitz.core.agent import Budget, Watch
from kibitz.core.errors import BadOption
from kibitz.games.dots.players.li_2012 import (
    Li2012,
    SafeLineSearch,
    canonical_position,
    estimate,
    loop_numbers,
    target_chains,
)
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import GROUND, Graph
from kibitz.games.dots.theory.structure import long_chain_rule, safe_lines, structure_of

LOOP_AND_ROWS = """
+-+-+-+-+
|   | | |
+-+ +-+-+
|   | | |
+-+-+-+-+

+-+-+-+-+

+-+-+-+-+
"""


def owned_by(state: DotsState, first: Sequence[int], second: Sequence[int]) -> DotsState:
    """Return a position with the owners of some finished boxes."""
    return DotsState(state.game, state.drawn, (sum(1 << b for b in first), sum(1 << b for b in second)), state.to_move)


# Aims and estimates


def test_the_numbers_of_the_paper() -> None:
    """On 5x5 the first player looks for 2 or 4 long chains and the second for 3 or 5."""
    assert (target_chains("even", 25), target_chains("odd", 25)) == (2, 3)
    assert (target_chains("even", 9), target_chains("odd", 9)) == (0, 1)
    assert (target_chains("even", 49), target_chains("odd", 49)) == (4, 3)
    game = Dots(5, 5)
    first, second = game.start(), game.start().play(0)
    assert "Red wants 2 or 4 long chains; there are none." in Li2012(game, depth=1).choose(first).note
    assert "Blue wants 3 or 5 long chains; there are none." in Li2012(game, depth=1).choose(second).note


@pytest.mark.parametrize(("rows", "cols"), [(5, 5), (4, 4), (3, 4), (2, 5)])
def test_the_rule_is_the_theorem_of_the_paper(rows: int, cols: int) -> None:
    """Check that an even number of dots makes the first player want even, where no line took two boxes."""
    game, checked = Dots(rows, cols), 0
    for seed in range(40):
        state = game.start()
        rng = random.Random(seed)
        while state.undrawn:
            if cleared(state) == state:
                rule, even = long_chain_rule(game.board, state.undrawn), (rows + 1) * (cols + 1) % 2 == 0
                assert (rule.wants == "even") == (even == (state.to_move == 0))
                assert rule == structure_of(state).rule
                checked += 1
            move = rng.choice(state.legal_moves())
            if len(state.taken_by(move)) == 2:
                break
            state = state.play(move)
    assert checked > 200


def test_the_estimate_counts_long_chains() -> None:
    """Two long chains are the first player's on 5x5, and the more so the fewer safe lines are left."""
    two = picture("\n".join(["+-+-+-+-+-+", "", "+-+-+-+-+-+", "", "+-+-+-+-+-+"] + ["", "+ + + + + +"] * 3))
    board, second = two.game.board, two.undrawn  # 15 lines are drawn, so the second player moves
    first = second ^ 1 << board.horizontal(5, 0)
    for safe in (20, 10, 1, 0):
        assert estimate(board, first, safe) == -estimate(board, second, safe) > 0
    values = [estimate(board, first, safe) for safe in (20, 10, 1, 0)]
    assert values == sorted(set(values))


# The search


def test_equivalent_positions_have_one_number() -> None:
    """Check all positions of 2x2 against the turns and reflections of dots."""
    graph = Dots(2, 2).board
    lines = {frozenset(line): i for i, line in enumerate(ends_of(2))}
    images = []
    for flip, down, across in ((f, d, a) for f in (0, 1) for d in (0, 1) for a in (0, 1)):

        def moved(dot: tuple[int, int], flip: int = flip, down: int = down, across: int = across) -> tuple[int, int]:
            r, c = dot[::-1] if flip else dot
            return (2 - r if down else r, 2 - c if across else c)

        images.append([lines[frozenset(map(moved, line))] for line in ends_of(2)])
    for position in range(1 << 12):
        alike = {sum(1 << image[i] for i in range(12) if position >> i & 1) for image in images}
        assert canonical_position(graph, position) == min(alike)


def ends_of(size: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the dots that each line of a square board joins, in the order of the lines."""
    across = [((r, c), (r, c + 1)) for r in range(size + 1) for c in range(size)]
    return across + [((r, c), (r + 1, c)) for r in range(size) for c in range(size + 1)]


def plain(graph: Graph, undrawn: int, depth: int) -> int:
    """Return the value by trying everything."""
    lines = tuple(
        line
        for line in range(len(graph.strings))
        if undrawn >> line & 1
        and all((graph.masks[box] & undrawn).bit_count() > 2 for box in graph.strings[line] if box != GROUND)
    )
    assert lines == safe_lines(graph, undrawn)
    if not lines or not depth:
        return estimate(graph, undrawn, len(lines))
    return max(-plain(graph, undrawn ^ 1 << line, depth - 1) for line in lines)


@pytest.mark.parametrize("game", [Dots(3, 3), Dots(2, 5), Dots(3, 4)])
def test_the_search_finds_what_trying_everything_finds(game: Dots) -> None:
    rng, kinds = random.Random(8), set()
    for _ in range(25):
        state = careful(game, rng)
        depth = rng.randint(0, 3)
        search = SafeLineSearch(game.board, {})
        value = plain(game.board, state.undrawn, depth)
        assert search.value(state.undrawn, depth, -9999, 9999) == value
        assert search.value(state.undrawn, depth, -9999, 9999) == value  # by the table
        kinds.add(value > 0)
        if safe := list(structure_of(state).safe_lines):
            found = list(SafeLineSearch(game.board, {}).deepen(state.undrawn, safe, 3))
            best, reached = found[-1]
            assert reached == min(3, len(safe))
            values = {line: -plain(game.board, state.undrawn ^ 1 << line, reached - 1) for line in safe}
            assert values[best] == max(values.values())
    assert kinds == {True, False}


def test_the_search_obeys_its_limits() -> None:
    game = Dots(5, 5)
    start, agent = game.start(), Li2012(game, nodes=10**9)
    assert agent.choose(start, Budget(nodes=40)).nodes == 40
    began = time.perf_counter()
    assert agent.choose(start, Budget(seconds=0.05)).depth < 6
    assert time.perf_counter() - began < 60
    watch = Watch()
    watch.stop()
    stopped = agent.choose(start.play(0), Budget(seconds=600), watch)
    assert (stopped.depth, stopped.nodes) == (0, 0)
    watch = Watch()
    found = agent.choose(start, Budget(nodes=200), watch)
    assert (watch.move, watch.depth) == (found.move, found.depth)
    for option in ("depth", "nodes"):
        with pytest.raises(BadOption, match="must be 1 or more, not 0"):
            kibitz.agent(game, f"li-2012({option}=0)")


def test_pondering_makes_the_next_search_deeper() -> None:
    game = Dots(2, 3)
    plain_one, thinker = (Li2012(game, nodes=60, ponder=ponder) for ponder in (False, True))
    start = game.start()
    first, same = (agent.choose(start) for agent in (plain_one, thinker))
    assert replace(first, seconds=0.0) == replace(same, seconds=0.0)
    assert thinker._pondering is not None
    thinker._pondering.join(60)  # on a board so small it comes to an end
    reply = next(line for line in (0, 1) if line != first.move)
    state = start.play(first.move).play(reply)
    assert thinker.choose(state).depth > plain_one.choose(state).depth
    thinker.close()


def test_pondering_stops() -> None:
    def pondering() -> int:
        return sum(thread.name == "kibitz-ponder" for thread in threading.enumerate())

    game = Dots(5, 5)
    agent = Li2012(game, nodes=20, ponder=True)
    for again in (True, False):
        agent.choose(game.start())
        assert pondering() == 1
        agent.choose(game.start().play(3))
        assert pondering() == 1  # the one before was stopped
        if again:
            agent.reset(1)
        else:
            agent.close()
        assert pondering() == 0


# The Final phase


def test_short_chains_first_and_all_but_the_last_declined() -> None:
    state = BOARDS["TWO_AND_THREE"]
    agent = Li2012(state.game)
    assert choices(agent, state, 1) == ["v 1 1"]
    assert agent.choose(state).note == "Final: no safe line is left. Gives 2 boxes, the least it can."
    # A chain is declined and the last one taken whole.
    state = BOARDS["TWO_ROWS"]
    agent = Li2012(state.game)
    assert choices(agent, state, 3) == ["v 1 1", "v 1 2", "v 1 4"]
    assert agent.choose(state).note.endswith(" Double-deals: takes all but the last 2 boxes.")
    last = picture("+-+-+-+-+\n| | | | |\n+-+-+-+-+\n|\n+-+-+-+-+")
    assert choices(agent, last, 4) == ["v 1 1", "v 1 2", "v 1 3", "v 1 4"]


@pytest.mark.parametrize(
    ("singles", "lines"),
    [
        ("  | | | |\n+ +-+-+-+", ["v 0 1", "v 0 2", "v 0 3", "v 0 4"]),
        ("  | | |\n+ +-+-+ +", ["v 0 1", "v 0 2", "v 0 4"]),
    ],
)
def test_with_an_odd_number_of_short_chains_all_is_taken(singles: str, lines: list[str]) -> None:
    """One chain of 1 can be given, and the other must open the row; of two, the other gives the last."""
    state = picture(f"+-+-+-+-+\n|\n+-+-+-+-+\n\n+-+-+-+-+\n{singles}")
    assert choices(Li2012(state.game), state, len(lines)) == lines


def test_before_the_final_phase_chains_are_taken_whole() -> None:
    state = picture("+-+-+-+-+\n|\n+-+-+-+-+\n\n+ + + + +\n\n+ + + + +")
    assert structure_of(state).phase != "Final"
    agent = Li2012(state.game)
    assert choices(agent, state, 4) == ["v 0 1", "v 0 2", "v 0 3", "v 0 4"]
    assert agent.choose(state).note.endswith(" Takes a box.")


@pytest.mark.parametrize(("rival", "line"), [(2, "h 1 1"), (3, "v 0 1")])
def test_a_loop_is_declined_by_the_rule(rival: int, line: str) -> None:
    """Two chains and the open loop: 2 - 1 + 2 double-crosses, 6 boxes. Half of the 16 boxes is 8."""
    state = picture(LOOP_AND_ROWS)
    finished = [2, 3, 6, 7]
    state = owned_by(state, finished[rival:], finished[:rival])
    agent = Li2012(state.game)
    assert choices(agent, state, 1) == [line]
    assert agent.choose(state).note.endswith(
        {
            2: "Double-deals the last 4 of a loop: Blue's 2 boxes + 2 x 3 for double-crosses = 8, not more than 8.",
            3: "Takes the whole loop: Blue's 3 boxes + 2 x 3 for double-crosses = 9, more than 8.",
        }[rival]
    )


def test_chains_of_the_past_are_counted() -> None:
    before = picture("+-+-+-+\n\n+-+-+-+\n\n+-+-+-+\n\n+-+-+-+")
    after = cleared(before.play(before.game.parse_move("v 1 0")))
    assert loop_numbers([before]).chains == 3
    assert loop_numbers([after]).chains == 2
    sums = loop_numbers([before, after])
    assert (sums.boxes, sums.chains, sums.loops, sums.doublecrosses) == (0, 3, 0, 2)
    assert loop_numbers([before, owned_by(after, [], [3, 4, 5])]).boxes == (3 if after.to_move == 0 else 0)
