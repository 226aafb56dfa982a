"""The notations of other programs: examples by hand, round trips on every size, and what is refused."""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.dots.boards import TRIANGLE
from kibitz.core.errors import BadOption, BadText
from kibitz.games.dots.notations.notations import (
    GAMES,
    MAX_TEXT_LENGTH,
    NOTATIONS,
    POSITIONS,
    PlayedGame,
    detect,
    read,
    write,
)
from kibitz.games.dots.rules import Dots, DotsState

SIZES = [(rows, cols) for rows in range(1, 10) for cols in range(1, 10)]
TELLS_SIZE = ("dbl", "trmph", "ascii", "record")

# 2x2, Blue takes the top left box.       2x3, Red finishes two boxes with one line, 10.
#
#   +-- 0 --+-- 1 --+                     +-- 0 --+-- 1 --+-- 2 --+
#   6       7       8                     9      10      11      12
#   +-- 2 --+-- 3 --+                     +-- 3 --+-- 4 --+-- 5 --+
#   9      10      11                    13      14      15      16
#   +-- 4 --+-- 5 --+                     +-- 6 --+-- 7 --+-- 8 --+

ON_2X2 = {
    "ids": "0 6 2 7 5",
    "lines": "h 0 0\nv 0 0\nh 1 0\nv 0 1\nh 2 1",
    "littlegolem": "1. a3-b3 2. a2-a3\n3. a2-b2 4. b2-b3, b1-c1",
    "dbl": "2,2\n(0, 0) - (1, 0)\n(0, 0) - (0, 1)\n(0, 1) - (1, 1)\n(1, 0) - (1, 1)\n(1, 2) - (2, 2)",
    "trmph": "#2,b5a4b3c4d1",
    "ascii": "0 16 1 A\n+-+ +\n|B|\n+-+ +\n\n+ +-+",
    "hex": "e5 2... 1",
}
ON_2X3 = {
    "ids": "0 1 9 11 3 4 10 16",
    "lines": "h 0 0\nh 0 1\nv 0 0\nv 0 2\nh 1 0\nh 1 1\nv 0 1\nv 1 3",
    "littlegolem": "1. a3-b3 2. b3-c3\n3. a2-a3 4. c2-c3\n5. a2-b2 6. b2-c2\n7. b2-b3, d1-d2",
    "dbl": "3,2\n(0, 0) - (1, 0)\n(1, 0) - (2, 0)\n(0, 0) - (0, 1)\n(2, 0) - (2, 1)\n(0, 1) - (1, 1)\n"
    "(1, 1) - (2, 1)\n(1, 0) - (1, 1)\n(3, 1) - (3, 2)",
    "ascii": "0 16 1 B\n+-+-+ +\n|A|A|\n+-+-+ +\n      |\n+ + + +",
    "hex": "10e1b 11.... 2",
}


def game_of(text: str, notation: str, asked: Dots | None = None) -> PlayedGame:
    what = read(text, notation, asked)
    assert isinstance(what, PlayedGame)
    return what


def position_of(text: str, notation: str, asked: Dots | None = None) -> DotsState:
    what = read(text, notation, asked)
    assert isinstance(what, DotsState)
    return what


def random_played(game: Dots, seed: int) -> PlayedGame:
    """Return a whole game, captures preferred now and then so that turns have several lines."""
    rng, state, moves = random.Random(seed), game.start(), []
    while legal := state.legal_moves():
        takes = [move for move in legal if state.taken_by(move)]
        moves.append(rng.choice(takes if takes and rng.random() < 0.6 else legal))
        state = state.play(moves[-1])
    return PlayedGame(game.start(), tuple(moves))


@pytest.mark.parametrize("notation", ON_2X2)
def test_games_by_hand(notation: str) -> None:
    double_cross = PlayedGame(Dots(2, 3).start(), (0, 1, 9, 11, 3, 4, 10, 16))
    assert (double_cross.end.scores, double_cross.end.to_move) == ((2, 0), 1)
    for played, texts in ((PlayedGame(Dots(2, 2).start(), (0, 6, 2, 7, 5)), ON_2X2), (double_cross, ON_2X3)):
        if notation in texts:
            assert write(played, notation) == texts[notation]
            what = read(texts[notation], notation, played.game)
            assert what == (played if notation in GAMES else played.end)


