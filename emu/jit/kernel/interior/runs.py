"""The interior warps of a row: one run of warps for which all conditions hold.

Where a workgroup is a row, bounds grow by the same step from warp to warp. So each condition holds
from one warp of the row to another one, and is solved once instead of tested in every warp.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...llvm.function_text import FunctionText
from .bounds import ONE, Bound, Conditions, Terms

NEVER = "-1"
"""No warp's number."""


@dataclass(frozen=True)
class Run:
    """The first warp and the one after the last, as i64; the first is `NEVER` if there is none."""

    first: str
    end: str


def find_run(conditions: Conditions, warps: str) -> Run:
    """Append the computation of the interior warps of a row that has `warps` (an i64) of them."""
    return _Solver(conditions, warps).run()


class _Solver:
    """Narrows the range of warps, condition by condition."""

    def __init__(self, conditions: Conditions, warps: str) -> None:
        self._conditions = conditions
        self._code: FunctionText = conditions.code
        self._first, self._end = "0", warps

    def run(self) -> Run:
        code, conditions = self._code, self._conditions
        uneven: list[tuple[str, Terms, str | None, str | None]] = []
        for (terms, step), (low, high) in conditions.limits():
            total = conditions.value(Bound(terms)) if terms else "0"
            if not step:
                self._keep(conditions, total, low, high)
            elif len(step) == 1 and step[0][0] == ONE:
                self._limit(total, step[0][1], low, high)
            else:
                uneven.append((total, step, low, high))
        for low_bound, high_bound in conditions.gaps:
            self._leave_out(low_bound, high_bound)
        for total, step, low, high in uneven:
            # What grows or shrinks steadily is between its limits if it is so at both ends.
            per_warp = conditions.value(Bound(step))
            last = code.let(f"sub i64 {self._end}, 1")
            for number in (self._first, last):
                apart = code.let(f"mul i64 {number}, {per_warp}")
                self._keep(conditions, code.let(f"add i64 {total}, {apart}"), low, high)
        some = code.let(f"icmp slt i64 {self._first}, {self._end}")
        good = code.all_of(some, *conditions.tests())
        return Run(code.let(f"select i1 {good}, i64 {self._first}, i64 {NEVER}"), self._end)

    def _keep(self, conditions: Conditions, total: str, low: str | None, high: str | None) -> None:
        if low is not None:
            conditions.require(self._code.let(f"icmp sge i64 {total}, {low}"))
        if high is not None:
            conditions.require(self._code.let(f"icmp sle i64 {total}, {high}"))

    def _limit(self, total: str, step: int, low: str | None, high: str | None) -> None:
        """Keep the warps w for which low <= total + step * w <= high."""
        code = self._code
        if step < 0:
            # The same as -high <= -total - step * w <= -low.
            total = code.let(f"sub i64 0, {total}")
            low, high = (
                None if limit is None else code.let(f"sub i64 0, {limit}") for limit in (high, low)
            )
            step = -step
        if high is not None:
            last = self._quotient(code.let(f"sub i64 {high}, {total}"), step)
            self._end = self._extreme("smin", self._end, code.let(f"add i64 {last}, 1"))
        if low is not None:
            before = code.let(f"sub i64 {low}, {total}")
            first = self._quotient(code.let(f"add i64 {before}, {step - 1}"), step)
            self._first = self._extreme("smax", self._first, first)

    def _leave_out(self, low: Bound, high: Bound) -> None:
        """Leave out the warps for which 0 is between two bounds, and the shorter part beside it."""
        code, conditions = self._code, self._conditions
        step = low.step[0][1]
        if step < 0:
            low, high, step = high.times(-1), low.times(-1), -step
        below, above = (
            conditions.value(Bound(b.warp, b.call, b.constant).times(-1)) for b in (high, low)
        )
        first = self._quotient(code.let(f"add i64 {below}, {step - 1}"), step)
        after = code.let(f"add i64 {self._quotient(above, step)}, 1")
        first = self._extreme("smin", self._extreme("smax", first, self._first), self._end)
        after = self._extreme("smax", self._extreme("smin", after, self._end), self._first)
        left = code.let(f"sub i64 {first}, {self._first}")
        right = code.let(f"sub i64 {self._end}, {after}")
        takes_left = code.let(f"icmp sge i64 {left}, {right}")
        none = code.let(f"icmp sge i64 {first}, {after}")
        end = code.let(f"select i1 {takes_left}, i64 {first}, i64 {self._end}")
        start = code.let(f"select i1 {takes_left}, i64 {self._first}, i64 {after}")
        self._end = code.let(f"select i1 {none}, i64 {self._end}, i64 {end}")
        self._first = code.let(f"select i1 {none}, i64 {self._first}, i64 {start}")

    def _extreme(self, which: str, a: str, b: str) -> str:
        return self._code.intrinsic(f"llvm.{which}", "i64", f"i64 {a}", f"i64 {b}")

    def _quotient(self, number: str, step: int) -> str:
        """Return a number divided by a positive constant, rounded down."""
        code = self._code
        shift = (step & -step).bit_length() - 1
        number = code.let(f"ashr i64 {number}, {shift}") if shift else number
        odd = step >> shift
        if odd == 1:
            return number
        quotient = code.let(f"sdiv i64 {number}, {odd}")
        rest = code.let(f"srem i64 {number}, {odd}")
        negative = code.let(f"ashr i64 {rest}, 63")
        return code.let(f"add i64 {quotient}, {negative}")
