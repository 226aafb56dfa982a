"""What comes of a line, in words: a position laid out for each sentence, and all of them against full search."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise

import pytest

from games.dots import naive
from games.dots.boards import careful, cleared, on_graph, picture
from games.dots.words.test_reasons import BOARDS, boxes_to_take, fewest_left, groups
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import GROUND
from kibitz.games.dots.words.reasons import reasons


def laid(*parts: str) -> DotsState:
    """Return coins laid out apart: "c3" is a chain, "o4" a loop, "h2" a chain whose first string is cut, and so on.

    "T" is three coins in a row with a string from the middle one to the ground, worth *2
    in Nimstring; "Y" is a coin with three strings to the ground, *0. The strings are
    numbered in this order, those of a part from its one end to the other.
    """
    strings, names = list[str](), iter("abcdefghijklmnopqrstuvwxyz")
    for part in parts:
        kind, length = part[0], part[1:]
        coins = [next(names) for _ in range(int(length or {"T": 3, "Y": 1}[kind]))]
        inner = [f"{a}{b}" for a, b in pairwise(coins)]
        ends = f"{coins[0]}-", f"{coins[-1]}-"
        strings += {
            "c": [ends[0], *inner, ends[1]],
            "h": [*inner, ends[1]],
            "o": [*inner, f"{coins[-1]}{coins[0]}"],
            "T": [ends[0], *inner, ends[1], f"{coins[len(coins) // 2]}-"],
            "Y": [ends[0]] * 3,
        }[kind]
    return on_graph(*strings)


# what is laid out, string, the reasons
COMES = {
    # There is something to take: is it left, or not?
    "a double-deal wins all": (
        "h2 c4", 1, ["double-deals: leaves Blue 2 coins to win the other 4", "wins 4 to 2 with best play"],
    ),
    # 3 - 4 + 5 - 4 + 4 = 4 is the controlled value of the chains: 6 of 8.
    "a double-deal wins most": (
        "h2 c3 c5", 1, ["double-deals: leaves Blue 2 coins to win 6 of the other 8", "wins 6 to 4 with best play"],
    ),
    "a double-deal for too little": (
        "h2 c1", 1,
        ["double-deals: leaves Blue 2 coins, but control of the other one is not worth 2",
         "loses 1 to 2 with best play"],
    ),
    # Blue gives the chain of 1 and gets the one of 3.
    "a double-deal that leaves a good move": (
        "h2 c1 c3", 1, ["double-deals: leaves Blue 2 coins and 3 of the other 4", "loses 1 to 5 with best play"],
    ),
    "a double-deal wins the fight": ("h2 Y", 1, ["double-deals: leaves Blue 2 coins to win the fight for control"]),
    "a double-deal loses the fight": (
        "h2 T", 1, ["double-deals: leaves Blue 2 coins, but lets Blue win the fight for control"],
    ),
    "control is given up": (
        "h2 c4", 0,
        ["takes a coin, and can take 1 more",
         "gives up the double-deal, and with it control of the other 4: must then open the chain of 4"],
    ),
    "control is not worth 2": (
        "h2 c1", 0,
        ["takes a coin, and can take 1 more",
         "gives up the double-deal, for control of the other one is not worth 2"],
    ),
    "moving first is good": (
        "h2 c1 c3", 0,
        ["takes a coin, and can take 1 more", "gives up the double-deal, for moving first gets 3 of the other 4"],
    ),
    "the fight is given up": (
        "h2 Y", 0,
        ["takes a coin, and can take 1 more", "gives up the double-deal, and with it the fight for control"],
    ),
    "the fight is won": (
        "h2 T", 0,
        ["takes a coin, and can take 1 more",
         "gives up the double-deal, but wins the fight for control by moving first"],
    ),
    # Blue can take all or double-deal: 3 - 1 or 3 - 4 + 1, 5 - 7 or 5 - 4 + 7, 4 - 5 or 4 - 8 + 5, 2 - 1 or 2 - 4 + 1.
    "all is taken": (
        "c3 c1", 0,
        ["opens a chain of 3 (loony): Blue does best to take all 3 coins, and must then open the chain of 1",
         "loses 1 to 3 with best play"],
    ),
    "two are left": (
        "c5 c7", 0,
        ["opens a chain of 5 (loony): Blue does best to take 3 of the 5 coins and leave 2 (a double-deal), "
         "and Red must then open the chain of 7",
         "loses 2 to 10 with best play"],
    ),
    "a loop is left": (
        "o4 c5", 0,
        ["opens a loop of 4 (loony): Blue does best to leave all 4 coins (a double-deal), "
         "and Red must then open the chain of 5",
         "loses 4 to 5 with best play"],
    ),
    "both are taken": (
        "c2 c1", 0,
        ["half-hearted (loony): Blue does best to take both coins, and must then open the chain of 1",
         "loses 1 to 2 with best play"],
    ),
    # 5 - 4 + 5 - 4 + 4 = 6 for the two chains of 5, and one of them is the last
    "one of two alike": (
        "c4 c5 c5", 0,
        ["opens a chain of 4 (loony): Blue does best to take 2 of the 4 coins and leave 2 (a double-deal), "
         "and Red must then open a chain of 5",
         "loses 4 to 10 with best play"],
    ),
    "best of two": (
        "c4 c5 c6", 0,
        ["opens a chain of 4 (loony): Blue does best to take 2 of the 4 coins and leave 2 (a double-deal), "
         "and Red must then open something, best the chain of 5",
         "loses 4 to 11 with best play"],
    ),
    # Something short is given.
    "a single coin for nothing": (
        "c1 c1 c3", 0,
        ["gives Blue a single coin and gets 1 of the other 4", "forces Blue to open something, best the chain of 1",
         "loses 1 to 4 with best play"],
    ),
    "two for seven": (
        "c2 c7", 1,
        ["hard-hearted: gives Blue 2 coins to win the other 7", "forces Blue to open the chain of 7",
         "wins 7 to 2 with best play"],
    ),
    # One of the ends of T gone, the rest of it is a chain of 2: *1 like the chain of 1.
    "one for the fight": ("T c1 Y", 0, ["gives Blue a single coin to win the fight for control"]),
    "one and the fight": ("T c1 Y", 5, ["gives Blue a single coin", "lets Blue win the fight for control"]),
}  # fmt: skip


KINDS = (
    "wins . to", "loses . to", "draws . to", "double-deals: .* to win", "double-deals: .* not worth",
    "double-deals: .* as much", "coins and . of", "gives up .* control of", "gives up .* not worth",
    "gives up .* no more", "moving first gets", "by moving first", "with it the fight", "to win the fight",
    "wins the fight", "lets .* fight", "take all", "take both", "leave all", "leave both", "take . of", "the same",
    "single .* to win", "single .* gets", "hard-hearted: .* to win", "forces", "so that", "something, best the",
    "something, best a ",
)  # fmt: skip
"""Patterns of the sentences about what comes of a line."""


@pytest.mark.parametrize("name", COMES)
def test_what_comes_of_a_line(name: str) -> None:
    parts, line, said = COMES[name]
    assert list(reasons(laid(*parts.split()), line)) == said


# Where arms meet, or much is left


TALL = "+-+-+\n|\n+-+-+" + "\n\n+ + +" * 4
ARMS = ("ja", "ab", "bc", "c-", "jd", "de", "ef", "f-", "jg", "gh", "hi", "i-")
SHORT_ARMS = ("ja", "a-", "jb", "b-", "jc", "c-")
ROW_OF_SIX = """
+-+-+-+-+-+-+

