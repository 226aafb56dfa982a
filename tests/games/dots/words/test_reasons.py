"""Reasons in words: pictures with facts found by hand, every clause against the rules played out and full search."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise

import pytest

from games.dots import naive
from games.dots.boards import careful, cleared, on_graph, picture, pictures, random_graph, scattered
from games.dots.theory.test_structure import can_decline, takes
from kibitz.analysis.words import reasons, sentence
from kibitz.core.errors import IllegalMove
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import GROUND
from kibitz.games.dots.words.reasons import ordinal

BOARDS = pictures("""
PAIR_AND_CHAIN   TWO_ROWS          ALMOST_TWO   SINGLE   OPEN_ROW    OPEN_PAIR   TWO_AND_THREE   TWO_LOOPS
+-+-+-+-+-+      +-+-+-+ +-+-+-+   +-+-+        +-+-+    +-+-+-+-+   +-+-+       +-+-+-+         +-+-+-+-+
|   |                                           |                    |                           |   |   |
+-+-+ +-+-+      +-+-+-+-+-+-+-+   +-+ +        +-+ +    +-+-+-+-+   +-+-+       +-+-+-+         +-+ + + +
                                                         |           |               | |         |   |   |
                                                         +-+-+-+-+   + +-+       +-+ +-+         +-+-+-+-+
ROW_OF_TWO   ROW_OF_THREE   ROW_AND_A_HALF   ALMOST_A_LOOP   HALF_A_LOOP   SPUR
+-+-+-+-+    +-+-+-+-+      +-+-+-+-+        +-+-+ +         +-+-+ +       +-+-+-+-+-+
                                             |               |
+-+-+ + +    +-+-+-+ +      +-+-+-+-+        + + + +         + + + +       +-+-+ +-+-+
                                             |   |           |             | | | | | |
