"""Elements of global memory that are a work-item's own, by its numbers in a grid.

In `image[y * pitch + x]` each work-item has an element of its own if rows have as many elements as
are used of them. So an address is a sum of numbers of the work-item, each times a *step* that is
the same for all: a constant, or made of arguments. Which steps are far enough apart is known when a
launch begins (jit/kernel/workgroups/in_grid.py). Everything is calculated modulo 2^32, as the
kernel does it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from ....isa.program import Kernel
from ....isa.types import RegClass, Segment
from ...geometry import Dim3
from ..values.ssa import Const, Op, Ssa, Value
from .accesses import Accesses
from .round_counter import tree_of

Sum = tuple[tuple[tuple[int, ...], int], ...]
"""Products of 32-bit arguments, each as the places of these, and how often each is added."""

ONE: Sum = (((), 1),)

DEEPEST = 32
"""Operations of the longest calculation that is followed."""

MOST_PRODUCTS = 16
"""Products of a sum."""

MOST_FACTORS = 8
"""Arguments of a product."""

_MODULUS = 1 << 32
_SHIFTS = 31
_DIMENSIONS = range(3)
_WORDS = ("u32", "s32")

_Part = tuple[str, int] | None
"""A number of a work-item: which one, and its dimension; None: what is the same for all."""

_Linear = Mapping[_Part, Sum]


class Spaced(NamedTuple):
    """The elements of one buffer."""

    window: int
    """Units that a work-item accesses of it, from the first to the last one."""
    steps: tuple[tuple[int, Sum], ...]
    """Dimensions of the grid, each with the step of its number in units."""
    most: tuple[tuple[int, Sum], ...]
    """Dimensions, each with a number that those of work-items with accesses do not exceed."""


def spaced(
    ssa: Ssa, kernel: Kernel, accesses: Accesses, params: Collection[int], group_size: Dim3
) -> tuple[Spaced, ...]:
    """Return what must be far enough apart for some parameters; nothing if others decide, too."""
    if accesses.any_is_stored:
        return ()
    forms = _Forms(ssa, kernel, group_size)
    found = []
    for param in sorted(params):
        ops = [op for op in accesses.of(Segment.GLOBAL) if accesses.param(op) == param]
        one = forms.of_buffer(ops)
        if one is None:
            return ()
        found.append(one)
    return tuple(found)


class _Forms:
    """Finds what values are made of."""

    def __init__(self, ssa: Ssa, kernel: Kernel, group_size: Dim3) -> None:
        self._ssa, self._group_size = ssa, group_size
        self._pointers = {param.offset for param in kernel.params if param.is_pointer}
        self._tree = tree_of(ssa.flow)
        self._known: dict[Value, _Linear | None] = {}

    def of_buffer(self, ops: Sequence[Op]) -> Spaced | None:
        """Return the form that all accesses of a buffer share; None if there is none."""
        numbers, first, units = dict[_Part, Sum](), 0, 0
        ends = list[tuple[int, int]]()
        limits: set[tuple[int, Sum]] | None = None
        for op in ops:
            address = self._address(op.base)
            if address is None:
                return None
            number, unit = address
            same = dict(number)
            at = _signed(dict(same.pop(None, ())).get((), 0))
            rest = tuple(each for each in number.get(None, ()) if each[0])
            form = {**same, None: rest}
            if not ends:
                numbers, first, units = form, at, unit
            if form != numbers or unit != units:
                return None
            offset = (at - first) * unit + op.address.offset
            ends.append((offset, offset + op.element.size))
            limits = self._limits(op) if limits is None else limits & self._limits(op)
        steps = {part[1]: step for part, step in numbers.items() if part is not None}
        if any(part is not None and part[0] != "abs" for part in numbers) or not units:
            return None
        window = -(-(max(e for _, e in ends) - min(b for b, _ in ends)) // units)
        ascending = sorted(steps.items(), key=lambda item: (_degree(item[1]), item[0]))
        if ascending and _degree(ascending[0][1]) == 0 and ascending[0][1][0][1] < window:
            return None  # neighbours share elements, whatever the launch is
        return Spaced(window, tuple(ascending), tuple(sorted(limits or ())))

    # --- addresses

    def _address(self, base: Value | None) -> tuple[_Linear, int] | None:
        """Return the number of units from a pointer to an address, and the bytes of each."""
        if not isinstance(base, Op):
            return None
        stem, _, type_ = base.ins.row.name.rpartition("_")
        if type_ != "u64":
            return None
        if stem == "mad":
            *factors, pointer = base.args
            scaled = self._scaled(factors)
        elif stem == "add":
            pointer, scaled = base.args[0], self._product(base.args[1])
            if not self._is_pointer(pointer):
                pointer, scaled = base.args[1], self._product(base.args[0])
        else:
            return None
        return scaled if self._is_pointer(pointer) else None

    def _is_pointer(self, value: Value) -> bool:
        place = _argument(value)
        return place is not None and place in self._pointers

    def _product(self, value: Value) -> tuple[_Linear, int] | None:
        """Return a widened number and what it is multiplied by."""
        if isinstance(value, Op) and value.ins.row.name == "mul_u64":
            return self._scaled(value.args)
        if isinstance(value, Op) and value.ins.row.name == "shl_u64":
            by = value.args[1]
            if not isinstance(by, Const) or by.bits >= _SHIFTS:
                return None
            return self._scaled([value.args[0], Const(RegClass.D, 1 << by.bits)])
        return self._scaled([value, Const(RegClass.D, 1)])

    def _scaled(self, factors: Sequence[Value]) -> tuple[_Linear, int] | None:
        constant, wide = sorted(factors, key=lambda value: not isinstance(value, Const))
        if not isinstance(constant, Const) or not 0 < constant.bits < 1 << _SHIFTS:
            return None
        if not isinstance(wide, Op) or wide.ins.row.name not in ("cvt_u64_u32", "cvt_u64_s32"):
            return None
        number = self._number(wide.args[0], DEEPEST)
        return None if number is None else (self._in_grid(number), constant.bits)

    # --- numbers

    def _number(self, value: Value, depth: int) -> _Linear | None:
        """Return what a 32-bit number is made of."""
        if isinstance(value, Const):
            return {None: _sum({(): value.bits})}
        if not isinstance(value, Op) or not depth:
            return None
        if value not in self._known:
            self._known[value] = self._result(value, depth)
        return self._known[value]

    def _result(self, value: Op, depth: int) -> _Linear | None:
        stem, _, type_ = value.ins.row.name.rpartition("_")
        if type_ not in _WORDS:
            return None
        if value.ins.row.segment is Segment.KERNARG:
            place = _argument(value)
            return None if place is None else {None: (((place,), 1),)}
        which = {"workitemabsid": "abs", "workitemid": "in group", "workgroupid": "group"}.get(stem)
        if which is not None:
            return {(which, int(value.ins.literals[0])): ONE}
        if stem not in ("add", "sub", "mul", "mad", "shl"):
            return None
        args = [self._number(arg, depth - 1) for arg in value.args]
        known = [arg for arg in args if arg is not None]
        return _computed(stem, known) if len(known) == len(args) else None

    def _in_grid(self, number: _Linear) -> _Linear:
        """Return a number that is made of work-items' numbers in the grid, where it can be."""
        found = dict(number)
        for d in _DIMENSIONS:
            inside, group = found.get(("in group", d), ()), found.get(("group", d), ())
            size = self._group_size[d]
            if group and (size == 1 or group == _times(inside, (((), size),))):
                step = group if size == 1 else inside
                found.pop(("in group", d), None)
                del found["group", d]
                found["abs", d] = _plus(found.get(("abs", d), ()), step)
        return {part: terms for part, terms in found.items() if terms or part is None}

    # --- limits

    def _limits(self, op: Op) -> set[tuple[int, Sum]]:
        """Return the greatest numbers that work-items may have at an access, by dimension."""
        flow, number = self._ssa.flow, op.node
        found = set[tuple[int, Sum]]()
        at: int | None = number
        while at is not None:
            before = flow.nodes[at].predecessors
            condition = self._ssa.conditions.get(before[0]) if len(before) == 1 else None
            if condition is not None and len(flow.nodes[before[0]].successors) == 2:
                is_true = bool(flow.nodes[before[0]].successors.index(at))
                found.update(self._limits_by(condition, is_true=is_true))
            at = self._tree.parents[at]
        return found

    def _limits_by(self, condition: Value, *, is_true: bool) -> Iterator[tuple[int, Sum]]:
        """Yield the limits that a condition says."""
        if not isinstance(condition, Op):
            return
        name = condition.ins.row.name
        if name == "not_b1":
            yield from self._limits_by(condition.args[0], is_true=not is_true)
        elif (name, is_true) in (("or_b1", False), ("and_b1", True)):
            for arg in condition.args:
                yield from self._limits_by(arg, is_true=is_true)
        elif name in _COMPARISONS:
            is_less, includes = _COMPARISONS[name]
            includes = includes is is_true
            less, most = condition.args if is_less == is_true else reversed(condition.args)
            number, limit = self._number(less, DEEPEST), self._number(most, DEEPEST)
            if number is None or limit is None or set(limit) != {None}:
                return
            own = self._in_grid(number)
            for d in _DIMENSIONS:
                if dict(own) in ({("abs", d): ONE}, {("abs", d): ONE, None: ()}):
                    yield d, limit[None] if includes else _plus(limit[None], (((), -1),))


