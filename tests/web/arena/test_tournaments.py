"""The arena of the page: tournaments made within limits, run, stopped, resumed, killed, shown."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from clocks import PATIENCE, wait_until
from kibitz.arena import runner
from kibitz.arena.store import TournamentFolder
from kibitz.arena.tournament import Tournament
from kibitz.core.record import replay
from kibitz.web.arena import progress, tournaments
from kibitz.web.arena.tournaments import ArenaLimits, Tournaments
from kibitz.web.server.app import make_app
from kibitz.web.tables.files import TableFiles
from web.browser.serving import Server
from web.talking import TestClient, hear, refusal, styles, tell

QUICK = {"game": "dots", "options": {"rows": 2, "cols": 2}, "agents": ["random", "greedy"], "format": "match"}
WISH = {**QUICK, "games": 10, "openings": 0, "seed": 5}
LONG = {"games": 2000, "options": {"rows": 6, "cols": 6}}
"""A quarter of a minute's work: it does not end while a test looks."""
SLOW = {**WISH, "game": "uttt", "options": {}, "agents": ["random", "plain-mcts"], "seconds": 5, "games": 2}
"""Each move takes five seconds: it does not end while a test looks."""
STOPPED_GAMES = 100
"""The games of a tournament whose server ends or is killed: enough to be stopped in their midst, mostly."""
SECONDS_BETWEEN_LOOKS = 0.05
"""To look at a tournament takes the server longer than to play a game."""


def serve(folder: Path, is_open: bool = True, **limits: int) -> TestClient:
    arena = Tournaments(folder / "arena", ArenaLimits(**{"jobs": 1, **limits}))
    return TestClient(make_app(TableFiles(folder / "tables"), is_open=is_open, tournaments=arena))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with serve(tmp_path) as client:
        yield client


def ask(client: TestClient, **changes: Any) -> str:
    """Return the id of a new tournament."""
    answer = client.post("/api/arena", json={**WISH, **changes})
    assert answer.status_code == 201, answer.text
    name: str = answer.json()["id"]
    return name


