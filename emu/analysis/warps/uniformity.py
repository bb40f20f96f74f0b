"""Uniform values of a warp, and values that step from lane to lane by a constant.

A value is *uniform* where all lanes that run its node together have the same value; uniform values
become scalars, uniform conditions stay branches. A value with *stride* k is, in such lanes, that
of lane 0 plus k times the lane (modulo its width): its accesses to memory are contiguous.

Where the rows of a workgroup are shorter than a warp, a row is one *piece* of the warp or several.
Most values of such kernels have a stride, or one value, within each piece: a scalar per piece.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from ....isa.table import Flags
from ....isa.types import RegClass, Segment, sign_extend
from ..facts import Facts
from ..flow.postdominators import bits, postdominators
from ..values.item_numbers import Results
from ..values.ssa import ADDRESS_ARITHMETIC, Const, Op, Phi, Ssa, Value, operands_of, same_value
from .alignment import Alignment
from .distances import Distances, LaneDistances
from .joins import join_nodes
from .largest import largest

_UNIFORM_IDENTITY = frozenset(
    {"workgroupid", "workgroupsize", "currentworkgroupsize", "gridsize", "gridgroups", "wavesize"}
)

_VOTES = frozenset({"activelanecount", "activelanemask", "activelaneany", "activelaneall"})
"""What lanes of the launch's warps that issue together have in common."""

_SUMS = frozenset({"add", "sub", "mul", "mad", "shl"})


class LaneShapes(Protocol):
    """How the values of the lanes that run together differ."""

    ssa: Ssa

    def is_uniform(self, value: Value) -> bool:
        """Return whether all of the lanes have the same value."""
        ...

    def stride(self, value: Value) -> int | None:
        """Return the step from lane to lane, 0 for uniform values; None where there is none."""
        ...

    def piece_stride(self, value: Value) -> int | None:
        """Return the step from lane to lane within each piece of the warp, or None."""
        ...

    def distances_of(self, value: Value) -> Distances | None:
        """Return how far the lanes of a 32-bit value are from lane 0; None if not known."""
        ...


