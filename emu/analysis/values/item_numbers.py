"""What work-items calculate from their numbers in the workgroup: a number for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from ....isa.types import RegClass
from ...geometry import Dim3
from .ssa import Const, Op, Value

Numbers = NDArray[np.uint32]
"""In the order of `workitemflatid`; conditions are 0 or 1."""

_ARITHMETIC: dict[str, Callable[..., NDArray[np.generic]]] = {
    "mov": lambda a: a,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "mad": lambda a, b, c: a * b + c,
    "shl": lambda a, b: a << (b & np.uint32(31)),
    "shr": lambda a, b: a >> (b & np.uint32(31)),
    "div": np.floor_divide,
    "rem": np.remainder,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "min": np.minimum,
    "max": np.maximum,
    "select": lambda c, a, b: np.where(c, a, b),
    "cmp_eq": np.equal,
    "cmp_ne": np.not_equal,
    "cmp_lt": np.less,
    "cmp_le": np.less_equal,
    "cmp_gt": np.greater,
    "cmp_ge": np.greater_equal,
}

_OF_BITS = ("and", "or", "xor")


def is_arithmetic(op: Op) -> bool:
    """Return whether `computed` knows an instruction."""
    stem, _, type_ = op.ins.row.name.rpartition("_")
    if stem not in _ARITHMETIC:
        return False
    if type_ == "b1":
        return stem in _OF_BITS and all(a.cls is RegClass.C for a in op.args)
    if stem in ("div", "rem"):
        divisor = op.args[1]
        return type_ in ("u32", "s32") and isinstance(divisor, Const) and divisor.bits != 0
    return type_ == "u32" or (type_ == "s32" and stem != "shr")


def computed(op: Op, args: Sequence[Numbers]) -> Numbers:
    """Return the results of an instruction for all work-items, modulo 2^32."""
    stem, _, type_ = op.ins.row.name.rpartition("_")
    if type_ == "s32" and (stem.startswith("cmp") or stem in ("min", "max")):
        return _ARITHMETIC[stem](*(a.view(np.int32) for a in args)).astype(np.uint32)
    if type_ == "s32" and stem in ("div", "rem"):
        return _divided(stem, *(a.view(np.int32).astype(np.int64) for a in args))
    return _ARITHMETIC[stem](*args).astype(np.uint32)


def _divided(stem: str, a: NDArray[np.int64], b: NDArray[np.int64]) -> Numbers:
    """Return quotients that are truncated towards zero, or what remains."""
    quotient = np.abs(a) // np.abs(b) * np.sign(a) * np.sign(b)
    return (quotient if stem == "div" else a - b * quotient).astype(np.uint32)


def calculated(
    op: Op, group_size: Dim3, of: Callable[[Value], Numbers | None], *, whole: bool
) -> Numbers | None:
    """Return what an op gives all work-items, where `of` knows its operands; else None.

    `whole` is that of `of_identity`.
    """
    if op.ins.row.is_identity:
        return of_identity(op, group_size, whole=whole)
    if not is_arithmetic(op):
        return None
    if (low := _low_bits(op, group_size)) is not None:
        return low
    args = [of(a) for a in op.args]
    known = [a for a in args if a is not None]
    return computed(op, known) if len(known) == len(args) else None


def _low_bits(op: Op, group_size: Dim3) -> Numbers | None:
    """Return what is left of a place in the grid, if as much is left of that in the workgroup.

    So it is where workgroups begin at multiples of a divisor, or of a power of two: low bits.
    """
    place, *others = op.args
    if not (isinstance(place, Op) and others and isinstance(others[0], Const)):
        return None
    stem, number = op.ins.row.name, others[0].bits
    values = {"and_u32": number + 1, "rem_u32": number}.get(stem, 0)
    if place.ins.row.stem != "workitemabsid" or not values:
        return None
    if stem == "and_u32" and values & (values - 1):
        return None
    dimension = place.ins.literals[0]
    if group_size[dimension] % values:
        return None
    return local_ids(group_size, dimension) % np.uint32(values)


class KnownNumbers:
    """The numbers that the work-items of a workgroup have for values, where they are known."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._known: dict[Value, Numbers] = {}

    def of(self, value: Value) -> Numbers | None:
        """Return the numbers of a value; None if they are not known."""
        if isinstance(value, Const):
            return self._results.of_constant(value) if value.bits < 1 << 32 else None
        return self._known.get(value)

    def of_all(self, values: Iterable[Value]) -> Numbers | None:
        """Return the numbers that all of some values have; None if they differ or are not known."""
        found = [self.of(value) for value in values]
        first = found[0] if found else None
        if first is None:
            return None
        for other in found[1:]:
            if other is None or (other is not first and (other != first).any()):
                return None
        return first

    def set(self, value: Value, numbers: Numbers | None) -> None:
        """Set the numbers of a value; None if they are not known."""
        if numbers is None:
            self._known.pop(value, None)
        else:
            self._known[value] = numbers

    def calculate(self, op: Op) -> Numbers | None:
        """Set what an op gives, as far as its operands are known; return it."""
        found = self._results.of(op, self.of)
        self.set(op, found)
        return found


