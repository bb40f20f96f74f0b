"""Loops that move vectors from variable to variable, two iterations after each other."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ITEMS = 64
TWICE = '!"llvm.loop.unroll.count", i32 2'

BETWEEN = "barrier"
"""What keeps a loop from being tested before it runs, and unrolled for that."""


def marching(
    steps: int, *, moves: bool = True, ends: str = "$s8, $s3", waits: str = BETWEEN
) -> Work:
    """Each plane is three times the one before and the next but one; what is last is kept."""
    kept = "mov_u32 $s4, $s5\nmov_u32 $s5, $s6" if moves else "add_u32 $s4, $s4, $s6"
    text = f"""
    kernel march(global u32* %x, global u32* %y, u32 %steps) {{
        .group u32 tile[{ITEMS}]
        workitemabsid_u32 $s0, 0
        workitemid_u32 $s1, 0
        shl_u32 $s1, $s1, 2
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_kernarg_u64 $d2, [%y]
        mad_u64 $d2, $d0, 4, $d2
        ld_kernarg_u32 $s3, [%steps]
        and_u32 $s9, $s0, 7
        mov_u32 $s4, 1
        ld_global_u32 $s5, [$d1]
        mov_u32 $s8, 0
    @plane:
        add_u64 $d1, $d1, {4 * ITEMS}
        ld_global_u32 $s6, [$d1]
        st_group_u32 $s5, [tile+$s1]
        {waits}
        ld_group_u32 $s7, [tile+$s1]
        mad_u32 $s7, $s4, 3, $s7
        sub_u32 $s7, $s7, $s6
        {waits}
        st_global_u32 $s7, [$d2]
        add_u64 $d2, $d2, {4 * ITEMS}
        {kept}
        add_u32 $s8, $s8, 1
        cmp_lt_u32 $c0, {ends}
        cbr $c0, @plane
        ret
    }}"""
    x = np.arange(ITEMS * 10, dtype=np.uint32) * 2654435761
    y = np.zeros(ITEMS * 9, np.uint32)
    return make(text, [x, y, steps], items=ITEMS, group_size=ITEMS)


def code_of(work: Work) -> str:
    """Return the text that is generated for a launch."""
    return generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4, 7, 8])
def test_planes_that_are_moved(steps: int) -> None:
    """Odd and even numbers of iterations, and the one of a loop that is tested at its end."""
    assert TWICE in code_of(marching(steps))
    assert not assert_as_oracle(marching(steps), marching(steps))


@pytest.mark.parametrize("steps", [10, 11])
def test_a_fault_in_either_iteration(steps: int) -> None:
    """The place of the first access outside is the same, whichever copy makes it."""
    assert assert_as_oracle(marching(steps), marching(steps))


def test_what_is_not_moved() -> None:
    """Sums stay where they are, so one iteration is as good as two."""
    assert TWICE not in code_of(marching(5, moves=False))
    assert not assert_as_oracle(marching(5, moves=False), marching(5, moves=False))


def test_lanes_that_leave_in_turn() -> None:
    """Their masks are blended in each iteration, whatever moves."""
    work, expected = (marching(5, ends="$s8, $s9", waits="") for _ in range(2))
    assert TWICE not in code_of(work)
    assert not assert_as_oracle(work, expected)
