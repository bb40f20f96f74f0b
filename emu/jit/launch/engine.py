"""The JIT as an engine: what it leaves to the interpreter, a launch, and the trap it ends with.

The interpreter decides what native code cannot. Most kernels for it are known before they run. A
work-item that spends its budget may be waiting, too: where its control flow may depend on a store
of another work-item, the launch starts over in the interpreter.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ....isa.errors import Note
from ...analysis.suitability.repeatable import is_repeatable
from ...analysis.suitability.spin import may_wait
from ...engine import AUTO, Interrupted, Work
from ...second_opinion import MAX_COPY, verdict
from ...statistics import Statistics
from ...traps import Trap, TrapKind, TrapRecord
from ..kernel.launch_facts import sees_lanes
from ..runtime.context import NO_GROUP, Slot, WatchedBy
from . import slices
from .again import CALLS_ALONE, SHORT, SHORT_ALONE, SHORT_KNOWN, Again
from .before import COPIED_BEFORE, Before
from .order import depends_on_schedule, is_native, needs_order, note_waiting
from .plan import Plan, Scratch
from .regroup import as_launched
from .sharing import Sharing, sharing_of
from .slices import PER_THREAD, Alone, even_bounds, run_shared
from .table import Table
from .trapped import trap_record

if TYPE_CHECKING:
    from .known_counts import KnownAgain

COPY_SHARE = 0.1
"""The most that copying, so that threads can be tried, may take of the time that is left."""

DECIDING_BUDGET = 1 << 20
"""Instructions per work-item after which the interpreter no longer decides whether one waits."""


def run(work: Work) -> Statistics | None:
    """Run a launch.

    In the interpreter's order, if results depend on which lanes issue together or on the schedule
    of warps, or if native code cannot count the statistics otherwise that are asked for.
    """
    if not Plan.is_made(work) and _is_in_order(work):
        return _interpret(work)
    try:
        return execute(work)
    except KeyboardInterrupt:
        raise Interrupted(None) from None


def _is_in_order(work: Work) -> bool:
    """Return whether all calls of a launch must be in the interpreter's order."""
    kept = work.kept
    if "in_order" not in kept and needs_order(work.kernel, work.geometry, stats=work.stats):
        kept["in_order"] = True
    return "in_order" in kept


def _interpret(work: Work) -> Statistics:
    """Run a launch in the interpreter's order: native code does if it can and if that pays."""
    if is_native(work.kernel, work.geometry, stats=work.stats):
        spins = depends_on_schedule(work.kernel) or sees_lanes(work.kernel)
        from . import in_order

        counted = in_order.run(work, spins=spins)
        if counted is not None:
            return counted
    return _by_interpreter(work)


def _by_interpreter(work: Work) -> Statistics:
    from ...interp.interpreter import run as interpret

    work.run_by = "interp"
    return interpret(work)


def execute(work: Work) -> Statistics | None:
    """Compile if need be and run; raises Trap.

    Returns statistics if they are asked for, and where the interpreter had to start over.
    """
    if not work.stats:
        return _execute(work)
    from .known_counts import KnownCounts

    known = KnownCounts.of(work)
    found = known.find(work)
    if found is not None:
        plain, counted = found
        _execute(plain)
        work.run_by = plain.run_by
        work.kept["again"] = known.again
        return counted
    start = time.perf_counter()
    statistics = _execute(work)
    if statistics is not None:
        known.keep(work, statistics, time.perf_counter() - start)
    return statistics


def _execute(work: Work) -> Statistics | None:
    """Run as `execute` does, and count what is asked for."""
    if work.stats and "plan" not in work.kept:
        from .counting.apart import Apart

        apart = Apart.of(work)
        if apart.kernel is not None:
            from .run_apart import execute_apart

            return execute_apart(work, apart, _execute)
    if work.kept.pop("refused", False):
        return _interpret(work)  # `Again` has tried
    table, changes = Table.of(work.memory), None
    unguarded, plan = table, Plan.of(work)
    if plan.is_guarded:
        table, changes = plan.guarded(work, table)
        if table is None and plan.is_in_parts:
            return _execute_by(Plan(work, in_parts=False), work)
        if table is None:
            return _interpret(work)
    before = None
    if changes is not None or (plan.may_wait and table.size <= COPIED_BEFORE):
        before = Before(table, changes)
    record, statistics = _run(work, plan, table)
    if record is not None and before is not None:
        before.restore()
    if before is not None:
        before.release()
    if record is None:
        if changes is not None:
            plan.passed(work, unguarded)
        return statistics
    if changes is not None or record.group == NO_GROUP:
        if plan.is_apart:
            from .run_apart import RefusedError

            raise RefusedError
        less_strict = plan.less_strict(work)
        if less_strict is not None:
            # Perhaps accesses meet only as this code watches them.
            return _execute_by(less_strict, work)
        # Perhaps an access has left its buffer, which is legal, for one that it must not reach.
        return _interpret(work)
    if not plan.may_wait:
        raise _trap_for(work, record)
    if before is None and not is_repeatable(work.kernel):
        raise work.trap(_undecided(record))
    return _start_over(work, record)


