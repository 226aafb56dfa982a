"""Play whole games against the real GNU Go over GTP, both ways, and compare how all sides count them.

python -m bench.go.gtp [--games N] [--agent AGENT] [--level N] [--size N] [--seed N] [--out FILE]

One player is `gnugo` (version 3.8), the other a process of `kibitz go gtp`; both are
spoken to by gtp: agents, so that each game goes through both halves of our GTP. Sides are
swapped from game to game. Chinese rules; dead stones are played out. In the end the score of
our rules, of GNU Go's final_score and of our engine's final_score must be the same.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

from kibitz.arena.match import play
from kibitz.core import registry
from kibitz.core.record import append_record, replay
from kibitz.games.go.gtp.bot import GtpBot
from kibitz.games.go.gtp.lines import score_text
from kibitz.games.go.rules import GoState
from kibitz.search.agents import make_agent


def number(score: str) -> float:
    """Return by how much Black is ahead: B+3.5 is 3.5, W+2.0 is -2, 0 is 0."""
    return 0.0 if score == "0" else float(score[2:]) * (1 if score[0] == "B" else -1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--agent", default="mcts(playouts=300)")
    parser.add_argument("--level", type=int, default=1)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    game = registry.game("go", size=options.size, komi=7.5)
    ours = shlex.join([sys.executable, "-m", "kibitz", "go", "gtp", "--agent", options.agent])
    specs = (f"gtp:{ours}", f"gtp:gnugo --mode gtp --never-resign --level {options.level}")
    agents = [make_agent(game, spec) for spec in specs]
    faults, agreed, won, began = 0, 0, 0, time.monotonic()
    for at in range(options.games):
        pair = agents if at % 2 == 0 else agents[::-1]
        record = play(game, pair, options.seed + at)
        won += record.result == ("1-0" if at % 2 == 0 else "0-1")
        if options.out is not None:
            append_record(options.out, record)
        if record.reason.startswith("forfeit"):
            faults += 1
            print(f"{at + 1:3}: {record.reason}", flush=True)
            continue
        end = replay(record)[-1]
        assert isinstance(end, GoState)
        scores = [score_text(end.score())]
        for agent in agents:
            assert isinstance(agent, GtpBot)
            scores.append(agent.score_of(end))
        same = len({number(score) for score in scores}) == 1
        agreed += same
        told = f"rules {scores[0]}, kibitz {scores[1]}, GNU Go {scores[2]}"
        print(f"{at + 1:3}: {len(record.moves)} moves, {told}{'' if same else '  DIFFERENT'}", flush=True)
    for agent in agents:
        agent.close()
    print(f"{options.games} games in {time.monotonic() - began:.0f} s: {faults} protocol errors or other faults,")
    print(f"{agreed} with one score on all sides, {won} won by {options.agent}")
    sys.exit(agreed < options.games)


if __name__ == "__main__":
    main()
