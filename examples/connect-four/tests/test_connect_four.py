"""Connect Four keeps kibitz's contract for games; and what only this game has."""

from connect_four.rules import ConnectFour
from connect_four.words import reasons
from kibitz.testing import GameContract


class TestConnectFour(GameContract, game="connect-four"):
    """The contract of games."""


def test_perft() -> None:
    states = [ConnectFour().start()]
    for count in (7, 49, 343, 2401):
        states = [state.play(move) for state in states for move in state.legal_moves()]
        assert len(states) == count


def test_a_move_is_explained() -> None:
    state = ConnectFour().parse_position("7/7/7/7/3ooo1/3xxx1 x")
    assert reasons(state, 6, ()) == ("makes four in a row",)
    assert reasons(state, 0, ()) == ()
