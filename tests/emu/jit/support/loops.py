"""Rows as compiled loops over arrays: one module holds many of them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from simtlab.emu.interp.alu import dtype_of, implementation
from simtlab.emu.jit.arithmetic import emit as alu
from simtlab.emu.jit.llvm.function_text import FunctionText
from simtlab.emu.jit.llvm.text import ModuleText, constant, integer
from simtlab.emu.jit.llvm.toolchain import Compiled, Level, compile_text, function_attributes
from simtlab.isa.table import BY_NAME, Row
from simtlab.isa.types import Type

from ...support.alu_rows import source_types

DIVISIONS = frozenset({"div", "rem"})


@dataclass(frozen=True)
class Loop:
    """A row with its literals, and perhaps one source that is a constant (position, bits)."""

    name: str
    literals: tuple[int, ...] = ()
    fixed: tuple[int, int] | None = None

    @property
    def row(self) -> Row:
        return BY_NAME[self.name]

    @property
    def types(self) -> list[Type]:
        return source_types(self.row)

    @property
    def result(self) -> Type:
        assert self.row.dst is not None
        assert self.row.dst.type is not None
        return self.row.dst.type


@dataclass
class Loops:
    """Compiled loops of n lanes per iteration (0: scalars)."""

    n: int
    loops: Sequence[Loop]
    level: Level = Level.FULL
    _compiled: Compiled = field(init=False)

    def __post_init__(self) -> None:
        module = ModuleText(function_attributes())
        for number, loop in enumerate(self.loops):
            module.define(f"loop{number}", _loop_text(module, f"loop{number}", loop, self.n))
        names = [f"loop{number}" for number in range(len(self.loops))]
        self._compiled = compile_text(str(module), names, level=self.level)

    def run(self, number: int, sources: Sequence[np.ndarray]) -> np.ndarray:
        """The result patterns of a loop for source patterns (as register bits)."""
        loop = self.loops[number]
        step = max(self.n, 1)
        trips = -(-len(sources[0]) // step)
        padded = [np.resize(s, trips * step) for s in sources]
        out = np.zeros(trips * step, _memory(loop.result))
        pointer = ctypes.c_void_p
        function = ctypes.CFUNCTYPE(None, *[pointer] * (len(padded) + 1), ctypes.c_int64)
        function(self._compiled[f"loop{number}"])(
            *(p.ctypes.data for p in padded), out.ctypes.data, trips
        )
        return out[: len(sources[0])]


def _memory(type_: Type) -> str:
    """The dtype that holds a register of this type in the arrays."""
    return "bool" if type_.bits == 1 else f"uint{type_.reg.bits}"


def _loop_text(module: ModuleText, name: str, loop: Loop, n: int) -> str:
    code = FunctionText(module)
    operands = []
    for position, type_ in enumerate(loop.types):
        if loop.fixed is not None and loop.fixed[0] == position:
            operands.append(constant(type_.reg, loop.fixed[1], n))
            continue
        bits = max(type_.reg.bits, 8)
        memory = integer(bits, n)
        pointer = _element(code, f"%p{position}", bits, n)
        value = code.let(f"load {memory}, ptr {pointer}, align 1")
        if type_.bits == 1:
            value = code.let(f"trunc {memory} {value} to {integer(1, n)}")
        operands.append(value)
    result = alu.emit(code, loop.row, loop.literals, operands, n)
    if alu.may_be_noncanonical(loop.row):
        result = alu.canonical(code, loop.result, result, n)
    bits = max(loop.result.reg.bits, 8)
    if loop.result.bits == 1:
        result = code.let(f"zext {integer(1, n)} {result} to {integer(8, n)}")
    pointer = _element(code, "%out", bits, n)
    code.line(f"store {integer(bits, n)} {result}, ptr {pointer}, align 1")
    parameters = "".join(f"ptr noalias %p{i}, " for i in range(len(loop.types)))
    body = "\n".join(code.lines)
    return f"""\
define void @{name}({parameters}ptr noalias %out, i64 %trips) #0 {{
entry:
  br label %loop
loop:
  %trip = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  %next = add i64 %trip, 1
  %more = icmp ult i64 %next, %trips
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def _element(code: FunctionText, base: str, bits: int, n: int) -> str:
    offset = code.let(f"mul i64 %trip, {max(n, 1) * bits // 8}")
    return code.let(f"getelementptr i8, ptr {base}, i64 {offset}")


def expected(loop: Loop, sources: Sequence[np.ndarray]) -> np.ndarray:
    """What the interpreter computes, as register bits."""
    views = [s.view(dtype_of(t)) for s, t in zip(sources, loop.types, strict=True)]
    with np.errstate(all="ignore"):
        result = implementation(loop.row, loop.literals)(*views)
    result = np.broadcast_to(np.asarray(result), sources[0].shape).astype(dtype_of(loop.result))
    return result.view(_memory(loop.result))


def differences(loops: Loops, number: int, sources: Sequence[np.ndarray]) -> str:
    """A line about what differs from the interpreter; empty where nothing does."""
    loop = loops.loops[number]
    got, want = loops.run(number, sources), expected(loop, sources)
    wrong = np.flatnonzero(got != want)
    if not wrong.size:
        return ""
    i = wrong[0]
    return (
        f"{loop.name}{loop.literals} n={loops.n} of {[hex(s[i]) for s in sources]}: "
        f"{int(got[i]):#x}, interpreter {int(want[i]):#x}; {wrong.size} of {len(got)} differ"
    )
