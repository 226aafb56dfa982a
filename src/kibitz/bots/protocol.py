"""Write and parse the lines of the protocol between kibitz and outside programs.

docs/bots.md describes the protocol. Both sides use this module: exec.py asks, engine.py answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from kibitz.core import registry
from kibitz.core.agent import Budget, Choice, Unit
from kibitz.core.errors import BadText, KibitzError
from kibitz.core.game import Game, Move, State

VERSION = 1


def move_word(game: Game, move: Move) -> str:
    """Return the text of a move as one word, with underscores for spaces."""
    return game.move_text(move).replace(" ", "_")


def read_move(game: Game, text: str) -> Move:
    """Parse a move, as written by move_word or in the game's own text. Raise BadText if it is not a move."""
    return game.parse_move(text.replace("_", " "))


def newgame_line(game: Game) -> str:
    """Return the line that announces a game with its options."""
    return " ".join(["newgame", game.name, *(f"{key}={value}" for key, value in game.options.items())])


def read_newgame(words: Sequence[str]) -> Game:
    """Parse the words after "newgame"; return the game. Raise BadText or BadOption if they are not valid."""
    if not words:
        raise BadText("newgame needs the name of a game: write newgame GAME key=value ...")
    options = dict[str, str]()
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not equals:
            raise BadText(f"{word!r} is not an option: write key=value")
        options[key] = value
    return registry.game(words[0], **options)


def go_line(budget: Budget) -> str:
    """Return the line that asks for a move within a budget."""
    words = ["go"]
    for name in ("seconds", "nodes", "playouts"):
        amount = getattr(budget, name)
        if amount is not None:
            words += [name, f"{amount:g}" if name == "seconds" else str(amount)]
    return " ".join(words)


def read_go(words: Sequence[str]) -> Budget:
    """Parse the words after "go"; return the budget. Raise BadText or BadOption if they are not valid."""
    parsers: Mapping[str, Callable[[str], float]] = {"seconds": float, "nodes": int, "playouts": int}
    limits = dict[str, Any]()
    if len(words) % 2:
        raise BadText("go takes pairs of words, such as seconds 0.5")
    for name, text in zip(words[::2], words[1::2], strict=True):
        if name not in parsers:
            raise BadText(f"unknown limit {name!r}; go takes {', '.join(parsers)}")
        try:
            limits[name] = parsers[name](text)
        except ValueError:
            raise BadText(f"{text!r} is not a valid number of {name}") from None
    return Budget(**limits)


@dataclass(frozen=True)
class Info:
    """The progress of a program's search, as reported in its info lines so far."""

    depth: int = 0
    nodes: int = 0
    playouts: int = 0
    value: float | None = None
    unit: Unit | None = None
    exact: bool = False
    line: tuple[Move, ...] = ()

    def choice(self, move: Move, seconds: float) -> Choice:
        """Return a move as a Choice with this information, without an invalid value or a line of another move."""
        is_valid = self.value is not None and _is_in_range(self.value, self.unit, self.exact)
        return Choice(
            move=move,
            value=self.value if is_valid else None,
            unit=self.unit if is_valid else None,
            exact=self.exact and is_valid,
            line=self.line if self.line[:1] == (move,) else (),
            depth=self.depth,
            nodes=self.nodes,
            playouts=self.playouts,
            seconds=seconds,
        )


def _is_in_range(value: float, unit: Unit | None, exact: bool) -> bool:
    """Return whether a value is in the range of its unit; a result must also be exact."""
    if unit in ("probability", "share"):
        return 0 <= value <= 1
    if unit == "result":
        return exact and value in (-1, 0, 1)
    return True


def info_line(game: Game, choice: Choice) -> str:
    """Return the info line of a choice."""
    words = ["info", "depth", str(choice.depth), "nodes", str(choice.nodes)]
    if choice.playouts:
        words += ["playouts", str(choice.playouts)]
    if choice.value is not None:
        words += ["value", repr(choice.value)]
        words += ["unit", choice.unit.replace(" ", "_")] if choice.unit is not None else []
        words += ["exact", "true"] if choice.exact else []
    if choice.line:
        words += ["line", *(move_word(game, move) for move in choice.line)]
    return " ".join(words)


def read_info(words: Sequence[str], state: State, info: Info) -> Info:
    """Return `info` updated by the words of an info line. Unreadable parts are ignored, as no move depends on them."""
    if "line" in words:
        start = words.index("line")
        line = _legal_line(words[start + 1 :], state)
        words, info = words[:start], replace(info, line=line)
    keys, texts = words[::2], words[1::2]
    if "value" in keys:  # unit and proof belong to the old value
        info = replace(info, unit=None, exact=False)
    for key, text in zip(keys, texts, strict=False):
        with suppress(ValueError):
            info = replace(info, **{key: _read_field(key, text, state.game)})
    return info


def _legal_line(texts: Sequence[str], state: State) -> tuple[Move, ...]:
    """Parse the moves of an expected line; return those before the first illegal one."""
    line = list[Move]()
    for text in texts:
        try:
            move = read_move(state.game, text)
            state = state.play(move)
        except KibitzError:
            break
        line.append(move)
    return tuple(line)


def _read_field(key: str, text: str, game: Game) -> Any:
    """Parse a field of an info line; return its value. Raise ValueError for an unknown field or a bad value."""
    match key:
        case "depth" | "nodes" | "playouts" if text.isascii() and text.isdigit() and len(text) <= 18:
            return int(text)
        case "value" if math.isfinite(number := float(text)):
            return number
        case "unit":
            units: list[Unit] = ["result", "probability", "share", registry.evaluations(game.name).unit]
            return units[[unit.replace(" ", "_") for unit in units].index(text)]
        case "exact" if text in ("true", "false"):
            return text == "true"
    raise ValueError