+ + + + +    + + + + +      +-+-+ + +        +-+-+ +         +-+-+ +       +-+-+ +-+-+
""")

# board, line, the reasons
SAID = {
    "takes two at once": ("PAIR_AND_CHAIN", "v 0 1", ["takes 2 boxes at once (a double-cross) and moves again"]),
    "leaves a pair and opens a chain": (
        "PAIR_AND_CHAIN", "v 0 5",
        ["takes none of the 2 boxes there are to take", "leaves Blue 5 boxes, who can double-deal the last 2 (loony)",
         "loses 0 to 5 with best play"],
    ),
    "takes a box of many": ("OPEN_ROW", "v 1 1", ["takes a box, and can take 3 more"]),
    # Blue takes 4 and must open the other row, or leaves 4 and gets it.
    "leaves a whole row": (
        "OPEN_ROW", "v 1 4",
        ["takes none of the 4 boxes there are to take", "leaves Blue 4 boxes, who can double-deal them (loony)",
         "draws 4 to 4 with best play"],
    ),
    "cuts a row so that nothing can be declined": (
        "OPEN_ROW", "v 1 3",
        ["takes none of the 4 boxes there are to take", "leaves Blue 4 boxes", "draws 4 to 4 with best play"],
    ),
    "double-deals two": (
        "OPEN_PAIR", "v 0 2",
        ["double-deals: leaves Blue 2 boxes, which is worth as much as taking them", "draws 2 to 2 with best play"],
    ),
    "does not double-deal": (
        "OPEN_PAIR", "v 0 1", ["takes a box, and can take 1 more", "gives up the double-deal, which is worth no more"],
    ),
    "double-deals four": (
        "TWO_LOOPS", "h 1 1",
        ["double-deals: leaves Blue 4 boxes, which is worth as much as taking them", "draws 4 to 4 with best play"],
    ),
    "opens a loop as well": (
        "TWO_LOOPS", "h 1 2",
        ["takes none of the 4 boxes there are to take", "leaves Blue 8 boxes, who can double-deal the last 4 (loony)",
         "loses 0 to 8 with best play"],
    ),
    "hard-hearted": (
        "TWO_AND_THREE", "v 1 1",
        ["hard-hearted: gives Blue 2 boxes to win the other 3", "forces Blue to open the chain of 3",
         "wins 3 to 2 with best play"],
    ),
    "half-hearted": (
        "TWO_AND_THREE", "v 1 0",
        ["half-hearted (loony): Blue does best to leave both boxes (a double-deal), "
         "and Red must then open the chain of 3",
         "loses 2 to 3 with best play"],
    ),
    # Blue takes 3 and gives 2, or takes 1, leaves 2 and is given 2.
    "opens a chain": (
        "TWO_AND_THREE", "v 0 3",
        ["opens a chain of 3 (loony): for Blue, taking all 3 boxes and a double-deal are worth the same",
         "loses 2 to 3 with best play"],
    ),
    # 2 x 4 boxes have 15 dots: the first player wants an odd number of long chains.
    "makes the first long chain": (
        "ROW_OF_TWO", "v 0 3",
        ["makes a chain of 3, the first long chain, as the long-chain rule wants for Red",
         "is safe: 9 safe lines are left"],
    ),
    "is just safe": ("ROW_OF_TWO", "h 2 3", ["is safe: 12 safe lines are left"]),
    "makes one too many": (
        "ROW_AND_A_HALF", "h 2 2",
        ["lets Blue win the fight for control", "makes a chain of 3", "is safe: 2 safe lines are left"],
    ),
    "leaves one safe line": (
        "ROW_AND_A_HALF", "h 2 3", ["lets Blue win the fight for control", "is safe: 1 safe line is left"],
    ),
    # One line cannot make a chain of 3 in the second row. Blue is to move with 14 lines and 8 boxes: 14 - 8 + 1 is
    # odd, so he wants an odd number of long chains.
    "lengthens a chain": (
        "ROW_OF_THREE", "h 1 3",
        ["lengthens a chain of 3 to one of 4",
         "leaves the number of long chains odd, against the long-chain rule: no safe reply changes it",
         "is safe: 9 safe lines are left"],
    ),
    "merges two": (
        "TWO_ROWS", "h 0 3",
        ["leaves only loony lines, so that Blue must open the chain of 7", "wins 7 to 0 with best play",
         "merges a chain of 3 and a chain of 3 into a chain of 7"],
    ),
    "closes a loop": (
        "ALMOST_A_LOOP", "v 0 2",
        ["lets Blue win the fight for control", "closes a loop of 4", "is safe: 5 safe lines are left"],
    ),
    "opens a possible loop": (
        "ALMOST_A_LOOP", "v 0 1",
        ["opens a possible loop of 4 (loony): gives Blue 4 boxes, who can double-deal the last 2"],
    ),
    "makes a possible loop": (
        "HALF_A_LOOP", "v 1 2",
        ["wins the fight for control", "makes a possible loop of 4", "is safe: 6 safe lines are left"],
    ),
    # The spur gone, both arms and the joint are one chain of 5.
    "gives a spur": (
        "SPUR", "h 2 2",
        ["gives Blue a single box to win the other 5", "forces Blue to open the chain of 5",
         "wins 5 to 1 with best play"],
    ),
    "leaves no safe line": (
        "ALMOST_TWO", "h 1 1",
        ["leaves no safe line, so that Blue must open the chain of 2", "wins 2 to 0 with best play"],
    ),
    "does not take a single box": (
        "SINGLE", "h 1 1",
        ["does not take the box there is to take", "leaves Blue 2 boxes, who can double-deal them (loony)",
         "loses 0 to 2 with best play"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_a_line_does(name: str) -> None:
    board, line, said = SAID[name]
    state = BOARDS[board]
    assert list(reasons(state, state.game.parse_move(line))) == said


# columns, position, line, the reasons
ENDS = {
    "won": (1, "b . 1", 2, ["takes the last box", "wins the game, 1 box to 0"]),
    "lost": (3, "1ff 22. 1", 9, ["takes the last box", "loses the game, 2 boxes to 1"]),
    "drawn": (2, "3f 2. 1", 6, ["takes the last box", "ends the game in a draw, 1 box each"]),
    "both": (2, "5f .. 2", 5, ["takes the last 2 boxes at once (a double-cross)", "wins the game, 2 boxes to 0"]),
    "declined": (
        2, "1f .. 2", 6,
        ["double-deals: leaves Red the last 2 boxes, with nothing else to win", "loses 0 to 2 with best play"],
    ),
    "given": (3, "3f ... 2", 6, ["gives Red the last 3 boxes", "loses 0 to 3 with best play"]),
    "one given": (2, "37 1. 1", 3, ["gives Blue the last box", "draws 1 to 1 with best play"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_game(name: str) -> None:
    cols, text, line, said = ENDS[name]
    assert list(reasons(Dots(1, cols).parse_position(text), line)) == said


def test_coins_and_strings_of_a_graph_are_called_so() -> None:
    chain, ring = on_graph("ab", "a-", "b-"), on_graph("ab", "bc", "ca")
    assert reasons(chain, 0) == ("gives Blue the last 2 coins", "loses 0 to 2 with best play")
    assert reasons(chain.play(0), 1) == ("takes a coin, and can take 1 more",)
    assert reasons(ring, 0) == ("gives Blue the last 3 coins", "loses 0 to 3 with best play")
    # Three coins in a row, the middle one with a string to the ground, are *2; d with its three strings is *0.
    state = on_graph("ab", "bc", "a-", "b-", "c-", "d-", "d-", "d-")
    assert reasons(state, 5) == ("lets Blue win the fight for control", "is safe: 1 safe string is left")
    assert reasons(state, 3) == ("wins the fight for control", "makes a chain of 3", "is safe: 3 safe strings are left")
    assert reasons(state.play(3), 5) == (
        "leaves no safe string, so that Red must open something, best the chain of 1",
        "loses 1 to 3 with best play",
    )


def test_sentences_and_ordinals() -> None:
    state = BOARDS["TWO_AND_THREE"]
    said = sentence(reasons(state, state.game.parse_move("v 1 1")))
    assert said == (
        "Hard-hearted: gives Blue 2 boxes to win the other 3, forces Blue to open the chain of 3 "
        "and wins 3 to 2 with best play."
    )
    # A drawn line has no reasons.
    state = Dots(1, 1).start().play(0)
    with pytest.raises(IllegalMove):
        reasons(state, 0)
    assert [ordinal(n) for n in (1, 2, 9, 10, 11, 12, 13, 21, 22, 23, 24)] == [
        "first", "second", "ninth", "10th", "11th", "12th", "13th", "21st", "22nd", "23rd", "24th",
    ]  # fmt: skip


# Every clause, against the rules alone


def boxes_to_take(state: DotsState) -> int:
    return cleared(state).scores[state.to_move] - state.scores[state.to_move]


def declines(state: DotsState) -> bool:
    return can_decline(state, cleared(state).undrawn)


def fewest_left(state: DotsState, kept: int) -> int:
    """Return how few boxes can be left to the other by taking some and then a line that takes none."""
    found = [99]
    for line in state.legal_moves():
        after = state.play(line)
        if takes(state, line):
            found.append(fewest_left(after, kept))
        elif not kept >> line & 1:
            found.append(boxes_to_take(after))
    return min(found)


def groups(state: DotsState) -> list[tuple[str, int]]:
    """Return what the boxes with two open sides form, and of what size, where no box can be taken."""
    graph, found, seen = state.game.board, list[tuple[str, int]](), set[int]()
    for first in range(len(graph.coins)):
        if state.degree(first) != 2 or first in seen:
            continue
        group, outside = [first], []
        for box in group:
            for line in graph.strings_of[box]:
                end = graph.other_end(line, box)
                if state.drawn >> line & 1 or end in group:
                    continue
                if end != GROUND and state.degree(end) == 2:
                    group.append(end)
                else:
                    outside.append(end)
        seen.update(group)
        if not outside:
            found.append(("loop", len(group)))
        elif outside[0] == outside[1] != GROUND:
            found.append(("possible loop", len(group) + 1))
        else:
            found.append(("chain", len(group)))
    return found


def long_chains(state: DotsState) -> int:
    return sum(kind == "chain" and size >= 3 for kind, size in groups(state))


def check(state: DotsState, line: int, met: Counter[str]) -> None:
    said, after = reasons(state, line), state.play(line)
    text, taken = " ; ".join(said), sum(after.scores) - sum(state.scores)
    there, left = boxes_to_take(state), boxes_to_take(after)
    assert 1 <= len(said) <= 3
    assert len(set(said)) == len(said)
    assert ("double-cross" in text) == (taken == 2)
    assert any(clause.startswith("takes ") and "none" not in clause for clause in said) == (taken > 0)
    if after.outcome():
        met["end"] += 1
        return
    if taken:
        assert (f"can take {left} more" in text) == (left > 0) != ("moves again" in text)
        if "gives up" in text:
            assert declines(state)
            assert not declines(after)
        met.update(["gives up"] if "gives up" in text else ["takes"])
        return
    dealt = {2: 1, 4: 2}.get(there) == sum(takes(after, reply) for reply in after.legal_moves()) and there == left
    dealt = dealt and not declines(after) and left == fewest_left(state, cleared(state).undrawn)
    assert text.startswith("double-deals: leaves ") == dealt
    found = re.search(r"takes none of the (\d+)|does not take the", text)
    assert (int(found[1] or 1) if found else 0) == (0 if dealt else there)
    assert given(text, state.game) == left
    if dealt:
        met[f"double-deals {there}"] += 1
        return
    last = bool(left) and not cleared(after).undrawn and not there
    assert (" the last " in text and "double-deal" not in text) == last
    assert ("(loony)" in text or "loony: " in text) == (left > 0 and declines(after) and not last)
    if deal := re.search(r"double-deal the last (\d)|(\d+) \w+, who can double-deal them", text):
        assert int(deal[1] or deal[2]) == fewest_left(after, cleared(after).undrawn)
    met.update(word for word in ("hard-hearted", "half-hearted", "single", "takes none", "the last") if word in text)
    if not left:
        check_safe(after, text, met)
    for verb, what, size in re.findall(r"(\w+) (?:a |)(chain|loop|possible loop|one) of (\d+)", text):
        if verb in ("the", "best", "open"):  # what comes after is checked by full search, elsewhere
            continue
        where = state if verb in ("opens", "lengthens", "merges", "and") else after
        assert ("chain" if what == "one" else what, int(size)) in groups(where)
        met[verb] += 1
    if not there and (found := re.search(r"the (\w+) long chain,|leaves (\w+) long chain", text)):
        check_chains(state, after, found, text, met)


def given(text: str, game: Dots) -> int:
    """Return how many boxes a text says the other can take."""
    text = re.sub(r"takes none of the \d+", "", text)
    boxes = rf"(\d+) (?:{game.unit}|{game.units})"
    if found := re.search(rf"(?:gives|leaves) (?:Red|Blue) (?:the last )?{boxes}|(?:all|of the) {boxes}", text):
        return int(found[1] or found[2])
    return 2 if "both" in text else int(f"single {game.unit}" in text or f"the last {game.unit}" in text)


def check_safe(after: DotsState, text: str, met: Counter[str]) -> None:
    replies = [after.play(reply) for reply in after.legal_moves()]
    safe = sum(not boxes_to_take(reply) for reply in replies)
    loony, line = not safe and all(declines(reply) for reply in replies), after.game.line_word
    assert (f"only loony {line}s" in text) == loony
    assert (f"no safe {line}," in text) == (not safe and not loony)
    assert (re.search(rf"is safe: (\d+) safe {line}", text) or [0, "0"])[1] == str(safe)
    met.update(["only loony"] * loony + ["no safe line"] * (not safe and not loony))


def check_chains(state: DotsState, after: DotsState, found: re.Match[str], text: str, met: Counter[str]) -> None:
    words = ("no", "first", "second", "third", "fourth", "fifth")
    said = found[1] or found[2]
    number = words.index(said) if said in words else int(said)
    then = cleared(after)  # the other moves on from here, whoever that is
    assert number == long_chains(then) != long_chains(state)
    boxes = sum(then.degree(box) > 0 for box in range(len(then.game.board.coins)))
    for_other = (then.undrawn.bit_count() - boxes + 1 + number) % 2 == 0
    if state.game.board.is_grid:  # elsewhere there are rings of 2 and 3
        assert ("against" in text) == for_other
    met["against" if "against" in text else "wants"] += 1
    met["gift"] += then != after


def test_words_are_true() -> None:
    """Check each clause against playing the lines out, and that every kind of clause is met."""
    rng, met = random.Random(4), Counter[str]()
    boards = [Dots(2, 2), Dots(2, 3), Dots(1, 5), Dots(3, 3), Dots(2, 4)]
    states = [BOARDS[board] for board, _, _ in SAID.values()]
    states += [careful(rng.choice([Dots(3, 3), Dots(3, 4), Dots(4, 4)]), rng) for _ in range(50)]
    states += [scattered(rng.choice(boards) if rng.random() < 0.6 else random_graph(rng), rng) for _ in range(110)]
    for state in states:
        if boxes_to_take(state) <= 5:
            for line in state.legal_moves():
                if boxes_to_take(state.play(line)) <= 6:
                    check(state, line, met)
    kinds = (
        "end", "takes", "gives up", "double-deals 2", "double-deals 4", "hard-hearted", "half-hearted", "single",
        "takes none", "the last", "only loony", "no safe line", "opens", "makes", "lengthens", "merges", "into",
        "closes", "against", "wants", "gift",
    )  # fmt: skip
    assert all(met[kind] >= 2 for kind in kinds), met


# What comes of a line: a position laid out for each sentence, and all of them against full search


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


def test_where_arms_meet_or_much_is_left() -> None:
    state = picture(TALL)
    line = state.game.parse_move
    assert reasons(state, line("v 0 2")) == ("double-deals: leaves Blue 2 boxes and the next move",)
    assert reasons(state, line("v 0 1")) == ("takes a box, and can take 1 more", "gives up the double-deal")
    # Only loony lines where arms meet.
    state = on_graph(*ARMS, "j-")
    assert reasons(state, 12) == ("leaves only loony strings: whatever Blue opens, Red can double-deal",)
    state = on_graph(*ARMS, "k-", "k-")
    assert reasons(state, 12) == (
        "gives Blue a single coin to win the fight for control",
        "leaves Blue only loony strings after that",
    )
    # An arm given, the other two and the joint are a chain of 3: *0. So the arms are *1, as is a chain of 1.
    state = on_graph(*SHORT_ARMS, "j-")
    none = "leaves no safe string, so that Blue must give something away"
    assert reasons(state, 6) == (none, "lets Blue win the fight for control")
    state = on_graph(*SHORT_ARMS, "k-", "k-", "k-")
    assert reasons(state, 6) == (none, "wins the fight for control")
    # Red leaves 19 lines for 12 boxes: 19 - 12 + 1 is even, so Blue wants an even number of long chains.
    # The box that has two lines left then can be in a run of 2 after one more line, not in one of 3.
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
    opens = "then, in the play expected, Red plays the first loony string and opens a chain of 3"
    assert reasons(state, 12, [12, 13, 14, 0, 1]) == (*said, opens)
    assert reasons(state, 12, [12, 13, 14]) == said
    assert reasons(state, 0, [0, 1, 2, 3]) == reasons(state, 0)  # nobody can play the first one after this
    # A line that opens the chain or the loop just made stands for the play expected.
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


def check_outcome(state: DotsState, line: int, searched: Searched) -> str:
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
            text = check_outcome(state, line, searched)
            met.update(kind for kind in KINDS if re.search(kind, text))
    rare = [kind for kind in KINDS if met[kind] < 2]
    assert not rare, rare
