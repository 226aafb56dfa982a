"""Installed games and bots: found without being loaded, and skipped with a clear message if they are broken."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import typing_extensions

import inside
import kibitz
from conftest import OURS, AddGame
from distributions import installing, plant
from kibitz.core import installed, registry
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.defaults.page import PlainPage
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, View
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentEntry, AgentTable, BotKind
from kibitz.search.agents import agent_entries, analyst_spec, make_agent
from toy.package import TOY
from toy.rules import Toy


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A folder in which distributions can be installed, as long as the test runs."""
    with installing(tmp_path / "site") as folder:
        yield folder


# Discovery

DISCOVERY = """
import json, sys
from kibitz.core import registry
stages = {"names": registry.names(), "listed": sorted(sys.modules)}
for name in sys.argv[1:]:
    registry.game(name).start()
stages["loaded"] = sorted(sys.modules)
from kibitz.cli import main
from kibitz.search.agents import agent_entries, make_agent
for name in registry.packages():
    for agent in agent_entries(name):
        make_agent(name, agent)
sys.argv = ["kibitz", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
stages["built"] = sorted(sys.modules)
print(json.dumps(stages))
"""


def run_python(code: str, *args: str, flags: Sequence[str] = ()) -> Any:
    """Run a program and return the JSON in its last line, after anything else that it printed."""
    command = [sys.executable, *flags, "-c", code, *args]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return {**json.loads(ran.stdout.splitlines()[-1]), "printed": ran.stdout}


def test_games_are_found_without_being_loaded_and_loaded_without_their_parts() -> None:
    found = run_python(DISCOVERY, *OURS)
    assert set(found["names"]) >= {"battleline", "dots", "go", "uttt"} == set(OURS)
    assert found["names"] == sorted(found["names"])
    assert not [name for name in found["listed"] if name.startswith("kibitz.games")]
    assert not {"rich", "typer"} & set(found["listed"])
    parts = {name.split(".")[3] for name in found["loaded"] if name.startswith("kibitz.games.") and name.count(".") > 2}
    assert {"package", "rules"} <= parts
    assert not {"agents", "evaluate", "explain", "kernel", "observation", "page", "notations"} & parts
    assert not [name for name in found["loaded"] if name.startswith(("kibitz.compiled", "kibitz.games.go.records"))]
    assert {name for name in found["loaded"] if name.startswith("kibitz.search.")} <= {"kibitz.search.agents"}
    assert "Usage" in found["printed"], "help was printed once all agents had been built"
    assert not {"numpy", "numba"} & set(found["built"])


def test_a_bare_tree_has_no_games_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without site-packages there is no metadata, by which games are found; core needs one module from there."""
    shutil.copy(typing_extensions.__file__, tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(kibitz.__file__).parents[1]), str(tmp_path)]))
    found = run_python(
        """
import json
from kibitz.core import registry
try:
    registry.package("uttt")
except Exception as error:
    print(json.dumps({"names": registry.names(), "message": str(error)}))
