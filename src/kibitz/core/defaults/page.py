"""How a game shows itself to people: the picture of a position, names of moves, overlays, panels, an editor.

PlainPage is enough for any game; a game subclasses it and overrides what it has. Knows
no game and no browser.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import ClassVar, Generic, cast

from kibitz.core.defaults.picture import plain_picture
from kibitz.core.game import G, Game, Move, OptionValue, Player, S, V
from kibitz.core.spec import call_with
from kibitz.picture import Overlay, Panel, Picture, Shape


@dataclass(frozen=True, slots=True)
class OptionHelp:
    """How a form asks for an option of a game."""

    label: str = ""
    about: str = ""
    least: float | None = None
    most: float | None = None
    step: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    """The choices of a Literal option in words."""
    advanced: bool = False
    """Whether only a few people want to change it."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a press of the position editor puts on the board."""

    name: str
    label: str
    shapes: tuple[Shape, ...] = ()
    """Its drawing about the middle of a box of 24 by 24, if it has one."""


@dataclass(frozen=True, slots=True)
class EditorSetting:
    """A choice of the position editor that is not made on the board, such as the player to move."""

    name: str
    label: str
    choices: tuple[tuple[str, str], ...]
    """(value, label) of each."""


class Editor(ABC, Generic[G]):
    """Sets up positions of a game, possible or not yet. Texts are position texts; an empty one is the start."""

    def tools(self, game: G) -> Sequence[Tool]:
        """Return what can be put on the board; with one tool or none there is nothing to choose."""
        return ()

    def settings(self, game: G) -> Sequence[EditorSetting]:
        """Return the choices beside the board: by default the player to move."""
        return (EditorSetting("to_move", "To move", tuple((str(i), name) for i, name in enumerate(game.players))),)

    @abstractmethod
    def chosen(self, game: G, text: str) -> Mapping[str, str]:
        """Return the present value of every setting. Raise BadText if the text cannot be read at all."""

    @abstractmethod
    def press(self, game: G, text: str, tool: str, place: str) -> str:
        """Return the position after a tool was used at a place. Raise BadText."""

    @abstractmethod
    def choose(self, game: G, text: str, setting: str, value: str) -> str:
        """Return the position after a setting was changed. Raise BadText."""

    @abstractmethod
    def picture(self, game: G, text: str) -> Picture:
        """Return the picture of a draft with every place that can be pressed. Raise BadText if it cannot be read."""


class PlainPage(Generic[S, V, G]):
    """The page of a game that only has rules. Subclasses override what the game has to show."""

    style: Traversable | None = None
    """The game's board.css. Every rule starts with the class of the game's name: `.uttt .cell`."""
    art: Traversable | None = None
    """The game's board.svg: a <defs> element with gradients, patterns and symbols, their ids starting "NAME-"."""
    blurb: ClassVar[str] = ""
    """The game in one or two sentences, for the lobby."""
    options: ClassVar[Mapping[str, OptionHelp]] = MappingProxyType({})
    cover: ClassVar[tuple[Mapping[str, OptionValue], str]] = (MappingProxyType({}), "")
    """Options and text of the position shown in the lobby; an empty text is the start."""
    red_and_blue: ClassVar[bool] = False
    """Whether the board paints the first player red and the second blue, so that the page does too. The page shows the
    sides of other games in neutral colours, or in those that `.game-NAME` sets in board.css."""
    editor: Editor[G] | None = None
    links: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Pages of the game's own that the lobby links to: label -> address."""
    script: ClassVar[str] = ""
    """A module in the folder of the game's Site that adds tabs of its own to its tables."""

    def __init__(self, rules: type[Game[S, V]]) -> None:
        self.rules = rules

    def cover_view(self) -> V:
        """Return the position shown in the lobby; override it where a position text does not tell all that is drawn."""
        options, text = self.cover
        game: Game[S, V] = call_with(self.rules, values=options)
        state = game.parse_position(text) if text else game.start()
        return cast(V, state.view(None))

    def picture(
        self,
        view: V,
        last: Sequence[Move] = (),
        *,
        signs: tuple[str, str] = ("", ""),
        marks: Collection[str] | None = None,
        whole: S | None = None,
    ) -> Picture:
        """Return the picture of a position.

        last: the moves of the last turn, public ones only (see Game.public_move).
        signs: short signs of the two players, such as the initials of their names.
        marks: what the players have marked while they settle the result; None while the game goes on.
        whole: the complete state once the game is over, so that nothing needs to stay hidden.
        """
        return plain_picture(view, last)

    def covered(self, view: V, last: Sequence[Move] = (), *, below: Player) -> Picture:
        """Return a spectator's picture for two people who share a screen: the cards of the player to move are covered.

        below: the player to move, for games that draw his side below.
        """
        return self.picture(view, last)

    def style_text(self) -> str:
        """Return the text of the game's board.css; empty if it has none."""
        return "" if self.style is None else self.style.read_text(encoding="utf-8")

    def art_text(self) -> str:
        """Return the text of the game's board.svg; empty if it has none."""
        return "" if self.art is None else self.art.read_text(encoding="utf-8")

    def steps(self, view: V, move: Move) -> tuple[str, ...]:
        """Return the places of a move, legal or not, so that a mark can be put there."""
        return (view.game.move_text(move),)

    def overlay(self, view: V) -> Overlay:
        """Return what the game says about a position without searching."""
        return Overlay()

    def panels(self, view: V) -> Sequence[Panel]:
        """Return the tabs beside the board."""
        return ()

    def notes(self, view: V, marks: Collection[str] | None = None) -> tuple[str, str]:
        """Return a short note for each player's seat, such as prisoners; empty for none."""
        return ("", "")

    def label(self, game: G, move: Move, public: bool = False) -> str:
        """Return a move as people find it on the board; public: as the opponent may know it."""
        return str(game.public_text(move) if public else game.move_label(move))

    def relabel(self, game: G, sentence: str) -> str:
        """Return a sentence with the moves in it named as label() names them."""
        return sentence
