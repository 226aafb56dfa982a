"""Specs and names: the grammar, the values, and the messages for wrong ones."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from conftest import OURS
from kibitz.core.errors import BadOption
from kibitz.core.spec import Parameter, PathText, kind_text, names_path, parameters, parse_spec, read_values
from kibitz.search.agents import agent_entries, analyst_spec, resolve, summary_of

AGENTS = {"random", "reflex", "alphabeta", "mcts", "plain-alphabeta", "plain-mcts", "level1", "level10", "champion"}


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("random", "random", {}),
        ("  random  ", "random", {}),
        ("random()", "random", {}),
        ("random( )", "random", {}),
        ("plain-mcts(c=0.7)", "plain-mcts", {"c": "0.7"}),
        ("a(b=1,c=2)", "a", {"b": "1", "c": "2"}),
        (" a ( b = 1 , c = two words ) ", "a", {"b": "1", "c": "two words"}),
        ("a(b=5/(t^2),c=f(x,(y)))", "a", {"b": "5/(t^2)", "c": "f(x,(y))"}),
        ("a(b=c=d)", "a", {"b": "c=d"}),
        ("level#2.1", "level#2.1", {}),
        ('a(b="x, (y",c=1)', "a", {"b": "x, (y", "c": "1"}),
        ('a(b=" two words ", c=d"e,"f)', "a", {"b": " two words ", "c": 'd"e,"f'}),
    ],
)
def test_spec_is_read(text: str, name: str, values: dict[str, str]) -> None:
    assert parse_spec(text) == (name, values)


MALFORMED = {
    "does not name an agent": ["", "(b=1)", "two words", "5(b=1)"],
    "lacks its closing bracket": ["a(b=1", "a(b=1) c"],
    "brackets of .* do not match": ["a(b=(1)", "a(b=1))", "a(b=)1()"],
    "quotes of .* do not match": ['a(b="1)', 'a(b=1",c="2")'],
    "key=value": ["a(b)", "a(b=)", "a(=1)", "a(b=1,)", "a(,)", 'a(b="")'],
    "gives 'b' twice": ["a(b=1,b=1)"],
}


@pytest.mark.parametrize(("text", "message"), [(text, why) for why, texts in MALFORMED.items() for text in texts])
def test_malformed_spec_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadOption, match=message):
        parse_spec(text)


@given(st.one_of(st.text(), st.text(alphabet="ab(),= 1-", max_size=20), st.from_regex(r"a\(.*\)", fullmatch=True)))
def test_any_text_is_a_spec_or_a_bad_option(text: str) -> None:
    try:
        name, values = parse_spec(text)
    except BadOption:
        return
    assert name
    assert all(key and value for key, value in values.items())


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.from_regex(r"[a-z0-9./^]{1,8}", fullmatch=True), max_size=4
    )
)
def test_written_spec_is_read_back(values: dict[str, str]) -> None:
    text = "name(" + ",".join(f"{key}={value}" for key, value in values.items()) + ")"
    assert parse_spec(text) == ("name", values)


def read_one(kind: Any, value: Any) -> Any:
    return read_values("It", {"key": Parameter(kind, None)}, {"key": value})["key"]


VALUES: dict[Any, dict[Any, Any]] = {
    int: {"12": 12, " -3 ": -3, 12: 12},
    float: {"0.7": 0.7, "2": 2.0},
    bool: {"true": True, "False": False, True: True},
    str: {"any text": "any text"},
    Literal["closed", "open"]: {"open": "open"},
    Literal[5, 7]: {"7": 7},
    int | None: {"none": None, None: None, "4": 4},
    None | PathText: {"none": None, "a/b.npz": "a/b.npz"},
    Literal["net"] | PathText: {"net": "net", "./net": "./net"},
}


@pytest.mark.parametrize(
    ("kind", "given", "value"), [(kind, *pair) for kind, values in VALUES.items() for pair in values.items()]
)
def test_value_is_read_as_its_type(kind: Any, given: Any, value: Any) -> None:
    found = read_one(kind, given)
    assert found == value
    assert type(found) is type(value)


WRONG_VALUES: dict[Any, tuple[str, str, list[Any]]] = {
    int: ("int", "a whole number", ["1.5", "", "9" * 5000, True]),
    float: ("number", "a number", ["fast", "nan", "inf", "-infinity", "1e999"]),
    bool: ("true|false", "true or false", ["1", "yes"]),
    Literal["closed", "open"]: ("closed|open", "closed or open", ["Open"]),
    Literal["a", "b", "c"]: ("a|b|c", "a, b or c", ["d"]),
    int | None: ("int|none", "a whole number or none", ["null"]),
    float | None: ("number|none", "a number or none", ["nan"]),
}


@pytest.mark.parametrize(
    ("kind", "given", "listed", "message"),
    [(kind, value, listed, words) for kind, (listed, words, values) in WRONG_VALUES.items() for value in values],
)
def test_wrong_value_is_refused_with_the_valid_ones(kind: Any, given: Any, listed: str, message: str) -> None:
    with pytest.raises(BadOption) as caught:
        read_one(kind, given)
    assert str(caught.value).endswith(f"it must be {message}.")
    assert kind_text(kind) == listed


def test_which_values_are_paths() -> None:
    kinds: list[Any] = [None | PathText, Literal["net"] | PathText, PathText, str, int]
    assert [names_path(kind, "net") for kind in kinds] == [True, False, True, False, False]
    assert [names_path(kind, "none") for kind in kinds] == [False, True, True, False, False]
    assert kind_text(Literal["net"] | PathText) == "net|PATH"


def test_the_message_for_a_bad_value_is_one_line() -> None:
    with pytest.raises(BadOption) as caught:
        read_one(int, "1\n2")
    assert "\n" not in str(caught.value)


def test_unknown_key_is_refused_with_the_valid_ones() -> None:
    with pytest.raises(BadOption, match=r"It has no option 'dept'; it takes depth=int, c=number\."):
        read_values("It", {"depth": Parameter(int, 1), "c": Parameter(float, 0.7)}, {"dept": "3"})
    with pytest.raises(BadOption, match="it takes no options"):
        read_values("It", {}, {"dept": "3"})


def test_parameters_are_those_with_a_default() -> None:
    def make(game: str, *, depth: int | None = None, eval: str = "") -> None: ...

    assert parameters(make) == {"depth": (int | None, None), "eval": (str, "")}


NOT_OPTIONS = ("size", "name", "cls", "self", "")


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("chess", {}, r"no game 'chess'; the games are .*\buttt\b"),
        *(("uttt", {name: "9"}, r"variant=closed\|open, tiebreak=draw\|count") for name in NOT_OPTIONS),
        ("uttt", {"variant": "half"}, r"cannot take variant=.?half.?: it must be closed or open"),
    ],
)
def test_unknown_games_and_options_are_refused_with_the_valid_ones(
    game: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(BadOption, match=message):
        kibitz.game(game, **options)


def test_unknown_agent_is_refused_with_the_agents() -> None:
    with pytest.raises(BadOption, match="uttt has no agent 'stockfish'") as caught:
        kibitz.agent("uttt", "stockfish")
    assert all(name in str(caught.value) for name in AGENTS)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("random(depth=3)", "it takes no options"),
        ("alphabeta(dept=3)", r"depth=int\|none, eval=text"),
        ("alphabeta(depth=deep)", r"must be a whole number or none"),
        ("alphabeta(depth=0)", "1 or more"),
        ("alphabeta(table=3)", "0, or 4 to 28"),
        ("alphabeta(eval=gut)", "its evaluations are .*winning"),
        ("mcts(playouts=0)", "1 or more"),
        ("mcts(c=nan)", "must be a number"),
        ("mcts(leaf=gut)", "its evaluations are"),
    ],
)
def test_bad_agent_option_is_refused(spec: str, message: str) -> None:
    with pytest.raises(BadOption, match=message):
        kibitz.agent("uttt", spec)


@pytest.mark.parametrize("name", [*(f"level{n}" for n in range(1, 11)), "champion"])
def test_alias_builds_and_keeps_its_name(name: str) -> None:
    assert kibitz.agent("uttt", name).spec == name
    with pytest.raises(BadOption, match=f"The agent {name} has no option 'colour'"):
        kibitz.agent("uttt", f"{name}(colour=red)")


def test_keys_given_with_an_alias_are_added_or_replace_its_own() -> None:
    plain, deeper = kibitz.agent("uttt", "MM_Winning#R"), kibitz.agent("uttt", "MM_Winning#R(depth=3,jump=0)")
    assert (plain.depth, plain.evaluations, plain.jumps[0]) == (2, ("winning",), 5 / 9)  # type: ignore[attr-defined]
    assert (deeper.depth, deeper.evaluations, deeper.jumps[0]) == (3, ("winning",), 0)  # type: ignore[attr-defined]
    assert deeper.spec == "MM_Winning#R(depth=3,jump=0)"
    assert kibitz.agent("uttt", "level10(seconds=0.05)").seconds == 0.05  # type: ignore[attr-defined]


def test_every_agent_and_the_analyst_build_and_are_described() -> None:
    for game in OURS:
        kibitz.agent(game, analyst_spec(game))
        for name in agent_entries(game):
            assert kibitz.agent(game, name).spec == name
            assert summary_of(resolve(game, name)[0])
