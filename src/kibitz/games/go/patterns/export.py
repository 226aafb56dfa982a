"""Export patterns for other programs: GNU Go's .db, Pachi's .spat, input for Coulom's MM, CSV, Parquet and SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from kibitz.compiled.arrays import Int64Array
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.files import open_atomically
from kibitz.games.go.patterns.charts import sheet_svg
from kibitz.games.go.patterns.listing import ListedPattern, PatternFilter
from kibitz.games.go.patterns.matching import STONE, PatternMatcher
from kibitz.games.go.patterns.mining.meaning import MEANINGS
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.patterns.shapes import parse_shape
from kibitz.games.go.patterns.tallies import COUNT
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import copy_rows

_COLOURS = str.maketrans("XO", "OX")


def gnugo_db(listed: Iterable[ListedPattern]) -> Iterator[str]:
    """Yield a GNU Go pattern database, piece by piece. The mover is O there, and ? is a don't-care point.

    Windows without stones are left out, because mkpat finds no anchor in them. The value is the share of moves in
    thousandths. The database must be compiled with mkpat -b, which allows X as the anchor.
    """
    yield "# Patterns around moves, mined by kibitz from game records. Compile with mkpat -b.\n\n"
    yield "attribute_map value_only\n\n"
    for number, pattern in enumerate(listed, 1):
        if pattern.stones > 0:
            comment = f"# {pattern.count} times, {next(iter(pattern.meanings), '')}"
            rows = "\n".join(gnugo_rows(pattern.rows))
            yield f"Pattern K{number}\n{comment}\n\n{rows}\n\n:8,-,value({1000 * pattern.share:.4f})\n\n\n"


def gnugo_rows(rows: Sequence[str]) -> list[str]:
    """Return a window as GNU Go draws it: cropped at the edges of the board, which are drawn with - and |."""
    board_rows = [at for at, row in enumerate(rows) if row.strip(" #")]
    board_cols = [at for at in range(len(rows[0])) if any(rows[r][at] not in " #" for r in board_rows)]
    lines = ["".join(rows[r][c] for c in board_cols).replace(" ", "?").translate(_COLOURS) for r in board_rows]
    last = len(rows) - 1
    top, bottom, left, right = board_rows[0] > 0, board_rows[-1] < last, board_cols[0] > 0, board_cols[-1] < last
    lines = ["|" * left + row + "|" * right for row in lines]
    edge = "+" * left + "-" * len(board_cols) + "+" * right
    return [edge] * top + lines + [edge] * bottom


def pachi_order(distance: int) -> list[tuple[int, int]]:
    """Return (down, across) of each point of a circle, in the order of Pachi's .spat files.

    Smaller circles come first; in each, the points farthest up or down come first,
    then right before left, and down before up.
    """
    points = [(0, 0)]
    for d in range(2, distance + 1):
        for down in range(d // 2, -1, -1):
            for across in range(d // 2 + 1):
                if down + across + max(down, across) == d:
                    signed = [(s * down, t * across) for s in (1, -1) for t in (1, -1)]
                    points += dict.fromkeys(signed)
    return points


def pachi_spat(kind: Kind, listed: Iterable[ListedPattern]) -> Iterator[str]:
    """Yield a Pachi spatial dictionary, line by line: number, distance, and the points as .XO#.

    The hashes that some versions append are left out. Raise BadOption unless the shape is a circle, 3x3 (distance 3)
    or diamond2 (distance 4).
    """
    distance = pachi_distance(kind)
    order = pachi_order(distance)
    yield f"# Pachi spatial patterns dictionary v1.0 maxdist {distance}\n"
    for number, pattern in enumerate(listed, 1):
        radius = len(pattern.rows) // 2
        signs = "".join(pattern.rows[down + radius][across + radius] for down, across in order).replace("*", ".")
        yield f"{number} {distance} {signs}\n"


def pachi_distance(kind: Kind) -> int:
    """Return the radius of a shape as Pachi measures it. Raise BadOption if it is not one of Pachi's circles."""
    shape = parse_shape(kind.shape)
    for distance in range(2, 16):
        if set(pachi_order(distance)) == set(shape.offsets) and kind.source == "moves":
            return distance
    raise BadOption(f"Pachi needs windows around moves, in circles such as circle5, 3x3 or diamond2; not {kind.shape}.")


def mm_input(
    store: GameStore, matchers: Sequence[PatternMatcher], games: Sequence[int], min_count: int
) -> Iterator[str]:
    """Yield input for Coulom's MM: for each position, the pattern that was played and those of all candidates.

    Every shape is a feature. Every pattern seen at least min_count times is a gamma of it,
    and one more gamma stands for all rarer ones. All empty points are candidates.
    """
    features, gammas = "", list[Int64Array]()
    total = 0
    for matcher in matchers:
        often = matcher.tally.counts[:, COUNT] >= min_count
        gamma_of = np.append(np.where(often, np.cumsum(often), 0), 0)  # rare or UNKNOWN (index -1) patterns: gamma 0
        gammas.append(total + gamma_of)
        features += f"{int(often.sum()) + 1} {matcher.kind.shape}\n"
        total += int(often.sum()) + 1
    yield f"! {total}\n{len(matchers)}\n{features}!\n"
    for game in games:
        found = [matcher.match_game(store, game) for matcher in matchers]
        played, first_numbers = found[0]
        for move, point in enumerate(played.tolist()):
            empty = np.flatnonzero(first_numbers[move] != STONE)
            numbers = [known[numbers[move][empty]] for known, (_, numbers) in zip(gammas, found, strict=True)]
            lines = [" ".join(map(str, team)) for team in np.stack(numbers, axis=1).tolist()]
            winner = lines[int(np.searchsorted(empty, point))]
            yield "#\n" + winner + "\n" + "\n".join(lines) + "\n"


def write_table_file(mined: Mined, kind: Kind, chosen: PatternFilter, path: Path) -> int:
    """Write patterns as Parquet or CSV, by the ending of the path; return their number.

    Raise KibitzError if the file cannot be written.
    """
    tail, values = chosen.sql(mined.kind_number(kind))
    signs = f"signs(key, {len(parse_shape(kind.shape).offsets)}) AS signs, " if kind.is_exact else ""
    meanings = "".join(f', "{name}"' for name in MEANINGS) if kind.source == "moves" else ""
    columns = "key, stones, edge, count, won, decided, first_year, last_year, game, place"
    query = f"SELECT {signs}{columns}{meanings} {tail}"
    for value in values:
        query = query.replace("?", str(int(value)), 1)
    return copy_rows(mined.connection, query, path)


def svg_sheet(listed: Sequence[ListedPattern]) -> str:
    """Return an SVG sheet of patterns, each captioned with its count and win rate."""
    rates = ["" if pattern.win_rate is None else f", {pattern.win_rate:.1%}" for pattern in listed]
    return sheet_svg([(pattern.rows, f"{pattern.count:,}{rate}") for pattern, rate in zip(listed, rates, strict=True)])


def write_lines(path: Path, lines: Iterable[str]) -> int:
    """Write lines to a file; return their number. Raise KibitzError if the file cannot be written.

    After an error the old file is unchanged.
    """
    written = 0
    try:
        with open_atomically(path) as file:
            for line in lines:
                file.write(line.encode())
                written += 1
    except OSError as error:
        raise KibitzError(f"{path} cannot be written: {error.strerror}.") from None
    return written