class Shapes:
    """Uniformity and strides of the values of a kernel."""

    def __init__(self, ssa: Ssa, facts: Facts) -> None:
        self.ssa = ssa
        self.flow = ssa.flow
        self.facts = facts
        self.varying: set[Value] = set()
        self.joins: set[int] = set()
        """Nodes at which lanes from different paths join."""
        self.divergent_loops: set[int] = set()
        """Loops that lanes leave in different iterations."""
        self._postdominators = postdominators(self.flow)
        self._in_step = _in_step(ssa)
        self._same: set[Value] = set()
        """What is made of values that differ from lane to lane, and is the same in all of them."""
        self._find_varying()
        self._strides = self._find_strides(in_pieces=False)
        while same := {v for v in self.varying - self._same if self._strides.get(v) == 0}:
            self._same |= same
            self._find_varying()
            self._strides = self._find_strides(in_pieces=False)
        self._piece_strides = self._find_strides(in_pieces=True) if facts.piece else self._strides
        if facts.piece:
            self._add_strides_across_rows()

    def is_uniform(self, value: Value) -> bool:
        """Return whether all lanes that run together have the same value."""
        return value not in self.varying

    def uniform_branches(self) -> frozenset[int]:
        """Return the nodes whose branch sends all lanes the same way."""
        return frozenset(n for n, v in self.ssa.conditions.items() if self.is_uniform(v))

    def stride(self, value: Value) -> int | None:
        """Return the step from lane to lane, 0 for uniform values; None where there is none."""
        return 0 if self.is_uniform(value) else self._strides.get(value)

    def piece_stride(self, value: Value) -> int | None:
        """Return the step from lane to lane within each piece of the warp; None if there is none.

        Without pieces, it is the step in the warp.
        """
        return 0 if self.is_uniform(value) else self._piece_strides.get(value)

    def distances_of(self, value: Value) -> Distances | None:
        """Return how far the lanes of a 32-bit value are from lane 0; None if not known."""
        return self._distances.of(value)

    @cached_property
    def _distances(self) -> LaneDistances:
        return LaneDistances(self)

    @cached_property
    def results(self) -> Results:
        """What instructions give the work-items of a workgroup, for all walks through the code."""
        return Results(self.facts.group_size, whole=self.facts.whole)

    def may_mix(self, phi: Phi) -> bool:
        """Return whether a phi may have values of different paths or iterations in its lanes."""
        meets = phi.node in self.joins and phi not in self._in_step
        return meets or (phi.keeps and self._leaves_divergent_loop(phi))

    def passes(self, number: int, other: int) -> bool:
        """Return whether every path from a node to an end passes another node."""
        return bool(self._postdominators[number] >> other & 1)

    # --- uniformity

    def _find_varying(self) -> None:
        self.varying.clear()
        self.joins.clear()
        self.divergent_loops.clear()
        if self.flow.refill is not None:
            self._spread(self.flow.refill.node)
            self.joins.add(self.flow.refill.header)
            self.divergent_loops.add(self.flow.refill.loop)
        spread: set[int] = set()
        pending = True
        while pending:
            pending = False
            for value in self.ssa.values():
                if value not in self.varying and self._varies(value):
                    self.varying.add(value)
                    pending = True
            for number, condition in self.ssa.conditions.items():
                if condition in self.varying and number not in spread:
                    spread.add(number)
                    self._spread(number)
                    pending = True

    def _varies(self, value: Value) -> bool:
        if value in self._same:
            return False
        if isinstance(value, Phi):
            return self.may_mix(value) or any(a in self.varying for a in value.args.values())
        assert isinstance(value, Op)
        row = value.ins.row
        if row.stem == "workitemid" or row.stem == "workitemabsid":
            return value.ins.literals[0] == 0 or not self.facts.rows
        if row.stem in _UNIFORM_IDENTITY:
            return False
        if row.stem == "waveid" or (row.stem in _VOTES and self.facts.stack):
            return self.facts.one_warp  # a workgroup may be several warps of the launch
        if row.is_identity:
            return True
        if row.is_atomic or (row.segment is Segment.PRIVATE and row.is_memory):
            return True
        return any(a in self.varying for a in value.args)

    def _leaves_divergent_loop(self, phi: Phi) -> bool:
        return any(
            loop.number in self.divergent_loops
            for before in phi.args
            for loop in self.flow.left_by(before, phi.node)
        )

    def _spread(self, branch: int) -> None:
        """Note the join nodes of a divergent branch, and the loops that lanes leave unevenly."""
        for loop in self.flow.loops_around(branch):
            if not self._postdominators[branch] & bits(loop.nodes - {branch, loop.latch}):
                self.divergent_loops.add(loop.number)
        self.joins |= join_nodes(self.flow, self._postdominators, branch)

    # --- strides

    def _find_strides(self, in_pieces: bool) -> dict[Value, int | None]:
        """Return strides; optimistic: a phi has any stride until one of its values contradicts."""
        unknown = object()
        found: dict[Value, int | object | None] = {v: unknown for v in self.varying}

        def of(value: Value) -> int | object | None:
            return 0 if self.is_uniform(value) else found[value]

        changed = True
        while changed:
            changed = False
            for value in self.ssa.values():
                if value not in self.varying:
                    continue
                if isinstance(value, Phi):
                    new = self._phi_stride(value, [of(a) for a in value.args.values()], unknown)
                else:
                    assert isinstance(value, Op)
                    strides = [of(a) for a in value.args]
                    new = self._op_stride(value, strides, unknown, in_pieces)
                if new is not found[value] and new != found[value]:
                    found[value] = new
                    changed = True
        return {v: s if isinstance(s, int) else None for v, s in found.items()}

    def _phi_stride(self, phi: Phi, strides: list, unknown: object) -> int | object | None:
        if self.may_mix(phi):
            return None
        known = {s for s in strides if s is not unknown}
        if not known:
            return unknown
        return known.pop() if len(known) == 1 else None

    def _op_stride(
        self, op: Op, strides: list, unknown: object, in_pieces: bool
    ) -> int | object | None:
        row = op.ins.row
        match row.stem:
            case "workitemid" | "workitemabsid":
                if op.ins.literals[0] == 0:
                    return 1 if self.facts.rows or in_pieces else None
                return 0 if in_pieces else None
            case "workitemflatid" | "laneid":
                return 1
            case "workitemflatabsid":
                return 1 if self.facts.rows or in_pieces else None
        if unknown in strides:
            return unknown
        if None in strides or row.type is None or row.type.is_float:
            return None
        if row.stem == "lda":
            return strides[0]
        if in_pieces and not any(strides):
            return 0 if _same_for_same(op) else None
        if row.stem == "cvt":
            return strides[0] if self._keeps_step(op) else None
        constants = [
            sign_extend(a.bits, row.type.bits) if isinstance(a, Const) else None for a in op.args
        ]
        match row.stem, strides, constants:
            case "add", [a, b], _:
                step = a + b
            case "sub", [a, b], _:
                step = a - b
            case "mul", [a, 0], [_, int(k)]:
                step = a * k
            case "mul", [0, b], [int(k), _]:
                step = b * k
            case "mad", [a, 0, c], [_, int(k), _]:
                step = a * k + c
            case "mad", [0, b, c], [int(k), _, _]:
                step = b * k + c
            case "mad", [0, 0, c], _:
                step = c
            case "shl", [a, 0], [_, int(k)]:
                step = a << (k % row.type.bits)
            case (("and" | "or" | "xor" | "shr" | "div" | "rem"), [_, _], _) if 0 in strides:
                found = self._alignment_of_pieces if in_pieces else self._alignment_of_warps
                return found.bitwise_stride(op, strides)
            case "bitextract", [int(a)], _:
                found = self._alignment_of_pieces if in_pieces else self._alignment_of_warps
                return found.field_stride(op, a)
            case _:
                return None
        return sign_extend(step, row.type.bits)

    def _add_strides_across_rows(self) -> None:
        """Find strides from row to row, as that of `8 * y + x` where rows have 8 items.

        They are those of sums and of phis whose arguments have a scalar for lane 0.
        """
        steps: dict[Value, int] = {}
        for value in self.ssa.values():
            is_sum = isinstance(value, Phi) or (
                isinstance(value, Op) and value.ins.row.stem in _SUMS
            )
            if is_sum and value in self.varying and self._strides.get(value) is None:
                found = self.distances_of(value)
                if found is not None and found.step is not None:
                    steps[value] = found.step

        def has_lane0(value: Value) -> bool:
            known = self.stride(value) is not None or self.piece_stride(value) is not None
            return known or value in steps

        while wrong := [v for v in steps if not all(map(has_lane0, operands_of(v)))]:
            for value in wrong:
                del steps[value]
        self._strides.update(steps)

    @cached_property
    def _alignment_of_warps(self) -> Alignment:
        facts = self.facts
        first_item = facts.one_warp
        return Alignment(self.ssa, facts.width, facts.group_size[0], first_item=first_item)

    @cached_property
    def _alignment_of_pieces(self) -> Alignment:
        facts = self.facts
        return Alignment(self.ssa, facts.piece, facts.group_size[0], first_item=False)

    def _keeps_step(self, cvt: Op) -> bool:
        """Return whether a conversion to 64 bits leaves the step as it is.

        Identities of work-items that exist never wrap around. Read as signed numbers they do, from
        one warp to the next where workgroups are whole, and within a warp where they are not.
        Nor do sums of them whose bounds are known.
        """
        row, source = cvt.ins.row, cvt.args[0]
        if row.name not in ADDRESS_ARITHMETIC or not isinstance(source, Op):
            return False
        signed = row.name.endswith("_s32")
        if source.ins.row.is_identity:
            return self.facts.whole or not signed
        return self.facts.whole and largest(source, self.facts) < 1 << (31 if signed else 32)


