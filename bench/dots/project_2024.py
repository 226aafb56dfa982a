"""The player of the 2024 project on its board, 5x5: compiled beside plain Python, alpha-beta beside minimax.

python -m bench.dots.project_2024 [--games N]

The positions are those of games that the player plays against itself, from four
random lines on. Compiled, plain and minimax must choose the same line in every
one of them, and compiled and plain must look at as many nodes. Then the search
as written plays the corrected one, each opening twice with sides swapped.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from kibitz.core.agent import Choice
from kibitz.games.dots.players.project_2024 import As, Minimax2024, Plain2024, Project2024
from kibitz.games.dots.rules import Dots, DotsState

GAME = Dots(5, 5)
OPENING_LINES = 4
"""Random lines at the start of each game, because the player itself is deterministic."""
MIN_SPEEDUP = 100
"""The compiled search must be at least this many times as fast as the plain one."""
TIMING_ROUNDS = 10
"""Rounds in which the compiled search is timed over all positions; the fastest counts."""
GAME_PAIRS = 50


def opening(rng: random.Random) -> DotsState:
    """Return a position after some random lines."""
    state = GAME.start()
    for _ in range(OPENING_LINES):
        state = state.play(rng.choice(state.legal_moves()))
    return state


def played(agents: tuple[Project2024, Project2024], state: DotsState) -> list[DotsState]:
    """Return the positions of a game between these agents, first to last."""
    states = [state]
    while states[-1].outcome() is None:
        state = states[-1]
        states.append(state.play(agents[state.to_move].choose(state).move))
    return states


def timed(agent: Project2024, states: list[DotsState]) -> tuple[list[Choice], float]:
    """Return an agent's choices and the milliseconds that each took on average."""
    agent.prepare()
    began = time.perf_counter()
    choices = [agent.choose(state) for state in states]
    return choices, 1000 * (time.perf_counter() - began) / len(states)


def bench_speed(as_: As, games: int) -> None:
    """Compare the three forms on the same positions."""
    fast, whole, plain = Project2024(GAME, as_=as_), Minimax2024(GAME, as_=as_), Plain2024(GAME, as_=as_)
    states = [state for seed in range(games) for state in played((fast, fast), opening(random.Random(seed)))[:-1]]
    slow, slow_ms = timed(plain, states)
    full, full_ms = min((timed(whole, states) for _ in range(3)), key=lambda found: found[1])
    quick, quick_ms = min((timed(fast, states) for _ in range(TIMING_ROUNDS)), key=lambda found: found[1])
    for state, ours, reference, other in zip(states, quick, slow, full, strict=True):
        if not (ours.move == reference.move == other.move and ours.nodes == reference.nodes):
            sys.exit(f"as={as_}: the choices differ at {GAME.position_text(state)}")
    nodes, full_nodes = (sum(choice.nodes for choice in choices) / len(states) for choices in (quick, full))
    print(f"as={as_}, depth 3: the same lines in all {len(states)} positions of {games} games; a move on average:")
    print(f"  plain alpha-beta    {nodes:10,.0f} nodes {slow_ms:10.3f} ms")
    print(f"  compiled alpha-beta {nodes:10,.0f} nodes {quick_ms:10.3f} ms  {slow_ms / quick_ms:6.0f} x faster")
    print(f"  compiled minimax    {full_nodes:10,.0f} nodes {full_ms:10.3f} ms  {full_nodes / nodes:6.1f} x the nodes")
    if slow_ms < MIN_SPEEDUP * quick_ms:
        sys.exit(f"the compiled search is not {MIN_SPEEDUP} times as fast as the plain one")


def bench_match() -> None:
    """Let the corrected search meet the one as written."""
    written, corrected = Project2024(GAME), Project2024(GAME, as_="corrected")
    margins = []
    for seed in range(GAME_PAIRS):
        start = opening(random.Random(1000 + seed))
        for seat in range(2):
            last = played((corrected, written) if seat == 0 else (written, corrected), start)[-1]
            margins.append(last.scores[seat] - last.scores[1 - seat])
    won = sum(margin > 0 for margin in margins)
    print(
        f"corrected against written: {won} of {len(margins)} games won, {sum(margins) / len(margins):+.1f} boxes a game"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=3, help="games for each comparison")
    given = parser.parse_args()
    bench_speed("written", given.games)
    bench_speed("corrected", given.games)
    bench_match()
