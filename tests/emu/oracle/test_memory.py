"""Loads, stores, atomics and address arithmetic of the oracle."""

import numpy as np
import pytest

from simtlab.emu.oracle.oracle import run
from simtlab.isa.types import MEMORY

from ..support.oracle_work import make, per_item

PATTERN = 0x8182_8384_8586_8788


@pytest.mark.parametrize("type_", MEMORY, ids=str)
def test_a_load_extends_as_its_type_says(type_):
    cells = np.array([PATTERN], np.uint64)
    out = np.zeros(1, np.uint64)
    wide = "d" if type_.bits == 64 else "s"
    load = f"ld_global_{type_} ${wide}0, [$d10]"
    widen = "" if wide == "d" else "cvt_u64_u32 $d0, $s0"
    text = f"""
        kernel k(global u64* %cells, global u64* %out) {{
            ld_kernarg_u64 $d10, [%cells]
            ld_kernarg_u64 $d11, [%out]
            {load}
            {widen}
            st_global_u64 $d0, [$d11]
            ret
        }}
    """
    run(make(text, [cells, out]))
    low = PATTERN & (1 << type_.bits) - 1
    if type_.is_signed and type_.bits < 32:
        low += (1 << 32) - (1 << type_.bits)  # every pattern above has its sign bit set
    assert int(out[0]) == low


@pytest.mark.parametrize("type_", MEMORY, ids=str)
def test_a_store_writes_the_low_bits_and_nothing_else(type_):
    cells = np.full(24, 0xEE, np.uint8)
    wide = "d" if type_.bits == 64 else "s"
    fill = "" if wide == "d" else "cvt_u32_u64 $s0, $d0"
    text = f"""
        kernel k(global u8* %cells) {{
            ld_kernarg_u64 $d10, [%cells]
            mov_u32 $s1, 0x85868788
            cvt_u64_u32 $d0, $s1
            movhi_u64 $d0, 0x81828384
            {fill}
            st_global_{type_} ${wide}0, [$d10+8]
            ret
        }}
    """
    run(make(text, [cells]))
    written = PATTERN.to_bytes(8, "little")[: type_.size]
    assert cells.tobytes() == b"\xee" * 8 + written + b"\xee" * (16 - type_.size)


def test_kernel_arguments_are_laid_out_as_in_c():
    out = np.zeros(3, np.uint32)
    text = """
        kernel k(u8 %a, s16 %b, global u32* %out, f32 %c) {
            ld_kernarg_u8  $s0, [%a]
            ld_kernarg_s16 $s1, [%b]
            ld_kernarg_f32 $s2, [%c]
            ld_kernarg_u64 $d0, [%out]
            st_global_u32 $s0, [$d0]
            st_global_u32 $s1, [$d0+4]
            st_global_u32 $s2, [$d0+8]
            ret
        }
    """
    run(make(text, [200, -2, out, 1.0]))
    assert out.tolist() == [200, 0xFFFF_FFFE, 0x3F80_0000]


def test_readonly_data_is_read_by_index():
    table = ".readonly u16 T[4] = { 10, 20, 30 }"
    body = """
        workitemflatabsid_u32 $s1
        mul_u32 $s1, $s1, 2
        ld_readonly_u16 $s0, [T+$s1]
    """
    assert per_item(body, before=table, items=4) == [10, 20, 30, 0]


def test_lda_gives_an_offset_that_the_segment_takes():
    body = """
        .private u32 first[2]
        .private u32 second[2]
        lda_private_u32 $s1, [second+4]
        mov_u32 $s2, 77
        st_private_u32 $s2, [$s1]
        ld_private_u32 $s0, [second+4]
        add_u32 $s0, $s0, $s1
    """
    assert per_item(body) == [77 + 12]


def test_registers_private_and_group_memory_start_as_zero_in_every_workgroup():
    body = """
        .group u32 shared[1]
        .private u32 own[1]
        ld_group_u32 $s1, [shared]
        ld_private_u32 $s2, [own]
        add_u32 $s0, $s1, $s2
        add_u32 $s0, $s0, $s3
        mov_u32 $s3, 5
        st_group_u32 $s3, [shared]
        st_private_u32 $s3, [own]
    """
    assert per_item(body, items=3, group_size=1) == [0, 0, 0]


