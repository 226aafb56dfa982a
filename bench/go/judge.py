"""How many points the choices of players lose in positions of professional games, judged by the real KataGo.

python -m bench.go.judge [--katago PATH --net FILE] --record PATH ... [--player SPEC ...] [--positions N] [--time S]
    [--visits N] [--seed N] [--jobs N] [--all-games] [--config FILE] [--work FILE] [--out FILE]

The positions are chosen by the seed from records with one game a line, packed or not: one of each game, 19x19 without
handicap, and only of games that are held out from learning, unless --all-games. Each --player (our champion and GNU Go
at level 10) chooses a move there; agents of kibitz have --time seconds, other programs no limit. KataGo searches the
position with --visits, and then, with as many again, the position after its own choice and after every move chosen.
A move loses the score of the first less its own; that can be below zero. The difference to the professional's loss is
paired, so KataGo's own choice does not matter to it. Without --katago only the share of the professional's moves is
measured.

Choices and judgements are kept in --work as they come: after an interruption the same command goes on, and players and
positions may be added. --jobs players and as many searches of KataGo run side by side; players that use more than one
core hinder each other. --out writes the table for docs/results.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shlex
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from docsite.record import machine
from kibitz.arena.runner import local_executor
from kibitz.bots.process import Child
from kibitz.core.agent import Budget
from kibitz.core.errors import KibitzError, Resigned
from kibitz.core.game import Move
from kibitz.core.seeds import derive
from kibitz.core.untrusted import JsonObject
from kibitz.core.version import __version__
from kibitz.games.go.gtp.katago import query, read_answer
from kibitz.games.go.predict.fit.games_file import held_out, key_of
from kibitz.games.go.records.changes import SHORT_GAME_PLAYS, prepare_games
from kibitz.games.go.rules import Go, GoState
from kibitz.games.go.sgf.games import read
from kibitz.games.go.sgf.scan import scan
from kibitz.games.go.sgf.sources import Skipped, pieces
from kibitz.search.agents import is_outside, make_agent

GNU_GO = "gtp:gnugo --mode gtp --level 10 --never-resign"
PROFESSIONAL = "professional"
BLUNDER_POINTS = 5.0
ANSWER_SECONDS = 1800.0
"""How long KataGo may take for an answer; the OpenCL version tunes for minutes at its first start."""
CONFIG = """numAnalysisThreads = {jobs}
numSearchThreadsPerAnalysisThread = 1
nnMaxBatchSize = {jobs}
wideRootNoise = 0.0
nnRandomize = false
logToStderr = false
"""


@dataclass(frozen=True)
class Position:
    """A position of a professional game, with the move played there."""

    number: int
    record: str
    ply: int

    def states(self) -> tuple[GoState, Move]:
        """Return the position and the professional's move."""
        state, moves = read(Go(), self.record)
        for move in moves[: self.ply]:
            state = state.play(move)
        return state, moves[self.ply]


def positions(paths: Iterable[Path], seed: int, all_games: bool) -> Iterator[Position]:
    """Yield one position of each suitable game, in an order that the seed decides."""
    lines, number = list[bytes](), 0
    for piece in pieces(paths):
        if isinstance(piece, Skipped):
            sys.exit(f"{piece.name}: {piece.reason}")
        lines += piece.data.splitlines()
    for at in random.Random(seed).sample(range(len(lines)), len(lines)):
        games = scan(lines[at])
        if len(games) != 1 or int(games.sizes[0]) != 19 or games.value(0, "HA") not in (None, "0", "1"):
            continue
        prepared = prepare_games(games)
        if prepared.legal[0] <= SHORT_GAME_PLAYS or not (all_games or held_out(key_of(prepared.digest(0, b"")))):
            continue
        text = lines[at].decode("utf-8", "replace")
        try:
            start, moves = read(Go(), text)
        except KibitzError:
            continue
        passes = start.game.pass_move
        plies = [ply for ply in range(1, len(moves)) if passes not in moves[ply - 1 : ply + 1]]
        if plies and not start.game.handicap and not any(start.board.points):
            yield Position(number, text, random.Random(derive(seed, number)).choice(plies))
            number += 1


def choose(spec: str, position: Position, seconds: float) -> tuple[str, float]:
    """Return a player's move, as text, and how long it took. Runs in a worker."""
    state, _ = position.states()
    with closing(make_agent(state.game, spec, position.number)) as agent:
        agent.prepare()
        began = time.monotonic()
        budget = Budget() if is_outside(spec) else Budget(seconds=seconds)
        try:
            move = agent.choose(state.view(state.to_move), budget).move
        except Resigned:
            move = state.game.pass_move
        return state.game.move_text(move), time.monotonic() - began


