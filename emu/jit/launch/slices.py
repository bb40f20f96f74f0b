"""A launch in slices of workgroups, on one thread of the host or several.

With several, slices are handed out in ascending order, and one that has begun is run to its end or
its trap. So when one traps, all workgroups below it have run or are being run, and the lowest of
those that trapped is the one that a single thread would have reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Lock, Thread

from .plan import Scratch

SLICE = 0.05
"""Seconds of native code between looks for Ctrl-C, if workgroups are short enough."""

WORTH_A_THREAD = 1e-3
"""Seconds of work that must be left for more threads to be started, which takes a tenth of it."""

Function = Callable[[int, int, int], int]


class _Slices:
    """Hands out ranges of workgroups, smaller ones at the end so that threads finish together."""

    def __init__(self, n_groups: int, threads: int) -> None:
        self.left = n_groups
        self._next = 0
        self._share = 2 * threads
        self._handing = Lock()

    def take(self, most: int) -> tuple[int, int] | None:
        """Return the next range, of `most` workgroups at most; None after the last."""
        with self._handing:
            if not self.left:
                return None
            first = self._next
            count = min(most, -(-self.left // self._share))
            self._next += count
            self.left -= count
            return first, self._next

    def stop(self) -> None:
        """Hand out no more."""
        with self._handing:
            self.left = 0


class _Runner:
    """One thread's part: the memory it works with, and how far a slice should reach."""

    def __init__(self, function: Function, scratch: Scratch, slices: _Slices) -> None:
        self.scratch = scratch
        self.trapped = False
        self.step = 1
        self._function = function
        self._slices = slices

    def run(self) -> None:
        """Run slices until none is left."""
        while self.run_one() is not None:
            pass

    def run_one(self) -> float | None:
        """Run a slice; return seconds per workgroup, or None if none was left or it trapped."""
        slice_ = self._slices.take(self.step)
        if slice_ is None:
            return None
        first, last = slice_
        start = time.perf_counter()
        if self._function(self.scratch.address, first, last):
            self.trapped = True
            self._slices.stop()
            return None
        seconds = time.perf_counter() - start
        self.step *= _growth(seconds)
        return seconds / (last - first)


def _growth(seconds: float) -> int:
    """Return how many times as long the next slice may be, after one of this many seconds."""
    return 16 if seconds < SLICE / 32 else 2 if seconds < SLICE / 2 else 1


def run_alone(function: Function, scratch: Scratch, n_groups: int) -> Scratch | None:
    """Run all workgroups on this thread; return the scratch if one trapped.

    In slices, since Python sees an interrupt only between two calls of native code.
    """
    address = scratch.address
    first, step = 0, 1
    while first < n_groups:
        last = min(n_groups, first + step)
        start = time.perf_counter()
        if function(address, first, last):
            return scratch
        step *= _growth(time.perf_counter() - start)
        first = last
    return None


def run_shared(function: Function, scratches: Sequence[Scratch], n_groups: int) -> Scratch | None:
    """Run all workgroups with a thread per scratch; return that of the lowest that trapped."""
    slices = _Slices(n_groups, len(scratches))
    first, *others = [_Runner(function, scratch, slices) for scratch in scratches]
    helpers: list[Thread] = []
    try:
        # The first slice shows whether the other threads would have work.
        seconds = first.run_one()
        if seconds is not None and seconds * slices.left > WORTH_A_THREAD:
            helpers = _start(others[: slices.left])
        first.run()
        for helper in helpers:
            helper.join()
    except BaseException:
        slices.stop()
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
