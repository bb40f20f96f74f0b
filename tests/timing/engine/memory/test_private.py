"""Private memory as interleaved cells and as stacks: the same results, other lines."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import simtlab
from simtlab.timing.machines.machine import load
from simtlab.timing.results.statistics import Statistics

TEXT = """
kernel reversed(global u32* %x) {
    .private u32 stack[10]
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%x]
    mov_u32 $s1, 0
@fill:
    mul_u32 $s2, $s1, $s0
    shl_u32 $s3, $s1, 2
    st_private_u32 $s2, [stack+$s3]
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, 10
    cbr $c0, @fill
    mov_u32 $s4, 0
@empty:
    sub_u32 $s1, $s1, 1
    shl_u32 $s3, $s1, 2
    ld_private_u32 $s2, [stack+$s3]
    mad_u32 $s4, $s4, 3, $s2
    cmp_gt_u32 $c0, $s1, 0
    cbr $c0, @empty
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
    st_global_u32 $s4, [$d1]
    ret
}
"""
ITEMS = 16


def run(fields: Mapping[str, object], *, plain: bool = True) -> tuple[list[int], Statistics]:
    """What a warp stores, and its statistics."""
    machine = load("dws", {"wpus": 1, "warps": 1, "l1i.size": 0, **fields})
    x = np.zeros(ITEMS, np.uint32)
    program = simtlab.assemble(TEXT)
    launch = simtlab.simulate(program.reversed, machine=machine, items=ITEMS, plain=plain)
    result = launch(x)
    return x.tolist(), result.stats


def expected(item: int) -> int:
    total = 0
    for i in range(9, -1, -1):
        total = total * 3 + i * item
    return total


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        # Cells of 8 bytes: offsets 0 to 39 are five cells of 16 lanes, 128 bytes each.
        ({}, 5),
        # Sixteen stacks of 40 bytes are 640 bytes, in one piece.
        ({"private_layout": "stack"}, 5),
        # 64 bytes apart: two stacks in a line.
        ({"private_layout": "stack", "private_stride": 64}, 8),
        # Each in a line of its own; 1 KiB apart they need four sets, of eight ways.
        ({"private_layout": "stack", "private_stride": "1KiB"}, 16),
    ],
)
def test_results_are_the_same_and_lines_are_those_of_the_layout(fields, lines):
    found, stats = run(fields)
    assert found == [expected(item) for item in range(ITEMS)]
    assert stats.l1_misses == lines + 1  # and the line of the result
    assert stats.accesses == 21


def test_stacks_in_one_set_evict_each_other():
    found, stats = run({"private_layout": "stack", "private_stride": "8KiB"})
    assert found == [expected(item) for item in range(ITEMS)]
    assert stats.l1_misses == 20 * 16 + 1


def test_compiled_and_plain():
    fields = {"private_layout": "stack", "private_stride": "1KiB"}
    assert run(fields) == run(fields, plain=False)


def test_a_stride_is_a_multiple_of_eight():
    with pytest.raises(simtlab.SimtError, match="private_stride"):
        load("dws", {"private_stride": 20})
