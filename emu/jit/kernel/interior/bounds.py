"""Sums that bound a value in a warp, and conditions on them.

A bound is a sum: scalars of the warp and scalars of the call, times constants, plus a constant. All
are integers of 64 bits that do not overflow. Conditions on the same sum of a warp's scalars become
one test, whose limits are computed once per call.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...llvm.function_text import FunctionText

Terms = tuple[tuple[str, int], ...]
"""Operands times constants."""


@dataclass(frozen=True)
class Bound:
    """Scalars of the warp, scalars of the call (operands, i64, times constants) and a constant."""

    warp: Terms = ()
    call: Terms = ()
    constant: int = 0

    def plus(self, other: Bound, factor: int = 1) -> Bound:
        """Return the sum with a multiple of another bound."""
        return Bound(
            _sum(self.warp, other.warp, factor),
            _sum(self.call, other.call, factor),
            self.constant + factor * other.constant,
        )

    def times(self, factor: int) -> Bound:
        """Return a multiple."""
        return Bound().plus(self, factor)


def _sum(a: Terms, b: Terms, factor: int) -> Terms:
    total = dict(a)
    for name, scale in b:
        total[name] = total.get(name, 0) + factor * scale
    return tuple(sorted((name, scale) for name, scale in total.items() if scale))


class Conditions:
    """Collects conditions; `entry` runs once per call, `code` once per warp."""

    def __init__(self, entry: FunctionText, code: FunctionText) -> None:
        self.entry = entry
        self.code = code
        self._sums: dict[tuple[bool, Terms], str] = {}
        self._limits: dict[Terms, tuple[list[int | str], list[int | str]]] = {}
        """Sum of a warp's scalars -> what it must reach, what it must not exceed."""
        self._of_call: list[str] = []
        self._of_warp: list[str] = []
        self.never = False
        """Whether a condition cannot hold."""

    def value(self, bound: Bound) -> str:
        """Return a bound as an operand of the warp, an i64."""
        total = self._total(bound.warp, in_warp=True)
        if bound.call or bound.constant or not bound.warp:
            rest = self.call_value(bound)
            total = self.code.let(f"add i64 {total}, {rest}") if bound.warp else rest
        return total

    def call_value(self, bound: Bound) -> str:
        """Return the part of a bound that is the same in all warps, an i64."""
        if not bound.call:
            return str(bound.constant)
        total = self._total(bound.call, in_warp=False)
        return self.entry.let(f"add i64 {total}, {bound.constant}") if bound.constant else total

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
        limits = {terms: (list(low), list(high)) for terms, (low, high) in self._limits.items()}
        return limits, list(self._of_call), list(self._of_warp), self.never

    def back_to(self, mark: tuple[Any, ...]) -> None:
        """Drop conditions asked for since a mark."""
        self._limits, self._of_call, self._of_warp, self.never = mark

    # --- conditions

    def at_most(self, bound: Bound, most: int) -> None:
        """Ask that a bound is at most a constant."""
        bound = Bound(bound.warp, bound.call, bound.constant - most)
        if not bound.warp and not bound.call:
            self.never |= bound.constant > 0
        elif not bound.warp:
            self._of_call.append(self.entry.let(f"icmp sle i64 {self.call_value(bound)}, 0"))
        else:
            self._limit(bound)

    def _limit(self, bound: Bound) -> None:
        """Ask that a bound with scalars of the warp is at most 0."""
        factor = min(scale & -scale for _, scale in bound.warp)
        sign = 1 if bound.warp[0][1] > 0 else -1
        terms = tuple((name, scale // factor * sign) for name, scale in bound.warp)
        lowest, highest = self._limits.setdefault(terms, ([], []))
        shift = factor.bit_length() - 1
        if sign > 0:
            rest = Bound().plus(bound, -1)
            highest.append(self._shifted(rest, shift))
        else:
            rest = Bound((), bound.call, bound.constant + factor - 1)
            lowest.append(self._shifted(rest, shift))

    def _shifted(self, bound: Bound, shift: int) -> int | str:
        if not bound.call:
            return bound.constant >> shift
        value = self.call_value(bound)
        return self.entry.let(f"ashr i64 {value}, {shift}") if shift else value

    def require(self, test: str) -> None:
        """Ask that an i1 of the warp is true."""
        self._of_warp.append(test)

    def require_of_call(self, test: str) -> None:
        """Ask that an i1 of the call is true."""
        self._of_call.append(test)

    # --- tests

    def branch(self, yes: str, no: str) -> None:
        """End the block: continue at `yes` if all conditions hold, else at `no`."""
        tests = [self.code.let(test) for test in self._limit_tests()]
        of_call = self._all(self.entry, self._of_call)
        for test in filter(None, [of_call, *tests, *self._of_warp]):
            following = self.code.fresh_label("i")
            self.code.branch(test, following, no)
            self.code.block(following)
        self.code.jump(yes)

    def _limit_tests(self) -> Iterable[str]:
        for terms, (lowest, highest) in self._limits.items():
            low, high = self._extreme("smax", lowest), self._extreme("smin", highest)
            total = self._total(terms, in_warp=True)
            if low is None or high is None:
                yield f"icmp sge i64 {total}, {low}" if low else f"icmp sle i64 {total}, {high}"
                continue
            self._of_call.append(self.entry.let(f"icmp sle i64 {low}, {high}"))
            span = self.entry.let(f"sub i64 {high}, {low}")
            apart = self.code.let(f"sub i64 {total}, {low}")
            yield f"icmp ule i64 {apart}, {span}"

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

    def _all(self, text: FunctionText, tests: list[str]) -> str | None:
        if not tests:
            return None
        found = tests[0]
        for test in tests[1:]:
            found = text.let(f"and i1 {found}, {test}")
        return found
