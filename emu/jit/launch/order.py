"""Launches that must be in the interpreter's order, and those of them that native code runs."""

from __future__ import annotations

from ....isa.program import Kernel
from ...analysis.analysis import analyse
from ...analysis.suitability.barriers import arrive_whole, has_barriers
from ...analysis.suitability.limits import is_too_large
from ...analysis.suitability.spin import may_spin
from ...geometry import Geometry
from ...recent import Recent
from ..kernel.launch_facts import facts_as_launched, keeps_stack, sees_lanes

LONG_IN_ORDER = 1 << 19
"""Instructions of the code times work-items from which on native code runs a launch in the
interpreter's order, even if nothing is counted: the interpreter takes longer than compiling."""

LONG_WITH_LOOPS = 1 << 14
"""The same of kernels with loops, where the code does not show how much is executed: work-items
that wait for each other may execute thousands of times as much."""


def leaves(kernel: Kernel, geometry: Geometry, *, stats: bool = False) -> bool:
    """Return whether the interpreter runs a kernel in launches of this shape.

    Native code runs some of those that need its order, too (in_order.py).
    """
    needs = needs_order(kernel, geometry, stats=stats)
    return needs and not is_native(kernel, geometry, stats=stats)


def is_native(kernel: Kernel, geometry: Geometry, *, stats: bool) -> bool:
    """Return whether native code runs a kernel in the interpreter's order."""
    size = len(kernel.words) * geometry.n_items
    if not stats and size < min(LONG_IN_ORDER, LONG_WITH_LOOPS):
        return False
    from .in_order import can_run  # other launches need not import it

    if not can_run(kernel):
        return False
    if stats or size >= LONG_IN_ORDER:
        return True
    return size >= LONG_WITH_LOOPS and bool(analyse(kernel).flow.loops)


def needs_order(kernel: Kernel, geometry: Geometry, *, stats: bool) -> bool:
    """Return whether a kernel must be executed in the interpreter's order.

    With `stats`, those too that native code cannot count otherwise.
    """
    if depends_on_schedule(kernel):
        return True
    if sees_lanes(kernel) and not keeps_stack(kernel, geometry):
        return True
    if has_barriers(kernel) and not arrive_whole(kernel, facts_as_launched(kernel, geometry)):
        return True
    if not stats:
        return False
    from .counting.layouts import can_count  # launches that do not count need not import it

    return not can_count(kernel, geometry)


def depends_on_schedule(kernel: Kernel) -> bool:
    """Return whether lanes see how far others are (by the clock), or wait for others' stores.

    True for a kernel that is too large for native code, which the interpreter runs as well.
    """
    found = _SCHEDULED.find(kernel.key)
    if found is None:
        found = is_too_large(kernel) or any(ins.row.reads_clock for ins in kernel.instructions)
        if not found and any(ins.row.is_memory for ins in kernel.instructions):
            analysis = analyse(kernel)
            found = bool(analysis.flow.loops) and may_spin(analysis.nested)
        _SCHEDULED.keep(kernel.key, found)
    return found


_SCHEDULED: Recent[tuple[object, ...], bool] = Recent()


def note_waiting(kernel: Kernel) -> None:
    """Let launches of a kernel depend on the schedule from now on: one has waited."""
    _SCHEDULED.keep(kernel.key, True)
