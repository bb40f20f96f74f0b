"""Kernels whose lanes go down columns of global or group memory, as those of a transpose do.

In workgroups of 16 x 16 that are one warp, they access whole rows of global memory, which the code
transposes in registers (jit/kernel/memory/shuffles/columns.py).
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ....isa.program import Kernel
from ....isa.types import RegClass, Segment
from ...recent import Recent
from ..analysis import analyse
from ..facts import Facts
from ..values.ssa import Op, Value
from ..warps.uniformity import Shapes

COLUMNS = (16, 16, 1)
"""Workgroups in which lanes that go down columns of global memory access whole rows."""

MOST_IN_COLUMNS = 100
"""Instructions of such a kernel: each is written for sixteen vectors."""

MOST_TERMS = 4
"""Operations between an address and its index."""

_IN_COLUMNS: Recent[tuple[object, ...], bool] = Recent()


def column_facts(kernel: Kernel, facts: Facts) -> Facts | None:
    """Return the facts of one warp a workgroup for kernels that go down columns, as a transpose.

    Those have no barrier and no loop, and workgroups are `COLUMNS`. Returns None for others.
    """
    if (
        not facts.whole
        or facts.group_size != COLUMNS
        or len(kernel.words) > MOST_IN_COLUMNS
        or any(ins.row.is_barrier for ins in kernel.instructions)
    ):
        return None
    key = kernel.key, facts.few_groups
    found = _IN_COLUMNS.find(key)
    if found is None:
        wide = replace(facts, width=prod(COLUMNS), one_warp=True)
        shapes = analyse(kernel).shapes(wide)
        found = _IN_COLUMNS.keep(key, not shapes.flow.loops and _accesses_columns(shapes))
    return replace(facts, width=prod(COLUMNS), one_warp=True) if found else None


def _accesses_columns(shapes: Shapes) -> bool:
    """Return whether a global access is at `x * stride + y`, with neighbours in a column."""
    for value in shapes.ssa.values():
        if not isinstance(value, Op) or value.ins.row.segment is not Segment.GLOBAL:
            continue
        index = None if value.base is None else index_of(value.base)
        found = None if index is None else shapes.distances_of(index)
        if found is None or [len(factors) for factors in found.multiples] != [1]:
            continue
        (rows,) = found.multiples.values()
        x, y, _ = COLUMNS
        if (rows.reshape(y, x) == range(x)).all() and (
            found.constants.reshape(y, x).T == range(y)
        ).all():
            return True
    return False


def index_of(address: Value) -> Value | None:
    """Return the 32-bit value that an address is made of, if it is widened in a sum."""
    for _ in range(MOST_TERMS):
        if not isinstance(address, Op):
            return None
        row = address.ins.row
        if row.stem == "cvt":
            return address.args[0] if address.args[0].cls is RegClass.S else None
        if row.stem not in ("add", "mad", "mul", "shl"):
            return None
        parts = [a for a in address.args if isinstance(a, Op) and not a.ins.row.is_load]
        if len(parts) != 1:
            return None
        address = parts[0]
    return None


def goes_down_columns(shapes: Shapes) -> bool:
    """Return whether lanes of a row access group memory in other steps than words, all known.

    The words of all rows then come out of few wide accesses.
    """
    for ops in shapes.ssa.ops.values():
        for op in ops:
            row, base = op.ins.row, op.base
            if not row.is_memory or row.segment is not Segment.GROUP or base is None:
                continue
            found = shapes.distances_of(base)
            if (
                found is not None
                and not found.multiples
                and shapes.piece_stride(base) not in (0, op.element.size)
            ):
                return True
    return False
