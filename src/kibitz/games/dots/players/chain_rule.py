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
_SEARCH_SHARE = 0.5  # no new step starts after this share of the time


class GreedyDots(Agent[Dots, DotsState]):
    """Takes a box if it can, else draws any safe line, else gives away as few boxes as it can."""

    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the line that takes the most boxes; if none takes any, a random line that gives away the fewest."""
        self.check(view)
        moves = view.legal_moves()
        max_taken = max(len(view.taken_by(move)) for move in moves)
        if max_taken:
            move = next(move for move in moves if len(view.taken_by(move)) == max_taken)
            return Choice(move, note=f"Takes {view.game.counted(max_taken)}.")
        safe = structure_of(view).safe_lines
        if safe:
            return Choice(self.rng.choice(safe), note=f"Plays a safe {view.game.line_word}.")
        given = {move: boxes_given(view, move) for move in moves}
        min_given = min(given.values())
        cheapest = [move for move in moves if given[move] == min_given]
        return Choice(self.rng.choice(cheapest), note=f"Has to give {view.game.counted(min_given)} away.")


def boxes_given(state: DotsState, move: Move) -> int:
    """Return how many boxes the opponent can take after a line that takes none."""
    return len(find_captures(state.game.board, state.drawn | 1 << move).coins)


class ChainPlan(NamedTuple):
    """A safe line and the number of long chains after it, now and after every safe reply."""

    line: Move
    chains: int
    is_wanted: bool  # whether the number now has the parity that the player wants
    replies: int  # how many safe replies were examined
    favourable: int  # how many replies leave the parity that the player wants
    changing: int  # how many replies change the number of long chains

    @property
    def favourable_share(self) -> float:
        """The share of the safe replies that leave the parity the player wants, from 0 to 1."""
        return self.favourable / self.replies if self.replies else float(self.is_wanted)


class ChainRule(Agent[Dots, DotsState]):
    """Plays by the long-chain rule, as good players at the board do: steers the number of chains, and says why."""

    def choose(self, view: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return a line. The note gives the reason for it, in the first person."""
        self.check(view)
        began = time.perf_counter()

        def out_of_time() -> bool:
            over = budget.seconds is not None and time.perf_counter() - began >= _SEARCH_SHARE * budget.seconds
            return over or (watch is not None and watch.stopped)

        move, why = self._decide(view, out_of_time)
        return Choice(move, note=why, seconds=time.perf_counter() - began)

    def _decide(self, state: DotsState, out_of_time: Callable[[], bool]) -> tuple[Move, str]:
        advice = advise(state)
        if advice is not None:
            return advice.lines[0], f"I {advice.sentence}."
        structure, search = structure_of(state), NimberSearch(state.game.board)
        if not structure.safe_lines:
            return _choose_opening(state, structure, search)
        lines = list(structure.safe_lines)
        self.rng.shuffle(lines)
        plans = list(_plan_lines(state, lines, out_of_time))
        plans.sort(key=lambda plan: (-plan.favourable_share, not plan.is_wanted))
        if len(lines) <= MAX_SAFE_LINES_COUNTED and not out_of_time():
            counted_out = _count_out(state, structure, plans, search)
            if counted_out is not None:
                return counted_out
        return plans[0].line, _steering_reason(state, plans[0])


def _plan_lines(state: DotsState, lines: Collection[Move], out_of_time: Callable[[], bool]) -> Iterator[ChainPlan]:
    """Yield a plan for each of these safe lines, at least one, until the time is up."""
    graph = state.game.board
    rule_after = cache(partial(long_chain_rule, graph))  # two lines lead to the same position in either order
    for line in lines:
        after = state.undrawn ^ 1 << line
        now = rule_after(after)
        replies = safe_lines(graph, after) if len(lines) <= MAX_SAFE_LINES_FORESEEN else ()
        rules = [rule_after(after ^ 1 << reply) for reply in replies]
        favourable = sum(rule.favours_mover for rule in rules)
        changing = sum(rule.long_chains != now.long_chains for rule in rules)
        yield ChainPlan(line, now.long_chains, not now.favours_mover, len(replies), favourable, changing)
        if out_of_time():
            return


