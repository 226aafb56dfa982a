"""Rules, kernel, a naive twin and OpenSpiel in one loop: the same moves, boards and results on every ply."""

from __future__ import annotations

import functools
import itertools
import operator
import random
from collections import Counter

import numpy as np
import pyspiel
import pytest

from games.go.naive.rules import Naive, Place
from kibitz.core.errors import IllegalMove
from kibitz.games.go.evaluate import EVALUATIONS
from kibitz.games.go.kernel import board as board_kernel
from kibitz.games.go.kernel import position as kernel
from kibitz.games.go.rules import EMPTY, Board, Go, GoState
from kibitz.testing.compiled import advance, describe, retreat


def look(pos: kernel.GoPosition) -> tuple[tuple[int, ...], int, bool, int]:
    """Return the legal moves of a compiled position, who moves, whether it is over, and its value."""
    moves, out = np.zeros(kernel.MAX_LEGAL_MOVES, np.int64), np.zeros(4 + len(EVALUATIONS.known), np.int64)
    n = describe(pos, moves, out)
    over = bool(out[1])
    return tuple(moves[:n].tolist()), int(out[0]), over, int(out[2] if over else out[4])


def place_of(game: Go, move: int) -> Place | None:
    if move == game.pass_move:
        return None
    row, col = divmod(move, game.size)
    return col, game.size - 1 - row


def check_chains(b: board_kernel.BoardArrays, size: int) -> None:
    """Compare the chains, counted liberties and hashes of a compiled board with its stones alone."""
    cells, key, near_of = b.cells.tolist(), board_kernel.NO_STONES, b.near.tolist()
    points = bytes(int(b.stones[cell]) for cell in cells)
    assert all(b.head[cell] == 0 for cell, code in zip(cells, points, strict=True) if code == EMPTY)
    for chain in {chain.stones: chain for chain in Board(size, points).chains().values()}.values():
        stones = {cells[point] for point in chain.stones}
        colour, some = points[min(chain.stones)], min(stones)
        head, ring, stone = int(b.head[some]), {some}, int(b.link[some])
        while stone != some:
            ring.add(stone)
            stone = int(b.link[stone])
        assert ring == stones == {cell for cell in cells if b.head[cell] == head}
        assert int(b.stone_count[head]) == len(stones)
        near = [n for stone in stones for n in near_of[stone] if b.stones[n] == EMPTY]
        assert {cells.index(n) for n in near} == chain.liberties
        assert int(b.liberties[head]) == (sum(int(board_kernel.LIBERTY[n]) for n in near))
        keys = [int(board_kernel.STONE_KEYS[colour, stone]) for stone in stones]
        assert int(b.hashes[head]) == functools.reduce(operator.xor, keys)
        key ^= int(b.hashes[head])
    assert int(b.facts[board_kernel.HASH]) == key


OPTIONS = list(itertools.product(("simple", "positional"), ("area", "territory"), (False, True)))
SIZES = {1: 1, 2: 3, 3: 2, 4: 1, 5: 1}  # size -> games


def play_all(game: Go, seed: int, events: Counter[str]) -> None:
    """Play a random game on rules, kernel and the twin."""
    rng, state, pos = random.Random(seed), game.start(), kernel.pack(game.start())
    twin = Naive(game.size, game.komi, game.ko, game.scoring, game.suicide)
    while True:
        moves, mover, over, value = look(pos)
        legal = state.legal_moves()
        assert moves == legal
        assert {place_of(game, move) for move in legal} == set(twin.legal())
        assert kernel.unpack(pos, game) == state
        assert (mover, over) == (state.to_move, state.is_over())
        assert "BW"[state.to_move] == twin.mover
        margin = twin.margin() if state.to_move == 0 else -twin.margin()
        assert state.score().margin == twin.margin()
        assert abs(value) - abs(margin) in (0.0, 0.25, 0.5, 0.75)
        assert (value > 0, value < 0) == (margin > 0, margin < 0)
        assert state.prisoners == (twin.taken["B"], twin.taken["W"])
        if not legal:
            break
        note(state, legal, events)
        tried = rng.choice(legal)
        token = advance(pos, tried)
        retreat(pos, tried, token)
        if state.turn % 3 == 0:
            check_chains(pos.board, game.size)
        takes = [move for move in legal[:-1] if state.board.place(move, 1 + state.to_move).captured]
        stones = takes if takes and rng.random() < 0.5 else legal[:-1]
        move = rng.choice(stones) if stones and rng.random() < 0.95 else game.pass_move
        state = state.play(move)
        advance(pos, move)
        twin.play(place_of(game, move))
    events["limit"] += state.passes < 2


