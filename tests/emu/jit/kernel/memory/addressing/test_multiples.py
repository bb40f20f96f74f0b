"""Places at any multiple of elements from lane to lane, where a loop steps pointers to them."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from .....support.oracle_work import make
from ....support.against_oracle import assert_as_oracle

ITEMS = 70
RECORDS = 90

TEXT = """
kernel walk(u32 %n, global u32* %at, global KIND* %x, global KIND* %y, global u32* %out) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%at]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    and_u32 $s3, $s0, 7
    cmp_eq_u32 $c0, $s3, 5
    cbr $c0, @end
    cvt_INDEX $d2, $s2
    ld_kernarg_u64 $d3, [%x]
    mad_u64 $d3, $d2, SCALE, $d3
    ld_kernarg_u64 $d4, [%y]
    mad_u64 $d4, $d2, SCALE, $d4
    mov_u32 $s4, 0
@loop:
    ld_global_KIND VALUE, [$d3+OFFSET]
    st_global_KIND VALUE, [$d4]
    NARROW
    mad_u32 $s5, $s5, 31, $s6
    add_u64 $d3, $d3, STEP
    add_u64 $d4, $d4, STEP
    add_u32 $s4, $s4, 1
    cmp_lt_u32 $c0, $s4, $s1
    cbr $c0, @loop
@end:
    ld_kernarg_u64 $d5, [%out]
    mad_u64 $d5, $d0, 4, $d5
    st_global_u32 $s5, [$d5]
    ret
}"""

SIZES = {"u8": 1, "s16": 2, "u32": 4, "u64": 8}


def text_of(kind: str, scale: int, step: int, offset: int, index: str = "u64_u32") -> str:
    size = SIZES[kind]
    wide = size == 8
    replaced = {
        "KIND": kind,
        "INDEX": index,
        "SCALE": scale * size,
        "STEP": step * size,
        "OFFSET": offset * size,
        "VALUE": "$d6" if wide else "$s6",
        "NARROW": "cvt_u32_u64 $s6, $d6" if wide else "nop",
    }
    text = TEXT
    for name, value in replaced.items():
        text = text.replace(name, str(value))
    return text


def work_of(kind: str, scale: int, *, repeats: int = 3, short: int = 0, **how: int) -> Work:
    """A launch whose lanes have records of `scale` elements, in no order."""
    rng = np.random.default_rng(scale)
    at = rng.permutation(RECORDS)[:ITEMS].astype(np.uint32)
    step, offset = how.get("step", 1), how.get("offset", 0)
    elements = RECORDS * scale + repeats * step + offset - short
    x = rng.integers(0, 100, elements).astype(f"{kind[0].replace('s', 'i')}{SIZES[kind]}")
    arrays = [at, x, np.zeros_like(x), np.zeros(ITEMS, np.uint32)]
    text = text_of(kind, scale, step, offset, "s64_s32" if how.get("signed") else "u64_u32")
    return make(text, [np.uint32(repeats), *arrays], items=ITEMS, group_size=64)


@pytest.mark.parametrize("scale", [1, 2, 3, 6, 8, 12, 16, 33])
@pytest.mark.parametrize("kind", SIZES)
def test_places_are_those_of_the_oracle(kind: str, scale: int) -> None:
    """Each lane has its record, of which it stores no more than fits."""
    repeats = min(scale, 3)
    for how in ({}, {"offset": 1}, {"signed": 1}):
        again = [work_of(kind, scale, repeats=repeats, **how) for _ in range(2)]
        assert not assert_as_oracle(*again)


@pytest.mark.parametrize("kind", ["u8", "u32"])
def test_steps_may_be_long(kind: str) -> None:
    assert not assert_as_oracle(*(work_of(kind, 1, step=RECORDS, repeats=5) for _ in range(2)))


@pytest.mark.parametrize("short", [1, 20, 3000])
@pytest.mark.parametrize("scale", [3, 12, 16])
@pytest.mark.parametrize("kind", SIZES)
def test_faults_are_those_of_the_oracle(kind: str, scale: int, short: int) -> None:
    again = [work_of(kind, scale, short=min(short, RECORDS * scale)) for _ in range(2)]
    missed = assert_as_oracle(*again)
    assert missed or short < 3000


@pytest.mark.parametrize("index", [0x8000_0000, 0xFFFF_FFFF, 0x5555_5556, 0x1000_0000])
@pytest.mark.parametrize("scale", [3, 12, 16])
def test_indices_that_wrap_around_in_32_bits_are_outside(scale: int, index: int) -> None:
    """Times the scale and cut to 32 bits, some of them would be inside."""
    works = [work_of("u32", scale) for _ in range(2)]
    for work in works:
        work.memory.buffers[0].host.view(np.uint32)[5] = index  # a lane that does not run
    assert not assert_as_oracle(*works)
    works = [work_of("u32", scale) for _ in range(2)]
    for work in works:
        work.memory.buffers[0].host.view(np.uint32)[41] = index
    assert assert_as_oracle(*works)


@pytest.mark.parametrize("scale", [1, 3, 12, 16])
def test_gathers_have_indices_of_32_bits(scale: int) -> None:
    work = work_of("u32", scale)
    generated = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert "getelementptr [4 x i8], ptr" in generated or "getelementptr [8 x i8], ptr" in generated
    places = [line for line in generated.splitlines() if "getelementptr" in line]
    assert "x i64> %" not in "".join(places)
