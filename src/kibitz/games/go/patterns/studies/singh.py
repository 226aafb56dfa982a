"""The steps of Singh's report of 2013 done again, as it did them and as they should be, with the numbers side by side.

The report: "Predicting the Next Move: Pattern Generation in the Game of Go",
VIT University, May 2013. It had over 36,000 games, and scripts of 10 to 20 minutes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kibitz.games.go.patterns.kernels.openings import NONE as NO_MOVE
from kibitz.games.go.patterns.kernels.openings import First, first_moves
from kibitz.games.go.patterns.kernels.windows import NONE, Seen
from kibitz.games.go.patterns.mining.mined import Gathered, Kind
from kibitz.games.go.patterns.mining.windows import bounds, final
from kibitz.games.go.patterns.openings.fuseki import board_images, fuseki
from kibitz.games.go.patterns.openings.joseki import joseki
from kibitz.games.go.patterns.shapes import FORMS, parse_shape
from kibitz.games.go.patterns.tallies import Tally
from kibitz.games.go.patterns.templates import templates
from kibitz.games.go.records.store import Store
from kibitz.games.go.rules.board import WHITE
from kibitz.games.go.sgf.record import POINT_BITS

SIZE = 19
BATCH = 2000
PRINTED_TEMPLATES = 11_512
"""Templates of 3x3 with one don't-care point that the report counts."""
PRINTED_PATTERN = 2409
"""The number of a 3x3 pattern in the report, so there were more than that."""
WHOLE = {"3x3": 1444, "diamond2": 103_162, "5x5": 52_959_273_304}
"""Windows under all 16 forms, by Burnside's count."""
MOST_TEMPLATES = 3906
SAMPLE = 10_000
"""Games whose 5x5 windows are counted: nearly all of these are different, so more games say nothing new."""


@dataclass
class Step:
    """One step with its numbers: as the report did it, and as it should be."""

    name: str
    reported: int
    right: int
    note: str
    seconds: float = 0.0


@dataclass
class Replayed:
    """The report done again."""

    games: int
    steps: list[Step] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        steps = [vars(step) for step in self.steps]
        return {"games": self.games, "steps": steps, "defects": self.defects, "seconds": self.seconds}


def replay_report(store: Store) -> Replayed:
    """Do all steps of the report on the games of 19 lines of a store, in both ways."""
    began = time.perf_counter()
    which = np.flatnonzero(store.column("sizes") == SIZE)
    found = Replayed(len(which))
    changed = _boards(store, which, found)
    for shape in ("3x3", "diamond2"):
        _windows(store, which, shape, found)
    _windows(store, which[:SAMPLE], "5x5", found)
    _fuseki(store, which, found)
    _name_defects(found, changed)
    found.seconds = time.perf_counter() - began
    return found


def _boards(store: Store, which: Any, found: Replayed) -> int:
    """Compare the boards at the end with and without captures; return how many games differ."""
    began = time.perf_counter()
    games, stones, points = 0, 0, 0
    for start in range(0, len(which), BATCH):
        some = which[start : start + BATCH]
        right = final(store, some, "3x3", SIZE, forms=0)
        wrong = final(store, some, "3x3", SIZE, forms=0, captures=False)
        centre = (right >> 8 & 3) * (right != NONE)
        left = (wrong >> 8 & 3) * (wrong != NONE)
        differs = centre != left
        games += int(differs.any(axis=1).sum())
        points += int(differs.sum())
        stones += int((centre > 0).sum())
    note = f"{points:,} points wrong in {games:,} boards, {stones:,} stones in all"
    found.steps.append(Step("boards at the end that are right", len(which) - games, len(which), note, _since(began)))
    return games


def _since(began: float) -> float:
    return round(time.perf_counter() - began, 3)


