"""Targets of tools.fuzz that talk: programs over lines, and the page over HTTP and a websocket."""

from __future__ import annotations

import builtins
import io
import json
import re
import tempfile
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

from kibitz.bots import engine, outside
from kibitz.bots import exec as exec_bot
from kibitz.bots.protocol import move_word, newgame_line
from kibitz.core.game import Game
from kibitz.games.go.gtp import bot as gtp_bot
from kibitz.games.go.gtp import engine as gtp_engine
from kibitz.games.go.rules import Go
from kibitz.games.uttt import codingame
from kibitz.games.uttt import codingame as codingame_bot
from kibitz.games.uttt.rules import Uttt
from kibitz.games.uttt.rules.text import move_codingame
from kibitz.search.agents import make_agent
from kibitz.web.arena.routes import read_request
from kibitz.web.arena.tournaments import ArenaLimits
from kibitz.web.server.app import make_app
from kibitz.web.server.guard import ServerLimits
from kibitz.web.tables.files import TableFiles
from tools.fuzz.inputs import FOLDER, GAMES, Target, as_text, parts, random_game, random_record

with warnings.catch_warnings():  # starlette would like another package better, which does the same
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient, WebSocketTestSession

# Programs that talk


class Replies:
    """Stands where a program would: says lines one after the other, and then nothing more."""

    def __init__(self, lines: Sequence[str], command: str) -> None:
        self.lines = iter(lines)

    def ask(self, lines: Sequence[str], deadline: float) -> bool:
        """Take a question."""
        return True

    send = ask

    def read(self, deadline: float, meanwhile: Callable[[], None] = lambda: None) -> str | None:
        """Return the next line."""
        meanwhile()
        return next(self.lines, None)

    def close(self, farewell: str | None = None) -> None:
        """Go."""


def _bot(module: Any, make: Callable[[Game, str], Any], game: Game, data: bytes) -> None:
    """Have a bot choose some moves that says what is in the input. module: where its process is started."""
    said = [line.strip() for line in data.decode("utf-8", "replace").split("\n")]
    with patch.object(module, "Child", partial(Replies, said)):
        bot, state = make(game, "true"), game.start()
        while state.outcome() is None:
            state = state.play(bot.choose(state.view(state.to_move)).move)


def check_faultless(said: str, pattern: str) -> None:
    """Raise AssertionError if a program of ours tells of an exception that is no refusal."""
    for name in re.findall(pattern, said, re.MULTILINE):
        if hasattr(builtins, name):
            raise AssertionError(re.findall(f".*{name}.*", said)[0])


def protocol() -> Target:
    seeds = list[bytes]()
    for number, game in enumerate(GAMES):
        states, moves = random_game(game, number, 20)
        view = states[-1].view(states[-1].to_move)
        asked = ["kibitz 1", "seed 7", newgame_line(game), "seat 1", f"position {game.view_text(view)}", "go nodes 9"]
        asked += ["legal", "go seconds 0.1 playouts 3", "stop", "quit"]
        seeds.append(bytes([0, number]) + "\n".join(asked).encode())
        words = [move_word(game, move) for move in moves]
        lines = ["id name x", "ready", "ready", f"info depth 3 nodes 5 value 0.5 unit probability line {words[0]}"]
        lines += [f"bestmove {word}" for word in words]
        seeds.append(bytes([1, number]) + "\n".join(lines).encode())
    uttt = Uttt()
    states, moves = random_game(uttt, 1, 8)
    seeds.append(b"\2" + "\n".join(map(move_codingame, moves)).encode())
    turns = ["-1 -1", "81", *map(move_codingame, states[0].legal_moves())]
    seeds.append(b"\3" + "\n".join(turns).encode())
    return seeds, parts(
        lambda data: _engine(GAMES[data[0] % len(GAMES)] if data else uttt, data[1:]),
        lambda data: _bot(outside, exec_bot.ExecBot, GAMES[data[0] % len(GAMES)] if data else uttt, data[1:]),
        partial(_bot, codingame, codingame.CodinGameBot, uttt),
        _codingame,
    )


