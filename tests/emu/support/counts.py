"""Statistics that native code counts, compared with the interpreter's."""

from __future__ import annotations

from typing import Any

import numpy as np

import simtlab
from simtlab.emu.statistics import Statistics
from simtlab.programs import find
from simtlab.programs.runner import PlainLauncher, run_program

WIDTHS = (1, 7, 16, 32, 64)


def assert_equal(native: Statistics | None, expected: Statistics | None) -> None:
    """Compare every count, of the launch and of every instruction."""
    assert native is not None
    assert expected is not None
    assert native.to_dict() == expected.to_dict()
    assert native.lane_slots == expected.lane_slots
    np.testing.assert_array_equal(native.executions, expected.executions)
    np.testing.assert_array_equal(native.lanes, expected.lanes)


def run(name: str, engine: str, width: int) -> tuple[Statistics | None, set[str]]:
    """Run a program at its tiny size; return its statistics, and the engines that ran it."""
    entry = find(name)
    launcher = PlainLauncher(
        simtlab.Module(entry.assemble()), engine=engine, warp=width, stats=True
    )
    found = run_program(entry, launcher, size="tiny", verify=False)
    return found.statistics, {result.engine for result in found.results}


def engines(
    text: str,
    *args: Any,
    items: int = 150,
    group_size: int = 50,
    widths: tuple[int, ...] = (7, 32),
) -> set[str]:
    """Compare memory and counts with the interpreter's; return the engines that have counted."""
    (kernel,) = simtlab.assemble(text)
    found = set()
    for width in widths:
        outcomes = []
        for engine in ("jit", "interp"):
            given = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
            launch = kernel.launch(
                items=items, group_size=group_size, warp=width, engine=engine, stats=True
            )
            result = launch(*given)
            outcomes.append((result, [a for a in given if isinstance(a, np.ndarray)]))
        (native, have), (expected, want) = outcomes
        for a, b in zip(have, want, strict=True):
            np.testing.assert_array_equal(a, b)
        assert_equal(native.statistics, expected.statistics)
        found.add(native.engine)
    return found
