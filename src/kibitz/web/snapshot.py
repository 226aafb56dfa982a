"""What a client is shown of a table, as JSON: built from views, so that nothing hidden is in it."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from typing import Any

from kibitz.core.agent import Unit
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, Player, State, View, hides
from kibitz.search.values import unit_of
from kibitz.web.catalogue import move_label, page_of, public_label
from kibitz.web.table import Table


def snapshot(
    table: Table, seats: Collection[Player], paused: bool = False, busy: Player | None = None
) -> dict[str, Any]:
    """Return the whole of a table for somebody who has some seats. busy is the player whose agent thinks."""
    state, game = table.state, table.game
    viewer = table.viewer(seats)
    view = state.view(viewer)
    page = page_of(game.name)
    outcome = table.outcome
    marks = table.marks if table.is_settling or table.settled else None
    scene = scene_of(state, view, table.last_turn(table.ply), outcome is not None, marks)
    return {
        "is": "table",
        "id": table.setup.id,
        "game": {"name": game.name, "title": game.title, "players": list(game.players), "options": game.options},
        "seats": [{"kind": seat.kind, "name": seat.name, "spec": seat.spec} for seat in table.seats],
        "start": table.setup.start,
        "seconds": table.setup.seconds,
        "link": table.setup.link,
        "you": sorted(seats),
        "ply": table.ply,
        "moves": [_move(table, i, viewer) for i in range(table.ply)],
        "redo": table.redoable,
        "scene": scene,
        "legal": [] if outcome else legal_texts(state, view, viewer),
        "to_move": state.to_move,
        "outcome": None
        if outcome is None
        else {"result": outcome.result, "winner": outcome.winner, "words": table.words()},
        "settling": {"ask": page.SETTLE, "marks": list(table.marks), "words": table.words(table.settlement)}
        if table.is_settling
        else None,
        "scores": page.scores(view) if marks is None else scene["scores"],
        "clock": {"limit": table.limit, "since": round(table.since * 1000)},
        "now": round(time.time() * 1000),
        "paused": paused,
        "busy": busy,
        "position": game.position_text(state) if table.shows_everything() else None,
    }


def _move(table: Table, number: int, viewer: Player | None) -> dict[str, Any]:
    """Return a move of the game as somebody may know it."""
    game, move, player = table.game, table.moves[number], table.states[number].to_move
    told = table.shows_everything() or player == viewer
    return {
        "text": game.move_text(move) if told else game.public_text(move),
        "label": move_label(game, move) if told else public_label(game, move),
        "player": player,
        "seconds": table.times[number],
    }


def scene_of(
    state: State, view: View, last: Sequence[Move], over: bool, marks: Collection[str] | None = None
) -> dict[str, Any]:
    """Return what is drawn of a position, with the marks of who settle it; after the end also what was hidden in it."""
    page = page_of(state.game.name)
    shown: dict[str, Any] = page.scene(view, last) if marks is None else page.scene(view, last, marks)
    return {**shown, **page.disclose(state)} if over and hasattr(page, "disclose") else shown


def at(table: Table, seats: Collection[Player], ply: int) -> tuple[State, Player | None, list[Move]]:
    """Return an earlier position of a table, whose view of it is shown, and its last turn. Raises BadOption."""
    if not 0 <= ply <= table.ply:
        raise BadOption(f"The game has {table.ply} moves: there is no position after move {ply}.")
    return table.states[ply], table.viewer(seats, table.states[ply]), table.last_turn(ply)


def legal_texts(state: State, view: View, viewer: Player | None) -> list[str]:
    """Return the legal moves; none where they would tell what the player to move holds."""
    if viewer != state.to_move and hides(state):
        return []
    return [state.game.move_text(move) for move in view.legal_moves()]


def show(
    state: State, viewer: Player | None, last: Sequence[Move] = (), over: bool = False, layer: bool = True
) -> dict[str, Any]:
    """Return a position as one player, or somebody who looks on, may see it.

    over: whether the game that it is of is over, so that nothing has to be hidden. layer: whether to look into it.
    """
    view, game = state.view(viewer), state.game
    page, outcome = page_of(game.name), state.outcome()
    return {
        "scene": scene_of(state, view, last, over),
        "legal": legal_texts(state, view, viewer),
        "to_move": state.to_move,
        "position": game.position_text(state) if over or not hides(state) else None,
        "scores": page.scores(view),
        "outcome": None
        if outcome is None
        else {"result": outcome.result, "winner": outcome.winner, "words": result_words(game, state)},
        "layer": page.layer(view) if layer else None,
    }


def result_words(game: Game, state: State) -> str:
    """Return the result of a position without names, in words."""
    outcome = state.outcome()
    if outcome is None:
        return ""
    who = "It's a tie" if outcome.winner is None else f"{game.players[outcome.winner]} wins"
    return f"{who}, {outcome.reason}"


def first_points(game: Game, value: float, unit: Unit | None, player: Player) -> float:
    """Return a player's value as the first player's points, 0 to 1.

    Boxes and points of a game are squeezed: an eighth of all there is makes about 0.73.
    """
    if unit == "probability":
        points = value
    elif unit == "result":
        points = (value + 1) / 2
    else:
        scale = max(page_of(game.name).total(game) / 8, 1.0)
        points = 1 / (1 + math.exp(-max(-50.0, min(50.0, value / scale))))
    return round(points if player == 0 else 1 - points, 4)


def final_points(state: State) -> float:
    """Return the first player's points of a finished game, squeezed as the values before were."""
    outcome, unit = state.outcome(), unit_of(state.game, True)
    assert outcome is not None
    if unit == "result":
        return (outcome.value(0) + 1) / 2
    first, second = page_of(state.game.name).scores(state.view(0))
    return first_points(state.game, first - second, unit, 0)
