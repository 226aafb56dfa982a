"""What a line of Dots-and-Boxes does, in a player's words. Looks at what the next player can take, and judges nothing.

Works on the readable rules and on what structure.py and theory.py find. Where Red
and Blue are named, they are the players. A chain is any row of boxes with two open
sides, also one that ends at a joint. What is said of the long-chain rule is a
count of the chains there are now, not a proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from kibitz.core.game import Move
from kibitz.core.game import State as AnyState
from kibitz.games.dots.graph import Graph
from kibitz.games.dots.rules import Dots, State
from kibitz.games.dots.runs import Run, loony_lines
from kibitz.games.dots.structure import LongChainRule, Structure, structure_of
from kibitz.games.dots.theory import Captures, captures

MOST = 3
"""How many reasons are given."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")

_Ranked: TypeAlias = tuple[int, str]
"""A reason and its rank: the lower, the more important."""


def reasons(state: AnyState, move: Move) -> tuple[str, ...]:
    """Return at most three clauses on what a line does, the most important first. Raises IllegalMove."""
    assert isinstance(state, State)
    after = state.play(move)
    before, then = (captures(each.game.board, each.drawn) for each in (state, after))
    if after.to_move == state.to_move:
        found = [*_taking(state, move, after, before, then)]
    elif before.coins:
        found = [*_leaving(state, before, then)]
    elif then.coins:
        found = [*_giving(state, move, after, then)]
    else:
        found = [*_safe(state, after)]
    return tuple(clause for _, clause in sorted(found)[:MOST])


def counted(game: Dots, n: int) -> str:
    """Return so many boxes, or coins, in words."""
    unit = game.unit
    return f"{n} {unit}" if n == 1 else f"{n} {unit}es" if unit == "box" else f"{n} {unit}s"


def named(run: Run) -> str:
    """Return what a player calls a run: "a chain of 4", "a possible loop of 5"."""
    return f"a {'chain' if run.name == 'string' else run.name} of {run.size}"


def _taking(state: State, move: Move, after: State, before: Captures, then: Captures) -> Iterator[_Ranked]:
    """Yield what a line does that takes boxes."""
    game, outcome = state.game, after.outcome()
    double = len(state.taken_by(move)) == 2
    if outcome:
        last = f"{counted(game, 2)} at once (a double-cross)" if double else game.unit
        words = {None: "ends the game in a draw", state.to_move: "wins the game"}.get(outcome.winner, "loses the game")
        yield 10, f"takes the last {last}"
        yield 11, f"{words}, {outcome.reason}"
        return
    taken = f"{counted(game, 2)} at once (a double-cross)" if double else f"a {game.unit}"
    yield 10, f"takes {taken} and {f'can take {len(then.coins)} more' if then.coins else 'moves again'}"
    if before.decline and not then.decline and before.rest != game.board.all_strings:
        yield 11, f"gives up the chance to decline {before.decline}"


def _leaving(state: State, before: Captures, then: Captures) -> Iterator[_Ranked]:
    """Yield what a line does that takes none of the boxes there are to take."""
    if _double_deals(before, then):
        control = " to keep control" if then.rest != state.game.board.all_strings else ""
        yield 10, f"declines {counted(state.game, before.decline)}{control} (a double-deal)"
        return
    if len(before.coins) == 1:
        yield 10, f"does not take the {state.game.unit} there is to take"
    else:
        yield 10, f"takes none of the {counted(state.game, len(before.coins))} there are to take"
    yield 11, _given(state, then, "leaves")


def _double_deals(before: Captures, then: Captures) -> bool:
    """Return whether a line leaves 2 boxes, or 4 of a loop, that were all there was to take and cannot be declined."""
    return (
        len(before.trees) == 1
        and before.decline == len(before.coins)
        and set(then.coins) == set(before.coins)
        and not then.decline
    )


