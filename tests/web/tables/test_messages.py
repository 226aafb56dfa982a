"""What a client may send: what is right is read, what is wrong is refused in words, and nothing else happens."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core import registry
from kibitz.core.errors import BadText, KibitzError
from kibitz.search.agents import agent_entries
from kibitz.web.catalogue import agent_label
from kibitz.web.server.checks import (
    flag,
    list_of,
    mapping,
    one_of,
    or_none,
    read_body,
    seconds,
    text,
    whole,
    whole_text,
)
from kibitz.web.tables.messages import ACTIONS, MAX_NAME_LENGTH, Message, person_name, read_message
from kibitz.web.tables.new import SECONDS_RANGE, read_new_table
from kibitz.web.tables.setup import Seat
from kibitz.web.tables.table import Event, Table, event_json
from web.talking import ANN, agent

LEVEL = agent("level5")


def wish(**changes: Any) -> dict[str, Any]:
    return {"game": "dots", "options": {"rows": 2, "cols": 2}, "seats": [ANN, LEVEL], **changes}


def read(said: Any) -> tuple[Table, list[Event]]:
    return read_new_table(json.dumps(said).encode(), seed=11)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"do": "undo"}, Message("undo", {})),
        ({"do": "move", "ply": 3, "move": "h 0 0"}, Message("move", {"ply": 3, "move": "h 0 0"})),
        ({"do": "resign", "seat": 1}, Message("resign", {"seat": 1})),
        ({"do": "analyse", "on": True, "ply": None}, Message("analyse", {"on": True, "ply": None})),
        ({"do": "analyse", "on": False}, Message("analyse", {"on": False, "ply": None})),
        ({"do": "name", "seat": 0, "name": "  Zoë "}, Message("name", {"seat": 0, "name": "Zoë"})),
    ],
)
def test_messages_are_read(said: dict[str, Any], expected: Message) -> None:
    assert read_message(json.dumps(said)) == expected


NONSENSE = {
    "not JSON": ["", "{", "NaN", "[" * 100_000, '"\\ud800"'],
    "not a JSON object": ["[]", "7"],
    "'do' must be one of": ["{}", *(f'{{"do": {do}}}' for do in ("5", '["undo"]', '"format"', '"__init__"'))],
    "unknown field 'seat'; its fields are none": ['{"do": "undo", "seat": 0}'],
    "lacks the field 'move'": ['{"do": "move", "ply": 0}'],
    "lacks the field 'ply'": ['{"do": "move", "move": "0"}'],
    "invalid 'ply'": [f'{{"do": "move", "ply": {ply}, "move": "0"}}' for ply in ("true", "-1", "1.0", "1e999", '"0"')],
    "invalid 'move'": [f'{{"do": "move", "ply": 0, "move": {move}}}' for move in ("0", f'"{"9" * 65}"')],
    "invalid 'seat'": ['{"do": "resign", "seat": 2}'],
    "invalid 'on'": ['{"do": "analyse", "on": 1}'],
    "lacks the field 'on'": ['{"do": "analyse", "ply": 1}'],
    "invalid 'name'": ['{"do": "name", "seat": 0, "name": ""}'],
}
"""Why a message is refused -> such messages."""


@pytest.mark.parametrize("words", NONSENSE)
def test_messages_that_make_no_sense_are_refused(words: str) -> None:
    for raw in NONSENSE[words]:
        with pytest.raises(BadText, match=words):
            read_message(raw)


def test_names() -> None:
    for good in ("A", "x" * MAX_NAME_LENGTH, "Ann B.", "Ωmega", "名前", "<b>'\"&"):
        assert person_name(good) == good
    bad: tuple[Any, ...] = (
        "",
        "   ",
        "x" * (MAX_NAME_LENGTH + 1),
        "a\nb",
        "a\0",
        "a\u202eb",
        "\u200b",
        "a\tb",
        5,
        None,
    )
    for value in (*bad, ["Ann"]):
        with pytest.raises(ValueError, match="1 to 30 printable"):
            person_name(value)


def test_seconds() -> None:
    check = seconds(*SECONDS_RANGE)
    assert [check(value) for value in (0.05, 1, 300)] == [0.05, 1.0, 300.0]
    for bad in (10**400, 0, 0.04, 301, -1, True, "1", None, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="seconds"):
            check(bad)


def test_other_checks() -> None:
    assert or_none(whole(3))(None) is None
    assert flag(False) is False
    assert mapping({"a": 1}) == {"a": 1}
    assert text(3)("abc") == "abc"
    assert one_of("a", "b")("b") == "b"
    assert whole_text(9, -9)("-9") == -9
    assert list_of(flag, "flags", 2)([True]) == [True]
    wrong: list[tuple[Any, Any]] = [
        *((or_none(whole(3)), 4), (flag, 0), (flag, "true"), (mapping, []), (text(3), "abcd"), (text(3), b"abc")),
        *((one_of("a", "b"), "c"), (one_of("a", "b"), ["a"]), (whole(3, 1), 0)),
        *((whole_text(9), value) for value in ("10", "x", "", "٣")),
        *((list_of(flag, "flags", 2, 1), value) for value in ([], [True] * 3, [1], "x", None)),
    ]
    for check, value in wrong:
        with pytest.raises(ValueError, match=r"\w"):
            check(value)


def test_a_new_table() -> None:
    table, events = read(wish(seconds=2, start="1", moves=["1", "h 1 0"]))
    setup = table.setup
    assert setup.game == registry.game("dots", rows=2, cols=2)
    assert setup.seats == (Seat("person", "Ann"), Seat("agent", "Level 5", "level5"))
    assert (setup.seconds, setup.seed) == (2.0, 11)
    assert setup.start == "1 .... 1"  # in the game's own words
    assert [event_json(event)["move"] for event in events] == ["1", "2"]


def test_options_may_be_null_and_the_rest_left_out() -> None:
    table, events = read({"game": "uttt", "options": {"variant": "open", "tiebreak": None}, "seats": [LEVEL, LEVEL]})
    setup = table.setup
    assert setup.game == registry.game("uttt", variant="open")
    assert (setup.seconds, setup.start, events) == (None, None, [])


IMPOSSIBLE: dict[str, list[Any]] = {
    "not a JSON object": [[]],
    "must name a game": [{}, {"game": 5}],
    "no game 'chess'": [{"game": "chess"}],
    "no game": [wish(game="../etc")],
    "the two players": [wish(seats=seats) for seats in ([ANN], [ANN, ANN, ANN], "Ann")],
    "invalid 'seats'": [wish(seats=[ANN, seat]) for seat in (None, {"kind": "agent"}, {**ANN, "admin": True})],
    "printable": [wish(seats=[ANN, {"kind": "person", "name": "\x1b[31m"}])],
    "invalid 'seconds'": [wish(seconds=0), wish(seconds="1")],
    "1 to 9": [wish(options={"rows": 10})],
    "rows": [wish(options={"rows": [1]})],
    "no option 'size'": [wish(options={"size": 3})],
    "invalid 'options'": [wish(options=None)],
    "not JSON": [wish(options={"graph": "/etc/passwd"})],
    "hexadecimal": [wish(start="zz")],
    "invalid 'start'": [wish(start=5)],
    r"Move 2 \('0'\) cannot be played: Line 0 has already been drawn": [wish(moves=["0", "0"])],
    "at most 1000": [wish(moves=["0"] * 1001)],
    "invalid 'moves'": [wish(moves=[0])],
    "field 'extra'": [wish(extra=1)],
    "invalid 'record'": [{"record": 5}],
    "not a game record": [{"record": {}}],
    "field 'game'": [{"record": {}, "game": "dots"}],
}
"""Why a new table is refused -> requests for such tables."""


@pytest.mark.parametrize("words", IMPOSSIBLE)
def test_tables_that_cannot_be_are_refused(words: str) -> None:
    for said in IMPOSSIBLE[words]:
        with pytest.raises(KibitzError, match=words):
            read(said)


@pytest.mark.parametrize(
    "spec",
    [
        *("exec:rm -rf /", "exec:python3 bot.py", "codingame:./bot", " exec:ls", "champion(memory=1000000)"),
        *("champion(threads=64)", "level5(nodes=1)", "level5 ", "Level5", "level11", "", "__class__"),
    ],
)
def test_only_agents_of_the_game_may_sit_down(spec: str) -> None:
    with pytest.raises(BadText, match="one of the agents of dots"):
        read(wish(seats=[ANN, agent(spec)]))


def test_every_agent_of_the_game_may_sit_down() -> None:
    for game in ("dots", "uttt"):
        for spec in agent_entries(game):
            table, _ = read({"game": game, "options": {}, "seats": [ANN, agent(spec)]})
            assert table.seats[1].spec == spec


def test_a_record_comes_back_as_a_table() -> None:
    table, _ = read(wish(moves=["0", "1", "2", "3"]))
    table.commit(table.resign(0))
    copy, events = read({"record": json.loads(table.record().to_json())})
    again = Table(copy.setup)
    for event in events:
        again.commit(again.read(event_json(event)))
    assert again.states == copy.states
    assert copy.states == table.states
    assert [seat.name for seat in copy.seats] == ["human", "Level 5"]
    assert copy.record().result == "0-1"
    assert copy.result_words() == "Level 5 wins, human lost (Ann resigned)"


def test_bodies() -> None:
    fields = {"a": whole(3), "b": or_none(text(5))}
    assert read_body(b'{"a": 1}', fields, {"b"}) == {"a": 1, "b": None}
    for raw in (b"\xff", b"", b"null", b'{"a": 4}', b'{"a": 1, "c": 2}', b'{"b": "x"}'):
        with pytest.raises(BadText):
            read_body(raw, fields, {"b"})


def test_labels() -> None:
    labels = {
        "level5": "Level 5",
        "level10": "Level 10",
        "champion": "Champion",
        "levels": "levels",
        "xlevel5": "xlevel5",
    }
    assert {spec: agent_label(spec, "dots") for spec in labels} == labels


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["do", "ply", "move", "seat", "name", "on", "game", "options", "seats", "seconds", "record"])


@given(st.dictionaries(KEYS, JSON | st.sampled_from([*ACTIONS, "dots", "uttt"])))
def test_whatever_is_said_is_read_or_refused(said: dict[str, Any]) -> None:
    for reading in (lambda: read_message(json.dumps(said)), lambda: read(said)):
        with suppress(KibitzError):  # anything else it raises is a bug
            reading()


def test_mutated_wishes_are_read_or_refused() -> None:
    rng, good = random.Random(4), json.dumps(wish(seconds=1.5, start="1 .... 2", moves=["1", "2"])).encode()
    refused = 0
    for _ in range(2000):
        raw = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(raw))
            raw[at : at + rng.randint(0, 2)] = rng.choice([b"", b'"', b"}", b"\xff", b"9", b"-", b"null", b"\\u0000"])
        try:
            read_new_table(bytes(raw), 1)
        except KibitzError:
            refused += 1
    assert refused > 1000
