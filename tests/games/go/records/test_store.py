"""The store: nothing is lost or doubled, whatever happens to its writer; and what it refuses."""

from __future__ import annotations

import bz2
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from games.go.go_games import Game, few_games, random_games, store_of, write_records
from games.go.naive.patterns import boards_of, turned_game
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.games.go.records import importing, masters
from kibitz.games.go.records.filters import Filters
from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.masters import masters_store, open_store
from kibitz.games.go.records.search.search import search
from kibitz.games.go.records.store import COLUMNS, MANIFEST, GameStore, StoreWriter
from kibitz.games.go.records.tables import ask
from kibitz.games.go.rules.board import BLACK, WHITE
from kibitz.games.go.sgf.scan import ScannedGames, scan
from tools.make import go_masters


def games_of(seed: int, number: int) -> list[Game]:
    return random_games(seed, number, length=40)


def add(folder: Path, name: str, games: list[Game]) -> importing.ImportSummary:
    """Write games to a file and import it into the store beside."""
    return import_records([write_records(folder / f"{name}.sgf", games)], folder / "store")


def import_text(folder: Path, text: str) -> importing.ImportSummary:
    (folder / "a.sgf").write_text(text)
    return import_records([folder / "a.sgf"], folder / "store")


def contents(folder: Path) -> tuple[object, ...]:
    store = GameStore(folder)
    return (
        [store.column(name).tobytes() for name in COLUMNS if name != "sources"],
        sorted(store.column("sources").tolist()),
        ask(store, "SELECT * FROM games ORDER BY id").rows,
    )


def test_the_board_after_any_move_is_that_of_the_rules(tmp_path: Path) -> None:
    games = random_games(1, 8, 7, 120)
    store, captured = store_of(tmp_path, games, 7), 0
    for number, (setup, moves) in enumerate(games):
        boards = boards_of(7, setup, moves)
        for move, board in enumerate(boards):
            assert store.board(number, move) == board
        stones = len(setup) + sum(point >= 0 for _, point in moves) - sum(map(bool, boards[-1].points))
        assert sum(store.prisoners(number, len(moves))) == stones
        captured += stones
        assert store.moves_of(number) == [(colour, 1023 if point < 0 else point) for colour, point in moves]
    assert captured > 50
    with pytest.raises(BadOption, match=r"Game 1 has \d+ moves"):
        store.board(0, 1000)
    with pytest.raises(BadOption, match="games 1 to 8"):
        store.board(8, 0)


def test_turned_and_mirrored_games_are_duplicates(tmp_path: Path) -> None:
    game = games_of(2, 1)[0]
    images = [turned_game(9, game, image) for image in range(8)]
    swapped: Game = [], [(BLACK + WHITE - colour, point) for colour, point in game[1]]
    summary = add(tmp_path, "a", [*images, swapped])
    assert (summary.imported, summary.duplicates) == (2, 7)  # with colours swapped it is another game


def test_short_games_are_the_same_only_with_the_same_players(tmp_path: Path) -> None:
    text = "(;GM[1]SZ[9]PB[Ann];B[ee])\n(;GM[1]SZ[9]PB[Bob];B[ee])\n(;GM[1]SZ[9]PB[Bob];B[ee];W[])\n"
    summary = import_text(tmp_path, text)
    assert (summary.imported, summary.duplicates) == (2, 1)


def test_files_are_read_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = games_of(3, 30)
    first, second = write_records(tmp_path / "a.sgf", games[:20]), write_records(tmp_path / "b.sgf", games[15:])
    store = tmp_path / "store"
    assert import_records([first], store).imported == 20
    scanned: list[int] = []

    def counted(data: bytes) -> ScannedGames:
        scanned.append(len(data))
        return scan(data)

    monkeypatch.setattr(importing, "scan", counted)
    summary = import_records([first, second], store)
    assert (summary.imported, summary.duplicates) == (10, 25)
    assert scanned == [second.stat().st_size]
    summary = import_records([tmp_path], store)
    assert (summary.imported, summary.duplicates) == (0, 35)
    assert len(scanned) == 1
    import_records([write_records(tmp_path / "c.sgf", games)], tmp_path / "other")
    query = "SELECT * EXCLUDE (source) FROM games"
    assert ask(GameStore(store), query).rows == ask(GameStore(tmp_path / "other"), query).rows


