"""The values of a kernel as LLVM operands: variables, chunks of lanes, and masks.

A value lives in a variable (an alloca, which LLVM turns into registers) where another node uses it,
so that linearised control flow needs no repair of dominance. One that is uniform is a scalar; one
with a stride is kept as the scalar of lane 0 where lanes meet, and its lanes are counted from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....isa.types import F32, F64, RegClass, mask_of
from ...analysis.order import START
from ...analysis.ssa import Const, Op, Phi, Ssa, Value, uses
from ...analysis.uniformity import Facts, Shapes
from ..arithmetic import emit as alu
from ..llvm.function_text import FunctionText
from ..llvm.text import ModuleText, register_type

CHUNK = 16
"""Lanes of one LLVM vector: one mask register each (measured: 16 beats 8 and 32)."""


@dataclass
class Mask:
    """Lanes, a chunk at a time."""

    chunks: list[str]


class Values:
    """The operands of the values of one kernel, while its code is written."""

    def __init__(self, module: ModuleText, ssa: Ssa, shapes: Shapes) -> None:
        self.module = module
        self.ssa, self.shapes, self.flow = ssa, shapes, ssa.flow
        self.facts: Facts = shapes.facts
        width = self.warp_width = self.facts.width
        self.n = CHUNK if width % CHUNK == 0 else width
        self.k = width // self.n
        self.entry = FunctionText(module)
        """Allocas and what is computed once per call."""
        self.code = self.entry.elsewhere()
        self.noncanonical = _noncanonical(ssa)
        self.local: dict[tuple[Value, str], list[str]] = {}
        """Operands that are known in the block that is being written."""
        self.mask = Mask([])
        self.node = START
        self._variables: dict[object, tuple[list[str], list[str]]] = {}
        """Key -> types and places of its pieces."""
        self._crossing = self._find_crossing()
        self._places = {value: i for i, value in enumerate(ssa.values())}

    # --- the context block

    def slot(self, slot: int, code: FunctionText | None = None) -> str:
        """The value of a slot of the context block."""
        code = code or self.code
        place = code.let(f"getelementptr i64, ptr %ctx, i64 {int(slot)}")
        return code.let(f"load i64, ptr {place}")

    def set_slot(self, slot: int, value: str) -> None:
        """Change a slot of the context block."""
        place = self.code.let(f"getelementptr i64, ptr %ctx, i64 {int(slot)}")
        self.code.line(f"store i64 {value}, ptr {place}")

    # --- variables

    def variable(self, key: object, types: Sequence[str]) -> list[str]:
        """The allocas of a key, made on first use."""
        found = self._variables.get(key)
        if found is None:
            found = list(types), [self.entry.let(f"alloca {t}, align 64") for t in types]
            self._variables[key] = found
        return found[1]

    def poison(self) -> list[str]:
        """Return the lines that fill a warp's variables with the poison pattern; none without one.

        A kernel whose results depend on the pattern reads what no lane has written.
        """
        pattern = self.facts.poison
        if pattern is None:
            return []
        return [
            f"  store {type_} {_filled(type_, pattern)}, ptr {place}"
            for key, (types, places) in self._variables.items()
            if not isinstance(key, str)  # those belong to the workgroup
            for type_, place in zip(types, places, strict=True)
        ]

    def load(self, key: object, types: Sequence[str]) -> list[str]:
        places = self.variable(key, types)
        return [self.code.let(f"load {t}, ptr {p}") for t, p in zip(types, places, strict=True)]

    def store(self, key: object, types: Sequence[str], values: Sequence[str]) -> None:
        for t, p, v in zip(types, self.variable(key, types), values, strict=True):
            self.code.line(f"store {t} {v}, ptr {p}")

    def _share(self, key: object, other: Values) -> None:
        """Have a variable in common."""
        self._variables[key] = ["i64"], other.variable(key, ["i64"])

    def copy(
        self, key: object, types: Sequence[str], values: list[str], lanes: Sequence[str] | None
    ) -> None:
        """Set a variable, for some lanes only if told so."""
        if lanes is not None and types[0].startswith("<"):
            old = self.load(key, types)
            values = [
                self.code.let(f"select {self.mask_type} {m}, {t} {v}, {t} {o}")
                for m, t, v, o in zip(lanes, types, values, old, strict=True)
            ]
        self.store(key, types, values)

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
            if part == "value" and self.is_counted(value):
                known = self._counted(value)
            else:
                uniform = part == "lane0" or self.shapes.is_uniform(value)
                known = self.load((value, part), self.types_of(value.cls, uniform))
            self.local[value, part] = known
        return known

    def is_counted(self, value: Value) -> bool:
        """Whether other nodes get a value's lanes by counting from its lane 0."""
        return not self.shapes.is_uniform(value) and self.shapes.stride(value) is not None

    def _counted(self, value: Value) -> list[str]:
        step = self.shapes.stride(value)
        assert step is not None
        code, bits, type_ = self.code, value.cls.bits, register_type(value.cls, self.n)
        base = self.spread(value.cls, self.lane0(value))
        chunks = []
        for j in range(self.k):
            steps = (step * (j * self.n + i) & mask_of(bits) for i in range(self.n))
            apart = ", ".join(f"i{bits} {s}" for s in steps)
            chunks.append(code.let(f"add {type_} {base}, <{apart}>"))
        return chunks

    def define(self, op: Op, part: str, operands: list[str]) -> None:
        """Set a value (or its lane 0) where it is computed."""
        self.local[op, part] = operands
        if op in self._crossing and (part == "lane0" or not self.is_counted(op)):
            uniform = part == "lane0" or self.shapes.is_uniform(op)
            self.store((op, part), self.types_of(op.cls, uniform), operands)

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
        if value not in self.noncanonical:
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

    def combine(self, operation: str, a: Sequence[str], b: Sequence[str]) -> list[str]:
        """A bitwise operation on two masks."""
        return [
            self.code.let(f"{operation} {self.mask_type} {x}, {y}")
            for x, y in zip(a, b, strict=True)
        ]

    def mask_types(self) -> list[str]:
        """The types of a mask's chunks."""
        return [self.mask_type] * self.k


def _filled(type_: str, pattern: int) -> str:
    """A constant of an integer type, or of a vector of them, with a pattern in every element."""
    element = type_.split(" x ")[-1].rstrip(">")
    bits = int(element[1:])
    # Elements of 64 bits get other bits in their upper half: a host address would be seen there.
    value = pattern * 0x1_0000_0001 & mask_of(bits)
    text = ("true" if value else "false") if bits == 1 else str(value)
    return f"splat ({element} {text})" if type_.startswith("<") else text


def _scalar_constant(value: Const) -> str:
    if value.cls is RegClass.C:
        return "true" if value.bits else "false"
    return str(value.bits)


def _noncanonical(ssa: Ssa) -> set[Value]:
    """Values that may carry a NaN with other bits than the canonical one.

    A phi or select is loose if everything that comes in is loose or a constant other than a NaN;
    where payloads from memory come in too, the loose ones are made canonical on their way.
    """
    values = ssa.values()
    found: set[Value] = {
        v for v in values if isinstance(v, Op) and alu.may_be_noncanonical(v.ins.row)
    }
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
