"""Measure whether kibitz as a CodinGame bot is ever late, and where its start-up time goes.

python -m bench.uttt.codingame [--games N] [--opponent AGENT] [--agent AGENT] [--book SECONDS]

CodinGame gives 1000 ms for the first answer of a game and 100 ms for each later
one. Plays games of the real process against an agent, sides swapped, and prints
the times that the adapter measured, from the question sent to the answer read.
Beside them it prints how long a process that only sleeps is held up meanwhile:
what is late by no more than that is the machine's doing, not the bot's.
With --book it searches the replies of the book of codingame_bot.py instead.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys

import kibitz
from kibitz.core.agent import Budget
from kibitz.core.record import POINTS
from kibitz.games.uttt.rules.geometry import MOVE_SYMMETRIES

GAME = kibitz.game("uttt", tiebreak="count")
FIRST, LATER = 1000, 100
"""The limits, in milliseconds."""

_STAGES = """
import time
began = time.perf_counter()
def stage(name):
    global began
    print(f"{name:28} {1000 * (time.perf_counter() - began):7.0f} ms", flush=True)
    began = time.perf_counter()
import kibitz.cli.app
stage("the command line")
import kibitz.games.uttt.codingame
stage("the bot and the rules")
import numba
stage("numba and numpy")
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.search.agents import make_agent
game = registry.game("uttt", tiebreak="count")
agent = make_agent(game, "AGENT")
stage("making the agent")
agent.prepare()
stage("loading its search")
agent.choose(game.start().view(0), Budget(nodes=100))
stage("its first choice")
"""

_SLEEPER = """
import sys, threading, time
ended, late = threading.Event(), []
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
while not ended.is_set():
    began = time.perf_counter()
    time.sleep(0.01)
    late.append(1000 * (time.perf_counter() - began) - 10)
late.sort()
print(f"{'sleep':8} {len(late):5}   median {late[len(late) // 2]:6.1f}   99 % {late[len(late) * 99 // 100]:6.1f}   "
      f"max {late[-1]:6.1f} ms too long")
"""


def stages(agent: str) -> None:
    """Print where the start-up time of the bot goes, with its search in the cache."""
    for shown in (False, True):
        subprocess.run(
            [sys.executable, "-c", _STAGES.replace("AGENT", agent)],
            check=True,
            stdout=None if shown else subprocess.PIPE,
        )


def play(games: int, agent: str, opponent: str) -> tuple[list[float], list[float], list[str]]:
    """Return the bot's milliseconds for first and for later answers, and the reasons of games that it forfeited."""
    command = shlex.join([sys.executable, "-m", "kibitz", "uttt", "codingame", "--agent", agent])
    bot, other = kibitz.agent(GAME, f"codingame:{command}"), kibitz.agent(GAME, opponent)
    first, later, faults, points = list[float](), list[float](), list[str](), 0.0
    for number in range(games):
        seat = number % 2
        record = kibitz.play(GAME, [bot, other] if seat == 0 else [other, bot], seed=number)
        times = [1000 * seconds for seconds in record.times[seat::2]]
        first += times[:1]
        later += times[1:]
        points += POINTS[record.result] if seat == 0 else 1 - POINTS[record.result]
        if record.reason.startswith(f"forfeit by {GAME.players[seat]}"):
            faults.append(record.reason)
    bot.close()
    print(f"{points:g} points of {games} games against {opponent}")
    return first, later, faults


def told(name: str, ms: list[float], limit: int) -> None:
    """Print how a kind of answers kept its limit."""
    ms = sorted(ms)
    median, p99 = ms[len(ms) // 2], ms[min(len(ms) * 99 // 100, len(ms) - 1)]
    late = sum(m > limit for m in ms)
    print(f"{name:8} {len(ms):5}   median {median:6.1f}   99 % {p99:6.1f}   max {ms[-1]:6.1f} ms   late {late}")


def book(seconds: float, agent: str) -> None:
    """Print a reply to each first move, of which turns and reflections make one of eight the same."""
    player = kibitz.agent(GAME, agent)
    for move in range(81):
        if move == min(turned[move] for turned in MOVE_SYMMETRIES):
            player.reset(0)
            choice = player.choose(GAME.start().play(move).view(1), Budget(seconds=seconds))
            print(f"{move}: {choice.move},  # {choice.value:.3f}, depth {choice.depth}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--opponent", default="level3")
    parser.add_argument("--agent", default="champion")
    parser.add_argument("--book", type=float, metavar="SECONDS")
    args = parser.parse_args()
    if args.book is not None:
        book(args.book, args.agent)
        return
    stages(args.agent)
    with subprocess.Popen([sys.executable, "-c", _SLEEPER], stdin=subprocess.PIPE) as sleeper:
        first, later, faults = play(args.games, args.agent, args.opponent)
        told("first", first, FIRST)
        told("later", later, LATER)
        sleeper.communicate()
    for fault in faults:
        print(fault)


if __name__ == "__main__":
    main()