def test_many_small_imports_keep_few_tables(tmp_path: Path) -> None:
    games, store = random_games(4, 20, 9, 25), tmp_path / "store"
    for i, game in enumerate(games):
        add(tmp_path, str(i), [game])
        if i == 4:
            before = GameStore(store)
    assert len(list(store.glob("*.parquet"))) == len(GameStore(store).manifest.tables) <= 16
    assert [row[0] for row in ask(GameStore(store), "SELECT id FROM games").rows] == list(range(1, 21))
    assert ask(before, "SELECT count(*) FROM games").rows == [(5,)]  # though its tables are gone


def test_illegal_moves_are_reported_and_the_game_kept_up_to_there(tmp_path: Path) -> None:
    text = (
        "(;GM[1]SZ[9]PB[occupied];B[aa];W[bb];B[bb];W[cc])\n"
        "(;GM[1]SZ[9]PB[suicide];B[ab];W[ii];B[ba];W[aa];B[cc])\n"
        "(;GM[1]SZ[9]PB[ko];B[ab];W[bb];B[ba];W[ca];B[ii];W[aa];B[ba];W[hh])\n"
        "(;GM[1]SZ[9]PB[beside];B[aa];W[zz];B[cc])\n(;GM[1]SZ[9]PB[at once];B[zz])\n"
        "(;GM[1]SZ[9]PB[nothing])\n(;GM[2]SZ[8]PB[othello];B[aa])\n(;GM[1]SZ[99];B[aa])\n"
    )
    summary = import_text(tmp_path, text)
    assert (summary.imported, summary.illegal, summary.skipped) == (4, 4, 4)
    rows = ask(GameStore(tmp_path / "store"), "SELECT black, moves, problem FROM games ORDER BY id").rows
    assert [row[:2] for row in rows] == [("occupied", 2), ("suicide", 3), ("ko", 8), ("beside", 1)]
    assert "move 3 is illegal: the point is occupied" in rows[0][2]
    assert "move 4 is illegal" in rows[1][2]
    assert "retakes a ko at once; kept anyway" in rows[2][2]
    assert rows[3][2] == "move 2 is illegal: W[zz] is no point of a board of size 9; kept up to there"
    reasons = {report.name.rpartition(", ")[2]: report.reason for report in summary.reports}
    assert reasons["game 4"] == rows[3][2]
    assert reasons["game 5"].startswith("move 1 is illegal: B[zz] is no point")
    assert reasons["game 6"] == "it has no moves"
    assert {"GM[2]", "SZ[99]"} <= {report.reason.split()[0] for report in summary.reports}


def test_junk_is_skipped_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "junk.sgf").write_bytes(bytes(range(256)) * 50)
    (tmp_path / "empty.sgf").write_bytes(b"")
    summary = import_records([tmp_path], tmp_path / "store")
    assert summary.imported == 0
    assert {Path(report.name).name for report in summary.reports} >= {"junk.sgf", "empty.sgf"}
    assert len(GameStore(tmp_path / "store")) == 0
    assert ask(GameStore(tmp_path / "store"), "SELECT count(*) FROM games").rows == [(0,)]


