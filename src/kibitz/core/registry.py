"""The installed games and external bots, each imported on first use.

Games are found through the entry point group "kibitz.games", bots that play any game through "kibitz.bots"; those of
kibitz itself are registered in pyproject.toml like any other. Listing them loads none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

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
    """Add a game that is not installed, such as one written in a notebook, for this process only.

    Other processes, including the arena's workers, do not see it. Raise BadOption if its rules cannot be used, or if an
    installed game has the same name.
    """
    if fault := rules_fault(package.rules):
        raise BadOption(f"The game cannot be added: {fault}.")
    if package.name in installed.entries(installed.GAMES):
        raise BadOption(f"A game named {package.name!r} is already installed: choose another name.")
    _added[package.name] = package
    page.cache_clear()
    page_faults.cache_clear()


def remove(name: str) -> None:
    """Remove a game that was added with add(). Do nothing if there is no such game."""
    _added.pop(name, None)
    page.cache_clear()
    page_faults.cache_clear()


@cache
def _load(group: str, name: str) -> object:
    """Load an entry point and return its object. Raise BadOption if it cannot be loaded or its name is not unique."""
    entry, *others = installed.entries(group)[name]
    if others:
        owners = " and ".join(sorted({f"{installed.owner(each)} ({each.value})" for each in (entry, *others)}))
        raise BadOption(f"Two installed packages use the name {name!r}: {owners}. Uninstall one of them.")
    try:
        loaded: object = entry.load()
    except Exception as error:  # a third-party module may raise anything on import
        raise BadOption(f"{name!r} of {installed.owner(entry)} cannot be loaded ({failure_text(error)}).") from error
    return loaded


def failure_text(error: Exception) -> str:
    """Return an error raised by third-party code as one line of text."""
    name, text = type(error).__name__, str(error).strip()
    message = text if text and isinstance(error, KibitzError) else f"{name}: {text}" if text else name
    return message.splitlines()[0].removesuffix(".")


def package(name: str) -> GamePackage:
    """Return the package of a game. Raise BadOption if it is unknown or cannot be loaded."""
    if name in _added:
        return _added[name]
    if name not in installed.entries(installed.GAMES):
        unknown = f"There is no game {name!r}; the games are {', '.join(names())}."
        raise BadOption(unknown if names() else NO_GAMES)
    loaded = _load(installed.GAMES, name)
    fault = _package_fault(name, loaded)
    if fault or not isinstance(loaded, GamePackage):
        owner = installed.owner(installed.entries(installed.GAMES)[name][0])
        raise BadOption(f"{name!r} of {owner} cannot be used: {fault}.")
    return loaded


def _package_fault(name: str, loaded: object) -> str:
    """Return what is wrong with the object loaded for a game; empty if nothing is."""
    if not isinstance(loaded, GamePackage):
        value = installed.entries(installed.GAMES)[name][0].value
        if isinstance(loaded, ModuleType):
            return f"{value} is a module; name the GamePackage in it, as in {value}:GAME"
        if isinstance(loaded, type):
            return f"{value} is a class; write GAME = GamePackage(rules={loaded.__name__}) and name GAME"
        return f"{value} is of type {type(loaded).__name__}; write GAME = GamePackage(rules=...) and name GAME"
    if fault := rules_fault(loaded.rules):
        return fault
    if loaded.name != name:
        names = f'its entry point is named {name}, but class {loaded.rules.__name__} has name = "{loaded.name}"'
        return f"{names}; write the same name in pyproject.toml and in the class, and install it again"
    return ""


@cache
def faults() -> Mapping[str, str]:
    """Load every installed game; return why some of them cannot be used, by name."""
    return _failures(package, installed.entries(installed.GAMES))


def _failures(check: Callable[[str], object], games: Iterable[str]) -> Mapping[str, str]:
    """Call a function with the name of each game; return the messages of the BadOptions it raises, by game."""
    reasons = {}
    for name in games:
        try:
            check(name)
        except BadOption as error:
            reasons[name] = str(error)
    return reasons


def packages() -> Mapping[str, GamePackage]:
    """Return every usable game by name; warn once about each that is not."""
    for reason in faults().values():
        warn_once(f"Skipped a game: {reason}")
    return {name: package(name) for name in names() if name not in faults()}


@cache
def warn_once(text: str) -> None:
    """Log a warning unless the same one was logged before."""
    LOG.warning("%s", text)


def evaluations(name: str) -> Evaluations:
    """Return the evaluations of a game. Raise BadOption if the game is unknown."""
    return package(name).evaluations()


def kernel(name: str) -> Kernel:
    """Return the kernel of a game. Raise BadOption if it has none."""
    load = package(name).kernel
    if load is None:
        raise BadOption(f"{game_class(name).title} has no kernel: choose a search that starts with plain-.")
    return load()


@cache
def page(name: str) -> PlainPage:
    """Return the page of a game. Raise BadOption if it cannot be made, or its board.css or board.svg cannot be read."""
    from kibitz.picture.check import asset_fault

    make_page = package(name).make_page
    try:
        game_page = make_page()
        if not isinstance(game_page, PlainPage):
            raise TypeError(f"page() returned a value of type {type(game_page).__name__}, not a PlainPage")
        if fault := asset_fault(game_page.style_text(), game_page.art_text()):
            raise BadText(fault)
    except Exception as error:  # a third-party page may raise anything
        raise BadOption(f"The page of {name!r} cannot be used ({failure_text(error)}).") from error
    return game_page


def _check_cover(name: str) -> None:
    """Check that the cover picture of a game can be drawn, as the lobby does. Raise BadOption if it cannot."""
    from kibitz.picture.wire import to_json

    game_page = page(name)
    try:
        to_json(game_page.picture(game_page.cover_view()))
    except Exception as error:  # a third-party page may raise anything
        raise BadOption(f"The cover of {name!r} cannot be drawn ({failure_text(error)}).") from error


@cache
def page_faults() -> Mapping[str, str]:
    """Check the cover picture of every usable game; return why some of them cannot be drawn, by name."""
    return _failures(_check_cover, (name for name in names() if name not in faults()))


def pages() -> Mapping[str, PlainPage]:
    """Return the page of every game that can be shown, by name; warn once about each that cannot."""
    usable, faulty = packages(), page_faults()
    for reason in faulty.values():
        warn_once(f"Skipped a game on the page: {reason}")
    return {name: page(name) for name in usable if name not in faulty}


def game_class(name: str) -> type[Game]:
    """Return the class of a game. Raise BadOption if the game is unknown."""
    return package(name).rules


def game(name: str, /, **options: object) -> Game:
    """Return a game with these options, given as values or as texts; a FileText option is the text itself, not a path.

    Raise BadOption for an unknown option or an invalid value, BadText if the game cannot read the text of an option.
    """
    rules = game_class(name)
    return call_with(rules, values=read_values(f"The game {name}", parameters(rules), options))


def game_of_user(name: str, /, **options: object) -> Game:
    """Return a game with these options, given as values or as texts; for an option that holds a file, give its path.

    Raise BadOption for an unknown game or option or an invalid value, BadText if a file cannot be read. Not for options
    from records or other programs, which must not choose files: use kibitz.core.registry.game for those.
    """
    known = parameters(game_class(name))
    for key, value in options.items():
        is_json = str(value).lstrip().startswith("{")  # the contents themselves, not a path
        if key in known and known[key].kind == FileText and not is_json:
            try:
                options[key] = Path(str(value)).read_text(encoding="utf-8")
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
                raise BadText(f"Cannot read {key}={value}: {reason}.") from None
    return game(name, **options)


def bot_kinds(game: str) -> Mapping[str, BotKind]:
    """Return the external bots that can play a game, by the prefix of their specs; warn once about each broken kind.

    Raise BadOption if the game is unknown.
    """
    kinds = {}
    for name in sorted(installed.entries(installed.BOTS)):
        try:
            kinds[name] = _bot_kind(name)
        except BadOption as error:
            warn_once(f"Skipped a kind of bot: {error}")
    return {**kinds, **package(game).bots()}


def _bot_kind(name: str) -> BotKind:
    kind = _load(installed.BOTS, name)
    if not isinstance(kind, BotKind):
        owner = installed.owner(installed.entries(installed.BOTS)[name][0])
        raise BadOption(f"The entry point {name!r} of {owner} names a {type(kind).__name__}, not a BotKind.")
    return kind


def bot_kind(game: str, prefix: str) -> BotKind | None:
    """Return the kind of bot with this prefix, loading no others; None if unknown. Raise BadOption if loading fails."""
    game_bots = package(game).bots()
    if prefix in game_bots:
        return game_bots[prefix]
    return _bot_kind(prefix) if prefix in installed.entries(installed.BOTS) else None
