"""Mine a store: count the windows of new games portion by portion, and write all tables in one step.

A portion carries everything needed to count it, so it can be counted in this process or by an executor's workers.
Portions are added in the order of the games, so the result is the same either way.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from kibitz.compiled.arrays import AnyArray, Int64Array
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.files import try_lock
from kibitz.core.training import caught_interrupts
from kibitz.games.go.patterns import windows
from kibitz.games.go.patterns.mining import mined as files
from kibitz.games.go.patterns.mining.meaning import move_classes
from kibitz.games.go.patterns.mining.mined import COUNTS, Kind, MinedKind
from kibitz.games.go.patterns.openings import COUNTED_BY, find_fuseki, find_joseki
from kibitz.games.go.patterns.shapes import FULL, parse_shape
from kibitz.games.go.patterns.tallies import Sightings, Tally, TallyArrays
from kibitz.games.go.patterns.templates import find_templates
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import MINED, Connection, insert_rows

GAMES_PER_PORTION = 2000
CHECKPOINT_SECONDS = 60.0  # time between two checkpoints, from which a killed run can continue
POLL_SECONDS = 0.2  # how often to check whether to stop
LOCK_FILE = "mined.lock"
FIRST_USE_WAIT_SECONDS = 300.0
"""Maximum wait for another process to mine the masters' games, which happens on first use."""
FUSEKI_MOVES = 10  # as in the 2013 report
MAX_TABLE_POINTS = 9  # larger shapes have too many templates to store in a table
Column: TypeAlias = Sequence[object] | AnyArray


@dataclass
class MiningSummary:
    """The result of a mining run."""

    games: int = 0  # games of the store mined so far
    new: int = 0  # games mined in this run
    patterns: dict[Kind, int] = field(default_factory=dict)
    interrupted: bool = False
    seconds: float = 0.0


def mine(
    store: GameStore,
    kinds: Iterable[Kind] = (),
    min_count: int = 1,
    min_stones: int = 0,
    anew: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
    wait_seconds: float = 0.0,
    executor: Executor | None = None,
    jobs: Callable[[], int] = lambda: 1,
) -> MiningSummary:
    """Count the patterns in games not yet mined, and write all tables.

    Kinds mined before are brought up to date too. Patterns rarer than min_count or with fewer stones than min_stones
    are dropped at the end; a kind with dropped patterns is recounted from scratch when there are new games.
    on_progress(games done, total games) is called after every portion. Ctrl-C stops after the current portion and
    saves the counts so far. With an executor, its jobs() workers do the counting. Raise BadOption if another process
    is still mining the store after wait_seconds. Raise KibitzError if the workers fail, after saving the counts so far.
    """
    began = time.perf_counter()
    wanted = [files.check_kind(kind) for kind in kinds] or files.default_kinds()
    with _locked(store.folder, wait_seconds), caught_interrupts() as stop:
        current_counts = None if anew else files.count_if_current(store, wanted, min_count, min_stones)
        if current_counts is not None:
            return MiningSummary(len(store), 0, current_counts, seconds=time.perf_counter() - began)
        mined = {} if anew else files.read_mined(store, wanted)
        _set_limits(mined, wanted, min_count, min_stones)
        counted_before = _games_counted(mined)
        tasks = _portion_tasks(store, mined, counted_before)
        if executor is None:
            counting = _count_locally(tasks, stop)
        else:
            counting = _count_on_workers(tasks, stop, executor, jobs)
        try:
            _add_counts(store, mined, counting, on_progress)
        except KibitzError:
            if _games_counted(mined) > counted_before:
                _write_checkpoint(store, mined)
            raise
        games = _games_counted(mined)
        if games < len(store):
            _write_checkpoint(store, mined)
        elif counted_before < len(store) or not (store.folder / MINED).exists() or min_count > 1 or min_stones > 0:
            files.write_mined(store.folder, mined, lambda connection: _add_tables(connection, store, mined))
    patterns = {kind: len(found.tally) for kind, found in mined.items()}
    return MiningSummary(games, games - counted_before, patterns, games < len(store), time.perf_counter() - began)


