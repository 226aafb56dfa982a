"""The player of the 2024 project: worked by hand, against a tiny reference, and its three forms in lockstep."""

from __future__ import annotations

import dataclasses
import json
import random
from collections import Counter
from math import inf
from typing import Any, Literal

import pytest

import kibitz
from clocks import StopWatch
from games.dots.boards import picture, random_graph
from kibitz.core.agent import Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.games.dots.players import project_2024
from kibitz.games.dots.players.project_2024 import Minimax2024, Plain2024, Project2024
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.search.agents import summary_of
from kibitz.testing import random_game

FORMS = (Project2024, Minimax2024, Plain2024)
SIZES = {"1x1": (1, 1), "1x4": (1, 4), "4x2": (4, 2), "2x3": (2, 3), "3x3": (3, 3)}
HANG = "no line found: as written the search hangs here, this is the first free line"


@pytest.fixture(params=["written", "corrected"])
def as_(request: pytest.FixtureRequest) -> Literal["written", "corrected"]:
    found: Literal["written", "corrected"] = request.param
    return found


def ask(agent: Project2024, state: DotsState, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
    """Return an agent's choice, without the time it took."""
    return dataclasses.replace(agent.choose(state.view(state.to_move), budget, watch), seconds=0.0)


def asked(state: DotsState, **options: Any) -> Choice:
    """Return what all three forms choose, as alphabeta-2024 says it. They must agree."""
    fast, whole, plain = (ask(form(state.game, **options), state) for form in FORMS)
    assert plain == fast
    assert (whole.move, whole.note, whole.depth) == (fast.move, fast.note, fast.depth)
    assert whole.nodes >= fast.nodes
    return fast


def score(choice: Choice) -> float:
    """Return the score that a note begins with."""
    words = choice.note.split(",")[0].split()
    assert words[0] == "score"
    return float(words[1])


# The reference: boxes as sets of lines, who owns each by name, and no arithmetic but the project's own


def reference(state: DotsState, as_: str, depth: int, cuts: bool) -> tuple[int | None, float, int]:
    """Return the line chosen, None for none, its score, and the positions looked at below the root."""
    board = state.game.board
    sides = [{line for line, ends in enumerate(board.strings) if box in ends} for box in range(len(board.coins))]
    owners: dict[int, str] = {}
    for player, owned in enumerate(state.owned):
        mine = player == state.to_move
        owners.update({box: "machine" if mine else "rival" for box in range(len(sides)) if owned >> box & 1})
    looked = Counter[str]()

    def think(free: list[int], owners: dict[int, str], who: str, ply: int, a: float, b: float) -> tuple[Any, float]:
        looked["at"] += ply > 0
        if ply == depth or (as_ == "corrected" and not free):
            held = Counter(owners.values())
            return None, held["machine"] - held["rival"] + 0.5 * (len(sides) - len(owners))
        chosen, best = None, -inf if who == "machine" else inf
        for line in free:
            rest = [other for other in free if other != line]
            taken = [box for box, lines in enumerate(sides) if box not in owners and not lines & set(rest)]
            again = as_ == "corrected" and taken
            following = who if again else "rival" if who == "machine" else "machine"
            _, value = think(rest, {**owners, **dict.fromkeys(taken, who)}, following, ply + 1, a, b)
            if value > best if who == "machine" else value < best:
                chosen, best = line, value
            a, b = (max(a, best), b) if who == "machine" else (a, min(b, best))
            if cuts and b <= a:
                break
        return chosen, best

    line, value = think(list(state.legal_moves()), owners, "machine", 0, -inf, inf)
    return line, value, looked["at"]


def check(state: DotsState, **options: Any) -> Choice:
    """Check all three forms against the reference."""
    found, settings = asked(state, **options), {"as_": "written", "depth": 3, **options}
    line, value, nodes = reference(state, **settings, cuts=True)
    assert (found.nodes, found.depth) == (nodes, settings["depth"])
    if line is None:
        assert (found.move, found.note) == (state.legal_moves()[0], HANG)
    else:
        assert (found.move, score(found)) == (line, value)
    whole = ask(Minimax2024(state.game, **options), state)
    assert whole.nodes == reference(state, **settings, cuts=False)[2]
    return found


# Worked by hand


@pytest.mark.parametrize(("left", "written", "corrected"), [(4, 0.5, 0.5), (3, 1, 1), (2, None, -1), (1, inf, 1)])
def test_one_box(left: int, written: float | None, corrected: float) -> None:
    # 4 left: three lines later the box is open. 3: the machine draws the last of them. 2: the rival does.
    state = Dots(1, 1).parse_position(f"{(1 << 4 - left) - 1:x}")
    found = asked(state)
    assert found.move == 4 - left
    if written is None:
        assert found.note == HANG
    else:
        assert score(found) == written
    found = asked(state, as_="corrected")
    assert (found.move, score(found)) == (4 - left, corrected)


OPENED = """
+-+-+-+
      |
+-+-+-+
"""


def test_as_written_it_does_not_know_of_the_extra_move() -> None:
    # Three boxes in a row, the right one with three sides; lines 6, 7 and 8 are left. As written 6 gives the rival
    # one box and gets two whatever he draws: +1. 7 costs two and gets one. 8 takes one, loses one, takes one: +1 too,
    # but later in order. In truth 8 takes all three, and 6 and 7 give all three away.
    state = picture(OPENED)
    found = asked(state)
    assert (found.move, score(found)) == (6, 1)
    assert [m.value for m in ask(Minimax2024(state.game), state).moves] == [1, -1, 1]
    found = asked(state, as_="corrected")
    assert (found.move, score(found)) == (8, 3)
    whole = ask(Minimax2024(state.game, as_="corrected"), state)
    assert whole.moves == (MoveValue(6, -3, False), MoveValue(7, -3, False), MoveValue(8, 3, False))


@pytest.mark.parametrize(("depth", "written", "corrected"), [(1, 1.5, 1.5), (2, 0, 2)])
def test_two_boxes_to_take(depth: int, written: float, corrected: float) -> None:
    # Two boxes in a row, opened on the left; lines 5 and 6 are left. One line ahead: 5 takes one and one is open, 1.5;
    # 6 leaves both open, 1. Two ahead: 5 and 6 are a box each as written, both the machine's as corrected.
    state = picture("+-+-+\n|\n+-+-+")
    found = asked(state, depth=depth)
    assert (found.move, score(found)) == (5, written)
    found = asked(state, depth=depth, as_="corrected")
    assert (found.move, score(found)) == (5, corrected)


def test_boxes_already_taken_count_for_whoever_is_the_machine(as_: Literal["written", "corrected"]) -> None:
    # 1x3, the left box finished, six lines left: nobody can take a box by force within three lines, and two are open.
    game = Dots(1, 3)
    drawn = sum(1 << line for line in (0, 3, 6, 7))
    for owner, mover, expected in ((0, 0, 2.0), (0, 1, 0.0), (1, 1, 2.0), (1, 0, 0.0)):
        state = DotsState(game, drawn, (1 - owner, owner), mover)
        assert score(asked(state, as_=as_)) == expected


def test_nodes_on_the_empty_board() -> None:
    # No box is finished by three lines, so that all scores are 25 / 2. Without cuts: 60 + 60*59 + 60*59*58 nodes.
    # With cuts the first line costs itself, 59 answers, 58 lines after the first of them and one after each other;
    # every later line costs itself, one answer and the 58 lines after it.
    start = Dots(5, 5).start()
    found = asked(start)
    assert (found.move, score(found)) == (0, 12.5)
    assert found.nodes == (1 + 59 + 58 + 58) + 59 * (1 + 1 + 58)
    whole = ask(Minimax2024(start.game), start)
    assert whole.nodes == 60 + 60 * 59 + 60 * 59 * 58
    assert whole.moves == tuple(MoveValue(line, 12.5, False) for line in range(60))
    assert (whole.value, whole.unit, found.moves) == (None, None, ())


@pytest.mark.parametrize(("depth", "hangs"), [(1, []), (2, []), (3, [2]), (4, [2]), (5, [2, 4]), (6, [2, 4])])
def test_where_the_search_as_written_finds_nothing(depth: int, hangs: list[int]) -> None:
    # Lines that run out on the machine's turn leave -infinity.
    states = random_game(Dots(1, 2), 5)[:-1]
    found = {len(state.legal_moves()): check(state, depth=depth) for state in states}
    assert sorted(left for left, choice in found.items() if choice.note == HANG) == hangs


# Whole games against the reference


@pytest.mark.modes
@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 1)])
def test_small_games_are_the_reference_line_by_line(size: tuple[int, int], as_: str) -> None:
    for state in random_game(Dots(*size), 1)[:-1]:
        check(state, as_=as_)


