"""Reasons in words: pictures with facts found by hand, and every clause against the rules played out."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from games.dots.boards import careful, cleared, on_graph, pictures, random_graph, scattered
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


def test_coins_are_called_coins() -> None:
    chain, ring = on_graph("ab", "a-", "b-"), on_graph("ab", "bc", "ca")
    assert reasons(chain, 0) == ("gives Blue the last 2 coins", "loses 0 to 2 with best play")
    assert reasons(chain.play(0), 1) == ("takes a coin, and can take 1 more",)
    assert reasons(ring, 0) == ("gives Blue the last 3 coins", "loses 0 to 3 with best play")


def test_lines_of_a_graph_are_called_strings() -> None:
    """Three coins in a row, the middle one with a string to the ground, are *2; d with its three strings is *0."""
    state = on_graph("ab", "bc", "a-", "b-", "c-", "d-", "d-", "d-")
    assert reasons(state, 5) == ("lets Blue win the fight for control", "is safe: 1 safe string is left")
    assert reasons(state, 3) == ("wins the fight for control", "makes a chain of 3", "is safe: 3 safe strings are left")
    assert reasons(state.play(3), 5) == (
        "leaves no safe string, so that Red must open something, best the chain of 1",
        "loses 1 to 3 with best play",
    )


def test_reasons_make_a_sentence() -> None:
    state = BOARDS["TWO_AND_THREE"]
    said = sentence(reasons(state, state.game.parse_move("v 1 1")))
    assert said == (
        "Hard-hearted: gives Blue 2 boxes to win the other 3, forces Blue to open the chain of 3 "
        "and wins 3 to 2 with best play."
    )


def test_a_drawn_line_has_no_reasons() -> None:
    state = Dots(1, 1).start().play(0)
    with pytest.raises(IllegalMove):
        reasons(state, 0)


def test_ordinals() -> None:
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
    loony, line = not safe and all(declines(reply) for reply in replies), after.game.line
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
