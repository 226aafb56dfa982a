"""The Monte Carlo player of Go: playouts held to the rules, life and death it must see, when it passes and resigns."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kibitz.arena.match import play
from kibitz.compiled import rng
from kibitz.compiled.arrays import Int64Array
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption, BadText, Resigned
from kibitz.games.go.kernel import board as board_kernel
from kibitz.games.go.kernel.position import pack
from kibitz.games.go.players.mcts import playout_board_kernel as at
from kibitz.games.go.players.mcts import tree_kernel as tree_at
from kibitz.games.go.players.mcts import windows, windows_fit
from kibitz.games.go.players.mcts.agent import GuideSettings, MonteCarlo
from kibitz.games.go.players.mcts.guide import Guidance, Guide, PredictorGuide
from kibitz.games.go.players.mcts.playout_kernel import DEFAULTS
from kibitz.games.go.players.mcts.windows_fit import NO_POINT
from kibitz.games.go.players.pattern import is_eye
from kibitz.games.go.predict.fit.course import Moment
from kibitz.games.go.predict.fit.games_file import from_records
from kibitz.games.go.predict.models import Shares
from kibitz.games.go.rules import EMPTY, Go, GoState
from kibitz.search import control
from kibitz.search.agents import make_agent


def one_playout(state: GoState, seed: int, tree: tree_at.GoTree) -> tuple[NDArray[np.int64], list[int], float]:
    """Return the finished board of one playout, its moves as points, and Black's margin as the tree learned it."""
    board, size = pack(state).board, state.game.size
    cells = board.cells.tolist()
    ko, last = (cells[point] if 0 <= point < size**2 else 0 for point in (state.ko, state.last))
    settings = (*DEFAULTS, 1000)  # playouts do not end by a lead
    start = at.new_game(board, 1 + state.to_move, ko, last, state.passes, round(4 * state.game.komi), settings)
    weights = np.zeros(20)
    weights[[tree_at.PLAYOUTS, tree_at.EQUIVALENCE, tree_at.EVEN, tree_at.MARGIN]] = 1, 1000, 10, 1
    allowed = np.zeros(len(board.stones), np.int64)
    allowed[[cells[move] for move in state.legal_moves() if move < size**2]] = 1
    moves = np.zeros(8 * size**2 + 400, np.int64)
    arrays = tree_at.GrowArrays(
        weights, control.new_signal(), rng.stream(seed), np.zeros(256, np.int64), moves,
        np.zeros(len(board.stones), np.int64), allowed, windows.window_weights(), np.zeros((0, 0), np.int64),
    )  # fmt: skip
    tree.facts[tree_at.USED] = 0
    g = start.copy()
    tree_at.grow(tree, start, g, arrays)
    mover = float(1.0 - tree.sums[0, tree_at.WINS])  # what counts as won at the root is the other's
    share = mover if state.to_move == 0 else 1.0 - mover
    points = [cells.index(cell) if cell else size**2 for cell in moves[: int(g[at.MADE])].tolist()]
    return g, points, (2 * share - 1) * size**2


