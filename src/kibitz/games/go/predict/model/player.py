"""A pattern model that leans towards one player: it learns a little more from the moves of that player's own games.

Only the weights of features that are no patterns are learned anew. A player's
games are too few for patterns: when those were learned too, held-out games of
the player were predicted worse than before.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.rng import stream
from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.studies.styles import known_as
from kibitz.games.go.predict.fit.fit import RARE, SIZE
from kibitz.games.go.predict.fit.games_file import GamesFile, from_store, held_out, key_of
from kibitz.games.go.predict.fit.kernel import fit_games
from kibitz.games.go.predict.model.file import Content
from kibitz.games.go.predict.model.layout import FIXED
from kibitz.games.go.predict.model.model import PatternModel, fill_words, new_found, new_weights
from kibitz.games.go.predict.model.scene_kernel import new_scene
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import open_tables
from kibitz.games.go.rules.board import BLACK, WHITE

MOST_GAMES = 300
"""A player's last games; more take longer and change little."""
RATE, CAUTION = 0.1, 1000.0
"""How fast it learns, and as if how much had been learned of each weight before."""
NEVER = 1e30


class Own(NamedTuple):
    """The games of a player."""

    name: str
    """As it is shown"""
    games: GamesFile
    """All games of the store"""
    which: Any
    """Numbers of the games that may be learned from, the latest last"""
    colours: Any
    """Which colour the player has in each"""
    held: Any
    """Numbers of those held out"""
    held_colours: Any


def games_of(folder: Path, name: str) -> Own:
    """Return the games of a player of a store, under any spelling. Raises BadOption if there are none on 19x19."""
    store = GameStore(folder)
    shown = known_as(store, name)
    with open_tables(store) as connection:
        rows = connection.execute(
            "SELECT id - 1, black = ? FROM games WHERE size = ? AND (black = ? OR white = ?) ORDER BY date, id",
            [shown, SIZE, shown, shown],
        ).fetchall()
    games = from_store(folder)
    which = np.array([game for game, _ in rows], np.int64)
    colours = np.array([BLACK if is_black else WHITE for _, is_black in rows], np.int64)
    held = np.array([held_out(key_of(int(games.digests[game]))) for game in which.tolist()], bool)
    if not (~held).any():
        raise BadOption(f"{shown} has no game of size {SIZE} in the store to learn from.")
    return Own(shown, games, which[~held], colours[~held], which[held], colours[held])


def lean(model: PatternModel, own: Own) -> PatternModel:
    """Return a model that has learned from a player's last MOST_GAMES games too."""
    which, colours = own.which[-MOST_GAMES:], own.colours[-MOST_GAMES:]
    weights = model.weights.copy()
    past = np.full(weights.shape, NEVER, np.float32)
    past[:FIXED, 0] = CAUTION
    fit_games(
        new_scene(SIZE), fill_words(model.keys), new_weights(weights, SIZE)._replace(past=past), new_found(SIZE),
        own.games.plays, own.games.spans(which, colours), np.array([RATE, 0.0, 1.0, RARE]), stream(1), np.zeros(3),
    )  # fmt: skip
    return PatternModel(Content(model.about, model.keys, weights))
