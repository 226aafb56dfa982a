"""Reasons in words: hand-made positions, and what must hold in any game."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

import kibitz
from kibitz.analysis.words import reasons, sentence
from kibitz.core.package import GamePackage
from kibitz.core.parts import Words
from kibitz.games.uttt.rules import UtttState
from kibitz.games.uttt.rules.text import EMPTY, FREE
from kibitz.testing import random_game
from toy.cards import HighCard
from toy.package import TOY
from toy.rules import Toy

# position, move, the reasons
SAID = {
    "wins the game": (
        "xxx6/xxx6/xx7/oo7/oo7/oo7/oo7/9/9 x -", 20,
        ["wins the game with the top row of boards"],
    ),
    "wins a board and threatens the game": (
        "xxx6/xx7/9/oo7/9/o8/9/9/oo7 x 1", 11,
        ["wins the top middle board", "threatens to win the game with the top right board",
         "sends O to the empty top right board"],
    ),
    "lets the opponent win the game": (
        "ooo6/ooo6/oo5o1/xx7/xx7/xx7/xx7/x8/9 x 7", 65,
        ["sends O to the top right board, where O can win the game", "threatens to win the bottom middle board"],
    ),
    "lets the opponent win a board": (
        "9/9/oo7/9/x8/x8/x8/9/4o4 x 4", 38,
        ["sends O to the top right board, where O can win that board", "threatens to win the centre board"],
    ),
    "gives a free choice": (
        "xxx6/o8/o8/o8/4x4/9/9/9/4o4 x 4", 36,
        ["gives O a free choice of board", "threatens to win the centre board"],
    ),
    "blocks a board": (
        "9/9/9/9/oo2x4/4o4/9/x8/x8 x 4", 38,
        ["keeps O from winning the centre board", "threatens to win the centre board",
         "sends O to the empty top right board"],
    ),
    "blocks the game": (
        "ooo6/ooo6/oo7/xx7/xx7/xx7/xx7/9/9 x 2", 20,
        ["keeps O from winning the game on the top right board",
         "sends O to the top right board, where O can win nothing yet"],
    ),
    "blocks the game by winning the board": (
        "ooo6/ooo6/xx7/xx7/xx7/xx7/oo7/9/9 x 2", 20,
        ["wins the top right board", "keeps O from completing the top row of boards",
         "gives O a free choice of board, and O can win a board"],
    ),
    "threatens in two ways": (
        "4o4/9/9/9/x3x4/9/9/9/o8 x 4", 42,
        ["threatens to win the centre board in two ways", "sends O to the empty bottom left board"],
    ),
    "draws a board": (
        "9/9/9/9/xoxxoo1xo/9/9/9/4x4 o 4", 42,
        ["fills the centre board, which is drawn", "keeps X from winning the centre board",
         "sends X to the empty bottom left board"],
    ),
    "takes the centre": (
        "9/9/9/9/9/9/9/9/9 x -", 40,
        ["takes the centre of the centre board", "sends O to the centre board, where O can win nothing yet"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_a_move_does(name: str) -> None:
    text, move, said = SAID[name]
    assert list(reasons(kibitz.game("uttt").parse_position(text), move)) == said


def test_a_move_in_a_decided_board_changes_nothing() -> None:
    state = kibitz.game("uttt", variant="open").parse_position("xxx6/o8/o8/9/9/9/9/9/9 o 0 x........")
    assert reasons(state, 5)[-1] == "changes nothing in the top left board, which is decided"


def test_reasons_become_one_sentence() -> None:
    assert sentence(()) == ""
    assert sentence(["wins the game"]) == "Wins the game."
    assert sentence(["wins a", "blocks b", "sends O to c, where d"]) == "Wins a, blocks b and sends O to c, where d."
    assert sentence(["sends O to c, where d", "wins a"]) == "Sends O to c, where d; wins a."


def test_a_game_without_words_gives_none(toy: GamePackage) -> None:
    assert toy.words is None
    assert reasons(Toy().start(), 0) == ()


def test_a_fault_in_the_words_of_a_game_is_not_hidden(add_game: Callable[[GamePackage], None]) -> None:
    def broken() -> Words:
        raise ModuleNotFoundError("no such thing", name="toy.missing")

    add_game(dataclasses.replace(TOY, words=broken))
    with pytest.raises(ModuleNotFoundError):
        reasons(Toy().start(), 0)


def test_the_words_of_a_game_are_given_what_the_mover_may_know(add_game: Callable[[GamePackage], None]) -> None:
    given = []

    def told(view: object, move: int, line: Sequence[int]) -> tuple[str, ...]:
        given.append(view)
        return ("plays a card",)

    add_game(GamePackage(HighCard, words=lambda: Words(told)))
    state = HighCard().start()
    assert reasons(state, state.legal_moves()[0]) == ("plays a card",)
    assert given == [state.view(0)]


KINDS = ("can win the game", "every reply", "free choice", "keeps", "threatens", "fills", "can win that")


def wins_the_game(state: UtttState) -> list[int]:
    return [move for move in state.legal_moves() if state.play(move).result == state.to_move + 1]


def wins_a_board(state: UtttState) -> list[int]:
    return [
        move
        for move in state.legal_moves()
        if state.boards[move // 9] == EMPTY and state.play(move).boards[move // 9] == state.to_move
    ]


@pytest.mark.parametrize("variant", ["closed", "open"])
@pytest.mark.parametrize("tiebreak", ["draw", "count"])
def test_words_are_true(variant: str, tiebreak: str) -> None:
    """Check each clause against playing the moves out, and that every kind of clause is met."""
    game, rng, met = kibitz.game("uttt", variant=variant, tiebreak=tiebreak), random.Random(1), Counter[str]()
    for seed in range(35):
        for state in random_game(game, seed)[:-1]:
            assert isinstance(state, UtttState)
            move = rng.choice(state.legal_moves())
            said, after = reasons(state, move), state.play(move)
            me, you = game.players[state.to_move], game.players[after.to_move]
            assert 1 <= len(said) <= 3
            if after.result:
                assert len(said) == 1
                assert ("wins" in said[0]) == (after.result == state.to_move + 1)
                met["end"] += 1
                continue
            text = " ; ".join(said)
            lost = all(wins_the_game(after.play(reply)) for reply in after.legal_moves())
            assert (f"{you} can win the game" in text) == bool(wins_the_game(after))
            if not wins_the_game(after):
                assert (f"every reply lets {me} win the game" in text) == lost
                if not lost and "can win" in text:
                    assert ("can win nothing" not in text) == bool(wins_a_board(after))
            if "free choice" in text:
                assert after.forced == FREE
            if any(clause.startswith("wins") for clause in said):
                assert after.boards.count(state.to_move) == state.boards.count(state.to_move) + 1
            met.update(kind for kind in KINDS if kind in text)
    assert all(met[kind] for kind in ("end", *KINDS)), met
