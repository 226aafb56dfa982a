"""The Monte Carlo player of Go: limits, what is kept from move to move, when to pass and when to resign.

tree_kernel.py grows the tree and playout_kernel.py plays games to their end.
docs/games/go/players.md tells how it was made and what it was measured to do.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption, IllegalMove, Resigned
from kibitz.core.game import Game, Move, View
from kibitz.games.go.players.mcts.trail import Trail, leads
from kibitz.games.go.rules import Go, GoState
from kibitz.games.go.rules.rules import NO_MOVE

IN_TIME = 0.96
"""The part of the time that is planned with, so as not to be late."""
HOPELESS_MOVES = 3
"""How many own moves in a row must be hopeless before it resigns."""
SURE_PLAYOUTS = 500
"""It never resigns on fewer playouts than these."""
WON_PASS = 20
"""The won games that a pass begins with, where the board as it stands is won: it should be looked into."""
ENOUGH_TRIES, ENOUGH, NO_WORSE = 30, 0.95, 0.01
"""It passes where so many playouts give a pass that chance, and no move a better one by more than this."""
LEAST_MERCY = 20
"""No playout ends by a smaller lead in stones; on large boards it is a third of the points."""
LONGEST_PATH = 256
EVEN = 10.0
"""The games that a move begins with where there is a judge."""
_UNLIMITED = 1 << 40


class Asked(NamedTuple):
    """A position of the tree, as a judge of moves is asked about it."""

    points: bytes
    """The colours of all points, row by row from the top left."""
    colour: int
    """Who is to move: BLACK (1) or WHITE (2)."""
    ko: int
    """The point that may not be retaken now, or -1."""
    last: tuple[int, ...]
    """The points of the moves before, the latest first; -1 for a pass or one that is not known."""
    turn: int
    """How many moves were made."""


class MonteCarlo(Agent):
    """Monte Carlo tree search with RAVE, priors and playouts that know atari and mined windows.

    playouts and seconds are its own limits for a turn. It resigns when it holds
    less than the chance `resign` to win for three moves; 0: never. tree is how
    many nodes the tree may have.
    """

    judge_after: int = 0
    """An agent with a judge of moves asks it about the root, and about a node after so many playouts; 0: no judge."""
    trust: float = 2.0
    """How much it prefers what the judge holds for likely."""

    def __init__(
        self,
        game: Game,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        resign: float = 0.05,
        tree: int = 1_000_000,
    ) -> None:
        own = Budget(seconds=seconds, playouts=playouts)
        if not 0 <= resign < 0.5:
            raise BadOption(f"mcts cannot resign at a chance of {resign:g}: it must be 0 or more and less than 0.5.")
        if not 1000 <= tree <= 20_000_000:
            raise BadOption(f"mcts cannot have a tree of {tree} nodes: it must be 1000 to 20000000.")
        self.playouts, self.seconds, self.resign, self.tree_size = own.playouts, own.seconds, resign, tree
        assert isinstance(game, Go)
        self._size = game.size
        self._trees: list[Any] = []
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget everything about earlier games; play the next one from this seed."""
        super().reset(seed)
        self._hopeless, self._turn = 0, NO_MOVE
        self._trail, self._before = Trail(), tuple[int, ...]()
        self._after: tuple[GoState, int] | None = None
        """The position that the last search moved to, and its node."""

    def prepare(self) -> None:
        """Make the tree, and have the search compiled or loaded."""
        if self._trees:
            return
        import numpy as np

        from kibitz.games.go.players.mcts.tree_kernel import new_tree, transplant

        self._trees = [new_tree(self.tree_size), new_tree(self.tree_size)]
        self._source = np.zeros(self.tree_size, np.int32)
        start = self.game.start()
        assert isinstance(start, GoState)
        self._search(start, Budget(playouts=1), None, 0)
        transplant(self._trees[0], 0, self._trees[1], self._source)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move with most playouts, a pass if that wins. Raises Resigned once it is hopeless for long."""
        self.check(view)
        self.prepare()
        began = time.perf_counter()
        state, seed = view.sample(self.rng), self.rng.getrandbits(64)
        assert isinstance(state, GoState)
        self._before = self._trail.before(state)
        if state.passes == 1 and is_won(state):
            self._after = None
            return Choice(state.game.pass_move, note="The game ends, and the board as it stands is won.")
        budget = budget.within(self.seconds)
        limits = [n for n in (self.playouts, budget.playouts, budget.nodes) if n]
        if not limits and budget.seconds is None:
            budget = DEFAULT_BUDGET
        seconds = None if budget.seconds is None else IN_TIME * budget.seconds
        limit = Budget(seconds=seconds, playouts=min(limits) if limits else None)
        tools, best = self._search(state, limit.after(time.perf_counter() - began, 0, 0), watch, seed)
        choice = self._answer(state, tools, best)
        self._trail.add(choice.move)
        self._after = (state.play(choice.move), self._children(0)[choice.move])
        self._give_up(state, tools)
        return replace(choice, seconds=time.perf_counter() - began)

    def priors(self, asked: Asked) -> Any:
        """Return the chance of each point to be played next. Only called of agents that have a judge of moves."""
        raise NotImplementedError

    def _search(self, state: GoState, limits: Budget, watch: Watch | None, seed: int) -> tuple[Any, int]:
        """Grow the tree from a position; return what it was grown with, and the root's best child."""
        from kibitz.games.go.players.mcts.tree_kernel import NOBODY, WANTED, grow
        from kibitz.search import control

        began = time.perf_counter()
        start, tools = self._tools(state, limits.playouts or _UNLIMITED, seed)
        tree, scratch = self._kept(state, tools.allowed), start.copy()
        while True:
            best = control.supervise(
                lambda: grow(tree, start, scratch, tools),
                tools.signal,
                limits.after(time.perf_counter() - began, 0, 0).seconds,
                watch,
                lambda value: value / 1e6,
            )
            if tree.facts[WANTED] == NOBODY:
                return tools, best
            self._judge(state.turn, tree, scratch, tools)

    def _judge(self, turn: int, tree: Any, g: Any, tools: Any) -> None:
        """Tell the node that waits for it what the judge says."""
        import numpy as np

        from kibitz.games.go.kernel.board import cells_of
        from kibitz.games.go.players.mcts.playout_board_kernel import KO, MADE, STONES, TO_PLAY
        from kibitz.games.go.players.mcts.tree_kernel import WANTED, heed

        cells = cells_of(self._size).astype(int)
        points = {cell: point for point, cell in enumerate(cells.tolist())}
        line = [points.get(cell, NO_MOVE) for cell in tools.moves[: int(g[MADE])].tolist()]
        board = g[STONES + cells].astype(np.uint8).tobytes()
        last, ko = (*line[::-1], *self._before), points.get(int(g[KO]), NO_MOVE)
        asked = Asked(board, int(g[TO_PLAY]), ko, last, turn + len(line))
        by_cell = np.zeros(len(tools.allowed))
        by_cell[cells] = self.priors(asked)
        heed(tree, int(tree.facts[WANTED]), by_cell, EVEN)

    def _tools(self, state: GoState, playouts: int, seed: int) -> tuple[Any, Any]:
        """Return a position as playouts start from it, and the working arrays of one search."""
        import numpy as np

        from kibitz.compiled import rng
        from kibitz.games.go.kernel.position import pack
        from kibitz.games.go.players.mcts import playout_kernel, tree_kernel
        from kibitz.games.go.players.mcts.playout_board_kernel import SETTINGS, new_game
        from kibitz.games.go.players.mcts.windows import window_weights
        from kibitz.search import control

        game, board = state.game, pack(state).board
        cells = [*board.cells.tolist(), 0]
        ko, last = (cells[point] if point >= 0 else 0 for point in (state.ko, state.last))
        start = new_game(board, 1 + state.to_move, ko, last, state.passes, round(4 * game.komi))
        settings = (*playout_kernel.DEFAULTS, max(game.size**2 // 3, LEAST_MERCY))
        start[SETTINGS : SETTINGS + len(settings)] = settings
        judge = WON_PASS * is_won(state), self.judge_after, self.trust
        weights = np.array([playouts, *tree_kernel.DEFAULTS, *judge], np.float64)
        allowed = np.zeros(len(board.stones), np.int64)
        allowed[[cells[move] for move in state.legal_moves()]] = 1
        longest = LONGEST_PATH + 3 * game.size**2 + 100
        path, moves, player = (np.zeros(n, np.int64) for n in (LONGEST_PATH, longest, len(board.stones)))
        return start, tree_kernel.Tools(
            weights, control.new_signal(), rng.stream(seed), path, moves, player, allowed, window_weights()
        )

    def _kept(self, state: GoState, allowed: Any) -> Any:
        """Return the tree with what is known of a position from the last search, or without any nodes."""
        from kibitz.games.go.players.mcts.tree_kernel import CELL, CHILDREN, GAMES, USED, WINS, transplant

        old, new = self._trees
        node = self._node_of(state)
        if node:
            transplant(old, node, new, self._source)
            first, end = 1, 1 + int(new.links[0, CHILDREN])
            if not all(allowed[cell] for cell in new.links[first:end, CELL]):
                node = 0
            new.sums[end - 1, [GAMES, WINS]] += WON_PASS * is_won(state)  # the pass is the last child
        if not node:
            new.facts[USED] = 0
        self._trees = [new, old]
        return new

    def _node_of(self, state: GoState) -> int:
        """Return the node of a position that one move leads to from where the last search left the game, or 0."""
        from kibitz.games.go.players.mcts.tree_kernel import CHILDREN

        if self._after is None or state.last == NO_MOVE:
            return 0
        after, node = self._after
        node = self._children(node).get(state.last, 0)
        return node if self._trees[0].links[node, CHILDREN] and leads(after, state) else 0

    def _children(self, node: int) -> dict[Move, int]:
        """Return the children of a node by their moves."""
        from kibitz.games.go.players.mcts.tree_kernel import CELL, CHILD, CHILDREN

        links, size = self._trees[0].links, self._size
        first, found = int(links[node, CHILD]), dict[Move, int]()
        for child in range(first, first + int(links[node, CHILDREN])):
            cell = int(links[child, CELL])
            row, column = divmod(cell, size + 1)
            found[(row - 1) * size + column - 1 if cell else size**2] = child
        return found

    def _answer(self, state: GoState, tools: Any, best: int) -> Choice:
        """Return what the tree says as a choice."""
        from kibitz.games.go.players.mcts.tree_kernel import GAMES, TRIES, WINS
        from kibitz.search.control import DEPTH, NODES

        links, sums, children = self._trees[0].links, self._trees[0].sums, self._children(0)
        best = self._passes(state, best, children[state.game.pass_move])
        playouts = int(tools.signal[NODES])
        chosen = next(move for move, child in children.items() if child == best)
        worth = float(sums[best, WINS] / sums[best, GAMES])
        values = []
        for move in state.legal_moves():
            child = children.get(move)
            value = 0.0 if child is None else float(sums[child, WINS] / sums[child, GAMES])
            # what was tried too little to be preferred is not said to be better
            values.append(MoveValue(move, min(value, worth), exact=False))
        tries = int(links[best, TRIES])
        return Choice(
            chosen, worth, "probability", moves=tuple(values), line=self._line(state, best, chosen),
            depth=int(tools.signal[DEPTH]), nodes=playouts, playouts=playouts,
            note=f"Wins {worth:.0%} of {tries:,} playouts, out of {int(links[0, TRIES]):,} for all moves.",
        )  # fmt: skip

    def _passes(self, state: GoState, best: int, passed: int) -> int:
        """Return the pass instead of the best child where the game is won as it stands and nothing is gained."""
        from kibitz.games.go.players.mcts.tree_kernel import GAMES, TRIES, WINS

        if not is_won(state) or int(self._trees[0].links[passed, TRIES]) < ENOUGH_TRIES:
            return best
        worth, worth_passed = (float(row[WINS] / row[GAMES]) for row in self._trees[0].sums[[best, passed]])
        return passed if worth_passed >= max(ENOUGH, worth - NO_WORSE) else best

    def _line(self, state: GoState, node: int, move: Move) -> tuple[Move, ...]:
        """Return a move that leads to a node and the most tried ones after it, as far as the rules allow them."""
        from kibitz.games.go.players.mcts.tree_kernel import TRIES

        links, line = self._trees[0].links, [move]
        state = state.play(move)
        while not state.is_over() and (children := self._children(node)):
            move, node = max(children.items(), key=lambda item: int(links[item[1], TRIES]))
            if not links[node, TRIES]:
                break
            try:
                state = state.play(move)
            except IllegalMove:  # past boards are looked at for the root only
                break
            line.append(move)
        return tuple(line)

    def _give_up(self, state: GoState, tools: Any) -> None:
        """Raise Resigned if the game has been hopeless for some own moves, one after the other."""
        from kibitz.games.go.players.mcts.tree_kernel import GAMES, WINS
        from kibitz.search.control import NODES

        lost = float(self._trees[0].sums[0, WINS] / self._trees[0].sums[0, GAMES])  # by the player to move
        hopeless = 1 - lost < self.resign and int(tools.signal[NODES]) >= SURE_PLAYOUTS
        if not hopeless:
            self._hopeless = 0
        elif state.turn != self._turn:  # who asks about one position again, or about all of a game, is analysing
            self._hopeless = self._hopeless + 1 if state.turn == self._turn + 2 else 1
        self._turn = state.turn
        if self._hopeless >= HOPELESS_MOVES:
            self._hopeless = 0  # who asks once more wants a move
            raise Resigned(f"{self.spec or 'mcts'} resigns.")


def is_won(state: GoState) -> bool:
    """Return whether the player to move has won if the game ends as the board stands."""
    return state.score().winner == state.to_move
