"""What a position of Go shows without a search, as lines for the page."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import BLACK, WHITE
from kibitz.games.go.rules.text import NO_KO
from kibitz.picture import Fact

_COUNTED = {"area": "stones and territory", "territory": "territory and prisoners"}


def facts(state: GoState) -> Iterator[Fact]:
    """Yield stones and prisoners, how points are counted, a ko, and the stones in atari."""
    game, board = state.game, state.board
    for player, name in enumerate(game.players):
        stones = board.points.count(1 + player)
        yield Fact(name, f"{stones} {'stone' if stones == 1 else 'stones'}, {prisoners_text(state, player)}")
    yield Fact("Counted", f"{_COUNTED[game.scoring]}, komi {game.komi:g}")
    if state.ko != NO_KO:
        yield Fact("Ko", f"{game.players[state.to_move]} may not play {game.move_text(state.ko)} now")
    for colour, name in ((BLACK, game.players[0]), (WHITE, game.players[1])):
        chains = {chain for point, chain in board.chains().items() if board.points[point] == colour}
        pressed = sorted(min(chain.liberties) for chain in chains if len(chain.liberties) == 1)
        if pressed:
            points = ", ".join(game.move_text(point) for point in dict.fromkeys(pressed))
            yield Fact("Atari", f"{name} can be captured at {points}")


def prisoners_text(state: GoState, player: int) -> str:
    """Return the number of stones that a player has taken, in words."""
    taken = state.prisoners[player]
    return f"{taken} {'prisoner' if taken == 1 else 'prisoners'}"
