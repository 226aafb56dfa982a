"""Creating agents from specs: a game's own agents, the default levels of a game without any, and outside bots."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import cache

from kibitz.core import registry
from kibitz.core.agent import Agent, Unit
from kibitz.core.errors import BadOption
from kibitz.core.game import Game
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.core.spec import call_with, names_path, parameters, parse_spec, read_values
from kibitz.search.values import unit_of

_OUTSIDE = re.compile(r"\s*([^\s:(]+)\s*:(.*)", re.DOTALL)
"""The spec of an outside bot: a prefix, a colon, and the rest for the bot."""


def agent_table(game: str) -> AgentTable:
    """Return a game's own agents, or else the default searches and ten levels. Raise BadOption for an unknown game."""
    return _agents_of(registry.package(game))


@cache
def _agents_of(package: GamePackage) -> AgentTable:
    """Return a package's agents. Cached by package, not by name: in a notebook, a package may be redefined."""
    if package.agents is not None:
        return package.agents()
    from kibitz.search.defaults import default_agents

    return default_agents(package)


def agent_entries(game: str) -> Mapping[str, AgentEntry]:
    """Return the agents of a game by name. Raise BadOption if the game is unknown."""
    return agent_table(game).entries


def analyst_spec(game: str) -> str:
    """Return the spec of the agent that analyses positions of a game."""
    return agent_table(game).analyst


def analyst_unit(game: Game) -> Unit:
    """Return the unit of the values of a game's analyst, as long as they are not proved."""
    return agent_table(game.name).analyst_unit or unit_of(game, False)


def is_outside(spec: str) -> bool:
    """Return whether a spec names an outside program or bot."""
    return _OUTSIDE.fullmatch(spec) is not None


def is_private(game: str, spec: str) -> bool:
    """Return whether a spec starts an outside program or names a file, as visitors of a server must not."""
    if is_outside(spec):
        return True
    try:
        cls, given = resolve(game, spec)
    except BadOption:  # it makes no agent at all
        return False
    known = parameters(cls)
    return any(key in known and names_path(known[key].kind, value) for key, value in given.items())


def make_agent(game: Game | str, spec: str, seed: int = 0) -> Agent:
    """Create the agent that a spec describes. Raise BadOption if the game, the agent or an option is invalid."""
    if isinstance(game, str):
        game = registry.game_class(game)()
    if outside := _OUTSIDE.fullmatch(spec):
        made = _make_bot(game, spec, *outside.groups())
    else:
        cls, given = resolve(game.name, spec)
        what = f"The agent {parse_spec(spec)[0]}"
        made = call_with(cls, game, values=read_values(what, parameters(cls), given))
    made.reset(seed)
    made.spec = spec
    return made


def resolve(game: str, spec: str) -> tuple[type[Agent], dict[str, str]]:
    """Return the agent class that a spec names, and its options as text.

    A name may be an alias; its options override those of the spec behind it. Raise BadOption if no agent is found.
    """
    known = agent_entries(game)
    passed, values = list[str](), dict[str, str]()
    make: type[Agent] | str = spec
    while isinstance(make, str):
        name, given = parse_spec(make)
        if name not in known:
            raise BadOption(f"{game} has no agent {name!r}; its agents are {', '.join(known)}.")
        if name in passed:
            cycle = " -> ".join([*passed[passed.index(name) :], name])
            raise BadOption(
                f"The agent name {name!r} leads back to itself ({cycle}) and so names no agent: "
                "change one of these definitions."
            )
        passed.append(name)
        values = {**given, **values}
        make = known[name].make
    return make, values


def preparable_agents(game: str) -> tuple[str, ...]:
    """Return one agent name for each of a game's agent classes that override prepare()."""
    names: dict[type[Agent], str] = {}
    for name in agent_entries(game):
        names.setdefault(resolve(game, name)[0], name)
    return tuple(name for cls, name in names.items() if cls.prepare is not Agent.prepare)


def summary_of(agent: type[Agent]) -> str:
    """Return the first line of an agent's docstring: what it does."""
    return (inspect.getdoc(agent) or "").partition("\n")[0]


def bot_prefix(spec: str) -> str:
    """Return the prefix of an outside bot's spec, or "" for one of kibitz's own agents."""
    found = _OUTSIDE.fullmatch(spec)
    return found[1] if found else ""


def _make_bot(game: Game, spec: str, prefix: str, rest: str) -> Agent:
    """Return an agent that runs an outside program or bot. Raise BadOption if the prefix or the program is invalid."""
    kind = registry.bot_kind(game.name, prefix)
    if kind is None:
        known = ", ".join(f"{each}:" for each in registry.bot_kinds(game.name))
        raise BadOption(f"{prefix!r} in {spec!r} is not a kind of bot for {game.title}; the kinds are {known}.")
    if not rest.strip():
        raise BadOption(f"{spec!r} names no program: write {prefix}:{kind.rest}.")
    return kind.make(game, rest)
