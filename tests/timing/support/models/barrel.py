"""The barrel pipeline, two-level fetch, and large warps with their sub-warps (LWM 2 and 3).

Which instructions a warp executes in which lanes does not depend on time: the stack of Figure 3
serialises the paths of a warp. So each warp has a trace, made by the model of the stack, and this
model says when it issues. A large warp is a wide warp whose lanes are in rows (Figure 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .programs import Case, Instruction, Kind, lanes
from .splits import Issue, Policy, Wpu

HIT_LATENCY = 1


@dataclass(frozen=True)
class Barrel:
    """The pipeline, its scheduler, and the rows of a warp."""

    scheduler: Literal["rr", "lrr", "two-level"] = "rr"
    fetch_group: int = 1
    """Warps (large warps if they have several rows) of a fetch group."""
    stages: int = 7
    rows: int = 1
    memory_rows: bool = True
    """Accesses of global memory form sub-warps row by row (3.1.2)."""
    jump_once: bool = True
    """An unconditional jump takes one sub-warp (3.1.2)."""


@dataclass(frozen=True)
class Step:
    """An instruction of a warp: its sub-warps, and how long each one's data take."""

    pc: int
    sub_warps: Sequence[int]
    """The lanes of each sub-warp; lane r * width + c is in row r and column c."""
    latencies: Sequence[int]


def sub_warps(mask: int, width: int) -> Iterator[int]:
    """Yield sub-warps: of each column the first row that is left (3.1.1, Figs 5 and 7)."""
    while mask:
        chosen = 0
        for column in range(width):
            of_column = [lane for lane in lanes(mask) if lane % width == column]
            if of_column:
                chosen |= 1 << of_column[0]
        yield chosen
        mask &= ~chosen


def by_row(mask: int, width: int) -> Iterator[int]:
    """Yield a sub-warp for each row that has active threads (3.1.2)."""
    for row in range(-(-mask.bit_length() // width)):
        chosen = mask & ((1 << width) - 1) << row * width
        if chosen:
            yield chosen


def steps(case: Case, barrel: Barrel, number: int) -> list[Step]:
    """Return the trace of warp `number`, large if there are several rows."""
    size = case.width * barrel.rows
    first = number * size
    items = range(first, first + size)
    own = replace(
        case,
        width=size,
        warps=1,
        outcomes=[case.outcomes[i] for i in items],
        lines=[case.lines[i] for i in items],
        replies={},
    )
    accesses = dict.fromkeys(items, 0)
    found = []
    for issue in Wpu(own, Policy()).run().issues:
        instruction = case.program[issue.pc]
        parts = list(_parts(instruction, issue.mask, case.width, barrel))
        latencies = []
        for part in parts:
            longest = 0
            if instruction.kind is Kind.LOAD:
                for lane in lanes(part):
                    hit, latency = case.replies[first + lane, accesses[first + lane]]
                    accesses[first + lane] += 1
                    longest = max(longest, HIT_LATENCY if hit else latency)
            latencies.append(longest)
        found.append(Step(issue.pc, parts, latencies))
    return found


def _parts(instruction: Instruction, mask: int, width: int, barrel: Barrel) -> Iterator[int]:
    if instruction.kind is Kind.LOAD and barrel.memory_rows:
        yield from by_row(mask, width)
    elif instruction.kind is Kind.JUMP and barrel.jump_once:
        yield next(sub_warps(mask, width))
    else:
        yield from sub_warps(mask, width)


def run(case: Case, barrel: Barrel) -> tuple[list[Issue], int]:
    """Return the sub-warps that issue, and the cycles until the last one has left the pipeline.

    Each is given by the masks of its rows, as warps of the machine.
    """
    number_of_warps = case.warps // barrel.rows
    rest = [steps(case, barrel, n) for n in range(number_of_warps)]
    ready = [0] * number_of_warps
    fetch = Fetch(barrel, number_of_warps)
    issues: list[Issue] = []
    cycle = end = 0
    while any(rest):
        able = {n for n in range(number_of_warps) if rest[n] and ready[n] <= cycle}
        if not able:
            cycle = min(ready[n] for n in range(number_of_warps) if rest[n])
            continue
        warp = fetch.pick(able)
        step = rest[warp].pop(0)
        for i, (part, latency) in enumerate(zip(step.sub_warps, step.latencies, strict=True)):
            # 2.1: fetched again when it has left the pipeline, and has its data.
            ready[warp] = max(ready[warp], cycle + i + max(barrel.stages, latency))
            for row in range(barrel.rows):
                mask = part >> row * case.width & (1 << case.width) - 1
                if mask:
                    issues.append(Issue(cycle + i, warp * barrel.rows + row, step.pc, mask))
        end = max(end, ready[warp])
        cycle += len(step.sub_warps)
    return issues, end


class Fetch:
    """The fetch scheduler: round-robin (2.1) or two-level round-robin (3.2)."""

    def __init__(self, barrel: Barrel, warps: int) -> None:
        self.barrel = barrel
        size = barrel.fetch_group if barrel.scheduler == "two-level" else warps
        self.groups = [range(n, min(n + size, warps)) for n in range(0, warps, size)]
        self.current = 0
        self.turns = [list(group) for group in self.groups]
        """The warps of each fetch group, the next one first."""

    def pick(self, able: set[int]) -> int:
        """Return the warp to fetch: of the current group if possible, else of the next that can.

        All groups are examined in one cycle (Q-LWM-15), and there is no way back while the current
        one can issue (Q-LWM-16).
        """
        while not able.intersection(self.groups[self.current]):
            self.current = (self.current + 1) % len(self.groups)
        turns = self.turns[self.current]
        warp = next(n for n in turns if n in able)
        if self.barrel.scheduler == "rr":
            # The one picked longest ago goes first (docs/timing/mechanisms/scheduling.md).
            turns.remove(warp)
            turns.append(warp)
        else:
            at = turns.index(warp) + 1
            turns[:] = turns[at:] + turns[:at]
        return warp
