"""Rows of a lane's own: how addresses lead along them, and loops in which lanes are in step."""

from __future__ import annotations

from ....isa.types import RegClass, Segment
from ..flow.order import Loop
from ..ranges.stepping import Counter, counters_of, increment_of, is_invariant
from ..values.ssa import Const, Op, Phi, Value, made_of
from ..warps.uniformity import Shapes
from .row_results import gathers_row

LINE = 64
"""Bytes of a line of a cache."""

WORD = 4
"""Bytes of the smallest elements that a gather loads by themselves."""

_LEAST_FACTOR = {"mul": LINE // WORD, "mad": LINE // WORD, "shl": 4}
"""Constants from which on words of neighbouring lanes are lines apart: factors, bits of a shift."""

_SUMS = frozenset({"add", "sub", "mul", "mad", "shl", "cvt"})

_SHARED = frozenset({Segment.GLOBAL, Segment.GROUP})


def goes_along_rows(shapes: Shapes, loop: Loop) -> bool:
    """Return whether lanes go along rows of their own in step, which one alone may take at once.

    A matrix times a vector, of integers: all rows have one length. Lanes together gather, or load
    pieces of rows and transpose them. Native code finds which is faster.
    """
    facts, ssa = shapes.facts, shapes.ssa
    if not facts.finds_limit or facts.counts or loop.number in shapes.divergent_loops:
        return False
    if not gathers_row(ssa, loop) or all(_is_short(c, loop) for c in counters_of(ssa, loop)):
        return False
    ops = [op for n in loop.nodes for op in ssa.ops.get(n, ()) if op.ins.row.is_memory]
    own = [op.base for op in ops if op.base is not None and not shapes.is_uniform(op.base)]
    return (
        bool(own)
        and all(op.ins.row.segment is Segment.GLOBAL for op in ops)
        and all(is_stretch(base, loop) for base in own)
        and all(has_own_row(shapes, base) or loads_of(base) for base in own)
    )


def _is_short(counter: Counter, loop: Loop) -> bool:
    """Return whether it is known that a row ends within a vector of bytes."""
    begins = [arg for before, arg in counter.phi.args.items() if before not in loop.nodes]
    ends = [arg.bits for arg in (counter.end, *begins) if isinstance(arg, Const)]
    return len(ends) == 1 + len(begins) and max(ends) - min(ends) < LINE


def has_own_row(shapes: Shapes, base: Value) -> bool:
    """Return whether an address has a product by which lanes are lines apart, or may be."""
    parts = (v for v in made_of([base], is_load) if isinstance(v, Op))
    return any(
        not shapes.is_uniform(a) and not (isinstance(b, Const) and b.bits < least)
        for v in parts
        if (least := _LEAST_FACTOR.get(v.ins.row.stem)) is not None
        for a, b in ((v.args[0], v.args[1]), (v.args[1], v.args[0]))
    )


def is_stretch(base: Value, loop: Loop) -> bool:
    """Return whether each iteration adds the same to an address."""
    for value in parts_of(base):
        if is_invariant(value, loop):
            continue
        if isinstance(value, Phi):
            if value.node != loop.header or increment_of(loop, value) is None:
                return False
        elif not (isinstance(value, Op) and value.ins.row.stem in _SUMS):
            return False
        elif value.ins.row.stem in _LEAST_FACTOR and not any(
            is_invariant(factor, loop) for factor in value.args[:2]
        ):
            return False
    return True


def parts_of(value: Value) -> set[Value]:
    """Return a value and what it is computed from, up to phis and loads; conditions aside."""

    def ends(value: Value) -> bool:
        is_load = isinstance(value, Op) and value.ins.row.is_load
        return is_load or isinstance(value, Phi) or value.cls is RegClass.C

    return {v for v in made_of([value], ends) if v.cls is not RegClass.C}


def loads_of(value: Value) -> set[Op]:
    """Return the loads of shared memory that a value is computed from, conditions aside."""
    found = made_of([value], lambda v: is_load(v) or v.cls is RegClass.C)
    return {v for v in found if isinstance(v, Op) and is_load(v)}


def is_load(value: Value) -> bool:
    """Return whether a value is loaded from shared memory, other than a condition."""
    if not isinstance(value, Op) or value.cls is RegClass.C:
        return False
    return value.ins.row.is_load and value.ins.row.segment in _SHARED
