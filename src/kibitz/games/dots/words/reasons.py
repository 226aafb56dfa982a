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
from kibitz.games.dots.theory.endgames import Captures, find_captures
from kibitz.games.dots.theory.nimstring import nimber
from kibitz.games.dots.theory.runs import Run, boxes_left, loony_lines
from kibitz.games.dots.theory.structure import LongChainRule, Structure, long_chain_rule, safe_lines, structure_of

MAX_REASONS = 3
MAX_SAFE_LINES_COUNTED = 6  # with more safe lines than this, the fight for control is not counted out
MAX_SAFE_REPLIES = 12
"""With more safe replies than this, they are not examined for changes of the number of long chains."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")

_RankedClause: TypeAlias = tuple[int, str]  # a rank and a clause: the lower the rank, the more important


def reasons(state: DotsState, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return at most three clauses on what a move does, the most important first. Raise IllegalMove if it is illegal.

    line: the expected play, beginning with the move, where known.
    """
    after = state.play(move)
    available, offered = (find_captures(each.game.board, each.drawn) for each in (state, after))
    if after.to_move == state.to_move:
        return _most_important(_taking_clauses(state, move, after, available, offered))
    if available.coins:
        clauses = _leaving_clauses(state, available, offered)
    else:
        clauses = _giving_clauses(state, move, offered) if offered.coins else _safe_clauses(state, after)
    value = endgames.known_value(after.game.board, after.drawn)
    if value is not None:
        return _most_important([*clauses, (12, _result_clause(after, value))])
    follows = _expected_clauses(state, line)
    return (*_most_important(clauses)[: MAX_REASONS - len(follows)], *follows)


def _most_important(clauses: Iterable[_RankedClause]) -> tuple[str, ...]:
    return tuple(clause for _, clause in sorted(clauses)[:MAX_REASONS])


def run_words(run: Run) -> str:
    """Return what a player calls a run: "a chain of 4", "a possible loop of 5"."""
    return f"a {'chain' if run.name == 'string' else run.name} of {run.size}"


def only_loony(graph: Graph, drawn: int) -> bool:
    """Return whether lines are left, and every one of them is loony: it takes no box and allows a double-deal."""
    left = graph.all_strings & ~drawn
    return left != 0 and sum(1 << line for line in loony_lines(graph, drawn)) == left


def ordinal(number: int) -> str:
    """Return an ordinal number in words: "first", "second", ... "ninth", "10th"."""
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    ending = "th" if number // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


@dataclass(frozen=True)
class _Rest:
    """What is known of a position with nothing to take, from the view of the player to move there."""

    boxes: int
    value: int | None  # the margin with best play, if theory knows it
    opens: str  # what has to be opened, in words; empty if theory does not know
    wins_fight: bool | None
    """Whether the fight for control is won. None if theory knows more, or if it cannot be counted out quickly."""

    @property
    def others(self) -> str:
        """The boxes of the rest in words, without those that can be taken first: "the other 8"."""
        return f"the other {'one' if self.boxes == 1 else self.boxes}"

    def share(self, lead: int) -> str:
        """Return the boxes that a player gets in the rest with this lead, in words: "6 of the other 8"."""
        boxes = (self.boxes + lead) // 2
        return self.others if boxes == self.boxes else f"{boxes} of {self.others}"


def _analyse_rest(graph: Graph, drawn: int) -> _Rest:
    boxes, endgame = boxes_left(graph, drawn), endgames.simple_endgame(graph, drawn)
    if endgame is not None:
        opening = endgames.best_opening(*endgame)
        return _Rest(boxes, opening.value, _opening_words(endgame, opening), None)
    if len(safe_lines(graph, graph.all_strings & ~drawn)) > MAX_SAFE_LINES_COUNTED:
        return _Rest(boxes, None, "", None)
    total = nimber(graph, drawn)
    return _Rest(boxes, None, "", None if total is None else total != 0)


