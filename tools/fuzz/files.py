"""Targets of tools.fuzz that read files and texts: the first inputs, made by kibitz itself, and what reads them."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from typing import Any

from kibitz.arena.store import TournamentFolder, seal
from kibitz.arena.tournament import TimeControl, Tournament
from kibitz.core import registry
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game, State
from kibitz.core.parts import Signature
from kibitz.core.record import GameRecord, read_records, replay
from kibitz.core.spec import parse_spec
from kibitz.games.dots.notations import notations
from kibitz.games.go.records.filters import Filters
from kibitz.games.go.records.search.pattern import ANCHORS, read_pattern
from kibitz.games.go.rules import Go, GoState
from kibitz.games.go.sgf import games, reader, scan, sources, tree
from kibitz.games.go.sgf.record import record_of
from kibitz.search.agents import agent_entries, make_agent
from kibitz.search.minimax import temperature
from kibitz.web.tables.files import TableFiles
from tools.fuzz.inputs import (
    FOLDER,
    GAMES,
    Target,
    as_text,
    check_same,
    in_file,
    look,
    parts,
    random_game,
    random_record,
    with_game,
)

# Records of Go


def sgf() -> Target:
    records = list[bytes]()
    for seed, game in enumerate(game for game in GAMES if isinstance(game, Go)):
        states, moves = random_game(game, seed, 12)
        start = states[0]
        assert isinstance(start, GoState)
        signed = games.write(start, moves, Signature(("A [1]", "棋士\\"), states[-1].outcome()))
        records += [signed.encode(), signed.replace(";W", "(;W[aa]C[a\\]b])(;W", 1).encode("gb18030", "replace")]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.sgf", records[0])
    seeds = [bytes([part]) + data for data in [*records, b"\n".join(records[:3])] for part in range(4)]
    return [*seeds, b"\2" + packed.getvalue()], parts(_sgf_tree, _sgf_scan, _archive, _sgf_on_page)


def _sgf_tree(data: bytes) -> None:
    trees = reader.read(data)
    again = reader.read_text("".join(tree.game_text(each) + "\n" for each in trees))
    check_same([list(_nodes(each)) for each in again], [list(_nodes(each)) for each in trees], "written and read")
    tree.write(trees)
    for each in trees:
        with suppress(KibitzError):
            record_of(each)


def _sgf_on_page(data: bytes) -> None:
    start, moves = games.read(Go(), as_text(data))
    check_same(games.read(start.game, games.write(start, moves)), (start, moves), "a game written and read")


def _nodes(game: tree.GameTree) -> Iterator[tuple[int, dict[str, list[str]]]]:
    """Yield every node of a tree, with how many follow it."""
    todo = [game.root]
    while todo:
        node = todo.pop()
        yield len(node.children), node.properties
        todo += reversed(node.children)


def _sgf_scan(data: bytes) -> None:
    games = scan.scan(data)
    fast = [(games.record(number).size, games.record(number).plays) for number in range(len(games))]
    slow = []
    with suppress(KibitzError):
        for each in reader.read(data):
            with suppress(KibitzError):
                record = record_of(each)
                slow.append((record.size, record.plays))
    check_same(fast, slow, "scanned and read")


def _archive(data: bytes) -> None:
    for piece in islice(sources.pieces([in_file(data)], sources.ReadLimits(piece=1 << 16, total=1 << 24)), 1000):
        assert len(piece.name) < 10_000


# Positions and moves


def positions() -> Target:
    seeds = list[bytes]()
    for number, game in enumerate(GAMES):
        states, moves = random_game(game, number, 30)
        written = registry.package(game.name).make_notations()
        texts = [game.position_text(states[-1]), game.view_text(states[-1].view(states[-1].to_move))]
        for each in written.kinds:
            with suppress(KibitzError):
                texts.append(written.write(states, moves, each.name))
        seeds += [bytes([part, number]) + text.encode() for text in texts for part in range(4)]
    return seeds, parts(*map(with_game, (_position, _view, _notation, _convert)))


def _position(game: Game, text: str) -> None:
    state = game.parse_position(text)
    check_same(game.parse_position(game.position_text(state)), state, "a position written and read")
    look(game, state)


def _view(game: Game, text: str) -> None:
    view = game.parse_view(text)
    check_same(game.parse_view(game.view_text(view)), view, "a view written and read")
    game.draw(view)
    view.sample(random.Random(1)).legal_moves()


def _notation(game: Game, text: str) -> None:
    written = registry.package(game.name).make_notations()
    for name in (None, *(each.name for each in written.kinds)):
        with suppress(KibitzError):
            start, moves = written.read(game, text, name)
            states = [start]
            for move in moves:
                states.append(states[-1].play(move))
            for other in written.kinds:
                with suppress(KibitzError):
                    written.write(states, moves, other.name)
            look(start.game, states[-1])


def _convert(game: Game, text: str) -> None:
    with suppress(KibitzError):
        notations.detect(text)
    for notation in notations.NOTATIONS:
        with suppress(KibitzError):
            read = notations.read(text, notation)
            written = notations.write(read, notation)
            check_same(notations.write(notations.read(written, notation), notation), written, f"{notation} twice")


def moves() -> Target:
    seeds = list[bytes]()
    for number, game in enumerate(GAMES):
        for ply, move in islice(enumerate(random_game(game, number, 40)[1]), 0, None, 4):
            for text in (game.move_text(move), game.move_label(move)):
                seeds.append(bytes([number, number, ply]) + text.encode())
    return seeds, parts(*(partial(_move, game) for game in GAMES))


@cache
def _some_positions(game: Game, seed: int) -> Sequence[State]:
    return random_game(game, seed, 63)[0]


def _move(game: Game, data: bytes) -> None:
    seed, ply, text = *data[:2].ljust(2), as_text(data[2:])
    states = _some_positions(game, seed % 16)
    state = states[ply % len(states)]
    move = game.parse_move(text)
    check_same(game.parse_move(game.move_text(move)), move, "a move written and read")
    legal = move in state.legal_moves()
    try:
        after = state.play(move)
    except KibitzError:
        check_same(legal, False, f"{text!r} is legal but refused")
        return
    check_same(legal, True, f"{text!r} is not legal but played")
    look(game, after)


# Records, tournaments, tables


def records() -> Target:
    seeds = list[bytes]()
    for number, game in enumerate(GAMES):
        record = random_record(game, number)
        setup = {"version": 3, "id": "x", "game": game.name, "options": game.options, "seconds": 1.0, "seed": number}
        persons = [{"kind": "person", "name": "A", "spec": ""}, {"kind": "agent", "name": "B", "spec": "random"}]
        events: list[dict[str, Any]] = [{"do": "move", "move": move, "seconds": 0.5} for move in record.moves[:20]]
        events += [
            {"do": "at", "ply": 3},
            {"do": "name", "seat": 0, "name": "C"},
            {"do": "end", "loser": 1, "why": "time"},
        ]
        table = [{**setup, "seats": persons, "start": None, "link": False, "keys": ["", ""]}, *events]
        lines = record.to_json().encode()
        seeds += [b"\0" + lines, b"\1" + lines + b"\n" + lines, b"\3" + seal(record).encode() + b"\n"]
        seeds.append(b"\4" + "\n".join(map(json.dumps, table)).encode())
        seeds.append(b"\2" + Tournament(game.name, ("random", "level1"), game.options, games=4).to_json().encode())
    return seeds, parts(_record, _record_file, _tournament, _games_file, _table_file)


def _record(data: bytes) -> None:
    record = GameRecord.from_json(as_text(data))
    check_same(GameRecord.from_json(record.to_json()), record, "a record written and read")
    replay(record)


def _record_file(data: bytes) -> None:
    for record in read_records(in_file(data)).good:
        with suppress(KibitzError):
            replay(record)


def _tournament(data: bytes) -> None:
    in_file(data, "arena/tournament.json")
    tournament = TournamentFolder(FOLDER / "arena").tournament()
    check_same(Tournament.from_json(tournament.to_json()), tournament, "a tournament written and read")
    if tournament.games <= 10_000:  # to list more takes its time, as it should
        tournament.pairings()


def _games_file(data: bytes) -> None:
    in_file(data, "arena/games.jsonl")
    TournamentFolder(FOLDER / "arena").games()


def _table_file(data: bytes) -> None:
    in_file(data, "tables/x.jsonl")
    tables = TableFiles(FOLDER / "tables")
    tables.newest()
    table = tables.find("x")
    look(table.game, table.state)
    table.record()


# Options


def options() -> Target:
    specs = [f"{name}({key}=1)" for game in registry.names() for name in agent_entries(game) for key in ("seed", "t")]
    specs += ["mcts(playouts=100)", "alphabeta(depth=3,table=16)", "exec:python3 bot.py", "random", "level3"]
    seeds = [bytes([0, number]) + spec.encode() for number, spec in enumerate(specs)]
    for number, game in enumerate(GAMES):
        given = " ".join(f"{key}={value}" for key, value in game.options.items())
        seeds.append(bytes([1, number]) + given.encode())
    seeds += [b"\2" + text.encode() for text in ("5/t^2", "min(1, exp(-t))*(2-sqrt(t))", "-t**2+max(1,log(t))/.5")]
    rows = [".X*", "xo1", "2O."]
    seeds += [b"\3" + "\n".join(rows).encode()]
    seeds += [b"\3" + json.dumps({"rows": rows, "anchor": anchor, "sequence": [[0, 0]]}).encode() for anchor in ANCHORS]
    wanted = {"size": 19, "player": "Go Seigen", "since": "1995-03", "until": "2001", "result": "B", "rank": "9p"}
    seeds.append(b"\4" + json.dumps({**wanted, "handicap": 2, "event": "Meijin"}).encode())
    seeds.append(b"\5" + b"60+0.5")
    graph: dict[str, Any] = {"coins": ["a", "b"], "strings": [["s", "a", "b"], ["t", "a", "ground"]]}
    graph["places"] = {"a": [0, 0], "b": [1.5, -2]}
    seeds.append(b"\6" + json.dumps(graph).encode())
    return seeds, parts(*map(with_game, (_spec, _game_options)), _temperature, _pattern, _filters, _clock, _graph)


def _spec(game: Game, text: str) -> None:
    make_agent(game, text).close()


def _game_options(game: Game, text: str) -> None:
    made = registry.game(game.name, **parse_spec(f"{game.name}({text.replace(' ', ',')})")[1])
    check_same(registry.game(game.name, **made.options), made, "a game made of its own options")
    look(made, made.start())


def _graph(data: bytes) -> None:
    game = registry.game("dots", graph=as_text(data))
    check_same(registry.game("dots", **game.options), game, "a graph written and read")
    look(game, game.start())


def _temperature(data: bytes) -> None:
    found = temperature.schedule(as_text(data), 1.0, 1.0)
    check_same(all(0 <= chance <= 1 for chance in found), True, "chances are from 0 to 1")


def _pattern(data: bytes) -> None:
    found = read_pattern(in_file(data))
    found.codes()
    for row, col in found.sequence:
        found.captured_by(row, col, found.rows[row][col], 19)


def _filters(data: bytes) -> None:
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(raw, dict):  # the command line and the page see to the types
        kinds = {"size": int, "handicap": int}
        known = {key: value for key, value in raw.items() if key in Filters.__dataclass_fields__}
        sound: dict[str, Any] = {key: value for key, value in known.items() if type(value) is kinds.get(key, str)}
        Filters(**sound).has_only_size()


def _clock(data: bytes) -> None:
    TimeControl.parse(as_text(data)).budget(1.0)
