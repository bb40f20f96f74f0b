"""The cold side of an access: helpers that take one lane after the other and report faults.

They get addresses, and get and give data, through cells on the stack, and return the number of the
faulting lane plus one. A helper saves all registers that it uses, vectors and masks too: a call
that is never made costs the code around it no register and no stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .....isa.types import Type
from ....analysis.values.ssa import Op
from ...arithmetic.widths import extended
from ...llvm.text import integer
from ...runtime.helpers import ATTRIBUTES
from ..equal_lanes import name_of
from ..lane_code import LaneCode
from .moves import STALE, Moves
from .pieces.accesses import Pieces

_ADDRESS, _HOW, _DATA, _RESULT = 1, 2, 3, 4
"""Words of the record that `simtlab_move_one` takes; the first one has the context block."""


@dataclass(frozen=True)
class Targets:
    """Simulated addresses of all lanes: `base` (an i64) + `step` * index of the lane.

    The indices are chunks of 32 bits, signed or not, or of 64; without indices, the lane numbers.
    """

    base: str
    step: int
    indices: Sequence[str] = ()
    bits: int = 32
    signed: bool = False

    @property
    def kind(self) -> int:
        """The code of the indices in the helper's argument."""
        return 0 if not self.indices else 3 if self.bits == 64 else 2 if self.signed else 1


