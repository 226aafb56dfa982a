"""One game between two agents: seeds, faults, budgets, and the record that comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, ClassVar, Literal

import pytest

import kibitz
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.core.faults import GameFailed
from kibitz.core.game import Game, Line, Move, NothingHidden, Outcome, State, View
from kibitz.core.record import GameRecord

UTTT = kibitz.game("uttt")
WON = UTTT.parse_position("xxx6/xxx6/xxx6/oo7/oo7/oo7/oo7/9/9 o -")


class Scripted(Agent):
    """Plays whatever a function returns; remembers the budgets and the seeds that it was given."""

    def __init__(self, game: Game, answer: Callable[[View], Any]) -> None:
        self.answer = answer
        self.given: list[Budget] = []
        self.seeds: list[int] = []
        super().__init__(game)

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.seeds.append(seed)

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        self.given.append(budget)
        answer: Choice = self.answer(view)
        return answer


def lowest(view: View) -> Choice:
    return Choice(view.legal_moves()[0])


def always(move: Any, **thoughts: Any) -> Callable[[View], Choice]:
    return lambda view: Choice(move, **thoughts)


def raising(view: View) -> Choice:
    raise RuntimeError("lost my notes")


def random_game(seed: int, **settings: Any) -> GameRecord:
    return kibitz.play(UTTT, [kibitz.agent(UTTT, "random"), kibitz.agent(UTTT, "random")], seed=seed, **settings)


def against_random(answer: Callable[[View], Any], seat: int = 0, **settings: Any) -> GameRecord:
    agents = [Scripted(UTTT, answer), kibitz.agent(UTTT, "random")]
    return kibitz.play(UTTT, agents if seat == 0 else agents[::-1], seed=1, **settings)


def test_the_same_seed_gives_the_same_record_and_others_another() -> None:
    first, second = random_game(1), random_game(1)
    assert replace(first, times=()) == replace(second, times=())
    assert len(first.times) == len(first.moves)
    assert all(seconds >= 0 for seconds in first.times)
    assert len({random_game(seed).moves for seed in range(10)}) == 10


def test_record_says_how_the_game_was_set_up_and_replays() -> None:
    game = kibitz.game("uttt", variant="open", tiebreak="count")
    record = kibitz.play(game, [kibitz.agent(game, "random"), kibitz.agent(game, "level1")], seed=3)
    assert (record.game, record.seed, record.start) == ("uttt", 3, None)
    assert record.options == {"variant": "open", "tiebreak": "count"}
    assert record.agents == ("random", "level1")
    assert len(kibitz.replay(record)) == len(record.moves) + 1
    assert GameRecord.from_json(record.to_json()) == record


def test_agents_are_reset_before_the_game_with_seeds_of_their_own() -> None:
    used = kibitz.agent(UTTT, "random")
    used.choose(UTTT.start().view(0))
    record = kibitz.play(UTTT, [used, kibitz.agent(UTTT, "random")], seed=1)
    assert record.moves == random_game(1).moves
    agents = [Scripted(UTTT, lowest), Scripted(UTTT, lowest)]
    for seed in (1, 2, 1):
        kibitz.play(UTTT, agents, seed=seed)
    (_, a1, a2, a3), (_, b1, b2, b3) = agents[0].seeds, agents[1].seeds
    assert (a1, b1) == (a3, b3)
    assert len({a1, a2, b1, b2}) == 4


def test_game_starts_from_the_given_position_and_a_finished_one_is_over_at_once() -> None:
    start = UTTT.start().play(40).play(36)
    record = random_game(1, start=start)
    assert record.start == UTTT.position_text(start)
    assert kibitz.replay(record)[0] == start
    record = random_game(1, start=WON)
    assert (record.moves, record.result, record.reason) == ((), "1-0", "three boards in a row")


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (raising, "RuntimeError: lost my notes"),
        (always(99), "illegal move: Unknown cell 99"),
        (always(-1), "illegal move"),
        (always("40"), ""),
        (always(None), ""),
        (always(40.0), ""),
        (lambda view: None, ""),
        (lambda view: view.legal_moves()[0], ""),
    ],
)
def test_fault_loses_the_game(seat: int, answer: Callable[[View], Any], said: str) -> None:
    record = against_random(answer, seat)
    assert record.result == ("0-1", "1-0")[seat]
    assert record.reason.startswith(f"forfeit by {'XO'[seat]}: ")
    assert said in record.reason
    assert len(kibitz.replay(record)) == len(record.moves) + 1 == len(record.times) + 1 == seat + 1


@pytest.mark.parametrize(
    "answer",
    [
        always(True),
        lambda view: SimpleNamespace(move=view.legal_moves()[0]),
        always(40, seconds=float("nan")),
        always(40, nodes="many"),
    ],
    ids=["bool", "not a choice", "nan seconds", "wrong nodes"],
)
def test_strange_answer_never_stops_the_match(answer: Callable[[View], Any]) -> None:
    kibitz.replay(against_random(answer, budget=Budget(seconds=5.0, nodes=5)))


def test_faults_are_raised_if_asked_for() -> None:
    with pytest.raises(RuntimeError, match="lost my notes"):
        against_random(raising, raise_faults=True)
    with pytest.raises(IllegalMove, match="Unknown cell 99"):
        against_random(always(99), raise_faults=True)


def test_budget_is_given_to_each_seat() -> None:
    agents = [Scripted(UTTT, lowest), Scripted(UTTT, lowest)]
    kibitz.play(UTTT, agents, budget=(Budget(nodes=5), Budget(seconds=2.0)))
    assert set(agents[0].given) == {Budget(nodes=5)}
    assert set(agents[1].given) == {Budget(seconds=2.0)}
    kibitz.play(UTTT, agents, budget=Budget(playouts=3))
    assert agents[0].given[-1] == agents[1].given[-1] == Budget(playouts=3)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_game_needs_two_agents_and_one_budget_or_two(count: int) -> None:
    with pytest.raises(BadOption, match=f"2 agents, got {count}"):
        kibitz.play(UTTT, [kibitz.agent(UTTT, "random")] * count)
    with pytest.raises(BadOption, match=f"got {count} budgets"):
        random_game(1, budget=(Budget(),) * count)


@dataclass(frozen=True)
class Pairs(Game):
    """Each turn is two moves, each 0 or 1; over after four turns. The first player wins."""

    name: ClassVar[str] = "pairs"
    title: ClassVar[str] = "Pairs"

    def start(self, seed: int = 0) -> PairsState:
        return PairsState(self, 0)

    def moves(self) -> range:
        return range(2)

    def move_text(self, move: Move) -> str:
        return str(move)

    def parse_move(self, text: str) -> Move:
        return int(text)

    def position_text(self, state: State) -> str:
        raise NotImplementedError

    def parse_position(self, text: str) -> PairsState:
        raise BadText("Pairs has no positions in text.")

    def draw(self, view: View, last: Move | None = None) -> tuple[Line, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class PairsState(NothingHidden):
    game: Pairs
    made: int

    @property
    def turn(self) -> int:
        return self.made // 2

    @property
    def to_move(self) -> int:
        return self.turn % 2

    def legal_moves(self) -> tuple[Move, ...]:
        return (0, 1) if self.made < 8 else ()

    def play(self, move: Move) -> PairsState:
        if move not in self.legal_moves():
            raise IllegalMove(f"{move} is not 0 or 1.")
        return PairsState(self.game, self.made + 1)

    def outcome(self) -> Outcome | None:
        return Outcome(0, "four turns") if self.made == 8 else None


def test_moves_of_one_turn_share_a_budget() -> None:
    agents = [Scripted(Pairs(), always(0, nodes=30)), Scripted(Pairs(), always(0, nodes=1000, playouts=2))]
    record = kibitz.play(Pairs(), agents, budget=(Budget(nodes=100), Budget(nodes=100, playouts=9)))
    assert (record.result, len(record.moves)) == ("1-0", 8)
    assert agents[0].given == [Budget(nodes=100), Budget(nodes=70)] * 2
    assert agents[1].given == [Budget(nodes=100, playouts=9), Budget(nodes=1, playouts=7)] * 2


@dataclass(frozen=True)
class Broken(Pairs):
    """Pairs whose rules fail after the third move, where `where` says."""

    name: ClassVar[str] = "broken"
    title: ClassVar[str] = "Broken Pairs"
    where: Literal["play", "outcome", "legal_moves", "view"] = "play"

    def start(self, seed: int = 0) -> BrokenState:
        return BrokenState(self, 0)

    def position_text(self, state: State) -> str:
        assert isinstance(state, BrokenState)
        return f"made={state.made}"


@dataclass(frozen=True)
class BrokenState(PairsState):
    game: Broken

    def fail(self, where: str) -> None:
        if where == self.game.where and self.made == 3:
            raise IndexError("no third pair")

    def legal_moves(self) -> tuple[Move, ...]:
        self.fail("legal_moves")
        return PairsState.legal_moves(self)

    def play(self, move: Move) -> BrokenState:
        self.fail("play")
        return BrokenState(self.game, PairsState.play(self, move).made)

    def outcome(self) -> Outcome | None:
        self.fail("outcome")
        return PairsState.outcome(self)

    def view(self, player: int | None) -> BrokenState:
        self.fail("view")
        return self


@pytest.mark.parametrize("raise_faults", [False, True])
@pytest.mark.parametrize(
    ("where", "made"), [("play", "made=3"), ("outcome", "made=2"), ("legal_moves", "made=3"), ("view", "made=3")]
)
def test_a_failure_of_the_rules_is_nobodys_loss(
    where: Literal["play", "outcome", "legal_moves", "view"], made: str, raise_faults: bool
) -> None:
    game = Broken(where=where)
    with pytest.raises(GameFailed) as failed:
        kibitz.play(game, [Scripted(game, lowest), Scripted(game, lowest)], raise_faults=raise_faults)
    said = str(failed.value)
    assert said.startswith(
        f"The rules of Broken Pairs failed in a game at the position {made}: IndexError: no third pair"
    )
    assert said.endswith("The game has no result, and neither agent is at fault.")


def test_rules_that_fail_in_a_search_are_nobodys_loss() -> None:
    def looking_ahead(view: View) -> Choice:
        assert isinstance(view, BrokenState)
        for _ in range(4):
            view = view.play(0)
        return Choice(0)

    agents = [Scripted(Broken(), looking_ahead), Scripted(Broken(), lowest)]
    with pytest.raises(GameFailed, match=r"at the position made=0: IndexError: no third pair \(test_match\.py, line"):
        kibitz.play(Broken(), agents)


def test_a_position_that_has_no_text_is_named_by_its_turn() -> None:
    class Silent(Broken):
        def position_text(self, state: State) -> str:
            raise KeyError("no text")

    agents = [Scripted(Silent(), lowest), Scripted(Silent(), lowest)]
    with pytest.raises(GameFailed, match="failed in a game at turn 2: IndexError"):
        kibitz.play(Silent(), agents)


def test_time_that_an_agent_does_not_own_up_to_is_spent_all_the_same() -> None:
    def slow(view: View) -> Choice:
        time.sleep(0.02)
        return Choice(0)

    agent = Scripted(Pairs(), slow)
    kibitz.play(Pairs(), [agent, Scripted(Pairs(), always(0))], budget=Budget(seconds=1.0))
    first, second = (budget.seconds for budget in agent.given[:2])
    assert first == 1.0
    assert second is not None
    assert second < 0.99


def test_analyse_asks_the_named_agent_and_refuses_a_finished_game() -> None:
    with pytest.raises(BadOption, match=r"The game is over \(1-0, three boards in a row\)"):
        kibitz.analyse(WON)
    assert kibitz.analyse(UTTT.start(), agent="reflex").move == 0
    with pytest.raises(BadOption, match="has no agent 'oracle'"):
        kibitz.analyse(UTTT.start(), agent="oracle")
