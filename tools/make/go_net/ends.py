"""Positions of Go whose end is known: who owned each point, or at least who won.

A file of them has, per position: `planes`, the input of the net as uint8 [plane, point]; `owners`, int8 [point]: 1 the
player to move, -1 the opponent, 0 nobody, UNKNOWN; `leads`: the player's final lead on the board in points, without
komi, or nan; `komi`: the komi that counts against that player; `wins`: 1 if the player won, -1 if he lost, 0 unknown.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Int8Array
from kibitz.core.agent import Budget
from kibitz.games.go.players.mcts.agent import GuideSettings, MonteCarlo
from kibitz.games.go.players.mcts.guide import NetGuide
from kibitz.games.go.players.mcts.search import GoSearch
from kibitz.games.go.predict.fit.course import MAX_RECENT_MOVES, Moment, moments
from kibitz.games.go.predict.fit.games_file import from_store
from kibitz.games.go.predict.models import Shares
from kibitz.games.go.predict.net.net import PolicyNet, planes_of
from kibitz.games.go.predict.net.state import NetArrays
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import connect
from kibitz.games.go.rules import BLACK, Go, GoState

UNKNOWN = 9
OWNED_SHARE = 0.3  # a point belongs to a player who owns it in this share of the playouts more than the opponent
END_PLAYOUTS = {19: 32, 13: 200, 9: 200}
MAX_DIFFERENCE = 3  # leave out a game whose owners add up to a result this many points from the recorded one
POSITIONS_IF_COUNTED = 3  # positions from a game that was counted; others give one
MIN_MOVES = 40
COUNTED_KOMI = (0, 8.5)
OWN_KOMI = (3.5, 5.5, 6.5, 7.5, 7.5, 7.5, 9.5)
OWN_PLAYOUTS, OWN_AFTER = 100, 25
OWN_POSITIONS = {9: 14, 13: 20}
RANDOM_SHARE = 0.04  # moves of own games that are drawn from the net's probabilities, after a random opening


class Ends(NamedTuple):
    """The final owners on a board, from Black's view, and Black's lead."""

    owners: Int8Array
    lead: int


class Collected:
    """Positions as they are collected."""

    def __init__(self) -> None:
        self.columns: dict[str, list[object]] = {name: [] for name in ("planes", "owners", "leads", "komi", "wins")}

    def add(self, moment: Moment, owners: Int8Array | None, lead: float, komi: float, black_won: int) -> None:
        """Add a position; owners, lead and black_won (1, -1 or 0) are from Black's view."""
        sign, points = (1 if moment.colour == BLACK else -1), moment.board.size**2
        row = (
            planes_of([moment])[0].reshape(-1, points).astype(np.uint8),
            np.full(points, UNKNOWN, np.int8) if owners is None else sign * owners,
            sign * lead,
            sign * komi,
            sign * black_won,
        )
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(value)

    def save(self, path: Path) -> None:
        """Write the positions to a file."""
        arrays: NetArrays = {name: np.array(column) for name, column in self.columns.items()}
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)


def ends_of(search: GoSearch, state: GoState) -> Ends:
    """Return the owners at the end of a game that is over but for dead stones."""
    search.forget()
    search.run(state, (), Budget(playouts=END_PLAYOUTS[state.game.size]), None, 1, 0, lambda best: None)
    shares = np.array(search.owners())
    owners = np.where(shares > OWNED_SHARE, 1, np.where(shares < -OWNED_SHARE, -1, 0)).astype(np.int8)
    return Ends(owners, int(owners.sum()))