class Cold:
    """Emits calls of the helpers; `guarded` are the pcs of loads from unwritten buffers."""

    def __init__(
        self, lanes: LaneCode, moves: Moves, pieces: Pieces, guarded: frozenset[int]
    ) -> None:
        self.lanes = lanes
        self._guarded = guarded
        self.makes_stale = False
        """Whether stores must set `STALE`."""
        self.write_kept: Callable[[], None] | None = None
        """Emits the writing of what stores to rows keep, which an access could see."""
        self.moves = moves
        self.pieces = pieces
        self._cells: dict[str, str] = {}
        self._is_alone = lanes.is_alone
        """Whether this is code for one lane of a warp."""
        self._record: list[str] = []
        """The words of the record of code for one lane."""

    def access(self, op: Op, type_: Type) -> None:
        """Emit a load or store of global memory that is always done lane by lane."""
        lanes = self.lanes
        assert op.base is not None
        offset = op.address.offset
        if self._is_alone:
            targets = Targets(lanes.code.let(f"add i64 {lanes.scalar(op.base)}, {offset}"), 0)
        else:
            targets = Targets(str(offset), 1, lanes.vector(op.base), 64)
        loaded = self.move(op, type_, targets)
        if op.ins.row.is_load:
            if lanes.shapes.is_uniform(op):
                lanes.define(op, "value", self.first(type_))
            else:
                self.pieces.define(op, loaded)

    def move(self, op: Op, type_: Type, targets: Targets) -> list[str]:
        """Load or store for all running lanes; return what was loaded, as registers."""
        lanes, is_load = self.lanes, op.ins.row.is_load
        if self.write_kept is not None:
            self.write_kept()
        if self.makes_stale and not is_load:
            lanes.variables.store(STALE, ["i1"], ["true"])
        if self._is_alone:
            assert not targets.indices
            return self._move_one(op, type_, targets.base)
        cells, indices = self.cells("cells"), "null"
        if targets.indices:
            indices = self.cells("addresses")
            self.put(indices, targets.indices, targets.bits)
        if not is_load:
            self.put(cells, self.moves.store_data(op, type_), type_.bits)
        elif type_.is_float:
            # What other lanes would find may be floats that take a CPU a hundred cycles.
            self.put(cells, ["zeroinitializer"] * lanes.k, type_.bits)
        how = type_.size | self._mode(op) << 8 | targets.kind << 12 | targets.step << 16
        result = self.call_for_lanes(
            "simtlab_move",
            f"i64 {targets.base}",
            f"ptr {indices}",
            f"ptr {cells}",
            f"i64 {how}",
        )
        self.check(result, op.pc)
        if not is_load:
            return []
        return [extended(lanes.code, c, type_, lanes.n) for c in self.take(cells, type_.bits)]

    def _mode(self, op: Op) -> int:
        """Return the code of loads, stores and guarded loads in the helper's argument."""
        return 3 if op.pc in self._guarded else 0 if op.ins.row.is_load else 1

    def _move_one(self, op: Op, type_: Type, address: str) -> list[str]:
        """Load or store an address, an i64, in code for one lane; return nothing."""
        code, how = self.lanes.code, type_.size | self._mode(op) << 8
        code.line(f"store i64 {address}, ptr {self._field(_ADDRESS)}")
        code.line(f"store i64 {how}, ptr {self._field(_HOW)}")
        if not op.ins.row.is_load:
            data = self.moves.store_scalar(op, type_)
            code.line(f"store i{type_.bits} {data}, ptr {self._field(_DATA)}")
        name = "simtlab_move_one"
        code.module.declare(name, f"declare void @{name}(ptr) cold {ATTRIBUTES}")
        code.line(f"call void @{name}(ptr {self._field(0)})")
        self.check(code.let(f"load i32, ptr {self._field(_RESULT)}"), op.pc)
        return []

    def _field(self, number: int) -> str:
        """Return the address of a word of the record that `simtlab_move_one` takes."""
        entry = self.lanes.entry
        if not self._record:
            self._record = [entry.let("alloca [5 x i64], align 64")]
            entry.line(f"store ptr %ctx, ptr {self._record[0]}")
            self._record += [
                entry.let(f"getelementptr i64, ptr {self._record[0]}, i64 {i}") for i in range(1, 5)
            ]
        return self._record[number]

    def first(self, type_: Type) -> list[str]:
        """Return what the first running lane has loaded in `move`, a scalar."""
        if self._is_alone:
            return [self.moves.load(type_, self._field(_DATA), seldom=True)]
        cell = self.cell(type_, self.lanes.lowest(self.lanes.running()))
        return [self.moves.load(type_, cell)]

    def of_highest(self, op: Op, type_: Type) -> str:
        """Return what a store by the running lanes leaves at one place: the highest lane's data."""
        # No call gets these cells, so LLVM removes them where it knows the lane.
        self.put(self.cells("highest"), self.moves.store_data(op, type_), type_.bits)
        lanes = self.lanes
        if lanes.one_lane == op.node:
            lane = lanes.variables.word(name_of(op.node))
        else:
            lane = lanes.highest(lanes.running())
        cell = self.cell(type_, lane, "highest")
        return self.lanes.code.let(f"load i{type_.bits}, ptr {cell}")

    # --- helpers

    def call_for_lanes(
        self, name: str, *arguments: str, seldom: bool = True, through: str | None = None
    ) -> str:
        """Call a helper for the running lanes and return its result, an i32.

        It takes their mask, an i64. More lanes than that has bits are taken by its wide version, or
        by `through`, to which it is an argument. These get the words of the mask in cells, and
        their number.
        """
        lanes = self.lanes
        if lanes.word_type == "i64":
            return self.call(name, "ptr %ctx", f"i64 {lanes.running()}", *arguments, seldom=seldom)
        masks = self.cells("masks")
        lanes.store_mask(masks)
        words = lanes.facts.width // 64
        given = ["ptr %ctx", f"ptr {masks}", f"i64 {words}"]
        if through is None:
            return self.call(f"{name}_wide", *given, *arguments, seldom=seldom)
        self._declare(name, ("ptr %ctx", "i64 0", *arguments), seldom=seldom)
        return self.call(through, *given, f"ptr @{name}", *arguments, seldom=seldom)

    def call(self, name: str, *arguments: str, seldom: bool = True) -> str:
        """Call a helper and return its result, an i32; LLVM moves `seldom` calls out of the way."""
        self._declare(name, arguments, seldom=seldom)
        return self.lanes.code.call("i32", name, *arguments)

    def _declare(self, name: str, arguments: Sequence[str], *, seldom: bool) -> None:
        types = ", ".join(a.split()[0] for a in arguments)
        attributes = f"cold {ATTRIBUTES}" if seldom else ATTRIBUTES
        self.lanes.code.module.declare(name, f"declare i32 @{name}({types}) {attributes}")

    def check(self, result: str, pc: int) -> None:
        """End the launch if a helper has found a fault."""
        code = self.lanes.code
        fault, go = code.fresh_label("x"), code.fresh_label("x")
        code.branch(code.let(f"icmp ne i32 {result}, 0"), fault, go)
        code.block(fault)
        self.lanes.leave(result, pc)
        code.block(go)

    # --- cells

    def cells(self, name: str) -> str:
        """Return cells of up to 64 bits a lane by the name of their use, made at the first one."""
        if name not in self._cells:
            entry = self.lanes.entry
            self._cells[name] = entry.let(f"alloca [{self.lanes.facts.width} x i64], align 64")
        return self._cells[name]

    def cell(self, type_: Type, lane: str, name: str = "cells") -> str:
        """Return where the data of a lane (an i64) are."""
        cells = self.cells(name)
        return self.lanes.code.let(f"getelementptr i{type_.bits}, ptr {cells}, i64 {lane}")

    def put(self, cells: str, chunks: Sequence[str], bits: int) -> None:
        """Put chunks of integers into cells of their size."""
        t = integer(bits, self.lanes.n)
        for place, chunk in zip(self.lanes.chunk_places(cells, bits), chunks, strict=True):
            self.lanes.code.line(f"store {t} {chunk}, ptr {place}, align {bits // 8}")

    def take(self, cells: str, bits: int) -> list[str]:
        """Return chunks of integers from cells of their size."""
        t = integer(bits, self.lanes.n)
        return [
            self.lanes.code.let(f"load {t}, ptr {place}, align {bits // 8}")
            for place in self.lanes.chunk_places(cells, bits)
        ]
