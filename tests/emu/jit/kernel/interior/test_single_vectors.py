"""Which grids have a version for single vectors at the ends of their rows."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

THREE_POINTS = """
kernel points(u32 %n, global u32* %x, global u32* %y) {
    workitemabsid_u32 $s0, ROW
    workitemabsid_u32 $s1, 0
    and_u32 $s0, $s0, 0
    ld_kernarg_u32 $s2, [%n]
    sub_u32 $s3, $s2, 1
    cmp_lt_u32 $c0, $s1, 1
    cmp_ge_u32 $c1, $s1, $s3
    or_b1 $c0, $c0, $c1
    cbr $c0, @done
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s4, [$d1-4]
    ld_global_u32 $s5, [$d1]
    ld_global_u32 $s6, [$d1+4]
    mad_u32 $s4, $s5, 3, $s4
    mad_u32 $s4, $s6, 5, $s4
    add_u32 $s4, $s4, $s0
    LOOP
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    ld_global_u32 $s7, [$d2]
    add_u32 $s4, $s4, $s7
    st_global_u32 $s4, [$d2]
@done:
    ret
}
"""
DRAWS = """
    mov_u32 $s8, 0
@again:
    mul_u32 $s4, $s4, 747796405
    shr_u32 $s9, $s4, 29
    cmp_eq_u32 $c0, $s9, 0
    cbr $c0, @out
    add_u32 $s8, $s8, 1
    cmp_lt_u32 $c1, $s8, 50
    cbr $c1, @again
@out:"""
"""A loop that lanes leave in turn."""


@pytest.mark.parametrize(
    ("row", "loop", "has_vectors"),
    [(0, "", False), (1, "", True), (0, DRAWS, True)],
    ids=["one row", "rows", "a loop"],
)
@pytest.mark.parametrize("n", [3, 64, 65, 300, 1027])
def test_grids_of_one_row_have_no_version_for_their_two_ends(
    row: int, loop: str, has_vectors: bool, n: int
) -> None:
    """Single vectors run at the ends of many rows, and where lanes leave a loop in turn."""
    text = THREE_POINTS.replace("ROW", str(row)).replace("LOOP", loop)
    x = np.random.default_rng(n).integers(0, 1 << 30, n).astype(np.uint32)
    work, expected = (
        make(text, [n, x.copy(), np.zeros(n, np.uint32)], items=(n,), group_size=(64,))
        for _ in "ab"
    )
    generated = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert ("\nedge_head:" in generated) is has_vectors
    assert "\nrun_head:" in generated
    assert not assert_as_oracle(work, expected)
