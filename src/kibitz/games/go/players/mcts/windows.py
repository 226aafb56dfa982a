"""Windows, the contents of the eight points around a point, and how likely such a point is played near the last move.

A window is written as three rows around the point, "XOX .*. ...": X is an own stone, O an opponent's, # off the board.
As a number it has two bits for each of the eight points, row by row from the low bits up: 0 empty, 1 own, 2 the
opponent's, 3 off the board. The file lists one of the up to eight forms that a window has under rotation and
reflection; windows_fit.py makes it from records.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadText

FORMAT, VERSION, FILE = "kibitz go windows", 1, "windows.json"
LETTERS = ".XO#"
WINDOWS = 1 << 16
ELSEWHERE_WEIGHT = 32  # the weight of not playing beside the last move
_AROUND = [(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1) if down or across]


@cache
def least_forms() -> NDArray[np.int64]:
    """Return the smallest number among the eight forms of each window, as int64 [window]."""
    codes = np.arange(WINDOWS)
    least = codes.copy()
    for form in range(1, 8):
        turned = np.zeros_like(codes)
        for place, (down, across) in enumerate(_AROUND):
            to = (-down if form & 1 else down, -across if form & 2 else across)
            to = to[::-1] if form & 4 else to
            turned |= (codes >> 2 * place & 3) << 2 * _AROUND.index(to)
        least = np.minimum(least, turned)
    return least


def window_text(window: int) -> str:
    """Return a window as text in three rows, such as "XOX .*. ..."."""
    letters = [LETTERS[window >> 2 * place & 3] for place in range(8)]
    letters.insert(4, "*")
    return " ".join("".join(letters[row : row + 3]) for row in (0, 3, 6))


def parse_window(text: str) -> int:
    """Parse the three rows of a window; return its number. Raise BadText if the text is not a window."""
    letters = text.replace(" ", "")
    around = letters[:4] + letters[5:]
    if len(letters) != 9 or letters[4] != "*" or any(letter not in LETTERS for letter in around):
        raise BadText(f"{text[:40]!r} is not a window: write three rows such as 'XOX .*. ...'.")
    return sum(LETTERS.index(letter) << 2 * place for place, letter in enumerate(around))


@cache
def window_weights() -> NDArray[np.uint8]:
    """Return the window weights shipped with kibitz, as uint8 [2 * WINDOWS]: for Black to move, then for White.

    In both halves the window numbers use the codes of the board: 1 is Black, 2 is White.
    """
    content = json.loads(resources.files(__package__).joinpath(FILE).read_text("utf-8"))
    by_least = np.zeros(WINDOWS, np.uint8)
    for text, weight in content["weights"].items():
        by_least[least_forms()[parse_window(text)]] = weight
    black, codes = by_least[least_forms()], np.arange(WINDOWS)
    swapped = (codes & 0x5555) << 1 | codes >> 1 & 0x5555  # black and white exchanged
    return np.concatenate([black, black[swapped]])
