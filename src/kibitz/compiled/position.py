"""The generic position: what every game's kernel can do, dispatched on the position's type.

A game's kernel.py declares a NamedTuple of arrays, writes the operations below
as plain functions of the same names and parameters, and calls register(). A
search written over these operations is compiled for each game on its own, with
the game's functions inlined, and can be cached on disk; functions passed as
arguments or caught in closures cannot.

Each operation has a plain body too, so that everything runs with the JIT off.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeAlias, TypeVar, cast

from numba.extending import overload

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import OPTIONS, start_from

Position: TypeAlias = Any
"""A NamedTuple of arrays, of the class that its game registered."""

F = TypeVar("F", bound=Callable[..., Any])

_kernels: dict[type, ModuleType] = {}


def register(kind: type, kernel: ModuleType) -> None:
    """Make a module's functions the operations of a kind of position."""
    _kernels[kind] = kernel
    start_from(kind, kernel.__name__)


def _operation(plain: F) -> F:
    """Let compiled code call the function of the same name of the position's own kernel."""

    def pick(pos: Any, *rest: Any) -> Any:
        kernel = _kernels.get(getattr(pos, "instance_class", type(None)))
        return getattr(kernel, plain.__name__) if kernel else None

    overload(plain, strict=False, jit_options={**OPTIONS, "forceinline": True})(pick)
    return plain


@_operation
def mover(pos: Position) -> int:
    """Return the player to move: 0 or 1."""
    return cast(int, _kernels[type(pos)].mover(pos))


@_operation
def over(pos: Position) -> bool:
    """Return whether the game is over."""
    return cast(bool, _kernels[type(pos)].over(pos))


@_operation
def final(pos: Position) -> int:
    """Return the value of a finished game for the player to move; WIN or more if he won."""
    return cast(int, _kernels[type(pos)].final(pos))


@_operation
def legal(pos: Position, out: Ints, at: int) -> int:
    """Write the legal moves, ascending, to out from place `at` on; return how many. 0 when the game is over."""
    return cast(int, _kernels[type(pos)].legal(pos, out, at))


@_operation
def play(pos: Position, move: int) -> int:
    """Make a legal move; return the token that undo needs. Does not check the move."""
    return cast(int, _kernels[type(pos)].play(pos, move))


@_operation
def undo(pos: Position, move: int, token: int) -> None:
    """Take back the last move, given what play returned for it."""
    _kernels[type(pos)].undo(pos, move, token)


@_operation
def copy(pos: Position, into: Position) -> None:
    """Make one position equal to another of the same kind."""
    _kernels[type(pos)].copy(pos, into)


@_operation
def key(pos: Position) -> int:
    """Return a 64-bit key; different positions have different keys, but for rare accidents."""
    return cast(int, _kernels[type(pos)].key(pos))


@_operation
def evaluate(pos: Position, evaluation: int) -> int:
    """Return an estimate for the player to move, strictly between -WIN and WIN of kibitz.core.agent."""
    return cast(int, _kernels[type(pos)].evaluate(pos, evaluation))


@_operation
def promise(pos: Position, move: int) -> int:
    """Return a quick guess at how good a legal move is, a few points either way; 0 where nothing is known."""
    return cast(int, _kernels[type(pos)].promise(pos, move))