""",
        flags=["-S"],
    )
    assert found["names"] == []
    assert found["message"].startswith("No games are installed: kibitz finds them by package metadata")


def test_the_command_says_so_too(monkeypatch: pytest.MonkeyPatch, site: Path) -> None:
    monkeypatch.setattr(installed, "entry_points", lambda group: ())
    assert registry.names() == ()
    ran = inside.run("games")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "No games are installed" in ran.stderr


def test_an_installed_game_is_found_and_played(site: Path) -> None:
    plant(site, "stones", "1.0", games={"toy": "toy.package:TOY"})
    assert registry.names() == tuple(sorted({*registry.names(), *OURS, "toy"}))
    assert registry.package("toy") is TOY
    assert registry.packages()["toy"] is TOY
    assert registry.game("toy", stones="7").start().play(2).legal_moves() == (0, 1, 2)
    assert "toy" in installed.game_modules()
    assert "toy   " in inside.run("games").stdout
    record = kibitz.play(Toy(), [kibitz.agent("toy", "plain-alphabeta(depth=1)")] * 2, seed=1)
    assert record.result in ("1-0", "0-1", "1/2-1/2")


def test_a_distribution_found_twice_counts_once(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = site / "again"
    for folder in (site, again):
        plant(folder, "stones", "1.0", games={"toy": "toy.package:TOY"})
    monkeypatch.syspath_prepend(again)
    assert registry.package("toy") is TOY


# Games that cannot be used


def test_a_game_that_cannot_be_used_is_skipped(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    plant(site, "stones", "1.0", games={"toy": "toy.package:TOY"})
    plant(site, "more-stones", "0.2", games={"toy": "more_stones:GAME"})
    plant(site, "broken-game", "0.1", games={"broken": "broken_game:GAME"}, modules={"broken_game.py": "1 / 0"})
    reasons = {
        "toy": "Two installed packages use the name 'toy': more-stones 0.2 (more_stones:GAME) and stones 1.0 "
        "(toy.package:TOY). Uninstall one of them.",
        "broken": "'broken' of broken-game 0.1 cannot be loaded (ZeroDivisionError: division by zero).",
    }
    assert registry.faults() == reasons
    assert set(registry.names()) >= {*OURS, *reasons}
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert set(registry.packages()) == set(registry.names()) - set(reasons)
    ran = inside.run("games")
    assert ran.returncode == 0
    assert all(f"{name}  " in ran.stdout for name in OURS)
    for name, reason in reasons.items():
        with pytest.raises(BadOption) as refused:
            registry.package(name)
        assert str(refused.value) == reason
        assert reason in ran.stdout.splitlines()
        assert [record.getMessage() for record in caplog.records].count(f"Skipped a game: {reason}") == 1
    assert kibitz.agent("uttt", "random").choose(kibitz.game("uttt").start().view(0)).move >= 0


def test_no_distribution_replaces_a_game_of_ours(site: Path) -> None:
    plant(site, "better-dots", "3.1", games={"dots": "toy.package:TOY"})
    with pytest.raises(
        BadOption, match=r"'dots': better-dots 3\.1 \(.*\) and kibitz .*kibitz\.games\.dots\.package:GAME"
    ):
        registry.game("dots")
    assert registry.game("uttt").name == "uttt"


RULES = """
from dataclasses import dataclass
from typing import ClassVar
from kibitz.core.game import Game
from kibitz.core.defaults.grid import GridGame, GridState
from kibitz.core.package import GamePackage
from toy.rules import Toy

@dataclass(frozen=True)
class State(GridState):
    def winner(self):
        return None

class Marbles(Toy):
    name, title = "marbles", "Marbles"
