"""Values that are cheaper computed again after a barrier than kept across it.

They follow from the identity of the work-item, kernel arguments and constants by few operations on
integers. So a warp that resumes has them without a look at its frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ....isa.table import Flags
from ....isa.types import RegClass, Segment
from .ssa import Const, Op, Value

MOST_OPERATIONS = 48
"""Operations that are done again after one barrier."""

_CHEAP = frozenset(
    {"add", "sub", "mul", "mad", "shl", "shr", "and", "or", "xor", "not", "min", "max", "cvt",
     "select", "lda", "cmp_eq", "cmp_ne", "cmp_lt", "cmp_le", "cmp_gt", "cmp_ge"}
)  # fmt: skip


def recomputed(wanted: Iterable[Value], position: Callable[[Value], int]) -> list[Op]:
    """Return what is computed again to have some of the wanted values, sources first.

    `position` is that of a value in the kernel. Its instruction's would not do: copies of a loop's
    body share them.
    """
    found: dict[Op, None] = {}
    for value in sorted(wanted, key=position):
        if isinstance(value, Op) and value not in found:
            needed = _sources(value, MOST_OPERATIONS - len(found))
            found.update(dict.fromkeys(needed or ()))
    return sorted(found, key=position)


def _sources(op: Op, most: int) -> set[Op] | None:
    """Return the operations that an op is computed by, itself among them; None if it cannot be."""
    found: set[Op] = {op}
    work = [op]
    while work:
        value = work.pop()
        if not _is_cheap(value) or len(found) > most:
            return None
        for source in value.args:
            if isinstance(source, Const):
                continue
            if not isinstance(source, Op):
                return None
            if source not in found:
                found.add(source)
                work.append(source)
    return found


def _is_cheap(op: Op) -> bool:
    row = op.ins.row
    if row.is_memory:
        return row.segment is Segment.KERNARG
    if row.is_identity:
        return Flags.CROSS_LANE not in row.flags
    types = [row.type, row.source]
    if any(t is not None and t.is_float for t in types):
        return False
    return (
        row.stem in _CHEAP and not row.is_atomic and op.cls in (RegClass.S, RegClass.D, RegClass.C)
    )
