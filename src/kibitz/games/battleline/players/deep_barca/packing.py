"""Compiled estimates for Deep Barca: packs a scene into the kernel's arrays and runs the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.core.game import Move
from kibitz.games.battleline.kernel.position import sets_of, status_of
from kibitz.games.battleline.players.deep_barca import packed as at
from kibitz.games.battleline.players.deep_barca.chances import Reading
from kibitz.games.battleline.players.deep_barca.kernel import replies, weigh
from kibitz.games.battleline.players.deep_barca.scene import ME, THEM, Scene, WeighedPlays
from kibitz.games.battleline.rules.cards import TROOPS
from kibitz.games.battleline.rules.moves import FLAGS


class CompiledEstimator:
    """Gives the same estimates as PlainEstimator, compiled."""

    def __init__(self, reading: Reading) -> None:
        self.packed = at.new_packed_scene()
        ints, self.packed.floats[at.CONFLICT] = self.packed.ints, reading.conflict
        ints[at.FORMATIONS], ints[at.ALL_SUPERIOR] = min(reading.formations, at.SCORES), reading.all_superior
        ints[at.NESTED], ints[at.WISHES], ints[at.JOINT] = reading.nested, reading.wishes, reading.joint

    def weigh(self, scene: Scene, moves: Sequence[Move]) -> WeighedPlays:
        """Return the chances to win, now and after each of these plays."""
        self._pack(scene)
        n = len(moves)
        values, flags = np.zeros(n), np.zeros((n + 1, FLAGS))
        numbers = cast(Ints, np.array(moves, np.int64))
        now = weigh(self.packed, numbers, cast(Floats, values), cast(Floats, flags))
        found: list[list[float]] = flags.tolist()
        return WeighedPlays(now, found[n], values.tolist(), found[:n])

    def replies(self, scene: Scene, move: Move) -> Sequence[float]:
        """Return, for each Troop, my lowest chance to win the game if the opponent replies to the play with it."""
        self._pack(scene)
        worst = np.ones(TROOPS)
        replies(self.packed, move, cast(Floats, np.zeros((1, FLAGS))), cast(Floats, worst))
        return [float(value) for value in worst]

    def _pack(self, scene: Scene) -> None:
        words = self.packed.ints
        words[at.VALUES], words[at.CAVALRY] = scene.game.cards.values, scene.game.cards.cavalry
        self.packed.floats[at.DECK_LEFT] = scene.deck_left
        for f, flag in enumerate(scene.flags):
            for side in (ME, THEM):
                words[at.SIDE + FLAGS * side + f], _ = sets_of(flag.sides[side])
            words[at.STATUS + f] = status_of(flag)
        for side, chance in enumerate(scene.chance):
            for card, p in enumerate(chance):
                self.packed.floats[at.CHANCE + TROOPS * side + card] = p
