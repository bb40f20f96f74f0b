"""Float arithmetic and comparison as LLVM IR. No flags that would let LLVM change a bit of it."""

from __future__ import annotations

from ...analysis.ranges.float_ranges import Nan
from . import avx512
from .operation import Emitter, Operation


def _binary(name: str) -> Emitter:
    def emit(op: Operation) -> str:
        a, b = op.as_floats()
        return op.from_float(op.let(f"{name} {op.floating} {a}, {b}"))

    return emit


def _intrinsic(name: str) -> Emitter:
    """Return an LLVM intrinsic that is an instruction of any CPU, or exact in the C library."""

    def emit(op: Operation) -> str:
        arguments = (f"{op.floating} {x}" for x in op.as_floats())
        return op.from_float(op.code.intrinsic(name, op.floating, *arguments))

    return emit


def _extreme(name: str, *, largest: bool) -> Emitter:
    """Return min or max, by the numbers that its operands may be."""
    any_floats = _intrinsic(name)

    def emit(op: Operation) -> str:
        if any(op.known(i) is not None for i in (0, 1)):
            return any_floats(op)
        a, b = (op.range_of(i) for i in (0, 1))
        if a.nan is b.nan is Nan.NEVER and not (a.has_zero and b.has_zero):
            return _compare_and_choose(op, "ogt" if largest else "olt")
        found = avx512.extreme(op, largest=largest)
        return any_floats(op) if found is None else op.from_float(found)

    return emit


def _compare_and_choose(op: Operation, predicate: str) -> str:
    """Return min or max of two numbers that are not zeros of different signs."""
    a, b = op.as_floats()
    holds = op.let(f"fcmp {predicate} {op.floating} {a}, {b}")
    return op.from_float(op.select(holds, op.floating, a, b))


def _rsqrt(op: Operation) -> str:
    [x] = op.as_floats()
    root = op.code.intrinsic("llvm.sqrt", op.floating, f"{op.floating} {x}")
    return op.from_float(op.let(f"fdiv {op.floating} {op.float_constant(1.0)}, {root}"))


def _abs(op: Operation) -> str:
    # On bits: a NaN's payload stays whatever the CPU does about NaNs.
    return op.let(f"and {op.integer} {op.sources[0]}, {op.constant((1 << (op.bits - 1)) - 1)}")


def _neg(op: Operation) -> str:
    return op.let(f"xor {op.integer} {op.sources[0]}, {op.constant(1 << (op.bits - 1))}")


_PREDICATES = {
    "eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge",
    "equ": "ueq", "neo": "one", "ltu": "ult", "leu": "ule", "gtu": "ugt", "geu": "uge",
    "num": "ord", "nan": "uno",
}  # fmt: skip


def _compare(predicate: str) -> Emitter:
    def emit(op: Operation) -> str:
        a, b = op.as_floats()
        return op.let(f"fcmp {predicate} {op.floating} {a}, {b}")

    return emit


FLOATS: dict[str, Emitter] = {
    "add": _binary("fadd"),
    "sub": _binary("fsub"),
    "mul": _binary("fmul"),
    "div": _binary("fdiv"),
    "fma": _intrinsic("llvm.fma"),
    # minimumNumber of IEEE 754-2019: the number wins over NaN, and -0 < +0.
    "min": _extreme("llvm.minimumnum", largest=False),
    "max": _extreme("llvm.maximumnum", largest=True),
    "abs": _abs,
    "neg": _neg,
    "sqrt": _intrinsic("llvm.sqrt"),
    "rsqrt": _rsqrt,
    "floor": _intrinsic("llvm.floor"),
    "ceil": _intrinsic("llvm.ceil"),
    "trunc": _intrinsic("llvm.trunc"),
    "rint": _intrinsic("llvm.rint"),
    **{f"cmp_{name}": _compare(predicate) for name, predicate in _PREDICATES.items()},
}
"""By stem: rows of f32 and f64, except those that only move bits."""
