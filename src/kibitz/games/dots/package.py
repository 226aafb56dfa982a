"""The game package of Dots-and-Boxes: its rules, loaders for all other parts, and its counterpart in OpenSpiel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.cli.extend import COMMANDS
from kibitz.core.defaults.page import PlainPage
from kibitz.core.game import Move
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentTable, Evaluations, Kernel, Notations, Observe, Problems, Words
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.interop.extend import OPENSPIEL_TWIN, VECTOR, BatchClass, SpielTwin

if TYPE_CHECKING:
    import typer


def _kernel() -> Kernel[DotsState, Dots]:
    from kibitz.games.dots.kernel import position as kernel

    return kernel


def _evaluations() -> Evaluations[DotsState, Dots]:
    from kibitz.games.dots.evaluate import EVALUATIONS

    return EVALUATIONS


def _agents() -> AgentTable:
    from kibitz.games.dots.players.table import AGENTS

    return AGENTS


def _words() -> Words[DotsState, DotsState]:
    from kibitz.games.dots.words.insight import analysis_json, draw_analysis
    from kibitz.games.dots.words.reasons import reasons

    return Words(reasons, draw_analysis, analysis_json)


def _observation() -> Observe[DotsState]:
    from kibitz.games.dots.observation import observe

    return observe


def _notations() -> Notations[DotsState, Dots]:
    from kibitz.games.dots.notations.notations import DotsNotations

    return DotsNotations()


def _page() -> PlainPage[DotsState, DotsState, Dots]:
    from kibitz.games.dots.page.page import DotsPage

    return DotsPage()


def _problems() -> Problems:
    from kibitz.games.dots.problems.problems import DotsProblems

    return DotsProblems()


def _commands() -> typer.Typer:
    from kibitz.games.dots.commands.app import app

    return app


def _openspiel_name(game: Dots) -> str:
    """Return OpenSpiel's name for a game on the same board, or an empty text. Its actions are our line numbers."""
    if game.graph or game.start_ != "empty":
        return ""
    return f"dots_and_boxes(num_rows={game.rows},num_cols={game.cols})"


def _lines_between(before: DotsState, after: DotsState) -> tuple[Move, ...]:
    """Return the lines drawn between two positions in a possible order: boxes are taken as soon as they can be."""
    left = [line for line in after.game.moves() if (after.drawn & ~before.drawn) >> line & 1]
    ordered: list[Move] = []
    while left:
        line = next((line for line in left if before.taken_by(line)), left[0])
        left.remove(line)
        ordered.append(line)
        before = before.play(line)
    return tuple(ordered)


def _batch() -> BatchClass:
    from kibitz.games.dots.kernel.batch import DotsBatch

    return DotsBatch


GAME = GamePackage[DotsState, DotsState, Dots](
    rules=Dots,
    kernel=_kernel,
    evaluations=_evaluations,
    agents=_agents,
    words=_words,
    notations=_notations,
    observation=_observation,
    page=_page,
    problems=_problems,
    extras={
        COMMANDS: _commands,
        OPENSPIEL_TWIN: lambda: SpielTwin(_openspiel_name, lambda state, move: (move,), _lines_between),
        VECTOR: _batch,
    },
)
