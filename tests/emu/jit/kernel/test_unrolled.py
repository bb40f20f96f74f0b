"""Loops over private arrays, copied for each iteration, with private memory in registers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab import Trap, TrapKind
from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.jit.launch.engine import execute
from simtlab.isa.types import Segment

from ...support.oracle_work import make
from ..support.agreement import same, trap_alike

WIDTHS = (1, 7, 16, 32, 64)
ITEMS, GROUP = 150, 70

FRAME = """
kernel k(global u32* %out, global u32* %x, u32 %n) {{
    {arrays}
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s1, [$d1]
    ld_kernarg_u32 $s2, [%n]
    ld_kernarg_u64 $d2, [%out]
    mad_u64 $d2, $d0, 8, $d2
    mov_u64 $d5, 0
    mov_u32 $s5, 0
    and_u32 $s3, $s1, 7
{body}
@end:
    cvt_u64_u32 $d6, $s5
    add_u64 $d5, $d5, $d6
    st_global_u64 $d5, [$d2]
    ret
}}
"""

FILL = """
    mov_u32 $s10, 0
@fill:
    mad_u32 $s11, $s1, 13, $s10
    st_private_u32 $s11, [a+$s10]
    add_u32 $s10, $s10, 4
    cmp_lt_u32 $c0, $s10, 32
    cbr $c0, @fill
"""
SUM = """
    mov_u32 $s10, 28
@sum:
    ld_private_u32 $s11, [a+$s10]
    mad_u32 $s5, $s5, 31, $s11
    sub_u32 $s10, $s10, 4
    cmp_ge_s32 $c0, $s10, 0
    cbr $c0, @sum
"""

NESTED = """
    mov_u32 $s20, 0
@a:
    mov_u32 $s21, 0
@b:
    mov_u32 $s22, 0
@c:
    and_u32 $s30, $s22, 7
    mul_u32 $s30, $s30, 4
    ld_private_u32 $s11, [a+$s30]
    xor_u32 $s30, $s30, 4
    st_private_u32 $s11, [a+$s30]
    add_u32 $s22, $s22, 1
    cmp_lt_u32 $c0, $s22, 60
    cbr $c0, @c
    add_u32 $s21, $s21, 1
    cmp_lt_u32 $c0, $s21, 60
    cbr $c0, @b
    add_u32 $s20, $s20, 1
    cmp_lt_u32 $c0, $s20, 60
    cbr $c0, @a
"""
"""Copies of which nothing is left, and that take a minute to make, but for the inner loop's."""

REPEATED = """
    mov_u32 $s12, 0
@again:
    mov_u32 $s10, 0
@place:
    ld_private_u32 $s11, [a+$s10]
    mad_u32 $s11, $s11, 5, $s12
    st_private_u32 $s11, [a+$s10]
    add_u32 $s10, $s10, 4
    cmp_lt_u32 $c0, $s10, {bytes}
    cbr $c0, @place
    add_u32 $s12, $s12, 1
    cmp_lt_u32 $c0, $s12, 12
    cbr $c0, @again
"""
"""A loop whose iterations all access the same places, which has no copies itself."""

