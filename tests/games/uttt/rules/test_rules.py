"""The rules of Ultimate Tic-Tac-Toe: diagrams, an independent twin, OpenSpiel, and counts of rare events."""

from __future__ import annotations

import random
from collections import Counter

import pyspiel
import pytest

from games.uttt.naive import Naive
from kibitz.core.errors import IllegalMove
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.geometry import LINES, MOVE_SYMMETRIES, from_grid, grid
from kibitz.games.uttt.rules.text import EMPTY, FREE

ALL = [Uttt(v, t) for v in ("closed", "open") for t in ("draw", "count")]


def play(game: Uttt, moves: str) -> UtttState:
    """Return the position after moves written board.cell, such as "4.0 0.4"."""
    state = game.start()
    for text in moves.split():
        board, cell = text.split(".")
        state = state.play(9 * int(board) + int(cell))
    return state


def test_numbering() -> None:
    assert grid(0) == (0, 0)
    assert grid(9 * 4 + 4) == (4, 4)
    assert grid(9 * 2 + 6) == (2, 6)
    assert grid(9 * 7 + 5) == (7, 5)
    assert [from_grid(*grid(move)) for move in range(81)] == list(range(81))
    assert len(LINES) == 8
    assert len(set(MOVE_SYMMETRIES)) == 8


def test_a_cell_sends_to_the_board_of_its_number() -> None:
    state = play(Uttt(), "4.0")
    assert state.forced == 0
    assert state.legal_moves() == tuple(range(9))
    with pytest.raises(IllegalMove, match="sends O to board 0, not 4"):
        state.play(9 * 4 + 1)


def test_sent_to_the_board_just_played_in_keeps_that_cell_taken() -> None:
    state = play(Uttt(), "4.4")
    assert state.legal_moves() == tuple(9 * 4 + c for c in range(9) if c != 4)
    with pytest.raises(IllegalMove, match="is already taken by X"):
        state.play(40)


def x_takes_board_0(game: Uttt) -> UtttState:
    """Return a position in which X has cells 0, 1 and 2 of board 0, and O 4, 5, 7 and 8."""
    return play(game, "0.0 0.4 4.0 0.5 5.0 0.7 7.1 1.0 0.1 1.3 3.0 0.8 8.2 2.0 0.2")


def test_three_in_a_row_win_a_board() -> None:
    state = x_takes_board_0(Uttt())
    assert state.boards == (0, *(EMPTY,) * 8)
    assert state.outcome() is None


def test_a_won_board_gives_a_free_choice_when_closed_and_play_goes_on_when_open() -> None:
    closed = x_takes_board_0(Uttt("closed")).play(9 * 2 + 4).play(9 * 4 + 3).play(9 * 3 + 4).play(9 * 4 + 6)
    closed = closed.play(9 * 6 + 0)
    assert closed.forced == FREE
    assert not any(move < 9 for move in closed.legal_moves())
    with pytest.raises(IllegalMove, match="Board 0 is decided"):
        closed.play(3)
    opened = x_takes_board_0(Uttt("open")).play(9 * 2 + 4).play(9 * 4 + 3).play(9 * 3 + 4).play(9 * 4 + 6)
    opened = opened.play(9 * 6 + 0)
    assert opened.forced == 0
    assert opened.legal_moves() == (3, 6)
    assert opened.play(3).boards[0] == 0


def test_the_game_ends_with_three_boards_in_a_row() -> None:
    for seed in range(200):
        state = random_state(Uttt(), seed)
        outcome = state.outcome()
        assert outcome is not None
        lines = [line for line in LINES for p in (0, 1) if all(state.boards[b] == p for b in line)]
        assert (outcome.reason == "three boards in a row") == bool(lines)
        if lines:
            assert outcome.winner == state.boards[lines[0][0]] == 1 - state.to_move
            with pytest.raises(IllegalMove, match="The game is over"):
                state.play(state.cells.index(EMPTY))


def random_state(game: Uttt, seed: int) -> UtttState:
    rng, state = random.Random(seed), game.start()
    while moves := state.legal_moves():
        state = state.play(rng.choice(moves))
    return state


