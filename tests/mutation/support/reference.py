"""How often a warp issues, counted from what each of its work-items executes alone.

This is a second definition of two schemes, on traces of PCs. It knows where lanes re-converge, and
nothing of stacks or tables.
"""

from __future__ import annotations

from collections.abc import Iterable

from simtlab.emu.arguments import bind
from simtlab.emu.engine import Work
from simtlab.emu.oracle import oracle
from simtlab.isa.program import Kernel, Program
from simtlab.testing import Case

Trace = list[int]
"""The PCs of a work-item, with `END` after the last."""

END = 1 << 30


def warps_of(case: Case, program: Program) -> list[list[Trace]]:
    """The traces of every warp's work-items, in the order of lanes."""
    (kernel,) = program.kernels
    bound = bind(kernel, list(case.arguments()))
    work = Work(program, kernel, case.geometry, bound.kernargs, bound.memory)
    groups: dict[int, dict[int, Trace]] = {}
    for (group, local), trace in oracle.trace(work).items():
        groups.setdefault(group, {})[local] = [*trace, END]
    width = case.geometry.width
    return [
        [items[local] for local in range(first, min(first + width, len(items)))]
        for items in groups.values()
        for first in range(0, len(items), width)
    ]


def issued_by_stack(kernel: Kernel, warp: Iterable[Trace]) -> int:
    """Warp instructions where both sides of a branch run to its join and wait there."""
    traces = list(warp)
    at = [0] * len(traces)
    count = 0

    def pc(lane: int) -> int:
        return traces[lane][at[lane]]

    def run(lanes: list[int], until: int | None) -> list[int]:
        """Issue until the lanes are at a PC; those that have got there."""
        nonlocal count
        while lanes and pc(lanes[0]) != until:
            ins = kernel.instructions[pc(lanes[0])]
            count += 1
            for lane in lanes:
                at[lane] += 1
            lanes = [lane for lane in lanes if pc(lane) != END]
            sides = [[x for x in lanes if pc(x) == where] for where in {pc(x) for x in lanes}]
            if len(sides) > 1:
                lanes = sorted(x for side in sides for x in run(side, ins.join))
        return lanes

    run(list(range(len(traces))), None)
    return count


def issued_by_threads(kernel: Kernel, warp: Iterable[Trace]) -> int:
    """Warp instructions where the lanes at the smallest PC issue, but for those at a barrier."""
    traces = list(warp)
    at = [0] * len(traces)
    count = 0
    waiting: set[int] = set()
    while True:
        live = [lane for lane, trace in enumerate(traces) if trace[at[lane]] != END]
        if not live:
            return count
        running = [lane for lane in live if lane not in waiting]
        if not running:
            for lane in waiting:
                at[lane] += 1
            waiting.clear()
            continue
        pc = min(traces[lane][at[lane]] for lane in running)
        lanes = [lane for lane in running if traces[lane][at[lane]] == pc]
        count += 1
        if kernel.instructions[pc].row.stem == "barrier":
            waiting.update(lanes)
        else:
            for lane in lanes:
                at[lane] += 1
