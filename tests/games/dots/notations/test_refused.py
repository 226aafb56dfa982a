"""The notations of other programs: what is refused, where, and that nothing else than BadText comes of nonsense."""

from __future__ import annotations

import contextlib
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.errors import BadOption, BadText
from kibitz.games.dots.notations.moves import PlayedGame
from kibitz.games.dots.notations.notations import MAX_TEXT_LENGTH, NOTATIONS, detect, read, write
from kibitz.games.dots.rules import Dots

TRIANGLE = Dots(
    graph=json.dumps(
        {
            "coins": ["a", "b", "c"],
            "strings": [["ab", "a", "b"], ["bc", "b", "c"], ["ca", "c", "a"], ["g", "a", "ground"]],
        }
    )
)

RECORD = (
    '{"game":"dots","options":{"rows":2,"cols":2},"agents":["a","b"],"moves":[],'
    '"result":"*","reason":"","seed":0,"times":[],"id":""}'
)


@pytest.mark.parametrize(
    ("notation", "text", "why"),
    [
        ("ids", "0 1 60", "Line 1, column 5: '60' is not the id of a line; the ids are 0 to 59"),
        ("ids", "0 1\n2, 1", "Line 2, column 4: Line 1 is drawn already"),
        ("ids", "007", "'007' is not the id"),
        ("ids", "1 ٣", "'٣' is not the id"),
        ("ids", "9" * 5000, "Line 1, column 1: '9{24}' is not the id"),
        ("lines", "h 0 0 h 0 5", "Line 1, column 7: 'h 0 5' is not a line"),
        ("lines", "h 0 0\nv 5 0", "Line 2, column 1: 'v 5 0' is not a line"),
        ("lines", "h 0 12", "Line 1, column 1: 'h 0 12' is not a line"),
        ("lines", "h 0 1; H 0,1", "Line 1, column 8: Line 1 is drawn already"),
        ("lines", "h 0", "'h 0' is not a line"),
        ("littlegolem", "a1-c1", "Line 1, column 1: a1-c1 is not a line: a line joins"),
        ("littlegolem", "a1-b2", "a1-b2 is not a line"),
        ("littlegolem", "a1-a1", "a1-a1 is not a line"),
        ("littlegolem", "1. f1-g1", "Line 1, column 4: f1-g1 lies outside the board of 5x5"),
        ("littlegolem", "a6-a7", "a6-a7 lies outside"),
        ("littlegolem", "a1-b1 b1-a1", "Line 1, column 7: Line 25 is drawn already"),
        ("littlegolem", "a1-b1, a1-a2", "Line 1, column 1: a1-b1 takes no box"),
        ("littlegolem", "a1-b1 a1-a2 a2-b2 b1-b2 c1-c2", "column 19: b1-b2 takes a box, so the same player goes on"),
        ("littlegolem", "a1-b1 a1-a2 a2-b2 b1-b2,", "no line follows the comma after b1-b2"),
        ("littlegolem", "1. a1-b1 3. c1-d1", "Line 1, column 10: this is turn 2, but the number is 3"),
        ("littlegolem", "a1-b1 a1-a2 a2-b2 b1-b2, 5. c1-c2", "turn 4 is not over, but the number is 5"),
        ("littlegolem", "a1-b11", "'a1-b11' is not a line"),
        ("littlegolem", "A1-B1", "'A1-B1' is not a line"),
        ("dbl", "", "Line 1, column 1: '' is not the size of a board"),
        ("dbl", "(0, 0) - (1, 0)", "is not the size of a board: write W,H first"),
        ("dbl", "2,2 (0, 0) - (1, 0)", "is not the size"),
        ("dbl", "10,2", "Line 1, column 1: a board of 2x10 boxes is not possible, only 1x1 to 9x9"),
        ("dbl", "0,2", "a board of 2x0 boxes"),
        ("dbl", "9999,9999", "a board of 9999x9999 boxes"),
        ("dbl", "99999,1", "is not the size"),
        ("dbl", "2,2\n(0, 0) - (1, 1)", r"Line 2, column 1: \(0, 0\) - \(1, 1\) is not a line"),
        ("dbl", "2,2\n(0, 0) - (2, 0)", r"\(0, 0\) - \(2, 0\) is not a line"),
        ("dbl", "2,2\n(1, 1) - (1, 1)", r"\(1, 1\) - \(1, 1\) is not a line"),
        ("dbl", "2,2\n(2, 0) - (3, 0)", r"\(2, 0\) - \(3, 0\) lies outside the board of 2x2"),
        ("dbl", "2,2\n(0, 0) - (-1, 0)", "is not a line: write"),
        ("dbl", "2,2\n(0, 0) - (0, 1)\n  (0, 1) - (0, 0)", "Line 3, column 3: Line 6 is drawn already"),
        ("trmph", "7,i14", "Line 1, column 1: '7,i14' is not a link"),
        ("trmph", "http://example.org/#7,i14", "is not a link"),
        ("trmph", "#10,a2", "a board of 10x10 boxes is not possible"),
        ("trmph", "#0,", "a board of 0x0 boxes"),
        ("trmph", "#2,a1", "Line 1, column 4: a1 is a dot, not a line"),
        ("trmph", "#2,a2b2", "Line 1, column 6: b2 is a box, not a line"),
        ("trmph", "#2,f1", "f1 lies outside, the last place is e5"),
        ("trmph", "#2,b7", "b7 lies outside"),
        ("trmph", "#2,b0", "b0 lies outside"),
        ("trmph", "#2,b1b1", "Line 1, column 6: Line 4 is drawn already"),
        ("trmph", "#2,b1 x", "'x' is not a line"),
        ("ascii", "", "board must begin here|must be up to three numbers"),
        ("ascii", "0\n\n+ +", "Line 2: the board must begin here"),
        ("ascii", "-2\n+ +\n\n+ +", "Line 1: the penalty for the last move is -2"),
        ("ascii", "0 16 1 C\n+ +\n\n+ +", "Line 1: the line above the board must be"),
        ("ascii", "+ +\n\n", "a board of 0x1 boxes"),
        ("ascii", "+ +\n| |", "Line 2: a row of dots is missing"),
        ("ascii", "+ +\n\n+ + +", "Line 3, column 4: there is ' ' where nothing may be"),
        ("ascii", "+ + +\n\n+ +", "Line 3, column 5: there is ' ' where '.' must be"),
        ("ascii", "+ +\n-\n+ +", "Line 2, column 1: there is '-' where '|' or ' ' must be"),
        ("ascii", "0\n+ +\n C\n+ +", "Line 3, column 2: there is 'C' where 'A' or 'B' or ' ' must be"),
        ("ascii", "+ +\n\t|\n+ +", "there is '.t' where"),
        ("ascii", "+-+\n|A\n+-+", "Line 2, column 2: the box of A is not finished, 1 of its lines"),
        ("ascii", "\n".join(["+ " * 10 + "+", ""] * 10 + ["+ " * 10 + "+"]), "a board of 10x10 boxes is not possible"),
        ("hex", "", "is not a position"),
        ("hex", "xyz", "is not a hexadecimal number"),
        ("hex", "1" + "0" * 15, "draws line 60, but the lines are 0 to 59"),
        ("hex", "0 1" + "." * 24, "Box 0,0 cannot have an owner yet"),
        ("hex", "0 " + "." * 25 + " 3", "must be 1 or 2"),
        ("record", "", "Expected one record on one line, got 0 lines"),
        ("record", f"{RECORD}\n{RECORD}", "got 2 lines"),
        ("record", "\n{}", "Line 2: not a game record: 'game' is missing"),
        ("record", "[" * 100_000, "Line 1: not JSON"),
        ("record", RECORD.replace('"dots"', '"uttt"'), "this is a game of 'uttt', not of dots"),
        ("record", RECORD.replace('"rows":2', '"rows":10'), "must have 1 to 9 rows of boxes, not 10"),
        ("record", RECORD.replace('"rows":2', '"graph":"/etc/passwd"'), "The graph is not JSON"),
        ("record", RECORD.replace('"moves":[]', '"moves":["0","0"]'), "Move 2 of the record .* is drawn already"),
    ],
)  # fmt: skip
def test_what_is_refused_and_where(notation: str, text: str, why: str) -> None:
    with pytest.raises(BadText, match=why) as raised:
        read(text, notation)
    assert str(raised.value).endswith(".")
    assert len(str(raised.value)) < 400


