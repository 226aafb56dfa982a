"""Tournaments: who plays whom, from where, on which terms. Knows nothing of running or storing them.

A tournament is a pure description; its pairings follow from it, each with an id
and a seed of its own, so that they can be played in any order, by anybody.
"""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, asdict, dataclass, field, fields
from itertools import combinations, product
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args

from kibitz.arena.sprt import Sprt
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Game
from kibitz.core.record import parse_line
from kibitz.core.seeds import derive
from kibitz.core.untrusted import read_field, read_texts

VERSION = 1
"""The version of the files of a tournament. Readers refuse later ones."""

MOST_GAMES = 1_000_000
"""So many games two agents may play against each other."""

Format: TypeAlias = Literal["round-robin", "gauntlet", "match"]
Ties: TypeAlias = Literal["keep", "replay"]
T = TypeVar("T")


@dataclass(frozen=True)
class Clock:
    """A player's time for a whole game: so many seconds, and some more after each turn."""

    seconds: float
    increment: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.seconds < math.inf or not 0 <= self.increment < math.inf:
            raise BadOption(f"A clock of {self.seconds}+{self.increment} seconds is not possible.")

    @staticmethod
    def parse(text: str) -> Clock:
        """Return the clock of "60" or "60+0.5". Raises BadOption."""
        seconds, _, increment = text.partition("+")
        try:
            return Clock(float(seconds), float(increment or 0))
        except ValueError:
            raise BadOption(f"{text!r} is not a clock: write SECONDS or SECONDS+INCREMENT.") from None

    def budget(self, left: float) -> Budget:
        """Return what a player with so much time left may spend on a turn."""
        return Budget(seconds=max(min(left / 20 + 0.75 * self.increment, 0.9 * left), 0.001))


@dataclass(frozen=True)
class Terms:
    """What both players of a game agree on."""

    budget: Budget = Budget()
    clock: Clock | None = None
    grace: float = 0.5
    """Seconds beyond its time that a move may take before the game is lost for it."""
    ties: Ties = "keep"
    replays: int = 20
    """How often a tie is replayed at most, with ties=replay."""
    adjudicate: bool = False
    """Whether a game ends as soon as both agents hold it for decided."""

    def __post_init__(self) -> None:
        if self.budget.seconds == math.inf:
            raise BadOption("A turn cannot take for ever: leave out the time, or name some seconds.")
        if self.ties not in get_args(Ties):
            raise BadOption(f"Ties cannot be treated by {self.ties!r}; the ways are {', '.join(get_args(Ties))}.")


@dataclass(frozen=True)
class Pairing:
    """One game to be played."""

    id: str
    agents: tuple[str, str]
    start: str | None
    seed: int


def is_dealt(game: Game) -> bool:
    """Return whether a seed decides how a game starts, as where cards are dealt."""
    return bool(game.start(0) != game.start(1))


