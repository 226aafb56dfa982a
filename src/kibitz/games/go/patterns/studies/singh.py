"""Repeat the steps of Singh's report of 2013, as it did them and correctly, and compare the numbers.

The report: "Predicting the Next Move: Pattern Generation in the Game of Go",
VIT University, May 2013. It had over 36,000 games, and its scripts ran for 10 to 20 minutes.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field

import numpy as np

from kibitz.compiled.arrays import Int16Array, Int64Array
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.patterns.mining.mined import Kind
from kibitz.games.go.patterns.openings import board_images, find_fuseki, find_joseki, openings_as_played, pack_rows
from kibitz.games.go.patterns.shapes import FORMS, parse_shape
from kibitz.games.go.patterns.tallies import COUNT, Sightings, Tally
from kibitz.games.go.patterns.templates import find_templates
from kibitz.games.go.patterns.windows import NO_WINDOW, final_windows
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules.board import WHITE
from kibitz.games.go.sgf.record import POINT_BITS

BOARD_SIZE = 19
GAMES_PER_BATCH = 2000
PRINTED_TEMPLATES = 11_512  # 3x3 templates with one don't-care point, according to the report
PRINTED_PATTERN = 2409  # the number of a 3x3 pattern printed in the report, which found at least that many
POSSIBLE_WINDOWS = {"3x3": 1444, "diamond2": 103_162, "5x5": 52_959_273_304}
"""Possible windows, counting all 16 forms as one (by Burnside's lemma)."""
MAX_TEMPLATES = 3906  # different templates of 3x3 with one don't-care point
LARGE_WINDOW_GAMES = 10_000
"""Games whose 5x5 windows are counted: most patterns are seen only once, and more games would mainly add such ones."""


@dataclass
class ReportStep:
    """One step with its numbers: as the report did it, and done correctly."""

    name: str
    reported: int
    right: int
    note: str
    seconds: float = 0.0


@dataclass
class ReportReplay:
    """The results of repeating the report."""

    games: int
    steps: list[ReportStep] = field(default_factory=list)
    defects: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, name: str, reported: int, right: int, note: str, began: float | None = None) -> None:
        """Add a step, timed from `began` if given."""
        seconds = 0.0 if began is None else round(time.perf_counter() - began, 3)
        self.steps.append(ReportStep(name, reported, right, note, seconds))

    def json(self) -> JsonObject:
        """Return the results as a JSON object."""
        return asdict(self)


def replay_report(store: GameStore) -> ReportReplay:
    """Repeat all steps of the report on the 19x19 games of a store, both its way and correctly."""
    began = time.perf_counter()
    games = np.flatnonzero(store.column("sizes") == BOARD_SIZE)
    found = ReportReplay(len(games))
    changed = _compare_boards(store, games, found)
    for shape in ("3x3", "diamond2"):
        _count_windows(store, games, shape, found)
    _count_windows(store, games[:LARGE_WINDOW_GAMES], "5x5", found)
    _count_openings(store, games, found)
    found.defects = _defects(found, changed)
    found.seconds = time.perf_counter() - began
    return found


def _batches(games: Int64Array) -> list[Int64Array]:
    return [games[start : start + GAMES_PER_BATCH] for start in range(0, len(games), GAMES_PER_BATCH)]


def _compare_boards(store: GameStore, games: Int64Array, found: ReportReplay) -> int:
    """Compare the final boards with and without captures; return the number of games where they differ."""
    began = time.perf_counter()
    changed, stones, points = 0, 0, 0
    for batch in _batches(games):
        right, wrong = (
            final_windows(store, batch, "3x3", BOARD_SIZE, canonical=False, captures=captures)
            for captures in (True, False)
        )
        centres, wrong_centres = ((keys >> 8 & 3) * (keys != NO_WINDOW) for keys in (right, wrong))
        differs = centres != wrong_centres
        changed += int(differs.any(axis=1).sum())
        points += int(differs.sum())
        stones += int((centres > 0).sum())
    note = f"{points:,} wrong points on {changed:,} boards; {stones:,} stones in total"
    found.add("correct final boards", len(games) - changed, len(games), note, began)
    return changed


