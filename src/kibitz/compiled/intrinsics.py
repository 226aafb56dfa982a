"""Machine instructions for kernels: bit counts, and a mark that keeps a function from being inlined.

The compiler copies functions into their callers, and these into theirs, so a large function is compiled many times
over. Call never_inline() as its first statement to prevent that, at the price of a function call.

What compiled code runs in place of these functions is in compiler/bodies.py.
"""

from __future__ import annotations


def never_inline() -> None:
    """Keep the calling function from being inlined. Do nothing in plain Python."""


def popcount(word: int) -> int:
    """Return the number of set bits of a 64-bit word."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()


def lowest(word: int) -> int:
    """Return the index of the lowest set bit of a 64-bit word, which must not be 0."""
    word = int(word)
    return (word & -word).bit_length() - 1
