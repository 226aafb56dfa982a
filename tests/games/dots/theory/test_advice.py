"""Advice on taking and declining: by hand on boards, and played out against full search."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from games.dots import naive
from games.dots.boards import state_of
from games.dots.theory.test_endgames import GRAPHS
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.advice import Advice, advise


def board(rows: int, cols: int, drawn: Iterable[str]) -> DotsState:
    """Return a position of a board from the lines that are drawn, such as "h 0 1"."""
    game = Dots(rows, cols)
    return DotsState(game, sum(1 << game.parse_move(line) for line in drawn), (0, 0), 0)


def rows_of(rows: int, cols: int) -> list[str]:
    """Return the lines that make each row of a board a chain."""
    return [f"h {r} {c}" for r in range(rows + 1) for c in range(cols)]


def advised(state: DotsState, value_of_rest: Callable[[int], int | None] | None = None) -> Advice:
    advice = advise(state, value_of_rest)
    assert advice is not None
    return advice


RING = ["h 0 0", "h 0 1", "h 2 0", "h 2 1", "v 0 0", "v 1 0", "v 0 2", "v 1 2"]
FAR_RING = [f"h {r} {c}" for r in (0, 2) for c in range(2, 6)] + ["v 0 6", "v 1 6", "h 1 3", "h 1 4"]
# position, lines, (take, leave, value of taking, value of declining, source), sentence
ADVISED = {
    "decline the last two of a chain": (
        board(2, 4, [*rows_of(2, 4), "v 0 0"]), ["v 0 1", "v 0 2", "v 0 4"], (2, 2, 0, 4, "theory"),
        "take 2, then leave 2 with v 0 4 (a double-deal): "
        "it keeps control of 4 boxes and is worth 4, while taking all is worth 0",
    ),
    "take all when both are as good": (
        board(3, 3, [*rows_of(3, 3), "v 0 0"]), ["v 0 1", "v 0 2", "v 0 3"], (3, 0, 1, 1, "theory"),
        "take all 3: it is worth 1, and so is a double-deal",
    ),
    "decline four of a loop in its middle": (
        board(2, 6, [*RING, *FAR_RING, "h 1 0"]), ["h 1 1"], (0, 4, 4 - 8, 4 - 8 + 8, "theory"),
        "leave 4 with h 1 1 (a double-deal): it keeps control of 8 boxes and is worth 4, while taking all is worth -4",
    ),
    "take one that cannot be declined": (
        board(1, 1, ["h 0 0", "h 1 0", "v 0 0"]), ["v 0 1"], (1, 0, 1, None, "forced"),
        "take it: there is nothing to double-deal",
    ),
    "take two that one line takes, beside a chain of 1": (
        board(1, 3, ["h 0 0", "h 0 1", "h 1 0", "h 1 1", "h 1 2", "v 0 0", "v 0 2"]), ["v 0 1"],
        (2, 0, 2 - 1, None, "forced"), "take both: there is nothing to double-deal",
    ),
    "take all of the last chain": (
        board(1, 3, [*rows_of(1, 3), "v 0 0"]), ["v 0 1", "v 0 2", "v 0 3"], (3, 0, 3, 3 - 4, "theory"),
        "take all 3: nothing else is left",
    ),
    "take all beside a corner, which then has to be given": (
        board(2, 3, [*set(rows_of(2, 3)) - {"h 2 0"}, "v 0 0", "v 1 1", "v 1 2", "v 1 3"]),
        ["v 0 1", "v 0 2", "v 0 3"], (3, 0, 3 - 1, 3 - 4 + 1, "theory"),
        "take all 3: it is worth 2, while a double-deal is worth 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ADVISED)
def test_advice_by_hand(name: str) -> None:
    state, lines, facts, sentence = ADVISED[name]
    advice = advised(state)
    assert [state.game.board.line_text(line) for line in advice.lines] == lines
    assert (advice.take, advice.leave, advice.value_of_taking, advice.value_of_declining, advice.source) == facts
    assert advice.sentence == sentence


def test_a_rule_of_thumb_is_called_one() -> None:
    # the first row can be taken, below it nothing is drawn
    early = board(4, 4, [f"h {r} {c}" for r in (0, 1) for c in range(4)] + ["v 0 0"])
    advice, given = advised(early), advised(early, lambda drawn: -7)
    assert (advice.source, advice.leave, advice.value_of_taking, advice.value_of_declining) == ("thumb", 0, None, None)
    assert advice.sentence == (
        "take all 4: as a rule of thumb, with 12 boxes left after that it is too early to double-deal"
    )
    assert (given.source, given.leave, given.value_of_taking, given.value_of_declining) == (
        "given",
        2,
        4 - 7,
        4 - 4 + 7,
    )
    assert advise(early, lambda drawn: None) == advice


def test_words_on_a_graph_and_none_where_nothing_can_be_taken() -> None:
    assert advise(board(2, 2, [])) is None
    assert advise(board(1, 1, ["h 0 0", "h 1 0", "v 0 0", "v 0 1"])) is None
    assert advised(state_of((*naive.chain(2)[1:], *naive.chain(4, "c")))).sentence == (
        "leave 2 with s1 (a double-deal): it keeps control of 4 coins and is worth 2, while taking all is worth -2"
    )


# Against full search


def follow(state: DotsState, advice: Advice) -> DotsState:
    """Draw the lines of an advice; check that they do what it says."""
    for line in advice.lines[:-1]:
        state = state.play(line)
        assert state.to_move == 0
    state = state.play(advice.lines[-1])
    assert state.to_move == (1 if advice.leave else 0)
    assert state.scores == (advice.take, 0)
    return state


def looked_up(values: list[int]) -> Callable[[int], int]:
    """Return what values the rest of a position by a table."""
    return lambda drawn: values[(len(values) - 1) & ~drawn]


def test_following_the_advice_is_best_play() -> None:
    rng = random.Random(5)
    seen: Counter[str] = Counter()
    for strings in GRAPHS[3:]:
        values = naive.values(strings)
        game = state_of(strings, 0)
        everything = game.game.board.all_strings
        lefts = rng.sample(range(1, 1 << len(strings)), min(40, len(values) - 1))
        whole = sum(1 << s for s in range(len(strings))[-7:])  # in many of these graphs a chain or a loop
        for left in [*lefts, *(left | whole for left in lefts[::4])]:
            state = DotsState(game.game, everything ^ left, (0, 0), 0)
            by_search = advise(state, looked_up(values))
            if by_search is None:
                continue
            after = follow(state, by_search)
            rest = values[everything & ~after.drawn]
            assert by_search.take + (rest if after.to_move == 0 else -rest) == values[left]
            assert values[left] == max(
                v for v in (by_search.value_of_taking, by_search.value_of_declining) if v is not None
            )
            seen[f"{by_search.source} {by_search.leave}"] += 1
            alone = advised(state)
            seen[alone.source] += 1
            if alone.source != "thumb":
                assert (alone.lines, alone.leave) == (by_search.lines, by_search.leave)
    assert min(seen["given 0"], seen["forced 0"], seen["theory"]) >= 200, seen
    assert min(seen["given 2"], seen["given 4"]) >= 10, seen


def joined_rests() -> list[tuple[naive.Strings, int]]:
    """Return some positions of 3x3 with joints, nothing to take and at most 12 lines, and their values."""
    rng, found = random.Random(6), list[tuple[naive.Strings, int]]()
    while len(found) < 120:
        strings = naive.random_position(rng, 3, 3, rng.randint(10, 12))
        degrees = Counter(end for pair in strings for end in pair if end is not None)
        if min(degrees.values()) >= 2 and max(degrees.values()) >= 3:
            found.append((strings, naive.value(strings)))
    return found


@pytest.mark.parametrize(("leave", "opened"), [(2, naive.chain(2, "o")[1:]), (4, naive.chain(4, "o")[1:-1])])
def test_the_rule_of_thumb_is_mostly_right(leave: int, opened: naive.Strings) -> None:
    right: Counter[bool] = Counter()
    for strings, value in joined_rests():
        advice = advised(state_of(opened + strings))
        boxes = len({end for pair in strings for end in pair} - {None})
        if boxes <= leave:
            assert (advice.source, advice.leave) == ("theory", 0)
        if advice.source == "thumb":
            best = {0, leave} if value == -leave else {leave} if value < -leave else {0}
            right[advice.leave in best] += 1
    assert right.total() >= 80
    assert right[True] >= 0.85 * right.total(), right


def test_few_boxes_left_are_not_worth_control() -> None:
    joint: naive.Strings = (("j", "k"), ("j", "k"), ("k", None), ("j", None))
    advice = advised(state_of((*naive.chain(2, "o")[1:], *joint)))
    assert (advice.source, advice.leave) == ("theory", 0)
    assert advice.sentence == "take both: with 2 coins left after that, control is not worth 2"
