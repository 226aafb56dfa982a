"""Choosing by mined patterns: chances counted by hand, the largest window first, other boards, what is refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from games.go.go_games import Game, store_of
from games.go.naive import mining as naive
from games.go.naive.patterns import boards_of
from games.go.patterns.mined_games import FINAL, MOVES, least_text, mined_games
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.patterns import chances as chances_module
from kibitz.games.go.patterns.chances import PLACES, Chances, count_chances, place_of
from kibitz.games.go.patterns.choosing import DISCOUNT, SMALLER_WEIGHT, load_collection
from kibitz.games.go.patterns.mining.mined import Kind, Mined, PatternCounts
from kibitz.games.go.patterns.mining.mining import mine
from kibitz.games.go.patterns.shapes import FULL, parse_shape
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules import BLACK, WHITE, Board, Go, other

WHOLE = Kind("moves", FULL, 8, 9)


def plain_chances(games: list[Game], shape: str) -> tuple[Counter[str], Counter[str]]:
    """Return how often each pattern was played, and could have been; an empty window goes by its place."""
    played, could = Counter[str](), Counter[str]()
    for setup, moves in games:
        for board, (colour, played_at) in zip(boards_of(9, setup, moves), moves, strict=False):
            for point in range(81):
                if board.points[point] == 0:
                    around = naive.window(board, point, shape, colour)
                    text = min(naive.forms(around, False))
                    text = str(place_of(9, point)) if set(text) == {"."} else text
                    could[text] += 1
                    played[text] += point == played_at
    return played, could


def counted(store: GameStore, kind: Kind) -> tuple[PatternCounts, Chances]:
    """Return the patterns of a kind and their chances."""
    with Mined(store.folder) as mined:
        counts = mined.counts(kind)
    return counts, count_chances(store, kind, counts.keys, len(store))


@pytest.mark.parametrize("shape", ["3x3", "diamond2"])
def test_chances_are_those_of_a_plain_count(tmp_path: Path, shape: str) -> None:
    kind = MOVES._replace(shape=shape)
    games, store = mined_games(tmp_path, 31, 6, kind)
    played, could = plain_chances(games, shape)
    counts, found = counted(store, kind)
    assert (np.diff(counts.keys) > 0).all()
    for number, key in enumerate(counts.keys.tolist()):
        text = least_text(parse_shape(shape), key, False)
        if key:
            assert (found.played[number], found.chances[number]) == (played[text], could[text])
            assert counts.times[number] == played[text]
    for place in range(PLACES):
        at = len(counts.keys) + place
        assert (found.played[at], found.chances[at]) == (played[str(place)], could[str(place)])
    assert found.played.sum() == counts.times.sum()


def test_places_are_the_same_on_all_boards() -> None:
    assert [place_of(9, point) for point in (0, 1, 9, 20, 40)] == [place_of(19, p) for p in (0, 1, 19, 40, 4 * 20)]
    assert len({place_of(19, point) for point in range(361)}) == PLACES
    assert max(place_of(25, point) for point in range(625)) == PLACES - 1


def test_chances_are_kept_until_more_is_mined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games, store = mined_games(tmp_path, 32, 4, MOVES)
    _, first = counted(store, MOVES)
    file = store.folder / "chances-3x3-9.npz"

    def fail(*given: object) -> Chances:
        raise AssertionError("counted again")

    with monkeypatch.context() as patched:
        patched.setattr(chances_module, "_count", fail)
        assert all(np.array_equal(a, b) for a, b in zip(counted(store, MOVES)[1], first, strict=True))
        file.write_bytes(b"damaged")
        with pytest.raises(AssertionError, match="counted again"):
            counted(store, MOVES)
    assert np.array_equal(counted(store, MOVES)[1].chances, first.chances)
    more = store_of(tmp_path, [*games, *one_more()])
    mine(more, [MOVES])
    assert counted(more, MOVES)[1].played.sum() > first.played.sum()
    monkeypatch.setattr(chances_module, "MAX_GAMES_COUNTED", 2)
    assert 0 < counted(more, MOVES)[1].played.sum() < first.played.sum()


def one_more() -> list[Game]:
    """Return a game that is in no other store."""
    return [([], [(BLACK, 0), (WHITE, 80), (BLACK, 8), (WHITE, 72)])]


def answers(*points: int) -> list[Game]:
    """Return games in which Black passes a few times, then plays in the middle, and White at one of these points.

    The passes make the games different, so that none is left out as a duplicate.
    """
    return [([], [(BLACK, -1)] * at + [(BLACK, 40), (WHITE, point)]) for at, point in enumerate(points)]


ANSWERS = answers(41, 31, 39, 49, 50, 10)
"""Four times White attaches, once diagonally, once in the corner."""
HEADS = ("RE[B+R]", "RE[W+R]")


def test_the_largest_window_decides(tmp_path: Path) -> None:
    store = store_of(tmp_path, ANSWERS, heads=HEADS)
    mine(store, [MOVES, MOVES._replace(shape="5x5"), FINAL])
    board = Board.empty(9).with_stones((40,), BLACK)
    collection = load_collection(store.folder, 9)
    assert [counted.shape for counted in collection.shapes] == ["3x3", "5x5"]
    found = collection.suggestions(board, WHITE)
    assert {each.point for each in found[:4]} == {41, 31, 39, 49}
    assert {(each.shape, each.times, each.won, each.decided) for each in found[:4]} == {("5x5", 4, 2, 4)}
    # six positions, with four such points each
    assert {(each.played, each.chances) for each in found[:4]} == {(4, 24)}
    small_ones = {each.point: each for each in load_collection(store.folder, 9, "3x3").suggestions(board, WHITE)}
    small, corner = small_ones[41], small_ones[10]
    assert (small.shape, small.played, small.chances) == ("3x3", 4, 24)
    assert small.rate == pytest.approx((4 - DISCOUNT) / (24 + SMALLER_WEIGHT))
    assert found[0].rate == pytest.approx((4 - DISCOUNT + SMALLER_WEIGHT * small.rate) / (24 + SMALLER_WEIGHT))
    assert small.text() == "Pattern 3x3 ... O*. ...: played 4 of 24 times it could be, won 50% of 4 games"
    assert (small.stones, small.win_rate, json.loads(json.dumps(small.json()))["point"]) == (1, 0.5, "F5")
    # the corner point of the last game is empty around, and goes by its place: four such points at all turns
    assert corner.text() == "An empty 3x3 at a 2-2 point: played 1 of 108 times it could be"


def test_colours_do_not_matter_but_who_moves_does(tmp_path: Path) -> None:
    store = store_of(tmp_path, ANSWERS)
    mine(store, [MOVES])
    collection = load_collection(store.folder, 9)
    rates = []
    for colour in (BLACK, WHITE):
        board = Board.empty(9).with_stones((40,), other(colour))
        rates.append([(each.point, each.rate) for each in collection.suggestions(board, colour)])
    assert rates[0] == rates[1]
    own = collection.suggestions(Board.empty(9).with_stones((40,), BLACK), BLACK)
    assert all(each.point not in (41, 31, 39, 49) for each in own)


def test_of_equal_moves_the_one_that_won_more_comes_first(tmp_path: Path) -> None:
    beside, diagonal = {41, 31, 39, 49}, {30, 32, 48, 50}
    for wins, first in (("BW", diagonal), ("WB", beside)):
        store = store_of(tmp_path / wins, answers(*[41, 50] * 30), heads=[f"RE[{each}+R]" for each in wins])
        mine(store, [MOVES])
        found = load_collection(store.folder, 9).suggestions(Board.empty(9).with_stones((40,), BLACK), WHITE)
        assert {each.point for each in found[:4]} == first
        assert {each.point for each in found[4:8]} == (beside | diagonal) - first
        assert len({each.rate for each in found[:8]}) == 1


def test_the_whole_board_is_the_largest_window(tmp_path: Path) -> None:
    store = store_of(tmp_path, ANSWERS, heads=HEADS)
    mine(store, [MOVES, WHOLE])
    board = Board.empty(9).with_stones((40,), BLACK)
    found = load_collection(store.folder, 9).suggestions(board, WHITE)
    assert [(each.shape, each.played, each.chances) for each in found[:4]] == [(FULL, 4, 6)] * 4
    assert found[0].text() == "This position: played 4 of 6 times it could be, won 50% of 4 games"
    assert found[0].stones == 1
    other_board = Board.empty(13).with_stones((84,), BLACK)
    assert {each.shape for each in load_collection(store.folder, 13).suggestions(other_board, WHITE)} == {"3x3"}
    with pytest.raises(BadOption, match="No patterns of shape full around moves were mined"):
        load_collection(store.folder, 13, FULL)


def test_windows_serve_boards_of_other_sizes(tmp_path: Path) -> None:
    store = store_of(tmp_path, ANSWERS)
    mine(store, [MOVES])
    found = load_collection(store.folder, 19).suggestions(Board.empty(19).with_stones((180,), BLACK), WHITE)
    beside = [each for each in found if each.stones][:4]
    assert {each.point for each in beside} == {179, 181, 161, 199}
    assert beside[0].chances == 24
    assert {each.point for each in found[:4]} == {80, 90, 270, 280}  # as far from two edges as the middle of 9x9


def test_what_cannot_choose(tmp_path: Path) -> None:
    store = store_of(tmp_path, ANSWERS)
    with pytest.raises(BadText, match=r"has not been mined yet\. Run kibitz go mine first"):
        load_collection(store.folder, 9)
    mine(store, [FINAL])
    with pytest.raises(BadOption, match=r"No patterns around moves were mined in .*: add them with kibitz go mine"):
        load_collection(store.folder, 9)
    mine(store, [MOVES])
    with pytest.raises(BadOption, match="add them with kibitz go mine --shape 7x7"):
        load_collection(store.folder, 9, "7x7")
    with pytest.raises(BadOption, match="Unknown shape 'round'"):
        load_collection(store.folder, 9, "round")
    assert load_collection(store.folder, 9).suggestions(Go(9).start().board, BLACK)
