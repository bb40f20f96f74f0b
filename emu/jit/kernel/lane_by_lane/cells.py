"""Cells in memory, one for each lane, in which lanes that run one by one find and leave values."""

from __future__ import annotations

from collections.abc import Sequence

from .....isa.types import RegClass
from ....analysis.values.ssa import Value
from ...llvm.text import integer
from ..lane_code import LaneCode


class LaneCells:
    """Emits the accesses of such cells, by all lanes of a warp and by one of them."""

    def __init__(self, lanes: LaneCode) -> None:
        self.lanes = lanes
        self.code = lanes.code

    def new(self, cls: RegClass, count: int = 0) -> str:
        """Return a cell for each lane, and `count` at least, a ptr."""
        count = max(count, self.lanes.width)
        return self.lanes.entry.let(f"alloca [{count} x {cell_type(cls)}], align 64")

    def spill(self, value: Value) -> str:
        """Return cells that have what a value is in each lane."""
        # One more, which is loaded after the last lane.
        cells = self.new(value.cls, 65)
        self.store_all(value.cls, cells, self.lanes.vector(value))
        return cells

    def store_all(self, cls: RegClass, cells: str, chunks: Sequence[str]) -> None:
        """Put the values of all lanes into cells."""
        lanes, type_ = self.lanes, cell_type(cls, self.lanes.n)
        for j, chunk in enumerate(chunks):
            wide = chunk
            if cls is RegClass.C:
                wide = self.code.let(f"zext {lanes.mask_type} {chunk} to {type_}")
            self.code.line(f"store {type_} {wide}, ptr {self._chunk(cls, cells, j)}, align 8")

    def vector(self, cls: RegClass, cells: str) -> list[str]:
        """Return what all lanes have left in cells."""
        lanes, code, found = self.lanes, self.code, []
        type_ = cell_type(cls, lanes.n)
        for j in range(lanes.k):
            chunk = code.let(f"load {type_}, ptr {self._chunk(cls, cells, j)}, align 8")
            if cls is RegClass.C:
                chunk = code.let(f"trunc {type_} {chunk} to {lanes.mask_type}")
            found.append(chunk)
        return found

    def load(self, cls: RegClass, cells: str, lane: str) -> str:
        """Return what is in the cell of a lane, an i64; of a condition, a byte."""
        return self.code.let(f"load {cell_type(cls)}, ptr {self._place(cls, cells, lane)}")

    def store(self, cls: RegClass, cells: str, lane: str, value: str) -> None:
        """Put a value into the cell of a lane, an i64."""
        if cls is RegClass.C:
            value = self.code.let(f"zext i1 {value} to i8")
        place = self._place(cls, cells, lane)
        self.code.line(f"store {cell_type(cls)} {value}, ptr {place}")

    def _place(self, cls: RegClass, cells: str, lane: str) -> str:
        return self.code.let(f"getelementptr {cell_type(cls)}, ptr {cells}, i64 {lane}")

    def _chunk(self, cls: RegClass, cells: str, j: int) -> str:
        return self._place(cls, cells, str(j * self.lanes.n))


def cell_type(cls: RegClass, n: int = 0) -> str:
    """Return the type of a register in memory: conditions take a byte."""
    return integer(8 if cls is RegClass.C else cls.bits, n)
