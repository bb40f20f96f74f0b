"""Loops over rows that end within a warp, in buffers that end with their rows."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import pytest

from simtlab.emu.hostmemory import AFTER, PAGE, SHARED, host_array
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from .....quick import few, some
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

TEXT = """\
kernel k(u32 %n, u32 %end, global u32* %x, global u32* %y) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u32 $s2, [%end]
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u64 $d1, [%y]
    mov_u32 $s3, 0
@next:
    mad_u32 $s4, $s3, $s1, $s0
    cvt_u64_u32 $d3, $s4
    mad_u64 $d2, $d3, 4, $d0
    ld_global_u32 $s5, [$d2]
    mad_u64 $d2, $d3, 4, $d1
    mul_u32 $s5, $s5, 3
    st_global_u32 $s5, [$d2]
    add_u32 $s3, $s3, 1
    cmp_lt_u32 $c0, $s3, $s2
    cbr $c0, @next
@done:
    ret
}
"""
ROWS = 3
PAGES = 3
NO_ACCESS = 0


@pytest.fixture
def pages() -> np.ndarray:
    """Return some pages; that after them may not be accessed."""
    memory = np.frombuffer(mmap.mmap(-1, (PAGES + 1) * PAGE), np.uint8)
    libc = ctypes.CDLL(None, use_errno=True)
    place = memory.ctypes.data + PAGES * PAGE
    assert libc.mprotect(ctypes.c_void_p(place), ctypes.c_size_t(PAGE), NO_ACCESS) == 0
    return memory[: PAGES * PAGE]


def arguments(pages: np.ndarray, n: int, rows: int, after: int) -> list[Any]:
    """Return arrays of `ROWS` rows; x is in pages, the last of which has `after` bytes more."""
    size = 4 * n * ROWS
    pages[:] = 255
    x = pages[pages.size - after - size : pages.size - after].view(np.uint32)
    x[:] = np.arange(n * ROWS)
    return [np.uint32(n), np.uint32(rows), x, np.zeros(n * ROWS, np.uint32)]


@pytest.mark.parametrize(("width", "n"), [(1, 25), (7, 100), (16, 33), (32, 25), (64, 100)])
def test_idle_lanes_load_what_is_in_the_last_page(width: int, n: int, pages: np.ndarray) -> None:
    for rows in (ROWS, ROWS + 1):
        for after in (0, 4, 28, 252, 256):
            works = []
            for _ in range(2):
                given = arguments(pages.copy() if works else pages, n, rows, after)
                works.append(make(TEXT, given, items=128, group_size=128, width=width))
            assert assert_as_oracle(*works) == (rows > ROWS)


PRODUCT = """\
kernel k(u32 %n, u32 %end, global u32* %a, global u32* %b, global u32* %c) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%n]
    cmp_ge_u32 $c0, $s0, $s2
    cmp_ge_u32 $c1, $s1, $s2
    or_b1 $c0, $c0, $c1
    cbr $c0, @done
    ld_kernarg_u32 $s3, [%end]
    ld_kernarg_u64 $d0, [%a]
    ld_kernarg_u64 $d1, [%b]
    ld_kernarg_u64 $d2, [%c]
    mad_u32 $s5, $s1, $s2, $s0
    cvt_u64_u32 $d3, $s5
    mad_u64 $d3, $d3, 4, $d2
    mov_u32 $s6, 0
@next:
    mad_u32 $s7, $s1, $s2, $s6
    cvt_u64_u32 $d4, $s7
    mad_u64 $d4, $d4, 4, $d0
    ld_global_u32 $s8, [$d4]
    mad_u32 $s7, $s6, $s2, $s0
    cvt_u64_u32 $d4, $s7
    mad_u64 $d4, $d4, 4, $d1
    ld_global_u32 $s9, [$d4]
    ld_global_u32 $s10, [$d3]
    mad_u32 $s10, $s8, $s9, $s10
    st_global_u32 $s10, [$d3]
    add_u32 $s6, $s6, 1
    cmp_lt_u32 $c0, $s6, $s3
    cbr $c0, @next
@done:
    ret
}
"""
"""A product of matrices that is summed in memory: warps of four rows."""


@pytest.mark.parametrize("n", few([37, 50], 2))
def test_pieces_of_a_product(n: int, pages: np.ndarray) -> None:
    rng = np.random.default_rng(n)
    given = [rng.integers(0, 1 << 32, (n, n), np.uint32) for _ in "abc"]
    for more, after in some(((0, 0), (0, 40), (0, 160), (1, 160)), 3):
        works = []
        for memory in (pages, pages.copy()):
            b = memory[memory.size - after - 4 * n * n : memory.size - after].view(np.uint32)
            b[:] = given[1].ravel()
            arrays = [given[0].copy(), b, given[2].copy()]
            numbers = [np.uint32(n), np.uint32(n + more)]
            works.append(make(PRODUCT, [*numbers, *arrays], items=(64, 52), group_size=(32, 4)))
        assert assert_as_oracle(*works) == more


def test_there_is_a_version_without_tests_for_such_warps(pages: np.ndarray) -> None:
    work = make(TEXT, arguments(pages, 25, ROWS, 256), items=32, group_size=32)
    assert f"{PAGE - 1}" in generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


def test_arrays_of_devices_end_before_their_page_does() -> None:
    sizes = (4, 3000, 2 * PAGE, SHARED - 64, SHARED, 3 * SHARED + 4)
    arrays = [host_array((size,), np.dtype(np.uint8)) for size in sizes for _ in range(8)]
    assert all(-(a.ctypes.data + a.size) % PAGE >= AFTER for a in arrays)