def look(client: TestClient, name: str) -> dict[str, Any]:
    answer = client.get(f"/api/arena/{name}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def look_until(client: TestClient, name: str, suits: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Return a tournament as soon as it suits; a search may have to be compiled before."""
    seen = list[dict[str, Any]]()

    def suits_now() -> object:
        seen.append(look(client, name))
        return suits(seen[-1])

    wait_until(suits_now, f"the tournament {name}", 300, SECONDS_BETWEEN_LOOKS)
    return seen[-1]


def wait(client: TestClient, name: str, *states: str, played: int = 0) -> dict[str, Any]:
    """Return a tournament as soon as it is in one of some states and has this many games."""
    return look_until(client, name, lambda told: told["state"] in states and told["played"] >= played)


def command(client: TestClient, name: str, do: str, **more: Any) -> httpx.Response:
    answer: httpx.Response = client.post(f"/api/arena/{name}", json={"do": do, **more})
    return answer


def games_of(folder: Path) -> dict[str, Any]:
    return {number: replace(record, times=()) for number, record in TournamentFolder(folder).games().records.items()}


def played_here(tournament: Tournament, folder: Path) -> dict[str, Any]:
    """Return the games of a tournament as the command line would play them."""
    store = TournamentFolder.create(folder, tournament)
    with ThreadPoolExecutor(1) as executor:
        runner.run(store, executor, 1)
    return games_of(folder)


def test_a_tournament_from_the_wish_to_the_report(client: TestClient, tmp_path: Path) -> None:
    name = ask(client, agents=["random", "greedy", "level1"], format="round-robin", games=4)
    told = wait(client, name, "complete")
    assert (told["played"], told["planned"], told["title"], told["format"]) == (12, 12, "Dots-and-Boxes", "round-robin")
    assert told["agents"] == ["Random", "Greedy", "Level 1"]
    assert [each["games"] for each in told["standings"]] == [8, 8, 8]
    assert sum(each["wins"] + each["draws"] / 2 for each in told["standings"]) == 12
    assert told["leader"] == told["standings"][0]["agent"]
    assert [row[i] for i, row in enumerate(told["crosstable"])] == [None, None, None]
    assert all(rate["games"] == 4 for i, row in enumerate(told["crosstable"]) for j, rate in enumerate(row) if i != j)
    assert sorted(int(game["id"]) for game in told["games"]) == list(range(1, 13))
    tournament = TournamentFolder(tmp_path / "arena" / name).tournament()
    assert games_of(tmp_path / "arena" / name) == played_here(tournament, tmp_path / "here")
    report = client.get(f"/api/arena/{name}/report")
    assert "12 games" in report.text
    policy = report.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy
    assert len(client.get(f"/api/arena/{name}/results.csv").text.splitlines()) == 4
    assert client.get(f"/api/arena/{name}/results.json").json()["complete"]
    assert [each["state"] for each in client.get("/api/arena").json()["tournaments"]] == ["complete"]
    assert command(client, name, "resume").json() == {"error": "All games of this tournament have been played."}


def test_a_game_is_looked_at_as_a_table_and_changed_by_nobody(client: TestClient, tmp_path: Path) -> None:
    name = ask(client)
    wait(client, name, "complete")
    record = TournamentFolder(tmp_path / "arena" / name).games().records["3"]
    table = f"{name}.3"
    assert client.get(f"/api/tables/{table}").json() == {"id": table, "game": "dots"}
    kept = json.loads(client.get(f"/api/tables/{table}/record").text)
    assert (kept["moves"], kept["result"], kept["agents"]) == (list(record.moves), record.result, list(record.agents))
    assert client.get(f"/api/tables/{table}/at/2").json()["ply"] == 2
    with client.websocket_connect(f"/ws/tables/{table}") as socket:
        shown = hear(socket, "table")
        assert (shown["you"], shown["ply"], shown["outcome"]["result"]) == ([], len(record.moves), record.result)
        for do in ("undo", "restart", "now", "pause"):
            assert "watching" in refusal(socket, do)
        assert refusal(socket, "sit", tokens=["", "x"])
        tell(socket, "analyse", on=True, ply=len(record.moves) - 1)
        assert hear(socket, "analysis")["ply"] == len(record.moves) - 1
    assert list((tmp_path / "tables").glob("*.jsonl")) == []
    for wrong in (f"{name}.11", f"{name}.0", f"{name}.", "nothing.1", f"..{name}.1", ".1", f"{name}.3/../../x"):
        assert client.get(f"/api/tables/{wrong}").status_code == 404


REFUSED: dict[str, list[dict[str, Any]]] = {
    "a list of 2 to 12 agents": [{"agents": ["random"]}, {"agents": ["random"] * 13}],
    "named twice": [{"agents": ["random", "random"]}],
    "no agent 'exec:/bin/sh'. Use one of random": [{"agents": ["random", "exec:/bin/sh"]}],
    "no agent": [{"agents": ["random", spec]} for spec in ("codingame:x", "alphabeta(depth=2)")],
    "a text of at most": [{"agents": ["random", 7]}],
    "between 2 agents": [{"agents": ["random", "greedy", "level2"]}],
    "from 0 to 2000": [{"games": 2001}],
    "Games per pair must be 1 to": [{"games": 0}],
    "3000 games": [{"games": 1000, "agents": ["random", "greedy", "level2"], "format": "round-robin"}],
    "must be even": [{"games": 3, "openings": 2}],
    "from 0 to 50": [{"openings": 51}],
    "Found only 0 balanced openings": [{"openings": 1, "options": {"rows": 1, "cols": 1}}],
    "from 0.01 to 5": [{"seconds": 5.1}, {"seconds": 1e-9}],
    "from 1 to": [{"nodes": 0}],
    "one of round-robin, gauntlet, match": [{"format": "swiss"}],
    "no game 'chess'": [{"game": "chess"}],
    "rows": [{"options": {"rows": 99}}],
    "unknown field 'clock'": [{"clock": "1+1"}],
}
"""Why a tournament is refused -> requests for such tournaments."""


def test_what_is_too_much_is_refused_in_words(client: TestClient) -> None:
    for words, requests in REFUSED.items():
        for changes in requests:
            answer = client.post("/api/arena", json={**WISH, **changes})
            assert answer.status_code == 400
            assert words in answer.json()["error"]
    assert client.get("/api/arena").json()["tournaments"] == []


def test_stop_and_go_on(client: TestClient, tmp_path: Path) -> None:
    name = ask(client, **LONG)
    wait(client, name, "running", played=20)
    assert command(client, name, "stop").json()["state"] == "stopped"
    told = wait(client, name, "stopped")
    wait_idle(client)
    folder = tmp_path / "arena" / name
    before = games_of(folder)
    assert told["resumable"]
    assert 20 <= len(before) < 2000
    assert "not running" in command(client, name, "stop").json()["error"]
    assert command(client, name, "resume").json()["state"] in ("running", "waiting")
    assert "already running" in command(client, name, "resume").json()["error"]
    wait(client, name, "running", played=len(before) + 20)
    assert command(client, name, "stop").status_code == 200
    wait_idle(client)
    after = games_of(folder)
    assert len(after) > len(before)
    assert {number: after[number] for number in before} == before
    assert all(len(replay(record)) == len(record.moves) + 1 for record in list(after.values())[:20])


def wait_idle(client: TestClient) -> None:
    """Wait until nothing is played any more."""
    tournaments = client.app.state.server.tournaments  # type: ignore[attr-defined]
    wait_until(lambda: tournaments._run is None, "the end of the run")


def test_games_are_shown_while_they_are_played(client: TestClient) -> None:
    name = ask(client, **SLOW)
    live = look_until(client, name, lambda told: told["live"] and told["live"][0]["moves"])["live"]
    assert (live[0]["game_id"], live[0]["first"], live[0]["second"]) == ("1", "Random", "Monte Carlo in plain Python")
    marks = [key for key, words in styles(live[0]["picture"]).items() if "mark" in words]
    assert len(marks) == live[0]["moves"]
    assert look(client, name)["note"] == ""
    client.app.state.server.tournaments._run.is_compiling = lambda: True  # type: ignore[attr-defined]
    assert look(client, name)["note"] == tournaments.COMPILING
    assert command(client, name, "stop").json()["live"] == []
    assert client.get(f"/api/tables/{name}.1").status_code == 404


def test_others_wait_for_their_turn_and_not_too_many(tmp_path: Path) -> None:
    with serve(tmp_path, waiting=2) as client:
        first, second, third = ask(client, **SLOW), ask(client), ask(client, seed=6)
        wait(client, first, "running")
        assert [look(client, each)["state"] for each in (second, third)] == ["waiting", "waiting"]
        assert "Number 2" in look(client, third)["note"]
        refused = client.post("/api/arena", json=WISH)
        assert refused.json()["error"] == "The queue is full (2 tournaments). Try again later."
        assert command(client, second, "stop").json()["state"] == "stopped"
        assert look(client, third)["note"] == "Number 1 in the queue."
        command(client, first, "stop")
        assert wait(client, third, "complete")["played"] == 10
        assert look(client, second)["played"] == 0


def test_one_that_takes_long_goes_back_to_the_end(client: TestClient) -> None:
    long, short = ask(client, **SLOW), ask(client)
    wait(client, long, "running")
    assert look(client, short)["state"] == "waiting"
    client.app.state.server.tournaments._run.began -= 2 * tournaments.TURN_SECONDS  # type: ignore[attr-defined]
    assert wait(client, short, "complete")["played"] == 10
    wait(client, long, "running")


def test_only_its_owner_commands_a_tournament_where_others_come(tmp_path: Path) -> None:
    with serve(tmp_path, is_open=False) as client:
        made = client.post("/api/arena", json=SLOW).json()
        name, token = made["id"], made["token"]
        wait(client, name, "running")
        for wrong in ({}, {"token": None}, {"token": ""}, {"token": f"{token}x"}):
            refused = command(client, name, "stop", **wrong)
            assert (refused.status_code, "Only the browser that started" in refused.json()["error"]) == (409, True)
        assert look(client, name)["state"] == "running"
        assert token not in (tmp_path / "arena" / name / "page.json").read_text()
        assert command(client, name, "stop", token=token).json()["state"] == "stopped"
        TournamentFolder.create(tmp_path / "arena" / "study", Tournament("uttt", ("random", "reflex")))
        assert "Only the browser that started" in command(client, "study", "resume", token="").json()["error"]
        bodies: list[Any] = [{"do": "delete"}, {"do": "stop", "id": 3}, {}, []]
        for nonsense in bodies:
            assert client.post(f"/api/arena/{name}", json=nonsense).status_code == 400


def test_a_server_that_ends_stops_its_workers_and_goes_on_later(tmp_path: Path) -> None:
    with serve(tmp_path) as client:
        name, next_one = ask(client, games=STOPPED_GAMES, options={"rows": 5, "cols": 5}), ask(client)
        wait(client, name, "running", "complete", played=5)
    folder = tmp_path / "arena" / name
    before = games_of(folder)
    with serve(tmp_path) as client:
        assert look(client, name)["state"] in ("running", "waiting") or len(before) == STOPPED_GAMES
        wait(client, name, "complete")
        wait(client, next_one, "complete")
    assert games_of(folder) == played_here(TournamentFolder(folder).tournament(), tmp_path / "here")
    assert list(games_of(folder))[: len(before)] == list(before)


def test_a_killed_server_loses_nothing_and_plays_nothing_twice(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        wish = {**WISH, "games": STOPPED_GAMES, "options": {"rows": 5, "cols": 5}}
        headers = {"origin": server.url}
        made = httpx.post(f"{server.url}/api/arena", json=wish, headers=headers, timeout=PATIENCE).json()
        folder = tmp_path / "arena" / made["id"]
        wait_until(lambda: lines(folder / "games.jsonl") >= 20, "20 games", 300)
        assert server.process is not None
        workers = children(server.process.pid)
        server.stop(signal.SIGKILL)
        wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), "the end of the workers")
        before = games_of(folder)
        assert workers or len(before) == STOPPED_GAMES
        server.start()

        def is_complete() -> bool:
            told = httpx.get(f"{server.url}/api/arena/{made['id']}", timeout=PATIENCE).json()
            assert told["state"] in ("running", "waiting", "complete"), told
            return bool(told["state"] == "complete")

        wait_until(is_complete, "all games", 300, SECONDS_BETWEEN_LOOKS)
    finally:
        server.stop()
    after = games_of(folder)  # refuses a game that is there twice
    assert after == played_here(TournamentFolder(folder).tournament(), tmp_path / "here")
    assert {number: after[number] for number in before} == before