def _steering_reason(state: DotsState, plan: ChainPlan) -> str:
    """Return the reason for a safe line that was chosen by the number of long chains."""
    you, number = state.game.players[1 - state.to_move], plan.chains
    chains = "1 long chain is" if number == 1 else f"{number or 'No'} long chains are"
    verdict = f"{chains} what {'I want' if plan.is_wanted else f'{you} wants'}"
    if not plan.replies:
        parity, there = "odd" if plan.is_wanted == number % 2 else "even", "is" if number == 1 else "are"
        wanted = f"I want an {parity} number of long chains; there {there} {number or 'none'} now"
        return f"I play a safe {state.game.line_word}. {wanted}."
    if not plan.changing:
        return f"I play a safe {state.game.line_word}. {verdict}, and no safe reply changes the number."
    if plan.is_wanted:
        return f"{verdict}: {plan.favourable} of {plan.replies} safe replies leave it so."
    return f"{verdict} so far, but {plan.favourable} of {plan.replies} safe replies would suit me."


def _count_out(
    state: DotsState, structure: Structure, plans: Sequence[ChainPlan], search: NimberSearch
) -> tuple[Move, str] | None:
    """Return a line that wins the fight for control, or a safe one if that is lost, and why; None if unknown.

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
    gift = next((line for line in _quiet_lines(state) if _wins_control(state, line, search)), None)
    return None if gift is None else (gift, _gift_reason(state, structure, gift, search))


def _wins_control(state: DotsState, line: Move, search: NimberSearch) -> bool:
    """Return whether a line that takes nothing wins the fight for control."""
    return search.nimber(state.drawn | 1 << line) == 0


def _quiet_lines(state: DotsState) -> list[Move]:
    """Return the lines that are not loony, those that give away the fewest boxes first."""
    loony = loony_lines(state.game.board, state.drawn)
    return sorted(set(state.legal_moves()) - set(loony), key=lambda line: (boxes_given(state, line), line))


def _choose_opening(state: DotsState, structure: Structure, search: NimberSearch) -> tuple[Move, str]:
    """Return the best line to draw when every line gives boxes away, and why."""
    best = line_to_open(state.game.board, state.drawn)
    if best is not None:
        line, opening = best
        if not find_captures(state.game.board, state.drawn | 1 << line).declinable:
            return line, _gift_reason(state, structure, line, search)
        side = "ahead" if opening.value > 0 else "behind"
        lead = f"{state.game.counted(abs(opening.value))} {side}" if opening.value else "level"
        opened = f"the {opening.kind} of {opening.length}"
        return line, f"I have to open something. By theory {opened} is best: I end {lead} on what is left."
    quiet_lines = _quiet_lines(state)
    if quiet_lines:
        line = next((line for line in quiet_lines if _wins_control(state, line, search)), quiet_lines[0])
        return line, _gift_reason(state, structure, line, search)
    in_loops = {line for run in structure.runs if run.kind == "loop" for line in run.strings}
    line = min(state.legal_moves(), key=lambda line: (boxes_given(state, line), line not in in_loops))
    return line, f"I have to open something, and this costs least: {state.game.counted(boxes_given(state, line))}."


def _gift_reason(state: DotsState, structure: Structure, line: Move, search: NimberSearch) -> str:
    """Return the reason for a line that gives away boxes which the opponent cannot decline."""
    graph, you = state.game.board, state.game.players[1 - state.to_move]
    given = find_captures(graph, state.drawn | 1 << line)
    whole_runs = [run for run in structure.runs if line in run.strings and set(run.boxes) == set(given.coins)]
    words = f"I give {state.game.counted(len(given.coins))}"
    if whole_runs:
        words = f"I give the {'loop' if whole_runs[0].kind == 'loop' else 'chain'} of {whole_runs[0].length}"
    endgame = simple_endgame(graph, given.drawn_after)
    if given.drawn_after == graph.all_strings:
        return f"{words}: nothing else is left."
    if endgame is not None and len(endgame.chains) + len(endgame.loops) == 1:
        last = f"chain of {endgame.chains[0]}" if endgame.chains else f"loop of {endgame.loops[0]}"
        return f"{words}, so that {you} must open the {last}."
    if only_loony(graph, given.drawn_after):
        return f"{words}, so that {you} must open something in which I can double-deal."
    if search.nimber(given.drawn_after) == 0:
        return f"{words}: I have counted it out, and it wins me the fight for control."
    return f"{words}, the least I can."