def _engine(game: Game, data: bytes) -> None:
    said = io.StringIO()
    engine.run(make_agent(game, "random"), game, io.StringIO(as_text(data)), said)
    check_faultless(said.getvalue(), r"^error (\w+):")


def _codingame(data: bytes) -> None:
    game = Uttt()
    codingame_bot.run(make_agent(game, "random"), game, io.StringIO(as_text(data)), io.StringIO(), 0.1, 0.1)


def gtp() -> Target:
    seeds = list[bytes]()
    for seed, game in enumerate(game for game in GAMES if isinstance(game, Go)):
        played = [
            f"play {'bw'[at % 2]} {game.move_text(move)}" for at, move in enumerate(random_game(game, seed, 30)[1])
        ]
        first = [f"boardsize {game.size}", "clear_board", f"komi {game.komi:g}", "kgs-rules japanese"]
        seeds.append(b"\0" + "\n".join([*first, *played, "undo", "genmove b", "showboard", "final_score"]).encode())
        answers = ["= play undo kgs-rules time_settings kgs-genmove_cleanup", "", "=", "", "=", "", "=", "", "=", ""]
        answers += [text for line in played for text in (f"= {line.split()[-1]}", "", "=", "")]
        seeds.append(b"\1" + "\n".join(answers).encode())
    words = ["b", "w A1", "2", "C3 A2", "0 10 2", "byoyomi 60 10 3", "b 10 1", "dead", "7", "b 50", "b C3 w D4", ""]
    commands = gtp_engine.GtpEngine("random", Go(size=5), io.StringIO()).commands
    seeds += [b"\0" + "\n".join(f"9 {name} {each}".strip() for each in words).encode() for name in commands]
    return seeds, parts(_gtp_engine, partial(_bot, outside, gtp_bot.GtpBot, Go(size=5)))


def _gtp_engine(data: bytes) -> None:
    said = io.StringIO()
    gtp_engine.run("random", Go(size=5), io.BytesIO(data), said)
    check_faultless(said.getvalue(), r"failed: (\w+):")


# The page


class Page:
    """The server in this process, made anew now and then, since tables pile up; two tables with a connection each."""

    LASTS = 2000

    def __init__(self) -> None:
        self.stack = ExitStack()
        self.done = self.LASTS

    def ready(self) -> None:
        """Count an input, and begin with an empty folder if it is time to."""
        self.done += 1
        if self.done <= self.LASTS:
            return
        self.stack.close()
        self.done = 0
        folder = self.stack.enter_context(tempfile.TemporaryDirectory(dir=FOLDER))
        most = 10**9
        app = make_app(TableFiles(Path(folder)), limits=ServerLimits(tables=most, requests=most, messages=most))
        self.client = self.stack.enter_context(TestClient(app))
        self.tables = [self.client.post("/api/tables", json=wish(game)).json()["id"] for game in GAMES]
        addresses = [f"/ws/tables/{table}" for table in self.tables]
        self.sockets = [self.stack.enter_context(self.client.websocket_connect(each)) for each in addresses]

    def say(self, data: bytes) -> None:
        """Send a message to a table, and wait until it was answered."""
        self.ready()
        socket: WebSocketTestSession = self.sockets[data[0] % len(self.sockets) if data else 0]
        text = data[1:].decode("utf-8", "replace")
        try:
            socket.send_text(text)
            socket.send_text('{"do":"undo","mark":1}')
            while "'mark'" not in socket.receive_text():
                pass
        except BaseException:
            self.done = self.LASTS  # the connection may be gone
            raise

    def post(self, path: str, data: bytes) -> None:
        """Send a request with a body."""
        self.ready()
        self.check(self.client.post(path, content=data))

    def get(self, data: bytes) -> None:
        """Ask for an address with what follows its question mark."""
        self.ready()
        path = ADDRESSES[data[0] % len(ADDRESSES) if data else 0].replace("{id}", self.tables[0])
        self.check(self.client.get(path + quote(data[1:], safe="/?&=%,:+")))

    def check(self, answer: Any) -> None:
        """Raise AssertionError unless an answer is one that a server should give."""
        if answer.status_code >= 500 or (answer.status_code >= 400 and "error" not in answer.json()):
            raise AssertionError(f"{answer.status_code}: {answer.text[:200]}")


