"""The page of Battle Line: texts for the lobby, the picture of the table, moves in words, overlay and panels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any, ClassVar

from kibitz.core.defaults.page import OptionHelp, PlainPage
from kibitz.core.game import Move, Player
from kibitz.games.battleline.page.panels import overlay, panels
from kibitz.games.battleline.page.picture import paint
from kibitz.games.battleline.page.steps import label, steps_of
from kibitz.games.battleline.page.words import seat_note
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.view import PublicView
from kibitz.picture import Overlay, Panel, Picture

_COVER = (
    "turn=40 stage=play flags=r8,r9,r10/b4,b7:0|g5,y5/o2,o3,o4|-/p7|y8,g8/b9,b10+FOG|AL,p4,p5/r6,g6,y6*1|o9/r3,r4|"
    "b1,b2/g10,p10+MUD|y1,g7/o6,o7,CC:1|g2,g3/- discard=r1,DESERTER played=AL,FOG/CC,DESERTER,MUD "
    "hands=r2,r5,o1,o5,g1,p1,b3/y2,y3,y4,p2,p3,g4,b5"
)


class BattleLinePage(PlainPage[BattleLineState, PublicView, BattleLine]):
    """The page of Battle Line. It has no editor: a position with hidden cards is entered as text, see text.py."""

    style = files(__package__) / "board.css"
    art = files(__package__) / "board.svg"
    red_and_blue: ClassVar[bool] = True
    blurb: ClassVar[str] = (
        "Nine flags, sixty Troops, ten Tactics. Build the better formation at five flags, or at three side by side."
    )
    options: ClassVar[Mapping[str, OptionHelp]] = MappingProxyType(
        {
            "edition": OptionHelp(
                "Edition", "schotten-totten: values 1 to 9, a smaller hand without Tactics, claims after the play.",
                labels={"battle-line": "Battle Line", "schotten-totten": "Schotten Totten"},
            ),
            "claim_timing": OptionHelp(
                "Flags are claimed", "start: before the play. end: after it.",
                labels={"start": "Before the play", "end": "After the play"},
            ),
            "leader_limit": OptionHelp(
                "Leaders of a player", "per_game: one in a game. in_play: one at a time.",
                labels={"per_game": "One in a game", "in_play": "One at a time"}, advanced=True,
            ),
            "tactics": OptionHelp("With Tactics", "Without them only Troops are played."),
            "unfillable": OptionHelp(
                "Claim what cannot be filled",
                "A claim succeeds where too few Troops are left to complete the other side.", advanced=True,
            ),
            "scout_two": OptionHelp(
                "Scout always puts back two", "Even if fewer than three cards were left to take.", advanced=True
            ),
            "stuck_draw": OptionHelp(
                "Two passes make a draw",
                "Otherwise flags with one complete side are awarded, and more flags win.", advanced=True,
            ),
        }
    )  # fmt: skip
    cover: ClassVar[tuple[Mapping[str, Any], str]] = (MappingProxyType({}), _COVER)

    def picture(
        self, view: PublicView, last: Sequence[Move] = (), *, signs: tuple[str, str] = ("", ""),
        marks: Collection[str] | None = None, whole: BattleLineState | None = None,
    ) -> Picture:  # fmt: skip
        """Return the table as the viewer sees it, the viewer's side below; with `whole` both hands are face up."""
        return paint(view, last, whole)

    def covered_picture(self, view: PublicView, last: Sequence[Move] = (), *, below: Player) -> Picture:
        """Return the table with all hidden cards face down and the side of player `below` at the bottom."""
        return paint(view, last, below=below)

    def steps(self, view: PublicView, move: Move) -> tuple[str, ...]:
        """Return the keys of the places to press for a move, legal or not."""
        return steps_of(move)

    def overlay(self, view: PublicView) -> Overlay:
        """Return the overlay with the chance to win each open flag, estimated by rule of thumb."""
        return overlay(view)

    def panels(self, view: PublicView) -> Sequence[Panel]:
        """Return the tab that shows where every Troop is and which flags can be claimed."""
        return panels(view)

    def notes(self, view: PublicView, marks: Collection[str] | None = None) -> tuple[str, str]:
        """Return a note on each player: the Tactics played, and whether the player must wait to play another."""
        return seat_note(view, 0), seat_note(view, 1)

    def label(self, game: BattleLine, move: Move, public: bool = False) -> str:
        """Return a move in words: "Red 8 to flag 3". public: whether to hide the name of a card put back."""
        return label(game.public_move(move) if public else move)
