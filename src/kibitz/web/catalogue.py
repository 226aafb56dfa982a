"""What the lobby shows: the games with their options, agents, notations and a picture of each.

A game is on the page if its package has a module `page`. That has BLURB (one or two
sentences), OPTIONS (label, about, least and most of an option, fine if few want it), NOTATIONS,
scene(view, last), layer(view), picture(), scores(view), total(game), write(states, moves,
notation) and read(game, text, notation). With an editor it has edit(game, position, do),
and draft_scene(game, position) where that may pass through positions that are not possible.
Where moves have other names on the page than elsewhere it has label(game, move), and
words(game, sentence) that uses them; where something is hidden public_label(game, move),
as the other player may know it, and disclose(state), what a scene has more after the end.
With problems it has list_problems(), show_problem(number), judge_answer(number, move) and
show_answer(number). If persons settle the game, see Game.settle, scene takes their marks as
a third argument and tells the scores, and SETTLE says what they are asked for. RECORDS is
True if records of the game can be explored. With sign(text, notation, names, outcome) players
and result are put into a written game.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, get_args, get_origin

from kibitz.core import registry
from kibitz.core.game import Game, Move
from kibitz.core.spec import FileText, parameters
from kibitz.search.agents import agent_entries, analyst_spec, resolve, summary_of
from kibitz.web import bots


@cache
def catalogue() -> list[dict[str, Any]]:
    """Return every game that is on the page."""
    return [_game(name) for name in registry.packages()]


def page_of(game: str) -> Any:
    """Return the page module of a game. Raises BadOption if it has none."""
    registry.package(game)
    return importlib.import_module(f"kibitz.games.{game}.page")


def move_label(game: Game, move: Move) -> str:
    """Return a move as people find it on the board of the page."""
    label: Callable[[Game, Move], str] | None = getattr(page_of(game.name), "label", None)
    return game.move_label(move) if label is None else label(game, move)


def public_label(game: Game, move: Move) -> str:
    """Return a move as the other player may know it."""
    label: Callable[[Game, Move], str] | None = getattr(page_of(game.name), "public_label", None)
    return game.public_text(move) if label is None else label(game, move)


def plain(game: Game, sentence: str) -> str:
    """Return a sentence with the moves in it as move_label names them."""
    words: Callable[[Game, str], str] | None = getattr(page_of(game.name), "words", None)
    return sentence if words is None else words(game, sentence)


def _game(name: str) -> dict[str, Any]:
    cls, page = registry.game_class(name), page_of(name)
    return {
        "name": name,
        "title": cls.title,
        "players": list(cls.players),
        "blurb": page.BLURB,
        "options": [_option(name, key, kind, default) for key, (kind, default) in parameters(cls).items()],
        "agents": agents(name),
        "analyst": analyst_spec(name),
        "notations": list(page.NOTATIONS),
        "problems": hasattr(page, "list_problems"),
        "editor": hasattr(page, "edit"),
        "records": getattr(page, "RECORDS", False),
        "picture": page.picture(),
    }


def _option(game: str, key: str, kind: Any, default: Any) -> dict[str, Any]:
    """Return how an option is asked for."""
    told: dict[str, Any] = {"name": key, "kind": "text", "default": default, "label": key, **page_of(game).OPTIONS[key]}
    if kind == FileText:
        told["kind"] = "file"
    elif get_origin(kind) is Literal:
        told |= {"kind": "choice", "choices": list(get_args(kind))}
    elif kind in (int, float, bool):
        told["kind"] = {int: "int", float: "number", bool: "flag"}[kind]
    return told


def agents(game: str) -> list[dict[str, Any]]:
    """Return the agents of a game: the levels from weak to strong, the others, and outside programs."""
    levels = [spec for spec in agent_entries(game) if _level(spec)]
    others = [spec for spec in agent_entries(game) if not _level(spec)]
    return [
        {
            "spec": spec,
            "label": agent_label(spec, game),
            "about": _about(game, spec),
            "means": _means(game, spec),
            "group": "levels" if _level(spec) else "named",
        }
        for spec in (*sorted(levels, key=_level), *others)
    ] + [_bot(name) for name in bots.names(game)]


def agent_label(spec: str, game: str) -> str:
    """Return what people call an agent, by the names of its game: "Level 5" for level5, "Champion" for champion."""
    entry = agent_entries(game).get(spec)
    return (entry and entry.label) or re.sub(r"\Alevel([0-9]+)\Z", r"Level \1", spec.removeprefix(bots.PREFIX))


def _bot(name: str) -> dict[str, Any]:
    """Return an outside program as an agent."""
    spec = bots.PREFIX + name
    about = "A program from elsewhere, started for each of its moves."
    return {"spec": spec, "label": name, "about": about, "means": spec, "group": "bots"}


def _level(spec: str) -> int:
    """Return the number of a level; 0 for other agents."""
    found = re.fullmatch(r"level([0-9]+)", spec)
    return int(found[1]) if found else 0


def _about(game: str, spec: str) -> str:
    """Return how an agent plays: in the words that its game has for people, else in those of its class."""
    return agent_entries(game)[spec].about or summary_of(resolve(game, spec)[0])


def _means(game: str, spec: str) -> str:
    """Return what an agent's name stands for, as it can be asked for on the command line."""
    make = agent_entries(game)[spec].make
    return make if isinstance(make, str) else spec