def _execute_by(plan: Plan, work: Work) -> Statistics | None:
    """Execute by another plan, in this call and in those that follow."""
    work.kept["plan"] = plan
    work.kept.pop("again", None)
    return _execute(work)


def overspent(work: Work) -> TrapRecord | None:
    """Return the trap of a work-item that spends its budget under every schedule, if known."""
    if depends_on_schedule(work.kernel) or sees_lanes(work.kernel) or may_wait(work.kernel):
        return None
    if _bytes(work) > MAX_COPY:
        return None
    work = replace(work, memory=work.memory.copy(), threads=1, kept={}, stats=False)
    record, _ = _run(work, Plan.of(work), Table.of(work.memory))
    return record if record is not None and record.kind is TrapKind.BUDGET else None


def _bytes(work: Work) -> int:
    return sum(buffer.size for buffer in work.memory.buffers if buffer.alive)


def _run(work: Work, plan: Plan, table: Table) -> tuple[TrapRecord | None, Statistics | None]:
    """Run native code; return the trap that ended it, and what it has counted."""
    scratches = plan.take(work, table)
    several = work.threads != 1 and plan.n_groups > 1
    relied = None if plan.layout is None else plan.layout.relied
    if relied is not None and (work.threads == AUTO or relied.watched or relied.before):
        # Threads that are tried may be set back, but not what they have counted. Threads that watch
        # owned places would have to agree on their owners, and batches run one after the other.
        several = False
    alone = Alone(plan.code.function, scratches[0], plan.n_groups, plan.row)
    start = time.perf_counter()
    try:
        left = alone.run(slices.WORTH_A_THREAD if several else None)
        trapped = scratches[0] if alone.trapped else None
        if alone.position < plan.n_groups and trapped is None:
            trapped = _run_shared(work, plan, table, scratches, alone, left)
            several = several and len(scratches) > 1
        known = work.kept.get("again")
        if trapped is None and (known is None or not known.is_complete):
            seconds = time.perf_counter() - start
            again = _again(work, plan, seconds, several=several)
            if again is not None:
                work.kept["again"] = again
    except KeyboardInterrupt:
        raise Interrupted(_statistics(plan, scratches)) from None
    record = _record(work, plan, trapped.context) if trapped is not None else None
    statistics = _statistics(plan, scratches) if record is None else None
    # Not after an exception: a thread may still be at work.
    plan.give_back(scratches)
    return record, statistics


def _again(work: Work, plan: Plan, seconds: float, *, several: bool) -> Again | KnownAgain | None:
    """Return what runs a launch from now on that took so long, if it is short.

    `several` says that it may get several threads.
    """
    if plan.layout is not None:
        # Owners have other numbers in each launch.
        watched = plan.layout.relied.watched and plan.code.watched_by != WatchedBy.MARKS
        known = work.kept.get("known")
        most = SHORT if known is None or not known.may_be_kept else SHORT_KNOWN
        if watched or seconds >= most:
            return None
        again = Again(plan, work, _trap_of, limit=most)
        if known is None or not known.has_plain(work):
            return again
        known.again.counting = again
        return known.again
    limit, calls = SHORT, None
    if seconds >= SHORT:
        if seconds >= SHORT_ALONE or (several and (work.threads != AUTO or host_threads() > 1)):
            return None
        limit, calls = SHORT_ALONE, CALLS_ALONE
    return Again(plan, work, _trap_of, limit=limit, calls=calls)


def _statistics(plan: Plan, scratches: Sequence[Scratch]) -> Statistics | None:
    """Return what native code has counted, if it counts."""
    if plan.layout is None:
        return None
    from .counting import layouts

    return layouts.statistics_of(plan, scratches)


