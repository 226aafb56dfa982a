"""An agent against OpenSpiel's own MCTSBot in Ultimate Tic-Tac-Toe, sides swapped after every game.

python -m bench.openspiel [--agent "champion(seconds=0.1)"] [--games 100] [--simulations 20000] [--jobs 2]

OpenSpiel splits a move with a free choice in two actions, board and cell; its
bot gets its simulations for each.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import pyspiel

import kibitz
from kibitz.arena.results import Rate
from kibitz.games.uttt.rules import State, Uttt
from kibitz.games.uttt.text import FREE


@dataclass(frozen=True)
class Played:
    """How one game went for the agent: 1, 0 or -1, and the mean seconds a move of both."""

    result: int
    seconds: float
    their_seconds: float


def play(spec: str, simulations: int, number: int) -> Played:
    """Play one game, the agent moving first in every other one."""
    theirs = pyspiel.load_game("ultimate_tic_tac_toe")
    bot = pyspiel.MCTSBot(
        theirs, pyspiel.RandomRolloutEvaluator(1, number), 2.0, simulations, 1000, True, number, False
    )
    agent = kibitz.agent(Uttt(), spec, number)
    agent.prepare()
    state, twin = Uttt().start(), theirs.new_initial_state()
    times: tuple[list[float], list[float]] = ([], [])
    while (outcome := state.outcome()) is None:
        ours, began = state.to_move == number % 2, time.perf_counter()
        move = agent.choose(state).move if ours else ask(bot, twin, state)
        times[not ours].append(time.perf_counter() - began)
        board, cell = divmod(move, 9)
        for action in (board, cell) if state.forced == FREE else (cell,):
            twin.apply_action(action)
        state = state.play(move)
    assert twin.is_terminal()
    return Played(outcome.value(number % 2), *(sum(each) / len(each) for each in times))


def ask(bot: Any, twin: Any, state: State) -> int:
    """Return the move that OpenSpiel's bot makes."""
    twin = twin.clone()
    board = state.forced
    if board == FREE:
        board = bot.step(twin)
        twin.apply_action(board)
    return int(9 * board + bot.step(twin))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", default="champion(seconds=0.1)")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    played: list[Played] = []
    with ProcessPoolExecutor(given.jobs) as pool:
        games = [pool.submit(play, given.agent, given.simulations, number) for number in range(given.games)]
        for game in as_completed(games):
            played.append(game.result())
            results = [each.result for each in played]
            rate = Rate(results.count(1), results.count(0), results.count(-1))
            low, high = rate.interval
            ms, their_ms = (
                1000 * sum(times) / len(played)
                for times in zip(*((p.seconds, p.their_seconds) for p in played), strict=True)
            )
            print(
                f"\r{rate.games} games: +{rate.wins} ={rate.draws} -{rate.losses}, {rate.share:.1%} "
                f"(95 % {low:.1%} to {high:.1%}), {ms:.0f} ms a move against {their_ms:.0f} ms",
                end="" if len(played) < given.games else "\n",
                flush=True,
            )


if __name__ == "__main__":
    main()
