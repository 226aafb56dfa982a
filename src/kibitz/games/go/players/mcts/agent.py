"""The Monte Carlo agent of Go: its limits, and when it passes or resigns.

search.py keeps the tree from move to move. docs/games/go/players.md describes how the agent was built and measured.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kibitz.compiled.gear import MAX_LIGHT_PLAYOUTS, first_gear
from kibitz.core.agent import DEFAULT_BUDGET, Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption, Resigned
from kibitz.core.spec import PathText
from kibitz.games.go.players.mcts.trail import Trail
from kibitz.games.go.predict.shipped import MAX_SIZE, MIN_SIZE, NO_NET, has_net
from kibitz.games.go.rules import EMPTY, NO_MOVE, Go, GoState

if TYPE_CHECKING:
    from kibitz.games.go.players.mcts.guide import Guide
    from kibitz.games.go.players.mcts.search import GoSearch
    from kibitz.games.go.predict.models import MovePredictor

TIME_SHARE = 0.96  # use only this part of the time limit, so as not to exceed it
MAX_VALUE_GAMES = 10_000
HOPELESS_MOVES = 3  # resign after this many hopeless own moves in a row
MIN_RESIGN_PLAYOUTS = 500
WON_PASS_GAMES = 20  # virtual wins given to a pass that wins the board as it stands, so that passing is searched
MIN_PASS_TRIES, MIN_PASS_RATE, MAX_PASS_LOSS = 30, 0.95, 0.01
"""Pass if the pass has at least this many playouts and this win rate, and loses at most this much to the best move."""
NAMED_PRIORS = ("windows", "patterns", "net", "best")
MODEL_WORDS = {"net": "net", "patterns": "pattern model"}
_NOTES = {"windows": "", **{name: f" It follows the {words}." for name, words in MODEL_WORDS.items()}}


@dataclass(frozen=True)
class GuideSettings:
    """How the search uses its guide, a model that is asked about positions in the tree."""

    after: int = 0  # ask about the root, and about any other node after this many playouts
    weight: float = 2.0  # how strongly moves that the guide finds likely are preferred
    value_games: float = 0.0  # the playouts that its estimate of a win rate counts for


GUIDE_SETTINGS = {"net": GuideSettings(40), "patterns": GuideSettings(10)}


class MonteCarlo(Agent[Go, GoState]):
    """Monte Carlo tree search with RAVE, playouts that know atari and mined windows, and optionally a model of moves.

    `playouts` and `seconds` are its own limits per move. It resigns when its win rate is below `resign` for three moves
    in a row; 0 means never. `tree` is the maximum number of nodes in the tree. `priors` is the source of move
    probabilities: windows, patterns, net, or best, the best one installed; or the file of a model of your own, made by
    kibitz go train. On board sizes that the models do not support it always uses windows. `value` is the number of
    playouts that the net's estimate of a position counts for.
    """

    def __init__(
        self,
        game: Go,
        *,
        priors: Literal["windows", "patterns", "net", "best"] | PathText = "windows",
        playouts: int | None = None,
        seconds: float | None = None,
        resign: float = 0.05,
        tree: int = 1_000_000,
        value: float = 0.0,
    ) -> None:
        own = Budget(seconds=seconds, playouts=playouts)
        if not 0 <= resign < 0.5:
            raise BadOption(f"resign must be 0 or more and less than 0.5, got {resign:g}.")
        if not 1000 <= tree <= 20_000_000:
            raise BadOption(f"tree must be 1000 to 20000000 nodes, got {tree}.")
        if not 0 <= value <= MAX_VALUE_GAMES:
            raise BadOption(f"value must be 0 to {MAX_VALUE_GAMES} playouts, got {value:g}.")
        self.playouts, self.seconds, self.resign, self.max_nodes = own.playouts, own.seconds, resign, tree
        self._model = None if priors in NAMED_PRIORS else open_file(priors)
        self.model_name = choose_model(self._model.name if self._model else priors, game.size)
        self.guide_settings = replace(GUIDE_SETTINGS.get(self.model_name, GuideSettings()), value_games=value)
        unknown_size = self.model_name == "windows" != priors
        self._note = " No model knows boards of this size." if unknown_size else _NOTES[self.model_name]
        if priors == "best" and self.model_name == "patterns":
            self._note = f" It follows the pattern model: {NO_NET}"
        if self._model and not unknown_size:
            self._note = f" It follows the {MODEL_WORDS[self.model_name]} of {Path(priors).name}."
        self._search: GoSearch | None = None
        super().__init__(game)

    def reset(self, seed: int) -> None:
        """Forget earlier games, and seed the next one."""
        super().reset(seed)
        self._hopeless, self._turn = 0, NO_MOVE
        self._trail = Trail()
        if self._search is not None:
            self._search.forget()

    @first_gear
    def prepare(self) -> None:
        """Create the tree, and compile or load the search."""
        self.search  # noqa: B018

    @property
    def search(self) -> GoSearch:
        """The search, created on first use."""
        if self._search is None:
            from kibitz.games.go.players.mcts.search import GoSearch

            self._search = GoSearch(self.game, self.max_nodes, self.guide(), self.guide_settings)
        return self._search

    @property
    def is_light(self) -> bool:
        """Whether a move takes less than about a second in plain Python."""
        return self.playouts is not None and self.playouts <= MAX_LIGHT_PLAYOUTS

    @first_gear
    def choose(self, view: GoState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move with the most playouts, or a winning pass. Raise Resigned after several hopeless moves."""
        self.check(view)
        search = self.search
        began = time.perf_counter()
        state, seed = view.sample(self.rng), self.rng.getrandbits(64)
        before = self._trail.before(state)
        if state.passes == 1 and is_won(state):
            search.forget()
            return Choice(state.game.pass_move, note="Passing ends the game, and the board as it stands is won.")
        limit = self.limits(budget).after(time.perf_counter() - began, 0, 0)
        best = search.run(state, before, limit, watch, seed, WON_PASS_GAMES * is_won(state))
        choice = self._answer(state, search, best)
        self._trail.add(choice.move)
        search.keep_for_next(state.play(choice.move), search.children()[choice.move])
        self._resign_if_hopeless(state, search)
        return replace(choice, seconds=time.perf_counter() - began)

    def limits(self, budget: Budget) -> Budget:
        """Return the limits of one search: the budget within the agent's own limits, in seconds and playouts."""
        budget = budget.within(self.seconds)
        limits = [n for n in (self.playouts, budget.playouts, budget.nodes) if n]
        if not limits and budget.seconds is None:
            budget = DEFAULT_BUDGET
        seconds = None if budget.seconds is None else TIME_SHARE * budget.seconds
        return Budget(seconds=seconds, playouts=min(limits) if limits else None)

    def guide(self) -> Guide | None:
        """Return a new guide for the search, or None to search without one."""
        if self.model_name == "windows":
            return None
        from kibitz.games.go.players.mcts.guide import NetGuide, PredictorGuide
        from kibitz.games.go.predict.models import open_model
        from kibitz.games.go.predict.net.net import PolicyNet

        model = self._model or open_model(self.model_name)
        size = self.game.size
        return NetGuide(model, size) if isinstance(model, PolicyNet) else PredictorGuide(model, size)

    def _answer(self, state: GoState, search: GoSearch, best: int) -> Choice:
        """Return the choice that the search suggests: its best child, or a pass that wins."""
        children = search.children()
        best = pass_or_best(state, search, best, children[state.game.pass_move])
        chosen = next(move for move, child in children.items() if child == best)
        rate = search.win_rate(best)
        rates = {move: search.win_rate(child) for move, child in children.items()}
        playouts = f"{search.tries(best):,} playouts, out of {search.tries():,} for all moves."
        # do not show a rarely tried move as better than the chosen one
        values = tuple(MoveValue(move, min(rates.get(move, 0.0), rate), exact=False) for move in state.legal_moves())
        return Choice(
            chosen, rate, "probability", moves=values, line=search.line(state, best, chosen), depth=search.depth,
            nodes=search.playouts, playouts=search.playouts,
            note=f"Wins {rate:.0%} of {playouts}{self._note}",
        )  # fmt: skip

    def _resign_if_hopeless(self, state: GoState, search: GoSearch) -> None:
        """Raise Resigned if the game has been hopeless for HOPELESS_MOVES own moves in a row."""
        hopeless = 1 - search.win_rate() < self.resign and search.playouts >= MIN_RESIGN_PLAYOUTS
        if not hopeless:
            self._hopeless = 0
        elif state.turn != self._turn:  # being asked about one position twice, or about every position, is an analysis
            self._hopeless = self._hopeless + 1 if state.turn == self._turn + 2 else 1
        self._turn = state.turn
        if self._hopeless >= HOPELESS_MOVES:
            self._hopeless = 0  # if asked again, make a move
            raise Resigned(f"{self.spec or 'mcts'} resigns.")