@pytest.mark.parametrize("game", ALL, ids=lambda g: f"{g.variant}-{g.tiebreak}")
def test_an_independent_twin_agrees_on_every_ply(game: Uttt) -> None:
    for seed in range(60):
        rng, state, twin = random.Random(seed), game.start(), Naive(game.variant, game.tiebreak)
        while True:
            assert list(state.legal_moves()) == twin.legal()
            outcome = state.outcome()
            names = {"": None, "draw": "1/2-1/2", "X": "1-0", "O": "0-1"}
            assert (outcome and outcome.result) == names[twin.winner()]
            if outcome:
                break
            move = rng.choice(state.legal_moves())
            state = state.play(move)
            twin.play(move)


def test_openspiel_agrees_on_a_thousand_games() -> None:
    theirs_game = pyspiel.load_game("ultimate_tic_tac_toe")
    results: Counter[str] = Counter()
    for seed in range(1000):
        rng, ours, theirs = random.Random(seed), Uttt().start(), theirs_game.new_initial_state()
        while (outcome := ours.outcome()) is None:
            assert theirs.current_player() == ours.to_move
            if ours.forced == FREE:  # OpenSpiel splits a free move: first the board, then the cell
                boards = sorted({move // 9 for move in ours.legal_moves()})
                assert theirs.legal_actions() == boards
                board = rng.choice(boards)
                theirs.apply_action(board)
            else:
                board = ours.forced
            cells = [move % 9 for move in ours.legal_moves() if move // 9 == board]
            assert theirs.legal_actions() == cells
            cell = rng.choice(cells)
            ours = ours.play(9 * board + cell)
            theirs.apply_action(cell)
        assert theirs.is_terminal()
        assert theirs.returns() == [outcome.value(0), outcome.value(1)]
        results[outcome.result] += 1
    assert min(results.values()) > 150


def events(before: UtttState, move: int, after: UtttState) -> set[str]:
    """Return the names of what happened in one move."""
    board, cell = divmod(move, 9)
    found = set()
    if after.boards != before.boards:
        found.add("board drawn" if after.boards[board] == 2 else "board won")
        mini = after.cells[9 * board : 9 * board + 9]
        lines = [line for line in LINES if all(mini[i] == before.to_move for i in line)]
        if len(lines) > 1:
            found.add("two lines at once")
        if EMPTY not in mini and after.boards[board] != 2:
            found.add("won with the last cell")
    elif before.boards[board] != EMPTY:
        found.add("move in a decided board")
    if after.outcome() is None and after.forced == FREE:
        found.add("free: the board is won" if after.boards[cell] in (0, 1) else "free: the board is drawn")
        if cell == board:
            found.add("sent to the board just decided")
    outcome = after.outcome()
    if outcome is not None:
        found.add("draw" if outcome.winner is None else "line" if "row" in outcome.reason else "count")
        if outcome.winner is not None and outcome.winner == after.to_move:
            found.add("won by count on the opponent's move")
    return found


def test_rare_events_are_reached() -> None:
    seen: Counter[str] = Counter()
    for game in ALL:
        for seed in range(500):
            rng, state = random.Random(seed), game.start()
            while moves := state.legal_moves():
                move = rng.choice(moves)
                after = state.play(move)
                seen.update(f"{game.variant}: {event}" for event in events(state, move, after))
                state = after
    minima = {
        "board won": 500, "board drawn": 50, "two lines at once": 20, "won with the last cell": 20,
        "free: the board is won": 500, "free: the board is drawn": 50, "sent to the board just decided": 50,
        "draw": 20, "line": 100, "count": 20, "won by count on the opponent's move": 3,
    }  # fmt: skip
    for event, minimum in minima.items():
        assert seen[f"closed: {event}"] >= minimum, (event, seen)
    assert seen["open: move in a decided board"] >= 500
    assert seen["closed: move in a decided board"] == 0
    assert seen["open: free: the board is won"] >= 50
