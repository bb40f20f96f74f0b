"""The schedule of the oracle: turns, barriers, traps and the budget.

One step of a launch, in order:

1. A workgroup takes its turn: the next that has not started while fewer than `RESIDENT` run, else
   the one whose last turn was longest ago.
2. Each of its running work-items, in ascending flat local id, executes up to `QUANTUM`
   instructions. It stops earlier at a barrier, at `ret`, at a trap, or when its budget is spent and
   it has not returned (trap BUDGET at the instruction that it would execute next).
3. When no work-item of the workgroup runs any more, its barrier is decided. If some wait at a
   barrier while another has returned or waits at another barrier, that is trap DIVERGENT_BARRIER
   (with `exited_arrive` a work-item that has returned does not count). If all that did not return
   wait at one barrier, they continue. If one has trapped, the workgroup has ended: the barrier at
   which the others wait is never complete.

Every work-item of a running workgroup gets its turn again after boundedly many instructions of
others, so a kernel that finishes under every fair schedule finishes here. With more than
`RESIDENT` workgroups, those beyond start only as others end, as on a machine of finite size.

The oracle counts each work-item as a warp of one: `warp_instructions` and `lane_slots` equal
`thread_instructions`, `executions` equals `lanes`, `warps` are work-items, `branches` are the
`br` and `cbr` that they executed, and nothing ever diverges. `barriers` counts a barrier once per
workgroup that has passed it. An instruction that traps is not counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from math import prod

import numpy as np

from ...isa.errors import Note
from ..engine import Interrupted, Work
from ..statistics import Statistics
from ..traps import TrapKind, TrapRecord
from ..wording import IN_VAIN, place
from .access import Segments
from .code import Code
from .hang import Repetition
from .state import State, Trapped, Workgroup, WorkItem

QUANTUM = 64
"""Instructions that a work-item executes in one turn."""

RESIDENT = 256
"""Workgroups that take turns at a time."""

MOST_RANGES = 4
"""Ranges of work-items that the message of a divergent barrier lists."""

TrapKey = tuple[TrapKind, int, int, int]
"""`TrapRecord.key`: kind, pc, flat workgroup, flat local id."""

Traces = dict[tuple[int, int], list[int]]
"""The pcs that a work-item executed, by flat workgroup and flat local id."""


def run(work: Work) -> Statistics:
    """Run a launch to the end. Raises Trap for the first trap of the schedule, Interrupted."""
    return _run(_Launch(work, _raising(work), ends_hangs=True))


def trace(work: Work) -> Traces:
    """Run a launch as `run` does, and give every work-item's sequence of pcs."""
    launch = _Launch(work, _raising(work), traced=True)
    _run(launch)
    return launch.traces


def trap_records(work: Work) -> list[TrapRecord]:
    """Return every trap that the launch can report, in the order of the schedule.

    A work-item that traps stops; its workgroup continues to the next barrier or to its end, the
    others to theirs. A divergent barrier is reported once per work-item that waits. Consequences
    count too: a work-item that waits for a store of one that has trapped exhausts its budget. The
    launch runs on a copy of the memory.
    """
    return run_past_traps(replace(work, memory=work.memory.copy()))


def run_past_traps(work: Work) -> list[TrapRecord]:
    """Run a launch to the end as `run` does, but past its traps: those of `trap_records`."""
    records: list[TrapRecord] = []
    _run(_Launch(work, records.append))
    return records


def all_traps(work: Work) -> set[TrapKey]:
    """Return the keys of `trap_records`: what an engine may report for this launch."""
    return {record.key for record in trap_records(work)}


def _raising(work: Work) -> Callable[[TrapRecord], None]:
    """Return a handler that ends the launch with the first trap."""

    def report(record: TrapRecord) -> None:
        raise work.trap(record)

    return report


def _run(launch: _Launch) -> Statistics:
    try:
        launch.run()
    except KeyboardInterrupt:
        raise Interrupted(launch.statistics()) from None
    return launch.statistics()


