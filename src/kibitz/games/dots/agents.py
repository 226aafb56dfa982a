"""The agents of Dots-and-Boxes, from beginner to champion."""

from __future__ import annotations

from collections.abc import Mapping

from kibitz.core.registry import AgentTable
from kibitz.games.dots.chain_rule import ChainRule
from kibitz.games.dots.champion import Champion
from kibitz.games.dots.exact.agent import Exact
from kibitz.games.dots.greedy import Greedy
from kibitz.games.dots.li_2012 import Li2012
from kibitz.games.dots.project_2024 import Minimax2024, Plain2024, Project2024
from kibitz.search.alphabeta import AlphaBeta
from kibitz.search.baseline import Random
from kibitz.search.mcts import Mcts
from kibitz.search.plain_alphabeta import PlainAlphaBeta
from kibitz.search.plain_mcts import PlainMcts

AGENTS: AgentTable = {
    "random": Random,
    "greedy": Greedy,
    "chain-rule": ChainRule,
    "champion": Champion,
    "exact": Exact,
    "alphabeta": AlphaBeta,
    "mcts": Mcts,
    "plain-alphabeta": PlainAlphaBeta,
    "plain-mcts": PlainMcts,
    # the players of the papers: Li, Li & Yuan (2012), and the project of 2024 with and without pruning
    "li-2012": Li2012,
    "alphabeta-2024": Project2024,
    "minimax-2024": Minimax2024,
    "plain-alphabeta-2024": Plain2024,
    "level1": "random",
    "level2": "alphabeta(depth=1)",
    "level3": "alphabeta(depth=2)",
    "level4": "alphabeta-2024(as=corrected)",
    "level5": "greedy",
    "level6": "li-2012",
    "level7": "chain-rule",
    "level8": "champion(nodes=20000)",
    "level9": "champion(nodes=100000)",
    "level10": "champion",
}

ANALYST = "exact(every=true)"

WARMUP = ("champion", "exact", "alphabeta(depth=1)", "mcts(playouts=1)", "alphabeta-2024(depth=1)")
"""Agents that between them use every compiled search."""

NAMES: Mapping[str, str] = {
    "random": "Random",
    "greedy": "Greedy",
    "chain-rule": "Chain rule",
    "champion": "Champion",
    "exact": "Exact solver",
    "alphabeta": "Alpha-beta",
    "mcts": "Monte Carlo",
    "plain-alphabeta": "Alpha-beta in plain Python",
    "plain-mcts": "Monte Carlo in plain Python",
    "li-2012": "Li 2012",
    "alphabeta-2024": "Project 2024",
    "minimax-2024": "Project 2024, minimax",
    "plain-alphabeta-2024": "Project 2024 in plain Python",
}
"""What agents are called on the page."""

ABOUT: Mapping[str, str] = {
    "level1": "Beginner. Draws any line, by chance.",
    "level2": "Very easy. Looks one line ahead: takes a box when it can.",
    "level3": "Easy. Looks two lines ahead: takes boxes and sees which line gives one away.",
    "level4": "Casual. Looks three lines ahead, as a student project of 2024 did.",
    "level5": "Fair. Takes every box, keeps to safe lines, then gives away as little as it can.",
    "level6": "Good. Counts long chains and gives boxes back to stay in control.",
    "level7": "Strong. Steers the number of long chains, as good players do, and says why.",
    "level8": "Very strong. The champion with 20,000 positions for each move.",
    "level9": "Expert. The champion with 100,000 positions for each move.",
    "level10": "Champion. The strongest here; plays perfectly as soon as it can count the game out.",
    "random": "Draws any line, by chance.",
    "greedy": "Takes every box, keeps to safe lines, then gives away as little as it can.",
    "chain-rule": "Steers the number of long chains, as good players do, and says why.",
    "champion": "The strongest here; plays perfectly as soon as it can count the game out.",
    "exact": "Counts the game out as soon as its time allows; before that it looks ahead.",
    "alphabeta": "Looks ahead as far as its time allows and counts boxes.",
    "mcts": "Plays many games to the end in its head, and prefers what won most.",
    "plain-alphabeta": "Looks ahead and counts boxes; slow, written to be read.",
    "plain-mcts": "Plays games to the end in its head; slow, written to be read.",
    "li-2012": "Counts long chains by the rules of Li, Li and Yuan, 2012.",
    "alphabeta-2024": "Looks three lines ahead, as a student project of 2024 did, with its faults.",
    "minimax-2024": "The moves of Project 2024, found the long way.",
    "plain-alphabeta-2024": "The moves of Project 2024; slow, written to be read.",
}
"""How agents play, in plain words for the page."""
