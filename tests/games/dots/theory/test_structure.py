"""The structure of positions: pictures with facts found by hand, games, the JSON, and brute force on the rules."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, pairwise

import pytest

from games.dots import naive
from games.dots.boards import cleared, on_graph, picture, play, random_graph, scattered, state_of
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import GROUND
from kibitz.games.dots.theory.runs import Run, RunCounts, loony_lines
from kibitz.games.dots.theory.structure import Handouts, Joint, history_of, rule_words, structure_json, structure_of
from kibitz.testing import random_game

MANY = """
+-+-+-+-+-+

+-+-+-+-+-+
|   |
+ + + +-+-+
|   | | | |
+-+-+ +-+-+
  |   |
+ + +-+ + +
| |
+ +-+ + + +
"""


def test_figures_2_and_4_of_the_paper() -> None:
    found = structure_of(Dots().start())
    assert found.degrees == (4,) * 25
    assert len(found.safe_lines) == 60
    assert (found.phase, found.runs, found.dead) == ("Start", (), ())
    assert found.reason == "Start: there is no run of 3 or more yet, and 60 safe lines are left"
    assert Counter(len(joint.grounds) for joint in found.joints) == {0: 9, 1: 12, 2: 4}
    # A drawn line cuts a string, as in Figure 4.
    found = structure_of(picture("+-+\n\n+ +"))
    assert found.degrees == (3,)
    assert found.joints == (Joint(0, (), (1, 2, 3), (), ()),)


# position, runs, (name, size, long, very long) of each, how many there are
RUNS = {
    "a chain": (
        picture("+-+-+-+\n\n+-+-+-+"),
        [Run((0, 1, 2), (6, 7, 8, 9), (GROUND, GROUND))], [("chain", 3, True, False)], RunCounts({3: 1}, {}, {}, 0, 1),
    ),
    "a loop": (
        picture("+-+-+\n|   |\n+ + +\n|   |\n+-+-+"),
        [Run((0, 2, 3, 1), (2, 10, 3, 7), ())], [("loop", 4, True, False)], RunCounts({}, {4: 1}, {}, 0, 0),
    ),
    "a very long loop": (
        picture("+-+-+-+\n|     |\n+ +-+ +\n| | | |\n+ +-+ +\n|     |\n+-+-+-+"),
        [Run((0, 3, 6, 7, 8, 5, 2, 1), (3, 6, 21, 22, 8, 5, 14, 13), ())], [("loop", 8, True, True)],
        RunCounts({}, {8: 1}, {}, 0, 0),
    ),
    "strings that meet in a joint": (
        picture("+-+-+-+\n\n+-+ +-+\n| | | |\n+-+ +-+"),
        [Run((0,), (9, 10), (GROUND, 1)), Run((2,), (11, 12), (1, GROUND)), Run((4,), (4, 7), (1, GROUND))],
        [("string", 1, False, False)] * 3, RunCounts({}, {}, {1: 3}, 0, 0),
    ),
    "a possible loop": (
        picture("+ +-+\n|   |\n+ + +\n|   |\n+-+-+"),
        [Run((2, 3, 1), (2, 10, 3, 7), (0, 0))], [("possible loop", 4, True, False)], RunCounts({}, {4: 1}, {}, 1, 0),
    ),
    "short loops of a graph": (
        on_graph("ab", "ab", "cd", "de", "ec"),
        [Run((0, 1), (0, 1), ()), Run((2, 3, 4), (2, 3, 4), ())],
        [("loop", 2, False, False), ("loop", 3, False, False)], RunCounts({}, {2: 1, 3: 1}, {}, 0, 0),
    ),
    "parallel strings to a joint": (
        on_graph("ab", "ab", "b-"),
        [Run((0,), (0, 1), (1, 1))], [("possible loop", 2, False, False)], RunCounts({}, {2: 1}, {}, 1, 0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_runs(name: str) -> None:
    state, runs, kinds, counts = RUNS[name]
    found = structure_of(state)
    assert list(found.runs) == runs
    assert [(run.name, run.size, run.long, run.very_long) for run in runs] == kinds
    assert found.counts == counts


def test_the_rule_and_the_phase_of_single_runs() -> None:
    chain, loop, strings, possible = (
        structure_of(RUNS[name][0]) for name in list(RUNS)[:5] if name != "a very long loop"
    )
    assert chain.reason == "Final: no safe line is left"
    assert rule_words(replace(RUNS["a chain"][0], to_move=1), chain) == (
        "Blue, to move, wants an even number of long chains: there is 1 now, which favours Red."
    )
    assert loop.rule is not None
    assert (loop.rule.wants, loop.rule.favours_mover) == ("odd", False)
    assert strings.joints == (Joint(1, (0, 1, 2), (), (), ()),)
    assert strings.handouts == Handouts((), (), (0, 2, 4))
    assert possible.joints == (Joint(0, (0, 0), (0,), (), ()),)
    assert possible.safe_lines == (0,)
    assert possible.reason == "Middle: there is a possible loop of 3, and 1 safe line is left"
    assert structure_of(RUNS["short loops of a graph"][0]).handouts == Handouts((), (), ())


def test_handouts_and_dead_trees() -> None:
    state = picture("+-+-+\n\n+-+-+")
    assert structure_of(state).handouts == Handouts((5,), (4, 6), ())
    assert loony_lines(state.game.board, state.drawn) == (4, 6)
    # An opened chain is a half-open dead tree.
    state = picture("+-+-+-+\n|\n+-+-+-+")
    found = structure_of(state)
    (tree,) = found.dead_trees
    assert (tree.boxes, tree.exit, tree.half_open, tree.double_deal) == ((0, 1, 2), 9, True, True)
    assert (found.c_boxes, found.dead, found.runs) == ((0,), (0, 1, 2), ())
    assert found.rule is None
    assert rule_words(state, found) == "Red can take all that is left."
    # An opened loop is a closed dead tree.
    (tree,) = structure_of(picture("+-+-+\n| | |\n+ + +\n|   |\n+-+-+")).dead_trees
    assert (tree.boxes, tree.exit, tree.double_deal) == ((0, 1, 2, 3), None, True)
    # A double-deal leaves a 2C-shape.
    found = structure_of(picture("+-+-+\n|   |\n+-+-+"))
    assert found.two_c_shapes == ((0, 1),)
    assert not found.dead_trees[0].double_deal
    # A dead box may have three strings.
    found = structure_of(picture("+-+-+-+\n|     |\n+-+ +-+\n| | | |\n+-+-+-+"))
    (tree,) = found.dead_trees
    assert (tree.boxes, tree.exit, tree.double_deal) == ((0, 1, 2, 4), None, False)
    assert (found.degrees[1], found.c_boxes, found.joints) == (3, (0, 2, 4), ())


def test_the_rule_looks_beyond_the_dead_boxes() -> None:
    state = picture("+-+-+-+\n|\n+-+ +-+\n| | | |\n+-+ +-+")
    found = structure_of(state)
    assert found.joints == (Joint(1, (0, 1), (), (), (0,)),)
    assert (found.dead_trees[0].exit, found.counts.long_chains) == (10, 0)
    assert found.rule is not None  # with box 0 taken, boxes 2, 1 and 4 are a chain of 3
    assert (found.rule.strings, found.rule.boxes, found.rule.long_chains) == (4, 3, 1)
    assert rule_words(state, found) == (
        "When the dead box is taken: Red, to move, wants an even number of long chains: "
        "there is 1 then, which favours Blue."
    )


def test_a_board_with_everything() -> None:
    found = structure_of(picture(MANY))
    chain, loop, string, pair, single = found.runs
    assert (chain.boxes, chain.kind) == ((0, 1, 2, 3, 4), "chain")
    assert (loop.boxes, loop.kind) == ((5, 10, 11, 6), "loop")
    assert (string.boxes, string.ends, string.very_long) == ((9, 8, 7, 12, 17, 16, 21), (GROUND, 22), True)
    assert (pair.boxes, pair.strings) == ((20, 15), (25, 20, 48))
    assert (single.boxes, single.ends) == ((18,), (23, 19))
    assert found.joints == (
        Joint(19, (4,), (53,), (24,), ()),
        Joint(22, (2,), (27,), (23,), ()),
        Joint(23, (4,), (28,), (22, 24), ()),
        Joint(24, (), (29, 59), (19, 23), ()),
    )
    assert found.handouts == Handouts((20,), (25, 48), (18,))
    assert found.counts == RunCounts({2: 1, 5: 1}, {4: 1}, {1: 1, 7: 1}, 0, 2)
    assert found.safe_lines == (24, 27, 28, 29, 53, 57, 58, 59)
    assert found.reason == "Middle: there is a string of 7, and 8 safe lines are left"
    assert found.rule is not None  # 31 lines, 23 boxes, 2 long chains
    assert (found.rule.wants, found.rule.favours_mover) == ("odd", False)


def test_the_phases_of_a_game() -> None:
    for seed in range(20):
        for state in random_game(Dots(4, 4), seed)[:-1]:
            found = structure_of(state)
            calm = [
                m
                for m in state.legal_moves()
                if all(state.degree(b) > 2 for b in state.game.board.strings[m] if b >= 0)
            ]
            assert found.safe_lines == tuple(calm)
            assert (found.phase == "Final") == (not calm)
            if calm:
                assert (found.phase == "Middle") == any(run.length > 2 for run in found.runs)


@pytest.mark.parametrize("rows", range(1, 10))
def test_the_rule_of_the_books_counts_dots(rows: int) -> None:
    for cols in range(1, 10):
        rule = structure_of(Dots(rows, cols).start()).rule
        assert rule is not None
        dots = (rows + 1) * (cols + 1)
        assert rule.strings - rule.boxes + 1 == dots
        assert (rule.wants == "even") == (dots % 2 == 0) == rule.favours_mover


def test_history_of_a_game() -> None:
    """Two boxes in a row become a chain of 3, which is opened, taken but for two, and declined."""
    moves = ["0", "3", "1", "4", "2", "5", "6", "7", "9", "8"]
    states = [play(Dots(1, 3), " ".join(moves[:number])) for number in range(len(moves) + 1)]
    told = history_of(states)
    assert told.structures == tuple(structure_of(state) for state in states)
    # Box 0 with lines 0 and 3 is a string of 1, with 1 and 4 a string of 2, with 2 and 5 the chain of 3.
    assert told.formed == RunCounts({3: 1}, {}, {1: 1, 2: 1}, 0, 1)
    assert told.grown == RunCounts({}, {}, {1: 1, 2: 1}, 0, 0)
    assert told.opened == RunCounts({3: 1}, {}, {}, 0, 1)
    assert told.present == RunCounts({}, {}, {}, 0, 0)
    assert told.joints == (1, 2)
    assert told.two_c_shapes == ((1, 2),)
    halfway = history_of(states[:5])
    assert (halfway.present.strings, halfway.grown.strings, halfway.opened.strings) == ({2: 1}, {1: 1}, {})
    assert history_of([]).formed == RunCounts({}, {}, {}, 0, 0)


def test_json() -> None:
    told = structure_json(picture(MANY))
    assert told["runs"][3] == {
        "kind": "chain", "length": 2, "boxes": ["4,0", "3,0"], "lines": ["25", "20", "48"],
        "ends": ["ground", "ground"], "possible_loop": False, "long": False, "very_long": False,
    }  # fmt: skip
    assert told["joints"][2] == {
        "box": "4,3", "degree": 4, "runs": [4], "ground": ["28"], "joints": ["4,2", "4,4"], "dead_trees": [],
    }  # fmt: skip
    assert told["counts"]["strings"] == {"1": 1, "7": 1}
    assert told["long_chain_rule"] == {"wants": "odd", "long_chains": 2, "favours": "Blue"}
    assert told["coordinates"]["boxes"]["4,3"] == [4, 3]
    assert told["coordinates"]["lines"]["48"] == ["v", 3, 0]
    assert (told["phase"], told["to_move"]) == ("Middle", "Red")
    assert json.loads(json.dumps(told)) == told
    # The JSON of a graph has no coordinates.
    told = structure_json(on_graph("ab", "ab", "b-").play(2))
    assert told["runs"][0]["boxes"] == ["a", "b"]
    assert told["loony_lines"] == []
    assert told["to_move"] == "Blue"
    assert "coordinates" not in told
    told = structure_json(Dots(1, 1).parse_position("f 1 1"))
    assert (told["long_chain_rule"], told["reason"]) == (None, "Final: no line is left")
    assert told["words"] == "No line is left."


def test_a_graph_has_coins_and_strings_in_its_words() -> None:
    start = on_graph("ab", "a-", "a-", "b-", "b-", "cd", "c-", "d-")
    assert structure_of(start).reason == "Start: there is no run of 3 or more yet, and 5 safe strings are left"
    state = start.play(6)  # c and d can be taken, or left by cutting 7
    assert rule_words(state, structure_of(state)) == (
        "When the dead coins are taken: Blue, to move, wants an even number of long chains: there are none then, "
        "which favours Blue. By a double-deal Blue would leave that move to Red."
    )
    one = on_graph("ab", "a-", "a-")  # 2 strings and 1 coin are left when b is taken
    assert rule_words(one, structure_of(one)).startswith("When the dead coin is taken: Red, to move, wants an even")
    over = one.play(0).play(1).play(2)
    assert structure_of(over).reason == "Final: no string is left"
    assert rule_words(over, structure_of(over)) == "No string is left."


# Against brute force, on grids and on random graphs


@cache
def controls(state: DotsState) -> bool:
    """Return whether the player to move wins Nimstring, in which who takes the last box loses."""
    for move in state.legal_moves():
        after = replace(state.play(move), owned=(0, 0))
        if after.undrawn and controls(after) == (after.to_move == state.to_move):
            return True
    return False


def test_the_rule_tells_who_controls_runs_alone() -> None:
    """Check the rule, short loops included, against all play on chains and loops of up to 10 strings together."""
    tried = Counter[bool]()
    sizes = [c + 1 for c in (1, 2, 3, 4)] + [-length for length in (2, 3, 4, 5)]
    for number in (1, 2, 3, 4):
        for chosen in combinations_with_replacement(sizes, number):
            if sum(map(abs, chosen)) <= 10:
                chains, loops = [s - 1 for s in chosen if s > 0], [-s for s in chosen if s < 0]
                state = state_of(naive.chains_and_loops(chains, loops))
                rule = structure_of(state).rule
                assert rule is not None
                assert rule.favours_mover == controls(state), chosen
                tried[rule.favours_mover] += 1
    assert min(tried.values()) >= 20, tried


def takes(state: DotsState, move: int) -> bool:
    return state.play(move).to_move == state.to_move


def can_decline(state: DotsState, kept: int) -> bool:
    """Return whether some boxes can be taken and then a line be drawn that takes none and is not one of those kept."""
    return any(
        can_decline(state.play(move), kept) if takes(state, move) else not kept >> move & 1
        for move in state.legal_moves()
    )


def test_dead_boxes_and_double_deals_by_brute_force() -> None:
    rng, met = random.Random(7), Counter[str]()
    boards = [Dots(2, 2), Dots(2, 3), Dots(1, 5), Dots(3, 3)]
    for _ in range(1500):
        game = rng.choice(boards) if rng.random() < 0.5 else random_graph(rng)
        state = scattered(game, rng)
        found, end = structure_of(state), cleared(state)
        taken = end.owned[state.to_move]
        assert found.dead == tuple(box for box in range(len(found.degrees)) if taken >> box & 1)
        if len(found.dead) <= 6:
            declined = can_decline(state, end.undrawn)
            assert declined == any(tree.double_deal for tree in found.dead_trees)
            met["double-deal"] += declined
        for tree in found.dead_trees:
            out = {
                string
                for box in tree.boxes
                for string in game.board.strings_of[box]
                if not state.drawn >> string & 1 and game.board.other_end(string, box) not in found.dead
            }
            assert out == ({tree.exit} if tree.half_open else set())
            met["half-open" if tree.half_open else "closed"] += 1
            met["closed, larger, no double-deal"] += not tree.half_open and len(tree.boxes) > 3 and not tree.double_deal
    assert all(n >= 5 for n in met.values()), met
    assert len(met) == 4


def test_loony_lines_by_brute_force() -> None:
    rng, met = random.Random(3), Counter[str]()
    for _ in range(800):
        game = rng.choice([Dots(2, 2), Dots(2, 3), Dots(1, 5)]) if rng.random() < 0.5 else random_graph(rng)
        state = scattered(game, rng)
        if len(structure_of(state).dead) > 4:
            continue
        loony = [
            move
            for move in state.legal_moves()
            if not takes(state, move) and can_decline(state.play(move), cleared(state.play(move)).undrawn)
        ]
        assert loony_lines(game.board, state.drawn) == tuple(loony)
        if not structure_of(state).dead:
            given = structure_of(state).handouts
            assert not set(given.hard_hearted) & set(loony)
            assert set(given.half_hearted) <= set(loony)
            met.update(hard=len(given.hard_hearted), half=len(given.half_hearted), loony=len(loony))
    assert all(met[key] > 10 for key in ("hard", "half", "loony")), met


def test_every_open_box_is_in_one_structure() -> None:
    rng, met = random.Random(5), Counter[str]()
    games = [Dots(3, 3), Dots(5, 5), Dots(2, 7), Dots(9, 9)]
    for _ in range(1500):
        game = rng.choice(games) if rng.random() < 0.5 else random_graph(rng)
        state = scattered(game, rng)
        graph, found = game.board, structure_of(state)
        places = [box for run in found.runs for box in run.boxes] + [joint.box for joint in found.joints]
        assert sorted([*places, *found.dead]) == [box for box, degree in enumerate(found.degrees) if degree]
        joints = {joint.box: joint for joint in found.joints}
        for joint in found.joints:
            assert joint.degree == found.degrees[joint.box] >= 3
        for number, run in enumerate(found.runs):
            way = (*run.boxes, run.boxes[0]) if run.kind == "loop" else (run.ends[0], *run.boxes, run.ends[-1])
            assert len(run.strings) == len(set(run.strings)) == len(way) - 1
            assert [set(graph.strings[string]) for string in run.strings] == [set(pair) for pair in pairwise(way)]
            assert {found.degrees[box] for box in run.boxes} == {2}
            assert all(end == GROUND or number in joints[end].runs for end in run.ends)
            assert run.kind == "loop" or run.strings[0] < run.strings[-1]
            met[run.name] += 1
    assert all(met[name] > 20 for name in ("chain", "loop", "string", "possible loop")), met
