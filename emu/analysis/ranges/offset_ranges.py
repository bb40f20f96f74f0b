"""Bounds of 32-bit values, for offsets into group and private memory that need no test.

A range holds for the value of every lane that runs, or, as the range of *firsts*, for the scalars
in place of values with a stride: those of the first lanes of the warp or its pieces. Such a lane
need not run. So its range uses what follows from a branch only if the value is uniform.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from math import gcd, prod

from ....isa.types import Kind, RegClass, mask_of
from ..flow.order import Loop
from ..values.ssa import Const, Op, Phi, Value
from ..warps.uniformity import Shapes
from .guards import Guard, Guards
from .lane_trips import LaneTrips, lane_trips
from .net_steps import net_step
from .range_arithmetic import ANY, MOST, Range, difference, exactly, modulo, result_of, sum_of
from .trips import Trips, trips_of

LARGEST = 4_000
"""Values of a kernel of which ranges are found."""

MOST_GUARDS = 32
"""Guards that are known of one value: each use of it looks at all of them."""


@dataclass(frozen=True)
class Stepping:
    """A phi that begins a loop with some value, and steps at most `returns` times."""

    loop: Loop
    step: int
    returns: int

    def after(self, first: Range) -> Range:
        """Return the range of the phi, given that of its first value."""
        way = self.step * self.returns
        multiple = gcd(first.multiple, self.step & -self.step or 1 << 32)
        return modulo(first.low + min(way, 0), first.high + max(way, 0), multiple)


class Ranges:
    """The ranges of a kernel's values."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.ssa, self.flow = shapes.ssa, shapes.ssa.flow
        self._guards = Guards(self.ssa)

    def of(self, value: Value, node: int) -> Range:
        """Return the range of a value in the lanes that run a node."""
        return self._lanes.at(value, node)

    def of_firsts(self, value: Value, node: int) -> Range:
        """Return the range of the scalars of a uniform value, or of one with a stride."""
        return self._firsts.at(value, node)

    def is_in_each_iteration(self, node: int, loop: Loop) -> bool:
        """Return whether lanes pass a node in each iteration of a loop that has a next one."""
        back = [source for (source, _), latch in self.flow.back.items() if latch == loop.latch]
        return all(self._guards.tree.dominates(node, source) for source in back)

    def is_before(self, node: int, other: int) -> bool:
        """Return whether lanes that run another node have run a node, or it is the same one."""
        return self._guards.tree.dominates(node, other)

    @cached_property
    def trips(self) -> dict[int, Trips]:
        """Loop -> its iterations, for those whose number is a constant."""
        found = {}
        for loop in self.flow.loops:
            trips = trips_of(self.ssa, loop, self._guards.tree.dominates)
            if trips is not None:
                found[loop.number] = trips
        return found

    @cached_property
    def lane_trips(self) -> dict[int, LaneTrips]:
        """Loop -> its iterations in each lane, for those that lanes leave one after the other."""
        found = {}
        for number in self.shapes.divergent_loops:
            trips = lane_trips(self.shapes, self.flow.loops[number], self._guards.tree.dominates)
            if trips is not None:
                found[number] = trips
        return found

    @property
    def scattered(self) -> frozenset[Op]:
        """The ops of loops whose accesses of global memory have no stride (`LaneTrips`)."""
        loops = [self.flow.loops[n] for n, trips in self.lane_trips.items() if trips.is_scattered]
        return frozenset(op for loop in loops for n in loop.nodes for op in self.ssa.ops.get(n, ()))

    @cached_property
    def _counted(self) -> dict[Phi, Range]:
        return {
            phi: reduce(Range.union, map(exactly, values))
            for trips in self.trips.values()
            for phi, values in trips.values.items()
        }

    @cached_property
    def stepping(self) -> dict[Phi, Stepping]:
        """Phis that step by a constant in loops whose number of iterations is a constant."""
        found = {}
        for loop in self.flow.loops:
            trips = self.trips.get(loop.number)
            if trips is None:
                continue
            for phi in self.ssa.phis.get(loop.header, ()):
                step = net_step(self.ssa, self.trips, loop, phi)
                if step is not None and phi.cls is RegClass.S:
                    found[phi] = Stepping(loop, step, trips.returns)
        return found

    @cached_property
    def _lanes(self) -> _Solution:
        return _Solution(self, firsts=False)

    @cached_property
    def _firsts(self) -> _Solution:
        return _Solution(self, firsts=True)

    @cached_property
    def guards(self) -> dict[Value, list[tuple[int, int, Guard]]]:
        """Value -> (branch, successor, what follows for the value where it goes there)."""
        found: dict[Value, list[tuple[int, int, Guard]]] = {}
        for number in self.ssa.conditions:
            for successor in self.flow.nodes[number].successors:
                for guard in self._guards.on(number, successor):
                    if guard.type.bits == 32 and not isinstance(guard.value, Const):
                        entries = found.setdefault(guard.value, [])
                        if len(entries) < MOST_GUARDS:
                            entries.append((number, successor, guard))
        return found

    def holds_at(self, branch: int, successor: int, node: int, following: int | None) -> bool:
        """Return whether lanes at a node, about to go to `following` if given, took a way out."""
        if node == branch and following == successor:
            return True
        return self.flow.nodes[successor].predecessors == (branch,) and self._guards.tree.dominates(
            successor, node
        )


