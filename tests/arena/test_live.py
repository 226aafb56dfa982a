"""Tournaments that are watched and stopped while they run."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

import kibitz
from arena.playing import games_of, run_here
from clocks import PATIENCE, StoppedClock, wait_until
from kibitz.arena import live, runner
from kibitz.arena.live import LiveFile, read_live
from kibitz.arena.store import TournamentFolder, TournamentGames, seal
from kibitz.arena.tournament import Tournament
from kibitz.compiled.notice import announce
from kibitz.core.errors import BadText
from kibitz.core.record import GameRecord, replay

SMALL = Tournament("uttt", ("random", "reflex"), games=40, seed=3)


def test_a_game_is_followed_before_every_move() -> None:
    game = kibitz.game("uttt")
    seen: list[tuple[str, ...]] = []
    agents = [kibitz.agent(game, "reflex"), kibitz.agent(game, "random")]
    record = kibitz.play(game, agents, follow=lambda moves: seen.append(tuple(moves)))
    assert seen == [record.moves[:n] for n in range(len(record.moves))]


def test_a_live_file_holds_the_game_so_far_and_is_not_written_too_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = StoppedClock()
    monkeypatch.setattr(live, "time", clock)
    file, game = LiveFile(tmp_path), kibitz.game("uttt")
    pairing = SMALL.pairings()[1]
    moves = ["40", "36", "0", "1", "9"]
    told = []
    for number in range(len(moves) + 1):
        file.show(game, pairing, 7, moves[:number])
        told.append(len(read_live(tmp_path)[0].moves))
    assert told == [0, 1, 2, 2, 2, 2]
    clock.now += live.WRITE_SECONDS
    file.show(game, pairing, 7, moves)
    (shown,) = read_live(tmp_path)
    assert (shown.moves, shown.agents, shown.id, shown.result) == (tuple(moves), ("reflex", "random"), "2", "*")
    assert len(replay(shown)) == 6
    file.close()
    assert read_live(tmp_path) == []


def test_what_is_no_record_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text('{"game": "ut')
    (tmp_path / "2.json").write_bytes(b"\xff")
    assert read_live(tmp_path) == []
    assert read_live(tmp_path / "missing") == []


def test_a_file_that_cannot_be_written_costs_no_game(tmp_path: Path) -> None:
    LiveFile(tmp_path / "missing").show(kibitz.game("uttt"), SMALL.pairings()[0], 0, [])
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_is_stopped_keeps_its_games_and_goes_on(tmp_path: Path) -> None:
    whole = TournamentFolder.create(tmp_path / "whole", SMALL)
    stopped = TournamentFolder.create(tmp_path / "stopped", SMALL)
    run_here(whole)
    done: list[GameRecord] = []
    with pytest.raises(runner.TournamentStopped):
        run_here(stopped, done.append, lambda: len(done) >= 5)
    assert set(stopped.games().records) == {record.id for record in done}
    assert 5 <= len(done) < 40
    run_here(stopped, live=stopped.folder / "live")
    assert games_of(whole) == games_of(stopped)
    assert not (stopped.folder / "live").exists()


def test_stopping_ends_the_workers_at_once_and_their_games_were_seen(tmp_path: Path) -> None:
    slow = Tournament("uttt", ("random", "plain-mcts(playouts=10000000)"), games=2)
    store, stop = TournamentFolder.create(tmp_path / "out", slow), threading.Event()
    seen: list[GameRecord] = []
    workers: list[int] = []

    def watch() -> None:
        deadline = time.monotonic() + PATIENCE
        while not any(record.moves for record in seen) and time.monotonic() < deadline:
            time.sleep(0.05)
            seen.extend(read_live(store.folder / "live"))
        workers.extend(int(path.stem) for path in (store.folder / "live").glob("*.json"))
        stop.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    with pytest.raises(runner.TournamentStopped), runner.local_executor(1, niceness=7) as executor:
        runner.run(store, executor, 1, stop=stop.is_set, live=store.folder / "live")
    watcher.join()
    assert {(record.id, len(record.moves)) for record in seen} <= {("1", 0), ("1", 1)}
    assert seen[-1].moves
    assert store.games().records == {}
    assert workers
    wait_until(lambda: not any(_is_alive(worker) for worker in workers), "the end of the workers")


def _is_alive(process: int) -> bool:
    try:
        return "\nState:\tZ" not in (Path("/proc") / str(process) / "status").read_text()
    except OSError:
        return False


def test_workers_let_others_go_first() -> None:
    with runner.local_executor(1, niceness=7) as executor:
        assert executor.submit(os.nice, 0).result() == os.nice(0) + 7


def test_quiet_workers_are_asked_whether_they_compile(capfd: pytest.CaptureFixture[str]) -> None:
    with runner.local_executor(1, quiet=True) as executor:
        assert not executor.is_compiling()
        executor.submit(announce, "grow").result()
        assert executor.is_compiling()
        executor.submit(announce, None).result()
        assert not executor.is_compiling()
    assert capfd.readouterr().err == ""
    with runner.local_executor(1) as executor:
        executor.submit(announce, "grow").result()
        assert not executor.is_compiling()
    assert capfd.readouterr().err == "compiling a search (grow); cached for later ...\n"


def test_games_are_read_on_from_where_one_was(tmp_path: Path) -> None:
    store = TournamentFolder.create(tmp_path / "out", SMALL)
    game = kibitz.game("uttt")
    agents = [kibitz.agent(game, "random"), kibitz.agent(game, "reflex")]
    lines = [seal(kibitz.play(game, agents, seed, id=str(seed + 1))) for seed in range(3)]
    found = TournamentGames()
    assert store.read_new_games(found) == b""
    store.append(lines[:1])
    with store.path.open("a") as file:
        file.write(lines[1][:50])
    assert store.read_new_games(found) == lines[1][:50].encode()
    assert list(found.records) == ["1"]
    with store.path.open("a") as file:
        file.write(lines[1][50:] + "\n")
    store.append([lines[2].replace('"moves"', '"moves "', 1)])
    with pytest.raises(BadText, match="line 3: the line was changed"):
        store.read_new_games(found)
    assert list(found.records) == ["1", "2"]
