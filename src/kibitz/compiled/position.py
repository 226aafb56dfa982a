"""The operations that every game's kernel has, dispatched on the type of the position.

A kernel declares a NamedTuple of arrays, defines the operations below as plain functions with the same names and
parameters, and calls register(). A search that uses these operations is compiled for each game separately, with the
game's functions inlined, and can be cached on disk; functions passed as arguments or in closures cannot.

The operations work in plain Python too, so everything runs with the JIT off.
"""

from __future__ import annotations

from types import ModuleType
from typing import TypeAlias, cast

from kibitz.compiled.arrays import Ints, Numba
from kibitz.compiled.jit import start_from
from kibitz.core.parts import Kernel

Position: TypeAlias = Numba
"""A NamedTuple of arrays, of a class that a game registered."""

KERNELS: dict[type, Kernel] = {}
"""Type of position -> the module with its operations."""


def register(kind: type, kernel: ModuleType) -> None:
    """Register a module, whose functions become the operations on positions of this type."""
    KERNELS[kind] = cast(Kernel, kernel)
    start_from(kind, kernel.__name__)


def mover(pos: Position) -> int:
    """Return the player to move: 0 or 1."""
    return KERNELS[type(pos)].mover(pos)


def over(pos: Position) -> bool:
    """Return whether the game is over."""
    return KERNELS[type(pos)].over(pos)


def final(pos: Position) -> int:
    """Return the value of a finished game for the player to move; WIN or more for a win."""
    return KERNELS[type(pos)].final(pos)


def legal(pos: Position, out: Ints, at: int) -> int:
    """Write the legal moves to out[at:], ascending; return how many there are, 0 if the game is over."""
    return KERNELS[type(pos)].legal(pos, out, at)


def play(pos: Position, move: int) -> int:
    """Make a legal move, unchecked; return the token that undo needs."""
    return KERNELS[type(pos)].play(pos, move)


def undo(pos: Position, move: int, token: int) -> None:
    """Take back the last move; token: the result of play."""
    KERNELS[type(pos)].undo(pos, move, token)


def copy(pos: Position, into: Position) -> None:
    """Copy a position into another of the same kind."""
    KERNELS[type(pos)].copy(pos, into)


def key(pos: Position) -> int:
    """Return a 64-bit hash key; collisions are possible but rare."""
    return KERNELS[type(pos)].key(pos)


def evaluate(pos: Position, evaluation: int) -> int:
    """Return the evaluation with this number for the player to move, strictly between -WIN and WIN of core/agent.py."""
    return KERNELS[type(pos)].evaluate(pos, evaluation)


def quick_score(pos: Position, move: int) -> int:
    """Return a quick guess of how good a legal move is, from -16 (bad) to 16 (good); 0 if unknown."""
    return KERNELS[type(pos)].quick_score(pos, move)


OPERATIONS = (mover, over, final, legal, play, undo, copy, key, evaluate, quick_score)
"""The operations that compiled code replaces by those of the position's kernel."""
