"""gtp: engines as real processes: whole games, what they are told, every fault, and GNU Go itself."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent

import pytest

import inside
import kibitz
from bots import programs as bots
from bots.programs import Fault, nothing_left, processes, read, wait_until_gone, write_script
from clocks import PATIENCE
from games.go.go_games import played
from kibitz.bots import process
from kibitz.core.agent import Agent, Budget, Watch
from kibitz.core.errors import AgentFault, BadOption, Died, Flood, Garbage, IllegalMove, OutOfTime
from kibitz.games.go.gtp.bot import GtpBot, with_rules_options
from kibitz.games.go.gtp.lines import score_text
from kibitz.games.go.gtp.setup import set_up
from kibitz.games.go.rules import Board, Go, GoState

FIVE = Go(size=5, komi=2.5)
KO = ("B3", "C3", "C4", "D4", "C2", "D2", "A5", "E3", "D3")  # Black's last stone takes C3
GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="GNU Go (the program gnugo) is not installed")

_ENGINE = """
KNOWN = {known!r}
{start}
game = move = 0
for line in sys.stdin:
    note("heard", line.strip())
    command, _, rest = line.strip().partition(" ")
    answer = ""
    if command == "list_commands":
{listing}
        answer = "\\n".join(KNOWN.split())
    elif command == "boardsize":
        game, move, free = game + 1, 0, [c + str(r) for r in range(1, int(rest) + 1) for c in "ABCDEFGHJ"[:int(rest)]]
{boardsize}
    elif command == "clear_board":
        taken = set()
    elif command == "play":
{play}
        taken.add(rest.split()[1])
    elif command in ("genmove", "kgs-genmove_cleanup"):
        move += 1
        left = [point for point in free if point not in taken]
        answer = left[0] if move <= 3 else "PASS"
{genmove}
        taken.add(answer.upper())
    say("= " + answer, "")
{after}
    if command == "quit":
        break