def _run_shared(
    work: Work, plan: Plan, table: Table, scratches: list[Scratch], alone: Alone, left: float
) -> Scratch | None:
    """Run the workgroups that are left, which take `left` seconds, on threads if they may.

    Adds to `scratches` those that it takes. Returns that of the lowest workgroup that trapped.
    """
    threads = work.threads if work.threads != AUTO else host_threads()
    sharing = _sharing(work, plan, table, threads, alone.position, left)
    if sharing is not None:
        scratches += plan.take(work, table, min(threads, len(sharing.bounds) - 1) - 1)
        for scratch in scratches:
            scratch.fill_table(sharing.table or table)
            scratch.context[Slot.SEVERAL_THREADS] = 1
        hosts = [buffer.host for buffer in sharing.changed]
        contents = [host.copy() for host in hosts]
        trapped = run_shared(plan.code.function, scratches, sharing.bounds)
        if trapped is None or sharing.table is None:
            return trapped
        # Perhaps a pointer has only left its buffer for another one, which is legal.
        for host, content in zip(hosts, contents, strict=True):
            host[:] = content
        scratches[0].fill_table(table)
        scratches[0].context[Slot.SEVERAL_THREADS] = 0
        plan.ordered = True
    alone.run()
    return scratches[0] if alone.trapped else None


def _sharing(
    work: Work, plan: Plan, table: Table, threads: int, first: int, left: float
) -> Sharing | None:
    """Return how the workgroups from `first` on are shared out; None for one thread."""
    if work.threads != AUTO:
        return Sharing(even_bounds(first, plan.n_groups, PER_THREAD * threads))
    key = work.kernargs, table.serial
    if threads == 1 or plan.ordered is True or plan.ordered == key:
        return None
    run = replace(work, kernel=plan.kernel, geometry=plan.geometry)
    sharing = sharing_of(run, table, first, threads)
    if sharing is None:
        plan.ordered = key
    elif sharing.seconds > COPY_SHARE * left:
        return None
    return sharing


def host_threads() -> int:
    """Return how many threads a launch may have: one for each core that this process may use.

    One where the host has more than twice as much to do already: a launch would wait for the
    thread that gets no core.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    busy = hasattr(os, "getloadavg") and os.getloadavg()[0] > 2 * (os.cpu_count() or 1)
    return 1 if busy else cores or 1


def _trap_of(work: Work, context: np.ndarray) -> Trap:
    """Return the trap that native code has left, of a launch that does not start over."""
    plan = Plan.of(work)
    record = _record(work, plan, context)
    return work.trap(_undecided(record)) if plan.may_wait else _trap_for(work, record)


def _trap_for(work: Work, record: TrapRecord) -> Trap:
    return _explained(work, record) if record.kind is TrapKind.BUDGET else work.trap(record)


def _explained(work: Work, record: TrapRecord) -> Trap:
    """Return the trap of a kernel that cannot wait: perhaps a livelock, or with notes.

    A note names the lanes that repeat. Such a kernel executes the same with the memory that it has
    changed.
    """
    found = verdict(work, work.memory.copy()) if _bytes(work) <= COPIED_BEFORE else None
    if found is not None and found.record.kind is not TrapKind.BUDGET:
        return found
    if found is not None and found.record.loop:
        record = replace(record, notes=(_seen(found.record),))
    return work.trap(record)


def _start_over(work: Work, record: TrapRecord) -> Statistics:
    """Run the launch again in the interpreter, which gives every warp its turn. Raises Trap.

    `record` is the trap of native code: what is reported where the interpreter does not decide.
    """
    budget = min(work.budget, DECIDING_BUDGET)
    try:
        statistics = _by_interpreter(replace(work, budget=budget, kept={}))
    except Trap as trap:
        kind = trap.record.kind
        if kind in (TrapKind.BUDGET, TrapKind.UNDECIDED) and budget < work.budget:
            raise work.trap(_undecided(record, trap.record)) from None
        raise
    # It will wait again: from now on it runs in the interpreter's order at once.
    note_waiting(work.kernel)
    work.kept.pop("plan", None)
    work.kept.pop("again", None)
    work.run_by = "interp"
    return statistics


def _undecided(record: TrapRecord, seen: TrapRecord | None = None) -> TrapRecord:
    """Return a spent budget as undecided: the work-item may be waiting. Other traps stay.

    `seen` is the trap of the interpreter.
    """
    if record.kind is not TrapKind.BUDGET:
        return record
    detail = f"{record.detail}; it may be waiting for a store of another work-item"
    notes = (_seen(seen),) if seen is not None and seen.loop else ()
    return replace(record, kind=TrapKind.UNDECIDED, detail=detail, notes=notes)


def _seen(found: TrapRecord) -> Note:
    """Return the note that names the loop which the interpreter has found in a second run."""
    return Note(f"in the interpreter, which runs it a second time, {found.loop}")


def _record(work: Work, plan: Plan, context: np.ndarray) -> TrapRecord:
    return as_launched(trap_record(work, context), plan.geometry, work.geometry)
