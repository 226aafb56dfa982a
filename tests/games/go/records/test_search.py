"""The search beside a plain one, on random games with many captures, and on diagrams."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.go.go_games import Game, random_games, store_of
from games.go.naive import patterns as naive
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.records.changes import turn
from kibitz.games.go.records.filters import Filters
from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.search import search as searching
from kibitz.games.go.records.search.pattern import parse, read_pattern
from kibitz.games.go.records.search.search import Query, Searcher, SearchResult, find, search
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.sgf.record import PASS

SIZE, GAMES = 7, 12


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return random_games(5, GAMES, SIZE)


@pytest.fixture(scope="module")
def searcher(games: list[Game], tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    heads = [f"RE[{'BW'[i % 2]}+R]DT[{1990 + i % 3}]PB[Player {i % 4}]" for i in range(GAMES)]
    store = store_of(tmp_path_factory.mktemp("search"), games, SIZE, heads)
    assert len(store) == GAMES
    return Searcher(store)


def first_moves(found: SearchResult) -> dict[naive.Seen, int]:
    """Return the first move of each hit as the plain search has it, worked out from orientation and place."""
    result: dict[naive.Seen, int] = {}
    size, rows = found.query.filters.size, found.query.pattern.rows
    grid = np.arange(len(rows) * len(rows[0])).reshape(len(rows), len(rows[0]))
    for hit in found.occurrences(0, 10**7):
        cells = turn(grid, hit.orientation)
        points, rectangle = set(), set()
        for i, j in np.ndindex(cells.shape):
            char = "".join(rows)[cells[i, j]]
            at = (hit.row + i) * size + hit.col + j
            rectangle.add(at)
            if char != "*":
                points.add((at, naive.what_fits(char, hit.swapped)))
        key = naive.Seen(hit.game - 1, frozenset(points), frozenset(rectangle))
        assert key not in result, "a hit was reported twice"
        result[key] = hit.move
    return result


def cut_out(stream: random.Random, games: list[Game]) -> tuple[list[str], str]:
    """Return a pattern that occurs, or nearly, from a random position, with wildcards."""
    board = stream.choice(naive.boards_of(SIZE, *stream.choice(games))).points
    anchor = stream.choice(("corner", "side", "centre", "anywhere", "anywhere"))
    height, width = stream.randint(1, 4), stream.randint(1, 4)
    top, left = stream.choice(naive.corners_allowed(anchor, SIZE, height, width))
    signs = [[".XO"[board[(top + i) * SIZE + left + j]] for j in range(width)] for i in range(height)]
    wild = {"X": "x", "O": "o", ".": "x"}
    return ["".join(stream.choice([sign, sign, sign, "*", wild[sign]]) for sign in row) for row in signs], anchor


@pytest.mark.modes
def test_random_searches_find_what_a_plain_search_finds(games: list[Game], searcher: Searcher) -> None:
    stream = random.Random(11)
    total = nothing = later = 0
    for _ in range(18):
        rows, anchor = cut_out(stream, games)
        fixed = stream.random() < 0.3
        low, high = (stream.randrange(30), stream.randrange(30, 70)) if stream.random() < 0.3 else (0, 10**6)
        expected = naive.search(games, rows, anchor, SIZE, fixed, low, high)
        found = searcher.search(Query(parse(rows, anchor), fixed, "", low, high, Filters(SIZE)))
        assert first_moves(found) == {seen: first.move for seen, first in expected.items()}, (rows, anchor, low)
        assert found.hits == len(expected)
        assert found.games == len({seen.game for seen in expected})
        assert sum(c.count for c in found.continuations) == sum(first.then is not None for first in expected.values())
        total += len(expected)
        nothing += not expected
        later += sum(first.move > 20 for first in expected.values())
    assert total > 500
    assert later > 50
    assert nothing < 10


@pytest.mark.modes
def test_full_boards_and_large_corners_are_found_by_their_notes(games: list[Game], searcher: Searcher) -> None:
    stream, total = random.Random(3), 0
    for _ in range(20):
        board = naive.boards_of(SIZE, *stream.choice(games))[stream.randrange(1, 40)].points
        rows = ["".join(".XO"[code] for code in board[i * SIZE : (i + 1) * SIZE]) for i in range(SIZE)]
        anchor = stream.choice(("full", "corner"))
        expected = naive.search(games, rows, anchor, SIZE)
        found = searcher.search(Query(parse(rows, anchor), filters=Filters(SIZE)))
        assert first_moves(found) == {seen: first.move for seen, first in expected.items()}
        total += len(expected)
    assert total >= 20


def import_texts(folder: Path, *records: str) -> GameStore:
    (folder / "some.sgf").write_text("".join(records))
    import_records([folder / "some.sgf"], folder / "store")
    return GameStore(folder / "store")


def test_a_captured_stone_is_gone(tmp_path: Path) -> None:
    # White in the corner is captured by Black's second move beside it
    store = import_texts(tmp_path, "(;GM[1]SZ[5];B[ab];W[aa];B[ba];W[ee])\n")
    assert search(store, ["OX", "X."], filters=Filters(5)).hits == 0
    assert search(store, [".X", "X."], filters=Filters(5), fixed=True).hits > 0
    taken = search(store, ["X.", ".X"], "corner", Filters(5))
    assert [(hit.game, hit.move) for hit in taken.occurrences()] == [(1, 3)]


def test_continuations_count_wins(tmp_path: Path) -> None:
    first = "(;GM[1]SZ[9]RE[B+R];B[cc];W[gg];B[cg];W[gc];B[ee];W[aa];B[ia];W[ai];B[ii];W[ab];B[ac])\n"
    second = first.replace("RE[B+R]", "RE[W+1.5]").replace("B[ee]", "B[ed]")
    store = import_texts(tmp_path, first, second)
    rows = ["." * 9, "." * 9, "..X...O..", "." * 9, "." * 9, "." * 9, "..X...O..", "." * 9, "." * 9]
    found = search(store, rows, "full", Filters(9))
    assert (found.games, found.hits, found.wins) == (2, 2, (1, 1))
    centre, above = found.continuations if found.continuations[0].row == 4 else found.continuations[::-1]
    assert (centre.row, centre.col, centre.colour, centre.count, centre.wins) == (4, 4, "X", 1, 1)
    assert (above.colour, above.count, above.win_rate) == ("X", 1, 0.0)
    assert [search(store, rows, "full", Filters(9), next=colour).hits for colour in "OX"] == [0, 2]


def test_equal_points_of_a_symmetric_pattern_are_one_continuation(tmp_path: Path) -> None:
    games = [f"(;GM[1]SZ[5];B[cc];W[{point}];B[aa];W[ee];B[a{letter}])\n" for point, letter in
             (("cb", "b"), ("cd", "b"), ("bc", "d"), ("dc", "d"))]  # fmt: skip
    found = search(import_texts(tmp_path, *games), ["...", ".X.", "..."], "centre", Filters(5), fixed=True)
    assert [(c.count, c.colour) for c in found.continuations] == [(found.hits, "O")]


@pytest.mark.modes
def test_a_sequence_must_come_in_its_order(tmp_path: Path) -> None:
    records = "(;GM[1]SZ[9];B[cc];W[gg];B[dc];W[cd];B[ee])\n", "(;GM[1]SZ[9];B[dc];W[gg];B[cc];W[cd];B[ef])\n"
    store = import_texts(tmp_path, *records)
    for pattern, games in (
        (parse(["XX", "O."]), 2),
        (parse(["1*", "2."]), 2),  # Black at c7 is before White at c6 in both
        (parse(["X*", "*."], sequence=[(0, 0), (1, 0)]), 2),
        (parse(["13", "2."]), 0),  # 3 came before 2 in both
    ):
        assert search(store, pattern, filters=Filters(9), fixed=True).games == games


@pytest.mark.modes
def test_moves_of_a_sequence_have_the_colours_of_their_stones(tmp_path: Path) -> None:
    # in the corner Black, Black, White; then the same turned by a quarter, White, White, Black
    first = "(;GM[1]SZ[9]PB[a];B[gc];W[ee];B[hc];W[gb];B[aa])\n"
    second = "(;GM[1]SZ[9]PB[b];B[ee];W[gg];B[ai];W[gh];B[hg];W[aa])\n"
    other = "(;GM[1]SZ[9]PB[c];B[hc];W[ee];B[gc];W[gb];B[aa])\n"
    store = import_texts(tmp_path, first, second, other)

    def games(sequence: list[tuple[int, int]], **more: Any) -> set[int]:
        pattern = parse(["...", "O..", "XX."], "corner", sequence)
        return {hit.game for hit in search(store, pattern, filters=Filters(9), **more).occurrences()}

    assert games([]) == {1, 2, 3}
    assert games([(2, 0), (2, 1), (1, 0)]) == {1, 2}
    assert games([(2, 0), (2, 1), (1, 0)], fixed=True) == {1}
    assert games([(2, 1), (2, 0), (1, 0)]) == {3}
    assert games([(1, 0)]) == {1, 2, 3}  # the last move only
    assert games([(2, 1), (1, 0)]) == {1, 2}
    assert games([(1, 0), (2, 0)]) == set()


@pytest.mark.parametrize(
    ("rows", "anchor", "move", "taken"),
    [
        ([".X.", "XO.", ".X."], "anywhere", (1, 2, "X"), [(1, 1)]),
        ([".X.", "XO.", ".*."], "anywhere", (1, 2, "X"), []),  # it may have a liberty below,
        ([".X.", "XO.", ".o."], "anywhere", (1, 2, "X"), []),
        ([".X.", "XO.", ".O."], "anywhere", (1, 2, "X"), []),  # or out of sight
        ([".XO", "..X"], "corner", (0, 1, "O"), []),
        (["..O", "..X"], "corner", (0, 1, "X"), [(0, 2)]),
        (["..O", "..X"], "side", (0, 1, "X"), []),
        (["XO.", ".X."], "side", (0, 2, "X"), [(0, 1)]),
        (["XO.", ".X."], "anywhere", (0, 2, "X"), []),
        (["O.", "OX", "OX", "OX", "OX"], "anywhere", (0, 1, "X"), []),
        (["XOX", "XOX", "X.X", "XOX", "XOX"], "anywhere", (2, 1, "X"), [(0, 1), (1, 1), (3, 1), (4, 1)]),  # 5 high
        (["OX...", ".OX..", "OX...", "X....", "....."], "full", (1, 0, "X"), [(0, 0), (1, 1), (2, 0)]),
        ([".X...", "X....", ".....", ".....", "....."], "full", (0, 0, "O"), [(0, 0)]),  # a suicide
    ],
)
def test_a_move_captures_what_surely_has_no_liberty(
    rows: list[str], anchor: str, move: tuple[int, int, str], taken: list[tuple[int, int]]
) -> None:
    assert parse(rows, anchor).captured_by(*move, size=5) == taken


def test_filters_choose_games(searcher: Searcher) -> None:
    def searched(**more: Any) -> SearchResult:
        return searcher.search(Query(parse(["X"]), filters=Filters(SIZE, **more)))

    assert searched().searched == GAMES
    assert searched(result="B").searched == GAMES // 2
    assert searched(player="PLAYER 3").searched == GAMES // 4
    assert searched(since="1991", until="1991-12-31").searched == len([i for i in range(GAMES) if i % 3 == 1])
    assert searched(handicap=2).searched == 0
    assert {year: of for year, (_, of) in searched().timeline.items()} == {1990: 4, 1991: 4, 1992: 4}
    with pytest.raises(BadOption, match=r"called 'Plaier 2'.*Player 2"):
        searched(player="Plaier 2")
    with pytest.raises(BadOption, match="handicap must be 0 to 99 stones, not -1"):
        searched(handicap=-1)


@pytest.mark.parametrize(
    ("rows", "anchor", "words"),
    [
        ([], "anywhere", "at least one row"),
        (["X", "XO"], "anywhere", "Row 2 .* has 2 points"),
        (["X?"], "anywhere", "has '\\?'"),
        (["X"], "middle", "anchor must be one of"),
        (["13"], "anywhere", "without gaps"),
        (["1", "1"], "anywhere", "appears twice"),
        (["XO"], "full", "square"),
        (["X" * 26], "anywhere", "at most 25"),
        (["." * 7], "side", "does not fit on a 7x7 board as side"),
    ],
)
def test_bad_patterns_are_refused(searcher: Searcher, rows: list[str], anchor: str, words: str) -> None:
    with pytest.raises(BadText, match=words):
        searcher.search(Query(parse(rows, anchor), filters=Filters(SIZE)))


@pytest.mark.parametrize("text", [
    '{"rows": 3}', "[1, 2]", "{", '{"rows": ["X"], "sequence": 3}', '{"rows": ["X"], "sequence": [[1e999, 0]]}', "\x00",
])  # fmt: skip
def test_bad_pattern_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "p").write_text(text)
    with pytest.raises(BadText):
        read_pattern(tmp_path / "p")


def test_passes_and_empty_boards(tmp_path: Path) -> None:
    store = import_texts(tmp_path, "(;GM[1]SZ[3]PB[a];B[];W[];B[bb])\n")
    assert store.moves_of(0) == [(1, PASS), (2, PASS), (1, 4)]
    found = search(store, ["...", "...", "..."], "full", Filters(3))
    assert [hit.move for hit in found.occurrences()] == [0]
    assert found.continuations[0].at_once == 0  # two passes came first


def test_setup_during_a_game_changes_the_position(tmp_path: Path) -> None:
    # Black at c3 is removed after the second move, and White put at a1, then Black plays c3 again
    store = import_texts(tmp_path, "(;GM[1]SZ[5];B[cc];W[dd];AE[cc]AW[ae];B[aa];W[eb];B[cc])\n")

    def moves(*rows: str, **more: Any) -> list[int]:
        found = search(store, rows, "full", Filters(5), fixed=True, **more)
        return [hit.move for hit in found.occurrences()]

    assert moves("*****", "*****", "**X**", "*****", "*****") == [1]
    assert moves("*****", "*****", "**X**", "***O*", "O****") == [5]
    assert moves("*****", "*****", "**.**", "***O*", "O****") == [2]
    assert moves("*****", "*****", "**X**", "*****", "*****", low=2) == [2]  # before the setup
    assert moves("X****", "*****", "**.**", "*****", "*****", high=2) == []


def test_a_board_with_handicap_stones_is_not_empty(tmp_path: Path) -> None:
    store = import_texts(tmp_path, "(;GM[1]SZ[3]AB[aa][cc];W[bb])\n")
    assert search(store, ["...", "...", "..."], "full", Filters(3)).hits == 0
    found = search(store, ["X..", "...", "..X"], "full", Filters(3), fixed=True)
    assert [hit.move for hit in found.occurrences()] == [0]
    assert [(c.row, c.col, c.colour, c.at_once) for c in found.continuations] == [(1, 1, "O", 1)]


def test_a_point_taken_again_and_again_is_followed(tmp_path: Path) -> None:
    # a ko: White takes at c3, Black takes back at b3 after a threat, White again
    taken = "B[bb];W[cb];B[ac];W[dc];B[bd];W[cd];B[cc];W[bc];B[ea];W[ee];B[cc];W[ab];B[ba];W[bc]"
    store = import_texts(tmp_path, f"(;GM[1]SZ[5];{taken})\n")

    def moves(row: str, **more: Any) -> list[int]:
        rows = ["*****", "*****", row, "*****", "*****"]
        return [hit.move for hit in search(store, rows, "full", Filters(5), fixed=True, **more).occurrences()]

    assert (moves("X.XO*"), moves("XO.O*")) == ([7], [8])
    assert (moves("X.XO*", low=8), moves("X.XO*", low=14), moves("XO.O*", low=9)) == ([11], [], [9])
    assert (moves("XO.O*", low=11), moves("X.XO*", low=8, high=10)) == ([14], [])


def test_a_search_streams_what_it_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "HITS_PER_PASS", 1)  # so that the arrays of hits have to grow
    games = [f"(;GM[1]SZ[5]PB[{i}]DT[{1990 + i % 9}]RE[{'BW'[i % 2]}+R];B[cc];W[bb])\n" for i in range(2500)]
    searcher = Searcher(import_texts(tmp_path, *games))
    query = Query(parse(["X"], "anywhere"), filters=Filters(5))
    results, whole = list(searcher.stream(query)), searcher.search(query)
    assert [result.share_done for result in results] == [0.4, 0.8, 1.0]  # in blocks of 512 games
    assert [(result.games, result.hits) for result in results] == [(1024, 2048), (2048, 4096), (2500, 5000)]
    assert [result.wins for result in results] == [(1024, 1024), (2048, 2048), (2500, 2500)]
    assert results[-1].json() == {**whole.json(), "seconds": results[-1].json()["seconds"]}
    assert results[0].occurrences() == whole.occurrences()
    assert [hit.game for hit in whole.occurrences(0, 4)] == [1, 1, 2, 2]
    found = find(searcher.store, ["X"], filters=Filters(5))
    assert [next(found) for _ in range(5000)] == whole.occurrences(0, 5000)
    assert next(found, None) is None
    some = searcher.search(replace(query, filters=Filters(5, result="B", since="1998")))
    assert (some.games, some.searched, list(some.timeline)) == (139, 139, [1998])


def test_hits_of_a_game_come_in_the_order_of_its_moves(games: list[Game], searcher: Searcher) -> None:
    found = searcher.search(Query(parse(["X."]), filters=Filters(SIZE)))
    hits = [(hit.game, hit.move) for hit in found.occurrences(0, 10**6)]
    assert len(hits) > 1000
    assert hits == sorted(hits)