"""
"""Takes its first three moves from the first row, then passes."""


def engine(folder: Path, known: str = "genmove play undo", **hooks: str) -> str:
    """Write an engine that plays three moves and passes, with code at the hooks; return its command line."""
    places = dict.fromkeys(("start", "listing", "boardsize", "play", "genmove", "after"), "") | hooks
    code = {
        place: indent(dedent(text).strip() or "pass", {"start": "", "after": " " * 4}.get(place, " " * 8))
        for place, text in places.items()
    }
    return write_script(folder, _ENGINE.format(known=known, **code))


def bot(line: str, game: Go = FIVE) -> GtpBot:
    made = kibitz.agent(game, f"gtp:{line}")
    assert isinstance(made, GtpBot)
    made.reply_seconds = made.start_seconds = made.default_move_seconds = PATIENCE  # a busy machine is no fault
    return made


@contextmanager
def running(folder: Path, known: str = "genmove play undo", **hooks: str) -> Iterator[GtpBot]:
    """Have an engine play; it is closed then, and nothing of it may be left."""
    with nothing_left(folder):
        agent = bot(engine(folder, known, **hooks))
        yield agent
        agent.close()


class Passer(Agent):
    """Passes, always."""

    spec = "passer"

    def choose(self, view: object, budget: Budget = Budget(), watch: Watch | None = None) -> kibitz.Choice:
        return kibitz.Choice(self.game.moves()[-1])


def play(second: Agent, budget: Budget = Budget(), seed: int = 1) -> kibitz.GameRecord:
    """Play a game in which the engine is White, against one who has a stone on E5 and passes."""
    game = second.game
    start = game.start().play(game.parse_move("E5"))
    return kibitz.play(game, [Passer(game), second], seed, [Budget(), budget], start)


def test_what_an_engine_is_told(tmp_path: Path) -> None:
    with running(tmp_path, "genmove play undo kgs-rules set_random_seed time_settings time_left") as agent:
        agent.reset(6)
        state = FIVE.start().play(FIVE.parse_move("E5"))
        choice = agent.choose(state.view(1), Budget(seconds=PATIENCE + 0.5))
        assert FIVE.move_text(choice.move) == "A1"
        state = state.play(choice.move).play(FIVE.pass_move)
        agent.choose(state.view(1), Budget(seconds=PATIENCE + 0.5))
    assert read(tmp_path / "heard") == [
        "list_commands", "boardsize 5", "clear_board", "komi 2.5", "kgs-rules chinese", "set_random_seed 7",
        "play b E5", "time_settings 0 300 1", "time_left w 300 1", "genmove w",
        "play b pass", "time_left w 300 1", "genmove w", "quit",
    ]  # fmt: skip


def test_a_position_out_of_the_blue_is_set_up(tmp_path: Path) -> None:
    with running(tmp_path) as agent:
        agent.choose(FIVE.parse_position("2X2/5/5/1O3/5 X").view(0))
    heard = read(tmp_path / "heard")
    assert heard[heard.index("komi 2.5") + 1 :] == ["clear_board", "play b C5", "play w B2", "genmove b", "quit"]


def test_a_ko_is_set_up_so_that_it_is_forbidden() -> None:
    state = played(FIVE, *KO)
    assert FIVE.move_text(state.ko) == "C3"
    stones, moves, _ = set_up(state)
    board = Board.empty(5)
    for player, point in [*stones, *moves]:
        placed = board.place(point, 1 + player)
        board = placed.board
    assert board == state.board
    assert (moves[-1], placed.captured) == ((0, FIVE.parse_move("D3")), frozenset({state.ko}))


def test_superko_is_told_by_the_whole_game() -> None:
    game = replace(FIVE, ko="positional")
    state = played(game, "A1", "B2", "pass", "A2", "C3", "B1")  # the last one takes A1
    text = [("BW"[player], game.move_text(point)) for player, point in set_up(state).moves]
    assert text == [("B", "A1"), ("W", "B2"), ("W", "A2"), ("B", "C3"), ("W", "B1")]


def test_before_it_passes_an_engine_is_asked_to_take_dead_stones_off(tmp_path: Path) -> None:
    cleanup = "if command == 'kgs-genmove_cleanup' and 'E1' not in taken: answer = 'E1'"
    with running(tmp_path, "undo kgs-genmove_cleanup", genmove=cleanup) as agent:
        record = play(agent)
    assert record.moves == ("A1", "pass", "B1", "pass", "C1", "pass", "E1", "pass", "pass")
    heard = read(tmp_path / "heard")
    at = heard.index("kgs-genmove_cleanup w")
    assert heard[at - 2 : at] == ["genmove w", "undo"]


FAULTS = {
    "silent": Fault("genmove", "time.sleep(100)", OutOfTime, "did not answer within 0.2 s"),
    "late": Fault("genmove", "time.sleep(1)", OutOfTime, "did not answer"),
    "never reads": Fault("start", "time.sleep(100)", OutOfTime, "did not answer within 0.5 s"),
    "half an answer": Fault("genmove", "print('= A1', flush=True); time.sleep(9)", OutOfTime, "did not answer"),
    "junk": Fault("genmove", "say('hello')", Garbage, "answers 'genmove w' with 'hello', which is not GTP"),
    "not text": Fault("genmove", "os.write(1, b'\\xfe\\x00\\xff\\n')", Garbage, "which is not GTP"),
    "no move": Fault("genmove", "answer = 'Z99'", Garbage, "plays 'Z99', which is not a move"),
    "nothing": Fault("genmove", "answer = ''", Garbage, "plays '', which is not a move"),
    "off the board": Fault("genmove", "answer = 'J9'", Garbage, "plays 'J9', which is not a move"),
    "occupied": Fault("genmove", "answer = 'E5'", IllegalMove, "played E5: There is a stone on E5 already."),
    "refuses a size": Fault("boardsize", "say('? no', ''); continue", AgentFault, "refuses 'boardsize 5': 'no'"),
    "refuses a move": Fault(
        "play", "say('? no', ''); continue", AgentFault, "'no'. Check that it plays by the same rules."
    ),
    "gives up": Fault("genmove", "say('? no idea', ''); continue", AgentFault, "refuses 'genmove w': 'no idea'"),
    "dies at start": Fault("start", "sys.exit('no licence')", Died, "ended with exit code 1: no licence"),
    "dies": Fault("genmove", "sys.exit(4)", Died, "ended with exit code 4"),
    "floods": Fault("genmove", "while True: say(*['= x'] * 1000)", Flood, "sent"),
    "endless line": Fault("genmove", "while True: sys.stdout.write('=' * 9999)", Flood, "more than 1,000,000 bytes"),
    "leaves a child": Fault("genmove", "start('sleep', '99'); sys.exit(6)", Died, "ended with exit code 6"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_loses_one_game_and_no_more(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[name]
    monkeypatch.setattr(process, "_EXIT_SECONDS", 0.5 if name == "leaves a child" else PATIENCE)
    with nothing_left(tmp_path):
        agent = bot(engine(tmp_path, **fault.hook))
        why = bots.loses_one_game_and_no_more(agent, fault, fault.place == "genmove", play)
        assert why.startswith("forfeit by White")


HARMLESS = {
    "talks on stderr": ("genmove", "print('x\\n' * 9999, file=sys.stderr)"),
    "answers with more empty lines": ("after", "say('', '')"),
    "plays in small letters": ("genmove", "answer = answer.lower()"),
    "dies between two games": ("boardsize", "if game == 2: sys.exit(1)"),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_no_fault(name: str, tmp_path: Path) -> None:
    place, code = HARMLESS[name]
    with running(tmp_path, **{place: code}) as agent:
        for seed in range(2):
            assert "forfeit" not in play(agent, seed=seed).reason


def test_an_engine_that_is_silent_between_two_games_is_started_again(tmp_path: Path) -> None:
    with running(tmp_path, boardsize="if game == 2: time.sleep(100)") as agent:
        assert "forfeit" not in play(agent).reason
        bots.lose_patience_with_this_process(agent)
        assert "forfeit" not in play(agent).reason
        assert len(processes(tmp_path)) == 2


def test_a_resignation_loses_the_game_and_is_no_fault(tmp_path: Path) -> None:
    with running(tmp_path, genmove="answer = 'resign'") as agent:
        record = play(agent)
        assert (record.result, record.reason) == ("1-0", "White resigned")
        spec = "gtp:" + engine(tmp_path, genmove="answer = 'resign'")
        done = inside.run("play", "go", "random", spec, "-o", "size=5")
        assert done.returncode == 0
        assert "wins: White resigned." in done.stdout


def test_a_stop_is_passed_on_to_an_engine_that_can_be_interrupted(tmp_path: Path) -> None:
    wait = "assert sys.stdin.readline().strip() == '# interrupt'"
    with running(tmp_path, "gogui-interrupt", genmove=wait) as agent:
        watch = Watch()
        watch.stop()
        assert agent.choose(FIVE.start().view(0), watch=watch).move == FIVE.parse_move("A1")


@pytest.mark.parametrize(
    ("game", "spec", "words"),
    [
        ("go", "gtp:", "names no program: write gtp:COMMAND"),
        ("go", "gtp:no-such-engine --mode gtp", "was not found"),
        ("uttt", "gtp:sh", r"'gtp' in .* is not a kind of bot for Ultimate Tic-Tac-Toe; the kinds are exec:"),
    ],
)
def test_what_cannot_be_run_is_a_mistake_of_the_user(game: str, spec: str, words: str) -> None:
    with pytest.raises(BadOption, match=words):
        kibitz.agent(kibitz.game(game), spec)
    with pytest.raises(BadOption, match="A gtp: engine plays Go only, not uttt"):
        GtpBot(kibitz.game("uttt"), sys.executable)


def test_gnu_go_gets_the_options_of_the_rules() -> None:
    assert with_rules_options("gnugo --mode gtp", FIVE) == "gnugo --mode gtp --chinese-rules"
    assert with_rules_options("/usr/games/gnugo --japanese-rules", FIVE) == "/usr/games/gnugo --japanese-rules"
    odd = Go(scoring="territory", ko="positional", suicide=True)
    assert with_rules_options("gnugo", odd) == "gnugo --japanese-rules --positional-superko --allow-all-suicide"
    assert with_rules_options("my-gnugo-like-engine", FIVE) == "my-gnugo-like-engine"


def test_our_engine_plays_as_the_agent_itself() -> None:
    line = f"{sys.executable} -m kibitz go gtp --agent 'alphabeta(depth=1)'"
    outside, inside = bot(line), kibitz.agent(FIVE, "alphabeta(depth=1)")
    rival = kibitz.agent(FIVE, "random")
    games = [kibitz.play(FIVE, [agent, rival], 3).moves for agent in (inside, outside)]
    outside.close()
    assert games[0] == games[1]


def test_our_engine_plays_the_same_game_from_the_same_seed() -> None:
    agent = bot(f"{sys.executable} -m kibitz go gtp --agent random")
    first, second, third = (kibitz.play(FIVE, [agent, Passer(FIVE)], seed).moves for seed in (1, 2, 1))
    agent.close()
    assert first == third
    assert first != second


@needs_gnugo
@pytest.mark.parametrize("ko", ["simple", "positional"])
def test_whole_games_with_gnu_go_end_with_one_score(ko: str) -> None:
    """Two GNU Gos under our rules: the judge, who takes every stone for alive, and GNU Go itself count the same."""
    game = kibitz.game("go", size=7, komi=9.5, ko=ko)
    pair = [kibitz.agent(game, f"gtp:gnugo --mode gtp --never-resign --level {level}") for level in (1, 2)]
    try:
        for seed in range(2):
            record = kibitz.play(game, pair, seed)
            end = kibitz.replay(record)[-1]
            assert isinstance(end, GoState)
            assert "forfeit" not in record.reason
            for agent in pair:
                assert isinstance(agent, GtpBot)
                assert agent.score_of(end).removesuffix(".0") == score_text(end.score())
    finally:
        for agent in pair:
            agent.close()
    assert wait_until_gone(bots.marked()) == []


@needs_gnugo
def test_handicap_and_komi_are_counted_by_gnu_go_as_by_us() -> None:
    game = kibitz.game("go", size=9, komi=0.5, handicap=3)
    agent = kibitz.agent(game, "gtp:gnugo --mode gtp --level 0")
    assert isinstance(agent, GtpBot)
    agent.prepare()
    rows = "3XO4/3XO4/3XO4/3XO4/3XO4/3XO4/3XO4/3XO4/3XO4 X"
    end = game.parse_position(rows)
    assert isinstance(end, GoState)
    assert agent.score_of(end) == score_text(end.score()) == "W+9.5", "36 to 45 and komi, nothing for the handicap"
    agent.close()


@needs_gnugo
def test_gnu_go_holds_the_same_moves_for_legal_after_a_ko() -> None:
    """After a ko was taken: GNU Go is asked what is legal."""
    agent, state = bot("gnugo --mode gtp --level 0"), played(FIVE, *KO)
    agent.score_of(state)
    legal = agent._request("all_legal white").split()
    assert {FIVE.parse_move(word) for word in legal} == set(state.legal_moves()) - {25}
    agent.close()


def test_an_engine_asked_for_its_move_only_may_take_longer_in_an_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.games.go.gtp.bot.GRACE_SECONDS", -1.0)
    with running(tmp_path) as agent:
        agent.reply_seconds = PATIENCE
        view = FIVE.start().view(0)
        assert agent.analyse(view, Budget(seconds=0.1)).move == FIVE.parse_move("A1")
        with pytest.raises(OutOfTime):
            agent.choose(view, Budget(seconds=0.1))