class Work:
    """What is known so far, kept in a file line by line."""

    def __init__(self, path: Path, settings: JsonObject) -> None:
        self.path = path
        self.choices: dict[tuple[str, int], str] = {}
        """(player, position) -> move"""
        self.best: dict[int, str] = {}
        """Position -> KataGo's choice."""
        self.scores: dict[tuple[int, str], float] = {}
        """(position, move) -> score after the move, for the player who made it."""
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if not lines:
            self.add(**settings)
        elif json.loads(lines[0]) != settings:
            sys.exit(f"{path} belongs to other settings, {lines[0]}: name another file by --work.")
        for line in lines[1:]:
            self._take(json.loads(line))

    def add(self, **found: Any) -> None:
        """Write a line and take it."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found, ensure_ascii=False) + "\n")
        self._take(found)

    def _take(self, found: JsonObject) -> None:
        match found:
            case {"player": str(player), "position": int(position), "move": str(move)}:
                self.choices[player, position] = move
            case {"position": int(position), "best": str(best)}:
                self.best[position] = best
            case {"position": int(number), "move": str(judged), "score": float(score)}:
                self.scores[number, judged] = score


def progress(what: str, done: int, of: int, began: float) -> None:
    """Show how far the work is, on one line of the error stream."""
    left = (time.monotonic() - began) / max(done, 1) * (of - done)
    print(
        f"\r{what}: {done} of {of}, {left / 60:.0f} minutes left ", end="\n" * (done == of), file=sys.stderr, flush=True
    )


def gather_choices(work: Work, chosen: Sequence[Position], players: Sequence[str], seconds: float, jobs: int) -> None:
    """Let the players choose where they have not yet."""
    for position in chosen:
        state, move = position.states()
        if (PROFESSIONAL, position.number) not in work.choices:
            work.add(player=PROFESSIONAL, position=position.number, move=state.game.move_text(move))
    missing = [(spec, each) for each in chosen for spec in players if (spec, each.number) not in work.choices]
    if not missing:
        return
    began = time.monotonic()
    with local_executor(jobs) as pool:
        running = {pool.submit(choose, spec, each, seconds): (spec, each.number) for spec, each in missing}
        for done, future in enumerate(as_completed(running), 1):
            (spec, number), (text, taken) = running[future], future.result()
            work.add(player=spec, position=number, move=text, seconds=round(taken, 2))
            progress("choices", done, len(missing), began)


class KataGo:
    """KataGo's analysis engine, asked several questions at a time."""

    def __init__(self, command: str, visits: int, at_once: int) -> None:
        self.child, self.visits, self.at_once = Child(command, 1_000_000), visits, at_once

    def analyse(self, states: Sequence[GoState], what: str) -> Iterator[tuple[int, JsonObject]]:
        """Yield the answer about each position, with its index, as they come."""
        began, asked = time.monotonic(), 0
        for done in range(len(states)):
            while asked < min(len(states), done + self.at_once):
                question = {**query(states[asked]), "id": str(asked), "maxVisits": self.visits}
                self.child.send([json.dumps(question)], time.monotonic() + ANSWER_SECONDS)
                asked += 1
            progress(what, done, len(states), began)
            line = self.child.read(time.monotonic() + ANSWER_SECONDS)
            answer = json.loads(line or '{"error": "no answer in time"}')
            while "warning" in answer:
                answer = json.loads(self.child.read(time.monotonic() + ANSWER_SECONDS) or "{}")
            if "error" in answer:
                sys.exit(f"\nKataGo: {answer}")
            yield int(answer["id"]), answer
        if states:
            progress(what, len(states), len(states), began)


def judge(work: Work, chosen: Sequence[Position], players: Sequence[str], katago: KataGo) -> None:
    """Have KataGo search the positions, and those after all moves chosen."""
    states = {each.number: each.states()[0] for each in chosen}
    unknown = [number for number in states if number not in work.best]
    for at, answer in katago.analyse([states[number] for number in unknown], "positions"):
        state = states[unknown[at]]
        found = read_answer(state, answer)
        if found is None:
            sys.exit(f"\nKataGo found no move: {answer}")
        work.add(position=unknown[at], best=state.game.move_text(found.move))
    wanted = dict.fromkeys((number, work.best[number]) for number in states)
    wanted |= dict.fromkeys((number, work.choices[player, number]) for player in players for number in states)
    pairs = [pair for pair in wanted if pair not in work.scores]
    after = [states[number].play(states[number].game.parse_move(move)) for number, move in pairs]
    for at, answer in katago.analyse(after, "moves"):
        number, move = pairs[at]
        work.add(position=number, move=move, score=-float(answer["rootInfo"]["scoreLead"]))


