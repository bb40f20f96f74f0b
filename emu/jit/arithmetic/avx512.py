"""Instructions of AVX-512 that LLVM does not choose by itself, for whole vector registers.

Each function returns None where the CPU has no such instruction, or where the lanes do not fill
registers; the caller then takes LLVM's own operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.types import Type
from ...analysis.ranges.float_ranges import Nan
from ..llvm import toolchain
from ..llvm.function_text import FunctionText
from ..llvm.text import constant, float_constant, floating, integer
from .operation import Operation

REGISTER = 512
"""Bits of a vector register."""

SCALAR_REGISTER = 128
"""Bits of a register for instructions on scalars."""

CURRENT_ROUNDING = "i32 4"
"""The rounding of the control register, which is to nearest even."""

SIGN_OF_RESULT = 4
"""The bit of VRANGE that keeps the sign of the operand that was chosen."""

TO_NEAREST = 8
"""The rounding of VREDUCE to integers, ties to even, without a flag for what is inexact."""

NO_NEGATIVES = 0b1100
"""For VGETMANT: numbers from 1 to 2, the absolute value of a zero, and NaN below zero."""

NUMBERS = 0x1111_1100
"""The table of VFIXUPIMM, a hexadecimal digit for each kind of float from the right: 0 keeps the
destination, for quiet and signalling NaNs, and 1 takes the source."""


def extreme(op: Operation, *, largest: bool) -> str | None:
    """Return min or max of two floats.

    Also of scalars, and of lanes that do not fill registers, of which LLVM may make scalars: where
    one of two is known to be no NaN, LLVM 22 takes the other one, a NaN.
    """
    code, bits = op.code, op.bits
    if not toolchain.host_has("avx512dq"):
        return None
    n = op.n and max(REGISTER // bits, 1 << (op.n - 1).bit_length())

    def chosen(a: str, b: str, *, largest: bool) -> str:
        how = f"i32 {SIGN_OF_RESULT + largest}"
        if not n:
            return _range_of_scalars(code, bits, (a, b), how)
        name = f"range.{_suffix(op.type)}"
        return _each_register(code, name, bits, n, floating(bits, n), [a, b], how)

    # A signalling NaN would win over a number: of two equal ones the result is a quiet one. It is
    # the same for min and max, so that LLVM does it once for both.
    known = (op.range_of(i) for i in (0, 1))
    given = [_resized(code, bits, x, op.n, n) for x in op.as_floats()]
    a, b = (
        chosen(x, x, largest=False) if r.nan is Nan.ANY else x
        for x, r in zip(given, known, strict=True)
    )
    found = chosen(a, b, largest=largest)
    return _resized(code, bits, found, n, op.n)


def truncated(op: Operation, value: str, source: Type) -> str | None:
    """Return a float as an integer of its own width, saturated; NaN becomes 0."""
    known, signed, code, n = op.range_of(0), op.type.is_signed, op.code, op.n
    if source.bits != op.bits or op.type.bits != op.bits:
        return None
    float_type, limit = floating(source.bits, n), 2.0 ** (op.bits - 1)
    zero, is_number = float_constant(0.0, source.bits, n), known.nan is Nan.NEVER
    if not signed:
        # Out of range is all ones, which is right above; below, and for a NaN, it has to be 0.
        if not (is_number and known.low > -1):
            above = code.let(f"fcmp ogt {float_type} {value}, {zero}")
            value = op.select(above, float_type, value, zero)
        return converted(op, value, source, signed=False)
    # Out of range is the least integer, which is right below.
    ordered = "" if is_number else code.let(f"fcmp ord {float_type} {value}, {zero}")
    result = converted(op, value, source, signed=True, mask=ordered)
    if result is None or known.high < limit:
        return result
    high = float_constant(limit, source.bits, n)
    over = code.let(f"fcmp oge {float_type} {value}, {high}")
    return op.select(over, op.integer, op.constant((1 << (op.bits - 1)) - 1), result)


def converts(op: Operation, source: Type) -> bool:
    """Return whether `converted` knows the conversion."""
    feature = "avx512f" if op.bits == 32 else "avx512dq"
    return source.bits >= op.bits and _fits(source.bits, op.n, feature)


def converted(
    op: Operation, value: str, source: Type, *, signed: bool, mask: str = ""
) -> str | None:
    """Return a float as an integer of a register's width, and 0 where no mask is on.

    Out of range, and for a NaN, it is the least signed or the largest unsigned integer: unlike
    LLVM's conversion, this one has defined results.
    """
    if not converts(op, source):
        return None
    name = f"cvtt{_suffix(source)}2{'' if signed else 'u'}{'q' if op.bits == 64 else 'd'}q"
    return _each_register(op.code, name, source.bits, op.n, op.integer, [value], mask=mask)


def canonical(code: FunctionText, type_: Type, number: str, n: int) -> str | None:
    """Return a float with every NaN replaced by the canonical one."""
    bits = type_.bits
    if not _fits(bits, n, "avx512f"):
        return None
    per = REGISTER // bits
    name = f"llvm.x86.avx512.mask.fixupimm.{_suffix(type_)}.512"
    t = floating(bits, per)
    quiet = f"splat ({floating(bits, 0)} 0x7FF8000000000000)"
    table = f"{integer(bits, per)} {constant(type_.reg, NUMBERS, per)}"
    parts = [
        code.call(
            t, name, f"{t} {quiet}", f"{t} {part}", table, "i32 0", f"i{per} -1", CURRENT_ROUNDING
        )
        for part in _registers(code, bits, n, number)
    ]
    return _joined(code, t, parts)


def parted(op: Operation) -> tuple[str, str] | None:
    """Return a float's nearest integer and what is left, which is 0 for an infinity."""
    if not _fits(op.bits, op.n, "avx512dq"):
        return None
    [x] = op.as_floats()
    name, how = f"reduce.{_suffix(op.type)}", f"i32 {TO_NEAREST}"
    left = _each_register(op.code, name, op.bits, op.n, op.floating, [x], how)
    return op.let(f"fsub {op.floating} {x}, {left}"), left


