"""Plain counters of what is mined from Go records: windows as texts, turned by hand, boards played stone by stone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from games.go.go_games import Game
from games.go.naive.patterns import boards_of, turned
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board, other
from kibitz.games.go.rules.geometry import neighbours

Window = dict[tuple[int, int], str]  # (down, across) from the centre -> sign

SHAPES: dict[str, Callable[[int, int], bool]] = {
    "3x3": lambda a, b: max(abs(a), abs(b)) <= 1,
    "5x5": lambda a, b: max(abs(a), abs(b)) <= 2,
    "7x7": lambda a, b: max(abs(a), abs(b)) <= 3,
    "diamond2": lambda a, b: abs(a) + abs(b) <= 2,
    "diamond3": lambda a, b: abs(a) + abs(b) <= 3,
    "circle5": lambda a, b: abs(a) + abs(b) + max(abs(a), abs(b)) <= 5,
}
TURNS: list[Callable[[int, int], tuple[int, int]]] = [
    lambda a, b: (a, b), lambda a, b: (b, -a), lambda a, b: (-a, -b), lambda a, b: (-b, a),
    lambda a, b: (a, -b), lambda a, b: (-a, b), lambda a, b: (b, a), lambda a, b: (-b, -a),
]  # fmt: skip
"""Four rotations, two reflections in a line, two in a diagonal."""
REPORTED = TURNS[:6]  # those of the report of 2013


def window(board: Board, point: int, shape: str, mover: int = BLACK) -> Window:
    """Return what lies around a point; the mover's stones are X."""
    row, col = divmod(point, board.size)
    signs = {EMPTY: ".", mover: "X", other(mover): "O"}
    found = {}
    for down in range(-4, 5):
        for across in range(-4, 5):
            if SHAPES[shape](down, across):
                r, c = row + down, col + across
                inside = 0 <= r < board.size and 0 <= c < board.size
                found[down, across] = signs[board.points[r * board.size + c]] if inside else "#"
    return found


class Turn(NamedTuple):
    """A move that is no pass, with the board before it."""

    game: int  # from 0
    number: int  # from 1
    board: Board
    colour: int
    point: int


def turns(games: Sequence[Game], size: int) -> Iterator[Turn]:
    """Yield all moves of games but passes."""
    for game, (setup, moves) in enumerate(games):
        for number, (board, move) in enumerate(zip(boards_of(size, setup, moves), moves, strict=False), 1):
            if move[1] >= 0:
                yield Turn(game, number, board, *move)


