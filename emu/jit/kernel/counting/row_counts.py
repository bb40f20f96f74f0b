"""The function that counts the masks of many iterations, a vector of iterations at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ....analysis.counting.rows import Chain, Mask, Row
from ....analysis.facts import Facts
from ...llvm.function_text import FunctionText, definition
from ...llvm.text import ModuleText, integer, mangled
from ...runtime.context import Count
from ..variables import Variables

ITERATIONS = 32
"""Iterations whose masks are kept before they are counted."""

DEPTHS, STARTS = "depths", "starts"
"""The columns of the stack's depth at the beginning, and of the lanes that warps start with."""

PARAMETERS = "ptr %block, ptr %counts, i64 %iterations"


class NodeCounts(NamedTuple):
    """The counts of nodes."""

    lengths: Mapping[int, int]
    """Node -> the instructions that its counts are of."""
    places_of: Callable[[int], Sequence[int]]
    """Returns where a node's counts are in memory, in words."""
    memory: str
    """Where they begin, a ptr."""


class Columns:
    """Where the columns of a row are: an element for each iteration and warp of the launch."""

    def __init__(self, facts: Facts, row: Row, *, has_starts: bool) -> None:
        self.facts, self.row = facts, row
        self.warps = facts.width // facts.counts
        """The launch's warps in one of native code."""
        self.bits = max(8, 1 << (facts.counts - 1).bit_length())
        """Bits of a mask of one of the launch's warps."""
        self.n = 16 if self.bits <= 32 else 8
        """Elements that are counted at a time."""
        self.size = 0
        """Bytes of all columns."""
        self.offsets: dict[Mask | str, int] = {}
        names: list[Mask | str] = [*row.kept]
        if row.branches and row.loop is not None:
            names.append(DEPTHS)
        if has_starts:
            names.append(STARTS)
        for column in names:
            self.offsets[column] = self.size
            self.size += ITERATIONS * self.bytes_of(column)

    def bytes_of(self, column: Mask | str) -> int:
        """Return the bytes of one iteration in a column."""
        return self.warps * (32 if column == DEPTHS else self.bits) // 8


