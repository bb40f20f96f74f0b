"""A launched kernel on a machine: its segments, its warps' memory and its counters."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from ...emu.jit.runtime.aligned import aligned_bytes
from ...emu.jit.segments.compile import SegmentContext, Segments, context_of
from ...emu.jit.segments.warp_block import HEADER_BYTES, Header, blocks_of
from ...emu.memory import CODE_BASE
from ...isa.program import Kernel, Program, align
from ..engine.causes import N_CAUSES
from .engine_state import aligned

if TYPE_CHECKING:
    from ...emu.engine import Work
    from ..machines.machine import Machine


class Code:
    """A kernel that was launched; its counters persist from launch to launch.

    So does the memory of its warps, which every launch begins with zeroes.
    """

    def __init__(
        self, segments: Segments, work: Work, machine: Machine, tables: Mapping[str, np.dtype]
    ) -> None:
        self.program: Program = work.program
        self.segments = segments
        layout, count = segments.layout, machine.wpus * machine.warps
        self.blocks = blocks_of(layout, count)
        """uint8 of shape (warp contexts, bytes): the register block of each."""
        rows = len(segments.table)
        self.seg_cycles = aligned(rows * N_CAUSES, tables["seg_cycles"])
        self.seg_count = aligned(rows, tables["seg_count"])
        group_bytes, private_bytes = (
            align(max(n, 8), 64) for n in (layout.group_bytes, layout.private_bytes)
        )
        self._memory = aligned_bytes(group_bytes * count), aligned_bytes(private_bytes * count)
        group, private = (memory.ctypes.data for memory in self._memory)
        self._headers = self.blocks[:, :HEADER_BYTES].view(np.int64)
        self._headers[:, Header.PRIVATE_MEMORY] = private + private_bytes * np.arange(count)
        self._context: SegmentContext | None = None
        self._program: Program | None = None
        self._base = CODE_BASE
        self.words = {
            "group_memory": group,
            "group_bytes": group_bytes,
            "private_bytes": private_bytes,
            "private_stride": machine.private_distance(work.kernel.private_size),
        }
        """What the engine's header has for this kernel."""
        self.block_addresses = self.blocks.ctypes.data + layout.total * np.arange(count)

    @property
    def kernel(self) -> Kernel:
        return self.segments.kernel

    def context(self, work: Work) -> SegmentContext:
        """Return the context block of a launch, whose address the blocks of all warps then have."""
        context = self._context
        if context is None or not context.prepare(work):
            context = self._context = context_of(self.segments, work)
            self._headers[:, Header.CONTEXT] = context.address
        return context

    def base_in(self, program: Program) -> int:
        """Return the address of this code in a program, where kernels follow each other."""
        if program is not self._program:
            before = takewhile(lambda k: k.name != self.kernel.name, program.kernels)
            self._program, self._base = program, CODE_BASE + 8 * sum(len(k.words) for k in before)
        return self._base