@pytest.mark.parametrize("name", SIZES)
def test_games_are_the_reference_line_by_line(name: str, as_: str) -> None:
    met = Counter[str]()
    for seed in range(1 if name == "3x3" else 2):
        for state in random_game(Dots(*SIZES[name]), seed)[:-1]:
            choice = check(state, as_=as_)
            met["second player"] += state.to_move
            met["hang"] += choice.note == HANG
            met["infinity"] += "infinity" in choice.note
            standing = state.margin + 0.5 * sum(owner is None for owner in state.owners)
            met["box foreseen"] += choice.note != HANG and score(choice) not in (standing, inf)
    assert met["second player"] > 0
    assert (met["hang"] > 0) == (met["infinity"] > 0) == (as_ == "written")
    assert met["box foreseen"] > 0


def test_graphs_are_the_reference_line_by_line(as_: str) -> None:
    rng, tried, parallel = random.Random(3), 0, 0
    while tried < 12:
        game = random_graph(rng)
        if len(game.board.strings) > 16:
            continue
        tried += 1
        parallel += len(set(game.board.strings)) < len(game.board.strings)
        for state in random_game(game, tried)[:-1]:
            check(state, as_=as_, depth=rng.choice((2, 3, 3, 4)) if len(state.legal_moves()) < 9 else 3)
    assert parallel > 2


