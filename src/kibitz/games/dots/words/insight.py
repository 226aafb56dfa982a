"""The structure and theory of a position, found without a search: as JSON, and drawn for a terminal.

On the board of a terminal each open box shows what it belongs to: c1 is a chain, s1 a string, O1 a
loop, P1 a possible loop, J1 a joint in which runs meet, C a C-box, x another dead box; a box
without a mark is a joint in which no run meets. The dual beside it shows the same position as
strings and coins, as Figures 2, 6 and 8 of Li, Li & Yuan (2012) do. A legend explains both.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from kibitz.core.game import Line, Role
from kibitz.core.untrusted import JsonObject
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.drawing import LINE_WIDTH, OWNER_ROLES, Span, grid_lines, player_who_drew
from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String
from kibitz.games.dots.theory import endgames, nimstring
from kibitz.games.dots.theory.advice import advise
from kibitz.games.dots.theory.runs import DeadTree, loony_lines
from kibitz.games.dots.theory.structure import Structure, rule_words, structure_json, structure_of

RUN_LETTERS = {"chain": "c", "string": "s", "loop": "O", "possible loop": "P"}
"""The letter for each kind of run, in the order of the lists."""
_COIN, _JOINT, _DEAD, _TAKEN = "○", "●", "◌", "·"
_HEADING_WIDTH = 10
_MAX_LISTED_LINES = 24  # more lines than this are only counted, not listed by number
_GAP_WIDTH = 4  # characters between the board and its dual


def analysis_json(state: DotsState) -> JsonObject:
    """Return the structure and the theory of a position as JSON."""
    return {"structure": structure_json(state), "theory": theory_json(state)}


def draw_analysis(state: DotsState, width: int = 80) -> tuple[Line, ...]:
    """Draw a position with its structure, its dual beside it, and a legend that includes the theory."""
    headings = ("Nimbers", "Endgame", "Advice")
    return draw_structure(state, width, list(zip(headings, theory_words(state), strict=True)))


def theory_json(state: DotsState) -> JsonObject:
    """Return the theory of a position as JSON: whether it is loony, nimbers, a simple endgame, and advice."""
    graph = state.game.board
    taken, advice = endgames.find_captures(graph, state.drawn), advise(state)
    return {
        "loony": taken.declinable > 0,
        "declinable": taken.declinable,
        "regions": [
            {
                "boxes": [graph.coins[coin] for coin in region.coins],
                "nimber": "loony" if region.nimber == nimstring.LOONY else region.nimber,
            }
            for region in nimstring.regions(graph, state.drawn)
        ],
        "endgame": _endgame_json(state, taken.drawn_after),
        "advice": advice
        and {
            "lines": [state.game.move_text(line) for line in advice.lines],
            "take": advice.take,
            "leave": advice.leave,
            "taking": advice.value_of_taking,
            "declining": advice.value_of_declining,
            "by": advice.source,
            "sentence": advice.sentence,
        },
    }


def _endgame_json(state: DotsState, drawn: int) -> JsonObject | None:
    """Return the endgame values of a position as JSON, None unless these drawn lines leave a simple endgame."""
    endgame = endgames.simple_endgame(state.game.board, drawn)
    if endgame is None or not any(endgame):
        return None
    long_ones = (
        tuple(n for n in endgame.chains if endgames.declinable_boxes("chain", n)),
        tuple(n for n in endgame.loops if endgames.declinable_boxes("loop", n)),
    )
    opening = endgames.best_opening(*endgame)
    return {
        "chains": list(endgame.chains),
        "loops": list(endgame.loops),
        "fully_controlled_value": endgames.fully_controlled_value(*long_ones),
        "terminal_bonus": endgames.terminal_bonus(*long_ones),
        "controlled_value": endgames.controlled_value(*long_ones),
        "value": opening.value,
        "open": f"{opening.kind} of {opening.length}",
    }


def theory_words(state: DotsState) -> tuple[str, str, str]:
    """Return the nimbers, the values of a simple endgame, and advice, each as a sentence or empty."""
    theory = theory_json(state)
    advice = theory["advice"]["sentence"] if theory["advice"] else ""
    return (
        _nimbers_words(state, theory["regions"]),
        _endgame_words(state, theory["endgame"]),
        f"{advice[0].upper()}{advice[1:]}." if advice else "",
    )


def _nimbers_words(state: DotsState, regions: list[JsonObject]) -> str:
    """Describe the nimbers of all regions and the total; empty if a region is too large to compute its nimber."""
    nimbers = [region["nimber"] for region in regions]
    if not nimbers or None in nimbers:
        return ""
    if "loony" in nimbers:
        return "Loony: the player to move can choose which player moves first in the rest."
    each = " + ".join(f"*{region['nimber']} ({state.game.counted(len(region['boxes']))})" for region in regions)
    whole = nimstring.nimber(state.game.board, state.drawn)
    winner = "the player to move" if whole else "the other player"
    return f"{each}{f' = *{whole}' if len(regions) > 1 else ''}: {winner} can win the fight for control."


def _endgame_words(state: DotsState, endgame: JsonObject | None) -> str:
    if endgame is None:
        return ""
    dead = len(endgames.find_captures(state.game.board, state.drawn).coins)
    taken = f"dead {state.game.unit} is" if dead == 1 else f"dead {state.game.units} are"
    start = f"When the {taken} taken: " if dead else ""
    return (
        f"{start}{endgame['controlled_value']} for the player in control ({endgame['fully_controlled_value']} fully "
        f"controlled + {endgame['terminal_bonus']} terminal bonus). The player to move opens the {endgame['open']} "
        f"and nets {endgame['value']:+d}."
    )


# For a terminal


def draw_structure(state: DotsState, width: int = 80, entries: Sequence[tuple[str, str]] = ()) -> tuple[Line, ...]:
    """Draw a position with its structure, at most `width` characters wide unless the board itself is wider.

    A graph other than a grid has no picture: its coins are listed above the legend.
    entries: (heading, words) pairs to add at the end of the legend.
    """
    graph, structure = state.game.board, structure_of(state)
    loony, names = loony_lines(graph, state.drawn), run_names(structure)
    if graph.is_grid:
        board, dual = _draw_grid(state, structure, loony, names), _draw_dual(state, structure)
        dual_column = _width(board) + _GAP_WIDTH
        pictures = [*board, (), *dual]
        if dual_column + _width(dual) <= width:
            pairs = zip(board, dual, strict=True)
            pictures = [(*row, (" " * (dual_column - _width([row])), ""), *coins) for row, coins in pairs]
    else:
        pictures = [*state.game.draw(state)]
    legend = [
        ("Phase", structure.reason),
        ("Chains", rule_words(state, structure)),
        ("Runs", "; ".join(_run_words(graph, structure, names, i) for i in range(len(names)))),
        ("Joints", _joints_words(state.game, structure, names)),
        ("Dead", _trees_words(structure.dead_trees)),
        ("Handouts", _handouts_words(graph, structure, names)),
        ("Safe", _lines_words(state.game, structure.safe_lines)),
        ("Loony", _lines_words(state.game, loony)),
    ]
    return (*pictures, (), *_legend_lines([*legend, *entries], width))


def run_names(structure: Structure) -> tuple[str, ...]:
    """Return the name of each run, a letter for its kind and a number: c1, c2, s1."""
    counts, names = Counter[str](), []
    for run in structure.runs:
        counts[run.name] += 1
        names.append(f"{RUN_LETTERS[run.name]}{counts[run.name]}")
    return tuple(names)


def _box_marks(structure: Structure, names: Sequence[str]) -> dict[Coin, str]:
    """Return the mark of each open box: its run, x if dead, C for a C-box, J1 for a joint where runs meet."""
    marks = {box: names[number] for number, run in enumerate(structure.runs) for box in run.boxes}
    marks |= dict.fromkeys(structure.dead, "x") | dict.fromkeys(structure.c_boxes, "C")
    meeting = [joint.box for joint in structure.joints if joint.runs]
    return marks | {box: f"J{number}" for number, box in enumerate(meeting, 1)}


def _draw_grid(
    state: DotsState, structure: Structure, loony: Sequence[String], names: Sequence[str]
) -> tuple[Line, ...]:
    marks, owners = _box_marks(structure, names), state.owners

    def line_span(string: String) -> Span:
        if state.drawn >> string & 1:
            return "", OWNER_ROLES[player_who_drew(string, state.drawn_by)]
        role: Role = "legal" if string in structure.safe_lines else "faint" if string in loony else ""
        return str(string), role

    def box_span(coin: Coin) -> Span:
        owner = owners[coin]
        if owner is not None:
            return (*state.game.players, _TAKEN)[owner][0], OWNER_ROLES[owner]
        return marks.get(coin, ""), "legal" if coin in structure.c_boxes else ""

    return grid_lines(state.game.board, state.drawn, line_span, box_span)


def _draw_dual(state: DotsState, structure: Structure) -> tuple[Line, ...]:
    """Draw the dual of a grid: its coins and uncut strings; strings to the ground end in the open."""
    graph, owners = state.game.board, state.owners
    joints, lines = {joint.box for joint in structure.joints}, list[Line]()

    def string_span(string: String, text: str) -> Span:
        return " " * len(text) if state.drawn >> string & 1 else text, ""

    def coin_span(box: Coin) -> Span:
        owner = owners[box]
        if owner is not None:
            return _TAKEN, OWNER_ROLES[owner]
        if box in joints:
            return _JOINT, ""
        return (_DEAD, "legal") if box in structure.dead else (_COIN, "")

    for row in range(graph.rows + 1):
        spans: list[Span] = [("   ", "")]
        for col in range(graph.cols):
            spans += [string_span(graph.horizontal(row, col), "│"), (" " * LINE_WIDTH, "")]
        lines.append(tuple(spans[:-1]))
        if row < graph.rows:
            spans = [string_span(graph.vertical(row, 0), "───")]
            for col in range(graph.cols):
                length = 3 if col == graph.cols - 1 else LINE_WIDTH
                spans += [coin_span(row * graph.cols + col), string_span(graph.vertical(row, col + 1), "─" * length)]
            lines.append(tuple(spans))
    return tuple(lines)


def _width(lines: Iterable[Line]) -> int:
    return max(sum(len(text) for text, _ in line) for line in lines)


def _legend_lines(entries: Iterable[tuple[str, str]], width: int) -> Iterable[Line]:
    """Yield the lines of a legend. entries: (heading, words) pairs; those without words are skipped."""
    for heading, words in entries:
        if words:
            for i, line in enumerate(textwrap.wrap(words, max(width - _HEADING_WIDTH, 20), break_on_hyphens=False)):
                yield (f"{heading if i == 0 else '':{_HEADING_WIDTH}}", "faint"), (line, "")


def _run_words(graph: Graph, structure: Structure, names: Sequence[str], number: int) -> str:
    """Describe a run: "s1 long string of 3 from J1 to the ground"."""
    run, marks = structure.runs[number], _box_marks(structure, names)
    long = "very long " if run.very_long else "long " if run.long else ""
    words = f"{names[number]} {long}{run.name} of {run.length}"
    if run.possible_loop:
        words += f" at {marks[run.ends[0]]}"
    elif run.kind == "string":
        first, second = sorted(run.ends, key=lambda end: end == GROUND)
        words += f" from {marks[first]} to {'the ground' if second == GROUND else marks[second]}"
    return words if graph.is_grid else f"{words} ({' '.join(graph.coins[box] for box in run.boxes)})"


def _joints_words(game: Dots, structure: Structure, names: Sequence[str]) -> str:
    """Describe what meets in each joint where runs meet, and count the other joints."""
    marks, words = _box_marks(structure, names), list[str]()
    for joint in structure.joints:
        if joint.runs:
            meeting = [names[run] for run in joint.runs] + [f"dead {game.units}"] * len(joint.trees)
            meeting += [marks.get(box, f"an open {game.unit}") for box in joint.joints]
            meeting += ["the ground"] * len(joint.grounds)
            times = {1: "", 2: " twice"}
            counted = [f"{thing}{times.get(n, f' {n} times')}" for thing, n in Counter(meeting).items()]
            words.append(f"{marks[joint.box]} {', '.join(counted)}")
    without_runs = len(structure.joints) - len(words)
    if without_runs:
        words.append(f"{without_runs} in which no run meets" if words else f"{without_runs}, and no run meets in any")
    return "; ".join(words)


def _trees_words(trees: Iterable[DeadTree]) -> str:
    """Describe the dead trees by size and shape, counting equal ones together."""
    words = []
    counts = Counter((len(tree.boxes), tree.half_open, tree.double_deal) for tree in trees)
    for (size, half_open, double_deal), n in counts.items():
        shape = "half-open tree" if half_open else "2C-shape" if size == 2 else "closed tree"
        shape += ("" if n == 1 else "s") + ("" if shape == "2C-shape" else f" of {size}")
        words.append(f"{n} {shape}{' (double-deal possible)' if double_deal else ''}")
    return "; ".join(words)


def _handouts_words(graph: Graph, structure: Structure, names: Sequence[str]) -> str:
    """Describe how each run of 1 or 2 boxes can be given away."""
    words = []
    for run, name in zip(structure.runs, names, strict=True):
        if run.counts_as != "loop" and run.length <= 2:
            ids = [graph.ids[string] for string in run.strings]
            if run.length == 1:
                words.append(f"{name} by {ids[0]} or {ids[1]}")
            else:
                words.append(f"{name} hard-hearted by {ids[1]}, half-hearted by {ids[0]} or {ids[2]}")
    return "; ".join(words)


def _lines_words(game: Dots, strings: Sequence[String]) -> str:
    if not strings:
        return ""
    number = f"1 {game.line_word}" if len(strings) == 1 else f"{len(strings)} {game.line_word}s"
    return number if len(strings) > _MAX_LISTED_LINES else f"{number}: {', '.join(map(game.move_text, strings))}"
