"""Accesses whose lanes go backwards through memory, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

N = 75


def work_of(
    start: int,
    room: int,
    *,
    type_: str = "u32",
    cvt: str = "u32",
    skip: int = 0,
    group: int = 32,
    items: int = N,
) -> Work:
    """Lane i loads element `start` - i, counted from the element `skip`; it stores backwards."""
    size = int(type_[1:]) // 8
    data = "$d5" if size == 8 else "$s5"
    text = f"""
    kernel flip(u32 %n, u32 %start, global u8* %x, global u8* %out) {{
        workitemflatabsid_u32 $s0
        ld_kernarg_u32 $s1, [%n]
        ld_kernarg_u32 $s2, [%start]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        rem_u32 $s4, $s0, 7
        cmp_eq_u32 $c0, $s4, 3
        cbr $c0, @done
        sub_u32 $s3, $s2, $s0
        cvt_u64_{cvt} $d0, $s3
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, {size}, $d1
        ld_global_{type_} {data}, [$d1+{skip * size}]
        sub_u32 $s3, $s1, $s0
        cvt_u64_u32 $d0, $s3
        ld_kernarg_u64 $d2, [%out]
        mad_u64 $d2, $d0, {size}, $d2
        st_global_{type_} {data}, [$d2-{size}]
    @done:
        ret
    }}"""
    x = np.random.default_rng(3).integers(0, 256, room * size, np.uint8)
    if type_[0] == "f":
        x = np.random.default_rng(3).random(room).astype(f"f{size}").view(np.uint8)
    out = np.zeros(N * size, np.uint8)
    args = [items, start & 0xFFFFFFFF, x, out]
    return make(text, args, items=items, group_size=group)


@pytest.mark.parametrize("type_", ["u8", "s16", "u32", "f32", "u64", "f64"])
@pytest.mark.parametrize("group", [32, 16, 64, N])
def test_rows_are_turned_round(type_: str, group: int) -> None:
    for room in (N, N + 9, N + 200):
        assert not assert_as_oracle(
            *(work_of(room - 1, room, type_=type_, group=group) for _ in "ab")
        )


@pytest.mark.parametrize("cvt", ["u32", "s32"])
@pytest.mark.parametrize("skip", [0, 1, 20, 80])
@pytest.mark.parametrize("start", [-1, 0, 10, 30, 31, 32, 62, 63, 73, 74, 75, 100, 1 << 31])
def test_indices_that_wrap_around_or_leave_the_buffer(start: int, skip: int, cvt: str) -> None:
    """An index below zero is huge if it is unsigned, though its place may be in the buffer."""
    for items in (N, 32):
        assert_as_oracle(*(work_of(start, 120, skip=skip, cvt=cvt, items=items) for _ in "ab"))


def test_they_are_wide() -> None:
    work = work_of(74, N, type_="f32")
    text = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert "shufflevector" in text
    assert ".gather." not in text
    assert ".scatter." not in text