def _set_limits(mined: dict[Kind, MinedKind], wanted: Iterable[Kind], min_count: int, min_stones: int) -> None:
    """Set the limits of the wanted kinds; restart a kind whose patterns were dropped by other limits."""
    limits = (min_count, min_stones)
    for kind in wanted:
        found = mined.get(kind)
        if found is None or (not found.is_whole() and (found.min_count, found.min_stones) != limits):
            mined[kind] = MinedKind(Tally(kind.source == "moves"))
        mined[kind].min_count, mined[kind].min_stones = limits


def _games_counted(mined: dict[Kind, MinedKind]) -> int:
    """Return the number of games counted for every kind."""
    return min(found.games for found in mined.values())


def _add_counts(
    store: GameStore,
    mined: dict[Kind, MinedKind],
    counting: Iterator[tuple[int, dict[Kind, PortionCount]]],
    on_progress: Callable[[int, int], None] | None,
) -> None:
    """Add the counts of each portion to those of its kinds, and write a checkpoint every CHECKPOINT_SECONDS."""
    written = time.perf_counter()
    for end, counts in counting:
        for kind, (keys, tallies, seen) in counts.items():
            found = mined[kind]
            twelve_forms = (parse_shape(kind.shape), kind.size) if kind.forms == 12 else None
            found.tally.merge(keys, tallies, twelve_forms)
            found.windows += seen
            found.games, found.digest = end, int(store.column("digests")[end - 1])
        if on_progress is not None:
            on_progress(end, len(store))
        if time.perf_counter() - written > CHECKPOINT_SECONDS and end < len(store):
            _write_checkpoint(store, mined)
            written = time.perf_counter()


def _write_checkpoint(store: GameStore, mined: dict[Kind, MinedKind]) -> None:
    """Write the counts so far, with nothing dropped and without the tables that need all games."""
    unfinished = [found for found in mined.values() if found.games < len(store)]
    limits = [(found.min_count, found.min_stones) for found in unfinished]
    for found in unfinished:
        found.min_count, found.min_stones = 1, 0
    files.write_mined(store.folder, mined)
    for found, limit in zip(unfinished, limits, strict=True):
        found.min_count, found.min_stones = limit


@contextmanager
def _locked(folder: Path, wait_seconds: float) -> Iterator[None]:
    """Hold the store's mining lock. Raise BadOption if it is still taken after wait_seconds."""
    try:
        file = open(folder / LOCK_FILE, "w", encoding="utf-8")  # noqa: SIM115  # closed below
    except OSError as error:
        raise BadOption(f"The store in {folder} cannot be written to: {error.strerror}.") from None
    with file:
        until = time.monotonic() + wait_seconds
        while not try_lock(file):
            if time.monotonic() >= until:
                raise BadOption(f"Another program is mining the store in {folder}; try again when it is done.")
            time.sleep(0.1)
        yield


@dataclass(frozen=True)
class Portion:
    """Consecutive games of a store, numbered from 0 within the portion."""

    start: int  # the number of its first game in the store, from 0
    first: Int64Array
    columns: dict[str, AnyArray]

    def __len__(self) -> int:
        return len(self.first) - 1

    def column(self, name: str) -> AnyArray:
        """Return a column, read-only as in a store."""
        column = self.columns[name]
        column.flags.writeable = False
        return column


class PortionCount(NamedTuple):
    """The patterns of a kind in a portion, in the order first seen; with 12 forms, keys are not canonical."""

    keys: Int64Array
    tallies: TallyArrays  # games of examples are numbered as in the store
    windows: int


def count_portion(games: Portion, kinds: dict[Kind, int]) -> dict[Kind, PortionCount]:
    """Count the windows of a portion. kinds: the number, in the store, of the first game not counted for each."""
    prepared: dict[tuple[int, int], tuple[windows.Moves, Sightings]] = {}
    found = {}
    for kind, first_missing in kinds.items():
        low = max(first_missing - games.start, 0)
        chosen = low + np.flatnonzero(games.column("sizes")[low:] == kind.size)
        if kind.source == "moves":
            if (low, kind.size) not in prepared:
                moves = windows.moves_of(games, chosen)
                classes = move_classes(moves.spans, kind.size)
                prepared[low, kind.size] = moves, Sightings(moves.games, moves.numbers, moves.results, classes)
            moves, seen = prepared[low, kind.size]
            keys = windows.played_windows(moves, kind.shape, kind.size)
        else:
            keys, seen = _final_sightings(games, kind, chosen)
        tally = Tally(kind.source == "moves")
        tally.add(keys, seen, games.column("years"))
        arrays = tally.arrays
        arrays.example[:, 0] += games.start
        found[kind] = PortionCount(tally.keys, arrays, len(keys))
    return found


