"""Deep Barca compiled and plain: the same values, choices and words."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import kibitz
from kibitz.games.battleline.moves import USE_DESERTER
from kibitz.games.battleline.rules import BattleLine, State
from kibitz.games.battleline.table import DRAW_STAGE, GOING_ON, PLAY

TWINS = ("deep-barca", "plain-deep-barca")
GAMES = [BattleLine(), BattleLine(tactics=False), BattleLine(edition="schotten-totten"), BattleLine(claim_timing="end")]
OPTIONS = {"": 0.04, "(reading=literal)": 0.05, "(formations=4,tactics=worth,combine=true)": 0.02}
"""Keys of the spec, and the part of the positions to compare."""


def positions(game: BattleLine, seed: int, part: float) -> Iterator[State]:
    """Yield a part of the positions of a random game or of one by the heuristic."""
    rng = random.Random(seed)
    agent, state = kibitz.agent(game, "heuristic" if seed % 2 else "random", seed), game.start(seed)
    while state.result == GOING_ON:
        if rng.random() < part:
            yield state
        state = state.play(agent.choose(state.view(state.to_move)).move)


@pytest.mark.parametrize("options", OPTIONS)
def test_compiled_and_plain_choose_alike(options: str) -> None:
    plays = wilds = fogs = muds = guile = 0
    for number, game in enumerate(GAMES):
        fast, slow = (kibitz.agent(game, name + options) for name in ("deep-barca", "plain-deep-barca"))
        for state in positions(game, 11 * len(options) + number, OPTIONS[options]):
            view = state.view(state.to_move)
            a, b = fast.choose(view), slow.choose(view)
            assert a.move == b.move
            assert a.note == b.note
            assert [m.value for m in a.moves] == pytest.approx([m.value for m in b.moves], abs=1e-9)
            plays += state.stage == PLAY
            wilds += any(card >= 60 for flag in state.flags for side in flag.sides for card in side)
            fogs, muds = fogs + any(flag.fog for flag in state.flags), muds + any(flag.mud for flag in state.flags)
            guile += state.legal_moves()[-1] >= USE_DESERTER
    assert plays >= 3
    if not options:
        assert min(wilds, fogs, muds, guile) >= 1


def test_replies_and_draws_by_worth_are_the_same() -> None:
    game = BattleLine(tactics=False)
    state = game.start(2)
    mover = kibitz.agent(game, "heuristic")
    while sum(state.sizes) > 14:
        state = state.play(mover.choose(state.view(state.to_move)).move)
    a, b = (kibitz.agent(game, f"{name}(ahead=true)").choose(state.view(state.to_move)) for name in TWINS)
    assert (a.move, a.note) == (b.move, b.note)
    game = BattleLine()
    state = game.start(2)
    mover = kibitz.agent(game, "heuristic")
    while state.sizes[0] > 10 or state.stage != DRAW_STAGE:
        state = state.play(mover.choose(state.view(state.to_move)).move)
    a, b = (kibitz.agent(game, f"{name}(draws=worth)").choose(state.view(state.to_move)) for name in TWINS)
    assert (a.move, a.note) == (b.move, b.note)