def test_littlegolem_as_players_write_it() -> None:
    """Knox's example of 2004 on 5x5: the second player has the box between columns b, c and rows 4, 5."""
    game = game_of("1. b5-c5 2. c4-c5\n3. b4-c4 4. b4-b5, d3-e3\n5. f1-f2", "littlegolem")
    assert game.game == Dots(5, 5)
    assert game.end.owned == (0, 1 << (1 * 5 + 1))
    drawn = {Dots(5, 5).board.coordinates(move) for move in game.moves}
    assert drawn == {("h", 1, 1), ("v", 1, 2), ("h", 2, 1), ("v", 1, 1), ("h", 3, 3), ("v", 4, 5)}
    assert game.end.to_move == 1
    # Littlegolem with its numbers left out and dots in any order.
    text = "b3-a3 a3-a2 a2-b2 b2-b3,b1-c1"
    assert game_of(text, "littlegolem", Dots(2, 2)) == game_of(ON_2X2["ids"], "ids", Dots(2, 2))
    # A game may stop inside a turn.
    text = "1. a3-b3 2. a2-a3\n3. a2-b2 4. b2-b3"
    played = game_of(text, "littlegolem", Dots(2, 2))
    assert played.end.to_move == 1
    assert write(played, "littlegolem") == text


def test_dbl_and_trmph_as_others_write_them() -> None:
    text = "# a comment\n 3 , 2\n\n(1,0)-(0,0)\r\n  # another\n(3, 2) - (3, 1)\n\n"
    assert game_of(text, "dbl").moves == (0, 16)
    assert game_of("3,2\n", "dbl") == PlayedGame(Dots(2, 3).start(), ())
    # On 7x7 there are 15 columns, a to o, and 15 rows: b1 is the bottom line on the left, a2 the left line below.
    board = Dots(7, 7).board
    played = game_of("http://www.trmph.com/dnb/board#7,i14k12b1a2o14n15", "trmph")
    assert [board.coordinates(move) for move in played.moves] == [
        ("v", 0, 4),
        ("v", 1, 5),
        ("h", 7, 0),
        ("v", 6, 0),
        ("v", 0, 7),
        ("h", 0, 6),
    ]
    assert game_of("trmph.com/dnb/board#7,i14", "trmph") == game_of("#7,i14\n", "trmph")


@pytest.mark.parametrize("header", ["", "0\n", "0 16\n", "0 16 1\n", "0 A\n", "0 512 4 A\n", "\n\n"])
def test_wilsons_first_line_may_be_cut_short(header: str) -> None:
    state = position_of(header + "+-+ +\n|B|\n+-+ +\n     \n+ +-+\n\n", "ascii")
    assert state == position_of(ON_2X2["ascii"], "ascii")


def test_wilsons_swedish_board_and_a_box_of_nobody() -> None:
    drawn = "+-+-+-+-+-+\n|         |\n+ + + + + +\n|         |\n+ + + + + +\n|         |\n+-+-+-+-+-+"
    state = position_of("0\n" + drawn, "ascii", Dots(3, 5, "swedish"))
    assert state == Dots(3, 5, "swedish").start()
    with pytest.raises(BadText, match="With start=swedish, line 2 is drawn from the start"):
        read(drawn.replace("+-+-+-+-+-+", "+-+-+ +-+-+"), "ascii", Dots(3, 5, "swedish"))
    finished = position_of("+-+\n| |\n+-+", "ascii")
    assert write(finished, "hex") == "f - 1"
    assert write(finished, "ascii") == "0 16 1 A\n+-+\n| |\n+-+"


@pytest.mark.parametrize(("rows", "cols"), SIZES, ids=lambda n: str(n))
def test_every_line_of_every_size_there_and_back(rows: int, cols: int) -> None:
    game = Dots(rows, cols)
    order = random.Random(rows * 10 + cols).sample(game.moves(), len(game.moves()))
    played = PlayedGame(game.start(), tuple(order))
    for notation in GAMES:
        if notation == "trmph" and rows != cols:
            with pytest.raises(BadText, match="square boards only"):
                write(played, notation)
            continue
        text = write(played, notation)
        assert read(text, notation, game) == played
        if notation in TELLS_SIZE:
            assert read(text, notation) == played
        assert detect(text) == notation
    for line in game.moves():
        state = game.start().play(line)
        for notation in POSITIONS:
            assert read(write(state, notation), notation, game) == state


def test_random_games_there_and_back_with_captures_and_double_crosses() -> None:
    events: Counter[str] = Counter()
    for seed in range(120):
        rng = random.Random(seed)
        rows = cols = rng.randint(1, 7)
        if seed % 3:
            cols = rng.randint(1, 7)
        game = Dots(rows, cols)
        whole = random_played(game, seed)
        played = PlayedGame(whole.start, whole.moves[: rng.randint(0, len(whole.moves))] if seed % 2 else whole.moves)
        for notation in GAMES:
            if notation != "trmph" or rows == cols:
                assert read(write(played, notation), notation, game) == played
                events[notation] += 1
        state = played.start
        for move in played.moves:
            events["captures"] += len(state.taken_by(move)) == 1
            events["double-crosses"] += len(state.taken_by(move)) == 2
            state = state.play(move)
            for notation in POSITIONS:
                text = write(state, notation)
                assert read(text, notation, game) == state
                assert detect(text) == notation
        assert state == played.end
        events["unfinished"] += state.outcome() is None
        if played.moves and state.undrawn:
            before = PlayedGame(played.start, played.moves[:-1]).end
            events["stopped inside a turn"] += before.to_move == state.to_move
    assert events["captures"] > 800
    assert events["double-crosses"] > 50
    assert events["unfinished"] > 30
    assert events["stopped inside a turn"] > 3
    assert events["trmph"] > 30


