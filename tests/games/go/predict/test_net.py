"""The policy net: what it sees of games, which games are held out, and what it says; without PyTorch."""

from __future__ import annotations

import io
import json
import math
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from games.go.go_games import Game, random_game, record
from games.go.naive.patterns import turned_game
from games.go.predict.net_files import BESIDE, TINY
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.predict.fit import games_file
from kibitz.games.go.predict.fit.course import Moment
from kibitz.games.go.predict.fit.games_file import GamesFile, from_records, held_out, key_of
from kibitz.games.go.predict.net import boards_kernel as kernel
from kibitz.games.go.predict.net import state as net_state
from kibitz.games.go.predict.net.net import FORMAT, PolicyNet, planes_of
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board

SIZE = 19


def naive_codes(board: Board, mover: int, before: Board | None) -> list[int]:
    """Return the codes of a position; `before` is the one that may not come about again, if a move led here."""
    codes = []
    for point, colour in enumerate(board.points):
        if colour == EMPTY:
            placed = board.place(point, mover)
            codes.append(9 if before is not None and not placed.lost and placed.board == before else 0)
        else:
            codes.append(min(len(board.chain(point).liberties), 4) + (0 if colour == mover else 4))
    return codes


def moment(size: int, points: bytes, mover: int, recent: tuple[int, ...] = ()) -> Moment:
    return Moment(Board(size, points), mover, recent, -1, len(recent), -1)


def file_of(tmp_path: Path, games: list[Game], head: str = "") -> GamesFile:
    path = tmp_path / "some.sgf"
    path.write_text("".join(record(game, SIZE, head) for game in games))
    return from_records([path])


def test_rows_are_what_a_plain_board_shows(tmp_path: Path) -> None:
    stream = random.Random(5)
    games = [random_game(stream, SIZE, 400) for _ in range(2)]
    found = file_of(tmp_path, games, "RE[W+R]")
    rows = kernel.rows_of(found, np.arange(len(found)), 2)
    at = passes = taken = 0
    for setup, moves in games:
        board, before, last = Board.empty(SIZE), None, list[int]()
        for colour, point in setup:
            board = board.with_stones((point,), colour)
        for ply, (colour, point) in enumerate(moves):
            if point < 0:
                passes += 1
                last, before = [361, *last], None
                continue
            row = rows[at]
            at += 1
            if ply % 9 == 0:
                assert row[:361].tolist() == naive_codes(board, colour, before), ply
            words = row[362:374].view("<i2").tolist()
            assert words == [*(last + 5 * [361])[:5], point]
            assert row[361] == (1 if colour == WHITE else 2)
            assert row[374] == (colour == BLACK)
            assert row[375] == min(ply, 255)
            after = board.place(point, colour).board
            taken += sum(a != EMPTY and b == EMPTY for a, b in zip(board.points, after.points, strict=True))
            before, board, last = board, after, [point, *last]
    assert at == len(rows) == int(kernel.row_counts(found, np.arange(len(found))).sum())
    assert passes > 3
    assert taken > 20


def test_a_ko_is_seen_until_somebody_plays_elsewhere(tmp_path: Path) -> None:
    # Black takes the stone on cc by playing cb: White may not retake at once, but after ss and rr she may.
    path = tmp_path / "ko.sgf"
    setup = "AB[ba][ab][bc]AW[ca][db][cc][bb]"
    path.write_text(f"(;GM[1]SZ[19]{setup};B[cb];W[ss];B[rr];W[bb])")
    rows = kernel.rows_of(from_records([path]), np.arange(1))
    assert [row[:361].tolist().count(kernel.KO) for row in rows] == [0, 1, 0, 0]
    assert rows[1, 19 + 1] == kernel.KO  # bb, where White's stone was
    assert rows[1, 19 + 2] == 1 + kernel.OPPONENT  # cb, Black's stone in atari


def test_liberties_are_counted_once() -> None:
    points = bytearray(81)
    for point in (0, 1, 9):  # a bent three in the corner: its liberties are 2, 10 and 18, and 10 is beside two stones
        points[point] = BLACK
    assert kernel.codes_of(9, bytes(points), BLACK)[[0, 1, 9]].tolist() == [3, 3, 3]
    assert kernel.codes_of(9, bytes(points), WHITE, ko=40)[[0, 1, 9, 40]].tolist() == [7, 7, 7, 9]


def test_a_twentieth_is_held_out_whatever_the_game_is_called(tmp_path: Path) -> None:
    share = sum(held_out(key_of(digest)) for digest in range(-10_000, 10_000)) / 20_000
    assert 0.044 < share < 0.056
    game = random_game(random.Random(3), SIZE, 60)
    assert len(game[1]) >= 55
    one = file_of(tmp_path, [game], "PB[a]")
    (tmp_path / "some.sgf").rename(tmp_path / "other.sgf")
    other = file_of(tmp_path, [turned_game(SIZE, game, 4)], "PB[b]")
    assert one.digests.tolist() == other.digests.tolist()
    assert one.plays.tolist() != other.plays.tolist()


def test_a_games_file_keeps_what_it_is_given(tmp_path: Path) -> None:
    games = file_of(tmp_path, [random_game(random.Random(seed), SIZE, 40) for seed in range(50)])
    games.save(tmp_path / "games.npz")
    again = GamesFile.load(tmp_path / "games.npz")
    for name in ("plays", "first", "sizes", "winners", "digests"):
        assert (getattr(again, name) == getattr(games, name)).all(), name
    learn, held = again.split()
    assert sorted([*learn.tolist(), *held.tolist()]) == list(range(50))
    assert again.split(9)[0].tolist() == []
    assert held.tolist() == [i for i, digest in enumerate(games.digests.tolist()) if held_out(key_of(digest))]


