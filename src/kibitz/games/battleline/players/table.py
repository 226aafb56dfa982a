"""The agents of Battle Line, from beginner to champion."""

from __future__ import annotations

from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.games.battleline.players.champion.agent import Champion
from kibitz.games.battleline.players.deep_barca.agent import DeepBarca, PlainDeepBarca
from kibitz.games.battleline.players.simple import Heuristic, Reflex
from kibitz.search.defaults import SEARCHES

_OWN_SIDE = "Plays Troops for its own best formation and ignores yours."
_RULES = "Judges every card at every flag by simple rules."
_LEARNED = "Judges with what it learned by playing against itself"
_SIMULATES = f"{_LEARNED} and simulates {{:,}} deals."
_STRONGEST = "The strongest here: simulates deals of your hidden cards and judges with what it learned."

AGENTS = AgentTable(
    {
        "random": SEARCHES["random"],
        "reflex": AgentEntry(Reflex, "Reflex", _OWN_SIDE),
        "heuristic": AgentEntry(Heuristic, "Heuristic", _RULES),
        "deep-barca": AgentEntry(
            DeepBarca,
            "Deep Barca",
            "The player of McCulloch and others, 2017: estimates how likely each formation is, and plays for the best "
            "chance to win the game.",
        ),
        "plain-deep-barca": AgentEntry(
            PlainDeepBarca, "Deep Barca in plain Python", "The same choices as Deep Barca; slow, written to be read."
        ),
        "champion": AgentEntry(Champion, "Champion", _STRONGEST),
        "level1": AgentEntry("random", about="Beginner. Plays random moves."),
        "level2": AgentEntry("reflex", about=f"Very easy. {_OWN_SIDE}"),
        "level3": AgentEntry(
            "deep-barca(reading=literal)", about="Easy. Deep Barca of 2017, its paper read literally."
        ),
        "level4": AgentEntry("heuristic", about=f"Casual. {_RULES}"),
        "level5": AgentEntry("deep-barca", about="Fair. Deep Barca of 2017, its paper in the best reading."),
        "level6": AgentEntry("champion(playouts=1)", about=f"Good. {_LEARNED}."),
        "level7": AgentEntry("champion(playouts=60)", about=f"Strong. {_SIMULATES.format(60)}"),
        "level8": AgentEntry("champion(playouts=300)", about=f"Very strong. {_SIMULATES.format(300)}"),
        "level9": AgentEntry("champion(playouts=1500)", about=f"Expert. {_SIMULATES.format(1500)}"),
        "level10": AgentEntry("champion", about=f"Champion. {_STRONGEST}"),
    },
    analyst="champion(playouts=5000)",
    warmup=("champion(playouts=1)", "deep-barca"),
)
