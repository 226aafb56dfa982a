"""The page of Go: pictures, facts about a position, notes at the seats and the position editor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import ClassVar

from kibitz.core.defaults.page import OptionHelp, PlainPage
from kibitz.core.game import Move
from kibitz.games.go.page import picture as painter
from kibitz.games.go.page.editor import GoEditor
from kibitz.games.go.rules import Go, GoState
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE
from kibitz.games.go.rules.text import NO_KO
from kibitz.picture import Fact, Overlay, Picture

_COVER = "4O4/1OO1XO3/2XXXO1O1/3X1XOO1/2X1X1XO1/1OXOOXXXO/2OO1OOX1/5XX2/9 X - 0 0:0 40"
_COUNTED = {"area": "stones and territory", "territory": "territory and prisoners"}


class GoPage(PlainPage[GoState, GoState, Go]):
    """The page of Go."""

    style = files(__package__) / "board.css"
    art = files(__package__) / "board.svg"
    blurb = "Black and White put stones on the points in turn. Surround stones to capture them, and more points to win."
    options: ClassVar[Mapping[str, OptionHelp]] = MappingProxyType(
        {
            "size": OptionHelp(label="Size", about="Lines each way.", least=1, most=MAX_BOARD_SIZE),
            "komi": OptionHelp(
                label="Komi", about="Points for White for moving second.", least=-100, most=100, step=0.5
            ),
            "handicap": OptionHelp(
                label="Handicap", about="Black stones at the start; then White moves first.", least=0, most=9
            ),
            "ko": OptionHelp(
                label="Ko rule",
                about="simple: a ko may not be retaken at once. positional: no board may be repeated.",
                labels={"simple": "Simple ko", "positional": "Superko"},
            ),
            "scoring": OptionHelp(
                label="Counting",
                about="area: stones and surrounded points. territory: surrounded points and prisoners.",
                labels={"area": "Area", "territory": "Territory"},
            ),
            "suicide": OptionHelp(
                label="Suicide", about="Whether players may play stones without liberties, which are removed."
            ),
        }
    )
    cover = (MappingProxyType({"size": 9}), _COVER)
    editor = GoEditor()
    links: ClassVar[Mapping[str, str]] = MappingProxyType({"Explore games": "/explore"})
    script = "predict/table.js"

    def __init__(self) -> None:
        super().__init__(Go)

    def picture(
        self,
        view: GoState,
        last: Sequence[Move] = (),
        *,
        signs: tuple[str, str] = ("", ""),
        marks: Collection[str] | None = None,
        whole: GoState | None = None,
    ) -> Picture:
        """Return the picture of a position; marks are the stones marked as dead. Raise BadText for other marks."""
        return painter.picture(view, last, marks)

    def steps(self, view: GoState, move: Move) -> tuple[str, ...]:
        """Return the point of a move; a pass has none."""
        return () if move == view.game.pass_move else super().steps(view, move)

    def overlay(self, view: GoState) -> Overlay:
        """Return the facts about a position: stones, prisoners, scoring, ko and atari."""
        return Overlay(facts=tuple(facts(view)))

    def notes(self, view: GoState, marks: Collection[str] | None = None) -> tuple[str, str]:
        """Return the prisoners of each player and the komi; once the game is over, only the komi."""
        komi = f"komi {view.game.komi:g}"
        if view.is_over():
            return "", komi
        return prisoners_text(view, 0), f"{prisoners_text(view, 1)}, {komi}"


def facts(state: GoState) -> Iterator[Fact]:
    """Yield stones and prisoners, the scoring, a ko, and the stones in atari."""
    game, board = state.game, state.board
    for player, name in enumerate(game.players):
        stones = board.points.count(1 + player)
        yield Fact(name, f"{stones} {'stone' if stones == 1 else 'stones'}, {prisoners_text(state, player)}")
    yield Fact("Counted", f"{_COUNTED[game.scoring]}, komi {game.komi:g}")
    if state.ko != NO_KO:
        yield Fact("Ko", f"{game.players[state.to_move]} may not play {game.move_text(state.ko)} now")
    for player, name in enumerate(game.players):
        chains = {chain for point, chain in board.chains().items() if board.points[point] == 1 + player}
        pressed = sorted(min(chain.liberties) for chain in chains if len(chain.liberties) == 1)
        if pressed:
            points = ", ".join(game.move_text(point) for point in dict.fromkeys(pressed))
            yield Fact("Atari", f"{name} can be captured at {points}")


def prisoners_text(state: GoState, player: int) -> str:
    """Return the number of a player's prisoners, such as "2 prisoners"."""
    taken = state.prisoners[player]
    return f"{taken} {'prisoner' if taken == 1 else 'prisoners'}"
