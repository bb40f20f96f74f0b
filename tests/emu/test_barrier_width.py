"""Barriers under lock step depend on the width of warps: native code and interpreter agree."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.launch.order import leaves
from simtlab.emu.traps import TrapKind

HEAD = """\
kernel k(global u32* %out) {
    workitemflatid_u32 $s0
    ld_kernarg_u64 $d1, [%out]
    cvt_u64_u32 $d2, $s0
    mad_u64 $d1, $d2, 4, $d1
"""
TAIL = "    st_global_u32 $s0, [$d1]\n    ret\n}\n"

IN_TURN = (
    # Fours of work-items come to the barrier in different iterations.
    "    shr_u32 $s1, $s0, 2\n    and_u32 $s1, $s1, 1\n@l:\n    cmp_ne_u32 $c0, $s1, $s2\n"
    "    cbr $c0, @skip\n    barrier\n@skip:\n    add_u32 $s2, $s2, 1\n"
    "    cmp_lt_u32 $c1, $s2, 2\n    cbr $c1, @l\n"
)
EARLY = "    cmp_ge_u32 $c0, $s0, 64\n    cbr $c0, @out\n    barrier\n@out:\n"
ROWS = (
    # Rows of 16 come one after the other.
    "    workitemid_u32 $s1, 1\n@l:\n    cmp_ne_u32 $c0, $s1, $s2\n    cbr $c0, @skip\n"
    "    barrier\n@skip:\n    add_u32 $s2, $s2, 1\n    cmp_lt_u32 $c1, $s2, 4\n    cbr $c1, @l\n"
)
UNSTRUCTURED = (
    # All lanes meet at the barrier, before the immediate post-dominator of the first branch.
    "    and_u32 $s1, $s0, 1\n    cvt_b1_u32 $c0, $s1\n    cbr $c0, @b\n"
    "    cmp_gt_u32 $c1, $s0, 5000\n    cbr $c1, @end\n@b:\n    barrier\n@end:\n"
)


def outcome(body: str, engine: str, width: int, group: tuple[int, ...], **options):
    n = int(np.prod(group))
    out = np.zeros(n, np.uint32)
    (function,) = simtlab.assemble(HEAD + body + TAIL)
    try:
        function.launch(items=group, group_size=group, warp=width, engine=engine, **options)(out)
    except simtlab.Trap as trap:
        return trap.record.key
    return out.tolist()


@pytest.mark.parametrize("width", [1, 2, 3, 4, 8, 16, 31, 32, 33, 64])
@pytest.mark.parametrize(
    ("body", "group"),
    [(IN_TURN, (8,)), (IN_TURN, (64,)), (EARLY, (64,)), (EARLY, (96,)), (ROWS, (16, 4)),
     (ROWS, (32, 4)), (UNSTRUCTURED, (64,))],
)  # fmt: skip
@pytest.mark.parametrize("exited_arrive", [False, True])
def test_native_code_and_interpreter_agree_at_every_width(body, group, width, exited_arrive):
    expected = outcome(body, "interp", width, group, exited_arrive=exited_arrive)
    assert outcome(body, "jit", width, group, exited_arrive=exited_arrive) == expected


def test_a_barrier_that_narrow_warps_reach_whole_is_not_divergent():
    assert outcome(IN_TURN, "jit", 4, (8,)) == list(range(8))
    assert outcome(IN_TURN, "jit", 8, (8,))[0] is TrapKind.DIVERGENT_BARRIER


@pytest.mark.parametrize(
    ("body", "group", "width", "expected"),
    [
        ("    barrier\n", (64,), 32, False),
        (IN_TURN, (8,), 4, False),
        (IN_TURN, (8,), 8, True),
        (ROWS, (16, 4), 16, False),
        (ROWS, (16, 4), 32, True),
        (UNSTRUCTURED, (64,), 32, True),
        (UNSTRUCTURED, (64,), 1, False),
        ("    cmp_ge_u32 $c0, $s0, 9\n    cbr $c0, @skip\n    nop\n@skip:\n    barrier\n", (64,),
         32, False),
    ],
)  # fmt: skip
def test_native_code_runs_kernels_whose_warps_are_known_to_arrive_whole(
    body, group, width, expected
):
    (function,) = simtlab.assemble(HEAD + body + TAIL)
    geometry = Geometry.of(items=group, group_size=group, width=width)
    assert leaves(function.kernel, geometry) == expected
