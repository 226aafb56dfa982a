"""Seeds, and the random number generator of the searches.

derive() makes independent seeds from a single one. Stream yields the same numbers as
kibitz.compiled.rng, so that plain and compiled searches can be compared move by move.
"""

from __future__ import annotations

import hashlib

_MASK = (1 << 64) - 1


def derive(seed: int, *labels: int | str) -> int:
    """Return a 63-bit seed that depends only on the seed and the labels."""
    text = repr((seed, *labels))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


class Stream:
    """SplitMix64 (Steele, Lea & Flood 2014): 64 random bits per step, from a counter."""

    def __init__(self, seed: int) -> None:
        self.state = seed & _MASK

    def next(self) -> int:
        """Return the next 64 random bits of SplitMix64, as a non-negative number."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a random number from 0 to n - 1, for n up to 2**32."""
        return ((self.next() >> 32) * n) >> 32  # scales 32 random bits to the range
