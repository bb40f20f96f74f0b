"""One instruction on its way into LLVM IR: the argument of all functions of this folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....isa.table import Row
from ....isa.types import Type
from ...analysis.ranges.float_ranges import UNKNOWN, FloatRange
from ..llvm.function_text import FunctionText
from ..llvm.text import constant_value, float_constant, floating, integer, integer_constant


@dataclass(frozen=True, slots=True)
class Operation:
    """A row, its sources (operands of register types) and how many lanes (0: scalar)."""

    code: FunctionText
    row: Row
    literals: tuple[int, ...]
    sources: Sequence[str]
    n: int
    floats: Sequence[FloatRange] = ()
    """What running lanes have for each source, read as a float; if empty, nothing is known."""

    @property
    def type(self) -> Type:
        """The type that the row is named after."""
        assert self.row.type is not None
        return self.row.type

    @property
    def bits(self) -> int:
        """Width of a register of that type."""
        return self.type.reg.bits

    @property
    def integer(self) -> str:
        """The row's type as integers: what its sources have, as a rule."""
        return integer(self.bits, self.n)

    @property
    def floating(self) -> str:
        """The row's type as floats."""
        return floating(self.bits, self.n)

    def int(self, bits: int) -> str:
        """Return an integer type of this many lanes."""
        return integer(bits, self.n)

    def constant(self, value: int, bits: int | None = None) -> str:
        """Return an integer operand, by default of the row's width."""
        return integer_constant(value, bits or self.bits, self.n)

    def let(self, expression: str) -> str:
        """Append an instruction and name its value."""
        return self.code.let(expression)

    def cast(self, how: str, value: str, source: str, to: str) -> str:
        """Append a conversion."""
        return self.let(f"{how} {source} {value} to {to}")

    def select(self, condition: str, type_: str, yes: str, no: str) -> str:
        """Choose between two values of a type, lane by lane."""
        return self.let(f"select {self.int(1)} {condition}, {type_} {yes}, {type_} {no}")

    def known(self, position: int) -> int | None:
        """Return the bits of a source that is a constant."""
        return constant_value(self.sources[position])

    def range_of(self, position: int) -> FloatRange:
        """Return what running lanes have for a source, read as a float."""
        return self.floats[position] if self.floats else UNKNOWN

    def as_floats(self) -> list[str]:
        """Return the sources as floats of the row's type."""
        return [self.code.to_float(self.bits, s, self.n) for s in self.sources]

    def float_constant(self, value: float) -> str:
        """Return a float operand of the row's type."""
        return float_constant(value, self.bits, self.n)

    def from_float(self, value: str) -> str:
        """Return a float of the row's type as the register's integer."""
        return self.code.from_float(self.bits, value, self.n)


Emitter = Callable[[Operation], str]
"""Appends the code of an operation and returns the operand that is its result."""