def mean_text(values: Sequence[float]) -> tuple[float, str]:
    """Return a mean and its 95 % interval in words."""
    middle = mean(values)
    margin = 1.96 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return middle, f"{middle - margin:+.2f} to {middle + margin:+.2f}"


def table(work: Work, chosen: Sequence[Position], players: Sequence[str], is_judged: bool) -> list[JsonObject]:
    """Return a row for each player; the points lost only if KataGo has judged the moves."""
    return [_row(work, chosen, player, is_judged) for player in players]


def _row(work: Work, chosen: Sequence[Position], player: str, is_judged: bool) -> JsonObject:
    same = [work.choices[player, each.number] == work.choices[PROFESSIONAL, each.number] for each in chosen]
    row: JsonObject = {"player": player, "positions": len(chosen)}
    if is_judged:
        own, other = (_losses(work, chosen, each) for each in (player, PROFESSIONAL))
        difference, interval = mean_text([a - b for a, b in zip(own, other, strict=True)])
        row |= {
            "points lost": round(mean(own), 3),
            "less the professional's": round(difference, 3),
            "95 %": interval if player != PROFESSIONAL else "",
            f"lose over {BLUNDER_POINTS:g}": f"{mean(loss > BLUNDER_POINTS for loss in own):.0%}",
        }
    return row | {"the professional's move": f"{mean(same):.1%}"}


def _losses(work: Work, chosen: Sequence[Position], player: str) -> list[float]:
    """Return the points that a player lost in each position."""
    best = [work.scores[each.number, work.best[each.number]] for each in chosen]
    own = [work.scores[each.number, work.choices[player, each.number]] for each in chosen]
    return [a - b for a, b in zip(best, own, strict=True)]


def print_table(rows: Sequence[JsonObject]) -> None:
    """Print rows as a table."""
    names = list(rows[0])
    texts = [names, *([str(row[name]) for name in names] for row in rows)]
    widths = [max(len(text[column]) for text in texts) for column in range(len(names))]
    for text in texts:
        print(
            "  ".join(
                f"{cell:{'<' if i == 0 else '>'}{width}}"
                for i, (cell, width) in enumerate(zip(text, widths, strict=True))
            )
        )


def judge_all(work: Work, chosen: Sequence[Position], players: Sequence[str], options: argparse.Namespace) -> None:
    """Start KataGo and have it judge all choices."""
    with tempfile.TemporaryDirectory() as folder:
        config = options.config or Path(folder, "analysis.cfg")
        if options.config is None:
            config.write_text(CONFIG.format(jobs=options.jobs), encoding="utf-8")
        command = [str(options.katago), "analysis", "-config", str(config), "-model", str(options.net)]
        katago = KataGo(shlex.join([*command, "-quit-without-waiting"]), options.visits, 2 * options.jobs)
        try:
            judge(work, chosen, players, katago)
        finally:
            katago.child.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--katago", type=Path)
    parser.add_argument("--net", type=Path)
    parser.add_argument("--record", type=Path, nargs="+", required=True)
    parser.add_argument("--player", action="append", metavar="SPEC", help=f"champion and {GNU_GO}")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--time", type=float, default=2.0)
    parser.add_argument("--visits", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--all-games", action="store_true")
    parser.add_argument("--config", type=Path)
    parser.add_argument("--work", type=Path, default=Path("judged.jsonl"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    began = time.monotonic()
    players = [PROFESSIONAL, *(options.player or ["champion", GNU_GO])]
    settings = {"seed": options.seed, "records": [path.name for path in options.record]}
    settings |= {
        "all games": options.all_games,
        "visits": options.visits,
        "time": options.time,
        "net": options.net.name if options.net else None,
    }
    work = Work(options.work, settings)
    found = positions(options.record, options.seed, options.all_games)
    chosen = list(islice(found, options.positions))
    gather_choices(work, chosen, players[1:], options.time, options.jobs)
    if options.katago is not None:
        judge_all(work, chosen, players, options)
    rows = table(work, chosen, players, options.katago is not None)
    print_table(rows)
    if options.out is not None:
        words = [f"--player {shlex.quote(player)}" for player in players[1:]]
        words += [f"--{name} {getattr(options, name)}" for name in ("positions", "time", "visits", "seed")]
        is_judged = options.katago is not None
        title = "Points lost, judged by KataGo" if is_judged else "How often the professional's move was chosen"
        judges = "--katago KATAGO --net NET " if is_judged else ""
        kept = {
            "title": f"Positions of professional games: {title}",
            "command": " ".join([f"python -m bench.go.judge {judges}--record RECORDS", *words]),
            "date": datetime.now(UTC).date().isoformat(),
            "version": __version__,
            "machine": machine(),
            "seconds": round(time.monotonic() - began, 1),
            "output": rows,
        }
        options.out.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
