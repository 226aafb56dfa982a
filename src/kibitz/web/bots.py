"""Outside programs that people may play at tables: those that the operator names in a file, and no others.

    [go]
    "GNU Go" = "gtp:gnugo --mode gtp --level 10"

Visitors know a program by its name only, as the agent `bot:GNU Go`. It is started for
each move and ended after it, so that none is left behind at a table that nobody visits.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from kibitz.core import registry
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.game import Game
from kibitz.search.agents import is_outside, make_agent

PREFIX = "bot:"
MAX_NAME_LENGTH = 40

_bots: dict[str, dict[str, str]] = {}
"""Game -> name -> the spec that starts the program."""


def allow(bots: dict[str, dict[str, str]]) -> None:
    """Let people play these programs from now on, and no others."""
    _bots.clear()
    _bots.update(bots)


def read(path: Path) -> dict[str, dict[str, str]]:
    """Return the programs of a file, by game and name. Raises BadOption."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadOption(f"The bots in {path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise BadOption(f"{path} is not TOML: {error}.") from None
    for game, named in said.items():
        if game not in registry.names() or not isinstance(named, dict):
            games = ", ".join(f"[{name}]" for name in registry.names())
            raise BadOption(f"{path}: {game[:MAX_NAME_LENGTH]!r} is no list of bots of a game; write {games}.")
        for name, spec in named.items():
            _check(path, registry.game(game), name, spec)
    return said


def _check(path: Path, game: Game, name: str, spec: object) -> None:
    """Raise BadOption unless a program can be offered by this name."""
    where = f"{path}, [{game.name}] {name[:MAX_NAME_LENGTH]!r}"
    if not (0 < len(name) <= MAX_NAME_LENGTH and name.isprintable() and name == name.strip()):
        raise BadOption(f"{where}: a name has 1 to {MAX_NAME_LENGTH} printable characters, and no blanks around it.")
    if not isinstance(spec, str) or not is_outside(spec):
        prefixes = ", ".join(f"{prefix}:" for prefix in registry.bot_kinds(game.name))
        raise BadOption(f"{where}: {spec!r} names no outside program; that begins with one of {prefixes}.")
    try:
        make_agent(game, spec).close()
    except KibitzError as error:
        raise BadOption(f"{where}: {error}") from None


def names(game: str) -> list[str]:
    """Return the names of the programs for a game."""
    return list(_bots.get(game, {}))


def is_offered(game: str, spec: str) -> bool:
    """Return whether a spec is that of a program that is offered."""
    return spec.startswith(PREFIX) and spec.removeprefix(PREFIX) in _bots.get(game, {})


def program(game: str, spec: str) -> str:
    """Return the spec that starts the program behind bot:NAME. Raises BadOption if it is not offered any more."""
    if not is_offered(game, spec):
        raise BadOption(f"{spec.removeprefix(PREFIX)} is not offered here any more.")
    return _bots[game][spec.removeprefix(PREFIX)]
