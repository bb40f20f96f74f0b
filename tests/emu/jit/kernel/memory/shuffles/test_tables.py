"""Small tables: native code keeps them in registers where the indices have a range."""

from __future__ import annotations

import os

import numpy as np
import pytest

from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.traps import Trap, TrapKind

from .....support.oracle_work import make
from ....support import fences
from ....support.agreement import same

KINDS = {
    "u8": np.uint8,
    "s16": np.int16,
    "u32": np.uint32,
    "f32": np.float32,
}
LARGEST = 256
"""Bytes of the largest table."""

RANGES = {
    "digits": ("and_u32 $s1, $s1, 15", 16),
    "few": ("and_u32 $s1, $s1, 15\n min_u32 $s1, $s1, 9", 10),
    "32": ("bitextract_u32 $s1, $s1, 3, 5", 32),
    "a bit count": ("popcount_u32 $s1, $s1", 65),
    "100": ("rem_u32 $s1, $s1, 100", 100),
    "bytes": ("ld_global_u8 $s1, [$d4]", 256),
}
"""What gives an index a range, and the elements in it."""

TEXT = """
kernel k(global u32* %index, global KIND* %table, global u32* %out, u32 %n) {
    workitemflatabsid_u32 $s0
    ld_kernarg_u32 $s3, [%n]
    cmp_ge_u32 $c0, $s0, $s3
    cbr $c0, @skip
    ld_kernarg_u64 $d0, [%index]
    ld_kernarg_u64 $d1, [%out]
    ld_kernarg_u64 $d2, [%table]
    cvt_u64_u32 $d3, $s0
    mad_u64 $d4, $d3, 4, $d0
    mad_u64 $d1, $d3, 4, $d1
    ld_global_u32 $s1, [$d4]
    RANGE
    cvt_u64_u32 $d5, $s1
    mad_u64 $d5, $d5, SIZE, $d2
    ld_global_KIND $s2, [$d5]
    st_global_u32 $s2, [$d1]
@skip:
    ret
}"""
ITEMS = 192
FEATURES = {1: "avx512vbmi", 2: "avx512bw", 4: "avx512f"}


def text_of(kind: str, range_: str) -> str:
    size = KINDS[kind]().itemsize
    text = TEXT.replace("KIND", kind).replace("SIZE", str(size))
    return text.replace("RANGE", RANGES[range_][0])


def expected(index: np.ndarray, table: np.ndarray, range_: str) -> np.ndarray:
    """Return what the kernel stores, by NumPy."""
    match range_:
        case "digits":
            at = index & 15
        case "few":
            at = np.minimum(index & 15, 9)
        case "32":
            at = index >> 3 & 31
        case "a bit count":
            at = np.array([int(i).bit_count() for i in index])
        case "100":
            at = index % 100
        case _:
            at = index & 255
    values = table[at]
    if table.dtype.kind == "f":
        return values.view(np.uint32)
    return values.astype(np.int64).astype(np.uint32)