class _Launch:
    """A launch under way. `report` takes each trap and may end the launch by raising."""

    def __init__(
        self,
        work: Work,
        report: Callable[[TrapRecord], None],
        *,
        traced: bool = False,
        ends_hangs: bool = False,
    ) -> None:
        self._work = work
        self._report = report
        self._traced = traced
        self.traces: Traces = {}
        segments = Segments(work.memory, work.kernargs, work.program.readonly_data)
        self._code = Code(work.kernel, segments)
        self._counts = [0] * len(work.kernel.instructions)
        self._barriers = 0
        self._repetition = Repetition(work, self._code.first_slots) if ends_hangs else None

    def run(self) -> None:
        """Give turns until every workgroup has ended."""
        not_started = iter(range(self._work.geometry.n_groups))
        running: deque[Workgroup] = deque()
        started = 0
        turns = 0  # that are left in the round
        while True:
            number = next(not_started, None) if len(running) < RESIDENT else None
            if number is not None:
                group = self._start(number)
                started += 1
            elif running:
                if not turns:  # a round has ended
                    turns = len(running)
                    if started == self._work.geometry.n_groups:
                        self._end_if_hanging(running)
                turns -= 1
                group = running.popleft()
            else:
                return
            self._turn(group)
            if group.running:
                running.append(group)

    def _end_if_hanging(self, running: deque[Workgroup]) -> None:
        """Report a livelock if the state at the end of a round is one that was there before."""
        if self._repetition is None or not self._repetition.returns(running, self._counts):
            return
        items = [item for group in running for item in group.running]
        loop = f"the work-item repeats the loop at {place(self._work, items[0].pc)}{IN_VAIN}"
        notes = (Note(f"{len(items):,} work-items do this"),) if len(items) > 1 else ()
        self._report_trapped(items[0], Trapped(TrapKind.LIVELOCK, detail=loop), notes)

    def _start(self, number: int) -> Workgroup:
        """Return a workgroup at pc 0 with zeros in registers, group and private memory."""
        geometry, kernel = self._work.geometry, self._work.kernel
        size = geometry.current_size(number)
        group = Workgroup(
            geometry, number, geometry.group_id(number), size, bytearray(kernel.group_size)
        )
        for local in range(prod(size)):
            steps = self.traces.setdefault((number, local), []) if self._traced else None
            group.items.append(
                WorkItem(
                    group, local, self._code.slots.copy(), bytearray(kernel.private_size), steps
                )
            )
        group.running = group.items
        return group

    def _turn(self, group: Workgroup) -> None:
        """Give each running work-item a quantum; decide the barrier when none runs any more."""
        for item in group.running:
            try:
                self._advance(item)
            except Trapped as trapped:
                item.state = State.TRAPPED
                self._report_trapped(item, trapped)
        group.running = [item for item in group.running if item.state is State.RUNNING]
        if not group.running:
            self._meet(group)

    def _advance(self, item: WorkItem) -> None:
        """Execute up to a quantum of instructions. Raises Trapped."""
        steps, counts, seen = self._code.steps, self._counts, item.trace
        pc, running, budget = item.pc, State.RUNNING, self._work.budget
        turn = min(QUANTUM, budget - item.executed)
        try:
            for _ in range(turn):
                after = steps[pc](item)
                item.executed += 1
                counts[pc] += 1
                if seen is not None:
                    seen.append(pc)
                # What ends a turn stays at its pc.
                if after == pc and item.state is not running:
                    return
                pc = after
        finally:
            item.pc = pc
        if turn < QUANTUM:
            detail = f"the work-item executed {budget} instructions and has not returned"
            raise Trapped(TrapKind.BUDGET, detail=detail)

    def _meet(self, group: Workgroup) -> None:
        """Open the barrier if it is complete, else trap: no work-item of the workgroup runs."""
        waiting = [item for item in group.items if item.state is State.WAITING]
        returned = [item for item in group.items if item.state is State.RETURNED]
        trapped = any(item.state is State.TRAPPED for item in group.items)
        diverged = len({item.pc for item in waiting}) > 1
        if waiting and (diverged or (returned and not self._work.exited_arrive)):
            detail = self._waiting_places(waiting, returned)
            for item in waiting:
                self._report_trapped(item, Trapped(TrapKind.DIVERGENT_BARRIER, detail=detail))
        elif not trapped:
            self._barriers += bool(waiting)
            for item in waiting:
                item.pc += 1
                item.state = State.RUNNING
            group.running = waiting

    def _waiting_places(self, waiting: list[WorkItem], returned: list[WorkItem]) -> str:
        """Return the sentence of a divergent barrier, with flat local ids."""
        parts = []
        for pc in sorted({item.pc for item in waiting}):
            locals_at_pc = [item.local for item in waiting if item.pc == pc]
            span = self._work.program.span(self._work.kernel, pc)
            where = f"pc {pc} (line {span.line})" if span else f"pc {pc}"
            parts.append(f"{_ranges(locals_at_pc)} wait at {where}")
        if returned:
            parts.append(f"{_ranges([item.local for item in returned])} have returned")
        return f"of the workgroup's work-items, {', '.join(parts)}"

    def _report_trapped(self, item: WorkItem, why: Trapped, notes: tuple[Note, ...] = ()) -> None:
        self._report(
            TrapRecord(
                why.kind,
                item.pc,
                item.group.number,
                item.local,
                segment=why.segment,
                address=why.address,
                size=why.size,
                store=why.store,
                code=why.code,
                detail=why.detail,
                notes=notes,
            )
        )

    def statistics(self) -> Statistics:
        """Return what was executed until now."""
        counts = np.array(self._counts, np.int64)
        total = sum(self._counts)
        code = zip(self._work.kernel.instructions, self._counts, strict=True)
        return Statistics(
            warp_instructions=total,
            thread_instructions=total,
            lane_slots=total,
            branches=sum(count for ins, count in code if ins.row.is_branch),
            barriers=self._barriers,
            warps=self._work.geometry.n_items,
            executions=counts,
            lanes=counts.copy(),
        )


def _ranges(numbers: list[int]) -> str:
    """Return ascending numbers as text, consecutive ones as first-last: 0-3, 7 and 12 more."""
    runs: list[str] = []
    shown = 0
    for _, pairs in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        if len(runs) == MOST_RANGES:
            break
        run_ = [number for _, number in pairs]
        runs.append(str(run_[0]) if len(run_) == 1 else f"{run_[0]}-{run_[-1]}")
        shown += len(run_)
    more = len(numbers) - shown
    return ", ".join(runs) + (f" and {more:,} more" if more else "")