def square(signs: Iterable[str]) -> Window:
    """Return the 3x3 window of nine signs, row by row; a move is an empty point."""
    return {(at // 3 - 1, at % 3 - 1): sign.replace("*", ".") for at, sign in zip(range(9), signs, strict=True)}


def text(found: Window) -> str:
    """Return the signs of a window, row by row."""
    return "".join(found[place] for place in sorted(found))


def forms(found: Window, swap: bool, turns: Sequence[Callable[[int, int], tuple[int, int]]] = TURNS) -> list[str]:
    """Return a window in all forms."""
    turned = [text({turn(*place): sign for place, sign in found.items()}) for turn in turns]
    return turned + [form.translate(str.maketrans("XO", "OX")) for form in turned] if swap else turned


def played(games: Sequence[Game], size: int, shape: str) -> Counter[str]:
    """Return how often each window, in the least of its eight forms, was around a move."""
    windows = (window(turn.board, turn.point, shape, turn.colour) for turn in turns(games, size))
    return Counter(min(forms(found, False)) for found in windows)


def final(games: Sequence[Game], size: int, shape: str, edges: bool) -> Counter[str]:
    """Return how often each window with a stone, in the least of its 16 forms, is on a board at the end."""
    return Counter(min(forms(found, True)) for found in final_windows(games, size, shape, edges))


def final_windows(games: Sequence[Game], size: int, shape: str, edges: bool) -> Iterator[Window]:
    """Yield the windows with a stone on the boards at the end."""
    for game in games:
        board = boards_of(size, *game)[-1]
        for point in range(size * size):
            found = window(board, point, shape)
            if set(found.values()) & {"X", "O"} and (edges or "#" not in found.values()):
                yield found


def reported(games: Sequence[Game], size: int, shape: str) -> list[tuple[str, int]]:
    """Return windows and counts as the report of 2013 found them: each is the first known one among its 12 forms."""
    counts: dict[str, int] = {}
    for found in final_windows(games, size, shape, False):
        twelve = set(forms(found, True, REPORTED))
        match = next((old for old in counts if old in twelve), text(found))
        counts[match] = counts.get(match, 0) + 1
    return list(counts.items())


def meaning(board: Board, point: int, colour: int) -> str:
    """Return what a move does, by the definitions of docs/games/go/patterns.md."""
    size, enemy = board.size, other(colour)
    near = neighbours(size)
    placed = board.place(point, colour)
    after = placed.board
    chain = after.chain(point)
    own = [p for p in near[point] if board.points[p] == colour]
    foes = [p for p in near[point] if board.points[p] == enemy]
    if placed.captured:
        return "ko" if len(placed.captured) == len(chain.stones) == len(chain.liberties) == 1 else "capture"
    if any(len(board.chain(p).liberties) == 1 for p in own) and len(chain.liberties) > 1:
        return "escape"
    if len(chain.liberties) == 1:
        return "self_atari"
    if any(len(after.chain(p).liberties) == 1 for p in foes):
        return "atari"
    if any(after.points[p] == EMPTY and all(after.points[q] == colour for q in near[p]) for p in near[point]):
        return "eye"
    if len({board.chain(p).stones for p in own}) > 1:
        return "connection"
    if len({board.chain(p).stones for p in foes}) > 1:
        return "cut"
    return _beside(board, point, colour, bool(own), bool(foes))


def _beside(board: Board, point: int, colour: int, own: bool, foes: bool) -> str:
    size, enemy = board.size, other(colour)
    row, col = divmod(point, size)

    def at(r: int, c: int) -> int:
        return board.points[r * size + c] if 0 <= r < size and 0 <= c < size else -1

    corners = [(row + d, col + a) for d in (-1, 1) for a in (-1, 1) if at(row + d, col + a) == colour]
    between = [(at(row, c), at(r, col)) for r, c in corners]
    diagonal = [pair for pair in between if colour not in pair]
    if own:
        return "push" if foes else "stretch"
    if any(enemy in pair for pair in diagonal):
        return "hane"
    if diagonal:
        return "diagonal"
    if foes:
        return "attachment"
    if size >= 18 and min(row, size - 1 - row) < 6 and min(col, size - 1 - col) < 6:
        rows = range(6) if row < size // 2 else range(size - 6, size)
        cols = range(6) if col < size // 2 else range(size - 6, size)
        there = {at(r, c) for r in rows for c in cols} - {EMPTY}
        if len(there) < 2:
            return "corner" if not there else "enclosure" if there == {colour} else "approach"
    jumps = [(2, 0), (0, 2), (1, 2), (2, 1)]
    if any(at(row + d * s, col + a * t) == colour for d, a in jumps for s in (-1, 1) for t in (-1, 1)):
        return "jump"
    for line, step in ((row, (0, 1)), (col, (1, 0))):
        if min(line, size - 1 - line) in (1, 2, 3):
            for way in (-1, 1):
                seen = [at(row + way * n * step[0], col + way * n * step[1]) for n in range(1, 7)]
                if next((code for code in seen if code != EMPTY), None) == colour:
                    return "extension"
    near = {at(row + d, col + a) for d in range(-4, 5) for a in range(-4, 5) if 0 < abs(d) + abs(a) <= 4}
    about = near & {BLACK, WHITE}
    return {frozenset({enemy}): "invasion", frozenset({colour}): "reinforcement"}.get(frozenset(about), "other")


def openings(games: Sequence[Game], size: int, moves: int, by_state: bool) -> Counter[object]:
    """Return how often each opening was played, in the least of its symmetries; games with setup are left out."""
    counts: Counter[object] = Counter()
    for setup, played_moves in games:
        first = list(played_moves[:moves])
        if setup or len(first) < moves or any(point < 0 for _, point in first):
            continue
        board = boards_of(size, [], first)[-1]
        forms_of: list[tuple[object, ...]] = []
        for image in range(8):
            to = turned(size, image)
            if by_state:
                forms_of.append(tuple(sorted((to[p], code) for p, code in enumerate(board.points) if code)))
            else:
                forms_of.append(tuple((colour, to[point]) for colour, point in first))
        counts[min(forms_of)] += 1
    return counts


def corners(
    games: Sequence[Game], size: int, reach: int, last: int, most: int
) -> Counter[tuple[tuple[int, int, int], ...]]:
    """Return how often each beginning was played in a corner: (0 first or 1 second player, lines from the edges).

    A corner with setup stones is left out.
    """
    counts: Counter[tuple[tuple[int, int, int], ...]] = Counter()
    for setup, moves in games:
        for top in (True, False):
            for left in (True, False):
                beside = [divmod(point, size) for _, point in setup]
                edges = [(row if top else size - 1 - row, col if left else size - 1 - col) for row, col in beside]
                if any(down < reach and across < reach for down, across in edges):
                    continue
                line: list[tuple[int, int, int]] = []
                first = 0
                for colour, point in moves[:last]:
                    if point < 0 or len(line) == most:
                        continue
                    row, col = divmod(point, size)
                    down, across = row if top else size - 1 - row, col if left else size - 1 - col
                    if down < reach and across < reach:
                        first = first or colour
                        line.append((int(colour != first), down, across))
                for end in range(1, len(line) + 1):
                    counts[least_corner(line[:end])] += 1
    return counts


def least_corner(line: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    """Return a corner sequence, or mirrored in the diagonal, whichever is less."""
    return min(tuple(line), tuple((side, across, down) for side, down, across in line))
