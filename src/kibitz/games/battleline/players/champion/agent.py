"""The strongest player of Battle Line: a tree search over what it knows, judged by a net that learned by self-play.

search_kernel.py grows the tree, net_kernel.py judges, policy_kernel.py has the first opinion of moves and
belief_kernel.py one of the other hand. Here are the limits of a turn, and what the tree says as a choice.
docs/games/battleline/champion.md tells how it came about.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Move
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.games.battleline.rules.moves import DRAW, PLACE, RETURN
from kibitz.games.battleline.rules.view import BattleLineView

IN_TIME = 0.7
"""The part of the time that is planned with: the rest is for a machine with other work, and wins no games."""
FIRST_PART = 0.85
"""The part of a turn's budget for the play, where a draw is to be chosen after it."""
NODES = 200_000
_UNLIMITED = 1 << 40
_GLANCE = 32
"""Playouts for the value of a position in which the move is clear: a claim, or the only one."""


class Champion(Agent[BattleLine, BattleLineView]):
    """The strongest: a search over hidden cards dealt anew, with a learned judgement.

    playouts and seconds are its own limits for a turn. turns is how far a leaf of
    the tree is played on before it is judged; beliefs how much of what the other's
    plays tell of his hand is believed, from 0 to 1. explore, sharpness, trust and noise are constants
    of the search.
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
            raise BadOption(f"champion cannot play {turns} turns on before it judges: it must be 0 to 100.")
        if trust <= 0:
            raise BadOption(f"champion cannot trust its first opinion like {trust:g} playouts: it must be more than 0.")
        if not 0 <= beliefs <= 1:
            raise BadOption(f"champion cannot believe {beliefs:g} of what plays tell: it must be 0 to 1.")
        self.playouts, self.seconds = own.playouts, own.seconds
        self.turns, self.weights = turns, (explore, sharpness, trust, noise)
        self.beliefs = beliefs
        self._tree: Any = None
        super().__init__(game)

    def prepare(self) -> None:
        """Make the tree, and have the search compiled or loaded."""
        if self._tree is not None:
            return
        from kibitz.games.battleline.players.champion.net import learned
        from kibitz.games.battleline.players.champion.rows_kernel import new_mind
        from kibitz.games.battleline.players.champion.search_kernel import new_tree

        self._tree, self._mind = new_tree(NODES), new_mind(learned())
        self._search(self.game.start(), Budget(playouts=1), None, 0, self.beliefs)

    def judge_by(self, net: Any) -> None:
        """Judge by another net than that of the package."""
        from kibitz.games.battleline.players.champion.rows_kernel import new_mind

        self.prepare()
        self._mind = new_mind(net)

    def choose(self, view: BattleLineView, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move with most playouts; a claim whenever there is one."""
        self.check(view)
        self.prepare()
        began = time.perf_counter()
        state, seed = view.sample(self.rng), self.rng.getrandbits(64)
        moves = state.legal_moves()
        clear = len(moves) == 1 or moves[0] < PLACE
        limits = self._limits(view, budget)
        if clear:
            limits = replace(limits, playouts=min(_GLANCE, limits.playouts or _GLANCE))
        credit = 0.0 if clear else self.beliefs
        tools, best = self._search(state, limits.after(time.perf_counter() - began, 0, 0), watch, seed, credit)
        choice = self._clear(moves) if clear else self._answer(state, tools, best)
        return replace(choice, seconds=time.perf_counter() - began)

    def _limits(self, view: BattleLineView, budget: Budget) -> Budget:
        """Return what this move may take of the turn's budget."""
        budget = budget.within(self.seconds)
        limits = [n for n in (self.playouts, budget.playouts, budget.nodes) if n]
        if not limits and budget.seconds is None:
            budget = DEFAULT_BUDGET
        part = 1.0
        if view.stage == stages.PLAY and all(view.sizes):
            part = FIRST_PART
        elif view.stage in (stages.SCOUT, stages.RETURN):
            part = 1 / (view.left + 2 * (view.stage == stages.SCOUT))
        return Budget(
            seconds=None if budget.seconds is None else part * IN_TIME * budget.seconds,
            playouts=max(int(part * min(limits)), 1) if limits else None,
        )

    def _search(
        self, state: BattleLineState, limits: Budget, watch: Watch | None, seed: int, credit: float
    ) -> tuple[Any, int]:
        """Grow the tree from a position; return what it was grown with, and the root's best child."""
        import numpy as np

        from kibitz.compiled import rng
        from kibitz.games.battleline.kernel import position as kernel
        from kibitz.games.battleline.players.champion.belief_kernel import new_belief
        from kibitz.games.battleline.players.champion.search_kernel import grow, new_tools
        from kibitz.search import control

        weights = np.array([*self.weights, self.turns, limits.playouts or _UNLIMITED], np.float64)
        belief = new_belief(kernel.pack(self.game.start(0)), state.log, credit)
        tools = new_tools(
            weights, control.new_signal(), rng.stream(seed), belief, kernel.MAX_LEGAL_MOVES, kernel.MAX_GAME_LENGTH
        )
        position, scratch = kernel.pack(state), kernel.pack(state)
        best = control.supervise(
            lambda: grow(position, scratch, self._tree, tools, self._mind),
            tools.signal,
            limits.seconds,
            watch,
            lambda value: value / 1e6,
        )
        return tools, best

    def _clear(self, moves: tuple[Move, ...]) -> Choice:
        """Return the first claim or the only move, with what a few playouts say of the position."""
        from kibitz.games.battleline.players.champion.search_kernel import VISITS

        tree = self._tree
        playouts = int(tree.node[0, VISITS])
        value = float(tree.points[0]) / playouts
        note = "A claim is made as soon as it can be proved." if moves[0] < PLACE else "The only move."
        values = tuple(MoveValue(move, value, exact=False) for move in moves)
        return Choice(moves[0], value, "probability", moves=values, nodes=playouts, playouts=playouts, note=note)

    def _answer(self, state: BattleLineState, tools: Any, best: int) -> Choice:
        """Return what the tree says as a choice."""
        from kibitz.games.battleline.players.champion.search_kernel import PROVED, THE_MOVE, UNKNOWN, VISITS

        tree, moves, children = self._tree, state.legal_moves(), self._children(0)
        playouts, solved = int(tree.node[0, VISITS]), int(tree.node[0, PROVED]) != UNKNOWN
        move, visits = int(tree.node[best, THE_MOVE]), int(tree.node[best, VISITS])
        values = self._values(moves, tools, children)
        worth = values[moves.index(move)].value
        # what was tried too little to be preferred is not said to be better
        values = [each if each.value <= worth else replace(each, value=worth) for each in values]
        note = (
            "Proved: both decks are empty, so that nothing is hidden any more."
            if solved
            else f"Wins {worth:.0%} of {visits:,} playouts, the hidden cards dealt anew before each; "
            f"{playouts:,} playouts over {len(children)} of {len(moves)} moves."
        )
        if solved:
            values = [replace(each, value=2 * each.value - 1) for each in values]
            worth = 2 * worth - 1
        return Choice(
            move, worth, "result" if solved else "probability", solved,
            best=tuple(m.move for m in values if solved and m.exact and m.value == worth) or (move,),
            moves=tuple(values), line=self._line(state, move, best),
            nodes=playouts, playouts=playouts, note=note,
        )  # fmt: skip

    def _values(self, moves: tuple[Move, ...], tools: Any, children: dict[Move, int]) -> list[MoveValue]:
        """Return the points of each move: those proved, those of its playouts, its rating where there are few."""
        from kibitz.games.battleline.players.champion.search_kernel import PROVED, TRUST, UNKNOWN, VISITS

        tree, trust = self._tree, float(tools.weights[TRUST])
        mean = float(tree.points[0]) / int(tree.node[0, VISITS])
        highest, values = max(float(tools.root[i]) for i in range(len(moves))), []
        for i, move in enumerate(moves):
            value, proved = min(max(mean + float(tools.root[i]) - highest, 0.0), 1.0), UNKNOWN
            if move in children:
                child = children[move]
                proved, visits = int(tree.node[child, PROVED]), int(tree.node[child, VISITS])
                value = (float(tree.points[child]) + trust * value) / (visits + trust)
            exact = proved != UNKNOWN
            values.append(MoveValue(move, proved / 2 if exact else value, exact))
        return values

    def _children(self, node: int) -> dict[Move, int]:
        """Return the children of a node by their moves."""
        from kibitz.games.battleline.players.champion.search_kernel import CHILD, SIBLING, THE_MOVE

        tree, found = self._tree, dict[Move, int]()
        child = int(tree.node[node, CHILD])
        while child >= 0:
            found[int(tree.node[child, THE_MOVE])] = child
            child = int(tree.node[child, SIBLING])
        return found

    def _line(self, state: BattleLineState, move: Move, node: int) -> tuple[Move, ...]:
        """Return a move and those expected for the rest of the own turn, as far as no card unknown yet is put back."""
        from kibitz.games.battleline.players.champion.search_kernel import VISITS

        line, turn = [move], state.turn
        state = state.play(move)
        while state.outcome() is None and state.turn == turn:
            moves, children = state.legal_moves(), self._children(node)
            tried = [move for move in moves if move in children]
            drawn = any(DRAW <= move < RETURN for move in line)
            if (drawn and state.stage == stages.RETURN) or (len(moves) > 1 and not tried):
                break
            move = moves[0] if len(moves) == 1 else max(tried, key=lambda m: int(self._tree.node[children[m], VISITS]))
            node = node if len(moves) == 1 else children[move]
            line.append(move)
            state = state.play(move)
        return tuple(line)