"""


FAILING = {
    "import nothing_of_this_name": "ModuleNotFoundError: No module named 'nothing_of_this_name'",
    "1 / 0": "ZeroDivisionError: division by zero",
    "raise ValueError('first line\\nsecond line')": "ValueError: first line",
    "from kibitz.core.errors import BadOption; raise BadOption()": "BadOption",
    "from kibitz.core.errors import BadOption; raise BadOption('\\n')": "BadOption",
    "this is no Python": "SyntaxError: invalid syntax (wrong.py, line 1)",
    "OTHER = 1": "AttributeError: module 'wrong' has no attribute 'GAME'",
}


def decorated(body: str, base: str = "Toy", decorator: str = "@dataclass(frozen=True)") -> str:
    return f"{decorator}\nclass Marbles({base}):\n    {body}\nGAME = GamePackage(Marbles)"


NAMED = "name, title = 'marbles', 'Marbles'"
WRONG = {
    "GAME = {}": "wrong:GAME is of type dict; write GAME = GamePackage(rules=...) and name GAME",
    "GAME = 3": "wrong:GAME is of type int; write GAME = GamePackage(rules=...) and name GAME",
    "GAME = Marbles": "wrong:GAME is a class; write GAME = GamePackage(rules=Marbles) and name GAME",
    "GAME = GamePackage([])": (
        "its rules are a value of type list; give a subclass of kibitz.core.game.Game, as in GamePackage(rules=MyGame)"
    ),
    "GAME = GamePackage(State)": (
        "its rules are class State; give a subclass of kibitz.core.game.Game, as in GamePackage(rules=MyGame)"
    ),
    "GAME = GamePackage(Toy)": (
        'its entry point is named marbles, but class Toy has name = "toy"; '
        "write the same name in pyproject.toml and in the class, and install it again"
    ),
    decorated(NAMED, "GridGame", ""): "class Marbles is not a dataclass; write @dataclass(frozen=True) above it",
    decorated(NAMED, "GridGame", "@dataclass"): ("class Marbles is not frozen; write @dataclass(frozen=True) above it"),
    decorated("title = 'Marbles'", "GridGame"): 'class Marbles has no name; write name = "short-name" in it',
    decorated("name, title = 'My Marbles', 'Marbles'", "GridGame"): (
        "'My Marbles' cannot name a game: use up to 30 lower-case letters, digits and hyphens, starting with a letter, "
        "as in nine-mens-morris"
    ),
    decorated("name = 'marbles'", "GridGame"): 'class Marbles has no title; write title = "Name of the Game" in it',
    decorated(f"{NAMED}; players = 'xo'"): (
        'the players of class Marbles are \'xo\'; write the names of two sides, as in players = ("Red", "Blue")'
    ),
    decorated(NAMED, "Game"): (
        "class Marbles lacks draw(), move_text(), moves(), parse_move(), parse_position(), position_text(), start()"
    ),
    decorated(f"{NAMED}; sizes: list = (3,)"): (
        "the option sizes of class Marbles has the type list; use int, float, bool, str or Literal, "
        "or write ClassVar if it is not an option"
    ),
    decorated(f"{NAMED}; sizes: 'tuple[int, ...]' = ()"): (
        "the option sizes of class Marbles has the type tuple[int, ...]; use int, float, bool, str or Literal, "
        "or write ClassVar if it is not an option"
    ),
    decorated(f"{NAMED}; sizes: 'Nothing' = 0"): (
        "the types of the options of class Marbles cannot be read (NameError: name 'Nothing' is not defined)"
    ),
    decorated(f"{NAMED}; size: int", "GridGame"): (
        "the option size of class Marbles has no default; write one, as in size: int = 5"
    ),
    decorated(f"{NAMED}; cols = 3; state = State", "GridGame"): "class Marbles has no rows; write rows = 6 in it",
    decorated(f"{NAMED}; rows = cols = 3", "GridGame"): "class Marbles has no state; write state = State in it",
    decorated(f"{NAMED}; rows = cols = 3; state = int", "GridGame"): (
        "state of class Marbles is <class 'int'>; give the class of its positions, a subclass of GridState"
    ),
    decorated(f"{NAMED}; rows = cols = 3; state = GridState", "GridGame"): "class GridState lacks winner()",
}


FAULTS = [
    *(("wrong:GAME", code, f"cannot be loaded ({reason})") for code, reason in FAILING.items()),
    *(("wrong:GAME", f"{RULES}\n{code}\n", f"cannot be used: {reason}") for code, reason in WRONG.items()),
    ("gone_game.package:GAME", "", "cannot be loaded (ModuleNotFoundError: No module named 'gone_game')"),
    ("toy.package", "", "cannot be used: toy.package is a module; name the GamePackage in it, as in toy.package:GAME"),
]


@pytest.mark.parametrize(("value", "code", "reason"), FAULTS, ids=[reason for _, _, reason in FAULTS])
def test_a_faulty_game_is_refused_with_the_fault(site: Path, value: str, code: str, reason: str) -> None:
    plant(site, "elsewhere", "1.0", games={"marbles": value}, modules={"wrong.py": code})
    with pytest.raises(BadOption) as refused:
        registry.package("marbles")
    assert str(refused.value) == f"'marbles' of elsewhere 1.0 {reason}."


@pytest.mark.parametrize(
    "body",
    [
        "rows: int = 3; cols: int = 3; state = State",
        "state = State; rows = property(lambda self: 3); cols = property(lambda self: 3)",
        "rows: ClassVar[int] = 3; cols: ClassVar[int] = 3; state: ClassVar[type] = State; kept: ClassVar[list] = []",
    ],
)
def test_the_size_of_a_grid_may_be_written_in_several_ways(site: Path, body: str) -> None:
    code = decorated(f"{NAMED}; {body}", "GridGame")
    plant(site, "elsewhere", "1.0", games={"marbles": "right:GAME"}, modules={"right.py": f"{RULES}\n{code}\n"})
    assert registry.game("marbles").start().legal_moves() == tuple(range(9))


# Bots


class Echo(Agent):
    """Plays the first move, and says what it was given."""

    def __init__(self, game: Game, text: str) -> None:
        super().__init__(game)
        self.text = text

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        return Choice(view.legal_moves()[0], note=self.text)


ECHO = BotKind(Echo, rest="TEXT", about="Says TEXT.")


def test_an_installed_bot_plays_every_game(site: Path) -> None:
    plant(site, "echo-bot", "1.0", bots={"echo": f"{__name__}:ECHO"})
    for name in OURS:
        assert registry.bot_kind(name, "echo") is ECHO
        assert {"exec", "openspiel", "echo"} <= set(registry.bot_kinds(name))
        game = kibitz.game(name)
        agent = kibitz.agent(game, "echo:a b:c", seed=3)
        assert (agent.spec, agent.choose(game.start().view(0)).note) == ("echo:a b:c", "a b:c")
    listed = inside.run("agents", "uttt").stdout
    assert [line.split() for line in listed.splitlines() if "echo:" in line] == [["echo:TEXT", "Says", "TEXT."]]
    with pytest.raises(BadOption, match=r"'echo:' names no program: write echo:TEXT\."):
        make_agent("uttt", "echo:")


def test_a_game_has_bots_of_its_own() -> None:
    for prefix, game in (("codingame", "uttt"), ("gtp", "go")):
        assert [name for name in OURS if prefix in registry.bot_kinds(name)] == [game]
        assert [name for name in OURS if registry.bot_kind(name, prefix) is not None] == [game]
    assert registry.bot_kind("uttt", "chess") is None
    with pytest.raises(BadOption, match=r"'gtp' in 'gtp:x' is not a kind of bot for .*; .*codingame:"):
        make_agent("uttt", "gtp:x")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("gone_bot:KIND", "'bad' of bad-bot 1.0 cannot be loaded (ModuleNotFoundError: No module named 'gone_bot')."),
        ("toy.package:TOY", ("The entry point 'bad' of bad-bot 1.0 names a GamePackage, not a BotKind.")),
    ],
)
def test_a_bot_that_cannot_be_used_is_skipped(
    site: Path, caplog: pytest.LogCaptureFixture, value: str, reason: str
) -> None:
    plant(site, "bad-bot", "1.0", bots={"bad": value})
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert set(registry.bot_kinds("go")) >= {"exec", "openspiel", "gtp"}
            assert "bad" not in registry.bot_kinds("go")
    assert [record.getMessage() for record in caplog.records] == [f"Skipped a kind of bot: {reason}"]
    with pytest.raises(BadOption) as refused:
        make_agent("go", "bad:x")
    assert str(refused.value) == reason
    assert "exec:COMMAND" in inside.run("agents", "go").stdout


# Games made known to this process


@dataclass(frozen=True)
class Pebbles(Toy):
    name: ClassVar[str] = "pebbles"


def test_a_game_is_added_and_removed() -> None:
    pebbles = GamePackage(Pebbles)
    before = registry.names()
    registry.add(pebbles)
    try:
        assert registry.names() == tuple(sorted([*before, "pebbles"]))
        assert registry.package("pebbles") is registry.packages()["pebbles"] is pebbles
        assert registry.game("pebbles", stones=3) == Pebbles(stones=3)
        assert "pebbles" not in registry.faults()
    finally:
        registry.remove("pebbles")
    assert registry.names() == before
    with pytest.raises(BadOption, match="no game 'pebbles'"):
        registry.package("pebbles")
    registry.remove("pebbles")


def test_a_game_with_a_fault_is_not_added() -> None:
    class Unfrozen(Toy):
        title = ""

    with pytest.raises(BadOption, match=r'The game cannot be added: class Unfrozen has no title; write title = "'):
        registry.add(GamePackage(Unfrozen))


@pytest.mark.parametrize("name", ["a/b", "my game", "4row", "..", "Hex", "x" * 31])
def test_a_name_is_lower_case_letters_digits_and_hyphens(name: str) -> None:
    named = type("Named", (Pebbles,), {"name": name})
    with pytest.raises(BadOption, match="cannot name a game: use up to 30 lower-case letters, digits and hyphens"):
        registry.add(GamePackage(named))


@pytest.mark.parametrize("name", ["board", "still", "plain-text", "pill"])
def test_a_name_is_no_class_of_all_boards(name: str) -> None:
    named = type("Named", (Pebbles,), {"name": name})
    with pytest.raises(BadOption, match=f"'{name}' cannot name a game: the style sheet of all boards uses it"):
        registry.add(GamePackage(named))
    ran = inside.run("new-game", name, "nowhere")
    assert (ran.returncode, "the style sheet of all boards uses it" in ran.stderr) == (2, True)


def test_an_added_game_takes_no_name_of_an_installed_one() -> None:
    with pytest.raises(BadOption, match="game named 'uttt' is already installed"):
        registry.add(registry.package("uttt"))
    assert registry.names().count("uttt") == 1


def test_a_game_added_again_is_the_new_one(add_game: AddGame) -> None:
    class Page(PlainPage[Any, Any]):
        """Another one."""

    add_game(GamePackage(Pebbles))
    assert "level10" in agent_entries("pebbles")
    assert type(registry.page("pebbles")) is PlainPage
    table = AgentTable({"only": AgentEntry("random")}, analyst="only")
    add_game(GamePackage(Pebbles, agents=lambda: table, page=lambda: Page(Pebbles)))
    assert set(agent_entries("pebbles")) == {"only"}
    assert analyst_spec("pebbles") == "only"
    assert type(registry.page("pebbles")) is Page
    assert registry.page("pebbles") is registry.page("pebbles")


def test_rules_alone_make_a_game(add_game: AddGame) -> None:
    add_game(GamePackage(Pebbles))
    game = kibitz.game("pebbles", stones=9)
    with pytest.raises(BadOption, match="has no kernel: choose a search that starts with plain-"):
        registry.kernel("pebbles")
    assert list(registry.evaluations("pebbles").known) == ["none"]
    assert {f"level{n}" for n in range(1, 11)} | {"champion", "random", "plain-mcts"} <= set(agent_entries("pebbles"))
    assert not {"mcts", "alphabeta", "selective", "minimax"} & set(agent_entries("pebbles"))
    for name in agent_entries("pebbles"):
        agent = kibitz.agent(game, name)
        assert agent.choose(game.start().view(0), Budget(nodes=50, playouts=5)).move in (0, 1, 2)
    choice = kibitz.agent(game, "plain-alphabeta").choose(Pebbles(stones=2).start().view(0), Budget(nodes=1000))
    assert (choice.move, choice.exact, choice.value) == (1, True, 1)


def test_a_kernel_gives_the_compiled_searches_too(add_game: AddGame) -> None:
    add_game(dataclasses.replace(TOY, agents=None))
    assert {"mcts", "alphabeta", "selective", "minimax", "plain-mcts"} <= set(agent_entries("toy"))
    assert agent_entries("toy")["champion"].make == "mcts"
    levels: Mapping[str, AgentEntry] = agent_entries("toy")
    assert levels["level10"].make == "champion"
    assert levels["level9"].make == "mcts(playouts=20000)"


def test_names_that_stand_for_each_other_are_refused(add_game: AddGame) -> None:
    entries = {"a": AgentEntry("b"), "b": AgentEntry("c(depth=2)"), "c": AgentEntry("b"), "me": AgentEntry("me")}
    add_game(GamePackage(Pebbles, agents=lambda: AgentTable(entries, analyst="a")))
    for spec, name, cycle in (("a", "b", "b -> c -> b"), ("me", "me", "me -> me")):
        with pytest.raises(BadOption, match=rf"The agent name '{name}' leads back to itself \({cycle}\)"):
            make_agent("pebbles", spec)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("style", ".pebbles .stone { fill: red", "board.css cannot be read: missing } after '.pebbles .stone'"),
        ("style", ".pebbles %% { fill: red }", "board.css cannot be read: not a selector: '%%'"),
        ("art", "<defs><g></defs>", "board.svg is not well-formed: mismatched tag"),
    ],
)
def test_sheets_and_art_that_cannot_be_read(
    file: str, text: str, message: str, tmp_path: Path, add_game: AddGame
) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    page = type("Page", (PlainPage,), {file: tmp_path / "file"})
    add_game(GamePackage(Pebbles, page=lambda: page(Pebbles)))
    for command in (("games",), ("draw", "pebbles")):
        ran = inside.run(*command)
        assert f"The page of 'pebbles' cannot be used ({message}" in ran.stdout + ran.stderr
        assert ran.returncode == (0 if command == ("games",) else 2)
