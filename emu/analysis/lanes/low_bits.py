"""How many low bits of a 32-bit value its uses read.

A byte that is stored is the same whatever the bits above its eight are, and so are sums, products
and choices that end there. Lanes of 8 bits give these bits, even where the number itself has more.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....isa.types import B1, RegClass
from ..values.ssa import Const, Op, Phi, Ssa, Value

ALL = 32

MODULAR = frozenset({"add", "sub", "mul", "mad", "and", "or", "xor", "not", "neg", "shl"})
"""Their low bits depend on the operands' low bits only."""


class LowBits:
    """The bits that matter of a kernel's 32-bit integers, counted from the lowest one."""

    def __init__(self, ssa: Ssa) -> None:
        self._read: dict[Value, int] = {}
        users = [v for v in reversed(ssa.values()) if isinstance(v, (Op, Phi))]
        changed = True
        # A phi of a loop reads what is defined after it, so once is not enough.
        while changed:
            changed = False
            for user in users:
                for value, bits in self._asked(user):
                    if bits > self._read.get(value, 0):
                        self._read[value] = bits
                        changed = True

    def of(self, value: Value) -> int:
        """Return how many bits are read."""
        return self._read.get(value, 0)

    def _asked(self, user: Op | Phi) -> Iterator[tuple[Value, int]]:
        """Yield what a value is computed from, each with the bits of it that are read for that."""
        if isinstance(user, Phi):
            for value in user.args.values():
                yield value, self.of(user)
            return
        low = self._of_operands(user)
        for place, value in enumerate(user.args):
            if value.cls is RegClass.S:
                yield value, low.get(place, ALL)

    def _of_operands(self, op: Op) -> dict[int, int]:
        """Return the bits that are read of some operands, by their places; all of the others."""
        row, args = op.ins.row, op.args
        type_ = row.type
        if type_ is None or type_.is_float:
            return {}
        if row.is_store:
            return {0: min(type_.bits, ALL)}
        if row.has_address or op.cls is not RegClass.S:
            return {}
        read = self.of(op)
        count = args[1].bits & 31 if len(args) > 1 and isinstance(args[1], Const) else None
        if row.stem == "cvt" and row.source is not None and row.source is not B1:
            return {} if row.source.is_float else {0: min(type_.bits, read)}
        if row.stem == "select":
            return {1: read, 2: read}
        if row.stem == "shl":
            return {0: read if count is None else max(read - count, 0)}
        if row.stem == "shr" and count is not None:
            return {0: min(read + count, ALL) if read else 0}
        if row.stem == "and":
            masks = [a.bits & (1 << ALL) - 1 for a in args if isinstance(a, Const)]
            read = min([read, *(mask.bit_length() for mask in masks)])
        if row.stem in MODULAR:
            return dict.fromkeys(range(len(args)), read)
        return {}
