"""Rows of numbers that follow each other, counted from one row to the next.

`i % c`, `i / c` and `i / (c * w)` change only where a row of `c` numbers ends. A loop over these
rows carries the quotients, and the first numbers of rows, instead of dividing: rows are often
shorter than a division takes. Rows of the same divisor are counted once. Rows that consist of whole
shorter ones end where one of these does. So where the next row ends follows from the size alone,
and iterations of the loop need not wait for each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...analysis.lanes.interior import Assumed
from ...analysis.values.ssa import Op, Value
from ..llvm.function_text import FunctionText

LEFT, QUOTIENT, FIRST = "%left", "%quotient", "%first"
"""For each kind of rows, whose number follows, i32: how many numbers are left of the running row;
the row's number; its first number."""


class Row(NamedTuple):
    """A row of numbers that have one quotient, by i32 operands."""

    left: str
    """How many of its numbers are left for a warp."""
    size: str
    quotient: str
    first: str
    """Its first number."""


@dataclass
class _Counter:
    """Rows of one divisor."""

    number: int
    row: Row
    """That in which the first work-item is."""
    ops: list[Op]
    """The quotients and remainders that depend on these rows."""
    of: _Counter | None = None
    """The rows of which these consist: a product of sizes does not wrap around (`Spans.number`)."""

    def has(self, stem: str) -> bool:
        """Return whether some op needs the quotient (`div`), or the first number (`rem`)."""
        return any(op.ins.row.stem == stem for op in self.ops)


class RowCounters:
    """The rows that a loop over them counts; `code` is that of the loop."""

    def __init__(self, code: FunctionText, rows: Mapping[Op, Row]) -> None:
        self._code = code
        found = dict[tuple[Value, ...], _Counter]()
        for op, row in rows.items():
            counter = found.setdefault(tuple(op.args[:2]), _Counter(len(found), row, []))
            counter.ops.append(op)
        self._counters = list(found.values())
        for counter in self._counters:
            number, size = counter.ops[0].args[:2]
            if isinstance(size, Op) and size.ins.row.stem == "mul":
                parts = (found.get((number, factor)) for factor in size.args[:2])
                counter.of = next((part for part in parts if part is not None), None)

    @property
    def ops(self) -> list[Op]:
        """The quotients and remainders that are counted."""
        return [op for counter in self._counters for op in counter.ops]

    @property
    def sizes(self) -> list[str]:
        """How many numbers each row has, i32."""
        return [counter.row.size for counter in self._counters]

    def begin(self, before: str, over: str) -> None:
        """Begin an iteration of the loop, which is entered from `before` and repeated from `over`.

        The block must have phis only.
        """
        for counter in self._counters:
            i, row = counter.number, counter.row
            again = row.size if counter is self._only else f"{LEFT}{i}.next"
            self._phi(f"{LEFT}{i}", (row.left, before), (again, over))
            if counter.has("div"):
                self._phi(f"{QUOTIENT}{i}", (row.quotient, before), (f"{QUOTIENT}{i}.next", over))
            if counter.has("rem"):
                self._phi(f"{FIRST}{i}", (row.first, before), (f"{FIRST}{i}.next", over))

    def _phi(self, name: str, *ways: tuple[str, str]) -> None:
        self._code.phi("i32", *ways, name=name)

    @property
    def _shortest(self) -> list[_Counter]:
        """Those that do not consist of shorter ones."""
        return [counter for counter in self._counters if counter.of is None]

    @property
    def _only(self) -> _Counter | None:
        """The one that ends with each iteration, if there is one."""
        return self._shortest[0] if len(self._shortest) == 1 else None

    def running(self, most: str) -> str:
        """Return how many numbers are left up to where a row ends, but for `most` ones, i64."""
        for counter in self._shortest:
            left = self._code.let(f"zext i32 {LEFT}{counter.number} to i64")
            most = self._code.intrinsic("llvm.umin", "i64", f"i64 {most}", f"i64 {left}")
        return most

    def advance(self, ran: str) -> None:
        """Append the numbers after `ran` ones (an i64), up to where a row ends or the loop does."""
        code = self._code
        ran = code.let(f"trunc i64 {ran} to i32")
        for counter in self._counters:
            i, size, ends = counter.number, counter.row.size, ""
            if counter is not self._only:
                left = code.let(f"sub i32 {LEFT}{i}, {ran}")
                ends = code.let(f"icmp eq i32 {left}, 0")
                code.let(f"select i1 {ends}, i32 {size}, i32 {left}", f"{LEFT}{i}.next")
            if counter.has("div"):
                self._add(f"{QUOTIENT}{i}", "1", ends)
            if counter.has("rem"):
                self._add(f"{FIRST}{i}", size, ends)

    def _add(self, name: str, step: str, ends: str) -> None:
        """Append a number after an iteration: more by a step if `ends` (an i1), or always."""
        if ends:
            step = self._code.let(f"select i1 {ends}, i32 {step}, i32 0")
        self._code.let(f"add i32 {name}, {step}", f"{name}.next")

    def assume(self, assumed: Assumed) -> None:
        """Note the numbers of the running row as what is known of quotients and remainders."""
        for counter in self._counters:
            for op in counter.ops:
                if op in assumed.known:
                    assumed.known[op] = f"{QUOTIENT}{counter.number}"
                else:
                    assumed.rest[op] = f"{FIRST}{counter.number}"
