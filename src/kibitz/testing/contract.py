"""Tests that every game must pass, on random games: rules, kernel, agents and pictures.

Needs pytest. Tests of parts that a game does not have are skipped; a game that only has rules is tested with the
default parts.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import ClassVar, Literal, cast, get_args, get_origin

import numpy as np
import pytest

import kibitz
from kibitz.core import registry
from kibitz.core.agent import WIN, Agent, Budget, Choice, Watch
from kibitz.core.defaults.page import PlainPage
from kibitz.core.defaults.shown import svg_of
from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.core.game import Game, Move, OptionValue, S, State, V, View, hides, is_over
from kibitz.core.parts import Kernel
from kibitz.core.spec import parameters
from kibitz.picture import Picture
from kibitz.picture.check import overlay_problems, panel_problems, problems_of
from kibitz.picture.wire import diff, to_json
from kibitz.search.agents import agent_entries
from kibitz.testing.changes import apply, with_sorted_parts

GAMES_PER_TEST = 6
MAX_OPTION_SETS = 6
"""Test up to this many combinations of choices; if there are more, vary one option at a time."""
MAX_TRIED_MOVES = 200
"""The maximum number of moves tried in each position to test that illegal moves are refused."""
MAX_CACHED_GAMES = 128
"""The number of random games cached between tests: enough for all option sets of a game."""
MAX_CACHED_PICTURES = 8
"""The number of random games whose pictures are cached between tests."""
SMALL_BUDGET = Budget(seconds=60.0, nodes=300, playouts=25)
LEVELS = tuple(f"level{number}" for number in range(1, 11))


def option_sets(name: str, small: Mapping[str, OptionValue] | None = None) -> Iterator[Game]:
    """Yield a game with every combination of its Literal options; if these are too many, change one at a time.

    small: values of the other options that keep the games short.
    """
    small = small or {}
    choices: dict[str, tuple[object, ...]] = {
        key: get_args(kind) if get_origin(kind) is Literal else (small.get(key, default),)
        for key, (kind, default) in parameters(registry.game_class(name)).items()
    }
    if math.prod(map(len, choices.values())) <= MAX_OPTION_SETS:
        for values in itertools.product(*choices.values()):
            yield registry.game(name, **dict(zip(choices, values, strict=True)))
    else:
        default = registry.game(name, **small)
        yield default
        others = {registry.game(name, **{**small, key: value}) for key, values in choices.items() for value in values}
        yield from sorted(others - {default}, key=str)


def game_id(game: Game) -> str:
    """Return a test id: the name of a game and the values of its options."""
    return "-".join([game.name, *(str(value) for value in game.options.values())])


def play_randomly(game: Game[S, V], seed: int) -> tuple[tuple[S, ...], tuple[Move, ...]]:
    """Play a random game; return its positions, first to last, and the moves between them."""
    rng = random.Random(seed)
    states, played = [game.start(seed)], list[Move]()
    while moves := states[-1].legal_moves():
        assert len(played) < game.max_game_length, (
            f"a game is longer than {game.max_game_length} moves; change max_game_length, or end it"
        )
        played.append(rng.choice(moves))
        states.append(states[-1].play(played[-1]))
    return tuple(states), tuple(played)


_cached_play = lru_cache(MAX_CACHED_GAMES)(play_randomly)


def random_play(game: Game[S, V], seed: int) -> tuple[tuple[S, ...], tuple[Move, ...]]:
    """Return the result of play_randomly from a cache, since most tests use the same games."""
    return cast(tuple[tuple[S, ...], tuple[Move, ...]], _cached_play(game, seed))


def random_game(game: Game[S, V], seed: int) -> tuple[S, ...]:
    """Return the positions of a random game, first to last."""
    return random_play(game, seed)[0]


class Contract:
    """A group of tests. A subclass names the game, and options that keep its games short if it needs them."""

    name: ClassVar[str] = ""
    small: ClassVar[Mapping[str, OptionValue]] = {}

    def __init_subclass__(cls, game: str = "", small: Mapping[str, OptionValue] | None = None) -> None:
        if game:
            cls.name, cls.small = game, small or {}

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every test with every set of options, and each test that takes a seed on several games."""
        if "game" in metafunc.fixturenames:
            metafunc.parametrize("game", list(option_sets(self.name, self.small)), ids=game_id)
        if "seed" in metafunc.fixturenames:
            metafunc.parametrize("seed", range(GAMES_PER_TEST))