def test_a_position_does_not_become_a_game() -> None:
    state = position_of("e5 2... 1", "hex", Dots(2, 2))
    for notation in GAMES:
        with pytest.raises(BadText, match=f"has no order of lines, .* as {notation}, only as ascii or hex"):
            write(state, notation)


def test_starts_with_lines_drawn() -> None:
    game = Dots(2, 2, "icelandic")
    played = PlayedGame(game.start(), (0, 8, 7, 1))
    for notation in ("ids", "lines", "record"):
        assert read(write(played, notation), notation, game) == played
    for notation in ("littlegolem", "dbl", "trmph"):
        with pytest.raises(BadText, match=f"{notation} cannot express start=icelandic"):
            write(played, notation)
        with pytest.raises(BadText, match=f"{notation} cannot express start=icelandic"):
            read(ON_2X2[notation], notation, game)
    assert write(played, "ascii") == "0 16 1 A\n+-+-+\n| | |\n+ + +\n|\n+-+-+"
    # A start of its own is for records.
    played = PlayedGame(Dots(2, 2).parse_position("e5 2... 1"), (1, 3))
    assert read(write(played, "record"), "record") == played
    for notation in ("ids", "lines", "littlegolem", "dbl", "trmph"):
        with pytest.raises(BadText, match=f"began from a set-up position, which {notation} cannot express"):
            write(played, notation)


def test_other_graphs() -> None:
    played = PlayedGame(TRIANGLE.start(), (3, 1, 0, 2))
    assert write(played, "ids") == "g bc ab ca"
    for notation in ("ids", "record"):
        assert read(write(played, notation), notation, TRIANGLE) == played
    assert read(write(played.end, "hex"), "hex", TRIANGLE) == played.end
    for notation in ("lines", "littlegolem", "dbl", "trmph", "ascii"):
        with pytest.raises(BadText, match=f"{notation} is for grids"):
            write(played, notation)
        with pytest.raises(BadText, match=r"is for grids|a graph was asked for"):
            read(ON_2X2[notation], notation, TRIANGLE)


def test_a_record_keeps_the_moves_and_says_how_it_ended() -> None:
    played = random_played(Dots(2, 2), 3)
    record = json.loads(write(played, "record"))
    outcome = played.end.outcome()
    assert outcome is not None
    assert record["moves"] == [str(move) for move in played.moves]
    assert (record["result"], record["reason"]) == (outcome.result, outcome.reason)
    assert record["options"] == {"rows": 2, "cols": 2, "start": "empty"}
    assert json.loads(write(PlayedGame(played.start, played.moves[:3]), "record"))["result"] == "*"


# What is refused

RECORD = (
    '{"game":"dots","options":{"rows":2,"cols":2},"agents":["a","b"],"moves":[],'
    '"result":"*","reason":"","seed":0,"times":[],"id":""}'
)


