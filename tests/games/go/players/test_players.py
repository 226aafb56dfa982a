"""The players of Go that know professional games: legal and sound moves, when they pass, and what they fall back on."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from games.go.go_games import Game, store_of
from games.go.predict.net_files import TINY
from kibitz.arena.match import play
from kibitz.core.agent import Agent
from kibitz.core.errors import BadOption, BadText
from kibitz.core.parts import AgentEntry
from kibitz.games.go.patterns.mining.mined import Kind
from kibitz.games.go.patterns.mining.mining import mine
from kibitz.games.go.players.mcts.guide import Guide, PredictorGuide
from kibitz.games.go.players.mcts.trail import MAX_REMEMBERED_MOVES, Trail
from kibitz.games.go.players.pattern import PatternAgent, PredictorAgent, is_eye, is_settled, is_sound
from kibitz.games.go.predict.fit.course import Moment
from kibitz.games.go.predict.model.layout import FIXED_FEATURES
from kibitz.games.go.predict.model.model import read_model, write_model
from kibitz.games.go.predict.models import Shares, open_model
from kibitz.games.go.predict.shipped import has_net
from kibitz.games.go.rules import BLACK, WHITE, Go, GoState
from kibitz.search.agents import agent_entries, is_private, make_agent, resolve, summary_of

MCTS = "mcts(playouts=40)"
PLAYERS = [
    MCTS,
    "pattern",
    "predictor(playouts=30)",
    "mcts(priors=best,playouts=30)",
    "mcts(priors=patterns,playouts=30)",
]
SEVEN = Go(size=7, komi=0.5)
STRIPES = "/".join(["1X1XO1O"] * 7)
"""Black has the four columns on the left and White the three on the right: 28 points to 21, and no room to live in."""
needs_net = pytest.mark.skipif(not has_net(), reason="onnxruntime is not installed")


def choose(agent: Agent, state: GoState) -> str:
    return state.game.move_text(agent.choose(state).move)


def test_a_table_may_have_a_class_that_lies_above_its_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(agent_entries("go"), "alias", AgentEntry("pattern"))
    assert agent_entries("go")["pattern"].make is PatternAgent
    assert resolve("go", "alias") == (PatternAgent, {})
    assert summary_of(resolve("go", "alias")[0]) == (PatternAgent.__doc__ or "").splitlines()[0]
    assert agent_entries("go")["alias"].make == "pattern"


@pytest.mark.parametrize("spec", PLAYERS)
def test_every_board_can_be_played(spec: str) -> None:
    games = [Go(size=9, handicap=3), Go(size=13, ko="positional"), Go(size=19, handicap=4, komi=0.5), Go(size=21)]
    for game in (Go(size=1), Go(size=5, scoring="territory", suicide=True), *games):
        agent, state = make_agent(game, spec), game.start()
        for _ in range(4):
            if state.is_over():
                break
            choice = agent.choose(state)
            assert [value.move for value in choice.moves] in ([], list(state.legal_moves()))
            state = state.play(choice.move)
        if game.size > 1:
            assert ("of this size" in choice.note) == (game.size in (5, 21) and spec != MCTS)


@pytest.mark.parametrize("spec", PLAYERS)
def test_own_eyes_are_not_filled(spec: str) -> None:
    state = SEVEN.parse_position("1XXXXXX/XXXXXXX/XXX1XXX/XXXXXXX/XXXXXXX/XXXXXXX/XXXXXXX X")
    assert len(state.legal_moves()) == 3  # both eyes, and the pass
    assert choose(make_agent(SEVEN, spec), state) == "pass"


@pytest.mark.parametrize("spec", PLAYERS)
def test_a_settled_game_ends_with_the_right_score(spec: str) -> None:
    agents = [make_agent(SEVEN, spec) for _ in range(2)]
    passed = SEVEN.parse_position(f"{STRIPES} O").play(SEVEN.pass_move)
    assert choose(agents[0], passed) == "pass"
    assert (ended := passed.play(SEVEN.pass_move).outcome()) is not None
    assert (ended.result, ended.reason) == ("1-0", "28 points to 21.5")
    state = SEVEN.parse_position(f"{STRIPES} O")
    while not state.is_over():  # White is behind and may try what she likes
        state = state.play(agents[state.to_move].choose(state).move)
    assert (outcome := state.outcome()) is not None
    assert outcome.result == "1-0"
    assert state.turn < 60


def test_sound_moves_and_eyes() -> None:
    # A7 is an eye; so is C7, with one corner taken by White in the middle of no edge; E7 is false at the edge
    state = SEVEN.parse_position("1X1X1X1/XXXXXOX/7/7/1XXX3/1X1X3/1XXX3 X")
    board = state.board
    assert [is_eye(board, point, 1) for point in (0, 2, 4, 5 * 7 + 2)] == [True, True, False, True]
    assert not is_eye(board, 5 * 7 + 2, 2)
    assert not is_sound(state, 5 * 7 + 2)
    # in the corner a lone stone is put in atari; beside White's stone in atari it takes it
    other = SEVEN.parse_position("1O5/7/7/7/7/5X1/5OX X")
    assert [is_sound(other, point) for point in (0, 6 * 7 + 4, 3 * 7 + 3)] == [False, True, True]


def test_what_is_settled() -> None:
    assert is_settled(SEVEN.parse_position(f"{STRIPES} X"))
    assert not is_settled(SEVEN.start())
    assert not is_settled(SEVEN.parse_position("/".join(["1X1X1O1"] * 7) + " X"))  # nobody's column lies between them


def test_the_matcher_beats_chance_and_tells_the_pattern() -> None:
    game = Go(size=9)
    matcher, chance = make_agent(game, "pattern"), make_agent(game, "random")
    for seed in range(2):
        assert play(game, [matcher, chance], seed).result == "1-0"
        assert play(game, [chance, matcher], seed).result == "0-1"
    # the patterns know what to do beside an atari: the stone on E5 has one liberty left, F5
    state = game.parse_position("9/9/9/4O4/3OX4/4O4/9/9/9 X")
    choice = matcher.choose(state)
    assert game.move_text(choice.move) == "F5"
    assert "The largest known pattern around it is circle" in choice.note
    assert "... X*. ..." in choice.note or "O.. X*. O.." in choice.note
    assert choice.unit == "share"
    assert sum(value.value for value in choice.moves) == pytest.approx(1)


@pytest.mark.parametrize("model", ["patterns", pytest.param("net", marks=needs_net)])
def test_the_predictor_tells_the_shares_of_its_model(model: str) -> None:
    game = Go(size=9)
    state = game.start().play(20).play(60)
    agent = make_agent(game, f"predictor(model={model},playouts=60)")
    choice = agent.choose(state)
    shares = open_model(model).shares(Moment(state.board, 1, (60,), -1, 2, -1))
    assert (choice.unit, choice.value) == ("share", None)
    for value in choice.moves:
        if value.move != game.pass_move:
            assert value.value == pytest.approx(float(shares[value.move]), abs=1e-6)
    assert choice.move in sorted(range(81), key=lambda point: -shares[point])[:5]
    assert ("net" if model == "net" else "pattern model") in choice.note


class Misled(PredictorAgent):
    """Its model likes E3 best, and then E9."""

    def guide(self) -> Guide:
        return PredictorGuide(self, 9)

    def shares(self, moment: Moment) -> Shares:
        chances = np.zeros(81)
        chances[[58, 4]] = 0.5, 0.4
        return chances


def test_the_predictor_makes_no_blunder() -> None:
    """Whoever plays E9 takes a large chain of the other's, 12 stones or 14."""
    game = Go(size=9)
    state = game.parse_position("XXXX1OOOO/XXXXOOOOO/XXXXOOOOO/OOOOXXXXX/9/9/9/9/9 X")
    assert (game.parse_move("E3"), game.parse_move("E9")) == (58, 4)
    choice = Misled(game, model="patterns").choose(state)
    assert choice.move == 4
    assert "its move number 2" in choice.note


