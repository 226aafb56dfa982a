"""Go as a plug-in: which module supplies each part of the game. Parts are imported when first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kibitz.cli.extend import COMMANDS, WARMUP
from kibitz.core.agent import Agent
from kibitz.core.defaults.page import PlainPage
from kibitz.core.game import Game
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentTable, BotKind, Evaluations, Kernel, Notations, Observe, Words
from kibitz.games.go.rules import Go, GoState
from kibitz.interop.extend import OPENSPIEL_TWIN, VECTOR, BatchClass, SpielTwin
from kibitz.web.extend import DATA_FOLDERS, SITE, DataFolder, Site

if TYPE_CHECKING:
    import typer


def _kernel() -> Kernel[GoState, Go]:
    from kibitz.games.go.kernel import position as kernel

    return kernel


def _evaluations() -> Evaluations[GoState, Go]:
    from kibitz.games.go.evaluate import EVALUATIONS

    return EVALUATIONS


def _agents() -> AgentTable:
    from kibitz.games.go.players.table import AGENTS

    return AGENTS


def _words() -> Words[GoState, GoState]:
    from kibitz.games.go.words.reasons import reasons

    return Words(reasons)


def _observation() -> Observe[GoState]:
    from kibitz.games.go.observation import observe

    return observe


def _notations() -> Notations[GoState, Go]:
    from kibitz.games.go.notations import GoNotations

    return GoNotations()


def _page() -> PlainPage[GoState, GoState]:
    from kibitz.games.go.page.page import GoPage

    return GoPage()


def _gtp(game: Game, command: str) -> Agent:
    from kibitz.games.go.gtp.bot import GtpBot

    return GtpBot(game, command)


def _katago(game: Game, command: str) -> Agent:
    from kibitz.games.go.gtp.katago import KataGoBot

    return KataGoBot(game, command)


def _bots() -> Mapping[str, BotKind]:
    gtp = "A Go engine that speaks GTP, see docs/games/go/gtp.md."
    katago = "A Go engine that speaks KataGo's JSON analysis protocol, see docs/games/go/gtp.md."
    return {
        "gtp": BotKind(_gtp, about=gtp, analyses=True, installed={"KataGo": "katago gtp"}),
        "katago": BotKind(_katago, about=katago, analyses=True),
    }


def _commands() -> typer.Typer:
    from kibitz.games.go.commands.records import app

    return app


def _warmup() -> Mapping[str, Callable[[], None]]:
    from kibitz.games.go.commands.warmup import JOBS

    return JOBS


def _site() -> Site:
    from kibitz.games.go.page.server import SITE

    return SITE


def _data_folders() -> Sequence[DataFolder]:
    from kibitz.games.go.records.store import MANIFEST, open_all

    store = partial(DataFolder, plural="stores of Go", one="a store of Go", mark=MANIFEST, open_all=open_all)
    return store("go", 2), store("go-own", 2), store("stores", 3)


def _openspiel_twin() -> SpielTwin:
    from kibitz.games.go.openspiel import TWIN

    return TWIN


def _batch() -> BatchClass:
    from kibitz.games.go.kernel.batch import GoBatch

    return GoBatch


GAME = GamePackage(
    rules=Go,
    kernel=_kernel,
    evaluations=_evaluations,
    agents=_agents,
    words=_words,
    notations=_notations,
    observation=_observation,
    page=_page,
    bots=_bots,
    extras={
        COMMANDS: _commands,
        WARMUP: _warmup,
        OPENSPIEL_TWIN: _openspiel_twin,
        SITE: _site,
        DATA_FOLDERS: _data_folders,
        VECTOR: _batch,
    },
)
