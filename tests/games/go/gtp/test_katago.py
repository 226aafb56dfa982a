"""Engines as analysts: recorded dialogues with KataGo, every fault, and the real KataGo where --katago names it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import kibitz
from bots.programs import nothing_left, read, write_script
from bots.replayed import replayed
from clocks import PATIENCE
from games.go.go_games import played
from kibitz.bots.outside import LastingBot
from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.errors import AgentFault, BadOption, Died, Flood, Garbage, OutOfTime
from kibitz.core.game import State
from kibitz.games.go.gtp.katago import query, read_answer
from kibitz.games.go.rules import Go
from kibitz.testing.contract import check_choice

FIVE = Go(size=5, komi=2.5)
STATE = played(FIVE, "C3", "D3")
VISITS = Budget(nodes=20)

_ENGINE = """
import json
visits = 0
for line in sys.stdin:
    asked = json.loads(line)
    note("heard", line.strip())
    if asked.get("action") == "query_version":
        say(json.dumps(dict(asked, version="1.17.2")))
    elif asked.get("action") == "terminate":
        say(json.dumps(asked))
        say(json.dumps(dict(report, isDuringSearch=False)))
    else:
        moves = [dict(move="C2", order=0, winrate=0.75, visits=12, scoreLead=3.25, pv=["C2", "D2"]),
                 dict(move="B3", order=1, winrate=0.5, visits=7, scoreLead=0.5, pv=["B3"])]
        report = dict(id=asked["id"], isDuringSearch=True, moveInfos=moves, rootInfo=dict(visits=20),
                      ownership=[0.5] * 25, turnNumber=0)
        last = dict(report, isDuringSearch=False)
{answer}
        say(json.dumps(last))
