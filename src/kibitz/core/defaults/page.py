"""The presentation of a game: the picture of a position, names of moves, overlays, panels, a position editor.

PlainPage works for any game; a game overrides what it wants to show differently. Independent
of any particular game and of the browser.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import ClassVar, Generic, TypedDict, cast

from kibitz.core.defaults.picture import plain_picture
from kibitz.core.game import G, Game, Move, OptionValue, Player, S, V
from kibitz.core.spec import call_with
from kibitz.picture import Overlay, Panel, Picture, Shape


@dataclass(frozen=True, slots=True)
class OptionHelp:
    """How a form shows an option of a game."""

    label: str = ""
    about: str = ""
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    """The labels of the choices of a Literal option."""
    advanced: bool = False
    """Whether the form hides it among the advanced options."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the position editor: what a press puts on the board."""

    name: str
    label: str
    shapes: tuple[Shape, ...] = ()
    """An optional icon, drawn around the centre of a box of 24 by 24 units."""


@dataclass(frozen=True, slots=True)
class EditorSetting:
    """A setting shown beside the board in the position editor, such as the player to move."""

    name: str
    label: str
    choices: tuple[tuple[str, str], ...]
    """(value, label) of each choice."""


class Editor(ABC, Generic[G]):
    """A position editor. Drafts are position texts, which need not be legal; an empty text is the start position."""

    def tools(self, game: G) -> Sequence[Tool]:
        """Return the tools to choose from; empty if the editor has only one."""
        return ()

    def settings(self, game: G) -> Sequence[EditorSetting]:
        """Return the settings shown beside the board: by default the player to move."""
        return (EditorSetting("to_move", "To move", tuple((str(i), name) for i, name in enumerate(game.players))),)

    @abstractmethod
    def chosen(self, game: G, text: str) -> Mapping[str, str]:
        """Return the value chosen for every setting of a draft. Raise BadText if the draft cannot be read."""

    @abstractmethod
    def press(self, game: G, text: str, tool: str, place: str) -> str:
        """Return the draft after using a tool at a place. Raise BadText if that is not possible."""

    @abstractmethod
    def choose(self, game: G, text: str, setting: str, value: str) -> str:
        """Return the draft after changing a setting. Raise BadText if that is not possible."""

    @abstractmethod
    def picture(self, game: G, text: str) -> Picture:
        """Return the picture of a draft, with every place that can be pressed. Raise BadText if it cannot be read."""


class PictureOptions(TypedDict, Generic[S], total=False):
    """The keyword arguments of PlainPage.picture, for pages that only pass them on."""

    signs: tuple[str, str]
    marks: Collection[str] | None
    whole: S | None


class PlainPage(Generic[S, V, G]):
    """The default page of a game. Subclasses override what they show differently."""

    style: Traversable | None = None
    """The game's board.css. Every selector starts with the game's name as a class: `.hex .cell`."""
    art: Traversable | None = None
    """The game's board.svg: a <defs> element with gradients, patterns and symbols, whose ids start with "NAME-"."""
    blurb: ClassVar[str] = ""
    """The game in one or two sentences, for the lobby."""
    options: ClassVar[Mapping[str, OptionHelp]] = MappingProxyType({})
    cover: ClassVar[tuple[Mapping[str, OptionValue], str]] = (MappingProxyType({}), "")
    """The options and the position text of the picture in the lobby; an empty text is the start position."""
    red_and_blue: ClassVar[bool] = False
    """Whether the board, and so the rest of the page, shows the first player in red and the second in blue. Otherwise
    the sides have neutral colours, or those that `.game-NAME` sets in board.css."""
    editor: Editor[G] | None = None
    links: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Links in the lobby to the game's own pages: label -> address."""
    script: ClassVar[str] = ""
    """A JavaScript module, in the folder of the game's Site, that adds tabs to the pages of its tables."""

    def __init__(self, rules: type[Game[S, V]]) -> None:
        self.rules = rules

    def cover_view(self) -> V:
        """Return the view shown in the lobby. Override it if a position text does not determine the picture."""
        options, text = self.cover
        game = call_with(self.rules, values=options)
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

        last: the moves of the last turn, as the public may know them (see Game.public_move).
        signs: short names of the two players, such as initials.
        marks: the players' marks while they settle the result; None before that.
        whole: the complete state, once the game is over and nothing needs to stay hidden.
        """
        return plain_picture(view, last)

    def covered_picture(self, view: V, last: Sequence[Move] = (), *, below: Player) -> Picture:
        """Return the picture with all hidden cards face down, for two people who share a screen.

        view: a spectator's view. below: the player to move, whose side is drawn at the bottom.
        """
        return self.picture(view, last)

    def style_text(self) -> str:
        """Return the text of the game's board.css; empty if it has none."""
        return "" if self.style is None else self.style.read_text(encoding="utf-8")

    def art_text(self) -> str:
        """Return the text of the game's board.svg; empty if it has none."""
        return "" if self.art is None else self.art.read_text(encoding="utf-8")

    def steps(self, view: V, move: Move) -> tuple[str, ...]:
        """Return the keys of the places to press for a move, legal or not; its marks are drawn there."""
        return (view.game.move_text(move),)

    def overlay(self, view: V) -> Overlay:
        """Return what can be shown about a position without a search: shapes and facts."""
        return Overlay()

    def owners_overlay(self, view: V, owners: Sequence[float]) -> Overlay:
        """Return the expected owners of the points of the board, as an analysis found them (see Choice.owners)."""
        return Overlay()

    def panels(self, view: V) -> Sequence[Panel]:
        """Return the contents of the tabs beside the board."""
        return ()

    def notes(self, view: V, marks: Collection[str] | None = None) -> tuple[str, str]:
        """Return a short note about each player, such as the prisoners; empty for none. marks: see picture()."""
        return ("", "")

    def label(self, game: G, move: Move, public: bool = False) -> str:
        """Return the name of a move on the board; public: as the opponent may know it."""
        return str(game.public_text(move) if public else game.move_label(move))

    def relabel(self, game: G, sentence: str) -> str:
        """Replace the texts of moves in a sentence by the names that label() gives them."""
        return sentence
