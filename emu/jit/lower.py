"""From SSA to LLVM IR: masks, edges, blends, and the loops over workgroups and warps.

Each node becomes a run of LLVM blocks in the linear order. A node has a mask variable of the lanes
that wait there; running takes them all, and the edges out of it hand them on. Nothing but memory
and phi copies is masked: other instructions run for dead lanes too, whose values nobody sees.

A phi is a variable; that of a loop header has a second one for the next trip, which becomes the
first at the latch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...isa.program import Kernel
from ...isa.table import Flags
from . import alu, budget
from .access import Access
from .context import Kind, Slot
from .lanes import Lanes
from .masks import Masks
from .order import START, waiting
from .shapes import Shapes
from .ssa import Const, Op, Phi, Ssa, Value
from .text import ModuleText, register_type
from .values import Mask, Values


class Lowering(Values):
    """Generates the function of one kernel under the given facts."""

    def __init__(
        self, module: ModuleText, kernel: Kernel, readonly_bytes: int, ssa: Ssa, shapes: Shapes
    ) -> None:
        super().__init__(module, ssa, shapes)
        self.kernel = kernel
        self.group_bytes, self.private_bytes = kernel.group_size, kernel.private_size
        self.readonly_bytes = readonly_bytes
        self.name = "kernel"
        self.uniform_branches = shapes.uniform_branches()
        self.waits = waiting(self.flow, self.uniform_branches)
        tested = [n for n in self.waits if self._should_test(n)]
        self.masks = Masks(self.flow, self.waits, self.uniform_branches, tested)
        self.lanes = Lanes(self)
        self.access = Access(self)
        self.has_barrier = any(
            node.last is not None and node.last.row.stem == "barrier" for node in self.flow.nodes
        )
        # What frames.py keeps of a warp that waits at a barrier.
        self.barriers: list[int] = []
        self.frame_places: dict[object, int] = {}
        self.frame_used = 0
        self.frame_size = 0

    def place_of(self, value: Value) -> int:
        """The position of a value in the kernel, for a stable order."""
        return self._places[value]

    def private_memory(self, warp: str) -> str:
        """Where the private memory of a warp (an i64 operand) lies, a ptr."""
        code = self.code
        memory = code.let(f"inttoptr i64 {self.slot(Slot.PRIVATE_MEMORY)} to ptr")
        offset = code.let(f"mul i64 {warp}, {self.private_bytes * self.facts.width}")
        return code.let(f"getelementptr i8, ptr {memory}, i64 {offset}")

    # --- the function

    def function(self) -> str:
        """Generate everything and return the text of the function."""
        from .frames import run_groups

        return run_groups(self)

    def clear_masks(self) -> None:
        """Nobody waits anywhere: the state before a warp starts or goes on."""
        for number in self.waits:
            self._clear(number)

    def enter(self, number: int, mask: Sequence[str]) -> None:
        """Let lanes wait at a node and go there; nobody else waits."""
        self.store(("mask", number), self.mask_types(), mask)
        self.code.line(f"br label %n{number}")

    def nodes(self) -> None:
        """The code of all nodes, in the linear order."""
        for number in self.flow.order:
            if number not in self.waits:
                continue
            self.node = number
            self.local.clear()
            self.code.label(f"n{number}")
            self._take_mask(number)
            if number in self.masks.tested:
                self.code.line(
                    f"br i1 {self.any(self.mask.chunks)}, label %r{number}, "
                    f"label %{self.next_of(self.waits[number])}"
                )
                self.code.label(f"r{number}")
                self._take_mask(number)
            if not self.masks.shared(number):
                self.store(("run", number), self.mask_types(), self.mask.chunks)
                self._clear(number)
            if self.flow.nodes[number].latch_of is not None:
                self._go_round(number)
                continue
            for op in self.ssa.ops.get(number, ()):
                self._op(op)
            self._leave(number)

    def _take_mask(self, number: int) -> None:
        same = self.masks.same[number]
        key = ("run", same) if same != number else ("mask", number)
        self.mask = Mask(self.load(key, self.mask_types()))

    def _clear(self, number: int) -> None:
        if not self.masks.shared(number):
            self.store(("mask", number), self.mask_types(), ["zeroinitializer"] * self.k)

    def _should_test(self, number: int) -> bool:
        """Whether the node must not, or should not, run when no lane waits at it."""
        node = self.flow.nodes[number]
        ops = self.ssa.ops.get(number, ())
        return number != START and (
            number in self.uniform_branches
            or len(ops) > 10
            or any(op.ins.row.is_memory or Flags.MAY_TRAP in op.ins.row.flags for op in ops)
            or any(loop.header == number for loop in self.flow.loops)
            or (node.last is not None and node.last.row.stem in ("trap", "barrier"))
        )

    def next_of(self, waits: Iterable[int]) -> str:
        """The label of the first node of those at which lanes may wait."""
        number = self.masks.next_of(waits)
        return "warp_over" if number is None else f"n{number}"

    def _go_round(self, number: int) -> None:
        """The lanes at a latch go on with the next trip."""
        header = self.flow.loops[self.flow.nodes[number].latch_of or 0].header
        for phi in self.ssa.phis.get(header, ()):
            for part, types in self.parts(phi):
                self.store((phi, part), types, self.load((phi, part, "next"), types))
        self._wait_at(header, self.mask.chunks)
        budget.spend(self, header)
        # Somebody runs it: there is no need to test again.
        self.code.line(f"br label %{'r' if header in self.masks.tested else 'n'}{header}")

    # --- edges

    def parts(self, value: Value) -> list[tuple[str, list[str]]]:
        """(part, types) of a value's variables: of one with a stride, lane 0 alone."""
        if self.is_counted(value):
            return [("lane0", self.types_of(value.cls, True))]
        return [("value", self.types_of(value.cls, self.shapes.is_uniform(value)))]

    def edge(self, there: int, chunks: Sequence[str], running: Sequence[str] | None = None) -> int:
        """Hand lanes on to a successor: its mask and its phis. Returns where they wait.

        `running` are the lanes of the node, if more than these. None of them waits, so a copy need
        not spare those that go elsewhere.
        """
        here = self.node
        way = self.flow.route(here, there)
        crowded = way in self.waits[here]
        copies = []
        for phi in self.ssa.phis.get(there, ()):
            for part, types in self.parts(phi):
                key = (phi, part) if way == there else (phi, part, "next")
                copies.append((key, types, self._incoming(phi, phi.args[here], part)))
        for key, types, values in copies:
            if crowded and types[0].startswith("<"):
                old = self.load(key, types)
                values = [
                    self.code.let(f"select {self.mask_type} {m}, {t} {v}, {t} {o}")
                    for m, t, v, o in zip(running or chunks, types, values, old, strict=True)
                ]
            self.store(key, types, values)
        self._wait_at(way, chunks, crowded=crowded)
        return way

    def _wait_at(self, number: int, chunks: Sequence[str], crowded: bool = False) -> None:
        """Lanes wait at a node, with others where it is crowded."""
        if self.masks.shared(number):
            return
        if crowded:
            chunks = self.combine("or", self.load(("mask", number), self.mask_types()), chunks)
        self.store(("mask", number), self.mask_types(), chunks)

    def _incoming(self, phi: Phi, value: Value, part: str) -> list[str]:
        if part == "lane0":
            return [self.lane0(value)]
        if self.shapes.is_uniform(phi):
            operands, n = [self.scalar(value)], 0
        else:
            operands, n = self.vector(value), self.n
        return operands if phi in self.loose else self.observed(value, operands, n)

    def _leave(self, number: int) -> None:
        """The end of a node: where its lanes go, and which node runs next."""
        node = self.flow.nodes[number]
        stem = node.last.row.stem if node.last is not None else "fall"
        waits = self.waits[number]
        match stem:
            case "ret":
                self.lanes.leave(self.mask.chunks)
                self.code.line(f"br label %{self.next_of(waits)}")
            case "trap":
                self.trap(Kind.TRAP, node.stop, self.mask.chunks)
            case "barrier":
                from .frames import stop_at_barrier

                stop_at_barrier(self, number)
            case "cbr" if len(node.successors) == 2:
                self._branch(number)
            case _:
                way = self.edge(node.successors[0], self.mask.chunks)
                self.code.line(f"br label %{self.next_of(waits | {way})}")

    def _branch(self, number: int) -> None:
        code, waits = self.code, self.waits[number]
        fall, taken = self.flow.nodes[number].successors
        condition = self.ssa.conditions[number]
        if number in self.uniform_branches:
            yes, no = f"y{number}", f"f{number}"
            code.line(f"br i1 {self.scalar(condition)}, label %{yes}, label %{no}")
            local = dict(self.local)
            for label, there in ((no, fall), (yes, taken)):
                self.local = dict(local)
                code.label(label)
                way = self.edge(there, self.mask.chunks)
                code.line(f"br label %{self.next_of(waits | {way})}")
            return
        on = self.vector(condition)
        to_taken = self.combine("and", self.mask.chunks, on)
        off = self.combine("xor", on, ["splat (i1 true)"] * self.k)
        to_fall = self.combine("and", self.mask.chunks, off)
        running = self.mask.chunks
        ways = {self.edge(fall, to_fall, running), self.edge(taken, to_taken, running)}
        code.line(f"br label %{self.next_of(waits | ways)}")

    # --- instructions

    def _op(self, op: Op) -> None:
        row = op.ins.row
        if row.is_memory or row.stem == "lda":
            self.access.op(op)
        elif row.unit.value == "id":
            self.lanes.op(op)
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
        if op in self.loose and alu.carries(op.ins.row, position):
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
        fault, go = code.name("z")[1:], code.name("z")[1:]
        code.line(f"br i1 {bad}, label %{fault}, label %{go}")
        code.label(fault)
        self.trap(Kind.DIVIDE_BY_ZERO, op.pc, bad_lanes)
        code.label(go)
        one = f"splat ({register_type(op.cls, 0)} 1)" if n else "1"
        condition = f"<{n} x i1>" if n else "i1"
        return [
            code.let(f"select {condition} {z}, {type_} {one}, {type_} {d}")
            for z, d in zip(zeros, divisors, strict=True)
        ]

    def trap(self, kind: Kind, pc: int, chunks: Sequence[str]) -> None:
        """End the launch: report the lowest of some lanes. Nothing may follow in this block."""
        code = self.code
        word = self.mask_word(chunks)
        lane = code.call("i64", "llvm.cttz.i64", f"i64 {word}", "i1 false")
        self.set_slot(Slot.TRAP_KIND, str(int(kind)))
        self.set_slot(Slot.TRAP_PC, str(pc))
        self.lanes.report(lane)
        code.line("br label %trapped")