def _windows(store: Store, which: Any, shape: str, found: Replayed) -> None:
    """Count windows over the boards at the end: with 12 forms, no captures and no last row; and rightly."""
    began = time.perf_counter()
    reach = parse_shape(shape).radius
    reported, right, twelve = Tally(False), Tally(False), Tally(False)
    windows = [0, 0]
    rows, cols = np.divmod(np.arange(SIZE * SIZE), SIZE)
    looked_at = (rows < SIZE - reach - 1) & (cols < SIZE - reach - 1)
    years = store.column("years")
    for start in range(0, len(which), BATCH):
        some = which[start : start + BATCH]
        keys = final(store, some, shape, SIZE, forms=12, edges=False, captures=False)
        keys[:, ~looked_at] = NONE
        flat = keys[keys != NONE]
        reported.add_as_reported(parse_shape(shape), SIZE, flat, _nothing(len(flat)), years)
        windows[0] += len(flat)
        keys = final(store, some, shape, SIZE, edges=False)
        flat = keys[keys != NONE]
        right.add(flat, _nothing(len(flat)), years)
        windows[1] += len(flat)
        keys = final(store, some, shape, SIZE, forms=12, edges=False)
        flat = keys[keys != NONE]
        twelve.add_as_reported(parse_shape(shape), SIZE, flat, _nothing(len(flat)), years)
    found.steps.append(
        Step(f"{shape} windows with a stone", windows[0], windows[1], "the last row and column are skipped", 0.0)
    )
    side = SIZE - 2 * reach
    note = f"{WHOLE[shape]:,} are possible, the empty one included; {side - 1} x {side - 1} places, not {side} x {side}"
    if len(which) < found.games:
        note += f"; of the first {len(which):,} games"
    found.steps.append(Step(f"{shape} patterns", len(reported), len(right), note, _since(began)))
    note = "all windows of right boards, only the forms are the report's"
    found.steps.append(Step(f"{shape} patterns by 12 forms alone", len(twelve), len(right), note, 0.0))
    if shape == "3x3":
        began = time.perf_counter()
        listed = reported_templates(reported)
        true = templates(Kind("final", shape, 16), Gathered(right))
        note = f"at most {MOST_TEMPLATES:,} are different; the report counts {PRINTED_TEMPLATES:,}"
        found.steps.append(Step("3x3 templates", listed, len(true), note, _since(began)))
    elif shape == "diamond2":
        _k_bits(reported, right, found)


def _nothing(n: int) -> Seen:
    return Seen(np.zeros(n, np.int32), np.zeros(n, np.int32), np.full(n, -1, np.int8), np.zeros(n, np.uint8))


def _k_bits(reported: Tally, right: Tally, found: Replayed) -> None:
    """Say how many diamonds are seen eight times or more, the least count that the report prints."""
    least = [int((tally.counts[:, 0] >= 8).sum()) for tally in (reported, right)]
    found.steps.append(
        Step("diamond2 patterns seen 8 times or more", least[0], least[1], "what its appendix lists, with K bits", 0.0)
    )


def reported_templates(tally: Tally) -> int:
    """Return how many templates the report's way finds: a ? for each point of a pattern whose fillings are all known.

    It compares a template with those found before in rotations and two
    reflections only: its colour flip makes an empty point of ?, so no flipped
    template is ever found again.
    """
    shape = parse_shape("3x3")
    patterns = [int(key) for key in tally.keys]
    known = {form for key in patterns for form in shape.forms(key, 12)}
    found: set[tuple[int, int]] = set()
    for key in patterns:
        for place in range(9):
            blank = key & ~(3 << 2 * place)
            if all(blank | code << 2 * place in known for code in range(3)):
                forms = zip(shape.forms(blank, 12)[:6], shape.forms(1 << 2 * place, 12)[:6], strict=True)
                if not any(form in found for form in forms):
                    found.add((blank, 1 << 2 * place))
    return len(found)


