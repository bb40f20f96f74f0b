"""The arithmetic of an instruction as LLVM IR: scalar, or n lanes at a time.

The only place of the JIT with arithmetic. Nothing here traps, branches or reads a mask, and no
operation has undefined results on any bits of its sources, so it may run for inactive lanes. One
exception: the divisor of an integer `div` or `rem` must not be zero in any lane. The caller traps
for running lanes and puts 1 where it is zero.

Bits of NaNs. Float arithmetic yields *some* NaN where the ISA wants the canonical one: such a
value is noncanonical. Most uses do not care. Where the bits are observed (`wants_canonical`, and
any value that is stored or outlives the generated code) the caller applies `canonical` first.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.functions import FUNCTIONS
from ....isa.table import Flags, Row
from ....isa.types import Type
from ...analysis.ranges.float_ranges import FloatRange
from ..llvm.function_text import FunctionText
from ..llvm.text import constant, float_constant, floating, integer, register_type
from . import avx512
from .convert import convert
from .elementary import evaluate
from .floats import FLOATS
from .integers import INTEGERS
from .operation import Emitter, Operation

CANONICAL = {32: 0x7FC0_0000, 64: 0x7FF8_0000_0000_0000}
"""The NaN that arithmetic yields, by width."""


def emit(
    code: FunctionText,
    row: Row,
    literals: tuple[int, ...],
    sources: Sequence[str],
    n: int,
    floats: Sequence[FloatRange] = (),
) -> str:
    """Append the code of a row and return its result, an operand of the destination's type.

    `sources` are operands of their register classes' types, n lanes each (n = 0: scalars), in the
    order of the table; a row that reads its destination has the old value as last source. The
    result may be one of the sources. All of it stays in the current basic block. `floats` says what
    running lanes have for each source, read as a float.
    """
    return _emitter(row)(Operation(code, row, literals, sources, n, floats))


def emit_all(
    code: FunctionText,
    row: Row,
    literals: tuple[int, ...],
    columns: Sequence[Sequence[str]],
    n: int,
    floats: Sequence[FloatRange],
) -> list[str]:
    """Append the code of a row for several vectors, as `emit` does for one; return the results.

    Each of `columns` has the operands of one source.
    """
    ops = [Operation(code, row, literals, c, n, floats) for c in zip(*columns, strict=True)]
    if row.stem in FUNCTIONS:
        return evaluate(ops, emit)
    return [_emitter(row)(op) for op in ops]


def can_emit(row: Row) -> bool:
    """Return whether `emit` knows the row: all that compute from registers alone."""
    return not row.has_address and (row.stem in INTEGERS or row.stem in FLOATS or row.stem in _REST)


def _emitter(row: Row) -> Emitter:
    if row.stem in _REST:
        return _REST[row.stem]
    floats = row.type is not None and row.type.is_float
    # Moves are the same for all types.
    return FLOATS[row.stem] if floats and row.stem in FLOATS else INTEGERS[row.stem]


def _function(op: Operation) -> str:
    return evaluate([op], emit)[0]


_REST: dict[str, Emitter] = {"cvt": convert, **dict.fromkeys(FUNCTIONS, _function)}

_NEW_NAN = frozenset(
    "add sub mul fma div min max sqrt rsqrt floor ceil trunc rint sin cos exp2 log2 cvt".split()
)
_CARRY = frozenset({"mov", "select", "neg", "abs"})


def may_be_noncanonical(row: Row) -> bool:
    """Return whether the result may be a NaN of other bits than the canonical one by its own doing.

    The result of a row that `carries` a source is noncanonical if that source is.
    """
    if row.stem == "cvt" and row.source is not None and not row.source.is_float:
        return False  # no integer becomes a NaN
    floats = row.dst is not None and row.dst.type is not None and row.dst.type.is_float
    return floats and row.stem in _NEW_NAN


def carries(row: Row, position: int) -> bool:
    """Return whether the result has the NaN bits of this source: observed where the result is.

    The caller may leave such a source noncanonical if the result is not observed, or is made
    canonical later; not so for `neg` and `abs`, whose results keep a NaN's sign.
    """
    return row.stem in _CARRY and not (row.stem == "select" and position == 0)


def changes_sign(row: Row) -> bool:
    """Return whether a row sets or changes the sign of a float, also that of a NaN."""
    return row.stem in ("neg", "abs") and row.type is not None and row.type.is_float


def wants_canonical(row: Row, position: int) -> bool:
    """Return whether a source's bits are observed: a NaN has to be made canonical first.

    False where they are read as a number: float arithmetic, comparison, conversion from float.
    True for `carries` as well; a caller that follows such values may do better.
    """
    srcs = row.srcs
    type_ = srcs[position].type if position < len(srcs) else _old_type(row)
    assert type_ is not None
    return type_.bits > 1 and (row.stem in _CARRY or not type_.is_float)


def _old_type(row: Row) -> Type | None:
    """Return the type of the last source of a row that reads its destination."""
    return row.dst.type if Flags.READS_DST in row.flags and row.dst is not None else None


def canonical(code: FunctionText, type_: Type, value: str, n: int) -> str:
    """Return an f32 or f64 (as register bits) with every NaN replaced by the canonical one."""
    number = code.to_float(type_.bits, value, n)
    quiet = constant(type_.reg, CANONICAL[type_.bits], n)
    found = avx512.canonical(code, type_, number, n)
    if found is not None:
        return code.from_float(type_.bits, found, n)
    float_type = floating(type_.bits, n)
    zero = float_constant(0.0, type_.bits, n)
    ordered = code.let(f"fcmp ord {float_type} {number}, {zero}")
    t = register_type(type_.reg, n)
    return code.let(f"select {integer(1, n)} {ordered}, {t} {value}, {t} {quiet}")