def lines(file: Path) -> int:
    """Return the number of whole lines of a file that may not exist yet."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def children(process: int) -> list[str]:
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]


def test_folders_of_the_command_line_are_listed_and_gone_on_with(client: TestClient, tmp_path: Path) -> None:
    arena = tmp_path / "arena"
    TournamentFolder.create(arena / "my.study-1", Tournament("uttt", ("random", "alphabeta(depth=1)"), games=4))
    told = look(client, "my.study-1")
    assert (told["state"], told["agents"], told["planned"]) == ("stopped", ["Random", "alphabeta(depth=1)"], 4)
    command(client, "my.study-1", "resume")
    assert wait(client, "my.study-1", "complete")["played"] == 4
    assert client.get("/api/tables/my.study-1.2").status_code == 200
    never = tmp_path / "never"
    specs = {"bots": f"exec:touch {never}", "blanks": f" exec:touch {never}"}
    for name, spec in specs.items():
        outside = TournamentFolder.create(arena / name, Tournament("uttt", ("random", spec), games=4))
        told = look(client, name)
        assert (told["state"], told["resumable"]) == ("stopped", False)
        assert "outside programs" in command(client, name, "resume").json()["error"]
        (outside.folder / "page.json").write_text(json.dumps({"owner": "", "made": "", "wanted": True}))
    with serve(tmp_path) as other:
        for name in specs:
            assert "outside programs" in wait(other, name, "failed")["note"]
    assert not never.exists()


def test_broken_folders_are_reported_and_disturb_nothing(client: TestClient, tmp_path: Path) -> None:
    arena = tmp_path / "arena"
    good = ask(client)
    wait(client, good, "complete")
    description = TournamentFolder(arena / good).description.read_text()
    line = TournamentFolder(arena / good).path.read_text().splitlines()[0]
    files = {
        "empty": None,
        "cut": '{"version": 1,',
        "list": "[]",
        "newer": '{"version": 99}',
        "bytes": "\udcff",
        "game": description.replace('"dots"', '"chess"'),
        "options": description.replace('"rows": 2', '"rows": "x"'),
        "agents": description.replace('"random"', "5"),
        "games": description.replace('"games": 10', '"games": 10000000000'),
        "edited": description,
        "twice": description,
    }
    for name, text in files.items():
        (arena / name).mkdir()
        if text is not None:
            (arena / name / "tournament.json").write_text(text, errors="surrogateescape")
    (arena / "edited" / "games.jsonl").write_text(line.replace("0", "1", 1) + "\n")
    (arena / "twice" / "games.jsonl").write_text(f"{line}\n{line}\n")
    (arena / good / "page.json").write_text("nonsense")
    (arena / ".hidden").mkdir()
    (arena / "a file").write_text("")
    listed = {each["id"]: each for each in client.get("/api/arena").json()["tournaments"]}
    assert set(listed) == {good, *files}
    assert listed[good]["state"] == "complete"
    for name in files:
        assert listed[name]["state"] == "failed", name
        assert len(listed[name]["note"]) > 20
        assert str(tmp_path) not in listed[name]["note"]
        assert look(client, name)["resumable"] is False
        assert client.get(f"/api/arena/{name}/report").status_code in (400, 404)
        assert command(client, name, "resume").status_code == 409
        assert client.get(f"/api/tables/{name}.1").status_code in (400, 404)
    assert "changed after it was written" in listed["edited"]["note"]
    assert wait(client, ask(client), "complete")["played"] == 10


@pytest.mark.parametrize("name", ["nothing", "%2e%2e%2f", "..%2farena", "...", "%00"])
def test_no_text_of_a_client_becomes_a_path(client: TestClient, name: str) -> None:
    for address in (f"/api/arena/{name}", f"/api/arena/{name}/report", f"/api/arena/{name}/games?before=1"):
        assert client.get(address).status_code == 404
    assert client.post(f"/api/arena/{name}", json={"do": "stop"}).status_code in (404, 405)


def test_earlier_games_are_had_page_by_page(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "GAMES_PER_PAGE", 4)
    name = ask(client)
    told = wait(client, name, "complete")
    found, before = [game["id"] for game in told["games"]], told["played"] - len(told["games"])
    while before:
        more = client.get(f"/api/arena/{name}/games?before={before}").json()["games"]
        found, before = found + [game["id"] for game in more], before - len(more)
    assert len(found) == len(set(found)) == 10
    assert client.get(f"/api/arena/{name}/games?before=-1").status_code == 400
    assert client.get(f"/api/arena/{name}/games").status_code == 400


def test_a_server_without_an_arena_says_so(tmp_path: Path) -> None:
    with TestClient(make_app(TableFiles(tmp_path))) as client:
        assert client.get("/api/arena").json() == {"error": "Tournaments are disabled on this server."}
