"""Statistics that native code counts, compared with the interpreter's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.engine import Work
from simtlab.emu.jit.launch import in_order
from simtlab.emu.jit.segments import rounds
from simtlab.emu.jit.segments.compile import Segments
from simtlab.emu.jit.segments.phases import WIDEST
from simtlab.emu.launch import Launch
from simtlab.emu.recent import Recent
from simtlab.emu.result import Result
from simtlab.emu.statistics import Statistics
from simtlab.programs import find
from simtlab.programs.runner import PlainLauncher, run_program

from ...quick import some

WIDTHS = (1, 7, 16, 32, 64)


def assert_equal(native: Statistics | None, expected: Statistics | None) -> None:
    """Compare every count, of the launch and of every instruction."""
    assert native is not None
    assert expected is not None
    assert native.to_dict() == expected.to_dict()
    assert native.lane_slots == expected.lane_slots
    np.testing.assert_array_equal(native.executions, expected.executions)
    np.testing.assert_array_equal(native.lanes, expected.lanes)


ORDER = "order"
"""In place of an engine: native code that has counted in the interpreter's order."""

BATCHES = "batches"
"""The same for batches that load before they store."""

REFUSED = frozenset({ORDER, BATCHES})
"""What counts launches in which watched accesses have met."""


@contextmanager
def noting_order() -> Iterator[list[Statistics]]:
    """Collect the counts of launches that native code runs in the interpreter's order."""
    counted: list[Statistics] = []
    real = in_order.run

    def noted(work: Work, *, spins: bool) -> Statistics | None:
        found = real(work, spins=spins)
        counted.extend([] if found is None else [found])
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_order, "run", noted)
        yield counted


@contextmanager
def lanes_in_turn() -> Iterator[None]:
    """Run launches in the interpreter's order lane after lane, where there is a loop for that."""
    real = rounds._blocks

    def blocks(segments: Segments) -> rounds._Blocks:
        found = real(segments)
        has_loop = found.records[:, rounds._FIELD["LANE_LOOP"]] != 0
        found.records[has_loop, rounds._FIELD["MOST_LANES"]] = WIDEST
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "_blocks", blocks)
        patch.setattr(rounds, "_BLOCKS", Recent(64))
        patch.setattr(rounds, "_BATCHES", Recent(64))
        yield


def counted_by(launch: Callable[..., Result], *args: Any) -> tuple[Result, str]:
    """Run a launch; return its result, and the engine that has counted, ORDER or BATCHES."""
    with noting_order() as counted:
        result = launch(*args)
    plan = launch._prepared.kept.get("plan") if isinstance(launch, Launch) else None
    by_batches = plan is not None and plan.layout is not None and plan.layout.relied.before
    return result, ORDER if counted else BATCHES if by_batches else result.engine


def run(name: str, engine: str, width: int) -> tuple[Statistics | None, set[str]]:
    """Run a program at its tiny size; return its statistics, and the engines that ran it.

    ORDER is among these if some launches were in that order.
    """
    entry = find(name)
    launcher = PlainLauncher(
        simtlab.Module(entry.assemble()), engine=engine, warp=width, stats=True
    )
    with noting_order() as counted:
        found = run_program(entry, launcher, size="tiny", verify=False)
    return found.statistics, {r.engine for r in found.results} | ({ORDER} if counted else set())


def both(launch: Launch, args: Sequence[Any]) -> tuple[Result, Result, str]:
    """Run a launch in native code and in the interpreter; compare memory and counts.

    Returns both results, and what `counted_by` says of native code.
    """
    results, left = list[tuple[Result, str]](), []
    for engine in ("jit", "interp"):
        given = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
        run = launch.function.launch(
            items=launch.geometry.items, group_size=launch.geometry.group_size,
            warp=launch.geometry.width, engine=engine, stats=True, threads=1,
        )  # fmt: skip
        results.append(counted_by(run, *given))
        left.append([a for a in given if isinstance(a, np.ndarray)])
    for have, want in zip(*left, strict=True):
        np.testing.assert_array_equal(have.view(np.uint8), want.view(np.uint8))
    (native, by), (expected, _) = results
    assert_equal(native.statistics, expected.statistics)
    return native, expected, by


def engines(
    text: str,
    *args: Any,
    items: int = 150,
    group_size: int = 50,
    widths: tuple[int, ...] = (7, 32),
) -> set[str]:
    """Compare memory and counts with the interpreter's; return what `counted_by` finds.

    In `make test` at two of all widths: a module is compiled for each.
    """
    if widths is WIDTHS:
        widths = tuple(some(WIDTHS, 3, 1))  # 7 and 64
    (kernel,) = simtlab.assemble(text)
    launches = [kernel.launch(items=items, group_size=group_size, warp=width) for width in widths]
    return {both(launch, args)[2] for launch in launches}
