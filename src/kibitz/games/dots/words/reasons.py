"""What a line of Dots-and-Boxes does, in a player's words, and what follows where that is known without a search.

Works on the readable rules and the modules of theory/. Where only isolated chains and loops remain, theory knows what
best play leads to, the final score included. Elsewhere Nimstring may decide which player wins the fight for control.
Where neither helps, the long-chain rule is applied, which counts the chains there are now and proves nothing. A chain
is any row of boxes with two open sides, also one that ends at a joint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kibitz.core.game import Move
from kibitz.games.dots.rules import DotsState
from kibitz.games.dots.rules.graph import Graph
from kibitz.games.dots.theory import endgames
from kibitz.games.dots.theory.endgames import Captures, captures
from kibitz.games.dots.theory.nimstring import nimber
from kibitz.games.dots.theory.runs import Run, boxes_left, loony_lines
from kibitz.games.dots.theory.structure import LongChainRule, Structure, rule_of, safe_lines, structure_of

MAX_REASONS = 3
MAX_SAFE_LINES_COUNTED = 6  # with more safe lines than this, the fight for control is not counted out
MAX_SAFE_REPLIES = 12
"""With more safe replies than this, they are not examined for changes of the number of long chains."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")

_Ranked: TypeAlias = tuple[int, str]  # a reason and its rank: the lower, the more important