def _fuseki(store: Store, which: Any, found: Replayed) -> None:
    """Count the openings of ten moves that were played more than once: as they lie, by order, by state; and joseki."""
    began = time.perf_counter()
    lines = _openings_as_they_lie(store, which)
    order, state = (fuseki(store, which, 10, by) for by in ("order", "state"))
    most = order[0].count if order else 0
    note = f"the most frequent one {most:,} times, by state {state[0].count if state else 0:,} times"
    found.steps.append(Step("fuseki of 10 moves played twice or more", len(lines), len(order), note, _since(began)))
    note = "the report looks only at openings that were played twice in the same order"
    found.steps.append(Step("fuseki regardless of order", _states_as_reported(lines), len(state), note, 0.0))
    began = time.perf_counter()
    tree = joseki(store, which).tree
    depth = int(tree.depth.max())
    note = f"the report names joseki but counts none; nodes of a tree up to {depth} moves, played 5 times or more"
    found.steps.append(Step("joseki", 0, len(tree) - 1, note, _since(began)))


def _openings_as_they_lie(store: Store, which: Any) -> Any:
    """Return [line, move] the sequences of ten moves that were played twice or more, in whatever orientation."""
    starts, ends = bounds(store, which)
    moves = np.zeros((len(which), 10), np.int16)
    first_moves(First(moves), store.column("changes"), starts, ends)
    moves = np.ascontiguousarray(moves[moves[:, -1] != NO_MOVE])
    rows, counts = np.unique(moves.view(np.dtype((np.void, 20))).reshape(-1), return_counts=True)
    return np.ascontiguousarray(rows[counts >= 2]).view(np.int16).reshape(-1, 10)


def _states_as_reported(lines: Any) -> int:
    """Return how many boards of such sequences, captures left on, are not one of the 12 forms of an earlier one."""
    images, codes = board_images(SIZE)[list(FORMS[12][0])], np.arange(3 << POINT_BITS)
    swapped = np.where(codes >> POINT_BITS == WHITE, codes - (1 << POINT_BITS), codes + (1 << POINT_BITS))
    known: set[bytes] = set()
    for line in lines:
        turned = [np.sort(image[line]) for image in images]
        forms = [form.tobytes() for form in turned] + [np.sort(swapped[form]).tobytes() for form in turned]
        if not any(form in known for form in forms):
            known.add(forms[0])
    return len(known)


def _name_defects(found: Replayed, changed: int) -> None:
    """Say in words and numbers what was wrong."""
    by_name = {step.name: step for step in found.steps}
    boards, small = by_name["boards at the end that are right"], by_name["3x3 patterns by 12 forms alone"]
    large = by_name["diamond2 patterns by 12 forms alone"]
    lost, cards = by_name["3x3 windows with a stone"], by_name["3x3 templates"]
    lines, states = by_name["fuseki of 10 moves played twice or more"], by_name["fuseki regardless of order"]
    found.defects = [
        f"Captured stones stay on the board: {changed:,} of {found.games:,} boards are wrong ({boards.note}).",
        f"Windows of the last row and column are skipped: {lost.reported:,} windows of 3x3 instead of {lost.right:,}.",
        f"12 forms leave out the reflections in a diagonal: {small.reported:,} patterns of 3x3 instead of "
        f"{small.right:,}, {large.reported:,} diamonds instead of {large.right:,}; the report prints number "
        f"{PRINTED_PATTERN:,} of 3x3, but no more than 1,444 are possible.",
        "12 forms are no group, so what counts as one pattern depends on which was seen first.",
        f"Templates are compared in 6 forms, because flipping colours makes an empty point of ?: {cards.reported:,} "
        f"instead of {cards.right:,}; the report has {PRINTED_TEMPLATES:,}, but at most {MOST_TEMPLATES:,} differ.",
        f"Fuseki that differ only in orientation are counted apart: {lines.reported:,} lines, {lines.right:,} once "
        "symmetry is taken out, because more are then played twice.",
        "Board states are worked out from openings that were played twice in the same order: "
        f"{states.reported:,} instead of {states.right:,}.",
    ]
