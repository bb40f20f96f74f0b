"""What atomics leave in memory."""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.table import Row
from ....isa.types import Type
from ..llvm.function_text import FunctionText

_PLAIN = frozenset({"add", "sub", "and", "or", "xor"})


def operation_of(row: Row) -> str:
    """Return the operation of an atomic, such as `add`."""
    return row.stem.removeprefix("atomic_")


def result_of(code: FunctionText, row: Row, type_: Type, old: str, operands: Sequence[str]) -> str:
    """Append the operation of an atomic on scalars; return what it leaves in memory."""
    t, operation = f"i{type_.bits}", operation_of(row)
    if operation == "exch":
        return operands[0]
    if operation == "cas":
        same = code.let(f"icmp eq {t} {old}, {operands[0]}")
        return code.let(f"select i1 {same}, {t} {operands[1]}, {t} {old}")
    how = operation if operation in _PLAIN else minimum(type_, operation)
    return combined(code, how, t, old, operands[0])


def combined(code: FunctionText, how: str, t: str, a: str, b: str) -> str:
    """Append an instruction of two integers, or a minimum or maximum of `minimum`."""
    if how in _PLAIN:
        return code.let(f"{how} {t} {a}, {b}")
    return code.intrinsic(f"llvm.{how}", t, f"{t} {a}", f"{t} {b}")


def minimum(type_: Type, operation: str) -> str:
    """Return LLVM's name of `min` or `max` for a type."""
    return f"{'s' if type_.is_signed else 'u'}{operation}"
