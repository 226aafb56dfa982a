"""Learning: the slopes of the fit, and the positions to learn from."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.uttt.players.test_net import ALL, elsewhere, stored, unfinished
from kibitz.compiled.layers import ONE, WIDTH
from kibitz.games.uttt.players import net
from kibitz.games.uttt.players.train import fit, positions
from kibitz.games.uttt.players.train.positions import POSITION, Teaching, play_batch
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.geometry import MOVE_SYMMETRIES
from kibitz.testing import random_game
from search.naive import is_small, solve

__all__ = ["elsewhere"]  # a fixture

TEACHING = Teaching(seed=1, round=0, games=2, nodes=50, evaluation="winning")
STATES = [state for game in ALL for seed in range(3) for state in unfinished(game, seed)]


def numbers_of(states: list[UtttState]) -> Any:
    return fit.row_numbers(stored(states), np.zeros(len(states), np.int64))


# the fit


INPUTS = {"board": (0, net.encoder_inputs("board")), "target": (net.TARGET_ROWS, net.encoder_inputs("target"))}
INPUTS["macro"] = (net.MACRO_ROWS, net.encoder_inputs("macro"))
"""Each encoder's first row, and what it sees of its rows."""


def odds_of(weights: dict[str, Any], numbers: Any) -> Any:
    """Return what the net makes of positions given by their rows, in plain float64."""
    used, places = np.unique(numbers, return_inverse=True)
    rows = np.zeros((len(used), WIDTH))
    for kind, (first, inputs) in INPUTS.items():
        own = (used >= first) & (used < first + len(inputs))
        hidden = np.maximum(inputs[used[own] - first] @ weights[f"{kind}_w1"] + weights[f"{kind}_b1"], 0)
        rows[own] = hidden @ weights[f"{kind}_w2"] + weights[f"{kind}_b2"]
    rules = (used >= net.RULES_ROWS) & (used < net.ROWS)
    rows[rules] = weights["rules"][used[rules] - net.RULES_ROWS]
    units = np.clip(rows[places.reshape(numbers.shape)].sum(axis=1), 0, 1)
    for layer in ("1", "2"):
        units = np.clip(units @ weights[f"w{layer}"] + weights[f"b{layer}"], 0, 1)
    return units @ weights["w3"] + weights["b3"]


def loss_of(weights: dict[str, Any], numbers: Any, target: Any) -> float:
    p = 1 / (1 + np.exp(-odds_of(weights, numbers)))
    return float(np.mean(-target * np.log(p) - (1 - target) * np.log(1 - p)))


@pytest.fixture(scope="module")
def sloped() -> tuple[dict[str, Any], Any, Any, float, dict[str, Any]]:
    """Weights, rows and targets, and what slopes says of them."""
    rng = np.random.default_rng(5)
    weights = fit.new_weights(1)
    for name, array in weights.items():
        weights[name] = (array + 0.05 * rng.standard_normal(array.shape)).astype(np.float32)
    numbers = numbers_of(STATES[::9])
    target = rng.random(len(numbers)).astype(np.float32)
    return weights, numbers, target, *fit.loss_and_gradient(weights, numbers, target)


@pytest.mark.parametrize("name", fit.new_weights(1))
def test_slopes_are_finite_differences(
    name: str, sloped: tuple[dict[str, Any], Any, Any, float, dict[str, Any]]
) -> None:
    weights, numbers, target, loss, slopes = sloped
    exact = {name: array.astype(np.float64) for name, array in weights.items()}
    assert loss == pytest.approx(loss_of(exact, numbers, target), rel=1e-5)
    slope = slopes[name]
    assert (slope.shape, slope.dtype) == (weights[name].shape, np.float32)
    by_size = np.argsort(np.abs(slope), axis=None)
    rng = np.random.default_rng(6)
    largest = float(np.abs(slope).max())
    assert largest > 0
    for place in {*by_size[-3:].tolist(), by_size[0], *rng.integers(0, slope.size, 3).tolist()}:
        found = []
        for step in (1e-7, -1e-7):
            moved = exact[name].copy()
            moved.flat[place] += step
            found.append(loss_of({**exact, name: moved}, numbers, target))
        assert (found[0] - found[1]) / 2e-7 == pytest.approx(slope.flat[place], abs=5e-3 * largest)