def _opening_words(endgame: endgames.Endgame, opening: endgames.Opening) -> str:
    """Return what the player to move must open, in words: "the chain of 7", "something, best a loop of 4"."""
    n_alike = (endgame.chains if opening.kind == "chain" else endgame.loops).count(opening.length)
    name = f"{'the' if n_alike == 1 else 'a'} {opening.kind} of {opening.length}"
    return name if n_alike == len(endgame.chains) + len(endgame.loops) else f"something, best {name}"


def _result_clause(after: DotsState, value: int) -> str:
    """Return the final score with best play for the player who just moved. value: that for the player to move."""
    boxes, me = boxes_left(after.game.board, after.drawn), 1 - after.to_move
    mine, yours = after.scores[me] + (boxes - value) // 2, after.scores[1 - me] + (boxes + value) // 2
    verb = "draws" if mine == yours else "wins" if mine > yours else "loses"
    return f"{verb} {mine} to {yours} with best play"


def _expected_clauses(state: DotsState, line: Sequence[Move]) -> tuple[str, ...]:
    """Return a clause on the first loony move of the expected play; none if no move is loony, or the very first is."""
    for number, move in enumerate(line):
        graph, after = state.game.board, state.play(move)
        if not find_captures(graph, state.drawn).coins and find_captures(graph, after.drawn).declinable:
            opened = [f" and opens {run_words(run)}" for run in structure_of(state).runs if move in run.strings]
            words = f"{state.game.players[state.to_move]} plays the first loony {state.game.line_word}{''.join(opened)}"
            return (f"then, in the play expected, {words}",) if number else ()
        state = after
    return ()


def _taking_clauses(
    state: DotsState, move: Move, after: DotsState, available: Captures, remaining: Captures
) -> Iterator[_RankedClause]:
    """Yield clauses on a move that takes boxes. available, remaining: what can be taken before and after it."""
    game, outcome = state.game, after.outcome()
    is_double = len(state.taken_by(move)) == 2
    if outcome:
        last = f"{game.counted(2)} at once (a double-cross)" if is_double else game.unit
        words = {None: "ends the game in a draw", state.to_move: "wins the game"}.get(outcome.winner, "loses the game")
        yield 10, f"takes the last {last}"
        yield 11, f"{words}, {outcome.reason}"
        return
    taken = f"{game.counted(2)} at once (a double-cross)" if is_double else f"a {game.unit}"
    then = f", and can take {len(remaining.coins)} more" if remaining.coins else " and moves again"
    yield 10, f"takes {taken}{then}"
    if available.declinable and not remaining.declinable and available.drawn_after != game.board.all_strings:
        rest = _analyse_rest(game.board, available.drawn_after)
        yield 11, f"gives up the double-deal{_why_take(rest, available.declinable)}"


def _why_take(rest: _Rest, leave: int) -> str:
    """Return a clause on taking all boxes, instead of declining `leave` of them, and then moving in the rest."""
    if rest.value is None:
        if not rest.wins_fight:
            return "" if rest.wins_fight is None else ", and with it the fight for control"
        return ", but wins the fight for control by moving first"
    if rest.value > 0:
        return f", for moving first gets {rest.share(rest.value)}"
    if rest.value > -leave:
        return f", for control of {rest.others} is not worth {leave}"
    if rest.value == -leave:
        return ", which is worth no more"
    return f", and with it control of {rest.others}: must then open {rest.opens}"


def _leaving_clauses(state: DotsState, available: Captures, offered: Captures) -> Iterator[_RankedClause]:
    """Yield clauses on a move that takes none of the available boxes. offered: those the opponent can take after it."""
    game, you = state.game, _opponent(state)
    if (
        available.declinable == len(available.coins)  # 2 boxes, or 4 of a loop, are all there is to take
        and len(available.trees) == 1
        and not offered.declinable
        and set(offered.coins) == set(available.coins)
    ):
        left = game.counted(available.declinable)
        if offered.drawn_after == game.board.all_strings:
            yield 10, f"double-deals: leaves {you} the last {left}, with nothing else to win"
        else:
            why = _why_leave(_analyse_rest(game.board, offered.drawn_after), available.declinable, you)
            yield 10, f"double-deals: leaves {you} {left}{why}"
        return
    if len(available.coins) == 1:
        yield 10, f"does not take the {game.unit} there is to take"
    else:
        yield 10, f"takes none of the {game.counted(len(available.coins))} there are to take"
    yield 11, f"leaves {_given_words(state, offered)}"


