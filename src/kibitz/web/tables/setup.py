"""The setup of a game at a table: the players, the start, the time limit, the keys of the seats."""

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
"""Version of the file format. The first had neither keys nor links, the second neither deals nor marks."""


@dataclass(frozen=True)
class Seat:
    """The person or agent who plays one of the two sides."""

    kind: Literal["person", "agent"]
    name: str
    spec: str = ""
    """The spec of an agent; empty for a person."""


def new_token() -> str:
    """Return a new secret token; whoever has it may play the seat."""
    return secrets.token_urlsafe(24)


def key_of(token: str) -> str:
    """Return the hash of a token. Only the hash is stored: it can verify the token but does not reveal it."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


@dataclass(frozen=True)
class Setup:
    """Everything that is fixed before the first move."""

    id: str
    game: Game
    seats: tuple[Seat, Seat]
    seconds: float | None = None
    """Thinking time of an agent per turn; between two persons, the time limit per move."""
    seed: int = 0
    """Determines the deal and the agents' random choices. Secret until the game is over."""
    start: str | None = None
    """The position to start from; None for the game's own start."""
    link: bool = False
    """Whether each seat has a link of its own; otherwise both players share a screen."""
    keys: tuple[str, str] = ("", "")
    """The key of each seat's token; an empty key fits no token."""
    before: str = ""
    """The id of the game that this one is a rematch of."""

    def to_json(self) -> JsonObject:
        """Return the first line of the table's file as a JSON object; from_json reads it."""
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
        """Return the setup that to_json converted. Raise BadText if it is damaged, BadOption for an unknown game."""
        try:
            if raw["version"] > VERSION:
                newer = f"The game has format {raw['version']}, newer than this kibitz's {VERSION}."
                raise BadText(f"{newer} Update kibitz.")
            first, second = (Seat(seat["kind"], seat["name"], seat["spec"]) for seat in raw["seats"])
            name, seconds, seed, start = raw["id"], raw["seconds"], raw["seed"], raw["start"]
            texts = [name, first.name, first.spec, second.name, second.spec, "" if start is None else start]
            if not {first.kind, second.kind} <= {"person", "agent"} or not all(isinstance(text, str) for text in texts):
                raise ValueError
            if type(seed) is not int or type(seconds) not in (int, float, type(None)):
                raise ValueError
            game = registry.game(raw["game"], **raw["options"])
            key0, key1 = map(str, raw.get("keys", ("", "")))
            link, before = bool(raw.get("link")), str(raw.get("before", ""))
            return Setup(name, game, (first, second), seconds, seed, start, link, (key0, key1), before)
        except (KeyError, TypeError, ValueError):
            raise BadText("The first line of this game's file is damaged.") from None
