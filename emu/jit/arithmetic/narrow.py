"""Arithmetic of 32-bit rows in lanes of 8 or 16 bits, if `analysis/lanes/narrow.py` allows it."""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.table import Row
from ..llvm.function_text import FunctionText
from ..llvm.text import constant_value, integer, integer_constant

_BINARY = frozenset({"add", "sub", "mul", "and", "or", "xor"})


def cut(code: FunctionText, operand: str, bits: int, n: int) -> str:
    """Return the low bits of n lanes of 32 bits."""
    value = constant_value(operand)
    if value is not None:
        return integer_constant(value, bits, n)
    return code.let(f"trunc {integer(32, n)} {operand} to {integer(bits, n)}")


def widened(code: FunctionText, operand: str, bits: int, n: int, *, signed: bool) -> str:
    """Return n lanes of 32 bits from narrow ones."""
    how = "sext" if signed else "zext"
    return code.let(f"{how} {integer(bits, n)} {operand} to {integer(32, n)}")


def emit(
    code: FunctionText,
    row: Row,
    sources: Sequence[str],
    bits: int,
    n: int,
    *,
    signed: bool,
    saturating: bool = False,
) -> str:
    """Append the code of a row in n narrow lanes and return its result: narrow, or a mask.

    `sources` are narrow, except for the condition of a `select`.
    """
    t = integer(bits, n)
    if saturating and row.stem == "add":
        return code.intrinsic("llvm.uadd.sat", t, *(f"{t} {source}" for source in sources))
    kind = "s" if signed and row.type is not None and row.type.is_signed else "u"
    match row.stem:
        case "mad":
            a, b, c = sources
            return code.let(f"add {t} {code.let(f'mul {t} {a}, {b}')}, {c}")
        case "not":
            return code.let(f"xor {t} {sources[0]}, {integer_constant(-1, bits, n)}")
        case "neg":
            return code.let(f"sub {t} {integer_constant(0, bits, n)}, {sources[0]}")
        case "abs":
            return code.intrinsic("llvm.abs", t, f"{t} {sources[0]}", "i1 false")
        case "min" | "max":
            a, b = sources
            return code.intrinsic(f"llvm.{kind}{row.stem}", t, f"{t} {a}", f"{t} {b}")
        case "select":
            condition, yes, no = sources
            return code.let(f"select {integer(1, n)} {condition}, {t} {yes}, {t} {no}")
        case "shl" | "shr":
            how = "shl" if row.stem == "shl" else "ashr" if signed else "lshr"
            # The count is a constant, whose low bits count.
            amount = integer_constant((constant_value(sources[1]) or 0) & 31, bits, n)
            return code.let(f"{how} {t} {sources[0]}, {amount}")
    if row.stem.startswith("cmp_"):
        predicate = row.stem.removeprefix("cmp_")
        order = predicate if predicate in ("eq", "ne") else kind + predicate
        return code.let(f"icmp {order} {t} {sources[0]}, {sources[1]}")
    assert row.stem in _BINARY, row.stem
    return code.let(f"{row.stem} {t} {sources[0]}, {sources[1]}")
