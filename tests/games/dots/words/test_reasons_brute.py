"""Reasons in words: every clause against the rules played out, and what comes of a line against full search."""

from __future__ import annotations

import random
import re
from collections import Counter

from games.dots.boards import careful, cleared, random_graph, scattered
from games.dots.theory.test_structure_brute import can_decline, takes
from games.dots.words.test_reasons import BOARDS, SAID
from kibitz.analysis.words import reasons
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import GROUND

# What a line does, against the rules alone


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
