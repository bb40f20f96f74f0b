"""Counts of loops that share a header, of which warps run some and skip others."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.plan import analyse_counting
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting

from ....support.counts import both
from .test_counting import kernel

ENTERS = """
        shr_u32 $s8, $s0, 4
        and_u32 $s8, $s8, 21
        cmp_ne_u32 $c1, $s8, 0
        cbr $c1, @done
        and_u32 $s4, $s0, 3
        mov_u32 $s7, 0
    @first:
        add_u32 $s7, $s7, 1
        cmp_lt_u32 $c0, $s7, $s4
        cbr $c0, @first
"""
"""Of 16 work-items and of 256, some run what follows, and the next ones run nothing of it.

Where lanes come from a loop, no branch runs that would begin an iteration for no lane.
"""

RANDOM = """
        mul_u32 $s5, $s5, 1664525
        add_u32 $s5, $s5, 1013904223
        shr_u32 $s3, $s5, 28
"""

NESTS = {
    "ends at once": """
    @top:
        cbr $c1, @top
        cbr $c1, @top
    """,
    "two loops": f"""
    @top:
        {RANDOM}
        cmp_gt_u32 $c0, $s3, 8
        cbr $c0, @top
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 3
        cbr $c0, @top
    """,
    "three loops": f"""
    @top:
        {RANDOM}
        cmp_gt_u32 $c0, $s3, 11
        cbr $c0, @top
        and_u32 $s4, $s3, 3
        cmp_eq_u32 $c0, $s4, 1
        cbr $c0, @top
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 3
        cbr $c0, @top
    """,
    "two ways out of the inner loop": f"""
    @top:
        {RANDOM}
        cmp_eq_u32 $c0, $s3, 3
        cbr $c0, @other
        cmp_gt_u32 $c0, $s3, 5
        cbr $c0, @top
        add_u32 $s2, $s2, 1
        br @both
    @other:
        add_u32 $s2, $s2, 2
    @both:
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 9
        cbr $c0, @top
    """,
    "branches in the outer loop": f"""
    @top:
        {RANDOM}
        cmp_gt_u32 $c0, $s3, 9
        cbr $c0, @top
        cmp_gt_u32 $c0, $s3, 4
        cbr $c0, @more
        add_u32 $s2, $s2, 2
        cmp_gt_u32 $c0, $s3, 2
        cbr $c0, @more
        add_u32 $s2, $s2, 2
    @more:
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 9
        cbr $c0, @top
    """,
    "a loop in the outer loop": f"""
    @top:
        {RANDOM}
        cmp_gt_u32 $c0, $s3, 9
        cbr $c0, @top
    @within:
        add_u32 $s2, $s2, 1
        and_u32 $s4, $s2, 3
        and_u32 $s7, $s3, 3
        cmp_lt_u32 $c0, $s4, $s7
        cbr $c0, @within
        cmp_lt_u32 $c0, $s2, 9
        cbr $c0, @top
    """,
    "in a loop": f"""
    @around:
        {RANDOM}
        cmp_gt_u32 $c0, $s3, 3
        cbr $c0, @next
    @top:
        {RANDOM}
        cmp_gt_u32 $c0, $s3, 9
        cbr $c0, @top
        cmp_gt_u32 $c0, $s3, 5
        cbr $c0, @top
    @next:
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 5
        cbr $c0, @around
    """,
    "inner condition uniform": f"""
        mov_u32 $s6, 0
    @top:
        add_u32 $s6, $s6, 1
        and_u32 $s4, $s6, 3
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top
        {RANDOM}
        cmp_gt_u32 $c0, $s3, 6
        cbr $c0, @top
    """,
    "outer condition uniform": f"""
        mov_u32 $s6, 0
    @top:
        {RANDOM}
        cmp_gt_u32 $c0, $s3, 6
        cbr $c0, @top
        add_u32 $s6, $s6, 1
        cmp_lt_u32 $c0, $s6, 4
        cbr $c0, @top
    """,
    "both conditions uniform": """
        mov_u32 $s6, 0
    @top:
        add_u32 $s6, $s6, 1
        and_u32 $s4, $s6, 3
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @top
        cmp_lt_u32 $c0, $s6, 12
        cbr $c0, @top
    """,
}


def text_of(name: str) -> str:
    body = f"mov_u32 $s2, 0\n mov_u32 $s5, $s0\n {ENTERS} {NESTS[name]} @done:\n mov_u32 $s1, $s2\n"
    return kernel(body)


@pytest.mark.parametrize("width", [1, 5, 7, 16, 24, 32, 64])
@pytest.mark.parametrize("name", NESTS)
def test_nests(name: str, width: int) -> None:
    (function,) = simtlab.assemble(text_of(name))
    for items, group_size in ((1024, 256), (300, 50)):
        launch = function.launch(items=items, group_size=group_size, warp=width)
        native, *_ = both(launch, (np.zeros(items, np.uint32),))
        assert native.engine == "jit"


def run_outside(text: str) -> set[int]:
    """Return the first pcs of the nodes of a nest that may run without an iteration."""
    (function,) = simtlab.assemble(text)
    launch = function.launch(items=1024, group_size=256, warp=32)
    facts = facts_for_counting(function.kernel, launch.geometry)
    analysis = analyse_counting(function.kernel, facts)
    assert analysis is not None
    nodes = analysis.lane_plan(facts).masks.run_outside
    return {analysis.flow.nodes[n].start for n in nodes}


def test_only_nodes_after_an_inner_loop_may_run_without_an_iteration() -> None:
    text = text_of("two loops")
    (function,) = simtlab.assemble(text)
    _, inner, _ = (pc for pc, ins in enumerate(function.kernel.instructions) if ins.loop)
    assert run_outside(text) == {inner + 1}
    assert len(run_outside(text_of("branches in the outer loop"))) > 1
    # A header of its own is skipped to the node after its loop.
    own = text.replace("cbr $c0, @top", "cbr $c0, @inner", 1)
    own = own.replace("@top:", "@top:\n        add_u32 $s2, $s2, 0\n    @inner:")
    assert run_outside(own) == set()
