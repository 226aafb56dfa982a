"""The theory of Dots-and-Boxes against full search: what can be taken, loony positions, chains and loops."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from games.dots import naive
from games.dots.boards import graph_of
from games.dots.naive import Strings
from kibitz.games.dots.rules.graph import GROUND, Graph, grid
from kibitz.games.dots.theory.endgames import (
    Endgame,
    Opening,
    best_opening,
    controlled_value,
    find_captures,
    fully_controlled_value,
    known_value,
    line_to_open,
    loony_endgame_value,
    simple_endgame,
    terminal_bonus,
    value_with_captures,
)
from kibitz.games.dots.theory.runs import loony_lines


def random_tree(rng: random.Random, coins: int) -> Strings:
    """Return coins joined to a tree, perhaps with ways to the ground."""
    joined = [(coin, rng.randrange(coin)) for coin in range(1, coins)]
    return (*joined, *((rng.randrange(coins), None) for _ in range(rng.randrange(2))))


def graphs() -> list[Strings]:
    """Return boards, and graphs of many shapes with at most 12 strings."""
    rng = random.Random(1)
    found = [naive.grid_strings(*size) for size in ((1, 1), (1, 3), (2, 2))]
    for _ in range(60):
        coins = rng.randint(2, 8)
        found.append(naive.random_strings(rng, coins, rng.randint(coins, 10)))
    found += [naive.random_position(rng, 3, 3, 10) for _ in range(10)]
    for _ in range(60):  # trees beside something that is worth fighting for
        tree = random_tree(rng, rng.randint(3, 6))
        rest = naive.chain(rng.randint(4, 6), "c") if rng.random() < 0.6 else naive.loop(rng.randint(5, 6), "l")
        found.append((tree + rest)[-12:])
    return found


GRAPHS = graphs()


def positions(strings: Strings) -> Iterator[tuple[Graph, int, int]]:
    """Yield a graph with each set of strings that can be drawn and the set of those that are left."""
    graph = graph_of(strings)
    for left in range(1 << len(strings)):
        yield graph, graph.all_strings ^ left, left


# The reference


def test_the_reference() -> None:
    solved = {(1, 1): -1, (1, 2): 0, (1, 3): -1, (1, 4): 0, (2, 2): 2, (2, 3): -2}
    assert {size: naive.value(naive.grid_strings(*size)) for size in solved} == solved
    # The reference plays one chain by hand.
    assert naive.move_values(naive.chain(3)) == {0: -3, 1: -3, 2: -3, 3: -3}
    # a coin on one string, and a chain of 2: take it and open the chain in the middle, or at its end
    taken = (("x", None), *naive.chain(2))
    assert naive.move_values(taken) == {0: -1, 1: -3, 2: -3, 3: -3}
    # The reference agrees with itself on parts.
    rng = random.Random(2)
    for _ in range(60):
        chains = [rng.randint(1, 4) for _ in range(rng.randint(0, 3))]
        loops = [rng.randint(2, 5) for _ in range(rng.randint(0, 2))]
        strings = naive.chains_and_loops(chains, loops)
        if len(strings) <= 12:
            assert naive.value_of_parts(naive.endgame(chains, loops)) == naive.value(strings)


# Boxes that can be taken


def test_taking_all_or_declining_is_all_there_is() -> None:
    seen: Counter[str] = Counter()
    for strings in GRAPHS:
        values = naive.values(strings)
        for graph, drawn, left in positions(strings):
            found = find_captures(graph, drawn)
            rest = values[graph.all_strings & ~found.drawn_after]
            boxes, leave = len(found.coins), found.declinable
            assert values[left] == found.value(rest) == value_with_captures(boxes, leave, rest)
            if leave:
                assert values[left] == max(boxes + rest, boxes - 2 * leave - rest) >= 0
                better = "decline" if rest < -leave else "take" if rest > -leave else "either"
                closed = [tree for tree in found.trees if not tree.half_open and tree.double_deal]
                seen[f"{leave} {better}"] += 1
                seen["half-open and closed"] += leave == 2 and bool(closed)
            seen["several trees"] += len(found.trees) > 1
            seen["all"] += 1
    rare = ["2 decline", "2 either", "2 take", "4 decline", "4 either", "4 take", "half-open and closed"]
    assert all(seen[name] >= 30 for name in rare), seen
    assert seen["several trees"] >= 10_000
    assert seen["all"] >= 50_000


def test_captures_by_hand() -> None:
    star: Strings = (("hub", "a"), ("hub", "b"), ("hub", "c"))
    row: Strings = (("a", "b"), ("b", "c"), ("c", "d"))
    assert [find_captures(graph_of(strings), 0).declinable for strings in (star, row, row[:2])] == [0, 4, 0]
    assert find_captures(graph_of((*star, ("hub", None))), 0).declinable == 2
    # Coins come in an order in which they can be taken.
    row = naive.chain(4)[1:]
    graph = graph_of(row)
    assert find_captures(graph, 0).coins == tuple(range(4))
    assert find_captures(graph, 0).drawn_after == graph.all_strings
    assert find_captures(graph, graph.all_strings).coins == ()


def test_a_position_is_loony_just_if_who_moves_wins_nimstring_whatever_is_added() -> None:
    loony = 0
    for strings in GRAPHS[::6]:
        nimbers = naive.nimbers(strings)
        for graph, drawn, left in positions(strings):
            can_decline = find_captures(graph, drawn).declinable > 0
            assert can_decline == (nimbers[left] == naive.LOONY)
            loony += can_decline
    assert loony >= 5000


def test_a_loony_move_never_gains() -> None:
    moves = 0
    for strings in GRAPHS[::9]:
        values, nimbers = naive.values(strings), naive.nimbers(strings)
        for graph, drawn, left in positions(strings):
            lines = loony_lines(graph, drawn)
            cuts = [(line, after) for line, taken, after in naive.cuts(strings, left) if not taken]
            assert list(lines) == [line for line, after in cuts if nimbers[after] == naive.LOONY]
            assert all(-values[left & ~(1 << line)] <= 0 for line in lines)
            moves += len(lines)
    assert moves >= 5000


def test_a_half_hearted_handout_is_never_better() -> None:
    compared: Counter[str] = Counter()
    joined: Strings = ((1, 2), (2, 3), (1, 4), (3, 4), (4, None), (2, None), *naive.chain(5, "c"))
    worth_it = [naive.chains_and_loops(*e) for e in [((2, 6), ()), ((2, 2, 4), ()), ((1, 2, 5), ()), ((2, 3), (5,))]]
    for strings in [*GRAPHS, *worth_it, joined]:
        values = naive.values(strings)
        for left in range(1 << len(strings)):
            held: dict[naive.End, list[int]] = {}
            for string, pair in enumerate(strings):
                if left >> string & 1:
                    for end in pair:
                        held.setdefault(end, []).append(string)
            for middle, (a, b) in enumerate(strings):
                if left >> middle & 1 and a is not None and b is not None and len(held[a]) == len(held[b]) == 2:
                    ends = [s for s in held[a] + held[b] if s != middle]
                    beyond = [e for s in ends for e in strings[s] if e not in (a, b)]
                    if len(set(ends)) == 2 and all(e is None or len(held[e]) > 2 for e in beyond):
                        hard = -values[left & ~(1 << middle)]
                        half = [-values[left & ~(1 << end)] for end in ends]
                        assert hard >= max(half)
                        compared["better" if hard > min(half) else "equal"] += 1
    assert min(compared["better"], compared["equal"]) >= 50


# Long chains and loops


def partitions(total: int, least: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a sum of ascending numbers, none of them less than the least."""
    if total == 0:
        yield ()
    for first in range(least, total + 1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def endgames(most: int, chain: int, loop: int) -> list[Endgame]:
    """Return all chains and loops of at most `most` boxes together, none shorter than these."""
    return [
        Endgame(chains, loops)
        for total in range(most + 1)
        for in_chains in range(total + 1)
        for chains in partitions(in_chains, chain)
        for loops in partitions(total - in_chains, loop)
    ]


def test_values_worked_out_by_hand() -> None:
    # one chain or loop is all the controller's; of two chains of 3 he takes 1 and leaves 2, and then takes 3
    assert [loony_endgame_value(*e) for e in [((), ()), ((3,), ()), ((9,), ()), ((), (4,)), ((), (6,))]] == [
        0,
        3,
        9,
        4,
        6,
    ]
    assert loony_endgame_value((3, 3), ()) == 1 - 2 + 3
    assert loony_endgame_value((4, 5), ()) == 2 - 2 + 5
    assert loony_endgame_value((), (8, 8)) == 4 - 4 + 8
    assert loony_endgame_value((3,), (4,)) == 4 - 3  # of the loop he takes all, and opens the chain himself
    assert (fully_controlled_value((3, 5), (4, 10)), terminal_bonus((3, 5), (4, 10))) == (-1 + 1 - 4 + 2, 4)
    bonuses = [((), ()), ((), (4, 9)), ((3, 3), (6,)), ((3, 3), ()), ((3, 4), (6,)), ((12,), ())]
    assert [terminal_bonus(*endgame) for endgame in bonuses] == [0, 8, 6, 4, 4, 4]


def test_the_value_of_a_loony_endgame_by_full_search() -> None:
    found = endgames(14, 3, 4)
    for endgame in found:
        assert loony_endgame_value(*endgame) == -naive.value_of_parts(naive.endgame(*endgame)), endgame
    assert len(found) >= 90


def test_formulas_of_loony_endgames() -> None:
    seen: Counter[str] = Counter()
    for chains, loops in endgames(27, 3, 4):
        value, controlled = loony_endgame_value(chains, loops), controlled_value(chains, loops)
        assert -best_opening(chains, loops).value == value
        if controlled == 2 and any(n % 2 for n in loops):
            assert value in (2, 4)
            seen[f"odd loops, worth {value}"] += 1
        elif controlled >= 2:
            assert value == controlled
            seen["controlled"] += 1
        elif chains and not loops:
            assert value == (1 if sum(chains) % 2 else 2)
            seen["chains only"] += 1
        else:
            seen["by recursion"] += 1
    assert seen["controlled"] >= 4000
    assert seen["chains only"] >= 30
    assert seen["by recursion"] >= 1000
    assert min(seen["odd loops, worth 2"], seen["odd loops, worth 4"]) >= 3


def test_large_loony_endgames() -> None:
    rng = random.Random(3)
    for _ in range(40):
        chains = [rng.choice((3, 3, 3, 4, 5, 7)) for _ in range(rng.randint(0, 6))]
        loops = [rng.choice((4, 4, 4, 6, 8, 9)) for _ in range(rng.randint(0, 5))]
        assert best_opening(chains, loops).value == -loony_endgame_value(chains, loops)
    assert best_opening([3] * 27, []).value == -1


def test_lengths_must_be_possible() -> None:
    for chains, loops in (((2,), ()), ((), (3,))):
        with pytest.raises(ValueError, match="long"):
            loony_endgame_value(chains, loops)
    for chains, loops in (((0,), ()), ((), (1,))):
        with pytest.raises(ValueError, match="at least"):
            best_opening(chains, loops)


# Any chains and loops


def openings(chains: tuple[int, ...], loops: tuple[int, ...]) -> dict[tuple[str, int], int]:
    """Return the value of opening a chain or loop of each length, the best way to open and to answer tried out.

    Opened at the best line, a chain of 1 or 2 or a loop of 2 or 3 is taken whole; of a longer chain 2 and of a
    longer loop 4 boxes may be left instead.
    """
    found: dict[tuple[str, int], int] = {}
    for kind, lengths, leave in (("chain", chains, 2), ("loop", loops, 4)):
        for i, n in enumerate(lengths):
            fewer = lengths[:i] + lengths[i + 1 :]
            rest = best(fewer, loops) if kind == "chain" else best(chains, fewer)
            found[kind, n] = -max(n + rest, n - 2 * leave - rest) if n >= leave + (kind == "chain") else -(n + rest)
    return found


@cache
def best(chains: tuple[int, ...], loops: tuple[int, ...]) -> int:
    return max(openings(chains, loops).values(), default=0)


def test_the_value_of_any_chains_and_loops_by_full_search() -> None:
    found = endgames(10, 1, 2)
    for endgame in found:
        value = naive.value_of_parts(naive.endgame(*endgame))
        assert best(*endgame) == best_opening(*endgame).value == value, endgame
    assert len(found) >= 480


def test_the_best_to_open() -> None:
    seen: Counter[str] = Counter()
    for chains, loops in endgames(17, 1, 2):
        each, opening = openings(chains, loops), best_opening(chains, loops)
        if not each:
            assert opening == Opening(0, None, 0)
            continue
        assert opening.kind is not None
        assert opening.value == each[opening.kind, opening.length] == max(each.values()), (chains, loops)
        short = [(n, kind) for kind, n in each if n < 3]
        if short:  # every shortest one is a best one, a loop of 2 as well as a chain of 2
            assert all(each[kind, n] == opening.value for n, kind in short if n == min(short)[0])
            assert opening.length == min(short)[0]
            seen["short"] += 1
            seen["a long one is worse"] += min(each.values()) < opening.value
        elif 3 in loops:
            seen["a loop of 3 must wait" if each["loop", 3] < opening.value else "a loop of 3"] += 1
    assert seen["short"] >= 5000
    assert seen["a long one is worse"] >= 3000
    assert min(seen["a loop of 3"], seen["a loop of 3 must wait"]) >= 1


def test_a_loop_of_3_may_have_to_wait() -> None:
    chains, loops = (3, 5), (3, 4)
    assert best_opening(chains, loops) == Opening(-1, "chain", 3)
    assert naive.value_of_parts(naive.endgame(chains, loops)) == -1
    waits = naive.endgame(chains, (4,))
    assert -naive.value_of_parts(tuple(sorted((*waits, ("bare", 3))))) == -3
    assert best_opening(chains, (3, *loops)) == Opening(0, "loop", 4)  # with two of them the loop of 4 comes first
    assert naive.value_of_parts(naive.endgame(chains, (3, *loops))) == 0
    assert -naive.value_of_parts(tuple(sorted((*waits, ("bare", 3), ("loop", 3))))) == -2


def test_a_loop_of_2_is_worth_a_chain_of_2() -> None:
    for chains, loops in endgames(11, 1, 2):
        assert best_opening((*chains, 2), loops).value == best_opening(chains, (*loops, 2)).value


# Positions as endgames


def test_simple_endgames_on_a_board() -> None:
    board = grid(3, 3)
    across = sum(1 << board.horizontal(r, c) for r in range(4) for c in range(3))  # three rows of 3
    assert simple_endgame(board, across) == Endgame((3, 3, 3), ())
    assert simple_endgame(board, board.all_strings) == Endgame((), ())
    assert line_to_open(board, board.all_strings) is None
    border = sum(1 << s for s, (_, end) in enumerate(board.strings) if end == GROUND)
    loop_of_8 = border | board.masks[4]
    assert simple_endgame(board, loop_of_8) == Endgame((), (8,))
    assert simple_endgame(board, border) is None  # the middle box and its neighbours are joints
    assert simple_endgame(board, across | 1 << board.vertical(0, 0)) is None  # a box can be taken
    assert known_value(board, across | 1 << board.vertical(0, 0)) == 3 - 2 + abs(2 - 2)


def test_what_theory_knows_is_true_and_what_it_opens_is_best() -> None:
    rng = random.Random(4)
    known = opened = 0
    middles: Counter[bool] = Counter()
    for strings in [*GRAPHS, naive.chains_and_loops((1, 2), (2, 3)), naive.chains_and_loops((2, 2), (4,))]:
        values = naive.values(strings)
        for graph, drawn, left in rng.sample(list(positions(strings)), min(400, 1 << len(strings))):
            value, found = known_value(graph, drawn), line_to_open(graph, drawn)
            known += value is not None
            assert value in (None, values[left])
            if found:
                line, opening = found
                assert -values[left & ~(1 << line)] == values[left] == opening.value
                opened += 1
                middles[GROUND in graph.strings[line]] += (opening.kind, opening.length) == ("chain", 2)
            else:
                assert not left or simple_endgame(graph, drawn) is None
    assert known >= 15_000
    assert opened >= 500
    assert middles[False] >= 20
    assert not middles[True]
