"""Go on the web page: its options, facts about a position, notes at the seats, overlays and the position editor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from math import sqrt
from types import MappingProxyType
from typing import ClassVar

from kibitz.core.defaults.page import Editor, OptionHelp, PlainPage, Tool
from kibitz.core.errors import BadText
from kibitz.core.game import Move
from kibitz.games.go.page import picture as painter
from kibitz.games.go.rules import BLACK, EMPTY, MAX_BOARD_SIZE, NO_KO, WHITE, Go, GoState, Point
from kibitz.picture import Circle, Fact, Group, LegendEntry, Overlay, Picture, Rect, Shape, Text

_COVER = "4O4/1OO1XO3/2XXXO1O1/3X1XOO1/2X1X1XO1/1OXOOXXXO/2OO1OOX1/5XX2/9 X - 0 0:0 40"
_COUNTED = {"area": "stones and territory", "territory": "territory and prisoners"}
_CODES = {"black": BLACK, "white": WHITE, "nothing": EMPTY}
MAX_LABELLED_POINTS = 5
MIN_LABELLED_SHARE = 0.01
"""Label at most this many points with their probability, and only those with at least this probability."""
MIN_OWNERSHIP = 0.2  # draw nothing on points whose owner is less certain than this (0 to 1)
MIN_SQUARE_WIDTH, MAX_SQUARE_WIDTH = 0.2, 0.54  # of the squares that show expected ownership, in line spacings


class GoEditor(Editor[Go]):
    """Edits positions, even impossible ones. Each change drops ko, passes and past boards, but keeps prisoners."""

    def tools(self, game: Go) -> Sequence[Tool]:
        """Return the tools Black, White and Nothing; Nothing clears a point."""
        stones = [Tool(name, name.title(), painter.tool_drawing(_CODES[name])) for name in ("black", "white")]
        return (*stones, Tool("nothing", "Nothing"))

    def chosen(self, game: Go, text: str) -> Mapping[str, str]:
        """Return the settings of a position: the player to move. Raise BadText if the text is malformed."""
        return {"to_move": str(self._draft(game, text).to_move)}

    def press(self, game: Go, text: str, tool: str, place: str) -> str:
        """Return the position with a stone added, or removed if present. Raise BadText for a bad tool or point."""
        if tool not in _CODES:
            raise BadText(f"Unknown tool {tool[:40]!r}: use {', '.join(_CODES)}.")
        point = game.parse_move(place)
        if point == game.pass_move:
            raise BadText(f"{place[:40]!r} is a pass: place the stone on a point.")
        draft, code = self._draft(game, text), _CODES[tool]
        code = EMPTY if draft.board.points[point] == code else code
        return game.position_text(replace(draft, board=draft.board.with_stones((point,), code)))

    def choose(self, game: Go, text: str, setting: str, value: str) -> str:
        """Return the position with this player to move. Raise BadText if the setting or value is unknown."""
        if setting != "to_move":
            raise BadText(f"Unknown setting {setting[:40]!r}: use to_move.")
        if value not in ("0", "1"):
            raise BadText(f"The player to move cannot be {value[:40]!r}: use 0 or 1.")
        return game.position_text(replace(self._draft(game, text), to_move=int(value)))

    def picture(self, game: Go, text: str) -> Picture:
        """Return the picture of a draft, where every point can be pressed. Raise BadText if the text is malformed."""
        return painter.draft(game, self._draft(game, text).board)

    def _draft(self, game: Go, text: str) -> GoState:
        """Parse a position, dropping ko, passes and past boards. Raise BadText if it is malformed."""
        state = game.parse_draft(text) if text.strip() else game.start()
        return replace(state, ko=NO_KO, passes=0, turn=0, first=b"", history=())


class GoPage(PlainPage[GoState, GoState, Go]):
    """Go as the web page shows it."""

    style = files(__package__) / "board.css"
    art = files(__package__) / "board.svg"
    blurb = "Black and White put stones on the points in turn. Surround stones to capture them, and more points to win."
    options: ClassVar[Mapping[str, OptionHelp]] = MappingProxyType(
        {
            "size": OptionHelp("Size", "Lines each way.", minimum=1, maximum=MAX_BOARD_SIZE),
            "komi": OptionHelp("Komi", "Points for White for moving second.", minimum=-100, maximum=100, step=0.5),
            "handicap": OptionHelp(
                "Handicap", "Black stones at the start; then White moves first.", minimum=0, maximum=9
            ),
            "ko": OptionHelp(
                "Ko rule",
                "simple: a ko may not be retaken at once. positional: no board may be repeated.",
                labels={"simple": "Simple ko", "positional": "Superko"},
            ),
            "scoring": OptionHelp(
                "Counting",
                "area: stones and surrounded points. territory: surrounded points and prisoners.",
                labels={"area": "Area", "territory": "Territory"},
            ),
            "suicide": OptionHelp("Suicide", "Whether players may play stones without liberties, which are removed."),
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
        """Return the picture of a position; `marks` are the dead stones. Raise BadText if a mark is not on a stone."""
        return painter.picture(view, last, marks)

    def steps(self, view: GoState, move: Move) -> tuple[str, ...]:
        """Return the keys of the places of a move: its point, or none for a pass."""
        return () if move == view.game.pass_move else super().steps(view, move)

    def overlay(self, view: GoState) -> Overlay:
        """Return an overlay that lists facts about a position: stones, prisoners, scoring, ko and atari."""
        return Overlay(facts=tuple(position_facts(view)))

    def owners_overlay(self, view: GoState, owners: Sequence[float]) -> Overlay:
        """Return an overlay of the expected owners of points, as squares: the larger, the more certain."""
        sign = 1 if view.to_move == 0 else -1
        return ownership_overlay(view, [sign * owner for owner in owners])

    def notes(self, view: GoState, marks: Collection[str] | None = None) -> tuple[str, str]:
        """Return a note for each seat: prisoners, and White's komi; once the game is over, only the komi."""
        komi = f"komi {view.game.komi:g}"
        if view.is_over():
            return "", komi
        return prisoners_text(view, 0), f"{prisoners_text(view, 1)}, {komi}"


