"""Game records: written records are read back, and broken lines are reported, never used or overwritten."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kibitz
from kibitz.core.errors import BadText
from kibitz.core.record import RESULTS, GameRecord, Records, append_record, read_records, replay

RECORD = GameRecord(
    game="uttt",
    options={"variant": "closed", "tiebreak": "draw"},
    agents=("human", "alphabeta(depth=4)"),
    moves=("40", "36", "0"),
    result="*",
    reason="not finished",
    seed=7,
    times=(0.5, 0.25, 1.0),
    id="Zürich ✕ 1",
)
LINE = RECORD.to_json()


def changed(**values: Any) -> str:
    return json.dumps(json.loads(LINE) | values)


def without(key: str) -> str:
    return json.dumps({name: value for name, value in json.loads(LINE).items() if name != key})


def finished_game(seed: int = 1) -> GameRecord:
    game = kibitz.game("uttt")
    return kibitz.play(game, [kibitz.agent(game, "random"), kibitz.agent(game, "reflex")], seed=seed)


plain_text = st.text(max_size=10)


@given(
    st.builds(
        GameRecord,
        game=plain_text,
        options=st.dictionaries(plain_text, st.one_of(st.booleans(), st.integers(), plain_text), max_size=3),
        agents=st.tuples(plain_text, plain_text),
        moves=st.lists(plain_text, max_size=5).map(tuple),
        result=st.sampled_from(RESULTS),
        reason=plain_text,
        seed=st.integers(),
        start=st.none() | plain_text,
        times=st.lists(st.floats(0, 1e9), max_size=5).map(tuple),
        id=plain_text,
    )
)
def test_any_record_is_one_line_and_comes_back(record: GameRecord) -> None:
    line = record.to_json()
    assert "\n" not in line
    assert GameRecord.from_json(line) == GameRecord.from_json(f"{line}\n") == record


WRONG_LINES = {
    "{": "not JSON (from column 2 on)",
    "\x00\x01\x02\xff": "not JSON",
    "[" * 100_000: "not JSON (it is nested too deeply)",
    "9" * 5000: "not JSON (a number has too many digits)",
    '"\\ud800"': "not JSON (it contains half of a character)",
    "null": "not a JSON object",
    "[]": "not a JSON object",
    '"text"': "not a JSON object",
    "{}": "'game' is missing",
    without("moves"): "'moves' is missing",
    without("result"): "'result' is missing",
    changed(game=5): "'game' is 5, not a string",
    changed(options=[]): "'options' is [], not an object",
    changed(agents="ab"): "'agents' is \"ab\", not a list",
    changed(agents=["a"]): "1 players, not 2",
    changed(agents=["a", "b", "c"]): "3 players, not 2",
    changed(agents=["a", None]): "'agents' contains null, which is not a string",
    changed(moves=[40]): "'moves' contains 40, which is not a string",
    changed(moves="40"): "'moves' is \"40\", not a list",
    changed(result="2-0"): "'result' is '2-0', not one of 1-0, 0-1",
    changed(seed="7"): "'seed' is \"7\", not a whole number",
    changed(seed=True): "'seed' is true, not a whole number",
    changed(seed=1.5): "'seed' is 1.5, not a whole number",
    changed(start=9): "'start' is 9, not a string",
    changed(times=["1"]): "'times' contains something that is not a finite number",
    changed(times=[10**400]): "'times' contains something that is not a finite number",
    changed(times=[True]): "'times' contains something that is not a finite number",
    changed(times=[float("nan")]): "NaN is not a number",
}


@pytest.mark.parametrize(
    ("line", "message"), WRONG_LINES.items(), ids=lambda text: text[:40] if len(text) < 90 else None
)
def test_wrong_line_is_refused(line: str, message: str) -> None:
    with pytest.raises(BadText) as caught:
        GameRecord.from_json(line)
    assert message in str(caught.value)


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


any_field = st.tuples(st.sampled_from(sorted(json.loads(LINE))), json_values)


@given(
    st.text()
    | st.integers(0, len(LINE)).map(lambda end: LINE[:end])
    | json_values.map(json.dumps)
    | any_field.map(lambda pair: changed(**dict([pair])))
)
@settings(max_examples=300)
def test_any_line_is_a_record_or_bad_text(line: str) -> None:
    with suppress(BadText):
        GameRecord.from_json(line)


def test_good_lines_are_used_and_bad_ones_named_by_number(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    lines = [LINE, "", "{oops", changed(seed=8), changed(moves=[1]), "\x00\xfe binary", "   ", changed(seed=9)]
    latin = LINE.encode("latin-1", "replace")
    path.write_bytes("\n".join(lines).encode() + b"\n" + latin + b"\n" + LINE.encode()[:50])
    records = read_records(path)
    assert [record.seed for record in records.good] == [7, 8, 9]
    assert records.lines == [1, 4, 8]
    assert [number for number, _ in records.bad] == [3, 5, 6, 9, 10]
    assert ["cut off" in problem for _, problem in records.bad] == [False, False, False, False, True]


def test_a_missing_final_newline_and_an_empty_file_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(LINE, encoding="utf-8")
    assert read_records(path) == Records([RECORD], [1], [])
    path.write_text("")
    assert read_records(path) == Records([], [])


def test_records_are_appended(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    others = [replace(RECORD, seed=seed) for seed in range(3)]
    for record in others:
        before = path.read_bytes() if path.exists() else b""
        append_record(path, record)
        assert path.read_bytes().startswith(before)
        assert path.read_bytes().endswith(b"\n")
    assert read_records(path).good == others


@pytest.mark.parametrize("torn", [LINE.encode(), LINE.encode() + b"\n" + LINE.encode()[:50]])
def test_record_after_a_missing_newline_starts_a_new_line(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(torn)
    append_record(path, replace(RECORD, seed=8))
    assert path.read_bytes().startswith(torn + b"\n")
    assert [record.seed for record in read_records(path).good] == [7, 8]


@pytest.mark.parametrize("held", [b"Dear diary\n", b"\x00\xff\xfe", b"{}\n", b"[1, 2]", LINE.encode()[:50]])
def test_file_that_holds_no_records_is_refused_and_kept(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "diary.txt"
    path.write_bytes(held)
    with pytest.raises(BadText, match="holds no game records"):
        append_record(path, RECORD)
    assert path.read_bytes() == held


def test_record_that_cannot_be_encoded_is_refused_or_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    record = replace(RECORD, reason="half a letter \ud800")
    try:
        append_record(path, record)
    except BadText:
        return
    assert read_records(path).good == [record]


@pytest.mark.parametrize("name", [".", "no/folder", "/dev/full", "/proc/version", "nul\0byte"])
def test_path_that_cannot_be_written_is_bad_text(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadText, match=r"Cannot (read|write)"):
        append_record(tmp_path / name, RECORD)


@pytest.mark.parametrize("name", [".", "no_file", "nul\0byte"])
def test_path_that_cannot_be_read_is_bad_text(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadText, match="Cannot read"):
        read_records(tmp_path / name)


def test_replay_returns_every_position() -> None:
    record = finished_game()
    states = replay(record)
    assert len(states) == len(record.moves) + 1
    assert states[0] == kibitz.game("uttt").start()
    outcome = states[-1].outcome()
    assert outcome is not None
    assert (outcome.result, outcome.reason) == (record.result, record.reason)


def test_replay_starts_from_the_given_position() -> None:
    game = kibitz.game("uttt")
    start = game.position_text(game.start().play(40))
    assert replay(replace(RECORD, start=start, moves=("36",)))[-1] == game.start().play(40).play(36)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            replace(RECORD, moves=("40", "0")),
            "Move 2 of the record ('0') cannot be played: The last move sends O to board 4",
        ),
        (replace(RECORD, moves=("40", "40")), "Move 2 of the record ('40') cannot be played"),
        (replace(RECORD, moves=("81",)), "Move 1 of the record ('81') cannot be played"),
        (replace(RECORD, moves=("j4",)), "Move 1 of the record ('j4') cannot be played"),
        (replace(RECORD, game="chess"), "There is no game 'chess'"),
        (replace(RECORD, options={"variant": "half"}), "cannot take variant"),
        (replace(RECORD, options={"size": 9}), "has no option 'size'"),
        (replace(RECORD, options={"name": "uttt"}), "has no option 'name'"),
        (replace(RECORD, options={"variant": ["closed"]}), "cannot take variant"),
        (replace(RECORD, start="9/9"), "is not a position"),
        (replace(RECORD, start="9/9/9/9/4x4/9/9/9/9 o 3"), "No last move of X"),
    ],
)
def test_replay_reports_the_first_fault(record: GameRecord, message: str) -> None:
    with pytest.raises(BadText) as caught:
        replay(record)
    assert message in str(caught.value)


def test_replay_refuses_a_wrong_result_and_moves_after_the_end() -> None:
    record = finished_game()
    for result in RESULTS:
        if result != record.result:
            with pytest.raises(BadText, match=r"The record says .* end in"):
                replay(replace(record, result=result))
    with pytest.raises(BadText, match=f"Move {len(record.moves) + 1} of the record .* The game is over"):
        replay(replace(record, moves=(*record.moves, "0")))
