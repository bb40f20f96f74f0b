"""The cold side of an access: helpers look at every lane alone and tell which one faults.

They get and give data through cells on the stack, 64 bits a lane, and return the lane that has met
a fault plus one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...isa.types import RegClass, Type
from .context import Slot
from .moves import Moves
from .ssa import Op
from .text import register_type

if TYPE_CHECKING:
    from .instructions import Instructions


class Cold:
    """Emits calls of the helpers."""

    def __init__(self, lowering: Instructions, moves: Moves) -> None:
        self.low = lowering
        self.moves = moves
        self._cells: dict[str, str] = {}

    def access(self, op: Op, type_: Type) -> None:
        """A whole load or store of global memory that is always done lane by lane."""
        cells = self.lanes(op, type_)
        if not op.ins.row.is_load:
            return
        uniform = self.low.shapes.is_uniform(op)
        self.low.define(
            op, "value", [self.first(cells, type_)] if uniform else self.registers(cells, type_)
        )

    def lanes(self, op: Op, type_: Type) -> str:
        """Load or store for all running lanes; returns the cells with what was loaded."""
        low, code = self.low, self.low.code
        assert op.ins.address is not None
        assert op.base is not None
        addresses, cells = self.cells("addresses"), self.cells("cells")
        step = op.ins.address.offset
        t = f"<{low.n} x i64>"
        for j, chunk in enumerate(low.vector(op.base)):
            moved = code.let(f"add {t} {chunk}, splat (i64 {step})") if step else chunk
            self.put(addresses, j, moved)
        is_store = not op.ins.row.is_load
        if is_store:
            self.fill(cells, low.observed(op.args[0], low.vector(op.args[0]), low.n), type_.reg)
        result = code.call(
            "i32",
            "simtlab_move",
            "ptr %ctx",
            f"i64 {self.moves.running()}",
            f"ptr {addresses}",
            f"ptr {cells}",
            f"i64 {type_.size}",
            f"i32 {int(is_store)}",
        )
        self.check(result, op.pc)
        return cells

    def first(self, cells: str, type_: Type) -> str:
        """The register of the first running lane, a scalar."""
        lane = self.moves.lowest_running()
        cell = self.low.code.let(f"getelementptr i64, ptr {cells}, i64 {lane}")
        return self.moves.load(type_, cell)

    def registers(self, cells: str, type_: Type) -> list[str]:
        """Registers out of cells of which a load has filled the low bytes."""
        low, code = self.low, self.low.code
        chunks = []
        for j in range(low.k):
            place = code.let(f"getelementptr i64, ptr {cells}, i64 {j * low.n}")
            wide = code.let(f"load <{low.n} x i64>, ptr {place}, align 8")
            if type_.bits < 64:
                wide = code.let(f"trunc <{low.n} x i64> {wide} to <{low.n} x i{type_.bits}>")
            chunks.append(self.moves.extended(wide, type_, low.n))
        return chunks

    def cells(self, name: str) -> str:
        """Cells by the name of their use, made on first use."""
        if name not in self._cells:
            entry = self.low.entry
            self._cells[name] = entry.let(f"alloca [{self.low.facts.width} x i64], align 64")
        return self._cells[name]

    def fill(self, cells: str, chunks: Sequence[str], cls: RegClass) -> None:
        """Put a register into cells."""
        t = register_type(cls, self.low.n)
        for j, chunk in enumerate(chunks):
            wide = chunk
            if cls is not RegClass.D:
                wide = self.low.code.let(f"zext {t} {chunk} to <{self.low.n} x i64>")
            self.put(cells, j, wide)

    def put(self, cells: str, j: int, wide: str) -> None:
        """Put chunk number j of 64-bit values into cells."""
        low, code = self.low, self.low.code
        place = code.let(f"getelementptr i64, ptr {cells}, i64 {j * low.n}")
        code.line(f"store <{low.n} x i64> {wide}, ptr {place}, align 8")

    def check(self, result: str, pc: int) -> None:
        """Leave if a helper has met a fault."""
        code = self.low.code
        fault, go = code.name("x")[1:], code.name("x")[1:]
        code.line(f"br i1 {code.let(f'icmp ne i32 {result}, 0')}, label %{fault}, label %{go}")
        code.label(fault)
        self.leave(result, pc)
        code.label(go)

    def leave(self, result: str, pc: int) -> None:
        """Report the fault of which a helper has told, and end the launch."""
        low, code = self.low, self.low.code
        low.set_slot(Slot.TRAP_PC, str(pc))
        lane = code.let(f"zext i32 {code.let(f'sub i32 {result}, 1')} to i64")
        low.report(lane)
        code.line("br label %trapped")