def _giving(state: State, move: Move, after: State, then: Captures) -> Iterator[_Ranked]:
    """Yield what a line does that gives boxes where there were none to take."""
    you, boxes = state.game.players[1 - state.to_move], len(then.coins)
    before = structure_of(state)
    if boxes == 1:
        yield 10, f"gives away a single {state.game.unit}"
    elif boxes == 2 and move in before.handouts.hard_hearted:
        yield 10, f"hard-hearted: gives {counted(state.game, 2)}, and {you} cannot decline them"
    elif boxes == 2 and move in before.handouts.half_hearted:
        yield 10, f"half-hearted: gives {counted(state.game, 2)}, which {you} can decline (loony)"
    else:
        yield 10, _given(state, then, "gives")
    yield from ((20, f"opens {named(run)}") for run in before.runs if run.long and move in run.strings)
    if then.decline:
        return
    if only_loony(state.game.board, then.rest):
        yield 11, f"leaves {you} only loony lines after that"
    rule = structure_of(after).rule
    if rule is not None and rule.long_chains != before.counts.long_chains:
        yield 12, f"leaves {_long(rule.long_chains)}, {_verdict(state, rule)}"


def _given(state: State, then: Captures, verb: str) -> str:
    """Return how many boxes the other player can take, and decline."""
    words = f"{verb} {state.game.players[1 - state.to_move]} {counted(state.game, len(then.coins))}"
    return f"{words}, who can decline the last {then.decline} (loony)" if then.decline else words


def only_loony(graph: Graph, drawn: int) -> bool:
    """Return whether there are lines to draw and each lets the other player decline, with no box to take."""
    left = graph.all_strings & ~drawn
    return left != 0 and sum(1 << line for line in loony_lines(graph, drawn)) == left


def _safe(state: State, after: State) -> Iterator[_Ranked]:
    """Yield what a line does that gives nothing, where nothing was to take."""
    you, me = state.game.players[1 - state.to_move], state.game.players[state.to_move]
    before, now = structure_of(state), structure_of(after)
    safe = len(now.safe_lines)
    if only_loony(state.game.board, after.drawn):
        yield 10, f"leaves only loony lines: whatever {you} opens, {me} can decline the end of it"
    elif not safe:
        yield 10, f"leaves no safe line, so that {you} must give something away"
    else:
        yield 30, "is safe: 1 safe line is left" if safe == 1 else f"is safe: {safe} safe lines are left"
    changes = list(_changes(before, now))
    if not changes:
        return
    words, rule = " and ".join(changes), now.rule
    assert rule is not None
    was, number = before.counts.long_chains, now.counts.long_chains
    if number == was + 1 and len(changes) == 1:
        words += f", the {ordinal(number)} long chain, {_verdict(state, rule)}"
    elif number != was:
        words += f", which leaves {_long(number)}, {_verdict(state, rule)}"
    yield 20, words


def _changes(before: Structure, now: Structure) -> Iterator[str]:
    """Yield what became of runs by a safe line: long ones made, lengthened, merged or closed."""
    old = {frozenset(run.boxes): run for run in before.runs}
    for run in now.runs:
        boxes = frozenset(run.boxes)
        if boxes in old or not run.long:
            continue
        parts = [part for at, part in old.items() if at < boxes and part.long]
        if run.kind == "loop":
            yield f"closes a loop of {run.length}"
        elif len(parts) > 1:
            yield f"merges {_listed(parts)} into {named(run)}"
        elif parts and not run.possible_loop:
            yield f"lengthens {named(parts[0])} to one of {run.length}"
        else:
            yield f"makes {named(run)}"


def _listed(runs: Sequence[Run]) -> str:
    """Return "a chain of 3, a chain of 4 and a chain of 5"."""
    *first, last = (named(run) for run in runs)
    return f"{', '.join(first)} and {last}"


def _verdict(state: State, rule: LongChainRule) -> str:
    """Return what the long-chain rule says to a number of long chains, of a position where the other moves."""
    me = state.game.players[state.to_move]
    return "against the long-chain rule" if rule.favours_mover else f"as the long-chain rule wants for {me}"


def _long(number: int) -> str:
    return "1 long chain" if number == 1 else f"{number or 'no'} long chains"


def ordinal(number: int) -> str:
    """Return "first", "second" ... "12th"."""
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    ending = "th" if number // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
