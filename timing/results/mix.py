"""Instructions by functional unit, and the register words that they access, for the energy model.

The engine counts how often a segment runs and with how many lanes; this module adds its content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ...isa.instruction import Instruction
from ...isa.table import Unit
from ...isa.types import RegClass
from ..compiler.launched import Code

UNITS = tuple(unit.value for unit in Unit)


@dataclass(frozen=True)
class InstructionMix:
    """Counts of all launches; register words have 32 bits."""

    warp: Mapping[str, int] = field(default_factory=dict)
    """Issued, per group, by unit."""
    thread: Mapping[str, int] = field(default_factory=dict)
    """Per active lane, by unit."""
    register_reads: int = 0
    register_writes: int = 0

    def to_dict(self) -> dict[str, object]:
        """Return the fields for JSON."""
        return {
            "warp": dict(self.warp),
            "thread": dict(self.thread),
            "register_reads": self.register_reads,
            "register_writes": self.register_writes,
        }


def mix_of(codes: Iterable[Code]) -> InstructionMix:
    """Return the mix of all instructions that were issued from some kernels."""
    warp, thread = np.zeros(len(UNITS), np.int64), np.zeros(len(UNITS), np.int64)
    reads = writes = 0
    for code in codes:
        instructions = code.kernel.instructions
        sizes = code.segments.table["n_instr"]
        runs = np.repeat(code.seg_count["runs"], sizes)
        lanes = np.repeat(code.seg_count["lanes"], sizes)
        units = np.array([UNITS.index(i.row.unit.value) for i in instructions])
        np.add.at(warp, units, runs)
        np.add.at(thread, units, lanes)
        words = np.array([_words(i) for i in instructions], np.int64)
        read, written = lanes @ words
        reads += int(read)
        writes += int(written)
    return InstructionMix(
        dict(zip(UNITS, map(int, warp), strict=True)),
        dict(zip(UNITS, map(int, thread), strict=True)),
        reads,
        writes,
    )


def _words(ins: Instruction) -> tuple[int, int]:
    """Return register words that a lane reads and writes; conditions are masks of the warp."""
    return tuple(  # pyright: ignore[reportReturnType]
        sum(r.cls.bits // 32 for r in regs if r.cls is not RegClass.C)
        for regs in (ins.reads(), ins.writes())
    )
