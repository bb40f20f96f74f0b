"""The register-to-register instructions, on arrays of the lanes that run.

Every function takes one array per source, already in the type of its operand, and returns the
result in the type of the destination. The arrays have running lanes only, so each fault is a trap.
`implementation(row)` finds the function; the registry is by stem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ...isa.functions import ARGUMENT, FUNCTIONS, Step
from ...isa.table import Row
from ...isa.types import Kind, Type
from ..traps import TrapKind
from . import floats

Array = np.ndarray
Function = Callable[..., Array]


class LaneFault(Exception):
    """Some of the running lanes trap: their positions in the arrays, ascending, and why."""

    def __init__(
        self, lanes: Array, kinds: Sequence[TrapKind], addresses: Array | None = None
    ) -> None:
        super().__init__(*kinds[:1])
        self.lanes = lanes
        self.kinds = kinds
        self.addresses = addresses

    @classmethod
    def first_of(cls, checks: Sequence[tuple[TrapKind, Array]], addresses: Array) -> LaneFault:
        """Return the fault of the lanes that fail a check; of several, the first one counts.

        A lane fails a check whose array is not zero there.
        """
        failed = np.array([failing != 0 for _, failing in checks])
        lanes = np.flatnonzero(failed.any(axis=0))
        first = failed[:, lanes].argmax(axis=0)
        return cls(lanes, [checks[number][0] for number in first.tolist()], addresses)


def dtype_of(type_: Type) -> np.dtype:
    """Return the dtype in which a register operand of this type is handed over."""
    if type_.bits < 32 and type_.kind is not Kind.BOOL:
        return np.dtype("int32" if type_.is_signed else "uint32")
    return np.dtype(type_.numpy)


def implementation(row: Row, literals: tuple[int, ...] = ()) -> Function:
    """Return the function of a row; `literals` are constants of the instruction that it needs."""
    make = _MAKERS.get(row.stem)
    if make is None:
        raise KeyError(row.name)
    return make(row, literals)


_MAKERS: dict[str, Callable[[Row, tuple[int, ...]], Function]] = {}


def _simple(stem: str, integer: Function | None, floating: Function | None = None) -> None:
    """Register a stem whose function depends only on whether the type is a float."""

    def make(row: Row, literals: tuple[int, ...]) -> Function:
        function = floating if row.type is not None and row.type.is_float else integer
        assert function is not None
        return function

    _MAKERS[stem] = make


def _canonical(function: Function) -> Function:
    return lambda *args: floats.canonical(function(*args))


def _mulhi(a: Array, b: Array) -> Array:
    if a.dtype.itemsize == 4:
        wide = np.int64 if a.dtype.kind == "i" else np.uint64
        return (a.astype(wide) * b.astype(wide) >> wide(32)).astype(a.dtype)
    unsigned = _mulhi_u64(a.view(np.uint64), b.view(np.uint64))
    if a.dtype.kind == "u":
        return unsigned
    # Signed from unsigned: subtract each factor where the other is negative.
    zero = np.uint64(0)
    unsigned = unsigned - np.where(a < 0, b.view(np.uint64), zero)
    return (unsigned - np.where(b < 0, a.view(np.uint64), zero)).view(np.int64)


def _mulhi_u64(a: Array, b: Array) -> Array:
    half, low = np.uint64(32), np.uint64(0xFFFF_FFFF)
    ah, al, bh, bl = a >> half, a & low, b >> half, b & low
    cross = ah * bl + (al * bl >> half)
    other = al * bh + (cross & low)
    return ah * bh + (cross >> half) + (other >> half)


def _check_divisor(b: Array) -> None:
    zero = b == 0
    if zero.any():
        lanes = np.flatnonzero(zero)
        raise LaneFault(lanes, [TrapKind.DIVIDE_BY_ZERO] * lanes.size)


def _div(a: Array, b: Array) -> Array:
    _check_divisor(b)
    if a.dtype.kind == "u":
        return a // b
    # NumPy rounds down; we truncate. INT_MIN / -1 wraps as the negation does.
    minus = b == -1
    safe = np.where(minus, a.dtype.type(1), b)
    quotient = a // safe
    inexact = (quotient * safe != a) & ((a < 0) != (safe < 0))
    return np.where(minus, np.negative(a), quotient + inexact.astype(a.dtype))


def _rem(a: Array, b: Array) -> Array:
    _check_divisor(b)
    if a.dtype.kind == "u":
        return a % b
    safe = np.where(b == -1, a.dtype.type(1), b)
    return np.fmod(a, safe)


def _absolute(x: Array) -> Array:
    return floats.bits_of(x) & _SIGN[x.dtype.name][0]


def _negate(x: Array) -> Array:
    return floats.bits_of(x) ^ _SIGN[x.dtype.name][1]


_SIGN = {
    "float32": (np.uint32(0x7FFF_FFFF), np.uint32(0x8000_0000)),
    "float64": (np.uint64(0x7FFF_FFFF_FFFF_FFFF), np.uint64(0x8000_0000_0000_0000)),
}


def _keep_bits(function: Function) -> Function:
    """Return the bits of floats for sign operations, which treat NaNs as any other value."""
    return lambda x: function(x).view(x.dtype)


_simple("add", np.add, _canonical(np.add))
_simple("sub", np.subtract, _canonical(np.subtract))
_simple("mul", np.multiply, _canonical(np.multiply))
_simple("mulhi", _mulhi)
_simple("mad", lambda a, b, c: a * b + c)
_simple("fma", None, floats.fma)
_simple("div", _div, _canonical(np.divide))
_simple("rem", _rem)
_simple("min", np.minimum, floats.minimum)
_simple("max", np.maximum, floats.maximum)
_simple("abs", np.abs, _keep_bits(_absolute))
_simple("neg", np.negative, _keep_bits(_negate))
_simple("sqrt", None, _canonical(np.sqrt))
_simple("rsqrt", None, _canonical(lambda x: x.dtype.type(1) / np.sqrt(x)))
_simple("floor", None, _canonical(np.floor))
_simple("ceil", None, _canonical(np.ceil))
_simple("trunc", None, _canonical(np.trunc))
_simple("rint", None, _canonical(np.rint))
_simple("mov", lambda a: a)
_simple("and", np.bitwise_and)
_simple("or", np.bitwise_or)
_simple("xor", np.bitwise_xor)
_simple("not", np.invert)
_simple("popcount", lambda a: np.bitwise_count(a).astype(np.uint32))


def _clz(a: Array) -> Array:
    """Count leading zeros: smear the highest one bit downwards, count the zeros above it."""
    a = a.copy()
    width = a.dtype.itemsize * 8
    shift = 1
    while shift < width:
        a |= a >> a.dtype.type(shift)
        shift *= 2
    return np.uint32(width) - np.bitwise_count(a).astype(np.uint32)


_simple("clz", _clz)


def _shift(operation: np.ufunc) -> Callable[[Row, tuple[int, ...]], Function]:
    def make(row: Row, literals: tuple[int, ...]) -> Function:
        assert row.type is not None
        dtype = dtype_of(row.type).type
        last = np.uint32(row.type.bits - 1)
        return lambda a, b: operation(a, (b & last).astype(dtype))

    return make


_MAKERS["shl"] = _shift(np.left_shift)
_MAKERS["shr"] = _shift(np.right_shift)


def _make_bitextract(row: Row, literals: tuple[int, ...]) -> Function:
    assert row.type is not None
    dtype = dtype_of(row.type).type
    position, length = literals
    up = dtype(row.type.bits - position - length)
    down = dtype(row.type.bits - length)
    # Shifting the field to the top first lets the type's own right shift extend it.
    return lambda a: a << up >> down


def _make_bitinsert(row: Row, literals: tuple[int, ...]) -> Function:
    assert row.type is not None
    dtype = dtype_of(row.type).type
    position, length = literals
    field = ((1 << length) - 1) << position
    keep = dtype(((1 << row.type.bits) - 1) ^ field)
    return lambda a, b: (a & keep) | (b << dtype(position) & dtype(field))


_MAKERS["bitextract"] = _make_bitextract
_MAKERS["bitinsert"] = _make_bitinsert
_simple("select", np.where, np.where)


def _movhi(row: Row, literals: tuple[int, ...]) -> Function:
    low = np.uint64(0xFFFF_FFFF)
    half = np.uint64(32)
    return lambda a, old: (a.astype(np.uint64) << half) | (old & low)


_MAKERS["movhi"] = _movhi


def _unordered(ordered: Function) -> Function:
    return lambda a, b: ordered(a, b) | np.isnan(a) | np.isnan(b)


_COMPARISONS: dict[str, Function] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "equ": _unordered(np.equal),
    "neo": lambda a, b: (a < b) | (a > b),
    "ltu": _unordered(np.less),
    "leu": _unordered(np.less_equal),
    "gtu": _unordered(np.greater),
    "geu": _unordered(np.greater_equal),
    "num": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "nan": lambda a, b: np.isnan(a) | np.isnan(b),
}
for _name, _function in _COMPARISONS.items():
    _simple(f"cmp_{_name}", _function, _function)


def _make_cvt(row: Row, literals: tuple[int, ...]) -> Function:
    assert row.type is not None and row.source is not None
    to, source = row.type, row.source
    if to.kind is Kind.BOOL:
        return lambda x: _narrow(x, source) != 0
    if source.is_float:
        if to.is_float:
            return _canonical(lambda x: x.astype(to.numpy))
        return lambda x: _widen(floats.to_integer(x, to.bits, to.is_signed), to)
    if to.is_float:
        # A direct conversion rounds once; so a u64 must not pass through f64.
        return lambda x: _narrow(x, source).astype(to.numpy)
    return lambda x: _widen(_narrow(x, source), to)


def _narrow(x: Array, source: Type) -> Array:
    """Return the value of a register read in its source type; small types take the low bits."""
    if source.bits >= 32 or source.kind is Kind.BOOL:
        return x
    return x.astype(source.numpy)


def _widen(x: Array, to: Type) -> Array:
    """Convert integers: keep their low bits, and extend small types to the register."""
    return x.astype(to.numpy).astype(dtype_of(to))


_MAKERS["cvt"] = _make_cvt


def _make_function(row: Row, literals: tuple[int, ...]) -> Function:
    """Return sin, cos, exp2 or log2: the shared list of steps, evaluated by the functions above."""
    return _compile_steps(row.stem)


_SKIPPED = np.zeros(1, np.uint32)
"""The value of a guarded step that no lane needs; it reaches no result."""


@cache
def _compile_steps(stem: str) -> Function:
    function = FUNCTIONS[stem]
    steps = [
        (step.dst, step.guard, implementation(step.row), _operands(step)) for step in function.steps
    ]

    def evaluate(x: Array) -> Array:
        values: dict[str, Array] = {ARGUMENT: x}
        needed: dict[str | None, bool] = {None: True}
        for name, guard, compute, operands in steps:
            if guard is not None and guard not in needed:
                needed[guard] = bool(values[guard].any())
            if needed[guard]:
                values[name] = compute(
                    *(
                        values.get(operand, _SKIPPED).view(dtype)
                        if isinstance(operand, str)
                        else operand
                        for operand, dtype in operands
                    )
                )
        return values[function.result].view(x.dtype)

    return evaluate


def _operands(step: Step) -> list[tuple[str | Array, np.dtype]]:
    """Return a name unchanged, a constant as an array of one element."""
    operands: list[tuple[str | Array, np.dtype]] = []
    for argument, operand in zip(step.args, step.row.srcs, strict=True):
        assert operand.type is not None
        dtype = dtype_of(operand.type)
        if isinstance(argument, str):
            operands.append((argument, dtype))
        else:
            bits = np.array([argument], f"uint{dtype.itemsize * 8}")
            operands.append((bits.view(dtype), dtype))
    return operands


for _stem in FUNCTIONS:
    _MAKERS[_stem] = _make_function