def test_the_size_is_held_to_what_was_asked_for() -> None:
    for notation, text in {"dbl": "2,2", "trmph": "#2,", "ascii": "+ + +\n\n+ + +\n\n+ + +"}.items():
        with pytest.raises(BadText, match=r"a board of 2x2 boxes \(rows x columns\), but 2x3 boxes were asked for"):
            read(text, notation, Dots(2, 3))
    with pytest.raises(
        BadText, match="Line 1: this game was played with rows=2, cols=2, start=empty, not on the board asked"
    ):
        read(RECORD, "record", Dots(2, 3))
    assert read("0", "ids").game == Dots(5, 5)


def test_no_text_is_too_long_to_be_refused() -> None:
    for notation in NOTATIONS:
        with pytest.raises(BadText, match="at most 1000000 are allowed"):
            read(" " * (MAX_TEXT_LENGTH + 1), notation)
    long = {"ids": "0 " * 499_000, "dbl": "2,2\n" + "#\n" * 499_000 + "x", "ascii": "+ " * 499_000 + "+"}
    for notation, text in long.items():
        with pytest.raises(BadText):
            read(text, notation)


def test_names_of_notations() -> None:
    assert NOTATIONS == ("ids", "lines", "littlegolem", "dbl", "trmph", "record", "ascii", "hex")
    for call in (lambda: read("", "pgn"), lambda: write(Dots().start(), "pgn")):
        with pytest.raises(BadOption, match="no notation 'pgn'; the notations are ids, lines"):
            call()


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("0", "ids"),
        ("3,4", "ids"),
        ("179 0", "ids"),
        ("180", "hex"),
        ("0x12", "hex"),
        ("fff", "hex"),
        ("0 .... 2", "hex"),
        ("V 0,1", "lines"),
        ("# by hand\n2,2\n(0, 0) - (1, 0)", "dbl"),
        (" https://trmph.com/dnb/board#3,", "trmph"),
    ],
)
def test_guesses(text: str, notation: str) -> None:
    assert detect(text) == notation