@pytest.mark.parametrize("spec", ["predictor(playouts=40)", "mcts(priors=best,playouts=80)"])
def test_a_seed_decides_everything(spec: str) -> None:
    agent, found = make_agent(SEVEN, spec), []
    for _ in range(2):
        agent.reset(3)
        state, notes = SEVEN.start(), list[str]()
        for _ in range(4):
            choice = agent.choose(state)
            state = state.play(choice.move)
            notes.append(choice.note)
        found.append((state, notes))
    assert found[0] == found[1]


def test_a_model_is_told_the_moves_before() -> None:
    trail, state = Trail(), SEVEN.start()
    assert trail.before(state) == (-1,)
    for turn in range(10):
        before = trail.before(state)
        assert trail.before(state) == before  # to be asked again changes nothing
        assert before == tuple([*range(2 * turn - 1, -1, -1), -1][:MAX_REMEMBERED_MOVES])
        trail.add(2 * turn)
        state = state.play(2 * turn).play(2 * turn + 1)
    state = state.play(SEVEN.pass_move).play(40)
    assert trail.before(state) == (40,)  # two moves went by unseen
    trail.add(SEVEN.pass_move)
    state = state.play(SEVEN.pass_move).play(41)
    assert trail.before(state) == (41, -1, 40)
    assert trail.before(SEVEN.parse_position("7/7/7/7/7/7/7 X")) == (-1,)


