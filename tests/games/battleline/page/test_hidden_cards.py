"""Battle Line over the server: nobody is told the other hand or the order of the decks before the end.

Every message is compared with the true position at the server: no card may be named
in it that the one who gets it cannot know.
"""

from __future__ import annotations

import json
import logging
import random
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kibitz.analysis.words import reasons
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import Player, View
from kibitz.core.parts import AgentEntry
from kibitz.core.record import deal_seed
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import TROOPS, card_name, card_text, is_troop
from kibitz.games.battleline.rules.moves import RETURN, USE_DESERTER
from kibitz.games.battleline.rules.view import BattleLineView
from kibitz.picture.wire import to_json
from kibitz.search.agents import agent_entries
from kibitz.web.server.app import make_app
from kibitz.web.server.guard import ServerLimits
from kibitz.web.tables import seats as table_agents
from kibitz.web.tables.files import TableFiles
from kibitz.web.tables.setup import Seat, Setup
from kibitz.web.tables.snapshot import move_list, position_json, snapshot, view_table
from kibitz.web.tables.table import Table
from web.talking import (
    ANN,
    BOB,
    TestClient,
    WebSocketTestSession,
    agent,
    answer,
    hear,
    hear_table,
    new_table,
    receive,
    styles,
    tell,
)

GAME = BattleLine()
NAMES = [word for card in GAME.all_cards for word in (card_text(card), card_name(card))]
NAMED = re.compile(rf"\b(?=[{''.join({name[0] for name in NAMES})}])({'|'.join(NAMES)})\b")
"""Any card by its name; looking at the first letter first makes it four times as fast."""
BY_NAME = {word: card for card in GAME.all_cards for word in (card_text(card), card_name(card))}
MOST_MOVES = 400


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(table_agents, "MOVE_PAUSE_SECONDS", 0.0)
    with TestClient(make_app(TableFiles(tmp_path), limits=ServerLimits(messages=10_000))) as made:
        yield made


def own_hand(told: dict[str, Any]) -> list[str]:
    """Return the cards below the felt, which is 484 units high."""
    return [shape[1] for shape in told["picture"]["shapes"] if shape[1] in BY_NAME and shape[4] > 484]


def make(client: TestClient, seats: list[dict[str, str]], **wish: Any) -> tuple[str, list[str]]:
    return new_table(client, game="battleline", options={}, seats=seats, **wish)


def table_of(client: TestClient, made: str) -> Table:
    """Return the table of the server itself, with all that is hidden."""
    found: Table = client.app.state.server.rooms[made].table  # type: ignore[attr-defined]  # a Starlette
    return found


def knowable(state: BattleLineState, viewer: Player | None) -> set[int]:
    """Return the cards whose place somebody may know: worked out from the state, not from a view."""
    seen = {card for flag in state.flags for side in flag.sides for card in side}
    seen |= {*state.discards, *state.played[0], *state.played[1]}
    if viewer is not None:
        seen |= {*state.hands[viewer], *state.known[viewer]}
    return seen


def cards_named(told: Any) -> set[int]:
    """Return the cards that a message names, apart from what it says of all cards alike."""
    text = json.dumps({key: value for key, value in told.items() if key not in ("panels", "overlay")})  # see check()
    lowered = re.sub(r"\b(Red|Orange|Yellow|Green|Blue|Purple) ", lambda found: found[0].lower(), text)
    return {BY_NAME[word] for word in NAMED.findall(lowered)}


def check(told: Any, state: BattleLineState, viewer: Player | None) -> None:
    """Fail if a message names a card that its reader cannot know."""
    known = knowable(state, viewer)
    hidden = {*state.hands[0], *state.hands[1], *state.decks[0], *state.decks[1]} - known
    assert hidden or not any(state.sizes)
    assert not cards_named(told) & hidden, [card_text(card) for card in cards_named(told) & hidden]
    shown = told.get("picture")
    if shown is None:
        return
    backs = [key for key in styles(shown) if key.startswith(("theirs ", "own "))]
    assert len(backs) == sum(card not in known for hand in state.hands for card in hand)
    assert shown["secret"] == ("" if viewer is None else f"{viewer} {state.turn}")
    if viewer != state.to_move:
        assert shown["moves"] == shown["buttons"] == told.get("legal", []) == []
    [panel] = told["panels"]
    cells, *claims = panel["notes"]
    where = styles(cells["picture"])
    assert all("unseen" in where[card_text(card)] for card in hidden if is_troop(card))
    unseen = {card_text(card) for card in range(TROOPS)} - {card_text(card) for card in knowable(state, None)}
    for claim in claims:
        assert set(styles(claim["picture"]) if "picture" in claim else ()) <= unseen


