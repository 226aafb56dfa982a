"""Outside programs that visitors may play against and analyse with: those in the operator's bots file, and well-known
ones on the PATH.

    [go]
    "GNU Go" = "gtp:gnugo --mode gtp --level 10"

Visitors see only the name, as the agent `bot:GNU Go`. To play, the program is started for
each move and stopped after it, so that abandoned tables leave no process behind; one that
analyses is kept for a while, see Engines.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from kibitz.core import registry
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.game import Game
from kibitz.search.agents import bot_prefix, is_outside, make_agent
from kibitz.web.server.config import read_toml

PREFIX = "bot:"
MAX_NAME_LENGTH = 40

_bots: dict[str, dict[str, str]] = {}
"""Name of the game -> name of the program -> the spec that starts it."""


def allow(bots: dict[str, dict[str, str]]) -> None:
    """Offer these programs and no others. bots: name of the game -> name of the program -> its spec."""
    _bots.clear()
    _bots.update(bots)


def read(path: Path) -> dict[str, dict[str, str]]:
    """Read a bots file; return the specs by game and name. Raise BadOption if an entry is invalid."""
    bots = read_toml(path, "bots file")
    for game, specs in bots.items():
        if game not in registry.names() or not isinstance(specs, dict):
            games = ", ".join(f"[{name}]" for name in registry.names())
            raise BadOption(f"{path}: {game[:MAX_NAME_LENGTH]!r} is not a table named after a game. Use {games}.")
        for name, spec in specs.items():
            _check_bot(path, registry.game(game), name, spec)
    return bots


def _check_bot(path: Path, game: Game, name: str, spec: object) -> None:
    """Raise BadOption unless the name is valid and the spec starts a program that plays the game."""
    where = f"{path}, [{game.name}] {name[:MAX_NAME_LENGTH]!r}"
    if not (0 < len(name) <= MAX_NAME_LENGTH and name.isprintable() and name == name.strip()):
        raise BadOption(
            f"{where}: a name must have 1 to {MAX_NAME_LENGTH} printable characters without spaces around it."
        )
    if not isinstance(spec, str) or not is_outside(spec):
        prefixes = ", ".join(f"{prefix}:" for prefix in registry.bot_kinds(game.name))
        raise BadOption(f"{where}: {spec!r} is not an outside program. It must begin with one of {prefixes}.")
    try:
        make_agent(game, spec).close()
    except KibitzError as error:
        raise BadOption(f"{where}: {error}") from None


def _offered(game: str) -> dict[str, str]:
    """Return the outside programs offered for a game: name -> spec."""
    installed = {
        name: f"{prefix}:{rest}"
        for prefix, kind in registry.bot_kinds(game).items()
        for name, rest in kind.installed.items()
        if shutil.which(rest.split()[0]) is not None
    }
    return {**installed, **_bots.get(game, {})}


def offered_names(game: str) -> list[str]:
    """Return the names of the outside programs offered for a game."""
    return list(_offered(game))


def analyst_names(game: str) -> list[str]:
    """Return the names of the outside programs offered to analyse a game."""
    kinds = registry.bot_kinds(game)
    return [name for name, spec in _offered(game).items() if kinds[bot_prefix(spec)].analyses]


def is_offered(game: str, spec: str) -> bool:
    """Return whether a spec has the form bot:NAME and names an offered program."""
    return spec.startswith(PREFIX) and spec.removeprefix(PREFIX) in _offered(game)


def program_spec(game: str, spec: str) -> str:
    """Return the spec that starts the program behind bot:NAME. Raise BadOption if it is no longer offered."""
    if not is_offered(game, spec):
        raise BadOption(f"{spec.removeprefix(PREFIX)} is no longer available here.")
    return _offered(game)[spec.removeprefix(PREFIX)]
