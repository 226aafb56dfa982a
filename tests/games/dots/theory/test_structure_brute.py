"""The structure of positions against brute force on the rules alone, on grids and on random graphs."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, pairwise

from games.dots.boards import on_graph, random_graph, scattered
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import GROUND
from kibitz.games.dots.theory.runs import loony_lines
from kibitz.games.dots.theory.structure import structure_of


@cache
def controls(state: DotsState) -> bool:
    """Return whether the player to move wins Nimstring, in which who takes the last box loses."""
    for move in state.legal_moves():
        after = replace(state.play(move), owned=(0, 0))
        if after.undrawn and controls(after) == (after.to_move == state.to_move):
            return True
    return False


def runs_alone(chains: tuple[int, ...], loops: tuple[int, ...]) -> DotsState:
    """Return the start on a graph of chains and loops that do not meet."""
    strings, names = list[str](), iter("abcdefghijklmnopqrstuvwxyz")
    for length in chains:
        boxes = ["-", *(next(names) for _ in range(length)), "-"]
        strings += [a + b for a, b in pairwise(boxes)]
    for length in loops:
        boxes = [next(names) for _ in range(length)]
        strings += [a + b for a, b in pairwise([*boxes, boxes[0]])]
    return on_graph(*strings)


def test_the_rule_tells_who_controls_runs_alone() -> None:
    """Check the rule, short loops included, against all play on chains and loops of up to 10 strings together."""
    tried = Counter[bool]()
    sizes = [c + 1 for c in (1, 2, 3, 4)] + [-length for length in (2, 3, 4, 5)]
    for number in (1, 2, 3, 4):
        for chosen in combinations_with_replacement(sizes, number):
            if sum(map(abs, chosen)) <= 10:
                state = runs_alone(tuple(s - 1 for s in chosen if s > 0), tuple(-s for s in chosen if s < 0))
                rule = structure_of(state).rule
                assert rule is not None
                assert rule.favours_mover == controls(state), chosen
                tried[rule.favours_mover] += 1
    assert min(tried.values()) >= 20, tried


def takes(state: DotsState, move: int) -> bool:
    return state.play(move).to_move == state.to_move


def all_taken(state: DotsState) -> DotsState:
    """Take boxes in any order until none can be taken."""
    while moves := [move for move in state.legal_moves() if takes(state, move)]:
        state = state.play(moves[-1])
    return state


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
        found, end = structure_of(state), all_taken(state)
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
            if not takes(state, move) and can_decline(state.play(move), all_taken(state.play(move)).undrawn)
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
