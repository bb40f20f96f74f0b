"""The choice of what counts a kernel's warps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ....analysis.counting.regions import Region
from ....analysis.lanes.lane_plan import LanePlan
from ..lane_code import LaneCode
from .counters import Counters

if TYPE_CHECKING:
    from ....analysis.counting.independence import Reliance
    from .split_counts import SplitCounts


class Counted(NamedTuple):
    """What code that counts relies on."""

    regions: Mapping[int, Region]
    """What divergent branches make a warp run."""
    relied: Reliance
    """What makes the kernel independent of the schedule."""
    plan: LanePlan
    """How lanes would run if none ran a loop alone: it says which nodes share counts."""


def counting_of(
    counted: Counted, lanes: LaneCode, plan: LanePlan, starting: Sequence[str]
) -> Counters | SplitCounts:
    """Return what counts the warps of a kernel; `starting` are the lanes of one at its start."""
    if lanes.facts.splits:
        from .split_counts import SplitCounts

        return SplitCounts(lanes, plan, counted.regions, starting)
    sparse = plan.sparse.items()
    alone = {loop.number for header, loop in sparse if header not in plan.traced}
    iterations, loop = None, counted.relied.loop
    if loop is not None:
        from .batch_rounds import BatchIterations

        iterations = BatchIterations(lanes, loop)
    return Counters(
        lanes,
        counted.plan,
        counted.regions,
        starting,
        alone=alone,
        iterations=iterations,
        has_both=plan.has_both,
    )
