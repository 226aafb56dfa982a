"""A game with something hidden, played over the server: the secret of the other is in no message before the end.

Each player holds a card. Players in turn say yes (1) or no (0), three times in all; then
the higher card wins. The cards are words, so that they can be looked for in what is sent.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from kibitz.core.agent import Agent, Budget, Choice, Counted, Watch
from kibitz.core.defaults.page import PlainPage
from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Game, Line, Move, Outcome, Player, State, View
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentEntry, AgentTable, Evaluations
from kibitz.picture import Button, Fact, Note, Overlay, Panel, Picture, Text
from web.talking import ANN, BOB, TestClient, agent, at_new_table, create, hear, hear_table, move, refusal, styles, tell

CARDS = ("aardvark", "bison", "cheetah", "dingo", "elephant", "ferret")


@dataclass(frozen=True)
class Secret(Game):
    name: ClassVar[str] = "secret"
    title: ClassVar[str] = "Secret"

    def start(self, seed: int = 0) -> Cards:
        first, second = random.Random(seed).sample(CARDS, 2)
        return Cards(self, (first, second), ())

    def moves(self) -> range:
        return range(2)

    def move_text(self, move: Move) -> str:
        return str(move)

    def parse_move(self, text: str) -> Move:
        if text not in ("0", "1"):
            raise BadText("Say 0 or 1.")
        return int(text)

    def position_text(self, state: State) -> str:
        assert isinstance(state, Cards)
        return json.dumps([state.cards, state.said])

    def parse_position(self, text: str) -> Cards:
        cards, said = json.loads(text)
        return Cards(self, (cards[0], cards[1]), tuple(said))

    def draw(self, view: View, last: Move | None = None) -> tuple[Line, ...]:
        return ()


class Said:
    """What everybody hears."""

    said: tuple[int, ...]

    @property
    def to_move(self) -> Player:
        return len(self.said) % 2

    @property
    def turn(self) -> int:
        return len(self.said)

    def legal_moves(self) -> tuple[Move, ...]:
        return () if len(self.said) == 3 else (0, 1)


@dataclass(frozen=True)
class ViewedPosition(Said):
    """What one player knows."""

    game: Secret
    card: str
    said: tuple[int, ...]

    def sample(self, rng: random.Random) -> Cards:
        raise NotImplementedError


@dataclass(frozen=True)
class Cards(Said):
    game: Secret
    cards: tuple[str, str]
    said: tuple[int, ...]

    def play(self, move: Move) -> Cards:
        if move not in self.legal_moves():
            raise IllegalMove("No.")
        return Cards(self.game, self.cards, (*self.said, move))

    def outcome(self) -> Outcome | None:
        return Outcome(int(self.cards[1] > self.cards[0]), "the higher card") if len(self.said) == 3 else None

    def view(self, player: Player | None) -> ViewedPosition:
        return ViewedPosition(self.game, "" if player is None else self.cards[player], self.said)


class Teller(Agent):
    """Says no, and would tell its card to whoever listens to its note."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        assert isinstance(view, ViewedPosition)
        return Choice(0, value=float(CARDS.index(view.card)), note=f"I hold the {view.card}.")


class SecretPage(PlainPage[Cards, ViewedPosition]):
    """Writes the own card on the board, in the panel and in the overlay; at the end both cards."""

    def picture(
        self,
        view: ViewedPosition,
        last: Sequence[Move] = (),
        *,
        signs: tuple[str, str] = ("", ""),
        marks: Collection[str] | None = None,
        whole: Cards | None = None,
    ) -> Picture:
        cards = (view.card,) if whole is None else whole.cards
        shapes = tuple(Text(card, "card", 5, 5, card, 3) for card in cards)
        return Picture((0, 0, 10, 10), (), shapes, buttons=(Button("No", "0"), Button("Yes", "1")), label=view.card)

    def overlay(self, view: ViewedPosition) -> Overlay:
        return Overlay(facts=(Fact("Card", view.card),))

    def panels(self, view: ViewedPosition) -> Sequence[Panel]:
        return (Panel("Card", (Note(text=view.card),)),)

    def steps(self, view: ViewedPosition, move: Move) -> tuple[str, ...]:
        return (view.card,)


SECRET = GamePackage(
    rules=Secret,
    agents=lambda: AgentTable({"teller": AgentEntry(Teller)}, analyst="teller"),
    evaluations=lambda: Evaluations(unit=Counted("point", "points")),
    page=lambda: SecretPage(Secret),
)


@pytest.fixture(autouse=True)
def secret(add_game: Callable[[GamePackage], None]) -> None:
    add_game(SECRET)


def test_the_other_card_is_told_to_nobody_before_the_end(client: TestClient, tmp_path: Path) -> None:
    made = create(client, game="secret", options={}, seats=[ANN, agent("teller")])
    kept = json.loads((tmp_path / f"{made}.jsonl").read_text().splitlines()[0])
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        table = hear(socket, "table")
        mine = table["picture"]["label"]
        assert mine in CARDS
        assert table["panels"] == [{"title": "Card", "notes": [{"text": mine}]}]
        said = [table, move(socket, 0, "1")]
        said += [hear_table(socket, 2), hear(socket, "thought")]  # the agent has answered
        assert (said[-1]["note"], said[-1]["value"]) == ("", None)
        tell(socket, "undo")  # what the agent said since was hidden before
        said.append(hear(socket, "refused"))
        assert "Cards have been seen since then" in said[-1]["words"]
        assert said[-3]["position"] is None
        tell(socket, "review")
        said.append(hear(socket, "refused"))
        for path in ("record", "export?notation=x", "at/1", "at/2"):
            said.append(client.get(f"/api/tables/{made}/{path}").json())
        assert "when the game is over" in said[-4]["error"]
        assert "when the game is over" in said[-3]["error"]
        text = json.dumps(said)
        assert [card for card in CARDS if card in text] == [mine]
        assert str(kept["seed"]) not in text
        tell(socket, "move", ply=2, move="0")
        table = hear_table(socket, 3)
        assert table["outcome"]["words"].endswith("wins, the higher card")
        assert len(styles(table["picture"])) == 2  # now both may be seen
    record = client.get(f"/api/tables/{made}/record").json()
    assert record["seed"] == kept["seed"]  # now it may be known


def test_two_at_one_screen_know_when_to_cover_it(client: TestClient) -> None:
    with at_new_table(client, game="secret", options={}, seats=[ANN, BOB]) as (made, socket):
        shown = [hear(socket, "table"), *(move(socket, ply, "1") for ply in range(3))]
        assert [table["picture"]["secret"] for table in shown] == ["0 0", "1 1", "0 2", ""]
        assert list(shown[0]["picture"]["views"]) == ["Covered"]
        assert client.get(f"/api/tables/{made}/at/1").json()["picture"]["secret"] == ""
    with at_new_table(client, game="secret", options={}, seats=[ANN, BOB], link=True) as (_, socket):
        assert hear(socket, "table")["picture"]["secret"] == "", "a spectator has nothing to cover"


def test_nobody_is_analysed_out_of_turn(client: TestClient) -> None:
    with at_new_table(client, game="secret", options={}, seats=[agent("teller"), ANN]) as (_, socket):
        hear_table(socket, 1)
        tell(socket, "hint")  # at the own turn: by the own card
        hint = hear(socket, "hint")
        assert (hint["move"], hint["steps"][0] in CARDS) == ("0", True)
        assert "positions where it is your turn" in refusal(socket, "analyse", on=True, ply=0)  # the agent's turn
