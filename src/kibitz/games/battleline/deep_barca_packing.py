"""Scenes of Deep Barca as the arrays of its kernel, and the compiled estimates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.core.game import Move
from kibitz.games.battleline import chances_kernel as at
from kibitz.games.battleline.cards import TROOPS, Card, is_troop
from kibitz.games.battleline.chances import Reading
from kibitz.games.battleline.deep_barca_kernel import replies, weigh
from kibitz.games.battleline.deep_barca_scene import ME, THEM, Scene, Weighed
from kibitz.games.battleline.moves import FLAGS
from kibitz.games.battleline.words import FIRST, FOG_BIT, MUD_BIT, OWNER


class CompiledEstimates:
    """Judges as PlainEstimates does, compiled."""

    def __init__(self, reading: Reading) -> None:
        self.sight = at.new_sight()
        settings = self.sight.ints
        settings[at.FORMATIONS] = min(reading.formations, at.SCORES)
        settings[at.ALL_SUPERIOR] = reading.all_superior
        settings[at.NESTED] = reading.nested
        settings[at.WISHES] = reading.wishes
        settings[at.JOINT] = reading.joint
        self.sight.floats[at.CONFLICT] = reading.conflict

    def weigh(self, scene: Scene, moves: Sequence[Move]) -> Weighed:
        """See Estimates."""
        self._pack(scene)
        n = len(moves)
        values, flags = np.zeros(n), np.zeros((n + 1, FLAGS))
        numbers = cast(Ints, np.array(moves, np.int64))
        now = weigh(self.sight, numbers, cast(Floats, values), cast(Floats, flags))
        found: list[list[float]] = flags.tolist()
        return Weighed(now, found[n], values.tolist(), found[:n])

    def replies(self, scene: Scene, move: Move) -> Sequence[float]:
        """See Estimates."""
        self._pack(scene)
        worst = np.ones(TROOPS)
        replies(self.sight, move, cast(Floats, np.zeros((1, FLAGS))), cast(Floats, worst))
        found: list[float] = worst.tolist()
        return found

    def _pack(self, scene: Scene) -> None:
        words = self.sight.ints
        words[at.VALUES], words[at.CAVALRY] = scene.edition.values, scene.edition.cavalry
        self.sight.floats[at.DECK_LEFT] = scene.deck_left
        for f, flag in enumerate(scene.flags):
            facts = FOG_BIT * flag.fog | MUD_BIT * flag.mud | (flag.owner + 1) << OWNER | (flag.first + 1) << FIRST
            for side in (ME, THEM):
                words[FLAGS * side + f], wilds = _sets(flag.sides[side])
                facts |= wilds << 4 * side
            words[at.FACTS_AT + f] = facts
        for side, chance in enumerate(scene.chance):
            for card, p in enumerate(chance):
                self.sight.floats[at.CHANCE + TROOPS * side + card] = p


def _sets(cards: Iterable[Card]) -> tuple[int, int]:
    """Return the Troops and the Tactics among cards as sets of bits."""
    troops = tactics = 0
    for card in cards:
        if is_troop(card):
            troops |= 1 << card
        else:
            tactics |= 1 << card - TROOPS
    return troops, tactics