@dataclass(frozen=True)
class Tournament:
    """A tournament of one game."""

    game: str
    agents: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    format: Format = "round-robin"
    games: int = 2
    """For each two agents that meet; they swap sides after every game."""
    seed: int = 0
    openings: tuple[str, ...] = ()
    """Positions to start from, each for a pair of games with sides swapped; the game's own start if there are none."""
    terms: Terms = Terms()
    sprt: Sprt | None = None
    """A test that ends the match once it is decided."""
    challengers: int = 1
    """In a gauntlet: how many agents, from the first on, each play all the rest."""

    def __post_init__(self) -> None:
        if self.format not in get_args(Format):
            raise BadOption(f"There is no format {self.format!r}; the formats are {', '.join(get_args(Format))}.")
        if len(set(self.agents)) != len(self.agents):
            raise BadOption("An agent is named twice; give each a different spec.")
        if len(self.agents) < 2:
            raise BadOption("A tournament needs 2 agents or more.")
        if self.format == "match" and len(self.agents) != 2:
            raise BadOption(f"A match is between 2 agents, not {len(self.agents)}.")
        if self.sprt and self.format != "match":
            raise BadOption("Only a match between 2 agents can be a test.")
        if not 1 <= self.challengers < len(self.agents):
            raise BadOption(f"{self.challengers} challengers among {len(self.agents)} agents are not possible.")
        if not 1 <= self.games <= MOST_GAMES:
            raise BadOption(f"{self.games} games for each two agents are not possible: 1 to {MOST_GAMES:,} are.")
        if self.openings and self.games % 2:
            raise BadOption("With openings the number of games must be even: each is played with sides swapped.")

    def make_game(self) -> Game:
        """Return the game. Raises BadOption."""
        return registry.game(self.game, **self.options)

    def meetings(self) -> list[tuple[str, str]]:
        """Return each two agents that meet."""
        if self.format == "gauntlet":
            return list(product(self.agents[: self.challengers], self.agents[self.challengers :]))
        return list(combinations(self.agents, 2))

    def pairings(self) -> list[Pairing]:
        """Return all games in order: first a game of every two agents, then the next.

        Where cards are dealt, both games of a pair have the same deal, with the agents' seats swapped.
        """
        found: list[Pairing] = []
        game = self.make_game()
        each = 2 if is_dealt(game) else 1
        for number in range(self.games):
            for one, other in self.meetings():
                agents = (one, other) if number % 2 == 0 else (other, one)
                start = self.openings[number // 2 % len(self.openings)] if self.openings else None
                seed = derive(self.seed, "game", *sorted(agents), number // each)
                found.append(Pairing(f"{len(found) + 1}", agents, start, seed))
        return found

    def to_json(self) -> str:
        """Return the tournament as JSON text."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> Tournament:
        """Return the tournament of a JSON text. Raises BadText or BadOption."""
        try:
            raw = parse_line(text)
        except BadText as error:
            raise BadText(f"The description of the tournament is {error}.") from None
        if not isinstance(raw, dict) or not isinstance(raw.get("version"), int):
            raise BadText("This is not the description of a tournament.")
        if raw["version"] > VERSION:
            raise BadText(f"The tournament is of version {raw['version']}; this kibitz reads up to {VERSION}.")
        try:
            return _read(raw)
        except (BadText, OverflowError) as error:
            raise BadText(f"The description of the tournament cannot be read: {error}.") from None


def _read(raw: dict[str, Any]) -> Tournament:
    """Return the tournament of what was read from JSON. Raises BadText that names the value, or BadOption."""
    terms = read_field(raw, "terms", dict)
    return Tournament(
        game=read_field(raw, "game", str),
        agents=read_texts(raw, "agents"),
        options=read_field(raw, "options", dict),
        format=cast(Format, read_field(raw, "format", str)),
        games=read_field(raw, "games", int),
        seed=read_field(raw, "seed", int),
        openings=read_texts(raw, "openings"),
        terms=Terms(
            budget=_figures(terms, "budget", Budget),
            clock=_figures(terms, "clock", Clock) if terms.get("clock") else None,
            grace=float(read_field(terms, "grace", float)),
            ties=cast(Ties, read_field(terms, "ties", str)),
            replays=read_field(terms, "replays", int),
            adjudicate=read_field(terms, "adjudicate", bool),
        ),
        sprt=_figures(raw, "sprt", Sprt) if raw.get("sprt") else None,
        challengers=read_field(raw, "challengers", int) if "challengers" in raw else 1,
    )


def _figures(raw: dict[str, Any], key: str, kind: type[T]) -> T:
    """Return an object of which every field is a number, or None where that is its default. Raises BadText."""
    given, known, values = read_field(raw, key, dict), fields(kind), dict[str, Any]()  # type: ignore[arg-type]  # dataclasses
    for each in known:
        if each.name not in given and each.default is not MISSING:
            continue
        if not (each.default is None and given.get(each.name) is None):
            values[each.name] = read_field(given, each.name, float)
    if unknown := sorted(given.keys() - {each.name for each in known}):
        raise BadText(f"{key!r} has no {unknown[0]!r}")
    return kind(**values)
