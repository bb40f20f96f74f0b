"""Statistics of loops that lanes run one after the other, against the interpreter's."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting

from ....support.chains import STEP, WALK, chains
from ....support.counts import both
from .test_lane_by_lane import BODIES

BRANCHES = {
    **BODIES,
    "the first test leaves": """@top:
        cmp_ge_u32 $c0, $s2, $s1
        cbr $c0, @over
        add_u32 $s2, $s2, 1
        add_u64 $d6, $d6, $d0
        br @top
    @over:""",
    "a constant loop inside": f"""@top:\n{STEP}
        mov_u32 $s5, 0
    @inner:
        add_u64 $d6, $d6, $d7
        add_u32 $s5, $s5, 1
        cmp_lt_u32 $c0, $s5, 21
        cbr $c0, @inner
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "a constant loop, tested first, in one of two": f"""@top:\n{STEP}
        cmp_eq_u32 $c0, $s1, $s9
        cbr $c0, @over
        mov_u32 $s5, 0
    @outer:
        mov_u32 $s3, 40
    @inner:
        cmp_lt_u32 $c0, $s3, 20
        cbr $c0, @after
        sub_u32 $s3, $s3, 1
        add_u64 $d6, $d6, $d7
        br @inner
    @after:
        add_u32 $s5, $s5, 1
        cmp_lt_u32 $c0, $s5, 3
        cbr $c0, @outer
        br @top
    @over:""",
    "a loop before another one is left": """
        mov_u32 $s6, 0
    @again:
        cmp_gt_u32 $c0, $s6, 9
        cbr $c0, @out
        add_u32 $s6, $s6, 1
        add_u32 $s1, $s1, 5
        and_u32 $s5, $s1, 3
        cmp_eq_u32 $c0, $s5, 2
        cbr $c0, @leave
        cmp_lt_u32 $c0, $s6, $s1
        cbr $c0, @again
    @leave:
        add_u32 $s2, $s2, 3
        cmp_lt_u32 $c0, $s2, $s1
        cbr $c0, @leave""",
    "far more than one stretch": """
        mul_u32 $s3, $s1, $s1
    @top:
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, $s3
        cbr $c0, @top""",
}


@pytest.mark.parametrize(
    ("group_size", "width"), [(50, 1), (50, 7), (64, 16), (50, 32), (64, 32), (128, 64)]
)
@pytest.mark.parametrize("name", BRANCHES)
def test_counts_of_lanes_alone_are_those_of_the_stack(
    loops: str, name: str, group_size: int, width: int
) -> None:
    (function,) = simtlab.assemble(WALK.format(BRANCHES[name]))
    launch = function.launch(items=64, group_size=group_size, warp=width)
    x, following, wide, end = chains()
    both(launch, (x, following, wide, np.uint32(end)))


@pytest.mark.parametrize(
    "name",
    [
        "a chain",
        "the first test leaves",
        "a constant loop inside",
        "a constant loop, tested first, in one of two",
    ],
)
def test_loops_with_one_way_run_alone_where_they_are_counted(loops: str, name: str) -> None:
    (function,) = simtlab.assemble(WALK.format(BRANCHES[name]))
    launch = function.launch(items=64, group_size=64, warp=32)
    facts = facts_for_counting(function.kernel, launch.geometry)
    code = generate(function.kernel, 0, facts)
    assert ("checked_lane" in code) == (loops != "together")
