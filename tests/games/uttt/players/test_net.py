"""The learned evaluation: the net against its compiled twin, how it is built, and what came with the package."""

from __future__ import annotations

import itertools
import json
import random
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.compiled import array_cache as kept
from kibitz.compiled import position as generic
from kibitz.compiled.arrays import CACHE_LINE_BYTES
from kibitz.compiled.jit import entry
from kibitz.compiled.layers import ONE, SHIFT, WIDTH
from kibitz.core.agent import WIN
from kibitz.games.uttt.evaluate import EVALUATIONS
from kibitz.games.uttt.kernel import position as kernel
from kibitz.games.uttt.players import net
from kibitz.games.uttt.players.train import fit
from kibitz.games.uttt.players.train.positions import POSITION
from kibitz.games.uttt.players.train.rounds import UtttTrainSettings
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.geometry import CELL_SYMMETRIES
from kibitz.games.uttt.rules.text import FREE
from kibitz.testing import random_game

ALL = [Uttt(v, t) for v in ("closed", "open") for t in ("draw", "count")]
LEARNED = EVALUATIONS.number("learned")
WHERE = resources.files("kibitz.games.uttt.players")


@entry
def judged(pos: Any, evaluation: int) -> int:
    """Return a compiled evaluation."""
    return generic.evaluate(pos, evaluation)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[None]:
    """Keep the rows of nets made here apart from those of the packaged net, which they would replace."""
    net.learned_net()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "cache_root", lambda: Path(folder))
        yield


def unfinished(game: Uttt, seed: int) -> list[UtttState]:
    return [state for state in random_game(game, seed)[:-1] if isinstance(state, UtttState)]


def stored(states: list[UtttState]) -> Any:
    """Return positions as the learner stores them, from the cells alone."""
    found = np.zeros(len(states), POSITION)
    for place, state in zip(found, states, strict=True):
        for player in (0, 1):
            place["won"][player] = sum(1 << b for b in range(9) if state.boards[b] == player)
            for b in range(9):
                mini = state.cells[9 * b : 9 * b + 9]
                place["marks"][9 * player + b] = sum(1 << c for c in range(9) if mini[c] == player)
        place["to_move"], place["forced"] = state.to_move, state.forced
        place["rules"] = (state.game.tiebreak == "count") + 2 * (state.game.variant == "open")
    return found


def extreme_weights(seed: int) -> dict[str, Any]:
    """Return random weights, half of them as large as they may be, with starts that leave them a say."""
    rng = np.random.default_rng(seed)
    starts = {"b1": 1 << 24, "b2": 1 << 26, "b3": 1 << 30}
    found = {}
    for name, array in net.learned_weights().items():
        limit = 32767 if array.dtype == np.int16 else starts.get(name, 1 << 16)
        drawn = rng.integers(-limit, limit, array.shape, endpoint=True)
        found[name] = np.where(rng.random(array.shape) < 0.5, limit * np.sign(drawn), drawn).astype(array.dtype)
    return found


@pytest.fixture(scope="module")
def extreme(elsewhere: None) -> tuple[dict[str, Any], net.UtttNet]:
    weights = extreme_weights(1)
    return weights, net.make_net(weights)


@pytest.mark.parametrize("game", ALL, ids=str)
def test_the_compiled_value_is_the_readable_one_on_every_ply(game: Uttt) -> None:
    seen = set[int]()
    for seed in range(100, 103):
        for state in unfinished(game, seed):
            value = net.value(state)
            assert judged(kernel.pack(state), LEARNED) == value
            seen.add(value)
    assert len(seen) > 100


@pytest.mark.parametrize("game", ALL, ids=str)
def test_and_with_weights_as_large_as_they_may_be(game: Uttt, extreme: tuple[dict[str, Any], net.UtttNet]) -> None:
    _, made = extreme
    seen = set[int]()
    for seed in range(2):
        for state in unfinished(game, seed):
            value = net.value(state, made)
            assert judged(kernel.pack(state)._replace(net=made), LEARNED) == value
            seen.add(value)
    assert len(seen) > 10


