"""Shuffled neighbours in group memory, and atomics of group memory, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from ....support.agreement import same

HEAD = """\
kernel k(global u32* %x, u32 %step, u32 %odd) {
    .group u32 part[SIZE]
    workitemid_u32 $s0, 0
    workitemflatabsid_u32 $s1
    ld_kernarg_u32 $s2, [%step]
    ld_kernarg_u32 $s3, [%odd]
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s4, [$d1]
    shl_u32 $s5, $s0, 2
    st_group_u32 $s4, [part+$s5]
"""
"""A workgroup puts its numbers into group memory."""

BUTTERFLY = (
    HEAD
    + """\
    barrier
    PARTNER
    cmp_ge_u32 $c0, $s0, $s3
    cbr $c0, @out
    shl_u32 $s6, $s6, 2
    ld_group_u32 $s4, [part+$s6]
    st_global_u32 $s4, [$d1]
@out:
    ret
}
"""
)
PARTNERS = {
    "flipped": "xor_u32 $s6, $s0, $s2",
    "bits swapped": "shl_u32 $s6, $s0, 1\n and_u32 $s7, $s6, (SIZE - 1)\n shr_u32 $s6, $s0, 6\n"
    "or_u32 $s6, $s6, $s7\n and_u32 $s6, $s6, (SIZE - 1)",
    "twice": "shl_u32 $s6, $s0, 1\n and_u32 $s6, $s6, (SIZE - 1)",
}


@pytest.mark.parametrize("size", [64, 256])
@pytest.mark.parametrize("partner", PARTNERS)
def test_partners_are_loaded(partner: str, size: int) -> None:
    text = BUTTERFLY.replace("PARTNER", PARTNERS[partner]).replace("SIZE", str(size))
    x = np.random.default_rng(size).integers(0, 1 << 32, 2 * size, np.uint32)
    for step, running in ((1, size), (3, 5), (8, size), (size // 2, size - 1)):
        same(text, [x, step, running], items=2 * size, group_size=size)


STEPS = (
    HEAD
    + """\
    sub_u32 $s6, $s0, $s3
@step:
    barrier
    ld_group_u32 $s7, [part+$s5]
    mad_u32 $s4, $s4, 5, $s7
    xor_u32 $s7, $s6, $s2
    shl_u32 $s7, $s7, 2
    barrier
    cmp_lt_u32 $c0, $s0, $s3
    cbr $c0, @kept
    st_group_u32 $s4, [part+$s7]
@kept:
    cmp_ne_u32 $c0, $s2, 0
    shr_u32 $s2, $s2, 1
    cbr $c0, @step
    barrier
    ld_group_u32 $s7, [part+$s5]
    st_global_u32 $s7, [$d1]
    ret
}
"""
)


@pytest.mark.parametrize(("size", "width"), [(64, 7), (64, 16), (256, 64)])
def test_steps_store_to_partners_of_running_lanes(size: int, width: int) -> None:
    text = STEPS.replace("SIZE", str(size))
    x = np.random.default_rng(size).integers(0, 1 << 32, 2 * size, np.uint32)
    # The first lanes' places are before the segment if these lanes do not run.
    for running_from in (0, 5, 16):
        same(text, [x, size // 2, running_from], items=2 * size, group_size=size, width=width)


ATOMIC = """\
kernel k(global u32* %x, global TYPE* %y, u32 %some) {
    .group TYPE cells[8]
    workitemid_u32 $s0, 0
    ld_kernarg_u32 $s9, [%some]
    workitemflatabsid_u32 $s1
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    CONVERT $R3, $s2
    mov_uBITS $R5, 3
    and_u32 $s4, $s2, 7
    rem_u32 $s8, $s0, $s9
    cmp_eq_u32 $c0, $s8, 1
    cbr $c0, @counted
    ATOMIC
@counted:
    barrier
    rem_u32 $s4, $s0, 8
    mul_u32 $s4, $s4, BYTES
    ld_group_TYPE $R7, [cells+$s4]
    add_uBITS $R5, $R5, $R7
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, BYTES, $d2
    st_global_TYPE $R5, [$d2]
    ret
}
"""


@pytest.mark.parametrize("type_", ["u32", "s64"])
@pytest.mark.parametrize("operation", ["add", "sub", "min", "max", "and", "or", "xor", "exch"])
@pytest.mark.parametrize("place", ["one", "many"])
def test_atomics_of_group_memory(operation: str, type_: str, place: str) -> None:
    cls = "d" if type_.endswith("64") else "s"
    at = "cells" if place == "one" else "cells+$s4"
    own = f"mul_u32 $s4, $s4, {int(type_[1:]) // 8}\n"
    lines = f"{own} atomic_{operation}_group_{type_} [{at}], $R3"
    returning = f"{own} atomic_{operation}_group_{type_} $R5, [{at}], $R3"
    for atomic in (lines, returning):
        text = ATOMIC.replace("ATOMIC", atomic).replace("$R", f"${cls}1")
        text = text.replace("CONVERT", "cvt_u64_u32" if cls == "d" else "mov_u32")
        text = text.replace("TYPE", type_).replace("BYTES", str(int(type_[1:]) // 8))
        text = text.replace("BITS", type_[1:])
        size, some = 96, 7
        x = np.random.default_rng(size).integers(0, 1 << 32, 2 * size - 4, np.uint32)
        y = np.zeros(2 * size - 4, type_.replace("s", "i")[0] + str(int(type_[1:]) // 8))
        same(text, [x, y, some], items=2 * size - 4, group_size=size)
