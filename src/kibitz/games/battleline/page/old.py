"""Battle Line as scenes: the module-level names that the server still asks for. Everything is plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kibitz.core.game import Game, Move, View
from kibitz.core.game import State as AnyState
from kibitz.games.battleline.analysis import outs_json
from kibitz.games.battleline.cards import card_text, cards_text
from kibitz.games.battleline.chances import game_chance
from kibitz.games.battleline.drawing import below
from kibitz.games.battleline.moves import public
from kibitz.games.battleline.notations import BattleLineNotations
from kibitz.games.battleline.page import old_scene
from kibitz.games.battleline.page.label import label as words_of
from kibitz.games.battleline.page.page import BattleLinePage
from kibitz.games.battleline.prospects import Outs, Prospects
from kibitz.games.battleline.rules import BattleLine, State
from kibitz.games.battleline.table import GOING_ON, NOBODY
from kibitz.games.battleline.view import PublicView

__all__ = [
    "BLURB", "NOTATIONS", "OPTIONS",
    "disclose", "label", "layer", "picture", "public_label", "read", "scene", "scores", "total", "write",
]  # fmt: skip

BLURB = BattleLinePage.blurb
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    name: {
        "label": each.label,
        "about": each.about,
        **({"labels": dict(each.labels)} if each.labels else {}),
        **({"fine": True} if each.advanced else {}),
    }
    for name, each in BattleLinePage.options.items()
}
_NOTATIONS = BattleLineNotations()
NOTATIONS = tuple(dict(vars(kind)) for kind in _NOTATIONS.kinds)
_PICTURE = BattleLinePage.cover[1]


def scene(view: View, last: Sequence[Move] = ()) -> dict[str, Any]:
    """Return what is drawn of a view, see old_scene.py."""
    assert isinstance(view, PublicView)
    return old_scene.scene(view, last)


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
        "outs": {str(number + 1): [outs_json(each) for each in pair] for number, pair in outs.items()},
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


def label(game: Game, move: Move) -> str:
    """Return a move in words."""
    return words_of(move)


def public_label(game: Game, move: Move) -> str:
    """Return a move in words, omitting anything hidden from the opponent."""
    return words_of(public(move))


def write(states: Sequence[AnyState], moves: Sequence[Move], notation: str) -> str:
    """Return a game, or its last position, in a notation. Raises BadOption."""
    return _NOTATIONS.write([state for state in states if isinstance(state, State)], moves, notation)


def read(game: Game, text: str, notation: str | None) -> tuple[AnyState, tuple[Move, ...]]:
    """Return the start and the moves of a text, in a notation or in the one it looks like. Raises BadText."""
    assert isinstance(game, BattleLine)
    return _NOTATIONS.read(game, text, notation)