def dequantised(name: str, array: Any) -> Any:
    return array / (ONE * ONE if name[-2:] in ("b2", "b3") or name == "b1" else ONE)


def test_rounding_finds_the_nearest_whole_numbers_and_loses_little() -> None:
    """The packaged net, a little beside the whole numbers that it is made of."""
    rng, whole = np.random.default_rng(1), net.learned_weights()
    weights = {n: dequantised(n, w + rng.uniform(-0.49, 0.49, w.shape)) for n, w in whole.items()}
    rounded = fit.quantise(weights)
    assert all((rounded[name] == array).all() for name, array in whole.items())
    odds = odds_of(weights, numbers_of(STATES))
    values = np.array([net.value(state) for state in STATES]) / net.SCALE
    assert np.std(odds) > 0.2
    assert np.abs(values - odds).max() < 0.25
    assert np.corrcoef(values, odds)[0, 1] > 0.99


@pytest.mark.parametrize("sign", [1, -1])
def test_weights_however_large_are_cut_so_that_no_sum_overflows(sign: int) -> None:
    rounded = fit.quantise({name: np.full_like(array, sign * 1e9) for name, array in fit.new_weights(1).items()})
    weights = {name: array.astype(np.int64) for name, array in rounded.items()}
    assert all((np.sign(array) == sign).all() for array in weights.values())
    for layer in ("1", "2", "3"):
        assert np.abs(weights[f"b{layer}"] + ONE * weights[f"w{layer}"].sum(axis=0)).max() < 1 << 31


def taught(states: list[UtttState]) -> Any:
    """Return positions with something to learn: whoever has more boards, and more cells, is better off."""
    found = stored(states)
    own = [
        sum((owner == s.to_move) - (owner == 1 - s.to_move) for owner in (*s.boards, *s.boards, *s.cells))
        for s in states
    ]
    found["value"] = found["points"] = 1 / (1 + np.exp(-np.array(own) / 2))
    return found


