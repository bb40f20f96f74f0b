"""Atomics of global memory: one helper per operation and type, which takes lanes in order.

The cells of its arguments and results have 64 bits a lane. Group memory has a file of its own.
"""

from __future__ import annotations

from .....isa.types import Segment, Type
from ....analysis.ssa import Op
from ...llvm.text import integer
from ...runtime.helpers import WIDE_ATOMIC, atomic_name
from ..lane_code import LaneCode
from .cold import Cold
from .group_atomics import GroupAtomics
from .local_memory import LocalMemory


class Atomics:
    """Emits the atomics of one kernel."""

    def __init__(self, lanes: LaneCode, local: LocalMemory, cold: Cold) -> None:
        self.lanes = lanes
        self.local = local
        self.cold = cold
        self._group_atomics = GroupAtomics(lanes, local, cold)

    def op(self, op: Op) -> None:
        """Emit one atomic."""
        lanes, cold = self.lanes, self.cold
        row, address, type_ = op.ins.row, op.ins.address, op.ins.row.type
        assert address is not None
        assert type_ is not None
        if address.segment is Segment.GROUP:
            self._group(op, type_)
            return
        addresses, old = cold.cells("addresses"), cold.cells("cells")
        self._global_addresses(op, addresses)
        cells = []
        for i, name in enumerate(("as", "bs")):
            cell = cold.cells(name)
            if i < len(row.srcs):
                chunks = lanes.observed(op.args[i], lanes.vector(op.args[i]), lanes.n)
                cold.put(cell, [self._wide(c, type_) for c in chunks], 64)
            cells.append(cell)
        name = atomic_name(row.stem.removeprefix("atomic_"), type_.name)
        given = (f"ptr {c}" for c in (addresses, *cells, old))
        result = cold.call_for_lanes(name, *given, "i32 0", seldom=False, through=WIDE_ATOMIC)
        cold.check(result, op.pc)
        if op.ins.dst is not None:
            lanes.define(op, "value", [self._narrow(c, type_) for c in cold.take(old, 64)])

    def _wide(self, chunk: str, type_: Type) -> str:
        if type_.bits == 64:
            return chunk
        n = self.lanes.n
        return self.lanes.code.let(f"zext {integer(type_.bits, n)} {chunk} to {integer(64, n)}")

    def _narrow(self, chunk: str, type_: Type) -> str:
        if type_.bits == 64:
            return chunk
        n = self.lanes.n
        return self.lanes.code.let(f"trunc {integer(64, n)} {chunk} to {integer(type_.bits, n)}")

    def _global_addresses(self, op: Op, cells: str) -> None:
        """Put the simulated addresses into cells; the helper looks them up."""
        lanes = self.lanes
        assert op.ins.address is not None
        assert op.base is not None
        offset, t = op.ins.address.offset, integer(64, lanes.n)
        places = [
            lanes.code.let(f"add {t} {c}, splat (i64 {offset})") for c in lanes.vector(op.base)
        ]
        self.cold.put(cells, places, 64)

    def _group(self, op: Op, type_: Type) -> None:
        """Emit an atomic of group memory, with its checks."""
        extent = self.local.extent(op)
        if extent.span() < 0:
            self.local.always_faults(op, extent)
        else:
            self.local.guard(op, extent)
        self._group_atomics.op(op, type_)