def check_board(g: NDArray[np.int64], state: GoState) -> None:
    """Compare a board of playouts with a readable one: stones, chains, liberties, surroundings, free cells."""
    size = state.game.size
    cells = board_kernel.cells_of(size).astype(int).tolist()
    points = state.board.points
    assert g[at.STONES + np.array(cells)].tolist() == list(points)
    assert int(g[at.LEAD]) == points.count(1) - points.count(2)
    for chain in {chain.stones: chain for chain in state.board.chains().values()}.values():
        some = cells[min(chain.stones)]
        head, ring, stone = at.head_of(g, some), {some}, int(at.next_stone(g, some))
        while stone != some:
            ring.add(stone)
            stone = int(at.next_stone(g, stone))
        assert ring == {cells[point] for point in chain.stones}
        assert at.stones_in(g, head) == len(ring)
        beside = [cell + step for cell in ring for step in (-size - 1, -1, 1, size + 1)]
        free = [cell for cell in beside if at.stone_at(g, cell) == EMPTY]
        assert int(g[at.LIBERTIES + head]) == sum(int(board_kernel.LIBERTY[cell]) for cell in free)
    for cell in cells:
        steps = [down * (size + 1) + across for down in (-1, 0, 1) for across in (-1, 0, 1) if down or across]
        assert at.window_at(g, cell) == sum(int(at.stone_at(g, cell + step)) << 2 * i for i, step in enumerate(steps))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_playouts_keep_the_rules_and_count_as_they_do(size: int) -> None:
    tree, ends = tree_at.new_tree(2000), 0
    for seed in range(12 if size < 9 else 30):
        chance, state = random.Random(seed), Go(size=size, komi=2.5).start()
        for _ in range(chance.randrange(size * size)):
            after = state.play(chance.choice(state.legal_moves()))
            if after.is_over():
                break
            state = after
        g, moves, margin = one_playout(state, seed, tree)
        for move in moves:
            if move < size * size:
                assert not is_eye(state.board, move, 1 + state.to_move)
            if state.is_over():  # by the limit of moves, which playouts need not keep
                break
            state = state.play(move)  # raises if it is illegal
        else:
            check_board(g, state)
        if state.passes == 2:
            ends += 1
            limited = max(min(state.score().margin, size**2), -size * size)  # more is not learned
            assert margin == pytest.approx(limited, abs=1e-3)
    assert ends >= (10 if size != 2 else 3)  # on 2x2 there is ko without end


def best(state: GoState, playouts: int = 1500, spec: str = "mcts") -> str:
    return state.game.move_text(make_agent(state.game, spec).choose(state, Budget(playouts=playouts)).move)


def test_it_sees_what_decides() -> None:
    # White has three points in a row for eyes, A1 to C1: Black kills on B1, White lives there, and komi decides by it
    game = Go(size=5, komi=12.5)
    for colour in "XO":
        assert best(game.parse_position(f"5/5/XXXXX/OOOOX/3OX {colour}")) == "B1"
    # both chains of White have C3 for their only liberty
    assert best(Go(size=5, komi=0.5).parse_position("1XOX1/1XOX1/1X1X1/1XOX1/1XOX1 X")) == "C3"


def test_it_passes_when_nothing_is_gained_and_the_count_is_won() -> None:
    game = Go(size=5, komi=0.5)
    settled = "1XXO1/XXXOO/XXXOO/XXXOO/1XXO1"  # 15 points to 10
    roomy = "2XO1/1XXOO/XXXO1/1XXOO/XXXO1"  # the same, with room for Black
    for board in (settled, roomy):
        assert best(game.parse_position(f"{board} X")) == "pass"
    # nothing is won yet, for White's stone in Black's room counts until it is taken
    stone = Go(size=5, komi=5.5).parse_position("2XO1/O1XOO/X1XO1/XXXOO/XXXO1 X")
    assert stone.score().winner == 1
    assert best(stone) in ("B4", "A5", "B5")
    # a pass that ends a won game needs no search
    state = game.parse_position(f"{settled} O").play(game.pass_move)
    choice = make_agent(game, "mcts").choose(state)
    assert (choice.move, choice.playouts) == (game.pass_move, 0)
    assert "won" in choice.note


def test_it_resigns_after_three_hopeless_moves_of_its_own_in_a_row() -> None:
    game = Go(size=5, komi=30.5)  # more than there are points

    def course(spec: str, asks: int) -> int:
        """Return how many moves of Black's, each asked for some times, come before it resigns; 9 if it does not."""
        agent, state = make_agent(game, spec), game.start()
        for done in range(9):
            try:
                for _ in range(asks):
                    choice = agent.choose(state)
            except Resigned:
                return done
            state = state.play(choice.move)
            if state.is_over():
                break
            state = state.play(next(move for move in (12, 11, 13, 25) if move in state.legal_moves()))
        return 9

    assert course("mcts(playouts=600)", 1) == 2
    assert course("mcts(playouts=600)", 3) == 2
    assert course("mcts(playouts=600,resign=0)", 1) == 9
    assert course("mcts(playouts=100)", 1) == 9  # too few to be sure
    agent, state = make_agent(game, "mcts(playouts=600)"), game.start()
    for move in (0, 12, 1, 13, 2, 14):  # one who goes through a game gets an answer everywhere
        agent.choose(state)
        state = state.play(move)


