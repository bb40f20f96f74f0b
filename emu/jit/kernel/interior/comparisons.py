"""Comparisons that have one result in all lanes of an interior warp; clamps and remainders."""

from __future__ import annotations

from .....isa.types import RegClass
from ....analysis.lanes.interior import Assumed
from ....analysis.values.ssa import Op, Ssa
from ...llvm.function_text import FunctionText
from .bounds import Conditions
from .guards import expected_comparisons
from .span_arithmetic import Span
from .spans import Spans

_RELATIONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})


class Comparisons:
    """Asks for what comparisons need so that they decide alike for all lanes."""

    def __init__(self, ssa: Ssa, spans: Spans, conditions: Conditions, assumed: Assumed) -> None:
        self.spans = spans
        self._conditions = conditions
        self._assumed = assumed
        self.expected = expected_comparisons(ssa)
        """Comparisons by which lanes return at once, and their result for other lanes."""

    @property
    def _code(self) -> FunctionText:
        return self._conditions.code

    def decided_as(self, op: Op, answer: bool) -> bool:
        """Ask that a comparison has this result in all lanes; return whether it can."""
        if op in self.expected or op.ins.row.stem == ("cmp_eq" if answer else "cmp_ne"):
            return False
        self.expected[op] = answer
        return self.decided(op)

    def decided(self, op: Op) -> bool:
        """Ask that an op has one value, or that of one argument; return whether it can."""
        row = op.ins.row
        if row.name in ("and_b1", "or_b1", "xor_b1", "not_b1"):
            return self._combined(op)
        stem, _, relation = row.stem.partition("_")
        if stem == "cmp" and relation in _RELATIONS and row.srcs:
            type_ = row.srcs[0].type
            if type_ is None or type_.is_float or type_.bits < 32:
                return False
            return self._compared(op, relation, signed=type_.is_signed)
        if row.stem in ("min", "max", "rem", "div", "select") and op.cls is not RegClass.C:
            self.spans.of(op)
            found = self._assumed
            return op in found.same or op in found.rest or op in found.known
        return False

    def _combined(self, op: Op) -> bool:
        known = self._assumed.known
        operands = [known.get(a) if isinstance(a, Op) else None for a in op.args]
        names = [name for name in operands if name is not None]
        stem = op.ins.row.stem
        short = {"and": "false", "or": "true"}.get(stem)
        if short in names:
            known[op] = short
        elif len(names) < len(operands):
            return False
        elif stem == "not":
            opposite = {"true": "false", "false": "true"}.get(names[0])
            known[op] = opposite or self._code.let(f"xor i1 {names[0]}, true")
        elif short is not None and all(n == names[0] for n in names):
            known[op] = names[0]
        else:
            known[op] = self._code.let(f"{stem} i1 {names[0]}, {names[1]}")
        return True

    def _compared(self, op: Op, relation: str, *, signed: bool) -> bool:
        a, b = (self.spans.number(v, signed=signed) for v in op.args[:2])
        if a is None or b is None:
            return False
        if relation in ("eq", "ne"):
            self._differ(a, b)
            self._assumed.known[op] = "true" if relation == "ne" else "false"
            return True
        if relation in ("gt", "le"):
            a, b = b, a
        below = relation in ("lt", "gt")
        expected = self.expected.get(op)
        if expected is None:
            expected = _at_edge(a, b)
        elif not below:
            expected = not expected
        if expected is None and _is_mixed(a, b):
            return False
        known = self._order(a, b, expected)
        if not below:
            known = {"true": "false", "false": "true"}.get(known) or self._code.let(
                f"xor i1 {known}, true"
            )
        self._assumed.known[op] = known
        return True

    def _order(self, a: Span, b: Span, expected: bool | None) -> str:
        """Ask that a < b for all lanes, or for none; return which, an i1."""
        conditions, code = self._conditions, self._code
        above, below = a.high.plus(b.low, -1), a.low.plus(b.high, -1)
        if expected is True:
            conditions.at_most(above, -1)
            return "true"
        if expected is False:
            conditions.at_most(below.times(-1), 0)
            return "false"
        all_lanes = code.let(f"icmp slt i64 {conditions.value(above)}, 0")
        no_lane = code.let(f"icmp sge i64 {conditions.value(below)}, 0")
        conditions.require(code.let(f"or i1 {all_lanes}, {no_lane}"))
        return all_lanes

    def _differ(self, a: Span, b: Span) -> None:
        """Ask that no lane has equal numbers."""
        conditions, code = self._conditions, self._code
        low, high = a.low.plus(b.high, -1), a.high.plus(b.low, -1)
        if a.least >= b.most:
            conditions.at_most(low.times(-1), -1)
        elif a.most <= b.least:
            conditions.at_most(high, -1)
        else:
            if not high.plus(low, -1).is_constant:
                more = code.let(f"icmp sgt i64 {conditions.value(low)}, 0")
                less = code.let(f"icmp slt i64 {conditions.value(high)}, 0")
                conditions.require(code.let(f"or i1 {more}, {less}"))
            else:
                conditions.no_zero(low, high)

    def lets_through(self, op: Op) -> bool:
        """Ask for a comparison of single numbers by which some lanes return at once.

        What must hold besides must not depend on the lane.
        """
        stem, _, relation = op.ins.row.stem.partition("_")
        type_ = op.ins.row.srcs[0].type if op.ins.row.srcs else None
        if stem != "cmp" or not relation or type_ is None:
            return False
        if type_.is_float or type_.bits < 32:
            return False
        before = self._conditions.of_warps()
        spans = [self.spans.number(value, signed=type_.is_signed) for value in op.args[:2]]
        if self._conditions.of_warps() != before:
            return False
        if not all(span is not None and span.is_single for span in spans):
            return False
        if relation in ("eq", "ne"):
            return self._is_not_0(op, *filter(None, spans))
        return self._compared(op, relation, signed=type_.is_signed)

    def _is_not_0(self, op: Op, number: Span, zero: Span) -> bool:
        """Ask that a number that is not negative is not the 0 that it is compared with."""
        is_ne = op.ins.row.stem == "cmp_ne"
        is_0 = zero.low.is_constant and zero.low.constant == 0
        if self.expected.get(op) is not is_ne or number.least < 0 or not is_0:
            return False
        self._conditions.at_most(number.low.times(-1), -1)
        self._assumed.known[op] = "true" if is_ne else "false"
        return True


def _is_mixed(a: Span, b: Span) -> bool:
    """Return whether a < b for some lanes of each warp, or iterations, and not for others."""
    above, below = a.high.plus(b.low, -1), a.low.plus(b.high, -1)
    constant = above.is_constant and below.is_constant
    return constant and above.constant >= 0 > below.constant


def _at_edge(a: Span, b: Span) -> bool | None:
    """Return what a < b is but where a number is the least or the largest of all."""
    if a.most <= b.least:
        return True
    return False if a.least + 1 >= b.most else None
