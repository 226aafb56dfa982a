"""One game at the board: what may be done, what is refused, and that a table is the sum of its events."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kibitz.core import registry
from kibitz.core.errors import BadText, IllegalMove, KibitzError
from kibitz.core.record import replay
from kibitz.web.tables.setup import Seat, Setup
from kibitz.web.tables.snapshot import snapshot
from kibitz.web.tables.table import Event, Refused, Table, event_json

ANN, BOB = Seat("person", "Ann"), Seat("person", "Bob")
BOT = Seat("agent", "Level 1", "level1")


def dots(
    rows: int, cols: int, seats: tuple[Seat, Seat] = (ANN, BOB), seconds: float | None = None, start: str | None = None
) -> Table:
    return Table(Setup("id", registry.game("dots", rows=rows, cols=cols), seats, seconds, 7, start))


def play(table: Table, *moves: str) -> None:
    for move in moves:
        table.commit(table.make_move(table.game.parse_move(move), 0.5))


@pytest.mark.parametrize(
    ("shape", "seats", "start", "moves", "words"),
    [
        ((1, 1), (ANN, BOB), None, "0 1 2 3", "Bob wins, 1 box to 0"),
        ((1, 1), (ANN, ANN), None, "0 1 2 3", "Ann (Blue) wins, 1 box to 0"),  # equal names are told apart
        ((1, 2), (ANN, BOB), None, "0 2 4 5 1 3 6", "Bob wins, 2 boxes to 0"),  # Ann's 3 leaves the right box to Bob
        # h0-h5 v0-v3 drawn, boxes 0 and 1 taken by one each, v4 v5 left: Ann takes box 2 with v4, and box 3
        ((2, 2), (ANN, BOB), "3ff 12.. 1", "10 11", "Ann wins, 3 boxes to 1"),
        ((2, 2), (ANN, BOB), "7ff 122. 1", "11", "It's a tie, 2 boxes each"),  # only 11 is left: box 3
    ],
)
def test_a_whole_game(
    shape: tuple[int, int], seats: tuple[Seat, Seat], start: str | None, moves: str, words: str
) -> None:
    table = dots(*shape, seats, start=start)
    for move in moves.split():
        assert table.outcome is None
        play(table, move)
    assert table.result_words() == words
    assert table.times == [0.5] * table.ply
    with pytest.raises(Refused, match="over"):
        table.move("0", table.ply)


def test_who_takes_a_box_moves_again() -> None:
    table = dots(1, 2)  # lines 0 1 above, 2 3 below, 4 5 6 upright; boxes (0 2 4 5) and (1 3 5 6)
    play(table, "0", "2", "4", "5")  # Bob takes the left box with 5
    assert [table.state.to_move, *snapshot(table, (0, 1))["scores"]] == [1, 0, 1]
    play(table, "1")
    assert table.state.to_move == 0
    assert table.last_turn(5) == [5, 1]  # Bob's two
    assert table.last_turn(3) == [4]
    assert table.last_turn(0) == []


@pytest.mark.parametrize(
    ("text", "ply", "error", "words"),
    [
        ("1", 0, Refused, "position has changed"),
        ("1", 2, Refused, "position has changed"),
        ("0", 1, IllegalMove, "already been drawn"),
        ("nonsense", 1, BadText, "nonsense"),
    ],
)
def test_what_is_not_a_move_is_refused(text: str, ply: int, error: type[KibitzError], words: str) -> None:
    table = dots(1, 1)
    play(table, "0")
    with pytest.raises(error, match=words):
        table.move(text, ply)
    assert table.ply == 1


def test_two_persons_take_back_one_move_at_a_time() -> None:
    table = dots(2, 2)
    play(table, "0", "1", "2")
    table.commit(table.undo())
    assert (table.ply, table.redoable) == (2, 1)
    table.commit(table.redo())
    assert (table.ply, table.redoable) == (3, 0)
    with pytest.raises(Refused, match="no move to redo"):
        table.redo()
    for _ in range(3):
        table.commit(table.undo())
    with pytest.raises(Refused, match="take back"):
        table.undo()
    play(table, "5")  # another game: what was taken back is gone
    assert (table.moves, table.redoable) == ([5], 0)


def test_a_person_takes_back_the_own_move_and_what_followed() -> None:
    table = dots(1, 2, (ANN, BOT))
    with pytest.raises(Refused):
        table.undo()
    play(table, "0", "2", "4", "5", "1")  # the agent took the left box with 5 and moved again
    assert [table.states[i].to_move for i in range(6)] == [0, 1, 0, 1, 1, 0]
    table.commit(table.undo())
    assert table.ply == 2  # before Ann's 4
    assert table.state.to_move == 0
    table.commit(table.redo())
    assert table.ply == 5  # all of it again, up to Ann's turn
    table.commit(table.undo())
    table.commit(table.undo())
    assert (table.ply, table.redoable) == (0, 5)


def test_an_agents_first_move_is_not_the_persons_to_take_back() -> None:
    table = dots(2, 2, (BOT, ANN))
    play(table, "0")
    with pytest.raises(Refused, match="not made a move"):
        table.undo()


def test_resigning_and_taking_that_back() -> None:
    table = dots(2, 2, (ANN, BOT))
    play(table, "0", "1")
    with pytest.raises(Refused, match="Level 1 is an agent"):
        table.resign(1)
    table.commit(table.resign(0))
    assert table.result_words() == "Level 1 wins, Ann resigned"
    assert table.record().result == "0-1"
    with pytest.raises(Refused, match="over"):
        table.resign(0)
    table.commit(table.undo())
    assert (table.outcome, table.ply) == (None, 2)


def test_another_game_is_another_table_with_the_names_of_now() -> None:
    table = dots(2, 2)
    play(table, "0", "1")
    table.commit(table.rename(0, "Anna"))
    with pytest.raises(Refused, match="cannot be renamed"):
        dots(1, 1, (ANN, BOT)).rename(1, "Hal")
    again = Table(replace(table.rematch_setup(), id="next"))
    assert (again.ply, again.seats[0].name, again.setup.before) == (0, "Anna", "id")
    assert again.setup.seed != table.setup.seed
    assert (table.ply, table.setup.id) == (2, "id")


def test_time_is_kept_for_two_persons_only(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("kibitz.web.tables.table.time.monotonic", lambda: now)
    table = dots(2, 2, seconds=5)
    assert table.limit == 5
    assert not table.is_late()
    with pytest.raises(Refused, match="still has time"):
        table.time_out()
    now += 3
    table.clock.pause()  # nobody is there
    now += 100
    table.clock.resume()
    assert table.clock.elapsed() == 3
    now += 2.5
    table.commit(table.time_out())
    assert table.result_words() == "Bob wins, Ann ran out of time"
    against_agent = dots(2, 2, (ANN, BOT), seconds=5)
    now += 60
    assert against_agent.limit is None
    assert not against_agent.is_late()
    play(against_agent, "0")
    assert against_agent.limit == 5  # the agent's


def test_a_record_can_be_replayed() -> None:
    table = dots(2, 2, (ANN, BOT), start="1 .... 2")
    play(table, "1", "2")
    record = table.record()
    assert record.agents == ("human", "level1")
    assert (record.result, record.moves) == ("*", ("1", "2"))
    assert replay(record)[-1] == table.state


def test_events_that_make_no_sense_change_nothing() -> None:
    table = dots(2, 2)
    play(table, "0", "1")
    before = snapshot(table, (0, 1))
    moves: list[tuple[Any, Any]] = [("0", 1), (3, 1), ("3", "soon"), ("3", "nan"), ("3", 10**400)]
    plies: list[Any] = [3, -1, 0.5, "x"]
    nonsense: list[Any] = [{}, [], None, {"do": "dance"}, {"do": "move"}]
    nonsense += [{"do": "move", "move": move, "seconds": seconds} for move, seconds in moves]
    nonsense += [{"do": "at", "ply": ply} for ply in plies]
    nonsense += [{"do": "end", "loser": 2, "why": "resigned"}, {"do": "name", "seat": 5, "name": "Zoe"}]
    for event in nonsense:
        with pytest.raises(BadText, match="is not valid at this point"):
            table.read(event)
    after = snapshot(table, (0, 1))
    after |= {"now": before["now"], "clock": before["clock"]}
    assert after == before


def some_event(table: Table, rng: random.Random) -> Event:
    """Return what a restless person might ask for. Raises KibitzError if it is refused."""
    legal = table.state.legal_moves()
    wishes: list[Callable[[], Event]] = [
        lambda: table.move(table.game.move_text(rng.choice(legal)) if legal else "0", table.ply),
        table.undo,
        table.redo,
        lambda: table.resign(rng.randrange(2)),
        lambda: table.rename(rng.randrange(2), f"N{rng.randrange(100)}"),
    ]
    return rng.choices(wishes, [18, 3, 3, 1, 1])[0]()


@pytest.mark.parametrize("name", ["dots", "uttt"])
@pytest.mark.parametrize("seats", [(ANN, BOB), (ANN, BOT), (BOT, BOT)], ids=["persons", "agent", "agents"])
def test_a_table_is_the_sum_of_its_events(name: str, seats: tuple[Seat, Seat]) -> None:
    rng = random.Random(f"{name} {seats}")
    options = {"rows": 2, "cols": 3} if name == "dots" else {}
    setup = Setup("id", registry.game(name, **options), seats, 1.0, 3)
    table, events, refused = Table(setup), list[str](), 0
    for _ in range(300):
        try:
            event = some_event(table, rng)
        except KibitzError:
            refused += 1
            continue
        table.commit(event)
        events.append(json.dumps(event_json(event)))
    again = Table(Setup.from_json(json.loads(json.dumps(setup.to_json()))))
    for line in events:
        again.commit(again.read(json.loads(line)))
    assert len(events) > 100
    assert refused > 10
    assert again.setup == table.setup
    assert (again.states, again.moves, again.times) == (table.states, table.moves, table.times)
    assert (again.ply, again.ended, again.seats) == (table.ply, table.ended, table.seats)


GOOD = Setup("id", registry.game("dots"), (ANN, BOB)).to_json()
WIZARD = {"kind": "wizard", "name": "Merlin", "spec": ""}


BROKEN: list[tuple[str, Any]] = [
    *(("version", 99), ("version", "1"), ("options", []), ("game", "chess"), ("seats", GOOD["seats"][:1])),
    *(("seats", [WIZARD, WIZARD]), ("seconds", "x"), ("seed", None), ("start", []), ("id", 5)),
]


@pytest.mark.parametrize("broken", [None, [], "x", {}, *({**GOOD, key: value} for key, value in BROKEN)])
def test_a_setup_that_makes_no_sense_is_refused(broken: Any) -> None:
    assert Setup.from_json(GOOD).seats == (ANN, BOB)
    with pytest.raises(KibitzError):
        Setup.from_json(broken)
