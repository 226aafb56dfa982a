"""The fast scanner gives what the full reader gives, whatever it is handed; and records play again on the board."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sgfmill import boards as sgfmill_boards

from kibitz.core.errors import BadText
from kibitz.games.go.kernel.board import cells_of, new_board
from kibitz.games.go.records import replay as replaying
from kibitz.games.go.records.replay import replay
from kibitz.games.go.sgf import scan as scan_module
from kibitz.games.go.sgf.reader import read, read_text
from kibitz.games.go.sgf.record import move_of, record_of
from kibitz.games.go.sgf.scan import scan
from kibitz.games.go.sgf.tree import GameTree

PIECES = [
    b"(;GM[1]FF[4]SZ[9]PB[Ann]PW[Bob];B[aa];W[bb];B[];W[tt])\n",
    b"(;GM[1]SZ[19]AB[dd][pp]AW[qq]HA[2];W[pd];B[dp])\n",
    b"(;FF[4]PB[a\\]b\\\\]SZ[13];B[aa](;W[bb])(;W[cc];B[dd]))\n",
    b"(;GM[1]SZ[9]AB[aa:bb];W[cc])\n",
    b"(;GM[1]SiZe[9];B[aa])\n",
    b"(;GM[1]SZ[9];B[aa]W[bb];AB[cc]B[dd])\n",
    b"(;GM[1]SZ[9];B[aa]AB[cc])\n",
    b"(;GM[1]AB[aa]SZ[9];B[bb])\n",
    b"(;GM[1]SZ[9]PB[a][b]PB[c];B[aa][bb];W[cc])\n",
    b"(;GM[1]SZ[9];B[aa]C[see [1] there];W[bb])\n",
    b"(;GM[1]SZ[9];B[aa]C[no end;W[bb];B[cc])\n",
    b"(;GM[1]SZ[9];B[aa]C[no end\n",
    b"(;GM[1]SZ[9];B[zz];W[aa])\n",
    b"(;GM[2]SZ[9];B[aa])\n",
    b"(;SZ[99];B[aa])(;SZ[9];B[bb])\n",
    b"(;SZ[9];B[aa])(;SZ[9];B[bb]) text (really)\n",
    b"(;PB[x];B[aa])\n(;PB[y](;SZ[9];B[bb]))\n",
    "(;GM[1]SZ[9]PB[趙治勲]EV[Ōteai];B[aa]C[名人])\n".encode(),
    b"(;GM[1]SZ[9]PB[\xff\xfe];B[aa])\n",
    b"( ; GM [1] SZ [9] ; B [aa] ; W [bb] )\n",
    b"(;GM[1]SZ[9]KM[];B[aa];;W[bb];)\n",
    b"(;GM[1]SZ[9];KO[1]MN[3]B[aa]LB[aa:A][bb:B];W[bb])\n",
    b"(;GM[1]SZ[9]ABCD[x]Q[y];B[ aa ];W[bb])\n",
    b"(;GM[1]SZ[09]GM[1];B[aa])\n",
    b"(;GM[1]SZ[9]SZ[13];B[aa])\n",
    b"(;GM[1])\n",
    b"(;\n",
    b";B[aa]\n",
    b"junk\n",
    b"\n(\n;GM[1]SZ[9]\n;B[aa]\n)\n",
]


def same(data: bytes) -> None:
    """Hold the scanner to the reader."""
    games = scan(data)
    try:
        trees = read(data)
    except BadText as error:
        trees, reasons = [], [str(error)]
    else:
        reasons = []
    expected = []
    for tree in trees:
        try:
            expected.append(record_of(tree))
        except BadText as error:
            reasons.append(str(error))
    assert len(games) == len(expected)
    assert [refused.reason for refused in games.refused] == reasons
    for game, record in enumerate(expected):
        found = games.record(game)
        assert (found.size, found.fields, found.plays) == (record.size, record.fields, record.plays)


@pytest.mark.modes
@pytest.mark.parametrize("data", PIECES, ids=range(len(PIECES)))
def test_each_piece_alone(data: bytes) -> None:
    same(data)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=6))
def test_pieces_one_after_the_other(pieces: list[bytes]) -> None:
    same(b"".join(pieces))


@settings(max_examples=300)
@given(st.sampled_from(PIECES), st.sampled_from(PIECES), st.data())
def test_pieces_with_a_byte_changed(one: bytes, other: bytes, data: st.DataObject) -> None:
    both = bytearray(one + other)
    at = data.draw(st.integers(0, len(both) - 1))
    both[at : at + 1] = data.draw(st.sampled_from([b"", *(bytes([byte]) for byte in b"()[];\\\nxB \xe4")]))
    same(bytes(both))


def test_most_of_a_plain_file_never_sees_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str) -> None:
        raise AssertionError("the full reader was asked")

    monkeypatch.setattr(scan_module, "read_text", fail)
    plain = [PIECES[i] for i in (0, 1, 2, 17, 19, 20, 21, 25)]
    games = scan(b"".join(plain) * 50)
    assert len(games) == 400
    assert [games.value(2, "PB"), games.value(3, "PB"), games.value(3, "PW")] == ["a]b\\", "趙治勲", None]


def test_one_broken_game_does_not_make_its_neighbours_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def listen(text: str) -> list[GameTree]:
        asked.append(text)
        return read_text(text)

    monkeypatch.setattr(scan_module, "read_text", listen)
    games = scan(PIECES[0] * 5 + PIECES[10] + PIECES[0] * 5)
    assert len(games) == 11
    assert [text.strip().encode() for text in asked] == [PIECES[10].strip()]
    assert {game: problems[0].line for game, problems in games.problems.items()} == {5: 6}


@pytest.mark.parametrize(
    "data",
    [
        b"(;" + b"a" * 100_000,
        b"(;" + b"A " * 50_000,
        b"(" + b";B[" * 34_000,
        b"(" + b";B[" * 34_000 + b"\\]",
        b"(;C[" + b" " * 100_000 + b"[x])",
        b"(;C[" + b" ;" * 50_000 + b"[x])",
        b"(;SZ[9]" + b"[aa]" * 25_000 + b")",
        b"( " * 50_000,
        b"(;" * 50_000,
        b"(;C" + b" " * 100_000 + b"[x])",
        b"(;GM[1]AB[aa:ss])\n" * 2_000,
        b"(;AB" + b"[aa:ss]" * 15_000 + b")",
        b"(;AB" + b"[!!]" * 25_000 + b")",
        b"CA[" * 34_000 + b" " * 100_000,
        b"(;C[" + b"\xb0\xa1\xff" * 34_000 + b"])",
        b"(;C[" + b";W[" * 34_000 + b"])",
        b"(;" + b"W[;" * 34_000 + b"])",
        b"(;" + b"W[\\];" * 20_000 + b"])",
    ],
    ids=range(18),
)
def test_no_file_takes_time_by_the_square_of_its_size(data: bytes) -> None:
    """Each is a hundred thousand bytes or more, over which anything quadratic would be noticed."""
    same(data)


def test_games_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, "MAX_GAMES_PER_PIECE", 9)
    games = scan(b"(;)" * 50)
    assert len(games) == 10
    assert "the rest is left out" in games.refused[0].reason


def test_other_encodings_are_scanned_too() -> None:
    text = "(;GM[1]SZ[9]PB[井山裕太];B[aa]C[表ソ];W[bb])"
    for encoding in ("cp932", "utf-16", "utf-8-sig"):
        games = scan(text.encode(encoding))
        assert games.value(0, "PB") == "井山裕太"
        assert len(games.plays_of(0)) == 2


CAPTURES = b"(;GM[1]SZ[5];B[bb];W[ab];B[ba];W[aa];B[ac];W[ee];B[ea])"
"""The last but two takes two white stones in the corner."""


def points_after(size: int, plays: Sequence[int] | NDArray[np.uint16]) -> bytes:
    """Return the points of the board after legal plays."""
    board, kept, reasons = new_board(size), np.zeros(1, np.int64), np.zeros(1, np.int64)
    first, which = np.array([0, len(plays)], np.int64), np.zeros(1, np.int64)
    replaying.replay_games(board, np.asarray(plays, np.uint16), first, which, kept, reasons, False)
    assert (kept[0], reasons[0]) == (len(plays), 0)
    return bytes(board.stones[cell] for cell in cells_of(size).tolist())


def test_replay_takes_stones_off() -> None:
    games = scan(CAPTURES)
    kept, reasons = replay(games)
    assert (kept.tolist(), reasons.tolist()) == ([7], [0])
    plays = games.plays_of(0)
    assert points_after(5, plays[:4]).hex() == "0201000000" + "0201000000" + "00" * 15
    assert points_after(5, plays[:5]).hex() == "0001000000" + "0001000000" + "0100000000" + "00" * 10
    assert points_after(5, plays).count(1) == 4


@pytest.mark.parametrize(
    ("moves", "kept", "reason"),
    [
        (b";B[aa];W[aa];B[bb]", 1, replaying.OCCUPIED),
        (b";B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[cb]", 8, replaying.RETAKES),
        (b";B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[ee];W[ed];B[cb]", 11, 0),
        (b";W[ba];W[ab];B[aa]", 2, replaying.SUICIDE),
        (b";B[aa];B[bb];B[];W[cc]", 4, 0),
        (b"AB[aa][bb]AW[cc];AE[aa];W[aa];B[ba];B[ab]", 7, 0),
    ],
)
def test_replay_stops_at_the_first_illegal_move(moves: bytes, kept: int, reason: int) -> None:
    data = b"(;GM[1]SZ[5]" + moves + b")"
    games = scan(PIECES[0] + data)
    assert [int(found[1]) for found in replay(games)] == [kept, reason]


def test_sgfmill_has_the_same_boards_after_random_games() -> None:
    rng = np.random.default_rng(3)
    for size in (5, 9, 19):
        theirs, plays = sgfmill_boards.Board(size), list[int]()
        for number in range(6 * size * size):
            colour, point = 1 + number % 2, int(rng.integers(size * size))
            if theirs.get(point // size, point % size) is not None:
                continue
            theirs.play(point // size, point % size, " bw"[colour])
            if theirs.get(point // size, point % size) is None:
                break  # a suicide, which ends our records
            plays.append(move_of(colour, point))
            if number % 9 == 0:
                marks = bytes(" bw".index(theirs.get(p // size, p % size) or " ") for p in range(size * size))
                assert points_after(size, plays) == marks
        assert len(plays) > 2 * size