@pytest.mark.skipif(os.name != "posix", reason="fences are made by mprotect")
@pytest.mark.parametrize("group", [16, 64])
@pytest.mark.parametrize("range_", RANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_tables_at_the_end_of_memory(kind: str, range_: str, group: int) -> None:
    """Tables that end where the range ends, at the end of a page before one without access."""
    type_ = KINDS[kind]
    count, size = RANGES[range_][1], type_().itemsize
    rng = np.random.default_rng(count)
    for more in (0, 1, 70):
        bytes_ = (count + more) * size
        table = fences.fenced(bytes_, size).view(type_)
        table[:] = rng.integers(0, 127, bytes_, np.uint8).view(type_)
        index = rng.integers(0, 1 << 32, ITEMS, np.uint32)
        for running in (ITEMS, ITEMS - 7, 3):
            out = np.zeros(ITEMS, np.uint32)
            arguments = [index, table, out, running]
            execute(make(text_of(kind, range_), arguments, items=ITEMS, group_size=group))
            wanted = expected(index, table, range_)
            wanted[running:] = 0
            np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("kind", ["u8", "s16", "u32"])
def test_a_table_that_is_too_small_traps_where_a_lane_is_outside(kind: str) -> None:
    index = np.zeros(ITEMS, np.uint32)
    table, out = np.arange(9, dtype=KINDS[kind]), np.zeros(ITEMS, np.uint32)
    arguments = [index, table, out, ITEMS]
    same(text_of(kind, "digits"), arguments, items=ITEMS, group_size=64)
    index[77] = 16 + 9
    with pytest.raises(Trap) as caught:
        execute(make(text_of(kind, "digits"), arguments, items=ITEMS, group_size=64))
    assert (caught.value.record.kind, caught.value.record.local) == (TrapKind.OUT_OF_BOUNDS, 13)


LOCAL = """
.readonly KIND words[40] = { NUMBERS }
kernel k(global u32* %index, global u32* %out) {
    .group KIND own[70]
    workitemid_u32 $s0, 0
    workitemflatabsid_u32 $s7
    mov_u32 $s4, $s0
@fill:
    mul_u32 $s5, $s4, 12345
    mul_u32 $s6, $s4, SIZE
    st_group_KIND $s5, [own+$s6]
    add_u32 $s4, $s4, 64
    cmp_lt_u32 $c1, $s4, 70
    cbr $c1, @fill
    barrier
    ld_kernarg_u64 $d0, [%index]
    ld_kernarg_u64 $d1, [%out]
    cvt_u64_u32 $d3, $s7
    mad_u64 $d4, $d3, 4, $d0
    mad_u64 $d1, $d3, 4, $d1
    ld_global_u32 $s1, [$d4]
    and_u32 $s2, $s1, 31
    mul_u32 $s2, $s2, SIZE
    ld_readonly_KIND $s2, [words+$s2]
    shr_u32 $s3, $s1, 26
    mul_u32 $s3, $s3, SIZE
    ld_group_KIND $s3, [own+$s3+SIZE]
    mul_u32 $s2, $s2, 3
    add_u32 $s2, $s2, $s3
    st_global_u32 $s2, [$d1]
    ret
}"""


@pytest.mark.parametrize("width", [1, 7, 24, 40, 48, 64])
@pytest.mark.parametrize("kind", ["u8", "s16", "u32"])
def test_warps_of_any_width(kind: str, width: int) -> None:
    """A kernel that reads its lane's number has the launch's width."""
    text = text_of(kind, "32").replace(
        "workitemflatabsid_u32 $s0", "workitemflatabsid_u32 $s0\n laneid_u32 $s9"
    )
    text = text.replace("bitextract_u32", "add_u32 $s1, $s1, $s9\n bitextract_u32")
    index = np.random.default_rng(8).integers(0, 1 << 32, ITEMS, np.uint32)
    table = np.arange(64, dtype=KINDS[kind])
    arguments = [index, table, np.zeros(ITEMS, np.uint32), ITEMS - 5]
    same(text, arguments, items=ITEMS, group_size=96, width=width)


@pytest.mark.parametrize("kind", ["u8", "s16", "u32"])
def test_tables_of_a_kernels_own_memory(kind: str) -> None:
    numbers = ", ".join(str(i * 7 % 128) for i in range(40))
    size = KINDS[kind]().itemsize
    text = LOCAL.replace("KIND", kind).replace("NUMBERS", numbers)
    text = text.replace("+SIZE", f"+{size}").replace("SIZE", str(size))
    index = np.random.default_rng(3).integers(0, 1 << 32, 128, np.uint32)
    same(text, [index, np.zeros(128, np.uint32)], items=128, group_size=64)


@pytest.mark.parametrize("range_", RANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_which_tables_are_kept_in_registers(kind: str, range_: str) -> None:
    size, count = KINDS[kind]().itemsize, RANGES[range_][1]
    if not host_has(FEATURES[size]):
        pytest.skip(f"needs {FEATURES[size]}")
    arrays = [np.zeros(ITEMS, np.uint32), np.zeros(count, KINDS[kind]), np.zeros(1, np.uint32), 1]
    work = make(text_of(kind, range_), arrays, items=ITEMS, group_size=64)
    generated = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    is_kept = "permvar" in generated or "vpermi2var" in generated
    assert is_kept == (-(-count * size // 64) * 64 <= LARGEST)


BRANCHING = """
kernel k(global u32* %out) {
    .group u8 room[600]
    workitemflatid_u32 $s0
    laneid_u32 $s9
    add_u32 $s3, $s0, $s9
    shl_u32 $s1, $s0, 1
    ld_group_u8 $s2, [room+$s1]
    xor_u32 $s3, $s3, $s2
    and_u32 $s4, $s3, 2
    cmp_eq_u32 $c0, $s4, 0
    cbr $c0, @over
    add_u32 $s3, $s3, 15
    st_group_u8 $s3, [room+$s1]
@over:
    barrier
    ld_group_u8 $s2, [room+$s1]
    add_u32 $s3, $s3, $s2
    ld_kernarg_u64 $d0, [%out]
    workitemflatabsid_u32 $s5
    cvt_u64_u32 $d1, $s5
    mad_u64 $d0, $d1, 4, $d0
    st_global_u32 $s3, [$d0]
    ret
}"""


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("items", [6, 14])
def test_lanes_past_a_table_decide_nothing(items: int, width: int) -> None:
    """Indices of lanes that do not run are known to be past the 16 elements that are loaded."""
    same(BRANCHING, [np.zeros(16, np.uint32)], items=items, group_size=8, width=width)
