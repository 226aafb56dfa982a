"""Reading ahead: bit boards against the rules, ladders and life and death against slow readings that try every move."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from games.go.go_games import random_game
from games.go.words.reading import can_capture, is_caught, moves
from kibitz.games.go.rules import BLACK, EMPTY, WHITE, Board, other
from kibitz.games.go.rules.rules import ko_point
from kibitz.games.go.rules.text import NO_KO
from kibitz.games.go.words.bits import stones_of
from kibitz.games.go.words.ladders import read_attack, read_defence
from kibitz.games.go.words.life import Area, find_areas


def boards(seed: int, size: int, games: int, length: int) -> Iterator[Board]:
    """Yield the boards of random games."""
    stream = random.Random(seed)
    for _ in range(games):
        setup, played = random_game(stream, size, length)
        board = Board.empty(size)
        for colour, point in (*setup, *played):
            if point >= 0:
                board = board.place(point, colour).board
                yield board


def diagram(*rows: str) -> Board:
    """Return a square board whose first rows are given; the others are empty."""
    size = len(rows[0])
    text = "".join(rows) + "." * size * (size - len(rows))
    return Board(size, bytes(".XO".index(mark) for mark in text))


def test_bit_boards_follow_the_rules() -> None:
    events = Counter[str]()
    for board in boards(1, 5, 12, 40):
        stones, field = stones_of(board), stones_of(board).field
        for chain in set(board.chains().values()):
            found = stones.chain(field.bit(min(chain.stones)))
            assert field.points(found) == sorted(chain.stones)
            assert field.points(stones.liberties(found)) == sorted(chain.liberties)
        for colour in (BLACK, WHITE):
            for point in range(25):
                if board.points[point] != EMPTY:
                    continue
                expected, placed = board.place(point, colour), stones.place(field.bit(point), colour)
                if expected.lost:
                    assert placed is None
                    events["suicide"] += 1
                    continue
                assert placed is not None
                assert placed.stones == stones_of(expected.board)
                assert field.points(placed.captured) == sorted(expected.captured)
                ko = ko_point(expected, point)
                assert field.points(placed.ko(field.bit(point))) == ([] if ko < 0 else [ko])
                events["capture"] += bool(expected.captured)
                events["ko"] += ko >= 0
    assert min(events[name] for name in ("suicide", "capture", "ko")) > 20


def test_ladders_are_read_as_by_trying_every_move() -> None:
    events, too_long = Counter[tuple[bool, bool]](), 0
    for board in [*boards(2, 6, 6, 24), *boards(3, 7, 3, 24)]:
        stones = stones_of(board)
        for chain in {each for each in board.chains().values() if len(each.liberties) <= 2}:
            stone = min(chain.stones)
            found = read_attack(stones, stones.field.bit(stone))
            if found is None:  # kos that are taken again and again
                too_long += 1
                continue
            assert found.captured == is_caught(board, stone, True)
            events[found.captured, found.is_ladder] += 1
            if len(chain.liberties) == 1:
                found = read_defence(stones, stones.field.bit(stone))
                assert found is not None
                assert found.captured == is_caught(board, stone, False)
    assert min(events[captured, is_ladder] for captured in (True, False) for is_ladder in (True, False)) >= 5
    assert too_long <= 5


def test_a_stone_in_the_way_breaks_a_ladder() -> None:
    board = diagram(".........", "..X......", ".XO......", ".X.......", *["........."] * 5)
    stones, target = stones_of(board), 2 * 9 + 2
    field = stones.field
    found = read_attack(stones, field.bit(target))
    assert found is not None
    assert found.captured
    assert found.is_ladder
    broken = 0
    for point in range(81):
        if board.points[point] == EMPTY and point not in board.chain(target).liberties:
            with_stone = board.place(point, WHITE).board
            reading = read_attack(stones_of(with_stone), field.bit(target))
            assert reading is not None
            assert reading.captured == is_caught_by_its_liberties(with_stone, target)
            broken += not reading.captured
    assert 10 < broken < 40


def is_caught_by_its_liberties(board: Board, target: int, ko: int = NO_KO) -> bool:
    """Return whether a chain is captured in a ladder, with the attacker to move, by playing on liberties only."""
    colour, liberties = board.points[target], board.chain(target).liberties
    if len(liberties) != 2:
        return len(liberties) < 2 and ko not in liberties
    for after, then in moves(board, other(colour), ko, liberties):
        (last,) = after.chain(target).liberties
        replies = {last}
        for near in set(after.chains().values()):
            if after.points[min(near.stones)] != colour and len(near.liberties) == 1:
                replies |= near.liberties
        answers = moves(after, colour, then, replies)
        if last != then and all(is_caught_by_its_liberties(each, target, forbidden) for each, forbidden in answers):
            return True
    return False


SHAPES = {
    "straight three": ("..XO...OX..", "..XOOOOOX..", "..XXXXXXX.."),
    "bent three": ("..XO..OX...", "..XOO.OX...", "..XXOOOX...", "...XXXXX..."),
    "square four": ("..XO..OX...", "..XO..OX...", "..XOOOOX...", "..XXXXXX..."),
    "two eyes": ("..XO.O.OX..", "..XOOOOOX..", "..XXXXXXX.."),
    "one eye": ("..XO.OOOX..", "..XOOOOOX..", "..XXXXXXX.."),
    "corner four": ("..OX.......", "..OX.......", "OOOX.......", "XXXX......."),
    "prey inside": ("..XO.X.OX..", "..XOOOOOX..", "..XXXXXXX.."),
    "a ko": (".O.OX......", "O.OOX......", ".OOXX......", "OOXX.......", "XXX........"),
}


def area_of(rows: tuple[str, ...]) -> tuple[Board, Area]:
    board = diagram(*rows)
    (area,) = (each for each in find_areas(stones_of(board)) if each.defender == WHITE)
    return board, area


@pytest.mark.parametrize("name", SHAPES)
def test_areas_are_solved_as_by_trying_every_move(name: str) -> None:
    board, area = area_of(SHAPES[name])
    assert area.losses is not None
    never_ko, always_ko = area.losses
    points, target = frozenset(area.board.points(area.points)), min(area.board.points(area.target))
    for attacks in (True, False):
        expected = can_capture(board, target, points, attacks, 16, {})  # a ko may be retaken at once by both
        assert (area.inside, attacks) not in never_ko or expected, "the attacker can do without a ko"
        assert not expected or (area.inside, attacks) in always_ko, "the attacker may need a ko"
        assert (area.inside, attacks) not in never_ko or (area.inside, attacks) in always_ko


@pytest.mark.parametrize(
    ("name", "attacker_first", "defender_first"),
    [
        ("straight three", True, False),
        ("bent three", True, False),
        ("square four", True, True),
        ("two eyes", False, False),
        ("one eye", True, True),
        ("corner four", True, True),
        ("prey inside", True, True),
    ],
)
def test_known_shapes(name: str, attacker_first: bool, defender_first: bool) -> None:
    _, area = area_of(SHAPES[name])
    assert area.losses is not None
    for losses in area.losses:
        assert ((area.inside, True) in losses, (area.inside, False) in losses) == (attacker_first, defender_first)


@pytest.mark.parametrize("name", SHAPES)
def test_moves_inside_an_area_follow_the_rules(name: str) -> None:
    stream = random.Random(name)
    board, area = area_of(SHAPES[name])
    field, target = area.board, area.board.points(area.target)[0]
    for _ in range(20):
        position, inside, attacks = board, area.inside, stream.random() < 0.5
        for _ in range(12):
            colour = other(area.defender) if attacks else area.defender
            steps = area.steps(inside, attacks)
            for point in field.points(area.points):
                is_free = position.points[point] == EMPTY
                placed = position.place(point, colour) if is_free else None
                assert (placed is not None and not placed.lost) == (field.bit(point) in steps)
            if not steps:
                break
            move = stream.choice(sorted(steps))
            placed = position.place(field.points(move)[0], colour)
            after = steps[move].inside
            assert (after is None) == (target in placed.captured)
            if after is None:
                break
            position, inside, attacks = placed.board, after, not attacks
            stones = stones_of(position)
            assert inside == (stones.of(area.defender) & area.points, stones.of(other(area.defender)) & area.points)