def position_facts(state: GoState) -> Iterator[Fact]:
    """Yield the facts shown beside the board: stones and prisoners, scoring, a ko point, and chains in atari."""
    game, board = state.game, state.board
    for player, name in enumerate(game.players):
        stones = board.points.count(1 + player)
        yield Fact(name, f"{stones} {'stone' if stones == 1 else 'stones'}, {prisoners_text(state, player)}")
    yield Fact("Counted", f"{_COUNTED[game.scoring]}, komi {game.komi:g}")
    if state.ko != NO_KO:
        yield Fact("Ko", f"{game.players[state.to_move]} may not play {game.move_text(state.ko)} now")
    for player, name in enumerate(game.players):
        chains = {chain for point, chain in board.chains().items() if board.points[point] == 1 + player}
        atari_points = sorted(min(chain.liberties) for chain in chains if len(chain.liberties) == 1)
        if atari_points:
            points = ", ".join(game.move_text(point) for point in dict.fromkeys(atari_points))
            yield Fact("Atari", f"{name} can be captured at {points}")


def prisoners_text(state: GoState, player: int) -> str:
    """Return a player's prisoners as text, such as "2 prisoners"."""
    taken = state.prisoners[player]
    return f"{taken} {'prisoner' if taken == 1 else 'prisoners'}"


# Overlays of a model's predictions


def heat_overlay(size: int, shares: Sequence[tuple[Point, float]], chosen: Collection[Point] = ()) -> Overlay:
    """Return an overlay of the probability of each next move: percentages on the likeliest points, discs elsewhere.

    shares: points with their probabilities, in any order. chosen: points to frame, because they are being explained.
    """
    ranked, plan = sorted(shares, key=lambda each: -each[1]), painter.layout(size)
    highest = ranked[0][1] if ranked else 1.0
    shapes: list[Shape] = []
    for rank, (point, share) in enumerate(ranked):
        if rank < MAX_LABELLED_POINTS and share >= MIN_LABELLED_SHARE:
            label = _percentage(f"{100 * share:.0f}", "best" if rank == 0 else "good", plan.spacing)
            shapes.append(Group("", "", *plan.at(point), label))
        else:
            strength = sqrt(share / highest) if highest > 0 else 0.0
            shapes.append(Circle("", "likely", *plan.at(point), (0.1 + 0.28 * strength) * plan.spacing))
    shapes += [plan.square("", "chosen", point, 0.96, 0.2 * plan.spacing) for point in chosen]
    return Overlay(over=tuple(shapes), legend=_HEAT_LEGEND if ranked else ())


def _percentage(text: str, style: str, spacing: float) -> tuple[Shape, ...]:
    """Return a number on a square with rounded corners, which cannot be mistaken for a stone."""
    half = 0.42 * spacing
    square = Rect("", f"likely {style}", -half, -half, 2 * half, 2 * half, 0.16 * spacing)
    return square, Text("", "likely-text", 0, 0, text, 0.5 * spacing)


_HEAT_LEGEND = (
    LegendEntry(_percentage("42", "best", 26), "The most likely moves, in percent"),
    LegendEntry((Circle("", "likely", 0, 0, 7),), "A possible move, the larger the more likely"),
)
_OWNERSHIP_LEGEND = tuple(
    LegendEntry((Rect("", f"owner expected {colour}", -6, -6, 12, 12, 1.5),), words)
    for colour, words in (
        ("black", "Expected to be Black's, the larger the more certain"),
        ("white", "Expected to be White's"),
    )
)


def ownership_overlay(state: GoState, shares: Sequence[float], marks: Collection[str] = ()) -> Overlay:
    """Return an overlay of the expected owners of points, as squares: the larger, the more certain.

    shares: for each point from 1 (certainly Black's) to -1 (certainly White's). No square is drawn on a stone of the
    expected owner, nor where the picture of a finished game, scored with these marks, already shows the owner.
    """
    counted = state.score([state.game.parse_move(mark) for mark in marks]).owners if state.is_over() else b""
    shapes: list[Shape] = []
    for point, share in enumerate(shares):
        colour = BLACK if share > 0 else WHITE
        if abs(share) < MIN_OWNERSHIP or state.board.points[point] == colour or (counted and counted[point] != EMPTY):
            continue
        certainty = (min(abs(share), 1.0) - MIN_OWNERSHIP) / (1 - MIN_OWNERSHIP)
        width = MIN_SQUARE_WIDTH + certainty * (MAX_SQUARE_WIDTH - MIN_SQUARE_WIDTH)
        style = f"owner expected {painter.COLOURS[colour]}"
        shapes.append(painter.layout(state.game.size).square("", style, point, width, 1.5))
    return Overlay(over=tuple(shapes), legend=_OWNERSHIP_LEGEND)
