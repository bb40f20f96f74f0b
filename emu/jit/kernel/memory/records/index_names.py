"""Names of the indices of records: fields whose indices differ by a constant share one.

`8 * i + k` is written as one instruction, and a product may be computed for each field.
"""

from __future__ import annotations

from .....analysis.values.numbering import Numbering, numbering_of
from .....analysis.values.ssa import Const, Op, Ssa, Value

MOST_ADDED = 1 << 16
"""What may be added to the index of a record."""

_PRODUCTS = frozenset({"mul_u32", "mul_s32", "mad_u32", "mad_s32"})


class IndexNames:
    """Finds the names of 32-bit indices of one kernel."""

    def __init__(self, ssa: Ssa) -> None:
        self._ssa = ssa
        self._numbers: Numbering | None = None

    def of(self, index: Value, more: int) -> tuple[object, int]:
        """Return what equal indices share, and what is added to it, given what is added so far."""
        if not isinstance(index, Op) or index.ins.row.name not in _PRODUCTS:
            return index, more
        if self._numbers is None:
            self._numbers = numbering_of(self._ssa)
        factors = tuple(self._numbers.get(arg, arg) for arg in index.args[:2])
        if len(index.args) == 2:
            return factors, more
        added = index.args[2]
        if more or not isinstance(added, Const) or added.bits >= MOST_ADDED:
            return self._numbers[index], more
        return factors, added.bits


def core_of(index: Value | None) -> tuple[Value, int]:
    """Return an index without the small constant that is added to it, and the constant."""
    assert index is not None
    if (
        isinstance(index, Op)
        and index.parts
        and index.ins.row.stem == "add"
        and isinstance(index.args[1], Const)
        and index.args[1].bits < MOST_ADDED
    ):
        return index.args[0], index.args[1].bits
    return index, 0