_ROUNDS = 3
"""Rounds in which bounds may grow bit by bit, before they go to the end."""


class _Solution:
    """The ranges of one kind: of lanes, or of firsts."""

    def __init__(self, ranges: Ranges, *, firsts: bool) -> None:
        self._all = ranges
        self._shapes = ranges.shapes
        self._facts = ranges.shapes.facts
        self._of_firsts = firsts
        self._found: dict[Value, Range] = {}
        values = ranges.ssa.values()
        if len(values) <= LARGEST:
            self._solve([v for v in values if v.cls is RegClass.S])

    def at(self, value: Value, node: int, following: int | None = None) -> Range:
        """Return the range of a value at a node, or on the way from it to the following one."""
        found = self._base(value)
        if isinstance(value, Const) or not self._may_refine(value):
            return found
        for branch, successor, guard in self._all.guards.get(value, ()):
            if self._all.holds_at(branch, successor, node, following):
                found = self._refined(found, guard)
        return found

    def _base(self, value: Value) -> Range:
        if isinstance(value, Const):
            return exactly(value.bits & MOST)
        return self._found.get(value, ANY)

    def _may_refine(self, value: Value) -> bool:
        return not self._of_firsts or self._shapes.is_uniform(value)

    def _refined(self, found: Range, guard: Guard) -> Range:
        """Return what is left of a range, given a guard of its value."""
        relation, other = guard.relation, guard.other
        if guard.value is other or not self._may_refine(other):
            return found
        bound = self._base(other)
        if guard.type.is_signed:
            if bound.high >> 31:
                return found
            if relation in ("gt", "ge"):
                found = found.within(0, MOST >> 1)  # above a number that is not negative
            if found.high >> 31:
                return found
        match relation:
            case "lt":
                return found.within(0, bound.high - 1)
            case "le":
                return found.within(0, bound.high)
            case "gt":
                return found.within(bound.low + 1, MOST)
            case "ge":
                return found.within(bound.low, MOST)
            case "eq":
                return found.within(bound.low, bound.high)
            case _:
                return found

    # --- the fixed point

    def _solve(self, values: list[Value]) -> None:
        """Let ranges grow until nothing changes, then shrink them a little."""
        missing = object()
        for turn in range(_ROUNDS + 3 + len(values)):
            changed = False
            for value in values:
                new = self._of(value, growing=True)
                old = self._found.get(value, missing)
                if new is None or new == old:
                    continue
                if isinstance(old, Range):
                    new = old.union(new)
                    if turn >= _ROUNDS:
                        new = Range(
                            old.low if new.low == old.low else 0,
                            old.high if new.high == old.high else MOST,
                            new.multiple,
                        )
                    if new == old:
                        continue
                self._found[value] = new
                changed = True
            if not changed:
                break
        else:
            self._found.clear()
            return
        for _ in range(2):
            for value in values:
                new = self._of(value, growing=False)
                if new is not None:
                    self._found[value] = new

    def _of(self, value: Value, *, growing: bool) -> Range | None:
        """Return the range that follows from those of a value's sources; None if none is known."""
        if isinstance(value, Phi):
            return self._of_phi(value)
        assert isinstance(value, Op)
        if self._of_firsts and self._shapes.piece_stride(value) is None:
            return ANY
        if growing and any(
            a.cls is RegClass.S and not isinstance(a, Const) and a not in self._found
            for a in value.args
        ):
            return None
        return self._of_op(value)

    def _of_phi(self, phi: Phi) -> Range | None:
        if self._of_firsts and self._shapes.piece_stride(phi) is None:
            return ANY
        counted = self._all._counted.get(phi)
        if counted is not None and self._may_refine(phi):
            return counted
        stepping = self._all.stepping.get(phi)
        if stepping is not None and not self._may_step(stepping):
            stepping = None
        known = [
            self.at(value, before, phi.node)
            for before, value in phi.args.items()
            if (isinstance(value, Const) or value in self._found)
            and (stepping is None or before not in stepping.loop.nodes)
        ]
        if not known:
            return None
        found = reduce(Range.union, known)
        return found if stepping is None else stepping.after(found)

    def _may_step(self, stepping: Stepping) -> bool:
        """Return whether scalars in place of lanes step as often as the lanes do."""
        return not self._of_firsts or stepping.loop.number not in self._shapes.divergent_loops

    def _of_op(self, op: Op) -> Range:
        row = op.ins.row
        if row.is_memory:
            return self._of_load(op)
        identity = self._of_identity(op)
        if identity is not None:
            return identity
        args = [self.at(a, op.node) for a in op.args]
        if row.stem == "lda":
            args = [*(args or [exactly(0)]), exactly(op.address.offset & MOST)]
            return sum_of(*args)
        field = _field_bits(op)
        if field is not None:
            return Range(0, mask_of(field))
        if row.stem in ("popcount", "clz"):
            return Range(0, 64)
        if row.type is None or row.type.name not in ("u32", "s32"):
            return ANY
        if any(a.cls is not RegClass.S for a in op.args[row.stem == "select" :]):
            return ANY
        if row.stem == "sub" and self._is_at_least(op.args[0], op.args[1], op.node):
            return difference(*args)
        return result_of(row.stem, row.type.name == "s32", args)

    def _is_at_least(self, value: Value, other: Value, node: int) -> bool:
        """Return whether branches on the way to a node show that a value is not below another."""
        if not (self._may_refine(value) and self._may_refine(other)):
            return False
        positive = not (self._base(value).high >> 31 or self._base(other).high >> 31)
        return any(
            guard.other is other
            and guard.relation in ("gt", "ge", "eq")
            and (positive or not guard.type.is_signed)
            and self._all.holds_at(branch, successor, node, None)
            for branch, successor, guard in self._all.guards.get(value, ())
        )

    def _of_load(self, op: Op) -> Range:
        type_ = op.ins.row.type
        if op.ins.row.is_load and type_ is not None and not type_.is_signed and type_.bits < 32:
            return Range(0, mask_of(type_.bits))
        return ANY

    def _of_identity(self, op: Op) -> Range | None:
        """Return the range of workitemid and its like."""
        facts, size = self._facts, self._facts.group_size
        firsts = self._of_firsts and not self._shapes.is_uniform(op)
        step = (facts.piece or facts.width) if firsts else 1
        power = step & -step
        # Not all lanes of a partial workgroup's warps exist: their numbers are above it.
        items = prod(size)
        last = -(-items // facts.width) * facts.width - step if firsts else items - 1
        match op.ins.row.stem:
            case "workitemid" if not firsts or facts.whole or size[1:] == (1, 1):
                dimension = op.ins.literals[0]
                if firsts and dimension == 0:
                    return Range(0, last if size[1:] == (1, 1) else size[0] - step, power)
                return Range(0, size[dimension] - 1)
            case "workitemflatid":
                return Range(0, last, power)
            case "laneid":
                return Range(0, facts.width - step, power)
            case "workgroupsize":
                return exactly(size[op.ins.literals[0]])
            case "currentworkgroupsize":
                return Range(1, size[op.ins.literals[0]])
        return ANY if op.ins.row.is_identity else None


def _field_bits(op: Op) -> int | None:
    """Return how many bits of an op's result may be set, where the op takes them out of a word."""
    row = op.ins.row
    if row.name == "bitextract_u32":
        return op.ins.literals[1]
    if row.stem == "cvt" and row.type is not None and row.type.name in ("u32", "s32"):
        source = row.source
        if source is not None and source.bits < 32 and source.kind in (Kind.BOOL, Kind.UNSIGNED):
            return source.bits
    return None