class RulesContract(Contract):
    """Rules: legal moves, texts, symmetries, views and notations."""

    def test_legal_moves_ascend_and_end_with_the_game(self, game: Game, seed: int) -> None:
        for state in random_game(game, seed):
            moves = state.legal_moves()
            assert list(moves) == sorted(set(moves)), f"legal_moves() does not ascend: {moves}"
            beyond = [move for move in moves if move not in game.moves()]
            assert not beyond, f"legal moves {beyond} are not in moves(), {game.moves()}"
            outcome = state.outcome()
            assert (not moves) == (outcome is not None), f"legal_moves() is {moves}, but outcome() is {outcome}"

    def test_illegal_moves_are_refused_and_change_nothing(self, game: Game, seed: int) -> None:
        rng = random.Random(seed)
        for state in random_game(game, seed)[::9]:
            before = (hash(state), repr(state))
            tried = rng.sample(game.moves(), min(MAX_TRIED_MOVES, len(game.moves())))
            for move in {*tried, -1, len(game.moves()), 10**9} - set(state.legal_moves()):
                with pytest.raises(IllegalMove, match=r"\w+.*\."):
                    state.play(move)
            for move in state.legal_moves():
                assert state.play(move) != state, f"the move {move} changes nothing"
            assert (hash(state), repr(state)) == before, "play() changed the position that it was called on"

    def test_the_same_moves_make_equal_states(self, game: Game, seed: int) -> None:
        first, second = random_game(game, seed), play_randomly(game, seed)[0]
        assert first == second, "the same moves lead to different positions"
        assert [hash(state) for state in first] == [hash(state) for state in second]
        assert len(set(first)) == len(first), "two positions of a game are equal; their turns, at least, must differ"

    def test_the_turn_counts_up(self, game: Game) -> None:
        turns = [state.turn for state in random_game(game, 1)]
        assert turns[0] == 0
        steps = [later - earlier for earlier, later in itertools.pairwise(turns)]
        assert set(steps) <= {0, 1}, f"the turn must grow by 0 or 1 with each move, but the turns are {turns}"

    def test_move_texts_parse_back(self, game: Game) -> None:
        moves = game.moves()
        for move in moves:
            for text in (game.move_text(move), game.move_label(move)):
                read = game.parse_move(text)
                assert read == move, f"move {move} has the text {text!r}, which is read as move {read}"

    def test_nonsense_is_not_a_move(self, game: Game) -> None:
        nonsense = {"", " ", "x", "-1", "1e3", "99999999999999999999", "٣", "1 2 3", "0x1", "\x00"}
        for text in nonsense - {game.move_text(move) for move in game.moves()}:
            with _refused("parse_move", text):
                game.parse_move(text)

    def test_position_texts_parse_back(self, game: Game, seed: int) -> None:
        for state in random_game(game, seed):
            text = game.position_text(state)
            assert game.parse_position(text) == state, f"{text!r} is not read as the position it was written for"

    def test_nonsense_is_not_a_position(self, game: Game) -> None:
        for text in (" ", "nonsense", "1 2 3", "\x00", "/" * 100):
            with _refused("parse_position", text):
                game.parse_position(text)

    def test_symmetric_games_go_the_same_way(self, game: Game, seed: int) -> None:
        symmetries = game.symmetries()
        assert symmetries[0] == tuple(game.moves()), "the first symmetry must be the identity"
        assert len(set(symmetries)) == len(symmetries), "symmetries() names one twice"
        turned = symmetries[random.Random(seed).randrange(len(symmetries))]
        rng, state, image = random.Random(seed), game.start(seed), game.start(seed)
        while moves := state.legal_moves():
            assert sorted(turned[move] for move in moves) == list(image.legal_moves()), f"under {turned}"
            move = rng.choice(moves)
            state, image = state.play(move), image.play(turned[move])
            assert image.to_move == state.to_move, f"under {turned}"
        assert image.outcome() == state.outcome(), f"under {turned}"

    def test_drawn_boards_keep_their_size_and_mark_the_last_move(self, game: Game) -> None:
        sizes = set()
        states, moves = random_play(game, 2)
        for state, last in zip(states[1:], moves, strict=True):
            lines = game.draw(state.view(state.to_move), last)
            sizes.add((len(lines), max((sum(len(stretch) for stretch, _ in line) for line in lines), default=0)))
            marked = any(role == "last" for line in lines for _, role in line)
            assert marked, f"draw() gives no stretch the role 'last' after {game.move_text(last)}"
        assert len(sizes) == 1, f"draw() changes its size, (lines, columns): {sorted(sizes)}"

    def test_a_view_knows_what_the_mover_knows(self, game: Game) -> None:
        for state in random_game(game, 3):
            view = state.view(state.to_move)
            assert (view.to_move, view.turn, view.legal_moves()) == (state.to_move, state.turn, state.legal_moves())
            assert view.sample(random.Random(0)).view(state.to_move) == view, "sample() does not fit what is known"
            for player in (0, 1, None):
                ends = {is_over(state.view(player)), state.outcome() is not None}
                assert len(ends) == 1, "legal_moves() and sample() of a view do not agree whether the game is over"
            if has_view_texts(game):
                text = game.view_text(view)
                assert game.parse_view(text) == view, f"{text!r} is not read as the view it was written for"

    def test_notations_read_what_they_write(self, game: Game) -> None:
        notations = registry.package(game.name).make_notations()
        states, moves = random_play(game, 4)
        written = set()
        for kind in notations.kinds:
            try:
                text = notations.write(states, moves, kind.name)
            except (BadOption, BadText):  # a notation from elsewhere may be unable to express some options
                continue
            written.add(kind.kind)
            start, read = notations.read(game, text, kind.name)
            final = start
            for move in read:
                final = final.play(move)
            assert final.legal_moves() == states[-1].legal_moves(), kind.name
            assert game.position_text(final) == game.position_text(states[-1]), kind.name
        assert written == {kind.kind for kind in notations.kinds}, "no notation of one kind writes this game"