class Results:
    """What instructions give all work-items, computed once for equal operands.

    Several walks through a kernel ask for the same: they share one of these.
    """

    def __init__(self, group_size: Dim3, *, whole: bool) -> None:
        self._size, self._whole = group_size, whole
        self._constants: dict[int, Numbers] = {}
        self._fixed: dict[Op, Numbers | None] = {}
        """Of instructions whose result does not depend on what is known of their operands."""
        self._found: dict[tuple[Op, *tuple[int, ...]], tuple[list[Numbers], Numbers]] = {}
        """By instruction and identities of operands, which are kept: the operands, the result."""

    def of_constant(self, value: Const) -> Numbers:
        """Return a constant for all work-items."""
        found = self._constants.get(value.bits)
        if found is None:
            found = self._constants[value.bits] = _shared(of_constant(value, self._size))
        return found

    def of(self, op: Op, of: Callable[[Value], Numbers | None]) -> Numbers | None:
        """Return what an op gives, where `of` knows its operands; else None."""
        if op in self._fixed:
            return self._fixed[op]
        args = []
        if _depends_on_operands(op, self._size):
            for value in op.args:
                known = of(value)
                if known is None:
                    return None
                args.append(known)
        else:
            found = calculated(op, self._size, of, whole=self._whole)
            self._fixed[op] = None if found is None else _shared(found)
            return found
        key = op, *map(id, args)
        kept = self._found.get(key)
        if kept is None:
            kept = self._found[key] = args, _shared(computed(op, args))
        return kept[1]


def _depends_on_operands(op: Op, group_size: Dim3) -> bool:
    """Return whether `calculated` asks for the operands of an instruction."""
    if op.ins.row.is_identity or not is_arithmetic(op):
        return False
    return _low_bits(op, group_size) is None


def _shared(numbers: Numbers) -> Numbers:
    """Return numbers that nothing may change any more."""
    numbers.flags.writeable = False
    return numbers


def of_constant(value: Const, group_size: Dim3) -> Numbers:
    """Return a constant for all work-items."""
    return np.full(prod(group_size), value.bits & 0xFFFF_FFFF, np.uint32)


def of_identity(op: Op, group_size: Dim3, *, whole: bool) -> Numbers | None:
    """Return an identity of all work-items; None if it does not follow from their numbers.

    Workgroups at the edge of a grid may be smaller than `group_size` unless they are `whole`.
    """
    flat = np.arange(prod(group_size), dtype=np.uint32)
    match op.ins.row.stem:
        case "workitemid":
            return local_ids(group_size, op.ins.literals[0])
        case "workitemflatid" if whole or group_size[1:] == (1, 1):
            return flat
        case "workgroupsize":
            return np.full_like(flat, group_size[op.ins.literals[0]])
        case "currentworkgroupsize" if whole:
            return np.full_like(flat, group_size[op.ins.literals[0]])
    return None


def apart_in_group(op: Op, group_size: Dim3) -> Numbers | None:
    """Return what places in the grid give, but for a number that a workgroup has in common.

    So it is with quotients, and where low bits change, if workgroups begin at multiples of the
    divisor, or of a power of two. None for other instructions.
    """
    if op.ins.row.name not in _OF_LOW_BITS:
        return None
    place, by = op.args
    if not (isinstance(place, Op) and isinstance(by, Const)):
        return None
    number = np.uint32(by.bits)
    match op.ins.row.stem:
        case "div":
            values = by.bits
        case "shr":
            values = 1 << (by.bits & 31)
        case "and":
            values = 1 << int(~number).bit_length()
        case _:
            values = 1 << by.bits.bit_length()
    if place.ins.row.stem != "workitemabsid" or not values:
        return None
    dimension = place.ins.literals[0]
    if group_size[dimension] % values:
        return None
    return computed(op, [local_ids(group_size, dimension), of_constant(by, group_size)])


_OF_LOW_BITS = frozenset({"div_u32", "shr_u32", "and_u32", "or_u32", "xor_u32"})


def local_ids(group_size: Dim3, dimension: int) -> Numbers:
    """Return a coordinate of each work-item in its workgroup."""
    x, y, _ = group_size
    flat = np.arange(prod(group_size), dtype=np.uint32)
    return (flat % x, flat // x % y, flat // (x * y))[dimension].astype(np.uint32)
