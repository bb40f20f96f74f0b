"""The instructions of a node as LLVM IR, for all lanes at once or as scalars."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ....isa.program import Kernel
from ...analysis.ssa import Const, Op, Phi, Ssa, Value
from ...analysis.uniformity import Shapes
from ..arithmetic import emit as alu
from ..llvm.text import ModuleText, register_type
from ..runtime.context import Slot, TrapCode
from .access import Access
from .values import Values


class Instructions(Values, ABC):
    """Emits instructions; who inherits knows who the lanes are, and cares for control flow."""

    def __init__(
        self, module: ModuleText, kernel: Kernel, readonly_bytes: int, ssa: Ssa, shapes: Shapes
    ) -> None:
        super().__init__(module, ssa, shapes)
        self.kernel = kernel
        self.group_bytes, self.private_bytes = kernel.group_size, kernel.private_size
        self.readonly_bytes = readonly_bytes
        self.has_barrier = any(
            node.last is not None and node.last.row.stem == "barrier" for node in self.flow.nodes
        )
        self.access = Access(self)

    @abstractmethod
    def identity(self, op: Op) -> None:
        """Define the value of an identity instruction."""

    @abstractmethod
    def report(self, lane: str) -> None:
        """Say in the context block that the trap is that of a lane (an i64)."""

    def place_of(self, value: Value) -> int:
        """The position of a value in the kernel, for a stable order."""
        return self._places[value]

    def private_memory(self, warp: str) -> str:
        """Where the private memory of a warp (an i64 operand) lies, a ptr."""
        code = self.code
        memory = code.let(f"inttoptr i64 {self.slot(Slot.PRIVATE_MEMORY)} to ptr")
        offset = code.let(f"mul i64 {warp}, {self.private_bytes * self.facts.width}")
        return code.let(f"getelementptr i8, ptr {memory}, i64 {offset}")

    def incoming(self, phi: Phi, value: Value, part: str) -> list[str]:
        """What a phi gets from a value, as the operands of one of its parts."""
        if part == "lane0":
            return [self.lane0(value)]
        if self.shapes.is_uniform(phi):
            operands, n = [self.scalar(value)], 0
        else:
            operands, n = self.vector(value), self.n
        return operands if phi in self.noncanonical else self.observed(value, operands, n)

    def op(self, op: Op) -> None:
        """Emit one instruction."""
        row = op.ins.row
        if row.is_memory or row.stem == "lda":
            self.access.op(op)
        elif row.unit.value == "id":
            self.identity(op)
        elif row.stem in ("memfence", "nop", "reconverge"):
            return
        else:
            self._compute(op)

    def _compute(self, op: Op) -> None:
        row = op.ins.row
        args = op.args
        if row.stem in ("div", "rem") and row.type is not None and not row.type.is_float:
            self._divide(op)
            return
        if self.shapes.is_uniform(op):
            operands = [self._argument(op, i, [self.scalar(a)], 0)[0] for i, a in enumerate(args)]
            self.define(op, "value", [alu.emit(self.code, row, op.ins.literals, operands, 0)])
            return
        columns = [self._argument(op, i, self.vector(a), self.n) for i, a in enumerate(args)]
        self.define(
            op,
            "value",
            [
                alu.emit(self.code, row, op.ins.literals, list(chunk), self.n)
                for chunk in zip(*columns, strict=True)
            ],
        )
        if self.shapes.stride(op) is not None:
            first = [self.lane0(a) for a in args]
            self.define(op, "lane0", [alu.emit(self.code, row, op.ins.literals, first, 0)])

    def _argument(self, op: Op, position: int, operands: list[str], n: int) -> list[str]:
        if not alu.wants_canonical(op.ins.row, position):
            return operands
        if op in self.noncanonical and alu.carries(op.ins.row, position):
            return operands
        return self.observed(op.args[position], operands, n)

    def _divide(self, op: Op) -> None:
        """Integer division: a zero under a live lane traps, under a dead one becomes 1."""
        row, (a, b) = op.ins.row, op.args[:2]
        assert row.type is not None
        uniform = self.shapes.is_uniform(op)
        n = 0 if uniform else self.n
        left = self._argument(op, 0, [self.scalar(a)] if uniform else self.vector(a), n)
        right = self._argument(op, 1, [self.scalar(b)] if uniform else self.vector(b), n)
        if not (isinstance(b, Const) and b.bits):
            right = self._without_zeros(op, right, n)
        self.define(
            op,
            "value",
            [alu.emit(self.code, row, (), [x, y], n) for x, y in zip(left, right, strict=True)],
        )

    def _without_zeros(self, op: Op, divisors: list[str], n: int) -> list[str]:
        code = self.code
        type_ = register_type(op.cls, n)
        zeros = [
            code.let(f"icmp eq {type_} {d}, {'zeroinitializer' if n else '0'}") for d in divisors
        ]
        if n:
            bad_lanes = self.combine("and", zeros, self.mask.chunks)
            bad = self.any(bad_lanes)
        else:
            bad_lanes, bad = self.mask.chunks, zeros[0]
        fault, go = code.fresh_label("z"), code.fresh_label("z")
        code.branch(bad, fault, go)
        code.block(fault)
        self.trap(TrapCode.DIVIDE_BY_ZERO, op.pc, bad_lanes)
        code.block(go)
        one = f"splat ({register_type(op.cls, 0)} 1)" if n else "1"
        condition = f"<{n} x i1>" if n else "i1"
        return [
            code.let(f"select {condition} {z}, {type_} {one}, {type_} {d}")
            for z, d in zip(zeros, divisors, strict=True)
        ]

    def trap(self, kind: TrapCode, pc: int, chunks: Sequence[str]) -> None:
        """End the launch: report the lowest of some lanes. Nothing may follow in this block."""
        code = self.code
        word = self.mask_word(chunks)
        lane = code.call("i64", "llvm.cttz.i64", f"i64 {word}", "i1 false")
        self.set_slot(Slot.TRAP_KIND, str(int(kind)))
        self.set_slot(Slot.TRAP_PC, str(pc))
        self.report(lane)
        code.jump("trapped")
