"""The stages of a turn of Battle Line and the results of a game, as numbers.

A turn begins with PLAY: play a card, after claiming flags if claims come first. DRAW follows where a
card can be drawn (claims that come late are made here too). CLAIM stands for it where there are
late claims but nothing to draw. Scout leads to SCOUT, taking up to three cards, and to RETURN, putting cards back.
"""

from __future__ import annotations

PLAY, DRAW, CLAIM, SCOUT, RETURN = range(5)
NAMES = ("play", "draw", "claim", "scout", "return")
"""The stages as texts of positions name them."""

IN_PROGRESS, DRAWN = 0, 3
"""The result of a game in progress and of a draw; a player's win is the player's number plus 1."""
