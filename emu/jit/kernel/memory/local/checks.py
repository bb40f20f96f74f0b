"""Whether accesses of group, private and readonly memory are inside their segment; the traps."""

from __future__ import annotations

from ......isa.types import RegClass, Segment
from .....analysis.values.ssa import Const, Op
from ....llvm.text import integer
from ...lane_code import LaneCode
from ..addressing.extent import Extent
from ..kernel_memory import KernelMemory
from .outside import outside


class LocalChecks:
    """Finds which of these accesses need a test, and emits it."""

    def __init__(self, lanes: LaneCode, memory: KernelMemory) -> None:
        self.lanes = lanes
        self.memory = memory
        self.certain: frozenset[Op] = frozenset()
        """Accesses of one place, or of neighbours, that a test has shown to be inside."""
        self.tested: frozenset[Op] = frozenset()
        """Accesses of a lane that runs alone which one test has shown to be inside."""

    def extent(self, op: Op) -> Extent:
        """Return where an instruction accesses its segment."""
        address, type_ = op.ins.address, op.ins.row.type
        assert address is not None
        assert type_ is not None
        total = {
            Segment.GROUP: self.memory.group_bytes,
            Segment.PRIVATE: self.memory.private_bytes,
            Segment.READONLY: self.memory.readonly_bytes,
        }[address.segment]
        if self.memory.relied is not None:
            total = min(total, self.memory.relied.ends.get(op.pc, total))
        base = op.base if op.base is not None else Const(RegClass.S, 0)
        return Extent(base, address.offset, type_.size, total)

    def lanes_hold(self, op: Op, extent: Extent) -> bool:
        """Return whether all running lanes are known to be inside, and aligned."""
        found = self.memory.ranges.of(extent.base, op.node)
        return found.is_inside(extent.offset, extent.size, extent.total) and found.is_aligned(
            extent.offset, extent.size
        )

    def guard(self, op: Op, extent: Extent) -> None:
        """Trap if a running lane is outside its segment or misaligned."""
        lanes = self.lanes
        if self.lanes_hold(op, extent):
            return
        span = extent.span()
        aligned = self.is_aligned(op, extent)
        wrong = [
            extent.outside(lanes.code, chunk, span, lanes.n, aligned=aligned)
            for chunk in lanes.vector(extent.base)
        ]
        self.guarded(op, extent, lanes.any(lanes.combine("and", wrong, lanes.mask)))

    def test(self, op: Op) -> None:
        """Trap if an access of one place is outside its segment or misaligned."""
        extent = self.extent(op)
        if not self.holds(op, extent, extent.size):
            bad = self.scalar_outside(op, self.lanes.scalar(extent.base), extent)
            self.guarded(op, extent, bad)

    def holds(self, op: Op, extent: Extent, size: int) -> bool:
        """Return whether `size` bytes from each scalar on are known to be inside, and aligned.

        The scalars are those of a uniform base, or of one with a stride.
        """
        ranges = self.memory.ranges
        # Code for one lane has that lane's scalar.
        of_warp = self.lanes.shapes is ranges.shapes
        found = (ranges.of_firsts if of_warp else ranges.of)(extent.base, op.node)
        return found.is_inside(extent.offset, size, extent.total) and found.is_aligned(
            extent.offset, extent.size
        )

    def all_hold(self, op: Op, extent: Extent, lowest: int, span: int) -> bool:
        """Return whether the places of all lanes are known to be inside, and aligned.

        They lie from `lowest` to `span` bytes above it, counted from lane 0's.
        """
        lanes = self.lanes
        found = lanes.shapes.distances_of(extent.base)
        if found is None or lanes.shapes is not self.memory.ranges.shapes:
            return False
        step = lanes.pieces.n if lanes.facts.piece else len(found.constants)
        apart = found.constants[::step]
        firsts = self.memory.ranges.of_firsts(extent.base, op.node)
        low = firsts.low - int(apart.min()) + lowest
        high = firsts.high - int(apart.max()) + lowest + span
        return (
            low >= extent.lowest
            and high + extent.offset + extent.size <= extent.total
            and firsts.is_aligned(extent.offset, extent.size)
        )

    def needs_test(self, op: Op) -> bool:
        """Return whether ranges do not show that an access is inside."""
        extent, lanes = self.extent(op), self.lanes
        count = 1
        if not lanes.shapes.is_uniform(extent.base):
            count = lanes.pieces.n if lanes.facts.piece else lanes.count
        found = self.memory.ranges.of(extent.base, op.node)
        everywhere = found.is_inside(extent.offset, extent.size, extent.total)
        return not (
            (everywhere and found.is_aligned(extent.offset, extent.size))
            or self.holds(op, extent, extent.size * count)
        )

    def always_faults(self, op: Op) -> None:
        """Emit an access that cannot be inside; what follows is never reached."""
        self._fault(op, self.extent(op))
        self.lanes.code.block(self.lanes.code.fresh_label("u"))

    def scalar_outside(self, op: Op, base: str, extent: Extent) -> str:
        """Return whether an access at one base for all lanes is outside, or misaligned."""
        aligned = self.is_aligned(op, extent)
        return extent.outside(self.lanes.code, base, extent.span(), 0, aligned=aligned)

    def is_aligned(self, op: Op, extent: Extent) -> bool:
        """Return whether the running lanes' accesses are known to be aligned."""
        found = self.memory.ranges.of(extent.base, op.node)
        return found.is_aligned(extent.offset, extent.size)

    def guarded(self, op: Op, extent: Extent, bad: str) -> None:
        """Trap if an access is `bad` (an i1), unless a test has shown that it is not."""
        if op in self.certain or op in self.tested:
            return
        code = self.lanes.code
        if self.lanes.otherwise:
            self.lanes.rely_on(code.let(f"xor i1 {bad}, true"))
            return
        fault, go = code.fresh_label("l"), code.fresh_label("l")
        code.branch(bad, fault, go)
        known = dict(self.lanes.local)
        code.block(fault)
        self._fault(op, extent)
        code.block(go)
        self.lanes.local = known

    def _fault(self, op: Op, extent: Extent) -> None:
        """Report the lane that is outside, and end the launch."""
        lanes, code = self.lanes, self.lanes.code
        masks = [code.let(f"bitcast {lanes.mask_type} {m} to i{lanes.n}") for m in lanes.mask]
        result = code.call(
            "i32",
            outside(code.module, lanes.n, lanes.k),
            "ptr %ctx",
            *(f"{integer(32, lanes.n)} {chunk}" for chunk in lanes.vector(extent.base)),
            *(f"i{lanes.n} {mask}" for mask in masks),
            *(f"i64 {number}" for number in (extent.offset, extent.total, extent.size)),
        )
        lanes.leave(result, op.pc)
