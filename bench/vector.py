"""Measure vectorised play: random moves in many games at once, on one core.

python -m bench.vector [--games N] [--seconds S] [--json]

Prints the steps per second of kibitz.vector with its random moves included, of the PettingZoo
environment of the same game, and of pgx (https://github.com/sotetsuk/pgx) where it is installed
and has the game. A step is one move in one game. pgx runs as its own documentation does it:
a jitted, vmapped step with automatic reset, its random moves included, on one CPU thread.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kibitz
from kibitz.core.game import OptionValue
from kibitz.interop.pettingzoo import env

GAMES: dict[str, dict[str, OptionValue]] = {
    "uttt": {},
    "dots": {"rows": 3, "cols": 3},
    "battleline": {},
    "go": {"size": 9},
}
PGX = {"go": "go_9x9"}
"""The games that pgx has too -> its names of them."""


def rate(advance: Callable[[], int], seconds: float) -> float:
    """Return how many steps a function makes in a second; it returns the number of each call."""
    advance()
    steps, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        steps += advance()
    return steps / (time.perf_counter() - began)


def vector(game: str, n: int) -> Callable[[], int]:
    games = kibitz.vector.make(game, n=n, seed=1, **GAMES[game])
    games.reset()

    def advance() -> int:
        games.step(games.sample())
        return n

    return advance


def pettingzoo(game: str) -> Callable[[], int]:
    made, rng = env(game, **GAMES[game]), np.random.default_rng(1)
    made.reset(seed=1)

    def advance() -> int:
        seen, _, over, _, _ = made.last()
        if over:
            made.reset()
            return 0
        made.step(rng.choice(np.flatnonzero(seen["action_mask"])))
        return 1

    return advance


def pgx_steps(name: str, n: int) -> Callable[[], int] | None:
    """Return a function that steps n games of pgx; None if pgx is not installed."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    try:
        import jax
        import pgx
        from pgx.experimental import auto_reset
    except ImportError:
        return None
    game = pgx.make(name)
    init, step = jax.jit(jax.vmap(game.init)), jax.jit(jax.vmap(auto_reset(game.step, game.init)))

    @jax.jit  # type: ignore[untyped-decorator]  # we do not read its types
    def choose(key: Any, state: Any) -> Any:
        return jax.random.categorical(key, jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32)), axis=1)

    keys = jax.random.split(jax.random.PRNGKey(1), n)
    state, key = init(keys), jax.random.PRNGKey(2)

    def advance() -> int:
        nonlocal state, key
        key, one, two = jax.random.split(key, 3)
        state = step(state, choose(one, state), jax.random.split(two, n))
        state.observation.block_until_ready()
        return n

    return advance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4096, help="games side by side")
    parser.add_argument("--seconds", type=float, default=3.0, help="seconds for each measurement")
    parser.add_argument("--json", action="store_true", help="print JSON objects, one a line")
    args = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one core, for everybody
    for game in GAMES:
        ours = rate(vector(game, args.games), args.seconds)
        single = rate(pettingzoo(game), args.seconds)
        other = pgx_steps(PGX[game], args.games) if game in PGX else None
        theirs = rate(other, args.seconds) if other else None
        row = {"game": game, **GAMES[game], "games": args.games, "vector": round(ours), "pettingzoo": round(single)}
        row |= {} if theirs is None else {"pgx": round(theirs)}
        beside = "" if theirs is None else f", pgx {theirs:10,.0f} ({ours / theirs:.1f} times)"
        text = f"{game:10} {ours:10,.0f} steps/s, PettingZoo {single:7,.0f} ({ours / single:,.0f} times){beside}"
        print(json.dumps(row) if args.json else text, flush=True)


if __name__ == "__main__":
    main()
