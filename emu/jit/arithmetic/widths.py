"""Values of memory: their widths, which may be less than a register's, and their places."""

from __future__ import annotations

from ....isa.types import Type
from ..llvm.function_text import FunctionText
from ..llvm.text import integer, integer_constant


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


def element_number(code: FunctionText, offset: str, size: int, n: int) -> str:
    """Return the number of the element of `size` bytes at an offset, an i64 or n of them.

    It is huge where the offset is misaligned: one unsigned comparison with a limit tests both.
    """
    if size == 1:
        return offset
    t, shift = integer(64, n), integer_constant(size.bit_length() - 1, 64, n)
    return code.intrinsic("llvm.fshr", t, f"{t} {offset}", f"{t} {offset}", f"{t} {shift}")