def test_private_memory_is_per_work_item_and_group_memory_per_workgroup():
    body = """
        .group u32 shared[1]
        .private u32 own[1]
        workitemflatabsid_u32 $s1
        st_private_u32 $s1, [own]
        mov_u32 $s4, 1
        atomic_add_group_u32 [shared], $s4
        barrier
        ld_private_u32 $s2, [own]
        ld_group_u32 $s3, [shared]
        mul_u32 $s3, $s3, 100
        add_u32 $s0, $s2, $s3
    """
    assert per_item(body, items=5, group_size=3) == [300, 301, 302, 203, 204]


ATOMICS = [
    ("add_{}_u32", 0xFFFF_FFFF, (3,), 2),
    ("sub_{}_u32", 1, (3,), 0xFFFF_FFFE),
    ("min_{}_u32", 0xFFFF_FFFF, (3,), 3),
    ("min_{}_s32", 0xFFFF_FFFF, (3,), 0xFFFF_FFFF),
    ("max_{}_u32", 0xFFFF_FFFF, (3,), 0xFFFF_FFFF),
    ("max_{}_s32", 0xFFFF_FFFF, (3,), 3),
    ("and_{}_u32", 0b1100, (0b1010,), 0b1000),
    ("or_{}_s32", 0b1100, (0b1010,), 0b1110),
    ("xor_{}_u32", 0b1100, (0b1010,), 0b0110),
    ("exch_{}_u32", 1, (2,), 2),
    ("cas_{}_u32", 1, (1, 9), 9),
    ("cas_{}_u32", 1, (2, 9), 1),
    ("add_{}_u64", (1 << 64) - 1, (3,), 2),
    ("min_{}_s64", (1 << 64) - 1, (3,), (1 << 64) - 1),
    ("max_{}_u64", (1 << 64) - 1, (3,), (1 << 64) - 1),
    ("cas_{}_s64", 1 << 63, (1 << 63, 5), 5),
    ("exch_{}_s64", 0, (1 << 63,), 1 << 63),
]


@pytest.mark.parametrize("destination", [True, False])
@pytest.mark.parametrize("segment", ["global", "group"])
@pytest.mark.parametrize(("name", "start", "operands", "expected"), ATOMICS)
def test_an_atomic_changes_memory_and_returns_the_old_value(
    name, start, operands, expected, segment, destination
):
    wide = name.endswith("64")
    reg, size, unsigned = ("$d", 8, "u64") if wide else ("$s", 4, "u32")
    values = np.array([start, *operands, *[0] * (3 - len(operands))], unsigned.replace("u", "uint"))
    out = np.zeros(2, values.dtype)
    sources = ", ".join(f"{reg}{2 + i}" for i in range(len(operands)))
    load = "\n".join(
        f"ld_global_{unsigned} {reg}{1 + i}, [$d10+{size * i}]" for i in range(1 + len(operands))
    )
    cell = "[$d11]" if segment == "global" else "[cell]"
    text = f"""
        kernel k(global {unsigned}* %values, global {unsigned}* %out) {{
            .group {unsigned} cell[1]
            ld_kernarg_u64 $d10, [%values]
            ld_kernarg_u64 $d11, [%out]
            {load}
            st_{segment}_{unsigned} {reg}1, {cell}
            atomic_{name.format(segment)} {f"{reg}20, " if destination else ""}{cell}, {sources}
            ld_{segment}_{unsigned} {reg}21, {cell}
            st_global_{unsigned} {reg}21, [$d11]
            st_global_{unsigned} {reg}20, [$d11+{size}]
            ret
        }}
    """
    run(make(text, [values, out]))
    assert out.tolist() == [expected, start if destination else 0]


def test_atomics_of_many_work_items_lose_nothing():
    total = np.zeros(1, np.uint32)
    text = """
        kernel k(global u32* %total) {
            ld_kernarg_u64 $d0, [%total]
            workitemflatabsid_u32 $s0
        @again:
            atomic_add_global_u32 [$d0], $s0
            add_u32 $s1, $s1, 1
            cmp_lt_u32 $c0, $s1, 50
            cbr $c0, @again
            ret
        }
    """
    run(make(text, [total], items=100, group_size=32))
    assert total[0] == 50 * sum(range(100))