def scaled(op: Operation, number: str, exponent: str) -> str:
    """Return a float times two to the power of another one, rounded once; `parted` fits."""
    operands = [number, exponent]
    name = f"scalef.{_suffix(op.type)}"
    return _each_register(op.code, name, op.bits, op.n, op.floating, operands)


def exponent_and_fraction(op: Operation) -> tuple[str, str] | None:
    """Return the exponent of a positive float, and the number from 1 to 2 that it multiplies.

    Of zeros the exponent is minus infinity, of infinity it is infinity; the fraction is NaN for
    what is below zero and for NaN.
    """
    if not _fits(op.bits, op.n, "avx512f"):
        return None
    [x] = op.as_floats()
    suffix, t = _suffix(op.type), op.floating
    exponent = _each_register(op.code, f"getexp.{suffix}", op.bits, op.n, t, [x])
    how = f"i32 {NO_NEGATIVES}"
    return exponent, _each_register(op.code, f"getmant.{suffix}", op.bits, op.n, t, [x], how)


def opaque(op: Operation) -> str | None:
    """Return an integer in registers, of which LLVM knows nothing more than that.

    It makes the absolute value of a difference a maximum less a minimum, if it knows both signs.
    That is an instruction more.
    """
    if not _fits(op.bits, op.n, "avx512f"):
        return None
    [x] = op.as_floats()
    t = floating(op.bits, REGISTER // op.bits)
    parts = [
        op.code.intrinsic("llvm.arithmetic.fence", t, f"{t} {part}")
        for part in _registers(op.code, op.bits, op.n, x)
    ]
    return op.from_float(_joined(op.code, t, parts))


def _fits(bits: int, n: int, feature: str) -> bool:
    """Return whether n lanes fill registers, and the CPU has a feature."""
    return n.bit_count() == 1 and n * bits % REGISTER == 0 and toolchain.host_has(feature)


def _suffix(type_: Type) -> str:
    return "ps" if type_.bits == 32 else "pd"


def _each_register(
    code: FunctionText,
    name: str,
    bits: int,
    n: int,
    type_: str,
    operands: Sequence[str],
    *more: str,
    mask: str = "",
) -> str:
    """Call an instruction with rounding for each register of its operands, of `bits` a lane.

    `type_` is that of the result; it has 0 where no mask is on.
    """
    per = REGISTER // bits
    t, result = floating(bits, per), f"<{per}{type_[type_.index(' x ') :]}"
    masks = _registers(code, 1, n, mask, per) if mask else []
    columns = [_registers(code, bits, n, operand) for operand in operands]
    parts = []
    for i, given in enumerate(zip(*columns, strict=True)):
        on = f"i{per} -1"
        if masks:
            on = f"i{per} {code.let(f'bitcast <{per} x i1> {masks[i]} to i{per}')}"
        arguments = [*(f"{t} {x}" for x in given), *more, f"{result} zeroinitializer", on]
        full = f"llvm.x86.avx512.mask.{name}.512"
        parts.append(code.call(result, full, *arguments, CURRENT_ROUNDING))
    return _joined(code, result, parts)


def _range_of_scalars(code: FunctionText, bits: int, operands: tuple[str, str], how: str) -> str:
    """Call `vrange` for scalars."""
    t, scalar = floating(bits, SCALAR_REGISTER // bits), floating(bits, 0)
    vectors = [code.let(f"insertelement {t} poison, {scalar} {x}, i32 0") for x in operands]
    full = f"llvm.x86.avx512.mask.range.{'ss' if bits == 32 else 'sd'}"
    given = *(f"{t} {v}" for v in vectors), f"{t} zeroinitializer", "i8 -1"
    found = code.call(t, full, *given, how, CURRENT_ROUNDING)
    return code.let(f"extractelement {t} {found}, i32 0")


def _resized(code: FunctionText, bits: int, operand: str, n: int, to: int) -> str:
    """Return the first of n lanes, with lanes of any content after them if there are more."""
    if n == to:
        return operand
    t = floating(bits, n)
    order = ", ".join(f"i32 {i}" if i < n else "i32 poison" for i in range(to))
    return code.let(f"shufflevector {t} {operand}, {t} poison, <{to} x i32> <{order}>")


def _registers(
    code: FunctionText, bits: int, n: int, operand: str, per: int | None = None
) -> list[str]:
    """Return the parts of n lanes that fill a register each; masks have lanes of one bit."""
    per = per or REGISTER // bits
    if per == n:
        return [operand]
    t = integer(1, n) if bits == 1 else floating(bits, n)
    orders = (", ".join(f"i32 {i}" for i in range(j, j + per)) for j in range(0, n, per))
    return [
        code.let(f"shufflevector {t} {operand}, {t} poison, <{per} x i32> <{order}>")
        for order in orders
    ]


def _joined(code: FunctionText, type_: str, parts: Sequence[str]) -> str:
    """Return one vector of all lanes of vectors of a type."""
    parts = list(parts)
    per = int(type_[1:].split()[0])
    element = type_.split(" x ")[1].rstrip(">")
    while len(parts) > 1:
        order = ", ".join(f"i32 {i}" for i in range(2 * per))
        t = f"<{per} x {element}>"
        parts = [
            code.let(f"shufflevector {t} {a}, {t} {b}, <{2 * per} x i32> <{order}>")
            for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
        per *= 2
    return parts[0]
