"""Check that the analyst lists no candidate on the first line in the opening of professional games.

python -m bench.go.candidates --record PATH ... [--games N] [--moves N] [--time S | --playouts N] [--seed N]
    [--agent SPEC] [--all-games]

The seed chooses the games, as in bench.go.judge. The position before each of their first --moves moves is analysed, as
a review does unless --time or --playouts is given. Also prints how many candidates are listed, and how often the first
and any of them is the professional's move. Exits with 1 if a pass is listed, or a move on the first line where the
professional does not play there either.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import closing
from itertools import islice
from pathlib import Path

from bench.go.judge import positions
from kibitz.core.agent import Budget
from kibitz.core.game import Move
from kibitz.games.go.rules import Go
from kibitz.games.go.sgf.games import read
from kibitz.games.go.words.openings import lines_of
from kibitz.search.agents import agent_table, analyst_spec, make_agent


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, nargs="+", required=True)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--moves", type=int, default=30)
    parser.add_argument("--time", type=float)
    parser.add_argument("--playouts", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--agent", default=analyst_spec("go"))
    parser.add_argument("--all-games", action="store_true", help="also games that the models have learnt from")
    args = parser.parse_args()
    given = args.time is not None or args.playouts is not None
    budget = Budget(args.time, None, args.playouts) if given else agent_table("go").review
    counts: Counter[str] = Counter()
    for chosen in islice(positions(args.record, args.seed, args.all_games), args.games):
        state, moves = read(Go(), chosen.record)
        with closing(make_agent(state.game, args.agent, args.seed)) as analyst:
            for number, move in enumerate(moves[: args.moves], 1):
                choice, game = analyst.analyse(state, budget), state.game
                listed = [each.move for each in choice.candidates]
                edge = [each for each in listed if is_on_edge(game, each)]
                counts += Counter(positions=1, candidates=len(listed), first=move == choice.move, any=move in listed)
                counts += Counter(edge=len(edge), passes=game.pass_move in listed)
                counts += Counter(wrong=0 if is_on_edge(game, move) else len(edge))
                if edge:
                    found, played = ", ".join(map(game.move_text, edge)), game.move_text(move)
                    print(f"game {chosen.number}, before move {number}, {played}: {found}", flush=True)
                state = state.play(move)
    n = max(counts["positions"], 1)
    print(f"{counts['positions']} positions, {counts['candidates'] / n:.1f} candidates each")
    print(f"the professional's move: first {counts['first'] / n:.0%}, listed {counts['any'] / n:.0%}")
    print(f"candidates on the first line: {counts['edge']}, {counts['wrong']} where the professional plays elsewhere")
    print(f"passes: {counts['passes']}")
    return not counts["wrong"] and not counts["passes"]


def is_on_edge(game: Go, move: Move) -> bool:
    """Return whether a move is on the first line."""
    return move != game.pass_move and min(lines_of(game.size, move)) == 1


if __name__ == "__main__":
    sys.exit(not main())
