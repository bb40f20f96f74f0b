"""How far accesses move from a workgroup to the next one, along a row of the grid and down.

A kernel that transposes stores a column of the result while workgroups follow a row of the grid.
Lines at steps of 2^k bytes share a few sets of each cache, and a line that several workgroups fill
leaves the caches before it is full. Such a kernel is faster if workgroups go down first, in strips
of some rows. With two lines or more from each workgroup, neither order is.

Steps need not be exact. But workgroups go down only where none can read what another one has
stored: then the order does not show, unless several store to one place, which is a race.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ...isa.table import Flags
from ...isa.types import RegClass, Segment
from .facts import Facts
from .ranges.stepping import is_invariant
from .values.ssa import Const, Op, Phi, Ssa, Value, sources_of
from .warps.uniformity import Shapes
from .widths.registers import lane_step

Terms = dict[tuple[tuple[int, int], ...], int]
"""A sum of products: arguments, each by its offset and its bits -> the product's factor."""

MOST_TERMS = 4
"""Products of a sum, and arguments of a product."""

MOST_DEPTH = 60
"""Operations that are followed from an address."""

LINE = 64
"""Bytes of a line of the caches."""

CONFLICT = 1024
"""A multiple of so many bytes from line to line leaves 4 of the 64 sets of a first-level cache."""

LOOP = 8
"""How much more an access counts for each loop around it."""

STORE = 2
"""How much more a store counts: its line is read, and written later."""


@dataclass(frozen=True)
class Moving:
    """A value: what it is in all workgroups, if known, and what is added in the next one.

    The next one is along a row of the grid, down, or in the next plane.
    """

    number: Terms | None
    across: Terms = field(default_factory=dict)
    down: Terms = field(default_factory=dict)
    deep: Terms | None = field(default_factory=dict)
    """None where it is not known."""

    @property
    def is_still(self) -> bool:
        """Whether it is the same in all workgroups of a plane."""
        return not self.across and not self.down


@dataclass(frozen=True)
class Strips:
    """Why workgroups should go down first: the step of stores from workgroup to workgroup.

    `apart`: bytes between two workgroups of a row; `conflict`: a power of two of which it must be
    a multiple, 1 if strips are better for any step.
    """

    apart: Terms
    conflict: int