_COMPARISONS = {
    "cmp_lt_u32": (True, False),
    "cmp_le_u32": (True, True),
    "cmp_gt_u32": (False, False),
    "cmp_ge_u32": (False, True),
}
"""Whether the first operand is the lesser one, and whether both may be equal."""


def _argument(value: Value) -> int | None:
    """Return the place of an argument, if a value is one."""
    if not isinstance(value, Op) or value.ins.row.segment is not Segment.KERNARG:
        return None
    return value.address.offset if value.base is None else None


def _computed(stem: str, args: Sequence[_Linear]) -> _Linear | None:
    first, second, *third = args
    if stem in ("add", "sub"):
        sign = 1 if stem == "add" else -1
        return {p: _plus(first.get(p, ()), second.get(p, ()), sign) for p in {*first, *second}}
    if stem == "shl":
        by = dict(second.get(None, ()))
        if set(second) != {None} or set(by) - {()}:
            return None
        second = {None: (((), 1 << (by.get((), 0) & _SHIFTS)),)}
    if set(second) != {None}:
        first, second = second, first
    if set(second) != {None}:
        return None
    found: _Linear = {part: _times(terms, second[None]) for part, terms in first.items()}
    if any(len(t) > MOST_PRODUCTS or _degree(t) > MOST_FACTORS for t in found.values()):
        return None
    return _computed("add", [found, *third]) if third else found


def _sum(terms: Mapping[tuple[int, ...], int]) -> Sum:
    return tuple(sorted((p, n % _MODULUS) for p, n in terms.items() if n % _MODULUS))


def _plus(a: Sum, b: Sum, sign: int = 1) -> Sum:
    found = dict(a)
    for places, times in b:
        found[places] = found.get(places, 0) + sign * times
    return _sum(found)


def _times(a: Sum, b: Sum) -> Sum:
    found: dict[tuple[int, ...], int] = {}
    for (left, m), (right, n) in product(a, b):
        places = tuple(sorted(left + right))
        found[places] = found.get(places, 0) + m * n
    return _sum(found)


def _degree(terms: Sum) -> int:
    return max((len(places) for places, _ in terms), default=0)


def _signed(number: int) -> int:
    return number - _MODULUS if number >= _MODULUS // 2 else number
