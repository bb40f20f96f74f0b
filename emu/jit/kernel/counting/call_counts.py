"""The counts of one call: variables, or memory, that are added to those of the launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...runtime.context import Count, Slot
from ..context_code import load_slot
from ..lane_code import LaneCode
from .counted_warps import CountedWarps, Numbers


class CallCounts:
    """Emits additions to counts; `reported` is node -> the nodes for which its counts are.

    Those of nodes are added to memory at once if they are `in_memory`.
    """

    def __init__(
        self, lanes: LaneCode, reported: Mapping[int, Sequence[int]], *, in_memory: bool
    ) -> None:
        self._lanes, self._words = lanes, lanes.variables
        self._warps = CountedWarps(lanes)
        self._reported, self._in_memory = reported, in_memory
        entry = lanes.entry
        self.memory = entry.let(f"inttoptr i64 {load_slot(entry, Slot.COUNTS)} to ptr")
        """Where the counts of the launch begin, a ptr."""
        self._counts: dict[str, int] = {}
        """Variables whose values are added to counts in memory, and which."""

    def add(self, count: int, value: str) -> None:
        """Add an i64 to a count."""
        code = self._lanes.code
        if self._in_memory and count >= Count.NODES:
            place = code.let(f"getelementptr i64, ptr {self.memory}, i64 {count}")
            known = code.let(f"load i64, ptr {place}")
            code.line(f"store i64 {code.let(f'add i64 {known}, {value}')}, ptr {place}")
            return
        name = self._counted(count, ["i64"])
        self._words.set_word(name, code.let(f"add i64 {self._words.word(name)}, {value}"))

    def add_each(self, count: int, values: Numbers) -> None:
        """Add a number of each warp to a count."""
        warps, name = self._warps, self._counted(count, self._warps.types)
        known = self._words.load(name, warps.types)
        self._words.store(name, warps.types, warps.let("add", known, values))

    def raise_depth(self, depths: Numbers) -> None:
        """Note how deep the stacks of the warps are."""
        warps, name = self._warps, self._counted(Count.DEPTH, self._warps.types)
        known = self._words.load(name, warps.types)
        self._words.store(name, warps.types, warps.larger(known, depths))

    def _counted(self, count: int, types: Sequence[str]) -> str:
        """Return the variable of a count, which begins at zero in each call."""
        name = f"count{count}"
        if name not in self._counts:
            self._counts[name] = count
            for type_, place in zip(types, self._words.places(name, types), strict=True):
                zero = "0" if type_ == "i64" else "zeroinitializer"
                self._lanes.entry.line(f"store {type_} {zero}, ptr {place}")
        return name

    def finish(self) -> None:
        """Add the counts of this call to those in memory."""
        for name, count in self._counts.items():
            if count == Count.DEPTH:
                new = self._warps.largest(self._words.load(name, self._warps.types))
            elif count == Count.COMPARISONS:
                new = self._warps.total(self._words.load(name, self._warps.types))
            else:
                new = self._words.word(name)
            for at in self.places_of(count):
                self._report(at, new)

    def _report(self, at: int, new: str) -> None:
        """Add a number of this call, an i64, to a count in memory."""
        code = self._lanes.code
        place = code.let(f"getelementptr i64, ptr {self.memory}, i64 {at}")
        known = code.let(f"load i64, ptr {place}")
        if at == Count.DEPTH:
            total = code.call("i64", "llvm.umax.i64", f"i64 {known}", f"i64 {new}")
        else:
            total = code.let(f"add i64 {known}, {new}")
        code.line(f"store i64 {total}, ptr {place}")

    def places_of(self, count: int) -> list[int]:
        """Return to which counts in memory a count of this code is added."""
        number, which = divmod(count - Count.NODES, 2)
        if count < Count.NODES:
            return [count]
        return [Count.NODES + 2 * node + which for node in self._reported.get(number, ())]
