"""From SSA to LLVM IR: masks, edges, blends, and the loops over workgroups and warps.

Each node becomes a run of LLVM blocks in the linear order. A node has a mask variable of the lanes
that wait there; running takes them all, and the edges out of it hand them on. Nothing but memory
and phi copies is masked: other instructions run for dead lanes too, whose values nobody sees.

Values that are used in another node go through variables (allocas, which LLVM turns into
registers), so linearised control flow needs no repair of dominance. A phi is a variable as well;
that of a loop header has a second one for the next trip, which becomes the first at the latch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...isa.program import Kernel
from ...isa.table import Flags
from ...isa.types import F32, F64, RegClass
from . import alu
from .access import Access
from .context import Kind, Slot
from .lanes import Lanes
from .order import START, waiting
from .shapes import Facts, Shapes
from .ssa import Const, Op, Phi, Ssa, Value, uses
from .text import Code, ModuleText, register_type

CHUNK = 16
"""Lanes of one LLVM vector: one mask register each (jit notes: 16 beats 8 and 32)."""


@dataclass
class Mask:
    """Lanes, a chunk at a time; None where all lanes are known to be on."""

    chunks: list[str]


class Lowering:
    """Generates the function of one kernel under the given facts."""

    def __init__(
        self, module: ModuleText, kernel: Kernel, readonly_bytes: int, ssa: Ssa, shapes: Shapes
    ) -> None:
        self.kernel = kernel
        self.ssa, self.shapes, self.flow = ssa, shapes, ssa.flow
        self.facts: Facts = shapes.facts
        self.group_bytes, self.private_bytes = kernel.group_size, kernel.private_size
        self.readonly_bytes = readonly_bytes
        self.name = "kernel"
        width = self.facts.width
        self.n = CHUNK if width % CHUNK == 0 else width
        self.k = width // self.n
        self.module = module
        self.entry = Code(module)
        """Allocas and what is computed once per call."""
        self.code = self.entry.elsewhere()
        self.uniform_branches = shapes.uniform_branches()
        self.waits = waiting(self.flow, self.uniform_branches)
        self.loose = _loose(ssa)
        self.lanes = Lanes(self)
        self.access = Access(self)
        self.has_barrier = any(
            node.last is not None and node.last.row.stem == "barrier" for node in self.flow.nodes
        )
        self._variables: dict[object, list[str]] = {}
        self.local: dict[tuple[Value, str], list[str]] = {}
        self._crossing = self._find_crossing()
        self.mask: Mask = Mask([])
        self.node = START
        self._places = {value: i for i, value in enumerate(ssa.values())}
        # What frames.py keeps of a warp that waits at a barrier.
        self.barriers: list[int] = []
        self.frame_places: dict[object, int] = {}
        self.frame_used = 0
        self.frame_size = 0

    # --- variables

    def variable(self, key: object, types: Sequence[str]) -> list[str]:
        """The allocas of a key, made on first use."""
        found = self._variables.get(key)
        if found is None:
            found = [self.entry.let(f"alloca {t}, align 64") for t in types]
            self._variables[key] = found
        return found

    def _load(self, key: object, types: Sequence[str]) -> list[str]:
        places = self.variable(key, types)
        return [self.code.let(f"load {t}, ptr {p}") for t, p in zip(types, places, strict=True)]

    def _store(self, key: object, types: Sequence[str], values: Sequence[str]) -> None:
        for t, p, v in zip(types, self.variable(key, types), values, strict=True):
            self.code.line(f"store {t} {v}, ptr {p}")

    def _find_crossing(self) -> set[Value]:
        """Ops whose value is used in another node, or by a phi."""
        found: set[Value] = set()
        for number, ops in self.ssa.ops.items():
            for op in ops:
                found.update(a for a in uses(op) if isinstance(a, Op) and a.node != number)
        for phis in self.ssa.phis.values():
            for phi in phis:
                found.update(a for a in phi.args.values() if isinstance(a, Op))
        for number, condition in self.ssa.conditions.items():
            if isinstance(condition, Op) and condition.node != number:
                found.add(condition)
        return found

    def types_of(self, cls: RegClass, uniform: bool) -> list[str]:
        """The LLVM types of a value: one scalar, or the chunks."""
        return [register_type(cls, 0)] if uniform else [register_type(cls, self.n)] * self.k

    # --- values

    def scalar(self, value: Value) -> str:
        """The operand of a uniform value."""
        if isinstance(value, Const):
            return _scalar_constant(value)
        assert self.shapes.is_uniform(value)
        return self._get(value, "value")[0]

    def vector(self, value: Value) -> list[str]:
        """The operands of a value, chunk by chunk; uniform ones are spread over the lanes."""
        if isinstance(value, Const):
            text = _scalar_constant(value)
            return [f"splat ({register_type(value.cls, 0)} {text})"] * self.k
        if not self.shapes.is_uniform(value):
            return self._get(value, "value")
        known = self.local.get((value, "spread"))
        if known is None:
            known = [self.spread(value.cls, self.scalar(value))] * self.k
            self.local[value, "spread"] = known
        return known

    def lane0(self, value: Value) -> str:
        """The scalar that a value with a stride has (or would have) in lane 0."""
        if isinstance(value, Const):
            return _scalar_constant(value)
        return self.scalar(value) if self.shapes.is_uniform(value) else self._get(value, "lane0")[0]

    def _get(self, value: Value, part: str) -> list[str]:
        known = self.local.get((value, part))
        if known is None:
            uniform = part == "lane0" or self.shapes.is_uniform(value)
            known = self._load((value, part), self.types_of(value.cls, uniform))
            self.local[value, part] = known
        return known

    def define(self, op: Op, part: str, operands: list[str]) -> None:
        """Set a value (or its lane 0) where it is computed."""
        self.local[op, part] = operands
        if op in self._crossing:
            uniform = part == "lane0" or self.shapes.is_uniform(op)
            self._store((op, part), self.types_of(op.cls, uniform), operands)

    def spread(self, cls: RegClass, scalar: str) -> str:
        """A chunk with a scalar in every lane."""
        type_ = register_type(cls, self.n)
        one = self.code.let(
            f"insertelement {type_} poison, {register_type(cls, 0)} {scalar}, i32 0"
        )
        zero = f"<{self.n} x i32> zeroinitializer"
        return self.code.let(f"shufflevector {type_} {one}, {type_} poison, {zero}")

    def spread_i32(self, scalar: str) -> str:
        """A chunk of i32 with a scalar in every lane."""
        return self.spread(RegClass.S, scalar)

    def observed(self, value: Value, operands: list[str], n: int) -> list[str]:
        """Operands of a value with canonical NaNs, for where its bits can be seen."""
        if value not in self.loose:
            return operands
        type_ = F64 if value.cls is RegClass.D else F32
        return [alu.canonical(self.code, type_, o, n) for o in operands]

    # --- masks

    @property
    def mask_type(self) -> str:
        return f"<{self.n} x i1>"

    def any(self, chunks: Sequence[str]) -> str:
        """Whether a lane is on."""
        total = chunks[0]
        for chunk in chunks[1:]:
            total = self.code.let(f"or {self.mask_type} {total}, {chunk}")
        return self.code.let(f"icmp ne i{self.n} {self._bits(total)}, 0")

    def _bits(self, chunk: str) -> str:
        return self.code.let(f"bitcast {self.mask_type} {chunk} to i{self.n}")

    def mask_word(self, chunks: Sequence[str]) -> str:
        """The mask as an i64, bit l = lane l."""
        word = ""
        for at, chunk in enumerate(chunks):
            part = self.code.let(f"zext i{self.n} {self._bits(chunk)} to i64") if self.n < 64 else (
                self._bits(chunk)
            )  # fmt: skip
            if at:
                part = self.code.let(f"shl i64 {part}, {at * self.n}")
            word = self.code.let(f"or i64 {word}, {part}") if word else part
        return word

    def mask_chunks(self, word: str) -> list[str]:
        """A mask out of an i64 with bit l = lane l."""
        chunks = []
        for at in range(self.k):
            part = self.code.let(f"lshr i64 {word}, {at * self.n}") if at else word
            if self.n < 64:
                part = self.code.let(f"trunc i64 {part} to i{self.n}")
            chunks.append(self.code.let(f"bitcast i{self.n} {part} to {self.mask_type}"))
        return chunks

    def place_of(self, value: Value) -> int:
        """The position of a value in the kernel, for a stable order."""
        return self._places[value]

    def private_memory(self, warp: str) -> str:
        """Where the private memory of a warp (an i64 operand) lies, a ptr."""
        code = self.code
        memory = code.let(f"inttoptr i64 {self.slot(Slot.PRIVATE_MEMORY)} to ptr")
        offset = code.let(f"mul i64 {warp}, {self.private_bytes * self.facts.width}")
        return code.let(f"getelementptr i8, ptr {memory}, i64 {offset}")

    def combine(self, operation: str, a: Sequence[str], b: Sequence[str]) -> list[str]:
        """A bitwise operation on two masks."""
        return [
            self.code.let(f"{operation} {self.mask_type} {x}, {y}")
            for x, y in zip(a, b, strict=True)
        ]

    def _mask_types(self) -> list[str]:
        return [self.mask_type] * self.k

    # --- the function

    def function(self) -> str:
        """Generate everything and return the text of the function."""
        from .frames import run_groups

        return run_groups(self)

    def slot(self, slot: int, code: Code | None = None) -> str:
        """The value of a slot of the context block."""
        code = code or self.code
        place = code.let(f"getelementptr i64, ptr %ctx, i64 {int(slot)}")
        return code.let(f"load i64, ptr {place}")

    def set_slot(self, slot: int, value: str) -> None:
        """Change a slot of the context block."""
        place = self.code.let(f"getelementptr i64, ptr %ctx, i64 {int(slot)}")
        self.code.line(f"store i64 {value}, ptr {place}")

    def clear_masks(self) -> None:
        """Nobody waits anywhere: the state before a warp starts or goes on."""
        for number in self.waits:
            self._store(("mask", number), self._mask_types(), ["zeroinitializer"] * self.k)

    def enter(self, number: int, mask: Sequence[str]) -> None:
        """Let lanes wait at a node and go there; nobody else waits."""
        self._store(("mask", number), self._mask_types(), mask)
        self.code.line(f"br label %n{number}")

    def nodes(self) -> None:
        """The code of all nodes, in the linear order."""
        for number in self.flow.order:
            if number not in self.waits:
                continue
            self.node = number
            self.local.clear()
            self.code.label(f"n{number}")
            chunks = self._load(("mask", number), self._mask_types())
            self.mask = Mask(chunks)
            if self.flow.nodes[number].latch_of is not None:
                self._latch(number)
                continue
            if number != START and self._needs_test(number):
                self.code.line(
                    f"br i1 {self.any(chunks)}, label %r{number}, "
                    f"label %{self.next_of(self.waits[number])}"
                )
                self.code.label(f"r{number}")
            self._store(("mask", number), self._mask_types(), ["zeroinitializer"] * self.k)
            for op in self.ssa.ops.get(number, ()):
                self._op(op)
            self._leave(number)

    def _needs_test(self, number: int) -> bool:
        """Whether the node must not, or should not, run when no lane waits at it."""
        node = self.flow.nodes[number]
        ops = self.ssa.ops.get(number, ())
        return (
            number in self.uniform_branches
            or len(ops) > 10
            or any(op.ins.row.is_memory or Flags.MAY_TRAP in op.ins.row.flags for op in ops)
            or any(loop.header == number for loop in self.flow.loops)
            or (node.last is not None and node.last.row.stem in ("ret", "trap", "barrier"))
        )

    def next_of(self, waits: frozenset[int]) -> str:
        """The label of the first node of those at which lanes may wait."""
        if not waits:
            return "warp_over"
        return f"n{min(waits, key=self.flow.position.__getitem__)}"

    def _latch(self, number: int) -> None:
        """Lanes go round again while there are any."""
        loop = self.flow.loops[self.flow.nodes[number].latch_of or 0]
        code = self.code
        again = f"a{number}"
        code.line(
            f"br i1 {self.any(self.mask.chunks)}, label %{again}, "
            f"label %{self.next_of(self.waits[number])}"
        )
        code.label(again)
        self._store(("mask", number), self._mask_types(), ["zeroinitializer"] * self.k)
        self._store(("mask", loop.header), self._mask_types(), self.mask.chunks)
        for phi in self.ssa.phis.get(loop.header, ()):
            for part, types in self.parts(phi):
                self._store((phi, part), types, self._load((phi, part, "next"), types))
        self._spend_budget(loop.header)
        code.line(f"br label %n{loop.header}")

    def _spend_budget(self, header: int) -> None:
        """Charge a trip: the header's instructions for every lane that goes round again.

        The launcher gives the warp the budget of all its lanes. When that is used up, one of them
        has executed more than its own share (and only then may the launch end for it).
        """
        code = self.code
        node = self.flow.nodes[header]
        length = node.stop - node.start + (node.last is not None)
        lanes = code.call("i64", "llvm.ctpop.i64", f"i64 {self.mask_word(self.mask.chunks)}")
        cost = code.let(f"mul i64 {lanes}, {max(1, length)}")
        left = code.let(f"load i64, ptr {self.variable('budget', ['i64'])[0]}")
        rest = code.let(f"sub i64 {left}, {cost}")
        code.line(f"store i64 {rest}, ptr {self.variable('budget', ['i64'])[0]}")
        out, go = code.name("b")[1:], code.name("b")[1:]
        code.line(f"br i1 {code.let(f'icmp slt i64 {rest}, 0')}, label %{out}, label %{go}")
        code.label(out)
        self.trap(Kind.BUDGET, self.flow.nodes[header].start, self.mask.chunks)
        code.label(go)

    # --- edges

    def parts(self, value: Value) -> list[tuple[str, list[str]]]:
        """(part, types) of a value's variables: itself, and its lane 0 if it has a stride."""
        uniform = self.shapes.is_uniform(value)
        parts = [("value", self.types_of(value.cls, uniform))]
        if not uniform and self.shapes.stride(value) is not None:
            parts.append(("lane0", self.types_of(value.cls, True)))
        return parts

    def edge(self, there: int, chunks: Sequence[str]) -> int:
        """Hand lanes on to a successor: its mask and its phis. Returns where they wait."""
        here = self.node
        way = self.flow.route(here, there)
        crowded = way in self.waits[here]
        copies = []
        for phi in self.ssa.phis.get(there, ()):
            for part, types in self.parts(phi):
                key = (phi, part) if way == there else (phi, part, "next")
                copies.append((key, types, self._incoming(phi, phi.args[here], part)))
        for key, types, values in copies:
            if crowded and len(types) == self.k and types[0].startswith("<"):
                old = self._load(key, types)
                values = [
                    self.code.let(f"select {self.mask_type} {m}, {t} {v}, {t} {o}")
                    for m, t, v, o in zip(chunks, types, values, old, strict=True)
                ]
            self._store(key, types, values)
        if crowded:
            chunks = self.combine("or", self._load(("mask", way), self._mask_types()), chunks)
        self._store(("mask", way), self._mask_types(), chunks)
        return way

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
        ways = {self.edge(fall, to_fall), self.edge(taken, to_taken)}
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


