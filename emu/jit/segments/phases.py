"""Phases of a block: what a warp runs before the next warp, where the interpreter's order counts.

Warps wait for each other around each store or atomic of memory that other warps see. Several loads
in a row find the same whether a warp executes them one after the other or beside other warps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....isa.instruction import Reg
from ....isa.program import Kernel
from ....isa.table import Flags, Row
from ....isa.types import RegClass
from ....isa.types import Segment as MemorySegment
from ...interp.blocks import leaders
from .table import Segment, SegmentKind, live_at

WIDEST = 64
"""Lanes of the widest warp."""

_SHARED = (MemorySegment.GLOBAL, MemorySegment.GROUP)


@dataclass(frozen=True)
class Phase:
    """Segments that a warp runs in turn; the first one's number names the phase."""

    segments: tuple[Segment, ...]
    ends_block: bool
    """Whether a block of the interpreter ends with them."""
    most_lanes: int
    """Lanes up to which they are run lane after lane; 0 if in vectors only."""

    @property
    def number(self) -> int:
        """Return the number of the first segment."""
        return self.segments[0].number


def phases_of(kernel: Kernel, segments: Sequence[Segment]) -> tuple[Phase, ...]:
    """Return the phases of all blocks."""
    firsts, unrelated = leaders(kernel.instructions), _unrelated(kernel)
    found: list[Phase] = []
    phase: list[Segment] = []
    has_loaded = False

    def end(*, ends_block: bool) -> None:
        most = _most_lanes(kernel, phase, unrelated)
        found.append(Phase(tuple(phase), ends_block, most))
        phase.clear()

    for segment in segments:
        row = _shared_access(kernel, segment)
        changes = row is not None and not row.is_load
        if changes and has_loaded:
            end(ends_block=False)
        phase.append(segment)
        ends_block = segment.last + 1 in firsts or segment is segments[-1]
        if changes or ends_block:
            end(ends_block=ends_block)
        has_loaded = bool(phase) and (has_loaded or row is not None)
    return tuple(found)


def brief_registers(kernel: Kernel, phases: Sequence[Phase]) -> frozenset[Reg]:
    """Return the registers that no lane reads in a later phase than wrote them."""
    if not phases:
        return frozenset()
    used = {r for ins in kernel.instructions for r in (*ins.reads(), *ins.writes())}
    kept = frozenset[Reg]().union(*(live_at(kernel, phase.segments[0]) for phase in phases))
    return frozenset(r for r in used - kept if r.cls is not RegClass.C)


def _shared_access(kernel: Kernel, segment: Segment) -> Row | None:
    """Return the row of the access of memory that warps share which ends a segment, if one does."""
    row = kernel.instructions[segment.last].row
    is_shared = segment.kind is SegmentKind.ACCESS and row.segment in _SHARED
    return row if is_shared else None


# --- lane after lane

_SEGMENT, _INSTRUCTION, _NEIGHBOURS, _APART = 4.0, 0.6, 9.0, 45.0
"""What a warp's segment takes, its instructions, and accesses at neighbouring and other places."""

_LANE, _LANE_INSTRUCTION, _LANE_ACCESS = 1.0, 0.2, 1.2
"""What one lane takes; all in ns."""


def _most_lanes(kernel: Kernel, segments: Sequence[Segment], unrelated: frozenset[Reg]) -> int:
    """Return up to how many lanes a phase takes less time lane after lane than in vectors."""
    in_vectors, alone, accesses = 0.0, _LANE, 0
    for segment in segments:
        rows = [kernel.instructions[pc].row for pc in segment.computed]
        if any(Flags.CROSS_LANE in row.flags for row in rows):
            return 0
        in_vectors += _SEGMENT + _INSTRUCTION * len(rows)
        alone += _LANE_INSTRUCTION * len(rows)
        if segment.kind is SegmentKind.ACCESS:
            ins = kernel.instructions[segment.last]
            assert ins.address is not None
            accesses += 1
            is_apart = ins.address.base in unrelated or ins.row.segment is MemorySegment.PRIVATE
            if ins.row.is_atomic:
                # In vectors each lane has a locked instruction.
                return WIDEST
            in_vectors += _APART if is_apart else _NEIGHBOURS
            alone += _LANE_ACCESS
    return min(WIDEST, int(in_vectors / alone)) if accesses else 0


def _unrelated(kernel: Kernel) -> frozenset[Reg]:
    """Return the registers that may have what was loaded: as addresses these may lie anywhere."""
    found: set[Reg] = set()
    size = -1
    while size != len(found):
        size = len(found)
        for ins in kernel.instructions:
            is_load = ins.row.is_memory and ins.row.segment is not MemorySegment.KERNARG
            if is_load or not found.isdisjoint(ins.reads()):
                found.update(ins.writes())
    return frozenset(found)
