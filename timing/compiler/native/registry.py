"""How the LLVM code of intrinsics is written: by functions that get a builder and the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

Builder = Any
"""An `ir.IRBuilder`; its decorated methods have no types of their own."""

Lower = Callable[[Builder, list[ir.Value]], ir.Value | None]

Lowered = dict[Callable[..., Any], Lower]
"""The twin in plain Python of an intrinsic -> the function that writes its code."""

I128, I64, I8 = ir.IntType(128), ir.IntType(64), ir.IntType(8)


def registering(known: Lowered) -> Callable[[Callable[..., Any]], Callable[[Lower], Lower]]:
    """Return a decorator that adds the LLVM side of an intrinsic, given its twin, to `known`.

    Arguments and result are 64-bit integers; without a result the intrinsic gives 0.
    """

    def intrinsic(twin: Callable[..., Any]) -> Callable[[Lower], Lower]:
        def register(lower: Lower) -> Lower:
            known[twin] = lower
            return lower

        return register

    return intrinsic
