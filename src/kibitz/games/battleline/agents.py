"""The agents of Battle Line, from beginner to champion."""

from __future__ import annotations

from collections.abc import Mapping

from kibitz.core.registry import AgentTable
from kibitz.games.battleline.champion import Champion
from kibitz.games.battleline.deep_barca import DeepBarca, PlainDeepBarca
from kibitz.games.battleline.heuristic import Heuristic, Reflex
from kibitz.search.baseline import Random

AGENTS: AgentTable = {
    "random": Random,
    "reflex": Reflex,
    "heuristic": Heuristic,
    "deep-barca": DeepBarca,
    "plain-deep-barca": PlainDeepBarca,
    "champion": Champion,
    "level1": "random",
    "level2": "reflex",
    "level3": "deep-barca(reading=literal)",
    "level4": "heuristic",
    "level5": "deep-barca",
    "level6": "champion(playouts=1)",
    "level7": "champion(playouts=60)",
    "level8": "champion(playouts=300)",
    "level9": "champion(playouts=1500)",
    "level10": "champion",
}

ANALYST = "champion(playouts=5000)"

WARMUP = ("champion(playouts=1)", "deep-barca")
"""Agents that between them use every compiled search."""

NAMES: Mapping[str, str] = {
    "random": "Random",
    "reflex": "Reflex",
    "heuristic": "Heuristic",
    "deep-barca": "Deep Barca",
    "plain-deep-barca": "Deep Barca in plain Python",
    "champion": "Champion",
}
"""What agents are called on the page."""

_OWN_SIDE = "Plays Troops for its own best formation, without a look at yours."
_RULES = "Judges every card at every flag by simple rules."
_CHANCES = "Works out how likely each formation is, and plays what makes winning the game most likely."
_NET = "Judges with what it learned by playing against itself{}."
ABOUT: Mapping[str, str] = {
    "level1": "Beginner. Plays anything, by chance.",
    "level2": f"Very easy. {_OWN_SIDE}",
    "level3": "Easy. Deep Barca of 2017 by the letter of its paper.",
    "level4": f"Casual. {_RULES}",
    "level5": "Fair. Deep Barca of 2017, read as well as possible.",
    "level6": f"Good. {_NET.format('')}",
    "level7": f"Strong. {_NET.format(', and looks ahead 60 times')}",
    "level8": f"Very strong. {_NET.format(', and looks ahead 300 times')}",
    "level9": f"Expert. {_NET.format(', and looks ahead 1,500 times')}",
    "level10": "Champion. The strongest here: looks ahead with your hidden cards dealt anew, as often as time allows.",
    "random": "Plays anything, by chance.",
    "reflex": _OWN_SIDE,
    "heuristic": _RULES,
    "deep-barca": f"The player of McCulloch and others, 2017. {_CHANCES}",
    "plain-deep-barca": "The same choices as Deep Barca; slow, written to be read.",
    "champion": "The strongest here: looks ahead with your hidden cards dealt anew, judges with what it learned.",
}
"""What agents do, in a sentence for people who choose an opponent."""