def row_of(weights: dict[str, Any], number: int) -> list[int]:
    """Return one row in Python's whole numbers, which never overflow."""
    if number >= net.RULES_ROWS:
        row = [int(weight) for weight in weights["rules"][number - net.RULES_ROWS]]
    else:
        first, kind = next(
            (first, kind)
            for first, kind in ((net.MACRO_ROWS, "macro"), (net.TARGET_ROWS, "target"), (0, "board"))
            if number >= first
        )
        into, start, out, last = (weights[f"{kind}_{part}"].tolist() for part in ("w1", "b1", "w2", "b2"))
        ones = np.flatnonzero(net.encoder_inputs(kind)[number - first]).tolist()
        hidden = [max(start[j] + sum(into[i][j] for i in ones), 0) for j in range(net.HIDDEN)]
        row = [(last[k] + sum(hidden[j] * out[j][k] for j in range(net.HIDDEN))) >> SHIFT for k in range(WIDTH)]
    return [min(max(number, -net.ROW_LIMIT), net.ROW_LIMIT) for number in row]


def test_rows_are_what_the_encoders_say(extreme: tuple[dict[str, Any], net.UtttNet]) -> None:
    rng = random.Random(1)
    for weights, made in ((net.learned_weights(), net.learned_net()), extreme):
        assert (made.rows.shape, made.rows.dtype) == ((net.ROWS, WIDTH), np.dtype(np.int16))
        for first, end in itertools.pairwise((0, net.TARGET_ROWS, net.MACRO_ROWS, net.RULES_ROWS, net.ROWS)):
            for number in (first, end - 1, rng.randrange(first, end)):
                assert made.rows[number].tolist() == row_of(weights, number)


def test_kept_rows_are_loaded_again(
    extreme: tuple[dict[str, Any], net.UtttNet], monkeypatch: pytest.MonkeyPatch
) -> None:
    weights, made = extreme
    monkeypatch.setattr(net, "_encode", lambda weights: pytest.fail("encoded again"))
    again = net.make_net(weights)
    assert (again.rows[::1000] == made.rows[::1000]).all()
    assert not again.rows.flags.writeable


def test_what_vectors_read_begins_at_a_cache_line() -> None:
    nets = [net.make_net(net.learned_weights()) for _ in range(20)]  # all at once: one alone might lie well by luck
    positions = [kernel.pack(Uttt().start()) for _ in range(20)]
    for array in (*(array for each in nets for array in each), *(pos.scratch for pos in positions)):
        assert array.ctypes.data % CACHE_LINE_BYTES == 0


@pytest.mark.parametrize("game", ALL, ids=str)
def test_the_learner_sees_the_same_rows(game: Uttt) -> None:
    states = [state for seed in range(4) for state in unfinished(game, seed)]
    numbers = fit.row_numbers(stored(states), np.zeros(len(states), np.int64))
    for state, row in zip(states, numbers.tolist(), strict=True):
        assert [number for number in row if number != net.ROWS] == net.row_numbers(state)
    assert {state.forced == FREE for state in states} == {True, False}


