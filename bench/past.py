"""Make data with version 0.1.0 that later versions must read, and compare the speeds of two source trees.

python -m bench.past make [PART ...]            into tests/data/v0.1; parts: tables arena records go help signatures
python -m bench.past speeds OLD NEW [--rounds N] [--only NAME ...]   two src folders, measured in turns

`make` was run once, with version 0.1.0, and refuses any other: data made by a later version
would prove nothing. What the data must answer is asked by tests/past/questions.py, both here
and by the tests of that folder.

`speeds` prints, for every measurement of bench/speeds.py, the best of each tree and the ratio new/old.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.speeds import MEASURES, speeds

if TYPE_CHECKING:
    from kibitz import GameRecord
    from past.questions import Server, Table

VERSION = "0.1.0"
ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"


def write_json(path: Path, value: Any) -> None:
    """Write a JSON value with one line for each part, so that changes can be read."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def kibitz(*words: str | Path) -> None:
    """Run a command in a process of its own."""
    subprocess.run([sys.executable, "-m", "kibitz", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


# Tables

ANN, BOB = {"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Bob"}
WALLS = ["C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5", "E3", "A3", "pass", "pass"]
"""Two walls side by side on a board of five lines, and a dead stone behind each."""
SMALL_GO = {"size": 5, "komi": 0.5}
MOVE_SECONDS = 0.06
"""The pause after a move, because the server refuses too many messages at a time."""


def agent(spec: str) -> dict[str, str]:
    return {"kind": "agent", "spec": spec}


def random_moves(game: str, options: dict[str, Any], plies: int | None, seed: int) -> list[str]:
    """Return the first moves of a random game without hidden cards, all of them if plies is None."""
    import kibitz

    made = kibitz.game(game, **options)
    rng, state, texts = random.Random(seed), made.start(), list[str]()
    while (plies is None or len(texts) < plies) and (moves := state.legal_moves()):
        texts.append(made.move_text(rng.choice(moves)))
        state = state.play(made.parse_move(texts[-1]))
    return texts


def position_of(plies: int) -> str:
    """Return a position of Ultimate Tic-Tac-Toe after some random moves."""
    import kibitz

    state = kibitz.game("uttt").start()
    for text in random_moves("uttt", {}, plies, 3):
        state = state.play(state.game.parse_move(text))
    return state.game.position_text(state)


class Maker:
    """Makes tables through a server, and remembers what each is for."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.made: dict[str, dict[str, Any]] = {}

    def create(self, about: str, **wish: Any) -> tuple[str, list[str]]:
        """Return the id and the tokens of a new table."""
        answer = self.server.post("/api/tables", {"options": {}, "seats": [ANN, BOB], **wish})
        tokens = answer["tokens"] if wish.get("link") else []
        self.made[answer["id"]] = {"about": about, "tokens": tokens}
        return answer["id"], tokens

    def play(self, about: str, turns: int, seed: int, **wish: Any) -> str:
        """Return the id of a table where persons made some random turns, and agents answered."""
        table_id, tokens = self.create(about, **wish)
        rng = random.Random(seed)
        with self.server.table(table_id, *tokens) as table:
            for _ in range(turns):
                self.wait_for_person(table)
                if table.seen["outcome"] is None:
                    table.play(rng.choice(table.seen["legal"]))
                    time.sleep(MOVE_SECONDS)
            self.wait_for_person(table)
        return table_id

    def wait_for_person(self, table: Table) -> None:
        """Wait until it is a person's turn, or the game is over."""

        def is_persons_turn(seen: dict[str, Any]) -> bool:
            return seen["outcome"] is not None or seen["seats"][seen["to_move"]]["kind"] == "person"

        if not is_persons_turn(table.seen):
            table.wait_for(is_persons_turn)


def make_tables(data: Path) -> None:
    """Make tables of all games: finished, unfinished, hidden, being settled, timed, imported, edited, torn."""
    from past.questions import TRIANGLE, describe_table, serving

    with serving(data / "server") as server:
        make = Maker(server)
        make_uttt(make)
        make_dots(make, TRIANGLE)
        make_battleline(make)
        make_go(make)
    for path in (data / "server").glob("*"):
        if path.is_file():
            path.unlink()  # the lock
    torn = next(table_id for table_id, made in make.made.items() if made["about"].startswith("torn"))
    with (data / "server" / "tables" / f"{torn}.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"do":"move","mo')
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(data / "server", Path(folder) / "server")
        with serving(Path(folder) / "server") as server:
            for table_id, made in make.made.items():
                made["shown"] = describe_table(server, table_id, made["tokens"])
    write_json(data / "tables.json", make.made)


def make_uttt(make: Maker) -> None:
    table_id = make.play("uttt against an agent, a move taken back", 3, 1, game="uttt", seats=[ANN, agent("level2")])
    with make.server.table(table_id) as table:
        table.tell("undo")
        table.wait_for(lambda seen: seen["redo"])
    options = {"variant": "open", "tiebreak": "count"}
    moves = random_moves("uttt", options, None, 2)
    make.create("uttt finished, other rules", game="uttt", options=options, moves=moves)
    make.play("uttt from a position", 2, 4, game="uttt", start=position_of(12), seats=[agent("level5"), BOB])
    make.create("torn: uttt killed while a move was written", game="uttt", moves=random_moves("uttt", {}, 9, 5))


def make_dots(make: Maker, graph: str) -> None:
    options: dict[str, Any] = {"rows": 3, "cols": 4, "start": "swedish"}
    moves = random_moves("dots", options, None, 6)
    make.create("dots finished, other size and start", game="dots", options=options, moves=moves)
    options = {"rows": 2, "cols": 3}
    table_id = make.play(
        "dots against an agent, renamed", 2, 7, game="dots", options=options, seats=[ANN, agent("level5")]
    )
    with make.server.table(table_id) as table:
        table.tell("name", seat=0, name="Åsa")
        table.wait_for(lambda seen: seen["seats"][0]["name"] == "Åsa")
    make.play("dots on a graph", 3, 8, game="dots", options={"graph": graph})
    table_id, tokens = make.create("dots by link, resigned", game="dots", options={"rows": 2, "cols": 2}, link=True)
    with make.server.table(table_id, tokens[0]) as ann, make.server.table(table_id, tokens[1]) as bob:
        ann.play("0")
        bob.wait_for(lambda seen: seen["ply"] == 1)
        bob.play("5")
        bob.tell("resign", seat=1)
        bob.wait_for(lambda seen: seen["outcome"])
    table_id, tokens = make.create(
        "dots by link, out of time", game="dots", options={"rows": 2, "cols": 2}, link=True, seconds=0.5
    )
    with make.server.table(table_id, tokens[0]) as ann, make.server.table(table_id, tokens[1]):
        ann.play("3")
        ann.wait_for(lambda seen: seen["outcome"])


def make_battleline(make: Maker) -> None:
    make.play("battleline with hidden cards", 10, 9, game="battleline", seats=[ANN, agent("level2")])
    options: dict[str, Any] = {"edition": "schotten-totten", "tactics": False, "stuck_draw": True}
    table_id = make.play("battleline dealt again, resigned", 6, 10, game="battleline", options=options)
    with make.server.table(table_id) as table:
        table.tell("restart")
        table.wait_for(lambda seen: seen["ply"] == 0)
        rng = random.Random(11)
        for _ in range(8):
            table.play(rng.choice(table.seen["legal"]))
        table.tell("resign", seat=0)
        table.wait_for(lambda seen: seen["outcome"])
    make.play("battleline by link with hidden cards", 0, 12, game="battleline", link=True, seats=[agent("level1"), BOB])
    make.play("battleline finished", 200, 13, game="battleline", seats=[ANN, BOB])


def make_go(make: Maker) -> None:
    wish: dict[str, Any] = {"game": "go", "options": SMALL_GO, "moves": WALLS}
    table_id, tokens = make.create("go being settled, by link", link=True, **wish)
    with make.server.table(table_id, tokens[0]) as table:
        table.tell("mark", mark="E3")
        table.wait_for(lambda seen: seen["settling"]["marks"])
    table_id, _ = make.create("go settled", **wish)
    with make.server.table(table_id) as table:
        for count, mark in enumerate(("E3", "A3"), 1):
            table.tell("mark", mark=mark)
            table.wait_for(lambda seen, count=count: len(seen["settling"]["marks"]) == count)
        table.tell("settle", marks=table.seen["settling"]["marks"])
        table.wait_for(lambda seen: seen["outcome"])
    record = json.loads(make.server.get(f"/api/tables/{table_id}/record"))
    answer = make.server.post("/api/tables", {"record": record})
    make.made[answer["id"]] = {"about": "go imported from a record", "tokens": []}
    options = {"size": 9, "handicap": 2, "komi": 0.5, "scoring": "territory", "ko": "positional"}
    make.play("go with handicap against an agent", 4, 14, game="go", options=options, seats=[ANN, agent("level3")])
    sgf = "(;SZ[9]KM[6.5]AB[cc][gg]AW[cg]PL[W];W[gc];B[ee])"
    read = make.server.post("/api/import", {"game": "go", "text": sgf, "notation": "sgf"})
    wish = {key: read[key] for key in ("options", "start", "moves")}
    make.create("go imported from SGF with setup stones", game="go", **wish)
    make.create("go on the large board", game="go", seconds=120, moves=["D4", "Q16", "D16", "Q4", "pass", "K10"])


# Tournaments

ROUND_ROBIN = ("random", "reflex", "greedy", "alphabeta(depth=2)", "mcts(playouts=20)")
STUDY = (
    *("MM_Winning", "MM_Winning#R", "MM_Recursive", "MM_Recursive#R", "MM_Cells", "MM_Cells#R"),
    *("G_Winning", "reflex", "G_Cells", "G_Recursive", "random", "MM_Learned"),
)


def make_arena(data: Path) -> None:
    """Play tournaments whose reports have every section: standings, the 2014 study, temperature functions."""
    from past.questions import serving

    arena = data / "arena"
    kibitz("arena", "run", "uttt", *ROUND_ROBIN, "--games", "4", "--seed", "5", "--openings", "2", "--jobs", "1",
           "--out", arena / "round-robin")  # fmt: skip
    kibitz("arena", "run", "uttt", *STUDY, "-o", "variant=closed", "-o", "tiebreak=draw", "--ties", "replay", "--games",
           "2", "--seed", "3", "--jobs", "1", "--out", arena / "study-2014")  # fmt: skip
    kibitz("uttt", "temperature", "--function", "0", "--function", "5/t^2", "--function", "exp(-t/3)", "--against",
           "G_Winning", "--against", "random", "--games", "2", "--jobs", "1",
           "--out", arena / "temperatures")  # fmt: skip
    kibitz("arena", "sprt", "dots", "greedy", "random", "-o", "rows=2", "-o", "cols=3", "--elo1", "300", "--games",
           "40", "--openings", "4", "--jobs", "1", "--out", arena / "sprt")  # fmt: skip
    kibitz("arena", "run", "battleline", "reflex", "heuristic", "--games", "2", "--jobs", "1", "--out",
           arena / "battleline")  # fmt: skip
    kibitz("arena", "run", "go", "greedy", "mcts(playouts=5)", "-o", "size=5", "-o", "komi=0.5", "--games", "2",
           "--format", "match", "--jobs", "1", "--out", arena / "go")  # fmt: skip
    with serving(data / "server") as server:
        wish = {"game": "dots", "options": {"rows": 2, "cols": 2}, "agents": ["level1", "level2", "level5"],
                "format": "round-robin", "games": 2, "openings": 0, "nodes": 1000, "seed": 1}  # fmt: skip
        tournament = server.post("/api/arena", wish)["id"]
        while server.get_json(f"/api/arena/{tournament}")["state"] != "complete":
            time.sleep(0.2)
        server.get(f"/api/arena/{tournament}/results.json")
    for name in ("lock", "address", "report.html"):
        for path in [*data.rglob(name)]:
            path.unlink()


# Records and notations

PLAYED: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("uttt", "alphabeta(depth=2)", "random", ()),
    ("uttt", "greedy", "mcts(playouts=20)", ("variant=open", "tiebreak=count")),
    ("dots", "chain-rule", "greedy", ()),
    ("dots", "random", "alphabeta(depth=2)", ("rows=2", "cols=6", "start=icelandic")),
    ("battleline", "heuristic", "reflex", ()),
    ("battleline", "random", "random", ("edition=schotten-totten", "claim_timing=end", "scout_two=true")),
    ("go", "greedy", "mcts(playouts=5)", ("size=7", "komi=5.5")),
    ("go", "random", "random", ("size=7", "suicide=true", "handicap=2", "komi=0.5", "scoring=territory")),
)


def make_records(data: Path) -> None:
    """Save games of all kinds as records, with the position that each ends in, and in every notation."""
    import kibitz as package
    from past.questions import NOTATIONS, read_notation, serving

    path = data / "records.jsonl"
    for seed, (game, first, second, options) in enumerate(PLAYED):
        given = [word for option in options for word in ("-o", option)]
        kibitz("play", game, first, second, *given, "--seed", str(seed), "--save", path)
    tables = json.loads((data / "tables.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(data / "server", Path(folder) / "server")
        with serving(Path(folder) / "server") as server, path.open("a", encoding="utf-8") as file:
            for table_id, made in tables.items():
                if made["shown"]["record"]:
                    file.write(server.get(f"/api/tables/{table_id}/record"))
    records = package.read_records(path)
    ends, texts = [], list[tuple[str, dict[str, Any], str, str]]()
    for record in records.good:
        states = package.replay(record)
        outcome = states[-1].outcome()
        ends.append(
            {
                "game": record.game,
                "options": record.options,
                "agents": list(record.agents),
                "moves": len(record.moves),
                "result": record.result,
                "marks": None if record.marks is None else list(record.marks),
                "winner": None if outcome is None else outcome.winner,
                "position": states[-1].game.position_text(states[-1]),
            }
        )
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        for record in _different(records.good):
            table_id = server.post("/api/tables", {"record": json.loads(record.to_json())})["id"]
            for notation in NOTATIONS[record.game]:
                with suppress(OSError):  # a notation that cannot express this game
                    text = server.get(f"/api/tables/{table_id}/export?notation={notation}")
                    texts.append((record.game, record.options, notation, text))
        read = [
            {"game": game, "options": options, "notation": name, "text": text,
             "read": (found := read_notation(server, game, options, name, text)),
             "guessed": read_notation(server, game, options, None, text) == found}
            for game, options, name, text in texts
        ]  # fmt: skip
    write_json(data / "records.json", ends)
    write_json(data / "notations.json", read)


def _different(records: Sequence[GameRecord]) -> list[GameRecord]:
    """Return records that differ in game, options or whether they begin with a position of their own."""
    found = {(record.game, json.dumps(record.options), record.start is None): record for record in reversed(records)}
    return list(found.values())[::-1]


# Go, and a backup of everything


def make_go_stores(data: Path) -> None:
    """Import games of our own agents, mine them and fit a model to them; store what `kibitz go` answers about them.

    The store is kept in a backup of the data folder only, because the mined tables are large and mostly empty.
    """
    from past.questions import go_answers

    folder = data / "go"
    folder.mkdir()
    demo = next((ROOT / "src").rglob("demo.sgf")).read_text(encoding="utf-8")
    own = [line for line in demo.splitlines(keepends=True) if "PB[mcts(" in line and "PW[mcts(" in line]
    (folder / "records.sgf").write_text("".join(own), encoding="utf-8")
    with tempfile.TemporaryDirectory() as copied:
        server = Path(copied) / "server"
        shutil.copytree(data / "server", server)
        store = server / "go"
        here = Path.cwd()
        os.chdir(folder)  # a store remembers the path of its records
        try:
            kibitz("go", "import", "records.sgf", "--store", store)
        finally:
            os.chdir(here)
        kibitz("go", "mine", "--store", store)
        kibitz("go", "mine", "--shape", "3x3", "--size", "9", "--store", store)
        kibitz("go", "train", "--store", store, "--out", folder / "model.npz", "--factors", "3", "--least", "3",
               "--most", "2000")  # fmt: skip
        kibitz("backup", data / "backup.tar.gz", "--data", server, "--games", data / "records.jsonl")
        write_json(data / "go.json", go_answers(store, folder))


# Help and signatures


def make_help(data: Path) -> None:
    """Print the help of every command, and the names of all agents."""
    from past.questions import command, commands_in

    sections, todo = list[str](), [list[str]()]
    while todo:
        words = todo.pop(0)
        text = command(*words, "--help")
        sections.append(f"$ kibitz {' '.join([*words, '--help'])}\n{text.strip()}\n")
        todo += [[*words, name] for name in commands_in(text)]
    for game in ("battleline", "dots", "go", "uttt"):
        sections.append(f"$ kibitz agents {game}\n{command('agents', game).strip()}\n")
    text = re.sub("─+", "─", "\n".join(sections)).replace("python -m bench.kibitz", "kibitz")
    (data / "help.txt").write_text(re.sub(r" *│?$", "", text, flags=re.MULTILINE), encoding="utf-8")


def make_signatures(data: Path) -> None:
    """Let every search answer in a few positions, with fixed nodes."""
    import kibitz as package
    from past.questions import SEARCHED, position_after, signatures

    found = []
    for searched in SEARCHED:
        game = package.game(searched.game, **searched.options)
        positions = [game.position_text(position_after(game, plies)) for plies in searched.plies]
        found.append(
            {
                "game": searched.game,
                "options": dict(searched.options),
                "positions": positions,
                "searches": signatures(searched, positions),
            }
        )
    write_json(data / "signatures.json", found)


PARTS: dict[str, Callable[[Path], None]] = {
    "tables": make_tables,
    "arena": make_arena,
    "records": make_records,
    "go": make_go_stores,
    "help": make_help,
    "signatures": make_signatures,
}


def make(parts: Sequence[str]) -> None:
    import kibitz as package

    if package.__version__ != VERSION:
        sys.exit(f"The past is made by version {VERSION} alone; this is {package.__version__}.")
    from past.questions import DATA

    DATA.mkdir(parents=True, exist_ok=True)
    for part in parts or PARTS:
        began = time.perf_counter()
        PARTS[part](DATA)
        print(f"{part}: {time.perf_counter() - began:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("make").add_argument("parts", nargs="*", metavar="PART")
    asked = commands.add_parser("speeds")
    asked.add_argument("old", type=Path)
    asked.add_argument("new", type=Path)
    asked.add_argument("--rounds", type=int, default=10)
    asked.add_argument("--only", nargs="+", choices=MEASURES, default=list(MEASURES), metavar="NAME")
    given = parser.parse_args()
    if given.command == "make":
        sys.path.insert(0, str(TESTS))  # for past.questions
        make(given.parts)
    else:
        speeds(given.old, given.new, given.rounds, given.only)


if __name__ == "__main__":
    main()
