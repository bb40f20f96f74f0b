"""Launches whose statistics are counted apart: by a kernel that only branches, after a plain run.

Native code runs workgroups as rows of the grid where their shape does not show (regroup.py). Code
that counts cannot, if warps of the launch are in several rows. Where no branch depends on memory,
the counts do not either. Such a launch runs as any other, and then once more to be counted, without
its accesses and all that only they use.

Branches may depend on loads of buffers that the launch does not change, if each loop then does
nothing but count its iterations. Such a launch is counted first (run_apart.py), and refused if an
access leaves its buffer for one that it must not reach, as code is that counts by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .....isa.encoding import encode
from .....isa.instruction import Imm, Instruction
from .....isa.program import Kernel
from .....isa.table import BY_NAME, Flags
from .....isa.types import RegClass, Segment
from ....analysis.analysis import analyse
from ....analysis.counting.independence import Reliance, reliance_of
from ....analysis.lanes.only_counted import counter_alone
from ....analysis.values.ssa import Op, Ssa, made_of
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
    relied: Reliance | None = None
    """What counts rely on; None if branches depend on no memory."""
    plain: Kept = field(default_factory=Kept)
    counted: Kept = field(default_factory=Kept)

    @classmethod
    def of(cls, work: Work) -> Apart:
        """Return the parts of a launch with statistics, those of an earlier call if there are."""
        apart = work.kept.get("apart")
        if apart is None:
            kernel = counted_apart(work.kernel, work.geometry)
            relied = None
            if kernel is not None and loads_to_branch(kernel):
                relied = reliance_of(work.kernel, work.geometry.group_size)
            apart = cls(kernel, relied)
            work.kept["apart"] = apart
        return apart

    @classmethod
    def never(cls) -> Apart:
        """Return the parts of a launch that counts itself."""
        return cls(None)

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
    if found[0] is None or not can_count(found[0], geometry):
        return None
    if loads_to_branch(found[0]) and not _may_rely(kernel, geometry):
        return None
    return found[0]


def loads_to_branch(kernel: Kernel) -> bool:
    """Return whether a kernel of branches loads what these depend on."""
    return any(ins.row.is_load and ins.row.segment is Segment.GLOBAL for ins in kernel.instructions)


def _may_rely(kernel: Kernel, geometry: Geometry) -> bool:
    """Return whether nothing but buffers that a launch does not change decides its branches."""
    relied = reliance_of(kernel, geometry.group_size)
    return (
        relied is not None
        and bool(relied.loaded)
        and relied.stored is not None
        and not (relied.owned or relied.watched or relied.before or relied.is_kept_to)
        and not relied.spaced
    )


def _branches_of(kernel: Kernel) -> Kernel | None:
    """Return a kernel's branches and what they depend on; None where that takes too long.

    Without loops it must not load, and be a small part of the kernel. Loops must depend on what is
    loaded, or later launches with the same numbers need not count, and only count their iterations.
    """
    analysis = analyse(kernel)
    # What branches depend on.
    deciding = [v for v in made_of(analysis.ssa.conditions.values()) if isinstance(v, Op)]
    total = sum(map(len, analysis.ssa.ops.values()))
    accesses = [op for op in deciding if _accesses(op)]
    if analysis.flow.loops:
        if not accesses or not all(_is_global_load(op) for op in accesses):
            return None
    elif accesses or len(deciding) > MOST_DECIDING * total:
        return None
    kept = {op.pc for op in deciding}
    words = list(kernel.words)
    for ops in analysis.ssa.ops.values():
        for op in ops:
            if op.pc not in kept and (_accesses(op) or Flags.MAY_TRAP in op.ins.row.flags):
                words[op.pc] = encode(_nothing(op.ins), op.pc)
    found = replace(kernel, words=tuple(words))
    return found if _only_counts(analyse(found).ssa) else None


def _only_counts(ssa: Ssa) -> bool:
    return all(counter_alone(ssa, loop) is not None for loop in ssa.flow.loops)


def _accesses(op: Op) -> bool:
    """Return whether an instruction accesses memory besides the launch's arguments."""
    return op.ins.row.is_memory and op.ins.row.segment is not Segment.KERNARG


def _is_global_load(op: Op) -> bool:
    return op.ins.row.is_load and op.ins.row.segment is Segment.GLOBAL


def _nothing(ins: Instruction) -> Instruction:
    """Return an instruction that does nothing but to write the same register, if there is one."""
    if ins.dst is None:
        return Instruction(BY_NAME["nop"])
    return Instruction(BY_NAME[_ZERO[ins.dst.cls]], ins.dst, (Imm(0),))
