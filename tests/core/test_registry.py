"""Installed games and bots: found without being loaded, and skipped with a clear message if they are broken."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import typing_extensions

import inside
import kibitz
from conftest import OURS, AddGame
from distributions import plant
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

SOURCE = Path(kibitz.__file__).parents[1]


def clear_registry_caches() -> None:
    for cached in (installed.entries, registry._load, registry.faults, registry.warn_once):
        cached.cache_clear()
    registry._forget_pages()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which distributions can be installed, as long as the test runs."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    before = set(sys.modules)
    clear_registry_caches()
    yield folder
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
            del sys.modules[name]
    monkeypatch.undo()
    clear_registry_caches()


# Discovery

LOADED = """
import json, sys
from kibitz.core import registry
found = {{"names": registry.names()}}
{more}
print(json.dumps({{**found, "loaded": sorted(sys.modules)}}))
"""


def run_python(code: str, *flags: str, path: Path = SOURCE) -> Any:
    """Run a program and return what it prints as JSON."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(path), *filter(None, [os.environ.get("PYTHONPATH")])])}
    ran = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, env=env, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_listing_games_loads_none() -> None:
    found = run_python(LOADED.format(more=""))
    assert set(found["names"]) >= {"battleline", "dots", "go", "uttt"} == set(OURS)
    assert found["names"] == sorted(found["names"])
    assert not [name for name in found["loaded"] if name.startswith("kibitz.games")]
    assert not {"numpy", "numba", "rich", "typer"} & set(found["loaded"])


def test_loading_all_games_loads_their_rules_only() -> None:
    found = run_python(LOADED.format(more=f"for name in {OURS}: registry.game(name).start()"))
    parts = {name.split(".")[3] for name in found["loaded"] if name.startswith("kibitz.games.") and name.count(".") > 2}
    assert {"package", "rules"} <= parts
    assert not {"agents", "evaluate", "explain", "kernel", "observation", "page", "notations"} & parts
    assert not {"numpy", "numba"} & set(found["loaded"])
    assert not [name for name in found["loaded"] if name.startswith(("kibitz.compiled", "kibitz.games.go.records"))]
    assert {name for name in found["loaded"] if name.startswith("kibitz.search.")} <= {"kibitz.search.agents"}


def test_a_bare_tree_has_no_games_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without site-packages there is no metadata, by which games are found; core needs one module from there."""
    shutil.copy(typing_extensions.__file__, tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    attempt = "try: registry.package('uttt')\nexcept Exception as error: found['message'] = str(error)"
    found = run_python(LOADED.format(more=attempt), "-S")
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


def check_skipped(name: str, reason: str, caplog: pytest.LogCaptureFixture) -> None:
    """Check that a game is skipped with a one-line warning, and that the others still work."""
    assert name in registry.names()
    with pytest.raises(BadOption) as refused:
        registry.package(name)
    assert str(refused.value) == registry.faults()[name] == reason
    assert "\n" not in reason
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert set(OURS) - {name} <= set(registry.packages())
            assert name not in registry.packages()
    assert [record.getMessage() for record in caplog.records].count(f"Skipped a game: {reason}") == 1
    ran = inside.run("games")
    assert ran.returncode == 0
    assert reason in ran.stdout.splitlines()
    assert all(f"{other}  " in ran.stdout for other in set(OURS) - {name})
    other = next(each for each in ("uttt", "dots") if each != name)
    assert kibitz.agent(other, "random").choose(kibitz.game(other).start().view(0)).move >= 0


def test_two_distributions_of_one_name_are_both_named(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    plant(site, "stones", "1.0", games={"toy": "toy.package:TOY"})
    plant(site, "more-stones", "0.2", games={"toy": "more_stones:GAME"})
    reason = (
        "Two installed packages use the name 'toy': more-stones 0.2 (more_stones:GAME) and stones 1.0 "
        "(toy.package:TOY). Uninstall one of them."
    )
    check_skipped("toy", reason, caplog)


def test_no_distribution_replaces_a_game_of_ours(site: Path) -> None:
    plant(site, "better-dots", "3.1", games={"dots": "toy.package:TOY"})
    with pytest.raises(
        BadOption, match=r"'dots': better-dots 3\.1 \(.*\) and kibitz .*kibitz\.games\.dots\.package:GAME"
    ):
        registry.game("dots")
    assert registry.game("uttt").name == "uttt"


BROKEN_MODULES = {
    "import nothing_of_this_name": "ModuleNotFoundError: No module named 'nothing_of_this_name'",
    "1 / 0": "ZeroDivisionError: division by zero",
    "raise ValueError('first line\\nsecond line')": "ValueError: first line",
    "from kibitz.core.errors import BadOption; raise BadOption()": "BadOption",
    "from kibitz.core.errors import BadOption; raise BadOption('\\n')": "BadOption",
    "this is no Python": "SyntaxError: invalid syntax (broken_game.py, line 1)",
    "OTHER = 1": "AttributeError: module 'broken_game' has no attribute 'GAME'",
}


@pytest.mark.parametrize("code", BROKEN_MODULES)
def test_a_game_that_fails_to_import_is_skipped(site: Path, caplog: pytest.LogCaptureFixture, code: str) -> None:
    plant(site, "broken-game", "0.1", games={"broken": "broken_game:GAME"}, modules={"broken_game.py": code})
    check_skipped("broken", f"'broken' of broken-game 0.1 cannot be loaded ({BROKEN_MODULES[code]}).", caplog)


UNUSABLE = {
    "gone_game.package:GAME": "cannot be loaded (ModuleNotFoundError: No module named 'gone_game')",
    "toy.package": "cannot be used: toy.package is a module; name the GamePackage in it, as in toy.package:GAME",
}


@pytest.mark.parametrize("value", UNUSABLE)
def test_an_entry_point_without_a_game_is_skipped(site: Path, caplog: pytest.LogCaptureFixture, value: str) -> None:
    plant(site, "elsewhere", "1.0", games={"marbles": value})
    check_skipped("marbles", f"'marbles' of elsewhere 1.0 {UNUSABLE[value]}.", caplog)


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
        'its entry point is marbles and class Toy says name = "toy"; '
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


@pytest.mark.parametrize("code", WRONG)
def test_a_faulty_game_is_skipped_with_the_fault(site: Path, caplog: pytest.LogCaptureFixture, code: str) -> None:
    plant(site, "elsewhere", "1.0", games={"marbles": "wrong:GAME"}, modules={"wrong.py": f"{RULES}\n{code}\n"})
    check_skipped("marbles", f"'marbles' of elsewhere 1.0 cannot be used: {WRONG[code]}.", caplog)


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
    with pytest.raises(BadOption, match=r"'gtp' in 'gtp:x' is no kind of bot for Ultimate Tic-Tac-Toe; .*codingame:"):
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
    for spec, message in (("a", "'a' stands for b, c, b"), ("me", "'me' stands for me")):
        with pytest.raises(BadOption, match=f"The agent {message} again, and so for no agent at all."):
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