# Patterns and models of one's own


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return two mined stores: White answers the stone in the middle beside it, or diagonally."""
    folders = []
    for number, answers in enumerate([(41, 31, 39, 49), (30, 32, 48, 50)]):
        # the passes make the games different, so that none is left out as a duplicate
        games: list[Game] = [
            ([], [(BLACK, -1)] * at + [(BLACK, 40), (WHITE, point)]) for at, point in enumerate(answers)
        ]
        store = store_of(tmp_path_factory.mktemp("patterns") / f"my games, {number} (new)", games)
        mine(store, [Kind("moves", "3x3", 8, 9)])
        folders.append(store.folder)
    return folders


def test_two_collections_choose_differently_and_tell_the_pattern(stores: list[Path]) -> None:
    game = Go(size=9)
    state, chosen = game.start().play(40), []
    for folder in stores:
        agent = make_agent(game, f'pattern(store="{folder}")')
        choice = agent.choose(state)
        chosen.append(choice.move)
        assert choice.unit == "share"
        assert sum(value.value for value in choice.moves) == pytest.approx(1)
        assert choice.note.endswith("played 4 of 16 times it could be.")
        agent.reset(0)
        assert agent.choose(state).move == choice.move
        assert len({make_agent(game, agent.spec, seed).choose(state).move for seed in range(20)}) == 4
    assert chosen[0] in (41, 31, 39, 49)
    assert chosen[1] in (30, 32, 48, 50)


def test_the_patterns_of_a_store_follow_the_rules(stores: list[Path]) -> None:
    game = Go(size=7, komi=0.5)
    agent = make_agent(game, f'pattern(store="{stores[0]}",shape=3x3)')
    full = game.parse_position("1XXXXXX/XXXXXXX/XXX1XXX/XXXXXXX/XXXXXXX/XXXXXXX/XXXXXXX X")
    assert choose(agent, full) == "pass"
    won = game.parse_position(f"{STRIPES} X").play(game.pass_move)
    assert won.score().winner == 0
    settled = agent.choose(game.parse_position(f"{STRIPES} O").play(game.pass_move))
    assert (settled.move, "is won" in settled.note) == (game.pass_move, True)
    crowded = game.parse_position("X1X1X1X/1O1O1O1/X1X1X1X/1O1O1O1/X1X1X1X/1O1O1O1/X1X1X1X X")
    choice = agent.choose(crowded)
    assert choice.note.startswith("No pattern of the store lies around a sound move. Wins ")


@pytest.fixture(scope="module")
def own_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a model that plays anywhere: the shipped one without its weights and all patterns but one."""
    content = read_model(Path(str(resources.files("kibitz.games.go.predict.model").joinpath("patterns.npz"))))
    file: Path = tmp_path_factory.mktemp("models") / "my model, no. 1 (best).npz"
    weights = np.zeros_like(content.weights[: FIXED_FEATURES + 1])
    write_model(file, content._replace(keys=content.keys[:1], weights=weights))
    return file


def test_a_model_of_ones_own(own_model: Path) -> None:
    game = Go(size=7)
    shares = open_model("", own_model).shares(Moment(game.start().board, 1, (), -1, 0, -1))
    assert shares.max() == pytest.approx(shares.min())
    choice = make_agent(game, f'predictor(file="{own_model}",playouts=30)').choose(game.start())
    assert all(value.value == pytest.approx(1 / 49) for value in choice.moves[:-1])
    assert choice.note.startswith("Predicted by the pattern model with 2.0%")
    assert choice.note.endswith("It follows the pattern model of my model, no. 1 (best).npz.")
    agent = make_agent(game, f'mcts(priors="{own_model}",playouts=20)')
    assert "It follows the pattern model of my model" in agent.choose(game.start()).note
    assert (
        "No model knows boards of this size"
        in make_agent(Go(size=5), f'mcts(priors="{own_model}",playouts=20)').choose(Go(size=5).start()).note
    )