def test_what_looks_like_nothing() -> None:
    for text in ("", " \n", "hello", "1 2 x", "12 999"):
        with pytest.raises(BadText, match="This looks like no known notation"):
            detect(text)


WORDS = [
    *"0129abhvAB+-|#(),.;:{}[]",
    *('"', "'", "\\", " ", "\n", "\r", "\t", "\x00", "é", "٣", "\ud800", "e5 2... 1", "a1-b1", "2,2\n", "#2,"),
    *("(0, 0) - (1, 0)", "h 0 0", "b1", "0 16 1 A\n", "+-+\n", "| |\n", "1. ", RECORD[:40], RECORD[40:]),
]
BOARDS = [None, Dots(2, 2), Dots(2, 3), Dots(2, 2, "icelandic"), TRIANGLE]


def holds(text: str, notation: str, asked: Dots | None) -> None:
    """Check that a text is refused with BadText, or else read into what can be written and read again."""
    try:
        what = read(text, notation, asked)
    except BadText:
        return
    for into in NOTATIONS:
        try:
            written = write(what, into)
        except BadText:
            continue
        assert read(written, into, what.game) in (what, what.end if isinstance(what, PlayedGame) else what)


@settings(max_examples=400)
@given(
    st.lists(st.sampled_from(WORDS), max_size=12).map("".join) | st.text(max_size=30),
    st.sampled_from(NOTATIONS),
    st.sampled_from(BOARDS),
)
def test_nonsense_is_refused_with_bad_text_only(text: str, notation: str, asked: Dots | None) -> None:
    holds(text, notation, asked)
    with contextlib.suppress(BadText):
        assert detect(text) in NOTATIONS


@settings(max_examples=400)
@given(
    st.integers(0, 50),
    st.sampled_from(NOTATIONS),
    st.integers(0, 400),
    st.integers(0, 3),
    st.sampled_from(WORDS) | st.characters(),
)
def test_one_change_in_a_good_text_is_refused_with_bad_text_only(
    seed: int, notation: str, at: int, cut: int, put: str
) -> None:
    game = Dots(2, 2 + seed % 2)
    played = PlayedGame(game.start(), tuple(random.Random(seed).sample(game.moves(), seed % 13)))
    if notation == "trmph":
        game = Dots(2, 2)
        played = PlayedGame(game.start(), tuple(move for move in played.moves if move in game.moves()))
    text = write(played, notation)
    at %= len(text) + 1
    holds(text[:at] + put + text[at + cut :], notation, game if seed % 3 else None)
