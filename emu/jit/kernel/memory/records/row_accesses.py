"""Accesses of rows in a loop before which a test has shown that all that they access is inside."""

from __future__ import annotations

from collections.abc import Mapping

from .....analysis.values.ssa import Op
from ....arithmetic.widths import extended
from ...lane_code import LaneCode
from ..cold import Cold
from ..moves import Moves
from ..pieces.accesses import Pieces
from . import row_blocks, row_stores
from .row_blocks import RowAccess


class RowAccesses:
    """Emits the loads and stores of rows of one kernel, in blocks."""

    def __init__(self, lanes: LaneCode, moves: Moves, cold: Cold, pieces: Pieces) -> None:
        self._lanes, self._moves, self._cold, self._pieces = lanes, moves, cold, pieces
        self._rows: Mapping[Op, RowAccess] = {}
        self._rooms: dict[Op, str] = {}
        """Room for the blocks of these accesses, a ptr."""

    def rely_on(self, rows: Mapping[Op, RowAccess]) -> None:
        """Emit the code of a loop with such accesses, or with none."""
        self._rows, cold = rows, self._cold
        stores = {row: self._room(op) for op, row in rows.items() if not op.ins.row.is_load}
        cold.makes_stale = bool(rows)
        cold.write_kept = (lambda: row_stores.write_kept(self._lanes, stores)) if stores else None

    def has(self, op: Op) -> bool:
        """Return whether an access is one of a row."""
        return op in self._rows

    def op(self, op: Op) -> None:
        """Emit one load or store."""
        lanes, row, room, type_ = self._lanes, self._rows[op], self._room(op), op.element
        if op.ins.row.is_load:
            loaded = row_blocks.load(lanes, row, room)
            chunks = [extended(lanes.code, c, type_, lanes.n) for c in loaded]
            self._pieces.define(op, chunks)
        else:
            row_stores.store(lanes, row, self._moves.store_data(op, type_), room)

    def _room(self, op: Op) -> str:
        if op not in self._rooms:
            self._rooms[op] = row_blocks.room_for_block(self._lanes)
        return self._rooms[op]
