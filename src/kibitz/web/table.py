"""One game at the board, and its judge: who sits where, the moves, taking back, giving up.

Plain and synchronous; knows no network, no file and no agent. Whatever happens at
a table is an event, a small JSON object: what a person asks for is checked and
turned into one, and apply() makes it happen. So a table is the sum of its events,
and whoever keeps these can make it again.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from kibitz.core.errors import BadText, KibitzError
from kibitz.core.game import Move, Outcome, Player, State, can_take_back, hides
from kibitz.core.record import HUMAN, GameRecord, deal_seed
from kibitz.web.setup import Seat, Setup, key_of

Event: TypeAlias = dict[str, Any]
"""{"do": "move", "move": text, "seconds": s}, {"do": "at", "ply": n} (moves taken back or made again),
{"do": "end", "loser": seat, "why": "resigned"}, {"do": "name", "seat": seat, "name": text},
{"do": "deal", "seed": n} (begun anew with other cards); at the end of a game that persons settle
{"do": "mark", "marks": texts} (what is marked now) and {"do": "settle", "marks": texts} (agreed on)."""

RAN_OUT = "ran out of time"


class Refused(KibitzError):
    """Report something that cannot be done at this table now."""


class Table:
    """A game from its setup on. All that changes it goes through apply()."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.game, self.seats = setup.game, setup.seats
        start = setup.start
        self.states: list[State] = [
            self.game.start(deal_seed(setup.seed)) if start is None else self.game.parse_position(start)
        ]
        """All positions known, those of moves taken back included."""
        self.moves: list[Move] = []
        self.times: list[float] = []
        self.ply = 0
        """How many of the moves are on the board."""
        self.ended: tuple[Player, str] | None = None
        """Who gave the game up or ran out of time, and which of the two."""
        self.marks: tuple[str, ...] = ()
        """What persons have marked at the end, see Game.settle."""
        self.settled = False
        """Whether they agreed on it."""
        self.version = 0
        """Grows with every change."""
        self.restart_clock()

    # What there is to see

    @property
    def state(self) -> State:
        """The position on the board."""
        return self.states[self.ply]

    @property
    def to_move(self) -> Seat:
        """Who is to move."""
        return self.seats[self.state.to_move]

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if self.ended is not None:
            loser, why = self.ended
            return Outcome(1 - loser, f"{self.seats[loser].name} {why}")
        if self.is_settling:
            return None
        return self.settlement if self.settled else self.state.outcome()

    @property
    def is_settling(self) -> bool:
        """Whether no move is left, and persons have yet to agree on the end. Agents take the board as it is."""
        open_end = self.game.settles and bool(self.persons) and not self.settled and self.ended is None
        return open_end and self.state.outcome() is not None

    @property
    def settlement(self) -> Outcome:
        """How the game ended by what is marked."""
        return self.game.settle(self.state, self.marks)[0]

    @property
    def persons(self) -> list[Player]:
        """The seats of persons."""
        return [player for player, seat in enumerate(self.seats) if seat.kind == "person"]

    @property
    def is_between_two(self) -> bool:
        """Whether two persons play, each at a screen of their own."""
        return self.setup.link and len(self.persons) == 2

    @property
    def is_contest(self) -> bool:
        """Whether two persons still play so: nothing may help one of them."""
        return self.is_between_two and self.outcome is None

    def seats_of(self, tokens: Iterable[str]) -> frozenset[Player]:
        """Return the seats that some tokens give."""
        keys = set(map(key_of, tokens))
        return frozenset(player for player, key in enumerate(self.setup.keys) if key in keys)

    def viewer(self, seats: Iterable[Player]) -> Player | None:
        """Return whose view of a position is shown to somebody with these seats; None for a spectator.

        It is that of the only person there, or of the one of two whose turn it is now. When the game is over, nothing
        is hidden: then it is that of the only person, or of the first player, whoever is to move in the position.
        """
        persons = [seat for seat in seats if self.seats[seat].kind == "person"]
        if self.outcome is not None:
            return persons[0] if len(persons) == 1 else 0
        if len(persons) == 2:
            return self.state.to_move
        return persons[0] if persons else None

    @property
    def limit(self) -> float | None:
        """The seconds that who is to move has for the move; None for no limit."""
        if self.to_move.kind == "person" and len(self.persons) == 1:
            return None  # the time was agreed on for the agent
        if self.is_settling:
            return None
        return self.setup.seconds

    @property
    def redoable(self) -> int:
        """How many moves have been taken back and can be made again."""
        return len(self.moves) - self.ply

    def last_turn(self, ply: int) -> list[Move]:
        """Return the moves that the player of a move made in a row, up to that move."""
        first = ply
        while first and self.states[first - 1].to_move == self.states[ply - 1].to_move:
            first -= 1
        return self.moves[first:ply]

    @property
    def hides(self) -> bool:
        """Whether the players of this game see different things."""
        return hides(self.state)

    def shows_everything(self) -> bool:
        """Return whether nothing is hidden at this table, or no longer."""
        return self.outcome is not None or not self.hides

    def words(self, outcome: Outcome | None = None) -> str:
        """Return the result in words, or what an outcome would be: "Ann wins, 14 boxes to 11"."""
        outcome = outcome or self.outcome
        if outcome is None:
            return ""
        if outcome.winner is None:
            return f"It's a tie, {outcome.reason}"
        name = self.seats[outcome.winner].name
        if name == self.seats[1 - outcome.winner].name:
            name = f"{name} ({self.game.players[outcome.winner]})"
        return f"{name} wins, {outcome.reason}"

    def record(self) -> GameRecord:
        """Return the game so far. Raises Refused while it would tell what is hidden."""
        if not self.shows_everything():
            raise Refused("The record of this game can be had when the game is over.")
        outcome = self.outcome
        return GameRecord(
            game=self.game.name,
            options=self.game.options,
            agents=(self.seats[0].spec or HUMAN, self.seats[1].spec or HUMAN),
            moves=tuple(map(self.game.move_text, self.moves[: self.ply])),
            result="*" if outcome is None else outcome.result,
            reason="not finished" if outcome is None else outcome.reason,
            seed=self.setup.seed,
            start=self.setup.start,
            times=tuple(round(seconds, 3) for seconds in self.times[: self.ply]),
            marks=self.marks if self.settled else None,
        )

    # What can be asked for: each returns the event that will do it, or raises Refused, BadText or IllegalMove

    def move(self, text: str, ply: int, seconds: float | None = None) -> Event:
        """Ask for a move by who is to move; ply is how many moves the asker has seen."""
        if ply != self.ply:
            raise Refused("The game has moved on. The board shows it as it is now; please choose again.")
        if self.outcome is not None:
            raise Refused("The game is over.")
        if self.is_settling:
            raise Refused("No move is left: agree on the result, or take a move back to play on.")
        move = self.game.parse_move(text)
        self.state.play(move)
        spent = self.elapsed() if seconds is None else seconds
        return {"do": "move", "move": self.game.move_text(move), "seconds": round(spent, 3)}

    def undo(self) -> Event:
        """Ask to take back: a resignation or agreement, or the last move of a person and what followed, or one move."""
        if self.hides and self.outcome is not None:
            raise Refused("The game is over and all cards have been shown: nothing is taken back any more.")
        if self.ended is not None or self.settled:
            return {"do": "at", "ply": self.ply}
        if not self.ply:
            raise Refused("There is no move to take back.")
        if len(self.persons) != 1:
            return self._back_or_on(self.ply - 1)
        own = [i for i in range(self.ply) if self._is_persons(i)]
        if not own:
            raise Refused("You have not made a move yet.")
        return self._back_or_on(own[-1])

    def redo(self) -> Event:
        """Ask to make moves again that were taken back: one, or as many as it takes until a person is to move."""
        if not self.redoable:
            raise Refused("There is no move to make again.")
        ply = self.ply + 1
        while len(self.persons) == 1 and ply < len(self.moves) and not self._is_persons(ply):
            ply += 1
        return self._back_or_on(ply)

    def _back_or_on(self, ply: int) -> Event:
        """Return what goes to another ply. Raises Refused if a player would know then what is hidden from him."""
        first, end = sorted((self.ply, ply))
        if not can_take_back(self.states[first:end], self.moves[first:end]):
            raise Refused(
                "Cards have been seen since, which cannot be unseen. Where something is hidden, only moves of the "
                "same turn can be taken back, and no draw."
            )
        return {"do": "at", "ply": ply}

    def restart(self) -> Event:
        """Ask to begin again: the same game, whose moves can be made again until another one is made; where something
        is hidden, one with new cards.
        """
        if self.hides and self.setup.start is None:
            return {"do": "deal", "seed": secrets.randbits(48)}
        return {"do": "at", "ply": 0}

    def resign(self, seat: Player) -> Event:
        """Ask to give the game up."""
        if self.outcome is not None:
            raise Refused("The game is over.")
        if self.seats[seat].kind != "person":
            raise Refused(f"{self.seats[seat].name} does not resign.")
        return {"do": "end", "loser": seat, "why": "resigned"}

    def mark(self, mark: str) -> Event:
        """Ask to mark something at the end of the game, or no longer."""
        self._check_settling()
        _, all_of_it = self.game.settle(self.state, (mark,))
        kept = [each for each in self.marks if each not in all_of_it]
        return {"do": "mark", "marks": kept if len(kept) < len(self.marks) else [*kept, *all_of_it]}

    def settle(self, marks: Iterable[str]) -> Event:
        """Ask to end the game with what is marked; marks is what the asker has seen."""
        self._check_settling()
        if set(marks) != set(self.marks):
            raise Refused("What is marked has changed meanwhile. The board shows it as it is now; please look again.")
        return {"do": "settle", "marks": list(self.marks)}

    def _check_settling(self) -> None:
        if not self.is_settling:
            raise Refused("There is nothing to agree on now.")

    def run_out(self) -> Event:
        """Ask to end the game for who is to move and has no time left."""
        if not self.is_late():
            raise Refused("There is time left.")
        return {"do": "end", "loser": self.state.to_move, "why": RAN_OUT}

    def rename(self, seat: Player, name: str) -> Event:
        """Ask for another name of a person."""
        if self.seats[seat].kind != "person":
            raise Refused(f"{self.seats[seat].name} keeps its name.")
        return {"do": "name", "seat": seat, "name": name}

    def _is_persons(self, ply: int) -> bool:
        """Return whether a person is to move in the position after so many moves."""
        return self.seats[self.states[ply].to_move].kind == "person"

    # What happens

    def apply(self, event: Event) -> None:
        """Let an event happen. Raises BadText for one that does not fit, as of a file that was changed by hand."""
        try:
            self._apply(event)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
            raise BadText(f"The event {event!r} does not fit here.") from None
        except KibitzError as error:
            raise BadText(f"The event {event!r} does not fit here: {error}") from None
        self.version += 1

    def _apply(self, event: Event) -> None:
        match event["do"]:
            case "move":
                move = self.game.parse_move(event["move"])
                after, seconds = self.state.play(move), float(event["seconds"])
                if not math.isfinite(seconds):
                    raise ValueError
                del self.states[self.ply + 1 :], self.moves[self.ply :], self.times[self.ply :]
                self.marks = ()
                self.states.append(after)
                self.moves.append(move)
                self.times.append(seconds)
                self.ply += 1
                self.restart_clock()
            case "at":
                ply = range(len(self.moves) + 1).index(event["ply"])
                if ply != self.ply:
                    self.marks = ()
                self.ply, self.ended, self.settled = ply, None, False
                self.restart_clock()
            case "deal":
                self.setup = replace(self.setup, seed=int(event["seed"]))
                self.states = [self.game.start(deal_seed(self.setup.seed))]
                self.moves, self.times, self.ply, self.ended = [], [], 0, None
                self.marks, self.settled = (), False
                self.restart_clock()
            case "mark" | "settle":
                self._check_settling()
                _, self.marks = self.game.settle(self.state, [str(mark) for mark in event["marks"]])
                self.settled = event["do"] == "settle"
            case "end":
                loser: Player = event["loser"]
                self.ended = (range(2).index(loser), str(event["why"]))
            case "name":
                seats = list(self.seats)
                seats[event["seat"]] = replace(seats[event["seat"]], name=str(event["name"]))
                self.seats = (seats[0], seats[1])
            case _:
                raise ValueError

    # The clock

    def restart_clock(self) -> None:
        """Let the time of who is to move begin now."""
        self.since = time.time()

    def is_late(self) -> bool:
        """Return whether a person is to move and has no time left."""
        if self.outcome is not None or self.limit is None or self.to_move.kind != "person":
            return False
        return self.elapsed() >= self.limit

    def elapsed(self) -> float:
        """Return the seconds since the last move."""
        return max(0.0, time.time() - self.since)
