"""The strongest player of Battle Line: a tree search over what it knows, with a net trained by self-play.

search.py reads the tree that search_kernel.py grows; net_kernel.py evaluates leaves, policy_kernel.py rates moves and
belief_kernel.py estimates the opponent's hand. This module sets the limits of a turn. See
docs/games/battleline/champion.md.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.games.battleline.rules import BattleLine, stages
from kibitz.games.battleline.rules.moves import PLACE
from kibitz.games.battleline.rules.view import BattleLineView

if TYPE_CHECKING:
    from kibitz.games.battleline.players.champion.net import Net
    from kibitz.games.battleline.players.champion.search import ChampionSearch

PLANNED_TIME = 0.7
"""The fraction of the time limit to use. The rest is a reserve for busy machines; using it wins no more games."""
PLAY_SHARE = 0.85
"""The fraction of a turn's budget to spend on the play, if a draw must be chosen after it."""
OBVIOUS_PLAYOUTS = 32
"""Playouts to evaluate a position in which the move is obvious: a claim, or the only move."""


class Champion(Agent[BattleLine, BattleLineView]):
    """The strongest: a search over random deals of the hidden cards, evaluated by a net trained by self-play.

    playouts and seconds limit a turn. turns is how many turns to play on from a leaf before evaluating it; beliefs is
    how much to infer about the opponent's hand from past plays, 0 to 1. explore, sharpness, trust and noise are
    constants of the search, see search_kernel.py.
    """

    def __init__(
        self,
        game: BattleLine,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        turns: int = 3,
        explore: float = 0.3,
        sharpness: float = 20.0,
        trust: float = 3.0,
        noise: float = 0.02,
        beliefs: float = 0.25,
    ) -> None:
        own = Budget(seconds=seconds, playouts=playouts)
        if not 0 <= turns <= 100:
            raise BadOption(f"champion: turns must be 0 to 100, got {turns}.")
        if trust <= 0:
            raise BadOption(f"champion: trust must be more than 0, got {trust:g}.")
        if not 0 <= beliefs <= 1:
            raise BadOption(f"champion: beliefs must be 0 to 1, got {beliefs:g}.")
        self.playouts, self.seconds = own.playouts, own.seconds
        self.turns, self.weights, self.beliefs = turns, (explore, sharpness, trust, noise), beliefs
        super().__init__(game)

    @cached_property
    def search(self) -> ChampionSearch:
        """The search with the shipped net, compiled or loaded on first use."""
        from kibitz.games.battleline.players.champion.net import shipped_net

        return self._search_with(shipped_net())

    def use_net(self, net: Net) -> None:
        """Use another net instead of the shipped one."""
        self.search = self._search_with(net)

    def _search_with(self, net: Net) -> ChampionSearch:
        from kibitz.games.battleline.players.champion.search import ChampionSearch

        search = ChampionSearch(self.game, net, self.weights, self.turns)
        search.grow(self.game.start(), Budget(playouts=1), None, 0, self.beliefs)
        return search

    def prepare(self) -> None:
        """Compile or load the search."""
        _ = self.search

    def choose(self, view: BattleLineView, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move with the most playouts, or a claim whenever there is one."""
        self.check(view)
        self.prepare()
        began = time.perf_counter()
        state, seed = view.sample(self.rng), self.rng.getrandbits(64)
        moves, limits = state.legal_moves(), self._limits(view, budget)
        is_obvious = len(moves) == 1 or moves[0] < PLACE
        if is_obvious:
            limits = replace(limits, playouts=min(OBVIOUS_PLAYOUTS, limits.playouts or OBVIOUS_PLAYOUTS))
        limits = limits.after(time.perf_counter() - began, 0, 0)
        self.search.grow(state, limits, watch, seed, 0.0 if is_obvious else self.beliefs)
        choice = self.search.obvious_choice(moves) if is_obvious else self.search.choice(state)
        return replace(choice, seconds=time.perf_counter() - began)

    def _limits(self, view: BattleLineView, budget: Budget) -> Budget:
        """Return the share of the turn's budget that the next move may use."""
        budget = budget.within(self.seconds)
        limits = [n for n in (self.playouts, budget.playouts, budget.nodes) if n]
        if not limits and budget.seconds is None:
            budget = DEFAULT_BUDGET
        share = 1.0
        if view.stage == stages.PLAY and all(view.sizes):
            share = PLAY_SHARE
        elif view.stage in (stages.SCOUT, stages.RETURN):  # one share for each card to take, and two to put back
            share = 1 / (view.left + 2 * (view.stage == stages.SCOUT))
        return Budget(
            seconds=None if budget.seconds is None else share * PLANNED_TIME * budget.seconds,
            playouts=max(int(share * min(limits)), 1) if limits else None,
        )
