"""Bounds of the values of a warp, for all lanes and all iterations of its loops.

The bounds follow integer arithmetic from identities, arguments and counted loops. A span holds
modulo 2^32 or 2^64, as registers do: only where an instruction reads its operand as a number, as
comparisons do, must the numbers of the span be those of the register, which is one more condition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import gcd
from typing import NamedTuple

from .....isa.table import Unit
from .....isa.types import RegClass, Segment, mask_of, sign_extend
from ....analysis.lanes.interior import Assumed
from ....analysis.values.ssa import Const, Op, Phi, Value, sources_of
from ...arithmetic import emit as alu
from ..instructions import Instructions
from ..lane_code import LaneCode
from ..memory.kernel_memory import KernelMemory
from .bounds import Bound, Conditions, HasSteps
from .given_spans import GivenSpans, Scope
from .span_arithmetic import LARGEST, SMALL, Span, SpanArithmetic, between, constant
from .stepped_spans import SteppedSpans

DEEPEST = 64
"""Operations that are followed from a value."""

_SINGLE = frozenset({"and", "or", "xor", "not", "shl", "shr"})
"""Operations on uniform values, which give one more."""


class Division(NamedTuple):
    """A division, whose operands are i32."""

    dividend: str
    divisor: str
    """1 in place of 0."""
    quotient: str
    whole: str
    """The largest multiple of the divisor in the dividend."""


class Spans:
    """The spans of a kernel's values; emits what they take at the start of a warp."""

    def __init__(
        self,
        lanes: LaneCode,
        instructions: Instructions,
        conditions: Conditions,
        memory: KernelMemory,
        assumed: Assumed,
        scope: Scope,
    ) -> None:
        self._lanes = lanes
        self._conditions = conditions
        trips = memory.ranges.trips
        self._counters = {
            phi: values for loop in trips.values() for phi, values in loop.values.items()
        }
        self._in_copies = {
            phi: (int(loop.numbers(phi).min()), int(loop.numbers(phi).max()))
            for loop in memory.ranges.lane_trips.values()
            for phi in loop.phis
        }
        """Phis of which the numbers of all lanes are known in each iteration."""
        self._assumed = assumed
        self._scope = scope
        self._found: dict[Value, Span | None] = {}
        self._given = GivenSpans(lanes, instructions, conditions, memory, scope)
        self._arithmetic = SpanArithmetic(conditions)
        self._depth = 0
        self._stepped = SteppedSpans(lanes, trips, self._arithmetic, self.of, self.number)

    def of(self, value: Value) -> Span | None:
        """Return the span of a value; None if it has none that is worth a test."""
        if isinstance(value, Const):
            return constant(sign_extend(value.bits, value.cls.bits))
        if value not in self._found:
            self._found[value] = None
            if self._depth < DEEPEST:
                self._depth += 1
                found = None
                if isinstance(value, Phi):
                    found = self._of_phi(value)
                elif isinstance(value, Op):
                    found = self._of_op(value)
                self._depth -= 1
                if found is not None and -LARGEST <= found.least and found.most <= LARGEST:
                    self._found[value] = found
        return self._found[value]

    def give(self, value: Value, number: str, most: int) -> None:
        """Note that a value is one number of the warp, an i32 from 0 to `most`."""
        bound = Bound(((self._lanes.code.let(f"zext i32 {number} to i64"), 1),))
        self._found[value] = Span(bound, bound, 0, most)

    def attempt(self, work: Callable[[], bool]) -> bool:
        """Do some work; if it returns False, drop all that it has found and asked for."""
        found, assumed = dict(self._found), self._assumed.copy()
        mark = self._conditions.mark()
        try:
            if work() and not self._conditions.never:
                return True
        except HasSteps:
            if self._scope.assumes:
                raise
        self._conditions.back_to(mark)
        self._found = found
        self._assumed.back_to(assumed)
        return False

    def number(self, value: Value, *, signed: bool) -> Span | None:
        """Return the span of the numbers that an instruction reads a register as."""
        if isinstance(value, Const):
            bits = value.bits
            return constant(sign_extend(bits, value.cls.bits) if signed else bits)
        span = self.of(value)
        if span is None or span.param is not None:
            return None
        bits = value.cls.bits
        low, high = (-(1 << (bits - 1)), mask_of(bits - 1)) if signed else (0, mask_of(bits))
        return self._arithmetic.within(span, low, high)

    def is_below(self, value: Value, most: int, *, signed: bool) -> bool:
        """Ask that the numbers of a register are from 0 to `most`; return whether they may be."""
        span = self.number(value, signed=signed)
        if span is None:
            return False
        self._arithmetic.within(span, 0, most)
        return True

    def under(self, given: Mapping[Value, Span], work: Callable[[], bool]) -> bool:
        """Do some work with other spans of some values; return what it does.

        It is False if the work assumes of clamps or divisions what follows from these spans: code
        may compute them at other times, too.
        """
        kept, changed, assumed = self._found, set(given), self._assumed.copy()
        if self.counts_to_arguments:
            # What a loop steps beside such a counter has another span, too.
            phis, headers = self._lanes.ssa.phis, {v.node for v in given if isinstance(v, Phi)}
            changed.update(phi for header in headers for phi in phis.get(header, ()))
        # Spans that do not follow from these keep their operands: equal terms cancel out.
        others = {v: s for v, s in kept.items() if sources_of(v).isdisjoint(changed)}
        self._found, self._stepped.given = {**others, **given}, given
        try:
            return work() and all(
                sources_of(op).isdisjoint(changed) for op in self._assumed.since(assumed)
            )
        finally:
            self._found, self._stepped.given = kept, {}

    # --- leaves

    def _of_phi(self, phi: Phi) -> Span | None:
        values = self._counters.get(phi)
        if phi in self._in_copies:
            return between(*self._in_copies[phi])
        if phi.cls is RegClass.C:
            return None
        if len(sources := set(phi.args.values())) == 1:
            return self.of(*sources)  # what leaves a loop
        if values is None or not self._lanes.shapes.is_uniform(phi):
            return self._stepped.of(phi)
        numbers = [sign_extend(v, phi.cls.bits) for v in values]
        multiple = gcd(*(n & -n or 1 << 32 for n in numbers))
        return between(min(numbers), max(numbers), multiple)

    def count_to_arguments(self) -> None:
        """Let loops whose bound is an argument have spans as well, from now on."""
        self.counts_to_arguments = True
        self._found = {value: span for value, span in self._found.items() if span is not None}

    @property
    def counts_to_arguments(self) -> bool:
        """Whether loops whose bound is an argument have spans as well."""
        return self._stepped.counts_to_arguments

    @counts_to_arguments.setter
    def counts_to_arguments(self, does: bool) -> None:
        self._stepped.counts_to_arguments = does

    # --- operations

    def _of_op(self, op: Op) -> Span | None:
        row = op.ins.row
        if row.unit is Unit.ID:
            return self._given.identity(op)
        if row.is_memory:
            return self._given.argument(op) if row.segment is Segment.KERNARG else None
        type_ = row.type
        if type_ is None or type_.is_float or op.cls is RegClass.C or type_.bits < 32:
            return None
        args, arithmetic = op.args, self._arithmetic
        match row.stem:
            case "add":
                return arithmetic.sum(self.of(args[0]), self.of(args[1]))
            case "sub":
                return arithmetic.sum(self.of(args[0]), self.of(args[1]), -1)
            case "mul":
                return arithmetic.product(self.of(args[0]), self.of(args[1]))
            case "mad":
                product = arithmetic.product(self.of(args[0]), self.of(args[1]))
                return arithmetic.sum(product, self.of(args[2]))
            case "shl" if isinstance(args[1], Const):
                count = args[1].bits & (type_.bits - 1)
                return arithmetic.product(self.of(args[0]), constant(1 << count))
            case "cvt":
                return self._converted(op)
            case "min" | "max" if self._scope.assumes:
                return self._clamped(op, signed=type_.is_signed)
            case "div" | "rem" if type_.bits == 32 and self._scope.assumes:
                return self._divided(op, signed=type_.is_signed)
            case "select":
                return self._chosen(op)
            case "shr" if type_.bits == 32 and isinstance(args[1], Const):
                return self._computed(op) or self._shifted(op, signed=type_.is_signed)
            case stem if stem in _SINGLE and type_.bits == 32:
                return self._computed(op)
        return None

    def _converted(self, op: Op) -> Span | None:
        row = op.ins.row
        source = row.source
        if source is None or source.is_float or source.bits not in (32, 64):
            return None
        if op.cls is RegClass.D and source.bits == 32:
            return self.number(op.args[0], signed=source.is_signed)
        found = self.of(op.args[0])
        return None if found is None or found.param is not None else found

    def _clamped(self, op: Op, *, signed: bool) -> Span | None:
        """Return the span of a minimum or maximum; in a warp of lanes that differ, of one side.

        Some of the lanes may be at an edge where only the first ones run: then it is that of both.
        """
        a, b = (self.number(v, signed=signed) for v in op.args[:2])
        if a is None or b is None:
            return None
        upper = op.ins.row.stem == "min"
        varies = [
            not self._lanes.shapes.is_uniform(v) and not span.is_single
            for v, span in zip(op.args[:2], (a, b), strict=True)
        ]
        if sum(varies) == 1 and not self._scope.running:
            # The side that differs from lane to lane is the index that is clamped.
            self._assumed.same[op] = index = varies.index(True)
            kept, limit = (a, b) if index == 0 else (b, a)
            if upper:
                self._conditions.at_most(kept.high.plus(limit.low, -1), 0)
            else:
                self._conditions.at_most(limit.high.plus(kept.low, -1), 0)
            return kept
        if any(varies) and not self._scope.running:
            return None
        pick, choose = ("llvm.smin", min) if upper else ("llvm.smax", max)
        extreme = self._arithmetic.bounds.extreme
        return Span(
            extreme(pick, a.low, b.low),
            extreme(pick, a.high, b.high),
            choose(a.least, b.least),
            choose(a.most, b.most),
            gcd(a.multiple, b.multiple),
        )

    def _divided(self, op: Op, *, signed: bool) -> Span | None:
        """Return the span of a quotient or remainder: the quotient is the same in all lanes."""
        a, b = (self.number(v, signed=signed) for v in op.args[:2])
        if a is None or b is None or not b.is_single:
            return None
        code, conditions = self._lanes.code, self._conditions
        a, b = self._arithmetic.within(a, 0, mask_of(32)), self._arithmetic.within(b, 1, SMALL - 1)
        if conditions.never:
            return None
        if a.low.is_constant and a.high.is_constant and b.low.is_constant:
            return self._divided_constants(op, a, b.low.constant)
        if self._scope.of_rows:
            return self._divided_in_rows(op, a, b)
        division = self.division(a, b)
        quotient, whole = division.quotient, division.whole
        wide = code.let(f"zext i32 {whole} to i64")
        before = Bound(((wide, 1),))
        conditions.at_most(a.high.plus(before, -1).plus(b.low, -1), -1)
        if op.ins.row.stem == "rem":
            self._assumed.rest[op] = whole
            return Span(a.low.plus(before, -1), a.high.plus(before, -1), 0, b.most - 1)
        self._assumed.known[op] = quotient
        bound = Bound(((code.let(f"zext i32 {quotient} to i64"), 1),))
        return Span(bound, bound, 0, a.most)

    def division(self, a: Span, b: Span) -> Division:
        """Append the division of the least numbers of two spans."""
        code, conditions = self._lanes.code, self._conditions
        low, by = (code.let(f"trunc i64 {conditions.value(x.low)} to i32") for x in (a, b))
        by = code.intrinsic("llvm.umax", "i32", f"i32 {by}", "i32 1")
        quotient = code.let(f"udiv i32 {low}, {by}")
        return Division(low, by, quotient, code.let(f"mul i32 {quotient}, {by}"))

    def _divided_in_rows(self, op: Op, a: Span, b: Span) -> Span:
        """Return the span of a quotient or remainder in several rows; each has another number."""
        if op.ins.row.stem == "rem":
            self._assumed.rest[op] = ""
            return Span(Bound(), b.high.plus(Bound(constant=-1)), 0, b.most - 1)
        self._assumed.known[op] = ""
        low, high = (
            self._lanes.code.let(f"zext i32 {self.division(bound, b).quotient} to i64")
            for bound in (a, replace(a, low=a.high))
        )
        return Span(Bound(((low, 1),)), Bound(((high, 1),)), 0, a.most)

    def _divided_constants(self, op: Op, a: Span, by: int) -> Span:
        """Return the span of a quotient or remainder of numbers that are the same in all warps."""
        low, high = a.low.constant // by, a.high.constant // by
        if op.ins.row.stem == "div":
            return between(low, high)
        if low == high:
            return between(a.low.constant % by, a.high.constant % by)
        return between(0, by - 1)

    def _chosen(self, op: Op) -> Span | None:
        condition, a, b = op.args[0], self.of(op.args[1]), self.of(op.args[2])
        known = self._assumed.known.get(condition) if isinstance(condition, Op) else None
        if known in ("true", "false"):
            index = 1 if known == "true" else 2
            found = self.of(op.args[index])
            if found is not None:
                self._assumed.same[op] = index
            return found
        if a is None or b is None or a.param != b.param:
            return None
        extreme = self._arithmetic.bounds.extreme
        return Span(
            extreme("llvm.smin", a.low, b.low),
            extreme("llvm.smax", a.high, b.high),
            min(a.least, b.least),
            max(a.most, b.most),
            gcd(a.multiple, b.multiple),
            a.param,
        )

    def _shifted(self, op: Op, *, signed: bool) -> Span | None:
        """Return the span of numbers shifted to the right by a constant; order is kept."""
        span, count = self.number(op.args[0], signed=signed), op.args[1]
        assert isinstance(count, Const)
        if span is None or span.low.step or span.high.step:
            return None
        by, shifted = count.bits & 31, self._arithmetic.bounds.shifted
        low, high = shifted(span.low, by), shifted(span.high, by)
        return Span(low, high, span.least >> by, span.most >> by)

    def _computed(self, op: Op) -> Span | None:
        """Return the span of an operation whose operands are one number each."""
        spans = [self.of(a) for a in op.args]
        if any(s is None or not s.is_single for s in spans):
            return None
        if not self._lanes.shapes.is_uniform(op):
            return None
        code, conditions = self._lanes.code, self._conditions
        operands = [
            code.let(f"trunc i64 {conditions.value(s.low)} to i32") for s in spans if s is not None
        ]
        number = alu.emit(code, op.ins.row, op.ins.literals, operands, 0)
        bound = Bound(((code.let(f"sext i32 {number} to i64"), 1),))
        return Span(bound, bound, -SMALL, SMALL - 1)
