"""Names: which games and agents there are. Each is imported when it is asked for.

A game lives in one package whose modules are known by name: rules.GAME (its
Game class), agents.AGENTS (its agents), agents.ANALYST (the spec that analyses
best), evaluate (its readable evaluations), kernel (its compiled twin) and
observation (what a player sees, as numbers). Four more it may have: explain (moves
in words), analysis (positions looked into), page (what a browser draws) and chance
(what is dealt and drawn, one by one).
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from kibitz.core.agent import Agent
from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Game
from kibitz.core.spec import FileText, call_with, parameters, parse_spec, read_values

GAMES: Mapping[str, str] = {
    "battleline": "kibitz.games.battleline",
    "dots": "kibitz.games.dots",
    "go": "kibitz.games.go",
    "uttt": "kibitz.games.uttt",
}
"""Game name -> package."""


class Outside(NamedTuple):
    """A kind of agent from outside, asked for by a prefix and what follows it."""

    made: str
    """Module and class of the agent, which is given the game and the rest of the spec."""
    rest: str
    """What follows the prefix."""
    what: str
    """In words, for lists."""


_PROGRAM = "Another program, see docs/bots.md."
OUTSIDE: Mapping[str, Outside] = {
    "exec": Outside("kibitz.interop.exec_bot:ExecBot", "COMMAND", _PROGRAM),
    "codingame": Outside("kibitz.interop.codingame:CodinGameBot", "COMMAND", _PROGRAM),
    "gtp": Outside("kibitz.interop.gtp_bot:GtpBot", "COMMAND", _PROGRAM),
    "openspiel": Outside(
        "kibitz.interop.openspiel_bot:SpielBot", "BOT", "A bot of OpenSpiel, random or mcts, see docs/rl.md."
    ),
}
"""Prefix of a spec such as "exec:python3 bot.py" -> what it stands for."""

AgentTable: TypeAlias = Mapping[str, type[Agent] | str]
"""Agent name -> its class, "module:Class" where that lies above the game, or the spec that it stands for."""


def _package(name: str) -> str:
    if name not in GAMES:
        raise BadOption(f"There is no game {name!r}; the games are {', '.join(GAMES)}.")
    return GAMES[name]


def part(name: str, module: str) -> Any:
    """Return a module of a game's package. Raises BadOption if there is no such game."""
    return importlib.import_module(f"{_package(name)}.{module}")


def optional_part(name: str, module: str) -> Any | None:
    """Return a module of a game's package that not every game has; None if this one has it not."""
    try:
        return part(name, module)
    except ModuleNotFoundError as missing:
        if not (missing.name or "").endswith(f".{module}"):
            raise
        return None


def game_class(name: str) -> type[Game]:
    """Return the class of a game. Raises BadOption."""
    found: type[Game] = part(name, "rules").GAME
    return found


def game(name: str, /, **options: Any) -> Game:
    """Return a game with these options, given as values or as texts. Raises BadOption or BadText. Opens no file."""
    cls = game_class(name)
    made: Game = call_with(cls, values=read_values(f"The game {name}", parameters(cls), options))
    return made


def game_of_user(name: str, /, **options: Any) -> Game:
    """Return a game with options as a person gives them: the path of a file where an option is a file's text.

    Raises BadOption or BadText. Records and programs, which are not trusted with paths, go to game().
    """
    known = parameters(game_class(name))
    for key, value in options.items():
        if key in known and known[key][0] == FileText and not str(value).lstrip().startswith("{"):
            try:
                options[key] = Path(str(value)).read_text(encoding="utf-8")
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else "it is not a text"
                raise BadText(f"Cannot read {key}={value}: {reason}.") from None
    return game(name, **options)


def agent_table(name: str) -> AgentTable:
    """Return the agents of a game, weakest level to champion among them: classes, and specs that they stand for."""
    table: AgentTable = part(name, "agents").AGENTS
    return {name: _named_class(entry) if ":" in str(entry) else entry for name, entry in table.items()}


def _named_class(entry: type[Agent] | str) -> type[Agent]:
    """Return the class of "module:Class"."""
    module, _, name = str(entry).partition(":")
    found: type[Agent] = getattr(importlib.import_module(module), name)
    return found


def analyst(name: str) -> str:
    """Return the spec of the agent that analyses positions of a game."""
    spec: str = part(name, "agents").ANALYST
    return spec


def is_outside(spec: str) -> bool:
    """Return whether a spec names an outside program, which is started to play."""
    prefix, colon, _ = spec.strip().partition(":")
    return bool(colon) and prefix in OUTSIDE


def agent(game: Game | str, spec: str, seed: int = 0) -> Agent:
    """Return a new agent of a game from its spec. Raises BadOption."""
    if isinstance(game, str):
        game = game_class(game)()
    if is_outside(spec):
        return _outside(game, spec, seed)
    cls, given = resolve(game.name, spec)
    name = parse_spec(spec)[0]
    made: Agent = call_with(cls, game, values=read_values(f"The agent {name}", parameters(cls), given))
    made.reset(seed)
    made.spec = spec
    return made


def resolve(game: str, spec: str) -> tuple[type[Agent], dict[str, str]]:
    """Return the class that a spec asks for and the texts of its keys.

    The keys given with a name that stands for another spec are added to those
    of that spec, or replace them. Raises BadOption.
    """
    table = agent_table(game)
    name, given = parse_spec(spec)
    entry = table.get(name)
    if entry is None:
        raise BadOption(f"{game} has no agent {name!r}; its agents are {', '.join(table)}.")
    if not isinstance(entry, str):
        return entry, given
    cls, known = resolve(game, entry)
    return cls, {**known, **given}


def _outside(game: Game, spec: str, seed: int) -> Agent:
    """Return the agent that an outside program or bot is."""
    prefix, _, command = spec.strip().partition(":")
    if not command.strip():
        raise BadOption(f"{spec!r} names no program: write {prefix}:{OUTSIDE[prefix].rest}.")
    make: Any = _named_class(OUTSIDE[prefix].made)
    made: Agent = make(game, command)
    made.reset(seed)
    made.spec = spec
    return made


def describe(entry: type[Agent] | str) -> str:
    """Return one line about an entry of the agent table."""
    if isinstance(entry, str):
        return f"= {entry}"
    return (inspect.getdoc(entry) or "").partition("\n")[0]
