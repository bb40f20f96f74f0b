"""Bounds that are products of sizes, as of planes, in loops of interior warps."""

from __future__ import annotations

import re

import pytest

from simtlab.emu.jit.kernel.interior.bound_arithmetic import BoundArithmetic
from simtlab.emu.jit.kernel.interior.bounds import Bound, Conditions
from simtlab.emu.jit.llvm.function_text import FunctionText
from simtlab.emu.jit.llvm.text import ModuleText

from ...support.against_oracle import assert_as_oracle
from .test_runs import HERE, HIGH, WIDE, code_of, kernel, work_of

PLANES = (
    HERE
    + """
    add_u32 $s6, $s5, 1
    mul_u32 $s6, $s6, $s6
    ld_kernarg_u64 $d1, [%source]
    mov_u32 $s7, 1
@plane:
    mul_u32 $s8, $s7, $s6
    add_u32 $s8, $s8, $s4
    cvt_u64_u32 $d0, $s8
    mad_u64 $d2, $d0, 4, $d1
    ld_global_u32 $s10, [$d2]
    ld_global_u32 $s8, [$d2+4]
    mad_u32 $s9, $s9, 3, $s8
    add_u32 $s9, $s9, $s10
    add_u32 $s7, $s7, 1
    cmp_le_u32 $c1, $s7, 4
    cbr $c1, @plane"""
)
SIDE = 6


def test_equal_bounds_have_equal_products() -> None:
    entry = FunctionText(ModuleText())
    arithmetic = BoundArithmetic(Conditions(entry, entry.elsewhere()))
    size = Bound((), (("%n", 1),), 8)
    assert arithmetic.times(size, size) == arithmetic.times(size, size)


def test_a_loop_over_planes_is_not_tested_by_interior_warps() -> None:
    text = code_of(work_of(kernel(PLANES), SIDE - 1, 2000))
    assert re.search(r"^in\d+:", text, re.MULTILINE)
    assert not re.search(r"^iv\d+:", text, re.MULTILINE)


@pytest.mark.parametrize(("side", "missing"), [(SIDE, 0), (SIDE, 1), (1 << 16, 0)])
def test_the_last_plane(side: int, missing: int) -> None:
    """The square of 2^16 is 0: the loop reads one place again and again."""
    room = WIDE * HIGH + (4 * side * side & 0xFFFF_FFFF) + 4 - missing
    own, expected = (work_of(kernel(PLANES), side - 1, room) for _ in range(2))
    assert_as_oracle(own, expected)
