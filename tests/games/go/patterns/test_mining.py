"""Mining a store: only new games, all or nothing, continued after a stop; and what is listed, found and made of it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path

import duckdb
import numpy as np
import pytest

from games.go.go_games import random_game, random_games
from games.go.naive import mining as naive
from games.go.naive.patterns import boards_of
from games.go.patterns.mined_games import FINAL, HEADS, MOVES, add, least_text, mined_games, tables_of
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.games.go.patterns import listing
from kibitz.games.go.patterns.clusters import find_clusters
from kibitz.games.go.patterns.listing import PatternFilter, list_patterns, occurrences
from kibitz.games.go.patterns.matching import PatternMatcher, keys_around
from kibitz.games.go.patterns.mining import mined as mined_module
from kibitz.games.go.patterns.mining import mining
from kibitz.games.go.patterns.mining.meaning import MEANINGS
from kibitz.games.go.patterns.mining.mined import Kind, Mined, check_kind, default_kinds
from kibitz.games.go.patterns.mining.mining import mine
from kibitz.games.go.patterns.shapes import SIGNS, parse_shape
from kibitz.games.go.patterns.tallies import Sightings, Tally
from kibitz.games.go.patterns.templates import find_templates
from kibitz.games.go.records.tables import MINED, ask
from kibitz.games.go.rules.board import BLACK, WHITE


def test_figures_of_patterns(tmp_path: Path) -> None:
    games, store = mined_games(tmp_path, 1, 12)
    summary = mine(store, [MOVES, FINAL])
    assert (summary.games, summary.new, summary.interrupted) == (12, 12, False)
    seen: dict[str, Counter[str]] = {}
    for game, _, board, colour, point in naive.turns(games, 9):
        facts = seen.setdefault(min(naive.forms(naive.window(board, point, "3x3", colour), False)), Counter())
        facts["count"] += 1
        facts["decided"] += game % 3 != 2
        facts["won"] += game % 3 != 2 and colour == (BLACK, WHITE)[game % 3]
        facts[naive.meaning(board, point, colour)] += 1
        facts["old"] |= game % 3 == 0
        facts["new"] |= game % 3 == 1
    with Mined(store.folder) as mined:
        listed = list_patterns(store, mined, MOVES, PatternFilter(limit=10_000))
    assert len(listed) == len(seen) > 100
    assert [pattern.count for pattern in listed] == sorted((pattern.count for pattern in listed), reverse=True)
    for pattern in listed:
        window = naive.square("".join(pattern.rows))
        facts = seen[min(naive.forms(window, False))]
        assert (pattern.count, pattern.decided, pattern.won) == (facts["count"], facts["decided"], facts["won"])
        assert pattern.meanings == {name: facts[name] for name in MEANINGS if facts[name]}
        wanted = (1990 if facts["old"] else 2003) if facts["old"] or facts["new"] else 0, 2003 if facts["new"] else 1990
        assert (pattern.first_year, pattern.last_year) == (wanted if wanted[0] else (0, 0))
        assert pattern.stones == sum(sign in "XO" for row in pattern.rows for sign in row)
        assert pattern.edge == sum(sign == "#" for row in pattern.rows for sign in row)
        setup, moves = games[pattern.game - 1]
        colour, point = moves[pattern.place - 1]
        board = boards_of(9, setup, moves)[pattern.place - 1]
        assert naive.text(naive.window(board, point, "3x3", colour)) in naive.forms(window, False)


def test_only_new_games_are_mined_and_the_result_is_the_same(tmp_path: Path) -> None:
    kinds = [*default_kinds(9), Kind("final", "3x3", 12, 9), Kind("moves", "7x7", 8, 9), Kind("moves", "full", 8, 9)]
    games, whole = mined_games(tmp_path / "one", 2, 20, *kinds)
    store = add(tmp_path / "two", games[:7])
    mine(store, kinds)
    store = add(tmp_path / "two", games[7:], (*HEADS[1:], *HEADS[:1]))  # as they go on after seven games
    summary = mine(store, [MOVES])
    assert summary.new == 13
    assert tables_of(store) == tables_of(whole)
    before = (store.folder / MINED).stat().st_mtime_ns
    assert mine(store, [MOVES]).new == 0
    assert (store.folder / MINED).stat().st_mtime_ns == before


def test_a_stopped_miner_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games, whole = mined_games(tmp_path / "one", 3, 15, MOVES, FINAL)
    store = add(tmp_path, games)
    monkeypatch.setattr(mining, "GAMES_PER_PORTION", 4)
    monkeypatch.setattr(mining, "CHECKPOINT_SECONDS", 0.0)

    class Killed(Exception):
        pass

    def kill(done: int, total: int) -> None:
        assert total == 15
        if done == 12:
            raise Killed

    with pytest.raises(Killed):
        mine(store, [MOVES, FINAL], min_count=2, on_progress=kill)
    with Mined(store.folder) as mined:
        assert mined.kinds()[MOVES]["games"] == 8
    done = []
    summary = mine(store, [MOVES, FINAL], on_progress=lambda at, total: done.append(at))
    assert (summary.new, done[0]) == (7, 12)
    assert tables_of(store) == tables_of(whole)


def test_what_was_dropped_is_counted_anew(tmp_path: Path) -> None:
    games = random_games(4, 12)
    store = add(tmp_path, games[:8])
    mine(store, [MOVES], min_count=3, min_stones=1)
    with Mined(store.folder) as mined:
        few = list_patterns(store, mined, MOVES, PatternFilter(limit=9999))
        assert min(pattern.count for pattern in few) == 3
        assert min(pattern.stones for pattern in few) == 1
        assert mined.kinds()[MOVES]["min_count"] == 3
    assert mine(store, [MOVES], min_count=3, min_stones=1).new == 0
    assert mine(store, [MOVES], min_count=2).new == 8  # what was dropped is not there any more
    store = add(tmp_path, games[8:], (*HEADS[2:], *HEADS[:2]))
    assert mine(store, [MOVES]).new == 12
    with Mined(store.folder) as mined:
        listed = list_patterns(store, mined, MOVES, PatternFilter(limit=9999))
        assert sum(pattern.count for pattern in listed) == mined.kinds()[MOVES]["windows"]


def test_what_was_dropped_stays_dropped_beside_other_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = random_games(15, 12)
    store = add(tmp_path, games[:8])
    mine(store, [MOVES], min_count=3)
    monkeypatch.setattr(mining, "GAMES_PER_PORTION", 3)
    monkeypatch.setattr(mining, "CHECKPOINT_SECONDS", 0.0)
    mine(store, [FINAL])  # writes checkpoints with the other kind beside
    with Mined(store.folder) as mined:
        assert mined.kinds()[MOVES]["min_count"] == 3
    store = add(tmp_path, games[8:])
    mine(store, [FINAL])
    with Mined(store.folder) as mined:
        assert mined.kinds()[MOVES]["games"] == 12
        listed = list_patterns(store, mined, MOVES, PatternFilter(limit=9999))
    counts = naive.played(games, 9, "3x3")
    assert sorted(pattern.count for pattern in listed) == sorted(n for n in counts.values() if n >= 3)


def test_nothing_is_lost_when_it_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, store = mined_games(tmp_path, 5, 5, MOVES)
    before = tables_of(store)
    store = add(tmp_path, random_games(6, 5))

    def full(*args: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(mined_module, "_write_kind", full)
    with pytest.raises(KibitzError, match="No space left"):
        mine(store, [MOVES])
    assert tables_of(store) == before
    assert not list(store.folder.glob("*.new*"))


def test_a_store_without_games_of_the_size(tmp_path: Path) -> None:
    _, store = mined_games(tmp_path, 12, 3)
    assert set(mine(store).patterns.values()) == {0}
    with Mined(store.folder) as mined:
        assert list_patterns(store, mined, Kind("moves", "3x3", 8), PatternFilter()) == []
    assert ask(store, "SELECT count(*) FROM joseki").rows == [(0,)]


def test_another_store_in_the_same_folder_is_mined_anew(tmp_path: Path) -> None:
    _, store = mined_games(tmp_path, 13, 6, MOVES)
    for path in store.folder.iterdir():
        if path.name != MINED:
            path.unlink()
    games, store = mined_games(tmp_path, 14, 6)
    assert mine(store, [MOVES]).new == 6
    assert ask(store, "SELECT sum(count) FROM patterns").rows == [(naive.played(games, 9, "3x3").total(),)]


def test_two_cannot_mine_at_once_and_damage_is_reported(tmp_path: Path) -> None:
    store = add(tmp_path, random_games(7, 3))
    with pytest.raises(BadText, match="kibitz go mine"):
        Mined(store.folder)
    with mining._locked(store.folder, 0), pytest.raises(BadOption, match="Another program is mining"):
        mine(store, [MOVES])
    mine(store, [MOVES])
    (store.folder / MINED).write_bytes(b"not a database" * 1000)
    with pytest.raises(BadText, match="--anew"):
        Mined(store.folder)
    with pytest.raises(BadText, match="--anew"):
        ask(store, "SELECT 1")
    mine(store, [MOVES])  # what cannot be read is made again
    assert ask(store, "SELECT count(*) FROM patterns").rows[0][0] > 50


def test_sql_reaches_what_was_mined_but_cannot_change_it(tmp_path: Path) -> None:
    games, store = mined_games(tmp_path, 8, 6, MOVES, FINAL)
    counted = ask(store, "SELECT sum(count) FROM patterns JOIN kinds USING (kind) WHERE source = 'moves'").rows
    assert counted == [(sum(point >= 0 for _, moves in games for _, point in moves),)]
    assert len(ask(store, "SELECT mined.signs(key, 9) FROM patterns LIMIT 1").rows[0][0]) == 9
    state = ask(store, "SELECT state FROM boards WHERE game = 4").rows[0][0]
    assert state == "".join(SIGNS[code] for code in boards_of(9, *games[3])[-1].points)
    for sql in ("DELETE FROM patterns", "SELECT * FROM read_csv('/etc/passwd')"):
        with pytest.raises(BadText):
            ask(store, sql)


def test_a_file_of_somebody_else_reaches_no_other(tmp_path: Path) -> None:
    store, secret, never = add(tmp_path, random_games(8, 2)), tmp_path / "secret", tmp_path / "never"
    secret.write_text("hush")
    name = f"x\" AS SELECT 1; COPY (SELECT 1) TO '{never}'; --"
    with duckdb.connect(str(store.folder / MINED)) as connection:
        connection.execute("CREATE TABLE about AS SELECT 1 AS version")
        connection.execute(f"CREATE VIEW kinds AS SELECT content FROM read_text('{secret}')")
        connection.execute('CREATE TABLE "' + name.replace('"', '""') + '" (i INTEGER)')
    for out in (None, tmp_path / "out.csv"):
        with Mined(store.folder, out) as mined, pytest.raises(duckdb.PermissionException):
            mined.connection.execute("SELECT * FROM kinds").fetchall()
    assert ask(store, "SELECT 2").rows == [(2,)]
    with pytest.raises(BadText, match="disabled"):
        ask(store, "SELECT * FROM mined.kinds")
    assert not never.exists()


def test_matching_finds_what_a_plain_look_finds(tmp_path: Path) -> None:
    games, store = mined_games(tmp_path, 9, 10, MOVES)
    counts = naive.played(games, 9, "3x3")
    with Mined(store.folder) as mined:
        matcher = PatternMatcher(MOVES, mined.load(MOVES).tally)
    board = boards_of(9, *random_game(random.Random(77), 9, 40))[-1]
    for colour in (BLACK, WHITE):
        empty = [point for point in range(81) if board.points[point] == 0]
        forms = {point: min(naive.forms(naive.window(board, point, "3x3", colour), False)) for point in empty}
        wanted = {point: counts[form] for point, form in forms.items() if counts[form]}
        found = matcher.matches(board, colour)
        assert {pattern.point: pattern.times for pattern in found} == wanted
        with Mined(store.folder) as mined:
            for point, key in keys_around(MOVES.shape, board, colour).items():
                known = list_patterns(store, mined, MOVES, PatternFilter(keys=(key,)))
                assert [pattern.count for pattern in known] == ([wanted[point]] if point in wanted else [])
        assert len(wanted) > 20
        assert [pattern.times for pattern in found] == sorted(wanted.values(), reverse=True)
    points, numbers = matcher.match_game(store, 0)
    assert points.tolist() == [point for _, point in games[0][1] if point >= 0]
    assert np.all(numbers[np.arange(len(points)), points] >= 0), "every move that was played is known"
    with pytest.raises(BadOption, match="Only windows around moves"):
        PatternMatcher(FINAL, Tally(False))


def test_where_a_pattern_was_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games, store = mined_games(tmp_path, 16, 9, MOVES, FINAL)
    monkeypatch.setattr(listing, "GAMES_PER_BATCH", 4)
    with Mined(store.folder) as mined:
        for kind in (MOVES, FINAL):
            for pattern in list_patterns(store, mined, kind, PatternFilter(limit=40, sort="count"))[::7]:
                found = occurrences(store, kind, pattern.key, 10_000)
                assert len(found) == pattern.count
                assert found[0] == (pattern.game, pattern.place)
                assert occurrences(store, kind, pattern.key, 2) == found[:2]
                window = naive.square("".join(pattern.rows))
                for game, place in found[:20]:
                    setup, moves = games[game - 1]
                    boards = boards_of(9, setup, moves)
                    colour, point = moves[place - 1] if kind is MOVES else (BLACK, place)
                    board = boards[place - 1] if kind is MOVES else boards[-1]
                    lies = naive.text(naive.window(board, point, "3x3", colour))
                    assert lies in naive.forms(window, kind is FINAL)
    with pytest.raises(BadOption, match="12 forms"):
        occurrences(store, Kind("final", "3x3", 12, 9), 5)


def test_impossible_kinds_and_filters_are_refused() -> None:
    assert check_kind(Kind("moves", " 5X5 ", 8)).shape == "5x5"
    for bad in (Kind("moves", "3x3", 16), Kind("final", "full", 16), Kind("end", "3x3", 8), Kind("final", "7x7", 12)):
        with pytest.raises(BadOption):
            check_kind(bad)
    for wanted in (PatternFilter(sort="name"), PatternFilter(meaning="dance")):
        with pytest.raises(BadOption):
            wanted.sql(0)


def test_duckdb_reads_the_file_alone(tmp_path: Path) -> None:
    """The tables are plain: whoever has DuckDB can use them."""
    _, store = mined_games(tmp_path, 11, 4, *default_kinds(9))
    with duckdb.connect(str(store.folder / MINED), read_only=True) as connection:
        names = {row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        total = connection.execute("SELECT sum(windows) FROM kinds").fetchone()
    assert names == {"patterns", "kinds", "templates", "template_patterns", "fuseki", "joseki", "boards", "about"}
    assert total is not None
    assert json.loads(str(total[0])) > 500


def test_a_miner_may_wait_for_another(tmp_path: Path) -> None:
    """The other one has its lock until its process ends."""
    store = add(tmp_path, random_games(1, 3))
    holder = (
        "import sys, time; from kibitz.core.files import try_lock; f = open(sys.argv[1], 'w'); assert try_lock(f); "
        "print('locked', flush=True); time.sleep(1)"
    )
    lock = str(store.folder / mining.LOCK_FILE)
    with subprocess.Popen([sys.executable, "-c", holder, lock], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert mine(store, [MOVES], wait_seconds=300).games == 3


def brute_templates(least: Iterable[str], known: set[str], forms: int, wild: int) -> set[str]:
    """Return the least form of each template of 3x3 windows, by filling every point of the least form of each."""
    found = set()
    for text in least:
        for places in combinations(range(9), wild):
            if forms == 8 and 4 in places:
                continue
            base = list(text)
            if any(base[place] == "#" for place in places):
                continue
            filled = []
            for signs in product(".XO", repeat=wild):
                for place, sign in zip(places, signs, strict=True):
                    base[place] = sign
                filled.append("".join(base))
            if all(text in known for text in filled):
                for place in places:
                    base[place] = "?"
                found.add(min(naive.forms(naive.square(base), forms == 16)))
    return found


@pytest.mark.parametrize(("kind", "wild"), [(MOVES, 1), (FINAL, 1), (FINAL, 2)])
def test_templates_are_those_of_a_plain_search(tmp_path: Path, kind: Kind, wild: int) -> None:
    games, store = mined_games(tmp_path, 10, 25, kind)
    counts = naive.played(games, 9, "3x3") if kind is MOVES else naive.final(games, 9, "3x3", True)
    known = {form for text in counts for form in naive.forms(naive.square(text), kind is FINAL)}
    with Mined(store.folder) as mined:
        found = find_templates(kind, mined.load(kind).tally, wild)
    texts = []
    for at in range(len(found)):
        texts.append(min(naive.forms(naive.square("".join(found.rows(at))), kind is FINAL)))
        covered = {least_text(found.shape, key, kind is FINAL) for key in found.covered[at].tolist()}
        assert len(covered) == found.patterns[at]
        assert sum(counts[text] for text in covered) == found.counts[at]
    assert len(set(texts)) == len(texts) > 50
    assert set(texts) == brute_templates(counts, known, kind.forms, wild)


def test_at_most_3906_templates_of_3x3() -> None:
    shape = parse_shape("3x3")
    keys = np.array(sorted({shape.canonical(shape.key([at // 3**i % 3 for i in range(9)])) for at in range(3**9)}))
    assert len(keys) == 1444
    tally = Tally(False)
    years = np.zeros(1, np.int16)
    years.flags.writeable = False  # as a store has them
    tally.add(keys, Sightings.blank(len(keys)), years)
    assert len(find_templates(Kind("final", "3x3", 16), tally)) == 3906


def test_clusters() -> None:
    counts = np.array([1, 1, 2, 1000, 1200, 900, 1, 2], np.int32)
    stones = np.array([10, 11, 10, 2, 2, 3, 1, 1])
    classes = np.zeros((8, len(MEANINGS)), np.int32)
    classes[3:6, list(MEANINGS).index("cut")] = 5
    found, cluster_of = find_clusters(counts, stones, classes, 3)
    assert [sorted(counts[cluster_of == at].tolist()) for at in range(3)] == [[900, 1000, 1200], [1, 1, 2], [1, 2]]
    assert [(c.patterns, c.windows, c.meaning) for c in found] == [(3, 3100, "cut"), (3, 4, ""), (2, 3, "")]
    assert find_clusters(counts[:0], stones[:0], classes[:0])[0] == []
    with pytest.raises(BadOption):
        find_clusters(counts, stones, classes, 0)
