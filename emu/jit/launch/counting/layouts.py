"""Launches whose statistics native code counts: which they are, and their counts.

Native code counts the default scheme. Where no layout of the code runs what the stack runs
(analysis/counting/stack_flow.py), it keeps which lanes the stack runs together
(kernel/counting/split_counts.py). Where a branch may depend on the schedule
(analysis/counting/independence.py), launches are counted in the interpreter's order (in_order.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from .....isa.program import Kernel
from ....analysis.counting.independence import Reliance, reliance_as, reliance_of
from ....analysis.counting.plan import analyse_counting
from ....analysis.facts import Facts
from ....analysis.flow.order import START
from ....geometry import Geometry
from ....recent import Recent
from ....statistics import Statistics
from ...kernel.launch_facts import facts_for_counting
from ...runtime.context import Count

if TYPE_CHECKING:
    from ..plan import Plan, Scratch

_BRANCHES = ("br", "cbr")

_LAYOUTS: Recent[tuple[object, ...], Layout] = Recent()
_COUNTED: Recent[tuple[object, ...], tuple[bool]] = Recent()


def can_count(
    kernel: Kernel, geometry: Geometry, *, by_batches: bool = False, watches: bool = False
) -> bool:
    """Return whether native code can count launches of this shape, if their buffers allow it.

    Only for kernels that the JIT runs when nothing is counted. With `by_batches`, each batch of
    workgroups must load before it stores. With `watches`, places are watched that could be tested.
    """
    if by_batches and reliance_of(kernel, geometry.group_size, by_batches=True) is None:
        return False
    facts = facts_for_counting(kernel, geometry, by_batches=by_batches, watches=watches)
    is_line = tuple(geometry.items[1:]) == (1, 1)
    key = kernel.key, kernel.params, facts, is_line
    found = _COUNTED.find(key)
    if found is None:
        relied = reliance_as(kernel, facts)
        counted = relied is not None and not (relied.in_line and not is_line)
        counted = counted and analyse_counting(kernel, facts) is not None
        found = _COUNTED.keep(key, (counted,))
    return found[0]


@dataclass(frozen=True)
class Layout:
    """Where the counts of a kernel are, in `words` words.

    Row i of `at[0]` has for each pc the place of the runs of the i-th node with this instruction,
    or of a word that stays zero. `at[1]` has the places of lanes.
    """

    words: int
    at: np.ndarray
    sums: np.ndarray
    """How often each word is in the sums of runs, of lanes, and of the runs of branches."""
    relied: Reliance


def layout_of(kernel: Kernel, facts: Facts) -> Layout:
    """Return where the code of a kernel leaves its counts."""
    key = kernel.key, kernel.params, facts
    return _LAYOUTS.find(key) or _LAYOUTS.keep(key, _layout(kernel, facts))


def _layout(kernel: Kernel, facts: Facts) -> Layout:
    analysis = analyse_counting(kernel, facts)
    assert analysis is not None, "counted in the interpreter's order"
    runs_with = analysis.lane_plan(facts).masks.runs_with
    zero = Count.NODES + 2 * len(analysis.flow.nodes)
    places: list[list[int]] = [[] for _ in kernel.words]
    for node in analysis.flow.nodes:
        if node.latch_of is None and node.number in runs_with:
            for pc in range(node.start, node.stop + (node.last is not None)):
                places[pc].append(Count.NODES + 2 * runs_with[node.number])
    runs = np.array(list(zip_longest(*places, fillvalue=zero)), np.int64)
    at = np.array([runs, runs + 1])
    stems = [ins.row.stem for ins in kernel.instructions]
    branches = np.flatnonzero([stem in _BRANCHES for stem in stems])
    words = zero + 2
    sums = np.array([np.bincount(p.ravel(), minlength=words) for p in (*at, runs[:, branches])])
    relied = reliance_as(kernel, facts)
    assert relied is not None, "counted in the interpreter's order"
    return Layout(words, at, sums, relied)


def statistics_from(layout: Layout, facts: Facts, counts: bytes) -> Statistics:
    """Return the statistics of a launch from the counts of its only thread."""
    return _statistics(layout, facts, [np.frombuffer(counts, np.int64)])


def statistics_of(plan: Plan, scratches: Sequence[Scratch]) -> Statistics | None:
    """Return the statistics of a launch from the counts of its threads; None if none counted."""
    layout, facts = plan.layout, plan.facts
    counts = [scratch.counts for scratch in scratches if scratch.counts is not None]
    return None if layout is None or not counts else _statistics(layout, facts, counts)


def _statistics(layout: Layout, facts: Facts, counts: Sequence[np.ndarray]) -> Statistics:
    total = sum(counts[1:], counts[0])
    # A launch of a small kernel takes less time than these counts.
    executions, lanes = np.add.reduce(total[layout.at], 1)
    issued, active, branches = layout.sums.dot(total).tolist()
    return Statistics(
        warp_instructions=issued,
        thread_instructions=active,
        lane_slots=issued * facts.counts if facts.whole else int(total[Count.LANE_SLOTS]),
        branches=branches,
        divergent_branches=int(total[Count.DIVERGENT]),
        barriers=int(total[Count.BARRIERS]),
        pc_comparisons=int(total[Count.COMPARISONS]),
        max_depth=max(int(c[Count.DEPTH]) for c in counts),
        warps=int(total[Count.NODES + 2 * START]),
        executions=executions,
        lanes=lanes,
    )
