"""The pattern model: fitted, stopped and gone on with, written, read, asked, and measured, on few small games."""

from __future__ import annotations

import os
import random
import signal
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.predict.fit.course import MAX_RECENT_MOVES, Moment, moments
from kibitz.games.go.predict.fit.figures import figures, mean_by_game
from kibitz.games.go.predict.fit.fit import FitProgress, FitSettings, cooled, fit
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.predict.fit.kernel import PredictedMoves
from kibitz.games.go.predict.model import model as model_module
from kibitz.games.go.predict.model.layout import FIXED_FEATURES, KINDS, RECENT_MOVES
from kibitz.games.go.predict.model.model import ModelContent, PatternModel, ScoreTerms, read_model, write_model
from kibitz.games.go.predict.model.words import feature_text, kind_of
from kibitz.games.go.predict.models import open_model, predict_moments, predictable_games
from kibitz.games.go.rules import Go
from kibitz.games.go.rules.board import Board
from kibitz.games.go.sgf.record import POINT_BITS

HABIT = (0, 2)  # players of these games answer each move two columns to the right of it, if they can
SETTINGS = FitSettings(games=40, share=1.0, passes=2, factors=3, least=4, most=5000)


def game_of_habit(seed: int, size: int = 19, moves: int = 40) -> list[int]:
    """Return a game in which White always answers at the same offset, while Black plays anywhere."""
    rng, state, plays = random.Random(seed), Go(size).start(), list[int]()
    for number in range(moves):
        legal = state.legal_moves()[:-1]
        wanted = plays[-1] % 1024 + HABIT[1] if plays else -1
        same_row = plays and (plays[-1] % 1024) // size == wanted // size
        move = wanted if number % 2 and wanted in legal and same_row else rng.choice(legal)
        plays.append(1 + number % 2 << POINT_BITS | move)
        state = state.play(move)
    return plays


@pytest.fixture(scope="module")
def games() -> GamesFile:
    """Return games of habit, some of which are held out."""
    texts = [game_of_habit(seed) for seed in range(50)]
    first = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    digests = np.arange(50, dtype=np.int64) * 7919
    plays = np.array([play for text in texts for play in text], np.uint16)
    return GamesFile(plays, first, np.full(50, 19, np.uint8), np.zeros(50, np.uint8), digests)


