"""Which games and outside bots are installed. Each is imported when it is first asked for.

Games are found through the entry point group "kibitz.games", bots that play any game
through "kibitz.bots"; ours are registered in pyproject.toml like anybody's. Looking for
them loads no game.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from kibitz.core import installed
from kibitz.core.defaults.page import PlainPage
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.faults import rules_fault
from kibitz.core.game import Game
from kibitz.core.package import GamePackage
from kibitz.core.parts import BotKind, Evaluations, Kernel
from kibitz.core.spec import FileText, call_with, parameters, read_values

LOG = logging.getLogger(__name__)

NO_GAMES = "No games are installed: kibitz finds them by package metadata, so run pip install first."

_added: dict[str, GamePackage] = {}


def names() -> tuple[str, ...]:
    """Return the names of the games, in alphabetical order, without loading any."""
    return tuple(sorted({*installed.entries(installed.GAMES), *_added}))


def add(package: GamePackage) -> None:
    """Make a game known to this process that no distribution offers, such as one written in a notebook.

    Other processes, the arena's workers among them, do not know it. Raise BadOption if its rules cannot be used, or if
    the name is taken by an installed game.
    """
    if fault := rules_fault(package.rules):
        raise BadOption(f"The game cannot be added: {fault}.")
    if package.name in installed.entries(installed.GAMES):
        raise BadOption(f"There is an installed game {package.name!r} already: choose another name.")
    _added[package.name] = package
    _forget_pages()


def remove(name: str) -> None:
    """Forget a game that was added."""
    _added.pop(name, None)
    _forget_pages()


def _forget_pages() -> None:
    page.cache_clear()
    _page_fault.cache_clear()


@cache
def _load(group: str, name: str) -> Any:
    """Return what an entry point names. Raise BadOption if it cannot be loaded or is not alone."""
    same = installed.entries(group)[name]
    if len(same) > 1:
        owners = " and ".join(sorted({f"{installed.owner(entry)} ({entry.value})" for entry in same}))
        raise BadOption(f"Two installed packages use the name {name!r}: {owners}. Uninstall one of them.")
    try:
        return same[0].load()
    except Exception as error:  # whatever somebody else's module does while it is imported
        raise BadOption(f"{name!r} of {installed.owner(same[0])} cannot be loaded ({failure_text(error)}).") from error


def failure_text(error: Exception) -> str:
    """Return what somebody else's code raised, in one line."""
    kind, text = type(error).__name__, str(error).strip()
    said = text if text and isinstance(error, KibitzError) else f"{kind}: {text}" if text else kind
    return said.splitlines()[0].removesuffix(".")


def package(name: str) -> GamePackage:
    """Return the package of a game. Raise BadOption if it is unknown or cannot be loaded."""
    if name in _added:
        return _added[name]
    if name not in installed.entries(installed.GAMES):
        if not names():
            raise BadOption(NO_GAMES)
        raise BadOption(f"There is no game {name!r}; the games are {', '.join(names())}.")
    found = _load(installed.GAMES, name)
    if fault := _package_fault(name, found):
        owner = installed.owner(installed.entries(installed.GAMES)[name][0])
        raise BadOption(f"{name!r} of {owner} cannot be used: {fault}.")
    made: GamePackage = found
    return made


def _package_fault(name: str, found: Any) -> str:
    """Return what is wrong with that which the entry point of a game leads to; an empty text if nothing is."""
    if not isinstance(found, GamePackage):
        value = installed.entries(installed.GAMES)[name][0].value
        if isinstance(found, ModuleType):
            return f"{value} is a module; name the GamePackage in it, as in {value}:GAME"
        if isinstance(found, type):
            return f"{value} is a class; write GAME = GamePackage(rules={found.__name__}) and name GAME"
        return f"{value} is of type {type(found).__name__}; write GAME = GamePackage(rules=...) and name GAME"
    if fault := rules_fault(found.rules):
        return fault
    if found.name != name:
        what = f'its entry point is {name} and class {found.rules.__name__} says name = "{found.name}"'
        return f"{what}; write the same name in pyproject.toml and in the class, and install it again"
    return ""


@cache
def faults() -> Mapping[str, str]:
    """Return the installed games that cannot be used, each with the reason, after trying to load all."""
    found = {}
    for name in installed.entries(installed.GAMES):
        try:
            package(name)
        except BadOption as error:
            found[name] = str(error)
    return found


