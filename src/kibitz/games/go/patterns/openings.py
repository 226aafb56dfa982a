"""Openings: fuseki, the first moves of games, by order or by resulting position; and joseki, sequences in the corners.

Symmetric sequences count as one. For fuseki, games with setup stones and games that are too short are left out; for
joseki, corners with setup stones. A corner is a square of CORNER_LINES lines, and moves elsewhere are ignored; the
player who moves there first is X, and two moves in a row by one side mean that the other played elsewhere (tenuki).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Int16Array, Int64Array, Ints
from kibitz.compiled.jit import entry
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.patterns.windows import GameSpans, hashed_board, opening_keys, spans_of
from kibitz.games.go.records.changes import prepare_games, symmetry_tables
from kibitz.games.go.records.importing import LIMITS
from kibitz.games.go.records.layout import COLOUR, TAKEN, colour_of, point_of
from kibitz.games.go.records.store import GameStore, StoreManifest
from kibitz.games.go.rules.board import BLACK, WHITE, Board
from kibitz.games.go.rules.geometry import symmetries
from kibitz.games.go.rules.text import parse_move, point_text
from kibitz.games.go.sgf.heads import parse_date, parse_result
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP
from kibitz.games.go.sgf.scan import ScannedGames, scan
from kibitz.games.go.sgf.sources import Piece, pieces

NO_MOVE = -1
HAS_SETUP = -1  # stands for the side that played first in a corner where handicap stones were
MAX_FUSEKI_MOVES, MAX_JOSEKI_MOVES = 60, 30
COUNTED_BY = ("order", "state")
UPPER_RIGHT = 6
"""The symmetry that takes the least points, those of the upper left, to where players show the first move."""
CORNER_LINES = 9  # lines of a corner; at most half of the board, so that no two corners share a point
LAST_GAME_MOVE = 100  # moves of a game after this one do not count: in a corner they are seldom joseki
BYTES_PER_BATCH = 4 << 20  # small files are processed together up to this size: one by one they cost more


class GroupFigures(NamedTuple):
    """Figures of groups of sequences. Arrays [group]."""

    counts: Int64Array
    won: Int64Array  # won by the player who moved first
    decided: Int64Array  # sequences of games with a winner
    first_year: Int64Array  # 0 if no date is known
    last_year: Int64Array
    example: Int64Array  # the first row of the group


@dataclass
class MoveTree:
    """A tree of sequences. Arrays [node], in order of depth; node 0 is the root. From `count` on see GroupFigures."""

    parent: Int64Array
    move: Int64Array  # the code of the move that leads here; NO_MOVE for the root
    depth: Int64Array
    count: Int64Array
    won: Int64Array
    decided: Int64Array
    first_year: Int64Array
    last_year: Int64Array
    example: Int64Array

    def __len__(self) -> int:
        return len(self.parent)

    def children(self, node: int) -> list[int]:
        """Return the children of a node, the most played first."""
        found = np.flatnonzero(self.parent == node)
        children: list[int] = found[np.argsort(-self.count[found], kind="stable")].tolist()
        return children

    def find(self, moves: list[int]) -> int:
        """Return the node that a sequence leads to, or -1 if it is not in the tree."""
        node = 0
        for move in moves:
            found = np.flatnonzero((self.parent == node) & (self.move == move))
            if not len(found):
                return -1
            node = int(found[0])
        return node

    def line(self, node: int) -> list[int]:
        """Return the moves from the root to a node."""
        moves = list[int]()
        while node > 0:
            moves.append(int(self.move[node]))
            node = int(self.parent[node])
        return moves[::-1]


def least_images(moves: Int16Array, images: Int64Array) -> Int16Array:
    """Return each sequence [row, move] under the symmetry that makes it least, compared move by move.

    images [image, code]: what each code becomes under each symmetry; NO_MOVE stays.
    """
    alive = np.ones((len(images), len(moves)), bool)  # [image, row]: whether the image is least so far
    for at in range(moves.shape[1]):
        codes = moves[:, at]
        turned = np.where(codes == NO_MOVE, NO_MOVE, images[:, codes])
        least = np.where(alive, turned, np.iinfo(np.int16).max).min(axis=0)
        alive &= turned == least
    best = alive.argmax(axis=0)
    return np.where(moves == NO_MOVE, NO_MOVE, images[best[:, None], moves]).astype(np.int16)


def build_tree(moves: Int16Array, results: Int64Array, years: Int64Array, min_count: int = 1) -> MoveTree:
    """Return the tree of sequences [row, move], each ending at NO_MOVE; leave out nodes rarer than min_count.

    results [row]: 1 if the player who moved first won, 0 if the opponent won, -1 if there is no winner.
    """
    rows, node = np.arange(len(moves)), np.zeros(len(moves), np.int64)
    levels = [group_figures(node, rows, 1, results, years)]
    parents, codes, depths = [np.array([NO_MOVE])], [np.array([NO_MOVE])], [np.array([0])]
    total = 1
    for depth in range(moves.shape[1]):
        continues = moves[rows, depth] != NO_MOVE
        rows, node = rows[continues], node[continues]
        pairs = node << 16 | moves[rows, depth].astype(np.int64)  # the node of the parent, and the move
        found, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
        kept = counts >= min_count
        if not kept.any():
            break
        continues = kept[inverse]
        rows, group, found = rows[continues], (np.cumsum(kept) - 1)[inverse][continues], found[kept]
        levels.append(group_figures(group, rows, len(found), results, years))
        parents.append(found >> 16)
        codes.append(found & 0xFFFF)
        depths.append(np.full(len(found), depth + 1))
        node = total + group
        total += len(found)
    columns = [np.concatenate(part) for part in (parents, codes, depths, *zip(*levels, strict=True))]
    return MoveTree(*columns)


def group_figures(group: Int64Array, rows: Int64Array, n: int, results: Int64Array, years: Int64Array) -> GroupFigures:
    """Return the figures of n groups of rows; group[i] is the group of rows[i].

    results, years: of all rows, see build_tree; a year of 0 is unknown.
    """
    result, year = results[rows], years[rows].astype(np.int64)
    first, last = np.full(n, 9999), np.zeros(n, np.int64)  # 9999 is after any year
    dated = year > 0
    np.minimum.at(first, group[dated], year[dated])
    np.maximum.at(last, group[dated], year[dated])
    example = np.zeros(n, np.int64)
    example[group[::-1]] = rows[::-1]  # backwards, so that the first row of a group is the last one written
    count, won, decided = (
        np.bincount(group[chosen], minlength=n) for chosen in (slice(None), result == 1, result >= 0)
    )
    return GroupFigures(count, won, decided, np.where(last > 0, first, 0), last, example)


@dataclass(frozen=True)
class Fuseki:
    """An opening that was played."""

    moves: tuple[tuple[int, int], ...]  # colour and point of each move; by state, in the order of one game
    count: int
    black_won: int
    decided: int
    first_year: int
    last_year: int
    game: int  # a game that began like this, from 1
    names: tuple[str, ...]
    lean: str  # territory, influence or balanced

    def text(self, size: int) -> str:
        """Return the moves as text, such as Q16 D4."""
        return " ".join(point_text(size, point) for _, point in self.moves)

    def rows(self, size: int) -> tuple[str, ...]:
        """Return the board after the moves as rows of signs."""
        board = Board.empty(size)
        for colour, point in self.moves:
            board = board.place(point, colour).board
        signs = "".join(".XO"[code] for code in board.points)
        return tuple(signs[at : at + size] for at in range(0, size * size, size))


@entry
def first_moves(moves: Ints, games: GameSpans) -> None:
    """Write the first moves of games, int16 [game, move]: 1024 * colour + point.

    A pass ends the moves. Write NO_MOVE after the end of a game, and for all moves of a game with setup stones.
    """
    max_moves = moves.shape[1]
    for game in range(len(games.starts)):
        made = 0
        for move in range(max_moves):
            moves[game, move] = NO_MOVE
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            if change & SETUP:
                for move in range(made):
                    moves[game, move] = NO_MOVE
                break
            if change & TAKEN:
                continue
            if made == max_moves or point_of(change) == PASS:
                break
            moves[game, made] = change & (COLOUR | PASS)
            made += 1


def even_games(store: GameStore, games: Int64Array) -> Int64Array:
    """Return the even games among the games: those that begin without setup stones and without two moves of a side."""
    if not len(games):
        return games
    changes = store.column("changes")
    first, ends = store.first[games], store.first[games + 1]
    one, two = changes[first], changes[np.minimum(first + 1, ends - 1)]
    has_two_in_a_row = (ends > first + 1) & ((one ^ two) & COLOUR == 0)
    is_even: NDArray[np.bool_] = (one & SETUP == 0) & ~has_two_in_a_row
    return games[is_even]


def openings_as_played(store: GameStore, games: Int64Array, moves: int) -> tuple[Int64Array, Int16Array]:
    """Return the games with at least this many moves, and these moves as first_moves encodes them, [game, move]."""
    found = np.zeros((len(games), moves), np.int16)
    first_moves(found, spans_of(store, games))
    is_long = found[:, -1] != NO_MOVE
    return games[is_long], found[is_long]


def turned_openings(store: GameStore, games: Int64Array, moves: int, size: int = 19) -> tuple[Int64Array, Int16Array]:
    """Return the games with at least this many moves, and these moves in a canonical orientation, [game, move].

    The first move is in the upper right corner, on its right side. Raise BadOption for a bad number of moves.
    """
    if not 1 <= moves <= MAX_FUSEKI_MOVES:
        raise BadOption(f"The number of moves of a fuseki must be 1 to {MAX_FUSEKI_MOVES}, not {moves}.")
    long_games, played = openings_as_played(store, games, moves)
    images = board_images(size)
    return long_games, images[UPPER_RIGHT][least_images(played, images)].astype(np.int16)


def pack_rows(moves: Int16Array) -> NDArray[np.void]:
    """Return each row of moves as one value made of its bytes, so that rows can be sorted fast."""
    return np.ascontiguousarray(moves).view(np.dtype((np.void, moves.itemsize * moves.shape[1]))).reshape(-1)


def board_images(size: int) -> Int64Array:
    """Return what each move becomes under each symmetry, as [symmetry, 1024 * colour + point]."""
    images = np.zeros((8, 3 << POINT_BITS), np.int64)
    for colour in (BLACK, WHITE):
        start = colour << POINT_BITS
        images[:, start : start + size * size] = start + symmetry_tables(size).images
    return images


def find_fuseki(
    store: GameStore, games: Int64Array, moves: int = 10, by: str = "order", size: int = 19, min_count: int = 2
) -> list[Fuseki]:
    """Return the openings that were played in at least min_count of the games, the most played first.

    by: when openings count as the same: with "order", if the moves and their order are the same; with "state", if they
    lead to the same position. Raise BadOption for another value.
    """
    if by not in COUNTED_BY:
        raise BadOption(f"Fuseki are counted by {' or '.join(COUNTED_BY)}, not {by[:20]!r}.")
    games, first = turned_openings(store, games, moves, size)
    if by == "order":
        _, numbers = np.unique(pack_rows(first), return_inverse=True)
    else:
        keys = np.zeros(len(games), np.int64)
        opening_keys(hashed_board(size), spans_of(store, games), moves, keys)
        _, numbers = np.unique(keys, return_inverse=True)
    winners, years = store.column("winners")[games], store.column("years")[games]
    results = np.where(winners == 0, -1, winners == BLACK)
    groups = group_figures(numbers, np.arange(len(games)), numbers.max(initial=-1) + 1, results, years)
    order = np.lexsort((groups.example, -groups.counts))
    found = []
    for at in order[groups.counts[order] >= min_count].tolist():
        count, won, decided, first_year, last_year, example = (int(column[at]) for column in groups)
        line = tuple((code >> POINT_BITS, code & PASS) for code in first[example].tolist())
        black, white = (frozenset(point for colour, point in line if colour == side) for side in (BLACK, WHITE))
        about = formation_names(black, white, size), lean_of(black, white, size)
        found.append(Fuseki(line, count, won, decided, first_year, last_year, int(games[example]) + 1, *about))
    return found


def fuseki_tree(
    store: GameStore, games: Int64Array, moves: int = 10, size: int = 19, min_count: int = 5
) -> tuple[Int64Array, MoveTree]:
    """Return the games with at least this many moves, which the examples refer to, and the tree of their openings."""
    games, first = turned_openings(store, games, moves, size)
    winners = store.column("winners")[games]
    results = np.where(winners == 0, -1, winners == first[:, 0] >> POINT_BITS)
    return games, build_tree(first, results, store.column("years")[games], min_count)


FORMATIONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("sanrensei", ("pd", "pj", "pp"), ()),
    ("nirensei", ("pd", "pp"), ()),
    ("Chinese", ("pd", "pq", "qk"), ()),
    ("high Chinese", ("pd", "pq", "pk"), ()),
    ("Kobayashi", ("pd", "pq", "fq", "jp"), ("dp",)),
    ("Kobayashi", ("pd", "pq", "fq", "iq"), ("dp",)),
    ("Shusaku", ("qd", "pq", "cp"), ()),
)
"""Name, the stones of the side that has it, and the stones that the opponent must have. Shusaku's are three 3-4 points,
each a quarter turn from the one before. A sanrensei contains a nirensei, which is then not named."""
TERRITORY = {(3, 3), (3, 4)}
INFLUENCE = {(4, 4), (4, 5)}  # lines of corner points played for territory or influence; 3-5 is played for both


@cache
def _formations() -> tuple[tuple[str, frozenset[int], frozenset[int]], ...]:
    """Return the formations in all orientations: name, own stones, and stones that the opponent must have."""
    found: dict[tuple[str, frozenset[int], frozenset[int]], None] = {}
    for name, *sides in FORMATIONS:
        points = [[19 * (ord(text[1]) - ord("a")) + ord(text[0]) - ord("a") for text in side] for side in sides]
        for image in symmetries(19):
            own, other = (frozenset(image[point] for point in side) for side in points)
            found[name, own, other] = None
    return tuple(found)


def formation_names(black: frozenset[int], white: frozenset[int], size: int = 19) -> tuple[str, ...]:
    """Return the names of the formations on a board, such as "Black nirensei"; only 19x19 boards have any."""
    found: dict[str, None] = {}
    if size == 19:
        for side, own, other in (("Black", black, white), ("White", white, black)):
            names = {name: None for name, stones, enemies in _formations() if stones <= own and enemies <= other}
            if "sanrensei" in names:
                names.pop("nirensei", None)
            found.update({f"{side} {name}": None for name in names})
    return tuple(found)


def lean_of(black: frozenset[int], white: frozenset[int], size: int = 19) -> str:
    """Return "territory" or "influence" if the corner stones of both sides lean towards it, otherwise "balanced"."""
    score = 0
    for point in black | white:
        row, col = divmod(point, size)
        lines = sorted((min(row, size - 1 - row) + 1, min(col, size - 1 - col) + 1))
        score += ((lines[0], lines[1]) in INFLUENCE) - ((lines[0], lines[1]) in TERRITORY)
    return "influence" if score > 0 else "territory" if score < 0 else "balanced"


@dataclass
class Joseki:
    """The tree of corner sequences, all turned to the upper right corner."""

    tree: MoveTree
    games: Int64Array  # the games, from 0, that the tree was built from
    corners: Int64Array  # 4 * index of a game + corner, for each row of the tree: the corners where somebody played
    size: int
    reach: int  # how many lines wide and high a corner is

    def move(self, code: int) -> tuple[int, int]:
        """Decode a move: return 0 for X, who played first in the corner, or 1 for O, and the point on the board."""
        second, cell = divmod(code, self.reach * self.reach)
        across, down = divmod(cell, self.reach)
        return second, down * self.size + self.size - 1 - across

    def text(self, code: int) -> str:
        """Return the point of a move as text, such as Q16."""
        return point_text(self.size, self.move(code)[1])

    def line(self, node: int) -> list[tuple[str, str, bool]]:
        """Return the moves to a node: X or O, the point, and whether the other side played elsewhere just before."""
        found, last_side = [], 1
        for code in self.tree.line(node):
            side = self.move(code)[0]
            found.append(("XO"[side], self.text(code), side == last_side))
            last_side = side
        return found

    def game(self, node: int) -> int:
        """Return the number, from 1, of a game with the sequence of a node."""
        return int(self.games[self.corners[self.tree.example[node]] // 4]) + 1

    def codes(self, texts: list[str]) -> list[int]:
        """Encode moves such as Q16 R14 in the upper right corner; after "-" the same side plays again.

        Raise BadText if one lies outside the corner.
        """
        side, found = 0, []
        for text in texts:
            if text != "-":
                down, col = divmod(parse_move(self.size, text), self.size)
                across = self.size - 1 - col
                if down >= self.reach or across >= self.reach:
                    raise BadText(f"{text} is not in the upper right corner of {self.reach} lines.")
                found.append(side * self.reach * self.reach + across * self.reach + down)
            side = 1 - side
        return least_images(np.array([found], np.int16), corner_images(self.reach))[0].tolist() if found else []


def corner_images(reach: int) -> Int64Array:
    """Return the code of each move in a corner, plain and mirrored in the diagonal, as [2, code]."""
    codes = np.arange(2 * reach * reach)
    second, cells = codes // (reach * reach) * reach * reach, codes % (reach * reach)
    return np.array([codes, second + cells % reach * reach + cells // reach])


def find_joseki(
    store: GameStore, games: Int64Array, moves: int = 16, min_count: int = 5, size: int = 19, last: int = LAST_GAME_MOVE
) -> Joseki:
    """Return the corner sequences of up to this many moves that were played at least min_count times in games.

    Raise BadOption for a bad number of moves.
    """
    if not 1 <= moves <= MAX_JOSEKI_MOVES:
        raise BadOption(f"The number of moves of a joseki must be 1 to {MAX_JOSEKI_MOVES}, not {moves}.")
    reach = min(CORNER_LINES, size // 2)
    n = 4 * len(games)
    found, counts, colours = np.zeros((n, moves), np.int16), np.zeros(n, np.int64), np.zeros(n, np.int64)
    corner_moves(found, counts, colours, spans_of(store, games), size, reach, last)
    corners = np.flatnonzero(colours > 0)
    winners, years = store.column("winners")[games[corners // 4]], store.column("years")[games[corners // 4]]
    results = np.where(winners == 0, -1, winners == colours[corners])
    tree = build_tree(least_images(found[corners], corner_images(reach)), results, years, min_count)
    return Joseki(tree, games, corners, size, reach)


@entry
def corner_moves(moves: Ints, counts: Ints, colours: Ints, games: GameSpans, size: int, reach: int, last: int) -> None:
    """Write the moves in each corner of games in order, ignoring moves played elsewhere in between.

    moves, int16 [4 * game + corner, move]: the cell, plus reach * reach for the side that played there second; NO_MOVE
    at the end. Cell a * reach + b of a corner lies a lines from the upper or lower edge and b from the left or right.
    counts and colours, int64 [4 * game + corner]: the number of these moves, and the side that played there first, or
    0 if nobody did, or HAS_SETUP. Moves of a game after number `last` do not count, nor those after stones that are set
    up during the game, nor those in a corner with handicap stones.
    """
    max_moves = moves.shape[1]
    for game in range(len(games.starts)):
        for row in range(4 * game, 4 * game + 4):
            counts[row], colours[row] = 0, 0
            for move in range(max_moves):
                moves[row, move] = NO_MOVE
        made = 0
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            if change & TAKEN:
                continue
            is_setup = change & SETUP != 0
            made += not is_setup
            if made > last or (is_setup and made > 0):
                break
            point, colour = point_of(change), colour_of(change)
            if point == PASS:
                continue
            down, across = point // size, point % size
            corner = 0
            if down > size - 1 - down:
                corner, down = 2, size - 1 - down
            if across > size - 1 - across:
                corner, across = corner + 1, size - 1 - across
            row = 4 * game + corner
            if down >= reach or across >= reach or counts[row] == max_moves or colours[row] == HAS_SETUP:
                continue
            if is_setup:
                colours[row] = HAS_SETUP
                continue
            if colours[row] == 0:
                colours[row] = colour
            second = 0 if colour == colours[row] else reach * reach
            moves[row, counts[row]] = second + down * reach + across
            counts[row] += 1


class LooseGames(GameStore):
    """Games of files and archives, with just the columns that openings need. Duplicates are kept."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """Read all games. Raise BadText if there are none."""
        self.folder = Path()
        changes, rows = [np.zeros(0, np.uint16)], list[tuple[int, int, int, int]]()
        end = 0
        for scanned in _batches(paths):
            prepared = iter(prepare_games(_join_games(scanned)).changes)
            for games in scanned:
                for game in range(len(games)):
                    played = next(prepared)
                    if len(played):
                        changes.append(played)
                        end += len(played)
                        winner = parse_result(games.value(game, "RE") or "").winner
                        date = parse_date(games.value(game, "DT") or "")
                        rows.append((end, int(games.sizes[game]), winner, date.year if date else 0))
        if not rows:
            raise BadText("These files contain no Go games.")
        dtypes = {"ends": np.int64, "sizes": np.uint8, "winners": np.uint8, "years": np.int16}
        columns = zip(dtypes.items(), zip(*rows, strict=True), strict=True)
        self._columns = {name: np.array(values, dtype) for (name, dtype), values in columns}
        self._columns["changes"] = np.concatenate(changes)
        self.manifest = StoreManifest({**StoreManifest().rows, "ends": len(rows), "changes": end})


def _batches(paths: Iterable[Path]) -> Iterator[list[ScannedGames]]:
    """Yield the games of files in batches, combining small files."""
    batch, size = list[ScannedGames](), 0
    for piece in pieces(paths, LIMITS):
        if isinstance(piece, Piece):
            batch.append(scan(piece.data))
            size += len(piece.data)
            if size >= BYTES_PER_BATCH:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _join_games(scanned: list[ScannedGames]) -> ScannedGames:
    """Return the games of several files as one ScannedGames, without their heads."""
    plays = np.concatenate([games.plays for games in scanned])
    starts = np.cumsum([0, *(len(games.plays) for games in scanned)])
    first = [start + games.first[:-1] for start, games in zip(starts.tolist(), scanned, strict=False)]
    sizes = np.concatenate([games.sizes for games in scanned])
    no_fields = np.zeros((len(sizes), 0, 2), np.int64)
    return ScannedGames(b"", plays, np.concatenate([*first, starts[-1:]]), sizes, no_fields)
