"""The readable rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Game, Line, Move, NothingHidden, Outcome


@dataclass(frozen=True)
class Toy(Game["State", "State"]):
    stones: int = 20
    name: ClassVar[str] = "toy"
    title: ClassVar[str] = "Stones"

    def start(self, seed: int = 0) -> State:
        return State(self, self.stones, 0, 0, None)

    def moves(self) -> range:
        return range(3)

    def move_text(self, move: Move) -> str:
        return str(move)

    def parse_move(self, text: str) -> Move:
        if text not in ("0", "1", "2"):
            raise BadText(f"{text!r} is not a move.")
        return int(text)

    def position_text(self, state: State) -> str:
        return repr(state)

    def parse_position(self, text: str) -> State:
        raise BadText("The toy has no position texts.")

    def draw(self, view: State, last: Move | None = None) -> tuple[Line, ...]:
        return ()


@dataclass(frozen=True)
class State(NothingHidden):
    game: Toy
    stones: int
    to_move: int
    turn: int
    last: Move | None

    def legal_moves(self) -> tuple[Move, ...]:
        return tuple(range(min(3, self.stones)))

    def play(self, move: Move) -> State:
        if move not in self.legal_moves():
            raise IllegalMove("There are too few stones.")
        again = move == 1
        return State(self.game, self.stones - move - 1, self.to_move ^ (not again), self.turn + (not again), move)

    def outcome(self) -> Outcome | None:
        if self.stones:
            return None
        if self.last == 2:
            return Outcome(None, "three at once")
        return Outcome(self.to_move if self.last == 1 else 1 - self.to_move, "the last stone")
