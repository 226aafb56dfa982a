"""Deep Barca compiled and plain: the same values, choices and words."""

from __future__ import annotations

import random
from functools import cache

import pytest

import kibitz
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.games.battleline.rules.moves import USE_DESERTER

TWINS = ("deep-barca", "plain-deep-barca")
GAMES = [BattleLine(), BattleLine(tactics=False), BattleLine(edition="schotten-totten"), BattleLine(claim_timing="end")]
OPTIONS = {"": 0.04, "(reading=literal)": 0.05, "(formations=4,tactics=worth,combine=true)": 0.02}
"""Keys of the spec, and the part of the positions to compare."""
MOVERS = ("random", "heuristic")


@cache
def positions(game: BattleLine, mover: str, seed: int) -> list[BattleLineState]:
    """Return the positions of a game that an agent plays against itself, the last one left out."""
    agent, state, found = kibitz.agent(game, mover, seed), game.start(seed), list[BattleLineState]()
    while state.result == stages.IN_PROGRESS:
        found.append(state)
        state = state.play(agent.choose(state.view(state.to_move)).move)
    return found


@pytest.mark.parametrize("options", OPTIONS)
def test_compiled_and_plain_choose_alike(options: str) -> None:
    plays = wilds = fogs = muds = guile = 0
    for number, game in enumerate(GAMES):
        fast, slow = (kibitz.agent(game, name + options) for name in ("deep-barca", "plain-deep-barca"))
        rng = random.Random(11 * len(options) + number)
        for state in positions(game, MOVERS[number % 2], number):
            if rng.random() >= OPTIONS[options]:
                continue
            view = state.view(state.to_move)
            a, b = fast.choose(view), slow.choose(view)
            assert a.move == b.move
            assert a.note == b.note
            assert [m.value for m in a.moves] == pytest.approx([m.value for m in b.moves], abs=1e-9)
            plays += state.stage == stages.PLAY
            wilds += any(card >= 60 for flag in state.flags for side in flag.sides for card in side)
            fogs, muds = fogs + any(flag.fog for flag in state.flags), muds + any(flag.mud for flag in state.flags)
            guile += state.legal_moves()[-1] >= USE_DESERTER
    assert plays >= 3
    if not options:
        assert min(wilds, fogs, muds, guile) >= 1


def test_replies_and_draws_by_worth_are_the_same() -> None:
    game = BattleLine(tactics=False)
    state = next(state for state in positions(game, "heuristic", 1) if sum(state.sizes) <= 14)
    a, b = (kibitz.agent(game, f"{name}(ahead=true)").choose(state.view(state.to_move)) for name in TWINS)
    assert (a.move, a.note) == (b.move, b.note)
    game = BattleLine()
    late = (state for state in positions(game, "heuristic", 2) if state.sizes[0] <= 10)
    state = next(state for state in late if state.stage == stages.DRAW)
    a, b = (kibitz.agent(game, f"{name}(draws=worth)").choose(state.view(state.to_move)) for name in TWINS)
    assert (a.move, a.note) == (b.move, b.note)
    assert a.note.startswith("A Tactics card is worth ")