COPIED = {
    "a loop over few places": (
        ".private u32 a[20]",
        FILL.replace("$s10, 32", "$s10, 80") + REPEATED.format(bytes=80) + SUM.replace("28", "76"),
    ),
    "a triangle": (
        ".private u32 a[8]",
        FILL
        + """
    mov_u32 $s12, 28
@level:
    mov_u32 $s10, 0
@between:
    ld_private_u32 $s11, [a+$s10]
    ld_private_u32 $s13, [a+$s10+4]
    mad_u32 $s11, $s11, 5, $s13
    st_private_u32 $s11, [a+$s10]
    add_u32 $s10, $s10, 4
    cmp_lt_u32 $c0, $s10, $s12
    cbr $c0, @between
    sub_u32 $s12, $s12, 4
    cmp_gt_u32 $c0, $s12, 0
    cbr $c0, @level"""
        + SUM,
    ),
    "stores of some lanes": (
        ".private u32 a[8]",
        FILL
        + """
    mov_u32 $s10, 4
@next:
    shr_u32 $s11, $s1, $s10
    and_u32 $s11, $s11, 1
    cmp_eq_u32 $c1, $s11, 0
    cbr $c1, @over
    ld_private_u32 $s12, [a+$s10-4]
    st_private_u32 $s12, [a+$s10]
    cbr $c2, @back
    st_private_u32 $s1, [a]
@over:
    add_u32 $s5, $s5, $s10
@back:
    cmp_ne_u32 $c2, $s11, 0
    add_u32 $s10, $s10, 4
    cmp_lt_u32 $c0, $s10, 32
    cbr $c0, @next"""
        + SUM,
    ),
    "the next iteration from the middle": (
        ".private u32 a[8]",
        FILL
        + """
    mov_u32 $s10, 0
@next:
    ld_private_u32 $s11, [a+$s10]
    add_u32 $s10, $s10, 4
    and_u32 $s12, $s11, 4
    cmp_lt_u32 $c0, $s10, 32
    cmp_eq_u32 $c1, $s12, 0
    cbr $c0, @more
    br @done
@more:
    cbr $c1, @next
    st_private_u32 $s12, [a+$s10]
    br @next
@done:"""
        + SUM,
    ),
    "in a loop that lanes leave in turn": (
        ".private u32 a[8]",
        FILL
        + """
    add_u32 $s13, $s3, 1
@outer:
    mov_u32 $s10, 4
@inner:
    ld_private_u32 $s11, [a+$s10-4]
    ld_private_u32 $s12, [a+$s10]
    mad_u32 $s12, $s12, 3, $s11
    st_private_u32 $s12, [a+$s10]
    add_u32 $s10, $s10, 4
    cmp_lt_u32 $c0, $s10, 32
    cbr $c0, @inner
    st_private_u32 $s13, [a]
    sub_u32 $s13, $s13, 1
    cmp_ne_u32 $c0, $s13, 0
    cbr $c0, @outer"""
        + SUM,
    ),
    "bytes, signed and not": (
        ".private u8 a[8]\n    .private s16 b[8]",
        """
    mov_u32 $s10, 0
@fill:
    shr_u32 $s11, $s1, $s10
    st_private_u8 $s11, [a+$s10]
    shl_u32 $s12, $s10, 1
    st_private_u16 $s11, [b+$s12]
    add_u32 $s10, $s10, 1
    cmp_lt_u32 $c0, $s10, 8
    cbr $c0, @fill
    mov_u32 $s10, 1
@again:
    ld_private_u8 $s11, [a+$s10]
    ld_private_s8 $s12, [a+$s10-1]
    mad_u32 $s5, $s5, 31, $s11
    mad_u32 $s5, $s5, 31, $s12
    shl_u32 $s12, $s10, 1
    ld_private_u16 $s11, [b+$s12]
    ld_private_s16 $s12, [b+$s12-2]
    mad_u32 $s5, $s5, 31, $s11
    mad_u32 $s5, $s5, 31, $s12
    add_u32 $s10, $s10, 1
    cmp_lt_u32 $c0, $s10, 8
    cbr $c0, @again""",
    ),
    "what no store reached is zero": (
        ".private u64 a[8]",
        """
    mov_u32 $s10, 0
@next:
    ld_private_u64 $d7, [a+$s10+8]
    add_u64 $d7, $d7, $d0
    st_private_f64 $d7, [a+$s10]
    mad_u64 $d5, $d5, 7, $d7
    add_u32 $s10, $s10, 8
    cmp_lt_u32 $c0, $s10, 48
    cbr $c0, @next""",
    ),
    "bits of floats": (
        ".private f32 a[8]",
        """
    or_u32 $s4, $s1, 0x7f800001
    mov_u32 $s10, 0
@fill:
    st_private_f32 $s4, [a+$s10]
    add_f32 $s6, $s4, $s4
    neg_f32 $s6, $s6
    st_private_f32 $s6, [a+$s10+4]
    add_u32 $s10, $s10, 8
    cmp_lt_u32 $c0, $s10, 32
    cbr $c0, @fill"""
        + SUM,
    ),
    "a product of 64-bit limbs": (
        ".private u64 a[4]",
        """
    mov_u32 $s10, 0
@limb:
    ld_private_u64 $d7, [a+$s10]
    mad_u64 $d7, $d0, 0x1234567, $d7
    st_private_u64 $d7, [a+$s10+8]
    shr_u64 $d7, $d7, 3
    xor_u64 $d5, $d5, $d7
    add_u32 $s10, $s10, 8
    cmp_lt_u32 $c0, $s10, 24
    cbr $c0, @limb""",
    ),
}

KEPT = {
    "lanes that return": (
        ".private u32 a[8]",
        """
    mov_u32 $s10, 0
@next:
    ld_private_u32 $s11, [a+$s10]
    add_u32 $s5, $s5, $s11
    st_private_u32 $s5, [a+$s10]
    shl_u32 $s12, $s3, 2
    cmp_ne_u32 $c1, $s12, $s10
    cbr $c1, @stay
    st_global_u32 $s5, [$d2+4]
    ret
@stay:
    add_u32 $s5, $s5, $s1
    add_u32 $s10, $s10, 4
    cmp_lt_u32 $c0, $s10, 24
    cbr $c0, @next"""
        + SUM,
    ),
    "places of each lane's own": (
        ".private u32 a[8]",
        FILL + "    shl_u32 $s10, $s3, 2\n    ld_private_u32 $s5, [a+$s10]",
    ),
    "places of two sizes": (
        ".private u32 a[8]",
        FILL + "    ld_private_u16 $s5, [a+6]",
    ),
    "a number of iterations that is not known": (
        ".private u32 a[8]",
        FILL.replace("$s10, 32", "$s10, $s2") + SUM,
    ),
    "lanes that leave early": (
        ".private u32 a[8]",
        FILL.replace("    add_u32", "    cmp_eq_u32 $c1, $s10, $s3\n    cbr $c1, @out\n    add_u32")
        + "@out:"
        + SUM,
    ),
    "more accesses of other memory": (
        ".private u32 a[8]",
        FILL.replace("    add_u32", "    st_global_u32 $s11, [$d2]\n" * 3 + "    add_u32"),
    ),
    "more places than registers": (
        ".private u32 a[50]",
        FILL.replace("$s10, 32", "$s10, 200") + SUM.replace("28", "196"),
    ),
    "a loop over more places than registers": (
        ".private u32 a[40]",
        FILL.replace("$s10, 32", "$s10, 160")
        + REPEATED.format(bytes=160)
        + SUM.replace("28", "156"),
    ),
    "many iterations": (
        ".private u32 a[100]",
        FILL.replace("$s10, 32", "$s10, 400") + SUM.replace("28", "396"),
    ),
}


