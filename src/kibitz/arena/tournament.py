"""Descriptions of tournaments: the agents, the schedule, the start positions and the conditions of play.

Neither plays nor stores games. The pairings follow from the description,
each with its own id and seed, so they can be played in any order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast, get_args

from kibitz.arena.extend import PRESETS
from kibitz.arena.sprt import Sprt
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Game
from kibitz.core.record import parse_line
from kibitz.core.seeds import derive
from kibitz.core.untrusted import JsonObject, read_field, read_texts

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

VERSION = 1
"""The format version of a tournament's files. Later versions are refused."""

MAX_GAMES_PER_PAIR = 1_000_000
"""Maximum number of games between two agents."""

Format: TypeAlias = Literal["round-robin", "gauntlet", "match"]
Ties: TypeAlias = Literal["keep", "replay"]
T = TypeVar("T", bound="DataclassInstance")


@dataclass(frozen=True)
class TimeControl:
    """Each player's time for a whole game, with an increment after each turn, both in seconds."""

    seconds: float
    increment: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.seconds < math.inf or not 0 <= self.increment < math.inf:
            raise BadOption(
                "A clock needs a time above 0 and an increment of 0 or more, both finite, "
                f"got {self.seconds}+{self.increment}."
            )

    @staticmethod
    def parse(text: str) -> TimeControl:
        """Parse a time control in seconds, such as "60" or "60+0.5". Raise BadOption for anything else."""
        seconds, _, increment = text.partition("+")
        try:
            return TimeControl(float(seconds), float(increment or 0))
        except ValueError:
            raise BadOption(f"{text!r} is not a clock: write SECONDS or SECONDS+INCREMENT.") from None

    def budget(self, seconds_left: float) -> Budget:
        """Return the budget for a turn: a twentieth of the time left and most of the increment, never all the time."""
        share = seconds_left / 20 + 0.75 * self.increment
        return Budget(seconds=max(min(share, 0.9 * seconds_left), 0.001))


@dataclass(frozen=True)
class Terms:
    """The conditions of a game: time, ties, adjudication."""

    budget: Budget = Budget()
    clock: TimeControl | None = None
    grace: float = 0.5
    """A move that exceeds its time by more than this many seconds loses the game."""
    ties: Ties = "keep"
    replays: int = 20
    """With ties=replay: replay a tie at most this many times."""
    adjudicate: bool = False
    """Whether a game ends once both agents consider it decided."""

    def __post_init__(self) -> None:
        if self.budget.seconds == math.inf:
            raise BadOption("The time per turn cannot be infinite: give a number of seconds or leave it out.")
        if self.ties not in get_args(Ties):
            raise BadOption(f"ties must be one of {', '.join(get_args(Ties))}, got {self.ties!r}.")


@dataclass(frozen=True)
class Pairing:
    """One game to be played."""

    id: str
    agents: tuple[str, str]
    start: str | None
    seed: int


def is_dealt(game: Game) -> bool:
    """Return whether a game's start position depends on the seed, as when cards are dealt."""
    return bool(game.start(0) != game.start(1))


