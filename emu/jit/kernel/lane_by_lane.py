"""Lanes of a warp that run a loop one after the other, as scalar code.

The mask at the loop's header is taken apart. For each lane, what the loop needs is read out of the
vectors, the loop runs with real branches from the header to one of its exits, and what it leaves
behind is put back. Then all those lanes wait behind the loop, as if they had run together.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ....isa.types import RegClass
from ...analysis.order import Loop
from ...analysis.sparse import ways_out
from ...analysis.ssa import Op, Phi, Value, uses
from ...analysis.uniformity import OneLane
from ..llvm.text import integer, register_type
from ..runtime.context import TrapCode
from . import budget
from .instructions import Instructions
from .values import Mask

if TYPE_CHECKING:
    from .nodes import Lowering


@dataclass
class Exit:
    """A node at which lanes wait behind the loop: who, and what they bring for its phis."""

    word: str
    """Where the mask of those that have come is kept, a ptr."""
    brought: dict[Phi, tuple[object, str]] = field(default_factory=dict)
    """Phi -> its variable, and where each lane's value is kept meanwhile (a ptr)."""


class Peel(Instructions):
    """Emits a loop for one lane at a time."""

    def __init__(self, low: Lowering, loop: Loop) -> None:
        shapes = OneLane(low.ssa, replace(low.facts, width=1))
        super().__init__(low.module, low.kernel, low.readonly_bytes, low.ssa, shapes)
        self.low = low
        self.loop = loop
        self.entry, self.code = low.entry, low.code
        self.warp_width = low.warp_width
        self.mask = Mask(["splat (i1 true)"])
        self.lane = ""
        self._from_outside: dict[Value, str] = {}
        self._exits: dict[int, Exit] = {}
        self._share("budget", low)

    def identity(self, op: Op) -> None:
        raise NotImplementedError(op.ins.row.stem)

    def report(self, lane: str) -> None:
        self.low.report(self.code.let(f"add i64 {lane}, {self.lane}"))

    # --- the loop

    def emit(self) -> None:
        """The code of the loop, from the run of its header to the jump to whatever is next."""
        low, code, header = self.low, self.code, self.loop.header
        rest = self.entry.let("alloca i64")
        code.line(f"store i64 {low.mask_word(low.mask.chunks)}, ptr {rest}")
        for source, there in ways_out(self.flow, self.loop):
            self._prepare_exit(source, there)
        sources = {value: self._spill(value) for value in self._needed()}
        code.jump(f"next{header}")
        code.block(f"next{header}")
        lanes = code.let(f"load i64, ptr {rest}")
        more = code.let(f"icmp ne i64 {lanes}, 0")
        code.branch(more, f"lane{header}", f"done{header}")
        code.block(f"lane{header}")
        self.lane = code.call("i64", "llvm.cttz.i64", f"i64 {lanes}", "i1 true")
        others = code.let(f"and i64 {lanes}, {code.let(f'sub i64 {lanes}, 1')}")
        code.line(f"store i64 {others}, ptr {rest}")
        self._enter(sources)
        for number in self.flow.order:
            if number in self.loop.nodes and self.flow.nodes[number].latch_of is None:
                self.node = number
                self.local.clear()
                code.block(f"alone{number}")
                for op in self.ssa.ops.get(number, ()):
                    self.op(op)
                self._leave(number)
        code.block(f"done{header}")
        code.lines += self.poison()
        self._meet()

    def _enter(self, sources: dict[Value, str]) -> None:
        """What one lane finds at the header."""
        code, header = self.code, self.loop.header
        for value, source in sources.items():
            own = self._of_lane(value, source)
            if isinstance(value, Phi) and value.node == header:
                self.store((value, "value"), self.types_of(value.cls, True), [own])
            else:
                self._from_outside[value] = own
        (counters,) = self.low.load("counters", ["ptr"])
        mine = code.let(f"getelementptr i64, ptr {counters}, i64 {self.lane}")
        self.store("counters", ["ptr"], [mine])
        code.jump(f"alone{header}")

    def _leave(self, number: int) -> None:
        code, node = self.code, self.flow.nodes[number]
        if node.last is not None and node.last.row.stem == "trap":
            self.trap(TrapCode.TRAP, node.stop, self.mask.chunks)
            return
        if len(node.successors) == 1:
            self._jump(number, node.successors[0])
            return
        fall, taken = node.successors
        sides = no, yes = code.fresh_label("e"), code.fresh_label("e")
        condition = self.scalar(self.ssa.conditions[number])
        code.branch(condition, yes, no)
        known = dict(self.local)
        for label, there in zip(sides, (fall, taken), strict=True):
            self.local = dict(known)
            code.block(label)
            self._jump(number, there)

    def _jump(self, number: int, there: int) -> None:
        """Along an edge, within the loop or out of it."""
        code = self.code
        way = self.flow.route(number, there)
        phis = self.ssa.phis.get(there, ())
        values = [self.incoming(phi, phi.args[number], "value")[0] for phi in phis]
        if way in self.loop.nodes:
            for phi, value in zip(phis, values, strict=True):
                self.store((phi, "value"), self.types_of(phi.cls, True), [value])
            if way != there:
                budget.spend(self, there)
            code.jump(f"alone{there}")
            return
        behind = self._exits[way]
        for phi, value in zip(phis, values, strict=True):
            self._put(phi.cls, behind.brought[phi][1], value)
        here = code.let(f"shl i64 1, {self.lane}")
        others = code.let(f"load i64, ptr {behind.word}")
        code.line(f"store i64 {code.let(f'or i64 {others}, {here}')}, ptr {behind.word}")
        code.jump(f"next{self.loop.header}")

    # --- in and out

    def _needed(self) -> list[Value]:
        """The values that the loop takes from outside, its header's phis among them."""
        ssa, inside = self.ssa, self.loop.nodes
        found: set[Value] = set(ssa.phis.get(self.loop.header, ()))
        for number in inside:
            for op in ssa.ops.get(number, ()):
                found |= uses(op)
            if number in ssa.conditions:
                found.add(ssa.conditions[number])
            for there in self.flow.nodes[number].successors:
                found |= {phi.args[number] for phi in ssa.phis.get(there, ()) if number in phi.args}
        header = self.loop.header
        return sorted(
            (
                v
                for v in found
                if isinstance(v, (Op, Phi))
                and (v.node not in inside or (isinstance(v, Phi) and v.node == header))
            ),
            key=self.place_of,
        )

    def _spill(self, value: Value) -> str:
        """Where each lane finds its own: a ptr to cells; a scalar if it needs none."""
        low = self.low
        if low.shapes.is_uniform(value):
            return low.scalar(value)
        if low.is_counted(value):
            return low.lane0(value)
        cells = self._cells(value.cls)
        for j, chunk in enumerate(low.vector(value)):
            type_, wide = _cell(value.cls, low.n), chunk
            if value.cls is RegClass.C:
                wide = self.code.let(f"zext {low.mask_type} {chunk} to {type_}")
            self.code.line(f"store {type_} {wide}, ptr {self._chunk(value.cls, cells, j)}, align 8")
        return cells

    def _of_lane(self, value: Value, source: str) -> str:
        low, code, cls = self.low, self.code, value.cls
        if low.shapes.is_uniform(value):
            return source
        type_ = register_type(cls, 0)
        if low.is_counted(value):
            step = low.shapes.stride(value) or 0
            lane = self.lane if cls is RegClass.D else code.let(f"trunc i64 {self.lane} to i32")
            return code.let(f"add {type_} {source}, {code.let(f'mul {type_} {lane}, {step}')}")
        cell = _cell(cls, 0)
        own = code.let(f"load {cell}, ptr {self._place(cls, source, self.lane)}")
        return code.let(f"trunc i8 {own} to i1") if cls is RegClass.C else own

    def _put(self, cls: RegClass, cells: str, value: str) -> None:
        if cls is RegClass.C:
            value = self.code.let(f"zext i1 {value} to i8")
        place = self._place(cls, cells, self.lane)
        self.code.line(f"store {_cell(cls, 0)} {value}, ptr {place}")

    def _prepare_exit(self, source: int, there: int) -> None:
        way = self.flow.route(source, there)
        if way not in self._exits:
            self._exits[way] = Exit(self.entry.let("alloca i64"))
            self.code.line(f"store i64 0, ptr {self._exits[way].word}")
        for phi in self.ssa.phis.get(there, ()):
            key = (phi, "value") if way == there else (phi, "value", "next")
            self._exits[way].brought.setdefault(phi, (key, self._cells(phi.cls)))

    def _meet(self) -> None:
        """All lanes are through: they wait behind the loop."""
        low, code = self.low, self.code
        waits = low.waits[self.loop.header]
        low.local.clear()
        for way, behind in self._exits.items():
            chunks = low.mask_chunks(code.let(f"load i64, ptr {behind.word}"))
            for phi, (key, cells) in behind.brought.items():
                low.copy(key, low.types_of(phi.cls, False), self._chunks(phi.cls, cells),
                         chunks if way in waits else None)  # fmt: skip
            low.wait_at(way, chunks, others_wait=way in waits)
        code.jump(low.next_of(waits.union(self._exits)))

    def _chunks(self, cls: RegClass, cells: str) -> list[str]:
        low, code, found = self.low, self.code, []
        for j in range(low.k):
            type_ = _cell(cls, low.n)
            chunk = code.let(f"load {type_}, ptr {self._chunk(cls, cells, j)}, align 8")
            if cls is RegClass.C:
                chunk = code.let(f"trunc {type_} {chunk} to {low.mask_type}")
            found.append(chunk)
        return found

    def _cells(self, cls: RegClass) -> str:
        return self.entry.let(f"alloca [{self.warp_width} x {_cell(cls, 0)}], align 64")

    def _place(self, cls: RegClass, cells: str, lane: str) -> str:
        return self.code.let(f"getelementptr {_cell(cls, 0)}, ptr {cells}, i64 {lane}")

    def _chunk(self, cls: RegClass, cells: str, j: int) -> str:
        return self._place(cls, cells, str(j * self.low.n))

    # --- values

    def _get(self, value: Value, part: str) -> list[str]:
        own = self._from_outside.get(value)
        return super()._get(value, part) if own is None else [own]


def _cell(cls: RegClass, n: int) -> str:
    """The type of a register in memory: conditions take a byte."""
    return integer(8 if cls is RegClass.C else cls.bits, n)
