"""What a system makes of a problem, and memory placed alike for all systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .problem import Arrays, Problem

PAGE, LINE = 4096, 64


class Unavailable(Exception):
    """The system is not on this machine; the message says what is missing."""


class Job(NamedTuple):
    """A kernel compiled, with its data in place: `reset` before each `run`, `result` after it."""

    run: Callable[[], object]
    result: Callable[[], Arrays]
    reset: Callable[[], object]


def aligned(arrays: Arrays) -> Arrays:
    """Copies at cache lines, at different offsets in a page.

    Loads and stores of equal index in two arrays would wait for each other if the arrays had the
    same offset.
    """
    copies = {}
    for number, (name, array) in enumerate(arrays.items(), 1):
        room = np.empty(array.nbytes + 2 * PAGE, np.uint8)
        start = -room.ctypes.data % PAGE + number * 11 * LINE % PAGE
        copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        np.copyto(copy, array)
        copies[name] = copy
    return copies


def on_host(problem: Problem, arrays: Arrays, steps: list[Callable[[], object]]) -> Job:
    """The job of a system that works on NumPy's memory: `steps` are the launches."""
    again = arrays.get(problem.again)

    def run() -> None:
        if again is None:
            for step in steps:
                step()
            return
        for step in steps:
            again[0] = 0
            step()
            if not again[0]:
                return

    def reset() -> None:
        for name in problem.written:
            np.copyto(arrays[name], problem.arrays[name])

    return Job(run, lambda: {name: arrays[name].copy() for name in problem.written}, reset)