def reasons(state: DotsState, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return at most three clauses on what a line does, the most important first. Raise IllegalMove if it is illegal.

    line is the expected play, the move itself first, where known.
    """
    after = state.play(move)
    before, then = (captures(each.game.board, each.drawn) for each in (state, after))
    if after.to_move == state.to_move:
        return _ordered(_taking(state, move, after, before, then))
    if before.coins:
        clauses = [*_leaving(state, before, then)]
    else:
        clauses = [*(_giving(state, move, then) if then.coins else _safe(state, after))]
    value = endgames.known_value(after.game.board, after.drawn)
    if value is not None:
        return _ordered([*clauses, (12, _result(after, value))])
    follows = _expected(state, line)
    return (*_ordered(clauses)[: MAX_REASONS - len(follows)], *follows)


def _ordered(clauses: Iterable[_Ranked]) -> tuple[str, ...]:
    return tuple(clause for _, clause in sorted(clauses)[:MAX_REASONS])


def named(run: Run) -> str:
    """Return what a player calls a run: "a chain of 4", "a possible loop of 5"."""
    return f"a {'chain' if run.name == 'string' else run.name} of {run.size}"


def only_loony(graph: Graph, drawn: int) -> bool:
    """Return whether lines are left and each of them lets the opponent double-deal, with no box to take."""
    left = graph.all_strings & ~drawn
    return left != 0 and sum(1 << line for line in loony_lines(graph, drawn)) == left


def ordinal(number: int) -> str:
    """Return "first", "second" ... "12th"."""
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    ending = "th" if number // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


# What is known of the rest


@dataclass(frozen=True)
class _Rest:
    """What is known of a position with nothing to take, from the view of the player to move there."""

    boxes: int
    value: int | None  # the margin with best play, if theory knows it
    opens: str  # what has to be opened, in words; empty if theory does not know
    fight: bool | None
    """Whether the fight for control is won. None if theory knows more, or if it cannot be counted out quickly."""

    @property
    def others(self) -> str:
        """The boxes of the rest in words, as opposed to those that can be taken first: "the other 8"."""
        return f"the other {'one' if self.boxes == 1 else self.boxes}"

    def share(self, lead: int) -> str:
        """Return, in words, how many of the boxes a player with this lead gets: "6 of the other 8"."""
        boxes = (self.boxes + lead) // 2
        return self.others if boxes == self.boxes else f"{boxes} of {self.others}"


def _rest(graph: Graph, drawn: int) -> _Rest:
    boxes, endgame = boxes_left(graph, drawn), endgames.simple_endgame(graph, drawn)
    if endgame is not None:
        opening = endgames.endgame_value(*endgame)
        return _Rest(boxes, opening.value, _to_open(endgame, opening), None)
    if len(safe_lines(graph, graph.all_strings & ~drawn)) > MAX_SAFE_LINES_COUNTED:
        return _Rest(boxes, None, "", None)
    total = nimber(graph, drawn)
    return _Rest(boxes, None, "", None if total is None else total != 0)


def _to_open(endgame: endgames.Endgame, opening: endgames.Opening) -> str:
    """Return what is opened by best play: "the chain of 7", "something, best a loop of 4"."""
    like = (endgame.chains if opening.kind == "chain" else endgame.loops).count(opening.length)
    what = f"{'the' if like == 1 else 'a'} {opening.kind} of {opening.length}"
    return what if like == len(endgame.chains) + len(endgame.loops) else f"something, best {what}"


def _result(after: DotsState, value: int) -> str:
    """Return the final score with best play as the player who just moved sees it; value is for the player to move."""
    boxes, me = boxes_left(after.game.board, after.drawn), 1 - after.to_move
    mine, yours = after.scores[me] + (boxes - value) // 2, after.scores[1 - me] + (boxes + value) // 2
    word = "draws" if mine == yours else "wins" if mine > yours else "loses"
    return f"{word} {mine} to {yours} with best play"


def _expected(state: DotsState, line: Sequence[Move]) -> tuple[str, ...]:
    """Return a clause on the first loony line of the expected play; empty if there is none or the move itself is it."""
    for number, move in enumerate(line):
        graph, after = state.game.board, state.play(move)
        if not captures(graph, state.drawn).coins and captures(graph, after.drawn).decline:
            opened = [f" and opens {named(run)}" for run in structure_of(state).runs if move in run.strings]
            words = f"{state.game.players[state.to_move]} plays the first loony {state.game.line_word}{''.join(opened)}"
            return (f"then, in the play expected, {words}",) if number else ()
        state = after
    return ()


# Lines that take boxes, or leave them


def _taking(state: DotsState, move: Move, after: DotsState, before: Captures, then: Captures) -> Iterator[_Ranked]:
    """Yield clauses on a line that takes boxes."""
    game, outcome = state.game, after.outcome()
    double = len(state.taken_by(move)) == 2
    if outcome:
        last = f"{game.counted(2)} at once (a double-cross)" if double else game.unit
        words = {None: "ends the game in a draw", state.to_move: "wins the game"}.get(outcome.winner, "loses the game")
        yield 10, f"takes the last {last}"
        yield 11, f"{words}, {outcome.reason}"
        return
    taken = f"{game.counted(2)} at once (a double-cross)" if double else f"a {game.unit}"
    yield 10, f"takes {taken}, and can take {len(then.coins)} more" if then.coins else f"takes {taken} and moves again"
    if before.decline and not then.decline and before.rest != game.board.all_strings:
        yield 11, f"gives up the double-deal{_why_take(_rest(game.board, before.rest), before.decline)}"


def _why_take(rest: _Rest, leave: int) -> str:
    """Return, as a clause, the consequence of taking boxes that could be declined and then moving in the rest."""
    if rest.value is None:
        if not rest.fight:
            return "" if rest.fight is None else ", and with it the fight for control"
        return ", but wins the fight for control by moving first"
    if rest.value > 0:
        return f", for moving first gets {rest.share(rest.value)}"
    if rest.value > -leave:
        return f", for control of {rest.others} is not worth {leave}"
    if rest.value == -leave:
        return ", which is worth no more"
    return f", and with it control of {rest.others}: must then open {rest.opens}"


def _leaving(state: DotsState, before: Captures, then: Captures) -> Iterator[_Ranked]:
    """Yield clauses on a line that takes none of the boxes that could be taken."""
    game, you = state.game, _other(state)
    if (
        before.decline == len(before.coins)  # 2 boxes, or 4 of a loop, are all there is to take
        and len(before.trees) == 1
        and not then.decline
        and set(then.coins) == set(before.coins)
    ):
        left = game.counted(before.decline)
        if then.rest == game.board.all_strings:
            yield 10, f"double-deals: leaves {you} the last {left}, with nothing else to win"
        else:
            why = _why_leave(_rest(game.board, then.rest), before.decline, you)
            yield 10, f"double-deals: leaves {you} {left}{why}"
        return
    if len(before.coins) == 1:
        yield 10, f"does not take the {game.unit} there is to take"
    else:
        yield 10, f"takes none of the {game.counted(len(before.coins))} there are to take"
    yield 11, f"leaves {_given(state, then)}"


def _why_leave(rest: _Rest, leave: int, you: str) -> str:
    """Return, as a clause, the purpose of a double-deal, after which the opponent (you) moves in the rest."""
    if rest.value is None:
        if rest.fight is None:
            return " and the next move"
        return f", but lets {you} win the fight for control" if rest.fight else " to win the fight for control"
    if rest.value > 0:
        return f" and {rest.share(rest.value)}"
    if rest.value > -leave:
        return f", but control of {rest.others} is not worth {leave}"
    if rest.value == -leave:
        return ", which is worth as much as taking them"
    return f" to win {rest.share(-rest.value)}"


def _given(state: DotsState, then: Captures) -> str:
    """Return, in words, how many boxes the opponent can take, and how many of these could be declined."""
    boxes, you = len(then.coins), _other(state)
    words = f"{you} {state.game.counted(boxes)}"
    if not then.decline:
        return words
    return f"{words}, who can double-deal {'them' if boxes == then.decline else f'the last {then.decline}'} (loony)"


def _other(state: DotsState) -> str:
    return state.game.players[1 - state.to_move]


# Lines that give boxes away


def _giving(state: DotsState, move: Move, then: Captures) -> Iterator[_Ranked]:
    """Yield clauses on a line that gives boxes where there were none to take."""
    game, you, boxes, before = state.game, _other(state), len(then.coins), structure_of(state)
    if then.rest == game.board.all_strings:
        yield 10, f"gives {you} the last {game.unit if boxes == 1 else game.counted(boxes)}"
        return
    rest = _rest(game.board, then.rest)
    if then.decline:
        opened = [f"opens {named(run)} (loony)" for run in before.runs if run.long and move in run.strings]
        lead = "half-hearted (loony)" if move in before.handouts.half_hearted else opened[0] if opened else "loony"
        yield 10, f"{lead}: {_answer(state, then, rest)}"
        return
    lead = "hard-hearted: " if move in before.handouts.hard_hearted else ""
    gift = f"a single {game.unit}" if boxes == 1 else game.counted(boxes)
    if rest.value is not None:
        yield 10, f"{lead}gives {you} {gift} {'to win' if rest.value < 0 else 'and gets'} {rest.share(-rest.value)}"
        yield 11, f"forces {you} to open {rest.opens}"
        return
    yield 10, f"{lead}gives {you} {gift}{' to win the fight for control' if rest.fight is False else ''}"
    if only_loony(game.board, then.rest):
        yield 11, f"leaves {you} only loony {game.line_word}s after that"
    elif rest.fight:
        yield 11, f"lets {you} win the fight for control"
    rule = rule_of(game.board, game.board.all_strings & ~then.rest)
    if rest.fight is None and rule.long_chains != before.counts.long_chains:
        yield 12, f"leaves {_long(rule.long_chains)}, {_verdict(state, rule)}"


def _answer(state: DotsState, then: Captures, rest: _Rest) -> str:
    """Return the opponent's best play when some of the boxes can be declined, or what is possible if not known."""
    me, you, boxes, leave = state.game.players[state.to_move], _other(state), len(then.coins), then.decline
    every = f"both {state.game.units}" if boxes == 2 else f"all {state.game.counted(boxes)}"
    if rest.value is None:
        return f"gives {_given(state, then).removesuffix(' (loony)')}"
    if rest.value == -leave:
        return f"for {you}, taking {every} and a double-deal are worth the same"
    if rest.value > -leave:
        return f"{you} does best to take {every}, and must then open {rest.opens}"
    deal = f"take {boxes - leave} of the {state.game.counted(boxes)} and leave {leave}"
    deal = f"leave {every}" if boxes == leave else deal
    return f"{you} does best to {deal} (a double-deal), and {me} must then open {rest.opens}"


# Lines that give nothing away


def _safe(state: DotsState, after: DotsState) -> Iterator[_Ranked]:
    """Yield clauses about a line that gives nothing away, played when no box could be taken."""
    graph, line, you = state.game.board, state.game.line_word, _other(state)
    before, now, rest = structure_of(state), structure_of(after), _rest(graph, after.drawn)
    safe, loony = len(now.safe_lines), only_loony(graph, after.drawn)
    none = f"leaves only loony {line}s" if loony else f"leaves no safe {line}"
    if rest.opens:
        yield 10, f"{none}, so that {you} must open {rest.opens}"
    elif loony:
        yield 10, f"{none}: whatever {you} opens, {state.game.players[state.to_move]} can double-deal"
    elif not safe:
        yield 10, f"{none}, so that {you} must give something away"
    else:
        yield 30, f"is safe: 1 safe {line} is left" if safe == 1 else f"is safe: {safe} safe {line}s are left"
    if rest.fight is not None and not loony:
        yield 11, f"lets {you} win the fight for control" if rest.fight else "wins the fight for control"
    decided, rule = rest.value is not None or rest.fight is not None, rule_of(graph, after.undrawn)
    changes = list(_changes(before, now))
    if changes:
        yield 20, " and ".join(changes) + ("" if decided else _new_count(state, before, rule, len(changes)))
    if not decided and before.counts.long_chains == rule.long_chains and _no_reply_changes(after, now):
        verb, parity = "leaves" if rule.favours_mover else "keeps", "odd" if rule.long_chains % 2 else "even"
        yield 21, f"{verb} the number of long chains {parity}, {_verdict(state, rule)}: no safe reply changes it"


def _changes(before: Structure, now: Structure) -> Iterator[str]:
    """Yield how a safe line changed the long runs: made, lengthened, merged or closed them."""
    old = {frozenset(run.boxes): run for run in before.runs}
    for run in now.runs:
        boxes = frozenset(run.boxes)
        if boxes in old or not run.long:
            continue
        parts = [part for old_boxes, part in old.items() if old_boxes < boxes and part.long]
        if run.kind == "loop":
            yield f"closes a loop of {run.length}"
        elif len(parts) > 1:
            *first, last = map(named, parts)
            yield f"merges {', '.join(first)} and {last} into {named(run)}"
        elif parts and not run.possible_loop:
            yield f"lengthens {named(parts[0])} to one of {run.length}"
        else:
            yield f"makes {named(run)}"


# The long-chain rule


def _new_count(state: DotsState, before: Structure, rule: LongChainRule, changes: int) -> str:
    """Return the new number of long chains and whether the rule wants it, to follow the changes; empty if unchanged."""
    was, number = before.counts.long_chains, rule.long_chains
    if number == was:
        return ""
    if number == was + 1 and changes == 1:
        return f", the {ordinal(number)} long chain, {_verdict(state, rule)}"
    return f", which leaves {_long(number)}, {_verdict(state, rule)}"


def _no_reply_changes(after: DotsState, now: Structure) -> bool:
    """Return whether there are a few safe replies, and none of them changes the number of long chains."""
    graph, number = after.game.board, now.counts.long_chains
    return 0 < len(now.safe_lines) <= MAX_SAFE_REPLIES and all(
        rule_of(graph, after.undrawn ^ 1 << reply).long_chains == number for reply in now.safe_lines
    )


def _verdict(state: DotsState, rule: LongChainRule) -> str:
    """Return whether the long-chain rule wants a number of long chains, in a position where the opponent moves."""
    me = state.game.players[state.to_move]
    return "against the long-chain rule" if rule.favours_mover else f"as the long-chain rule wants for {me}"


def _long(number: int) -> str:
    return "1 long chain" if number == 1 else f"{number or 'no'} long chains"
