"""Launches whose statistics are counted apart: by a kernel that only branches, after a plain run.

Native code runs workgroups as rows of the grid where their shape does not show (regroup.py). Code
that counts cannot, if warps of the launch are in several rows. Where no branch depends on memory,
the counts do not either. Such a launch runs as any other, and then once more to be counted, without
its accesses and all that only they use.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .....isa.encoding import encode
from .....isa.instruction import Imm, Instruction
from .....isa.program import Kernel
from .....isa.table import BY_NAME, Flags
from .....isa.types import RegClass, Segment
from ....analysis.analysis import analyse
from ....analysis.values.ssa import Op, made_of
from ....engine import Kept, Work
from ....geometry import Geometry
from ....recent import Recent
from ...kernel.launch_facts import facts_at
from ..regroup import as_run
from .layouts import can_count

_FOUND: Recent[tuple[object, ...], tuple[Kernel | None]] = Recent()

MOST_DECIDING = 1 / 3
"""The largest part of a kernel that its branches depend on: counting that takes longer."""

_ZERO = {RegClass.S: "mov_u32", RegClass.D: "mov_u64"}


@dataclass(frozen=True)
class Apart:
    """The parts of a launch that is counted apart, and what is kept of them from call to call."""

    kernel: Kernel | None
    """The kernel that is counted in place of the launch's; None if that counts itself."""
    plain: Kept = field(default_factory=Kept)
    counted: Kept = field(default_factory=Kept)

    @classmethod
    def of(cls, work: Work) -> Apart:
        """Return the parts of a launch with statistics, those of an earlier call if there are."""
        apart = work.kept.get("apart")
        if apart is None:
            apart = cls(counted_apart(work.kernel, work.geometry))
            work.kept["apart"] = apart
        return apart

    def works(self, work: Work) -> tuple[Work, Work]:
        """Return the launch that runs, and the one that is counted."""
        assert self.kernel is not None
        self.counted.setdefault("apart", Apart(None))
        return (
            replace(work, stats=False, kept=self.plain),
            replace(work, kernel=self.kernel, kept=self.counted),
        )


def counted_apart(kernel: Kernel, geometry: Geometry) -> Kernel | None:
    """Return the kernel that is counted in place of another one; None if that counts itself.

    Its instructions have the same pcs, and are executed equally often.
    """
    if facts_at(geometry, geometry.width).rows or as_run(kernel, geometry)[1] == geometry:
        return None  # warps that are parts of rows are counted as fast as they run
    found = _FOUND.find(kernel.key) or _FOUND.keep(kernel.key, (_branches_of(kernel),))
    return found[0] if found[0] is not None and can_count(found[0], geometry) else None


def _branches_of(kernel: Kernel) -> Kernel | None:
    """Return a kernel's branches and what they depend on; None where that is memory, or in a loop.

    A loop might spend the budget in one of the two runs only.
    """
    analysis = analyse(kernel)
    if analysis.flow.loops:
        return None
    # What branches depend on.
    deciding = [v for v in made_of(analysis.ssa.conditions.values()) if isinstance(v, Op)]
    total = sum(map(len, analysis.ssa.ops.values()))
    if any(_accesses(op) for op in deciding) or len(deciding) > MOST_DECIDING * total:
        return None
    kept = {op.pc for op in deciding}
    words = list(kernel.words)
    for ops in analysis.ssa.ops.values():
        for op in ops:
            if op.pc not in kept and (_accesses(op) or Flags.MAY_TRAP in op.ins.row.flags):
                words[op.pc] = encode(_nothing(op.ins), op.pc)
    return replace(kernel, words=tuple(words))


def _accesses(op: Op) -> bool:
    """Return whether an instruction accesses memory besides the launch's arguments."""
    return op.ins.row.is_memory and op.ins.row.segment is not Segment.KERNARG


def _nothing(ins: Instruction) -> Instruction:
    """Return an instruction that does nothing but to write the same register, if there is one."""
    if ins.dst is None:
        return Instruction(BY_NAME["nop"])
    return Instruction(BY_NAME[_ZERO[ins.dst.cls]], ins.dst, (Imm(0),))
