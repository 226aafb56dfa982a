"""The kernels of mining on games whose changes are worked out by hand, so that they run in every mode."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from games.go.go_games import Game, random_game
from games.go.naive import mining as naive
from games.go.naive.patterns import boards_of
from kibitz.games.go.kernel.board import new_board
from kibitz.games.go.patterns.kernels import windows as kernel
from kibitz.games.go.patterns.kernels.answers import Answers, answer_keys
from kibitz.games.go.patterns.kernels.match import Memo, match_boards
from kibitz.games.go.patterns.kernels.meaning import classify
from kibitz.games.go.patterns.kernels.openings import Corners, First, corner_moves, first_moves
from kibitz.games.go.patterns.mining.meaning import MEANINGS
from kibitz.games.go.patterns.shapes import SIGNS, Shape, parse_shape
from kibitz.games.go.records.search.changes_kernel import TAKEN
from kibitz.games.go.rules.board import EMPTY, Board
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

SIZE = 9


def changes_of(game: Game) -> list[int]:
    """Return a game as a run of changes, captures worked out by the readable board."""
    setup, moves = game
    board = Board.empty(SIZE)
    changes = []
    for colour, point in setup:
        board = board.with_stones((point,), colour)
        changes.append(SETUP | colour << POINT_BITS | point)
    for colour, point in moves:
        changes.append(colour << POINT_BITS | (PASS if point < 0 else point))
        if point >= 0:
            placed = board.place(point, colour)
            board = placed.board
            changes += [TAKEN | taken for taken in sorted(placed.captured)]
    return changes


@pytest.fixture(scope="module")
def games() -> list[Game]:
    stream = random.Random(17)
    return [random_game(stream, SIZE, 45) for _ in range(4)]


@pytest.fixture(scope="module")
def spans(games: list[Game]) -> tuple[Any, Any, Any]:
    """Return the changes of all games, and where those of each begin and end."""
    runs = [changes_of(game) for game in games]
    ends = np.cumsum([len(run) for run in runs])
    changes = np.array([change for run in runs for change in run], np.uint16)
    return changes, np.append(0, ends[:-1]).astype(np.int64), ends.astype(np.int64)


def text_of(shape: Shape, key: int, swap: bool) -> str:
    codes = shape.codes(key)
    return min(naive.forms({p: SIGNS[code] for p, code in zip(shape.offsets, codes, strict=True)}, swap))


@pytest.mark.modes
def test_windows_and_meanings(games: list[Game], spans: tuple[Any, Any, Any]) -> None:
    changes, starts, ends = spans
    for name in ("3x3", "5x5"):
        shape = parse_shape(name)
        board = np.zeros((SIZE + 2 * shape.radius) ** 2, np.uint8)
        keys = np.zeros(len(changes), np.int64)
        n = kernel.played_keys(shape.window(SIZE), changes, board, starts, ends, keys)
        found = Counter(text_of(shape, key, False) for key in keys[:n].tolist())
        assert found == naive.played(games, SIZE, name)
    shape = parse_shape("3x3")
    keys = np.zeros((len(games), SIZE * SIZE), np.int64)
    board = np.zeros((SIZE + 2) ** 2, np.uint8)
    kernel.final_keys(shape.window(SIZE), changes, board, starts, ends, keys, np.array([16, 1, 0], np.int64))
    flat = keys[keys != kernel.NONE]
    assert Counter(text_of(shape, key, True) for key in flat.tolist()) == naive.final(games, SIZE, "3x3", True)
    classes = np.zeros(len(changes), np.uint8)
    n = classify(new_board(SIZE), changes, starts, ends, classes)
    wanted = [
        naive.meaning(before, point, colour)
        for setup, moves in games
        for before, (colour, point) in zip(boards_of(SIZE, setup, moves), moves, strict=False)
        if point >= 0
    ]
    assert [list(MEANINGS)[code] for code in classes[:n].tolist()] == wanted
    assert "capture" in wanted


@pytest.mark.modes
def test_tables_and_matches(games: list[Game], spans: tuple[Any, Any, Any]) -> None:
    changes, starts, ends = spans
    shape = parse_shape("3x3")
    window = shape.window(SIZE)
    board = np.zeros((SIZE + 2) ** 2, np.uint8)
    keys = np.zeros(len(changes), np.int64)
    n = kernel.played_keys(window, changes, board, starts, ends, keys)
    table = kernel.Table(np.zeros(1024, np.int32), np.zeros(n, np.int64), np.zeros(1, np.int64))
    numbers = np.zeros(n, np.int32)
    kernel.number_keys(table, keys[:n], numbers)
    assert table.used[0] == len(set(keys[:n].tolist()))
    assert np.array_equal(table.keys[numbers], keys[:n])
    again = np.zeros(n, np.int32)
    kernel.find_keys(table, keys[:n], again)
    assert np.array_equal(again, numbers)
    last = boards_of(SIZE, *games[0])[-1]
    found = np.zeros((1, SIZE * SIZE), np.int32)
    memo = Memo(np.full(64, kernel.NONE, np.int64), np.zeros(64, np.int32))
    points = np.frombuffer(last.points, np.uint8).reshape(1, -1)
    match_boards(window, table, memo, board, points, np.array([2], np.int64), found)
    known = {text_of(shape, key, False) for key in keys[:n].tolist()}
    for point in range(SIZE * SIZE):
        text = min(naive.forms(naive.window(last, point, "3x3", 2), False))
        assert (found[0, point] >= 0) == (last.points[point] == EMPTY and text in known)
        if found[0, point] >= 0:
            assert text_of(shape, int(table.keys[found[0, point]]), False) == text


@pytest.mark.modes
def test_openings_and_answers(games: list[Game], spans: tuple[Any, Any, Any]) -> None:
    changes, starts, ends = spans
    first = First(np.zeros((len(games), 6), np.int16))
    first_moves(first, changes, starts, ends)
    for row, (setup, moves) in zip(first.moves.tolist(), games, strict=True):
        line = [colour << POINT_BITS | point for colour, point in moves[:6]]
        stop = next((at for at, (_, point) in enumerate(moves[:6]) if point < 0), 6)
        assert row == ([-1] * 6 if setup else [*line[:stop], *[-1] * (6 - stop)])
    n = 4 * len(games)
    limits = np.array([SIZE, 4, 30], np.int64)
    corners = Corners(np.zeros((n, 5), np.int16), np.zeros(n, np.int64), np.zeros(n, np.int64), limits)
    corner_moves(corners, changes, starts, ends)
    lines = Counter[tuple[tuple[int, int, int], ...]]()
    for row in corners.moves.tolist():
        cells = [(code // 16, code % 16 // 4, code % 4) for code in row if code >= 0]
        for end in range(1, len(cells) + 1):
            lines[naive.least_corner(cells[:end])] += 1
    assert lines == naive.corners(games, SIZE, 4, 30, 5)
    shape = parse_shape("3x3")
    images = np.array(shape.images, np.int64)
    answers = Answers(np.zeros(len(changes), np.int64), np.zeros(len(changes), np.uint8), images)
    board = np.zeros((SIZE + 2) ** 2, np.uint8)
    n = answer_keys(answers, shape.window(SIZE), changes, board, starts, ends)
    at = 0
    for setup, moves in games:
        boards = boards_of(SIZE, setup, moves)
        for number, (colour, point) in enumerate(moves):
            if point < 0:
                continue
            before = moves[number - 1] if number else (colour, -1)
            if before[1] < 0 or before[0] == colour:
                assert answers.keys[at] == kernel.NONE
            else:
                window = naive.window(boards[number], before[1], "3x3", colour)
                key, choice = int(answers.keys[at]), int(answers.choices[at])
                assert text_of(shape, key, False) == min(naive.forms(window, False))
                row, col = divmod(before[1], SIZE)
                offset = (point // SIZE - row, point % SIZE - col)
                marked = dict(zip(shape.offsets, (SIGNS[code] for code in shape.codes(key)), strict=True))
                if choice < 9:
                    marked[shape.offsets[choice]] = "*"
                    window[offset] = "*"
                assert (choice < 9) == (max(map(abs, offset)) <= 1)
                assert min(naive.forms(window, False)) == min(naive.forms(marked, False))
            at += 1
    assert at == n
