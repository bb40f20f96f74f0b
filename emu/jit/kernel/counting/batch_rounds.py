"""Rounds of a batch in the interpreter's order, whose warps all load in a loop before they store.

Warps in the loop are together, and all of them are at the lowest pc: each round executes a block
of theirs. Only fair rounds may execute others, of warps that have left the loop. So as many fair
rounds as there are blocks up to a store, between the first warp that leaves and the last load, may
have stored too early. Code that counts then refuses the launch.

How many rounds the launch had before the batch has bounds: a fair round may or may not be one more.
"""

from __future__ import annotations

from ....analysis.counting.loads_first import LoopRounds
from ....interp.interpreter import FAIR
from ...llvm.function_text import FunctionText
from ...runtime.context import Count, Slot
from ..context_code import load_slot
from ..lane_code import LaneCode

_ITERATIONS = "iterations of the warp"

_NONE = (1 << 62) - 1
"""Fewest iterations where no warp has left the loop."""


class BatchIterations:
    """Emits the counting of a loop's iterations in each warp, and the bounds of a batch."""

    def __init__(self, lanes: LaneCode, loop: LoopRounds) -> None:
        self._lanes, self._loop, self._words = lanes, loop, lanes.variables

    def begin_warp(self) -> None:
        """Begin a warp, which has not reached the loop."""
        self._words.set_word(_ITERATIONS, "0")

    def run(self, number: int) -> None:
        """Count an iteration if a node begins one, and note them where warps arrive after it."""
        lanes, code, node = self._lanes, self._lanes.code, self._lanes.flow.nodes[number]
        if node.latch_of is not None or not node.length:
            return
        if node.start == self._loop.header:
            more = code.let(f"zext i1 {lanes.any(lanes.mask)} to i64")
            count = code.let(f"add i64 {self._words.word(_ITERATIONS)}, {more}")
            self._words.set_word(_ITERATIONS, count)
        elif node.start in self._loop.entries:
            counts = _Counts(code)
            count, some = self._words.word(_ITERATIONS), lanes.any(lanes.mask)
            for which, name, none in (
                (Count.FEWEST_ITERATIONS, "llvm.umin", _NONE),
                (Count.MOST_ITERATIONS, "llvm.umax", 0),
            ):
                new = code.let(f"select i1 {some}, i64 {count}, i64 {none}")
                known = counts.load(which)
                counts.store(which, code.intrinsic(name, "i64", f"i64 {known}", f"i64 {new}"))


class _Counts:
    """The counts of a launch in memory."""

    def __init__(self, code: FunctionText) -> None:
        self._code = code
        self._memory = code.let(f"inttoptr i64 {load_slot(code, Slot.COUNTS)} to ptr")

    def _place(self, which: Count) -> str:
        return self._code.let(f"getelementptr i64, ptr {self._memory}, i64 {int(which)}")

    def load(self, which: Count) -> str:
        """Return a count, an i64."""
        return self._code.let(f"load i64, ptr {self._place(which)}")

    def store(self, which: Count, value: str) -> None:
        """Set a count."""
        self._code.line(f"store i64 {value}, ptr {self._place(which)}")


def begin_batch(code: FunctionText) -> None:
    """Begin a batch, of which no warp has left the loop."""
    counts = _Counts(code)
    counts.store(Count.FEWEST_ITERATIONS, str(_NONE))
    counts.store(Count.MOST_ITERATIONS, "0")


def end_batch(code: FunctionText, loop: LoopRounds) -> str:
    """End a batch; return whether no fair round can have stored before the last load, an i1."""
    counts = _Counts(code)

    def let(operation: str, a: str, b: str | int) -> str:
        return code.let(f"{operation} i64 {a}, {b}")

    fewest, most = counts.load(Count.FEWEST_ITERATIONS), counts.load(Count.MOST_ITERATIONS)
    since, until = counts.load(Count.FEWEST_ROUNDS), counts.load(Count.MOST_ROUNDS)

    def rounds_up_to(iterations: str, last: int) -> str:
        """Return the rounds before the loop, and those of iterations with `last` in the last."""
        others = let("mul", let("sub", iterations, 1), loop.each)
        return let("add", others, loop.before + last)

    def fair_rounds(length: str) -> str:
        """Return how many fair rounds there may be from the beginning on.

        There are `length` others, and fair ones that execute warps after the loop.
        """
        longest = let("add", let("sub", until, since), length)
        bound = let("add", let("udiv", longest, FAIR - 1), 2)
        end = let("add", let("add", until, length), bound)
        return let("sub", let("udiv", end, FAIR), let("udiv", since, FAIR))

    has_loop = code.let(f"icmp ne i64 {most}, 0")
    left = rounds_up_to(most, loop.to_exit)
    left = code.let(f"select i1 {has_loop}, i64 {left}, i64 {loop.before}")
    # From the first warp that arrives after the loop to the last load.
    begin = rounds_up_to(fewest, loop.to_exit)
    begin = code.let(f"select i1 {code.let(f'icmp eq i64 {fewest}, 0')}, i64 0, i64 {begin}")
    end = rounds_up_to(most, loop.to_load)
    end = code.let(f"select i1 {has_loop}, i64 {end}, i64 {loop.before}")
    end = let("add", end, fair_rounds(end))
    after = let("udiv", let("add", until, end), FAIR)
    found = let("sub", after, let("udiv", let("add", since, begin), FAIR))
    # Wherever the batch begins, so many rounds have no more.
    length = code.intrinsic("llvm.usub.sat", "i64", f"i64 {end}", f"i64 {begin}")
    anywhere = let("udiv", let("add", length, FAIR - 1), FAIR)
    found = code.intrinsic("llvm.smin", "i64", f"i64 {found}", f"i64 {anywhere}")
    # In the last round of a batch no warp is left.
    least = code.let(f"select i1 {has_loop}, i64 {let('add', left, loop.fewest_after)}, i64 1")
    longest = let("add", left, loop.most_after + 1)
    counts.store(Count.FEWEST_ROUNDS, let("add", let("add", since, least), 1))
    longest = let("add", longest, fair_rounds(longest))
    counts.store(Count.MOST_ROUNDS, let("add", until, longest))
    return code.let(f"icmp slt i64 {found}, {loop.to_store}")
