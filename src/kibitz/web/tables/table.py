"""A game in progress, and its referee: the seats, the moves, taking back, resigning, the clock.

Plain and synchronous, without network, files or agents. A request such as move() or undo() only
checks, and returns an Event; commit() applies it. A Moved event includes the position after the
move, so the rules play each move only once. A table is fully determined by its setup and events,
which event_json() and Table.read() convert to lines of its file and back.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from kibitz.core.errors import BadText, KibitzError
from kibitz.core.game import Move, Outcome, Player, State, can_take_back, hides
from kibitz.core.record import HUMAN, GameRecord, deal_seed
from kibitz.core.untrusted import JsonObject
from kibitz.web.tables.setup import Seat, Setup, key_of

RAN_OUT = "ran out of time"


class Refused(KibitzError):
    """Raised for a request that is not allowed at this table now."""


class Moved(NamedTuple):
    """A move was made."""

    move: Move
    text: str
    after: State
    """The position after the move, so that the rules play it only once."""
    seconds: float


class SteppedTo(NamedTuple):
    """Moves were taken back or redone to reach a ply; any resignation or agreement was taken back too."""

    ply: int


class Ended(NamedTuple):
    """A player resigned or ran out of time."""

    loser: Player
    why: str


class Marked(NamedTuple):
    """The players changed the marks that decide a finished game's result; agreed is True once both accept them."""

    marks: tuple[str, ...]
    agreed: bool


class Renamed(NamedTuple):
    """A person changed their name."""

    seat: Player
    name: str


class Dealt(NamedTuple):
    """A new game was dealt at the same table. Only in files of version 0.1; now every game has its own table."""

    seed: int


Event: TypeAlias = Moved | SteppedTo | Ended | Marked | Renamed | Dealt


def event_json(event: Event) -> JsonObject:
    """Return the JSON object that stores an event in the file of its table."""
    match event:
        case Moved(text=text, seconds=seconds):
            return {"do": "move", "move": text, "seconds": seconds}
        case SteppedTo(ply):
            return {"do": "at", "ply": ply}
        case Ended(loser, why):
            return {"do": "end", "loser": loser, "why": why}
        case Marked(marks, agreed):
            return {"do": "settle" if agreed else "mark", "marks": list(marks)}
        case Renamed(seat, name):
            return {"do": "name", "seat": seat, "name": name}
        case Dealt(seed):
            return {"do": "deal", "seed": seed}


class MoveClock:
    """Counts the seconds since the last move, without pauses. Not affected by changes of the system time."""

    def __init__(self) -> None:
        self._counted = 0.0
        self._since: float | None = time.monotonic()
        """When counting last began, by time.monotonic(); None while paused."""

    def restart(self) -> None:
        """Restart from 0 for the next move."""
        self._counted = 0.0
        if self._since is not None:
            self._since = time.monotonic()

    def pause(self) -> None:
        """Stop counting, as when all players have left."""
        self._counted, self._since = self.elapsed(), None

    def resume(self) -> None:
        """Continue counting."""
        if self._since is None:
            self._since = time.monotonic()

    def elapsed(self) -> float:
        """Return the seconds counted for this move."""
        return self._counted + (0.0 if self._since is None else time.monotonic() - self._since)


