"""Values of memory, which may be narrower than the registers that hold them."""

from __future__ import annotations

from ....isa.types import Type
from ..llvm.function_text import FunctionText
from ..llvm.text import integer


def extended(code: FunctionText, raw: str, type_: Type, n: int) -> str:
    """Return what was loaded as a register; n lanes, or 0 for a scalar."""
    if type_.bits >= 32:
        return raw
    how = "sext" if type_.is_signed else "zext"
    return code.let(f"{how} {integer(type_.bits, n)} {raw} to {integer(32, n)}")


def narrowed(code: FunctionText, value: str, type_: Type, n: int) -> str:
    """Return a register as what is stored."""
    if type_.bits >= 32:
        return value
    return code.let(f"trunc {integer(32, n)} {value} to {integer(type_.bits, n)}")
