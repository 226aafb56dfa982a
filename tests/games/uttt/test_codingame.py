"""codingame: bots as real processes that keep the board by themselves, as on CodinGame."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import kibitz
from bots.programs import Witness, cure, marked, nothing_left, processes, read, wait_until_gone, write_script
from clocks import PATIENCE
from kibitz.bots import process
from kibitz.core.agent import Agent, Budget
from kibitz.core.errors import AgentFault, BadOption, Died, Flood, Garbage, IllegalMove, OutOfTime
from kibitz.games.uttt import codingame
from kibitz.games.uttt.codingame import CodinGameBot
from kibitz.games.uttt.rules.geometry import grid
from toy.rules import Toy

UTTT = kibitz.game("uttt")
PATIENT = Budget(seconds=PATIENCE)
"""For games that are not about time, on a machine that may be busy."""

BOT = """
import random
rng, taken, turn = random.Random(process), set(), 0
while True:
    row, col = map(int, input().split())
    actions = [tuple(map(int, input().split())) for _ in range(int(input()))]
    turn += 1
    if row >= 0:
        assert (row, col) not in taken, "told of a move twice"
        taken.add((row, col))
    else:
        assert turn == 1, "told of no move in the middle of the game"
    assert not taken & set(actions), "an action that is taken"
    move = rng.choice(actions)
    taken.add(move)
    HOOK
    print(*move, "I like this cell")
"""


def bot(folder: Path, hook: str = "pass", game: kibitz.Game = UTTT) -> CodinGameBot:
    made = kibitz.agent(game, f"codingame:{write_script(folder, BOT.replace('HOOK', hook))}")
    assert isinstance(made, CodinGameBot)
    return made


def play(second: Agent, seed: int = 1, budget: Budget = Budget()) -> kibitz.GameRecord:
    return kibitz.play(UTTT, [kibitz.agent(UTTT, "random"), second], seed, budget)


@pytest.mark.parametrize("seat", [0, 1])
def test_whole_games_each_with_a_process_of_its_own(seat: int, tmp_path: Path) -> None:
    game = kibitz.game("uttt", tiebreak="count")
    with nothing_left(tmp_path):
        agent, rival = bot(tmp_path, game=game), kibitz.agent(game, "random")
        for seed in range(4):
            record = kibitz.play(game, [agent, rival] if seat == 0 else [rival, agent], seed, PATIENT)
            assert "forfeit" not in record.reason
            kibitz.replay(record)
        assert len(processes(tmp_path)) == 4
        assert wait_until_gone(processes(tmp_path)[:3], 0.0) == [], "only the last one may be left"
        agent.close()


def test_two_bots_against_each_other(tmp_path: Path) -> None:
    folders = [tmp_path / "x", tmp_path / "o"]
    for folder in folders:
        folder.mkdir()
    with nothing_left(folders[0]), nothing_left(folders[1]):
        pair = [bot(folder) for folder in folders]
        assert "forfeit" not in kibitz.play(UTTT, pair, 1, PATIENT).reason
        for agent in pair:
            agent.close()


@pytest.mark.parametrize("seat", [0, 1])
def test_what_a_bot_is_told(seat: int, tmp_path: Path) -> None:
    script = """
    for answer in ("4 4", "0 3 and a message", "8 8"):
        for _ in range(2):
            note("heard", input())
        for _ in range(int(open(os.path.join(HERE, "heard")).readlines()[-1])):
            note("heard", input())
        print(answer, flush=True)
    """
    with nothing_left(tmp_path):
        agent = kibitz.agent(UTTT, f"codingame:{write_script(tmp_path, script)}")
        state, expected = UTTT.start(), list[str]()
        moves = [40, 37, 9] if seat == 0 else [4, 40, 37, 9]
        for last, move in zip([None, *moves], moves, strict=False):
            if state.to_move == seat:
                expected.append("-1 -1" if last is None else "{} {}".format(*grid(last)))
                actions = sorted(grid(action) for action in state.legal_moves())
                expected += [str(len(actions)), *(f"{row} {col}" for row, col in actions)]
                assert agent.choose(state.view(seat), PATIENT).move == move
            state = state.play(move)
        agent.close()
        assert read(tmp_path / "heard") == expected


FAULTS = {
    "silent": ("time.sleep(100)", OutOfTime, "did not answer within 1 s"),
    "slow": ("time.sleep(0.9 * (turn > 1))", OutOfTime, "did not answer within 0.1 s"),
    "garbage": ("move = 'pass',", Garbage, "answered 'pass I like this cell' instead of a row and a column"),
    "one number": ("print(4, flush=True)", Garbage, "answered '4'"),
    "off the board": ("move = 4, 9", Garbage, "answered '4 9 I like this cell'"),
    "illegal": ("move = (turn > 1 and sorted(taken)[0]) or move", IllegalMove, "already"),
    "dies": ("if turn == 3: 1 / 0", Died, "ended with exit code 1: "),
    "floods": ("while True: sys.stdout.write('x' * 9999)", Flood, "a line of more than 10,000 bytes"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_loses_one_game_and_no_more(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, kind, words = FAULTS[name]
    monkeypatch.setattr(process, "_EXIT_SECONDS", PATIENCE)
    if name == "slow":
        monkeypatch.setattr(codingame, "FIRST_SECONDS", PATIENCE)  # only later answers are late
    with nothing_left(tmp_path):
        witness = Witness(bot(tmp_path, f"if not is_cured():\n        {code}"))
        began = time.monotonic()
        record = play(witness, budget=Budget() if kind is OutOfTime else PATIENT)
        assert time.monotonic() - began < 90, "whoever sleeps for 100 s is not waited for"
        assert record.result == "1-0"
        assert record.reason.startswith("forfeit by O")
        assert type(witness.fault) is kind
        assert words in record.reason
        assert wait_until_gone(processes(tmp_path)) == []
        cure(tmp_path)
        assert "forfeit" not in play(witness, budget=PATIENT).reason
        witness.agent.close()


def test_the_first_answer_may_take_longer_and_a_budget_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codingame, "FIRST_SECONDS", PATIENCE)
    with nothing_left(tmp_path):
        agent = bot(tmp_path, "time.sleep(0.8 * (turn <= 2))")
        state = UTTT.start()
        state = state.play(agent.choose(state.view(0)).move)
        state = state.play(state.legal_moves()[0])
        assert agent.choose(state.view(0), PATIENT).move in state.legal_moves()
        agent.close()


def test_a_game_from_another_position_cannot_be_followed(tmp_path: Path) -> None:
    start = UTTT.start().play(40).play(36)
    agents = [bot(tmp_path), kibitz.agent(UTTT, "random")]
    record = kibitz.play(UTTT, agents, 1, start=start)
    assert record.result == "0-1"
    assert "must play from the start" in record.reason
    assert marked() == []


def test_a_move_taken_back_cannot_be_followed(tmp_path: Path) -> None:
    with nothing_left(tmp_path):
        agent = bot(tmp_path)
        agent.choose(UTTT.start().view(0), PATIENT)
        with pytest.raises(AgentFault, match="cannot join this game"):
            agent.choose(UTTT.start().view(0), PATIENT)
        agent.close()


def test_it_is_for_ultimate_tic_tac_toe_only() -> None:
    with pytest.raises(BadOption, match="only, not toy"):
        CodinGameBot(Toy(), "true")
