"""How Battle Line shows itself: the picture of the table, words, overlay and panels."""

from kibitz.games.battleline.page.old import (
    BLURB,
    NOTATIONS,
    OPTIONS,
    disclose,
    label,
    layer,
    picture,
    public_label,
    read,
    scene,
    scores,
    total,
    write,
)
from kibitz.games.battleline.page.page import BattleLinePage

__all__ = [
    "BLURB",
    "NOTATIONS",
    "OPTIONS",
    "BattleLinePage",
    "disclose",
    "label",
    "layer",
    "picture",
    "public_label",
    "read",
    "scene",
    "scores",
    "total",
    "write",
]
