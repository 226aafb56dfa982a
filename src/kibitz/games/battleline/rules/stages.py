"""The stages of a turn of Battle Line and the results of a game, as numbers.

A turn begins with PLAY: claim flags, if claims come at the start of a turn, and play a card. DRAW follows if
a card can be drawn; claims at the end of a turn are made here too. CLAIM replaces DRAW if there is something to
claim but nothing to draw. Playing Scout leads to SCOUT (take up to three cards), then to RETURN (put cards back).
"""

from __future__ import annotations

PLAY, DRAW, CLAIM, SCOUT, RETURN = range(5)
NAMES = ("play", "draw", "claim", "scout", "return")
"""The names of the stages in position texts."""

IN_PROGRESS, DRAWN = 0, 3
"""The result of a game in progress and of a draw; a player's win is the player's number plus 1."""