class Reader:
    """One connection that reads everything, and checks all of it against the truth."""

    def __init__(self, client: TestClient, socket: WebSocketTestSession, made: str, viewer: Player | None) -> None:
        self.client, self.socket, self.made, self.viewer = client, socket, made, viewer
        self.read = 0

    def next(self) -> dict[str, Any]:
        """Return the next message; what says nothing of a position is compared with the one on the board."""
        told = receive(self.socket)
        self.read += 1
        table = table_of(self.client, self.made)
        if told["is"] == "table" and told["outcome"] is not None:
            return told
        if table.outcome is None or told["is"] == "table":
            states = table.states
            ply = told.get("ply", table.ply)
            state = states[min(ply, len(states) - 1)]
            assert isinstance(state, BattleLineState)
            if told["is"] in ("table", "thinking", "thought", "refused", "notice", "graph"):
                check(told, state, self.viewer)
            assert str(table.setup.seed) not in json.dumps(told)
        return told

    def table(self, ply: int) -> dict[str, Any]:
        """Return the next table after so many moves."""
        while True:
            told = self.next()
            if told["is"] == "table" and told["ply"] == ply:
                return told

    def get(self, path: str) -> dict[str, Any]:
        answer = self.client.get(f"/api/tables/{self.made}/{path}")
        found: dict[str, Any] = answer.json()
        return found


