"""What the arena reaches, and what it survives.

python -m bench.arena speed   games a second, judged on the rules, by one worker and by two
python -m bench.arena bots    a thousand games against a program that misbehaves at random
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from statistics import mean

from kibitz.arena import runner
from kibitz.arena.store import TournamentFolder
from kibitz.arena.tournament import Terms, Tournament
from kibitz.core.agent import Budget
from kibitz.core.record import GameRecord
from kibitz.core.seeds import derive

RANDOM = Tournament("uttt", ("random", "level1"), format="match", seed=1)
"""level1 is random too; an agent cannot meet itself."""


def speed(games: int) -> None:
    rates = []
    for jobs in (1, 2, 1, 2):
        with tempfile.TemporaryDirectory() as folder, runner.local_executor(jobs) as executor:
            executor.submit(runner.play_batch, RANDOM.to_json(), []).result()  # the workers are up
            store = TournamentFolder.create(Path(folder) / "out", replace(RANDOM, games=games * jobs))
            began = time.perf_counter()
            runner.run(store, executor, jobs)
            rates.append((jobs, games * jobs / (time.perf_counter() - began)))
        print(f"{jobs} worker(s): {rates[-1][1]:7.0f} games/s", flush=True)
    one, two = (max(rate for jobs, rate in rates if jobs == n) for n in (1, 2))
    print(f"two workers against one: {two / one:.2f} times")


REASONS = {
    "behave": "",
    "silent": "forfeit by {}: out of time",
    "slow": "forfeit by {}: out of time",
    "garbage": "forfeit by {}: garbage",
    "illegal": "forfeit by {}: illegal move",
    "die": "forfeit by {}: died",
    "flood": "forfeit by {}: flood",
}
"""What the bot below may do in a game -> how the reason in the record must begin."""

BOT = """
import random, sys, time
KINDS = {kinds!r}
def say(text): print(text, flush=True)
for line in sys.stdin:
    command, _, rest = line.strip().partition(" ")
    if command in ("kibitz", "newgame"):
        say("ready")
    elif command == "seed":
        rng, kind, turn = random.Random(int(rest)), KINDS[int(rest) % len(KINDS)], 0
        when = 1 + rng.randrange(8)
    elif command == "legal":
        legal = rest.split()
    elif command == "quit":
        break
    elif command == "go":
        turn += 1
        if turn <= when or kind == "behave": say("bestmove " + rng.choice(legal))
        elif kind == "silent": pass
        elif kind == "slow": time.sleep(1.5); say("bestmove " + legal[0])
        elif kind == "garbage": say("what? \\x1b[2J")
        elif kind == "illegal": say("bestmove " + str(next(m for m in range(81) if str(m) not in legal)))
        elif kind == "die": sys.exit(3)
        else:
            while True: say("info " + "x" * 5000)
"""


def memory() -> float:
    """Return the resident megabytes of this process and all below it."""
    pages, mine = 0, {os.getpid()}
    stats = [path.read_text().rpartition(")") for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
    for head, _, rest in stats * 4:  # a few rounds find children of children
        if int(rest.split()[1]) in mine:
            mine.add(int(head.split()[0]))
    for pid in mine:
        with suppress(OSError):
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def bots(games: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "bot.py"
        script.write_text(BOT.format(kinds=list(REASONS)))
        bot = f"exec:{shlex.join([sys.executable, str(script)])}"
        terms = Terms(budget=Budget(seconds=0.2))
        store = TournamentFolder.create(
            Path(folder) / "out", replace(RANDOM, agents=(bot, "random"), games=games, terms=terms)
        )
        seen: list[float] = []
        began = time.perf_counter()

        def progress(record: GameRecord) -> None:
            if int(record.id) % 50 == 0:
                seen.append(memory())
                print(f"\r{record.id} games, {seen[-1]:.0f} MB", end="", flush=True)

        with runner.local_executor(2) as executor:
            runner.run(store, executor, 2, progress)
        records, wrong, counts = store.games().records.values(), 0, Counter[str]()
        for record in records:
            seat = record.agents.index(bot)
            kind = list(REASONS)[derive(record.seed, "agent", seat) % len(REASONS)]
            over = not record.reason.startswith("forfeit")  # the game ended before the bot got to it
            counts[f"{kind}, game over before" if over and kind != "behave" else kind] += 1
            wrong += not over and not record.reason.startswith(REASONS[kind].format("XO"[seat]) or "?")
        print(f"\n{len(records)} games in {time.perf_counter() - began:.0f} s, {wrong} with a wrong reason")
        for kind, count in sorted(counts.items()):
            print(f"  {count:4} {kind}")
        quarter = len(seen) // 4
        early, late = mean(seen[quarter : 2 * quarter]), mean(seen[-quarter:])
        print(f"memory {early:.0f} MB in the second quarter, {late:.0f} MB in the last")
        stray = subprocess.run(["pgrep", "-f", str(script)], capture_output=True, text=True).stdout.split()
        print(f"stray processes: {len(stray)}")
        if wrong or stray:
            sys.exit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "bots"))
    parser.add_argument("--games", type=int)
    args = parser.parse_args()
    if args.what == "speed":
        speed(args.games or 6000)
    else:
        bots(args.games or 1000)


if __name__ == "__main__":
    main()
