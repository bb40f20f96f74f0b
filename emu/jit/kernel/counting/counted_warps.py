"""The launch's warps that one warp of native code runs, each with numbers of its own.

Native code has its own width (analysis/widths/width.py), a multiple of the launch's where it
counts. The numbers of one or two of the launch's warps are scalars; those of more are one vector.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...llvm.parts import mask_of_bits
from ...llvm.text import integer
from ..lane_code import LaneCode

MOST_SCALARS = 2
"""Warps whose numbers are scalars."""

Numbers = list[str]
"""An i64 for each warp: scalars, or one vector."""

Flags = list[str]
"""An i1 for each warp, likewise."""


class CountedWarps:
    """Code for numbers of the launch's warps: lanes 0 to w - 1, w to 2 w - 1, and so on."""

    def __init__(self, lanes: LaneCode) -> None:
        self._lanes = lanes
        self._width = lanes.facts.counts
        count = lanes.facts.width // self._width
        self._row = count if count > MOST_SCALARS else 0
        """How many warps a vector has; 0 for scalars."""
        self._flag, self._number = integer(1, self._row), integer(64, self._row)
        self.types = [self._number] * (1 if self._row else count)
        """The types of numbers."""

    @property
    def vector(self) -> int:
        """How many numbers a vector has; 0 where numbers are scalars."""
        return self._row

    @property
    def flag_types(self) -> list[str]:
        """The types of flags."""
        return [self._flag] * len(self.types)

    def no_flags(self) -> Flags:
        """Return flags of which none is set."""
        return ["zeroinitializer" if self._row else "false"] * len(self.types)

    @property
    def is_one(self) -> bool:
        """Whether a warp of native code is one of the launch."""
        return len(self.types) == 1 and not self._row

    # --- lanes

    def some(self, mask: Sequence[str]) -> Flags:
        """Return whether each warp has lanes in a mask."""
        if self.is_one:
            return [self._lanes.any(mask)]
        code, t = self._lanes.code, integer(self._width, self._row)
        zero = "zeroinitializer" if self._row else "0"
        return [code.let(f"icmp ne {t} {part}, {zero}") for part in self._parts(mask)]

    def lanes_of(self, mask: Sequence[str]) -> str:
        """Return how many lanes all warps together have in a mask, an i64."""
        lanes, code, t = self._lanes, self._lanes.code, self._lanes.word_type
        found = code.call(t, f"llvm.ctpop.{t}", f"{t} {lanes.word(mask)}")
        return found if t == "i64" else code.let(f"trunc {t} {found} to i64")

    def lanes_of_each(self, mask: Sequence[str]) -> Numbers:
        """Return how many lanes each warp has in a mask."""
        code, t = self._lanes.code, integer(self._width, self._row)
        name = f"llvm.ctpop.v{self._row}i{self._width}" if self._row else f"llvm.ctpop.{t}"
        found = [code.call(t, name, f"{t} {part}") for part in self._parts(mask)]
        if self._width == 64:
            return found
        return [code.let(f"zext {t} {number} to {self._number}") for number in found]

    def _parts(self, mask: Sequence[str]) -> list[str]:
        """Return a mask as one integer of a bit a lane for each warp."""
        lanes, code, width = self._lanes, self._lanes.code, self._lanes.facts.width
        word, t = lanes.word(mask), lanes.word_type
        if self._row:
            if t != f"i{width}":
                word = code.let(f"trunc {t} {word} to i{width}")
            if self._width == 1:
                return [mask_of_bits(code, width, word)]
            return [code.let(f"bitcast i{width} {word} to <{self._row} x i{self._width}>")]
        found = []
        for at in range(len(self.types)):
            part = code.let(f"lshr {t} {word}, {at * self._width}") if at else word
            if t != f"i{self._width}":
                part = code.let(f"trunc {t} {part} to i{self._width}")
            found.append(part)
        return found

    # --- numbers and flags

    def constant(self, number: int) -> Numbers:
        """Return one number for all warps."""
        return [f"splat (i64 {number})" if self._row else str(number)] * len(self.types)

    def let(self, operation: str, a: Numbers, b: Numbers | int) -> Numbers:
        """Apply a binary LLVM instruction to numbers; `b` may be a number for all."""
        code, t = self._lanes.code, self._number
        others = self.constant(b) if isinstance(b, int) else b
        return [code.let(f"{operation} {t} {x}, {y}") for x, y in zip(a, others, strict=True)]

    def larger(self, a: Numbers, b: Numbers) -> Numbers:
        """Return the larger one of two numbers of each warp."""
        code, t = self._lanes.code, self._number
        name = f"llvm.umax.v{self._row}i64" if self._row else "llvm.umax.i64"
        return [code.call(t, name, f"{t} {x}", f"{t} {y}") for x, y in zip(a, b, strict=True)]

    def both(self, a: Flags, b: Flags) -> Flags:
        """Return where both of two flags are set."""
        code, t = self._lanes.code, self._flag
        return [code.let(f"and {t} {x}, {y}") for x, y in zip(a, b, strict=True)]

    def select(self, flags: Flags, a: Numbers, b: Numbers) -> Numbers:
        """Return the number of `a` where a flag is set, else that of `b`."""
        code, t, f = self._lanes.code, self._number, self._flag
        return [
            code.let(f"select {f} {flag}, {t} {x}, {t} {y}")
            for flag, x, y in zip(flags, a, b, strict=True)
        ]

    def set_flags(self, flags: Flags) -> str:
        """Return how many flags are set, an i64."""
        code = self._lanes.code
        if not self._row:
            first, *others = [code.let(f"zext i1 {flag} to i64") for flag in flags]
            for other in others:
                first = code.let(f"add i64 {first}, {other}")
            return first
        t = f"i{self._row}"
        bits = code.let(f"bitcast {self._flag} {flags[0]} to {t}")
        found = code.call(t, f"llvm.ctpop.{t}", f"{t} {bits}")
        if self._row == 64:
            return found
        return code.let(f"{'zext' if self._row < 64 else 'trunc'} {t} {found} to i64")

    def total(self, numbers: Numbers) -> str:
        """Return the sum of all warps' numbers, an i64."""
        return self._together("add", numbers)

    def largest(self, numbers: Numbers) -> str:
        """Return the largest of all warps' numbers, an i64."""
        return self._together("umax", numbers)

    def _together(self, how: str, numbers: Numbers) -> str:
        code = self._lanes.code
        if self._row:
            name = f"llvm.vector.reduce.{how}.v{self._row}i64"
            return code.call("i64", name, f"{self._number} {numbers[0]}")
        first, *others = numbers
        for other in others:
            if how == "add":
                first = code.let(f"add i64 {first}, {other}")
            else:
                first = code.call("i64", f"llvm.{how}.i64", f"i64 {first}", f"i64 {other}")
        return first