def _scalar_constant(value: Const) -> str:
    if value.cls is RegClass.C:
        return "true" if value.bits else "false"
    return str(value.bits)


def _loose(ssa: Ssa) -> set[Value]:
    """Values that may carry a NaN with other bits than the canonical one.

    A phi or select is loose if everything that comes in is loose or a constant other than a NaN;
    where payloads from memory come in too, the loose ones are made canonical on their way.
    """
    values = ssa.values()
    found: set[Value] = {v for v in values if isinstance(v, Op) and alu.may_be_loose(v.ins.row)}
    floats = [v for v in values if v.cls is not RegClass.C]
    found |= {v for v in floats if isinstance(v, Phi)}
    found |= {v for v in floats if isinstance(v, Op) and v.ins.row.stem == "select"}
    changed = True
    while changed:
        changed = False
        for value in list(found):
            if isinstance(value, Op) and value.ins.row.stem != "select":
                continue
            assert isinstance(value, (Op, Phi))
            sources = value.args.values() if isinstance(value, Phi) else value.args[1:]
            if not all(s in found or _is_number(s) for s in sources):
                found.discard(value)
                changed = True
    return found


def _is_number(value: Value) -> bool:
    """A constant that is no NaN, read as a float of its register's width."""
    if not isinstance(value, Const):
        return False
    if value.cls is RegClass.D:
        return value.bits & 0x7FFF_FFFF_FFFF_FFFF <= 0x7FF0_0000_0000_0000
    return value.bits & 0x7FFF_FFFF <= 0x7F80_0000