def test_newer_and_damaged_stores_are_refused(tmp_path: Path) -> None:
    add(tmp_path, "a", games_of(5, 2))
    path = tmp_path / "store" / MANIFEST
    manifest = json.loads(path.read_text())
    rows = manifest["rows"]
    path.write_text(json.dumps({**manifest, "version": 99}))
    with pytest.raises(BadText, match=r"has version 99.*update kibitz"):
        GameStore(tmp_path / "store")
    with pytest.raises(BadText, match="version 99"):
        import_records([tmp_path / "a.sgf"], tmp_path / "store")
    for text in ("{", "[]", json.dumps({**manifest, "rows": {**rows, "changes": float("inf")}})):
        path.write_text(text)
        with pytest.raises(BadText, match="damaged"):
            GameStore(tmp_path / "store")
    path.write_text(json.dumps({**manifest, "rows": {**rows, "changes": 10**9}}))
    with pytest.raises(BadText, match=r"damaged: changes\.bin"):
        GameStore(tmp_path / "store").column("changes")
    with pytest.raises(BadText, match="no store"):
        GameStore(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(KibitzError, match=r"cannot be written to.*--store"):
        import_records([tmp_path / "file"], tmp_path / "file" / "store")


def test_one_writer_at_a_time_and_readers_meanwhile(tmp_path: Path) -> None:
    store = tmp_path / "store"
    add(tmp_path, "a", games_of(6, 5))
    before = GameStore(store)
    with StoreWriter(store):
        with pytest.raises(BadOption, match="Another program is adding"):
            import_records([tmp_path / "a.sgf"], store)
        assert len(GameStore(store)) == 5
    add(tmp_path, "b", games_of(7, 5))
    assert (len(before), len(GameStore(store))) == (5, 10)
    assert before.board(4, 10) == GameStore(store).board(4, 10)


def test_what_a_killed_writer_left_is_overwritten(tmp_path: Path) -> None:
    store, peace = tmp_path / "store", tmp_path / "peace"
    first, second = (write_records(tmp_path / f"{seed}.sgf", games_of(seed, 6)) for seed in (8, 9))
    import_records([first], store)
    for name in COLUMNS:
        with open(store / f"{name}.bin", "ab") as file:
            file.write(os.urandom(999))
    (store / "games-000002.parquet").write_bytes(b"half a table")
    (store / f"{MANIFEST}.part").write_text("{")
    assert len(GameStore(store)) == 6
    import_records([second], store)
    import_records([first], peace)
    import_records([second], peace)
    assert contents(store) == contents(peace)


KILLED = """
import os, signal, sys
from pathlib import Path
from kibitz.games.go.records import importing

records, store, warm = map(Path, sys.argv[1:])
importing.import_records([warm], warm.parent / "warm")
importing.BATCH_SECONDS = 0.0  # every file is a commit
steps = 0


def killed_at(step, does):
    def call(*given):
        global steps
        steps += 1
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return does(*given)

    return call


for step in range(1, 26):
    child = os.fork()
    if not child:
        os.fsync, os.replace = killed_at(step, os.fsync), killed_at(step, os.replace)
        importing.import_records([records], store)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    if (store / "manifest.json").exists():
        importing.StoreWriter(store).close()  # and whoever comes next can open it
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_kills_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    """Writers are killed before each step of their first commit, each of their second, and in their third."""
    folder = tmp_path / "records"
    folder.mkdir()
    for i, game in enumerate(random_games(10, 40, 9, 30)):
        write_records(folder / f"{i:03}.sgf", [game])
    import_records([folder], tmp_path / "peace")
    command = [sys.executable, "-W", "ignore", "-c", KILLED, folder, tmp_path / "war", folder / "000.sgf"]
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert ran.stdout.split() == ["-9"] * 25, ran.stderr
    steps = len(COLUMNS) + 2  # of a commit: every column, the new manifest, and that it takes the place of the old one
    assert len(GameStore(tmp_path / "war")) == sum((step - 1) // steps for step in range(1, 26))
    import_records([folder], tmp_path / "war")
    assert contents(tmp_path / "peace") == contents(tmp_path / "war")


FULL = """
import resource, signal, sys
from pathlib import Path
from kibitz.core.errors import KibitzError
from kibitz.games.go.records.importing import import_records
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    import_records([Path(sys.argv[1])], Path(sys.argv[2]))
except KibitzError as error:
    print(error)
    sys.exit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
@pytest.mark.parametrize("room", [3000, 9000])
def test_a_full_disk_is_reported_and_spoils_nothing(tmp_path: Path, room: int) -> None:
    store = tmp_path / "store"
    add(tmp_path, "a", games_of(11, 3))
    before = contents(store)
    write_records(tmp_path / "b.sgf", games_of(12, 60))
    command = [sys.executable, "-c", FULL, str(tmp_path / "b.sgf"), str(store), str(room)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 7, ran.stderr
    assert "Nothing more can be added" in ran.stdout
    assert "run the same command again" in ran.stdout
    assert contents(store) == before
    assert import_records([tmp_path / "b.sgf"], store).imported == 60


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    for i, game in enumerate(games_of(13, 10)):
        write_records(tmp_path / f"{i}.sgf", [game])

    def interrupt(summary: importing.ImportSummary, name: str) -> None:
        if summary.imported == 4:
            signal.raise_signal(signal.SIGINT)

    summary = import_records([tmp_path], tmp_path / "store", interrupt)
    assert summary.interrupted
    assert summary.imported == len(GameStore(tmp_path / "store")) == 4
    assert import_records(sorted(tmp_path.glob("*.sgf")), tmp_path / "store").imported == 6


@pytest.fixture(scope="module")
def few() -> GameStore:
    return few_games()


@pytest.mark.parametrize("sql", [
    "COPY games TO '/tmp/kibitz-stolen.csv'", "ATTACH '/tmp/kibitz-other.db'", "CREATE TABLE t AS SELECT 1",
    "DELETE FROM games", "INSTALL httpfs", "LOAD httpfs", "SET enable_external_access=true",
    "PRAGMA database_list; SELECT 1", "SELECT 1; SELECT 2", "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM '/etc/passwd'", "SELECT * FROM glob('/*')",
    "SELECT * FROM store", "SELEC 1", "",
])  # fmt: skip
def test_sql_reads_its_tables_and_nothing_else(few: GameStore, sql: str) -> None:
    with pytest.raises(BadText, match=r"Only one SELECT|The query failed"):
        ask(few, sql)


def test_sql_answers(few: GameStore) -> None:
    games = ask(few, "SELECT count(*) FROM games").rows[0][0]
    assert games == len(few)
    moves = ask(few, "SELECT game, max(number) FROM moves GROUP BY game ORDER BY game").rows
    assert moves == ask(few, "SELECT id, moves FROM games ORDER BY id").rows
    first = ask(few, "SELECT colour, col, row FROM moves WHERE game = 1 AND number = 1").rows
    assert first == [("B", 17, 4)]  # qd
    answer = ask(few, "SELECT id FROM games ORDER BY id", 5)
    assert (len(answer.rows), answer.more) == (5, True)
    assert json.loads(answer.json())["rows"][0] == {"id": 1}


def test_the_few_games_are_the_report_s_and_engines(
    few: GameStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # as printed the records go on, but each has a misprint: gi, bj and rm are played twice
    assert [len(few.moves_of(game)) for game in range(3)] == [170, 138, 165]
    rows = ask(few, "SELECT winner, margin, komi, black_strength FROM games WHERE id = 1").rows
    assert rows == [("B", 2.5, 5.5, 18)]
    kinds = ask(few, "SELECT black LIKE 'GNU Go%', size, count(*) FROM games GROUP BY ALL ORDER BY ALL").rows
    assert kinds == [(False, 9, 12), (False, 13, 12), (False, 19, 24), (True, 9, 18), (True, 13, 12), (True, 19, 6),
                     (None, 19, 3)]  # fmt: skip
    problems = ask(few, "SELECT problem FROM games WHERE problem IS NOT NULL ORDER BY id").rows
    assert [problem.split(":")[0] for (problem,) in problems] == [f"move {n} is illegal" for n in (171, 139, 166)]
    monkeypatch.setenv("KIBITZ_DATA_DIR", str(tmp_path))
    assert open_store(None)[1]
    import_records([write_records(tmp_path / "a.sgf", games_of(14, 1))], tmp_path / "go")
    store, is_of_masters = open_store(None)
    assert (len(store), is_of_masters) == (1, False)
    monkeypatch.chdir(tmp_path)
    store, is_of_masters = open_store(Path("masters"))  # still there
    assert (len(store) > 3000, is_of_masters) == (True, True)
    import_records([tmp_path / "a.sgf"], Path("masters"))
    assert open_store(Path("masters"))[1] is False


def test_the_games_of_masters_are_bare_facts_from_before_1946() -> None:
    store = masters_store()
    assert len(store) >= 3000
    answer = ask(store, "SELECT min(year), max(year), sum((winner IS NULL)::INT), sum((winner = 'B')::INT) FROM games")
    first, last, draws, black = answer.rows[0]
    assert (first, last) == (1625, 1945)
    assert 0 < draws < 0.06 * len(store)
    assert 0.5 < black / len(store) < 0.7  # without komi
    empty = "count(black), count(white), count(date), count(result), count(*) FILTER (size = 19 AND handicap = 0)"
    assert set(ask(store, f"SELECT {empty} FROM games").rows[0]) == {len(store)}
    other = "count(black_rank), count(white_rank), count(rules), count(round), count(place), count(problem)"
    assert set(ask(store, f"SELECT {other} FROM games").rows[0]) == {0}
    players: dict[str, int] = dict(ask(store, "SELECT name, games FROM players").rows)
    assert all(players[name] >= 50 for name in ("Honinbo Dosaku", "Honinbo Shusaku", "Honinbo Shusai", "Go Seigen"))
    text = bz2.decompress((Path(masters.__file__).parent / masters.MASTERS_FILE).read_bytes()).decode()
    assert set(re.findall(r"([A-Z]+)\[", text)) == {"GM", "FF", "CA", "SZ", "B", "W", *go_masters.FACTS}


def test_a_store_that_cannot_stay_is_removed_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leaving = list[tuple[object, ...]]()
    monkeypatch.setattr("atexit.register", lambda *args, **options: leaving.append(args))

    def refuse(*paths: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.replace", lambda a, b: refuse() if b.name == "made" else os.rename(a, b))
    store = masters._create_store("masters", b"(;SZ[9];B[aa];W[bb])", tmp_path / "cache" / "made")
    assert ask(store, "SELECT source FROM games").rows == [("masters",)]
    assert (len(store), len(leaving)) == (1, 1)
    assert leaving[0][1] == store.folder


@pytest.mark.parametrize("change", [81, 3 << 10 | 5, 999])
def test_points_beside_the_board_are_damage(tmp_path: Path, change: int) -> None:
    add(tmp_path, "a", games_of(21, 3))
    assert len(GameStore(tmp_path / "store").moves_of(2)) > 10
    with open(tmp_path / "store" / "changes.bin", "r+b") as file:
        file.seek(10)
        file.write(change.to_bytes(2, "little"))
    with pytest.raises(BadText, match=r"damaged: changes\.bin"):
        GameStore(tmp_path / "store").moves_of(2)


def test_players_have_one_name_under_all_spellings(tmp_path: Path) -> None:
    names = ["Lee Sedol", "Yi Se-tol", "lee sedol 9p", "李世石", "Ann Bee", "BEE, Ann", "Ann Bee"]
    store = store_of(tmp_path, games_of(15, len(names)), heads=[f"PB[{name}]" for name in names])
    assert ask(store, "SELECT name, games FROM players ORDER BY games DESC").rows == [("Lee Sedol", 4), ("Ann Bee", 3)]
    (tmp_path / "store" / "aliases.txt").write_text("Annie; Ann Bee  # as she likes to be called\n")
    assert ask(store, "SELECT name FROM players WHERE games = 3").rows == [("Annie",)]


def test_a_store_of_version_1_is_read_and_converted(tmp_path: Path) -> None:
    add(tmp_path, "a", games_of(16, 3))
    folder = tmp_path / "store"
    moves = [GameStore(folder).moves_of(game) for game in range(3)]
    manifest = json.loads((folder / MANIFEST).read_text())
    rows = manifest["rows"]
    (folder / MANIFEST).write_text(json.dumps({**manifest, "version": 1, "rows": {**rows, "rings": rows["changes"]}}))
    (folder / "rings.bin").write_bytes(bytes(2 * rows["changes"]))
    changes = folder / "changes.bin"
    # version 1 marked changes of points that did not change again
    changes.write_bytes((np.fromfile(changes, "<u2") | np.uint16(1 << 13)).tobytes())
    old = GameStore(folder)
    assert [old.moves_of(game) for game in range(3)] == moves
    assert search(old, ["X"], filters=Filters(9)).games == 3
    add(tmp_path, "b", games_of(17, 2))
    assert json.loads((folder / MANIFEST).read_text())["version"] == 2
    assert not (folder / "rings.bin").exists()
    assert search(GameStore(folder), ["X"], filters=Filters(9)).games == 5
