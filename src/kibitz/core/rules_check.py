"""What is wrong with the class of a game's rules, in a clause that says what to write instead.

Looks at the class alone: no game is made and no move is played. What games promise when they
are played is checked by kibitz.testing.
"""

from __future__ import annotations

import dataclasses
import inspect
from functools import cache
from typing import Any

from kibitz.core.game import Game
from kibitz.core.grid import GridGame, GridState
from kibitz.core.spec import is_readable, parameters


def rules_fault(rules: Any) -> str:
    """Return the first thing that is wrong with the rules of a game; an empty text if nothing is."""
    if not isinstance(rules, type) or not issubclass(rules, Game):
        what = f"class {rules.__name__}" if isinstance(rules, type) else f"a value of type {type(rules).__name__}"
        return f"its rules are {what}; give a subclass of kibitz.core.game.Game, as in GamePackage(rules=MyGame)"
    return _class_fault(rules)


@cache
def _class_fault(rules: type[Game]) -> str:
    name = f"class {rules.__name__}"
    how = getattr(rules, "__dataclass_params__", None)  # what dataclasses.py keeps there
    if how is None:
        return f"{name} is not a dataclass; write @dataclass(frozen=True) above it"
    if not how.frozen:
        return f"{name} can be changed after it was made; write @dataclass(frozen=True) above it"
    for key, example in (("name", "short-name"), ("title", "Name of the Game")):
        if not isinstance(getattr(rules, key, None), str) or not getattr(rules, key):
            return f'{name} has no {key}; write {key} = "{example}" in it'
    players: Any = rules.players
    if not isinstance(players, tuple) or len(players) != 2 or not all(isinstance(each, str) for each in players):
        return f'the players of {name} are {players!r}; write the names of two sides, as in players = ("Red", "Blue")'
    if missing := sorted(getattr(rules, "__abstractmethods__", ())):
        return f"{name} lacks {_listed(missing)}"
    return _options_fault(rules) or (_grid_fault(rules) if issubclass(rules, GridGame) else "")


def _options_fault(rules: type[Game]) -> str:
    name = f"class {rules.__name__}"
    try:
        fields, known = inspect.signature(rules, eval_str=True).parameters, parameters(rules)
    except Exception as error:  # a type that is a text may hold any expression
        return f"the types of the options of {name} cannot be read ({type(error).__name__}: {error})"
    for key in fields:
        if key.rstrip("_") not in known:
            return f"the option {key} of {name} has no default; write one, as in {key}: int = 5"
    for key, (kind, _) in known.items():
        if not is_readable(kind):
            shown = getattr(kind, "__name__", None) if isinstance(kind, type) else None
            return (
                f"the option {key} of {name} has the type {shown or kind}; use int, float, bool, str or Literal, "
                "or write ClassVar if it is not an option"
            )
    return ""


def _grid_fault(rules: type[GridGame]) -> str:
    name = f"class {rules.__name__}"
    given = {field.name for field in dataclasses.fields(rules)}  # type: ignore[arg-type]  # a dataclass, see above
    for key, example in (("rows", "6"), ("cols", "7"), ("state", "State")):
        if not hasattr(rules, key) and key not in given:
            return f"{name} has no {key}; write {key} = {example} in it"
    state: Any = rules.state
    if not isinstance(state, type) or not issubclass(state, GridState):
        return f"state of {name} is {state!r}; give the class of its positions, a subclass of GridState"
    if missing := sorted(getattr(state, "__abstractmethods__", ())):
        return f"class {state.__name__} lacks {_listed(missing)}"
    return ""


def _listed(methods: list[str]) -> str:
    return ", ".join(f"{method}()" for method in methods)
