"""The kernels of mining, windows and the meanings of moves beside plain counters, and known numbers."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from games.go.go_games import Game, few_games, random_game, random_games, store_of
from games.go.naive import mining as naive
from games.go.naive.patterns import boards_of, turned_game
from games.go.patterns.mined_games import least_text
from kibitz.compiled.arrays import Int64Array, Uint16Array
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.patterns import windows
from kibitz.games.go.patterns.matching import match_boards, new_memo
from kibitz.games.go.patterns.mining.meaning import GROUPS, MEANINGS, move_classes
from kibitz.games.go.patterns.openings import corner_moves, first_moves
from kibitz.games.go.patterns.shapes import FORMS, FULL, SIGNS, WindowShape, count_stones, parse_shape, swap_key
from kibitz.games.go.patterns.studies.styles import Answers, find_answers
from kibitz.games.go.patterns.tallies import COUNT, Sightings, Tally, find_keys, new_table, number_keys
from kibitz.games.go.records.layout import TAKEN
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules.board import EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

SIZE = 9


def games_of(store: GameStore, size: int) -> list[Game]:
    """Return the games of a store as plain lists."""
    found = list[Game]()
    for game in np.flatnonzero(store.column("sizes") == size).tolist():
        setup, moves = list[tuple[int, int]](), list[tuple[int, int]]()
        for play in store.plays_of(game).tolist():
            stone = play >> POINT_BITS & 3, -1 if play & PASS == PASS else play & PASS
            (setup if play & SETUP else moves).append(stone)
        found.append((setup, moves))
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GameStore:
    return store_of(tmp_path_factory.mktemp("windows"), random_games(11, 40, 9, 90))


def texts(shape: WindowShape, keys: Int64Array, swap: bool) -> Counter[str]:
    """Return how often each key comes, as the plain counter writes it."""
    found: Counter[str] = Counter()
    for key, count in zip(*np.unique(keys[keys != windows.NO_WINDOW], return_counts=True), strict=True):
        found[least_text(shape, key, swap)] += int(count)
    return found


def changes_of(game: Game) -> Uint16Array:
    """Return a game as a run of changes, captures worked out by the readable board."""
    setup, moves = game
    changes = [SETUP | colour << POINT_BITS | point for colour, point in setup]
    for board, (colour, point) in zip(boards_of(SIZE, setup, moves), moves, strict=False):
        changes.append(colour << POINT_BITS | (PASS if point < 0 else point))
        if point >= 0:
            changes += [TAKEN | taken for taken in sorted(board.place(point, colour).captured)]
    return np.array(changes, np.uint16)


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return random_games(17, 4, SIZE, 45)


@pytest.fixture(scope="module")
def spans(games: list[Game]) -> windows.GameSpans:
    """Return games whose changes the readable board works out, so that the kernels run in every mode."""
    runs = [changes_of(game) for game in games]
    ends, changes = np.cumsum([len(run) for run in runs]), np.concatenate(runs)
    changes.flags.writeable = False  # as a store has them
    return windows.GameSpans(changes, np.append(0, ends[:-1]), ends)


@pytest.mark.modes
def test_windows_and_meanings(games: list[Game], spans: windows.GameSpans) -> None:
    for name in ("3x3", "5x5"):
        shape = parse_shape(name)
        keys = np.zeros(len(spans.changes), np.int64)
        n = windows.played_keys(shape.window(SIZE), spans, keys)
        assert texts(shape, keys[:n], False) == naive.played(games, SIZE, name)
    shape = parse_shape("3x3")
    keys = np.zeros((len(games), SIZE * SIZE), np.int64)
    windows.final_keys(shape.window(SIZE), spans, keys, windows.FinalRules(canonical=True, edges=True, captures=True))
    assert texts(shape, keys, True) == naive.final(games, SIZE, "3x3", True)
    wanted = [naive.meaning(turn.board, turn.point, turn.colour) for turn in naive.turns(games, SIZE)]
    assert [list(MEANINGS)[code] for code in move_classes(spans, SIZE).tolist()] == wanted
    assert "capture" in wanted


@pytest.mark.modes
def test_tables_and_matches(games: list[Game], spans: windows.GameSpans) -> None:
    shape = parse_shape("3x3")
    window = shape.window(SIZE)
    keys = np.zeros(len(spans.changes), np.int64)
    n = windows.played_keys(window, spans, keys)
    table, numbers = new_table(1024, n), np.zeros(n, np.int32)
    number_keys(table, keys[:n], numbers)
    assert table.used[0] == len(set(keys[:n].tolist()))
    assert np.array_equal(table.keys[numbers], keys[:n])
    again = np.zeros_like(numbers)
    find_keys(table, keys[:n], again)
    assert np.array_equal(again, numbers)
    last = boards_of(SIZE, *games[0])[-1]
    found = np.zeros((1, SIZE * SIZE), np.int32)
    points = np.frombuffer(last.points, np.uint8).reshape(1, -1)
    match_boards(window, table, new_memo(64), points, np.array([2]), found)
    known = {least_text(shape, key, False) for key in keys[:n].tolist()}
    for point in range(SIZE * SIZE):
        text = min(naive.forms(naive.window(last, point, "3x3", 2), False))
        assert (found[0, point] >= 0) == (last.points[point] == EMPTY and text in known)
        if found[0, point] >= 0:
            assert least_text(shape, int(table.keys[found[0, point]]), False) == text


@pytest.mark.modes
def test_openings_and_answers(games: list[Game], spans: windows.GameSpans) -> None:
    first = np.zeros((len(games), 6), np.int16)
    first_moves(first, spans)
    for row, (setup, moves) in zip(first.tolist(), games, strict=True):
        line = [colour << POINT_BITS | point for colour, point in moves[:6]]
        stop = next((at for at, (_, point) in enumerate(moves[:6]) if point < 0), 6)
        assert row == ([-1] * 6 if setup else [*line[:stop], *[-1] * (6 - stop)])
    corners, n = np.zeros((4 * len(games), 5), np.int16), 4 * len(games)
    corner_moves(corners, np.zeros(n, np.int64), np.zeros(n, np.int64), spans, SIZE, 4, 30)
    lines = Counter[tuple[tuple[int, int, int], ...]]()
    for row in corners.tolist():
        cells = [(code // 16, code % 16 // 4, code % 4) for code in row if code >= 0]
        for end in range(1, len(cells) + 1):
            lines[naive.least_corner(cells[:end])] += 1
    assert lines == naive.corners(games, SIZE, 4, 30, 5)
    shape = parse_shape("3x3")
    n = len(spans.changes)
    answers = Answers(np.zeros(n, np.int64), np.zeros(n, np.uint8), np.array(shape.images, np.int64))
    n = find_answers(answers, shape.window(SIZE), spans)
    turns = list(naive.turns(games, SIZE))
    assert len(turns) == n
    for at, (game, number, board, colour, point) in enumerate(turns):
        last_colour, last = games[game][1][number - 2] if number > 1 else (colour, -1)
        key, choice = int(answers.keys[at]), int(answers.choices[at])
        if last < 0 or last_colour == colour:
            assert key == windows.NO_WINDOW
            continue
        window = naive.window(board, last, "3x3", colour)
        assert least_text(shape, key, False) == min(naive.forms(window, False))
        offset = (point // SIZE - last // SIZE, point % SIZE - last % SIZE)
        marked = naive.square(SIGNS[code] for code in shape.codes(key))
        if choice < 9:
            marked[shape.offsets[choice]] = window[offset] = "*"
        assert (choice < 9) == (max(map(abs, offset)) <= 1)
        assert min(naive.forms(window, False)) == min(naive.forms(marked, False))


@pytest.mark.parametrize("name", ["3x3", "5x5", "diamond2", "diamond3", "circle5"])
def test_windows_around_moves_are_those_of_a_plain_counter(store: GameStore, name: str) -> None:
    keys = windows.played_windows(windows.moves_of(store, np.arange(len(store))), name, 9)
    wanted = naive.played(games_of(store, 9), 9, name)
    assert texts(parse_shape(name), keys, False) == wanted
    assert len(np.unique(keys)) == len(wanted)  # one canonical key each


def test_large_windows_have_a_hash_for_each_form(store: GameStore) -> None:
    moves = windows.moves_of(store, np.arange(len(store)))
    keys = windows.played_windows(moves, "7x7", 9)
    wanted = naive.played(games_of(store, 9), 9, "7x7")
    assert sorted(np.unique(keys, return_counts=True)[1].tolist()) == sorted(wanted.values())


def test_games_on_19x19_too() -> None:
    store = few_games()
    which = np.flatnonzero(store.column("sizes") == 19)[:10]
    games = games_of(store, 19)[:10]
    for name in ("3x3", "5x5"):
        keys = windows.played_windows(windows.moves_of(store, which), name, 19)
        assert texts(parse_shape(name), keys, False) == naive.played(games, 19, name)


@pytest.mark.parametrize("edges", [True, False])
@pytest.mark.parametrize("name", ["3x3", "diamond2"])
def test_windows_over_the_last_boards(store: GameStore, name: str, edges: bool) -> None:
    keys = windows.final_windows(store, np.arange(len(store)), name, 9, edges=edges)
    wanted = naive.final(games_of(store, 9), 9, name, edges)
    assert texts(parse_shape(name), keys, True) == wanted
    assert len(np.unique(keys[keys != windows.NO_WINDOW])) == len(wanted)


def test_the_report_s_twelve_forms_depend_on_what_came_first(store: GameStore) -> None:
    shape = parse_shape("3x3")
    games = np.arange(len(store))
    keys = windows.final_windows(store, games, "3x3", 9, canonical=False, edges=False).reshape(-1)
    tally = Tally(False)
    tally.add(keys, Sightings.blank(len(keys)), store.column("years"), (shape, 9))
    found = [
        ("".join(SIGNS[code] for code in shape.codes(int(key))), int(count))
        for key, count in zip(tally.keys, tally.counts[:, COUNT], strict=True)
    ]
    assert found == naive.reported(games_of(store, 9), 9, "3x3")
    assert len(found) > len(np.unique(windows.final_windows(store, games, "3x3", 9, edges=False))) - 1


def test_positions_with_their_moves_are_one_in_all_symmetries(tmp_path: Path) -> None:
    game, keys = random_game(random.Random(5), 9, 60), []
    for image in (0, 3, 6):
        store = store_of(tmp_path / str(image), [turned_game(9, game, image)])
        keys.append(windows.played_windows(windows.moves_of(store, np.arange(1)), FULL, 9).tolist())
    assert keys[0] == keys[1] == keys[2]
    assert len(set(keys[0])) == len(keys[0]) > 40


def test_what_moves_mean(store: GameStore) -> None:
    counts: Counter[str] = Counter()
    for some, size in ((store, 9), (few_games(), 19)):
        which = np.flatnonzero(some.column("sizes") == size)[:40]
        found = move_classes(windows.moves_of(some, which).spans, size).tolist()
        names = [list(MEANINGS)[code] for code in found]
        for name, turn in zip(names, naive.turns(games_of(some, size)[:40], size), strict=True):
            assert name == naive.meaning(turn.board, turn.point, turn.colour), turn
        counts.update(names)
    assert set(MEANINGS) - set(counts) <= {"reinforcement"}, "every class was met"


def test_numbers_of_forms() -> None:
    """1,444 windows of 3x3 and 103,162 of the diamond, under all 16 forms; of 3x3 moves 954 on the board."""
    for name, wanted in (("3x3", 1444), ("diamond2", 103_162)):
        shape = parse_shape(name)
        least: Int64Array | None = None
        for image in range(8):
            for codes in ((0, 1, 2), (0, 2, 1)):
                keys = np.zeros(1, np.int64)
                for place in shape.images[image]:  # each window with each code there
                    keys = (keys[:, None] + np.array([code << 2 * place for code in codes])).ravel()
                least = keys if least is None else np.minimum(least, keys)
        assert least is not None
        assert len(np.unique(least)) == wanted
    shape = parse_shape("3x3")
    around = [sum(code << 2 * place for place, code in enumerate(codes)) for codes in product(range(3), repeat=9)]
    assert len({shape.canonical(key, 8) for key in around if not key >> 8 & 3}) == 954


def test_the_report_s_own_pattern() -> None:
    """The example of the report, in the forms that it prints."""
    shape = parse_shape("3x3")
    key = shape.parse(["...", "X.O", "XXX"])
    assert count_stones(np.array([key, 0]))[0] == 5
    printed = [
        ["...", "X.O", "XXX"], ["XX.", "X..", "XO."], ["XXX", "O.X", "..."], [".OX", "..X", ".XX"],
        ["XXX", "X.O", "..."], ["...", "O.X", "XXX"],
    ]  # fmt: skip
    keys = [shape.parse(rows) for rows in printed]
    assert sorted(keys + [swap_key(key) for key in keys]) == sorted(shape.forms(key, 12))
    assert len(set(shape.forms(key, 16))) == 16
    diagonal = shape.parse([".XX", "..X", ".OX"])
    assert diagonal in shape.forms(key, 16)
    assert diagonal not in shape.forms(key, 12)
    assert shape.canonical(diagonal) == shape.canonical(key)


def test_shapes() -> None:
    assert [len(parse_shape(name).offsets) for name in ("3x3", "5x5", "7x7")] == [9, 25, 49]
    assert [len(parse_shape(f"diamond{k}").offsets) for k in (1, 2, 3)] == [5, 13, 25]
    assert parse_shape("circle3").offsets == parse_shape("3x3").offsets
    assert parse_shape("circle4").offsets == parse_shape("diamond2").offsets
    assert not parse_shape("7x7").is_exact
    assert parse_shape("diamond2").rows([1] * 13, {6: "*"}) == ("  X  ", " XXX ", "XX*XX", " XXX ", "  X  ")
    for bad in ("4x4", "3x5", "39x39", "diamond0", "heart3", ""):
        with pytest.raises(BadOption):
            parse_shape(bad)
    for rows in (["...", "..?", "..."], ["...", ".."]):
        with pytest.raises(BadText):
            parse_shape("3x3").parse(rows)
    assert {len(list(images)) * (1 + swaps) for images, swaps in FORMS.values()} == {8, 12, 16}
    assert {name for group in GROUPS.values() for name in group} <= set(MEANINGS)
