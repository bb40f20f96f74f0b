"""Private memory at offsets that all lanes share: elements, fields of elements, and faults."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest

from simtlab import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.memory.kernel_memory import AFTER_PRIVATE
from simtlab.isa.types import Segment

from ....support.agreement import same, trap_alike

BYTES = {"u8": 1, "s16": 2, "f32": 4, "u64": 8}
WIDTHS = [1, 7, 16, 32, 64]
ITEMS, GROUP = 150, 70

FRAME = """
kernel k(global u64* %out) {{
    .private u64 own[4]
    laneid_u32 $s0
    workitemflatabsid_u32 $s0
    workgroupid_u32 $s1, 0
    ld_kernarg_u64 $d0, [%out]
    mul_u32 $s2, $s0, {row}
    cvt_u64_u32 $d1, $s2
    add_u64 $d0, $d0, $d1
    mul_u32 $s3, $s0, 0x9e3779b1
    mov_u64 $d3, 0x8182838485868788
    mad_u64 $d3, $d1, 0x12345677, $d3
    mul_u64 $d3, $d3, $d3
    cvt_u32_u64 $s3, $d3
    and_u32 $s4, $s0, 3
    cmp_ne_u32 $c0, $s4, 1
    {body}
    ret
}}
"""


def register(type_: str) -> str:
    return "$d3" if BYTES[type_] == 8 else "$s3"


def every_field(widest: str, *, by_register: bool) -> tuple[str, int]:
    """Stores of all types up to the widest one, and loads; every other store is of some lanes.

    Returns the kernel and the bytes that a work-item stores.
    """
    lines, stored = [], 0
    types = [t for t in BYTES if BYTES[t] <= BYTES[widest]]
    for number, (type_, place) in enumerate((t, p) for t in types for p in range(0, 16, BYTES[t])):
        base = f"own+{place}"
        if by_register:
            # The same in a workgroup, and not known beforehand.
            lines += [f"add_u32 $s5, $s1, {place}", "sub_u32 $s5, $s5, $s1"]
            base = "own+$s5"
        label = f"@over{number}"
        lines += [f"cbr $c0, {label}"] if number % 2 else []
        lines += [f"st_private_{type_} {register(type_)}, [{base}]"]
        lines += [f"{label}:"] if number % 2 else []
        back, base = (type_, base) if number % 3 else (widest, f"own+{8 * (number % 2)}")
        lines += ["mov_u64 $d4, 0"]
        lines += [f"ld_private_{back} {'$d4' if BYTES[back] == 8 else '$s6'}, [{base}]"]
        lines += [] if BYTES[back] == 8 else ["cvt_u64_u32 $d4, $s6"]
        lines += [f"st_global_u64 $d4, [$d0+{stored}]"]
        stored += 8
    return FRAME.format(row=stored, body="\n".join(lines)), stored


def some(chosen: set[tuple[object, ...]], every: Iterable[tuple[object, ...]]) -> list[Any]:
    """All cases, those that are not chosen among the slow tests."""
    return [pytest.param(*c, marks=() if c in chosen else pytest.mark.slow) for c in every]


@pytest.mark.parametrize(
    ("widest", "by_register", "width"),
    some(
        {("f32", True, 32), ("u64", True, 7), ("u64", False, 64)},
        product(BYTES, (False, True), WIDTHS),
    ),
)
def test_fields_of_elements(widest: str, by_register: bool, width: int) -> None:
    text, row = every_field(widest, by_register=by_register)
    same(text, [np.zeros(ITEMS * row // 8, np.uint64)], items=ITEMS, group_size=GROUP, width=width)


FAULTS = {
    "past the end": "add_u32 $s5, $s1, 29",
    "before the start": "sub_u32 $s5, $s1, 8",
    "misaligned": "add_u32 $s5, $s1, 1",
    "far away": "or_u32 $s5, $s1, 0xfffffff0",
    "of the second workgroup": "mul_u32 $s5, $s1, 32",
}


@pytest.mark.parametrize(
    ("fault", "access", "width"),
    some(
        {("past the end", "st", 32), ("misaligned", "ld", 32), ("before the start", "st", 64)},
        product(FAULTS, ("ld", "st"), WIDTHS),
    ),
)
def test_faults_are_the_oracles(fault: str, access: str, width: int) -> None:
    body = f"""
        {FAULTS[fault]}
        cbr $c0, @over
        {access}_private_f32 $s3, [own+$s5]
    @over:
        st_private_u64 $d3, [own]"""
    text = FRAME.format(row=8, body=body)
    trap_alike(text, [np.zeros(ITEMS, np.uint64)], items=ITEMS, group_size=GROUP, width=width)


GUARDED = """
kernel k(global u32* %out, global u32* %x, u32 %n) {{
    .private u32 own[4]
    workitemflatabsid_u32 $s0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u64 $d0, [%out]
    ld_kernarg_u64 $d1, [%x]
    cvt_u64_u32 $d2, $s0
    mad_u64 $d0, $d2, 4, $d0
    mad_u64 $d1, $d2, 4, $d1
    ld_global_u32 $s2, [$d1]
    {body}
@done:
    ret
}}
"""

LAST_READERS = {
    "others have returned": (
        """
        st_private_u32 $s2, [own]
        st_private_u16 $s0, [own+4]
        ld_private_u32 $s3, [own]
        ld_private_u32 $s4, [own+4]
        add_u32 $s3, $s3, $s4
        st_global_u32 $s3, [$d0]""",
        True,
    ),
    "others load after it": (
        """
        st_private_u32 $s0, [own]
        and_u32 $s3, $s2, 1
        cmp_eq_u32 $c1, $s3, 0
        cbr $c1, @even
        st_private_u32 $s2, [own]
    @even:
        ld_private_u32 $s4, [own]
        st_global_u32 $s4, [$d0]""",
        False,
    ),
    "others have left the loop, and load after it": (
        """
        and_u32 $s5, $s2, 7
    @again:
        st_private_u32 $s5, [own+4]
        sub_u32 $s5, $s5, 1
        cmp_gt_s32 $c1, $s5, 0
        cbr $c1, @again
        ld_private_u32 $s4, [own+4]
        st_global_u32 $s4, [$d0]""",
        False,
    ),
    "others have left the loop, and load no more": (
        """
        and_u32 $s5, $s2, 7
        mov_u32 $s4, 0
    @again:
        st_private_u32 $s5, [own+4]
        ld_private_u32 $s6, [own+4]
        add_u32 $s4, $s4, $s6
        sub_u32 $s5, $s5, 1
        cmp_gt_s32 $c1, $s5, 0
        cbr $c1, @again
        st_global_u32 $s4, [$d0]""",
        True,
    ),
}


@pytest.mark.parametrize("case", LAST_READERS)
def test_stores_have_masks_where_other_lanes_load_later(case: str) -> None:
    body, is_last = LAST_READERS[case]
    text = GUARDED.format(body=body)
    kernel = assemble(text)["k"].kernel
    analysis = analyse(kernel)
    plan = analysis.lane_plan(Facts(35, (GROUP, 1, 1), True))
    stores = {
        op.node
        for ops in analysis.ssa.ops.values()
        for op in ops
        if op.ins.row.is_store and op.ins.row.segment is Segment.PRIVATE
    }
    assert (stores <= plan.last_readers) is is_last
    x = np.random.default_rng(3).integers(0, 1 << 32, ITEMS, np.uint32)
    for width in (7, 32, 64):
        out = np.zeros(ITEMS, np.uint32)
        same(text, [out, x, ITEMS - 17], items=ITEMS, group_size=GROUP, width=width)


@pytest.mark.parametrize(
    ("words", "barrier", "on_stack"), [(8, "", True), (8, "barrier", False), (512, "", False)]
)
def test_private_memory_is_on_the_stack_where_no_warp_waits(
    words: int, barrier: str, on_stack: bool
) -> None:
    (function,) = assemble(f"""
kernel k(global u32* %out) {{
    .private u32 own[{words}]
    workitemid_u32 $s0, 0
    st_private_u32 $s0, [own]
    {barrier}
    ld_private_u32 $s1, [own]
    ld_kernarg_u64 $d0, [%out]
    st_global_u32 $s1, [$d0]
    ret
}}""")
    text = generate(function.kernel, 0, Facts(32, (64, 1, 1), True))
    assert (f"alloca [{4 * words * 32 + AFTER_PRIVATE} x i8]" in text) is on_stack
