"""Play the engine games of the few games that tests use, and write their file.

python -m tools.make.go_few_games [--out FILE] [--games N] [--gnugo-games N] [--seed N]

The games that Singh's report prints are kept as they stand in the file. All others
are played anew, the same ones from a seed: games between agents of kibitz, and games of
GNU Go (the program `gnugo`, version 3.8) against itself at two low levels.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from kibitz.core.seeds import Stream, derive
from kibitz.games.go.gtp.lines import score_text
from kibitz.games.go.rules import Go
from kibitz.games.go.rules.text import move_text, parse_move, sgf_point
from kibitz.search.agents import make_agent

FEW_GAMES = Path(__file__).parents[2] / "tests" / "games" / "go" / "few_games.sgf"
PLAYERS = ("mcts(playouts=15)", "mcts(playouts=40)", "mcts(playouts=100)")
BOARDS = ((19, 7.5), (19, 6.5), (13, 7.5), (9, 7.0))
OPENING = 4
"""Moves at the start that are drawn from the star points and those around them, so that no two games are the same."""
MOST_MOVES = {19: 220, 13: 150, 9: 100}
"""A game is ended here, and counted as it stands."""
LEVELS = ((0, 1), (1, 0), (1, 1))
"""Levels of GNU Go for Black and for White."""
GNUGO_BOARDS = ((19, 7.5), (13, 7.5), (13, 7.5), (9, 7.0), (9, 7.0), (9, 7.0))
PROGRAM = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games") or "gnugo"


def opening(seed: int, size: int) -> list[int]:
    """Return the first moves of a game, one in each corner."""
    stream, near, moves = Stream(seed), [2, 3, 4] if size > 9 else [2, 3], list[int]()
    for corner in range(OPENING):
        row, col = (near[stream.next() % len(near)] for _ in range(2))
        row, col = size - 1 - row if corner & 1 else row, size - 1 - col if corner & 2 else col
        moves.append(row * size + col)
    return moves


def record(seed: int, size: int, komi: float, players: tuple[str, str], result: str, moves: list[int]) -> str:
    """Return a game in SGF."""
    played = "".join(
        f";{'BW'[i % 2]}[{'' if move == size * size else sgf_point(size, move)}]" for i, move in enumerate(moves)
    )
    head = f"GM[1]FF[4]CA[UTF-8]SZ[{size}]KM[{komi:g}]RU[Chinese]PB[{players[0]}]PW[{players[1]}]RE[{result}]"
    return f"(;{head}EV[kibitz demo]DT[2026-11-{1 + seed % 28:02d}]{played})\n"


def play(seed: int, size: int, komi: float, black: str, white: str) -> str:
    """Return one game of agents of kibitz in SGF."""
    game = Go(size=size, komi=komi)
    agents = [make_agent(game, spec, derive(seed, spec)) for spec in (black, white)]
    state, moves = game.start(), opening(seed, size)
    for move in moves:
        state = state.play(move)
    while not state.outcome() and len(moves) < MOST_MOVES[size]:
        moves.append(agents[state.to_move].choose(state.view(state.to_move)).move)
        state = state.play(moves[-1])
    return record(seed, size, komi, (black, white), score_text(state.score()), moves)


class GnuGo:
    """GNU Go in a process of its own, spoken to in GTP."""

    def __init__(self, seed: int, size: int, komi: float) -> None:
        command = [PROGRAM, "--mode", "gtp", "--chinese-rules", "--never-resign", "--seed", str(1 + seed % 10**6)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for order in (f"boardsize {size}", "clear_board", f"komi {komi:g}"):
            self.ask(order)

    def ask(self, order: str) -> str:
        """Return the answer to an order."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        self.process.stdout.readline()
        if not answer.startswith("="):
            sys.exit(f"GNU Go was told {order!r} and said {answer!r}.")
        return answer[1:].strip()


def play_gnugo(seed: int, size: int, komi: float, levels: tuple[int, int]) -> str:
    """Return one game of GNU Go against itself in SGF, to its end."""
    program, moves = GnuGo(seed, size, komi), opening(seed, size)
    for number, move in enumerate(moves):
        program.ask(f"play {'bw'[number % 2]} {move_text(size, move)}")
    while moves[-2:] != [size * size] * 2:
        side = len(moves) % 2
        program.ask(f"level {levels[side]}")
        moves.append(parse_move(size, program.ask(f"genmove {'bw'[side]}")))
    result = program.ask("final_score")
    program.ask("quit")
    program.process.wait()
    black, white = (f"GNU Go 3.8 level {level}" for level in levels)
    return record(seed, size, komi, (black, white), result, moves)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=FEW_GAMES)
    parser.add_argument("--games", type=int, default=48)
    parser.add_argument("--gnugo-games", type=int, default=36)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    lines = FEW_GAMES.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if "SO[Singh 2013]" in line)
    for number in range(options.games):
        size, komi = BOARDS[number % len(BOARDS)]
        first = number // len(BOARDS) % len(PLAYERS)
        second = (first + 1 + number // 12 % 2) % len(PLAYERS)
        text += play(derive(options.seed, number) % 10**9, size, komi, PLAYERS[first], PLAYERS[second])
        print(f"{number + 1} of {options.games}: {size}x{size}")
    for number in range(options.gnugo_games):
        size, komi = GNUGO_BOARDS[number % len(GNUGO_BOARDS)]
        levels = LEVELS[number // len(GNUGO_BOARDS) % len(LEVELS)]
        text += play_gnugo(derive(options.seed, "gnugo", number) % 10**9, size, komi, levels)
        print(f"GNU Go, {number + 1} of {options.gnugo_games}: {size}x{size}")
    options.out.write_text(text, encoding="utf-8")
    print(f"{options.out}: {len(text) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
