"""Loops that run for some vectors of a warp at a time, from beginning to end, then for the next.

Sums that have no registers are loaded and stored in each iteration. If the lanes of a loop do not
meet in it, it may do all iterations for as many vectors as have registers: a *pass*. Each pass is
written for all vectors, but sets those of its own only, and LLVM removes what nothing reads.

Between passes the sums are in memory. LLVM would give registers to the same ones everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from .....isa.table import Unit
from ....analysis.flow.order import Loop
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.values.ssa import Op, Phi, Ssa, Value, operands_of, same_value, uses
from ....analysis.warps.uniformity import Shapes
from ....analysis.widths.registers import REGISTER_BITS, REGISTERS, is_vector, live_registers
from ..control.edges import Edges
from ..lane_code import LaneCode
from ..memory.access import Access
from .hoisted import Hoisted

MOST_INSTRUCTIONS = 64
"""Most instructions of such a loop: there is code of it for each pass."""

LEAST_SUMS = REGISTERS
"""Fewest vectors of sums of such a loop: fewer are mostly in registers."""

_UNITS = frozenset({Unit.MOVE, Unit.INT, Unit.FLOAT, Unit.CONTROL, Unit.MEMORY})
"""What instructions of one lane do that neither test nor depend on others."""


@dataclass(frozen=True)
class Passes:
    """A loop in passes, of so many `vectors` each."""

    vectors: int
    sums: Mapping[Phi, Value]
    """Phi of the header -> the value that a lane leaves the loop with."""
    same: Mapping[Value, Value]
    """Values that are kept where others are: the sums before and after the loop."""


def loops_in_passes(lanes: LaneCode, plan: LanePlan) -> dict[int, Passes]:
    """Return the loops that may run in passes, by number."""
    shapes, k = lanes.shapes, lanes.k
    if not isinstance(shapes, Shapes) or not lanes.facts.one_warp or lanes.facts.counts:
        return {}
    found, users = dict[int, Passes](), _users(lanes.ssa)
    for loop in lanes.flow.loops:
        ops = [op for n in loop.nodes for op in lanes.ssa.ops.get(n, ())]
        if (
            len(ops) > MOST_INSTRUCTIONS
            or not lanes.flow.is_innermost(loop)
            or not loop.nodes.isdisjoint(plan.sparse)
            or not loop.nodes & lanes.ssa.conditions.keys() <= plan.uniform_branches
            or not all(op.ins.row.unit in _UNITS for op in ops)
            or any(op.ins.row.is_memory and not op.ins.row.is_load for op in ops)
        ):
            continue
        sums = _sums(lanes, shapes, loop, users)
        if sum(phi.cls.bits * lanes.count for phi in sums) < LEAST_SUMS * REGISTER_BITS:
            continue
        fit = [
            size
            for size in range(1, k)
            if k % size == 0 and live_registers(shapes, loop, size * lanes.n, 32) < REGISTERS
        ]
        if fit:
            same = _kept_together(lanes, shapes, loop, sums, users)
            found[loop.number] = Passes(max(fit), sums, same)
    return found


def _users(ssa: Ssa) -> Mapping[Value, set[Value]]:
    """Return value -> the values that are computed from it."""
    found = defaultdict[Value, set[Value]](set)
    for user in ssa.values():
        for value in uses(user) if isinstance(user, Op) else operands_of(user):
            found[value].add(user)
    return found


def _sums(
    lanes: LaneCode, shapes: Shapes, loop: Loop, users: Mapping[Value, set[Value]]
) -> dict[Phi, Value]:
    """Return phi -> the value after the loop, if these are all vectors that lanes take out of it.

    Nothing but that value is computed from such a phi, and no NaN is made canonical between them.
    """
    ssa, sums = shapes.ssa, dict[Phi, Value]()
    for phi in ssa.phis.get(loop.header, ()):
        if is_vector(shapes, phi):
            back = {same_value(a): a for n, a in phi.args.items() if n in loop.nodes}
            new = next(iter(back.values()))
            if len(back) > 1 or users[phi] != {new} or not _are_alike(lanes, phi, new):
                return {}
            sums[phi] = new
    inside = {v for n in loop.nodes for v in (*ssa.phis.get(n, ()), *ssa.ops.get(n, ()))}
    tested = {condition for n, condition in ssa.conditions.items() if n not in loop.nodes}
    taken = {v for v in inside if is_vector(shapes, v) and (users[v] - inside or v in tested)}
    return sums if taken <= set(sums.values()) else {}


def _are_alike(lanes: LaneCode, value: Value, other: Value) -> bool:
    """Return whether a value of the loop's is as canonical as another one."""
    found = lanes.table.noncanonical
    return isinstance(other, (Op, Phi)) and (value in found) == (other in found)


