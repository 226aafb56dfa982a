"""Compare players by how they answer moves: their choices against those of others in the same patterns.

A pattern here is the window around the opponent's last move, with the answering player as X; a choice is a point of it,
or elsewhere. For each player and choice the difference from the expected count is measured in standard errors. The
similarity of two players is the cosine between these differences: 1 for the same choices, 0 for unrelated ones, below 0
for opposite ones.

The counts are cached in the store, because counting takes several seconds.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Float32Array, Float64Array, Int32Array, Int64Array, Ints, Uint8Array
from kibitz.compiled.jit import entry, jit
from kibitz.core.errors import BadOption
from kibitz.games.go.patterns import windows as kernel
from kibitz.games.go.patterns.shapes import Window, WindowShape, parse_shape
from kibitz.games.go.patterns.tallies import Tally
from kibitz.games.go.patterns.windows import NO_WINDOW, GameSpans, cell_of, moves_of
from kibitz.games.go.records.filters import find_player
from kibitz.games.go.records.layout import colour_of, is_move, point_of
from kibitz.games.go.records.store import DAMAGE_ERRORS, GameStore
from kibitz.games.go.records.tables import open_tables
from kibitz.games.go.sgf.record import PASS

SHAPE = "5x5"
GAMES_PER_BATCH = 4000
MIN_GAMES = 50  # players with fewer games are not compared
MIN_SEEN = 200  # patterns answered less often are left out
MIN_CHOSEN = 20  # answers chosen less often are left out


class Preference(NamedTuple):
    """How often a player chooses an answer to a pattern, and how often others do."""

    rows: tuple[str, ...]  # the player is X and answers at *; without a *, the answer is elsewhere
    times: int  # how often the player answered this pattern
    chosen: int  # how often they chose this answer
    others: float  # the share of this answer among all other players, or for the player compared with
    others_times: int  # how often the others answered this pattern
    errors: float  # the difference in standard errors; above 0 the player chooses it more often


class Similar(NamedTuple):
    """A player, and how similar the player is."""

    name: str
    games: int
    similarity: float


class ChoiceCounts(NamedTuple):
    """How often players chose each answer. A cell is one answer to one pattern; the cells of a pattern are adjacent."""

    contexts: Int64Array  # [cell]: the key of the pattern
    choices: Int64Array  # [cell]: the answer: a point of the window, or the number of its points for elsewhere
    group: Int64Array  # [cell]: the pattern, from 0
    counts: Int32Array  # [player, cell]


@dataclass
class Styles:
    """The choices of all players with enough games."""

    shape: WindowShape
    names: list[str]
    games: Int64Array  # [player]
    cells: ChoiceCounts
    errors: Float32Array  # [player, cell]: difference from the expected count, in standard errors

    def player(self, name: str) -> int:
        """Return the number of a player, given the display name. Raise BadOption if the player has too few games."""
        if name not in self.names:
            min_games = self.games.min(initial=MIN_GAMES)
            raise BadOption(f"{name} has fewer than {min_games} games here, too few to compare.")
        return self.names.index(name)

    def similar(self, name: str, limit: int = 20) -> list[Similar]:
        """Return the players most similar to the one of this name, the most similar first."""
        player = self.player(name)
        length = np.sqrt((self.errors.astype(np.float64) ** 2).sum(axis=1))
        length[length == 0] = 1
        cosine = self.errors.astype(np.float64) @ self.errors[player] / (length * length[player])
        order = [at for at in np.argsort(-cosine, kind="stable").tolist() if at != player]
        return [Similar(self.names[at], int(self.games[at]), float(cosine[at])) for at in order[:limit]]

    def preferences(self, name: str, limit: int = 10, against: str = "") -> list[Preference]:
        """Return the answers in which a player differs most from all others, or from the player `against`."""
        player = self.player(name)
        other = self.player(against) if against else None
        difference = self.errors[player] - (0 if other is None else self.errors[other])
        order = np.argsort(-np.abs(difference), kind="stable")[:limit]
        return [self._preference(player, other, cell, float(difference[cell])) for cell in order.tolist()]

    def _preference(self, me: int, other: int | None, cell: int, errors: float) -> Preference:
        contexts, choices, group, counts = self.cells
        here = group == group[cell]
        times, chosen = int(counts[me, here].sum()), int(counts[me, cell])
        if other is None:
            their_times, theirs = int(counts[:, here].sum()) - times, int(counts[:, cell].sum()) - chosen
        else:
            their_times, theirs = int(counts[other, here].sum()), int(counts[other, cell])
        rows = self.shape.rows(self.shape.codes(int(contexts[cell])), {int(choices[cell]): "*"})
        return Preference(rows, times, chosen, theirs / max(their_times, 1), their_times, errors)


def shown_name(store: GameStore, name: str) -> str:
    """Return the name shown for a player, given any spelling. Raise BadOption if the player is unknown."""
    with open_tables(store) as connection:
        return find_player(connection, name)


def player_styles(
    store: GameStore, size: int = 19, min_games: int = MIN_GAMES, min_seen: int = MIN_SEEN, min_chosen: int = MIN_CHOSEN
) -> Styles:
    """Return the choices of all players of a store. Raise BadOption unless two players have enough games."""
    players, names, games = _compared_players(store, size, min_games)
    if len(names) < 2:
        raise BadOption(f"No two players in the store have at least {min_games} games each on board size {size}.")
    shape = parse_shape(SHAPE)
    limits = np.array([size, min_seen, min_chosen], np.int64)
    fingerprint = blake2b(players.tobytes() + store.column("digests").tobytes() + limits.tobytes()).hexdigest()
    cells = _read_cache(store, size, fingerprint, len(names))
    if cells is None:
        cells = _count_choices(store, shape, size, players, len(names), min_seen, min_chosen)
        _write_cache(store, size, fingerprint, cells)
    return Styles(shape, names, games, cells, _errors(cells.counts, cells.group))


def _read_cache(store: GameStore, size: int, fingerprint: str, players: int) -> ChoiceCounts | None:
    """Return the cached counts of the same games and players, or None."""
    try:
        with open(store.folder / f"styles-{size}.npz", "rb") as file, np.load(file, allow_pickle=False) as cached:
            if str(cached["mark"]) != fingerprint:
                return None
            found = ChoiceCounts(*(cached[name] for name in ChoiceCounts._fields))
    except (OSError, *DAMAGE_ERRORS):
        return None
    cells = (len(found.contexts),)
    is_whole = [array.shape for array in found] == [cells, cells, cells, (players, *cells)]
    return found if is_whole and all(array.dtype.kind == "i" for array in found) else None


def _write_cache(store: GameStore, size: int, fingerprint: str, found: ChoiceCounts) -> None:
    """Cache counts for the next call, if the store is writable."""
    part = store.folder / f"styles-{size}-{os.getpid()}.part"
    with suppress(OSError):
        try:
            with open(part, "wb") as file:
                np.savez_compressed(file, mark=np.array(fingerprint), **found._asdict())
            os.replace(part, store.folder / f"styles-{size}.npz")
        finally:
            part.unlink(missing_ok=True)


def _count_choices(
    store: GameStore, shape: WindowShape, size: int, players: Int32Array, known: int, min_seen: int, min_chosen: int
) -> ChoiceCounts:
    """Count the answers of the compared players, numbered below `known`; leave out rare patterns and answers."""
    keys, choices, player = _all_answers(store, shape, size, players)
    tally = Tally(False)
    numbers = tally.number_windows(keys)
    often = np.bincount(numbers[numbers >= 0], minlength=len(tally)) >= min_seen
    pattern_of = np.append(np.where(often, np.cumsum(often) - 1, -1), -1)[numbers]  # -1: no pattern
    counted = (pattern_of >= 0) & (player >= 0)
    width = len(shape.offsets) + 1
    # number every answer: pattern * width + choice, then keep the frequent ones as cells
    answers = pattern_of[counted].astype(np.int64) * width + choices[counted]
    total = np.bincount(answers, minlength=int(often.sum()) * width)
    kept = np.flatnonzero(total >= min_chosen)
    cell_of_answer = np.full(len(total), -1)
    cell_of_answer[kept] = np.arange(len(kept))
    cell = cell_of_answer[answers]
    player_cells = player[counted][cell >= 0].astype(np.int64) * len(kept) + cell[cell >= 0]
    counts = np.bincount(player_cells, minlength=known * len(kept)).reshape(known, len(kept))
    group = np.unique(kept // width, return_inverse=True)[1]
    contexts = tally.keys[np.flatnonzero(often)][kept // width]
    return ChoiceCounts(contexts, kept % width, group, counts.astype(np.int32))


def _errors(counts: Int32Array, group: Int64Array) -> Float32Array:
    """Return the difference of each count [player, cell] from that expected of all players, in standard errors."""
    if not len(group):
        raise BadOption(
            "No pattern was answered often enough to compare players; lower --min-seen, or import more games."
        )
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    all_cells = counts.sum(axis=0)
    shares: Float64Array = all_cells / np.add.reduceat(all_cells, starts)[group]
    times = np.add.reduceat(counts, starts, axis=1)[:, group].astype(np.float32)
    expected: Float32Array = times * shares.astype(np.float32)
    variance: Float32Array = expected * (1 - shares).astype(np.float32)
    errors: Float32Array = (counts.astype(np.float32) - expected) / np.sqrt(variance + np.float32(1))
    return errors


def _compared_players(store: GameStore, size: int, min_games: int) -> tuple[Int32Array, list[str], Int64Array]:
    """Return the number of each player, [game, colour], -1 if not compared; the names; and their numbers of games."""
    with open_tables(store) as connection:
        rows = connection.execute("SELECT id - 1, black, white FROM games WHERE size = ?", [size]).fetchall()
    games = Counter[str](name for _, *pair in rows for name in {*pair} - {None})
    names = sorted((name for name, n in games.items() if n >= min_games), key=lambda name: (-games[name], name))
    number = {name: at for at, name in enumerate(names)}
    players = np.full((len(store), 3), -1, np.int32)
    for game, black, white in rows:
        players[game, 1], players[game, 2] = number.get(black, -1), number.get(white, -1)
    return players, names, np.array([games[name] for name in names], np.int64)


def _all_answers(
    store: GameStore, shape: WindowShape, size: int, players: Int32Array
) -> tuple[Int64Array, Uint8Array, Int32Array]:
    """Return the pattern, the choice and the mover (-1 if not compared) of each move in games of compared players."""
    games = np.flatnonzero((store.column("sizes") == size) & (players.max(axis=1) >= 0))
    images = np.array(shape.images, np.int64)
    keys, choices, movers = [np.zeros(0, np.int64)], [np.zeros(0, np.uint8)], [np.zeros(0, np.int32)]
    for start in range(0, len(games), GAMES_PER_BATCH):
        moves = moves_of(store, games[start : start + GAMES_PER_BATCH])
        keys.append(np.zeros(len(moves), np.int64))
        choices.append(np.zeros(len(moves), np.uint8))
        movers.append(players[moves.games, moves.colours])
        find_answers(Answers(keys[-1], choices[-1], images), shape.window(size), moves.spans)
    return np.concatenate(keys), np.concatenate(choices), np.concatenate(movers)


class Answers(NamedTuple):
    """The arrays that answers are written to, [move]."""

    keys: Ints
    """int64: the canonical key of the window around the previous move, with the answering player as Black; NO_WINDOW
    if the move is not an answer"""
    choices: Ints  # uint8: the chosen point of the canonical window, or the number of its points for elsewhere
    images: Ints  # int64 [8, point]: where each point of the shape goes under each symmetry


@entry
def find_answers(answers: Answers, window: Window, games: GameSpans) -> int:
    """Write, for each move except passes, the pattern it answers and the choice; return the number of moves.

    A move is an answer if the opponent moved just before and did not pass.
    """
    n = 0
    for game in range(len(games.starts)):
        kernel.clear_board(window)
        last, last_colour = PASS, 0
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            point, colour = point_of(change), colour_of(change)
            if is_move(change):
                if point != PASS:
                    answers.keys[n] = NO_WINDOW
                    if last != PASS and last_colour != colour:
                        _write_answer(answers, window, n, last, point, colour)
                    n += 1
                last, last_colour = point, colour
            if point != PASS:
                window.board[cell_of(window, point)] = colour
    return n


@jit
def _write_answer(answers: Answers, window: Window, n: int, last: int, point: int, colour: int) -> None:
    """Write the move at `point` as an answer to the move at `last`. Of equivalent points, use the lowest."""
    size, outside = window.size, len(window.offsets)
    place = outside
    if abs(point % size - last % size) <= window.radius:
        offset = cell_of(window, point) - cell_of(window, last)
        for i in range(outside):
            if window.offsets[i] == offset:
                place = i
    key = kernel.exact_key_for(window, cell_of(window, last), colour)
    least, choice = key, place
    for image in range(1, 8):
        turned = kernel.turn_key(window, key, image)
        if turned > least:
            continue
        to = outside if place == outside else answers.images[image, place]
        if turned < least or to < choice:
            least, choice = turned, to
    answers.keys[n], answers.choices[n] = least, choice
