"""What moves do on the board where they were played: one class for each move, the first of MEANINGS that fits."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.games.go.kernel.board import new_board
from kibitz.games.go.patterns.kernels import meaning as kernel

MEANINGS = {
    "ko": "takes one stone that could be retaken at once",
    "capture": "takes stones",
    "escape": "frees a chain of its own from atari",
    "self_atari": "leaves its own chain with one liberty",
    "atari": "leaves a chain of the opponent with one liberty",
    "eye": "makes an empty point beside it an eye: all around it along the lines is its own, or the edge",
    "connection": "joins chains that were apart",
    "cut": "takes the point that would have joined two chains of the opponent",
    "hane": "turns around a stone of the opponent: one of its own lies diagonally, and an enemy beside both",
    "attachment": "touches a stone of the opponent with none of its own beside it or diagonally",
    "push": "touches both a stone of its own and one of the opponent",
    "stretch": "touches a stone of its own and none of the opponent",
    "diagonal": "lies diagonally from a stone of its own, both points between them free of its own",
    "corner": "is the first stone in a corner",
    "enclosure": "is in a corner where only its own side has stones",
    "approach": "is in a corner where only the opponent has stones",
    "jump": "has a stone of its own a one-space jump or a knight's move away",
    "extension": "is on the second to fourth line, with its own stone next along that line, up to six points away",
    "invasion": "has the opponent's stones within four steps, and none of its own",
    "reinforcement": "has its own stones within four steps, and none of the opponent's",
    "other": "none of these",
}
"""Class of a move -> what it means; a move has the first that fits. Also the columns of the table of patterns."""
GROUPS = {
    "attack": ("ko", "capture", "atari", "cut", "hane", "attachment", "approach", "invasion"),
    "defence": ("escape", "connection", "eye", "stretch", "diagonal", "reinforcement"),
    "opening": ("corner", "enclosure", "extension"),
}
"""The coarser kinds of play that the report of 2013 asks for."""


def meanings(changes: Any, starts: Any, ends: Any, size: int) -> Any:
    """Return the class, as its place in MEANINGS, of every move of some games, passes left out."""
    found = np.zeros(sum((ends - starts).tolist()), np.uint8)
    n = kernel.classify(new_board(size), changes, starts, ends, found)
    return found[:n]