def test_it_beats_chance_and_few_playouts_with_more() -> None:
    game = Go(size=7, komi=5.5)
    weak, random_one = make_agent(game, "mcts(playouts=10)"), make_agent(game, "random")
    strong = make_agent(game, "mcts(playouts=400)")
    for seed in range(2):
        assert play(game, [weak, random_one], seed).result == "1-0"
        assert play(game, [random_one, weak], seed).result == "0-1"
    wins = [play(game, [strong, weak], 1).result == "1-0", play(game, [weak, strong], 2).result == "0-1"]
    assert sum(wins) >= 1


def test_a_tree_is_kept_from_move_to_move() -> None:
    game = Go(size=5, komi=0.5)
    agent, fresh = MonteCarlo(game), MonteCarlo(game)
    first = agent.choose(game.start(), Budget(playouts=2000))
    state = game.start().play(first.move).play(first.line[1])
    assert agent.choose(state, Budget(playouts=10)).playouts == 10
    assert agent.search.tries() > 100
    fresh.choose(state, Budget(playouts=10))
    assert fresh.search.tries() == 10
    assert agent.search.children().keys() == fresh.search.children().keys()
    tree = agent.search.tree
    used = int(tree.facts[tree_at.USED])
    nodes = tree.links[:used][tree.links[:used, tree_at.CHILDREN] > 0]
    assert (nodes[:, tree_at.CHILD] + nodes[:, tree_at.CHILDREN]).max() == used


class Certain:
    """A guide that is sure of one point, whoever moves, and of the winner."""

    def __init__(self, lead: float | None = None) -> None:
        self.lead, self.asked = lead, list[Moment]()

    def shares(self, moment: Moment) -> Shares:
        self.asked.append(moment)
        shares = np.zeros(25)
        shares[24] = 1.0
        return shares

    def ask(self, g: Int64Array, moves: Int64Array, before: Sequence[int], turn: int) -> Guidance:
        return PredictorGuide(self, 5).ask(g, moves, before, turn)._replace(black_lead=self.lead)


class Guided(MonteCarlo):
    """Is guided by Certain."""

    def __init__(self, game: Go, guide: Certain, playouts: int, value_games: float = 0.0) -> None:
        super().__init__(game, playouts=playouts)
        self.certain, self.guide_settings = guide, GuideSettings(20, value_games=value_games)

    def guide(self) -> Guide:
        return self.certain


def test_a_guide_may_fill_the_priors() -> None:
    game = Go(size=5, komi=0.5)
    state, guide = game.start().play(12), Certain()
    assert Guided(game, guide, 20).choose(state).move == 24
    assert MonteCarlo(game, playouts=20).choose(state).move != 24
    root = guide.asked[-1]  # the first is of the empty board, asked to prepare
    assert root == Moment(state.board, 2, (12,), -1, 1, -1)
    assert 200 < Guided(game, guide, 500).choose(state).playouts <= 500  # it may be settled before the end
    nodes = [asked for asked in guide.asked if len(asked.recent) > 1]
    assert any(asked.recent == (24, 12) for asked in nodes)
    for asked in nodes:
        after = state
        for move in asked.recent[-2::-1]:
            after = after.play(move if move >= 0 else game.pass_move)
        assert (asked.board, asked.colour, asked.ko) == (after.board, 1 + after.to_move, after.ko)


