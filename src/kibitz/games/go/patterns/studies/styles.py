"""Players by what they choose: how they answer moves, against what others answer in the same patterns.

A pattern here is the window around the opponent's last move, seen by who
answers; a choice is a point of it, or elsewhere. For each player and choice the
difference from what is expected of everybody is measured in standard errors.
Two players are as similar as these differences point the same way: the cosine
between them, 1 for the same, 0 for unrelated, below 0 for contrary.

The counts are kept in the store, because they take some seconds.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.kernels.answers import Answers, answer_keys
from kibitz.games.go.patterns.kernels.windows import Seen
from kibitz.games.go.patterns.mining.windows import moves_of
from kibitz.games.go.patterns.shapes import Shape, parse_shape
from kibitz.games.go.patterns.tallies import Tally
from kibitz.games.go.records.filters import find_player
from kibitz.games.go.records.store import DAMAGED, Store
from kibitz.games.go.records.tables import opened

SHAPE = "5x5"
BATCH = 4000
MIN_GAMES = 50
"""Players of fewer games are not compared."""
MIN_SEEN = 200
"""Patterns that were answered less often are left out,"""
MIN_CHOSEN = 20
"""and so are answers that were chosen less often."""
KEPT = ("contexts", "choices", "group", "counts")


class Preference(NamedTuple):
    """What a player chooses in a pattern, and what all players choose."""

    rows: tuple[str, ...]
    """The player is X and answers at *; where no * is, the answer was elsewhere"""
    times: int
    """How often the player answered this pattern"""
    chosen: int
    """How often like this"""
    others: float
    """The share of all others, or of the one compared with, who answer like this"""
    others_times: int
    """How often they answered this pattern"""
    errors: float
    """The difference in standard errors; above 0 the player chooses it more often"""


class Similar(NamedTuple):
    """A player, and how similar."""

    name: str
    games: int
    similarity: float


@dataclass
class Styles:
    """The choices of all players with enough games."""

    shape: Shape
    names: list[str]
    games: Any
    """int64 [player]"""
    contexts: Any
    """int64 [cell]: the key of the pattern"""
    choices: Any
    """int64 [cell]: the answer"""
    group: Any
    """int64 [cell]: which pattern, from 0; cells of a pattern lie together"""
    counts: Any
    """int64 [player, cell]"""
    errors: Any
    """float32 [player, cell]: difference from what is expected, in standard errors"""
    shares: Any
    """float64 [cell]: how often all answer so"""

    def player(self, name: str) -> int:
        """Return the number of a player under the name that is shown. Raises BadOption if there are too few games."""
        if name not in self.names:
            raise BadOption(
                f"{name} has fewer than {self.games.min(initial=MIN_GAMES)} games here; too few to compare."
            )
        return self.names.index(name)

    def similar(self, name: str, limit: int = 20) -> list[Similar]:
        """Return the players that are most similar to one."""
        me = self.player(name)
        length = np.sqrt((self.errors.astype(np.float64) ** 2).sum(axis=1))
        length[length == 0] = 1
        cosine = self.errors.astype(np.float64) @ self.errors[me] / (length * length[me])
        order = [at for at in np.argsort(-cosine, kind="stable").tolist() if at != me]
        return [Similar(self.names[at], int(self.games[at]), float(cosine[at])) for at in order[:limit]]

    def preferences(self, name: str, limit: int = 10, against: str = "") -> list[Preference]:
        """Return where a player differs most from all others, or from one other player."""
        me = self.player(name)
        other = self.player(against) if against else None
        difference = self.errors[me] - (0 if other is None else self.errors[other])
        order = np.argsort(-np.abs(difference), kind="stable")[:limit]
        return [self._preference(me, other, cell, float(difference[cell])) for cell in order.tolist()]

    def _preference(self, me: int, other: int | None, cell: int, errors: float) -> Preference:
        here = self.group == self.group[cell]
        times, chosen = int(self.counts[me, here].sum()), int(self.counts[me, cell])
        if other is None:
            theirs = int(self.counts[:, here].sum()) - times, int(self.counts[:, cell].sum()) - chosen
        else:
            theirs = int(self.counts[other, here].sum()), int(self.counts[other, cell])
        rows = [list(row) for row in self.shape.rows(self.shape.codes(int(self.contexts[cell])))]
        if self.choices[cell] < len(self.shape.offsets):
            down, across = self.shape.offsets[self.choices[cell]]
            rows[down + self.shape.radius][across + self.shape.radius] = "*"
        others = theirs[1] / max(theirs[0], 1)
        return Preference(tuple("".join(row) for row in rows), times, chosen, others, theirs[0], errors)


def known_as(store: Store, name: str) -> str:
    """Return the name that is shown for a player under any spelling. Raises BadOption if there is none such."""
    with opened(store) as connection:
        return find_player(connection, name)


def styles(
    store: Store, size: int = 19, min_games: int = MIN_GAMES, min_seen: int = MIN_SEEN, min_chosen: int = MIN_CHOSEN
) -> Styles:
    """Return the choices of all players of a store. Raises BadOption if no two players have enough games."""
    players, names, games = _players(store, size, min_games)
    if len(names) < 2:
        raise BadOption(f"No two players of the store have {min_games} games on boards of size {size}.")
    shape = parse_shape(SHAPE)
    limits = np.array([size, min_seen, min_chosen], np.int64)
    mark = blake2b(players.tobytes() + store.column("digests").tobytes() + limits.tobytes()).hexdigest()
    found = _read(store, size, mark, len(names))
    if found is None:
        found = _count(store, shape, size, players, len(names), min_seen, min_chosen)
        _keep(store, size, mark, found)
    contexts, choices, group, counts = found
    return Styles(shape, names, games, contexts, choices, group, counts, *_errors(counts, group))


def _read(store: Store, size: int, mark: str, players: int) -> tuple[Any, ...] | None:
    """Return the counts that were kept of the same games and players, or None."""
    try:
        with open(store.folder / f"styles-{size}.npz", "rb") as file, np.load(file, allow_pickle=False) as kept:
            if str(kept["mark"]) != mark:
                return None
            found = tuple(kept[name] for name in KEPT)
    except (OSError, *DAMAGED):
        return None
    cells = (len(found[0]),)
    whole = [array.shape for array in found] == [cells, cells, cells, (players, *cells)]
    return found if whole and all(array.dtype.kind == "i" for array in found) else None


def _keep(store: Store, size: int, mark: str, found: tuple[Any, ...]) -> None:
    """Keep counts for the next time; where nothing can be written, they are counted again then."""
    part = store.folder / f"styles-{size}-{os.getpid()}.part"
    with suppress(OSError):
        try:
            with open(part, "wb") as file:
                np.savez_compressed(file, mark=np.array(mark), **dict(zip(KEPT, found, strict=True)))
            os.replace(part, store.folder / f"styles-{size}.npz")
        finally:
            part.unlink(missing_ok=True)


def _count(
    store: Store, shape: Shape, size: int, players: Any, known_players: int, min_seen: int, min_chosen: int
) -> tuple[Any, ...]:
    """Return patterns, answers, which pattern each answer is of, and [player, answer] how often it was chosen."""
    keys, choices, who = _answers(store, shape, size, players)
    tally = Tally(False)
    seen = Seen(np.zeros(len(keys), np.int32), np.zeros(len(keys), np.int32), np.full(len(keys), -1, np.int8), choices)
    numbers = tally.add(keys, seen, np.zeros(1, np.int16))
    often = tally.counts[:, 0] >= min_seen
    renumbered = np.where(often, np.cumsum(often) - 1, -1)[numbers]
    renumbered[numbers < 0] = -1
    known = (renumbered >= 0) & (who >= 0)
    width = len(shape.offsets) + 1
    cells = renumbered[known].astype(np.int64) * width + choices[known]
    total = np.bincount(cells, minlength=int(often.sum()) * width)
    kept = np.flatnonzero(total >= min_chosen)
    place = np.full(len(total), -1)
    place[kept] = np.arange(len(kept))
    at = place[cells]
    flat = who[known][at >= 0].astype(np.int64) * len(kept) + at[at >= 0]
    counts = np.bincount(flat, minlength=known_players * len(kept)).reshape(known_players, len(kept))
    group = np.unique(kept // width, return_inverse=True)[1]
    return tally.keys[np.flatnonzero(often)][kept // width], kept % width, group, counts.astype(np.int32)


def _errors(counts: Any, group: Any) -> tuple[Any, Any]:
    """Return how far counts are from what is expected, in standard errors, and each cell's share of its pattern."""
    if not len(group):
        raise BadOption("No pattern was answered often enough to compare players.")
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    all_cells = counts.sum(axis=0)
    shares = all_cells / np.add.reduceat(all_cells, starts)[group]
    times = np.add.reduceat(counts, starts, axis=1)[:, group].astype(np.float32)
    expected = times * shares.astype(np.float32)
    return (counts.astype(np.float32) - expected) / np.sqrt(expected * (1 - shares).astype(np.float32) + 1), shares