def test_the_fit_lowers_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "BATCH_POSITIONS", 64)
    monkeypatch.setattr(fit, "LEARNING_RATE", 0.02)  # for a few steps
    seen, unseen = (
        taught([state for game in ALL for seed in seeds for state in unfinished(game, seed)])
        for seeds in (range(8), range(8, 10))
    )
    made, told = fit.Fit(1, 2), list[tuple[int, int, float]]()
    before = [fit.loss_of(made.weights, held) for held in (seen, unseen)]
    for _ in range(2):
        made.run_epoch(seen, lambda *news: told.append(news))
    after = [fit.loss_of(made.weights, held) for held in (seen, unseen)]
    assert after[0] < before[0] - 0.03
    assert after[1] < before[1] - 0.02
    steps = 2 * (len(seen) // 64)
    assert [step for step, _, _ in told] == list(range(20, steps + 1, 20))
    assert {total for _, total, _ in told} == {steps}


def test_a_fit_that_was_stored_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    seen = taught(STATES[::5])
    straight, first, second = (fit.Fit(3, 2) for _ in range(3))
    for made in (straight, straight, first):
        made.run_epoch(seen)
    first.save(tmp_path / "fit.npz")
    second.load(tmp_path / "fit.npz")
    second.run_epoch(seen)
    assert (second.epoch, second.step) == (straight.epoch, straight.step) == (2, 2)
    assert all((second.weights[name] == array).all() for name, array in straight.weights.items())
    assert [path.name for path in tmp_path.iterdir()] == ["fit.npz"]


@pytest.mark.parametrize("turn", range(8))
def test_a_turned_position_has_the_rows_of_the_position_after_turned_moves(turn: int) -> None:
    states, images = list[UtttState](), list[UtttState]()
    for game in ALL:
        image = game.start()
        for state, after in itertools.pairwise(random_game(game, turn)):
            assert isinstance(state, UtttState)
            states.append(state)
            images.append(image)
            move = next(move for move in state.legal_moves() if state.play(move) == after)
            image = image.play(MOVE_SYMMETRIES[turn][move])
    turned = fit.row_numbers(stored(states), np.full(len(states), turn))
    assert turned.tolist() == numbers_of(images).tolist()
    assert (turn == 0) == (turned.tolist() == numbers_of(states).tolist())


# the positions


def test_positions_are_stored_as_they_are() -> None:
    found = np.zeros(len(STATES), POSITION)
    for place, state in zip(found, STATES, strict=True):
        positions._write(place, state, 0.25, 0.5)
    expected = stored(STATES)
    expected["value"], expected["points"] = 0.25, 0.5
    assert found.tobytes() == expected.tobytes()


def test_a_batch_depends_on_its_number_and_the_teaching_alone(tmp_path: Path) -> None:
    path = tmp_path / "batch.npy"
    first = play_batch(TEACHING, 0, path), path.read_bytes()
    others = [
        (TEACHING, 1),
        (replace(TEACHING, seed=2), 0),
        (replace(TEACHING, round=1), 0),
        (replace(TEACHING, nodes=60), 0),
    ]
    for teaching, number in others:
        play_batch(teaching, number, path)
        assert path.read_bytes() != first[1]
    assert (play_batch(TEACHING, 0, path), path.read_bytes()) == first
    assert [entry.name for entry in tmp_path.iterdir()] == ["batch.npy"]


def test_the_points_of_a_game_are_told_from_both_sides(tmp_path: Path) -> None:
    play_batch(replace(TEACHING, games=12), 3, tmp_path / "batch.npy")
    batch = np.load(tmp_path / "batch.npy")
    assert batch.dtype == POSITION
    assert set(batch["points"].tolist()) <= {0.0, 0.5, 1.0}
    assert len(set(batch["points"].tolist())) > 1
    assert ((batch["value"] >= 0) & (batch["value"] <= 1)).all()
    assert not (batch["marks"][:, :9] & batch["marks"][:, 9:]).any()
    placed = np.bitwise_count(batch["marks"]).sum(axis=1)
    assert (batch["to_move"] == placed % 2).all()
    games = 1
    for before, after, more in zip(batch[:-1], batch[1:], placed[1:] - placed[:-1].astype(int), strict=True):
        if more == 1:
            assert after["points"] == 1 - before["points"]
            assert after["rules"] == before["rules"]
        else:
            games += 1
    assert games == 12


def test_what_the_teacher_calls_proved_is_proved() -> None:
    known: dict[Any, int] = {}
    for game in (Uttt(), Uttt("open", "count")):
        late = [state for seed in range(60) for state in unfinished(game, seed)[-7:]]
        small = [state for state in late if is_small(state, 150)]
        proved = 0
        for nodes in (5, 15, 50):
            teacher = positions._Teacher(replace(TEACHING, nodes=nodes))
            for state in small:
                teacher.clear_table()
                move, points, sure = teacher.judge(state)
                assert move in state.legal_moves()
                if sure:
                    proved += 1
                    assert points == (solve(state, known) + 1) / 2, (state.game.position_text(state), nodes)
        assert proved > 200


@pytest.mark.parametrize(
    ("game", "nodes", "digits", "result"),
    [
        (
            ALL[0],
            50,
            "122020021000111000000200110120100022011001121020220100200020102120020011210121202210010202220",
            1,
        ),
        (
            ALL[0],
            300,
            "210020022021122011120200120112022110121212210210111001020021122102212100001112202200001200190",
            1,
        ),
        (
            ALL[3],
            50,
            "212111112222122122121210120211101222212001212110220202112222122212210112211111111121200211120",
            1,
        ),
        (
            ALL[3],
            300,
            "222221112110221011121212022121111212121201111222120201201102011102221222111221212200112021250",
            0,
        ),
    ],
)
def test_a_position_is_not_lost_because_the_moves_looked_at_are(
    game: Uttt, nodes: int, digits: str, result: int
) -> None:
    _, points, sure = positions._Teacher(replace(TEACHING, nodes=nodes)).judge(game.parse_position(digits))
    assert not sure or points == (result + 1) / 2
