"""Moves of Go in words: diagrams, and statements about games checked by plain readings."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from games.go.go_games import few_games, random_game
from games.go.words.reading import after, is_caught
from games.go.words.test_reading import diagram
from kibitz.games.go.records.importing import import_records
from kibitz.games.go.rules import BLACK, EMPTY, WHITE, Board, Go, GoState, neighbours, other, parse_move
from kibitz.games.go.words.corners import CORNER_LINES, LAST_MOVE, Corners
from kibitz.games.go.words.openings import biggest_open_side, corner_words, open_area_words
from kibitz.games.go.words.reasons import reasons

LADDER = (
    ".........",
    "..X......",
    ".XO......",
    ".X.......",
)


EMPTY_ROWS = (".........",) * 3


@pytest.mark.parametrize(
    ("rows", "mover", "move", "words"),
    [
        (LADDER, BLACK, "D7", ("the ladder works: a stone cannot escape",)),
        ((*LADDER, ".........", ".........", "......O.."), BLACK, "D7", ("the ladder does not work",)),
        ((*LADDER[:2], ".XOX.....", ".X......."), WHITE, "C6", ("runs with a stone, but a ladder catches it",)),
        (LADDER, WHITE, "C6", ("saves a stone",)),
        (LADDER, WHITE, "G3", ("breaks the ladder that threatens a stone",)),
        ((".XO......", "XXO......", "OOO......"), WHITE, "A9", ("captures 3 stones",)),
        (("..X......", "OOX......", "XX......."), BLACK, "A9", ("catches 2 stones in a snapback",)),
        ((".OX......", "O.OX.....", ".OX......"), BLACK, "B8", ("captures a stone",)),
        (("..XO...OX..", "..XOOOOOX..", "..XXXXXXX.."), BLACK, "F11", ("kills 7 stones",)),
        (("..XO...OX..", "..XOOOOOX..", "..XXXXXXX.."), WHITE, "F11", ("makes life for 7 stones",)),
        ((*EMPTY_ROWS, "....OOO..", ".....X...", "......OX.", ".....X.O."), BLACK, "J4", ()),
        (("..XO..OX...", "..XO..OX...", "..XOOOOX...", "..XXXXXX..."), BLACK, "E11", ()),
    ],
)
def test_what_is_said_first(rows: tuple[str, ...], mover: int, move: str, words: tuple[str, ...]) -> None:
    board = diagram(*rows)
    state = Go(size=board.size).set_up(board, mover - 1)
    found = reasons(state, state.game.parse_move(move))
    assert found[: len(words)] == words or not words, found
    assert words or not any(re.search("kills|life|saves", clause) for clause in found)


def positions() -> list[tuple[GoState, int]]:
    """Return positions of games, each with the move played."""
    found = list[tuple[GoState, int]]()
    store = few_games()
    for game in [game for game, size in enumerate(store.column("sizes")) if size == 9][::4]:
        state = Go(size=9).start()
        for colour, point in store.moves_of(game)[:60]:
            if colour != 1 + state.to_move or point >= len(state.board.points) or state.is_over():
                break
            found.append((state, point))
            state = state.play(point)
    stream = random.Random(5)
    for _ in range(12):
        board = Board.empty(6)
        setup, moves = random_game(stream, 6, 30)
        for number, (colour, point) in enumerate((*setup, *moves)):
            state = Go(size=6).set_up(board, colour - 1)
            if number >= len(setup) and point >= 0:
                found.append((state, point))
            if point >= 0:
                board = board.place(point, colour).board
    return found


def test_statements_are_true() -> None:
    seen = Counter[str]()
    for state, move in positions():
        for clause in reasons(state, move):
            kind = re.sub(r"[0-9]+ stones|a stone|[A-T][0-9]+", "N", clause)
            check = next((check for words, check in CHECKS.items() if clause.startswith(words)), None)
            if check is not None:
                numbers = [1 if text == "a stone" else int(text.split()[0]) for text in re.findall(STONES, clause)]
                assert check(state, move, numbers), f"{clause}: {state} {state.game.move_text(move)}"
                seen[kind.split(" N")[0]] += 1
    for kind in ("captures", "puts", "saves", "gets", "catches", "connects two groups", "cuts two groups apart"):
        assert seen[kind] >= 5, seen


STONES = r"[0-9]+ stones|a stone"


def chains_of(board: Board, colour: int) -> set[frozenset[int]]:
    return {chain.stones for point, chain in board.chains().items() if board.points[point] == colour}


def captures(state: GoState, move: int, numbers: list[int]) -> bool:
    enemy = 2 - state.to_move
    return numbers == [state.board.points.count(enemy) - after(state, move).points.count(enemy)]


def in_atari(state: GoState, move: int, numbers: list[int]) -> bool:
    board, enemy = after(state, move), 2 - state.to_move
    beside = {board.chain(near) for near in neighbours(board.size)[move] if board.points[near] == enemy}
    found = [len(chain.stones) for chain in beside if len(chain.liberties) == 1]
    return all(number in found for number in numbers)


def saves(state: GoState, move: int, numbers: list[int]) -> bool:
    board, then = state.board, state.play(move)
    chains = [stones for stones in chains_of(board, 1 + state.to_move) if is_caught(board, min(stones), True)]
    free = [len(stones) for stones in chains if not is_caught(then.board, min(stones), True, then.ko)]
    return numbers[0] <= sum(free)


def out_of_atari(state: GoState, move: int, numbers: list[int]) -> bool:
    board, then = state.board, after(state, move)
    chains = [chain for point, chain in board.chains().items() if board.points[point] == 1 + state.to_move]
    weak = {chain.stones for chain in chains if len(chain.liberties) == 1}
    return numbers[0] <= sum(len(stones) for stones in weak if len(then.chain(min(stones)).liberties) > 1)


def catches(state: GoState, move: int, numbers: list[int]) -> bool:
    then = state.play(move)
    board, enemy = then.board, 1 + then.to_move
    beside = {board.chain(near) for near in neighbours(board.size)[move] if board.points[near] == enemy}
    caught = [c for c in beside if len(c.liberties) == 1 and is_caught(board, min(c.stones), False, then.ko)]
    return numbers[0] <= sum(len(chain.stones) for chain in caught)


def connects(state: GoState, move: int, numbers: list[int]) -> bool:
    own, cut = 1 + state.to_move, state.board.place(move, 2 - state.to_move)
    beside = [near for near in neighbours(state.board.size)[move] if state.board.points[near] == own]
    apart = {cut.board.chain(near).stones for near in beside}
    return len({after(state, move).chain(near).stones for near in beside}) == 1 and len(apart) > 1


def cuts(state: GoState, move: int, numbers: list[int]) -> bool:
    """Whether no single reply joins the chains, and none captures the stone."""
    then, enemy = state.play(move), 2 - state.to_move
    beside = [near for near in neighbours(state.board.size)[move] if then.board.points[near] == enemy]
    joined = len({state.board.place(move, enemy).board.chain(near).stones for near in beside}) == 1
    apart = len({then.board.chain(near).stones for near in beside})
    for reply in then.legal_moves()[:-1]:
        board = after(then, reply)
        if board.points[move] == EMPTY or len({board.chain(near).stones for near in beside}) < min(apart, 2):
            return False
    return joined and apart > 1


CHECKS = {
    "captures": captures,
    "puts": in_atari,
    "double atari": in_atari,
    "saves": saves,
    "gets": out_of_atari,
    "catches": catches,
    "the ladder works": catches,
    "connects": connects,
    "cuts": cuts,
}


def test_openings_in_words() -> None:
    board = Board.empty(19)
    q16, r14, d4, k10 = (parse_move(19, text) for text in ("Q16", "R14", "D4", "K10"))
    assert list(corner_words(board, q16, BLACK)) == ["takes an empty corner at the 4-4 point"]
    assert list(corner_words(board, parse_move(19, "C4"), BLACK)) == ["takes an empty corner at the 3-4 point"]
    assert not list(corner_words(board, k10, BLACK))
    board = board.place(q16, BLACK).board
    assert list(corner_words(board, r14, WHITE)) == ["approaches the corner"]
    assert list(corner_words(board, r14, BLACK)) == ["encloses the corner"]
    assert list(corner_words(board, parse_move(19, "Q15"), WHITE)) == ["attaches to the stone in the corner"]
    for text in ("P15", "R15", "P14", "N14"):  # shoulder hits and caps
        assert not list(corner_words(board, parse_move(19, text), WHITE))
    side = Board.empty(19).place(parse_move(19, "N17"), BLACK).board
    assert not list(corner_words(side, parse_move(19, "R16"), WHITE)), "the stone on the side has not taken the corner"
    assert list(corner_words(board, parse_move(19, "R17"), WHITE)) == ["invades the corner at the 3-3 point"]
    assert biggest_open_side(board)[0] == 15
    assert list(open_area_words(board, d4)) == ["plays in the biggest open area (15 by 15 lines without a stone)"]
    assert not list(open_area_words(board, r14))


def test_the_biggest_open_area_is_found_as_by_trying_every_square() -> None:
    stream = random.Random(7)
    for _ in range(30):
        board = Board.empty(9).with_stones(stream.sample(range(81), stream.randrange(1, 12)), BLACK)
        squares = [
            (side, {(row + a) * 9 + col + b for a in range(side) for b in range(side)})
            for side in range(1, 10)
            for row in range(10 - side)
            for col in range(10 - side)
        ]
        empty = [(side, points) for side, points in squares if not any(board.points[point] for point in points)]
        most = max(side for side, _ in empty)
        assert biggest_open_side(board) == (
            most,
            frozenset().union(*(points for side, points in empty if side == most)),
        )


def test_joseki_are_counted_as_by_hand() -> None:
    store, figures = few_games(), Counter[tuple[tuple[str, ...], int]]()
    wins, games = Counter[tuple[tuple[str, ...], int]](), list[tuple[Board, int, int]]()
    for game in range(len(store)):
        if store.column("sizes")[game] != 19:
            continue
        board = Board.empty(19)
        for colour, point in store.moves_of(game)[:LAST_MOVE]:
            if point < 361:
                key = corner_key(board, point, colour)
                if key is not None:
                    figures[key] += 1
                    wins[key] += int(store.column("winners")[game]) == colour
                    games.append((board, point, colour))
                board = board.place(point, colour).board
    corners, totals = Corners(store), Counter[tuple[str, ...]]()
    for (rows, _), times in figures.items():
        totals[rows] += times
    assert len(games) > 1000
    for board, point, colour in games:
        key, found = corner_key(board, point, colour), corners.figures(board, point, colour)
        assert key is not None
        assert found is not None
        assert (found.times, found.wins) == (figures[key], wins[key])
        assert found.total == totals[key[0]]
    assert max(figures.values()) > 5


def corner_key(board: Board, point: int, colour: int) -> tuple[tuple[str, ...], int] | None:
    """Return the corner of a point as the player of a colour sees it, in the least of its two reflections."""
    row, col = divmod(point, 19)
    rows = range(19) if row <= 9 else range(18, -1, -1)
    cols = range(19) if col <= 9 else range(18, -1, -1)
    down, across = rows.index(row), cols.index(col)
    if max(down, across) >= CORNER_LINES:
        return None
    signs = {EMPTY: ".", colour: "X", other(colour): "O"}
    grid = [[signs[board.points[19 * r + c]] for c in cols[:CORNER_LINES]] for r in rows[:CORNER_LINES]]
    plain = tuple("".join(line) for line in grid), CORNER_LINES * down + across
    turned = tuple("".join(line) for line in zip(*grid, strict=True)), CORNER_LINES * across + down
    return min(plain, turned)


def test_joseki_of_the_users_own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_DATA_DIR", str(tmp_path))
    moves = "".join(f";{'BW'[at % 2]}[{point}]" for at, point in enumerate(("pd", "dp", "qf", "nc")))
    games = tmp_path / "games.sgf"
    games.write_text("".join(f"(;GM[1]FF[4]SZ[19]PB[{n}]RE[{'BW'[n % 4 == 0]}+R]{moves};B[{p}])" for n, p in enumerate(
        [f"{'abcdefghijklm'[at]}k" for at in range(12)])))  # fmt: skip
    import_records([games], tmp_path / "go")
    game = Go()
    state = game.start()
    for text in ("pd", "dp", "qf"):
        state = state.play(game.parse_move(text))
    assert "joseki: played 12 of 12 times here, won 25%" in reasons(state, game.parse_move("nc"))
    assert not any("joseki" in clause for clause in reasons(state, game.parse_move("nd")))
