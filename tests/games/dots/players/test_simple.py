"""The players by rule: what greedy and chain-rule draw in pictures, and all of them in small matches."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import kibitz
from games.dots import naive
from games.dots.boards import careful, on_graph, picture, pictures, scattered, state_of
from kibitz.core.agent import Agent, Budget, Watch
from kibitz.core.errors import BadOption
from kibitz.games.dots.exact.agent import Exact
from kibitz.games.dots.players.chain_rule import ChainRule, GreedyDots
from kibitz.games.dots.players.li_2012 import Li2012
from kibitz.games.dots.players.project_2024 import Project2024
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.nimstring import LOONY, MAX_EXAMINED_MOVES, NimberSearch
from kibitz.games.dots.theory.structure import structure_of
from kibitz.games.dots.words.reasons import MAX_SAFE_LINES_COUNTED
from kibitz.search.defaults import Random
from kibitz.testing import random_game

PLAYERS = (GreedyDots, Li2012, ChainRule)

BOARDS = pictures("""
TWO_AND_THREE   TWO_ROWS    SPUR
+-+-+-+         +-+-+-+-+   +-+-+-+-+-+

+-+-+-+         +-+-+-+-+   +-+-+ +-+-+
    | |         |           | | | | | |
+-+ +-+         +-+-+-+-+   +-+-+ +-+-+
""")


def choices(agent: Agent, state: DotsState, number: int) -> list[str]:
    """Return the next lines of an agent that moves again and again."""
    lines = []
    for _ in range(number):
        move = agent.choose(state).move
        lines.append(state.game.board.line_text(move))
        state = state.play(move)
    return lines


def points(game: Dots, one: Agent, other: Agent, games: int) -> float:
    """Return the points of the first of two agents; the sides change after every game."""
    total = 0.0
    for seed in range(games):
        pair = [one, other] if seed % 2 == 0 else [other, one]
        record = kibitz.play(game, pair, seed=seed, raise_faults=True)
        first = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[record.result]
        total += first if seed % 2 == 0 else 1 - first
    return total


# All of them


@pytest.mark.parametrize("player", PLAYERS)
def test_legal_lines_and_a_note_everywhere(player: type[Agent]) -> None:
    rng = random.Random(2)
    graph = on_graph("ab", "ab", "bc", "cd", "da", "b-", "c-", "c-", "de", "e-").game
    for game in (Dots(1, 1), Dots(1, 4), Dots(3, 2), Dots(3, 3, "swedish"), Dots(4, 4, "icelandic"), graph):
        agent = player(game)
        for seed in range(3):
            agent.reset(seed)
            for state in random_game(game, seed)[:-1]:
                choice = agent.choose(state, Budget(nodes=20))
                assert choice.move in state.legal_moves()
                assert choice.note.endswith(".")
            state = scattered(game, rng)
            if state.undrawn:
                assert agent.choose(state).move in state.legal_moves()
        agent.close()


@pytest.mark.parametrize("player", PLAYERS)
def test_the_same_seed_gives_the_same_game(player: type[Agent]) -> None:
    game = Dots(2, 3)
    played = [kibitz.play(game, [player(game), player(game)], seed=seed).moves for seed in (5, 5, 6, 7)]
    assert played[0] == played[1]
    assert played[2] != played[0] or played[3] != played[0]


@pytest.mark.parametrize("player", [*PLAYERS, Exact, Project2024])
def test_another_game_is_refused(player: type[Agent]) -> None:
    with pytest.raises(BadOption, match="was made for"):
        player(Dots(2, 2)).choose(Dots(2, 3).start())


def test_each_beats_the_one_before() -> None:
    """Check the order of strength in 20 games each, fewer points than are usual."""
    game = Dots(3, 4)
    quick = Li2012(game, nodes=60)
    assert points(game, GreedyDots(game), Random(game), 20) >= 18
    assert points(game, quick, GreedyDots(game), 20) >= 13
    assert points(game, ChainRule(game), GreedyDots(game), 20) >= 13


# greedy


def test_greedy_takes_then_is_safe_then_gives_least() -> None:
    state = BOARDS["TWO_ROWS"]
    agent = GreedyDots(state.game)
    assert choices(agent, state, 4) == ["v 1 1", "v 1 2", "v 1 3", "v 1 4"]  # to the end: it does not double-deal
    two_and_three = BOARDS["TWO_AND_THREE"]
    agent, drawn = GreedyDots(two_and_three.game), set()
    for seed in range(30):
        agent.reset(seed)
        choice = agent.choose(two_and_three)
        assert choice.note == "Has to give 2 boxes away."
        drawn.add(choice.move)
    assert drawn == {7, 13, 14}  # all three lines of the chain of 2, for it knows no difference
    pair = picture("+-+-+-+-+\n|   |\n+-+-+ + +")
    assert GreedyDots(pair.game).choose(pair).note == "Takes 2 boxes."


def test_greedy_draws_any_safe_line() -> None:
    state = picture("+-+-+\n\n+-+ +\n\n+ + +")
    safe = set(structure_of(state).safe_lines)
    agent, drawn = GreedyDots(state.game), set()
    for seed in range(60):
        agent.reset(seed)
        drawn.add(agent.choose(state).move)
    assert drawn == safe
    assert len(safe) > 3


# chain-rule


THREE_ARMS = on_graph("ja", "ab", "bc", "c-", "jd", "de", "ef", "f-", "jg", "gh", "hi", "i-")
# position, lines, the reason for the first
PLAYED = {
    "takes and declines": (
        BOARDS["TWO_ROWS"], ["v 1 1", "v 1 2", "v 1 4"],
        "I take 2, then leave 2 with v 1 4 (a double-deal): "
        "it keeps control of 4 boxes and is worth 4, while taking all is worth 0.",
    ),
    "gives a chain of 2": (
        BOARDS["TWO_AND_THREE"], ["v 1 1"], "I give the chain of 2, so that Blue must open the chain of 3.",
    ),
    "gives a spur": (BOARDS["SPUR"], ["h 1 2"], "I give the chain of 1, so that Blue must open the chain of 5."),
    "opens by theory": (
        picture("+-+-+-+\n\n+-+-+-+\n\n+-+-+-+"), ["v 0 0"],
        "I have to open something. By theory the chain of 3 is best: I end 2 boxes behind on what is left.",
    ),
    "last of all": (picture("+-+-+\n\n+-+-+"), ["v 0 1"], "I give the chain of 2: nothing else is left."),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAYED)
def test_what_chain_rule_draws_and_says(name: str) -> None:
    state, lines, said = PLAYED[name]
    agent = ChainRule(state.game)
    assert choices(agent, state, len(lines)) == lines
    assert agent.choose(state).note == said


def test_words_on_graphs() -> None:
    state = on_graph("a-", "a-", "a-", "b-", "b-", "b-")
    assert GreedyDots(state.game).choose(state).note == "Plays a safe string."
    lost = "I have counted it out: Blue can win the fight for control."
    assert ChainRule(state.game).choose(state).note == (
        f"{lost} I play the safe string after which most replies would suit me."
    )
    assert ChainRule(state.game).choose(state.play(0)).note == (
        "I have counted it out: with this string I win the fight for control."
    )
    # Where arms meet, the least is opened.
    assert ChainRule(THREE_ARMS.game).choose(THREE_ARMS).note == (
        "I have to open something, and this costs least: 3 coins."
    )


def test_what_is_counted_out_is_so() -> None:
    """Check what chain-rule says of the fight for control against Nimstring by full search."""
    rng, met = random.Random(6), Counter[str]()
    for _ in range(80):
        game = rng.choice([Dots(2, 3), Dots(2, 4), Dots(3, 3)])
        state = careful(game, rng)
        if state.undrawn.bit_count() > 13 or len(structure_of(state).safe_lines) > MAX_SAFE_LINES_COUNTED:
            continue
        strings = naive.grid_strings(game.rows, game.cols)
        choice = ChainRule(game).choose(state)
        before = naive.nimber(naive.part(strings, state.undrawn))
        after = naive.nimber(naive.part(strings, state.play(choice.move).undrawn))
        if "I win the fight" in choice.note:
            assert after == 0
            met["won"] += 1
        elif "can win the fight" in choice.note:
            assert before == 0
            met["lost"] += 1
        elif structure_of(state).safe_lines:
            safe = [state.play(line).undrawn for line in structure_of(state).safe_lines]
            assert all(naive.nimber(naive.part(strings, left)) for left in safe)
            assert choice.note.startswith("I give")
            assert after == 0
            met["given"] += 1
    assert min(met[kind] for kind in ("won", "lost", "given")) >= 3, met


def test_counting_out_a_position_tells_of_its_moves_too() -> None:
    """Check against Nimstring by full search, and that what each line leaves is known without another look."""
    rng, met = random.Random(3), Counter[int]()
    while met.total() < 400:
        strings = naive.random_position(rng, 3, 3, rng.randint(8, 11))
        degrees = Counter(end for pair in strings for end in pair if end is not None)
        if min(degrees.values()) == 1:
            continue  # there is something to take
        count, table = NimberSearch(state_of(strings, 0).game.board), naive.nimbers(strings)
        assert count.nimber(0) == table[-1]
        for line, ends in enumerate(count.graph.strings):
            left, found = count.moves_left, count.nimber(1 << line)
            assert found == table[len(table) - 1 ^ 1 << line]
            if found != LOONY and ends not in count.graph.strings[:line]:  # of two with the same ends one is enough
                assert count.moves_left == left
            met[found] += 1
    assert min(met[n] for n in (LOONY, 0, 1, 2)) >= 5, met


def test_a_count_looks_at_no_more_moves_than_it_may() -> None:
    rng, given_up = random.Random(4), 0
    for _ in range(10):
        state = careful(Dots(9, 9), rng, 12)
        count = NimberSearch(state.game.board)
        given_up += any(count.nimber(state.drawn | 1 << line) is None for line in state.legal_moves()[:8])
        assert 0 <= count.moves_left < MAX_EXAMINED_MOVES
    assert given_up >= 3


def test_when_it_is_late_a_safe_line_is_drawn() -> None:
    watch = Watch()
    watch.stop()
    for seed in range(5):
        state = careful(Dots(4, 4), random.Random(seed), 14)
        safe = structure_of(state).safe_lines
        agent = ChainRule(state.game)
        agent.reset(seed)
        choice = agent.choose(state, watch=watch)
        assert choice.move in (safe or state.legal_moves())
        if safe:  # it has looked at the first line that came to its mind, and counted nothing out
            shuffled = list(safe)
            random.Random(seed).shuffle(shuffled)
            assert choice.move == shuffled[0]
            assert "counted" not in choice.note


def test_safe_lines_leave_the_most_replies_that_suit() -> None:
    """Check the share of safe replies after which the number of long chains is the one wanted."""
    rng, checked = random.Random(9), 0
    for _ in range(7):
        state = careful(Dots(4, 5), rng, 14)
        safe = structure_of(state).safe_lines
        if len(safe) < 7:
            continue

        def share(line: int, state: DotsState = state) -> float:
            after = state.play(line)
            replies = [structure_of(after.play(reply)).rule for reply in structure_of(after).safe_lines]
            assert replies
            return sum(rule is not None and rule.favours_mover for rule in replies) / len(replies)

        shares = {line: share(line) for line in safe}
        assert shares[ChainRule(state.game).choose(state).move] == max(shares.values())
        checked += min(shares.values()) < max(shares.values())
    assert checked >= 2