@needs_net
def test_a_net_of_ones_own() -> None:
    state = SEVEN.start().play(24)
    choice = make_agent(SEVEN, f"predictor(file={TINY},playouts=30)").choose(state)
    assert choice.move in (23, 25, 17, 31)  # it plays beside the last move
    assert choice.note.startswith("Predicted by the net with")
    assert choice.note.endswith("It follows the net of go_tiny_net.onnx.")


def test_models_and_stores_that_cannot_be_read(own_model: Path, stores: list[Path], tmp_path: Path) -> None:
    damaged, foreign, net = tmp_path / "damaged.npz", tmp_path / "foreign.npz", tmp_path / "no.onnx"
    damaged.write_bytes(own_model.read_bytes()[:-60])
    np.savez(foreign, about=np.zeros(3))
    net.write_bytes(b"no net")
    refusals = {
        f"mcts(priors={tmp_path}/none.npz)": r"There is no file .*none\.npz\. Name a model made by kibitz",
        f"predictor(file={tmp_path})": "There is no file",
        f"mcts(priors={damaged})": r"damaged\.npz is not a pattern model, or is damaged\. Make one with",
        f"predictor(file={foreign})": r"foreign\.npz is not a pattern model",
        f"predictor(model=net,file={own_model.parent})": "takes either model or file, not both",
        f"pattern(store={tmp_path})": "There is no store in .* Create one with kibitz go import",
        f'pattern(store="{stores[0]}",shape=5x5)': "No patterns of shape 5x5 around moves were mined in",
        "pattern(shape=5x5)": "shape is an option for the patterns of a store",
    }
    if has_net():
        refusals[f"mcts(priors={net})"] = r"no\.onnx cannot be read as a net"
    for spec, words in refusals.items():
        with pytest.raises((BadOption, BadText), match=words):
            make_agent("go", spec)


def test_which_specs_a_server_refuses(own_model: Path) -> None:
    private = [f'mcts(priors="{own_model}")', "predictor(file=x)", "pattern(store=/etc)", "exec:cat", "gtp:gnugo"]
    assert all(is_private("go", spec) for spec in private)
    public = [
        "mcts(priors=net)",
        "pattern(store=masters)",
        "pattern",
        "champion",
        "predictor(model=net)",
        "unknown(a=b)",
    ]
    assert not any(is_private("go", spec) for spec in public)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("predictor(model=oracle)", "must be best, net or patterns"),
        ("mcts(priors=oracle)", "There is no file oracle. Name a model .* or windows, patterns, net, best"),
        ("predictor(playouts=0)", "must be more than 0"),
        ("predictor(resign=0.7)", "less than 0.5"),
        ("mcts(resign=-1)", "0 or more"),
        ("mcts(tree=10)", "1000 to 20000000"),
        ("mcts(playouts=0)", "must be more than 0"),
        ("pattern(model=net)", "has no option 'model'"),
    ],
)
def test_options_that_cannot_be(spec: str, words: str) -> None:
    with pytest.raises(BadOption, match=words):
        make_agent("go", spec)


WITHOUT_NET = """
import sys
sys.modules["onnxruntime"] = None
from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText
from kibitz.search.agents import agent_entries, make_agent
game = registry.game("go", size=7)
for module in ("numpy", "numba"):
    assert module not in sys.modules, module
agent_entries("go")
for module in ("numpy", "numba"):
    assert module not in sys.modules, module
for spec in ("champion(playouts=5)", "predictor(playouts=5)"):
    print(make_agent(game, spec).choose(game.start().view(0)).note)
for spec in ("predictor(model=net)", "mcts(priors=net)"):
    try:
        make_agent(game, spec)
    except BadOption as refused:
        print(refused)
"""


def test_without_onnxruntime_the_patterns_are_used() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_NET], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    champion, predictor, *refused = ran.stdout.splitlines()
    assert "It follows the pattern model: onnxruntime cannot be loaded" in champion
    assert predictor.startswith("Predicted by the pattern model")
    assert len(refused) == 2
    assert all("onnxruntime" in words for words in refused)
