"""Launches in the interpreter's order by native code, where order decides what is executed.

Native code calls segments as the interpreter executes blocks (segments/rounds.py). What it must not
decide is left to the interpreter, from the memory as it was before.
"""

from __future__ import annotations

import time

import numpy as np

from ....isa.program import Kernel
from ...analysis.suitability.limits import is_too_large
from ...engine import Interrupted, Work
from ...recent import Recent
from ...statistics import Statistics
from ..segments.compile import Segments, compile_segments
from ..segments.rounds import MOST_ROUNDS, Rounds
from .before import Before, changed_by
from .order_again import again_in_order
from .slices import SLICE
from .table import Table

MOST_STEPS = 1 << 20
"""Instructions of a warp after which the interpreter is asked whether the launch will end."""

MOST_SPINNING = 1 << 15
"""The same where loops only wait for others: they may do so for ever, in thousands of warps."""

FIRST_ROUNDS = 1 << 10
"""Rounds of the first slice."""


def can_run(kernel: Kernel) -> bool:
    """Return whether native code can run a kernel in the interpreter's order.

    Not if work-items read their own clock: a warp has one here.
    """
    found = _CAN_RUN.find(kernel.key)
    if found is None:
        has_clock = any(ins.row.reads_clock for ins in kernel.instructions)
        found = _CAN_RUN.keep(kernel.key, not has_clock and not is_too_large(kernel))
    return found


_CAN_RUN: Recent[tuple[object, ...], bool] = Recent()


def run(work: Work, *, spins: bool) -> Statistics | None:
    """Run a launch and count; None if the interpreter must, and nothing has changed then.

    `spins` says that work-items may wait in a loop for others, as those of kernels with cross-lane
    operations are taken to do.
    """
    table = Table.of(work.memory)
    if table.overlaps:
        return None
    kernargs = np.frombuffer(work.kernargs, np.uint8)
    changed = changed_by(work.kernel, kernargs, table, work.memory)
    segments = compile_segments(work.kernel, work.program, work.geometry.width, with_loops=True)
    guarded = table.changed(changed)
    limit = min(work.budget, MOST_SPINNING if spins else MOST_STEPS)
    rounds = Rounds(work, segments, guarded.place, limit)
    before = Before(table, changed)
    start = time.perf_counter()
    try:
        if _run(rounds):
            if rounds.count <= MOST_ROUNDS // 2:  # the next launch may have some more
                _keep(work, segments, limit, time.perf_counter() - start)
            return rounds.statistics()
    except KeyboardInterrupt:
        raise Interrupted(rounds.statistics()) from None
    else:
        before.restore()
        return None
    finally:
        before.release()
        rounds.release()


def _keep(work: Work, segments: Segments, limit: int, seconds: float) -> None:
    """Keep what runs a counted launch from now on, if all of its calls are in this order.

    Or what runs those of them that are refused by themselves.
    """
    kept, plan = work.kept, work.kept.get("plan")
    is_refused_alone = plan is not None and plan.is_refused_alone
    if not work.stats or not (is_refused_alone or "in_order" in kept):
        return
    found = kept.get("order") if is_refused_alone else kept.get("again")
    if found is not None and found.is_complete:
        return
    again = again_in_order(work, segments, limit, seconds)
    if again is not None and is_refused_alone:
        kept["order"] = again
    elif again is not None:
        kept["again"] = again


def _run(rounds: Rounds) -> bool:
    """Run to the end, in slices between which Python sees an interrupt; False if it gives up."""
    count = FIRST_ROUNDS
    while True:
        start = time.perf_counter()
        ended = rounds.run(count)
        if ended is not False:
            return bool(ended)
        if time.perf_counter() - start < SLICE / 2:
            count *= 2
