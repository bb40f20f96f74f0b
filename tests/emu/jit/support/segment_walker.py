"""Runs whole launches through segments, one at a time: the least that an engine has to do.

In every warp the lanes at the lowest segment go first. Warps of a workgroup run in turn until all
lanes wait at a barrier or have ended; workgroups run one after the other.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import numpy as np

from simtlab.emu.engine import Work
from simtlab.emu.jit.launch.trapped import trap_record
from simtlab.emu.jit.runtime.aligned import aligned_bytes
from simtlab.emu.jit.runtime.context import Slot, TrapCode
from simtlab.emu.jit.segments.compile import Segments, compile_segments, context_of
from simtlab.emu.jit.segments.table import Grain, SegmentKind
from simtlab.emu.jit.segments.warp_block import Header, blocks_of

FN = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64)
START = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
BEYOND = 0x5A
"""The value of the bytes between and after the pieces of memory, so that a stray store shows."""


@dataclass
class Warp:
    """A block and where its lanes are: mask by segment."""

    block: np.ndarray
    lanes: dict[int, int] = field(default_factory=dict)
    waiting: dict[int, int] = field(default_factory=dict)


class Walker:
    """The state of one launch."""

    def __init__(self, work: Work, grain: Grain, pieces: np.random.Generator | None) -> None:
        self.work = work
        self.segments: Segments = compile_segments(
            work.kernel, work.program, work.geometry.width, grain
        )
        self.pieces = pieces
        table = self.segments.table
        self.rows = [{name: int(r[name]) for name in table.dtype.names or ()} for r in table]
        self.calls = {a: FN(a) for name in ("fn", "move") for a in table[name].tolist() if a}
        self.start = START(self.segments.start)
        self.context = context_of(self.segments, work)
        layout = self.segments.layout
        count = -(-work.geometry.largest_group // work.geometry.width)
        self.group = aligned_bytes(layout.group_bytes + 64)
        self.private = [aligned_bytes(layout.private_bytes + 64) for _ in range(count)]
        self.warps = [Warp(block) for block in blocks_of(layout, count)]
        for warp, private in zip(self.warps, self.private, strict=True):
            header = layout.header(warp.block)
            header[Header.GROUP_MEMORY] = self.group.ctypes.data
            header[Header.PRIVATE_MEMORY] = private.ctypes.data
            header[Header.CONTEXT] = self.context.address
        for memory, size in (
            (self.group, layout.group_bytes),
            *((p, layout.private_bytes) for p in self.private),
        ):
            memory[:] = BEYOND  # a workgroup finds zeros nevertheless
            assert memory.size > size

    def run(self) -> None:
        """Run all workgroups. Raises Trap."""
        for number in range(self.work.geometry.n_groups):
            self._run_group(number)
            assert (self.group[self.segments.layout.group_bytes :] == BEYOND).all()
            for private in self.private:
                assert (private[self.segments.layout.private_bytes :] == BEYOND).all()

    def _run_group(self, number: int) -> None:
        for index, warp in enumerate(self.warps):
            mask = self.start(warp.block.ctypes.data, number, index)
            warp.lanes = {0: mask} if mask else {}
            warp.waiting = {}
        while True:
            for warp in self.warps:
                while warp.lanes:
                    self._step(warp)
            waiting = [w for w in self.warps if w.waiting]
            if not waiting:
                return
            if len({s for w in waiting for s in w.waiting}) > 1 or self._somebody_has_ended():
                raise DivergentBarrier
            for warp in waiting:
                ((segment, mask),) = warp.waiting.items()
                warp.lanes, warp.waiting = {self.rows[segment]["next"]: mask}, {}

    def _somebody_has_ended(self) -> bool:
        items = sum(mask.bit_count() for w in self.warps for mask in w.waiting.values())
        layout = self.segments.layout
        return items != int(np.prod(layout.header(self.warps[0].block)[4:7]))

    def _step(self, warp: Warp) -> None:
        """Run the lowest segment of a warp, or a part of its lanes."""
        number = min(warp.lanes)
        mask = warp.lanes.pop(number)
        if self.pieces is not None:
            part = mask & int(self.pieces.integers(0, 1 << 63)) if mask.bit_count() > 1 else mask
            if part not in (0, mask):
                warp.lanes[number] = mask & ~part
                mask = part
        row = self.rows[number]
        for name in ("fn", "move"):
            if row[name]:
                self._call(warp, row[name], mask)
        kind = SegmentKind(row["kind"])
        if kind is SegmentKind.EXIT:
            return
        if kind is SegmentKind.BARRIER:
            warp.waiting[number] = warp.waiting.get(number, 0) | mask
            return
        if kind is SegmentKind.TRAP:
            slots = self.context.slots
            header = self.segments.layout.header(warp.block)
            lane = (mask & -mask).bit_length() - 1
            slots[Slot.TRAP_KIND] = TrapCode.TRAP
            slots[Slot.TRAP_PC] = row["last_pc"]
            slots[Slot.TRAP_GROUP] = header[Header.GROUP]
            slots[Slot.TRAP_LOCAL] = header[Header.WARP] * self.segments.width + lane
            raise self.work.trap(trap_record(self.work, slots))
        taken = 0
        if kind is SegmentKind.BRANCH:
            at = row["cond_row"]
            taken = mask & int(warp.block[at : at + 8].view(np.uint64)[0])
        for there, lanes in ((row["target"], taken), (row["next"], mask & ~taken)):
            if lanes:
                warp.lanes[there] = warp.lanes.get(there, 0) | lanes

    def _call(self, warp: Warp, address: int, mask: int) -> None:
        refused = self.calls[address](warp.block.ctypes.data, mask)
        if not refused:
            return
        assert refused & ~mask == 0
        record = trap_record(self.work, self.context.slots)
        lowest = (refused & -refused).bit_length() - 1
        assert record.local % self.segments.width == lowest
        raise self.work.trap(record)


class DivergentBarrier(Exception):
    """Not all work-items have reached the same barrier."""


def run(
    work: Work, grain: Grain = Grain.SEGMENT, pieces: np.random.Generator | None = None
) -> None:
    """Run a launch. `pieces` splits the lanes that go together at random. Raises Trap."""
    Walker(work, grain, pieces).run()
