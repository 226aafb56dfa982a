"""Positions, choices and records outside the page: as text, as SVG, and as HTML for notebooks and reports.

Combines the picture, style sheet and art of a game. Independent of any particular game.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Unpack

from kibitz.core import registry
from kibitz.core.agent import Choice, value_text
from kibitz.core.errors import BadText
from kibitz.core.game import Game, Move, Player, State, View, hides
from kibitz.core.record import GameRecord, replay
from kibitz.picture import Mark, Picture
from kibitz.picture.html import inline, standalone
from kibitz.picture.svg import Annotations, GameAssets, Theme

MAX_MARKED_MOVES = 5
"""The maximum number of moves whose values are drawn on the board: more would hide the position."""


def svg_of(view: View, last: Sequence[Move] = (), *, theme: Theme = "light", **added: Unpack[Annotations]) -> str:
    """Return a position as the text of an SVG file, with plain colours and embedded fonts.

    last: the moves of the last turn. added: marks, overlay, title and width, see svg().
    """
    return standalone(_picture(view, last), theme=theme, **added, **assets(view.game.name))


def html_of(view: View, last: Sequence[Move] = (), *, caption: str = "", **added: Unpack[Annotations]) -> str:
    """Return a position as an HTML fragment that follows the viewer's theme; arguments as for svg_of."""
    return inline(_picture(view, last), caption=caption, **added, **assets(view.game.name))


def revealed_picture(state: State, last: Sequence[Move] = ()) -> Picture:
    """Return the picture of a position with nothing hidden, for games that are over."""
    if not hides(state):
        return _picture(state.view(state.to_move), last)
    return _picture(state.view(None), last, whole=state)


def assets(game: str) -> GameAssets:
    """Return the name, style sheet and art of a game."""
    page = registry.page(game)
    return {"name": game, "style": page.style_text(), "art": page.art_text()}


def _picture(view: View, last: Sequence[Move], whole: State | None = None) -> Picture:
    game = view.game
    signs = (game.players[0][:1], game.players[1][:1])
    public = [game.public_move(move) for move in last]
    return registry.page(game.name).picture(view, public, signs=signs, whole=whole)


def text_of(view: View, last: Move | None = None) -> str:
    """Return the board as plain text, as the terminal draws it."""
    lines = ("".join(text for text, _ in line).rstrip() for line in view.game.draw(view, last))
    return "\n".join(lines)


# Choices


def choice_text(choice: Choice) -> str:
    """Return the board, the move, its value, the expected line and the note; the repr if the choice has no view."""
    if choice.view is None:
        return repr(choice)
    label = choice.view.game.move_label
    value = "" if choice.value is None else f", {value_text(choice.value, choice.unit, choice.proved)}"
    line = " ".join(map(label, choice.line[1:]))
    summary = f"{label(choice.move)}{value}" + (f", then {line}" if line else "")
    table = candidates_text(choice.view.game, choice, choice.view.to_move)
    return "\n".join(filter(None, [text_of(choice.view), table or summary, choice.note]))


CANDIDATE_HEADINGS = ("move", "win rate", "score", "visits", "line")
MAX_LINE_MOVES = 6
"""Maximum number of moves of an expected line in a table."""


def score_text(game: Game, score: float, player: Player) -> str:
    """Return an expected margin with the first letter of the player who is ahead: "B+6.9", or "even"."""
    ahead = player if score > 0 else 1 - player
    return f"{game.players[ahead][:1]}+{abs(score):.1f}" if round(score, 1) else "even"


def candidate_rows(game: Game, choice: Choice, player: Player) -> list[tuple[str, str, str, str, str]]:
    """Return the moves of an analysis that counts visits, best first, as texts under CANDIDATE_HEADINGS; else none."""
    return [
        (
            game.move_label(each.move),
            value_text(each.value, choice.unit, each.exact),
            "" if each.score is None else score_text(game, each.score, player),
            f"{each.visits:,}",
            " ".join(map(game.move_label, each.line[:MAX_LINE_MOVES])),
        )
        for each in choice.candidates
        if each.visits is not None
    ]


def candidates_text(game: Game, choice: Choice, player: Player) -> str:
    """Return the moves of an analysis that counts visits as a table in plain text; empty if it counts none."""
    rows = candidate_rows(game, choice, player)
    if not rows:
        return ""
    wide = [max(map(len, column)) for column in zip(CANDIDATE_HEADINGS, *rows, strict=True)]
    aligned = (
        "  ".join([move.ljust(wide[0]), *map(str.rjust, row, wide[1:]), line]).rstrip()
        for move, *row, line in (CANDIDATE_HEADINGS, *rows)
    )
    return "\n".join(aligned)


def choice_html(choice: Choice) -> str | None:
    """Return the picture of a choice with the values of its best moves; None if it has no view."""
    if choice.view is None:
        return None
    caption = choice_text(choice).removeprefix(text_of(choice.view)).strip()
    return html_of(choice.view, marks=_choice_marks(choice.view, choice), caption=" ".join(caption.splitlines()))


def _choice_marks(view: View, choice: Choice) -> list[Mark]:
    """Return marks that show the values of a choice's best moves, or a hint at its move if it has no values."""
    steps = registry.page(view.game.name).steps
    ranked = choice.candidates[:MAX_MARKED_MOVES]
    if not ranked:
        return [Mark("hint", steps(view, choice.move))]
    tones = {move: "best" if move == choice.move else "good" for move in (*choice.best, choice.move)}
    return [
        Mark("value", steps(view, each.move), _short_value(each.value, choice, each.exact), tones.get(each.move, ""))
        for each in ranked
    ]


def _short_value(value: float, choice: Choice, exact: bool) -> str:
    """Return a value short enough to fit on the board: "+3", "62", "win"."""
    text = value_text(value, choice.unit, exact).split()[0]
    return f"{float(text[:-1]):.0f}" if text.endswith("%") else text


# Records


def record_text(record: GameRecord) -> str:
    """Return the last position of a recorded game as a text board, and how it ended."""
    result = f"{_result(record)}, {len(record.moves)} moves"
    try:
        view, last = _last_position(record)
    except BadText as error:
        return f"{result}\n{error}"
    return f"{text_of(view, last[-1] if last else None)}\n{result}"


def record_html(record: GameRecord) -> str:
    """Return the picture of the last position of a recorded game, with the result and the moves below it."""
    try:
        view, last = _last_position(record)
    except BadText as error:
        return f"<p>{escape(_result(record))}</p><p>{escape(str(error))}</p>"
    moves = ", ".join(f"{number}. {text}" for number, text in enumerate(record.moves, 1))
    return html_of(view, last, caption=_result(record)) + f"<details><summary>Moves</summary>{escape(moves)}</details>"


def _result(record: GameRecord) -> str:
    return f"{record.agents[0]} – {record.agents[1]}: {record.result}, {record.reason}"


def _last_position(record: GameRecord) -> tuple[View, list[Move]]:
    """Return a spectator's view of the last position of a recorded game, and the last move, if any, as a list.

    Raise BadText if the game cannot be replayed.
    """
    states = replay(record)
    state: State = states[-1]
    last = [state.game.parse_move(text) for text in record.moves[-1:]]
    return state.view(None if hides(state) else state.to_move), last