def _why_leave(rest: _Rest, leave: int, you: str) -> str:
    """Return a clause on double-dealing `leave` boxes, after which the opponent, `you`, moves in the rest."""
    if rest.value is None:
        if rest.wins_fight is None:
            return " and the next move"
        return f", but lets {you} win the fight for control" if rest.wins_fight else " to win the fight for control"
    if rest.value > 0:
        return f" and {rest.share(rest.value)}"
    if rest.value > -leave:
        return f", but control of {rest.others} is not worth {leave}"
    if rest.value == -leave:
        return ", which is worth as much as taking them"
    return f" to win {rest.share(-rest.value)}"


def _given_words(state: DotsState, offered: Captures) -> str:
    """Return how many boxes the opponent can take, and how many of them can be declined, in words."""
    n_boxes, you = len(offered.coins), _opponent(state)
    words = f"{you} {state.game.counted(n_boxes)}"
    if not offered.declinable:
        return words
    declined = "them" if n_boxes == offered.declinable else f"the last {offered.declinable}"
    return f"{words}, who can double-deal {declined} (loony)"


def _opponent(state: DotsState) -> str:
    return state.game.players[1 - state.to_move]


def _giving_clauses(state: DotsState, move: Move, offered: Captures) -> Iterator[_RankedClause]:
    """Yield clauses on a move that offers the opponent boxes when none could be taken."""
    game, you, boxes, before = state.game, _opponent(state), len(offered.coins), structure_of(state)
    if offered.drawn_after == game.board.all_strings:
        yield 10, f"gives {you} the last {game.unit if boxes == 1 else game.counted(boxes)}"
        return
    rest = _analyse_rest(game.board, offered.drawn_after)
    if offered.declinable:
        opened = [f"opens {run_words(run)} (loony)" for run in before.runs if run.long and move in run.strings]
        lead = "half-hearted (loony)" if move in before.handouts.half_hearted else opened[0] if opened else "loony"
        yield 10, f"{lead}: {_answer_words(state, offered, rest)}"
        return
    lead = "hard-hearted: " if move in before.handouts.hard_hearted else ""
    gift = f"a single {game.unit}" if boxes == 1 else game.counted(boxes)
    if rest.value is not None:
        yield 10, f"{lead}gives {you} {gift} {'to win' if rest.value < 0 else 'and gets'} {rest.share(-rest.value)}"
        yield 11, f"forces {you} to open {rest.opens}"
        return
    yield 10, f"{lead}gives {you} {gift}{' to win the fight for control' if rest.wins_fight is False else ''}"
    if only_loony(game.board, offered.drawn_after):
        yield 11, f"leaves {you} only loony {game.line_word}s after that"
    elif rest.wins_fight:
        yield 11, f"lets {you} win the fight for control"
    rule = long_chain_rule(game.board, game.board.all_strings & ~offered.drawn_after)
    if rest.wins_fight is None and rule.long_chains != before.counts.long_chains:
        yield 12, f"leaves {_long_chains_words(rule.long_chains)}, {_verdict_words(state, rule)}"


def _answer_words(state: DotsState, offered: Captures, rest: _Rest) -> str:
    """Return the opponent's best reply, in words, to an offer of boxes when some of them can be declined."""
    me, you, boxes, leave = state.game.players[state.to_move], _opponent(state), len(offered.coins), offered.declinable
    every = f"both {state.game.units}" if boxes == 2 else f"all {state.game.counted(boxes)}"
    if rest.value is None:
        return f"gives {_given_words(state, offered).removesuffix(' (loony)')}"
    if rest.value == -leave:
        return f"for {you}, taking {every} and a double-deal are worth the same"
    if rest.value > -leave:
        return f"{you} does best to take {every}, and must then open {rest.opens}"
    deal = f"take {boxes - leave} of the {state.game.counted(boxes)} and leave {leave}"
    deal = f"leave {every}" if boxes == leave else deal
    return f"{you} does best to {deal} (a double-deal), and {me} must then open {rest.opens}"


