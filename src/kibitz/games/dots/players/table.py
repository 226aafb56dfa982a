"""The agents of Dots-and-Boxes, from beginner to champion."""

from __future__ import annotations

from dataclasses import replace

from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.games.dots.exact.agent import Exact
from kibitz.games.dots.players.chain_rule import ChainRule, GreedyDots
from kibitz.games.dots.players.champion.agent import DotsChampion
from kibitz.games.dots.players.li_2012 import Li2012
from kibitz.games.dots.players.project_2024 import Minimax2024, Plain2024, Project2024
from kibitz.search.defaults import SEARCHES

_RANDOM = "Draws random lines."
_GREEDY = "Takes every box, keeps to safe lines, then gives away as little as it can."
_CHAINS = "Steers the number of long chains, as good players do, and says why."
_STRONGEST = "The strongest here; plays perfectly once it can count the game out."

AGENTS = AgentTable(
    {
        "random": replace(SEARCHES["random"], about=_RANDOM),
        "greedy": AgentEntry(GreedyDots, "Greedy", _GREEDY),
        "chain-rule": AgentEntry(ChainRule, "Chain rule", _CHAINS),
        "champion": AgentEntry(DotsChampion, "Champion", _STRONGEST),
        "exact": AgentEntry(
            Exact, "Exact solver", "Counts the game out as soon as its time allows; before that it looks ahead."
        ),
        "alphabeta": replace(SEARCHES["alphabeta"], about="Looks ahead as far as its time allows and counts boxes."),
        "mcts": SEARCHES["mcts"],
        "plain-alphabeta": SEARCHES["plain-alphabeta"],
        "plain-mcts": SEARCHES["plain-mcts"],
        # the players of the papers: Li, Li & Yuan (2012), and the project of 2024 with and without pruning
        "li-2012": AgentEntry(Li2012, "Li 2012", "Counts long chains by the rules of Li, Li and Yuan, 2012."),
        "alphabeta-2024": AgentEntry(
            Project2024, "Project 2024", "Looks three lines ahead as a student project of 2024 did, with its faults."
        ),
        "minimax-2024": AgentEntry(
            Minimax2024, "Project 2024, minimax", "The moves of Project 2024, found without pruning."
        ),
        "plain-alphabeta-2024": AgentEntry(
            Plain2024, "Project 2024 in plain Python", "The moves of Project 2024; slow, written to be read."
        ),
        "level1": AgentEntry("random", about=f"Beginner. {_RANDOM}"),
        "level2": AgentEntry("alphabeta(depth=1)", about="Very easy. Looks one line ahead: takes a box when it can."),
        "level3": AgentEntry(
            "alphabeta(depth=2)", about="Easy. Looks two lines ahead: takes boxes and sees which line gives one away."
        ),
        "level4": AgentEntry(
            "alphabeta-2024(as=corrected)", about="Casual. Looks three lines ahead, as a student project of 2024 did."
        ),
        "level5": AgentEntry("greedy", about=f"Fair. {_GREEDY}"),
        "level6": AgentEntry("li-2012", about="Good. Counts long chains and gives boxes back to stay in control."),
        "level7": AgentEntry("chain-rule", about=f"Strong. {_CHAINS}"),
        "level8": AgentEntry(
            "champion(nodes=20000)", about="Very strong. The champion with 20,000 positions for each move."
        ),
        "level9": AgentEntry(
            "champion(nodes=100000)", about="Expert. The champion with 100,000 positions for each move."
        ),
        "level10": AgentEntry("champion", about=f"Champion. {_STRONGEST}"),
    },
    analyst="exact(every=true)",
    warmup=("champion", "exact", "alphabeta(depth=1)", "mcts(playouts=1)", "alphabeta-2024(depth=1)"),
)
