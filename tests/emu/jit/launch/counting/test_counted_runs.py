"""Statistics of loops that move runs: lanes run them alone, and counts follow from iterations."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.lane_by_lane.moved_runs import moves_runs
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting

from ....support.counts import both

ITEMS, STRETCH = 70, 512

DECODER = """
// Triples of a length, a byte and a distance back: as many bytes, then one more or more of them.
kernel decode(u32 %n, global u32* %triples, global u8* %text, global u32* %ends) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @out
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%triples]
    ld_kernarg_u64 $d2, [%text]
    mul_u32 $s2, $s0, 512
    add_u32 $s2, $s2, 8                         // to
    and_u32 $s3, $s0, 3                         // triples
    mul_u32 $s4, $s0, 9
@next:
    cmp_eq_u32 $c0, $s3, 0
    cbr $c0, @end
    sub_u32 $s3, $s3, 1
    cvt_u64_u32 $d3, $s4
    mad_u64 $d3, $d3, 4, $d1
    ld_global_u32 $s5, [$d3]                    // length
    ld_global_u32 $s6, [$d3+4]                  // byte
    ld_global_u32 $s7, [$d3+8]                  // distance
    add_u32 $s4, $s4, 3
    mov_u32 $s8, 0
@fill:
    cmp_ge_u32 $c0, $s8, $s5
    cbr $c0, @copies
    cvt_u64_u32 $d3, $s2
    add_u64 $d3, $d2, $d3
    st_global_u8 $s6, [$d3]
    add_u32 $s2, $s2, 1
    add_u32 $s8, $s8, 1
    br @fill
@copies:
    and_u32 $s6, $s6, 31
    mov_u32 $s8, 0
@copy:
    sub_u32 $s9, $s2, $s7
    cvt_u64_u32 $d3, $s9
    add_u64 $d3, $d2, $d3
    ld_global_u8 $s9, [$d3]
    cvt_u64_u32 $d3, $s2
    add_u64 $d3, $d2, $d3
    st_global_u8 $s9, [$d3]
    add_u32 $s2, $s2, 1
    add_u32 $s8, $s8, 1
    cmp_lt_u32 $c0, $s8, $s6
    cbr $c0, @copy
    br @next
@end:
    ld_kernarg_u64 $d3, [%ends]
    mad_u64 $d3, $d0, 4, $d3
    st_global_u32 $s2, [$d3]
@out:
    ret
}
"""


@pytest.mark.parametrize(
    ("group_size", "width"), [(50, 1), (50, 7), (128, 16), (50, 32), (128, 64)]
)
def test_lanes_move_runs_of_which_iterations_are_counted(
    monkeypatch: pytest.MonkeyPatch, group_size: int, width: int
) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "alone")
    rng = np.random.default_rng(8)
    triples = rng.integers(0, 100, (3 * ITEMS, 3), np.uint32)
    triples[::4, 0] = 0
    triples[:, 2] = rng.integers(1, 8, 3 * ITEMS)
    text = rng.integers(0, 256, ITEMS * STRETCH, np.uint8)
    (function,) = simtlab.assemble(DECODER)
    launch = function.launch(items=ITEMS, group_size=group_size, warp=width)
    native, *_ = both(launch, (np.uint32(ITEMS - 3), triples, text, np.zeros(ITEMS, np.uint32)))
    assert native.engine == "jit"
    facts = facts_for_counting(function.kernel, launch.geometry)
    code = generate(function.kernel, 0, facts)
    assert ("checkedrun" in code) == (facts.width == width and moves_runs())
