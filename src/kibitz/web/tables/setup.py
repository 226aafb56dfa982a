"""What is agreed on before a game at a table: who sits where, from which position, with how much time.

Also the tokens by which a browser shows that a seat is its own. Knows nothing of the game that follows.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Any, Literal

from kibitz.core import registry
from kibitz.core.errors import BadText
from kibitz.core.game import Game
from kibitz.core.untrusted import JsonObject

VERSION = 3
"""Of what a table is kept as. The first had neither keys nor links, the second neither deals nor marks."""


@dataclass(frozen=True)
class Seat:
    """Who plays as one of the two players."""

    kind: Literal["person", "agent"]
    name: str
    spec: str = ""
    """How an agent is asked for; empty for a person."""


def new_token() -> str:
    """Return what gives a seat to whoever holds it."""
    return secrets.token_urlsafe(24)


def key_of(token: str) -> str:
    """Return what is kept of a token: by it the token is known again, and cannot be made."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


@dataclass(frozen=True)
class Setup:
    """What is agreed on before the first move."""

    id: str
    game: Game
    seats: tuple[Seat, Seat]
    seconds: float | None = None
    """What an agent may think about a turn; at a table of two persons, what each has for a move."""
    seed: int = 0
    """Decides the deal and the agents' random choices. Never told before the game is over."""
    start: str | None = None
    """The position to begin from, where that is not the game's first."""
    link: bool = False
    """Whether each seat is for who was sent its link; else one screen has both."""
    keys: tuple[str, str] = ("", "")
    """The key of each seat's token; an empty one fits no token."""
    before: str = ""
    """The id of the game that this one follows, played by the same people at the same seats."""

    def to_json(self) -> JsonObject:
        """Return what from_json makes the same setup of."""
        return {
            "version": VERSION,
            "id": self.id,
            "game": self.game.name,
            "options": self.game.options,
            "seats": [vars(seat) for seat in self.seats],
            "seconds": self.seconds,
            "seed": self.seed,
            "start": self.start,
            "link": self.link,
            "keys": self.keys,
            **({"before": self.before} if self.before else {}),
        }

    @staticmethod
    def from_json(raw: Any) -> Setup:
        """Return a setup that to_json wrote. Raise BadText or BadOption."""
        try:
            if raw["version"] > VERSION:
                raise BadText(
                    f"The game has format {raw['version']}, newer than this kibitz's {VERSION}. Update kibitz."
                )
            first, second = (Seat(seat["kind"], seat["name"], seat["spec"]) for seat in raw["seats"])
            texts = [
                raw["id"],
                first.name,
                first.spec,
                second.name,
                second.spec,
                "" if raw["start"] is None else raw["start"],
            ]
            if not {first.kind, second.kind} <= {"person", "agent"} or not all(isinstance(text, str) for text in texts):
                raise ValueError
            if type(raw["seed"]) is not int or type(raw["seconds"]) not in (int, float, type(None)):
                raise ValueError
            game = registry.game(raw["game"], **raw["options"])
            key0, key1 = map(str, raw.get("keys", ("", "")))
            return Setup(
                raw["id"],
                game,
                (first, second),
                raw["seconds"],
                raw["seed"],
                raw["start"],
                bool(raw.get("link")),
                (key0, key1),
                str(raw.get("before", "")),
            )
        except (KeyError, TypeError, ValueError):
            raise BadText("The first line of this game's file is damaged.") from None
