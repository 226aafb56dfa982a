"""Training games of the champion with its search: slower than games without, but better to learn from."""

from __future__ import annotations

from typing import cast

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry
from kibitz.compiled.rng import RandomState, stream
from kibitz.core.agent import Agent
from kibitz.core.seeds import derive
from kibitz.games.battleline.kernel import position as kernel
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.players.champion.agent import Champion
from kibitz.games.battleline.players.champion.net import Net
from kibitz.games.battleline.players.champion.net_kernel import TO_DRAW, TO_PLAY, WAITS, Evaluator, new_evaluator
from kibitz.games.battleline.players.train.games_kernel import Samples, record_result, take_sample
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.games.battleline.rules.moves import PLACE, USE_SCOUT
from kibitz.search.agents import make_agent


@entry
def _record(
    pos: BattleLinePosition, e: Evaluator, samples: Samples, viewers: Ints, i: int, me: int, stage: int,
    sample_every: int, rng: RandomState,
) -> int:  # fmt: skip
    """Take a sample of a position, see take_sample; or, if stage is -1, record the result in samples i to me - 1."""
    if stage >= 0:
        return take_sample(pos.words, e, samples, viewers, i, len(viewers), me, stage, sample_every, rng)
    for k in range(i, me):
        record_result(pos.words, samples, k, viewers[k])
    return me


def searched_games(
    net: Net, playouts: int, against: str, tactics: bool, games: int, seed: int, samples: Samples, sample_every: int
) -> int:
    """Play games with this many playouts a turn; make one in `sample_every` views a sample, and return their number.

    Every other game is against the agent `against`, unless it is empty; only the champion's views become samples.
    """
    game = BattleLine(tactics=tactics)
    evaluator = new_evaluator(net)
    agent = Champion(game, playouts=playouts, beliefs=0)
    agent.use_net(net)
    other = make_agent(game, against) if against else agent
    viewers, rng, taken = cast(Ints, np.zeros(len(samples.results), np.int64)), stream(seed), 0
    for number in range(games):
        agent.reset(derive(seed, "search", number))
        agents: list[Agent] = [agent, agent]
        if number % 2 and other is not agent:
            other.reset(derive(seed, "other", number))
            agents[number // 2 % 2] = other
        state, first, seen_turn = game.start(derive(seed, "deal", number)), taken, -1
        while state.outcome() is None:
            me = state.to_move
            if state.stage == stages.PLAY and state.turn != seen_turn and state.legal_moves()[0] >= PLACE:
                seen_turn = state.turn
                pos = kernel.pack(state)
                for player, stage in ((me, TO_PLAY), (1 - me, WAITS)):
                    if agents[player] is agent:
                        taken = _record(pos, evaluator, samples, viewers, taken, player, stage, sample_every, rng)
            after = state.play(_move(agents[me], state))
            played = state.stage == stages.PLAY and after.stage != stages.PLAY and after.turn == state.turn
            if played and agents[me] is agent and after.log[-1] != USE_SCOUT:
                taken = _record(kernel.pack(after), evaluator, samples, viewers, taken, me, TO_DRAW, sample_every, rng)
            state = after
        _record(kernel.pack(state), evaluator, samples, viewers, first, taken, -1, sample_every, rng)
    return taken


def _move(agent: Agent, state: BattleLineState) -> int:
    """Return the agent's move, without a search if it is the only one or a claim."""
    moves = state.legal_moves()
    return moves[0] if len(moves) == 1 or moves[0] < PLACE else agent.choose(state.view(state.to_move)).move