def test_other_files_are_not_read_as_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = file_of(tmp_path, [random_game(random.Random(1), SIZE, 40)])
    games.save(tmp_path / "games.npz")
    data = (tmp_path / "games.npz").read_bytes()
    foreign, array = io.BytesIO(), io.BytesIO()
    np.savez(foreign, x=np.zeros(3))
    np.save(array, np.zeros(3))
    spoilt = data[:200] + bytes(byte ^ 255 for byte in data[200:240]) + data[240:]
    for bad in (data[: len(data) // 2], b"(;GM[1])", foreign.getvalue(), array.getvalue(), spoilt):
        (tmp_path / "bad.npz").write_bytes(bad)
        with pytest.raises(BadText, match=r"a file of games, or is damaged\. Make one with kibitz go games-file\.$"):
            GamesFile.load(tmp_path / "bad.npz")
    with pytest.raises(BadText, match="Cannot open"):
        GamesFile.load(tmp_path / "none.npz")
    with pytest.raises(BadOption, match=r"Cannot write .*: No such file"):
        games.save(tmp_path / "no" / "where.npz")
    monkeypatch.setitem(games_file._EXPECTED, "version", 2)
    with pytest.raises(BadText, match="another version of kibitz"):
        GamesFile.load(tmp_path / "games.npz")


def test_a_damaged_state_of_a_fit_is_refused_in_words(tmp_path: Path) -> None:
    net_state.save_state(tmp_path, {"x": np.zeros(3)}, {})
    manifest = tmp_path / net_state.MANIFEST
    kept = json.loads(manifest.read_text())
    for spoilt in ("", "{", "[]", "{}", json.dumps({**kept, "files": ["../x"]}), json.dumps({**kept, "files": [3]})):
        manifest.write_text(spoilt)
        with pytest.raises(BadText, match=r"^The fit in \S+ is damaged: start a new one in another folder\.$"):
            net_state.load_state(tmp_path)
    manifest.write_text(json.dumps({**kept, "version": 99}))
    with pytest.raises(BadText, match="another version"):
        net_state.load_state(tmp_path)


def test_planes_show_stones_moves_and_colour() -> None:
    points = bytearray(81)
    points[40], points[41] = BLACK, WHITE
    made = planes_of([Moment(Board(9, bytes(points)), WHITE, (41, -1, 40), 3, 3, -1)])
    assert made.shape == (1, 16, 9, 9)
    flat = made.reshape(16, 81)
    where = {plane: np.flatnonzero(flat[plane]).tolist() for plane in range(16) if 0 < flat[plane].sum() < 81}
    # both stones have three liberties: the mover's is plane 2, the other's plane 6; then ko, last, third last
    assert where == {2: [41], 6: [40], 8: [3], 9: [41], 11: [40]}
    assert not flat[14].any()
    assert flat[15].all()


class TestTheNet:
    """What needs onnxruntime, with a net made by hand."""

    @pytest.fixture(autouse=True)
    def needs_onnxruntime(self) -> None:
        pytest.importorskip("onnxruntime")

    @pytest.mark.parametrize("size", [9, 13, 19])
    def test_it_says_what_was_worked_out_on_paper(self, size: int) -> None:
        last = size + 1  # the point one line from both edges
        points = bytearray(size * size)
        points[last], points[last + 1], points[last - 1] = BLACK, WHITE, WHITE
        output = PolicyNet.load(TINY).predict([moment(size, bytes(points), WHITE, (last,))] * 3)
        assert output.points.shape == (3, size * size)
        beside = math.exp(BESIDE)
        total = 2 * beside + size * size - 5
        want = np.full(size * size, 1 / total)
        want[[last - size, last + size]] = beside / total
        want[[last, last - 1, last + 1]] = 0
        assert output.points == pytest.approx(np.stack([want] * 3), abs=1e-4)
        assert output.wins == pytest.approx([0.75] * 3, abs=1e-3)

    def test_a_full_board_has_no_chances_and_no_error(self) -> None:
        output = PolicyNet.load(TINY).predict([moment(9, bytes([BLACK] * 81), WHITE)])
        assert output.points.sum() == 0

    def test_positions_of_two_sizes_are_refused(self) -> None:
        net = PolicyNet.load(TINY)
        for positions in ([], [moment(9, bytes(81), BLACK), moment(13, bytes(169), BLACK)]):
            with pytest.raises(BadOption, match="same board size"):
                net.predict(positions)

    def test_other_files_are_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        data, path = TINY.read_bytes(), tmp_path / "net.onnx"
        for damaged in (data[: len(data) // 2], data[:-30], b"", b"no net at all\n" * 20):
            path.write_bytes(damaged)
            with pytest.raises(BadText, match="cannot be read as a net"):
                PolicyNet.load(path)
        path.write_bytes(data.replace(FORMAT.encode(), b"another of these net"))
        with pytest.raises(BadText, match="not a policy net of kibitz"):
            PolicyNet.load(path)
        with pytest.raises(BadText, match="Cannot open the net"):
            PolicyNet.load(tmp_path / "none.onnx")
        monkeypatch.setattr("kibitz.games.go.predict.net.net.VERSION", 2)
        with pytest.raises(BadText, match=r"version 1.*reads version 2"):
            PolicyNet.load(TINY)


def test_without_onnxruntime_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(BadOption, match="pip install onnxruntime"):
        PolicyNet.load(TINY)