class RowCounts:
    """Generates `void <name>(columns, counts, iterations)`, which leaves the masks at zero."""

    def __init__(
        self,
        module: ModuleText,
        columns: Columns,
        counts: NodeCounts,
        *,
        joins: bool,
    ) -> None:
        self._entry = FunctionText(module)
        self._code = self._entry.elsewhere()
        self._sums = Variables(self._entry, self._code)
        self._columns, self._row, self._joins = columns, columns.row, joins
        self._counts = counts
        self._masks: dict[Mask, str] = {}
        self._some: dict[Mask, str] = {}
        self._totals: dict[int, str] = {}
        """Count in memory -> variable of its sums, one for each element of a vector."""
        n = columns.n
        self._t, self._number, self._flag = (integer(bits, n) for bits in (columns.bits, 32, 1))

    def define(self, name: str) -> str:
        """Add the function to the module unless it has it; return its name."""
        code, n = self._code, self._columns.n
        code.block("vectors")
        self._count()
        following = code.let(f"add i64 {self._sums.word('vector')}, 1")
        self._sums.set_word("vector", following)
        elements = self._entry.let(f"mul i64 %iterations, {self._columns.warps}")
        counted = code.let(f"mul i64 {following}, {n}")
        code.branch(code.let(f"icmp ult i64 {counted}, {elements}"), "vectors", "over")
        code.block("over")
        for count, variable in self._totals.items():
            self._report(count, variable)
        code.line("ret void")
        (place,) = self._sums.places("vector", ["i64"])
        self._entry.line(f"store i64 0, ptr {place}")
        self._entry.jump("vectors")
        head = f"define internal void @{name}({PARAMETERS}) noinline"
        return code.module.define_once(name, definition(head, self._entry, code))

    # --- one vector

    def _count(self) -> None:
        """Count a vector of iterations."""
        code, row, n = self._code, self._row, self._columns.n
        facts, t = self._columns.facts, self._t
        masks = {mask: self._loaded(mask, t, clear=True) for mask in row.kept}
        self._masks.update(masks)
        if STARTS in self._columns.offsets:
            start = self._loaded(STARTS, t)
            starters = self._as_number(self._lanes_of(start))
        else:
            start = f"splat (i{self._columns.bits} {(1 << facts.counts) - 1})"
            starters = f"splat (i32 {facts.counts})"
        for node, mask in row.nodes.items():
            found, some = self._mask(mask), self._has_lanes(mask)
            lanes = self._as_number(self._lanes_of(found))
            for place in self._counts.places_of(node):
                self._add(place, code.let(f"zext {self._flag} {some} to {self._number}"))
                self._add(place + 1, lanes)
            length = self._counts.lengths[node]
            if self._joins and length:
                missing = code.let(f"icmp ne {t} {found}, {start}")
                compared = code.let(f"and {self._flag} {some}, {missing}")
                self._add(Count.COMPARISONS, self._if(compared, f"splat (i32 {length})"))
            if not facts.whole and length:
                slots = code.let(f"mul {self._number} {starters}, splat (i32 {length})")
                self._add(Count.LANE_SLOTS, self._if(some, slots))
        depth = "splat (i32 1)"
        if DEPTHS in self._columns.offsets:
            depth = self._loaded(DEPTHS, integer(32, n))
        diverged: dict[int, str] = {}
        for b in row.branches:
            fall, taken = self._has_lanes((b, 0)), self._has_lanes((b, 1))
            diverged[b] = code.let(f"and {self._flag} {fall}, {taken}")
            self._add(
                Count.DIVERGENT, code.let(f"zext {self._flag} {diverged[b]} to {self._number}")
            )
        for b, (chain, most) in row.deepest.items():
            self._raise(self._if(diverged[b], self._plus(depth, ((b, most), *chain), diverged)))

    def _plus(self, depth: str, chain: Chain, diverged: Mapping[int, str]) -> str:
        for b, levels in chain:
            more = self._if(diverged[b], f"splat (i32 {levels})")
            depth = self._code.let(f"add {self._number} {depth}, {more}")
        return depth

    def _loaded(self, column: Mask | str, t: str, *, clear: bool = False) -> str:
        """Return a vector of a column, which is zero afterwards if it is cleared."""
        code, offset = self._code, self._columns.offsets[column]
        start = self._entry.let(f"getelementptr i8, ptr %block, i64 {offset}")
        place = code.let(f"getelementptr {t}, ptr {start}, i64 {self._sums.word('vector')}")
        found = code.let(f"load {t}, ptr {place}, align 16")
        if clear:
            code.line(f"store {t} zeroinitializer, ptr {place}, align 16")
        return found

    def _mask(self, mask: Mask) -> str:
        """Return a mask, which may be that of either side of a branch."""
        if mask not in self._masks:
            b = self._row.masks[mask]
            assert b is not None, "masks that are kept are loaded first"
            sides = self._mask((b, 0)), self._mask((b, 1))
            self._masks[mask] = self._code.let(f"or {self._t} {sides[0]}, {sides[1]}")
        return self._masks[mask]

    def _has_lanes(self, mask: Mask) -> str:
        if mask not in self._some:
            test = f"icmp ne {self._t} {self._mask(mask)}, zeroinitializer"
            self._some[mask] = self._code.let(test)
        return self._some[mask]

    def _lanes_of(self, masks: str) -> str:
        return self._code.call(self._t, f"llvm.ctpop.{mangled(self._t)}", f"{self._t} {masks}")

    def _as_number(self, value: str) -> str:
        if self._t == self._number:
            return value
        how = "zext" if self._columns.bits < 32 else "trunc"
        return self._code.let(f"{how} {self._t} {value} to {self._number}")

    def _if(self, flags: str, number: str) -> str:
        t = self._number
        return self._code.let(f"select {self._flag} {flags}, {t} {number}, {t} zeroinitializer")

    # --- sums

    def _sum_of(self, count: int) -> str:
        if count not in self._totals:
            self._totals[count] = f"sum {count}"
            (place,) = self._sums.places(f"sum {count}", [self._number])
            self._entry.line(f"store {self._number} zeroinitializer, ptr {place}")
        return self._totals[count]

    def _add(self, count: int, more: str) -> None:
        name = self._sum_of(count)
        (known,) = self._sums.load(name, [self._number])
        total = self._code.let(f"add {self._number} {known}, {more}")
        self._sums.store(name, [self._number], [total])

    def _raise(self, depths: str) -> None:
        name = self._sum_of(Count.DEPTH)
        (known,) = self._sums.load(name, [self._number])
        t = self._number
        largest = self._code.call(t, f"llvm.umax.{mangled(t)}", f"{t} {known}", f"{t} {depths}")
        self._sums.store(name, [t], [largest])

    def _report(self, count: int, variable: str) -> None:
        """Add a sum to a count in memory."""
        code, t = self._code, self._number
        how = "umax" if count == Count.DEPTH else "add"
        (sums,) = self._sums.load(variable, [t])
        total = code.call("i32", f"llvm.vector.reduce.{how}.{mangled(t)}", f"{t} {sums}")
        new = code.let(f"zext i32 {total} to i64")
        place = code.let(f"getelementptr i64, ptr %counts, i64 {count}")
        known = code.let(f"load i64, ptr {place}")
        if how == "umax":
            total = code.call("i64", "llvm.umax.i64", f"i64 {known}", f"i64 {new}")
        else:
            total = code.let(f"add i64 {known}, {new}")
        code.line(f"store i64 {total}, ptr {place}")
