"""Tournaments that are really run: the same whatever the jobs, stops and kills; honest about faults."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kibitz
from arena.playing import games_of, run_here
from clocks import PATIENCE, StoppedClock, TickingClock, wait_until
from documented import threads
from html_page import HtmlPage
from inside import run
from kibitz.arena import cluster, match, runner
from kibitz.arena.report.figures import read_report, write_report
from kibitz.arena.store import TournamentFolder, seal
from kibitz.arena.tournament import Pairing, Terms, TimeControl, Tournament
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.faults import GameFailed
from kibitz.core.package import GamePackage
from kibitz.core.record import GameRecord, replay
from kibitz.search import control
from kibitz.search.defaults import Random
from toy import rules as toy_rules

SMALL = Tournament("uttt", ("random", "reflex", "plain-mcts(playouts=3)"), games=6, seed=1)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the small tournament was run without a stop, by two workers."""
    folder = tmp_path_factory.mktemp("clean") / "out"
    runner.run_tournament(SMALL, folder, jobs=2)
    return folder


def test_all_games_are_there_and_replay(clean: Path) -> None:
    records = TournamentFolder(clean).games().records
    assert set(records) == {pairing.id for pairing in SMALL.pairings()}
    for record in records.values():
        assert len(replay(record)) == len(record.moves) + 1
        assert len(record.times) == len(record.moves)


def test_the_number_of_workers_changes_nothing(clean: Path, tmp_path: Path) -> None:
    store = TournamentFolder.create(tmp_path / "one", SMALL)
    run_here(store)
    assert games_of(store) == games_of(TournamentFolder(clean))


def test_nothing_is_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = Counter[str]()
    monkeypatch.setattr(runner, "_open", {})

    def counted(kind: type[Any], name: str) -> None:
        parse = getattr(kind, name)

        def count(raw: Any) -> Any:
            parsed[kind.__name__] += 1
            return parse(raw)

        monkeypatch.setattr(kind, name, staticmethod(count))

    counted(Tournament, "from_json")
    counted(GameRecord, "from_object")
    batches = list[int]()
    play_batch = runner.play_batch

    def noted(description: str, pairings: Sequence[Pairing], live: Path | None = None) -> tuple[float, list[Any]]:
        batches.append(len(pairings))
        return play_batch(description, pairings, live)

    monkeypatch.setattr(runner, "play_batch", noted)
    shown = list[GameRecord]()
    store = TournamentFolder.create(tmp_path / "out", SMALL)
    run_here(store, shown.append)
    assert len(batches) > 2
    # run reads the description and the worker reads it, for all batches and agents; no game is read
    assert parsed == {"Tournament": 2}
    assert {record.id: record for record in shown} == store.games().records


