"""The games in OpenSpiel, held to its own test, and its bots as agents."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pyspiel
import pytest

import kibitz
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.game import Game
from kibitz.core.package import GamePackage
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import card_text
from kibitz.games.dots.rules import Dots
from kibitz.games.go.rules import Go
from kibitz.games.uttt.rules import Uttt
from kibitz.interop.openspiel import games as openspiel
from kibitz.interop.openspiel.bot import SpielBot, TwinFollower, twin_of
from kibitz.testing import random_game
from toy.cards import HighCard

GRAPH = '{"coins": ["a", "b"], "strings": [["s", "a", "b"], ["t", "a", "ground"], ["u", "b", "ground"]]}'


def test_openspiel_finds_no_fault(game: Game) -> None:
    pyspiel.random_sim_test(openspiel.load(game), num_sims=1, serialize=True, verbose=False)


def test_openspiel_finds_no_fault_in_a_graph() -> None:
    made = openspiel.load(Dots(graph=GRAPH))
    assert made.game == Dots(graph=GRAPH)
    pyspiel.random_sim_test(made, num_sims=3, serialize=True, verbose=False)


def test_parameters_are_options_and_results_ours(game: Game) -> None:
    made, rng = openspiel.load(game), random.Random(2)
    assert made.game == game
    theirs = made.new_initial_state()
    ours: Any = theirs.game_history.state
    while not theirs.is_terminal():
        if theirs.is_chance_node():
            theirs.apply_action(rng.choice(theirs.legal_actions()))
            ours = theirs.game_history.state
            continue
        assert theirs.current_player() == ours.to_move
        assert theirs.legal_actions() == list(ours.legal_moves())
        move = rng.choice(ours.legal_moves())
        assert theirs.action_to_string(move) == game.move_text(move)
        theirs.apply_action(move)
        ours = ours.play(move) if not theirs.is_chance_node() else ours
        assert theirs.game_history.state == ours
    outcome = ours.outcome()
    assert theirs.returns() == [outcome.value(0), outcome.value(1)]


def test_loaded_by_name_and_parameters() -> None:
    openspiel.register()
    made = pyspiel.load_game("kibitz_dots(rows=2,cols=3,start=icelandic)")
    assert made.game == Dots(2, 3, "icelandic")
    assert pyspiel.load_game("kibitz_go(size=5,komi=0.5)").game == Go(size=5, komi=0.5)
    with pytest.raises(BadOption, match="rows"):
        pyspiel.load_game("kibitz_dots(rows=10)")


def cards_of(state: BattleLineState) -> list[int]:
    """Return every card where it lies; environment cards lie at their flags."""
    sides = [card for flag in state.flags for side in flag.sides for card in side]
    lying = [card for cards in state.played for card in cards if card in (64, 65)]
    return sorted([*sides, *lying, *state.discards, *sum(state.hands, ()), *sum(state.decks, ())])


def words(text: str) -> set[str]:
    return set(re.split(r"[^A-Za-z0-9]+", text))


def test_chance_deals_what_nobody_has_seen_and_strings_hide_it() -> None:
    events: Counter[str] = Counter()
    for seed, game in enumerate([BattleLine(), BattleLine(edition="schotten-totten")] * 6):
        theirs, rng = openspiel.load(game).new_initial_state(), random.Random(seed)
        while not theirs.is_terminal():
            if theirs.is_chance_node():
                cards = [card for card, _ in theirs.chance_outcomes()]
                assert sum(odds for _, odds in theirs.chance_outcomes()) == pytest.approx(1)
                events["chance"] += 1
                theirs.apply_action(rng.choice(cards))
                continue
            state = theirs.game_history.state
            if events["moves"] % 5 == 0:
                assert cards_of(state) == list(game.all_cards)
                check_hidden(theirs, state)
            legal = state.legal_moves()
            scouts = [move for move in legal if game.move_text(move) == "scout"]
            tactics = [move for move in legal if game.move_text(move) == "draw tactics"]
            move = (scouts or tactics or [rng.choice(legal)])[0]
            theirs.apply_action(move)
            events["moves"] += 1
            events["known card drawn"] += game.shows_hidden(move) and not theirs.is_chance_node()
    assert events["chance"] > 500
    assert events["known card drawn"] > 5


def check_hidden(theirs: Any, state: BattleLineState) -> None:
    """Fail if what a player is told names a card whose place he does not know, or lacks his own."""
    for player in (0, 1):
        view = state.view(player)
        unknown = {card_text(card) for cards in view.unknown for card in cards}
        for text in (theirs.information_state_string(player), theirs.observation_string(player)):
            assert not words(text) & unknown
        own = {card_text(card) for card in view.hand}
        assert own <= words(theirs.observation_string(player))
        assert own <= words(theirs.information_state_string(player))


def test_a_program_that_used_our_games_ends_well() -> None:
    code = (
        "from kibitz.interop import openspiel as o; import kibitz; s = o.load(kibitz.game('dots')).new_initial_state()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_openspiel_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("kibitz.interop.openspiel")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(KibitzError, match=r"Run: pip install 'kibitz\[openspiel\]'"):
        kibitz.agent("uttt", "openspiel:random")


def start(game: Game) -> TwinFollower:
    twin = twin_of(game)
    assert twin is not None
    return twin


@pytest.mark.parametrize("game", [Dots(3, 4), Dots(1, 1), Go(size=5, komi=0.5), Uttt()], ids=str)
def test_their_games_are_followed_to_the_end_or_a_board_that_comes_back(game: Game) -> None:
    lost = 0
    for seed in range(12):
        twin = start(game)
        states = random_game(game, seed)
        for state in states[:-1]:
            if not twin.follow(state):
                lost += 1
                break
            assert twin.follow(state)  # as often as one likes
            actions = sorted({actions[0] for actions in twin.choices()})
            assert actions == twin.position.legal_actions()
            assert sorted(twin.choices().values()) == list(state.legal_moves())
    assert lost == 0 if game.name != "go" else lost < 12


def test_lines_of_a_whole_turn_are_followed() -> None:
    game = Dots(3, 3)
    for seed in range(10):
        twin, states = start(game), random_game(game, seed)
        turns = [now for before, now in itertools.pairwise(states[:-1]) if before.to_move != now.to_move]
        assert len(turns) < len(states) - 2
        assert all(map(twin.follow, turns))


def test_other_positions_are_not_followed() -> None:
    state = random_game(Uttt(), 1)[9]
    assert not start(Uttt()).follow(Uttt().parse_position(Uttt().position_text(state)))
    twin = start(Dots(2, 2))
    later, earlier = random_game(Dots(2, 2), 1)[5], Dots(2, 2).start()
    assert twin.follow(later)
    assert not twin.follow(earlier)


@pytest.mark.parametrize(
    "game",
    [Dots(graph=GRAPH), Dots(2, 2, "swedish"), Go(ko="positional"), Go(size=1), Go(handicap=2), Uttt("open")],
    ids=str,
)
def test_games_that_openspiel_has_not(game: Game) -> None:
    assert twin_of(game) is None


BOTS = [
    (Dots(2, 2), 200),
    (Dots(2, 2, "swedish"), 100),
    (Uttt(), 60),
    (Go(size=3, komi=0.5), 40),
    (Go(size=2, komi=0.5, ko="positional"), 10),
    (BattleLine(tactics=False), 2),
]


@pytest.mark.parametrize(("game", "sims"), BOTS, ids=str)
@pytest.mark.parametrize("name", ["mcts", "random"])
def test_bots_play_whole_games_which_a_seed_repeats(game: Game, sims: int, name: str) -> None:
    spec = f"openspiel:mcts(sims={sims})" if name == "mcts" else "openspiel:random"
    bot, random_agent = kibitz.agent(game, spec), kibitz.agent(game, "random")
    first, again = (kibitz.play(game, [bot, random_agent], seed=3) for _ in range(2))
    assert "forfeit" not in first.reason
    assert first.moves == again.moves
    assert first.agents[0] == spec


def test_mcts_beats_random_moves_in_their_game_and_in_ours() -> None:
    for game in (Uttt(), Dots(2, 2, "icelandic")):
        agents = [kibitz.agent(game, "openspiel:mcts(sims=100)"), kibitz.agent(game, "openspiel:random")]
        results = [kibitz.play(game, agents, seed=seed).result for seed in range(8)]
        assert results.count("1-0") >= 6


def test_a_bot_goes_on_where_its_game_was_not_followed() -> None:
    game = Uttt()
    bot = kibitz.agent(game, "openspiel:mcts(sims=10)")
    assert isinstance(bot, SpielBot)
    states = random_game(game, 2)
    for state in (states[0], states[20], states[3], game.parse_position(game.position_text(states[8]))):
        assert bot.choose(state.view(0)).move in state.legal_moves()


@pytest.mark.parametrize("game", [Uttt(), Uttt("open"), BattleLine()], ids=lambda game: game.name)
def test_a_search_ends_with_its_time_or_its_playouts(game: Game) -> None:
    bot = kibitz.agent(game, "openspiel:mcts(sims=1000000000)")
    view = game.start(1).view(0)
    for budget in (Budget(seconds=0.2), Budget(playouts=4)):
        choice = bot.choose(view, budget)
        assert choice.move in view.legal_moves()
        assert 1 <= choice.playouts < 1_000_000
    assert choice.playouts == 4


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("openspiel:", "names no program: write openspiel:BOT"),
        ("openspiel:chess", "Unknown bot openspiel:chess; use one of random, mcts."),
        ("openspiel:mcts(sims=1)", "sims must be at least 2, got 1"),
        ("openspiel:mcts(depth=3)", "openspiel:mcts has no option 'depth'; it takes sims=int, c=number."),
        ("openspiel:random(sims=3)", "it takes no options"),
        ("openspiel:mcts(", "lacks its closing bracket"),
    ],
)
def test_a_wrong_spec_is_refused_in_words(spec: str, words: str) -> None:
    with pytest.raises(BadOption, match=re.escape(words)):
        kibitz.agent("uttt", spec)


def test_a_hidden_deal_needs_the_part_that_describes_it(
    add_game: Callable[[GamePackage], None], caplog: pytest.LogCaptureFixture
) -> None:
    add_game(GamePackage(HighCard))
    registry.warn_once.cache_clear()
    said = "High Card cannot be played in OpenSpiel: it hides cards, so its package needs the part `chance`."
    openspiel.register()
    assert "kibitz_high-card" not in pyspiel.registered_names()
    assert [record.getMessage() for record in caplog.records] == [said]
    with pytest.raises(BadOption, match=re.escape(said)):
        openspiel.load(HighCard())
