"""Loops over rows that end within a warp, in buffers that end with their rows."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import pytest

from simtlab.emu.hostmemory import AFTER, PAGE, SHARED, host_array
from simtlab.emu.jit.kernel.compile import facts_of, generate

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
NO_ACCESS = 0


@pytest.fixture
def pages() -> np.ndarray:
    """Return two pages; that after them may not be accessed."""
    memory = np.frombuffer(mmap.mmap(-1, 3 * PAGE), np.uint8)
    libc = ctypes.CDLL(None, use_errno=True)
    place = memory.ctypes.data + 2 * PAGE
    assert libc.mprotect(ctypes.c_void_p(place), ctypes.c_size_t(PAGE), NO_ACCESS) == 0
    return memory[: 2 * PAGE]


def arguments(pages: np.ndarray, n: int, rows: int, after: int) -> list[Any]:
    """Return arrays of `ROWS` rows; x is in pages, the last of which has `after` bytes more."""
    size = 4 * n * ROWS
    pages[:] = 255
    x = pages[pages.size - after - size : pages.size - after].view(np.uint32)
    x[:] = np.arange(n * ROWS)
    return [np.uint32(n), np.uint32(rows), x, np.zeros(n * ROWS, np.uint32)]


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("n", [25, 33, 100, 128])
def test_idle_lanes_load_what_is_in_the_last_page(width: int, n: int, pages: np.ndarray) -> None:
    for rows in (ROWS, ROWS + 1):
        for after in (0, 4, 28, 252, 256):
            works = []
            for _ in range(2):
                given = arguments(pages.copy() if works else pages, n, rows, after)
                works.append(make(TEXT, given, items=128, group_size=128, width=width))
            assert assert_as_oracle(*works) == (rows > ROWS)


def test_there_is_a_version_without_tests_for_such_warps(pages: np.ndarray) -> None:
    work = make(TEXT, arguments(pages, 25, ROWS, 256), items=32, group_size=32)
    assert f"{PAGE - 1}" in generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


def test_arrays_of_devices_end_before_their_page_does() -> None:
    sizes = (4, 3000, 2 * PAGE, SHARED - 64, SHARED, 3 * SHARED + 4)
    arrays = [host_array((size,), np.dtype(np.uint8)) for size in sizes for _ in range(8)]
    assert all(-(a.ctypes.data + a.size) % PAGE >= AFTER for a in arrays)
