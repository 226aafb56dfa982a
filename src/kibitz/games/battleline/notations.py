"""Text notations of Battle Line: the deal and the moves, a kibitz game record, a position with all cards."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.core.defaults.notations import UnsignedNotations, read_moves, unknown_notation
from kibitz.core.errors import BadText
from kibitz.core.game import Move
from kibitz.core.parts import Notation, Signature
from kibitz.core.record import GameRecord, replay
from kibitz.games.battleline.rules import BattleLine, BattleLineState


class BattleLineNotations(UnsignedNotations):
    """Reads and writes games and positions. Every notation reveals hidden cards: use none in a game in progress."""

    kinds: Sequence[Notation] = (
        Notation("moves", "The deal, then the moves", "game"),
        Notation("record", "Record of kibitz", "game"),
        Notation("position", "Position, all cards", "position"),
    )

    def read(self, game: BattleLine, text: str, name: str | None, /) -> tuple[BattleLineState, tuple[Move, ...]]:
        """Return start and moves of a text. name: the notation, or None to autodetect. Raise BadText or BadOption."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if name is None:
            name = "record" if text.lstrip().startswith("{") else "moves" if len(lines) > 1 else "position"
        match name:
            case "record":
                return _read_record(game, text)
            case "position":
                return game.parse_position(" ".join(lines)), ()
            case "moves":
                if not lines:
                    raise BadText("The text is empty. Write the position after the deal, then one move a line.")
                start = game.parse_position(lines[0])
                return start, read_moves(start, lines[1:])
        raise unknown_notation(name, (kind.name for kind in self.kinds))

    def write(
        self, states: Sequence[BattleLineState], moves: Sequence[Move], name: str, signed: Signature | None = None, /
    ) -> str:
        """Return a game, or its last position, in a notation. signed: for records. Raise BadOption for other names."""
        game = states[0].game
        match name:
            case "moves":
                return "\n".join([game.position_text(states[0]), *map(game.move_text, moves)])
            case "record":
                return _record(states[0], states[-1], moves, signed).to_json()
            case "position":
                return game.position_text(states[-1])
        raise unknown_notation(name, (kind.name for kind in self.kinds))


def _record(
    start: BattleLineState, end: BattleLineState, moves: Sequence[Move], signed: Signature | None
) -> GameRecord:
    game, outcome = start.game, end.outcome()
    if signed is not None and outcome is None:
        outcome = signed.outcome  # the game was resigned
    return GameRecord(
        game=game.name,
        options=game.options,
        agents=game.players if signed is None else signed.players,
        moves=tuple(map(game.move_text, moves)),
        result="*" if outcome is None else outcome.result,
        reason="not finished" if outcome is None else outcome.reason,
        start=game.position_text(start),
    )


def _read_record(game: BattleLine, text: str) -> tuple[BattleLineState, tuple[Move, ...]]:
    record = GameRecord.from_json(text.strip())
    if record.game != game.name or not isinstance(start := replay(record)[0], BattleLineState):
        raise BadText(f"This is a record of {record.game}, not of {game.name}.")
    return start, tuple(map(start.game.parse_move, record.moves))
