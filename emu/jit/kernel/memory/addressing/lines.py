"""Values that a loop changes by the same amount in each iteration, as code before the loop.

A line is a value in the first iteration and a step from one iteration to the next. Sums and
products with what the loop does not change are lines again, modulo 2^32 or 2^64. An index that
becomes an address is a line only if it does not wrap around on the way, which is a condition to be
tested before the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ......isa.types import sign_extend
from .....analysis.flow.order import Loop
from .....analysis.ranges.stepping import Counter, increment_of, is_invariant
from .....analysis.values.ssa import Const, Op, Phi, Value
from ....llvm.text import integer, integer_constant
from ...lane_code import LaneCode

Number = int | list[str]
"""A constant, or operands of a register's width."""

HALF = 1 << 31

FEWEST_IN_VECTOR = 4
"""Pieces of a warp whose numbers are one vector, which takes less code."""


@dataclass(frozen=True)
class Line:
    """A value: `start` + iteration * `step` + lane * `lane_step`, if all `conditions` hold."""

    start: list[str]
    step: Number
    lane_step: int
    conditions: tuple[tuple[str, ...], ...] = ()
    sums: tuple[Op, ...] = ()
    """Additions of 32 bits that do not wrap around if the conditions hold."""


class Numbers:
    """Integer arithmetic before a loop: on one scalar for all lanes, or on the vectors of `each`.

    A scalar is that of lane 0; the values of other lanes are at equal steps from it. With `pieces`
    there is one for each piece of the warp: that of its first lane. Many of them are one vector.
    """

    def __init__(self, lanes: LaneCode, *, each: bool, pieces: bool = False) -> None:
        self.lanes = lanes
        self.each = each
        self.pieces = pieces
        self.n, self.k = (lanes.n, lanes.k) if each else (0, 1)
        if pieces:
            count = lanes.pieces.k
            self.n, self.k = (count, 1) if count >= FEWEST_IN_VECTOR else (0, count)
        self.together = lanes.pieces.n if pieces else lanes.width
        """Lanes that are at equal steps from one scalar."""
        self.code = lanes.code
        self._spread: dict[str, list[str]] = {}
        """What is in all pieces: scalars as vectors."""

    def stride(self, value: Value) -> int | None:
        """Return how far the lanes' values are apart, if one scalar is enough for them; else 0."""
        if self.each:
            return 0
        shapes = self.lanes.shapes
        return shapes.piece_stride(value) if self.pieces else shapes.stride(value)

    def of(self, value: Value) -> list[str]:
        """Return a value as it is before the loop."""
        if self.pieces:
            return self._packed(self.lanes.firsts(value), value.cls.bits)
        return self.lanes.vector(value) if self.each else [self.lanes.lane0(value)]

    def constant(self, value: int, bits: int = 64) -> list[str]:
        """Return a constant."""
        return [integer_constant(value, bits, self.n)] * self.k

    def spread(self, scalar: str) -> list[str]:
        """Return an i64 in all lanes."""
        if self.each:
            return self.lanes.spread(64, scalar)
        if scalar not in self._spread:
            self._spread[scalar] = self.repeated(scalar)
        return self._spread[scalar]

    def repeated(self, scalar: str) -> list[str]:
        """Return an i64 in all pieces, in the present block."""
        return self._packed([scalar] * max(self.n, self.k), 64)

    def _packed(self, scalars: Sequence[str], bits: int) -> list[str]:
        """Return the scalars of all pieces in the form of this arithmetic."""
        if not self.n:
            return list(scalars)
        t, whole = integer(bits, 0), integer(bits, self.n)
        vector = self.code.let(f"insertelement {whole} poison, {t} {scalars[0]}, i32 0")
        if len(set(scalars)) == 1:
            zeros = f"{integer(32, self.n)} zeroinitializer"
            return [self.code.let(f"shufflevector {whole} {vector}, {whole} poison, {zeros}")]
        for at, scalar in enumerate(scalars[1:], start=1):
            vector = self.code.let(f"insertelement {whole} {vector}, {t} {scalar}, i32 {at}")
        return [vector]

    def all_of(self, tests: Sequence[Sequence[str]]) -> str:
        """Return whether tests hold for all pieces, an i1."""
        chunks = [test for chunks in tests for test in chunks]
        if not self.n:
            return self.code.all_of(*chunks)
        (held,) = self.each_of([[chunk] for chunk in chunks])
        word = self.code.let(f"bitcast {integer(1, self.n)} {held} to i{self.n}")
        return self.code.let(f"icmp eq i{self.n} {word}, -1")

    def each_of(self, tests: Sequence[Sequence[str]]) -> list[str]:
        """Return where all tests hold."""
        if not tests:
            return self.constant(1, 1)
        held, *others = (list(test) for test in tests)
        for other in others:
            held = self.do("and", held, other, 1)
        return held

    def where(self, tests: Sequence[str], numbers: Sequence[str]) -> list[str]:
        """Return numbers of 64 bits, or 0 where a test does not hold."""
        t, test = integer(64, self.n), integer(1, self.n)
        return [
            self.code.let(f"select {test} {on}, {t} {number}, {t} {no}")
            for on, number, no in zip(tests, numbers, self.constant(0), strict=True)
        ]

    def total(self, tests: Sequence[str], numbers: Sequence[str]) -> str:
        """Return the sum of vectors of 64-bit numbers where a test holds, an i64."""
        t, (chunk, *others) = integer(64, self.n), self.where(tests, numbers)
        for other in others:
            chunk = self.code.let(f"add {t} {chunk}, {other}")
        name = f"llvm.vector.reduce.add.v{self.n}i64"
        return self.code.call("i64", name, f"{t} {chunk}")

    def do(self, operation: str, a: Number, b: Number, bits: int = 64) -> list[str]:
        """Apply an operation or comparison of LLVM."""
        x, y = (self.constant(v, bits) if isinstance(v, int) else v for v in (a, b))
        t = integer(bits, self.n)
        return [self.code.let(f"{operation} {t} {i}, {j}") for i, j in zip(x, y, strict=True)]

    def widened(self, value: Sequence[str], *, is_signed: bool) -> list[str]:
        """Return 32-bit numbers as 64-bit ones."""
        how = "sext" if is_signed else "zext"
        source, to = integer(32, self.n), integer(64, self.n)
        return [self.code.let(f"{how} {source} {v} to {to}") for v in value]