def positions_of_store(store: Path, games: int, held: bool, seed: int, out: Path) -> None:
    """Take positions from this many 19x19 games of a store: held-out games, or those that are not."""
    file, rng = from_store(store), np.random.default_rng(seed)
    query = "SELECT id, how, winner, margin, komi, handicap FROM games ORDER BY id"
    heads = connect(GameStore(store), query).execute(query).fetchall()
    game, collected = Go(), Collected()
    search = GoSearch(game, 5000, None)
    first, end = COUNTED_KOMI
    numbers = rng.permutation(file.split()[held])[:games].tolist()
    for done, number in enumerate(numbers):
        _, how, winner, margin, komi, handicap = heads[number]
        if handicap or how not in ("points", "resign") or komi is None or not first <= komi <= end:
            continue
        played = list(moments(19, file.plays_of(number)))
        if len(played) <= MIN_MOVES:
            continue
        black_won, ends = (1 if winner == "B" else -1 if winner == "W" else 0), None
        if how == "points":
            last = played[-1]
            ends = ends_of(search, game.set_up(last.board, last.colour - 1))
            recorded = black_won * margin + komi
            if abs(ends.lead - recorded) > MAX_DIFFERENCE:
                continue
        for ply in rng.choice(np.arange(4, len(played)), POSITIONS_IF_COUNTED if ends else 1, replace=False):
            collected.add(
                played[ply],
                ends.owners if ends else None,
                recorded if ends else float("nan"),
                komi,
                black_won,
            )
        if done % 500 == 0:
            print(f"  {done} of {len(numbers)} games", flush=True)
    collected.save(out)


def own_games(net_file: Path, size: int, seconds: float, seed: int, out: Path) -> None:
    """Play games for some seconds on boards of a size, and take positions from them."""
    rng, collected, games, began = random.Random(seed), Collected(), 0, time.monotonic()
    guide = NetGuide(PolicyNet.load(net_file), size)
    players = {komi: _Player(Go(size=size, komi=komi), guide) for komi in OWN_KOMI}
    searches = {komi: GoSearch(Go(size=size, komi=komi), 20_000, None) for komi in OWN_KOMI}
    while time.monotonic() - began < seconds:
        komi = rng.choice(OWN_KOMI)
        history, final = _own_game(players[komi], rng)
        if final is None:
            continue
        ends = ends_of(searches[komi], final.game.set_up(final.board, final.to_move))
        for moment in rng.sample(history, min(len(history), OWN_POSITIONS[size])):
            collected.add(moment, ends.owners, float(ends.lead), 0.0, 0)
        games += 1
        if games % 50 == 0:
            print(f"  {games} games on {size}x{size}, {time.monotonic() - began:.0f} of {seconds:.0f} s", flush=True)
    collected.save(out)


class _Player(MonteCarlo):
    """The champion with few playouts, which plays its games to the end."""

    def __init__(self, game: Go, guide: NetGuide) -> None:
        super().__init__(game, priors="net", resign=0, tree=20_000, playouts=OWN_PLAYOUTS)
        self.net_guide, self.guide_settings = guide, GuideSettings(OWN_AFTER)

    def guide(self) -> NetGuide:
        return self.net_guide


def _own_game(player: _Player, rng: random.Random) -> tuple[list[Moment], GoState | None]:
    """Play a game; return its positions, and the last one unless the game did not end."""
    game = player.game
    player.reset(rng.getrandbits(60))
    state, recent, history = game.start(), tuple[int, ...](), list[Moment]()
    opening = rng.randrange(game.size)
    while state.outcome() is None:
        if state.turn > 1.5 * game.size**2:
            return [], None
        moment = Moment(state.board, 1 + state.to_move, recent, state.ko, state.turn, -1)
        history.append(moment)
        if state.turn < opening or rng.random() < RANDOM_SHARE:
            move = _drawn(player.net_guide.net.shares(moment), state, rng)
        else:
            move = player.choose(state.view(state.to_move)).move
        recent = (move if move != game.pass_move else -1, *recent)[:MAX_RECENT_MOVES]
        state = state.play(move)
    return history, state


def _drawn(shares: Shares, state: GoState, rng: random.Random) -> int:
    """Draw a legal move by its probability, or a pass if no point has any."""
    points = [move for move in state.legal_moves() if move != state.game.pass_move]
    weights = [float(shares[point]) for point in points]
    return rng.choices(points, weights)[0] if sum(weights) else state.game.pass_move


def load(path: Path) -> NetArrays:
    """Read positions from a file."""
    with np.load(path) as arrays:
        return dict(arrays)