@pytest.mark.parametrize(
    ("notation", "text", "why"),
    [
        ("ids", "0 1 60", "Line 1, column 5: '60' is not the id of a line; the ids are 0 to 59"),
        ("ids", "0 1\n2, 1", "Line 2, column 4: Line 1 has already been drawn"),
        ("ids", "007", "'007' is not the id"),
        ("ids", "1 ٣", "'٣' is not the id"),
        ("ids", "9" * 5000, "Line 1, column 1: '9{24}' is not the id"),
        ("lines", "h 0 0 h 0 5", "Line 1, column 7: 'h 0 5' is not a line"),
        ("lines", "h 0 0\nv 5 0", "Line 2, column 1: 'v 5 0' is not a line"),
        ("lines", "h 0 12", "Line 1, column 1: 'h 0 12' is not a line"),
        ("lines", "h 0 1; H 0,1", "Line 1, column 8: Line 1 has already been drawn"),
        ("lines", "h 0", "'h 0' is not a line"),
        ("littlegolem", "a1-c1", "Line 1, column 1: a1-c1 is not a line: a line joins"),
        ("littlegolem", "a1-b2", "a1-b2 is not a line"),
        ("littlegolem", "a1-a1", "a1-a1 is not a line"),
        ("littlegolem", "1. f1-g1", "Line 1, column 4: f1-g1 lies outside the board of 5x5"),
        ("littlegolem", "a6-a7", "a6-a7 lies outside"),
        ("littlegolem", "a1-b1 b1-a1", "Line 1, column 7: Line 25 has already been drawn"),
        ("littlegolem", "a1-b1, a1-a2", "Line 1, column 1: a1-b1 takes no box"),
        ("littlegolem", "a1-b1 a1-a2 a2-b2 b1-b2 c1-c2", "column 19: b1-b2 takes a box, so the same player goes on"),
        ("littlegolem", "a1-b1 a1-a2 a2-b2 b1-b2,", "no line follows the comma after b1-b2"),
        ("littlegolem", "1. a1-b1 3. c1-d1", "Line 1, column 10: this is turn 2, but the number is 3"),
        ("littlegolem", "a1-b1 a1-a2 a2-b2 b1-b2, 5. c1-c2", "turn 4 is not over, but the number is 5"),
        ("littlegolem", "a1-b11", "'a1-b11' is not a line"),
        ("littlegolem", "A1-B1", "'A1-B1' is not a line"),
        ("dbl", "", "Line 1, column 1: '' is not a board size"),
        ("dbl", "(0, 0) - (1, 0)", "is not a board size: write W,H first"),
        ("dbl", "2,2 (0, 0) - (1, 0)", "is not a board size"),
        ("dbl", "10,2", "Line 1, column 1: a board of 2x10 boxes is not possible, only 1x1 to 9x9"),
        ("dbl", "0,2", "a board of 2x0 boxes"),
        ("dbl", "9999,9999", "a board of 9999x9999 boxes"),
        ("dbl", "99999,1", "is not a board size"),
        ("dbl", "2,2\n(0, 0) - (1, 1)", r"Line 2, column 1: \(0, 0\) - \(1, 1\) is not a line"),
        ("dbl", "2,2\n(0, 0) - (2, 0)", r"\(0, 0\) - \(2, 0\) is not a line"),
        ("dbl", "2,2\n(1, 1) - (1, 1)", r"\(1, 1\) - \(1, 1\) is not a line"),
        ("dbl", "2,2\n(2, 0) - (3, 0)", r"\(2, 0\) - \(3, 0\) lies outside the board of 2x2"),
        ("dbl", "2,2\n(0, 0) - (-1, 0)", "is not a line: write"),
        ("dbl", "2,2\n(0, 0) - (0, 1)\n  (0, 1) - (0, 0)", "Line 3, column 3: Line 6 has already been drawn"),
        ("trmph", "7,i14", "Line 1, column 1: '7,i14' is not a trmph link"),
        ("trmph", "http://example.org/#7,i14", "is not a trmph link"),
        ("trmph", "#10,a2", "a board of 10x10 boxes is not possible"),
        ("trmph", "#0,", "a board of 0x0 boxes"),
        ("trmph", "#2,a1", "Line 1, column 4: a1 is a dot, not a line"),
        ("trmph", "#2,a2b2", "Line 1, column 6: b2 is a box, not a line"),
        ("trmph", "#2,f1", "f1 lies outside the board: the last place is e5"),
        ("trmph", "#2,b7", "b7 lies outside"),
        ("trmph", "#2,b0", "b0 lies outside"),
        ("trmph", "#2,b1b1", "Line 1, column 6: Line 4 has already been drawn"),
        ("trmph", "#2,b1 x", "'x' is not a line"),
        ("ascii", "", "board must begin here|must be up to three numbers"),
        ("ascii", "0\n\n+ +", "Line 2: the board must begin here"),
        ("ascii", "-2\n+ +\n\n+ +", "Line 1: the penalty for the last move is -2"),
        ("ascii", "0 16 1 C\n+ +\n\n+ +", "Line 1: the line above the board must be"),
        ("ascii", "+ +\n\n", "a board of 0x1 boxes"),
        ("ascii", "+ +\n| |", "Line 2: a row of dots is missing"),
        ("ascii", "+ +\n\n+ + +", "Line 3, column 4: expected the end of the line, got ' '"),
        ("ascii", "+ + +\n\n+ +", "Line 3, column 5: expected '.', got ' '"),
        ("ascii", "+ +\n-\n+ +", "Line 2, column 1: expected '|' or ' ', got '-'"),
        ("ascii", "0\n+ +\n C\n+ +", "Line 3, column 2: expected 'A' or 'B' or ' ', got 'C'"),
        ("ascii", "+ +\n\t|\n+ +", ", got '.t'"),
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
        ("record", RECORD.replace('"moves":[]', '"moves":["0","0"]'), "Move 2 of the record .* has already been drawn"),
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
        with pytest.raises(BadText, match="The notation was not recognised"):
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
