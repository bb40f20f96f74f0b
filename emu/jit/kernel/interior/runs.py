"""The interior warps of a row: warps that follow each other, for which all conditions hold.

Where a workgroup is a row, bounds grow by the same step from work-item to work-item. So each
condition holds for warps that begin from one work-item of the row to another one, and is solved
once instead of tested in every warp.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...llvm.function_text import FunctionText
from .bounds import ONE, Bound, Conditions, Terms

NEVER = "-1"
"""No work-item's number."""


@dataclass(frozen=True)
class Starts:
    """Work-items of a row at which a warp may begin: the first and the one after the last, i64."""

    first: str
    end: str
    some: str
    """Whether there are any, an i1."""

    def all_between(self, code: FunctionText, first: str, last: str) -> str:
        """Return whether a warp may begin at all work-items from `first` to `last` (i64), an i1."""
        from_first = code.let(f"icmp sle i64 {self.first}, {first}")
        to_last = code.let(f"icmp sgt i64 {self.end}, {last}")
        return code.all_of(self.some, from_first, to_last)


@dataclass(frozen=True)
class RowSum:
    """A sum that a row is asked for: in the present row, and its limits; operands are i64."""

    value: str
    per_row: str | None
    """By what it grows from row to row; None if that is not known."""
    low: str | None
    high: str | None

    def tests(self, code: FunctionText, rows: str = "") -> list[str]:
        """Return whether it is within its limits, as i1: here, or so many `rows` (i64) below."""
        value = self.value
        if rows:
            apart = code.let(f"mul i64 {rows}, {self.per_row}")
            value = code.let(f"add i64 {value}, {apart}")
        return limit_tests(code, value, self.low, self.high)


@dataclass(frozen=True)
class Run:
    """The work-items of warps side by side: the first and the one after the last, as i64.

    The first is `NEVER` if there are none.
    """

    first: str
    end: str

    def last_vector(self, code: FunctionText, begin: str, end: str, vector: int) -> str:
        """Return a work-item after which no vector of a row beside the run begins; all are i64.

        The row's lanes run from `begin` to `end`, at most.
        """
        is_empty = code.let(f"icmp slt i64 {self.first}, 0")
        after = code.let(f"select i1 {is_empty}, i64 {begin}, i64 {self.end}")
        left = code.let(f"sub i64 {end}, {after}")
        before_last = code.let(f"and i64 {code.let(f'sub i64 {left}, 1')}, {-vector}")
        last = code.let(f"add i64 {after}, {before_last}")
        before_run = code.let(f"sub i64 {self.first}, 1")
        return code.intrinsic("llvm.smax", "i64", f"i64 {last}", f"i64 {before_run}")


def run_of(code: FunctionText, starts: Starts, width: int) -> Run:
    """Append the choice of warps of `width` lanes, which begin at multiples of it."""
    return _run(code, starts, *_warps_from(code, starts, width, width))


def run_from_anywhere(code: FunctionText, starts: Starts, width: int, vector: int) -> Run:
    """Append the choice of warps that may begin at any work-item.

    They begin at a multiple of a `vector`, where lines of the cache mostly begin, or at the first
    work-item if there is one warp more then.
    """
    aligned = _warps_from(code, starts, width, vector)
    exact = _warps_from(code, starts, width, 1)
    gains = code.let(f"icmp sgt i64 {exact[1]}, {aligned[1]}")
    first, items = (
        code.let(f"select i1 {gains}, i64 {a}, i64 {b}")
        for a, b in zip(exact, aligned, strict=True)
    )
    return _run(code, starts, first, items)


def _run(code: FunctionText, starts: Starts, first: str, warps_items: str) -> Run:
    some = code.all_of(starts.some, code.let(f"icmp sgt i64 {warps_items}, 0"))
    end = code.let(f"add i64 {first}, {warps_items}")
    return Run(code.let(f"select i1 {some}, i64 {first}, i64 {NEVER}"), end)


def _warps_from(code: FunctionText, starts: Starts, width: int, multiple: int) -> tuple[str, str]:
    """Return the first multiple at which a warp may begin, and the lanes of all that follow it."""
    first = _rounded_up(code, starts.first, multiple)
    left = code.let(f"sub i64 {starts.end}, {first}")
    left = code.intrinsic("llvm.smax", "i64", f"i64 {left}", "i64 0")
    return first, _rounded_up(code, left, width)


def _rounded_up(code: FunctionText, number: str, multiple: int) -> str:
    """Return the next multiple from a number on that is not negative."""
    if multiple == 1:
        return number
    number = code.let(f"add i64 {number}, {multiple - 1}")
    if multiple & multiple - 1 == 0:
        return code.let(f"and i64 {number}, {-multiple}")
    return code.let(f"mul i64 {code.let(f'udiv i64 {number}, {multiple}')}, {multiple}")


def find_starts(conditions: Conditions, items: str) -> Starts:
    """Append the search for work-items of a row at which warps are interior.

    The row has `items` (an i64) work-items.
    """
    solver = _Solver(conditions, conditions.code, items)
    for (terms, step), limits in conditions.limits():
        solver.keep(conditions.value(Bound(terms)) if terms else "0", step, *limits)
    for low, high in conditions.gaps:
        ends = [conditions.value(replace(bound, step=())) for bound in (low, high)]
        solver.leave_out(ends[0], ends[1], low)
    return solver.starts(conditions.tests())