@pytest.mark.parametrize(("lead", "rate"), [(25.0, 1.0), (-25.0, 0.0)])
def test_a_guide_may_say_who_wins(lead: float, rate: float) -> None:
    game = Go(size=5, komi=0.5)
    agent, unsaid = Guided(game, Certain(lead), 60, 1000.0), Guided(game, Certain(), 60, 1000.0)
    said, unknown = agent.choose(game.start()).value, unsaid.choose(game.start()).value
    assert said is not None
    assert unknown is not None
    assert abs(said - rate) < 0.05 < abs(unknown - rate)
    asked = 1000 * len(agent.certain.asked)
    assert agent.search.tree.sums[0, tree_at.GAMES] == pytest.approx(asked - 1000 + agent.search.tries())
    assert unsaid.search.tree.sums[0, tree_at.GAMES] == unsaid.search.tries()


def test_windows_as_texts_and_forms() -> None:
    for text in ("XOX .*. ...", "### O*. X..", "... .*. ..."):
        assert windows.window_text(windows.parse_window(text)) == text
    least = windows.least_forms()
    turned_and_mirrored = ("XO. .*. ...", "..X .*O ...", "... O*. X..", ".OX .*. ...")
    assert len({int(least[windows.parse_window(text)]) for text in turned_and_mirrored}) == 1
    # 3x3 windows of the board's middle under the eight symmetries, by Burnside: (3^8 + ...) / 8
    middle = [code for code in range(windows.WINDOWS) if all(code >> 2 * i & 3 < 3 for i in range(8))]
    assert len({int(least[code]) for code in middle}) == (3**8 + 2 * 3**2 + 3**4 + 4 * 3**5) // 8
    for wrong in ("XOX", "XOX ... ...", "XOZ .*. ..."):
        with pytest.raises(BadText):
            windows.parse_window(wrong)
    weights = windows.window_weights()
    own, swapped = windows.parse_window("XOX .*. ..."), windows.parse_window("OXO .*. ...")
    assert weights[own] == weights[windows.WINDOWS + swapped] > weights[windows.parse_window("XXX .*. ...")]


def test_strengths_of_windows_are_found_again() -> None:
    chance = np.random.default_rng(3)
    one, two = (int(windows.least_forms()[windows.parse_window(text)]) for text in ("XO. .*. ...", ".O. X*. ..."))
    true = {one: 2.0, two: 0.5}
    rows = np.full((20_000, 8), NO_POINT, np.uint16)
    rows[:, 0] = one
    rows[::2, 1] = two
    strengths = np.ones((len(rows), 3))  # the last one is elsewhere
    strengths[:, 0], strengths[:, 1] = true[one], np.where(rows[:, 1] == two, true[two], 0)
    picks = (strengths / strengths.sum(1, keepdims=True)).cumsum(1) > chance.random(len(rows))[:, None]
    chosen = picks.argmax(1)
    chosen[chosen == 2] = -1
    found, met, evidence = windows_fit.fit_strengths(rows, chosen.astype(np.int8))
    assert (met[one], met[two]) == (20_000, 10_000)
    assert found[one] == pytest.approx(2.0, rel=0.1)
    assert found[two] == pytest.approx(0.5, rel=0.15)
    assert -1.1 < evidence < -0.5


def test_positions_of_a_record(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[19];B[dq];W[cq];B[cr];W[qd])(;GM[1]SZ[9];B[cc];W[cd])")  # D3, C3, C2, then elsewhere
    games = from_records([path])
    rows, chosen = windows_fit.gather_positions(games, np.arange(2), 100)
    texts = [[windows.window_text(int(window)) for window in row if window != NO_POINT] for row in rows]
    assert [len(found) for found in texts] == [8, 7, 6]
    played = [texts[i][int(chosen[i])] for i in (0, 1)]
    assert (played, int(chosen[2])) == (["... .*O ...", ".OX .*. ..."], -1)  # as the player to move sees them
    assert len(windows_fit.gather_positions(games, np.arange(2), 2)[0]) == 2
    with pytest.raises(BadOption, match="no 19x19 game"):
        windows_fit.gather_positions(games, np.arange(1, 2), 100)