def _count_windows(store: GameStore, games: Int64Array, shape: str, found: ReportReplay) -> None:
    """Count windows of final boards, as the report did (12 forms, no captures, no last row) and correctly."""
    began = time.perf_counter()
    radius = parse_shape(shape).radius
    rows, cols = np.divmod(np.arange(BOARD_SIZE * BOARD_SIZE), BOARD_SIZE)
    visited = (rows < BOARD_SIZE - radius - 1) & (cols < BOARD_SIZE - radius - 1)
    years = store.column("years")
    reported, right, twelve = Tally(False), Tally(False), Tally(False)
    windows = {reported: 0, right: 0, twelve: 0}
    for batch in _batches(games):
        for tally, captures, places in ((reported, False, visited), (right, True, ...), (twelve, True, ...)):
            canonical = tally is right
            keys = final_windows(store, batch, shape, BOARD_SIZE, canonical, edges=False, captures=captures)[:, places]
            flat = keys[keys != NO_WINDOW]
            forms = None if canonical else (parse_shape(shape), BOARD_SIZE)
            tally.add(flat, Sightings.blank(len(flat)), years, forms)
            windows[tally] += len(flat)
    found.add(f"{shape} windows with a stone", windows[reported], windows[right], "the last row and column are skipped")
    side = BOARD_SIZE - 2 * radius
    note = f"{POSSIBLE_WINDOWS[shape]:,} are possible, including the empty one; "
    note += f"{side - 1} x {side - 1} places, not {side} x {side}"
    if len(games) < found.games:
        note += f"; of the first {len(games):,} games"
    found.add(f"{shape} patterns", len(reported), len(right), note, began)
    note = "all windows of correct boards; only the forms are the report's"
    found.add(f"{shape} patterns by 12 forms alone", len(twelve), len(right), note)
    if shape == "3x3":
        began = time.perf_counter()
        listed, correct = reported_templates(reported), find_templates(Kind("final", shape, 16), right)
        note = f"at most {MAX_TEMPLATES:,} are different; the report counts {PRINTED_TEMPLATES:,}"
        found.add("3x3 templates", listed, len(correct), note, began)
    elif shape == "diamond2":
        often, right_often = (int((tally.counts[:, COUNT] >= 8).sum()) for tally in (reported, right))
        found.add("diamond2 patterns seen 8 times or more", often, right_often, "listed in its appendix, with K bits")


def reported_templates(tally: Tally) -> int:
    """Return the number of templates as the report counts them: a point becomes ? if all three fillings were seen.

    The report recognises duplicate templates only under rotations and two reflections. Its colour flip turns ? into an
    empty point, so a colour-flipped template never matches an earlier one.
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


def _count_openings(store: GameStore, games: Int64Array, found: ReportReplay) -> None:
    """Count joseki, and ten-move openings played more than once: as the report does, by move order, and by board."""
    began = time.perf_counter()
    rows, counts = np.unique(pack_rows(openings_as_played(store, games, 10)[1]), return_counts=True)
    lines = np.ascontiguousarray(rows[counts >= 2]).view(np.int16).reshape(-1, 10)  # in any orientation
    order, state = (find_fuseki(store, games, 10, by) for by in ("order", "state"))
    most, most_state = (openings[0].count if openings else 0 for openings in (order, state))
    note = f"the most frequent one was played {most:,} times, by state {most_state:,} times"
    found.add("fuseki of 10 moves played twice or more", len(lines), len(order), note, began)
    note = "the report only considers openings played twice in the same order"
    found.add("fuseki regardless of order", _states_as_reported(lines), len(state), note)
    began = time.perf_counter()
    tree = find_joseki(store, games).tree
    note = "the report mentions joseki but counts none; "
    note += f"nodes of a tree up to {tree.depth.max()} moves, played 5 times or more"
    found.add("joseki", 0, len(tree) - 1, note, began)


def _states_as_reported(lines: Int16Array) -> int:
    """Return the number of distinct boards under the report's 12 forms, without removing captured stones."""
    images, codes = board_images(BOARD_SIZE)[list(FORMS[12][0])], np.arange(3 << POINT_BITS)
    swapped = np.where(codes >> POINT_BITS == WHITE, codes - (1 << POINT_BITS), codes + (1 << POINT_BITS))
    known: set[bytes] = set()
    for line in lines:
        turned = [np.sort(image[line]) for image in images]
        forms = [form.tobytes() for form in turned] + [np.sort(swapped[form]).tobytes() for form in turned]
        if not any(form in known for form in forms):
            known.add(forms[0])
    return len(known)


def _defects(found: ReportReplay, changed: int) -> list[str]:
    """Return what the report got wrong, in words and numbers. changed: the number of games with wrong boards."""
    by_name = {step.name: step for step in found.steps}
    boards, small = by_name["correct final boards"], by_name["3x3 patterns by 12 forms alone"]
    large = by_name["diamond2 patterns by 12 forms alone"]
    lost, found_templates = by_name["3x3 windows with a stone"], by_name["3x3 templates"]
    lines, states = by_name["fuseki of 10 moves played twice or more"], by_name["fuseki regardless of order"]
    return [
        f"Captured stones stay on the board: {changed:,} of {found.games:,} boards are wrong ({boards.note}).",
        f"Windows in the last row and column are skipped: {lost.reported:,} 3x3 windows instead of {lost.right:,}.",
        f"12 forms leave out the diagonal reflections: {small.reported:,} 3x3 patterns instead of "
        f"{small.right:,}, {large.reported:,} diamonds instead of {large.right:,}; the report prints number "
        f"{PRINTED_PATTERN:,} for a 3x3 pattern, but only 1,444 are possible.",
        "The 12 forms are not a group, so which windows count as one pattern depends on which was seen first.",
        "Templates are compared in 6 forms only, because the colour flip turns ? into an empty point: "
        f"{found_templates.reported:,} instead of {found_templates.right:,}; the report has "
        f"{PRINTED_TEMPLATES:,}, but at most {MAX_TEMPLATES:,} differ.",
        f"Fuseki that differ only in orientation are counted separately: {lines.reported:,} lines. There are "
        f"{lines.right:,} if symmetric ones are merged, because more are then played twice.",
        "Boards are taken only from openings played twice in the same order: "
        f"{states.reported:,} instead of {states.right:,}.",
    ]
