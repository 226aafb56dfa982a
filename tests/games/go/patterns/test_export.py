"""Patterns in the formats of other programs, drawn, and the report of 2013 repeated."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import duckdb
import numpy as np
import pytest

from games.go.go_games import Game, few_games, random_games, store_of
from games.go.naive import mining as naive
from games.go.naive.patterns import boards_of
from kibitz.core.errors import BadOption, KibitzError
from kibitz.games.go.patterns.charts import clusters_svg, sheet_svg
from kibitz.games.go.patterns.export import gnugo_db, gnugo_rows, mm_input, pachi_order, pachi_spat, write_table_file
from kibitz.games.go.patterns.listing import PatternFilter, list_patterns
from kibitz.games.go.patterns.matching import PatternMatcher
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.patterns.mining.mining import mine
from kibitz.games.go.patterns.studies import singh
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules.board import Board

MOVES, DIAMOND = Kind("moves", "3x3", 8, 9), Kind("moves", "diamond2", 8, 9)


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return random_games(21, 15, 9, 60)


@pytest.fixture(scope="module")
def store(games: list[Game], tmp_path_factory: pytest.TempPathFactory) -> GameStore:
    store = store_of(tmp_path_factory.mktemp("export"), games, heads=["RE[B+R]"])
    mine(store, [MOVES, DIAMOND, Kind("moves", "5x5", 8, 9)])
    return store


def check_gnugo(text: str) -> list[list[str]]:
    """Return the diagrams of a pattern database. Fails where mkpat of GNU Go would: see its chapter on patterns."""
    diagrams = []
    blocks = re.split(r"^Pattern (\S+)\n", text, flags=re.MULTILINE)
    assert blocks[0].strip().endswith("attribute_map value_only")
    names = blocks[1::2]
    assert len(set(names)) == len(names)
    for block in blocks[2::2]:
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        entry = lines.pop()
        assert re.fullmatch(r":8,-,value\(\d+\.\d+\)", entry)
        edges = [at for at, line in enumerate(lines) if line[0] in "+-"]
        assert set(edges) <= {0, len(lines) - 1}, "an edge is above or below"
        rows = [line for line in lines if line[0] not in "+-"]
        assert len({len(row) for row in rows}) == 1, "rectangular"
        left, right = rows[0].startswith("|"), rows[0].endswith("|")
        assert all(row.startswith("|") == left and row.endswith("|") == right for row in rows)
        inner = [row.strip("|") for row in rows]
        for at in edges:
            assert lines[at] == "+" * left + "-" * len(inner[0]) + "+" * right
        body = "".join(inner)
        assert set(body) <= set(".XO*?")
        assert body.count("*") == 1
        assert set(body) & {"X", "O"}, "a stone to anchor at"
        diagrams.append(lines)
    return diagrams


def test_gnugo(store: GameStore) -> None:
    for kind in (MOVES, DIAMOND):
        with Mined(store.folder) as mined:
            listed = list_patterns(store, mined, kind, PatternFilter(limit=5000))
        text = "".join(gnugo_db(listed))
        assert len(check_gnugo(text)) == sum(pattern.stones > 0 for pattern in listed) > 200
    assert gnugo_rows([".XO", ".*.", "###"]) == [".OX", ".*.", "---"]
    assert gnugo_rows(["###", "#*X", "#.."]) == ["+--", "|*O", "|.."]
    assert gnugo_rows(["  .  ", " ..# ", "X.*##", " O.# ", "  .  "]) == ["??.|", "?..|", "O.*|", "?X.|", "??.|"]


def test_pachi(store: GameStore) -> None:
    assert pachi_order(3) == [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
    assert pachi_order(6)[21:] == [(3, 0), (-3, 0), (2, 2), (2, -2), (-2, 2), (-2, -2), (0, 3), (0, -3)]
    assert [len(pachi_order(d)) for d in range(2, 8)] == [5, 9, 13, 21, 29, 37]
    with Mined(store.folder) as mined:
        listed = list_patterns(store, mined, DIAMOND, PatternFilter(limit=300))
        lines = list(pachi_spat(DIAMOND, listed))[1:]
        with pytest.raises(BadOption, match="circle"):
            list(pachi_spat(Kind("moves", "5x5", 8, 9), listed))
    assert len(lines) == 300
    for number, (line, pattern) in enumerate(zip(lines, listed, strict=True), 1):
        index, distance, signs = line.split()
        assert (int(index), distance, len(signs)) == (number, "4", 13)
        assert signs[0] == "."
        assert signs[1] == pattern.rows[3][2]
        assert signs[12] == pattern.rows[2][0]


def test_mm(store: GameStore, games: list[Game]) -> None:
    with Mined(store.folder) as mined:
        matchers = [PatternMatcher(kind, mined.load(kind).tally) for kind in (MOVES, DIAMOND)]
    lines = "".join(mm_input(store, matchers, [2], 3)).splitlines()
    counts = [naive.played(games, 9, name) for name in ("3x3", "diamond2")]
    gammas = [1 + sum(n >= 3 for n in count.values()) for count in counts]
    assert lines[:5] == [f"! {sum(gammas)}", "2", f"{gammas[0]} 3x3", f"{gammas[1]} diamond2", "!"]
    positions = "\n".join(lines[5:]).split("#\n")[1:]
    setup, moves = games[2]
    boards = [board for board, (_, point) in zip(boards_of(9, setup, moves), moves, strict=False) if point >= 0]
    assert len(positions) == len(boards)
    for text, board in zip(positions, boards, strict=True):
        teams = [tuple(map(int, team.split())) for team in text.splitlines()]
        assert teams[0] in teams[1:]
        assert len(teams) - 1 == board.points.count(0)
        assert all(0 <= first < gammas[0] <= second < sum(gammas) for first, second in teams)
    rare = [counts[0][min(naive.forms(naive.window(boards[0], p, "3x3"), False))] < 3 for p in range(81)]
    firsts = [int(team.split()[0]) for team in positions[0].splitlines()[1:]]
    empty = [p for p in range(81) if boards[0].points[p] == 0]
    assert [first == 0 for first in firsts] == [rare[p] for p in empty]


def test_tables(store: GameStore, tmp_path: Path) -> None:
    wanted = PatternFilter(min_count=2, limit=100)
    for end in ("csv", "parquet"):
        out = tmp_path / f"it's.{end}"
        for _ in range(2):  # the second time it is replaced
            with Mined(store.folder, out) as mined:
                listed = list_patterns(store, mined, MOVES, wanted)
                assert write_table_file(mined, MOVES, wanted, out) == 100
        rows = duckdb.execute(f"SELECT signs, count, capture FROM '{tmp_path}/it''s.{end}'").fetchall()
        assert [row[1] for row in rows] == [pattern.count for pattern in listed]
        assert rows[0][0] == "".join(listed[0].rows).replace("*", ".")
    out = tmp_path / "no" / "where.csv"
    with Mined(store.folder, out) as mined, pytest.raises(KibitzError, match="cannot be written: No such file"):
        write_table_file(mined, MOVES, wanted, out)


def test_drawings() -> None:
    drawn = ElementTree.fromstring(sheet_svg([(["X.O", "?*.", "###"], "2 & 3")]))
    space = "{http://www.w3.org/2000/svg}"
    assert len(drawn.findall(f".//{space}circle")) == 2
    assert len(drawn.findall(f".//{space}rect")) == 6 + 1  # six points, and one behind the ?
    assert "2 & 3" in [text.text for text in drawn.findall(f".//{space}text")]
    sheet = ElementTree.fromstring(sheet_svg([(["X"] * 1, "a"), (["O"], "b")], across=1))
    assert len(sheet.findall(f".//{space}circle")) == 2
    ElementTree.fromstring(sheet_svg([]))
    counts, stones, of = np.array([1, 1, 100]), np.array([3, 3, 1]), np.array([1, 1, 0])
    chart = ElementTree.fromstring(clusters_svg(counts, stones, of, ["many", "few"], "a <title>"))
    assert len(chart.findall(f"{space}circle")) == 2


def uncaptured(size: int, game: Game) -> Board:
    """Return the board as the report of 2013 had it: every stone stays until another is put there."""
    points = bytearray(size * size)
    for colour, point in [*game[0], *game[1]]:
        if point >= 0:
            points[point] = colour
    return Board(size, bytes(points))


def test_the_report_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(singh, "LARGE_WINDOW_GAMES", 3)
    games = random_games(31, 4, 19, 260)
    found = singh.replay_report(store_of(tmp_path, games, 19, ["RE[W+R]"]))
    steps = {step.name: (step.reported, step.right) for step in found.steps}
    notes = {step.name: step.note for step in found.steps}
    known: list[str] = []
    windows, wrong = 0, 0
    for game in games:
        board = uncaptured(19, game)
        wrong += board != boards_of(19, *game)[-1]
        for row in range(16):
            for col in range(16):
                window = naive.window(board, (row + 1) * 19 + col + 1, "3x3")
                if set(window.values()) != {"."}:
                    windows += 1
                    if not set(known) & set(naive.forms(window, True, naive.REPORTED)):
                        known.append(naive.text(window))
    right, large = naive.final(games, 19, "3x3", False), naive.final(games[:3], 19, "5x5", False)
    assert wrong > 0
    assert steps["3x3 windows with a stone"] == (windows, right.total())
    assert steps["3x3 patterns"] == (len(known), len(right))
    assert steps["3x3 patterns by 12 forms alone"] == (len(naive.reported(games, 19, "3x3")), len(right))
    assert steps["correct final boards"] == (4 - wrong, 4)
    assert (steps["5x5 windows with a stone"][1], steps["5x5 patterns"][1]) == (large.total(), len(large))
    assert "of the first 3 games" in notes["5x5 patterns"]
    assert steps["3x3 templates"][0] == len(templates_as_reported(known))
    assert found.json()["games"] == 4
    assert len(found.defects) == 7


def templates_as_reported(known: list[str]) -> list[str]:
    """Return the report's templates: flipped ones never match, because its flip makes ? an empty point."""
    everything = {form for text in known for form in naive.forms(naive.square(text), True, naive.REPORTED)}
    found: list[str] = []
    for text in known:
        for place in range(9):
            if all(text[:place] + sign + text[place + 1 :] in everything for sign in ".XO"):
                marked = naive.square(text[:place] + "?" + text[place + 1 :])
                flips = [form.replace("?", ".") for form in naive.forms(marked, True, naive.REPORTED)[6:]]
                if not set(found) & {*naive.forms(marked, False, naive.REPORTED), *flips}:
                    found.append(naive.text(marked))
    return found


def test_the_report_is_repeated_with_its_games() -> None:
    found = singh.replay_report(few_games())
    steps = {step.name: step for step in found.steps}
    assert steps["3x3 patterns by 12 forms alone"].reported > steps["3x3 patterns by 12 forms alone"].right
    assert steps["correct final boards"].reported < found.games
