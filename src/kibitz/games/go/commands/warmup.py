"""What `kibitz warmup` prepares for Go besides its agents: searches and statistics of records, and predictions."""

from __future__ import annotations


def search_records() -> None:
    """Store the games of masters, and search them."""
    from kibitz.games.go.records.masters import masters_store
    from kibitz.games.go.records.search.search import Searcher

    Searcher(masters_store())


def mine_records() -> None:
    """Mine the games of masters, choose a move by them, and compare their openings, corners and players."""
    import numpy as np

    from kibitz.games.go.patterns.choosing import load_collection
    from kibitz.games.go.patterns.mining.mining import FIRST_USE_WAIT_SECONDS, mine
    from kibitz.games.go.patterns.openings import find_fuseki, find_joseki
    from kibitz.games.go.patterns.studies.styles import player_styles
    from kibitz.games.go.records.masters import masters_store
    from kibitz.games.go.rules import BLACK

    store = masters_store()
    mine(store, wait_seconds=FIRST_USE_WAIT_SECONDS)
    games = np.arange(len(store))
    find_fuseki(store, games)
    find_joseki(store, games)
    load_collection(store.folder, 19).suggestions(store.board(0, 1), BLACK)
    player_styles(store)


def predict_moves() -> None:
    """Predict the first move of a game by every model, with reasons."""
    from kibitz.games.go.predict.fit.course import moments
    from kibitz.games.go.predict.model.model import PatternModel
    from kibitz.games.go.predict.models import open_model

    (start,) = moments(19, ())
    open_model().shares(start)
    PatternModel.load().rank_moment(start)


JOBS = {"searching records": search_records, "mining records": mine_records, "predicting moves": predict_moves}
