"""The operations that every game's kernel has, dispatched on the type of the position.

A kernel declares a NamedTuple of arrays, defines the operations below as plain functions with the same names and
parameters, and calls register(). A search that uses these operations is compiled for each game separately, with the
game's functions inlined, and can be cached on disk; functions passed as arguments or in closures cannot.

The operations work in plain Python too, so everything runs with the JIT off.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TypeAlias, TypeVar, cast

from numba.extending import overload

from kibitz.compiled.arrays import Ints, Numba
from kibitz.compiled.jit import OPTIONS, start_from
from kibitz.core.parts import Kernel

Position: TypeAlias = Numba
"""A NamedTuple of arrays, of a class that a game registered."""

F = TypeVar("F", bound=Callable[..., object])

_kernels: dict[type, Kernel] = {}


def register(kind: type, kernel: ModuleType) -> None:
    """Register a module, whose functions become the operations on positions of this type."""
    _kernels[kind] = cast(Kernel, kernel)
    start_from(kind, kernel.__name__)


def _operation(plain: F) -> F:
    """Make compiled code call the function of the same name in the position's kernel."""

    def pick(pos: Numba, *rest: Numba) -> Numba:
        kernel = _kernels.get(getattr(pos, "instance_class", type(None)))
        return getattr(kernel, plain.__name__) if kernel else None

    overload(plain, strict=False, jit_options={**OPTIONS, "forceinline": True})(pick)
    return plain


@_operation
def mover(pos: Position) -> int:
    """Return the player to move: 0 or 1."""
    return _kernels[type(pos)].mover(pos)


@_operation
def over(pos: Position) -> bool:
    """Return whether the game is over."""
    return _kernels[type(pos)].over(pos)


@_operation
def final(pos: Position) -> int:
    """Return the value of a finished game for the player to move; WIN or more for a win."""
    return _kernels[type(pos)].final(pos)


@_operation
def legal(pos: Position, out: Ints, at: int) -> int:
    """Write the legal moves to out[at:], ascending; return how many there are, 0 if the game is over."""
    return _kernels[type(pos)].legal(pos, out, at)


@_operation
def play(pos: Position, move: int) -> int:
    """Make a legal move, unchecked; return the token that undo needs."""
    return _kernels[type(pos)].play(pos, move)


@_operation
def undo(pos: Position, move: int, token: int) -> None:
    """Take back the last move; token: the result of play."""
    _kernels[type(pos)].undo(pos, move, token)


@_operation
def copy(pos: Position, into: Position) -> None:
    """Copy a position into another of the same kind."""
    _kernels[type(pos)].copy(pos, into)


@_operation
def key(pos: Position) -> int:
    """Return a 64-bit hash key; collisions are possible but rare."""
    return _kernels[type(pos)].key(pos)


@_operation
def evaluate(pos: Position, evaluation: int) -> int:
    """Return the evaluation with this number for the player to move, strictly between -WIN and WIN of core/agent.py."""
    return _kernels[type(pos)].evaluate(pos, evaluation)


@_operation
def promise(pos: Position, move: int) -> int:
    """Return a quick guess of how good a legal move is, from -16 (bad) to 16 (good); 0 if unknown."""
    return _kernels[type(pos)].promise(pos, move)
