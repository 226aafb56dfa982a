"""Two rule-based players: a beginner that grabs boxes, and one that counts chains as good players do.

GreedyDots has no plan and knows neither chains nor double-deals. ChainRule takes what is free, or double-deals
(advice.py). While there are safe lines it draws those that bring the number of long chains to the parity it wants
(structure.LongChainRule), examining every safe reply. When few safe lines are left it counts out which player wins
the fight for control (nimstring.py), and gives a box or two away where only that wins it. When it has to open
something, it follows theory (endgames.py), or else opens what costs least. It looks no further ahead than that.

ChainRule keeps to its time: counting out is limited in moves, and no new step starts
once half of the budget is used up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import Move
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.advice import advise
from kibitz.games.dots.theory.endgames import find_captures, line_to_open, simple_endgame
from kibitz.games.dots.theory.nimstring import NimberSearch
from kibitz.games.dots.theory.runs import loony_lines
from kibitz.games.dots.theory.structure import Structure, long_chain_rule, safe_lines, structure_of
from kibitz.games.dots.words.reasons import MAX_SAFE_LINES_COUNTED, only_loony

MAX_SAFE_LINES_FORESEEN = 40  # with more safe lines than this, replies are not examined
_SEARCH_SHARE = 0.5  # no new step starts after this share of the budget


class GreedyDots(Agent[Dots, DotsState]):
    """Takes a box if it can, else draws any safe line, else gives away as few boxes as it can."""

    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the line that takes the most boxes; if none takes any, a random one that gives away the fewest."""
        self.check(view)
        moves = view.legal_moves()
        most = max(len(view.taken_by(move)) for move in moves)
        if most:
            move = next(move for move in moves if len(view.taken_by(move)) == most)
            return Choice(move, note=f"Takes {view.game.counted(most)}.")
        safe = structure_of(view).safe_lines
        if safe:
            return Choice(self.rng.choice(safe), note=f"Plays a safe {view.game.line_word}.")
        given = {move: boxes_given(view, move) for move in moves}
        least = min(given.values())
        cheapest = [move for move in moves if given[move] == least]
        return Choice(self.rng.choice(cheapest), note=f"Has to give {view.game.counted(least)} away.")


def boxes_given(state: DotsState, move: Move) -> int:
    """Return how many boxes the opponent can take after a line that takes none."""
    return len(find_captures(state.game.board, state.drawn | 1 << move).coins)


class ChainPlan(NamedTuple):
    """A safe line and the number of long chains after it, now and after every safe reply."""

    line: Move
    chains: int
    wanted: bool  # whether that number has the parity the player wants
    replies: int  # how many safe replies were examined
    suitable: int  # how many of them leave the parity the player wants
    changed: int  # how many of them change the number of long chains

    @property
    def promise(self) -> float:
        """The share of the replies that leave the parity the player wants."""
        return self.suitable / self.replies if self.replies else float(self.wanted)


