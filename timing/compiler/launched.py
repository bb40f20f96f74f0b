"""A launched kernel on a machine: its segments, its warps' memory and its counters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...emu.jit.segments.compile import Segments
from ...isa.program import Kernel, Program


@dataclass
class Code:
    """A kernel that was launched; its counters persist from launch to launch."""

    program: Program
    segments: Segments
    blocks: np.ndarray
    """uint8 of shape (warp contexts, bytes): the register block of each."""
    seg_cycles: np.ndarray
    seg_count: np.ndarray

    @property
    def kernel(self) -> Kernel:
        return self.segments.kernel
