"""Tables as JSON for their clients, built from views, so that they contain nothing hidden."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kibitz.analysis.points import result_words
from kibitz.core import registry
from kibitz.core.defaults.picture import text_picture
from kibitz.core.game import Move, Outcome, Player, State, hides
from kibitz.core.untrusted import JsonObject
from kibitz.picture import COVERED, Picture
from kibitz.picture.wire import overlay_json, panel_json, to_json
from kibitz.web.catalogue import move_label
from kibitz.web.tables.table import Table

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class ViewedPosition:
    """A position as all clients with the same view see it. Compared by identity."""

    picture: Picture
    fields: JsonObject
    """Scores, notes at the seats, panels, legal moves."""
    failure: str = ""
    """The notice to show if the game's page failed and the board is shown as text; otherwise empty."""


def view_position(
    state: State,
    viewer: Player | None,
    last: Sequence[Move] = (),
    over: bool = False,
    signs: tuple[str, str] = ("", ""),
    marks: Collection[str] | None = None,
    shared: bool = False,
) -> ViewedPosition:
    """Return a position as one player may see it, or a spectator if viewer is None.

    last: the moves to highlight. over: whether the game is over, so that nothing needs to stay hidden.
    signs, marks: as in PlainPage.picture. shared: whether two people share the screen, so that a view with the
    viewer's cards covered is needed, too. If the game's page fails, the board is shown as text.
    """
    game, view = state.game, state.view(viewer)
    page = registry.page(game.name)
    public = [game.public_move(move) for move in last]
    try:
        picture = page.picture(view, public, signs=signs, marks=marks, whole=state if over else None)
        if shared and viewer is not None and hides(state) and not over:
            covered = page.covered_picture(state.view(None), public, below=viewer)
            picture = replace(picture, views={**picture.views, COVERED: covered})
        notes, panels, failure = page.notes(view, marks), page.panels(view), ""
    except Exception as error:  # a page may be anybody's code; the game can go on without it
        may_log = over or not hides(state)  # else the traceback may name hidden cards
        LOG.warning("The page of %s failed", game.name, exc_info=error if may_log else None, extra={"game": game.name})
        picture, notes, panels = text_picture(view, public), ("", ""), ()
        failure = f"The page of {game.title} failed ({type(error).__name__}: {error}). The board is shown as text."
    if viewer is not None and hides(state) and not over:
        picture = replace(picture, secret=f"{viewer} {state.turn}")
    scores = game.scores(view, marks)
    fields = {  # the legal moves would reveal the hand of the player to move
        "scores": None if scores is None else list(scores),
        "notes": list(notes),
        "panels": [panel_json(panel) for panel in panels],
        "legal": [] if viewer != state.to_move and hides(state) else list(map(game.move_text, view.legal_moves())),
    }
    return ViewedPosition(picture, fields, failure)


def initials_of(table: Table) -> tuple[str, str]:
    """Return the initials of the players' names, or of the sides if both names begin with the same letter."""
    for names in ([seat.name for seat in table.seats], table.game.players):
        first, second = (name[:1].upper() for name in names)
        if first != second:
            return first, second
    return "1", "2"


def view_table(table: Table, viewer: Player | None, shared: bool = False) -> ViewedPosition:
    """Return a table's current position as one player, or a spectator, may see it. shared: as in view_position()."""
    marks = table.marks if table.is_settling or table.settled else None
    over = table.outcome is not None
    return view_position(table.state, viewer, table.last_turn(table.ply), over, initials_of(table), marks, shared)


def snapshot(table: Table, seats: Collection[Player], seen: ViewedPosition | None = None) -> JsonObject:
    """Return a table as JSON for a client with these seats, without the picture and the moves.

    seen: the result of view_table() for the viewer, if known.
    """
    state, game, outcome = table.state, table.game, table.outcome
    page, is_open = registry.page(game.name), table.shows_everything()
    seen = seen or view_table(table, table.viewer(seats))
    settling = {"ask": game.settle_prompt, "marks": list(table.marks)}
    now = time.time()
    return {
        "is": "table",
        "id": table.setup.id,
        "before": table.setup.before,
        "game": {
            "name": game.name,
            "title": game.title,
            "players": list(game.players),
            "options": game.options,
            "script": page.script,
            "red_and_blue": page.red_and_blue,
        },
        "seats": [vars(seat) for seat in table.seats],
        "start": table.setup.start if is_open else None,  # the text of a position names every card
        "seconds": table.setup.seconds,
        "link": table.setup.link,
        "you": sorted(seats),
        "ply": table.ply,
        "redo": table.redoable,
        "to_move": state.to_move,
        "outcome": outcome and _outcome_json(outcome, table.result_words()),
        "settling": {**settling, "words": table.result_words(table.settlement)} if table.is_settling else None,
        **seen.fields,
        "legal": seen.fields["legal"] if outcome is None else [],
        "clock": {"limit": table.limit, "since": round((now - table.clock.elapsed()) * 1000)},
        "now": round(now * 1000),
        "position": game.position_text(state) if is_open else None,
    }


def _outcome_json(outcome: Outcome, words: str) -> JsonObject:
    return {"result": outcome.result, "winner": outcome.winner, "words": words}


def move_list(table: Table, viewer: Player | None, first: int = 0) -> list[JsonObject]:
    """Return the moves from index `first` on as JSON, without anything hidden from the viewer."""
    return [_move(table, number, viewer) for number in range(first, table.ply)]


def _move(table: Table, number: int, viewer: Player | None) -> JsonObject:
    """Return a move as JSON, without anything hidden from the viewer."""
    game, move, player = table.game, table.moves[number], table.states[number].to_move
    known = table.shows_everything() or player == viewer
    text, label = game.move_text(move) if known else game.public_text(move), move_label(game, move, public=not known)
    return {"text": text, "label": label, "player": player, "seconds": table.times[number]}


def position_json(
    state: State,
    viewer: Player | None,
    last: Sequence[Move] = (),
    over: bool = False,
    overlay: bool = True,
    signs: tuple[str, str] = ("", ""),
    shared: bool = False,
) -> JsonObject:
    """Return a position as JSON, as one player may see it, or a spectator if viewer is None.

    overlay: whether to add the game's overlay. last, over, signs, shared: as in view_position().
    """
    view, game = state.view(viewer), state.game
    outcome, seen = state.outcome(), view_position(state, viewer, last, over, signs, shared=shared)
    return {
        "picture": to_json(seen.picture),
        **seen.fields,
        "to_move": state.to_move,
        "position": game.position_text(state) if over or not hides(state) else None,
        "outcome": outcome and _outcome_json(outcome, result_words(game, state)),
        "overlay": overlay_json(registry.page(game.name).overlay(view)) if overlay else None,
    }