def test_a_whole_game_against_an_agent_tells_nothing(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    made, _ = make(client, [ANN, agent("heuristic")])
    rng = random.Random(3)
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        reader = Reader(client, socket, made, 0)
        table = reader.next()
        ply = own = looked = 0
        tell(socket, "analyse", on=True)
        while table["outcome"] is None:
            assert ply < MOST_MOVES
            if table["to_move"] == 0:
                assert table["legal"]
                if own % 3 == 0:
                    assert "when the game is over" in reader.get("record")["error"]
                    assert "when the game is over" in reader.get("export?notation=moves")["error"]
                    for past in {max(0, ply - 1), ply // 2}:
                        state = table_of(client, made).states[past]
                        assert isinstance(state, BattleLineState)
                        check(reader.get(f"at/{past}"), state, 0)
                        looked += 1
                own += 1
                tell(socket, "move", ply=ply, move=rng.choice(table["legal"]))
            ply += 1
            table = reader.table(ply)
        end = table_of(client, made).state
        assert isinstance(end, BattleLineState)
        hands = {card_text(card) for hand in end.hands for card in hand}
        assert hands <= set(styles(table["picture"]))  # now they may be seen
        tell(socket, "undo")
        assert "all cards have been revealed" in hear(socket, "refused")["words"]
    assert reader.read > 60
    assert looked > 8
    record = client.get(f"/api/tables/{made}/record").json()
    assert len(record["moves"]) == ply
    ours = [line for line in caplog.records if not line.name.startswith("numba")]  # numba logs the names in our kernels
    said = "\n".join(line.getMessage() for line in ours)
    assert not NAMED.search(said)


def sit(reader: Reader, token: str) -> None:
    tell(reader.socket, "sit", tokens=[token])
    viewer, reader.viewer = reader.viewer, None
    while not hear(reader.socket, "table")["you"]:
        pass
    reader.viewer = viewer


def test_two_by_link_and_who_looks_on_are_told_only_what_is_theirs(client: TestClient) -> None:
    made, tokens = make(client, [ANN, BOB], link=True)
    rng = random.Random(5)
    with ExitStack() as stack:
        sockets = [stack.enter_context(client.websocket_connect(f"/ws/tables/{made}")) for _ in range(3)]
        for socket in sockets:
            hear(socket, "table")
        readers = [Reader(client, socket, made, viewer) for socket, viewer in zip(sockets, (0, 1, None), strict=True)]
        sit(readers[0], tokens[0])
        sit(readers[1], tokens[1])
        legal = client.get(f"/api/tables/{made}/at/0", headers={"X-Kibitz-Seats": tokens[0]}).json()["legal"]
        ply = scouts = 0
        state = table_of(client, made).state
        while state.outcome() is None:
            assert ply < MOST_MOVES
            wanted = [text for text in legal if text.startswith(("scout", "claim"))] or legal
            tell(sockets[state.to_move], "move", ply=ply, move=rng.choice(wanted))
            ply += 1
            tables = [reader.table(ply) for reader in readers]
            state = table_of(client, made).states[ply]
            last = table_of(client, made).moves[ply - 1]
            if RETURN <= last < USE_DESERTER and tables[0]["outcome"] is None:
                scouts += 1
                mover = tables[0]["moves"][-1]["player"]
                texts = [table["moves"][-1]["text"] for table in tables]
                assert texts[mover] == GAME.move_text(last)
                assert texts[1 - mover] == texts[2] == GAME.public_text(last)
            if tables[0]["outcome"] is None:
                legal = tables[state.to_move]["legal"]
                for who, asker in enumerate(readers):
                    tell(asker.socket, "hint" if who < 2 else "analyse", **({} if who < 2 else {"on": True}))
                    assert "Analysis is off until the game" in hear(asker.socket, "refused")["words"]
                headers: list[dict[str, str]] = [{"X-Kibitz-Seats": tokens[0]}, {"X-Kibitz-Seats": tokens[1]}, {}]
                for viewer, head in zip((0, 1, None), headers, strict=True):
                    past = client.get(f"/api/tables/{made}/at/{ply - 1}", headers=head).json()
                    before = table_of(client, made).states[ply - 1]
                    assert isinstance(before, BattleLineState)
                    check(past, before, viewer)
                    assert past["overlay"] is None
        assert scouts
        assert all(reader.read >= ply for reader in readers)


def test_two_at_one_screen_see_the_hand_of_whose_turn_it_is(client: TestClient) -> None:
    made, _ = make(client, [ANN, BOB])
    rng = random.Random(1)
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        table = hear(socket, "table")
        for ply in range(12):
            turn = table_of(client, made).state.turn
            assert table["picture"]["secret"] == f"{table['to_move']} {turn}"
            assert sum(key.startswith("theirs") for key in styles(table["picture"])) == 7
            for past in {0, ply // 2, ply - 1} - {-1}:  # earlier positions too are shown to whose turn it is now
                shown = client.get(f"/api/tables/{made}/at/{past}").json()["picture"]
                assert shown["secret"].split()[0] == str(table["to_move"])
            tell(socket, "move", ply=ply, move=rng.choice(table["legal"]))
            table = hear_table(socket, ply + 1)


def short_table(played: Table, state: BattleLineState, ply: int) -> Table:
    """Return a table with the moves of another up to a ply, and a position in the place of its own."""
    table = Table(played.setup)
    table.states, table.moves = [*played.states[:ply], state], list(played.moves[:ply])
    table.times, table.ply = played.times[:ply], ply
    return table


def test_what_is_sent_depends_on_nothing_hidden() -> None:
    """The same view with other hidden cards makes the same snapshot, word for word."""
    rng, differ, returned = random.Random(9), 0, 0
    played = Table(Setup("x", GAME, (Seat("person", "A"), Seat("agent", "B", "random"))))
    while played.outcome is None and played.ply < 150:
        moves = played.state.legal_moves()
        scout = [move for move in moves if GAME.move_text(move).startswith(("scout", "draw tactics"))]
        played.commit(played.make_move(rng.choice(scout or moves), 0.5))
    for ply in range(0, played.ply, 5):
        for viewer in (0, None):
            state = played.states[ply]
            assert isinstance(state, BattleLineState)
            twin = state.view(viewer).sample(rng)
            differ += twin != state
            table, other = (short_table(played, each, ply) for each in (state, twin))
            for i, move in enumerate(table.moves):  # which card the agent put back is not known either
                if RETURN <= move < RETURN + TROOPS and table.states[i].to_move == 1:
                    other.moves[i] = RETURN + (move - RETURN + 1) % TROOPS
                    returned += 1
            shots = [
                {
                    **snapshot(each, [] if viewer is None else [0]),
                    "moves": move_list(each, viewer),
                    "now": 0,
                    "clock": 0,
                }
                for each in (table, other)
            ]
            assert json.dumps(shots[0]) == json.dumps(shots[1])
            pictures = [to_json(view_table(each, viewer).picture) for each in (table, other)]
            assert json.dumps(pictures[0]) == json.dumps(pictures[1])
            assert position_json(state, viewer, table.moves[-2:]) == position_json(twin, viewer, other.moves[-2:])
            if viewer == state.to_move:
                told = [[reasons(each, move) for move in state.legal_moves()] for each in (state, twin)]
                assert told[0] == told[1]
    assert differ > 30
    assert returned > 10


class Loose(Agent):
    """Fails in words that would tell its hand."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        assert isinstance(view, BattleLineView)
        raise ValueError(f"I hold {' '.join(map(card_text, view.hand))}")


def test_a_failing_agent_tells_nothing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(agent_entries("battleline"), "loose", AgentEntry(Loose))
    made, _ = make(client, [agent("loose"), ANN])
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        words = hear(socket, "notice")["words"]
    assert "It failed (ValueError)." in words
    assert not NAMED.search(words)
    assert "could not move" in caplog.text
    assert not NAMED.search(caplog.text)


def test_only_the_moves_of_a_turn_are_taken_back_and_no_draw(client: TestClient) -> None:
    made, _ = make(client, [ANN, agent("random")])
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        table = hear(socket, "table")
        hand = own_hand(table)
        assert len(hand) == 7
        tell(socket, "move", ply=0, move=table["legal"][0])
        assert len(own_hand(hear_table(socket, 1))) == 6
        tell(socket, "undo")
        table = hear_table(socket, 0)
        assert (own_hand(table), table["redo"]) == (hand, 1)
        tell(socket, "redo")
        hear_table(socket, 1)
        tell(socket, "move", ply=1, move="draw troop")
        table = hear_table(socket, 4)  # the agent has played and drawn
        tell(socket, "undo")
        assert "Cards have been seen since then" in hear(socket, "refused")["words"]
        tell(socket, "restart")
        again = hear(socket, "again")["id"]
    with client.websocket_connect(f"/ws/tables/{again}") as socket:
        table = hear_table(socket, 0)
        assert own_hand(table) != hand  # other cards: 1 in 386 million deals would be the same


def test_a_game_that_has_shown_its_cards_never_goes_on(client: TestClient) -> None:
    made, _ = make(client, [ANN, agent("random")])
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        table = hear(socket, "table")
        tell(socket, "move", ply=0, move=table["legal"][0])
        hear_table(socket, 1)
        tell(socket, "undo")
        hear_table(socket, 0)
        tell(socket, "resign", seat=0)
        while hear(socket, "table")["outcome"] is None:
            pass
        for do in ("redo", "undo"):
            tell(socket, do)
            assert "all cards have been revealed" in answer(socket).get("words", ""), f"{do} goes on with the game"
        tell(socket, "move", ply=0, move=table["legal"][0])
        assert answer(socket).get("words") == "The game is over."


def test_a_start_from_a_position_is_not_told(client: TestClient) -> None:
    made, tokens = make(client, [ANN, BOB], link=True, start=GAME.position_text(GAME.start(5)))
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        assert hear(socket, "table")["start"] is None  # for a spectator
        tell(socket, "sit", tokens=[tokens[0]])
        while not (table := hear(socket, "table"))["you"]:
            pass
        assert table["start"] is None


def test_a_new_deal_of_version_0_1_is_read_from_the_disk(client: TestClient, tmp_path: Path) -> None:
    made, _ = make(client, [ANN, BOB])
    with (tmp_path / f"{made}.jsonl").open("a") as file:
        file.write('{"do":"deal","seed":77}\n')
    assert TableFiles(tmp_path).find(made).state == GAME.start(deal_seed(77))


def test_there_is_no_editor_and_a_given_position_hides_nothing(client: TestClient) -> None:
    answer = client.post("/api/edit", json={"game": "battleline", "do": None})
    assert (answer.status_code, answer.json()["error"]) == (400, "Battle Line has no editor.")
    text = GAME.position_text(GAME.start(5))
    shown = client.post("/api/position", json={"game": "battleline", "text": text}).json()
    assert shown["position"] == text
    dealt = GAME.start(5).hands
    assert {card_text(card) for hand in dealt for card in hand} <= set(styles(shown["picture"]))
    start = client.post("/api/position", json={"game": "battleline", "text": None}).json()
    assert len(own_hand(start)) == sum(key.startswith("theirs") for key in styles(start["picture"])) == 7
