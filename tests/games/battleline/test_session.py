"""A game of Battle Line at the terminal: what is hidden is neither shown, saved nor taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import kibitz
from kibitz.cli.app import app
from kibitz.core.record import deal_seed
from kibitz.games.battleline.rules import BattleLine
from kibitz.games.battleline.rules.cards import card_text

DEAL = "hands=r1,r2,r3,r4,r5,r6,r7/b1,b2,b3,b4,b5,b6,b7"


def played(*typed: str, players: tuple[str, str] = ("human", "random"), more: tuple[str, ...] = ()) -> str:
    """Return all that a game prints, its line breaks as spaces, after it ended well."""
    lines = "".join(f"{line}\n" for line in typed)
    done = CliRunner().invoke(app, ["play", "battleline", *players, *more], input=lines, env={"COLUMNS": "500"})
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


def file_or_nothing(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_a_person_does_not_see_the_agents_hand() -> None:
    """The cards of both are those of this seed."""
    state = BattleLine().start(deal_seed(3))
    shown = played("moves", "log", "why", "quit", more=("--seed", "3")).replace(",", " ").split()
    assert {card_text(card) for card in state.hands[0]} <= set(shown)
    assert not {card_text(card) for card in (*state.hands[1], *state.decks[0])} & set(shown)


@pytest.mark.parametrize("typed", [("turn=6", "log", "quit"), ("turn=7", "y1 > 1", "draw troop", "log", "quit")])
def test_what_an_agent_puts_back_is_not_told(typed: tuple[str, ...]) -> None:
    text = f"{typed[0]} hands=SCOUT,r1,r2,p1,p2,p3,p4/y1,y2,y3,y4,y5,y6,y7"
    told = played(*typed[1:], players=("random", "human"), more=("--seed", "3", "--position", text))
    assert "return r" not in told
    assert "return p" not in told


def test_two_people_hand_the_screen_over() -> None:
    told = played("r1 > 1", "draw troop", "", "quit", players=("human", "human"), more=("--position", DEAL))
    before, _, after = told.partition("Pass the screen to second")
    assert "b1" not in before.split()
    assert "b1" in after.split()
    assert "r2" not in after.split()


@pytest.mark.parametrize("players", [("human", "random"), ("human", "human")])
def test_a_game_is_not_saved_while_the_record_would_tell(tmp_path: Path, players: tuple[str, str]) -> None:
    early, end = tmp_path / "early.jsonl", tmp_path / "end.jsonl"
    text = played(f"save {early}", "quit", players=players, more=("--seed", "3", "--save", str(end)))
    assert f"the game is saved to {early} when it is over.".replace(" ", "") in text.replace(" ", "")  # wrapped paths
    assert "Not saved: the record would reveal hidden cards." in text
    assert "Saved to" not in text
    assert file_or_nothing(early) == file_or_nothing(end) == ""


def test_a_game_is_saved_when_it_is_over(tmp_path: Path) -> None:
    early, end = tmp_path / "early.jsonl", tmp_path / "end.jsonl"
    text = played(f"save {early}", "resign", more=("--seed", "3", "--save", str(end)))
    assert text.count("Saved to") == 2
    for path in (early, end):
        (record,) = kibitz.read_records(path).good
        assert (record.seed, record.result, record.reason) == (3, "0-1", "first resigned")
        kibitz.replay(record)


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "diary").write_text("Dear diary")
    text = played(f"save {tmp_path / 'diary'}", f"save {tmp_path / 'no' / 'file'}", "resign")
    assert "holds no game records" in text
    assert "there is no folder" in text
    assert "when it is over" not in text
    assert (tmp_path / "diary").read_text() == "Dear diary"


def test_a_game_between_agents_is_saved_whatever_it_hides(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert "Saved to" in played(players=("random", "random"), more=("--seed", "3", "--save", str(path)))
    (record,) = kibitz.read_records(path).good
    assert record.seed == 3


def test_a_play_is_taken_back_and_a_draw_is_not() -> None:
    text = played("undo", "r1 > 1", "undo", "r2 > 9", "draw troop", "undo", "log", more=("--position", DEAL))
    assert "There is no move to take back." in text
    assert text.count("1. first (human) played") == 2
    assert text.count("Cards have been revealed since then") == 1
    assert "1 first r2 > 9 2 first draw troop 3 second" in text


def test_two_people_take_back_their_own_plays_only() -> None:
    text = played("r1 > 1", "draw troop", "", "undo", "quit", players=("human", "human"), more=("--position", DEAL))
    assert "Cards have been revealed since then" in text


def test_the_board_is_shown_once_for_the_turn_of_an_agent() -> None:
    text = played("r1 > 1", "draw troop", "quit", more=("--position", DEAL, "--seed", "1"))
    assert "4. second (random) played draw" in text
    boards = text.count("first (you) holds")
    assert boards == 4  # at the start, after the play, after the draw, and after the agent's play and draw