class Lines:
    """Emits the lines of a loop, in the block before it.

    `last(op)` is the number of the last iteration in which an op runs, an i64 below 2^32.
    """

    def __init__(
        self,
        numbers: Numbers,
        loop: Loop,
        counter: Counter,
        last: Callable[[Op], list[str]],
    ) -> None:
        self.numbers = numbers
        self.lanes = numbers.lanes
        self.loop = loop
        self.counter = counter
        self._last = last
        self._found: dict[tuple[Value, str], Line | None] = {}

    def of(self, value: Value, op: Op) -> Line | None:
        """Return the line of a value that an op uses; None if it is not known to be one."""
        key = value, self._last(op)[0]
        if key not in self._found:
            self._found[key] = self._line(value, op)
        return self._found[key]

    def _line(self, value: Value, op: Op) -> Line | None:
        if isinstance(value, Const):
            return Line(self.numbers.of(value), 0, 0)
        stride, invariant = self.numbers.stride(value), is_invariant(value, self.loop)
        if invariant and not self._is_at_hand(value):
            return None
        if invariant and stride is not None:
            return Line(self.numbers.of(value), 0, sign_extend(stride, value.cls.bits))
        if isinstance(value, Phi):
            return self._phi(value, stride)
        if not isinstance(value, Op) or (invariant and not value.parts):
            return None
        return self._sum(value, op)

    def _is_at_hand(self, value: Value) -> bool:
        """Return whether a value of before the loop is kept: parts of other values may not be."""
        return not isinstance(value, Op) or value in self.lanes.table.crossing

    def _phi(self, phi: Phi, stride: int | None) -> Line | None:
        if phi.node != self.loop.header or stride is None:
            return None
        terms = increment_of(self.loop, phi)
        if terms is None or not all(self.numbers.stride(v) == 0 for _, v in terms):
            return None
        bits, step = phi.cls.bits, 0
        for sign, term in terms:
            number: Number = term.bits if isinstance(term, Const) else self.numbers.of(term)
            step = self._plus(bits, step, number, sign)
        return Line(self.numbers.of(phi), step, sign_extend(stride, bits))

    def _sum(self, value: Op, op: Op) -> Line | None:
        stem, _, type_ = value.ins.row.name.rpartition("_")
        if stem in ("cvt_u64", "cvt_s64") and type_ in ("u32", "s32"):
            return self._widened(
                value.args[0],
                op,
                is_signed=type_ == "s32",
                steps_on=self.numbers.stride(value) is not None,
            )
        if type_ not in ("u32", "s32", "u64", "s64"):
            return None
        bits, args = value.cls.bits, value.args
        match stem:
            case "add" | "sub":
                sign = 1 if stem == "add" else -1
                return self._added(bits, self.of(args[0], op), self.of(args[1], op), sign)
            case "mul":
                return self._product(bits, args[0], args[1], op)
            case "mad":
                product = self._product(bits, args[0], args[1], op)
                return self._added(bits, product, self.of(args[2], op))
            case "shl" if isinstance(args[1], Const):
                factor = Const(value.cls, 1 << (args[1].bits & (bits - 1)))
                return self._product(bits, args[0], factor, op)
        return None

    def _added(self, bits: int, a: Line | None, b: Line | None, sign: int = 1) -> Line | None:
        if a is None or b is None:
            return None
        return Line(
            self.numbers.do("add" if sign > 0 else "sub", a.start, b.start, bits),
            self._plus(bits, a.step, b.step, sign),
            sign_extend(a.lane_step + sign * b.lane_step, bits),
            (*a.conditions, *b.conditions),
            (*a.sums, *b.sums),
        )

    def _product(self, bits: int, a: Value, b: Value, op: Op) -> Line | None:
        """Return a product; one of its factors is the same in all iterations and lanes."""
        if isinstance(a, Const) or not self._is_factor(b):
            a, b = b, a
        line = self.of(a, op) if self._is_factor(b) else None
        if line is None or (line.lane_step and not isinstance(b, Const)):
            return None
        factor: Number = b.bits if isinstance(b, Const) else self.numbers.of(b)
        lane_step = line.lane_step * factor if isinstance(factor, int) else 0
        step: Number = 0
        if isinstance(line.step, int) and isinstance(factor, int):
            step = sign_extend(line.step * factor, bits)
        elif line.step != 0:
            step = self.numbers.do("mul", line.step, factor, bits)
        start = self.numbers.do("mul", line.start, factor, bits)
        return Line(start, step, sign_extend(lane_step, bits), line.conditions, line.sums)

    def _is_factor(self, value: Value) -> bool:
        is_same = is_invariant(value, self.loop) and self.numbers.stride(value) == 0
        return is_same and self._is_at_hand(value)

    def _plus(self, bits: int, a: Number, b: Number, sign: int) -> Number:
        if isinstance(a, int) and isinstance(b, int):
            return sign_extend(a + sign * b, bits)
        if b == 0:
            return a
        return self.numbers.do("add" if sign > 0 else "sub", a, b, bits)

    # --- from 32 bits to 64

    def offset(self, base: Value, op: Op) -> Line | None:
        """Return the line of a 32-bit base as an unsigned number of 64 bits."""
        return self._widened(base, op, is_signed=False)

    def _widened(
        self, source: Value, op: Op, *, is_signed: bool, steps_on: bool = False
    ) -> Line | None:
        """Return an index with 64 bits, which must not wrap around in any lane.

        `steps_on` says that it is known not to do so from lane to lane.
        """
        numbers = self.numbers
        line = self.of(source, op)
        if line is None:
            return None
        start = numbers.widened(line.start, is_signed=is_signed)
        step = line.step
        if not isinstance(step, int):
            step = numbers.widened(step, is_signed=True)
        least, greatest = (-HALF, HALF - 1) if is_signed else (0, 2 * HALF - 1)
        conditions = list(line.conditions)

        def between(number: list[str], low: int, high: int) -> None:
            above = numbers.do("sub", number, low)
            conditions.append(tuple(numbers.do("icmp ule", above, high - low)))

        if line.lane_step and not steps_on:
            extent = line.lane_step * (numbers.together - 1)
            if abs(extent) >= HALF:
                return None
            least, greatest = least + max(0, -extent), greatest - max(0, extent)
            between(start, least, greatest)
        if step != 0 and not self._stays_below(source, is_signed=is_signed):
            way = numbers.do("mul", step, self._last(op))
            between(numbers.do("add", start, way), least, greatest)
        sums = line.sums
        if isinstance(source, Op) and not is_signed and self._adds_a_count(source, op):
            sums = (*sums, source)
        return Line(start, step, line.lane_step, tuple(conditions), sums)

    def _adds_a_count(self, source: Op, op: Op) -> bool:
        """Return whether an index of an op is the sum of what is the same and a count from 0 up.

        Such a sum is as large as the sum of both numbers, if it does not wrap around later.
        """
        if source.ins.row.stem != "add":
            return False
        header = self.loop.header
        if (source.node == header) != (op.node == header):
            return False  # it may run once more than the op
        same, count = source.args[:2]
        if isinstance(same, Phi):
            same, count = count, same
        if not (isinstance(count, Phi) and is_invariant(same, self.loop)):
            return False
        line = self.of(count, op)
        starts = [arg for before, arg in count.args.items() if before not in self.loop.nodes]
        return (
            line is not None
            and isinstance(line.step, int)
            and line.step > 0
            and all(isinstance(start, Const) and start.bits == 0 for start in starts)
        )

    def _stays_below(self, value: Value, *, is_signed: bool) -> bool:
        """Return whether the counter itself is asked for, which does not pass its bound."""
        counter = self.counter
        return value is counter.phi and counter.is_signed == is_signed and counter.relation != "ne"
