"""What watches accesses of code that counts, if some must be watched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .....analysis.values.ssa import Op
from ....runtime.context import WatchedBy
from ...lane_code import LaneCode
from ..addressing.addresses import Addresses
from ..kernel_memory import KernelMemory


class Watching(Protocol):
    """Emits the tests of watched accesses, of one warp."""

    def begin_warp(self) -> None:
        """Begin a warp that runs from start to end."""
        ...

    def end_warp(self) -> None:
        """End such a warp."""
        ...

    def begin_round(self) -> None:
        """Begin the time after a barrier of a workgroup that is one warp."""
        ...

    def watch(self, op: Op) -> None:
        """Emit what comes before an access."""
        ...


def watching_of(
    lanes: LaneCode,
    memory: KernelMemory,
    addresses: Addresses,
    items: tuple[str, Sequence[str], str],
    *,
    is_straight: bool,
) -> Watching | None:
    """Return what watches accesses; None if nothing must be watched.

    `items` are the flat number of the workgroup, an i64, and the flat local ids of the lanes and of
    the first one. `is_straight` says that warps run from start to end, one after the other.
    """
    relied, facts = memory.relied, lanes.facts
    if relied is None or not (relied.watched or relied.kept_out):
        return None
    # Few launches count, and fewer watch.
    from .....analysis.counting.updates import updates_of
    from .marked_groups import groups_of
    from .marks import Marks
    from .owners import Owners

    if not facts.marks:
        return Owners(lanes, memory, relied, *items)
    if is_straight and facts.width <= 64:
        groups = groups_of(lanes, relied, addresses)
        if groups is not None:
            memory.watched_by.add(WatchedBy.MARKS)
            owners = Owners(lanes, memory, relied, *items)
            return Marks(lanes, relied, addresses, owners, groups, len(memory.params))
    updates = updates_of(lanes.ssa, lanes.flow, relied.watched)
    if updates:
        memory.watched_by.add(WatchedBy.UPDATES)
    return Owners(lanes, memory, relied, *items, updates)
