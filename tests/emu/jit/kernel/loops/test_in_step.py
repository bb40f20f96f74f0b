"""Loops from a place of each lane's own: with as many iterations in all lanes, or not."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory.records import row_blocks
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ITEMS = 70
TYPES = {"u8": np.dtype(np.uint8), "u32": np.dtype(np.uint32)}
WRAPS = (1 << 32) - 8

LEAVES = {
    "at the end": "",
    "early": "and_u32 $s6, $s5, 31\n cmp_eq_u32 $c2, $s6, 3\n cbr $c2, @store",
    "past a part": "and_u32 $s6, $s5, 1\n cmp_eq_u32 $c2, $s6, 0\n cbr $c2, @next\n"
    "add_u32 $s9, $s9, 1",
}


def kernel(type_: str, relation: str, header: bool, leaves: str = "at the end") -> str:
    """Return a kernel whose work-items sum elements from 41 * i on, up to `to[i]` if not 0."""
    stay = f"cmp_{relation} $c1, $s3, $s4\n cbr $c1"
    enter = f"@loop:\n {stay}, @body\n br @store\n @body:" if header else "@loop:"
    again = "br @loop" if header else f"{stay}, @loop"
    return f"""kernel walk(u32 %first, global u32* %to, global {type_}* %x, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u32 $s1, [%first]
        mad_u32 $s3, $s0, 41, $s1
        ld_kernarg_u64 $d1, [%to]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s4, [$d1]
        ld_kernarg_u64 $d1, [%x]
        cmp_eq_u32 $c0, $s4, 0
        cbr $c0, @store
    {enter}
        cvt_u64_u32 $d2, $s3
        mad_u64 $d2, $d2, {TYPES[type_].itemsize}, $d1
        ld_global_{type_} $s5, [$d2]
        mad_u32 $s8, $s8, 31, $s5
        {LEAVES[leaves]}
    @next:
        add_u32 $s3, $s3, 1
        {again}
    @store:
        add_u32 $s8, $s8, $s9
        ld_kernarg_u64 $d3, [%out]
        mad_u64 $d3, $d0, 4, $d3
        st_global_u32 $s8, [$d3]
        ret
    }}"""


def work_of(
    text: str, type_: str, lengths: np.ndarray, group: int, elements: int, first: int = 0
) -> Work:
    begin = (first + 41 * np.arange(ITEMS)).astype(np.uint32)
    end = np.where(lengths == 0, 0, begin + lengths.astype(np.uint32)).astype(np.uint32)
    x = np.random.default_rng(3).integers(0, 256, elements, TYPES[type_])
    given = [np.uint32(first), end, x, np.zeros(ITEMS, np.uint32)]
    return make(text, given, items=ITEMS, group_size=group)


def check(text: str, type_: str, lengths: np.ndarray, group: int = 64, **more: int) -> bool:
    more = {"elements": 41 * ITEMS + 60} | more
    return assert_as_oracle(
        work_of(text, type_, lengths, group, **more), work_of(text, type_, lengths, group, **more)
    )


@pytest.mark.parametrize("relation", ["lt_u32", "lt_s32", "ne_u32"])
@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("type_", TYPES)
def test_as_many_iterations_in_all_lanes(type_: str, header: bool, relation: str) -> None:
    for length in (1, 15, 16, 17, 40):
        lengths = np.full(ITEMS, length)
        assert not check(kernel(type_, relation, header), type_, lengths)
        lengths[::3] = 0  # these lanes do not enter
        assert not check(kernel(type_, relation, header), type_, lengths)


@pytest.mark.parametrize("group", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("header", [False, True])
def test_lanes_that_leave_in_other_iterations(header: bool, leaves: str, group: int) -> None:
    text = kernel("u32", "lt_u32", header, leaves)
    lengths = np.full(ITEMS, 33)
    assert not check(text, "u32", lengths, group)
    for odd in (32, 34):
        lengths[[5, 40, 69]] = odd
        assert not check(text, "u32", lengths, group)
    assert not check(text, "u32", np.arange(ITEMS) % 40, group)


@pytest.mark.parametrize("type_", TYPES)
def test_faults_are_those_of_the_oracle(type_: str) -> None:
    text = kernel(type_, "lt_u32", False)
    assert check(text, type_, np.full(ITEMS, 40), elements=41 * ITEMS - 2)


@pytest.mark.parametrize("header", [False, True])
def test_bounds_that_wrap_around(header: bool) -> None:
    """The sums of some lanes are below where they begin, though they are as far apart."""
    text = kernel("u8", "lt_u32", header)
    lengths = np.full(ITEMS, 20)
    assert check(text, "u8", lengths, first=WRAPS) or header


@pytest.mark.skipif(not host_has("avx512f"), reason="blocks are transposed with AVX-512 only")
def test_rows_are_loaded_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    load = row_blocks.load
    monkeypatch.setattr(row_blocks, "load", lambda *args: made.append(args) or load(*args))
    work = work_of(kernel("u32", "lt_u32", False), "u32", np.full(ITEMS, 33), 64, 9999)
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert made