"""


def engine(folder: Path, answer: str = "") -> LastingBot:
    """Return an agent whose engine gives one answer to every question, with code before it."""
    code = _ENGINE.replace("{answer}", "\n".join(" " * 8 + line for line in (answer or "pass").splitlines()))
    made = kibitz.agent(FIVE, f"katago:{write_script(folder, code)}")
    assert isinstance(made, LastingBot)
    made.reply_seconds = made.start_seconds = made.default_move_seconds = PATIENCE
    return made


def analysed(agent: LastingBot, budget: Budget = VISITS, watch: Watch | None = None, state: State = STATE) -> Choice:
    choice = agent.analyse(state.view(state.to_move), budget, watch)
    check_choice(state, choice)
    return choice


def test_an_answer_becomes_a_choice(tmp_path: Path) -> None:
    with nothing_left(tmp_path):
        agent = engine(tmp_path)
        choice = analysed(agent)
        agent.close()
    assert (FIVE.move_text(choice.move), choice.value, choice.score, choice.nodes) == ("C2", 0.75, 3.25, 20)
    assert [m.visits for m in choice.candidates] == [12, 7]
    assert choice.owners == (0.5,) * 25
    greeting, question = map(json.loads, read(tmp_path / "heard"))
    assert greeting["action"] == "query_version"
    assert question["initialStones"] == [["B", "C3"], ["W", "D3"]]
    assert (question["initialPlayer"], question["moves"], question["maxVisits"]) == ("B", [], 20)
    assert question["rules"] == {
        "ko": "SIMPLE", "scoring": "AREA", "tax": "NONE", "suicide": False, "hasButton": False,
        "whiteHandicapBonus": "0",
    }  # fmt: skip


def test_reports_are_shown_while_the_search_goes_on_and_a_stop_ends_it(tmp_path: Path) -> None:
    agent, watch = engine(tmp_path, "say(json.dumps(report)); continue"), Watch()
    watch.stop()
    choice = analysed(agent, Budget(seconds=PATIENCE), watch)
    agent.close()
    assert watch.choice is not None
    assert (watch.move, watch.value, watch.nodes) == (choice.move, 0.75, 20)
    assert any(json.loads(line).get("action") == "terminate" for line in read(tmp_path / "heard"))


FAULTS = {
    "not JSON": ("say('= ')", Garbage, "which is not JSON: use katago: for katago analysis, and gtp: for engines"),
    "not an object": ("say('[1]')", Garbage, "which is not JSON"),
    "deep": ("say('[' * 100000)", Garbage, "which is not JSON"),
    "refuses": ("say(json.dumps(dict(id=asked['id'], error='komi is odd'))); continue", AgentFault, "'komi is odd'"),
    "refuses without an id": ("say(json.dumps(dict(error='no'))); continue", AgentFault, "refuses a question: 'no'"),
    "no candidates": ("last['moveInfos'] = []", Garbage, "answers with no legal move"),
    "no list": ("last['moveInfos'] = 7", Garbage, "answers with no legal move"),
    "illegal moves": ("last['moveInfos'] = [dict(moves[0], move='C3', pv=[])]", Garbage, "answers with no legal move"),
    "impossible": ("last['moveInfos'] = [dict(moves[0], winrate=7)]", Garbage, "answers with no legal move"),
    "dies": ("sys.exit('no memory')", Died, "ended with exit code 1: no memory"),
    "floods": ("while True: sys.stdout.write('{}' * 999)", Flood, "a line of more than 1,000,000 bytes"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_sentence_and_the_next_analysis_starts_a_new_process(name: str, tmp_path: Path) -> None:
    code, kind, words = FAULTS[name]
    with nothing_left(tmp_path):
        agent = engine(tmp_path, f"if not is_cured():\n    {code}")
        with pytest.raises(kind, match=words) as caught:
            analysed(agent)
        assert type(caught.value) is kind
        (tmp_path / "cured").touch()
        assert analysed(agent).nodes == 20
        agent.close()


@pytest.mark.parametrize("code", ["time.sleep(100)", "continue"])
def test_an_engine_that_is_silent_is_not_waited_for(code: str, tmp_path: Path) -> None:
    agent = engine(tmp_path, code)
    agent.prepare()
    agent.reply_seconds = 0.1
    with pytest.raises(OutOfTime, match=r"did not answer within 0\.2 s"):
        analysed(agent, Budget(seconds=0.1))
    agent.close()


HARMLESS = {
    "warns": "say(json.dumps(dict(id=asked['id'], warning='old net')))",
    "answers an old question": "say(json.dumps(dict(last, id='kibitz-0', moveInfos=[])))",
    "says more": "last['moveInfos'] += [7, None, dict(move=7), dict(moves[0], move='Z99')]; last['new'] = [[]]",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_no_fault(name: str, tmp_path: Path) -> None:
    agent = engine(tmp_path, HARMLESS[name])
    assert len(analysed(agent).moves) == 2
    agent.close()


def test_a_ko_and_a_pass_are_moves_of_the_question() -> None:
    ko = query(played(FIVE, "B3", "C3", "C4", "D4", "C2", "D2", "A5", "E3", "D3"))  # Black takes C3
    assert ko["moves"] == [["B", "D3"]]
    assert (ko["initialPlayer"], ["W", "C3"] in ko["initialStones"]) == ("B", True)
    passed = query(played(FIVE, "C3", "pass"))
    assert (passed["moves"], passed["initialPlayer"]) == ([["W", "pass"]], "W")


def test_komi_is_sent_in_half_points_and_ownership_must_be_whole() -> None:
    assert query(Go(size=5, komi=3.75).start())["komi"] == 4.0
    answer = {"moveInfos": [{"move": "C2", "winrate": 0.5, "visits": 1}], "ownership": [0.5] * 24}
    choice = read_answer(STATE, answer)
    assert choice is not None
    assert choice.owners == ()


def test_what_cannot_be_run_is_a_mistake_of_the_user() -> None:
    with pytest.raises(BadOption, match="names no program: write katago:COMMAND"):
        kibitz.agent(FIVE, "katago:")
    with pytest.raises(BadOption, match="was not found"):
        kibitz.agent(FIVE, "katago:no-such-engine analysis")


GTP = """
> list_commands
< = protocol_version
< kata-analyze
< undo
<
> boardsize 5
< =
<
> clear_board
< =
<
> komi 2.5
< =
<
> clear_board
< =
<
> play b C3
< =
<
> play w D3
< =
<
> kata-analyze b 20 rootInfo true ownership true
< =
< info move C2 visits 4 winrate 0.75 scoreLead 3.25 order 0 pv C2 rootInfo visits 5
< info move C2 visits 20 winrate 0.8 scoreLead 3.5 order 0 pv C2 D2 rootInfo visits 25
> protocol_version
<
< = 2
<
> kata-analyze b 20 rootInfo true ownership true
< = info move D2 visits 30 winrate 0.6 scoreLead 1 order 0 pv D2 rootInfo visits 31
> protocol_version
<
< = 2
<
> quit
"""


def test_gtp_analyses_follow_each_other(tmp_path: Path) -> None:
    with nothing_left(tmp_path):
        agent = kibitz.agent(FIVE, f"gtp:{replayed(tmp_path, GTP)}")
        assert isinstance(agent, LastingBot)
        agent.reply_seconds = agent.start_seconds = PATIENCE
        first, second = (analysed(agent) for _ in range(2))
        agent.close()
    assert (first.value, first.nodes, second.value, second.nodes) == (0.8, 25, 0.6, 31)


@pytest.mark.katago
def test_the_real_katago_analyses(katago: tuple[str, str], tmp_path: Path) -> None:
    program, net = katago
    config = tmp_path / "analysis.cfg"
    threads = "numAnalysisThreads = 1\nnumSearchThreadsPerAnalysisThread = 2\nnnMaxBatchSize = 2\nlogToStderr = false\n"
    config.write_text(threads)
    gtp = tmp_path / "gtp.cfg"
    off = ("logToStderr", "logAllGTPCommunication", "logSearchInfo")
    gtp.write_text("numSearchThreads = 2\nrules = chinese\n" + "".join(f"{key} = false\n" for key in off))
    state = played(Go(size=9), "E5", "C3")
    for spec in (
        "katago:" + shlex.join([program, "analysis", "-config", str(config), "-model", net]),
        "gtp:" + shlex.join([program, "gtp", "-config", str(gtp), "-model", net]),
    ):
        agent = kibitz.agent(state.game, spec)
        assert isinstance(agent, LastingBot)
        agent.reply_seconds = agent.start_seconds = 3 * PATIENCE
        choice = analysed(agent, VISITS, state=state)
        agent.close()
        assert choice.nodes >= 20
        assert len(choice.owners) == 81
        assert choice.value is not None
        assert choice.score is not None
        assert 0 < choice.value < 0.5  # with a komi of 7.5, White is ahead after any move of Black's
        assert -9 < choice.score < 0