def packages() -> Mapping[str, GamePackage]:
    """Return every game that can be used, by name; a warning names those that cannot, once."""
    for reason in faults().values():
        warn_once(f"Skipped a game: {reason}")
    return {name: package(name) for name in names() if name not in faults()}


@cache
def warn_once(text: str) -> None:
    """Log a warning, unless it was logged before."""
    LOG.warning("%s", text)


def evaluations(name: str) -> Evaluations:
    """Return the evaluations of a game. Raise BadOption."""
    return package(name).evaluations()


def kernel(name: str) -> Kernel[Any]:
    """Return the compiled twin of a game's rules. Raise BadOption if it has none."""
    found = package(name).kernel
    if found is None:
        raise BadOption(f"{game_class(name).title} has no kernel: choose a search that starts with plain-.")
    return found()


@cache
def page(name: str) -> PlainPage[Any, Any]:
    """Return the page of a game, made once. Raise BadOption if it fails, or if its board.css or board.svg does."""
    from kibitz.picture.check import unreadable

    found = package(name)
    try:
        made = found.shown()
        if not isinstance(made, PlainPage):
            raise TypeError(f"page() returned a value of type {type(made).__name__}, not a PlainPage")
        if fault := unreadable(made.style_text(), made.art_text()):
            raise BadText(fault)
    except Exception as error:  # whatever somebody else's page does while it is made
        raise BadOption(f"The page of {name!r} cannot be used ({failure_text(error)}).") from error
    return made


@cache
def _page_fault(name: str) -> str:
    """Return why the lobby cannot show a game; an empty text if it can."""
    from kibitz.picture.wire import to_json

    try:
        made = page(name)
        to_json(made.picture(made.cover_view()))
    except BadOption as error:
        return str(error)
    except Exception as error:  # as above
        return f"The cover of {name!r} cannot be drawn ({failure_text(error)})."
    return ""


def page_faults() -> Mapping[str, str]:
    """Return the games that can be played but not shown on the page, each with the reason, after painting all."""
    found = {name: _page_fault(name) for name in names() if name not in faults()}
    return {name: fault for name, fault in found.items() if fault}


def pages() -> Mapping[str, PlainPage[Any, Any]]:
    """Return the page of every game that can be shown, by name; a warning names those that cannot, once."""
    usable, broken = packages(), page_faults()
    for reason in broken.values():
        warn_once(f"Skipped a game on the page: {reason}")
    return {name: page(name) for name in usable if name not in broken}


def game_class(name: str) -> type[Game]:
    """Return the class of a game. Raise BadOption."""
    return package(name).rules


def game(name: str, /, **options: Any) -> Game:
    """Return a game with these options, given as values or as texts. Raise BadOption or BadText. Opens no file."""
    cls = game_class(name)
    made: Game = call_with(cls, values=read_values(f"The game {name}", parameters(cls), options))
    return made


def game_of_user(name: str, /, **options: Any) -> Game:
    """Return a game with options as a person gives them: the path of a file where an option is a file's text.

    Raise BadOption or BadText. Records and programs, which are not trusted with paths, go to game().
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


def bot_kinds(game: str) -> Mapping[str, BotKind]:
    """Return the outside bots that can play a game, by the prefix of their specs. Raise BadOption for the game.

    A warning names the kinds that cannot be loaded, once.
    """
    found = {}
    for name in sorted(installed.entries(installed.BOTS)):
        try:
            found[name] = _bot_kind(name)
        except BadOption as error:
            warn_once(f"Skipped a kind of bot: {error}")
    return {**found, **package(game).bots()}


def _bot_kind(name: str) -> BotKind:
    found = _load(installed.BOTS, name)
    if not isinstance(found, BotKind):
        owner = installed.owner(installed.entries(installed.BOTS)[name][0])
        what = f"an object of type {type(found).__name__}, not to a BotKind"
        raise BadOption(f"The entry point {name!r} of {owner} leads to {what}.")
    return found


def bot_kind(game: str, prefix: str) -> BotKind | None:
    """Return the kind of bot that a prefix names, or None; loads no other kind. Raise BadOption."""
    own = package(game).bots()
    if prefix in own:
        return own[prefix]
    return _bot_kind(prefix) if prefix in installed.entries(installed.BOTS) else None
