"""The LLVM code of each intrinsic: a function that is inlined into all that call it."""

from __future__ import annotations

from functools import cache

from llvmlite import ir

from .registry import I64
from .scalars import SCALARS
from .searches import SEARCHES
from .vectors import VECTORS

_LOWERED = {**SCALARS, **VECTORS, **SEARCHES}

INTRINSICS = {twin: f"intrinsic.{twin.__name__}" for twin in _LOWERED}
"""The twin in plain Python of an intrinsic -> the name of its LLVM function."""


@cache
def intrinsics_ir() -> str:
    """Return the definitions of all intrinsics; LLVM drops those that nothing calls."""
    module = ir.Module()
    for twin, name in INTRINSICS.items():
        kind = ir.FunctionType(I64, [I64] * twin.__code__.co_argcount)
        function = ir.Function(module, kind, name)
        function.linkage = "internal"
        function.attributes.add("alwaysinline")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        builder.ret(_LOWERED[twin](builder, list(function.args)) or I64(0))
    return "\n".join(str(part) for part in module.functions)
