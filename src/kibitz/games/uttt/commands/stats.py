"""kibitz uttt stats: measure the game tree, and check what the 2014 paper says about it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import AsJson, Options, Seed, make_game_of
from kibitz.core.agent import Budget
from kibitz.core.game import Move
from kibitz.core.seeds import derive
from kibitz.games.uttt.rules import Uttt
from kibitz.search.agents import make_agent

if TYPE_CHECKING:  # --help must not import numpy
    from rich.text import Text

    from kibitz.games.uttt.study.statistics import Measured

GAMES_PER_CHUNK = 20_000
"""Random games held in memory at a time."""
OPENING_MOVES = 4
"""Random moves at the start of each strong game, so that the games differ."""
LOW_BRANCHING_TRIALS = 200
"""Number of games generated to find the one with the lowest branching factor."""
MIN_LENGTH = 17  # moves in the shortest game
CLAIMED_BRANCHING = 5.0
"""The paper's lower bound on the average branching factor."""
FIGURES = {
    "lengths": "moves",
    "branching": "legal moves per turn",
    "forced": "... with a forced board",
    "paper_branching": "... as the paper counts",
    "free": "share of free choices",
}
"""Attributes of Measured, in order, with their labels in the table."""
JSON_KEYS = {"paper_branching": "narrow"}
"""The keys of --json that differ from the attributes."""


