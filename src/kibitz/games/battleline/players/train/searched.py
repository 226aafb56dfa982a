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
from kibitz.games.battleline.players.champion.net_kernel import TO_DRAW, TO_PLAY, WAITS, Mind, new_mind
from kibitz.games.battleline.players.train.games_kernel import Samples, sample, settle
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.games.battleline.rules.moves import PLACE, USE_SCOUT
from kibitz.search.agents import make_agent


@entry
def _take(
    pos: BattleLinePosition, m: Mind, samples: Samples, who: Ints, i: int, me: int, stage: int, every: int,
    rng: RandomState,
) -> int:  # fmt: skip
    """Take a sample of a position; or, if stage is below 0, record the result in samples i to me - 1."""
    if stage >= 0:
        return sample(pos.words, m, samples, who, i, len(who), me, stage, every, rng)
    for k in range(i, me):
        settle(pos.words, samples, k, who[k])
    return me


def searched_games(
    net: Net, playouts: int, against: str, tactics: bool, games: int, seed: int, room: Samples, every: int
) -> int:
    """Play games with this many playouts a turn; return the number of samples taken, one in `every` views.

    Every other game is against the agent `against`, if it is not empty; only the champion's views become samples there.
    """
    game = BattleLine(tactics=tactics)
    mind = new_mind(net)
    agent = Champion(game, playouts=playouts, beliefs=0)
    agent.judge_by(net)
    other = make_agent(game, against) if against else agent
    who, rng, taken = cast(Ints, np.zeros(len(room.results), np.int64)), stream(seed), 0
    for number in range(games):
        agent.reset(derive(seed, "search", number))
        agents: list[Agent] = [agent, agent]
        if number % 2 and other is not agent:
            other.reset(derive(seed, "other", number))
            agents[number // 2 % 2] = other
        state, first, seen = game.start(derive(seed, "deal", number)), taken, -1
        while state.outcome() is None:
            me = state.to_move
            if state.stage == stages.PLAY and state.turn != seen and state.legal_moves()[0] >= PLACE:
                seen = state.turn
                pos = kernel.pack(state)
                for player, stage in ((me, TO_PLAY), (1 - me, WAITS)):
                    if agents[player] is agent:
                        taken = _take(pos, mind, room, who, taken, player, stage, every, rng)
            after = state.play(_move(agents[me], state))
            played = state.stage == stages.PLAY and after.stage != stages.PLAY and after.turn == state.turn
            if played and agents[me] is agent and after.log[-1] != USE_SCOUT:
                taken = _take(kernel.pack(after), mind, room, who, taken, me, TO_DRAW, every, rng)
            state = after
        _take(kernel.pack(state), mind, room, who, first, taken, -1, every, rng)
    return taken


def _move(agent: Agent, state: BattleLineState) -> int:
    """Return the agent's move, without a search if it is the only one or a claim."""
    moves = state.legal_moves()
    return moves[0] if len(moves) == 1 or moves[0] < PLACE else agent.choose(state.view(state.to_move)).move
