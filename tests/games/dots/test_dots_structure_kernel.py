"""The compiled structure analysis against the readable one, position by position."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from games.dots.test_dots_structure import on_graph, picture, random_graph, scattered
from kibitz.games.dots import structure_kernel as kernel
from kibitz.games.dots.graph import Graph, grid
from kibitz.games.dots.rules import Dots, State
from kibitz.games.dots.structure import Structure, structure_of
from kibitz.testing import random_game

PHASES = ("Start", "Middle", "Final")
KINDS = {"chain": kernel.CHAIN, "loop": kernel.LOOP, "string": kernel.STRING, "possible loop": kernel.POSSIBLE_LOOP}


def expected(graph: Graph, states: Sequence[State]) -> tuple[kernel.Tables, list[Structure]]:
    """Return the tables that the readable analysis makes."""
    tables, structures = kernel.new_tables(graph, len(states)), [structure_of(state) for state in states]
    for row, (state, found) in enumerate(zip(states, structures, strict=True)):
        tables.degree[row] = found.degrees
        tables.run[row] = -1
        tables.kind[row, list(found.dead)] = kernel.DEAD
        tables.kind[row, list(found.c_boxes)] = kernel.C_BOX
        tables.kind[row, [joint.box for joint in found.joints]] = kernel.JOINT
        for number, run in enumerate(found.runs):
            tables.run[row, list(run.boxes)] = number
            tables.kind[row, list(run.boxes)] = KINDS[run.name]
        for table, sizes in enumerate((found.counts.chains, found.counts.loops, found.counts.strings)):
            for size, number in sizes.items():
                tables.counts[row, table, size] = number
        tables.facts[row] = (
            state.undrawn.bit_count(), sum(map(bool, found.degrees)), len(found.c_boxes), len(found.dead),
            len(found.runs), found.counts.long_chains, len(found.joints), found.counts.possible_loops,
            len(found.safe_lines), PHASES.index(found.phase),
        )  # fmt: skip
    return tables, structures


def same(graph: Graph, states: Sequence[State]) -> list[Structure]:
    """Check that both analyses agree on positions of one graph; return the readable structures."""
    wanted, structures = expected(graph, states)
    got = kernel.analyse_many(graph, kernel.words_of(graph, [state.undrawn for state in states]))
    for name, mine, theirs in zip(kernel.Tables._fields, got, wanted, strict=True):
        differ = np.flatnonzero((mine != theirs).reshape(len(states), -1).any(axis=1))
        assert not len(differ), f"{name} of {states[differ[0]]}"
    return structures


def positions(game: Dots, rng: random.Random, n: int) -> list[State]:
    """Return positions of random games and with lines drawn anywhere, half of each."""
    played = [state for seed in range(1 + n // 60) for state in random_game(game, rng.randrange(10**9) + seed)]
    chosen = [state for state in rng.sample(played, min(n // 2, len(played))) if isinstance(state, State)]
    return chosen + [scattered(game, rng) for _ in range(n - len(chosen))]


def test_it_agrees_with_the_readable_analysis() -> None:
    rng, met, tried = random.Random(1), Counter[str](), 0
    grids = {(5, 5): 2500, (9, 9): 500, (9, 4): 500, (3, 8): 500, (6, 6): 500, (1, 9): 500, (2, 2): 300, (7, 1): 300}
    games = [(Dots(rows, cols), n) for (rows, cols), n in grids.items()]
    games += [(random_graph(rng), 20) for _ in range(220)]
    for game, n in games:
        for found in same(game.board, positions(game, rng, n)):
            tried += 1
            met.update(run.name for run in found.runs)
            met.update(f"loop of {run.size}" for run in found.runs if run.kind == "loop")
            met[found.phase] += 1
            met["2C-shape"] += len(found.two_c_shapes)
            met["dead joint"] += any(found.degrees[box] > 2 for box in found.dead)
            met["joint beside dead boxes"] += any(joint.trees for joint in found.joints)
    assert tried >= 10_000
    events = (
        *KINDS,
        *PHASES,
        "loop of 2",
        "loop of 3",
        "loop of 4",
        "2C-shape",
        "dead joint",
        "joint beside dead boxes",
    )
    assert all(met[event] >= 10 for event in events), met


@pytest.mark.modes
def test_it_agrees_on_pictures() -> None:
    pictures = ["+-+-+-+\n\n+-+-+-+", "+ +-+\n|   |\n+ + +\n|   |\n+-+-+", "+-+-+-+\n|\n+-+ +-+\n| | | |\n+-+ +-+"]
    for state in [*map(picture, pictures), on_graph("ab", "ab", "cd", "de", "ec"), on_graph("ab", "ab", "b-")]:
        same(state.game.board, [state])
    rng = random.Random(2)
    for game in (Dots(9, 9), Dots(5, 5), random_graph(rng)):
        same(game.board, [scattered(game, rng) for _ in range(20)])


def test_codes_of_a_picture() -> None:
    state = picture("+-+-+-+\n|\n+-+ +-+\n| | | |\n+-+ +-+")
    got = kernel.analyse_many(state.game.board, np.array([state.undrawn], np.uint64))
    assert got.kind[0].tolist() == [
        kernel.C_BOX, kernel.JOINT, kernel.STRING, kernel.TAKEN, kernel.STRING, kernel.TAKEN,
    ]  # fmt: skip
    assert got.run[0].tolist() == [-1, -1, 0, -1, 1, -1]
    assert got.counts[0, kernel.STRINGS].tolist() == [0, 2, 0, 0, 0, 0, 0]
    assert got.facts[0, kernel.PHASE] == kernel.FINAL


WRONG: dict[str, tuple[Graph, Any]] = {
    "type": (grid(5, 5), np.zeros(3, np.int32)),
    "shape": (grid(5, 5), np.zeros((3, 2), np.int64)),
    "n rows of 2": (grid(6, 6), np.zeros(3, np.int64)),
    "no line": (grid(5, 5), np.array([0, 1 << 60], np.int64)),
    "lines are 0 to 83": (grid(6, 6), np.array([[0, 1 << 20]], np.int64)),
}


@pytest.mark.parametrize("said", WRONG)
def test_wrong_words_are_refused(said: str) -> None:
    graph, words = WRONG[said]
    with pytest.raises(ValueError, match=said):
        kernel.analyse_many(graph, words)


def test_no_positions_make_empty_tables() -> None:
    assert kernel.analyse_many(grid(5, 5), np.zeros(0, np.uint64)).facts.shape == (0, kernel.FACTS)
