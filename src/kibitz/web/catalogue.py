"""Data for the lobby: the games with their options, agents and notations, and a cover picture of each."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any, Literal, get_args, get_origin

from kibitz.core import registry
from kibitz.core.defaults.page import OptionHelp
from kibitz.core.game import Game, Move
from kibitz.core.package import GamePackage
from kibitz.core.spec import FileText, parameters
from kibitz.core.untrusted import JsonObject
from kibitz.picture.wire import to_json
from kibitz.search.agents import agent_entries, analyst_spec, resolve, summary_of
from kibitz.web import bots


def catalogue() -> list[JsonObject]:
    """Return all playable games as JSON objects; warn about games that cannot be listed."""
    games = []
    for name in registry.pages():
        try:
            games.append(
                {**_game(registry.package(name)), "agents": agents(name), "analysts": bots.analyst_names(name)}
            )
        except Exception as error:  # games may be anyone's code; the other games are still listed
            why = registry.failure_text(error)
            registry.warn_once(f"Skipped a game on the page: {name!r} cannot be listed ({why}).")
    return games


def cover(game: str) -> JsonObject:
    """Return a game's cover picture as JSON. Raise BadOption if the game is unknown."""
    page = registry.page(game)
    return to_json(page.picture(page.cover_view()))


def move_label(game: Game, move: Move, public: bool = False) -> str:
    """Return a move's label on the page. public: leave out anything hidden from the opponent."""
    return registry.page(game.name).label(game, move, public=public)


def relabel_moves(game: Game, sentence: str) -> str:
    """Replace the text of each move in a sentence by its label on the page."""
    return registry.page(game.name).relabel(game, sentence)


@cache
def _game(package: GamePackage) -> JsonObject:
    name, cls, page = package.name, package.rules, registry.page(package.name)
    return {
        "name": name,
        "title": cls.title,
        "players": list(cls.players),
        "blurb": page.blurb,
        "options": [
            _option(key, kind, default, page.options.get(key, OptionHelp()))
            for key, (kind, default) in parameters(cls).items()
        ],
        "analyst": analyst_spec(name),
        "notations": [{"name": n.name, "label": n.label, "kind": n.kind} for n in package.make_notations().kinds],
        "problems": package.problems is not None,
        "editor": page.editor is not None,
        "links": [[label, address] for label, address in page.links.items()],
    }


def _option(key: str, kind: Any, default: Any, help: OptionHelp) -> JsonObject:
    """Return an option of a game as JSON, from which the page builds a form field. kind: the option's type."""
    field: JsonObject = {"kind": {int: "int", float: "number", bool: "flag", FileText: "file"}.get(kind, "text")}
    if get_origin(kind) is Literal:
        field = {"kind": "choice", "choices": list(get_args(kind))}
    if help.labels:
        field["labels"] = dict(help.labels)
    limits = {"least": help.minimum, "most": help.maximum, "step": help.step}
    field |= {name: limit for name, limit in limits.items() if limit is not None}
    texts = {"label": help.label or key, "about": help.about, "advanced": help.advanced}
    return {"name": key, "default": default, **field, **texts}


def agents(game: str) -> list[JsonObject]:
    """Return the agents of a game as JSON: levels from weak to strong, then others, then what the server offers."""
    listed = list[JsonObject]()
    for spec, entry in sorted(agent_entries(game).items(), key=lambda pair: _level(pair[0]) or math.inf):
        about = entry.about or summary_of(resolve(game, spec)[0])
        means = entry.make if isinstance(entry.make, str) else spec  # as used on the command line
        group = "levels" if _level(spec) else "named"
        listed.append({"spec": spec, "label": agent_label(spec, game), "about": about, "means": means, "group": group})
    for name, opponent in bots.offered(game).items():
        spec = bots.PREFIX + name
        listed.append({"spec": spec, "label": name, "about": opponent.about, "means": spec, "group": "bots"})
    return listed


def agent_label(spec: str, game: str) -> str:
    """Return the display name of an agent: "Level 5" for level5, "Champion" for champion."""
    entry = agent_entries(game).get(spec)
    return (entry and entry.label) or re.sub(r"\Alevel([0-9]+)\Z", r"Level \1", spec.removeprefix(bots.PREFIX))


def _level(spec: str) -> int:
    """Return 5 for "level5"; 0 for agents that are not levels."""
    found = re.fullmatch(r"level([0-9]+)", spec)
    return int(found[1]) if found else 0
