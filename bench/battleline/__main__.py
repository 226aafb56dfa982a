"""What the rules of Battle Line reach on one core, and how its claims agree with trying everything.

python -m bench.battleline speed               full random games a second, claims proved, with and without Tactics
python -m bench.battleline claims --cases 50000  random claims, readable and compiled, against all completions

Speeds depend on the machine and on what else it does; the best of several short runs is shown.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.compiled.jit import entry
from kibitz.compiled.rng import stream
from kibitz.games.battleline.kernel import position as kernel
from kibitz.games.battleline.kernel.deal import random_games
from kibitz.games.battleline.kernel.layout import SEEN
from kibitz.games.battleline.kernel.proof import prove as prove_compiled
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.games.battleline.rules.cards import parse_card
from kibitz.games.battleline.rules.formations import prove
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag

RUNS, GAMES, PLAIN_GAMES = 20, 2_000, 20


def speed() -> None:
    for game in (BattleLine(tactics=False), BattleLine()):
        pos, scratch = kernel.pack(game.start(1)), kernel.pack(game.start(1))
        moves, tally, times = np.zeros(kernel.MAX_LEGAL_MOVES, np.int64), np.zeros(3, np.int64), []
        random_games(pos, scratch, 10, stream(1), moves, tally)
        tally[:] = 0
        for run in range(RUNS):
            began = time.perf_counter()
            plies = random_games(pos, scratch, GAMES, stream(run), moves, tally)
            times.append(time.perf_counter() - began)
        began = time.perf_counter()
        for seed in range(PLAIN_GAMES):
            plain_game(game, seed)
        plain = PLAIN_GAMES / (time.perf_counter() - began)
        rate, usual = GAMES / min(times), RUNS * GAMES / sum(times)
        name = "all Tactics" if game.tactics else "no Tactics"
        print(
            f"{name:12} {rate:9,.0f} random games/s (mean {usual:,.0f}), {rate / plain:,.0f} x the readable rules, "
            f"{plies / GAMES:.0f} moves a game; first, drawn, second: {tally.tolist()}"
        )


def plain_game(game: BattleLine, seed: int) -> None:
    rng, state = random.Random(seed), game.start(seed)
    while moves := state.legal_moves():
        state = state.play(rng.choice(moves))


@entry
def verdict(pos: Any, player: int, flag: int) -> int:
    """Ask a compiled position for a claim."""
    return prove_compiled(pos.words, pos.verdicts, player, flag)


def claims(cases: int, seed: int) -> None:
    """Compare claims with all completions; exit with an error at the first that differs."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
    from games.battleline.naive import may_claim, random_case, worth, write

    rng, yes, told = random.Random(seed), 0, time.perf_counter()
    game = BattleLine()
    for number in range(1, cases + 1):
        case = random_case(rng)
        expected = may_claim(case)
        worth.cache_clear()
        mine, theirs = (tuple(sorted(parse_card(write(card)) for card in side)) for side in case[:2])
        unseen = frozenset(parse_card(write(card)) for card in case.unseen)
        readable = prove(mine, theirs, unseen, case.fog, case.mud, case.mine_first).claim
        cap = 4 if case.mud else 3
        complete = [player for player, side in ((0, mine), (1, theirs)) if len(side) == cap]
        first = NOBODY if not complete else complete[0] if len(complete) == 1 else 0 if case.mine_first else 1
        flag = Flag((mine, theirs), case.fog, case.mud, NOBODY, first)
        flags = (flag, *[Flag()] * 8)
        pos = kernel.pack(
            BattleLineState(game, flags, (), ((), ()), 0, stages.PLAY, 0, 0, 0, ((), ()), ((), ()), ((), ()))
        )
        pos.words[SEEN] = (1 << 60) - 1 - sum(1 << card for card in unseen)
        if not expected == readable == bool(verdict(pos, 0, 0)):
            sys.exit(f"case {number} of seed {seed}: {case} must be {expected}, the rules say {readable}")
        yes += expected
        if time.perf_counter() - told > 20:
            told = time.perf_counter()
            print(f"  {number} cases", file=sys.stderr, flush=True)
    print(f"{cases:,} random claims agree with all completions, {yes:,} of them proved")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", default="speed", choices=["speed", "claims"])
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.part == "speed":
        speed()
    else:
        claims(given.cases, given.seed)
