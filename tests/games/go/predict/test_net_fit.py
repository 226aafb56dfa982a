"""Fitting the policy net, in small; skipped where PyTorch or onnx is not installed."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.go.go_games import few_games
from games.go.predict.net_files import TINY, by_hand
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.predict.fit.course import moments
from kibitz.games.go.predict.fit.games_file import GamesFile, from_store
from kibitz.games.go.predict.net.boards_kernel import rows_of
from kibitz.games.go.predict.net.net import PolicyNet, planes_of

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from kibitz.games.go.predict.net import fit as net_fit  # noqa: E402
from kibitz.games.go.predict.net import onnx as net_onnx  # noqa: E402
from kibitz.games.go.predict.net import state as net_state  # noqa: E402
from kibitz.games.go.predict.net import torch as net_torch  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def games() -> GamesFile:
    return from_store(few_games().folder)


@pytest.fixture(scope="module")
def rows(games: GamesFile) -> Any:
    return rows_of(games, games.split()[0])


SMALL = net_fit.NetFitSettings(minutes=30, blocks=2, channels=8, batch=32, cpu=True)


def test_a_fit_is_measured_and_written(tmp_path: Path, games: GamesFile) -> None:
    summary = net_fit.fit(games, replace(SMALL, steps=12), tmp_path)
    assert (summary.games, summary.steps, summary.complete, summary.interrupted) == (32, 12, True, False)
    assert summary.held_out is not None
    assert summary.held_out["games"] == 1
    assert summary.held_out["n"] == 290  # the game has 291 moves, and the first is left out
    assert -7 < summary.held_out["log_evidence"] < -3  # knowing nothing but the empty points is about -5.6
    net = PolicyNet.load(tmp_path / "net.onnx")
    assert '"learned_from_games": 32' in net.about["made"]
    about = json.loads((tmp_path / "net.json").read_text())
    assert about["samples"] == 12 * 32
    assert about["held_out"] == summary.held_out


def test_a_fit_is_done_in_parts_and_is_complete_then(
    tmp_path: Path, games: GamesFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(net_fit.NetFit, "clock", lambda work: now[0])
    learn = net_fit.NetFit.learn

    def slow(work: net_fit.NetFit, words: Any, left: float) -> Any:
        now[0] += 20  # seconds
        return learn(work, words, left)

    monkeypatch.setattr(net_fit.NetFit, "learn", slow)
    half = replace(SMALL, minutes=2, whole_minutes=4)
    first = net_fit.fit(games, half, tmp_path)
    # 12 seconds are reserved
    assert (first.steps, first.minutes, first.whole_minutes, first.complete) == (6, 2, 4, False)
    now[0] = 0.0
    second = net_fit.fit(games, half, tmp_path)
    assert (second.steps, second.minutes, second.complete) == (12, 4, True)
    about = json.loads((tmp_path / "net.json").read_text())
    assert [(part["minutes"], part["steps"]) for part in about["parts"]] == [(2, 6), (2, 12)]
    with pytest.raises(BadOption, match=r"is complete, with 4 minutes\. Use a longer --of"):
        net_fit.fit(games, half, tmp_path)


def test_a_fit_that_is_stopped_goes_on(tmp_path: Path, games: GamesFile, monkeypatch: pytest.MonkeyPatch) -> None:
    learn = net_fit.NetFit.learn

    def interrupted(work: net_fit.NetFit, words: Any, left: float) -> Any:
        if work.step == 2:
            signal.raise_signal(signal.SIGINT)
        return learn(work, words, left)

    monkeypatch.setattr(net_fit.NetFit, "learn", interrupted)
    summary = net_fit.fit(games, replace(SMALL, steps=5), tmp_path)
    assert (summary.steps, summary.interrupted, summary.complete, summary.held_out) == (3, True, False, None)
    assert not (tmp_path / "net.onnx").exists()
    summary = net_fit.fit(games, replace(SMALL, steps=5), tmp_path)
    assert (summary.steps, summary.interrupted) == (5, False)
    assert PolicyNet.load(tmp_path / "net.onnx")


def test_a_net_that_cannot_be_written_as_onnx_is_not_lost(
    tmp_path: Path, games: GamesFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any) -> bytes:
        raise BadOption("Writing a net needs onnx.")

    monkeypatch.setattr(net_fit, "to_onnx", refuse)
    (note,) = net_fit.fit(games, replace(SMALL, steps=1), tmp_path).notes
    assert "writing net.onnx failed. Writing a net needs onnx." in note
    assert (tmp_path / "net.npz").exists()


def test_a_net_learns_a_few_positions_by_heart(rows: Any) -> None:
    words = torch.from_numpy(rows[40:72].view(np.int64))
    work = net_fit.NetFit(replace(SMALL, rate=0.05), CPU)
    lost = [float(work.learn(words, 1.0)[0]) for _ in range(80)]
    assert min(lost[:3]) > 5
    assert np.mean(lost[-5:]) < 3.5


def test_a_fit_goes_on_where_it_was_ended(tmp_path: Path, rows: Any) -> None:
    words = torch.from_numpy(rows[:100].view(np.int64))
    whole = net_fit.NetFit(SMALL, CPU)
    batches = whole.batches(words)
    for _ in range(4):  # three batches are an epoch: the fourth is of the second
        whole.learn(next(batches), 1.0)
    whole.save(tmp_path)
    again = net_fit.NetFit(SMALL, CPU)
    again.load(tmp_path)
    assert (again.step, again.epoch, again.at) == (4, 1, 32)
    assert torch.equal(next(again.batches(words)), next(batches))
    for name, array in whole.net.arrays().items():
        assert (again.net.arrays()[name] == array).all(), name
    held = whole.optimiser.state
    assert all(torch.allclose(again.optimiser.state[name], held[name], rtol=0.01) for name in held)
    with pytest.raises(BadOption, match="--channels 8"):
        net_fit.NetFit(replace(SMALL, channels=16), CPU).load(tmp_path)


def test_every_position_is_seen_once_in_an_epoch(rows: Any) -> None:
    words = torch.from_numpy(rows[:96].view(np.int64))
    batches = net_fit.NetFit(SMALL, CPU).batches(words)
    seen = torch.cat([next(batches) for _ in range(3)])
    assert sorted(map(bytes, seen.numpy())) == sorted(map(bytes, words.numpy()))


def test_a_state_is_split_replaced_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net_state, "MAX_FILE_BYTES", 1000)
    for n in (1, 2):
        net_state.save_state(tmp_path, {"x": np.full(600, n, np.int64)}, {"n": n})
    files = sorted(tmp_path.glob("state-*.bin"))
    assert len(files) == 6
    assert max(path.stat().st_size for path in files) <= 1000
    arrays, about = net_state.load_state(tmp_path)
    assert arrays["x"].tolist() == [2] * 600
    assert about == {"n": 2}
    (tmp_path / files[0].name).write_bytes(b"x" * 1000)
    with pytest.raises(BadText, match="damaged"):
        net_state.load_state(tmp_path)
    with pytest.raises(BadText, match="no fit"):
        net_state.load_state(tmp_path / "none")


def test_a_batch_on_the_device_is_what_inference_sees(games: GamesFile, rows: Any) -> None:
    course = [now for now in moments(19, games.plays_of(int(games.split()[0][0]))) if now.played >= 0][100:140]
    some = rows[100:140]
    words = torch.from_numpy(some.copy().view(np.int64))
    maker = net_torch.PlaneMaker(CPU, torch.float32)
    made, taken, target, _ = maker.batch(words, torch.zeros(len(some), dtype=torch.long))
    assert (made.numpy() == planes_of(course)).all()
    assert target.tolist() == [now.played for now in course]
    assert (taken.numpy() == ((some[:, :361] > 0) & (some[:, :361] < 9))).all()
    found = set()
    for turn in range(8):
        turned, _, goes, _ = maker.batch(words, torch.full((len(some),), turn))
        for i in range(len(some)):
            marked = torch.zeros(361)
            marked[target[i]] = 1
            plain = torch.cat([made[i], marked.view(1, 19, 19)])
            marked = torch.zeros(361)
            marked[goes[i]] = 1
            other = torch.cat([turned[i], marked.view(1, 19, 19)])
            same = {(k, flip) for k in range(4) for flip in (0, 1)
                    if torch.equal(torch.rot90(plain.mT if flip else plain, k, (1, 2)), other)}  # fmt: skip
            assert len(same) == 1
            found |= {(turn, *one) for one in same}
    assert len(found) == 8  # each turn is one symmetry for all positions, and none twice
    assert len({one[1:] for one in found}) == 8


def test_the_file_says_what_the_net_says(tmp_path: Path, rows: Any) -> None:
    work = net_fit.NetFit(SMALL, CPU)
    words = torch.from_numpy(rows.view(np.int64))
    batches = work.batches(words)
    for _ in range(5):
        work.learn(next(batches), 1.0)
    net = work.averaged(words[:500])
    (tmp_path / "net.onnx").write_bytes(net_onnx.to_onnx(net.arrays(), "for a test"))
    with torch.no_grad():
        made, taken, _, _ = work.planes.batch(words[:20], torch.zeros(20, dtype=torch.long))
        logits, odds = net(made)
    output = PolicyNet.load(tmp_path / "net.onnx").predict_planes(made.contiguous().numpy())
    assert output.points == pytest.approx(logits.masked_fill(taken, -1e9).softmax(1).numpy(), abs=2e-3)
    assert output.wins == pytest.approx(odds.sigmoid().numpy(), abs=2e-3)


def test_the_net_made_by_hand_is_the_one_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(net_onnx.to_onnx(by_hand(), "by hand"))
    seen = np.random.default_rng(1).random((2, 16, 9, 9), np.float32)
    one, other = (PolicyNet.load(path).predict_planes(seen) for path in (TINY, tmp_path / "net.onnx"))
    assert (one.points == other.points).all()
    assert (one.wins == other.wins).all()


@pytest.mark.parametrize("shape", [(3, 16, 40), (2, 40, 16)])
def test_momentum_is_made_orthogonal(shape: tuple[int, ...]) -> None:
    made = net_torch.orthogonalise(torch.randn(shape, generator=torch.Generator().manual_seed(1)))
    assert made.shape == shape
    values = torch.linalg.svdvals(made)
    assert 0.5 < values.min() < values.max() < 1.5


def test_the_first_move_and_games_as_wholes() -> None:
    ranks: Any = np.array([0, 0, 3, 7, 0, 20])
    plies: Any = np.array([0, 1, 60, 0, 1, 200])
    logs, won, games = np.full(6, -1.0), np.array([1, 1, 0, -1, 1, -1]), np.array([0, 0, 0, 1, 1, 1])
    found = net_fit.net_figures(ranks, logs, won, plies, games)
    assert (found["n"], found["games"]) == (4, 2)
    assert (found["top1"], found["top5"], found["top10"]) == (0.5, 0.75, 0.75)
    assert found["log_evidence"] == -1
    assert found["opening"] == {"n": 2, "top1": 1.0}
    assert found["end"] == {"n": 1, "top1": 0.0}
    assert found["winner_told"] == pytest.approx(2 / 3)
    # each game has one hit of two: games taken as wholes do not vary in top-1
    assert found["top1_interval"] == [0.5, 0.5]
