"""Bytes and 16-bit elements that lanes load from any place: native code gathers words around them.

All indices are drawn, the last elements of a buffer among them. Buffers begin and end anywhere in a
word.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.traps import Trap, TrapKind

from ....support.oracle_work import make
from ...support import fences
from ...support.agreement import same

KINDS = {"u8": np.uint8, "s8": np.int8, "u16": np.uint16, "s16": np.int16}
ITEMS = 64

HEAD = """
    workitemflatabsid_u32 $s0
    ld_kernarg_u64 $d0, [%index]
    ld_kernarg_u64 $d1, [%out]
    ld_kernarg_u64 $d2, [%table]
    cvt_u64_u32 $d3, $s0
    mad_u64 $d4, $d3, 4, $d0
    mad_u64 $d1, $d3, 4, $d1
    ld_global_u32 $s1, [$d4]
    mov_u32 $s2, 77
"""
TAIL = """
    st_global_u32 $s2, [$d1]
    ret
}"""

ADDRESSES = {
    "index": "cvt_u64_u32 $d5, $s1\n mad_u64 $d5, $d5, {size}, $d2",
    "pointer": "cvt_u64_u32 $d5, $s1\n mul_u64 $d5, $d5, $d6\n add_u64 $d5, $d5, $d2",
}
"""The address $d5 of element $s1; $d6 is the size of an element, which only the launch knows."""

MASKS = {"all": "", "odd": "and_u32 $s3, $s0, 1\n cmp_eq_u32 $c0, $s3, 0\n cbr $c0, @skip"}


@pytest.mark.skipif(os.name != "posix", reason="fences are made by mprotect")
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("kind", KINDS)
def test_elements_of_buffers_at_the_end_of_memory(kind: str, address: str, mask: str) -> None:
    """Buffers of 1 to 7 elements and of 256, at the end of a page before one without access."""
    size = KINDS[kind]().itemsize
    text = (
        f"kernel k(global u32* %index, global {kind}* %table, global u32* %out, u64 %size) {{"
        f"{HEAD} ld_kernarg_u64 $d6, [%size]\n {MASKS[mask]}\n"
        f"{ADDRESSES[address].format(size=size)}\n ld_global_{kind} $s2, [$d5]\n@skip:{TAIL}"
    )
    rng = np.random.default_rng(5)
    for count in (1, 2, 3, 4, 5, 7, 256):
        table = fences.fenced(count * size, size).view(KINDS[kind])
        table[:] = rng.integers(0, 256, count * size, np.uint8).view(KINDS[kind])
        index = rng.integers(0, count, ITEMS, np.uint32)
        index[1], index[2] = count - 1, 0
        out = np.zeros(ITEMS, np.uint32)
        execute(make(text, [index, table, out, size], items=ITEMS, group_size=32))
        wanted = table[index].astype(np.int64).astype(np.uint32)
        if mask == "odd":
            wanted[::2] = 77
        np.testing.assert_array_equal(out, wanted)


@pytest.mark.skipif(os.name != "posix", reason="fences are made by mprotect")
@pytest.mark.parametrize("odd", [1, 2, 3])
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("kind", KINDS)
def test_buffers_that_begin_anywhere_in_a_word(kind: str, address: str, odd: int) -> None:
    """A 16-bit element at an odd address may be in two words."""
    size = KINDS[kind]().itemsize
    text = (
        f"kernel k(global u32* %index, global {kind}* %table, global u32* %out, u64 %size) {{"
        f"{HEAD} ld_kernarg_u64 $d6, [%size]\n"
        f"{ADDRESSES[address].format(size=size)}\n ld_global_{kind} $s2, [$d5]\n{TAIL}"
    )
    rng = np.random.default_rng(6)
    for count in (2, 41, 256):
        table = fences.fenced(count * size + odd)[: count * size].view(KINDS[kind])
        table[:] = rng.integers(0, 256, count * size, np.uint8).view(KINDS[kind])
        index = rng.integers(0, count, ITEMS, np.uint32)
        index[3], index[5] = count - 1, 0
        out = np.zeros(ITEMS, np.uint32)
        execute(make(text, [index, table, out, size], items=ITEMS, group_size=32))
        np.testing.assert_array_equal(out, table[index].astype(np.int64).astype(np.uint32))


@pytest.mark.skipif(os.name != "posix", reason="fences are made by mprotect")
@pytest.mark.parametrize("first", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("kind", KINDS)
def test_buffers_at_both_ends_of_a_page(kind: str, address: str, first: int) -> None:
    """From one of the first bytes of a page on, up to its last ones."""
    size, page = KINDS[kind]().itemsize, fences.PAGE
    text = (
        f"kernel k(global u32* %index, global {kind}* %table, global u32* %out, u64 %size) {{"
        f"{HEAD} ld_kernarg_u64 $d6, [%size]\n"
        f"{ADDRESSES[address].format(size=size)}\n ld_global_{kind} $s2, [$d5]\n{TAIL}"
    )
    rng = np.random.default_rng(7)
    for count in (1, 2, (page - first - 4) // size, (page - first) // size):
        table = fences.page()[first : first + count * size].view(KINDS[kind])
        table[:] = rng.integers(0, 256, count * size, np.uint8).view(KINDS[kind])
        index = rng.integers(0, count, ITEMS, np.uint32)
        index[1], index[2], index[40] = count - 1, 0, max(count - 2, 0)
        out = np.zeros(ITEMS, np.uint32)
        execute(make(text, [index, table, out, size], items=ITEMS, group_size=32))
        np.testing.assert_array_equal(out, table[index].astype(np.int64).astype(np.uint32))


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("place", ["group", "private", "readonly"])
@pytest.mark.parametrize("kind", KINDS)
def test_elements_of_a_kernels_own_memory(kind: str, place: str, mask: str) -> None:
    """The last element is the last one of its memory; a loop stores what is loaded afterwards."""
    count, size = 37, KINDS[kind]().itemsize
    numbers = ", ".join(str(i * 7 % 128) for i in range(count))
    fill = f"""
        mov_u32 $s4, 0
    @fill:
        mul_u32 $s5, $s4, 12345
        mul_u32 $s6, $s4, {size}
        st_{place}_{kind} $s5, [own+$s6]
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c1, $s4, {count}
        cbr $c1, @fill"""
    text = f"""
        {f".readonly {kind} own[{count}] = {{ {numbers} }}" if place == "readonly" else ""}
        kernel k(global u32* %index, global u32* %table, global u32* %out) {{
        {f".{place} {kind} own[{count}]" if place != "readonly" else ""}
        {HEAD}
        {fill if place != "readonly" else ""}
        {"barrier" if place == "group" else ""}
        {MASKS[mask]}
        mul_u32 $s1, $s1, {size}
        ld_{place}_{kind} $s2, [own+$s1]
    @skip:{TAIL}"""
    index = np.random.default_rng(3).integers(0, count, ITEMS, np.uint32)
    index[1], index[3] = count - 1, count - 2
    unused = np.zeros(1, np.uint32)
    same(text, [index, unused, np.zeros(ITEMS, np.uint32)], items=ITEMS, group_size=32)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_lane_outside_traps(kind: str, address: str) -> None:
    """One element after the end, of a buffer whose words all lie inside."""
    size = KINDS[kind]().itemsize
    text = (
        f"kernel k(global u32* %index, global {kind}* %table, global u32* %out, u64 %size) {{"
        f"{HEAD} ld_kernarg_u64 $d6, [%size]\n"
        f"{ADDRESSES[address].format(size=size)}\n ld_global_{kind} $s2, [$d5]\n{TAIL}"
    )
    index = np.arange(ITEMS, dtype=np.uint32)[::-1] // 2
    index[9] = 40
    arrays = [index, np.zeros(40, KINDS[kind]), np.zeros(ITEMS, np.uint32), size]
    with pytest.raises(Trap) as caught:
        execute(make(text, arrays, items=ITEMS, group_size=32))
    assert (caught.value.record.kind, caught.value.record.local) == (TrapKind.OUT_OF_BOUNDS, 9)
