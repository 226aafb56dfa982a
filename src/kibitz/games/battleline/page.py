"""Battle Line on the page: what is drawn of a view, what is seen in it, and the notations.

Everything is plain data for JSON. There is no editor: a position with hidden cards
is written as a text, see text.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Game, Move, View
from kibitz.core.game import State as AnyState
from kibitz.core.notations import read_moves, unknown_notation
from kibitz.core.record import GameRecord, replay
from kibitz.games.battleline import page_scene
from kibitz.games.battleline.cards import card_text, cards_text
from kibitz.games.battleline.chances import game_chance
from kibitz.games.battleline.drawing import below
from kibitz.games.battleline.page_label import label, public_label
from kibitz.games.battleline.prospects import Outs, Prospects
from kibitz.games.battleline.rules import BattleLine, State
from kibitz.games.battleline.table import GOING_ON, NOBODY
from kibitz.games.battleline.view import PublicView

__all__ = [
    "BLURB", "NOTATIONS", "OPTIONS",
    "disclose", "label", "layer", "picture", "public_label", "read", "scene", "scores", "total", "write",
]  # fmt: skip

BLURB = "Nine flags, sixty Troops, ten Tactics. Build the better formation at five flags, or at three side by side."
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "edition": {
        "label": "Edition",
        "about": "schotten-totten: values 1 to 9, a smaller hand without Tactics, claims after the play.",
        "labels": {"battle-line": "Battle Line", "schotten-totten": "Schotten Totten"},
    },
    "claim_timing": {
        "label": "Flags are claimed",
        "about": "start: before the play. end: after it.",
        "labels": {"start": "Before the play", "end": "After the play"},
    },
    "leader_limit": {
        "label": "Leaders of a player",
        "about": "per_game: one in a game. in_play: one at a time.",
        "labels": {"per_game": "One in a game", "in_play": "One at a time"},
        "fine": True,
    },
    "tactics": {"label": "With Tactics", "about": "Without them only Troops are played."},
    "unfillable": {
        "fine": True,
        "label": "Claim what cannot be filled",
        "about": "A claim succeeds where too few Troops are left to complete the other side.",
    },
    "scout_two": {
        "fine": True,
        "label": "Scout always puts back two",
        "about": "Even if fewer than three cards were left to take.",
    },
    "stuck_draw": {
        "fine": True,
        "label": "Two passes make a draw",
        "about": "Otherwise flags with one complete side are awarded, and more flags win.",
    },
}
NOTATIONS = (
    {"name": "moves", "label": "The deal, then the moves", "kind": "game"},
    {"name": "record", "label": "Record of kibitz", "kind": "game"},
    {"name": "position", "label": "Position, all cards", "kind": "position"},
)
_PICTURE = (
    "turn=40 stage=play flags=r8,r9,r10/b4,b7:0|g5,y5/o2,o3,o4|-/p7|y8,g8/b9,b10+FOG|AL,p4,p5/r6,g6,y6*1|o9/r3,r4|"
    "b1,b2/g10,p10+MUD|y1,g7/o6,o7,CC:1|g2,g3/- discard=r1,DESERTER played=AL,FOG/CC,DESERTER,MUD "
    "hands=r2,r5,o1,o5,g1,p1,b3/y2,y3,y4,p2,p3,g4,b5"
)


def scene(view: View, last: Sequence[Move] = ()) -> dict[str, Any]:
    """Return what is drawn of a view, see page_scene.py."""
    assert isinstance(view, PublicView)
    return page_scene.scene(view, last)


def disclose(state: AnyState) -> dict[str, Any]:
    """Return what the scene of a finished game has more: both hands."""
    assert isinstance(state, State)
    return {"hands": [[card_text(card) for card in hand] for hand in state.hands]}


def picture() -> dict[str, Any]:
    """Return the scene of the lobby: the flags alone."""
    return {**scene(BattleLine().parse_position(_PICTURE).view(None)), "bare": True}


def scores(view: View) -> list[int]:
    """Return how many flags each player has claimed."""
    assert isinstance(view, PublicView)
    return [len(view.owned(player)) for player in (0, 1)]


def total(game: Game) -> int:
    """Return the most that a player can have."""
    return 9


def layer(view: View) -> dict[str, Any]:
    """Return what is seen in a view without searching: the chance of every flag, and the cards that help.

    Chances are those of the player whose side is drawn below.
    """
    assert isinstance(view, PublicView)
    if view.result != GOING_ON:
        return {"facts": []}
    found, me = Prospects(view), below(view)
    chances = found.flags(me)
    open_flags = [number for number, flag in enumerate(view.flags) if flag.owner == NOBODY]
    outs = {number: [found.outs(number, player) for player in (me, 1 - me)] for number in open_flags}
    name = view.game.players[me]
    facts = [
        {"label": "Game", "text": f"{game_chance(chances):.0%} for {name}, by rule of thumb from the flags"},
        *({"label": f"Flag {number + 1}", "text": _flag_words(chances[number], outs[number][0])} for number in outs),
    ]
    return {
        "facts": facts,
        "player": me,
        "chance": round(game_chance(chances), 4),
        "chances": [round(chance, 4) for chance in chances],
        "outs": {str(number + 1): [page_scene.outs_json(each) for each in pair] for number, pair in outs.items()},
    }


_FEW = 8
"""So many cards that help are named in a sentence."""


def _flag_words(chance: float, outs: Outs) -> str:
    words = [f"{chance:.0%}"]
    if outs.wins:
        words.append(f"{cards_text(outs.wins)} would prove the claim")
    if outs.helps:
        more = len(outs.helps) - _FEW
        words.append(f"{cards_text(outs.helps[:_FEW])}{f' and {more} more' if more > 0 else ''} would help")
    return "; ".join(words)


# Notations


def write(states: Sequence[AnyState], moves: Sequence[Move], notation: str) -> str:
    """Return a game, or its last position, in a notation. Raises BadOption."""
    start, end = states[0], states[-1]
    game = start.game
    match notation:
        case "moves":
            return "\n".join([game.position_text(start), *map(game.move_text, moves)])
        case "record":
            return _record(start, end, moves).to_json()
        case "position":
            return game.position_text(end)
    raise _unknown(notation)


def _record(start: AnyState, end: AnyState, moves: Sequence[Move]) -> GameRecord:
    game, outcome = start.game, end.outcome()
    return GameRecord(
        game=game.name,
        options=game.options,
        agents=("first", "second"),
        moves=tuple(map(game.move_text, moves)),
        result="*" if outcome is None else outcome.result,
        reason="not finished" if outcome is None else outcome.reason,
        start=game.position_text(start),
    )


def read(game: Game, text: str, notation: str | None) -> tuple[AnyState, tuple[Move, ...]]:
    """Return the start and the moves of a text, in a notation or in the one it looks like. Raises BadText."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if notation is None:
        notation = "record" if text.lstrip().startswith("{") else "moves" if len(lines) > 1 else "position"
    match notation:
        case "record":
            record = GameRecord.from_json(text.strip())
            if record.game != game.name:
                raise BadText(f"This is a record of {record.game}, not of {game.name}.")
            states = replay(record)
            return states[0], tuple(map(states[0].game.parse_move, record.moves))
        case "position":
            return game.parse_position(" ".join(lines)), ()
        case "moves":
            return _read_moves(game, lines)
    raise _unknown(notation)


def _read_moves(game: Game, lines: Sequence[str]) -> tuple[AnyState, tuple[Move, ...]]:
    """Return the position of the first line and the moves of the others."""
    if not lines:
        raise BadText("The first line is the position after the deal, the others are the moves: there is none.")
    start = game.parse_position(lines[0])
    return start, read_moves(start, lines[1:])


def _unknown(notation: str) -> BadOption:
    return unknown_notation(notation, (each["name"] for each in NOTATIONS))
