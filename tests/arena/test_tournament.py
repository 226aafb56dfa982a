"""Who plays whom, on which terms, and how that is written down."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.arena.openings import MAX_IMBALANCE, random_openings, read_openings
from kibitz.arena.sprt import Sprt
from kibitz.arena.tournament import VERSION, Terms, TimeControl, Tournament, preset, presets
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption, BadText, KibitzError

THREE = Tournament("uttt", ("random", "reflex", "level2"), games=4, seed=5)


def test_everybody_meets_everybody_with_sides_swapped_or_in_a_gauntlet_the_first() -> None:
    met = Counter(pairing.agents for pairing in THREE.pairings())
    assert (len(met), set(met.values())) == (6, {2})
    against_first = {frozenset(pairing.agents) for pairing in replace(THREE, format="gauntlet").pairings()}
    assert against_first == {frozenset(("random", other)) for other in ("reflex", "level2")}


def test_ids_and_seeds_differ_and_depend_on_the_seed_alone() -> None:
    pairings = THREE.pairings()
    assert [pairing.id for pairing in pairings] == [str(i + 1) for i in range(12)]
    assert len({pairing.seed for pairing in pairings}) == 12
    assert pairings == THREE.pairings()
    assert not {p.seed for p in pairings} & {p.seed for p in replace(THREE, seed=6).pairings()}


def test_more_games_or_agents_leave_the_seeds_of_the_others_alone() -> None:
    few, many = (
        {(p.agents, p.seed) for p in replace(THREE, games=games, agents=agents).pairings()}
        for games, agents in ((2, ("random", "reflex")), (4, ("random", "level2", "reflex")))
    )
    assert few <= many


def test_each_opening_is_played_with_sides_swapped() -> None:
    tournament = replace(THREE, openings=("a", "b"), games=8)
    for one, other in tournament.meetings():
        games = [p for p in tournament.pairings() if set(p.agents) == {one, other}]
        assert [p.start for p in games] == ["a", "a", "b", "b"] * 2
        for first, second in zip(games[::2], games[1::2], strict=True):
            assert first.agents == second.agents[::-1]


def test_a_description_comes_back_whole() -> None:
    full = Tournament(
        "uttt", ("random", "reflex"), {"variant": "open"}, "match", 6, 3, ("x", "y"),
        Terms(Budget(0.5, 10, 20), TimeControl(60, 0.5), 0.25, "replay", 7, True), Sprt(1, 2, 0.1, 0.2),
    )  # fmt: skip
    assert Tournament.from_json(full.to_json()) == full
    assert Tournament.from_json(THREE.to_json()) == THREE


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"version": "x"}', '{"version": 1}', '{"version": 1, "terms": 3}', "\x00", "1e999", "[" * 10**5],
)
def test_nonsense_is_no_description(text: str) -> None:
    with pytest.raises(BadText):
        Tournament.from_json(text)


@pytest.mark.parametrize(
    ("key", "value"),
    [("game", []), ("game", 5), ("agents", [1, 2]), ("options", []), ("games", 1.5), ("games", True), ("seed", "x")]
    + [("challengers", 1.5), ("openings", [1, 2]), ("sprt", {"elo0": "x"}), ("terms", []), ("agents", "ab")],
)
def test_a_description_with_a_wrong_value_is_refused(key: str, value: Any) -> None:
    with pytest.raises(BadText):
        Tournament.from_json(json.dumps({**json.loads(THREE.to_json()), key: value}))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"budget": {"seconds": "x"}}, "'seconds' is \"x\", not a number"),
        ({"budget": {"hours": 1}}, "'budget' has the unknown key 'hours'"),
        ({"clock": {"increment": 1}}, "'seconds' is missing"),
        ({"ties": "forget"}, "ties must be one of keep, replay"),
    ],
)
def test_wrong_terms_are_told_in_words(changes: dict[str, Any], why: str) -> None:
    raw = json.loads(THREE.to_json())
    with pytest.raises(KibitzError, match=why):
        Tournament.from_json(json.dumps({**raw, "terms": raw["terms"] | changes}))


def test_nothing_of_a_tournament_is_infinite() -> None:
    for kind, *values in ((TimeControl, math.inf), (TimeControl, 1, math.inf), (Sprt, 0, math.inf)):
        with pytest.raises(BadOption):
            kind(*values)
    with pytest.raises(BadOption):
        Terms(Budget(math.inf))


def test_a_later_version_is_refused() -> None:
    raw = {**json.loads(THREE.to_json()), "version": VERSION + 1}
    with pytest.raises(BadText, match=f"version {VERSION + 1}"):
        Tournament.from_json(json.dumps(raw))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"agents": ("random",)}, "2 agents or more"),
        ({"agents": ("random", "random")}, "twice"),
        ({"format": "match"}, "between 2 agents"),
        ({"format": "swiss"}, "Unknown format"),
        ({"games": 0}, "must be 1 to 1,000,000, got 0"),
        ({"games": 10**12}, "must be 1 to"),
        ({"games": 3, "openings": ("x",)}, "even"),
        ({"sprt": Sprt()}, "match"),
    ],
)
def test_impossible_tournaments_are_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadOption, match=why):
        replace(THREE, **changes)


def test_clocks() -> None:
    assert TimeControl.parse("60+0.5") == TimeControl(60, 0.5)
    assert TimeControl.parse("3") == TimeControl(3)
    for text in ("", "x", "1+x", "-1", "1+-1", "nan"):
        with pytest.raises(BadOption):
            TimeControl.parse(text)
    clock, left = TimeControl(10, 0.1), 10.0
    for _ in range(200):
        seconds = clock.budget(left).seconds
        assert seconds is not None
        assert 0 < seconds <= left
        left += clock.increment - seconds


def test_random_openings_are_balanced_different_and_repeatable() -> None:
    game = kibitz.game("uttt")
    openings = random_openings(game, 12, seed=1)
    assert openings == random_openings(game, 12, seed=1)
    assert openings != random_openings(game, 12, seed=2)
    assert len(set(openings)) == 12
    for text in openings:
        state = game.parse_position(text)
        assert 4 <= state.turn <= 8
        value = kibitz.analyse(state, Budget(nodes=20_000)).value
        assert value is not None
        assert abs(value - 0.5) <= MAX_IMBALANCE


def test_openings_come_from_a_file(tmp_path: Path) -> None:
    game, path = kibitz.game("uttt"), tmp_path / "openings.txt"
    path.write_text("# two of them\n9/9/9/9/4x4/9/9/9/9 o 4\n\n9/9/9/9/9/9/9/9/9 x -  # the start\n")
    assert read_openings(game, path) == tuple(
        game.position_text(state) for state in (game.start().play(40), game.start())
    )
    path.write_text("9/9/9/9/4x4/9/9/9/9 o 4\nnonsense\n")
    with pytest.raises(BadText, match="line 2"):
        read_openings(game, path)
    path.write_text("# nothing\n")
    with pytest.raises(BadText, match="no openings"):
        read_openings(game, path)
    with pytest.raises(BadText, match="Cannot read"):
        read_openings(game, tmp_path / "missing")


def test_presets_can_be_made_and_an_unknown_one_lists_them() -> None:
    for name in presets():
        tournament = preset(name)
        for spec in tournament.agents:
            kibitz.agent(tournament.make_game(), spec)
    with pytest.raises(BadOption, match="uttt-levels"):
        preset("nonsense")