class Table:
    """A game at a table. Every change goes through commit()."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.seats, self.game = setup.seats, setup.game
        start, game = setup.start, setup.game
        self.states: list[State] = [game.start(deal_seed(setup.seed)) if start is None else game.parse_position(start)]
        """All known positions, including those of moves taken back."""
        self.moves: list[Move] = []
        self.times: list[float] = []
        self.ply = 0
        """The number of moves on the board."""
        self.ended: tuple[Player, str] | None = None
        """The player who resigned or ran out of time, and the reason in words."""
        self.marks: tuple[str, ...] = ()
        """The marks set at the end of the game, see Game.settle."""
        self.settled = False
        """Whether both players accepted the marks."""
        self.version = 0
        """Increases with every change."""
        self.clock = MoveClock()

    # Reading the table

    @property
    def state(self) -> State:
        """The position on the board."""
        return self.states[self.ply]

    @property
    def to_move(self) -> Seat:
        """The seat of the player to move."""
        return self.seats[self.state.to_move]

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None if it is unfinished."""
        if self.ended is not None:
            loser, why = self.ended
            return Outcome(1 - loser, f"{self.seats[loser].name} {why}")
        if self.is_settling:
            return None
        return self.settlement if self.settled else self.state.outcome()

    @property
    def is_settling(self) -> bool:
        """Whether no moves are left, but people have yet to agree on the result. Agents need no such agreement."""
        open_end = self.game.settles and bool(self.persons) and not self.settled and self.ended is None
        return open_end and self.state.outcome() is not None

    @property
    def settlement(self) -> Outcome:
        """How the game ends with the current marks."""
        return self.game.settle(self.state, self.marks)[0]

    @property
    def persons(self) -> list[Player]:
        """The seats held by people."""
        return [player for player, seat in enumerate(self.seats) if seat.kind == "person"]

    @property
    def is_between_two(self) -> bool:
        """Whether two people play, each on their own screen."""
        return self.setup.link and len(self.persons) == 2

    @property
    def is_contest(self) -> bool:
        """Whether a game between two people is unfinished, so that neither may get help."""
        return self.is_between_two and self.outcome is None

    def seats_of(self, tokens: Iterable[str]) -> frozenset[Player]:
        """Return the seats that these tokens give access to."""
        keys = set(map(key_of, tokens))
        return frozenset(player for player, key in enumerate(self.setup.keys) if key in keys)

    def is_shared(self, seats: Iterable[Player]) -> bool:
        """Return whether two people share the screen of a client with these seats."""
        return sum(self.seats[seat].kind == "person" for seat in seats) == 2

    def viewer(self, seats: Iterable[Player]) -> Player | None:
        """Return the player from whose side a client with these seats sees the game; None for a spectator.

        That is the only person among these seats, or of two the one to move. When the game is over, so that nothing
        is hidden, it is the only person, or else the first player.
        """
        persons = [seat for seat in seats if self.seats[seat].kind == "person"]
        if self.outcome is not None:
            return persons[0] if len(persons) == 1 else 0
        if len(persons) == 2:
            return self.state.to_move
        return persons[0] if persons else None

    @property
    def limit(self) -> float | None:
        """The time limit of the player to move, in seconds; None for no limit."""
        applies_to_agents = self.to_move.kind == "person" and len(self.persons) == 1
        return None if applies_to_agents or self.is_settling else self.setup.seconds

    @property
    def redoable(self) -> int:
        """The number of moves that can be redone."""
        return len(self.moves) - self.ply

    def last_turn(self, ply: int) -> list[Move]:
        """Return the last moves before this ply that the same player made in a row."""
        first = ply
        while first and self.states[first - 1].to_move == self.states[ply - 1].to_move:
            first -= 1
        return self.moves[first:ply]

    @property
    def hides(self) -> bool:
        """Whether the players of this game see different information."""
        return hides(self.state)

    @property
    def is_disclosed(self) -> bool:
        """Whether hidden cards have been revealed because the game is over."""
        return self.hides and self.outcome is not None

    def shows_everything(self) -> bool:
        """Return whether nothing is hidden: the game hides nothing, or it is over."""
        return self.outcome is not None or not self.hides

    def result_words(self, outcome: Outcome | None = None) -> str:
        """Return an outcome, by default that of the game, in words: "Ann wins, 14 boxes to 11"; "" if there is none."""
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
        """Return the record of the game so far. Raise Refused while cards are hidden."""
        if not self.shows_everything():
            raise Refused("The game record is available when the game is over.")
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

    # Requests: each returns the event to commit, or raises Refused, BadText or IllegalMove

    def move(self, move: str, ply: int) -> Moved:
        """Return the event of a move given by its text. ply: the number of moves the client has seen."""
        if ply != self.ply:
            raise Refused("The position has changed. Please choose your move again.")
        return self.make_move(self.game.parse_move(move))

    def make_move(self, move: Move, seconds: float | None = None) -> Moved:
        """Return the event of a move that took this many seconds, by default the time on the clock."""
        if self.outcome is not None:
            raise Refused("The game is over.")
        if self.is_settling:
            raise Refused("No moves are left. Agree on the result, or take back a move to continue.")
        after = self.state.play(move)
        spent = self.clock.elapsed() if seconds is None else seconds
        return Moved(move, self.game.move_text(move), after, round(spent, 3))

    def undo(self) -> SteppedTo:
        """Return the step that undoes a resignation or agreement, or else the last move (against an agent, yours)."""
        self._check_undisclosed()
        if self.ended is not None or self.settled:
            return SteppedTo(self.ply)
        if not self.ply:
            raise Refused("There is no move to take back.")
        own_turns = [ply for ply in range(self.ply) if len(self.persons) != 1 or self._is_persons_turn(ply)]
        if not own_turns:
            raise Refused("You have not made a move yet.")
        return self._step_to(own_turns[-1])

    def redo(self) -> SteppedTo:
        """Return the step that redoes one move; against an agent, also all moves until it is the person's turn."""
        self._check_undisclosed()
        if not self.redoable:
            raise Refused("There is no move to redo.")
        ply = self.ply + 1
        while len(self.persons) == 1 and ply < len(self.moves) and not self._is_persons_turn(ply):
            ply += 1
        return self._step_to(ply)

    def _check_undisclosed(self) -> None:
        """Raise Refused if the game is over and hidden cards have been revealed."""
        if self.is_disclosed:
            raise Refused("The game is over and all cards have been revealed. Start a new game.")

    def _step_to(self, ply: int) -> SteppedTo:
        """Return the event that steps to another ply. Raise Refused if a player would then know hidden cards."""
        first, end = sorted((self.ply, ply))
        if not can_take_back(self.states[first:end], self.moves[first:end]):
            raise Refused(
                "Cards have been seen since then. In a game with hidden cards, only moves of the same turn can be "
                "taken back, and never a draw."
            )
        return SteppedTo(ply)

    def rematch_setup(self) -> Setup:
        """Return the setup of a rematch with a new deal; its id is empty."""
        return replace(self.setup, id="", seats=self.seats, seed=secrets.randbits(48), before=self.setup.id)

    def resign(self, seat: Player) -> Ended:
        """Return the event by which the person at this seat resigns. Raise Refused for an agent."""
        if self.outcome is not None:
            raise Refused("The game is over.")
        if self.seats[seat].kind != "person":
            raise Refused(f"{self.seats[seat].name} is an agent: nobody can resign for it.")
        return Ended(seat, "resigned")

    def mark(self, mark: str) -> Marked:
        """Return the event that toggles a mark and its whole group at the end; in Go, the marked chains are dead."""
        self._check_settling()
        _, group = self.game.settle(self.state, (mark,))
        others = [each for each in self.marks if each not in group]
        was_marked = len(others) < len(self.marks)
        _, marks = self.game.settle(self.state, others if was_marked else [*others, *group])
        return Marked(marks, agreed=False)

    def settle(self, marks: Iterable[str]) -> Marked:
        """Return the event that ends the game with the current marks. marks: those that the client has seen."""
        self._check_settling()
        if set(marks) != set(self.marks):
            raise Refused("The marks have changed. Please check them again.")
        return Marked(self.marks, agreed=True)

    def _check_settling(self) -> None:
        if not self.is_settling:
            raise Refused("There is no result to agree on now.")

    def time_out(self) -> Ended:
        """Return the event that ends the game because the player to move has run out of time."""
        if not self.is_late():
            raise Refused("The player to move still has time.")
        return Ended(self.state.to_move, RAN_OUT)

    def rename(self, seat: Player, name: str) -> Renamed:
        """Return the event that renames the person at this seat."""
        if self.seats[seat].kind != "person":
            raise Refused(f"{self.seats[seat].name} is an agent and cannot be renamed.")
        return Renamed(seat, name)

    def _is_persons_turn(self, ply: int) -> bool:
        """Return whether a person is to move in the position after this many moves."""
        return self.seats[self.states[ply].to_move].kind == "person"

    def is_late(self) -> bool:
        """Return whether a person is to move and has no time left for the move."""
        if self.outcome is not None or self.limit is None or self.to_move.kind != "person":
            return False
        return self.clock.elapsed() >= self.limit

    # Changes

    def read(self, raw: Any) -> Event:
        """Return the event stored in a line of the file. Raise BadText if it is not valid at this point of the game."""
        try:
            return self._read(raw)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
            raise BadText(f"The event {raw!r} is not valid at this point.") from None
        except KibitzError as error:
            raise BadText(f"The event {raw!r} is not valid at this point: {error}") from None

    def _read(self, raw: Any) -> Event:
        match raw["do"]:
            case "move":
                move, seconds = self.game.parse_move(raw["move"]), float(raw["seconds"])
                if not math.isfinite(seconds):
                    raise ValueError
                return Moved(move, raw["move"], self.state.play(move), seconds)
            case "at":
                return SteppedTo(range(len(self.moves) + 1).index(raw["ply"]))
            case "deal":
                return Dealt(int(raw["seed"]))
            case "mark" | "settle":
                self._check_settling()
                _, marks = self.game.settle(self.state, [str(mark) for mark in raw["marks"]])
                return Marked(tuple(marks), raw["do"] == "settle")
            case "end":
                return Ended(range(2).index(raw["loser"]), str(raw["why"]))
            case "name":
                return Renamed(range(2).index(raw["seat"]), str(raw["name"]))
        raise ValueError

    def commit(self, event: Event) -> None:
        """Apply an event that a request or read() returned for the current position."""
        match event:
            case Moved(move, _, after, seconds):
                self.states[self.ply + 1 :] = [after]
                self.moves[self.ply :], self.times[self.ply :] = [move], [seconds]
                self.ply, self.marks = self.ply + 1, ()
                self.clock.restart()
            case SteppedTo(ply):
                if ply != self.ply:
                    self.marks = ()
                self.ply, self.ended, self.settled = ply, None, False
                self.clock.restart()
            case Dealt(seed):
                self.setup = replace(self.setup, seed=seed)
                self.states, self.moves, self.times = [self.game.start(deal_seed(seed))], [], []
                self.ply, self.ended, self.marks, self.settled = 0, None, (), False
                self.clock.restart()
            case Marked(marks, agreed):
                self.marks, self.settled = marks, agreed
            case Ended(loser, why):
                self.ended = loser, why
            case Renamed(seat, name):
                seats = [replace(each, name=name) if i == seat else each for i, each in enumerate(self.seats)]
                self.seats = seats[0], seats[1]
        self.version += 1
