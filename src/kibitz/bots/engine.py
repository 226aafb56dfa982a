"""An agent as a program for others: the engine side of the line protocol in docs/bots.md."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TextIO, TypeAlias

from kibitz.bots.protocol import VERSION, info_line, move_word, read_go, read_newgame
from kibitz.core.agent import Agent, Budget, Watch
from kibitz.core.errors import BadText, KibitzError, Resigned
from kibitz.core.game import Game, View
from kibitz.core.untrusted import printable
from kibitz.search.agents import make_agent

_Words: TypeAlias = Sequence[str]


def run(agent: Agent, game: Game, stdin: TextIO, stdout: TextIO) -> None:
    """Answer commands from stdin on stdout until "quit" or end of input.

    A bad command is answered with an "error" line. The agent must have its spec, because it is recreated when a
    game has other options.
    """
    engine = _EngineSession(agent, game, stdout)
    try:
        for line in stdin:
            words = line.split()
            if words == ["quit"]:
                break
            if words:
                engine.obey(words)
    finally:
        engine.close()


class _EngineSession:
    """The state of a conversation. Searches run in a thread of their own, so that they can be stopped."""

    def __init__(self, agent: Agent, game: Game, stdout: TextIO) -> None:
        self._agent, self._game, self._stdout = agent, game, stdout
        self._view: View = game.start().view(0)
        self._seed = 0
        self._watch = Watch()
        self._search: threading.Thread | None = None
        self._commands: Mapping[str, Callable[[_Words], None]] = {
            "kibitz": self._greet,
            "seed": self._set_seed,
            "newgame": self._new_game,
            "seat": self._set_seat,
            "position": self._set_position,
            "legal": lambda words: None,  # the engine knows the rules
            "go": self._go,
        }

    def obey(self, words: _Words) -> None:
        """Carry out a command, given as words. All commands but "stop" first wait for a running search to finish."""
        if words == ["stop"]:
            return self.stop()
        self._await_search()
        try:
            if words[0] not in self._commands:
                raise BadText(f"unknown command {words[0]!r}; use {', '.join(self._commands)}, stop or quit")
            self._commands[words[0]](words[1:])
        except KibitzError as error:
            self._say_error(str(error))
        except BrokenPipeError:
            raise
        except Exception as fault:  # an agent may be anyone's code; the conversation goes on
            self._say_error(f"{type(fault).__name__}: {fault}")

    def stop(self) -> None:
        """Stop the running search, if any, and wait until it has sent its move."""
        self._watch.stop()
        self._await_search()

    def close(self) -> None:
        """Stop searching and close the agent."""
        self.stop()
        self._agent.close()

    def _await_search(self) -> None:
        if self._search is not None:
            self._search.join()
            self._search = None

    def _say(self, line: str) -> None:
        self._stdout.write(line + "\n")
        self._stdout.flush()

    def _say_error(self, message: str) -> None:
        self._say(f"error {printable(' '.join(message.split()))}")

    def _greet(self, words: _Words) -> None:
        if words != [str(VERSION)]:
            raise BadText(f"this engine speaks version {VERSION} of the protocol; send kibitz {VERSION}")
        self._say(f"id name kibitz {self._agent.spec}")
        self._say("ready")

    def _set_seed(self, words: _Words) -> None:
        try:
            [text] = words
            self._seed = int(text)
        except ValueError:
            raise BadText("seed takes one whole number, such as seed 42") from None

    def _new_game(self, words: _Words) -> None:
        game = read_newgame(words)
        if game.name != self._game.name:
            raise BadText(f"this engine plays {self._game.name}, not {game.name}")
        if game != self._game:
            agent = make_agent(game, self._agent.spec)
            self._agent.close()
            self._agent, self._game = agent, game
        self._agent.reset(self._seed)
        self._agent.prepare()
        self._view = game.start().view(0)
        self._say("ready")

    def _set_seat(self, words: _Words) -> None:
        if words not in (["0"], ["1"]):
            raise BadText(f"seat takes 0 or 1, got {' '.join(words)!r}")

    def _set_position(self, words: _Words) -> None:
        self._view = self._game.parse_view(" ".join(words))

    def _go(self, words: _Words) -> None:
        budget = read_go(words)
        if not self._view.legal_moves():
            if self._view.sample(random.Random(0)).outcome() is not None:
                raise BadText("the game is over, so there is no move to choose")
            raise BadText("it is the opponent's turn, so there is no move to choose")
        self._watch = Watch()
        self._search = threading.Thread(target=self._think, args=(budget,), name="kibitz-engine", daemon=True)
        self._search.start()

    def _think(self, budget: Budget) -> None:
        with suppress(BrokenPipeError):  # the caller has gone; stdin will end too
            try:
                choice = self._agent.choose(self._view, budget, self._watch)
                self._say(info_line(self._game, choice))
                self._say(f"bestmove {move_word(self._game, choice.move)}")
            except BrokenPipeError:
                raise
            except Resigned:
                self._say("resign")
            except Exception as fault:  # an agent may be anyone's code
                self._say_error(f"{type(fault).__name__}: {fault}")