def _final_sightings(games: Portion, kind: Kind, chosen: Int64Array) -> tuple[Int64Array, Sightings]:
    """Return the keys of the windows of final boards, and where they are; with 12 forms, none that cross the edge."""
    points, all_forms = kind.size * kind.size, kind.forms == 16
    keys = windows.final_windows(games, chosen, kind.shape, kind.size, canonical=all_forms, edges=all_forms).reshape(-1)
    kept = keys != windows.NO_WINDOW
    of_games = np.repeat(chosen.astype(np.int32), points)[kept]
    places = np.tile(np.arange(points, dtype=np.int32), len(chosen))[kept]
    return keys[kept], Sightings.blank(len(of_games))._replace(games=of_games, places=places)


PortionTask: TypeAlias = tuple[int, Portion, dict[Kind, int]]
"""A portion's end in the store, its games, and the kinds to count, each with the first game it is missing."""


def _portion_tasks(store: GameStore, mined: dict[Kind, MinedKind], low: int) -> Iterator[PortionTask]:
    """Yield the games not yet counted, portion by portion, from game `low` on."""
    first_missing = {kind: found.games for kind, found in mined.items()}
    for start in range(low, len(store), GAMES_PER_PORTION):
        end = min(start + GAMES_PER_PORTION, len(store))
        first = store.first[start : end + 1]
        columns = {name: store.column(name)[start:end] for name in ("sizes", "winners", "years")}
        columns["changes"] = store.column("changes")[first[0] : first[-1]]
        portion = Portion(start, first - first[0], columns)
        yield end, portion, {kind: missing for kind, missing in first_missing.items() if missing < end}


def _count_locally(tasks: Iterator[PortionTask], stop: list[int]) -> Iterator[tuple[int, dict[Kind, PortionCount]]]:
    """Yield the end and the counts of each portion, until `stop` is not empty."""
    for end, games, kinds in tasks:
        yield end, count_portion(games, kinds)
        if stop:
            return


def _count_on_workers(
    tasks: Iterator[PortionTask], stop: list[int], executor: Executor, jobs: Callable[[], int]
) -> Iterator[tuple[int, dict[Kind, PortionCount]]]:
    """Like _count_locally, but on an executor, with one running and one queued portion per worker."""
    begun = deque[tuple[int, Future[dict[Kind, PortionCount]]]]()
    while not stop:
        for end, games, kinds in islice(tasks, max(0, 2 * jobs() - len(begun))):
            begun.append((end, executor.submit(count_portion, games, kinds)))
        if not begun:
            return
        if wait([begun[0][1]], POLL_SECONDS).done:
            end, future = begun.popleft()
            yield end, future.result()


# Tables other than patterns, for the board size of the mined patterns; rewritten by every run


def _add_tables(connection: Connection, store: GameStore, kinds: dict[Kind, MinedKind]) -> None:
    """Add the tables of final boards, fuseki, joseki and templates."""
    size = next(iter(kinds)).size
    games = np.flatnonzero(store.column("sizes") == size)
    _add_boards(connection, store, games, size)
    _add_fuseki(connection, store, games, size)
    _add_joseki(connection, store, games, size)
    _add_templates(connection, kinds)


def _add_table(connection: Connection, table: str, columns: str, values: Sequence[Column]) -> None:
    """Create a table from its SQL column definitions and the values of each column."""
    defined = [column.split() for column in columns.split(", ")]
    quoted = ", ".join(f'"{name}" {kind}' for name, kind in defined)
    connection.execute(f"CREATE TABLE {table} ({quoted})")
    arrays: dict[str, AnyArray] = {}
    for (name, kind), column in zip(defined, values, strict=True):
        arrays[name] = np.array(column, object) if kind == "VARCHAR" else np.asarray(column, np.int64)
    insert_rows(connection, table, arrays)


