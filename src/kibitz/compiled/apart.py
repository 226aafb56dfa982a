"""Keeping a function of a kernel apart: called, not copied to where it is called.

The compiler copies functions into their callers, and their callers into theirs; a
large one is then compiled over and over. stay_apart() as its first statement ends
that, for the price of a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic, overload


def stay_apart() -> None:
    """Keep the function that calls this apart. Does nothing where nothing is compiled."""


@intrinsic  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _mark(typing: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if "alwaysinline" not in builder.function.attributes:  # as the one below is, where numba compiles it by itself
            builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), build


@overload(stay_apart, strict=False, inline="always")  # type: ignore[untyped-decorator]  # as above
def _stay_apart() -> Callable[[], None]:
    return lambda: _mark()
