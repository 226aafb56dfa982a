"""The features of the pattern model against a slow version that reads them off the board, on random games."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from games.go.go_games import random_games
from kibitz.games.go.predict.fit.course import Moment, moments
from kibitz.games.go.predict.fit.kernel import count_patterns, new_workspace
from kibitz.games.go.predict.model.features_kernel import Features
from kibitz.games.go.predict.model.layout import FAMILIES, FIXED_FEATURES, OFFSETS, PATTERN_SIZES, PHASES, distance
from kibitz.games.go.predict.model.layout import MAX_REACH as REACH
from kibitz.games.go.predict.model.layout import RESPONSE_SIZES as RESPONSES
from kibitz.games.go.predict.model.model import ModelContent, PatternModel
from kibitz.games.go.predict.model.patterns_kernel import known_keys, new_pattern_table
from kibitz.games.go.predict.model.words import kind_of
from kibitz.games.go.rules.board import EMPTY, Board, Chain, other
from kibitz.games.go.rules.geometry import neighbours
from kibitz.games.go.sgf.record import PASS, move_of, setup_of

SIZE = 9


def away(one: int, two: int) -> int:
    """Return the distance of two points."""
    return distance(one // SIZE - two // SIZE, one % SIZE - two % SIZE)


def is_legal(now: Moment, point: int, colour: int) -> bool:
    """Return whether a stone may be played."""
    return now.board.points[point] == EMPTY and point != now.ko and not now.board.place(point, colour).lost


def stones_class(n: int) -> int:
    """Return 1, 2, 3 to 4, or more, as 0 to 3."""
    return [0, 0, 1, 2, 2][n] if n <= 4 else 3


def chains_beside(board: Board, point: int, colour: int) -> list[Chain]:
    """Return the chains of a colour beside a point, each once."""
    found = {board.chain(near) for near in neighbours(SIZE)[point] if board.points[near] == colour}
    return sorted(found, key=lambda chain: (len(chain.liberties), -len(chain.stones)))


def weakest(chains: list[Chain]) -> list[Chain]:
    """Return the chains that have as few liberties and as many stones as the first."""
    first = chains[0]
    return [c for c in chains if (len(c.liberties), len(c.stones)) == (len(first.liberties), len(first.stones))]


def ladder(board: Board, stone: int, defender_moves: bool) -> bool:
    """Return whether a chain is caught by ataris alone, as read_ladder does."""
    colour = board.points[stone]
    for _ in range(76):
        chain = board.chain(stone)
        if defender_moves:
            attackers = {near for at in chain.stones for near in neighbours(SIZE)[at]} - chain.stones
            if any(board.points[near] == other(colour) and len(board.chain(near).liberties) == 1 for near in attackers):
                return False
            placed = board.place(next(iter(chain.liberties)), colour)
            if placed.lost:
                return True
            board = placed.board
        defender_moves = True
        free = board.chain(stone).liberties
        if len(free) != 2:
            return len(free) < 2
        room = {at: sum(board.points[near] == EMPTY for near in neighbours(SIZE)[at]) for at in free}
        if len(set(room.values())) == 1:
            raise LookupError("either way")  # which is tried depends on the order of stones
        placed = board.place(max(room, key=lambda at: room[at]), other(colour))
        if placed.lost:
            return False
        board = placed.board
    return False


def slow_features(now: Moment, point: int) -> dict[str, int]:
    """Return the features of a point that are no patterns, by kind; of a ladder that can go either way, -1."""
    board, me, you = now.board, now.colour, other(now.colour)
    row, col = divmod(point, SIZE)
    recent = [*now.recent, -1, -1, -1, -1][:4]
    phase = sum(now.moves >= limit for limit in (6, 16, 30, 50, 80, 120, 180))
    low, high = sorted(min(line, SIZE - 1 - line) for line in (row, col))
    pairs = [(low, high) for high in range(10) for low in range(high + 1)]
    found = {"place": pairs.index((low, high)) * PHASES + phase}
    near_pairs = [(a, b) for a in range(REACH + 1) for b in range(a + 1) if 2 * a + b <= REACH]
    limits = (2, 3, 4, 5, 7, 9, 12, 17)
    buckets = []
    for name, move in zip(("last", "before", "third", "fourth"), recent, strict=True):
        if move < 0:
            found[name] = OFFSETS - 1
            buckets.append(9)
            continue
        steps = sorted((abs(row - move // SIZE), abs(col - move % SIZE)), reverse=True)
        found[name] = near_pairs.index((steps[0], steps[1])) if 2 * steps[0] + steps[1] <= REACH else 33
        buckets.append(next((n for n, limit in enumerate(limits) if away(point, move) <= limit), 8))
    found["both"] = buckets[0] * 10 + buckets[1]
    found["phase"] = phase * 10 + buckets[0]
    stones = {c: [p for p, code in enumerate(board.points) if code == c] for c in (me, you)}
    walk = {c: min([abs(row - p // SIZE) + abs(col - p % SIZE) for p in stones[c]] or [38]) for c in (me, you)}
    found["nearest"] = (min(walk[me], 7) - 1) * 7 + min(walk[you], 7) - 1
    pull = {c: sum(max(0, REACH + 1 - away(point, p)) for p in stones[c]) for c in (me, you)}
    lead = max(0, min(10, (pull[me] - pull[you] + 44) // 8))
    found["influence"] = lead * 6 + min((pull[me] + pull[you]) // 32, 5)

    mine, theirs = chains_beside(board, point, me), chains_beside(board, point, you)
    placed = board.place(point, me)
    captured = len(placed.captured)
    free = set().union(
        *(chain.liberties for chain in mine), {n for n in neighbours(SIZE)[point] if not board.points[n]}
    )
    room = len(free - {point}) + captured
    size = 1 + sum(len(chain.stones) for chain in mine)
    large = stones_class(size) if size <= 4 else 3 if size <= 8 else 4
    found["after"] = (min(room, 6) - 1) * 5 + large
    found["chains"] = len(mine) * 5 + len(theirs)
    last, before = recent[0], recent[1]
    if captured:
        beside = {n for at in placed.captured for n in neighbours(SIZE)[at] if board.points[n] == me}
        saves = any(len(board.chain(n).liberties) == 1 for n in beside)
        found["capture"] = stones_class(captured) * 4 + 2 * saves + (last in placed.captured)
    own_room = min(len(mine[0].liberties), 5) if mine else 0
    enemy_room = min(len(theirs[0].liberties), 5) if theirs else 0
    if mine:
        weak = weakest(mine)
        marks = {before in chain.stones for chain in weak}
        kind = (own_room - 1) * 8 + stones_class(len(mine[0].stones)) * 2
        found["own"] = kind + marks.pop() if len(marks) == 1 else -1  # of equals, either is taken
        if own_room == 1:
            touched = {last >= 0 and bool(set(neighbours(SIZE)[last]) & chain.stones) for chain in weak}
            kind = stones_class(len(mine[0].stones)) * 3 + min(room, 3) - 1
            try:
                caught = room == 1 or (room == 2 and ladder(placed.board, point, False))
                found["escape"] = kind * 4 + 2 * touched.pop() + caught if len(touched) == 1 else -1
            except LookupError:
                found["escape"] = -1
    if theirs:
        marks = {last in chain.stones for chain in weakest(theirs)}
        kind = (enemy_room - 1) * 8 + stones_class(len(theirs[0].stones)) * 2
        found["enemy"] = kind + marks.pop() if len(marks) == 1 else -1
    put_in_atari = [chain for chain in theirs if len(chain.liberties) == 2]
    if put_in_atari:
        kind = stones_class(max(len(chain.stones) for chain in put_in_atari)) * 4
        kind += 2 * any(last in chain.stones for chain in put_in_atari)
        try:
            falls = [
                room > 1
                and len(placed.board.chain(min(chain.stones)).liberties) == 1
                and ladder(placed.board, min(chain.stones), True)
                for chain in put_in_atari
            ]
            found["atari"] = kind + any(falls)
        except LookupError:
            found["atari"] = -1
    found["race"] = (own_room * 6 + enemy_room) * 3 + min(room, 3) - 1
    if captured == 1 and size == 1 and room == 1:
        found["ko"] = 0
    elif now.ko >= 0:
        found["ko"] = 2 if put_in_atari or captured else 1
    if last >= 0:
        chain = board.chain(last)
        relation = 10 if point in chain.liberties else buckets[0]
        found["answer"] = (min(len(chain.liberties), 4) - 1) * 11 + relation
    return found


IMAGES = [(a, b, swap) for swap in (False, True) for a in (1, -1) for b in (1, -1)]


def window(now: Moment, centre: int, reach: int, marks: tuple[int, ...], liberties: bool = False) -> str:
    """Return how the points up to a distance look to the mover in the least of the eight forms, and where marks are."""
    row, col = divmod(centre, SIZE)
    seen: dict[tuple[int, int], str] = {}
    for down, across in product(range(-reach, reach + 1), repeat=2):
        if 0 < distance(down, across) <= reach:
            r, c = row + down, col + across
            sign = "#"
            if 0 <= r < SIZE and 0 <= c < SIZE:
                code = now.board.points[r * SIZE + c]
                sign = "." if code == EMPTY else "X" if code == now.colour else "O"
                if code != EMPTY and liberties:
                    sign += str(min(len(now.board.chain(r * SIZE + c).liberties), 3))
            seen[down, across] = sign
    where = [(mark // SIZE - row, mark % SIZE - col) for mark in marks]

    def turn(offset: tuple[int, int], image: tuple[int, int, bool]) -> tuple[int, int]:
        down, across = offset[::-1] if image[2] else offset
        return down * image[0], across * image[1]

    forms = []
    for image in IMAGES:
        turned = sorted((turn(offset, image), sign) for offset, sign in seen.items() if sign != ".")
        forms.append((turned, [turn(offset, image) for offset in where]))
    return str(min(forms))


def slow_patterns(now: Moment, point: int) -> dict[tuple[int, int], str]:
    """Return (family, size) -> the pattern as a text, of all patterns around a point."""
    last = now.recent[0] if now.recent else -1
    before = now.recent[1] if len(now.recent) > 1 else -1
    linked = last >= 0 and 0 < away(point, last) <= REACH
    twice = linked and before >= 0 and 0 < away(point, before) <= REACH
    found = {}
    for ring, reach in enumerate(PATTERN_SIZES):
        found[0, ring] = window(now, point, reach, ())
        if linked:
            found[1, ring] = window(now, point, reach, (last,))
        if twice:
            found[2, ring] = window(now, point, reach, (last, before))
        if linked and ring < RESPONSES:
            found[3, ring] = window(now, last, reach, (point,))
        if ring < 2:
            found[4, ring] = window(now, point, reach, (), liberties=True)
            if linked:
                found[5, ring] = window(now, point, reach, (last,), liberties=True)
    return found


@pytest.fixture(scope="module")
def games() -> list[list[int]]:
    """Return the plays of random games with captures, passes and setup stones."""
    return [
        [*(setup_of(*stone) for stone in setup), *(move_of(colour, PASS if at < 0 else at) for colour, at in moves)]
        for setup, moves in random_games(7, 4, SIZE)
    ]


def counted(games: list[list[int]]) -> NDArray[np.uint32]:
    """Return the keys of all patterns around the moves of games."""
    table = new_pattern_table(1 << 16, 1 << 20, 1, 1 << 15)
    plays = np.array([play for game in games for play in game], np.uint16)
    ends = np.cumsum([len(game) for game in games])
    spans = np.stack([np.concatenate([[0], ends[:-1]]), ends, np.full(len(ends), 3)], axis=1).astype(np.int64)
    count_patterns(new_workspace(SIZE, table, np.zeros((0, 1), np.float32)), plays, spans)
    return known_keys(table)


def model_of(keys: NDArray[np.uint32]) -> PatternModel:
    """Return a model that knows these patterns and has no weights."""
    return PatternModel(ModelContent({}, keys, np.zeros((FIXED_FEATURES + len(keys), 1), np.float32)))


def features_of(model: PatternModel, now: Moment) -> Features:
    """Return the candidates of a position with their features, without room for more."""
    n, features = len(model.rank_moment(now, 0).order), model.workspace(SIZE).features
    return features._replace(points=features.points[:n])


def test_features_agree_with_the_slow_version(games: list[list[int]]) -> None:
    model, events = model_of(np.zeros(0, np.uint32)), Counter[str]()
    for now in (now for game in games for now in list(moments(SIZE, game))[::3]):
        found = features_of(model, now)
        legal = [point for point in range(SIZE * SIZE) if is_legal(now, point, now.colour)]
        assert found.points.tolist() == legal
        for at, point in enumerate(legal):
            wanted = slow_features(now, point)
            kinds = [kind_of(feature) for feature in found.features[at, : found.counts[at]].tolist()]
            got = dict(kinds)
            assert len(got) == len(kinds)
            assert got.keys() == wanted.keys()
            assert all(number in (-1, got[name]) for name, number in wanted.items())
            events.update(got.keys())
            events["ladder"] += wanted.get("atari", 0) > 0 and wanted["atari"] & 1
            events["caught"] += wanted.get("escape", 0) > 0 and wanted["escape"] & 1
    assert min(events[name] for name in ("capture", "escape", "atari", "ko", "ladder", "caught", "answer")) >= 5


def test_patterns_are_those_that_were_played(games: list[list[int]]) -> None:
    """Two windows have one number exactly if they look the same, and a window has one exactly if it was played."""
    played = {
        pattern
        for game in games[:2]
        for now in moments(SIZE, game)
        if now.played >= 0
        for pattern in slow_patterns(now, now.played).items()
    }
    model = model_of(counted(games[:2]))
    assert len(model.keys) == len(played)
    texts: dict[int, Any] = {}
    seen: Counter[int] = Counter()
    for now in list(moments(SIZE, games[1]))[5::16] + list(moments(SIZE, games[3]))[8::30]:
        found = features_of(model, now)
        for at in sorted({*range(0, len(found.points), 9), *np.flatnonzero(found.points == now.played).tolist()}):
            slow, got = slow_patterns(now, int(found.points[at])), set()
            for place in np.flatnonzero(found.kinds[at, : found.counts[at]]).tolist():
                kind = divmod(int(found.kinds[at, place]) - 1, len(PATTERN_SIZES))
                got.add((kind, slow[kind]))
                assert texts.setdefault(int(found.features[at, place]), (kind, slow[kind])) == (kind, slow[kind])
                seen[kind[0]] += 1
            assert got == {pattern for pattern in slow.items() if pattern in played}
    assert len(set(texts.values())) == len(texts)
    assert all(seen[family] >= 10 for family in range(FAMILIES))
