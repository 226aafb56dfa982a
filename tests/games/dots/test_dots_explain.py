"""Reasons in words: pictures with facts found by hand, and what must hold in any position."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from games.dots.test_dots_structure import on_graph, picture, random_graph, scattered
from games.dots.test_dots_structure_brute import can_decline, takes
from kibitz.arena.match import reasons, sentence
from kibitz.core.errors import IllegalMove
from kibitz.games.dots.explain import ordinal
from kibitz.games.dots.graph import GROUND
from kibitz.games.dots.rules import Dots, State

PAIR_AND_CHAIN = """
+-+-+-+-+-+
|   |
+-+-+ +-+-+
"""
OPEN_ROW = """
+-+-+-+-+

+-+-+-+-+
|
+-+-+-+-+
"""
OPEN_PAIR = """
+-+-+
|
+-+-+
|
+ +-+
"""
TWO_AND_THREE = """
+-+-+-+

+-+-+-+
    | |
+-+ +-+
"""
TWO_LOOPS = """
+-+-+-+-+
|   |   |
+-+ + + +
|   |   |
+-+-+-+-+
"""
ROW_OF_TWO = """
+-+-+-+-+

+-+-+ + +

+ + + + +
"""
ROW_OF_THREE = """
+-+-+-+-+

+-+-+-+ +

+ + + + +
"""
ROW_AND_A_HALF = """
+-+-+-+-+

+-+-+-+-+

+-+-+ + +
"""
TWO_ROWS = """
+-+-+-+ +-+-+-+

+-+-+-+-+-+-+-+
"""
ALMOST_A_LOOP = """
+-+-+ +
|
+ + + +
|   |
+-+-+ +
"""
HALF_A_LOOP = """
+-+-+ +
|
+ + + +
|
+-+-+ +
"""
SPUR = """
+-+-+-+-+-+

+-+-+ +-+-+
| | | | | |
+-+-+ +-+-+
"""
ALMOST_TWO = """
+-+-+