def has_view_texts(game: Game) -> bool:
    """Return whether a game defines view_text, which is optional for games with hidden information."""
    return not hides(game.start()) or type(game).view_text is not Game.view_text


@contextmanager
def _refused(method: str, text: str) -> Iterator[None]:
    """Assert that the block raises BadText."""
    try:
        yield
    except BadText:
        return
    except Exception as error:
        pytest.fail(f"{method}({text!r}) must raise BadText, but raises {type(error).__name__}: {error}")
    pytest.fail(f"{method}({text!r}) must raise BadText")


class KernelContract(Contract):
    """Kernel: it agrees with the rules on every ply of random games."""

    @pytest.fixture
    def kernel(self, game: Game) -> Kernel:
        """Return the kernel of the game, or skip the test if it has none."""
        if registry.package(game.name).kernel is None:
            pytest.skip("the game has no kernel")
        for evaluation in registry.evaluations(game.name).known.values():
            evaluation.load()
        return registry.kernel(game.name)

    def test_the_limits_of_the_kernel_are_large_enough(self, game: Game, kernel: Kernel) -> None:
        states, moves = random_play(game, 0)
        widest = max(len(state.legal_moves()) for state in states)
        for limit, amount, found in (
            ("MOVES", len(game.moves()), f"moves() is {game.moves()}"),
            ("MAX_LEGAL_MOVES", widest, f"a position has {widest} legal moves"),
            ("MAX_GAME_LENGTH", len(moves), f"a game has {len(moves)} moves"),
        ):
            assert amount <= getattr(kernel, limit), f"{limit} is {getattr(kernel, limit)}, but {found}"

    @pytest.mark.parametrize("number", range(3))
    def test_kernel_and_rules_agree_on_every_ply(self, game: Game, kernel: Kernel, number: int) -> None:
        from kibitz.testing.compiled import advance, duplicate, retreat

        rng = random.Random(number)
        states, moves = random_play(game, number)
        pos = kernel.pack(states[0])
        for state, move in zip(states[:-1], moves, strict=True):
            _check_position(state, pos, kernel)
            before = _arrays(pos)
            tried = rng.choice(state.legal_moves())
            token = advance(pos, tried)
            _check_position(state.play(tried), pos, kernel)
            retreat(pos, tried, token)
            assert _arrays(pos) == before
            advance(pos, move)
        _check_position(states[-1], pos, kernel)
        other = kernel.pack(states[0])
        duplicate(pos, other)
        assert _arrays(other) == _arrays(pos)

    def test_keys_tell_positions_apart(self, game: Game, kernel: Kernel) -> None:
        seen: dict[int, State] = {}
        played = set[State]()
        for number in range(20):
            for state in random_game(game, number):
                if state.outcome() is None:
                    assert _continue_alike(seen.setdefault(key_of(state), state), state)
                    played.add(state)
        assert len(seen) >= min(500, len(played) // 2)


def _arrays(pos: Iterable[object]) -> list[list[int]]:
    """Return the int64 arrays of a kernel position, as lists; other fields, such as nets, are not part of the state."""
    return [part.tolist() for part in pos if isinstance(part, np.ndarray) and part.dtype == np.int64]


def _read_position(state: State, pos: Iterable[object], kernel: Kernel) -> tuple[list[int], list[int]]:
    """Return the legal moves of a kernel position, and a list of its mover, over, final, key and evaluations."""
    from kibitz.testing.compiled import describe

    count = len(registry.evaluations(state.game.name).known)
    moves, out = np.zeros(kernel.MAX_LEGAL_MOVES, np.int64), np.zeros(4 + count, np.int64)
    return moves[: describe(pos, moves, out)].tolist(), out.tolist()


def key_of(state: State) -> int:
    """Return the hash key that the game's kernel gives a position."""
    kernel = registry.kernel(state.game.name)
    return _read_position(state, kernel.pack(state), kernel)[1][3]


def _check_position(state: State, pos: Iterable[object], kernel: Kernel) -> None:
    """Assert that a kernel position agrees with a state in moves, mover, result, evaluations and arrays."""
    from kibitz.testing.compiled import quick_scores

    evaluations = registry.evaluations(state.game.name)
    moves, (mover, over, final, _, *values) = _read_position(state, pos, kernel)
    assert tuple(moves) == state.legal_moves()
    assert kernel.unpack(pos, state.game) == state
    assert mover == state.to_move
    assert bool(over) == (state.outcome() is not None)
    if over:
        assert final == evaluations.final(state)
    else:
        assert values == [evaluation.function(state) for evaluation in evaluations.known.values()]
        assert all(abs(value) < WIN for value in values)
    guesses = np.array(moves, np.int64)
    quick_scores(pos, guesses, len(guesses))
    assert np.abs(guesses).max(initial=0) <= 16, "a quick score is a few points, see kibitz.compiled.position"
    assert _arrays(kernel.pack(state)) == _arrays(pos)


def _continue_alike(first: State, second: State) -> bool:
    """Return whether two positions are equal, or the same random moves lead to the same result from both."""
    rng = random.Random(1)
    while first != second and (moves := first.legal_moves()):
        if second.to_move != first.to_move or second.legal_moves() != moves:
            return False
        move = rng.choice(moves)
        first, second = first.play(move), second.play(move)
    return first == second or first.outcome() == second.outcome()


class _Wrong(Agent):
    """Plays a move that does not exist."""

    def choose(self, view: kibitz.View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        return Choice(10**6)


class AgentsContract(Contract):
    """Agents: legal moves, plausible values, and the same play from the same seed."""

    def test_there_are_ten_levels_and_a_champion(self, game: Game) -> None:
        table = agent_entries(game.name)
        missing = {*LEVELS, "champion", "random"} - set(table)
        assert not missing, f"the table of agents lacks {sorted(missing)}"
        assert table["level10"].make == "champion"

    def test_other_names_stand_for_the_same_agents(self, game: Game) -> None:
        table = agent_entries(game.name)
        for name, entry in table.items():
            if entry.make in table:
                same = type(kibitz.agent(game, str(entry.make)))
                assert type(kibitz.agent(game, name)) is same, f"{name} is not {entry.make}"

    def test_every_agent_answers_with_a_legal_move(self, game: Game) -> None:
        for name in distinct_agents(game):
            agent = kibitz.agent(game, name)
            for state in stages(game):
                check_choice(state, agent.choose(state.view(state.to_move), SMALL_BUDGET))

    def test_the_analyst_values_its_choice(self, game: Game) -> None:
        for state in stages(game):
            choice = kibitz.analyse(state, Budget(nodes=20_000, playouts=500))
            check_choice(state, choice)
            assert choice.candidates[0].move == choice.move
            assert choice.value == next(m.value for m in choice.moves if m.move == choice.move)

    def test_the_same_seed_gives_the_same_choices(self, game: Game) -> None:
        for name in distinct_agents(game):
            agent, answers = kibitz.agent(game, name), list[list[Choice]]()
            for _ in range(2):
                agent.reset(7)
                choices = (agent.choose(state.view(state.to_move), SMALL_BUDGET) for state in stages(game)[1:3])
                answers.append([dataclasses.replace(choice, seconds=0.0) for choice in choices])
            assert answers[0] == answers[1], name

    def test_a_stop_is_obeyed_with_a_legal_move(self, game: Game) -> None:
        searches = {"alphabeta", "mcts", "plain-alphabeta", "plain-mcts", "sampled-mcts"}
        for name in sorted(searches & set(agent_entries(game.name))):
            watch, state = Watch(), game.start(0)
            watch.stop()
            choice = kibitz.agent(game, name).choose(state.view(0), Budget(seconds=600), watch)
            assert choice.move in state.legal_moves()
            assert choice.seconds < 300

    def test_random_games_replay_move_by_move(self, game: Game) -> None:
        for number in range(5):
            agents = [kibitz.agent(game, "random"), kibitz.agent(game, "random")]
            record = kibitz.play(game, agents, seed=number)
            states = kibitz.replay(record)
            outcome = states[-1].outcome()
            assert len(states) == len(record.moves) + 1
            assert outcome is not None
            assert outcome.result == record.result
            assert kibitz.GameRecord.from_json(record.to_json()) == record

    def test_an_illegal_move_loses_with_the_reason(self, game: Game) -> None:
        record = kibitz.play(game, [kibitz.agent(game, "random"), _Wrong(game)], seed=1)
        assert record.result == "1-0"
        assert "illegal" in record.reason


def distinct_agents(game: Game) -> list[str]:
    """Return the names of a game's agents, without aliases such as level10 for champion."""
    table = agent_entries(game.name)
    return [name for name, entry in table.items() if entry.make not in table]


def stages(game: Game) -> list[State]:
    """Return five positions of a random game, from its start to the position before its last move."""
    states = random_game(game, 5)
    end = len(states)
    return [states[i] for i in (0, end // 3, 2 * end // 3, max(end - 5, 0), end - 2)]


def check_choice(state: State, choice: Choice) -> None:
    """Assert that an agent's choice for a state is legal and consistent."""
    legal = state.legal_moves()
    assert choice.move in legal
    assert choice.move in (choice.best or (choice.move,))
    assert set(choice.best) <= set(legal)
    if choice.moves:
        valued = [m.move for m in choice.moves]
        assert valued == sorted(set(valued) & set(legal))
        assert choice.move in valued
    if choice.unit == "probability":
        assert choice.value is not None
        assert 0 <= choice.value <= 1
    if choice.unit == "result":
        assert choice.exact
        assert choice.value in (-1, 0, 1)
        assert all(-1 <= m.value <= 1 for m in choice.moves)
        assert all(m.value in (-1, 0, 1) for m in choice.moves if m.exact)
    if choice.line:
        assert choice.line[0] == choice.move
    for move in choice.line:
        state = state.play(move)


class PictureContract(Contract):
    """Pictures: they can be drawn, offer every legal move, and reveal nothing hidden."""

    def test_the_page_loads(self, game: Game) -> None:
        page = registry.page(game.name)
        fault = registry.page_faults().get(game.name)
        assert fault is None, fault
        unknown = set(page.options) - set(parameters(registry.game_class(game.name)))
        assert not unknown, f"the page explains the options {sorted(unknown)}, which the game does not have"
        problems = problems_of(page.picture(page.cover_view()), page.style_text(), page.art_text(), name=game.name)
        assert problems == []

    def test_pictures_are_sound_on_every_ply(self, game: Game) -> None:
        page = registry.page(game.name)
        style, art = page.style_text(), page.art_text()
        for _, picture, _ in pictures_of(game):
            assert problems_of(picture, style, art, name=game.name) == []

    def test_every_legal_move_can_be_made(self, game: Game) -> None:
        for state, picture, _ in pictures_of(game):
            offered = [*(move.move for move in picture.moves), *(button.move for button in picture.buttons)]
            legal = {game.move_text(move) for move in state.legal_moves()}
            assert set(offered) == legal, "the moves and buttons of the picture are not the legal moves"
            paths = [move.path for move in picture.moves]
            assert len(set(paths)) == len(paths), "two moves are made by pressing the same places"
            for move, path in zip(picture.moves, paths, strict=True):
                steps = registry.page(game.name).steps(state.view(state.to_move), game.parse_move(move.move))
                assert steps == path, f"steps() and the picture differ about {move.move}"

    def test_overlays_and_panels_are_sound(self, game: Game) -> None:
        page = registry.page(game.name)
        style, art = page.style_text(), page.art_text()
        for state, picture, _ in pictures_of(game)[::7]:
            view = state.view(state.to_move)
            assert overlay_problems(page.overlay(view), picture, style, art) == []
            assert panel_problems(page.panels(view), style, art, name=game.name) == []

    def test_changes_lead_from_picture_to_picture(self, game: Game) -> None:
        pictures = [picture for _, picture, _ in pictures_of(game)]
        for before, after in itertools.pairwise(pictures):
            change = diff(before, after)
            if change is None:
                assert before.ground != after.ground or before.frame != after.frame
            else:
                assert with_sorted_parts(apply(to_json(before), change)) == with_sorted_parts(to_json(after))
                json.dumps(change, allow_nan=False)
        assert diff(pictures[0], pictures[0]) in (None, {})
        json.dumps(to_json(pictures[-1]), allow_nan=False)

    def test_pictures_become_svg(self, game: Game) -> None:
        state, _, last = pictures_of(game)[-1]
        text = svg_of(state.view(state.to_move), last)
        assert text.startswith("<svg")
        assert "var(" not in text

    def test_nothing_hidden_is_shown(self, game: Game) -> None:
        if not hides(game.start()):
            pytest.skip("the game hides nothing")
        rng, others = random.Random(6), 0
        states, moves = random_play(game, 6)
        for state, move in list(zip(states[1:], moves, strict=True))[::9]:
            for player in (0, 1, None):
                sampled = state.view(player).sample(rng)
                others += sampled != state
                _check_nothing_hidden_shown(state.view(player), sampled.view(player), game.public_move(move))
                assert sampled.view(None) == state.view(None), f"spectators see what is hidden from player {player}"
        assert others, "sample() never returns another position: the views know everything"


def pictures_of(game: Game) -> Sequence[tuple[State, Picture, Sequence[Move]]]:
    """Return every position of a random game, its picture for the player to move, and the public last move."""
    return _pictures(game, registry.page(game.name))


@lru_cache(MAX_CACHED_PICTURES)
def _pictures(game: Game, page: PlainPage) -> Sequence[tuple[State, Picture, Sequence[Move]]]:
    states, moves = random_play(game, 2)
    lasts = [(), *((game.public_move(move),) for move in moves)]
    return [
        (state, page.picture(state.view(state.to_move), last), last) for state, last in zip(states, lasts, strict=True)
    ]


def _check_nothing_hidden_shown(view: View, redealt: View, last: Move) -> None:
    """Assert that a view looks the same after the hidden cards were dealt again. last: the last move."""
    game, page = view.game, registry.page(view.game.name)
    outputs: dict[str, Callable[[View], object]] = {
        "the picture": lambda each: page.picture(each, (last,)),
        "the overlay": page.overlay,
        "a panel": lambda each: list(page.panels(each)),
        "a note": page.notes,
        "draw()": lambda each: game.draw(each, last),
    }
    if has_view_texts(game):
        outputs["view_text()"] = game.view_text
    for name, show in outputs.items():
        assert show(redealt) == show(view), f"{name} shows what is hidden"


class GameContract(RulesContract, KernelContract, AgentsContract, PictureContract):
    """The whole contract: rules, kernel, agents and pictures."""
