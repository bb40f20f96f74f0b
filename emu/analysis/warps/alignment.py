"""Powers of two that divide the scalars of values: those of a warp's lane 0, or of each piece's.

Lanes that step by k from such a scalar differ in its low bits alone. So bits above them can be
flipped, set or cleared, and the step stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.types import RegClass
from ..values.ssa import Const, Op, Phi, Ssa, Value

LARGEST = 1 << 32
"""A power of two for all of them: it divides 0."""


class Alignment:
    """The alignments of a kernel's values.

    `lanes` is how many lanes follow each scalar; `first_item` says that the first of them is
    work-item 0 of its workgroup, `size` is the workgroup's size in dimension 0.
    """

    def __init__(self, ssa: Ssa, lanes: int, size: int, *, first_item: bool) -> None:
        self.lanes = lanes
        self._size = size
        self._first_item = first_item
        self._found: dict[Value, int] = {}
        self._solve(ssa)

    def of(self, value: Value) -> int:
        """Return a power of two that divides the scalar of a value."""
        if isinstance(value, Const):
            return _power(value.bits)
        return self._found.get(value, LARGEST)

    def span(self, value: Value, step: int) -> int | None:
        """Return the power of two below which lanes that step from a value's scalar differ.

        None if the scalar has bits below it as well.
        """
        if step < 0:
            return None
        span = 1 << (step * (self.lanes - 1)).bit_length()
        return span if span <= self.of(value) else None

    def bitwise_stride(self, op: Op, strides: Sequence[int]) -> int | None:
        """Return the step of `and`, `or`, `xor`, `shr`, `div` or `rem`, given those of its sources.

        One of these is 0. Lanes differ in the low bits of the other source alone, which the
        operation keeps or clears. Unsigned numbers that differ there alone have one quotient if
        the divisor is a multiple of the power above these bits.
        """
        stem = op.ins.row.stem
        which = 0 if strides[1] == 0 else 1
        value, other = op.args[which], op.args[1 - which]
        span = self.span(value, strides[which])
        if span is None or op.cls is RegClass.C or (stem in ("shr", "div", "rem") and which):
            return None
        number = other.bits if isinstance(other, Const) else None
        match stem:
            case "or" | "xor" if self.of(other) >= span:
                return strides[which]
            case "and" if self.of(other) >= span:
                return 0
            case "and" if number is not None and number % span == span - 1:
                return strides[which]
            case "shr" if number is not None and span <= 1 << (number % op.cls.bits):
                return 0
            case "div" | "rem" if number and number % span == 0 and not _is_signed(op):
                return strides[which] if stem == "rem" else 0
        return None

    def field_stride(self, op: Op, step: int) -> int | None:
        """Return the step of a `bitextract` of what has a step: it keeps or clears low bits."""
        position, length = op.ins.literals
        span = self.span(op.args[0], step)
        if span is None:
            return None
        if span <= 1 << position:
            return 0
        is_whole = position == 0 and span <= 1 << length and not _is_signed(op)
        return step if is_whole else None

    def _solve(self, ssa: Ssa) -> None:
        """Find the alignments: begin with the largest, and reduce them until nothing changes."""
        values = [v for v in ssa.values() if v.cls is not RegClass.C]
        changed = True
        while changed:
            changed = False
            for value in values:
                new = self._of(value)
                if new != self.of(value):
                    self._found[value] = new
                    changed = True

    def _of(self, value: Value) -> int:
        if isinstance(value, Phi):
            return min(self.of(a) for a in value.args.values())
        assert isinstance(value, Op)
        row = value.ins.row
        if row.is_identity:
            return self._of_identity(value)
        if row.stem == "lda":
            offset = _power(value.address.offset)
            return min([offset, *(self.of(a) for a in value.args)])
        if row.is_memory or row.type is None or row.type.is_float:
            return 1
        if any(a.cls is RegClass.C for a in value.args[row.stem == "select" :]):
            return 1
        return _result(row.stem, value.args, [self.of(a) for a in value.args])

    def _of_identity(self, op: Op) -> int:
        first = LARGEST if self._first_item else _power(self.lanes)
        match op.ins.row.stem:
            case "workitemid" if op.ins.literals[0] == 0:
                return first
            case "workitemflatid" | "laneid":
                return first
            case "workitemabsid" if op.ins.literals[0] == 0:
                return min(first, _power(self._size))
        return 1


def _is_signed(op: Op) -> bool:
    type_ = op.ins.row.type
    return type_ is None or type_.is_signed


def _power(number: int) -> int:
    """Return the largest power of two that divides a number."""
    return min(number & -number, LARGEST) or LARGEST


def _result(stem: str, args: list[Value], known: list[int]) -> int:
    match stem:
        case "add" | "sub" | "or" | "xor" | "min" | "max":
            return min(known)
        case "and":
            return max(known)
        case "rem" if isinstance(args[1], Const):
            return min(known)
        case "mul":
            return min(known[0] * known[1], LARGEST)
        case "mad":
            return min(known[0] * known[1], known[2])
        case "shl" if isinstance(args[1], Const) and args[1].bits < 32:
            return min(known[0] << args[1].bits, LARGEST)
        case "shr" if isinstance(args[1], Const) and args[1].bits < 32 and known[0] < LARGEST:
            return max(known[0] >> args[1].bits, 1)
        case "select":
            return min(known[1:])
        case "cvt":
            return known[0]
    return 1
