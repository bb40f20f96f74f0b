"""Tables in group memory that are filled by diagonals: narrow warps, with the oracle's results."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ...support.agreement import same

TEXT = """
    .const N = 32
    kernel k(global u8* %x, global u32* %y) {
        .group u8 t[(N * N)]
        workitemid_u32 $s0, 0
        workitemabsid_u32 $s1, 0
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        add_u64 $d1, $d1, $d0
        ld_global_u8 $s2, [$d1]
        mul_u32 $s3, $s0, (N + 1)               // place (i, i)
        st_group_u8 $s2, [t+$s3]
        mov_u32 $s4, 1                          // distance
    @diagonal:
        barrier
        add_u32 $s5, $s0, $s4                   // j
        cmp_ge_u32 $c0, $s5, N
        cbr $c0, @next
        mov_u32 $s6, 0
        add_u32 $s7, $s3, $s4                   // place (i, j)
        mov_u32 $s8, $s3                        // place (i, k)
        add_u32 $s9, $s7, N                     // place (k + 1, j)
    @cut:
        ld_group_u8 $s10, [t+$s8]
        ld_group_u8 $s11, [t+$s9]
        mad_u32 $s10, $s10, 3, $s11
        max_u32 $s6, $s6, $s10
        add_u32 $s8, $s8, 1
        add_u32 $s9, $s9, N
        cmp_lt_u32 $c0, $s8, $s7
        cbr $c0, @cut
        st_group_u8 $s6, [t+$s7]
    @next:
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c0, $s4, N
        cbr $c0, @diagonal
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d0, 4, $d1
        barrier
        ld_group_u8 $s6, [t+$s0]
        st_global_u32 $s6, [$d1]
        ret
    }"""


def width_of(text: str, items: int) -> int:
    (kernel,) = assemble(text).kernels
    return facts_of(kernel, Geometry.of(items=(items,), group_size=(items,))).width


@pytest.mark.parametrize("width", [7, 16, 32])
def test_each_cell_is_the_oracles(width: int) -> None:
    x = np.random.default_rng(4).integers(0, 256, 64, np.uint8)
    same(TEXT, [x, np.zeros(64, np.uint32)], items=64, group_size=32, width=width)


def test_warps_are_narrow_where_few_lanes_gather() -> None:
    for items in (32, 48, 64):
        assert width_of(TEXT.replace("N = 32", f"N = {items}"), items) == 16


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cbr $c0, @next", "mov_u32 $s6, 0"),  # all lanes run the loop
        ("[t+$s8]", "[t+$s0]"),  # half of its loads are of neighbours, and the rest of one place
        ("$s8, $s7", "$s8, $s6"),  # data decide when a lane leaves it
        ("barrier", "nop"),  # nothing waits for the lanes that do
    ],
)
def test_other_loops_have_usual_warps(old: str, new: str) -> None:
    text = TEXT.replace("N = 32", "N = 64").replace(old, new).replace("[t+$s9]", "[t+$s4]")
    assert width_of(text, 64) > 16