def strips_of(ssa: Ssa, facts: Facts) -> Strips | None:
    """Return how stores move if their lines go down the grid; None if they follow its rows.

    None also for a kernel that may load from an array that it stores to.
    """
    found = _Steps(facts)
    balance, chosen = 0, None
    loaded: set[int | None] = set()
    stored: set[int | None] = set()
    for op in ssa.values():
        if not isinstance(op, Op) or op.ins.row.segment is not Segment.GLOBAL:
            continue
        row, base = op.ins.row, op.base
        moving = found.of(base) if base is not None else None
        if row.is_atomic or row.type is None or (moving is None and not row.is_load):
            return None
        (loaded if row.is_load else stored).add(_argument_of(base))
        if moving is None:
            continue
        down, across = _is_near(moving.down, moving.across), _is_near(moving.across, moving.down)
        weight = LOOP ** len(ssa.flow.loops_around(op.node))
        if not row.is_load:
            weight *= STORE
            bytes_ = abs(moving.down.get((), 0))
            if down and bytes_ <= LINE and chosen is None:
                conflict = CONFLICT * (LINE // row.type.size) if bytes_ == LINE else 1
                chosen = Strips(moving.across, conflict)
        balance += weight * (down - across)
    if None in loaded | stored or not loaded.isdisjoint(stored):
        return None
    return chosen if balance > 0 else None


@dataclass(frozen=True, order=True)
class Separate:
    """Two arrays, by the offsets of their pointers among the arguments, that must not overlap.

    `step`: bytes from the place that a work-item stores to in the first one to the next.
    """

    stored: int
    other: int
    step: int


@dataclass(frozen=True)
class Rows:
    """What work-items of a grid's rows store to, which must not overlap.

    `step`: bytes from a work-item's place to the next one's; `down`, `deep`: from a workgroup's to
    that of the next row or plane, which may not be known.
    """

    step: int
    down: Terms
    deep: Terms | None


@dataclass(frozen=True)
class Apart:
    """Arrays and rows that must lie apart, so that no order of workgroups shows."""

    arrays: tuple[Separate, ...]
    rows: tuple[Rows, ...]


def must_be_apart(shapes: Shapes) -> Apart | None:
    """Return what must lie apart, so that no order of workgroups shows.

    Then none loads or stores where another one stores. None where that may be so in any case:
    stores must be by the work-items' places along rows of the grid, and loads by other pointers.
    """
    found, flow = _Steps(shapes.facts), shapes.flow
    across = shapes.facts.group_size[0]
    loaded: set[int] = set()
    stores: dict[int, list[Op]] = {}
    rows: list[Rows] = []
    for op in shapes.ssa.values():
        if not isinstance(op, Op) or op.ins.row.segment is not Segment.GLOBAL:
            continue
        row, pointer = op.ins.row, _argument_of(op.base)
        if row.is_atomic or row.type is None or op.base is None or pointer is None:
            return None
        if row.is_load:
            loaded.add(pointer)
            continue
        moving, step = found.of(op.base), lane_step(shapes, op.base)
        if moving is None or not step or moving.across != {(): step * across}:
            return None
        if not all(is_invariant(op.base, loop) for loop in flow.loops_around(op.node)):
            return None
        stores.setdefault(pointer, []).append(op)
        place = Rows(abs(step), moving.down, moving.deep)
        if place not in rows:
            rows.append(place)
    together = loaded.isdisjoint(stores) and all(_are_records(s, shapes) for s in stores.values())
    if not stores or not together:
        return None
    arrays = sorted(
        Separate(pointer, other, _step_of(ops[0], shapes))
        for pointer, ops in stores.items()
        for other in loaded | stores.keys()
        if other != pointer
    )
    return Apart(tuple(arrays), tuple(rows))


def _are_records(stores: list[Op], shapes: Shapes) -> bool:
    """Return whether each work-item's stores are to a record of its own."""
    ends: list[int] = []
    for op in stores:
        ends += [op.address.offset, op.address.offset + op.element.size]
    together = len({op.base for op in stores}) == 1
    return together and max(ends) - min(ends) <= _step_of(stores[0], shapes)


def _step_of(store: Op, shapes: Shapes) -> int:
    """Return the bytes between the places of two work-items of a row; 0 if that is not known."""
    step = None if store.base is None else lane_step(shapes, store.base)
    return abs(step or 0)


def _argument_of(base: Value | None) -> int | None:
    """Return the offset of the only 64-bit argument that an address is made of; None if not one."""
    if base is None:
        return None
    found = {
        value.ins.address.offset
        for value in sources_of(base)
        if isinstance(value, Op)
        and value.ins.row.segment is Segment.KERNARG
        and value.cls is RegClass.D
        and value.ins.address is not None
    }
    return found.pop() if len(found) == 1 else None


def _is_near(this: Terms, other: Terms) -> bool:
    """Return whether the next workgroup in one direction is near, and that in the other is not."""
    if set(this) != {()} or abs(this[()]) > CONFLICT:
        return False
    return set(other) != {()} or abs(other[()]) > CONFLICT


def _sum(a: Terms, b: Terms, sign: int = 1) -> Terms:
    found = dict(a)
    for product, factor in b.items():
        found[product] = found.get(product, 0) + sign * factor
    return {product: factor for product, factor in found.items() if factor}


def _times(a: Terms, b: Terms) -> Terms:
    found: Terms = {}
    for p, f in a.items():
        for q, g in b.items():
            found = _sum(found, {tuple(sorted(p + q)): f * g})
    return found


class _Steps:
    """The values of a kernel, as far as they are sums of workgroups' numbers times arguments."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._found: dict[Value, Moving | None] = {}

    def of(self, value: Value, depth: int = MOST_DEPTH) -> Moving | None:
        """Return how a value moves; None if that is not known."""
        if isinstance(value, Const):
            return Moving(_constant(value.bits))
        if value not in self._found:
            self._found[value] = None  # on a way back to the header of a loop
            moving = None
            if depth and isinstance(value, Phi):
                moving = self._phi(value, depth - 1)
            elif depth:
                moving = self._op(value, depth - 1)
            if moving is not None and _is_long(moving):
                moving = None
            self._found[value] = moving
        return self._found[value]

    def _phi(self, phi: Phi, depth: int) -> Moving | None:
        """Return what enters a loop, or what one of several paths gives."""
        known = [m for m in (self.of(a, depth) for a in phi.args.values()) if m is not None]
        return replace(known[0], number=None) if known else None

    def _op(self, op: Value, depth: int) -> Moving | None:
        assert isinstance(op, Op)
        row = op.ins.row
        if Flags.CROSS_LANE in row.flags:
            return None  # another lane's value may be anything
        if row.is_identity:
            return self._identity(row.stem, op.ins.literals)
        if row.segment is Segment.KERNARG and row.is_load and op.base is None:
            return Moving({((op.address.offset, op.element.bits),): 1})
        if row.type is None or row.type.is_float or row.is_memory:
            return None
        args = [self.of(arg, depth) for arg in op.args]
        known = [arg for arg in args if arg is not None]
        if len(known) < len(args):
            return None
        match row.stem, known:
            case "add", [a, b]:
                return _added(a, b)
            case "sub", [a, b]:
                return _added(a, b, -1)
            case "mul", [a, b]:
                return _multiplied(a, b)
            case "mad", [a, b, c]:
                product = _multiplied(a, b)
                return None if product is None else _added(product, c)
            case "shl", [a, _] if isinstance(op.args[1], Const):
                power = Moving(_constant(1 << (op.args[1].bits & 63)))
                return _multiplied(a, power)
            case "cvt", [a]:
                return a
        still = all(arg.is_still for arg in known)
        return _unknown(known) if still else None

    def _identity(self, stem: str, literals: tuple[int, ...]) -> Moving | None:
        size = self._facts.group_size
        match stem, literals:
            case "workgroupid", (dim,):
                step = 1
            case "workitemabsid", (dim,):
                step = size[dim]
            case "workgroupsize", (dim,):
                return Moving(_constant(size[dim]))
            case "workitemflatabsid", _:
                return None
            case _:
                return Moving(None)
        across, down, deep = (_constant(step if dim == d else 0) for d in range(3))
        return Moving(None, across, down, deep)


def _constant(number: int) -> Terms:
    return {(): number} if number else {}


def _is_long(moving: Moving) -> bool:
    sums = [moving.across, moving.down, moving.deep or {}, moving.number or {}]
    return any(len(s) > MOST_TERMS or any(len(p) > MOST_TERMS for p in s) for s in sums)


def _added(a: Moving, b: Moving, sign: int = 1) -> Moving:
    both = a.number is not None and b.number is not None
    number = _sum(a.number or {}, b.number or {}, sign) if both else None
    deep = None if a.deep is None or b.deep is None else _sum(a.deep, b.deep, sign)
    across, down = _sum(a.across, b.across, sign), _sum(a.down, b.down, sign)
    return Moving(number, across, down, deep)


def _unknown(known: list[Moving]) -> Moving:
    """Return what is computed from values that are the same in all workgroups of a plane."""
    return Moving(None, deep={} if all(moving.deep == {} for moving in known) else None)


def _multiplied(a: Moving, b: Moving) -> Moving | None:
    """Return how a product moves; None if what is multiplied is not known or moves as well."""
    if b.is_still and (b.number is not None or not a.is_still):
        a, b = b, a
    if not a.is_still:
        return None
    if a.number is None:
        return _unknown([a, b]) if b.is_still else None
    number = None if b.number is None else _times(a.number, b.number)
    deep = None if b.deep is None else _times(a.number, b.deep)
    return Moving(number, _times(a.number, b.across), _times(a.number, b.down), deep)