ADDRESSES = (
    "/api/tables?ids=", "/api/tables/", "/api/tables/{id}/export?notation=", "/api/tables/{id}/at/",
    "/api/tables/{id}/", "/api/problems/", "/api/problems/dots/", "/api/explorer/found/x?start=",
    "/api/explorer/games/masters/", "/api/patterns/list?", "/api/patterns/fuseki?", "/assets/1/", "/api/",
)  # fmt: skip


EDITS: Sequence[dict[str, Any]] = (
    {"to_move": 1}, {"clear": True}, {"line": "0"}, {"box": 0, "owner": None}, {"point": "A1", "stone": 0},
    {"cell": 40, "mark": "X"}, {"forced": 3},
)  # fmt: skip
"""What editors of positions may be asked for."""


def wish(game: Game) -> dict[str, Any]:
    """Return the wish for a table of two persons at one screen."""
    seats = [{"kind": "person", "name": name} for name in ("Ann", "Bob")]
    return {"game": game.name, "options": game.options, "seats": seats}


def socket() -> Target:
    page, seeds = Page(), list[bytes]()
    said: list[dict[str, Any]] = [
        {"do": do} for do in ("undo", "redo", "restart", "agree", "decline", "pause", "resume")
    ]
    said += [{"do": "resign", "seat": 1}, {"do": "name", "seat": 0, "name": "C"}, {"do": "sit", "tokens": ["x"]}]
    said += [{"do": "mark", "mark": "A1"}, {"do": "settle", "marks": ["A1"]}, {"do": "analyse", "on": False, "ply": 1}]
    for number, game in enumerate(GAMES):
        states, moves = random_game(game, number, 12)
        each = [{"do": "move", "ply": ply, "move": game.move_text(move)} for ply, move in enumerate(moves[:4])]
        seeds += [bytes([0, number]) + json.dumps(message).encode() for message in [*said, *each]]
        asked = {"game": game.name, "options": game.options}
        position = game.position_text(states[-1])
        texts = [game.move_text(move) for move in moves]
        bodies: list[tuple[int, dict[str, Any]]] = [
            (2, {**wish(game), "seconds": 1.5, "start": None, "moves": texts, "link": True}),
            (2, {"record": json.loads(random_record(game, number).to_json())}),
            (3, {**asked, "text": position, "notation": None}),
            (4, {**asked, "text": " ".join(texts), "notation": "moves"}),
            *((5, {**asked, "position": position, "do": do}) for do in EDITS),
            (8, {**asked, "agents": ["random", "level1"], "format": "match", "games": 2, "openings": 2, "nodes": 9}),
        ]
        seeds += [bytes([part]) + json.dumps(body).encode() for part, body in bodies]
    seeds.append(b"\6" + json.dumps({"move": "h00", "answer": False}).encode())
    drawn = {
        "store": "masters",
        "size": 19,
        "top": 0,
        "left": 14,
        "rows": ["*....", ".....", "..X..", ".....", "....."],
    }
    narrowed = {"anchor": "corner", "fixed": True, "next": "X", "low": 1, "high": 40, "filters": {"since": "1990"}}
    seeds.append(b"\7" + json.dumps({**drawn, **narrowed, "sequence": [17, 35]}).encode())
    ends = (b"", b"1", b"0/2", b"store=masters")
    seeds += [bytes([1, number]) + end for number in range(len(ADDRESSES)) for end in ends]
    posts = ("/api/tables", "/api/position", "/api/import", "/api/edit", "/api/problems/dots/1", "/api/explorer/search")
    return seeds, parts(page.say, page.get, *(partial(page.post, path) for path in posts), wanted)


def wanted(data: bytes) -> None:
    """Ask for a tournament, which is not played."""
    read_request(data, ArenaLimits())
