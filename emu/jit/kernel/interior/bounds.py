"""Sums that bound a value in a warp, and conditions on them.

A bound is a sum: scalars of the warp and scalars of the call, times constants, plus a constant. All
are integers of 64 bits that do not overflow. Conditions on the same sum of a warp's scalars become
one test, whose limits are computed once per call.

For the warps of a row it has steps, too: scalars times the number of the work-item at which a warp
begins. `interior/runs.py` finds the work-items for which such conditions hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...llvm.function_text import FunctionText

Terms = tuple[tuple[str, int], ...]
"""Operands times constants."""

_Strictest = dict[tuple[Terms, int], int]
"""Scalars of the call, and by how many bits the sum is shifted -> the strictest constant in it."""

ONE = "1"
"""The operand of a step that is a constant."""


@dataclass(frozen=True)
class Bound:
    """Scalars of the warp, scalars of the call (operands, i64, times constants) and a constant."""

    warp: Terms = ()
    call: Terms = ()
    constant: int = 0
    step: Terms = ()
    """What it grows by if a warp of a row begins one work-item later."""

    def plus(self, other: Bound, factor: int = 1) -> Bound:
        """Return the sum with a multiple of another bound."""
        return Bound(
            _sum(self.warp, other.warp, factor),
            _sum(self.call, other.call, factor),
            self.constant + factor * other.constant,
            _sum(self.step, other.step, factor),
        )

    @property
    def is_constant(self) -> bool:
        """Whether it is one number in all warps of all calls."""
        return not (self.warp or self.call or self.step)

    def times(self, factor: int) -> Bound:
        """Return a multiple."""
        return Bound().plus(self, factor)


def _sum(a: Terms, b: Terms, factor: int) -> Terms:
    total = dict(a)
    for name, scale in b:
        total[name] = total.get(name, 0) + factor * scale
    return tuple(sorted((name, scale) for name, scale in total.items() if scale))


class HasSteps(Exception):
    """A number is asked for that is another one in each warp of a row."""


class Conditions:
    """Collects conditions; `entry` runs once per call, `code` once per warp, or row of warps."""

    def __init__(self, entry: FunctionText, code: FunctionText) -> None:
        self.entry = entry
        self.code = code
        self._sums: dict[tuple[bool, Terms], str] = {}
        self._limits: dict[tuple[Terms, Terms], tuple[_Strictest, _Strictest]] = {}
        """Sum of a warp's scalars, and its step -> what it must reach, and not exceed."""
        self.gaps: list[tuple[Bound, Bound]] = []
        """Bounds between which 0 may not be."""
        self._of_call: dict[str, None] = {}
        """Conditions on the call, each once (i1)."""
        self._sums_of_call: dict[Terms, int] = {}
        """Scalars of the call -> the largest constant with which their sum is at most 0."""
        self._of_warp: list[str] = []
        self.never = False
        """Whether a condition cannot hold."""
        self._in_first: dict[str, str] = {}
        """Scalars of the warp that are the same in the first workgroup of each row of the grid."""
        self._per_row: dict[str, str] = {}
        """Scalars of the warp that grow steadily from row to row, and by what: i64 of the call."""

    def value(self, bound: Bound) -> str:
        """Return a bound as an operand of the warp, an i64. Raises HasSteps."""
        if bound.step:
            raise HasSteps
        total = self._total(bound.warp, in_warp=True)
        if bound.call or bound.constant or not bound.warp:
            rest = self.call_value(bound)
            total = self.code.let(f"add i64 {total}, {rest}") if bound.warp else rest
        return total

    def call_value(self, bound: Bound) -> str:
        """Return the part of a bound that is the same in all warps, an i64."""
        if not bound.call:
            return str(bound.constant)
        # Equal bounds have one name, so that their products are equal, too.
        key = False, (*bound.call, ("", bound.constant))
        if key not in self._sums:
            total = self._total(bound.call, in_warp=False)
            more = bound.constant
            self._sums[key] = self.entry.let(f"add i64 {total}, {more}") if more else total
        return self._sums[key]

    def is_in_first(self, scalar: str, value: str) -> None:
        """Note what a scalar of the warp is in the first workgroup of each row of the grid.

        The value is an i64 that is known once per call.
        """
        self._in_first[scalar] = value

    def of_row(self, terms: Terms) -> Terms:
        """Return the terms that depend on the row of the grid, in its first workgroup."""
        return tuple(term for term in terms if term[0] not in self._in_first)

    def grows(self, scalar: str, per_row: str) -> None:
        """Note by what a scalar of the warp grows from one row of the grid to the next below it.

        That is an i64 that is known once per call.
        """
        self._per_row[scalar] = per_row

    def growth(self, terms: Terms) -> str | None:
        """Return by what a sum grows from one row of the grid to the next, an i64 of the call.

        It is None if the sum does not grow steadily, as far as is known.
        """
        if not all(name in self._per_row for name, _ in terms):
            return None
        entry, total = self.entry, "0"
        for name, scale in terms:
            if (by := self._per_row[name]) != "0":
                by = by if scale == 1 else entry.let(f"mul i64 {by}, {scale}")
                total = by if total == "0" else entry.let(f"add i64 {total}, {by}")
        return total

    @property
    def is_steady(self) -> bool:
        """Whether all that is asked of a row, in its first workgroup, are sums that grow steadily.

        If such conditions hold in two rows of the grid, they hold in all rows between these.
        """
        of_rows = (self.of_row(terms) for terms, _ in self._limits)
        steps = (name for _, step in self._limits for name, _ in step)
        return (
            not self._of_warp
            and not any(self.of_row(low.warp) or self.of_row(high.warp) for low, high in self.gaps)
            and all(name in self._per_row for terms in of_rows for name, _ in terms)
            and all(name == ONE for name in steps)
        )

    def value_in_first(self, bound: Bound) -> str:
        """Return a bound in the first workgroup of a row of the grid, without `of_row`, an i64."""
        entry, total = self.entry, self.call_value(bound)
        for name, scale in bound.warp:
            if (value := self._in_first.get(name, "0")) != "0":
                total = entry.let(f"add i64 {total}, {entry.let(f'mul i64 {value}, {scale}')}")
        return total

    def _total(self, terms: Terms, *, in_warp: bool) -> str:
        if (in_warp, terms) not in self._sums:
            text, total = self.code if in_warp else self.entry, ""
            for name, scale in terms:
                term = name if scale == 1 else text.let(f"mul i64 {name}, {scale}")
                total = text.let(f"add i64 {total}, {term}") if total else term
            self._sums[in_warp, terms] = total
        return self._sums[in_warp, terms]

    def mark(self) -> tuple[Any, ...]:
        """Return what `back_to` needs to drop the conditions that are asked for from now on."""
        limits = {terms: (dict(low), dict(high)) for terms, (low, high) in self._limits.items()}
        of_call = dict(self._of_call), dict(self._sums_of_call)
        return limits, list(self.gaps), of_call, list(self._of_warp), self.never

    def back_to(self, mark: tuple[Any, ...]) -> None:
        """Drop conditions asked for since a mark."""
        self._limits, self.gaps, of_call, self._of_warp, self.never = mark
        self._of_call, self._sums_of_call = of_call

    # --- conditions

    def at_most(self, bound: Bound, most: int) -> None:
        """Ask that a bound is at most a constant."""
        bound = bound.plus(Bound(constant=most), -1)
        if bound.is_constant:
            self.never |= bound.constant > 0
        elif not bound.warp and not bound.step:
            known = self._sums_of_call.get(bound.call, bound.constant)
            self._sums_of_call[bound.call] = max(known, bound.constant)
        else:
            self._limit(bound)

    def _limit(self, bound: Bound) -> None:
        """Ask that a bound with scalars of the warp, or with steps, is at most 0."""
        both = bound.warp + bound.step
        factor = min(scale & -scale for _, scale in both)
        sign = 1 if both[0][1] > 0 else -1
        terms, step = (
            tuple((name, scale // factor * sign) for name, scale in part)
            for part in (bound.warp, bound.step)
        )
        lowest, highest = self._limits.setdefault((terms, step), ({}, {}))
        shift = factor.bit_length() - 1
        if sign > 0:
            rest = Bound((), bound.call, bound.constant).times(-1)
            key = rest.call, shift
            highest[key] = min(highest.get(key, rest.constant), rest.constant)
        else:
            key, constant = (bound.call, shift), bound.constant + factor - 1
            lowest[key] = max(lowest.get(key, constant), constant)

    def _shifted(self, limits: _Strictest) -> list[int | str]:
        """Return limits that are shifted, of which the entry computes those that vary."""
        found: list[int | str] = []
        for (call, shift), constant in limits.items():
            if not call:
                found.append(constant >> shift)
                continue
            value = self.call_value(Bound((), call, constant))
            found.append(self.entry.let(f"ashr i64 {value}, {shift}") if shift else value)
        return found

    def no_zero(self, low: Bound, high: Bound) -> None:
        """Ask that 0 is not between two bounds that are a constant apart."""
        if low.step and low.step[0][0] == ONE and len(low.step) == 1:
            self.gaps.append((low, high))
            return
        test = f"icmp ugt i64 {self.value(high)}, {high.plus(low, -1).constant}"
        self.require(self.code.let(test))

    def require(self, test: str) -> None:
        """Ask that an i1 of the warp is true."""
        self._of_warp.append(test)

    def require_of_call(self, test: str) -> None:
        """Ask that an i1 of the call is true."""
        self._of_call[test] = None

    def is_multiple(self, bound: Bound, number: int) -> None:
        """Ask that a bound, the same in all warps and at least 0, is a multiple of a number."""
        rest = self.entry.let(f"urem i64 {self.call_value(bound)}, {number}")
        self.require_of_call(self.entry.let(f"icmp eq i64 {rest}, 0"))

    # --- tests

    def branch(self, yes: str, no: str) -> None:
        """End the block: continue at `yes` if all conditions hold, else at `no`."""
        tests = [self.code.let(test) for test in self._limit_tests()]
        for test in [*filter(None, [self._all_of_call()]), *tests, *self._of_warp]:
            following = self.code.fresh_label("i")
            self.code.branch(test, following, no)
            self.code.block(following)
        self.code.jump(yes)

    def tests(self) -> list[str]:
        """Return the tests other than those of sums, i1, that of the call first."""
        return [*filter(None, [self._all_of_call()]), *self._of_warp]

    def of_call(self) -> str:
        """Return whether what is asked of the call holds, an i1."""
        return self._all_of_call() or "true"

    def of_warps(self) -> object:
        """Return what is asked of a warp, to be compared with what is asked later."""
        limits, gaps, _, of_warp, never = self.mark()
        return limits, gaps, of_warp, never

    def _limit_tests(self) -> Iterable[str]:
        for (terms, step), (low, high) in self.limits():
            assert not step
            total = self._total(terms, in_warp=True)
            if low is None or high is None:
                yield f"icmp sge i64 {total}, {low}" if low else f"icmp sle i64 {total}, {high}"
                continue
            self.require_of_call(self.entry.let(f"icmp sle i64 {low}, {high}"))
            span = self.entry.let(f"sub i64 {high}, {low}")
            apart = self.code.let(f"sub i64 {total}, {low}")
            yield f"icmp ule i64 {apart}, {span}"

    def limits(self) -> Iterable[tuple[tuple[Terms, Terms], tuple[str | None, str | None]]]:
        """Yield each sum and its step, with what it must reach and must not exceed."""
        for key, (lowest, highest) in self._limits.items():
            limits = self._shifted(lowest), self._shifted(highest)
            yield key, (self._extreme("smax", limits[0]), self._extreme("smin", limits[1]))

    def _extreme(self, which: str, limits: list[int | str]) -> str | None:
        if not limits:
            return None
        constants = [limit for limit in limits if isinstance(limit, int)]
        names = sorted({limit for limit in limits if isinstance(limit, str)})
        if constants:
            names.append(str(max(constants) if which == "smax" else min(constants)))
        found = names[0]
        for name in names[1:]:
            found = self.entry.intrinsic(f"llvm.{which}", "i64", f"i64 {found}", f"i64 {name}")
        return found

    def _all_of_call(self) -> str | None:
        """Return whether what is asked of the call holds, an i1 of the entry; None for nothing."""
        tests = [*self._of_call]
        for call, constant in self._sums_of_call.items():
            total = self.call_value(Bound((), call, constant))
            tests.append(self.entry.let(f"icmp sle i64 {total}, 0"))
        return self.entry.all_of(*tests) if tests else None