def _players(store: Store, size: int, min_games: int) -> tuple[Any, list[str], Any]:
    """Return int32 [game, colour] the number of each player, -1 with too few games, and their names and games."""
    with opened(store) as connection:
        rows = connection.execute("SELECT id - 1, black, white FROM games WHERE size = ?", [size]).fetchall()
    games: dict[str, int] = {}
    for _, black, white in rows:
        for name in {black, white} - {None}:
            games[name] = games.get(name, 0) + 1
    names = sorted((name for name, n in games.items() if n >= min_games), key=lambda name: (-games[name], name))
    number = {name: at for at, name in enumerate(names)}
    players = np.full((len(store), 3), -1, np.int32)
    for game, black, white in rows:
        players[game, 1], players[game, 2] = number.get(black, -1), number.get(white, -1)
    return players, names, np.array([games[name] for name in names], np.int64)


def _answers(store: Store, shape: Shape, size: int, players: Any) -> tuple[Any, Any, Any]:
    """Return for each move of players who are compared the pattern, the choice and the player."""
    which = np.flatnonzero((store.column("sizes") == size) & (players.max(axis=1) >= 0))
    board = np.zeros((size + 2 * shape.radius) ** 2, np.uint8)
    images = np.array(shape.images, np.int64)
    parts: list[list[Any]] = [[np.zeros(0, np.int64)], [np.zeros(0, np.uint8)], [np.zeros(0, np.int32)]]
    for start in range(0, len(which), BATCH):
        moves = moves_of(store, which[start : start + BATCH])
        answers = Answers(np.zeros(len(moves), np.int64), np.zeros(len(moves), np.uint8), images)
        answer_keys(answers, shape.window(size), store.column("changes"), board, moves.starts, moves.ends)
        for part, array in zip(
            parts, (answers.keys, answers.choices, players[moves.games, moves.colours]), strict=True
        ):
            part.append(array)
    keys, choices, who = (np.concatenate(part) for part in parts)
    return keys, choices, who