@pytest.fixture(scope="module")
def path(games: GamesFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a model fitted to them."""
    out: Path = tmp_path_factory.mktemp("model") / "patterns.npz"
    seen = []
    summary = fit(games, SETTINGS, out, lambda progress: seen.append((progress.what, progress.done)))
    assert not summary.interrupted
    assert summary.games == 2 * 40
    assert summary.positions == 2 * 40 * 40
    assert seen[-1] == ("fitting", 80)
    assert os.listdir(out.parent) == ["patterns.npz"]
    return out


@pytest.fixture(scope="module")
def model(path: Path) -> PatternModel:
    return PatternModel.load(path)


def test_a_habit_is_learned_and_explained(games: GamesFile, model: PatternModel) -> None:
    _, held = games.split()
    assert len(held) >= 2
    moves = model.predict_games(games, held)
    white = moves.numbers % 2 == 1
    assert (moves.ranks[white] <= 4).mean() > 0.7  # patterns do not tell left from right, so four points are alike
    assert (moves.ranks[~white] <= 4).mean() < 0.2
    state = Go().start().play(60)
    ranking = model.rank(state)
    assert set(ranking.order[:4]) == {58, 62, 22, 98}
    assert ranking.shares.sum() == pytest.approx(1, abs=1e-4)
    assert ranking.shares[60] == 0
    assert len(ranking.candidates) == 10
    best = ranking.candidates[0]
    assert best.point == ranking.order[0]
    assert best.share == pytest.approx(float(ranking.shares.max()))
    assert best.reasons[0].weight > 0.5
    assert any("from the last move" in reason.text for reason in best.reasons)
    assert best.rows[len(best.rows) // 2][len(best.rows) // 2] == "*"


def test_reasons_add_up_to_the_score(model: PatternModel) -> None:
    """What the features of two candidates add differs by the difference of the logarithms of their shares."""
    n = len(model.rank(Go().start().play(60).play(62).play(200)).order)
    work = model.workspace(19)
    terms, scores = ScoreTerms(work.features, model.weights, n), work.weights.scores
    for one, two in ((0, 1), (0, 200), (61, 170)):
        wanted = np.log(scores[one] / scores[two])
        assert terms.feature_terms(one).sum() - terms.feature_terms(two).sum() == pytest.approx(wanted, abs=1e-3)
        assert sum(terms.group_terms(one).values()) == pytest.approx(terms.feature_terms(one).sum(), abs=1e-4)


def test_a_game_and_its_positions_are_predicted_alike(games: GamesFile, model: PatternModel) -> None:
    """What is updated from move to move equals what a position set up by itself gives."""
    assert RECENT_MOVES <= MAX_RECENT_MOVES
    third = np.array([3])
    moves = model.predict_games(games, third)
    course = [(0, now) for now in moments(19, games.plays_of(3)) if now.moves and now.played >= 0]
    alone = predict_moments(lambda batch: np.stack([model.shares(now) for now in batch]), course, 1)
    assert moves.numbers.tolist() == alone.numbers.tolist() == list(range(1, 40))
    assert moves.shares == pytest.approx(alone.shares, rel=1e-3)
    assert (moves.ranks == alone.ranks).mean() > 0.95  # equal but for rounding
    assert model.predict_games(games, third, 2).numbers.tolist() == list(range(1, 40, 2))


def test_symmetry_and_colours(model: PatternModel) -> None:
    """A board turned, and one with the colours exchanged, are predicted alike."""
    state = Go(9).start()
    for move in (20, 24, 30, 31, 40, 39):
        state = state.play(move)
    recent = (39, 40, 31, 30)
    shares = model.rank(state, recent).shares.reshape(9, 9)

    def turned(point: int) -> int:
        return point % 9 * 9 + 8 - point // 9

    board = bytearray(81)
    for point, code in enumerate(state.board.points):
        board[turned(point)] = code and 3 - code
    other = Moment(Board(9, bytes(board)), 2, tuple(map(turned, recent)), -1, 6, -1)
    assert model.shares(other).reshape(9, 9) == pytest.approx(np.rot90(shares, -1), abs=1e-5)


def test_ko_and_suicide_are_left_out(model: PatternModel) -> None:
    taken = Go(9).parse_position("1XO6/XO1O5/1XO6/9/X8/9/9/9/9 X").play(11)
    assert taken.ko == 10
    shares = model.rank(taken).shares
    assert shares[10] == 0
    assert {point for point in range(81) if shares[point] > 0} == set(taken.legal_moves()) - {81}


def test_fitting_stops_and_goes_on(games: GamesFile, path: Path, tmp_path: Path) -> None:
    """A fit that was stopped and resumed gives the same file as one that was not."""
    out = tmp_path / "patterns.npz"

    def stop(progress: FitProgress) -> None:
        if progress.what == "fitting" and progress.done == 40:
            os.kill(os.getpid(), signal.SIGINT)

    first = fit(games, SETTINGS, out, stop)
    assert first.interrupted
    assert first.games == 40
    assert not out.exists()
    second = fit(games, SETTINGS, out)
    assert not second.interrupted
    assert np.array_equal(read_model(out).weights, read_model(path).weights)
    (tmp_path / "patterns.npz.fitting").write_bytes(b"PK nothing")
    with pytest.raises(BadText, match="delete it"):
        fit(games, SETTINGS, out)


def test_files_that_are_not_models(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, content, broken = path.read_bytes(), read_model(path), tmp_path / "broken.npz"
    for data in (b"", b"hello", whole[: len(whole) // 2], whole[:-200], whole[:300] + b"\0" * 60 + whole[360:]):
        broken.write_bytes(data)
        with pytest.raises(BadText, match=r"damaged|Cannot open"):
            PatternModel.load(broken)
    np.savez(broken, about=np.array("[]"), keys=content.keys)
    with pytest.raises(BadText, match="damaged"):
        PatternModel.load(broken)
    with pytest.raises(BadText, match="Cannot open"):
        PatternModel.load(tmp_path / "none.npz")
    with monkeypatch.context() as patched:
        patched.setitem(model_module._EXPECTED, "version", 2)
        write_model(broken, content)
    with pytest.raises(BadText, match="another version"):
        PatternModel.load(broken)


def test_weights_survive_the_file(tmp_path: Path) -> None:
    random_ = np.random.default_rng(3)
    keys = random_.choice(1 << 32, 500, replace=False).astype(np.uint32)
    weights = random_.normal(0, 1, (FIXED_FEATURES + 500, 6)).astype(np.float32)
    write_model(tmp_path / "m.npz", ModelContent({"made": "here"}, keys, weights))
    back = read_model(tmp_path / "m.npz")
    order = np.argsort(keys)
    assert back.about["made"] == "here"
    assert back.keys.tolist() == keys[order].tolist()
    most = np.abs(weights).max(axis=0)
    wanted = np.concatenate([weights[:FIXED_FEATURES], weights[FIXED_FEATURES:][order]])
    assert np.all(np.abs(back.weights - wanted) <= 0.51 * most / np.array([32767, *[127] * 5]))


def test_cooling_divides_scores() -> None:
    rows = np.array([[1.0, 2.0, -1.0], [0.5, 0.5, 3.0]], np.float32)

    def score(weights: NDArray[np.float32]) -> float:
        return float(weights[:, 0].sum() + weights[0, 1:] @ weights[1, 1:])

    assert score(cooled(rows, 1.5)) == pytest.approx(score(rows) / 1.5)


def test_sizes_and_names_that_are_not_known(games: GamesFile, model: PatternModel) -> None:
    for size in (5, 25):
        with pytest.raises(BadOption, match=f"board sizes 7 to 19, not {size}"):
            model.rank(Go(size).start())
    assert model.rank(Go(13).start().play(48)).shares.sum() == pytest.approx(1, abs=1e-4)
    with pytest.raises(BadOption, match="Unknown model 'oracle'"):
        open_model("oracle")
    small = GamesFile(games.plays, games.first, np.full(50, 25, np.uint8), games.winners, games.digests)
    with pytest.raises(BadOption, match="have size 25"):
        predictable_games(small)
    with pytest.raises(BadOption, match="no 19x19 game"):
        fit(small, SETTINGS, Path("never.npz"))


def test_every_feature_has_words() -> None:
    texts = {kind_of(feature)[0]: set[str]() for feature in range(FIXED_FEATURES)}
    for feature in range(FIXED_FEATURES):
        texts[kind_of(feature)[0]].add(feature_text(feature))
    assert list(texts) == [name for name, _ in KINDS]
    for name, count in KINDS:
        if name not in ("last", "before", "third", "fourth"):  # four far classes share their words
            assert len(texts[name]) == count, name
    assert feature_text(0) == "lines 1 and 1 at moves 0 to 5"


def test_figures_by_hand() -> None:
    """Two games of two moves: ranks 1 and 6, 1 and 11."""
    moves = PredictedMoves(
        ranks=np.array([1, 6, 1, 11], np.int16),
        shares=np.array([0.5, 0.1, 0.8, 0.01], np.float32),
        tops=np.array([0.5, 0.3, 0.8, 0.35], np.float32),
        numbers=np.array([1, 40, 29, 200], np.int16),
        games=np.array([0, 0, 1, 1], np.int32),
    )
    found = figures(moves)
    assert (found.games, found.whole.n) == (2, 4)
    assert [share.value for share in (found.whole.top1, found.whole.top5, found.whole.top10)] == [0.5, 0.5, 0.75]
    assert found.whole.log_evidence.value == pytest.approx(np.log(0.5 * 0.1 * 0.8 * 0.01) / 4)
    assert [(part.name, part.n) for part in found.phases] == [
        ("moves 2 to 30", 2), ("moves 31 to 80", 1), ("from 151 on", 1),
    ]  # fmt: skip
    assert [(one.n, one.played.value) for one in found.calibration] == [(2, 0.0), (1, 1.0), (1, 1.0)]
    assert found.json()["top10"] == 0.75
    with pytest.raises(BadOption, match="no moves to predict"):
        figures(moves.first(0))


def test_intervals_come_from_games() -> None:
    """Moves that agree within each game tell no more than the games do."""
    games = np.repeat(np.arange(100), 50)
    values = np.repeat(np.arange(100) % 2, 50)
    share = mean_by_game(values, games)
    assert share.value == 0.5
    assert share.high - share.value == pytest.approx(1.96 * 0.5 / np.sqrt(99))


def test_the_shipped_model_knows_openings() -> None:
    """After star points in two opposite corners one of the others comes next."""
    model = PatternModel.load()
    with resources.as_file(resources.files("kibitz.games.go.predict.model").joinpath("patterns.npz")) as path:
        assert path.stat().st_size < 6_000_000
    state = Go().start().play(60).play(288 + 12)  # D16, Q4
    ranking = model.rank(state, earlier=(300, 60))
    row, col = divmod(ranking.order[0], 19)
    assert min(row, 18 - row) in (2, 3)
    assert min(col, 18 - col) in (2, 3)
    assert (row < 9) == (col > 9)
