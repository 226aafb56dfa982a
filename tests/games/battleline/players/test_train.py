"""Learning of Battle Line: the samples of games, rounds that go on after a stop, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.test_commands import complaint, output
from inside import run
from kibitz.core.errors import BadOption, BadText
from kibitz.core.training import ProgressCallback
from kibitz.games.battleline.players.champion import net
from kibitz.games.battleline.players.train import rounds
from kibitz.games.battleline.players.train.games_kernel import (
    CONTEXT_FILLER,
    FLAG_FILLER,
    MAX_CONTEXT_ROWS,
    MAX_FLAG_ROWS,
    Samples,
)
from kibitz.games.battleline.players.train.rounds import ChampionTraining, learn, match, open_folder, play_chunk

NOISE = (0.0, 0.02)
TINY = ChampionTraining(seed=4, rounds=2, games=8, keep=1, epochs=1.0, noise=NOISE)
SEARCHED = replace(TINY, playouts=2, start="learned")


def samples_of(path: Path) -> Samples:
    with np.load(path) as arrays:
        return Samples(*(arrays[name] for name in Samples._fields))


def played(folder: Path, tactics: bool, seed: int = 1, games: int = 40, settings: ChampionTraining = TINY) -> Samples:
    path = folder / f"{tactics}-{seed}.npz"
    n = play_chunk(net.FILE, settings, games, seed, tactics, path)
    found = samples_of(path)
    assert n == len(found.results)
    return found


KINDS: dict[str, dict[str, Any]] = {
    "Troops only": {"tactics": False},
    "with Tactics": {"tactics": True},
    "searched": {"tactics": True, "games": 8, "settings": SEARCHED},
    "against another": {"tactics": False, "games": 9, "settings": replace(SEARCHED, against="heuristic")},
}


@pytest.fixture(scope="module", params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> dict[str, Any]:
    return KINDS[request.param]


@pytest.fixture(scope="module")
def samples(kind: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Samples:
    return played(tmp_path_factory.mktemp("samples"), **kind)


def rows_in(rows: Any, first: int, count: int) -> Any:
    """Return those rows that lie in one part of the table, counted from its first."""
    return rows[(rows >= first) & (rows < first + count)] - first


def has_won(flags: set[int]) -> bool:
    """Return whether these flags win the game: five, or three side by side."""
    return len(flags) >= 5 or any({f, f + 1, f + 2} <= flags for f in flags)


# the samples


def test_rows_stay_in_their_tables_and_fillers_come_last(samples: Samples) -> None:
    n = len(samples.results)
    assert n > 400
    assert (samples.flags.shape, samples.context.shape) == ((n, 9, MAX_FLAG_ROWS), (n, MAX_CONTEXT_ROWS))
    for lists, filler in ((samples.flags.reshape(-1, MAX_FLAG_ROWS), FLAG_FILLER), (samples.context, CONTEXT_FILLER)):
        assert lists.min() >= 0
        assert lists.max() == filler
        for rows in lists:
            told = rows[rows != filler]
            assert (rows[: len(told)] == told).all()
            # two colours of a hand may have neighbours of the same values, but a flag is told everything once
            assert filler == CONTEXT_FILLER or len(set(told.tolist())) == len(told)


def test_every_sample_says_how_many_cards_are_missing_and_whose_turn_it_is(samples: Samples) -> None:
    stages = set[int]()
    for flags, context in zip(samples.flags, samples.context, strict=True):
        stage = rows_in(context, net.STAGES, 3)
        assert len(stage) == 1
        stages |= set(stage.tolist())
        for rows in flags[flags[:, 0] != FLAG_FILLER]:
            for lack, values in ((net.MY_LACK, net.MY_VALUES), (net.THEIR_LACK, net.THEIR_VALUES)):
                missing = rows_in(rows, lack, 5)
                assert len(missing) == 1
                assert len(rows_in(rows, values, 40)) + missing[0] <= 4
    assert stages == {0, 1, 2}


def test_no_card_is_lost(tmp_path: Path) -> None:
    """Without Tactics, and before the first claim, the 60 Troops lie in the hand, at the flags, or unseen."""
    counted = 0
    found = played(tmp_path, False, seed=2)
    for flags, context in zip(found.flags, found.context, strict=True):
        hand, unseen = (rows_in(context, first, 70) % 7 for first in (net.HAND_VALUES, net.UNSEEN_VALUES))
        assert (len(hand), len(unseen)) == (10, 10)
        assert hand.sum() in (6, 7) or not len(rows_in(context, net.DECK_SIZE + 1, 9))
        if (flags[:, 0] != FLAG_FILLER).all():
            at_flags = len(rows_in(flags, net.MY_VALUES, 40)) + len(rows_in(flags, net.THEIR_VALUES, 40))
            assert hand.sum() + unseen.sum() + at_flags == 60
            counted += 1
        assert not len(rows_in(context, net.MY_TACTICS, 10))
        assert not len(rows_in(context, net.GONE, 10))
    assert counted > 100


def test_claimed_flags_have_no_rows_and_no_owner_to_foresee(samples: Samples) -> None:
    claimed = 0
    for flags, context, owners in zip(samples.flags, samples.context, samples.owners, strict=True):
        mine, theirs = (set(rows_in(context, first, 9).tolist()) for first in (net.MY_FLAGS, net.THEIR_FLAGS))
        assert not mine & theirs
        assert mine | theirs == {f for f in range(9) if flags[f, 0] == FLAG_FILLER}
        assert set(owners.tolist()) <= {-1, 0, 1}
        assert all(owners[f] == -1 for f in mine | theirs)
        claimed += len(mine | theirs)
    assert claimed > 100


def test_whoever_gets_the_flags_that_win_has_won(samples: Samples) -> None:
    told = {0: 0, 2: 0}
    for context, owners, result in zip(samples.context, samples.owners, samples.results, strict=True):
        mine, theirs = (set(rows_in(context, first, 9).tolist()) for first in (net.MY_FLAGS, net.THEIR_FLAGS))
        assert not has_won(mine)
        assert not has_won(theirs)
        mine |= {f for f in range(9) if owners[f] == 1}
        theirs |= {f for f in range(9) if owners[f] == 0}
        assert not (has_won(mine) and has_won(theirs))
        if has_won(mine) or has_won(theirs):
            assert result == (2 if has_won(mine) else 0)
            told[int(result)] += 1
    assert min(told.values()) > 100


def test_the_same_seed_plays_the_same_games(samples: Samples, kind: dict[str, Any], tmp_path: Path) -> None:
    again, other = played(tmp_path, **kind), played(tmp_path, seed=3, **{**kind, "games": 2})
    for name in Samples._fields:
        assert np.array_equal(getattr(samples, name), getattr(again, name)), name
    assert not (samples.context[: len(other.context)] == other.context).all()
    assert not list(tmp_path.glob("*.part"))


def test_the_net_foresees_results(samples: Samples) -> None:
    """The packaged net, worked out here in floats: to say 1/2 of everything would lose ln 2 = 0.693."""
    with np.load(net.FILE) as stored:
        w = {name: stored[name] / (65536 if name in ("b0", "b1", "b2", "b3") else 256) for name in net.SHAPES}
    marks = marked(samples.context, CONTEXT_FILLER)
    sums = marked(samples.flags, FLAG_FILLER) @ w["flag"] + (marks @ w["base"])[:, None]
    units = np.clip(np.clip(sums, 0, 1) @ w["w0"] + w["b0"], 0, 1)
    units[samples.flags[:, :, 0] == FLAG_FILLER] = 0
    layer = np.concatenate([np.clip(marks @ w["context"], 0, 1), units.reshape(len(units), -1)], axis=1)
    for number in "12":
        layer = np.clip(layer @ w[f"w{number}"] + w[f"b{number}"], 0, 1)
    assert log_loss(layer @ w["w3"] + w["b3"], samples.results / 2) < 0.65


def marked(rows: Any, filler: int) -> Any:
    """Return how often each row is named."""
    marks = np.zeros((*rows.shape[:-1], filler + 1))
    np.add.at(marks, (*np.indices(rows.shape)[:-1], rows), 1)
    return marks[..., :filler]


def log_loss(odds: Any, target: Any) -> float:
    return float(np.mean(np.logaddexp(0, odds) - target * odds))


def test_of_games_against_another_only_the_views_of_the_champion_are_taken(tmp_path: Path) -> None:
    """A weak one loses nearly all, so those who won have nearly all views; games against itself have both."""
    settings = replace(SEARCHED, against="random")
    own = [played(tmp_path, False, seed, 2, settings) for seed in range(12)]
    share = float(np.mean(np.concatenate([samples.results for samples in own]) == 2))
    assert 0.65 < share < 0.8  # one game of each two has views of both: 2/3 of views are of those who won


def test_the_net_beats_chance() -> None:
    assert min(match(net.FILE, None, 20, 1, tactics) for tactics in (False, True)) >= 0.9
    assert match(net.FILE, net.FILE, 20, 1, True) == pytest.approx(0.5, abs=0.4)


# settings and folders


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"start": "winning"}, "must be nothing or learned"),
        ({"seed": -1}, "seed must be .*, got -1"),
        ({"rounds": 0}, "rounds must be a whole number of at least 1, got 0"),
        ({"games": 0}, "games must be .*, got 0"),
        ({"keep": 1.5}, "keep must be .*, got 1.5"),
        ({"epochs": 0.0}, "epochs must be more than 0"),
        ({"rate": float("nan")}, "rate must be .*, got nan"),
        ({"against": "heuristic"}, "set playouts"),
        ({"against": "nobody", "playouts": 2, "start": "learned"}, "no agent 'nobody'"),
        ({"noise": ()}, "one or more numbers"),
        ({"noise": (0.0, -0.1)}, "at least 0"),
    ],
)
def test_bad_settings_are_refused_in_words(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadOption, match=said):
        ChampionTraining(**given)


def test_a_folder_knows_its_settings(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "net"
    assert open_folder(folder, TINY) == open_folder(folder, None) == open_folder(folder, TINY) == TINY
    with pytest.raises(BadOption, match=r"was started with other settings .*seed=4"):
        open_folder(folder, replace(TINY, noise=(0.0,)))
    assert open_folder(tmp_path / "plain", None) == ChampionTraining()


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"noise": 3}', '{"noise": [0], "rounds": "x"}', '{"noise": ["x"]}'])
def test_settings_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.json").write_text(text)
    with pytest.raises((BadText, BadOption), match=r"training settings|rounds must be"):
        open_folder(tmp_path, None)


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann")
    with pytest.raises(BadOption, match="is not empty"):
        open_folder(tmp_path, TINY)
    with pytest.raises(BadOption, match="Cannot train in"):
        open_folder(tmp_path / "letter.txt" / "net", TINY)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


# rounds


class Stopped(Exception):
    """Somebody has pressed Ctrl-C."""


def learned_in(folder: Path, told: ProgressCallback) -> Path:
    with ThreadPoolExecutor(1) as executor:
        return learn(folder, open_folder(folder, TINY), executor, 1, told)


def times(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.glob("[gn]*/*.npz")}


def test_a_run_that_was_stopped_goes_on_and_ends_with_a_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(rounds, "GAMES_PER_CHUNK", 4)
    monkeypatch.setattr(rounds, "MATCH_GAMES", 16)
    folder = tmp_path / "net"

    def stop(what: str, done: int, total: int, note: str) -> None:
        if (what, done) == ("round 0: playing", 2):
            raise Stopped

    with pytest.raises(Stopped):
        learned_in(folder, stop)
    before, told = times(folder), list[str]()
    assert sorted(before) == ["games-0/00000.npz", "games-0/00001.npz"]
    (folder / "games-0" / "00001.npz").unlink()  # as if it had been stopped a little earlier
    first = samples_of(folder / "games-0" / "00000.npz")
    kept = list[dict[str, int]]()

    def listen(what: str, done: int, total: int, note: str) -> None:
        if what == "round 0: fitting":
            kept.append(times(folder))
        told.append(f"{what} {done}/{total}")

    made = learned_in(folder, listen)
    assert told[:2] == ["round 0: playing 1/2", "round 0: playing 2/2"]
    assert kept[0]["games-0/00000.npz"] == before["games-0/00000.npz"]
    assert sorted(kept[0]) == sorted(before)
    assert {path.name for path in folder.glob("games-*")} == {"games-1"}  # only one round's games are kept
    with np.load(made) as weights, np.load(folder / "net-1.npz") as last:
        assert {name: weights[name].shape for name in weights} == net.SHAPES
        assert all((weights[name] == last[name]).all() for name in weights)
    about = json.loads((folder / "learned.json").read_text())
    assert about["settings"] == json.loads(json.dumps(asdict(TINY)))
    second = [samples_of(path) for path in folder.glob("games-1/*.npz")]
    assert len(first.results) < about["rounds"][0]["samples"]
    assert about["rounds"][1]["samples"] == sum(len(part.results) for part in second)
    assert all(len(each["against_the_one_before"]) == 2 for each in about["rounds"])
    assert not list(folder.rglob("*.part"))
    assert learned_in(folder, lambda *news: pytest.fail(f"does {news}")) == made


def test_the_fit_lowers_the_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from kibitz.games.battleline.players.train import fit

    monkeypatch.setattr(fit, "SAMPLES_PER_BATCH", 64)
    flags, context, owners, results = played(tmp_path, True)
    samples = Samples(flags[:200], context[:200], owners[:200], results[:200])
    told = list[tuple[int, int, float]]()
    _, losses = fit.fit(fit.new_weights(1, samples), samples, 10.0, 0.005, 1, lambda *news: told.append(news))
    assert [(done, total) for done, total, _ in told] == [(1, 29), (21, 29), (29, 29)]  # 10 * 190 / 64 steps
    assert told[-1][2] < told[0][2] - 0.05
    assert set(losses) == {"loss", "loss_of_flags"}


# the command


def test_without_pytorch_it_says_so_before_it_does_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('No module named torch')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    said = complaint(run("battleline", "learn", tmp_path / "net"))
    assert said.startswith("kibitz: Training needs PyTorch: pip install 'kibitz[learning]' (")
    assert not (tmp_path / "net").exists()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--rounds", "0"), "rounds must be a whole number of at least 1, got 0"),
        (("--noise", "0,loud"), "must be numbers separated by commas"),
        (("--noise", ""), "must be numbers separated by commas"),
        (("--start", "here"), "must be nothing or learned"),
    ],
)
def test_bad_options_are_told_in_one_line(tmp_path: Path, option: tuple[str, str], said: str) -> None:
    assert said in complaint(run("battleline", "learn", tmp_path / "net", *option))
    assert not (tmp_path / "net").exists()


def test_help_lists_the_options_and_loads_no_numpy() -> None:
    told = output("battleline", "train", "--help")
    for option in (*(f"--{name}" for name in asdict(TINY)), "--jobs", "DIR"):
        assert option in told
    asked = "import sys; import kibitz.games.battleline.commands; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True).stdout.strip() == b"False"


def test_the_package_tells_how_its_small_net_was_made() -> None:
    assert net.FILE.stat().st_size < 300_000
    runs = json.loads(net.FILE.with_suffix(".json").read_text())["runs"]
    for made in runs:
        settings = ChampionTraining(**{**made["settings"], "noise": tuple(made["settings"]["noise"])})
        assert len(made["rounds"]) == settings.rounds
    assert [made["settings"]["seed"] for made in runs] == [1, 2]
    assert [made["settings"]["start"] for made in runs] == ["nothing", "learned"]
