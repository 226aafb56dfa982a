"""The overlay of a Dots-and-Boxes position, found without a search: chains, loops, joints, loony and safe lines.

Marks of lines keep clear of the middle, where the value of a move is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kibitz.games.dots.page.coins import COIN_RADIUS, COINS_VIEW, Point, coins_layout
from kibitz.games.dots.page.grid import BOX, box_corner, line_from
from kibitz.games.dots.page.parts import relabel
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.rules.graph import Coin, Graph, String
from kibitz.games.dots.theory.runs import Run, loony_lines
from kibitz.games.dots.theory.structure import Structure, rule_words, structure_of
from kibitz.games.dots.words.insight import theory_words
from kibitz.picture import Circle, Fact, LegendEntry, Line, Overlay, Path, Rect, Shape, Text

RUN_COLOURS = 8  # number of colours for runs: the styles tone0 to tone7
MARK_SHARE = 0.2  # where along a line of the grid its mark is, from 0 to 1
MARK_DISTANCE = 27  # distance of a mark from its string: the value of a move fits between
CRESCENT_RADIUS = 9


@dataclass(frozen=True)
class MarkedStructure:
    """The structure of a position, and the boxes and lines to mark in it."""

    structure: Structure
    joints: tuple[Coin, ...]  # boxes in which runs meet
    loony: tuple[String, ...]
    safe: tuple[String, ...]  # lines that give no box away, once there is a run; before that nearly every line is safe

    @property
    def runs(self) -> Iterator[tuple[Run, str]]:
        """Each run with the style of its colour."""
        return ((run, f"tone{number % RUN_COLOURS}") for number, run in enumerate(self.structure.runs))


def overlay_of(state: DotsState) -> Overlay:
    """Return the overlay of a position: runs, joints, dead boxes, loony and safe lines, a legend, and the theory."""
    structure, graph = structure_of(state), state.game.board
    marked = MarkedStructure(
        structure,
        tuple(joint.box for joint in structure.joints if joint.runs),
        loony_lines(graph, state.drawn),
        structure.safe_lines if structure.runs else (),
    )
    coins = _coins_overlay(state, marked)
    facts, legend = facts_of(state, structure), _legend(state, marked)
    if not graph.is_grid:
        return Overlay(coins.under, coins.over, facts, legend)
    marks = _line_marks(marked, lambda line: _line_point(graph, line, MARK_SHARE))
    return Overlay(_grid_shapes(graph, marked), marks, facts, legend, {COINS_VIEW: coins})


def facts_of(state: DotsState, structure: Structure) -> tuple[Fact, ...]:
    """Return the phase, the long-chain rule and the theory in words. structure: that of the position."""
    nimbers, endgame, advice = theory_words(state)
    facts = (
        Fact("Phase", f"{structure.reason}."),
        Fact("Long chains", rule_words(state, structure)),
        Fact("Nimbers", nimbers),
        Fact("Controlled value", endgame),
        Fact("Advice", relabel(state.game, advice)),
    )
    return tuple(fact for fact in facts if fact.text)


def _grid_shapes(graph: Graph, marked: MarkedStructure) -> tuple[Shape, ...]:
    """Return the shapes under a grid: runs (tinted boxes, a thread through them, their length), joints, dead boxes."""
    shapes = list[Shape]()
    for run, tone in marked.runs:
        corners = [box_corner(graph, box) for box in run.boxes]
        tiles = "".join(f"M{x:g} {y:g}h{BOX}v{BOX}h-{BOX}z" for x, y in corners)
        shapes += [Path("", f"tile {tone}", 0, 0, tiles), Path("", "thread", 0, 0, _thread(graph, run))]
        x, y = _box_middle(graph, run.boxes[len(run.boxes) // 2])
        shapes += [Circle("", tone, x, y, 17), Text("", "count", x, y + 1, str(run.length), 24)]
    shapes += [Circle("", "joint", *_box_middle(graph, box), 8) for box in marked.joints]
    for box in marked.structure.dead:
        x, y = box_corner(graph, box)
        shapes.append(Rect("", "dead", x + 12, y + 12, BOX - 24, BOX - 24, 6))
    return tuple(shapes)


def _thread(graph: Graph, run: Run) -> str:
    """Return the path through the boxes of a run, from the middle of its first line to that of its last."""
    points = [_box_middle(graph, box) for box in run.boxes]
    if run.ends:
        points = [_line_point(graph, run.strings[0], 0.5), *points, _line_point(graph, run.strings[-1], 0.5)]
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
    return path if run.ends else f"{path}z"


def _box_middle(graph: Graph, box: Coin) -> Point:
    x, y = box_corner(graph, box)
    return x + BOX / 2, y + BOX / 2


def _line_point(graph: Graph, line: String, share: float) -> Point:
    x, y, dx, dy = line_from(graph, line)
    return x + share * dx, y + share * dy


def _coins_overlay(state: DotsState, marked: MarkedStructure) -> Overlay:
    """Return the overlay of strings and coins: runs tinted, joints and coins that can be taken with rings."""
    layout = coins_layout(state.game.board)
    bands, discs = list[Shape](), list[Shape]()
    for run, tone in marked.runs:
        for segment in (layout.strings[string] for string in run.strings):
            share = 0.75 if segment.to_ground else 1  # so that the round end stays on the paper
            dx, dy = share * (segment.x2 - segment.x1), share * (segment.y2 - segment.y1)
            bands.append(Line("", f"way {tone}", segment.x1, segment.y1, round(dx, 1), round(dy, 1)))
        discs += [Circle("", tone, *layout.coins[coin], COIN_RADIUS + 14) for coin in run.boxes]
    rings = [Circle("", "joint-ring", *layout.coins[coin], COIN_RADIUS + 8) for coin in marked.joints]
    rings += [Circle("", "dead", *layout.coins[coin], COIN_RADIUS + 9) for coin in marked.structure.dead]
    marks = _line_marks(marked, lambda string: layout.strings[string].beside(MARK_DISTANCE))
    return Overlay((*bands, *discs, *rings), marks)


def _line_marks(marked: MarkedStructure, mark_place: Callable[[String], Point]) -> tuple[Shape, ...]:
    """Return a dot for each safe line and a crescent for each loony one, at mark_place(line)."""
    safe = (Circle("", "safe", *mark_place(line), 6) for line in marked.safe)
    return (*safe, *(_crescent(*mark_place(line)) for line in marked.loony))


def _crescent(x: float, y: float) -> Shape:
    """Return a crescent moon, the mark of a loony line."""
    r, inner = CRESCENT_RADIUS, 1.15 * CRESCENT_RADIUS
    return Path("", "loony", x, y, f"M{r / 2:g} {-r}a{r} {r} 0 1 0 0 {2 * r}a{inner:g} {inner:g} 0 0 1 0 {-2 * r}z")


def _legend(state: DotsState, marked: MarkedStructure) -> tuple[LegendEntry, ...]:
    """Return a legend entry for each run and each kind of mark that is shown."""
    game = state.game
    entries = [
        LegendEntry((Rect("", tone, -9, -9, 18, 18, 3),), f"{'long ' if run.long else ''}{run.name} of {run.length}")
        for run, tone in marked.runs
    ]
    joint = Circle("", "joint", 0, 0, 6) if game.board.is_grid else Circle("", "joint-ring", 0, 0, 8)
    marks: list[tuple[Sequence[int], Shape, str]] = [
        (marked.joints, joint, "joint"),
        (marked.structure.dead, Rect("", "dead", -9, -9, 18, 18, 3), f"{game.unit} that can be taken"),
        (marked.loony, _crescent(0, 0), f"loony {game.line_word}"),
        (marked.safe, Circle("", "safe", 0, 0, 6), f"safe {game.line_word}"),
    ]
    return (*entries, *(LegendEntry((mark,), words) for places, mark, words in marks if places))
