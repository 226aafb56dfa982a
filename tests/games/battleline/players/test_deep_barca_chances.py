"""The arithmetic of Deep Barca: chances worked out by hand or by trying everything, and Table 1 of the paper."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, product

import pytest

from games.battleline.players.test_deep_barca import TROOPS_ONLY, position
from kibitz.games.battleline.players.deep_barca import chances
from kibitz.games.battleline.players.deep_barca.scene import ME, THEM, scene_of
from kibitz.games.battleline.players.deep_barca.table1 import flag_chance, table1
from kibitz.games.battleline.players.prospects import chance_of_at_least
from kibitz.games.battleline.rules.cards import BATTLE_LINE, SCHOTTEN_TOTTEN, TROOPS, card_text, parse_card, parse_cards
from kibitz.games.battleline.rules.formations import BATTALION, HOST, PHALANX, SKIRMISH, WEDGE, score


def likely(**given: float) -> list[float]:
    """Return the chances of the named Troops, 0 for all others."""
    found = [0.0] * TROOPS
    for card, chance in given.items():
        found[parse_card(card)] = chance
    return found


def side(cards: str, fog: bool = False, mud: bool = False) -> chances.Side:
    return chances.Side(tuple(sorted(parse_cards(cards))), fog, mud, BATTLE_LINE)


def made(cards: str, chance: list[float], fog: bool = False, mud: bool = False) -> dict[tuple[int, int], float]:
    return {formation.score: formation.chance for formation in chances.formations_of(side(cards, fog, mud), chance)}


# 3.4: the chance of a card


def test_chances_at_the_first_play() -> None:
    state = TROOPS_ONLY.start(3)
    scene = scene_of(state.view(0), 1.0)
    for card in range(TROOPS):
        mine = card in state.hands[0]
        assert scene.chance[ME][card] == pytest.approx(1 if mine else 23 / 53)
        assert scene.chance[THEM][card] == pytest.approx(0 if mine else 30 / 53)
    halved = scene_of(state.view(0), 0.5).chance
    assert halved[ME] == scene.chance[ME]
    assert halved[THEM] == pytest.approx([p / 2 for p in scene.chance[THEM]])


def test_face_up_cards_come_to_nobody() -> None:
    scene = scene_of(position({4: ("r5", "b6")}, "r1 r2 r3 o1 o2 o3 y1").view(0), 1.0)
    for card in ("r5", "b6"):
        assert scene.chance[ME][parse_card(card)] == scene.chance[THEM][parse_card(card)] == 0
    # 51 cards are unknown: 44 in the deck, half of them mine, 7 in the other hand
    assert scene.chance[ME][parse_card("p9")] == pytest.approx(22 / 51)


def test_scout_tells_where_a_card_is() -> None:
    view = TROOPS_ONLY.start(1).view(0)
    card = view.unknown[0][0]
    scene = scene_of(replace(view, known=(card,)), 1.0)
    assert (scene.chance[ME][card], scene.chance[THEM][card]) == (0, 1)


# What a side may make


@pytest.mark.parametrize(
    ("cards", "given", "expected"),
    [
        # a wedge is the product of what it lacks
        ("r8", {"r9": 0.5, "r10": 0.4, "r7": 0.3, "r6": 0.2},
         {(WEDGE, 27): 0.5 * 0.4, (WEDGE, 24): 0.5 * 0.3, (WEDGE, 21): 0.3 * 0.2}),
        # an empty side takes any colour
        ("", {"r9": 0.5, "r10": 0.5, "r8": 0.5, "b8": 0.5, "b9": 0.5, "b10": 0.5}, {(WEDGE, 27): 1 - (1 - 1 / 8) ** 2}),
        # battalions go by their sum and are no wedges
        ("r9", {"r10": 0.5, "r8": 0.5, "r7": 0.5, "r1": 0.5},
         {(BATTALION, 27): 0, (BATTALION, 26): 0.25, (BATTALION, 24): 0, (BATTALION, 20): 0.25}),
        # 9 + 4 + 3 and 9 + 5 + 2: two ways to 16
        ("r9", {"r4": 0.5, "r3": 0.5, "r5": 0.2, "r2": 0.5}, {(BATTALION, 16): 1 - 0.75 * 0.9}),
        # a skirmish takes one of each value
        ("r5", {"o6": 0.5, "y6": 0.5, "b7": 0.4}, {(SKIRMISH, 18): 0.75 * 0.4}),
    ],
)  # fmt: skip
def test_what_a_side_makes(cards: str, given: dict[str, float], expected: dict[tuple[int, int], float]) -> None:
    found = made(cards, likely(**given))
    assert {score: found.get(score, 0) for score in expected} == pytest.approx(expected)


def test_a_phalanx_is_counted_over_all_draws() -> None:
    chance = {"r8": 0.1, "o8": 0.3, "y8": 0.5, "g8": 0.9, "b8": 0.4}
    exact = sum(_likely(drawn, list(chance.values())) for drawn in product((0, 1), repeat=5) if sum(drawn) >= 2)
    assert made("p8", likely(**chance))[PHALANX, 24] == pytest.approx(exact)
    assert chance_of_at_least(2, list(chance.values())) == pytest.approx(exact)


def _likely(drawn: tuple[int, ...], chance: list[float]) -> float:
    found = 1.0
    for there, p in zip(drawn, chance, strict=True):
        found *= p if there else 1 - p
    return found


def test_with_one_card_missing_every_card_has_its_formation() -> None:
    found = made("r8 r9", likely(r10=0.5, b10=0.5, o10=0.5, r2=0.3, o8=0.2))
    assert found == {
        (WEDGE, 27): pytest.approx(0.5),
        (BATTALION, 19): pytest.approx(0.3),
        (SKIRMISH, 27): pytest.approx(0.75),
        (HOST, 25): pytest.approx(0.2),
    }


def test_fog_leaves_the_highest_sums() -> None:
    chance = {"r9": 0.5, "o9": 0.3, "y4": 0.6, "b2": 0.7}
    exact: dict[int, float] = {}
    values = [9, 9, 4, 2]
    for drawn in product((0, 1), repeat=4):
        have = sorted((v for v, there in zip(values, drawn, strict=True) if there), reverse=True)[:2]
        if len(have) == 2:
            exact[5 + sum(have)] = exact.get(5 + sum(have), 0) + _likely(drawn, list(chance.values()))
    assert made("g5", likely(**chance), fog=True) == {(HOST, total): pytest.approx(p) for total, p in exact.items()}


@pytest.mark.parametrize("mud", [False, True])
def test_what_can_be_made_is_what_can_be_made(mud: bool) -> None:
    """Every score of a side that lacks two cards, hosts apart, against all pairs of cards; wild cards included."""
    rng = random.Random(4)
    for _ in range(12):
        wild = rng.choice(["", "AL", "CC", "SB"])
        size = (4 if mud else 3) - 2
        troops = rng.sample(range(TROOPS), 20)
        there = [*parse_cards(wild), *troops][:size]
        pool = [card for card in troops if card not in there]
        expected = set()
        for pair in combinations(pool, 2):
            found = score((*there, *pair), False, mud)
            expected.add((found.rank, found.sum))
        chance = [0.5 if card in pool else 0.0 for card in range(TROOPS)]
        side_ = chances.Side(tuple(sorted(there)), False, mud, BATTLE_LINE)
        got = {found.score for found in chances.formations_of(side_, chance)}
        assert {found for found in expected if found[0] != HOST} <= got
        assert max(got) == max(expected)
        if not wild:  # the cards of a wedge or skirmish may also count as less
            assert {found for found in got if found[0] > BATTALION} == {f for f in expected if f[0] > BATTALION}


def test_values_end_at_nine_in_schotten_totten() -> None:
    everything = [0.5 if card % 10 < 9 else 0.0 for card in range(TROOPS)]
    found = chances.formations_of(chances.Side((), False, False, SCHOTTEN_TOTTEN), everything)
    assert found[0].score == (WEDGE, 24)
    assert max(f.score[1] for f in found if f.score[0] == PHALANX) == 27


# 3.3 and 3.5: flags


def formation(rank: int, total: int, chance: float) -> chances.Formation:
    return chances.Formation((rank, total), 1 - chance)


def test_many_formations_by_hand() -> None:
    my = [formation(WEDGE, 20, 0.5), formation(PHALANX, 20, 0.8)]
    their = [formation(WEDGE, 24, 0.2), formation(PHALANX, 24, 0.4), formation(BATTALION, 24, 1.0)]
    first, second = 0.5 * 0.8, 0.8 * 0.8 * 0.6
    win = chances.multiple_formation_chance
    assert win(my, their, 0.5, nested=False) == pytest.approx(1 - (1 - first) * (1 - second))
    assert win(my, their, 0.5, nested=True) == pytest.approx(first + 0.5 * second)


@pytest.mark.parametrize(("tie", "expected"), [(1.0, 1.0), (0.5, 0.75), (0.0, 0.5)])
def test_ties_go_to_whom_they_are_given(tie: float, expected: float) -> None:
    my, their = [formation(WEDGE, 24, 1.0)], [formation(WEDGE, 24, 0.5)]
    assert chances.multiple_formation_chance(my, their, tie, nested=True) == pytest.approx(expected)


def test_a_flag_with_one_side_is_the_mean_of_both_approaches() -> None:
    mine, theirs = side("r8"), side("")
    my = [formation(WEDGE, 24, 0.5)]
    their = [formation(WEDGE, 27, 0.2), formation(WEDGE, 26, 0.5)]
    many, single = 0.5 * 0.8 * 0.5, 0.5 * 0.8
    assert chances.flag_chance(mine, theirs, my, their, False, chances.BEST) == pytest.approx((many + single) / 2)
    assert chances.flag_chance(side(""), side(""), my, their, False, chances.BEST) == 0.5


def test_the_literal_reading_counts_only_so_many_of_theirs() -> None:
    my = [formation(HOST, 10, 1.0)]
    their = [formation(WEDGE, 27 - i, 0.1) for i in range(6)]
    both = side("r8 b2"), side("g3 y9")
    assert chances.flag_chance(*both, my, their, False, chances.LITERAL) == pytest.approx(0.9**4)
    assert chances.flag_chance(*both, my, their, False, chances.BEST) == pytest.approx(0.9**6)


def test_wishlists() -> None:
    chance = tuple(likely(r10=0.5, r8=0.5, r7=0.5, o9=0.5, y9=0.5))
    assert _names(chances.wishlist(side("r9"), chance, 1)) == {"r8", "r10"}
    assert _names(chances.wishlist(side("r9"), chance, 2)) == {"r7", "r8", "r10"}
    assert _names(chances.wishlist(side("r9"), chance, 3)) >= {"o9", "y9"}
    assert chances.wishlist(side(""), chance, 4) == chances.wishlist(side("r9 o9 y9"), chance, 4) == frozenset()


def _names(cards: frozenset[int]) -> set[str]:
    return {card_text(card) for card in cards}


def test_conflicts_share_a_card() -> None:
    lists = [{1, 2}, {2}, {2, 3}]
    found = chances.shared_chances([0.6] * TROOPS, lists, 1.0)
    assert found[:4] == pytest.approx([0.6, 0.6, 0.2, 0.6])
    assert chances.shared_chances([0.6] * TROOPS, lists, 0.5)[2] == pytest.approx(0.4)


# 3.2: the game


@pytest.mark.parametrize(
    ("p", "five", "three", "win"), [(0.5, 0.5, 0.4648, 0.5), (0.6, 0.7334, 0.6560, 0.7141), (1.0, 1, 1, 1)]
)
def test_nine_equal_flags(p: float, five: float, three: float, win: float) -> None:
    assert chances.game_chance([p] * 9, 1.0, joint=False) == pytest.approx(five, abs=5e-5)
    assert chances.game_chance([p] * 9, 0.0, joint=False) == pytest.approx(three, abs=5e-5)
    assert chances.game_chance([p] * 9, 0.5, joint=False) == pytest.approx((five + three) / 2, abs=5e-5)
    assert chances.game_chance([p] * 9, 1.0, joint=True) == pytest.approx(win, abs=5e-5)


def test_three_in_a_row_are_enough() -> None:
    # with flag 9 the opponent has three in a row as well, without it only the player has
    assert chances.game_chance([1, 1, 1, 0, 0, 1, 0, 0, 0.5], 1.0, joint=True) == pytest.approx(0.5 * 1 + 0.5 * 0.5)
    # flags 4 to 6 are lost, and the game with them, unless the first or the last three are won as well: then half
    flags = [0.5, 0.5, 0.5, 0, 0, 0, 0.5, 0.5, 0.5]
    assert chances.game_chance(flags, 1.0, joint=True) == pytest.approx((1 - (7 / 8) ** 2) / 2)


def test_table_one() -> None:
    rows = table1()
    assert [(row.rank, row.sum) for row in rows] == [("wedge", 27), ("wedge", 24), ("phalanx", 27), ("battalion", 26)]
    # p^2; five 9s, at least two; three wedges with a 4; a wedge or three 4s
    three_of_a_kind, wedge = 1 - (1 + 5) / 32, 1 - 0.75**3
    beaten = 1 - (1 - wedge) * (1 - three_of_a_kind)
    expected = [(0.25, 0, 0.25), (0.25, 0, 0.25), (three_of_a_kind, wedge, three_of_a_kind * (1 - wedge))]
    expected.append((0.25, beaten, 0.25 * (1 - beaten)))
    for row, ours in zip(rows, expected, strict=True):
        assert (row.make, row.beaten, row.win) == pytest.approx(ours)
        assert row.make == pytest.approx(row.printed[0], abs=0.01)
        assert row.beaten == pytest.approx(row.printed[1], abs=0.02)
        assert row.win == pytest.approx(row.printed[2], abs=0.01)
    assert flag_chance() == pytest.approx(1 - 0.75 * 0.75 * (1 - rows[2].win) * (1 - rows[3].win))


def test_the_chance_of_the_game_from_sure_flags() -> None:
    assert chances.game_chance([0.6] * 9) == pytest.approx(0.7141, abs=5e-5)  # joint by default
    assert chances.game_chance([1.0] * 3 + [0.0] * 6) == 0.5  # three in a row, but the other has five
    assert chances.game_chance([1.0] * 5 + [0.0] * 4) == 0.5
    assert chances.game_chance([0.0] * 9) == 0.0