def _in_step(ssa: Ssa) -> frozenset[Phi]:
    """Return the phis of headers that get one value from outside and one from within the loop.

    Such as a counter that is increased before a `continue`. Lanes that go back to the header by
    different branches meet at the latch, so all lanes at the header are in the same iteration, and
    have all come from outside or all from within. Whether they join there makes no difference.
    """
    flow, found = ssa.flow, set[Phi]()
    for loop in flow.loops:
        if flow.refill is not None and loop.number == flow.refill.loop:
            continue  # lanes are in different iterations
        header = flow.nodes[loop.header]
        outside = [n for n in header.predecessors if n not in loop.nodes]
        within = [n for n in header.predecessors if n in loop.nodes]
        one_latch = all(flow.route(n, loop.header) == loop.latch for n in within)
        if one_latch and flow.has_one_entry(loop):
            found.update(
                phi
                for phi in ssa.phis.get(loop.header, ())
                if all(
                    len({same_value(phi.args[n]) for n in sources}) <= 1
                    for sources in (outside, within)
                )
            )
    return frozenset(found)


def _same_for_same(op: Op) -> bool:
    """Return whether an op yields an integer that is the same where its sources are."""
    row = op.ins.row
    if op.cls is RegClass.C or row.is_atomic or row.is_identity or Flags.CROSS_LANE in row.flags:
        return False
    return not (row.segment is Segment.PRIVATE and row.is_memory)


class OneLane:
    """The values of a warp of one lane: each is uniform."""

    def __init__(self, ssa: Ssa) -> None:
        self.ssa = ssa

    def is_uniform(self, value: Value) -> bool:
        """Return True."""
        return True

    def stride(self, value: Value) -> int:
        """Return 0, which uniform values have."""
        return 0

    def piece_stride(self, value: Value) -> int:
        """Return 0, which uniform values have."""
        return 0

    def distances_of(self, value: Value) -> None:
        """Return None: there is one lane."""
