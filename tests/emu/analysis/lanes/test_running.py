"""Which lanes may run a node, and which loops are written once for each iteration."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.flow.order import START
from simtlab.emu.analysis.lanes.running import RunningLanes, Walk, has_known_lanes, last_lane
from simtlab.emu.analysis.ranges.offset_ranges import Ranges

from ...support.flows import kernel_of

TREE = """
    .group u32 part[256]
    workitemid_u32 $s0, 0
    shl_u32 $s1, $s0, 2
    st_group_u32 $s0, [part+$s1]
    ld_kernarg_u32 $s7, [%n]
    mov_u32 $s2, BEGIN
@step:
    barrier
    cmp_ge_u32 $c0, $s0, $s2
    cbr $c0, @next
    add_u32 $s3, $s0, $s2
    shl_u32 $s3, $s3, 2
    ld_group_u32 $s4, [part+$s3]
    ld_group_u32 $s5, [part+$s1]
    add_u32 $s5, $s5, $s4
    st_group_u32 $s5, [part+$s1]
@next:
    REPEAT
    cbr $c1, @step
    ld_group_u32 $s6, [part+$s1]
"""
HALVE = "shr_u32 $s2, $s2, 1\n cmp_ne_u32 $c1, $s2, 0"
FACTS = Facts(256, (256, 1, 1), whole=True, one_warp=True)


def walk_of(begin: str = "128", repeat: str = HALVE, facts: Facts = FACTS) -> Walk:
    body = TREE.replace("BEGIN", begin).replace("REPEAT", repeat)
    shapes = analyse(kernel_of(body)).shapes(facts)
    return Walk(shapes, Ranges(shapes).trips)


def test_a_tree_is_written_for_each_iteration() -> None:
    walk = walk_of()
    assert [trips.returns for trips in walk.copied.values()] == [7]
    assert walk.vectors < 8 * 5 * 16 / 2  # half of the vectors run at first, then a fourth


@pytest.mark.parametrize(("steps", "copied"), [(40, True), (60, False)])
def test_long_trees_are_not(steps: int, copied: bool) -> None:
    """Eight iterations of at most 64 instructions are written."""
    added = "\n".join(["mad_u32 $s5, $s5, $s5, $s4"] * steps)
    text = TREE.replace("add_u32 $s5, $s5, $s4", added)
    kernel = kernel_of(text.replace("BEGIN", "128").replace("REPEAT", HALVE))
    shapes = analyse(kernel).shapes(FACTS)
    assert bool(Walk(shapes, Ranges(shapes).trips).copied) == copied


@pytest.mark.parametrize(("steps", "copied"), [(10, True), (40, False)])
def test_loops_are_longer_where_group_memory_may_be_in_registers(steps: int, copied: bool) -> None:
    """Most lanes run all iterations, in 3,000 vectors at most."""
    added = "\n".join(["mad_u32 $s5, $s5, $s5, $s4"] * steps)
    text = TREE.replace("add_u32 $s5, $s5, $s4", added).replace("BEGIN", "1")
    text = text.replace("cmp_ge_u32 $c0, $s0, $s2", "cmp_lt_u32 $c0, $s0, $s2")
    repeat = "shl_u32 $s2, $s2, 1\n cmp_lt_u32 $c1, $s2, 256"
    shapes = analyse(kernel_of(text.replace("REPEAT", repeat))).shapes(FACTS)
    assert not Walk(shapes, Ranges(shapes).trips).copied
    assert bool(Walk(shapes, Ranges(shapes).trips, gains=False).copied) == copied


@pytest.mark.parametrize(
    ("begin", "repeat"),
    [
        ("$s7", HALVE),  # where the loop begins is not known
        ("128", "shr_u32 $s2, $s2, 1\n ld_kernarg_u32 $s8, [%n]\n cmp_gt_u32 $c1, $s2, $s8"),
        ("192", "add_u32 $s2, $s2, 8\n cmp_lt_u32 $c1, $s2, 256"),  # most lanes run
        ("192", "sub_u32 $s2, $s2, 1\n cmp_ne_u32 $c1, $s2, 0"),  # too many iterations
    ],
)
def test_other_loops_are_not(begin: str, repeat: str) -> None:
    assert not walk_of(begin, repeat).copied


BUTTERFLY = """
    .group u32 data[512]
    workitemid_u32 $s0, 0
    shl_u32 $s1, $s0, 2
    mov_u32 $s2, BEGIN
@step:
    barrier
    sub_u32 $s3, $s2, 1
    and_u32 $s3, $s1, $s3
    shl_u32 $s4, $s1, 1
    sub_u32 $s3, $s4, $s3
    add_u32 $s4, $s3, $s2
    ld_group_u32 $s5, [data+$s3]
    ld_group_u32 $s6, [data+$s4]
    sub_u32 $s7, $s5, $s6
    add_u32 $s5, $s5, $s6
    st_group_u32 $s5, [data+$s3]
    st_group_u32 $s7, [data+$s4]
    shr_u32 $s2, $s2, 1
    cmp_ge_u32 $c0, $s2, LAST
    cbr $c0, @step
    barrier
    ld_group_u32 $s6, [data+$s1]
"""


@pytest.mark.parametrize(
    ("begin", "last", "returns"),
    [("1024", "4", [8]), ("32", "4", [])],  # words that lie side by side are in few iterations
)
def test_a_butterfly_is_written_for_each_iteration(
    begin: str, last: str, returns: list[int]
) -> None:
    body = BUTTERFLY.replace("BEGIN", begin).replace("LAST", last)
    shapes = analyse(kernel_of(body)).shapes(FACTS)
    copied = Walk(shapes, Ranges(shapes).trips).copied
    assert [trips.returns for trips in copied.values()] == returns


def test_where_nothing_is_known() -> None:
    kernel = kernel_of(TREE.replace("BEGIN", "128").replace("REPEAT", HALVE))
    for other in (
        replace(FACTS, one_warp=False),
        Facts(256, (16, 16, 1), whole=True, one_warp=True),
        Facts(16, (48, 1, 1), whole=True, one_warp=True),
    ):
        assert not has_known_lanes(analyse(kernel).shapes(other))
    for known in (FACTS, replace(FACTS, counts=32)):
        assert has_known_lanes(analyse(kernel).shapes(known))


def test_lanes_of_a_branch_and_of_its_sides() -> None:
    body = (
        "workitemid_u32 $s0, 0\n cmp_ge_u32 $c0, $s0, 40\n cbr $c0, @end\n st_global_u32 $s0, [%x]"
    )
    body = f"ld_kernarg_u64 $d0, [%x]\n{body.replace('[%x]', '[$d0]')}\n@end:\n barrier"
    shapes = analyse(kernel_of(body)).shapes(FACTS)
    lanes = RunningLanes(shapes, {})
    (branch,) = shapes.ssa.conditions
    lanes.take(START, branch, lanes.begin(START), certainly=True)
    assert lanes.begin(branch).all()
    ways = lanes.ways(branch)
    assert ways is not None
    assert [last_lane(way) for way in ways] == [40, 256]
    fall, taken = shapes.flow.nodes[branch].successors
    lanes.take(branch, fall, ways[0], certainly=True)
    lanes.take(branch, taken, ways[1], certainly=False)
    assert lanes.is_exact(fall)
    assert not lanes.is_exact(taken)
