"""Faults in installed games, reported in one sentence instead of a traceback.

Errors in kibitz itself and in its own games keep their traceback, so that our bugs are noticed. The exception: if
rules fail during a game between agents, the error is always one sentence, with the position.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from types import FrameType

from kibitz.core import installed
from kibitz.core.defaults.grid import GridGame, GridState
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game, State
from kibitz.core.spec import is_option_type, parameters


class GameFailed(KibitzError):
    """The code of a game raised an unexpected error."""


@contextmanager
def game_failures() -> Iterator[None]:
    """Convert any unexpected error raised by an installed game to GameFailed. KibitzErrors pass through."""
    try:
        yield
    except KibitzError:
        raise
    except Exception as error:
        sentence = failure_sentence(error)
        if sentence is None:
            raise
        raise GameFailed(sentence) from error


def failure_sentence(error: Exception) -> str | None:
    """Return a sentence saying which installed game raised an error, and where; None if no game did.

    The innermost frame of kibitz or of a game decides; the libraries that it called are ignored.
    """
    games_by_module: dict[str, list[str]] = {}
    for name, entries in installed.entries(installed.GAMES).items():
        for entry in entries:
            games_by_module.setdefault(entry.module.partition(".")[0], []).append(name)
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if module == "kibitz":
            return None
        if module in games_by_module:
            names = " or ".join(sorted(set(games_by_module[module])))
            return f"The code of {names} failed: {_describe(error)} {_where(frame, line)}."
    return None


# Rules


@contextmanager
def rules_failures(state: State) -> Iterator[None]:
    """Convert unexpected errors in the rules to GameFailed, with the position. KibitzErrors pass through."""
    try:
        yield
    except Exception as error:
        found = _rules_frame(error)
        if found is None:
            raise
        cause = f"{_describe(error)} {_where(*found)}"
        raise GameFailed(
            f"The rules of {state.game.title} failed in a game at {_position_name(state)}: {cause}. "
            "The game has no result, and neither agent is at fault."
        ) from error


def is_rules_failure(error: Exception) -> bool:
    """Return whether an error was raised inside the rules of a game, not by the code that called them."""
    return _rules_frame(error) is not None


def _rules_frame(error: Exception) -> tuple[FrameType, int] | None:
    """Return the innermost frame inside a method of a game, state or view, and its line number; None if none is."""
    if isinstance(error, KibitzError):
        return None
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        owner = frame.f_locals.get("self")
        if isinstance(owner, Game) or hasattr(type(owner), "legal_moves"):
            return frame, line
    return None


def _position_name(state: State) -> str:
    try:
        return f"the position {state.game.position_text(state)}"
    except Exception:  # position_text may be as faulty as the other rules
        return f"turn {state.turn + 1}"


def _describe(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(".")


def _where(frame: FrameType, line: int) -> str:
    return f"({Path(frame.f_code.co_filename).name}, line {line})"


MAX_NAME_LENGTH = 30
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_CLASS_IN_HEADING = re.compile(r"\.([a-z][\w-]*)(?=[^{};]*\{)")


def name_fault(name: str) -> str:
    """Return why a game cannot have this name, as a clause; empty if the name is valid.

    Names appear in commands, addresses and file names, and as CSS classes.
    """
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME_LENGTH:
        return (
            f"{name[:40]!r} cannot name a game: use up to {MAX_NAME_LENGTH} lower-case letters, digits and hyphens, "
            "starting with a letter, as in nine-mens-morris"
        )
    if name in _own_classes():
        return f"{name!r} cannot name a game: the style sheet of all boards uses it; choose another name"
    return ""


@cache
def _own_classes() -> frozenset[str]:
    """Return the CSS classes of kibitz's board.css. No game may have such a name, because its name is a class too."""
    text = files("kibitz.picture").joinpath("board.css").read_text(encoding="utf-8")
    return frozenset(_CLASS_IN_HEADING.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))


def rules_fault(rules: object) -> str:
    """Return the first fault in the rules of a game; empty if there is none."""
    if not isinstance(rules, type) or not issubclass(rules, Game):
        given = f"class {rules.__name__}" if isinstance(rules, type) else f"a value of type {type(rules).__name__}"
        return f"its rules are {given}; give a subclass of kibitz.core.game.Game, as in GamePackage(rules=MyGame)"
    return _class_fault(rules)


@cache
def _class_fault(rules: type[Game]) -> str:
    name = f"class {rules.__name__}"
    grid = _grid_faults(rules, name) if issubclass(rules, GridGame) else ()
    return next(chain(_class_faults(rules, name), grid), "")


def _class_faults(rules: type[Game], name: str) -> Iterator[str]:
    """Yield the faults of a rules class; each check assumes that the checks before it found nothing."""
    dataclass_options = getattr(rules, "__dataclass_params__", None)  # set by dataclasses.py
    if dataclass_options is None:
        yield f"{name} is not a dataclass; write @dataclass(frozen=True) above it"
    elif not dataclass_options.frozen:
        yield f"{name} is not frozen; write @dataclass(frozen=True) above it"
    for key, example in (("name", "short-name"), ("title", "Name of the Game")):
        if not isinstance(getattr(rules, key, None), str) or not getattr(rules, key):
            yield f'{name} has no {key}; write {key} = "{example}" in it'
    if fault := name_fault(rules.name):
        yield fault
    players = getattr(rules, "players", None)
    if not isinstance(players, tuple) or len(players) != 2 or not all(isinstance(each, str) for each in players):
        yield f'the players of {name} are {players!r}; write the names of two sides, as in players = ("Red", "Blue")'
    yield from _missing_methods(rules)
    try:
        fields, known = inspect.signature(rules, eval_str=True).parameters, parameters(rules)
    except Exception as error:  # an annotation written as text may be any expression
        yield f"the types of the options of {name} cannot be read ({type(error).__name__}: {error})"
        return
    for key in fields:
        if key.rstrip("_") not in known:
            yield f"the option {key} of {name} has no default; write one, as in {key}: int = 5"
    for key, (kind, _) in known.items():
        if not is_option_type(kind):
            shown = getattr(kind, "__name__", None) if isinstance(kind, type) else None
            yield (
                f"the option {key} of {name} has the type {shown or kind}; use int, float, bool, str or Literal, "
                "or write ClassVar if it is not an option"
            )


def _grid_faults(rules: type[GridGame], name: str) -> Iterator[str]:
    given = {field.name for field in dataclasses.fields(rules)}  # type: ignore[arg-type]  # a dataclass, see above
    for key, example in (("rows", "6"), ("cols", "7"), ("state", "State")):
        if not hasattr(rules, key) and key not in given:
            yield f"{name} has no {key}; write {key} = {example} in it"
    state = getattr(rules, "state", None)
    if isinstance(state, type) and issubclass(state, GridState):
        yield from _missing_methods(state)
    else:
        yield f"state of {name} is {state!r}; give the class of its positions, a subclass of GridState"


def _missing_methods(cls: type) -> Iterator[str]:
    if missing := sorted(getattr(cls, "__abstractmethods__", ())):
        yield f"class {cls.__name__} lacks {', '.join(f'{method}()' for method in missing)}"