def test_it_plays_itself_alike_on_the_project_board(as_: Literal["written", "corrected"]) -> None:
    game, fewer = Dots(5, 5), 0
    fast, whole, plain = (form(game, as_=as_) for form in FORMS)
    state = game.start()
    while state.outcome() is None:
        choice, other = ask(fast, state), ask(whole, state)
        if state.turn % 5 == 0:
            assert choice == ask(plain, state)
        assert (choice.move, choice.note) == (other.move, other.note)
        fewer += choice.nodes < other.nodes
        state = state.play(choice.move)
    assert fewer >= 55


@pytest.mark.modes
def test_large_boards_and_odd_graphs(as_: Literal["written", "corrected"]) -> None:
    rng, words = random.Random(7), set[int]()
    for game in (Dots(9, 9), Dots(6, 6), random_graph(rng), random_graph(rng)):
        state = game.start()
        while len(state.legal_moves()) > 14:
            state = state.play(rng.choice(state.legal_moves()))
        words |= {line // 64 for line in state.legal_moves()}
        check(state, as_=as_)
    assert words == {0, 1, 2}


# Budgets, stops and specs


def test_a_search_cut_short_anywhere_is_its_reference_too(as_: Literal["written", "corrected"]) -> None:
    game, met = Dots(2, 2), Counter[str]()
    fast, whole, plain = (form(game, as_=as_) for form in FORMS)
    for state in random_game(game, 4)[:-1]:
        scores = [m.value for m in ask(whole, state).moves]
        for nodes in (1, 2, 5, 12, 29, 70, 169, 408):
            choice = ask(fast, state, Budget(nodes=nodes))
            assert choice == ask(plain, state, Budget(nodes=nodes))
            assert choice.nodes <= nodes
            found = ask(whole, state, Budget(nodes=nodes))
            assert found.move in state.legal_moves()
            if "stopped after" in choice.note:
                done = int(choice.note.split("stopped after ")[1].split()[0])
                assert (choice.depth, choice.moves) == (0, ())
                met["unscored" if done == 0 else "partly"] += 1
                if scores and done:
                    assert score(choice) == max(scores[:done])
                    assert choice.move == state.legal_moves()[scores.index(max(scores[:done]))]
            else:
                met["complete"] += 1
    assert min(met["unscored"], met["partly"], met["complete"]) > 3


@pytest.mark.parametrize("form", FORMS)
def test_deadlines_and_stops_are_kept(form: type[Project2024]) -> None:
    game = Dots(5, 5)
    agent, watch = form(game, depth=40), StopWatch()
    agent.prepare()
    for budget, limit in ((Budget(seconds=0.05), None), (Budget(seconds=600), watch)):
        choice = agent.choose(game.start(), budget, limit)
        assert choice.note == "the first free line, stopped after 0 of 60 lines"
        assert (choice.move, choice.depth) == (0, 0)
        assert choice.seconds < 300
        assert limit is not None or choice.seconds > 0.04
    assert watch.value is None


@pytest.mark.parametrize("form", [Project2024, Minimax2024])
def test_a_long_search_moves_to_a_worker(form: type[Project2024], monkeypatch: pytest.MonkeyPatch) -> None:
    state = Dots(3, 3).start()
    once = ask(form(state.game), state)
    monkeypatch.setattr(project_2024, "MAX_UNWATCHED_NODES", 50)
    assert ask(form(state.game), state) == once
    assert ask(form(state.game), state, Budget(seconds=600, nodes=10**9)) == once
    assert ask(form(state.game), state, Budget(nodes=60)).nodes == 60


def test_specs() -> None:
    table = dict(zip(("alphabeta-2024", "minimax-2024", "plain-alphabeta-2024"), FORMS, strict=True))
    game = Dots(1, 3)
    for name, form in table.items():
        made = kibitz.agent(game, name)
        assert isinstance(made, form)
        assert (made.as_, made.depth) == ("written", 3)
        made = kibitz.agent(game, f"{name}(as=corrected, depth=2)")
        assert isinstance(made, form)
        assert (made.as_, made.depth) == ("corrected", 2)
        with pytest.raises(BadOption, match=r"written or corrected"):
            kibitz.agent(game, f"{name}(as=meant)")
        with pytest.raises(BadOption, match="must be 1 or more, not 0"):
            kibitz.agent(game, f"{name}(depth=0)")
        assert summary_of(form).endswith(".")
        assert len(summary_of(form)) < 120
    record = kibitz.play(game, [kibitz.agent(game, name) for name in list(table)[:2]], seed=1)
    assert record.result in ("1-0", "0-1")
    assert json.loads(record.to_json())["moves"]
