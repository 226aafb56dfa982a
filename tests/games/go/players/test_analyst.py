"""The analyst of Go: which moves it lists, what it says of score and ownership, how it grows, stops and is shown."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from games.go.go_games import played
from kibitz.analysis.position import analyse
from kibitz.analysis.review import judge_moves
from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.defaults.shown import score_text
from kibitz.core.game import State
from kibitz.games.go.players.mcts import search
from kibitz.games.go.players.mcts.agent import pass_games
from kibitz.games.go.players.mcts.analyst import MAX_CANDIDATES, Analyst
from kibitz.games.go.rules import Go, GoState
from kibitz.search.agents import make_agent

DEAD = "7/2XXX2/2XOX2/2X1X2/7/7/4X2 "
"""Size 7: a white stone in Black's net, in atari, and nothing else of White's on the board."""


class Recorder(Watch):
    """A watch that keeps every answer."""

    def __init__(self, stop_after: int | None = None) -> None:
        super().__init__()
        self.answers: list[Choice] = []
        self.stop_after = stop_after

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "choice" and value is not None:
            self.answers.append(value)
            if self.stop_after is not None and len(self.answers) >= self.stop_after:
                self.stop()


def visits(choice: Choice) -> int:
    return sum(m.visits or 0 for m in choice.moves)


def line_of(state: GoState, point: int) -> int:
    """Return the line of a point, from 1."""
    row, column = divmod(point, state.game.size)
    return 1 + min(row, column, state.game.size - 1 - row, state.game.size - 1 - column)


def check(state: GoState, choice: Choice) -> None:
    """See that an analysis is consistent."""
    size, ranked = state.game.size, choice.candidates
    assert ranked[0].move == choice.move
    assert len(ranked) <= MAX_CANDIDATES
    counts = [m.visits or 0 for m in ranked if m.move not in choice.best]
    assert counts == sorted(counts, reverse=True)
    assert min([2, *counts]) >= 2
    assert (choice.value, choice.score, choice.line) == (ranked[0].value, ranked[0].score, ranked[0].line)
    assert len(choice.owners) == size**2
    assert all(-1 <= owner <= 1 for owner in choice.owners)
    for each in ranked:
        assert 0 <= each.value <= 1
        assert each.line[0] == each.move
        after = state
        for move in each.line:
            after = after.play(move)  # raises if it is illegal


@pytest.mark.parametrize(("size", "moves"), [(9, ()), (19, ()), (19, ("Q16", "D4", "Q4", "D16", "F3", "C6"))])
def test_only_moves_worth_considering_are_listed_in_an_opening(size: int, moves: tuple[str, ...]) -> None:
    state = played(Go(size=size), *moves)
    choice = analyse(state, Budget(playouts=200))
    check(state, choice)
    assert 5 <= len(choice.moves) <= MAX_CANDIDATES
    assert all(line_of(state, m.move) >= 2 for m in choice.moves)
    assert line_of(state, choice.move) >= 3
    assert choice.value is not None
    assert 0.3 < choice.value < 0.7
    assert choice.score is not None
    assert abs(choice.score) < 15
    assert choice.playouts == 200, "also those that could not change the best move"
    if not moves:
        assert max(map(abs, choice.owners)) < 0.5


@pytest.mark.parametrize(("size", "moves"), [(9, ()), (7, ("D4",)), (19, ("Q16",))])
def test_moves_that_are_equal_by_symmetry_have_equal_values(size: int, moves: tuple[str, ...]) -> None:
    state = played(Go(size=size), *moves)
    choice = analyse(state, Budget(playouts=150))
    check(state, choice)
    kept = [image for image in state.game.symmetries() if {image[move] for move in moved(state)} == set(moved(state))]
    assert len(kept) == (2 if size == 19 else 8)
    assert set(choice.best) == {image[choice.move] for image in kept}
    found = {each.move: (each.value, each.score) for each in choice.moves}
    for image in kept:
        assert all(found.get(image[move], value) == value for move, value in found.items())
        assert all(abs(owner - choice.owners[image[point]]) < 1e-9 for point, owner in enumerate(choice.owners))
    assert visits(choice) <= choice.playouts
    for move in choice.best:
        (judgement,) = judge_moves([state, state.play(move)], [move], lambda _: choice)
        assert (judgement.verdict, judgement.loss, judgement.score_loss) == ("best", 0, 0)


def moved(state: GoState) -> list[int]:
    return [point for point, code in enumerate(state.board.points) if code]


def test_a_pass_is_not_searched_while_points_are_open() -> None:
    """White has more points on the board, because of the komi, but has not won yet."""
    state = played(Go(size=9), "E5")
    choice = make_agent(state.game, "analyst(playouts=300)").choose(state)
    assert state.game.pass_move not in [each.move for each in choice.moves]
    assert pass_games(state) == 0
    assert pass_games(Go(size=5, komi=0.5).parse_position("1XXO1/XXXOO/XXXOO/XXXOO/1XXO1 X")) > 0


@pytest.mark.parametrize(("player", "sign"), [("X", 1), ("O", -1)])
def test_a_captured_stone_belongs_to_its_captor(player: str, sign: int) -> None:
    state = Go(size=7, komi=5.5).parse_position(DEAD + player)
    choice = analyse(state, Budget(playouts=150))
    check(state, choice)
    stone = state.game.parse_move("D5")
    assert sign * choice.owners[stone] > 0.8
    assert choice.value is not None
    assert choice.score is not None
    assert sign * (choice.value - 0.5) > 0.3
    assert 10 < sign * choice.score <= 49 - 5.5
    assert score_text(state.game, choice.score, state.to_move).startswith("B+")


def test_it_grows_in_slices_without_changing_what_it_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    state = Go(size=7).start()
    whole = make_agent(state.game, "analyst(playouts=300)").choose(state)
    monkeypatch.setattr(search, "REPORT_SECONDS", 0.0)
    recorder = Recorder()
    sliced = make_agent(state.game, "analyst(playouts=300)").choose(state, Budget(), recorder)
    counts = [visits(answer) for answer in recorder.answers]
    assert len(counts) > 2
    assert counts == sorted(counts)
    assert recorder.answers[-1] == sliced
    for answer in recorder.answers:
        check(state, answer)
    assert (whole.moves, whole.owners) == (sliced.moves, sliced.owners)


def test_it_stops_when_told_and_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "REPORT_SECONDS", 0.0)
    state = Go(size=7).start()
    agent = make_agent(state.game, "analyst")
    first = agent.choose(state, Budget(), Recorder(stop_after=3))
    assert first.playouts < 1_000_000
    stopped = Watch()
    stopped.stop()
    check(state, agent.choose(state, Budget(), stopped))
    more = agent.choose(state, Budget(playouts=100))
    assert visits(more) >= visits(first) + 90, "the moves that are not listed have a few visits"
    after = state.play(more.move)
    assert visits(agent.choose(after, Budget(playouts=50))) <= 50, "another position begins anew"


def test_a_full_tree_does_not_end_an_analysis() -> None:
    state = Go(size=9).start()
    choice = make_agent(state.game, "analyst(tree=1000)").choose(state, Budget(playouts=300))
    check(state, choice)
    assert choice.playouts == 300


def test_it_never_resigns_and_knows_when_to_pass() -> None:
    hopeless = Go(size=5, komi=30.5).start()
    agent = make_agent(hopeless.game, "analyst(playouts=600)")
    for move in (0, 12, 1, 13, 2, 14, 3, 11):
        assert agent.choose(hopeless).value is not None
        hopeless = hopeless.play(move)
    settled = Go(size=5, komi=0.5).parse_position("1XXO1/XXXOO/XXXOO/XXXOO/1XXO1 X")
    assert analyse(settled, Budget(playouts=300)).move == settled.game.pass_move
    last = settled.play(settled.game.pass_move)
    assert analyse(last, Budget(playouts=50)).moves
    assert [m.move for m in analyse(Go(size=1).start(), Budget(playouts=5)).moves] == [1]


def test_a_review_tells_what_a_bad_move_lost() -> None:
    """White has three points in a row for eyes, A1 to C1: Black kills on B1, but plays A5, and White lives there."""
    state = Go(size=5, komi=12.5).parse_position("5/5/XXXXX/OOOOX/3OX X")
    game, analyst, states = state.game, make_agent(state.game, "analyst"), [state]
    moves = [game.parse_move(text) for text in ("A5", "B1")]
    for move in moves:
        states.append(states[-1].play(move))
    asked: list[State] = []

    def ask(each: State) -> Choice:
        asked.append(each)
        return analyse(each, Budget(playouts=300), analyst)

    blunder, right = judge_moves(states, moves, ask)
    assert (game.move_text(blunder.best), blunder.verdict) == ("B1", "blunder")
    assert blunder.is_turning_point
    assert blunder.score_loss is not None
    assert blunder.score_loss > 3
    assert (right.verdict, right.score_loss) == ("best", 0)
    assert asked == states[:2], "every position is searched once"


def test_a_choice_prints_its_candidates() -> None:
    choice = analyse(Go(size=9).start(), Budget(playouts=100))
    printed = str(choice).splitlines()
    heading, first = next((a, b) for a, b in pairwise(printed) if a.startswith("move"))
    assert heading.split() == ["move", "win", "rate", "score", "visits", "line"]
    move, rate, score, visited, *line = first.split()
    assert rate.endswith("%")
    assert (score[:2] in ("B+", "W+") and float(score[2:])) or score == "even"
    assert int(visited) > 10
    assert line[0] == move


def test_its_options_are_checked() -> None:
    assert isinstance(make_agent("go", "analyst(playouts=10,priors=windows)"), Analyst)