def find_starts_in_first(
    conditions: Conditions, items: str, first: str = "0", last: str = ""
) -> tuple[Starts, str, list[RowSum]]:
    """Append the same for all rows of the grid at once, in their first workgroups.

    What does not depend on the row is found once per call. Also returned is whether all other
    conditions hold in the present row, an i1, wherever a warp begins from `first` to `last` (i64),
    and the sums that are compared for that.
    """
    code, entry = conditions.code, conditions.entry
    solver, tests = _Solver(conditions, entry, items), conditions.tests()
    last = last or entry.let(f"sub i64 {items}, 1")
    sums: list[RowSum] = []
    for (terms, step), (low, high) in conditions.limits():
        total = conditions.value_in_first(Bound(terms))
        of_row = conditions.of_row(terms)
        if not of_row and all(name == ONE for name, _ in step):
            solver.keep(total, step, low, high)
            continue
        total = code.let(f"add i64 {conditions.value(Bound(of_row))}, {total}") if of_row else total
        ends = _extremes(step, first, last, low, high)
        for item, least, most in ends:
            at = total
            if item != "0":
                apart = code.let(f"mul i64 {item}, {conditions.value(Bound(step))}")
                at = code.let(f"add i64 {total}, {apart}")
            sums.append(RowSum(at, conditions.growth(of_row), least, most))
            tests += sums[-1].tests(code)
    for low, high in conditions.gaps:
        if conditions.of_row(low.warp) or conditions.of_row(high.warp):
            tests.append("false")
        else:
            ends = [conditions.value_in_first(replace(bound, step=())) for bound in (low, high)]
            solver.leave_out(ends[0], ends[1], low)
    return solver.starts([]), code.all_of(*tests) if tests else "true", sums


def _extremes(
    step: Terms, first: str, last: str, low: str | None, high: str | None
) -> list[tuple[str, str | None, str | None]]:
    """Return the work-items at which a sum must have been compared, and its limits there.

    It is least at one end and largest at the other one: which these are, a constant step shows.
    """
    match step:
        case []:
            return [("0", low, high)]
        case [(name, scale)] if name == ONE:
            least, most = (first, last) if scale > 0 else (last, first)
            return [(least, low, None), (most, None, high)]
        case _:
            return [(first, low, high), (last, low, high)]


def limit_tests(code: FunctionText, total: str, low: str | None, high: str | None) -> list[str]:
    """Return whether a sum reaches and does not exceed its limits, as i1."""
    tests = []
    if low is not None:
        tests.append(code.let(f"icmp sge i64 {total}, {low}"))
    if high is not None:
        tests.append(code.let(f"icmp sle i64 {total}, {high}"))
    return tests


class _Solver:
    """Narrows the range of work-items at which a warp may begin, condition by condition."""

    def __init__(self, conditions: Conditions, code: FunctionText, items: str) -> None:
        self._conditions = conditions
        self._code = code
        self._first, self._end = "0", items
        self._tests: list[str] = []
        self._uneven: list[tuple[str, Terms, str | None, str | None]] = []
        self._gaps: list[tuple[str, str, int]] = []

    def starts(self, tests: list[str]) -> Starts:
        """Return what is left, if these tests hold as well."""
        code, conditions = self._code, self._conditions
        for below, above, step in self._gaps:
            self._cut(below, above, step)
        for total, step, low, high in self._uneven:
            # What grows or shrinks steadily is between its limits if it is so at both ends.
            per_item = conditions.value(Bound(step))
            last = code.let(f"sub i64 {self._end}, 1")
            for item in (self._first, last):
                apart = code.let(f"mul i64 {item}, {per_item}")
                self._tests += limit_tests(code, code.let(f"add i64 {total}, {apart}"), low, high)
        some = code.let(f"icmp slt i64 {self._first}, {self._end}")
        return Starts(self._first, self._end, code.all_of(some, *tests, *self._tests))

    def keep(self, total: str, step: Terms, low: str | None, high: str | None) -> None:
        """Keep the work-items i for which low <= total + step * i <= high."""
        if not step:
            self._tests += limit_tests(self._code, total, low, high)
        elif len(step) == 1 and step[0][0] == ONE:
            self._limit(total, step[0][1], low, high)
        else:
            self._uneven.append((total, step, low, high))

    def leave_out(self, low: str, high: str, bound: Bound) -> None:
        """Leave out where 0 is between two numbers that grow by the step of a bound."""
        self._gaps.append((low, high, bound.step[0][1]))

    def _limit(self, total: str, step: int, low: str | None, high: str | None) -> None:
        code = self._code
        if step < 0:
            # The same as -high <= -total - step * i <= -low.
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

    def _cut(self, low: str, high: str, step: int) -> None:
        """Leave out where 0 is between two numbers that grow, and the shorter part beside it."""
        code = self._code
        if step > 0:
            low, high = (code.let(f"sub i64 0, {end}") for end in (low, high))
            low, high = high, low
        # 0 is between them where low <= |step| * i <= high.
        first = self._quotient(code.let(f"add i64 {low}, {abs(step) - 1}"), abs(step))
        after = code.let(f"add i64 {self._quotient(high, abs(step))}, 1")
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