def note(state: GoState, legal: tuple[int, ...], events: Counter[str]) -> None:
    """Count what is rare."""
    events["ko"] += state.ko >= 0
    for move in legal[:-1]:
        placed = state.board.place(move, 1 + state.to_move)
        events["capture of several"] += len(placed.captured) > 1
        events["suicide of several"] += len(placed.lost) > 1
        events["capture"] += bool(placed.captured)
    if state.first:
        for move, code in enumerate(state.board.points):
            if code == EMPTY and move not in legal:
                placed = state.board.place(move, 1 + state.to_move)
                if not placed.lost or state.game.suicide:
                    back = len(state.past) - 1 - state.past.index(placed.board.points)
                    events["superko beyond ko"] += back > 1


@pytest.mark.checked
def test_rules_kernel_and_twin_agree_on_every_ply() -> None:
    events: Counter[str] = Counter()
    for number, (ko, scoring, suicide) in enumerate(OPTIONS):
        for size, games in SIZES.items():
            game = Go(size=size, komi=0.25, ko=ko, scoring=scoring, suicide=suicide)  # type: ignore[arg-type]
            for seed in range(games):
                play_all(game, 10 * number + seed, events)
    least = {"ko": 10, "capture": 500, "capture of several": 200, "suicide of several": 40, "superko beyond ko": 20}
    least["limit"] = 4
    assert {name: events[name] for name in least if events[name] < least[name]} == {}


def fighting_move(state: GoState, corner: list[int], rng: random.Random) -> int:
    """Return a legal move in a corner, a capture if there is one."""
    chains = state.board.chains()
    takes = [min(c.liberties) for point, c in chains.items() if len(c.liberties) == 1 and point in corner]
    others = [point for point in corner if state.board.points[point] == EMPTY]
    for move in [*rng.sample(takes, len(takes)), *rng.sample(others, len(others))]:
        try:
            state.play(move)
        except IllegalMove:
            continue
        return move
    return rng.choice(state.legal_moves()[:-1])


@pytest.mark.bounds
@pytest.mark.parametrize("size", [9, 19, 25])
@pytest.mark.parametrize("ko", ["simple", "positional"])
def test_large_boards_agree_too(size: int, ko: str) -> None:
    game = Go(size=size, ko=ko)  # type: ignore[arg-type]
    rng, state, pos = random.Random(size), game.start(), kernel.pack(game.start())
    tokens: list[tuple[int, int]] = []
    corner = [row * size + col for row in range(size - 5, size) for col in range(size - 5, size)]  # where they fight
    for ply in range(60 if size == 9 else 150):
        if ply % 6 == 0:
            assert look(pos)[0] == state.legal_moves()
            assert kernel.unpack(pos, game) == state
        move = fighting_move(state, corner, rng)
        state = state.play(move)
        tokens.append((move, advance(pos, move)))
    assert sum(state.prisoners) > 5
    check_chains(pos.board, size)
    for move, token in reversed(tokens):
        retreat(pos, move, token)
    assert kernel.unpack(pos, game) == game.start()
    check_chains(pos.board, size)


def test_openspiel_agrees_on_every_ply() -> None:
    """OpenSpiel has simple ko, and ends the game with a draw where a board comes back: our positional superko."""
    events: Counter[str] = Counter()
    for size, games in {2: 40, 3: 40, 4: 30, 5: 20, 9: 6, 13: 2, 19: 1}.items():
        theirs_game = pyspiel.load_game(f"go(board_size={size},komi=0.5,max_game_length={max(100, 4 * size * size)})")
        for seed in range(games):
            rng, theirs = random.Random(seed), theirs_game.new_initial_state()
            simple, positional = (Go(size=size, komi=0.5, ko=ko).start() for ko in ("simple", "positional"))
            while not theirs.is_terminal():
                legal = simple.legal_moves()
                assert sorted(flipped(size, move) for move in legal) == theirs.legal_actions()
                assert theirs.current_player() == simple.to_move
                move = rng.choice(legal[:-1]) if len(legal) > 1 and rng.random() < 0.9 else legal[-1]
                theirs.apply_action(flipped(size, move))
                rows = [line.split()[-1] for line in str(theirs).splitlines()[2 : 2 + size]]
                simple = simple.play(move)
                assert "".join(rows).replace("+", ".") == "".join(".XO"[code] for code in simple.board.points)
                if move not in positional.legal_moves():
                    assert theirs.is_terminal()
                    events["superko"] += 1
                    break
                positional = positional.play(move)
            else:
                outcome = simple.outcome()
                assert outcome is not None
                assert theirs.returns() == [outcome.value(0), outcome.value(1)]
                events["counted"] += 1
    assert events["superko"] > 20
    assert events["counted"] > 60


def flipped(size: int, move: int) -> int:
    """Return a move with the rows counted from the bottom."""
    return move if move == size * size else (size - 1 - move // size) * size + move % size
