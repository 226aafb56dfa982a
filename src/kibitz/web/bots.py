"""What visitors may play against besides a game's own agents: outside programs, and agents made of the server's data.

The programs are those in the operator's bots file, and well-known ones on the PATH; they may analyse, too.

    [go]
    "GNU Go" = "gtp:gnugo --mode gtp --level 10"

Visitors see only the name, as the agent `bot:GNU Go`. To play, the program is started for
each move and stopped after it, so that abandoned tables leave no process behind; one that
analyses is kept for a while, see Engines. The agents made of data are the `opponents` of a
game's Site.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from kibitz.core import registry
from kibitz.core.agent import Agent
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.game import Game
from kibitz.search.agents import bot_prefix, is_outside, make_agent
from kibitz.web.extend import Opponent
from kibitz.web.server.config import read_toml

LOG = logging.getLogger(__name__)
PREFIX = "bot:"
MAX_NAME_LENGTH = 40

_bots: dict[str, dict[str, str]] = {}
"""Name of the game -> name of the program -> the spec that starts it."""
_PROGRAM = "An outside program, started for each of its moves."
_sites: dict[str, Callable[[], Mapping[str, Opponent]]] = {}
"""Name of the game -> lists the opponents that the server's data offers."""


def allow(bots: dict[str, dict[str, str]]) -> None:
    """Offer these programs and no others. bots: name of the game -> name of the program -> its spec."""
    _bots.clear()
    _bots.update(bots)


def allow_sites(opponents: dict[str, Callable[[], Mapping[str, Opponent]]]) -> None:
    """Offer what these functions list, and no other agents made of data. opponents: by the name of the game."""
    _sites.clear()
    _sites.update(opponents)


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


def offered(game: str) -> dict[str, Opponent]:
    """Return everything that is offered for a game, by name."""
    programs = {**_installed(game), **_bots.get(game, {})}
    made_of_data = _sites[game]() if game in _sites else {}
    return {**made_of_data, **{name: Opponent(spec, _PROGRAM) for name, spec in programs.items()}}


def _installed(game: str) -> dict[str, str]:
    """Return the well-known programs on the PATH that play a game: name -> spec."""
    return {
        name: f"{prefix}:{rest}"
        for prefix, kind in registry.bot_kinds(game).items()
        for name, rest in kind.installed.items()
        if shutil.which(rest.split()[0]) is not None
    }


def analyst_names(game: str) -> list[str]:
    """Return the names of the outside programs offered to analyse a game."""
    kinds = registry.bot_kinds(game)
    specs = {name: opponent.spec for name, opponent in offered(game).items() if is_outside(opponent.spec)}
    return [name for name, spec in specs.items() if kinds[bot_prefix(spec)].analyses]


def is_offered(game: str, spec: str) -> bool:
    """Return whether a spec has the form bot:NAME and names something that is offered."""
    return spec.startswith(PREFIX) and spec.removeprefix(PREFIX) in offered(game)


def is_program(game: str, spec: str) -> bool:
    """Return whether a spec has the form bot:NAME and names an outside program that is offered."""
    return is_offered(game, spec) and is_outside(offered(game)[spec.removeprefix(PREFIX)].spec)


def make_offered(game: Game, spec: str, seed: int) -> Agent:
    """Return the agent behind bot:NAME. Raise BadOption if it is not offered, or no longer, or cannot be made."""
    name = spec.removeprefix(PREFIX)
    opponent = offered(game.name).get(name)
    if opponent is None:
        raise BadOption(f"{name} is no longer available here.")
    try:
        return make_agent(game, opponent.spec, seed)
    except KibitzError as error:
        if is_outside(opponent.spec):
            raise
        LOG.warning("%s cannot play: %s", name, error)  # the message may name files of the server
        raise BadOption(f"{name} cannot play on this board.") from None
