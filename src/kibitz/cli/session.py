"""A game at the terminal: people and agents in any mix, with undo, hint and save."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rich.text import Text

from kibitz.analysis.position import analyse
from kibitz.analysis.words import reasons, sentence
from kibitz.cli.records import check_save_file, notation_of
from kibitz.cli.show import console, player_text, show_board, show_choice, show_insight, show_moves, thinking
from kibitz.core import registry
from kibitz.core.agent import Agent, Allowance, Budget, Choice, Watch, value_text
from kibitz.core.errors import IllegalMove, KibitzError, Resigned
from kibitz.core.game import Game, Move, Outcome, State, can_take_back, hides
from kibitz.core.parts import Signature
from kibitz.core.record import HUMAN, GameRecord, append_line, append_record, deal_seed
from kibitz.core.seeds import derive

_HELP = """  a move    as numbered at the edges of the board, or as in game records
  undo      take back your last move and the replies to it
  hint      show what the analyst would play, and why
  why       explain the last move of an agent
  moves     list the legal moves
  log       list the moves so far
  save FILE append the game to a file of records (with hidden cards: once it is over)
  resign    resign the game
  quit      leave without finishing"""


class Session:
    """A game in progress with its history and its players; None as a player stands for a person."""

    def __init__(
        self,
        game: Game,
        seats: tuple[Agent | None, Agent | None],
        budget: Budget,
        seed: int,
        start: State | None,
        insight: bool = False,
    ) -> None:
        self.game, self.seats, self.budget, self.seed = game, seats, budget, seed
        self.start, self.insight = start, insight
        self.allowance = Allowance((budget, budget))
        self.states = [start or game.start(deal_seed(seed))]
        self.moves: list[Move] = []
        self.times: list[float] = []
        self.thoughts: list[Choice | None] = []
        """The choice behind each move of an agent; None for a person's move."""
        self.resigned: int | None = None
        self.left = False
        self.hides = hides(self.state)
        self.shown_to = self.state.to_move
        """The player whose hidden cards are on the screen that two people share."""
        self.to_save: list[Path] = []
        """Files to save the game to once it is over."""
        for seat, agent in enumerate(seats):
            if agent is not None:
                agent.reset(derive(seed, "agent", seat))

    @property
    def state(self) -> State:
        """The position on the board."""
        return self.states[-1]

    @property
    def viewer(self) -> int:
        """The player whose view is shown: the only person at the board, otherwise the player to move."""
        people = [seat for seat in (0, 1) if self.seats[seat] is None]
        return people[0] if len(people) == 1 else self.state.to_move

    def run(self) -> None:
        """Play until the game ends or a person leaves."""
        self._show()
        while self.state.outcome() is None and self.resigned is None and not self.left:
            agent = self.seats[self.state.to_move]
            if agent is None:
                self._ask()
            else:
                self._let_play(agent)
        self._show_end()
        if not self._keeps_secrets():
            for path in self.to_save:
                self.save(path)

    def record(self) -> GameRecord:
        """Return the game so far."""
        outcome = self.state.outcome()
        result, reason = ("*", "not finished") if outcome is None else (outcome.result, outcome.reason)
        if self.resigned is not None:
            result = "0-1" if self.resigned == 0 else "1-0"
            reason = f"{self.game.players[self.resigned]} resigned"
        return GameRecord(
            game=self.game.name,
            options=self.game.options,
            agents=(self._name(0), self._name(1)),
            moves=tuple(self.game.move_text(move) for move in self.moves),
            result=result,
            reason=reason,
            seed=self.seed,
            start=None if self.start is None else self.game.position_text(self.start),
            times=tuple(round(seconds, 6) for seconds in self.times),
        )

    def save(self, path: Path) -> None:
        """Append the game to a file of records, unless it would reveal hidden cards. Raise BadText if writing fails."""
        if self._keeps_secrets():
            console.print("Not saved: the record would reveal hidden cards. Finish the game or resign to save it.")
            return
        notation = notation_of(self.game, path)
        if notation is None:
            append_record(path, self.record())
        else:
            append_line(path, self._written(notation))
        console.print(f"Saved to {path}.")

    def _written(self, notation: str) -> str:
        """Return the game so far in a notation."""
        outcome = self.state.outcome()
        if self.resigned is not None:
            outcome = Outcome(1 if self.resigned == 0 else 0, f"{self.game.players[self.resigned]} resigned")
        signed = Signature((self._name(0), self._name(1)), outcome)
        return registry.package(self.game.name).make_notations().write(self.states, self.moves, notation, signed)

    def _keeps_secrets(self) -> bool:
        """Return whether the record so far would reveal hidden cards to a person in the game."""
        return self.hides and None in self.seats and self.record().result == "*"

    def _save_when_allowed(self, path: Path) -> None:
        """Save now, or after the game if the record would reveal hidden cards. Raise BadText if writing fails."""
        if not self._keeps_secrets():
            self.save(path)
            return
        check_save_file(self.game, path)
        self.to_save.append(path)
        console.print(f"The record would reveal hidden cards, so the game is saved to {path} when it is over.")

    def _name(self, seat: int) -> str:
        agent = self.seats[seat]
        return HUMAN if agent is None else agent.spec

    def _make(self, move: Move, seconds: float, thought: Choice | None = None) -> None:
        self.states.append(self.state.play(move))
        self.moves.append(move)
        self.times.append(seconds)
        self.thoughts.append(thought)
        self._show()

    def _let_play(self, agent: Agent) -> None:
        began, watch = time.perf_counter(), Watch()
        with thinking(agent.spec, self.game, watch):
            try:
                choice = agent.choose(self.state.view(self.state.to_move), self.allowance.budget(self.state), watch)
            except Resigned:
                self.resigned = self.state.to_move
                return
        seconds = time.perf_counter() - began
        self.allowance.spend(choice, seconds)
        self._make(choice.move, seconds, choice)

    def _ask(self) -> None:
        """Read one line from the person to move, and carry it out."""
        try:
            if self._is_to_hand_over():
                console.input(Text.assemble("Pass the screen to ", self._side(), ", then press Enter. "))
                self.shown_to = self.state.to_move
                self._show()
            line = console.input(Text.assemble(self._side(), " > ")).strip()
        except EOFError:
            console.print()
            self.left = True
            return
        word, _, rest = line.partition(" ")
        actions = {"undo": self._undo, "hint": self._hint, "why": self._why, "log": self._log}
        try:
            match word.lower():
                case "":
                    pass
                case "?" | "help":
                    console.print(_HELP)
                case "quit" | "exit" | "q":
                    self.left = True
                case "resign":
                    self.resigned = self.state.to_move
                case name if name in actions:
                    actions[name]()
                case "moves":
                    show_moves(self.game, self.state.legal_moves())
                case "save" if rest:
                    self._save_when_allowed(Path(os.path.expanduser(rest.strip())))
                case "save":
                    console.print("Which file? Type save FILE.")
                case _:
                    self._make(self.game.parse_move(line), time.perf_counter() - self.shown_at)
        except KibitzError as error:
            console.print(Text(f"{error} Type ? for help.", "yellow"))

    def _side(self, player: int | None = None) -> Text:
        """Return the name of a side in its colour, by default of the player to move."""
        return player_text(self.game, self.state.to_move if player is None else player)

    def _is_to_hand_over(self) -> bool:
        """Return whether the screen must be handed over before the hand of the player to move may be shown."""
        return self.hides and self.seats == (None, None) and self.shown_to != self.state.to_move

    def _is_within_agents_turn(self) -> bool:
        """Return whether an agent is in the middle of a turn, so that the board need not be shown yet."""
        if not self.moves or self.state.outcome() is not None:
            return False
        before = self.states[-2]
        return self.seats[before.to_move] is not None and self.state.turn == before.turn

    def _text(self, number: int) -> str:
        """Return move `number`, counted from 0, as text, without anything hidden from the viewer."""
        mine = not self.hides or self.states[number].to_move == self.viewer
        return (self.game.move_label if mine else self.game.public_text)(self.moves[number])

    def _undo(self) -> None:
        """Take back the last move by a person and all moves after it."""
        people = [i for i in range(len(self.moves)) if self.seats[self.states[i].to_move] is None]
        if not people:
            console.print("There is no move to take back.")
            return
        first = people[-1]
        if not can_take_back(self.states[first:-1], self.moves[first:]):
            raise IllegalMove("Cards have been revealed since then: only moves of this turn can be taken back.")
        for past in (self.moves, self.times, self.thoughts):
            del past[first:]
        del self.states[first + 1 :]
        self.allowance = Allowance((self.budget, self.budget))
        self._show()

    def _hint(self) -> None:
        watch = Watch()
        with thinking("the analyst", self.game, watch):
            choice = analyse(self.state, self.budget, watch=watch)
        show_choice(self.state, choice, top=5)

    def _why(self) -> None:
        """Explain the last move of an agent; if no agent has moved, the last move."""
        at = max((i for i, thought in enumerate(self.thoughts) if thought is not None), default=len(self.moves) - 1)
        if at < 0:
            console.print("No move has been played yet.")
            return
        before, move, thought = self.states[at], self.moves[at], self.thoughts[at]
        if self.hides and before.to_move != self.viewer:
            console.print("The reasons for the opponent's move would reveal hidden cards.")
            return
        label = Text(f" played {self.game.move_label(move)}. ", "bold")
        words = [sentence(reasons(before, move)) or "No reason is known."]
        if thought is not None:
            words = [thought.note, *words] if thought.note else words
            if thought.value is not None:
                words.append(f"It evaluates its position as {value_text(thought.value, thought.unit, thought.exact)}.")
        console.print(Text.assemble(self._side(before.to_move), label, " ".join(words)))
        if thought is not None and len(thought.line) > 1:
            show_moves(self.game, thought.line[1:], "Expected: ")

    def _log(self) -> None:
        for number in range(len(self.moves)):
            side = self._side(self.states[number].to_move)
            console.print(Text.assemble((f"{number + 1:3} ", "dim"), side, " ", self._text(number)))

    def _show(self) -> None:
        self.shown_at = time.perf_counter()
        last = self.moves[-1] if self.moves else None
        if self._is_to_hand_over() and self.state.outcome() is None:
            console.clear()
        elif not self._is_within_agents_turn():
            if self.insight and (not self.hides or self.viewer == self.state.to_move):
                show_insight(self.state)
            else:
                show_board(self.state, last, self.viewer)
        if last is not None:
            mover, label = self.states[-2].to_move, (self._text(len(self.moves) - 1), "bold")
            number, name = (f"{len(self.moves)}. ", "dim"), f" ({self._name(mover)}) played "
            console.print(Text.assemble(number, self._side(mover), name, label))

    def _show_end(self) -> None:
        record = self.record()
        if record.result == "*":
            console.print("The game is unfinished.")
        elif record.result == "1/2-1/2":
            console.print(Text(f"A draw: {record.reason}.", "bold"))
        else:
            winner = 0 if record.result == "1-0" else 1
            how = (f" ({self._name(winner)}) wins: {record.reason}.", "bold")
            console.print(Text.assemble(self._side(winner), how))