def test_a_worker_keeps_the_agents_of_a_few_tournaments(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, closed = dict[str, Any](), list[str]()
    monkeypatch.setattr(runner, "_open", kept)
    monkeypatch.setattr(Random, "close", lambda agent: closed.append(agent.spec))
    tournaments = [replace(SMALL, agents=("random", "level1"), games=2, seed=seed) for seed in range(6)]
    for tournament in (*tournaments, tournaments[-4]):
        runner.play_batch(tournament.to_json(), tournament.pairings()[:1])
    assert [Tournament.from_json(text).seed for text in kept] == [3, 4, 5, 2]
    assert closed == ["random", "level1"] * 2


def test_failing_rules_stop_a_tournament_and_give_no_result(
    tmp_path: Path, toy: GamePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(self: toy_rules.State, move: int) -> toy_rules.State:
        raise ZeroDivisionError("no stones to share")

    store = TournamentFolder.create(
        tmp_path / "out", Tournament("toy", ("plain-mcts(playouts=2)", "plain-mcts(playouts=3)"), games=2, seed=1)
    )
    monkeypatch.setattr(toy_rules.State, "play", faulty)
    with pytest.raises(GameFailed, match=r"The rules of Stones failed in a game at the position .*no stones to share"):
        run_here(store)
    assert store.games().records == {}
    monkeypatch.undo()
    run_here(store)
    assert len(store.games().records) == 2


def test_a_run_stopped_anywhere_resumes_to_the_same(clean: Path, tmp_path: Path) -> None:
    lines = TournamentFolder(clean).path.read_bytes().splitlines(keepends=True)
    for seed in range(3):
        store = TournamentFolder.create(tmp_path / str(seed), SMALL)
        kept = b"".join(random.Random(seed).sample(lines, 7))
        store.path.write_bytes(kept + lines[-1][:57])
        run_here(store)
        assert games_of(store) == games_of(TournamentFolder(clean))
        assert store.path.read_bytes().startswith(kept)
        assert len(store.games().truncated) <= 1


def killed_run(store: TournamentFolder, jobs: int) -> int:
    """Go on with a tournament in new processes, kill it once there is another game, and return its session."""
    command = [sys.executable, "-m", "kibitz", "arena", "resume", str(store.folder), "--jobs", str(jobs)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    before = store.path.stat().st_size
    wait_until(lambda: store.path.stat().st_size > before or process.poll() is not None, "another game")
    process.kill()  # the process alone: its workers must notice by themselves
    process.wait()
    return process.pid


def test_kills_lose_nothing_and_repeat_nothing(tmp_path: Path) -> None:
    tournament = replace(SMALL, games=40, agents=("random", "plain-mcts(playouts=2)"))
    whole = TournamentFolder.create(tmp_path / "whole", tournament)
    run_here(whole)
    store = TournamentFolder.create(tmp_path / "killed", tournament)
    sessions, seen = list[int](), list[int]()
    for jobs in (2, 1):
        sessions.append(killed_run(store, jobs))
        seen.append(len(store.games().records))
    assert 0 < seen[0] <= seen[1]
    wait_until(lambda: not set(sessions) & sessions_now(), "the end of the workers")
    assert run("arena", "resume", store.folder, "--jobs", "1").returncode == 0
    assert games_of(store) == games_of(whole)


def sessions_now() -> set[int]:
    """Return the sessions of all processes: that of a worker is the process that started it, alive or not."""
    found = set[int]()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            found.add(int((entry / "stat").read_text().rpartition(")")[2].split()[3]))
        except OSError:
            continue
    return found


def test_ctrl_c_leaves_a_state_to_resume(tmp_path: Path) -> None:
    store = TournamentFolder.create(tmp_path / "out", replace(SMALL, games=2000))
    command = [sys.executable, "-m", "kibitz", "arena", "resume", str(store.folder)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_until(lambda: store.path.stat().st_size, "the first game")
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert re.search(r"Stopped after \d+ of 6000 games. Continue with: kibitz arena resume", told)
    assert "Traceback" not in told
    assert store.games().records


def test_two_cannot_write_at_once_nor_one_without_a_lock(tmp_path: Path) -> None:
    store = TournamentFolder.create(tmp_path / "out", SMALL)
    with store.write_lock(), pytest.raises(BadOption, match="Another process"):
        run_here(store)
    (store.folder / "lock").unlink()
    (store.folder / "lock").mkdir()
    with pytest.raises(BadOption, match=r"Cannot continue the tournament in .*: Is a directory"):
        run_here(store)


def test_a_folder_in_use_is_left_alone(clean: Path, tmp_path: Path) -> None:
    before = TournamentFolder(clean).path.read_bytes()
    with pytest.raises(BadOption, match="already has this tournament"):
        TournamentFolder.create(clean, SMALL)
    with pytest.raises(BadOption, match="another tournament"):
        TournamentFolder.create(clean, replace(SMALL, seed=2))
    assert TournamentFolder(clean).path.read_bytes() == before
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(BadOption, match="other files"):
        TournamentFolder.create(tmp_path, SMALL)
    with pytest.raises(BadText, match="not a tournament folder"):
        TournamentFolder(tmp_path / "nothing").tournament()


def _copy(clean: Path, to: Path) -> TournamentFolder:
    store = TournamentFolder.create(to, SMALL)
    store.path.write_bytes(TournamentFolder(clean).path.read_bytes())
    return store


def test_an_edited_line_is_noticed_and_named(clean: Path, tmp_path: Path) -> None:
    store = _copy(clean, tmp_path / "out")
    lines = store.path.read_text().splitlines()
    other = '"result":"0-1"' if '"result":"1-0"' in lines[4] else '"result":"1-0"'
    lines[4] = re.sub(r'"result":"[-/012]+"', other, lines[4])
    store.path.write_text("\n".join(lines) + "\n")
    for work in (store.games, lambda: run_here(store), lambda: read_report([store.folder])):
        with pytest.raises(BadText, match=r"line 5: the line was changed"):
            work()
    assert store.path.read_text() == "\n".join(lines) + "\n"


def test_doubled_foreign_and_later_lines_are_refused(clean: Path, tmp_path: Path) -> None:
    store = _copy(clean, tmp_path / "out")
    good = store.path.read_bytes()
    first = GameRecord.from_json(good.decode().splitlines()[0])
    for line, why in [
        (good.splitlines()[0].decode(), "occurs twice"),
        (seal(replace(first, id="999")), "does not belong to this tournament"),
        ('{"version": 99}', "version 99"),
        ("[1, 2]", "not a tournament game; remove the line"),
    ]:
        store.path.write_bytes(good + line.encode() + b"\n")
        with pytest.raises(BadText, match=why):
            run_here(store)


def test_an_agent_that_cannot_be_made_stops_everything_before_it_starts(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="no agent 'nobody'"):
        runner.run_tournament(replace(SMALL, agents=("random", "nobody")), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    store = TournamentFolder.create(tmp_path / "out", SMALL)
    store.path.unlink()
    store.path.symlink_to("/dev/full")
    with pytest.raises(BadText, match="No space left on device"):
        store.append(["{}"])


def test_ties_are_replayed_with_other_seeds_up_to_a_cap(tmp_path: Path) -> None:
    tournament = replace(SMALL, agents=("random", "level1"), games=40, terms=Terms(ties="replay", replays=1))
    store = TournamentFolder.create(tmp_path / "out", tournament)
    run_here(store)
    records = store.games().records.values()
    assert {record.ties for record in records} == {0, 1}
    assert all(record.ties == 1 for record in records if record.result == "1/2-1/2")
    assert any(record.ties == 1 and record.result != "1/2-1/2" for record in records)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> StoppedClock:
    """The clock of matches, which only a Spender moves."""
    stopped = StoppedClock()
    monkeypatch.setattr(match, "time", stopped)
    return stopped


class Spender(Agent):
    """Spends the same time on every move: some seconds, or exactly its budget."""

    def __init__(self, game: kibitz.Game, clock: StoppedClock, seconds: float | None = None) -> None:
        self.clock, self.seconds = clock, seconds
        super().__init__(game)

    def choose(self, view: kibitz.View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        assert budget.seconds is not None
        self.clock.now += budget.seconds if self.seconds is None else self.seconds
        return Choice(self.rng.choice(view.legal_moves()))


class Sure(Agent):
    """Holds the game for won as X and for lost as O."""

    def choose(self, view: kibitz.View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        return Choice(view.legal_moves()[0], value=1.0 if view.to_move == 0 else 0.0, unit="probability")


def test_too_much_time_loses_the_game(clock: StoppedClock) -> None:
    game = kibitz.game("uttt")
    slow, quick = Spender(game, clock, 0.25), Spender(game, clock, 0.1875)
    record = kibitz.play(game, [quick, slow], budget=Budget(seconds=0.125), grace=0.0625)  # quick uses all of both
    assert (record.result, record.times) == ("1-0", (0.1875,))
    assert record.reason == "forfeit by O: out of time: the move took 0.25 s, the limit was 0.12 s"
    record = kibitz.play(game, [slow, quick], budget=Budget(seconds=0.125))
    assert "forfeit" not in record.reason, "without a grace nobody loses by a budget"


def test_an_empty_clock_loses_the_game(clock: StoppedClock) -> None:
    game = kibitz.game("uttt")
    slow, quick = Spender(game, clock, 0.25), Spender(game, clock, 0.125)
    record = kibitz.play(game, [slow, quick], clock=TimeControl(0.625))
    assert (record.result, record.times) == ("0-1", (0.25, 0.125, 0.25, 0.125))
    assert record.reason == "forfeit by X: out of time: the clock ran out 0.12 s before the move"
    record = kibitz.play(game, [slow, quick], clock=TimeControl(0.625, 0.125))  # enough for four moves
    assert (record.result, len(record.moves)) == ("0-1", 8)
    assert record.reason == "forfeit by X: out of time: the clock ran out 0.12 s before the move"


def test_the_shares_of_a_clock_never_exhaust_it(clock: StoppedClock) -> None:
    game = kibitz.game("uttt")
    for each in (TimeControl(1.0), TimeControl(1.0, 0.02), TimeControl(0.01, 1.0)):
        record = kibitz.play(game, [Spender(game, clock), Spender(game, clock)], clock=each)
        assert "forfeit" not in record.reason
        for seat in (0, 1):
            left = each.seconds
            for seconds in record.times[seat::2]:
                assert seconds == pytest.approx(each.budget(left).seconds, abs=1e-5)
                assert 0 < seconds < left
                left += each.increment - seconds


def test_a_clock_is_kept_by_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a clock that goes on by a millisecond a look, so that no busy machine is late by it."""
    game, clock = kibitz.game("uttt"), TickingClock(0.001)
    monkeypatch.setattr(match, "time", clock)
    monkeypatch.setattr(control, "time", clock)
    monkeypatch.setattr(control, "_POLL_SECONDS", 0.001)
    record = kibitz.play(
        game, [kibitz.agent(game, "alphabeta"), kibitz.agent(game, "mcts")], clock=TimeControl(1.0, 0.02)
    )
    assert "forfeit" not in record.reason
    for seat in (0, 1):
        times = record.times[seat::2]
        assert 0.5 < sum(times) < 1.0 + 0.02 * len(times)
        assert max(times) == times[0] == pytest.approx(0.065, abs=0.01)  # a twentieth, and most of the increment


def test_games_are_adjudicated_only_when_asked_and_agreed() -> None:
    game = kibitz.game("uttt")
    agents = [Sure(game), Sure(game)]
    assert "adjudicated" not in kibitz.play(game, agents).reason
    record = kibitz.play(game, agents, adjudicate=True)
    assert (record.result, len(record.moves)) == ("1-0", 6)
    assert record.reason == "adjudicated: both agents consider the game decided"
    assert replay(record)
    assert "adjudicated" not in kibitz.play(game, [Sure(game), kibitz.agent(game, "random")], adjudicate=True).reason


@pytest.fixture
def unfinished(clean: Path, tmp_path: Path) -> TournamentFolder:
    """A tournament of which a kill left eleven games and a torn line."""
    store = TournamentFolder.create(tmp_path / "out", SMALL)
    lines = TournamentFolder(clean).path.read_bytes().splitlines(keepends=True)
    store.path.write_bytes(b"".join(lines[:11]) + lines[11][:30])
    return store


def test_the_report_of_a_killed_tournament_says_what_is_missing(unfinished: TournamentFolder) -> None:
    done = run("arena", "report", unfinished.folder)
    assert done.returncode == 0, done.stderr
    assert "Incomplete: 11 of 18 games" in done.stdout
    assert "cut off by a kill or a full disk: 1." in done.stdout
    results = json.loads((unfinished.folder / "results.json").read_text())
    assert (results["games"], results["planned"], results["complete"]) == (11, 18, False)
    assert sum(s["games"] for s in results["standings"]) == 22
    assert len((unfinished.folder / "results.csv").read_text().splitlines()) == 4
    page = (unfinished.folder / "report.html").read_text()
    assert "11 of 18 games have been played" in page


def test_the_page_stands_alone_and_escapes_names(clean: Path, tmp_path: Path) -> None:
    report = read_report([clean])
    write_report(report, tmp_path, "<script>alert(1)</script> & co")
    text = (tmp_path / "report.html").read_text()
    assert HtmlPage(text).links == []
    assert "http" not in text
    assert "<script>alert" not in text
    reel: Any = json.loads(re.search(r'id="games">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert len(reel["games"]) == 3
    assert all(len(game["frames"]) == len(game["moves"]) + 1 for game in reel["games"])
    numbers = {number for game in reel["games"] for frame in game["frames"] for number in frame}
    assert numbers == set(range(len(reel["elements"])))


def test_tournaments_of_one_game_make_one_list_and_others_are_refused(clean: Path, tmp_path: Path) -> None:
    more = TournamentFolder.create(tmp_path / "more", replace(SMALL, agents=("random", "level2"), seed=9))
    run_here(more)
    both = read_report([clean, more.folder])
    assert len(both.results.standings) == 4
    assert len(both.records) == 24
    other = TournamentFolder.create(tmp_path / "open", replace(SMALL, options={"variant": "open"}))
    with pytest.raises(KibitzError, match="different games or options"):
        read_report([clean, other.folder])


def test_a_test_stops_by_itself_and_is_not_run_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "local_executor", threads)
    command = ["sprt", "uttt", "G_Winning", "random", "--elo1", "200", "--openings", "0", "--seed", "2"]
    done = run("arena", *command, "--jobs", "1", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "H1 accepted" in done.stdout
    store = TournamentFolder(tmp_path / "out")
    games = store.games().records
    assert 10 < len(games) < 2000
    run_here(store)
    assert store.games().records == games


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["run", "chess", "a", "b"], "no game 'chess'"),
        (["run", "uttt", "random"], "2 agents or more"),
        (["run", "uttt", "random", "nobody"], "no agent 'nobody'"),
        (["run", "uttt", "random", "reflex", "--clock", "x"], "not a clock"),
        (["run", "uttt", "random", "reflex", "--openings", "missing.txt"], "missing.txt: No such file"),
        (["run", "uttt", "random", "reflex", "--format", "swiss"], "swiss"),
        (["resume", "nowhere"], "not a tournament folder"),
        (["report", "nowhere"], "not a tournament folder"),
        (["preset", "nothing"], "Unknown preset"),
        (["sprt", "uttt", "random", "reflex", "--elo1", "-5"], "elo0 must be less"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    command: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("arena", *command)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("kibitz: ")
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_test_of_a_game_with_cards_plays_each_deal_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "local_executor", threads)
    command = ["sprt", "battleline", "reflex", "random", "--elo1", "300", "--games", "4", "--jobs", "1"]
    ran = run("arena", *command, "--out", tmp_path / "out", "--seed", "2")
    assert ran.returncode == 0, ran.stderr
    assert "openings" not in ran.stderr
    played = TournamentFolder(tmp_path / "out").games().records
    games = [played[number] for number in sorted(played, key=int)]
    assert len(games) > 2
    assert {record.start for record in games} == {None}
    deals = [replay(record)[0] for record in games]
    assert deals[0] == deals[1] != deals[2]
