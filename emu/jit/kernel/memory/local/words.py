"""Accesses of group memory that has a word for each small element (group_memory/words.py)."""

from __future__ import annotations

from ......isa.types import U32, Type
from .....analysis.values.ssa import Op
from ....arithmetic.widths import extended
from ...lane_code import LaneCode
from ..addressing.extent import Extent
from ..kernel_memory import KernelMemory
from ..moves import Moves
from ..pieces.accesses import Pieces
from ..pieces.rows import whole_chunks


class WordTiles:
    """Emits these loads and stores, all of which are inside.

    Words have what a load of the element returns, whether it has a sign or not.
    """

    def __init__(self, lanes: LaneCode, moves: Moves, pieces: Pieces, memory: KernelMemory) -> None:
        self.lanes, self.moves, self.pieces, self.memory = lanes, moves, pieces, memory

    def op(self, op: Op, type_: Type, extent: Extent) -> None:
        """Emit one load or store."""
        lanes, moves, pieces = self.lanes, self.moves, self.pieces
        if not op.ins.row.is_load:
            self._store(op, type_, extent)
        elif lanes.shapes.is_uniform(extent.base):
            host = self._place(lanes.scalar(extent.base), extent)
            lanes.define(op, "value", [moves.load(U32, host)])
        elif lanes.shapes.stride(extent.base) == type_.size:
            host = self._place(lanes.lane0(extent.base), extent)
            pieces.define(op, moves.load_wide(U32, host))
        else:
            step = pieces.step(op, extent.base)
            assert step is not None
            hosts = self._hosts(extent)
            if lanes.is_pieced(op):
                pieces.define_scalars(op, U32, pieces.load_scalars(U32, hosts))
            else:
                whole = whole_chunks(lanes, extent.base, step)
                lanes.define(op, "value", pieces.load(U32, hosts, step, whole))

    def _store(self, op: Op, type_: Type, extent: Extent) -> None:
        lanes, code, base = self.lanes, self.lanes.code, extent.base
        loaded = self.memory.group_type
        assert loaded is not None
        low = self.moves.store_data(op, type_)
        data = [extended(code, chunk, loaded, lanes.n) for chunk in low]
        if lanes.shapes.stride(base) == type_.size:
            self.moves.store_wide(U32, data, self._place(lanes.lane0(base), extent))
        else:
            whole = whole_chunks(lanes, base, type_.size)
            self.pieces.store_chunks(U32, data, self._hosts(extent), whole)

    def _hosts(self, extent: Extent) -> list[str]:
        return [self._place(first, extent) for first in self.lanes.firsts(extent.base)]

    def _place(self, base: str, extent: Extent) -> str:
        code, each = self.lanes.code, 8 * self.memory.group_scale
        wide = code.let(f"zext i32 {base} to i64")
        moved = code.let(f"add i64 {wide}, {extent.offset}")
        memory = self.memory.group_place(self.lanes.entry)
        return code.let(f"getelementptr i{each}, ptr {memory}, i64 {moved}")