+-+ +
"""
SINGLE = """
+-+-+
|
+-+ +
"""

# picture, line, the reasons
SAID = {
    "takes two at once": (PAIR_AND_CHAIN, "v 0 1", ["takes 2 boxes at once (a double-cross) and moves again"]),
    "leaves a pair and opens a chain": (
        PAIR_AND_CHAIN, "v 0 5",
        ["takes none of the 2 boxes there are to take", "leaves Blue 5 boxes, who can decline the last 2 (loony)"],
    ),
    "takes a box of many": (OPEN_ROW, "v 1 1", ["takes a box and can take 3 more"]),
    "leaves a whole row": (
        OPEN_ROW, "v 1 4",
        ["takes none of the 4 boxes there are to take", "leaves Blue 4 boxes, who can decline the last 4 (loony)"],
    ),
    "cuts a row so that nothing can be declined": (
        OPEN_ROW, "v 1 3", ["takes none of the 4 boxes there are to take", "leaves Blue 4 boxes"],
    ),
    "declines two": (OPEN_PAIR, "v 0 2", ["declines 2 boxes to keep control (a double-deal)"]),
    "does not decline": (OPEN_PAIR, "v 0 1", ["takes a box and can take 1 more", "gives up the chance to decline 2"]),
    "declines four": (TWO_LOOPS, "h 1 1", ["declines 4 boxes to keep control (a double-deal)"]),
    "opens a loop as well": (
        TWO_LOOPS, "h 1 2",
        ["takes none of the 4 boxes there are to take", "leaves Blue 8 boxes, who can decline the last 4 (loony)"],
    ),
    "hard-hearted": (
        TWO_AND_THREE, "v 1 1",
        ["hard-hearted: gives 2 boxes, and Blue cannot decline them", "leaves Blue only loony lines after that"],
    ),
    "half-hearted": (TWO_AND_THREE, "v 1 0", ["half-hearted: gives 2 boxes, which Blue can decline (loony)"]),
    "opens a chain": (
        TWO_AND_THREE, "v 0 3", ["gives Blue 3 boxes, who can decline the last 2 (loony)", "opens a chain of 3"],
    ),
    # 2 x 4 boxes have 15 dots: the first player wants an odd number of long chains.
    "makes the first long chain": (
        ROW_OF_TWO, "v 0 3",
        ["makes a chain of 3, the first long chain, as the long-chain rule wants for Red",
         "is safe: 9 safe lines are left"],
    ),
    "is just safe": (ROW_OF_TWO, "h 2 3", ["is safe: 12 safe lines are left"]),
    # There are 12 lines for 8 boxes left, 4 more: the player to move wants an odd number again.
    "makes one too many": (
        ROW_AND_A_HALF, "h 2 2",
        ["makes a chain of 3, the second long chain, against the long-chain rule", "is safe: 2 safe lines are left"],
    ),
    "leaves one safe line": (ROW_AND_A_HALF, "h 2 3", ["is safe: 1 safe line is left"]),
    "lengthens a chain": (
        ROW_OF_THREE, "h 1 3", ["lengthens a chain of 3 to one of 4", "is safe: 9 safe lines are left"],
    ),
    "merges two": (
        TWO_ROWS, "h 0 3",
        ["leaves only loony lines: whatever Blue opens, Red can decline the end of it",
         "merges a chain of 3 and a chain of 3 into a chain of 7, which leaves 1 long chain, "
         "as the long-chain rule wants for Red"],
    ),
    "closes a loop": (ALMOST_A_LOOP, "v 0 2", ["closes a loop of 4", "is safe: 5 safe lines are left"]),
    "opens a possible loop": (
        ALMOST_A_LOOP, "v 0 1",
        ["gives Blue 4 boxes, who can decline the last 2 (loony)", "opens a possible loop of 4"],
    ),
    "makes a possible loop": (HALF_A_LOOP, "v 1 2", ["makes a possible loop of 4", "is safe: 6 safe lines are left"]),
    # The spur gone, both arms and the joint are one chain of 5.
    "gives a spur": (
        SPUR, "h 2 2",
        ["gives away a single box", "leaves Blue only loony lines after that",
         "leaves 1 long chain, as the long-chain rule wants for Red"],
    ),
    "leaves no safe line": (ALMOST_TWO, "h 1 1", ["leaves no safe line, so that Blue must give something away"]),
    "does not take a single box": (
        SINGLE, "h 1 1",
        ["does not take the box there is to take", "leaves Blue 2 boxes, who can decline the last 2 (loony)"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_a_line_does(name: str) -> None:
    text, line, said = SAID[name]
    state = picture(text)
    assert list(reasons(state, state.game.parse_move(line))) == said


# columns, position, line, the reasons
ENDS = {
    "won": (1, "b . 1", 2, ["takes the last box", "wins the game, 1 box to 0"]),
    "lost": (3, "1ff 22. 1", 9, ["takes the last box", "loses the game, 2 boxes to 1"]),
    "drawn": (2, "3f 2. 1", 6, ["takes the last box", "ends the game in a draw, 1 box each"]),
    "both": (2, "5f .. 2", 5, ["takes the last 2 boxes at once (a double-cross)", "wins the game, 2 boxes to 0"]),
    "declined": (2, "1f .. 2", 6, ["declines 2 boxes (a double-deal)"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_game(name: str) -> None:
    cols, text, line, said = ENDS[name]
    assert list(reasons(Dots(1, cols).parse_position(text), line)) == said


def test_coins_are_called_coins() -> None:
    chain, ring = on_graph("ab", "a-", "b-"), on_graph("ab", "bc", "ca")
    assert reasons(chain, 0) == ("hard-hearted: gives 2 coins, and Blue cannot decline them",)
    assert reasons(chain.play(0), 1) == ("takes a coin and can take 1 more",)
    assert reasons(ring, 0) == ("gives Blue 3 coins",)  # nobody can decline in a ring of 3


def test_reasons_make_a_sentence() -> None:
    state = picture(TWO_AND_THREE)
    said = sentence(reasons(state, state.game.parse_move("v 1 1")))
    assert said == "Hard-hearted: gives 2 boxes, and Blue cannot decline them; leaves Blue only loony lines after that."


def test_a_drawn_line_has_no_reasons() -> None:
    state = Dots(1, 1).start().play(0)
    with pytest.raises(IllegalMove):
        reasons(state, 0)


def test_ordinals() -> None:
    assert [ordinal(n) for n in (1, 2, 9, 10, 11, 12, 13, 21, 22, 23, 24)] == [
        "first", "second", "ninth", "10th", "11th", "12th", "13th", "21st", "22nd", "23rd", "24th",
    ]  # fmt: skip


# Every clause against the rules alone


def cleared(state: State) -> State:
    """Take boxes until none can be taken."""
    while lines := [line for line in state.legal_moves() if state.taken_by(line)]:
        state = state.play(lines[0])
    return state


def boxes_to_take(state: State) -> int:
    return cleared(state).scores[state.to_move] - state.scores[state.to_move]


def declines(state: State) -> bool:
    return can_decline(state, cleared(state).undrawn)


def fewest_left(state: State, kept: int) -> int:
    """Return how few boxes can be left to the other by taking some and then a line that takes none."""
    found = [99]
    for line in state.legal_moves():
        after = state.play(line)
        if takes(state, line):
            found.append(fewest_left(after, kept))
        elif not kept >> line & 1:
            found.append(boxes_to_take(after))
    return min(found)


def groups(state: State) -> list[tuple[str, int]]:
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


def long_chains(state: State) -> int:
    return sum(kind == "chain" and size >= 3 for kind, size in groups(state))


def careful(game: Dots, rng: random.Random, most: int = 6) -> State:
    """Return one of the last positions of an opening in which both draw safe lines only."""
    states = [game.start()]
    while lines := [
        line
        for line in states[-1].legal_moves()
        if all(states[-1].degree(box) > 2 for box in game.board.strings[line] if box != GROUND)
    ]:
        states.append(states[-1].play(rng.choice(lines)))
    return states[-rng.randint(1, min(most, len(states)))]


def check(state: State, line: int, met: Counter[str]) -> None:
    said, after = reasons(state, line), state.play(line)
    text, taken = " ; ".join(said), sum(after.scores) - sum(state.scores)
    there, left = boxes_to_take(state), boxes_to_take(after)
    unit = state.game.unit
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
    assert text.startswith("declines") == dealt
    if dealt:
        assert f"declines {there} {unit}" in text
        assert ("to keep control" in text) == (cleared(after).undrawn != 0)
        met[f"declines {there}"] += 1
        return
    numbers = [int(n) for n in re.findall(rf"(?:gives|leaves)(?: Red| Blue)? (\d+) {unit}", text)]
    numbers += [1] * (f"single {unit}" in text)
    assert numbers == ([left] if left else [])
    assert ("(loony)" in text) == (left > 0 and declines(after))
    if last := re.search(r"decline the last (\d)", text):
        assert int(last[1]) == fewest_left(after, cleared(after).undrawn)
    found = re.search(r"takes none of the (\d+)|does not take the", text)
    assert (int(found[1] or 1) if found else 0) == there
    met.update(word for word in ("hard-hearted", "half-hearted", "single", "takes none") if word in text)
    if not left:
        check_safe(after, text, met)
    for verb, what, size in re.findall(r"(\w+) (?:a |)(chain|loop|possible loop|one) of (\d+)", text):
        where = state if verb in ("opens", "lengthens", "merges", "and") else after
        assert ("chain" if what == "one" else what, int(size)) in groups(where)
        met[verb] += 1
    if not there and (found := re.search(r"the (\w+) long chain,|leaves (\w+) long chain", text)):
        check_chains(state, after, found, text, met)


def check_safe(after: State, text: str, met: Counter[str]) -> None:
    replies = [after.play(reply) for reply in after.legal_moves()]
    safe = sum(not boxes_to_take(reply) for reply in replies)
    loony = not safe and all(declines(reply) for reply in replies)
    assert ("only loony lines:" in text) == loony
    assert ("no safe line" in text) == (not safe and not loony)
    assert (re.search(r"is safe: (\d+) safe", text) or [0, "0"])[1] == str(safe)
    met.update(["only loony"] * loony + ["no safe line"] * (not safe and not loony))


def check_chains(state: State, after: State, found: re.Match[str], text: str, met: Counter[str]) -> None:
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
    states = [picture(text) for text, _, _ in SAID.values()]
    states += [careful(rng.choice([Dots(3, 3), Dots(3, 4), Dots(4, 4)]), rng) for _ in range(80)]
    states += [scattered(rng.choice(boards) if rng.random() < 0.6 else random_graph(rng), rng) for _ in range(200)]
    for state in states:
        if boxes_to_take(state) <= 5:
            for line in state.legal_moves():
                if boxes_to_take(state.play(line)) <= 6:
                    check(state, line, met)
    kinds = (
        "end", "takes", "gives up", "declines 2", "declines 4", "hard-hearted", "half-hearted", "single", "takes none",
        "only loony", "no safe line", "opens", "makes", "lengthens", "merges", "into", "closes", "against", "wants",
        "gift",
    )  # fmt: skip
    assert all(met[kind] >= 2 for kind in kinds), met