def _add_boards(connection: Connection, store: GameStore, games: Int64Array, size: int) -> None:
    """Add the table of final boards: each as text, with a key shared by all its symmetries."""
    spans, step = windows.spans_of(store, games), size * size
    states, keys = np.zeros((len(games), step), np.uint8), np.zeros(len(games), np.int64)
    windows.final_boards(spans, states)
    windows.opening_keys(windows.hashed_board(size), spans, windows.WHOLE_GAME, keys)
    text = states.tobytes().decode("ascii")
    rows = [text[at : at + step] for at in range(0, len(text), step)]
    _add_table(connection, "boards", "game INTEGER, key BIGINT, state VARCHAR", [games + 1, keys, rows])


def _add_fuseki(connection: Connection, store: GameStore, games: Int64Array, size: int) -> None:
    """Add the table of openings played at least twice, counted by move order and by resulting board."""
    found = [(by, opening) for by in COUNTED_BY for opening in find_fuseki(store, games, FUSEKI_MOVES, by, size)]
    numbers = ("count", "black_won", "decided", "first_year", "last_year", "game")
    kinds = ", ".join(f"{name} INTEGER" for name in numbers)
    columns: list[Column] = [
        [by for by, _ in found],
        [opening.text(size) for _, opening in found],
        *([getattr(opening, name) for _, opening in found] for name in numbers),
        [", ".join(opening.names) for _, opening in found],
        [opening.lean for _, opening in found],
    ]
    head, tail = "counted_by VARCHAR, moves VARCHAR", "names VARCHAR, lean VARCHAR"
    _add_table(connection, "fuseki", f"{head}, {kinds}, {tail}", columns)


def _add_joseki(connection: Connection, store: GameStore, games: Int64Array, size: int) -> None:
    """Add the table of joseki, with a row for each node of the tree except the root, node 0."""
    found = find_joseki(store, games, size=size)
    tree = found.tree
    nodes, codes, parents = range(1, len(tree)), tree.move[1:].tolist(), tree.parent[1:]
    # 0 for X, 1 for O; the root counts as a move of O
    sides = np.array([1, *(found.move(code)[0] for code in codes)])
    columns: list[Column] = [
        nodes, parents, tree.depth[1:], ["XO"[side] for side in sides[1:].tolist()],
        [found.text(code) for code in codes], sides[parents] == sides[1:],
        *(getattr(tree, name)[1:] for name in COUNTS), [found.game(node) for node in nodes],
    ]  # fmt: skip
    head = "node INTEGER, parent INTEGER, depth INTEGER, side VARCHAR, move VARCHAR, tenuki BOOLEAN"
    kinds = ", ".join(f"{name} INTEGER" for name in (*COUNTS, "game"))
    _add_table(connection, "joseki", f"{head}, {kinds}", columns)


def _add_templates(connection: Connection, kinds: dict[Kind, MinedKind]) -> None:
    """Add two tables: templates with one don't-care point, and the patterns that each template covers."""
    rows, covered = list[tuple[object, ...]](), list[tuple[object, ...]]()
    for number, (kind, found) in enumerate(kinds.items()):
        if kind.shape == FULL or kind.forms == 12 or len(parse_shape(kind.shape).offsets) > MAX_TABLE_POINTS:
            continue
        listed = find_templates(kind, found.tally)
        for i in range(len(listed)):
            covered += [(len(rows), key) for key in dict.fromkeys(listed.covered[i].tolist())]
            rows.append((len(rows), number, "/".join(listed.rows(i)), int(listed.patterns[i]), int(listed.counts[i])))
    columns = "template INTEGER, kind SMALLINT, rows VARCHAR, patterns INTEGER, count BIGINT"
    _add_table(connection, "templates", columns, list(zip(*rows, strict=True)) or [()] * 5)
    pairs = list(zip(*covered, strict=True)) or [()] * 2
    _add_table(connection, "template_patterns", "template INTEGER, key BIGINT", pairs)