def pass_or_best(state: GoState, search: GoSearch, best: int, pass_node: int) -> int:
    """Return the node of the pass if the board as it stands is won and nothing is left to gain, else the best child."""
    if not is_won(state) or search.tries(pass_node) < MIN_PASS_TRIES:
        return best
    min_rate = max(MIN_PASS_RATE, search.win_rate(best) - MAX_PASS_LOSS)
    return pass_node if search.win_rate(pass_node) >= min_rate else best


def is_won(state: GoState) -> bool:
    """Return whether the player to move would win if the game ended now, with all stones alive."""
    return state.score().winner == state.to_move


def pass_games(state: GoState) -> int:
    """Return the virtual wins of a pass: WON_PASS_GAMES if the board as it stands is won without the open points."""
    counted = state.score()
    open_points = counted.owners.count(EMPTY)
    is_safe = counted.winner == state.to_move and abs(counted.black - counted.white) > open_points
    return WON_PASS_GAMES * is_safe


def open_file(path: str) -> MovePredictor:
    """Return the model in a file. Raise BadOption if there is no such file, BadText if it is not a model."""
    from kibitz.games.go.predict.models import open_model_file

    if not Path(path).is_file():
        raise BadOption(f"There is no file {path}. Name a model made by kibitz go train, or {', '.join(NAMED_PRIORS)}.")
    return open_model_file(Path(path))


def choose_model(priors: str, size: int) -> str:
    """Return the model to use for a value of `priors` on this board size: "net", "patterns" or "windows".

    Raise BadOption if the net is requested by name but not installed.
    """
    if priors == "net" and not has_net():
        raise BadOption("The net needs onnxruntime: pip install onnxruntime. priors=best works without it.")
    if not MIN_SIZE <= size <= MAX_SIZE:
        return "windows"
    return ("net" if has_net() else "patterns") if priors == "best" else priors
