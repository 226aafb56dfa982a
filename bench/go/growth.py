"""How import and search grow with the collection: the same figures with 1, 2, 4 and 8 times its games.

python -m bench.go.growth CORPUS [--times N ...] [--folder DIR] [--searches N] [--additions N]

CORPUS has one SGF per line and is compressed with xz. Copy k of it is rotated or mirrored by symmetry k, and its games
lack their last k moves: otherwise they would be duplicates, because a store knows a game in all its symmetries. They
are written to DIR, or to a temporary folder, and imported into a new store for each size.

For each size, prints a line of JSON: seconds, memory and bytes of the import; seconds and memory of opening the store
and making N random searches, and the seconds until each returned its first hits. Then adds 1,000 new games to the
largest store several times, from one file and from a folder of 1,000 files, and prints the seconds of each.
Every import and every round of searches is a process of its own.
"""

from __future__ import annotations

import re

import numpy as np

ADDED_GAMES = 1000
LETTERS = np.arange(ord("a"), ord("s") + 1, dtype=np.uint8)
_MOVE, _SETUP = re.compile(rb"(;[BW]\[)([a-s]{2})\]"), re.compile(rb"A[BW](?:\[[a-s]{2}\])+")


def copy_of(line: bytes, image: int, cut: int) -> bytes:
    """Return a game, one line of SGF, under one of the eight symmetries and without its last moves."""
    names = _turned_names(image)
    line = _MOVE.sub(lambda found: found[1] + names[found[2]] + b"]", line)
    line = _SETUP.sub(lambda found: re.sub(rb"[a-s]{2}", lambda point: names[point[0]], found[0]), line)
    end = len(line.rstrip())
    for _ in range(cut):
        last = line.rfind(b";", 0, end)
        if line[last + 1 : last + 3] not in (b"B[", b"W["):
            break
        end = last
    return line if not cut else line[:end] + b")\n"
