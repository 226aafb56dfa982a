"""Strings-and-Coins: graphs as JSON, good ones played to the end and bad ones named, and the commands on a graph."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from games.dots import boards
from inside import run
from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.core.game import Outcome
from kibitz.core.record import GameRecord, replay
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import GROUND, MAX_COINS, MAX_STRINGS, grid, read_graph

TRIANGLE = {"coins": ["a", "b", "c"], "strings": [["ab", "a", "b"], ["bc", "b", "c"], ["ca", "c", "a"]]}
STAR = {"coins": ["hub", 1, 2, 3], "strings": [["x", "hub", 1], ["y", 2, "hub"], ["z", "hub", 3]]}
PARALLEL = {
    "coins": ["a", "b"],
    "strings": [["s", "a", "b"], ["t", "b", "a"], ["u", "a", "ground"], ["v", "ground", "a"]],
    "places": {"a": [0, 0], "b": [1.5, -2]},
}


def play(graph: dict[str, Any], moves: str) -> DotsState:
    """Return the position after strings such as "ab bc" are cut."""
    return boards.play(Dots(graph=json.dumps(graph)), moves)


def test_small_graphs_to_the_end() -> None:
    """Cutting two sides frees a corner; the third side then frees the other two at once."""
    assert play(TRIANGLE, "ab").to_move == 1
    state = play(TRIANGLE, "ab ca")
    assert (state.owned, state.to_move) == ((0, 0b001), 1)
    end = state.play(1)
    assert end.outcome() == Outcome(1, "3 coins to 0")
    assert end.owners == (1, 1, 1)
    # Each string holds a leaf, so the first player takes all; the last string frees the hub too.
    state = play(STAR, "x y")
    assert (state.scores, state.to_move) == ((2, 0), 0)
    assert state.taken_by(2) == (0, 3)
    assert state.play(2).outcome() == Outcome(0, "4 coins to 0")
    # Parallel strings to the end.
    state = play(PARALLEL, "s u t")
    assert (state.owners, state.to_move) == ((None, 0), 0)
    assert state.play(3).outcome() == Outcome(0, "2 coins to 0")
    assert play(PARALLEL, "u v s t").outcome() == Outcome(1, "2 coins to 0")
    assert play(PARALLEL, "s t u v").outcome() == Outcome(None, "1 coin each")
    with pytest.raises(IllegalMove, match="Line s has already been drawn"):
        play(PARALLEL, "s s")


def test_what_is_read() -> None:
    graph = read_graph(json.dumps(PARALLEL))
    assert (graph.coins, graph.ids) == (("a", "b"), ("s", "t", "u", "v"))
    assert graph.strings == ((0, 1), (1, 0), (0, GROUND), (0, GROUND))
    assert graph.strings_of == ((0, 1, 2, 3), (0, 1))
    assert graph.places == ((0.0, 0.0), (1.5, -2.0))
    assert (graph.is_grid, graph.other_end(0, 0), graph.other_end(2, 0)) == (False, 1, GROUND)
    assert graph.symmetries() == ((0, 1, 2, 3),)
    assert read_graph(graph.to_json()) == graph
    assert read_graph(json.dumps(STAR)).coins == ("hub", "1", "2", "3")


def test_a_grid_written_as_a_graph_goes_the_same_way() -> None:
    raw = json.loads(grid(2, 3).to_json().replace(',0"', '.0"').replace(',1"', '.1"').replace(',2"', '.2"'))
    assert raw["coins"] == ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]
    ours, theirs = Dots(2, 3).start(), Dots(graph=json.dumps(raw)).start()
    for move in random.Random(5).sample(range(17), 17):
        assert (theirs.to_move, theirs.owned, theirs.taken_by(move)) == (ours.to_move, ours.owned, ours.taken_by(move))
        ours, theirs = ours.play(move), theirs.play(move)
    assert theirs.scores == ours.scores


def test_positions_options_and_drawing_of_a_graph() -> None:
    game = Dots(rows=7, graph=json.dumps(TRIANGLE, indent=2))
    assert game.options == {"graph": json.dumps(TRIANGLE, separators=(",", ":"))}
    assert (game.rows, game.cols) == (0, 0)
    assert registry.game("dots", **game.options) == game
    state = game.parse_position("5 2.. 2")
    assert state == play(TRIANGLE, "ab ca")
    assert game.position_text(state) == "5 2.. 2"
    for text in ("8", "5 ...", "1 1.."):
        with pytest.raises(BadText):
            game.parse_position(text)
    with pytest.raises(BadText, match="'h 0 0' is not a string: the strings are ab, bc, ca"):
        game.parse_move("h 0 0")
    with pytest.raises(BadOption, match="start=icelandic is for grids"):
        Dots(start_="icelandic", graph=json.dumps(TRIANGLE))
    # A graph is drawn as a list.
    game = Dots(graph=json.dumps(TRIANGLE))
    drawn = ["".join(text for text, _ in line).rstrip() for line in game.draw(play(TRIANGLE, "ab ca"), 2)]
    assert drawn == [" a Blue  ca×", " b   bc→c", " c   bc→b  ca×", "   Red  0   Blue  1"]


def changed(**parts: Any) -> str:
    return json.dumps({**TRIANGLE, **parts})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "The graph is not JSON"),
        ("graph.json", "The graph is not JSON"),
        ("{", "The graph is not JSON"),
        ("[" * 100_000, "The graph is not JSON"),
        ('{"coins":' * 100_000, "The graph is not JSON"),
        ("9" * 5000, "The graph is not JSON"),
        ("[]", "A graph must be a JSON object"),
        ("null", "A graph must be a JSON object"),
        ("{}", "A graph must be a JSON object"),
        (changed(colour="red"), "A graph must be a JSON object"),
        ('{"coins": ["a"]}', "A graph must be a JSON object"),
        (changed(coins=[]), '"coins" must be a list of at least one'),
        (changed(strings=[]), '"strings" must be a list of at least one'),
        (changed(coins={"a": 1}), '"coins" must be a list of at least one'),
        (changed(coins="abc"), '"coins" must be a list of at least one'),
        (changed(coins=["a", "b", "c", None]), "None is not the id of a coin"),
        (changed(coins=["a", "b", "c", True]), "True is not the id of a coin"),
        (changed(coins=["a", "b", "c", 1.5]), "1.5 is not the id of a coin"),
        (changed(coins=["a", "b", "c", ""]), "'' is not the id of a coin"),
        (changed(coins=["a", "b", "c", "x y"]), "'x y' is not the id of a coin"),
        (changed(coins=["a", "b", "c", "é"]), "is not the id of a coin"),
        (changed(coins=["a", "b", "c", "x" * 33]), "is not the id of a coin"),
        (changed(coins=["a", "b", "c", ["a"]]), "is not the id of a coin"),
        (changed(coins=["a", "b", "c", "b"]), "Two coins have the id 'b'"),
        (changed(coins=["a", "b", "c", 1, "1"]), "Two coins have the id '1'"),
        (changed(coins=["a", "b", "c", "ground"]), "A coin cannot be called 'ground'"),
        (changed(coins=["a", "b", "c", "d"]), "The coin 'd' has no strings"),
        (changed(strings="ab"), '"strings" must be a list of lists'),
        (changed(strings=[[]]), '"strings" must be a list of lists'),
        (changed(strings=["ab"]), '"strings" must be a list of lists'),
        (changed(strings=[["ab", "a", "b"], ["ab", "b", "c"]]), "Two strings have the id 'ab'"),
        (changed(strings=[["a b", "a", "b"]]), "'a b' is not the id of a string"),
        (changed(strings=[["ab"]]), "The string 'ab' has 0 ends instead of 2"),
        (changed(strings=[["ab", "a"]]), "The string 'ab' has 1 end instead of 2"),
        (changed(strings=[["ab", "a", "b", "c"]]), "The string 'ab' has 3 ends"),
        (changed(strings=[["ab", "a", "d"]]), "The string 'ab' ends at 'd', which is neither"),
        (changed(strings=[["ab", "a", None]]), "The string 'ab' ends at None, which is neither"),
        (changed(coins=["a", "b", "c", "True"], strings=[["ab", "a", True]]), "ends at True, which is neither"),
        (changed(coins=["a", "b", "c", "1.0"], strings=[["ab", "a", 1.0]]), "ends at 1.0, which is neither"),
        (changed(strings=[["ab", "a", ["b"]]]), "which is neither a coin nor 'ground'"),
        (changed(strings=[["aa", "a", "a"]]), "The string 'aa' joins the coin 'a' to itself"),
        (changed(strings=[["gg", "ground", "ground"]]), "The string 'gg' joins the ground to itself"),
        (changed(places={"a": [0, 0]}), '"places" must give a place'),
        (changed(places=[]), '"places" must give a place'),
        (changed(places={"a": [0, 0], "b": [0, 1], "c": [0]}), "The place of the coin 'c'"),
        (changed(places={"a": [0, 0], "b": [0, "1"], "c": [0, 0]}), "The place of the coin 'b'"),
        (changed(places={"a": [0, 0], "b": [0, 1e300], "c": [0, 0]}), "The place of the coin 'b'"),
        (changed(places={"a": [0, float("nan")], "b": [0, 1], "c": [0, 0]}), "The place of the coin 'a'"),
        (changed(places={"a": [0, 10**400], "b": [0, 1], "c": [0, 0]}), "The place of the coin 'a'"),
        (changed(places={"a": [0, True], "b": [0, 1], "c": [0, 0]}), "The place of the coin 'a'"),
    ],
)  # fmt: skip
def test_graphs_that_cannot_be(text: str, why: str) -> None:
    with pytest.raises(BadText, match=why):
        read_graph(text)


def many(coins: int, strings: int) -> str:
    ends = [[f"s{i}", i % coins, "ground"] for i in range(strings)]
    return json.dumps({"coins": list(range(coins)), "strings": ends})


def test_as_many_as_possible_and_no_more() -> None:
    graph = read_graph(many(MAX_COINS, MAX_STRINGS))
    assert (len(graph.coins), len(graph.strings)) == (128, 192)
    for coins, strings in ((MAX_COINS + 1, MAX_STRINGS), (1, MAX_STRINGS + 1), (200_000, 1), (1, 200_000)):
        with pytest.raises(BadText, match=f"The graph has {coins} coins and {strings} strings; at most 128"):
            read_graph(many(coins, strings))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.sampled_from(["a", "b", "ground", "", "é"]),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["coins", "strings", "places", "a", "b"]), inner, max_size=3)
        ),
        max_leaves=20,
    ),
    st.lists(st.sampled_from(["a", "b", 1, "ground"]), max_size=3),
    st.lists(st.lists(st.sampled_from(["s", "a", "b", 1, "ground"]), max_size=4), max_size=3),
)
def test_nonsense_is_refused_with_bad_text_only(raw: object, coins: list[object], strings: list[object]) -> None:
    for value in (raw, {"coins": coins, "strings": strings}, {"coins": coins, "strings": strings, "places": raw}):
        try:
            graph = read_graph(json.dumps(value))
        except BadText:
            continue
        assert read_graph(graph.to_json()) == graph


def test_records_and_programs_open_no_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(TRIANGLE))
    user = registry.game_of_user("dots", graph=str(path))
    assert user == Dots(graph=json.dumps(TRIANGLE))
    assert registry.game_of_user("dots", graph=json.dumps(TRIANGLE)) == user
    with pytest.raises(BadText, match="The graph is not JSON"):
        registry.game("dots", graph=str(path))
    record = GameRecord("dots", {"graph": str(path)}, ("a", "b"), (), "*", "not finished")
    with pytest.raises(BadText, match=r"The record cannot be replayed: The graph is not JSON"):
        replay(record)
    assert len(replay(replace(record, options=user.options))) == 1
    for missing, why in ((tmp_path / "none", "No such file"), (tmp_path, "Cannot read graph=")):
        with pytest.raises(BadText, match=why):
            registry.game_of_user("dots", graph=str(missing))


def test_the_commands_on_a_graph(tmp_path: Path) -> None:
    path, saved = tmp_path / "star.json", tmp_path / "games.jsonl"
    path.write_text(json.dumps(STAR))
    ran = run("games")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "graph=FILE" in ran.stdout
    ran = run("play", "dots", "-o", f"graph={path}", "random", "random", "--seed", "1", "--save", saved)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Red (random) wins: 4 coins to 0." in ran.stdout
    (record,) = kibitz.read_records(saved).good
    assert (sorted(record.moves), record.result, record.reason) == (["x", "y", "z"], "1-0", "4 coins to 0")
    assert record.options == {"graph": Dots(graph=json.dumps(STAR)).graph}
    path.unlink()
    ran = run("replay", saved)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "1-0  4 coins to 0" in ran.stdout
    ran = run("play", "dots", "-o", f"graph={path}", "random", "random")
    assert ran.returncode == 2
    assert ran.stderr.startswith("kibitz: Cannot read graph=")