def arguments() -> list[Any]:
    x = np.random.default_rng(5).integers(0, 1 << 32, ITEMS, np.uint32)
    return [np.zeros(2 * ITEMS, np.uint32), x, 20]


def has_private(text: str) -> bool:
    """Return whether private memory is in memory."""
    ops = analyse(assemble(text).kernels[0]).ssa.ops.values()
    return any(op.ins.row.segment is Segment.PRIVATE for node in ops for op in node)


@pytest.mark.parametrize("case", COPIED)
def test_private_memory_in_registers(case: str) -> None:
    arrays, body = COPIED[case]
    text = FRAME.format(arrays=arrays, body=body)
    assert not has_private(text)
    for width in WIDTHS:
        same(text, arguments(), items=ITEMS, group_size=GROUP, width=width)


@pytest.mark.parametrize("case", KEPT)
def test_private_memory_that_stays(case: str) -> None:
    arrays, body = KEPT[case]
    text = FRAME.format(arrays=arrays, body=body)
    assert has_private(text)
    for width in (7, 32):
        same(text, arguments(), items=ITEMS, group_size=GROUP, width=width)


@pytest.mark.parametrize(
    "body", [FILL.replace("$s10, 32", "$s10, 36"), FILL.replace("+$s10]", "+$s10+2]")]
)
def test_faults_are_reported(body: str) -> None:
    text = FRAME.format(arrays=".private u32 a[8]", body=body)
    assert has_private(text)
    args = [np.zeros(128, np.uint32), np.zeros(64, np.uint32), 3]
    trap_alike(text, args, items=64, group_size=64)


def test_a_trap_in_a_copy_has_its_place_in_the_source() -> None:
    body = FILL + SUM.replace("    sub_u32", "    div_u32 $s5, $s5, $s11\n    sub_u32", 1)
    text = FRAME.format(arrays=".private u32 a[8]", body=body)
    assert not has_private(text)
    args = [np.zeros(128, np.uint32), np.zeros(64, np.uint32), 3]
    trap_alike(text, args, items=64, group_size=64)


def test_the_budget_counts_copies_in_loops() -> None:
    arrays, body = COPIED["in a loop that lanes leave in turn"]
    text = FRAME.format(
        arrays=arrays, body=body.replace("add_u32 $s13, $s3, 1", "mov_u32 $s13, $s2")
    )
    assert not has_private(text)
    x = np.zeros(64, np.uint32)

    def run(iterations: int) -> None:
        args = [np.zeros(128, np.uint32), x, iterations]
        execute(make(text, args, items=64, group_size=64, budget=3_000))

    run(50)  # of 54 instructions
    with pytest.raises(Trap) as caught:
        run(200)
    assert caught.value.record.kind is TrapKind.BUDGET


@pytest.mark.parametrize("width", [32, 64])
def test_barriers_around_copies(width: int) -> None:
    text = FRAME.format(
        arrays=".group u32 shared[64]\n    .private u32 a[8]",
        body=FILL
        + """
    workitemflatid_u32 $s20
    shl_u32 $s20, $s20, 2
    ld_private_u32 $s21, [a+12]
    st_group_u32 $s21, [shared+$s20]
    barrier
    xor_u32 $s20, $s20, 4
    ld_group_u32 $s5, [shared+$s20]"""
        + SUM,
    )
    assert not has_private(text)
    x = np.random.default_rng(5).integers(0, 1 << 32, 128, np.uint32)
    same(text, [np.zeros(256, np.uint32), x, 20], items=128, group_size=64, width=width)


def test_copies_that_leave_nothing_are_not_made_without_end() -> None:
    text = FRAME.format(arrays=".private u32 a[8]", body=FILL + NESTED + SUM)
    assert not has_private(text)  # in milliseconds; all copies would take minutes
    assert len(analyse(assemble(text).kernels[0]).flow.loops) == 2