class ChainRule(Agent[Dots, DotsState]):
    """Plays by the long-chain rule, as good players at the board do: steers the number of chains, and says why."""

    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a line, with the reason for it in the first person as the note."""
        self.check(view)
        began = time.perf_counter()

        def late() -> bool:
            over = budget.seconds is not None and time.perf_counter() - began >= _SEARCH_SHARE * budget.seconds
            return over or (watch is not None and watch.stopped)

        move, why = self._decide(view, late)
        return Choice(move, note=why, seconds=time.perf_counter() - began)

    def _decide(self, state: DotsState, late: Callable[[], bool]) -> tuple[Move, str]:
        advice = advise(state)
        if advice is not None:
            return advice.lines[0], f"I {advice.sentence}."
        found, search = structure_of(state), NimberSearch(state.game.board)
        if not found.safe_lines:
            return _open(state, found, search)
        lines = list(found.safe_lines)
        self.rng.shuffle(lines)
        plans = sorted(_plans(state, lines, late), key=lambda plan: (-plan.promise, not plan.wanted))
        if len(lines) <= MAX_SAFE_LINES_COUNTED and not late():
            counted_out = _count_out(state, found, plans, search)
            if counted_out is not None:
                return counted_out
        return plans[0].line, _steering(state, plans[0])


# Safe lines


def _plans(state: DotsState, lines: Collection[Move], late: Callable[[], bool]) -> Iterator[ChainPlan]:
    """Yield a plan for each of these safe lines until time runs out."""
    graph = state.game.board
    rule = cache(partial(long_chain_rule, graph))  # two lines can be drawn in either order
    for line in lines:
        after = state.undrawn ^ 1 << line
        now = rule(after)
        replies = safe_lines(graph, after) if len(lines) <= MAX_SAFE_LINES_FORESEEN else ()
        rules = [rule(after ^ 1 << reply) for reply in replies]
        suitable = sum(then.favours_mover for then in rules)
        changed = sum(then.long_chains != now.long_chains for then in rules)
        yield ChainPlan(line, now.long_chains, not now.favours_mover, len(replies), suitable, changed)
        if late():
            return


def _steering(state: DotsState, plan: ChainPlan) -> str:
    """Return the reason for a safe line chosen by the number of long chains."""
    you, number = state.game.players[1 - state.to_move], plan.chains
    chains = "1 long chain is" if number == 1 else f"{number or 'No'} long chains are"
    want = f"{chains} what {'I want' if plan.wanted else f'{you} wants'}"
    if not plan.replies:
        parity, there = "odd" if plan.wanted == number % 2 else "even", "is" if number == 1 else "are"
        wanted = f"I want an {parity} number of long chains; there {there} {number or 'none'} now"
        return f"I play a safe {state.game.line_word}. {wanted}."
    if not plan.changed:
        return f"I play a safe {state.game.line_word}. {want}, and no safe reply changes the number."
    if plan.wanted:
        return f"{want}: {plan.suitable} of {plan.replies} safe replies leave it so."
    return f"{want} so far, but {plan.suitable} of {plan.replies} safe replies would suit me."


def _count_out(
    state: DotsState, found: Structure, plans: Sequence[ChainPlan], search: NimberSearch
) -> tuple[Move, str] | None:
    """Work out who wins the fight for control; return a line to play and why, or None if that takes too long.

    If no safe line wins control, a gift may. In 63 such positions from random safe play on
    2x5 to 5x5, the gift was better than the safe line 54 times and worse 3 times.
    """
    total = search.nimber(state.drawn)
    if total is None:
        return None
    if total == 0:
        you = state.game.players[1 - state.to_move]
        lost = f"I have counted it out: {you} can win the fight for control."
        return plans[0].line, f"{lost} I play the safe {state.game.line_word} after which most replies would suit me."
    for plan in plans:
        if _wins_control(state, plan.line, search):
            return plan.line, f"I have counted it out: with this {state.game.line_word} I win the fight for control."
    gift = next((line for line in _quiet(state) if _wins_control(state, line, search)), None)
    return None if gift is None else (gift, _gift(state, found, gift, search))


def _wins_control(state: DotsState, line: Move, search: NimberSearch) -> bool:
    """Return whether a line that takes nothing wins the fight for control."""
    return search.nimber(state.drawn | 1 << line) == 0


def _quiet(state: DotsState) -> list[Move]:
    """Return the lines after which nothing can be declined, those that give away the fewest boxes first."""
    loony = loony_lines(state.game.board, state.drawn)
    return sorted(set(state.legal_moves()) - set(loony), key=lambda line: (boxes_given(state, line), line))


# Something must be given


def _open(state: DotsState, found: Structure, search: NimberSearch) -> tuple[Move, str]:
    """Return the line to draw when every line gives something away, and why."""
    best = line_to_open(state.game.board, state.drawn)
    if best is not None:
        line, opening = best
        if not find_captures(state.game.board, state.drawn | 1 << line).declinable:
            return line, _gift(state, found, line, search)
        stands = "level" if not opening.value else state.game.counted(abs(opening.value))
        stands += "" if not opening.value else " ahead" if opening.value > 0 else " behind"
        opened = f"the {opening.kind} of {opening.length}"
        return line, f"I have to open something. By theory {opened} is best: I end {stands} on what is left."
    quiet = _quiet(state)
    if quiet:
        line = next((line for line in quiet if _wins_control(state, line, search)), quiet[0])
        return line, _gift(state, found, line, search)
    in_loops = {line for run in found.runs if run.kind == "loop" for line in run.strings}
    line = min(state.legal_moves(), key=lambda line: (boxes_given(state, line), line not in in_loops))
    return line, f"I have to open something, and this costs least: {state.game.counted(boxes_given(state, line))}."


def _gift(state: DotsState, found: Structure, line: Move, search: NimberSearch) -> str:
    """Return the reason for a line that gives boxes which the opponent cannot decline."""
    graph, you = state.game.board, state.game.players[1 - state.to_move]
    given = find_captures(graph, state.drawn | 1 << line)
    whole = [run for run in found.runs if line in run.strings and set(run.boxes) == set(given.coins)]
    what = "loop" if whole and whole[0].kind == "loop" else "chain"
    words = f"I give {f'the {what} of {whole[0].length}' if whole else state.game.counted(len(given.coins))}"
    left = simple_endgame(graph, given.drawn_after)
    if given.drawn_after == graph.all_strings:
        return f"{words}: nothing else is left."
    if left is not None and len(left.chains) + len(left.loops) == 1:
        last = f"chain of {left.chains[0]}" if left.chains else f"loop of {left.loops[0]}"
        return f"{words}, so that {you} must open the {last}."
    if only_loony(graph, given.drawn_after):
        return f"{words}, so that {you} must open something in which I can double-deal."
    if search.nimber(given.drawn_after) == 0:
        return f"{words}: I have counted it out, and it wins me the fight for control."
    return f"{words}, the least I can."
