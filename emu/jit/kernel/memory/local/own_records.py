"""Words side by side in group memory, which each lane loads at a place of its own.

A box, a body or a complex number in a tile is several loads from one base. On hosts that gather
slowly all of them are made at the first one (`records/quads.py`).
"""

from __future__ import annotations

from ......isa.types import Segment
from .....analysis.values.ssa import Op
from ....llvm.text import integer
from ....llvm.vectors import CHUNK
from ...lane_code import LaneCode
from ..kernel_memory import KernelMemory
from ..records import quads
from .checks import LocalChecks

WORD = 4
"""Bytes of an element."""


class OwnRecords:
    """Emits these loads."""

    def __init__(self, lanes: LaneCode, memory: KernelMemory, checks: LocalChecks) -> None:
        self.lanes = lanes
        self.memory = memory
        self.checks = checks
        self._loaded: dict[Op, list[str]] = {}
        """What was loaded with the first word of a record."""

    def load(self, op: Op) -> list[str] | None:
        """Return the words of all lanes if a load is of a record, as chunks; None if it is not."""
        if op in self._loaded:
            return self._loaded.pop(op)
        ops = self._together(op)
        places = {each.address.offset // WORD for each in ops}
        if len(places) < quads.LEAST:
            return None
        lanes, code = self.lanes, self.lanes.code
        assert op.base is not None
        t, low = integer(32, lanes.n), min(places)
        memory = self.memory.group_place(lanes.entry)
        base = code.let(f"getelementptr i8, ptr {memory}, i64 {WORD * low}")
        words: list[list[str]] = [[] for _ in range(quads.WORDS)]
        for offsets, mask in zip(lanes.vector(op.base), lanes.mask, strict=True):
            # Lanes that do not run load from the base on.
            own = code.let(f"select {lanes.mask_type} {mask}, {t} {offsets}, {t} zeroinitializer")
            found = quads.load(code, quads.places_from(code, base, own))
            for word, chunk in zip(words, found, strict=True):
                word.append(chunk)
        loaded = {each: words[each.address.offset // WORD - low] for each in ops}
        self._loaded |= loaded
        return self._loaded.pop(op)

    def _together(self, op: Op) -> list[Op]:
        """Return a load with those after it in its node that are of the same record."""
        lanes, found = self.lanes, list[Op]()
        if op.ins.row.segment is not Segment.GROUP or lanes.is_alone or lanes.n != CHUNK:
            return found
        if not lanes.facts.slow_gathers or not self._is_inside(op):
            return found
        ops = lanes.ssa.ops[op.node]
        for other in ops[ops.index(op) :]:
            row = other.ins.row
            if row.segment is not Segment.GROUP:
                continue
            if not row.is_load:
                break
            if other.base is not op.base or other.element.size != WORD:
                continue
            places = [each.address.offset for each in (*found, other)]
            near = max(places) - min(places) < quads.WORDS * WORD
            if near and self._is_inside(other):
                found.append(other)
        return found

    def _is_inside(self, op: Op) -> bool:
        """Return whether all running lanes are known to be inside, at a word from the base on."""
        offset = op.address.offset
        extent = self.checks.extent(op)
        return offset >= 0 and offset % WORD == 0 and self.checks.lanes_hold(op, extent)
