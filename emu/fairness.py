"""Whether a launch that does not end would do so if every work-item had its turn.

The oracle schedules each work-item alone and in turn. A kernel that finishes there, and not in lock
step, waits for somebody who never runs: a SIMT deadlock, no livelock and no budget too small.
"""

from __future__ import annotations

from dataclasses import replace

from .engine import Work
from .traps import Trap

MAX_COPY = 64 << 20
"""Bytes of buffers that are worth copying before a launch."""

ORACLE_ITEMS = 2048
ORACLE_BUDGET = 4_000_000
"""Limits of the second opinion: work-items of the launch, and instructions of all of them."""


class SecondOpinion:
    """Made before a launch, of which it keeps the memory if the kernel could hang and is small."""

    def __init__(self, work: Work) -> None:
        self.work = work
        loops = any(
            ins.target is not None and ins.target <= pc
            for pc, ins in enumerate(work.kernel.instructions)
        )
        total = sum(b.size for b in work.memory.buffers if b.alive)
        small = work.geometry.n_items <= ORACLE_ITEMS and total <= MAX_COPY
        self._memory = work.memory.copy() if loops and small else None

    def finishes(self) -> bool:
        """Whether the oracle finishes the launch; False where it was not worth a copy."""
        if self._memory is None:
            return False
        from .oracle.oracle import run as oracle

        # Who needs more than the launch allows would not finish under any schedule.
        budget = min(self.work.budget, max(1, ORACLE_BUDGET // self.work.geometry.n_items))
        try:
            oracle(replace(self.work, memory=self._memory, budget=budget))
        except Trap:
            return False
        return True


def place(work: Work, pc: int) -> str:
    """A place in the kernel for a message: its line if known, else its pc."""
    span = work.program.span(work.kernel, pc) if pc >= 0 else None
    return f"line {span.line}" if span else f"pc {pc}" if pc >= 0 else "the end"


def lowest(mask: int) -> int:
    """The lowest lane of a mask."""
    return (mask & -mask).bit_length() - 1


def lanes_that(mask: int, verb: str, whose: str = "") -> str:
    """Subject and verb: `lane 3 of the warp waits`, `lanes 0-2 wait`."""
    if mask.bit_count() == 1:
        return f"lane {lowest(mask)}{whose} {verb}s"
    return f"lanes {lane_list(mask)}{whose} {verb}"


def lane_list(mask: int) -> str:
    """Lanes of a mask as ranges: 0-4,7."""
    parts: list[str] = []
    lane = 0
    while mask >> lane:
        if mask >> lane & 1:
            start = lane
            while mask >> (lane + 1) & 1:
                lane += 1
            parts.append(str(start) if start == lane else f"{start}-{lane}")
        lane += 1
    return ",".join(parts)