+-+-+-+-+-+-+

+ + + + + + +
"""


def test_a_double_deal_while_much_is_left() -> None:
    state = picture(TALL)
    line = state.game.parse_move
    assert reasons(state, line("v 0 2")) == ("double-deals: leaves Blue 2 boxes and the next move",)
    assert reasons(state, line("v 0 1")) == ("takes a box, and can take 1 more", "gives up the double-deal")


def test_only_loony_lines_where_arms_meet() -> None:
    state = on_graph(*ARMS, "j-")
    assert reasons(state, 12) == ("leaves only loony strings: whatever Blue opens, Red can double-deal",)
    state = on_graph(*ARMS, "k-", "k-")
    assert reasons(state, 12) == (
        "gives Blue a single coin to win the fight for control",
        "leaves Blue only loony strings after that",
    )


def test_no_safe_line_where_short_arms_meet() -> None:
    """An arm given, the other two and the joint are a chain of 3: *0. So the arms are *1, as is a chain of 1."""
    state = on_graph(*SHORT_ARMS, "j-")
    none = "leaves no safe string, so that Blue must give something away"
    assert reasons(state, 6) == (none, "lets Blue win the fight for control")
    state = on_graph(*SHORT_ARMS, "k-", "k-", "k-")
    assert reasons(state, 6) == (none, "wins the fight for control")


def test_a_number_of_long_chains_that_no_reply_changes() -> None:
    """Red leaves 19 lines for 12 boxes: 19 - 12 + 1 is even, so Blue wants an even number of long chains.

    The box that has two lines left then can be in a run of 2 after one more line, not in one of 3.
    """
    state = picture(ROW_OF_SIX)
    assert reasons(state, state.game.parse_move("h 2 0")) == (
        "keeps the number of long chains odd, as the long-chain rule wants for Red: no safe reply changes it",
        "is safe: 10 safe lines are left",
    )


def test_the_play_expected() -> None:
    """Blue gives the single coin, Red takes it and must open an arm; with the coin to give himself he need not."""
    state = on_graph(*ARMS, "k-", "k-", "k-")
    said = reasons(state, 12)
    assert said == (
        "leaves no safe string, so that Blue must give something away",
        "lets Blue win the fight for control",
    )
    loony = "then, in the play expected, Red plays the first loony string and opens a chain of 3"
    assert reasons(state, 12, [12, 13, 14, 0, 1]) == (*said, loony)
    assert reasons(state, 12, [12, 13, 14]) == said
    assert reasons(state, 0, [0, 1, 2, 3]) == reasons(state, 0)  # nobody can play the first one after this


def test_the_play_expected_is_told_last() -> None:
    """A line that opens the chain or the loop just made stands for the play expected."""
    state = BOARDS["ROW_OF_TWO"]
    made, loony = (state.game.parse_move(text) for text in ("v 0 3", "v 0 0"))
    said = reasons(state, made, [made, loony])
    assert said == (
        *reasons(state, made),
        "then, in the play expected, Blue plays the first loony line and opens a chain of 3",
    )
    assert len(said) == 3
    safe = BOARDS["ALMOST_A_LOOP"]
    closed, loony = (safe.game.parse_move(text) for text in ("v 0 2", "h 1 0"))
    assert reasons(safe, closed, [closed, loony]) == (
        *reasons(safe, closed)[:2],
        "then, in the play expected, Blue plays the first loony line and opens a loop of 4",
    )


# Every number and every name, against full search


class Searched:
    """All that full search says of a position and of those that come of it."""

    def __init__(self, state: DotsState) -> None:
        self.strings = state.legal_moves()
        ends = [state.game.board.strings[string] for string in self.strings]
        self.left = tuple((None if a == GROUND else a, None if b == GROUND else b) for a, b in ends)

    def value(self, state: DotsState) -> int:
        return naive.values(self.left)[self._index(state)]

    def nimber(self, state: DotsState) -> int:
        return naive.nimbers(self.left)[self._index(state)]

    def _index(self, state: DotsState) -> int:
        return sum(1 << i for i, string in enumerate(self.strings) if state.undrawn >> string & 1)


def open_boxes(state: DotsState) -> int:
    return sum(state.degree(box) > 0 for box in range(len(state.game.board.coins)))


def check(state: DotsState, line: int, searched: Searched) -> str:
    """Check every clause about the outcome of a line; return all of them."""
    text, after = " ; ".join(reasons(state, line)), state.play(line)
    dealing = state if after.to_move == state.to_move else after  # where somebody can take all there is, or double-deal
    rest, boxes = cleared(dealing), boxes_to_take(dealing)
    check_score(state, after, text, searched)
    check_shares(text, rest, searched.value(rest))
    check_fight(text, rest, searched)
    check_opening(state, text, rest, searched)
    if re.search("worth|does best|control|double-deals", text):
        leave = boxes if "double-deals" in text else fewest_left(dealing, rest.undrawn)
        check_deal(text, boxes, leave, searched.value(rest))
        if "does best" in text or "the same" in text:
            assert searched.value(after) == max(boxes + searched.value(rest), boxes - 2 * leave - searched.value(rest))
    return text


def check_deal(text: str, boxes: int, leave: int, value: int) -> None:
    """Check the words about a double-deal that leaves some of the boxes, and the move in a rest of this value."""
    for words, holds in {
        "which is worth|are worth the same": value == -leave,
        "is not worth": -leave < value <= 0 and f"is not worth {leave}" in text,
        "and with it control": value < -leave,
        "does best to take (all|both)": value > -leave,
        "does best to leave": value < -leave and boxes == leave,
        r"does best to take \d+ of": value < -leave and f"take {boxes - leave} of the {boxes} " in text,
        r"coins and leave \d": f"and leave {leave} (" in text,
        "double-deals: .* to win .*the other": value < -leave,
    }.items():
        assert holds or not re.search(words, text), (text, value, leave)


def check_score(state: DotsState, after: DotsState, text: str, searched: Searched) -> None:
    """Check the score at the end by best play."""
    if found := re.search(r"(wins|loses|draws) (\d+) to (\d+) with best play", text):
        mine, yours, me = int(found[2]), int(found[3]), state.to_move
        assert after.to_move != me
        assert mine - yours == after.scores[me] - after.scores[1 - me] - searched.value(after)
        assert mine + yours == sum(after.scores) + open_boxes(after)
        assert found[1] == ("draws" if mine == yours else "wins" if mine > yours else "loses")


def check_shares(text: str, rest: DotsState, value: int) -> None:
    """Check how many boxes of the rest a player gets."""
    for others in re.findall(r"the other (one|\d+)", text):
        assert (1 if others == "one" else int(others)) == open_boxes(rest)
    if found := re.search(r"(to win|moving first gets|coins? and gets|\d \w+ and) (?:(\d+) of )?the other", text):
        lead = value if found[1] == "moving first gets" or re.match(r"\d \w+ and$", found[1]) else -value
        assert int(found[2] or open_boxes(rest)) == (open_boxes(rest) + lead) // 2
        assert (lead > 0) == ("gets" not in found[1] or "first" in found[1])


def check_fight(text: str, rest: DotsState, searched: Searched) -> None:
    """Check who wins the fight for control in the rest."""
    if "fight" in text:
        assert searched.nimber(rest) != naive.LOONY
        by_mover = "lets" in text or "moving first" in text
        assert by_mover == (searched.nimber(rest) > 0)


def check_opening(state: DotsState, text: str, rest: DotsState, searched: Searched) -> None:
    """Check who must open what in the rest, and that it is best."""
    pattern = r"(Red|Blue|and|:) (?:must (?:then )?|to )open (something, best )?(the|a) (chain|loop) of (\d+)"
    if not (found := re.search(pattern, text)):
        return
    who, something, article, kind, length = found.groups()
    named = Counter(groups(rest))
    what = (kind, int(length))
    assert (named[what] == 1) == (article == "the")
    assert bool(something) == (len(named) > 1)
    if who in ("Red", "Blue"):  # after a double-deal the player who plays the line, else the other
        assert state.game.players.index(who) == (state.to_move if "(a double-deal), and" in text else 1 - state.to_move)
    opened = [
        -searched.value(after)
        for after in map(rest.play, rest.legal_moves())
        if named - Counter(groups(cleared(after))) == Counter([what])
    ]
    assert max(opened) == searched.value(rest)


def test_what_is_said_to_come_of_a_line_is_so() -> None:
    rng, met = random.Random(7), Counter[str]()
    states = [laid(*parts.split()) for parts, _, _ in COMES.values()]
    kinds = ("c1", "c1", "c2", "c3", "c4", "o2", "o3", "o4", "h2", "h2", "h3", "T", "Y")
    states += [laid(*rng.choices(kinds, k=rng.choice([2, 3, 4]))) for _ in range(200)]
    states += [careful(rng.choice([Dots(2, 3), Dots(2, 4), Dots(3, 3)]), rng) for _ in range(60)]
    for state in states:
        if state.undrawn.bit_count() > 11:
            continue
        searched = Searched(state)
        for line in state.legal_moves():
            text = check(state, line, searched)
            met.update(kind for kind in KINDS if re.search(kind, text))
    rare = [kind for kind in KINDS if met[kind] < 2]
    assert not rare, rare
