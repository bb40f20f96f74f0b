"""What a version for interior warps gains: whether it is worth its code.

It is judged by the accesses that need no test in it (decisions.py), by comparisons that have one
result, and by how much is computed beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from math import inf, prod

from .....isa.types import RegClass, Segment
from ....analysis.flow.order import Loop
from ....analysis.lanes.interior import Assumed, InteriorShapes
from ....analysis.lanes.lane_plan import LONG, LONG_UNITS
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Op, Ssa
from ..lane_code import LaneCode
from ..memory.global_memory import GlobalMemory

LEAST_ACCESSES = 4
"""Accesses that must share a test, if no test of an edge is gained; streams have fewer."""

MUCH = 2
"""Instructions of arithmetic for each access, from which on fewer accesses suffice."""

LONG_ROW = 256
"""Work-items of a row of the workgroup from which on streams that compute less gain, too: beginning
a row takes as long as some interior warps do."""

MOST_STREAMED = 1
"""Instructions of arithmetic of a stream: with more, vectors one after the other take longer."""

MOSTLY = 3
"""Instructions of a kernel for each one in its loops, from which on their iterations may take less
than what runs once."""

MOST_WORK = 60
"""Instructions of arithmetic of a warp up to which masks and tests are much beside them."""

MOST_BESIDE_ROWS = 4
"""Instructions of arithmetic for each load that shares a row, up to which loads take the time."""

MOST_UNROLLED = 128
"""Instructions of a loop, all iterations together, that LLVM unrolls."""


class Gains:
    """Counts what is gained by what interior warps are `assumed` to have in common.

    `expected` are the comparisons by which lanes return at once.
    """

    def __init__(
        self, lanes: LaneCode, ranges: Ranges, assumed: Assumed, expected: Collection[Op]
    ) -> None:
        self._ssa, self._shapes = lanes.ssa, lanes.shapes
        self._shapes_of_ranges = ranges.shapes
        self._facts = lanes.facts
        self._one_warp = lanes.facts.one_warp
        self._assumed = assumed
        self._expected = expected
        self._returns = {
            **{number: loop.returns for number, loop in ranges.trips.items()},
            **{number: loop.most for number, loop in ranges.lane_trips.items()},
        }
        """Loop number -> how often it goes back to its header, for those whose number is known."""
        self._lane_loops = ranges.lane_trips.keys()

    def are_enough(self, inside: frozenset[Op], *, row: int) -> bool:
        """Return whether a version for interior warps has enough to gain, after `Decisions.decide`.

        `row` is how many work-items a row has whose interior warps are found together, or 0. What
        runs once beside loops of any number of iterations gains nothing, unless these are short or
        all lanes run one in step, which needs no masks then: twelve kernels with other such loops
        took 0.97 to 1.02 of the time, and up to twice the time to compile. Loops that are bound by
        gathers, or have no access, gained nothing by masks. A workgroup that is one warp must have
        accesses that share a test: a transpose of 16 x 16 gained nothing.
        """
        if self.are_enough_at_edges(inside):
            return True
        if self._one_warp:
            return False
        if self._gains_masks():
            return True
        least = 0 if row >= LONG_ROW else MUCH * len(global_accesses(self._ssa))
        gains = any(op.node in self._frequent for op in inside) or self._is_mostly_outside()
        gains = gains or self._has_loop_of_all_lanes()
        return bool(inside) and gains and least <= self._arithmetic() <= MOST_WORK

    def _is_mostly_outside(self) -> bool:
        """Return whether most instructions run once beside loops of any number of iterations."""
        sizes = {number: len(ops) for number, ops in self._ssa.ops.items()}
        inside = sum(size for number, size in sizes.items() if number in self._frequent)
        return sum(sizes.values()) >= MOSTLY * inside

    def _has_loop_of_all_lanes(self) -> bool:
        """Return whether all lanes of an interior warp run a loop, and leave it together.

        Its iterations are not counted. Lanes that return at once are not in such a warp.
        """
        flow, shapes = self._ssa.flow, self._shapes_of_ranges
        places = {number: place for place, number in enumerate(flow.order)}
        parting = [
            n
            for n, condition in self._ssa.conditions.items()
            if not shapes.is_uniform(condition) and condition not in self._assumed.known
        ]

        def is_run_by_all(loop: Loop) -> bool:
            around = flow.loops_around(loop.header)
            before = [n for n in parting if places[n] < places[loop.header]]
            return all(other.number not in shapes.divergent_loops for other in around) and all(
                shapes.passes(n, loop.header) for n in before
            )

        return any(is_run_by_all(loop) for loop in flow.loops if loop.number not in self._returns)

    def _gains_masks(self) -> bool:
        """Return whether lanes part in a loop, beside accesses of one place or of neighbours."""
        flow, shapes = self._ssa.flow, self._shapes
        inner = {n for n in self._frequent if flow.loop_of[n] is not None}
        accesses = [op for op in global_accesses(self._ssa) if op.node in inner]
        parts = any(
            n in inner and not shapes.is_uniform(condition)
            for n, condition in self._ssa.conditions.items()
        )
        return bool(accesses and parts) and all(map(self._is_wide, accesses))

    def gain_neighbours(self, memory: GlobalMemory) -> bool:
        """Return whether accesses of each lane's own place in loops are wide in interior warps.

        A column of a grid whose neighbours are clamped before the loop has such places: at edges
        they are gathered in each iteration, and elsewhere each access compares its lanes.
        """
        inner = {n for n in self._frequent if self._ssa.flow.loop_of[n] is not None}
        accesses = [op for op in global_accesses(self._ssa) if op.node in inner]
        if not accesses or not self._assumed.same:
            return False
        shapes = InteriorShapes(self._ssa, self._facts, self._assumed)

        def becomes_wide(op: Op) -> bool:
            size = op.ins.row.type.size if op.ins.row.type is not None else 0
            form = None if op.base is None else memory.addresses.form(op.base)
            if form is None or form.index is None or self._shapes.stride(form.index) is not None:
                return False
            stride = shapes.stride(form.index)
            return stride is not None and stride * form.scale in (0, size)

        return any(map(becomes_wide, accesses))

    def _is_wide(self, op: Op) -> bool:
        """Return whether an access is of one place or of neighbours."""
        size = op.ins.row.type.size if op.ins.row.type is not None else 0
        return op.base is not None and self._shapes.stride(op.base) in (0, size)

    def are_enough_at_edges(self, inside: frozenset[Op]) -> bool:
        """Return whether single vectors at edges gain by accesses without tests as well."""
        frequent = self._frequent
        accesses = sum(self._copies(op.node) for op in inside if op.node in frequent)
        return accesses >= LEAST_ACCESSES or self.has_edges()

    def is_stream(self, inside: frozenset[Op]) -> bool:
        """Return whether straight code loads and stores neighbours, and hardly computes."""
        accesses = global_accesses(self._ssa)
        known = self._assumed.known.keys()
        return (
            not self._ssa.flow.loops
            and all(c in known for c in self._ssa.conditions.values())
            and accesses == inside
            and all(map(self._is_wide, accesses))
            and self._arithmetic() <= MOST_STREAMED
        )

    def share_rows(self, inside: frozenset[Op], memory: GlobalMemory) -> bool:
        """Return whether loads in loops share rows, and little is computed beside them."""
        memory.inside = inside
        flow, shapes = self._ssa.flow, self._shapes
        ops = [op for n, ops in self._ssa.ops.items() if flow.loop_of[n] is not None for op in ops]
        loads = sum(op in inside and memory.shares_row(op) for op in ops)
        computed = [
            op
            for op in ops
            if not (op.ins.row.is_memory or op.parts or shapes.is_uniform(op))
            and op.cls is not RegClass.C
            and shapes.stride(op) is None
        ]
        return 0 < _length(computed) <= MOST_BESIDE_ROWS * loads

    def _copies(self, node: int) -> int:
        """Return how often a node is written: loops that lanes leave in turn are copied."""
        around = self._ssa.flow.loops_around(node)
        return prod(
            self._returns[n] + 1 for loop in around if (n := loop.number) in self._lane_loops
        )

    def has_edges(self) -> bool:
        """Return whether comparisons besides the guard, clamps or remainders are decided."""
        assumed, frequent = self._assumed, self._frequent
        return any(op.node in frequent for op in (*assumed.same, *assumed.rest)) or any(
            op.ins.row.stem.startswith("cmp") and op not in self._expected and op.node in frequent
            for op in assumed.known
        )

    def written(self) -> int:
        """Return about how many instructions one version of the kernel has.

        Short loops whose iterations are counted are unrolled; others have a version without tests.
        """
        flow, total = self._ssa.flow, 0
        lengths = {number: _length(ops) for number, ops in self._ssa.ops.items()}
        sizes = {loop.number: sum(lengths.get(n, 0) for n in loop.nodes) for loop in flow.loops}
        for number, length in lengths.items():
            around, times = flow.loops_around(number), self._times(number)
            if not around:
                total += length
            elif times == inf:
                total += 2 * length
            else:
                most = MOST_UNROLLED // max(1, sizes[around[0].number])
                total += max(2, min(int(times), most)) * length
        return total

    @cached_property
    def _frequent(self) -> frozenset[int]:
        """The nodes of loops whose iterations are not counted; all nodes if there is none."""
        flow = self._ssa.flow
        loops = [loop.nodes for loop in flow.loops if loop.number not in self._returns]
        return frozenset().union(*loops) if loops else frozenset(flow.order)

    def _arithmetic(self) -> float:
        """Return how many instructions compute with vectors, iterations of loops included."""
        total = 0.0
        for number, ops in self._ssa.ops.items():
            found = [op for op in ops if not op.ins.row.is_memory and not op.parts]
            vectors = [
                op for op in found if op.cls is not RegClass.C and not self._shapes.is_uniform(op)
            ]
            computed = sum(self._shapes.stride(op) is None for op in vectors)
            total += computed * self._times(number) if computed else 0
        return total

    def _times(self, node: int) -> float:
        """Return how often a node may run; infinity if that is not known."""
        times = 1.0
        for loop in self._ssa.flow.loops:
            if node in loop.nodes:
                times *= self._returns.get(loop.number, inf) + 1
        return times


def _length(ops: Sequence[Op]) -> int:
    """Return about how many instructions ops are written as."""
    return sum(LONG if op.ins.row.unit in LONG_UNITS else 1 for op in ops)


def global_accesses(ssa: Ssa) -> frozenset[Op]:
    """Return the accesses of global memory of a kernel."""
    rows = ((op, op.ins.row) for ops in ssa.ops.values() for op in ops)
    return frozenset(op for op, row in rows if row.is_memory and row.segment is Segment.GLOBAL)