@dataclass(frozen=True)
class Tournament:
    """A tournament of one game."""

    game: str
    agents: tuple[str, ...]
    options: JsonObject = field(default_factory=dict)
    format: Format = "round-robin"
    games: int = 2
    """Games per pair of agents; they swap colours after every game."""
    seed: int = 0
    openings: tuple[str, ...] = ()
    """Start positions, each for two games with colours swapped; if empty, the game's own start."""
    terms: Terms = Terms()
    sprt: Sprt | None = None
    """A sequential test; the match ends once it is decided."""
    challengers: int = 1
    """In a gauntlet: the first this many agents each play all the others."""

    def __post_init__(self) -> None:
        if self.format not in get_args(Format):
            raise BadOption(f"Unknown format {self.format!r}. Use one of {', '.join(get_args(Format))}.")
        if len(set(self.agents)) != len(self.agents):
            raise BadOption("An agent is named twice; give each a different spec.")
        if len(self.agents) < 2:
            raise BadOption(f"A tournament needs 2 agents or more, got {len(self.agents)}.")
        if self.format == "match" and len(self.agents) != 2:
            raise BadOption(f"A match is between 2 agents, got {len(self.agents)}.")
        if self.sprt and self.format != "match":
            raise BadOption(f"A sequential test needs the format match, got {self.format}.")
        if not 1 <= self.challengers < len(self.agents):
            raise BadOption(f"With {len(self.agents)} agents, the number of challengers must be 1 to "
                            f"{len(self.agents) - 1}, got {self.challengers}.")  # fmt: skip
        if not 1 <= self.games <= MAX_GAMES_PER_PAIR:
            raise BadOption(f"Games per pair must be 1 to {MAX_GAMES_PER_PAIR:,}, got {self.games}.")
        if self.openings and self.games % 2:
            raise BadOption(f"With openings the number of games must be even, got {self.games}: "
                            "each opening is played with both colours.")  # fmt: skip

    def make_game(self) -> Game:
        """Return the game. Raise BadOption if it or one of its options is unknown."""
        return registry.game(self.game, **self.options)

    def meetings(self) -> list[tuple[str, str]]:
        """Return every pair of agents that play each other."""
        if self.format == "gauntlet":
            return list(product(self.agents[: self.challengers], self.agents[self.challengers :]))
        return list(combinations(self.agents, 2))

    def pairings(self) -> list[Pairing]:
        """Return all games in order: the first game of every pair of agents, then the second of every pair, and so on.

        If cards are dealt, games 2n and 2n + 1 of a pair share a deal, with the agents' seats swapped.
        """
        pairings: list[Pairing] = []
        games_per_seed = 2 if is_dealt(self.make_game()) else 1
        for number in range(self.games):
            for agents in self.meetings():
                seats = agents if number % 2 == 0 else agents[::-1]
                start = self.openings[number // 2 % len(self.openings)] if self.openings else None
                seed = derive(self.seed, "game", *sorted(agents), number // games_per_seed)
                pairings.append(Pairing(f"{len(pairings) + 1}", seats, start, seed))
        return pairings

    def to_json(self) -> str:
        """Return the tournament as JSON text."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> Tournament:
        """Parse the text that to_json returns. Raise BadText or BadOption if it is invalid."""
        try:
            raw = parse_line(text)
        except BadText as error:
            raise BadText(f"The description of the tournament is {error}.") from None
        if not isinstance(raw, dict) or not isinstance(raw.get("version"), int):
            raise BadText("This does not describe a tournament: it must be a JSON object with a version.")
        if raw["version"] > VERSION:
            raise BadText(f"The tournament has version {raw['version']}; this kibitz reads up to {VERSION}.")
        try:
            return _read(raw)
        except (BadText, OverflowError) as error:
            raise BadText(f"The description of the tournament cannot be read: {error}.") from None


def _read(raw: JsonObject) -> Tournament:
    """Return the tournament in a JSON object. Raise BadText or BadOption, naming the key, if a value is invalid."""
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
            budget=_read_numbers(terms, "budget", Budget),
            clock=_read_numbers(terms, "clock", TimeControl) if terms.get("clock") else None,
            grace=float(read_field(terms, "grace", float)),
            ties=cast(Ties, read_field(terms, "ties", str)),
            replays=read_field(terms, "replays", int),
            adjudicate=read_field(terms, "adjudicate", bool),
        ),
        sprt=_read_numbers(raw, "sprt", Sprt) if raw.get("sprt") else None,
        challengers=read_field(raw, "challengers", int) if "challengers" in raw else 1,
    )


def _read_numbers(raw: JsonObject, key: str, kind: type[T]) -> T:
    """Return raw[key] as a dataclass of numbers; null is allowed if None is the default. Raise BadText if invalid."""
    given, known, values = read_field(raw, key, dict), fields(kind), dict[str, float]()
    for each in known:
        if each.name not in given and each.default is not MISSING:
            continue
        if not (each.default is None and given.get(each.name) is None):
            values[each.name] = read_field(given, each.name, float)
    if unknown := sorted(given.keys() - {each.name for each in known}):
        raise BadText(f"{key!r} has the unknown key {unknown[0]!r}")
    return kind(**values)


def presets() -> Mapping[str, Callable[[], Tournament]]:
    """Return the preset tournaments of all games: name -> function that makes the tournament."""
    return {
        name: make for package in registry.packages().values() for name, make in (package.get(PRESETS) or {}).items()
    }


def preset(name: str) -> Tournament:
    """Return the preset tournament with this name. Raise BadOption if no game has one."""
    known = presets()
    if name not in known:
        raise BadOption(f"Unknown preset {name!r}. Use one of {', '.join(known)}.")
    return known[name]()
