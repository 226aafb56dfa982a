"""The kernels of mining on games whose changes the readable board works out, so that they run in every mode."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from games.go.go_games import Game, random_games
from games.go.naive import mining as naive
from games.go.naive.patterns import boards_of
from games.go.patterns.mined_games import least_text
from kibitz.games.go.patterns.matching import match_boards, new_memo
from kibitz.games.go.patterns.mining.meaning import MEANINGS, meanings
from kibitz.games.go.patterns.openings import corner_moves, first_moves
from kibitz.games.go.patterns.shapes import SIGNS, parse_shape
from kibitz.games.go.patterns.studies.styles import Answers, find_answers
from kibitz.games.go.patterns.tallies import find_keys, new_table, number_keys
from kibitz.games.go.patterns.windows import NO_WINDOW, FinalRules, GameSpans, final_keys, played_keys
from kibitz.games.go.records.layout import TAKEN
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
    return random_games(17, 4, SIZE, 45)


@pytest.fixture(scope="module")
def spans(games: list[Game]) -> GameSpans:
    runs = [changes_of(game) for game in games]
    ends = np.cumsum([len(run) for run in runs])
    changes = np.array([change for run in runs for change in run], np.uint16)
    return GameSpans(changes, np.append(0, ends[:-1]), ends)


@pytest.mark.modes
def test_windows_and_meanings(games: list[Game], spans: GameSpans) -> None:
    for name in ("3x3", "5x5"):
        shape = parse_shape(name)
        keys = np.zeros(len(spans.changes), np.int64)
        n = played_keys(shape.window(SIZE), spans, keys)
        found = Counter(least_text(shape, key, False) for key in keys[:n].tolist())
        assert found == naive.played(games, SIZE, name)
    shape = parse_shape("3x3")
    keys = np.zeros((len(games), SIZE * SIZE), np.int64)
    final_keys(shape.window(SIZE), spans, keys, FinalRules(canonical=True, edges=True, captures=True))
    flat = keys[keys != NO_WINDOW]
    assert Counter(least_text(shape, key, True) for key in flat.tolist()) == naive.final(games, SIZE, "3x3", True)
    wanted = [naive.meaning(turn.board, turn.point, turn.colour) for turn in naive.turns(games, SIZE)]
    assert [list(MEANINGS)[code] for code in meanings(spans, SIZE).tolist()] == wanted
    assert "capture" in wanted


@pytest.mark.modes
def test_tables_and_matches(games: list[Game], spans: GameSpans) -> None:
    shape = parse_shape("3x3")
    window = shape.window(SIZE)
    keys = np.zeros(len(spans.changes), np.int64)
    n = played_keys(window, spans, keys)
    table, numbers = new_table(1024, n), np.zeros(n, np.int32)
    number_keys(table, keys[:n], numbers)
    assert table.used[0] == len(set(keys[:n].tolist()))
    assert np.array_equal(table.keys[numbers], keys[:n])
    again = np.zeros(n, np.int32)
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
def test_openings_and_answers(games: list[Game], spans: GameSpans) -> None:
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
            assert key == NO_WINDOW
            continue
        window = naive.window(board, last, "3x3", colour)
        assert least_text(shape, key, False) == min(naive.forms(window, False))
        offset = (point // SIZE - last // SIZE, point % SIZE - last % SIZE)
        marked = naive.square(SIGNS[code] for code in shape.codes(key))
        if choice < 9:
            marked[shape.offsets[choice]] = window[offset] = "*"
        assert (choice < 9) == (max(map(abs, offset)) <= 1)
        assert min(naive.forms(window, False)) == min(naive.forms(marked, False))
