"""A launch in slices of workgroups, on one thread of the host or several.

With several, slices are handed out in ascending order, and one that has begun is run to its end or
its trap. So when one traps, all workgroups below it have run or are being run, and the lowest of
those that trapped is the one that a single thread would have reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .plan import Scratch

SLICE = 0.05
"""Seconds of native code between looks for Ctrl-C, if workgroups are short enough."""

WORTH_A_THREAD = 1e-3
"""Seconds of work that must be left for more threads to be started, which takes a tenth of it."""

PER_THREAD = 16
"""Parts of a launch for each thread: how evenly the work is shared out."""

Function = Callable[[int, int, int], int]


class Parts:
    """Hands out ranges of workgroups in ascending order, below a limit that a trap sets."""

    def __init__(self, bounds: Sequence[int]) -> None:
        self.limit = bounds[-1]
        """No workgroup from this one on is begun."""
        self._bounds = bounds
        self._next = 0
        self._handing = Lock()

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def take(self) -> tuple[int, int] | None:
        """Return the next range; None after the last."""
        with self._handing:
            first = self._bounds[self._next]
            if first >= self.limit:
                return None
            self._next += 1
            return first, self._bounds[self._next]

    def end_at(self, group: int) -> None:
        """Begin no workgroup from this one on."""
        with self._handing:
            self.limit = min(self.limit, group)


def even_bounds(first: int, last: int, count: int, unit: int = 1) -> list[int]:
    """Return where about `count` even parts of a range begin, multiples of `unit`, and its end."""
    units = -(-last // unit) - first // unit
    count = min(count, units)
    inner = {(first // unit + units * part // count) * unit for part in range(1, count)}
    return [first, *sorted(b for b in inner if first < b < last), last]


class _Runner:
    """One thread's part: the memory it works with, and how far a slice should reach."""

    def __init__(self, function: Function, scratch: Scratch, parts: Parts) -> None:
        self.scratch = scratch
        self.trapped = False
        self._function = function
        self._parts = parts
        self._step = 1

    def run(self) -> None:
        """Run parts until none is left."""
        while not self.trapped and self.run_one():
            pass

    def run_one(self) -> bool:
        """Run the next part, in slices; return whether there was one."""
        part = self._parts.take()
        if part is None:
            return False
        first, last = part
        while first < min(last, self._parts.limit):
            slice_end = min(last, first + self._step)
            start = time.perf_counter()
            if self._function(self.scratch.address, first, slice_end):
                self.trapped = True
                self._parts.end_at(self.scratch.trapped_group)
                break
            self._step *= _growth(time.perf_counter() - start)
            first = slice_end
        return True


def _growth(seconds: float) -> int:
    """Return how many times as long the next slice may be, after one of this many seconds."""
    return 16 if seconds < SLICE / 32 else 2 if seconds < SLICE / 2 else 1


class Alone:
    """Workgroups in order on this thread."""

    def __init__(self, function: Function, scratch: Scratch, n_groups: int, row: int) -> None:
        """Prepare; slices that are long enough end with a row of so many workgroups."""
        self.position = 0
        """The first workgroup that has not run."""
        self.trapped = False
        self._run = function
        self._address = scratch.address
        self._n_groups = n_groups
        self._row = row
        self._step = 1

    def run(self, enough: float | None = None) -> float:
        """Run to the end, or until more than `enough` seconds are left; return the seconds left.

        In slices, since Python sees an interrupt only between two calls of native code.
        """
        last, spent = self._n_groups, 0.0
        while self.position < last:
            end = self.position + self._step
            whole = end - end % self._row
            end = min(last, whole if whole > self.position else end)
            start = time.perf_counter()
            if self._run(self._address, self.position, end):
                self.trapped = True
                return 0.0
            seconds = time.perf_counter() - start
            left = seconds * (last - end) / (end - self.position)
            self._step *= _growth(seconds)
            self.position = end
            spent += seconds
            if enough is not None and left > enough and spent > enough / 4:
                return left
        return 0.0


def run_shared(
    function: Function, scratches: Sequence[Scratch], bounds: Sequence[int]
) -> Scratch | None:
    """Run the parts between `bounds` with a thread per scratch.

    Return the scratch of the lowest workgroup that trapped.
    """
    parts = Parts(bounds)
    first, *others = [_Runner(function, scratch, parts) for scratch in scratches]
    helpers: list[Thread] = []
    try:
        helpers = _start(others[: len(parts) - 1])
        first.run()
        for helper in helpers:
            helper.join()
    except BaseException:
        parts.end_at(0)
        for helper in helpers:
            helper.join()
        raise
    trapped = [runner.scratch for runner in (first, *others) if runner.trapped]
    return min(trapped, key=lambda scratch: scratch.trapped_group, default=None)


def _start(runners: Sequence[_Runner]) -> list[Thread]:
    started = []
    for runner in runners:
        thread = Thread(target=runner.run, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system has no more threads: those that run do the work
            break
        started.append(thread)
    return started
