"""Sums of which only the small numbers matter, so that narrow lanes may saturate.

`a + b == 3` of two bytes is the same if the sum stops at 255: lanes of 8 bits do, whose exact sum
would take 16. A value is *capped* at a number if all that is computed from it is the same for any
numbers from there on. That is known from its uses: a comparison with a small number, a minimum with
one, and operations that pass it on.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....isa.types import RegClass
from ..ranges.integer_ranges import Range, Ranges
from ..values.ssa import Op, Phi, Ssa, Value

PASSED_ON = frozenset({"add", "or", "max", "select"})
"""Their results are the same from a number on if their operands may be any from there on."""

LARGEST = (1 << 16) - 1
"""The largest cap that lanes of 16 bits have."""


class Caps:
    """The caps of a kernel's 32-bit integers."""

    def __init__(self, ssa: Ssa, ranges: Ranges) -> None:
        self._ranges = ranges
        self._caps: dict[Value, int | None] = {}
        """The largest cap that a use asks for; None if a use needs the number itself."""
        for user in reversed(ssa.values()):
            if isinstance(user, Phi):
                for value in user.args.values():
                    self._caps[value] = None
            elif isinstance(user, Op):
                for value, cap in self._asked(user):
                    known = self._caps.get(value, 0)
                    self._caps[value] = None if known is None or cap is None else max(known, cap)

    def of(self, value: Value) -> int | None:
        """Return the number from which on all numbers may count as one; None if they may not."""
        return self._caps.get(value)

    def _asked(self, op: Op) -> Iterator[tuple[Value, int | None]]:
        """Yield the operands of an instruction, each with the cap that the result allows."""
        row = op.ins.row
        numbers = op.args[1:] if row.stem == "select" else op.args
        integer = row.type is not None and not row.type.is_float and row.type.bits == 32
        cap = self._cap_of_operands(op, numbers) if integer and not row.has_address else None
        for value in op.args:
            yield value, cap if value in numbers else None

    def _cap_of_operands(self, op: Op, numbers: list[Value]) -> int | None:
        stem, ranges = op.ins.row.stem, [self._ranges.of(value) for value in numbers]
        if not all(r.least >= 0 and r.is_signed(32) for r in ranges):
            return None
        if stem.startswith("cmp_") and len(ranges) == 2:
            return _limited(min(r.most for r in ranges) + 1)
        if stem == "min":
            return _limited(min(r.most for r in ranges))
        if stem in PASSED_ON and op.cls is RegClass.S and _is_exact(stem, ranges):
            cap = self._caps.get(op, 0)
            # The bits of a number from the cap on are not those of the cap, but for all ones.
            return cap if cap is None or stem != "or" else _limited((1 << cap.bit_length()) - 1)
        return None


def _limited(cap: int) -> int | None:
    return cap if cap <= LARGEST else None


def _is_exact(stem: str, ranges: list[Range]) -> bool:
    """Return whether a sum does not wrap around."""
    return stem != "add" or sum(r.most for r in ranges) < 1 << 31