def _kept_together(
    lanes: LaneCode,
    shapes: Shapes,
    loop: Loop,
    sums: Mapping[Phi, Value],
    users: Mapping[Value, set[Value]],
) -> dict[Value, Value]:
    """Return value -> the phi in whose variable it is: values that follow each other in a nest.

    They are what a lane enters the loop with, if it is used for nothing else, what it leaves the
    loop with, and a phi that gets only that.
    """
    parent, same = loop.parent, dict[Value, Value]()
    around = frozenset[int]() if parent is None else shapes.flow.loops[parent].nodes
    for phi, after in sums.items():
        last = [
            user
            for user in users[after] - {phi}
            if isinstance(user, Phi)
            and user.node not in loop.nodes
            and all(a is after for a in user.args.values())
            and _are_alike(lanes, user, after)
        ]
        same |= dict.fromkeys((phi, after, *last), phi)
        before = next(a for n, a in phi.args.items() if n not in loop.nodes)
        if (
            isinstance(before, Phi)
            and parent is not None
            and parent not in shapes.divergent_loops
            and before.node == shapes.flow.loops[parent].header
            and users[before] == {phi}
            and _are_alike(lanes, before, phi)
            and {a for n, a in before.args.items() if n in around} <= {after, *last}
        ):
            same[before] = phi
    return same


def may_run(loop: Loop, hoisted: Hoisted, access: Access, *, charges: bool) -> bool:
    """Return whether a version of a loop may run in passes: it tests nothing in it."""
    return (
        (hoisted.is_charged or not charges)
        and not (hoisted.rows or hoisted.carried or hoisted.in_step is not None)
        and all(
            op in hoisted.certain or op in access.global_.inside or not access.has_sides(op)
            for n in loop.nodes
            for op in access.lanes.ssa.ops.get(n, ())
        )
    )


class RunningPasses:
    """Emits the passes of a loop's version, each with the lanes and scalars that entered it."""

    def __init__(self, lanes: LaneCode, edges: Edges, loop: Loop, passes: Passes) -> None:
        self._lanes, self._edges, self._loop, self._passes = lanes, edges, loop, passes
        self._mask = lanes.mask
        self._scalars = [
            ((phi, part), types, lanes.variables.load((phi, part), types))
            for phi in lanes.ssa.phis.get(loop.header, ())
            for part, types in lanes.parts(phi)
            if phi not in passes.sums
        ]

    @contextmanager
    def run(self, part: range) -> Iterator[None]:
        """Begin the pass of some vectors, whose nodes are written inside of this, and end it."""
        lanes, edges, variables, loop = self._lanes, self._edges, self._lanes.variables, self._loop
        outer, first = edges.copies, part.start
        if first:
            edges.wait_at(loop.header, self._mask)
            for key, types, values in self._scalars:
                variables.store(key, types, values)
        edges.copies = outer | {n: (*outer.get(n, ()), first + 1) for n in loop.nodes}
        edges.after_pass, edges.is_last_pass = lanes.code.fresh_label("pass"), part.stop == lanes.k
        cells = {phi: self._cells(phi) for phi in self._passes.sums}
        variables.begin_pass(part, {v for pair in self._passes.sums.items() for v in pair})
        for phi, (types, places) in cells.items():
            kept = [
                lanes.code.let(f"load volatile {t}, ptr {p}") if i in part else "zeroinitializer"
                for i, (t, p) in enumerate(zip(types, places, strict=True))
            ]
            variables.store((phi, "value"), types, kept)
        lanes.code.jump(edges.label("v", loop.header))
        lanes.rare.is_off = True
        yield
        lanes.rare.is_off = False
        lanes.code.block(edges.after_pass)
        edges.after_pass, edges.copies = "", outer
        for phi, (types, places) in cells.items():
            found = variables.load((self._passes.sums[phi], "value"), types)
            for i in part:
                lanes.code.line(f"store volatile {types[i]} {found[i]}, ptr {places[i]}")
        variables.end_pass()
        if edges.is_last_pass:
            lanes.code.jump(edges.after_passes)

    def _cells(self, phi: Phi) -> tuple[list[str], list[str]]:
        """Return the types and places of a sum's vectors between passes."""
        ((part, types),) = self._lanes.parts(phi)
        return types, self._lanes.variables.places((phi, part), types)