def stats(
    games: Annotated[int, typer.Option(min=2, help="Number of random games.")] = 100_000,
    strong: Annotated[int, typer.Option(min=0, help="Number of self-play games.")] = 20,
    agent: Annotated[str, typer.Option(help="The agent for self-play.")] = "champion",
    nodes: Annotated[int, typer.Option(min=1, help="Node limit of the agent per turn.")] = 5_000,
    options: Options = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Measure the length and branching factor of games, and check the claims of the 2014 paper.

    The paper claims that no game is won before move 17, that the longest has 81 moves, and that no game's average
    branching factor is below 5. It omits the first turn, and counts a free choice as the number of empty cells of the
    closed board that caused it.
    """
    from kibitz.cli.show import compiling_notice
    from kibitz.games.uttt.study.statistics import as_arrays, longest_game, low_branching_game, measure, shortest_win

    game = make_game_of(Uttt, options)
    with compiling_notice():
        measured = {"random": _random_games(game, games, seed)}
        if strong:
            measured[agent] = measure(*as_arrays(game, _strong_games(game, agent, strong, nodes, seed)))
    extreme = {
        "shortest win of X": shortest_win(game, 0),
        "shortest win of O": shortest_win(game, 1),
        "longest game": longest_game(game),
        "narrowest game found": min(
            (low_branching_game(game, derive(seed, "narrow", i)) for i in range(LOW_BRANCHING_TRIALS)),
            key=lambda moves: _paper_branching(game, moves),
        ),
    }
    if as_json:
        typer.echo(json.dumps(_json(game, measured, extreme)))
        return
    for name, found in measured.items():
        _show_measured(name, found)
    _show_extreme(game, extreme)
    _show_verdict(measured, _paper_branching(game, extreme["longest game"]))


def _random_games(game: Uttt, games: int, seed: int) -> Measured:
    """Play random games; return their lengths and branching factors."""
    import numpy as np

    from kibitz.compiled.rng import stream
    from kibitz.games.uttt.kernel import position as kernel
    from kibitz.games.uttt.study.statistics import Measured, measure
    from kibitz.search.perft import sample_games

    pos, scratch, rng = kernel.pack(game.start()), kernel.pack(game.start()), stream(derive(seed, "random"))
    moves, found = np.zeros(kernel.MAX_LEGAL_MOVES, np.int64), list[Measured]()
    while games:
        rows = min(games, GAMES_PER_CHUNK)
        played, widths = np.zeros((2, rows, kernel.MAX_GAME_LENGTH), np.int64)
        sample_games(pos, scratch, rng, moves, played, widths)
        found.append(measure(played, widths))
        games -= rows
    return Measured(*(np.concatenate([getattr(part, name) for part in found]) for name in FIGURES))


def _strong_games(game: Uttt, spec: str, games: int, nodes: int, seed: int) -> list[list[Move]]:
    """Return self-play games of an agent, each after a random opening."""
    from kibitz.arena.match import play

    players = [make_agent(game, spec), make_agent(game, spec)]
    found = []
    for number in range(games):
        rng, state, moves = random.Random(derive(seed, "opening", number)), game.start(), list[Move]()
        for _ in range(OPENING_MOVES):
            moves.append(rng.choice(state.legal_moves()))
            state = state.play(moves[-1])
        record = play(game, players, derive(seed, number), Budget(nodes=nodes), state, raise_faults=True)
        found.append(moves + [game.parse_move(text) for text in record.moves])
    return found


def _paper_branching(game: Uttt, moves: Sequence[Move]) -> float:
    """Return the average branching factor of a game as the paper counts it."""
    from kibitz.games.uttt.study.statistics import as_arrays, measure

    return float(measure(*as_arrays(game, [moves])).paper_branching[0])


def _json(game: Uttt, measured: dict[str, Measured], extreme: dict[str, tuple[Move, ...]]) -> dict[str, object]:
    from kibitz.games.uttt.study.statistics import mean_of

    return {
        "options": game.options,
        "games": {
            name: {
                **{JSON_KEYS.get(figure, figure): vars(mean_of(getattr(found, figure))) for figure in FIGURES},
                "below_5": int((found.paper_branching < CLAIMED_BRANCHING).sum()),
            }
            for name, found in measured.items()
        },
        "extreme": {
            name: {"moves": [game.move_text(move) for move in moves], "narrow": round(_paper_branching(game, moves), 4)}
            for name, moves in extreme.items()
        },
    }


def _show_measured(name: str, found: Measured) -> None:
    """Print the measured means with their 95 % intervals, and histograms of lengths and branching factors."""
    import numpy as np

    from kibitz.cli.show import console, new_table
    from kibitz.games.uttt.study.statistics import MAX_LENGTH, mean_of, mean_over_turns

    table = new_table()
    for heading in (f"{len(found.lengths):,} games of {name}", "mean", "95 %", "min", "max"):
        table.add_column(heading, justify="left" if "games of" in heading else "right")
    means = {words: mean_of(getattr(found, figure)) for figure, words in FIGURES.items()}
    means["legal moves per turn, over all turns"] = mean_over_turns(found.branching, found.lengths)
    for words, mean in means.items():
        table.add_row(words, f"{mean.mean:.2f}", f"± {mean.margin:.2g}", f"{mean.least:.3g}", f"{mean.most:.3g}")
    console.print(table)
    counts = np.bincount(found.lengths, minlength=MAX_LENGTH + 1)[MIN_LENGTH:]
    console.print(histogram_text(counts.tolist(), MIN_LENGTH, MAX_LENGTH, "moves"))
    counts, _ = np.histogram(found.paper_branching, bins=60, range=(4.0, 7.0))
    console.print(histogram_text(counts.tolist(), 4, 7, "width"))


def histogram_text(counts: Sequence[int], low: float, high: float, label: str, rows: int = 3) -> Text:
    """Return a histogram with one column per count, `rows` lines high, over a labelled axis from low to high."""
    from rich.text import Text

    from kibitz.cli.review import BLOCKS

    highest = max(counts) or 1
    text = Text()
    for row in reversed(range(rows)):
        for count in counts:
            eighths = round(8 * rows * count / highest) - 8 * row  # BLOCKS[8] fills a line
            text.append(BLOCKS[min(max(eighths, int(count > 0 and row == 0)), 8)], "cyan")
        text.append("\n")
    text.append(f"{low:<{max(len(counts) - 4, 1)}g}{high:>4g}  {label}\n", "dim")
    return text


def _show_extreme(game: Uttt, extreme: dict[str, tuple[Move, ...]]) -> None:
    from kibitz.cli.show import console, show_moves

    for name, moves in extreme.items():
        state = game.start()
        for move in moves:
            state = state.play(move)
        outcome = state.outcome()
        assert outcome is not None
        summary = f"{len(moves)} moves, {outcome.result}, {_paper_branching(game, moves):.2f} as the paper counts"
        console.print(f"{name[0].upper()}{name[1:]}: {summary}", style="bold")
        show_moves(game, moves, style="dim")


def _show_verdict(measured: dict[str, Measured], longest: float) -> None:
    from kibitz.cli.show import console

    console.print()
    console.print("No win before move 17: true. Winning three boards takes nine marks, and X's ninth mark is move 17.")
    console.print("No game longer than 81 moves: true, and some games are that long.")
    below = " and ".join(
        f"{(found.paper_branching < CLAIMED_BRANCHING).sum()} of {len(found.paper_branching):,} games of {name}"
        for name, found in measured.items()
    )
    console.print(
        f"Average branching factor of at least 5 without free choices: false. It is below 5 in {below}, and in the "
        f"last two games above: a full game without free choices has (9 x 45 - 9) / 80 = {longest:.2f}, as the first "
        "turn does not count. The paper's proof also assumes that every board is met exactly once with 9, 8, 7 ... "
        "empty cells, but players can be sent to a closed board again and again."
    )
