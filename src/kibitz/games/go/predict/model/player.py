"""Adapt a pattern model to one player, by further training on that player's moves.

Only the weights of features that are not patterns are trained. One player's games are too few for patterns: when their
weights were trained too, held-out games of the player were predicted worse than before.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Int64Array
from kibitz.compiled.rng import stream
from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.studies.styles import shown_name
from kibitz.games.go.predict.fit import kernel
from kibitz.games.go.predict.fit.fit import BOARD_SIZE, RARE_SHARE
from kibitz.games.go.predict.fit.games_file import GamesFile, from_store
from kibitz.games.go.predict.model.layout import FIXED_FEATURES
from kibitz.games.go.predict.model.model import ModelContent, PatternModel
from kibitz.games.go.predict.model.patterns_kernel import filled_table
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import open_tables
from kibitz.games.go.rules.board import BLACK, WHITE

MAX_GAMES = 300  # learn from at most this many of a player's latest games; more take longer and change little
LEARNING_RATE = 0.1
SQUARES_BEFORE = 1000.0
"""The sum of squared gradients that each weight starts with: the larger, the more slowly it changes."""
FROZEN = 1e30  # the same for weights that must not change


class PlayerGames(NamedTuple):
    """The games of one player in a store. Numbers are those of the store, the latest game last."""

    name: str  # the player's name as it is shown
    games: GamesFile  # all games of the store
    learn: Int64Array  # numbers of the player's games that may be learned from
    colours: Int64Array  # the player's colour in each of them
    held_out: Int64Array  # numbers of the player's games that are held out
    held_out_colours: Int64Array


def games_of_player(folder: Path, name: str) -> PlayerGames:
    """Return a player's games, by any spelling of the name. Raise BadOption without a 19x19 game to learn from."""
    store = GameStore(folder)
    shown = shown_name(store, name)
    with open_tables(store) as connection:
        rows = connection.execute(
            "SELECT id - 1, black = ? FROM games WHERE size = ? AND (black = ? OR white = ?) ORDER BY date, id",
            [shown, BOARD_SIZE, shown, shown],
        ).fetchall()
    games = from_store(folder)
    selected = np.array([game for game, _ in rows], np.int64)
    colours = np.array([BLACK if is_black else WHITE for _, is_black in rows], np.int64)
    held = games.held_out_mask()[selected]
    if held.all():
        raise BadOption(f"The store has no {BOARD_SIZE}x{BOARD_SIZE} game of {shown} to learn from.")
    return PlayerGames(shown, games, selected[~held], colours[~held], selected[held], colours[held])


def adapt_to_player(model: PatternModel, player: PlayerGames) -> PatternModel:
    """Return a copy of the model, trained further on the player's latest MAX_GAMES games."""
    spans = player.games.spans(player.learn[-MAX_GAMES:], player.colours[-MAX_GAMES:])
    weights = model.weights.copy()
    squares = np.full(weights.shape, FROZEN, np.float32)
    squares[:FIXED_FEATURES, 0] = SQUARES_BEFORE
    work = kernel.new_workspace(BOARD_SIZE, filled_table(model.keys), weights, squares)
    rates = np.array([LEARNING_RATE, 0.0, 1.0, RARE_SHARE])
    kernel.fit_games(work, player.games.plays, spans, rates, stream(1), np.zeros(3))
    return PatternModel(ModelContent(model.about, model.keys, weights))