def test_a_position_is_a_board_each_the_macro_board_the_rules_and_a_target() -> None:
    for game in ALL:
        for state in unfinished(game, 7):
            *boards, macro, rules = net.row_numbers(state)[:11]
            assert [number // net.SHAPES for number in boards] == list(range(9))
            assert net.MACRO_ROWS <= macro < net.RULES_ROWS <= rules < net.ROWS
            target = net.row_numbers(state)[11:]
            assert target == ([] if state.forced == FREE else [net.TARGET_ROWS + boards[state.forced]])
            assert all(net.TARGET_ROWS <= number < net.MACRO_ROWS for number in target)


def test_each_rule_has_a_row_of_its_own() -> None:
    found = {net.row_numbers(state)[10] for game in ALL for seed in range(4) for state in unfinished(game, seed)}
    assert found == set(range(net.RULES_ROWS, net.ROWS))


def test_there_are_as_many_shapes_and_rows_as_one_can_count() -> None:
    assert len(net.UNDECIDED_PATTERNS) == 11093
    assert (net.SHAPES, net.ROWS) == (11096, 18 * 11096 + 3**9 + 8)
    assert net.MAX_ROWS * net.ROW_LIMIT <= 32767
    for code in net.UNDECIDED_PATTERNS[::97]:
        marks = [int(code) // 3**i % 3 for i in range(9)]
        assert 0 in marks
        for a, b, c in ("012", "345", "678", "036", "147", "258", "048", "246"):
            assert not (marks[int(a)] == marks[int(b)] == marks[int(c)] != 0)


def test_shapes_stay_undecided_when_the_board_is_turned_or_the_sides_are_swapped() -> None:
    marks = net.CODES[net.UNDECIDED_PATTERNS]
    powers = 3 ** np.arange(9)
    for turn in CELL_SYMMETRIES:
        assert set((marks[:, turn] @ powers).tolist()) == set(net.UNDECIDED_PATTERNS.tolist())
    assert set((np.array([0, 2, 1])[marks] @ powers).tolist()) == set(net.UNDECIDED_PATTERNS.tolist())


@pytest.mark.parametrize(("kind", "rows"), [("board", 9 * 11096), ("target", 9 * 11096), ("macro", 3**9)])
def test_every_row_looks_different_to_its_encoder(kind: str, rows: int) -> None:
    seen = net.encoder_inputs(kind)
    assert len(seen) == rows
    assert len(np.unique(np.packbits(seen, axis=1), axis=0)) == rows


def test_the_packaged_weights_have_the_shapes_of_a_fit() -> None:
    made, expected = net.learned_weights(), fit.quantise(fit.new_weights(1))
    assert {name: (array.shape, array.dtype) for name, array in made.items()} == {
        name: (array.shape, array.dtype) for name, array in expected.items()
    }


def test_no_sum_of_the_packaged_net_is_cut_short_or_taken_for_a_won_game() -> None:
    weights = {name: np.abs(array.astype(np.int64)) for name, array in net.learned_weights().items()}
    assert (np.abs(net.learned_net().rows) == net.ROW_LIMIT).mean() < 1e-5
    for layer in ("1", "2", "3"):
        assert (weights[f"b{layer}"] + ONE * weights[f"w{layer}"].sum(axis=0)).max() < 1 << 31
    assert (weights["b3"][0] + ONE * weights["w3"].sum()) >> SHIFT < WIN


def test_the_package_says_how_its_net_was_made() -> None:
    told = json.loads(WHERE.joinpath("learned.json").read_text())
    while told:
        words = told["command"].split()
        assert words[:3] == ["kibitz", "uttt", "learn"]
        given = {name.removeprefix("--"): value for name, value in zip(words[4::2], words[5::2], strict=True)}
        first: Any = given.pop("teacher", "winning")
        settings = UtttTrainSettings(**{name: int(value) for name, value in given.items()}, teacher=first)
        assert len(told["rounds"]) == settings.rounds
        assert [made["teacher"] for made in told["rounds"]] == [first, *["learned"] * (settings.rounds - 1)]
        for made in told["rounds"]:
            assert made["playing_core_seconds"] > 0
            assert made["fitting_seconds"] > 0
            assert made["positions"] > settings.batches * settings.games
            losses = made["loss_on_unseen"]
            assert len(losses) == settings.epochs
            assert 0.5 < losses[-1] < losses[0] < np.log(2)
        assert all(told[name] for name in ("kibitz", "python", "numpy"))
        assert ("teacher" in told) == (first == "learned")
        told = told.get("teacher")


@pytest.mark.parametrize("tiebreak", ["draw", "count"])
def test_it_plays_better_than_winning_at_the_same_depth(tiebreak: Any) -> None:
    """100 games from random openings, each twice with sides swapped; 400 others brought 73 % and 80 %."""
    game = kibitz.game("uttt", tiebreak=tiebreak)
    pair = [kibitz.agent(game, f"minimax(eval={name},depth=1)") for name in ("learned", "winning")]
    points = 0.0
    for seed in range(50):
        start = random_game(game, seed)[6]
        for agents, mine in ((pair, "1-0"), (pair[::-1], "0-1")):
            result = kibitz.play(game, agents, seed=seed, start=start).result
            points += 1.0 if result == mine else 0.5 if result == "1/2-1/2" else 0.0
    assert points >= 60
