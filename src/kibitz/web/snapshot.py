"""A table as JSON for its clients, built from views, so that nothing hidden is in it."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core import registry
from kibitz.core.agent import Unit
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, Player, State, View, hides
from kibitz.picture import Picture
from kibitz.picture.wire import overlay_json, panel_json, to_json
from kibitz.search.values import unit_of
from kibitz.web.catalogue import move_label, public_label
from kibitz.web.table import Table


@dataclass(frozen=True, eq=False)
class Seen:
    """What all clients with the same view of a position are shown of it. Compared by identity."""

    picture: Picture
    fields: dict[str, Any]
    """What else they see: points, notes at the seats, panels."""


def see(
    state: State,
    viewer: Player | None,
    last: Sequence[Move] = (),
    over: bool = False,
    signs: tuple[str, str] = ("", ""),
    marks: Collection[str] | None = None,
) -> Seen:
    """Return a position as one player, or a spectator, may see it.

    over: whether the game is over, so that nothing needs to stay hidden. signs and marks: see PlainPage.picture.
    """
    game, view = state.game, state.view(viewer)
    page = registry.page(game.name)
    public = [game.public_move(move) for move in last]
    picture = page.picture(view, public, signs=signs, marks=marks, whole=state if over else None)
    scores = game.scores(view, marks)
    fields = {
        "scores": None if scores is None else list(scores),
        "notes": list(page.notes(view, marks)),
        "panels": [panel_json(panel) for panel in page.panels(view)],
    }
    return Seen(picture, fields)


def signs_of(table: Table) -> tuple[str, str]:
    """Return the initials of the players' names, or of the sides where both names begin alike."""
    for names in ([seat.name for seat in table.seats], table.game.players):
        first, second = (name[:1].upper() for name in names)
        if first != second:
            return first, second
    return "1", "2"


def see_table(table: Table, viewer: Player | None) -> Seen:
    """Return the position on the board of a table as one player, or a spectator, may see it."""
    marks = table.marks if table.is_settling or table.settled else None
    return see(table.state, viewer, table.last_turn(table.ply), table.outcome is not None, signs_of(table), marks)


def snapshot(
    table: Table,
    seats: Collection[Player],
    paused: bool = False,
    busy: Player | None = None,
    seen: Seen | None = None,
) -> dict[str, Any]:
    """Return a table without its picture, for somebody who has these seats.

    busy: the player whose agent is thinking. seen: what see_table returned for the viewer, to make it only once.
    """
    state, game = table.state, table.game
    viewer = table.viewer(seats)
    outcome = table.outcome
    seen = seen or see_table(table, viewer)
    return {
        "is": "table",
        "id": table.setup.id,
        "game": {
            "name": game.name,
            "title": game.title,
            "players": list(game.players),
            "options": game.options,
            "script": registry.page(game.name).script,
        },
        "seats": [{"kind": seat.kind, "name": seat.name, "spec": seat.spec} for seat in table.seats],
        "start": table.setup.start,
        "seconds": table.setup.seconds,
        "link": table.setup.link,
        "you": sorted(seats),
        "ply": table.ply,
        "moves": [_move(table, i, viewer) for i in range(table.ply)],
        "redo": table.redoable,
        "legal": [] if outcome else legal_texts(state, state.view(viewer), viewer),
        "to_move": state.to_move,
        "outcome": None
        if outcome is None
        else {"result": outcome.result, "winner": outcome.winner, "words": table.words()},
        "settling": {"ask": game.settle_prompt, "marks": list(table.marks), "words": table.words(table.settlement)}
        if table.is_settling
        else None,
        **seen.fields,
        "clock": {"limit": table.limit, "since": round(table.since * 1000)},
        "now": round(time.time() * 1000),
        "paused": paused,
        "busy": busy,
        "position": game.position_text(state) if table.shows_everything() else None,
    }


def _move(table: Table, number: int, viewer: Player | None) -> dict[str, Any]:
    """Return a move of the game as somebody may know it."""
    game, move, player = table.game, table.moves[number], table.states[number].to_move
    known = table.shows_everything() or player == viewer
    return {
        "text": game.move_text(move) if known else game.public_text(move),
        "label": move_label(game, move) if known else public_label(game, move),
        "player": player,
        "seconds": table.times[number],
    }


def at(table: Table, seats: Collection[Player], ply: int) -> tuple[State, Player | None, list[Move]]:
    """Return an earlier position of a table, whose view of it is shown, and its last turn. Raise BadOption."""
    if not 0 <= ply <= table.ply:
        raise BadOption(f"The game has {table.ply} moves: there is no position after move {ply}.")
    return table.states[ply], table.viewer(seats, table.states[ply]), table.last_turn(ply)


def legal_texts(state: State, view: View, viewer: Player | None) -> list[str]:
    """Return the legal moves; none where they would tell what the player to move holds."""
    if viewer != state.to_move and hides(state):
        return []
    return [state.game.move_text(move) for move in view.legal_moves()]


def show(
    state: State,
    viewer: Player | None,
    last: Sequence[Move] = (),
    over: bool = False,
    overlay: bool = True,
    signs: tuple[str, str] = ("", ""),
) -> dict[str, Any]:
    """Return a position as one player, or a spectator, may see it, as JSON.

    over: whether the game that it belongs to is over, so that nothing needs to stay hidden. overlay: whether to add
    what the game says about it.
    """
    view, game = state.view(viewer), state.game
    outcome, seen = state.outcome(), see(state, viewer, last, over, signs)
    return {
        "picture": to_json(seen.picture),
        **seen.fields,
        "legal": legal_texts(state, view, viewer),
        "to_move": state.to_move,
        "position": game.position_text(state) if over or not hides(state) else None,
        "outcome": None
        if outcome is None
        else {"result": outcome.result, "winner": outcome.winner, "words": result_words(game, state)},
        "overlay": overlay_json(registry.page(game.name).overlay(view)) if overlay else None,
    }


def result_words(game: Game, state: State) -> str:
    """Return the result of a position in words, without names."""
    outcome = state.outcome()
    if outcome is None:
        return ""
    who = "It's a tie" if outcome.winner is None else f"{game.players[outcome.winner]} wins"
    return f"{who}, {outcome.reason}"


def first_points(game: Game, value: float, unit: Unit | None, player: Player) -> float:
    """Return a player's value as the first player's points, 0 to 1.

    Boxes and points of a game are squeezed: Evaluations.margin_scale of them make about 0.73.
    """
    if unit == "probability":
        points = value
    elif unit == "result":
        points = (value + 1) / 2
    else:
        scale = registry.evaluations(game.name).margin_scale(game)
        points = 1 / (1 + math.exp(-max(-50.0, min(50.0, value / scale))))
    return round(points if player == 0 else 1 - points, 4)


def final_points(state: State) -> float:
    """Return the first player's points of a finished game, squeezed as the values before were."""
    outcome, unit = state.outcome(), unit_of(state.game, True)
    assert outcome is not None
    scores = state.game.scores(state.view(0))
    if unit == "result" or scores is None:
        return (outcome.value(0) + 1) / 2
    return first_points(state.game, scores[0] - scores[1], unit, 0)