def _safe_clauses(state: DotsState, after: DotsState) -> Iterator[_RankedClause]:
    """Yield clauses on a safe move, played when no box could be taken."""
    graph, line_word, you = state.game.board, state.game.line_word, _opponent(state)
    before, now, rest = structure_of(state), structure_of(after), _analyse_rest(graph, after.drawn)
    n_safe, all_loony = len(now.safe_lines), only_loony(graph, after.drawn)
    leaves = f"leaves only loony {line_word}s" if all_loony else f"leaves no safe {line_word}"
    if rest.opens:
        yield 10, f"{leaves}, so that {you} must open {rest.opens}"
    elif all_loony:
        yield 10, f"{leaves}: whatever {you} opens, {state.game.players[state.to_move]} can double-deal"
    elif not n_safe:
        yield 10, f"{leaves}, so that {you} must give something away"
    else:
        left = f"1 safe {line_word} is" if n_safe == 1 else f"{n_safe} safe {line_word}s are"
        yield 30, f"is safe: {left} left"
    if rest.wins_fight is not None and not all_loony:
        yield 11, f"lets {you} win the fight for control" if rest.wins_fight else "wins the fight for control"
    is_decided, rule = rest.value is not None or rest.wins_fight is not None, long_chain_rule(graph, after.undrawn)
    changes = list(_change_words(before, now))
    if changes:
        yield 20, " and ".join(changes) + ("" if is_decided else _new_count_words(state, before, rule, len(changes)))
    if not is_decided and before.counts.long_chains == rule.long_chains and _is_count_settled(after, now):
        verb, parity = "leaves" if rule.favours_mover else "keeps", "odd" if rule.long_chains % 2 else "even"
        yield 21, f"{verb} the number of long chains {parity}, {_verdict_words(state, rule)}: no safe reply changes it"


def _change_words(before: Structure, now: Structure) -> Iterator[str]:
    """Yield how a safe move changed the long runs, in words: made, lengthened, merged or closed them."""
    old = {frozenset(run.boxes): run for run in before.runs}
    for run in now.runs:
        boxes = frozenset(run.boxes)
        if boxes in old or not run.long:
            continue
        parts = [part for old_boxes, part in old.items() if old_boxes < boxes and part.long]
        if run.kind == "loop":
            yield f"closes a loop of {run.length}"
        elif len(parts) > 1:
            *first, last = map(run_words, parts)
            yield f"merges {', '.join(first)} and {last} into {run_words(run)}"
        elif parts and not run.possible_loop:
            yield f"lengthens {run_words(parts[0])} to one of {run.length}"
        else:
            yield f"makes {run_words(run)}"


def _new_count_words(state: DotsState, before: Structure, rule: LongChainRule, changes: int) -> str:
    """Return the new number of long chains and the verdict on it, to follow the changes; empty if it is unchanged."""
    before_count, number = before.counts.long_chains, rule.long_chains
    if number == before_count:
        return ""
    if number == before_count + 1 and changes == 1:
        return f", the {ordinal(number)} long chain, {_verdict_words(state, rule)}"
    return f", which leaves {_long_chains_words(number)}, {_verdict_words(state, rule)}"


def _is_count_settled(after: DotsState, now: Structure) -> bool:
    """Return whether there are safe replies, but only a few, and none of them changes the number of long chains."""
    graph, number = after.game.board, now.counts.long_chains
    return 0 < len(now.safe_lines) <= MAX_SAFE_REPLIES and all(
        long_chain_rule(graph, after.undrawn ^ 1 << reply).long_chains == number for reply in now.safe_lines
    )


def _verdict_words(state: DotsState, rule: LongChainRule) -> str:
    """Return, in words, whether the long-chain rule favours the player who just moved; rule is the opponent's."""
    me = state.game.players[state.to_move]
    return "against the long-chain rule" if rule.favours_mover else f"as the long-chain rule wants for {me}"


def _long_chains_words(number: int) -> str:
    return "1 long chain" if number == 1 else f"{number or 'no'} long chains"
