"""Every access of native code, byte by byte: types, workgroup sizes, shapes of addresses, masks.

A kernel has an access for each shape of addresses, under one mask. All bytes of the buffers are the
oracle's afterwards: those that were stored, and their neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from ...support.agreement import same

BYTES = {"u8": 1, "u16": 2, "u32": 4, "f64": 8, "s8": 1, "s16": 2, "f32": 4, "u64": 8}
GROUPS = 3

SHAPES = {
    "neighbours": "mov_u32 $s9, $s1",
    "reversed": "sub_u32 $s9, $s2, $s1\n sub_u32 $s9, $s9, 1",
    "one place": "mov_u32 $s9, 1",
    "every other": "shl_u32 $s9, $s1, 1",
    "shuffled": "xor_u32 $s9, $s1, 1",
    "loaded": "mov_u32 $s9, $s8",
}
"""The element $s9 < 2 * size + 2, of the flat local id $s1, the size $s2, and $s8 from memory."""

MASKS = {
    "all": "cmp_eq_u32 $c0, $s1, $s1",
    "first": "cmp_eq_u32 $c0, $s1, 0",
    "last": "add_u32 $s10, $s1, 1\n cmp_eq_u32 $c0, $s10, $s2",
    "odd": "and_u32 $s10, $s1, 1\n cmp_eq_u32 $c0, $s10, 1",
    "loaded": "and_u32 $s10, $s7, 1\n cmp_eq_u32 $c0, $s10, 1",
}
"""Whether a work-item takes part ($c0); $s7 is from memory."""


def choices(types: str, sizes: list[int], all_sizes: list[int]) -> pytest.MarkDecorator:
    """Some types and sizes always, all of them among the slow tests."""
    return pytest.mark.parametrize(
        ("type_", "size"),
        [
            pytest.param(t, n, marks=() if t in types.split() and n in sizes else pytest.mark.slow)
            for t, n in product(BYTES, all_sizes)
        ],
    )


SIZES = [1, 2, 3, 5, 7, 8, 16, 17, 32, 33]
WIDTHS = [1, 2, 3, 4, 5, 8, 12, 16, 24, 33, 48]


def check(
    size: int,
    out_bytes: int,
    access: Callable[[int], str],
    *,
    declared: str = "",
    end: str = "",
    width: int = 32,
) -> None:
    """Compare the kernel of the accesses `access(number)` with the oracle, under each mask.

    $d4 and $s7 are from memory. The last workgroup may be smaller. The buffer at $d7 is loaded
    from, that at $d8 stored to.
    """
    rng = np.random.default_rng(size)
    items = GROUPS * size - (size // 2 if size % width else 0)
    values = rng.integers(0, 1 << 64, 2000, np.uint64)
    # Each element of a workgroup once at most: no two work-items store to one place.
    index = [rng.permutation(2 * size + 1)[:size] for _ in range(GROUPS)]
    # Warps store to one place in no promised order.
    shapes = [line for name, line in SHAPES.items() if name != "one place" or size <= width]
    for condition in MASKS.values():
        accesses = "\n".join(
            f"{element}\n cbr $c0, @do{at}\n br @over{at}\n@do{at}:\n{access(at)}\n@over{at}:"
            for at, element in enumerate(shapes)
        )
        text = f"""
            kernel accesses(global u64* %data, global u32* %index, global u8* %out) {{
                {declared}
                laneid_u32 $s0
                workitemflatabsid_u32 $s0
                workitemflatid_u32 $s1
                mov_u32 $s2, {size}
                workgroupid_u32 $s3, 0
                cvt_u64_u32 $d0, $s0
                ld_kernarg_u64 $d7, [%data]
                mad_u64 $d5, $d0, 8, $d7
                ld_global_u64 $d4, [$d5]
                ld_global_u32 $s7, [$d5+4]
                ld_kernarg_u64 $d1, [%index]
                mad_u64 $d1, $d0, 4, $d1
                ld_global_u32 $s8, [$d1]
                ld_kernarg_u64 $d8, [%out]
                {condition}
                {accesses}
                {end}
                ret
            }}"""
        if width == 32:
            text = text.replace("laneid_u32 $s0", "")
        args = [values, np.concatenate(index).astype(np.uint32), np.full(out_bytes, 238, np.uint8)]
        same(text, args, items=items, group_size=size, width=width)


def data(type_: str) -> str:
    return "$d4" if BYTES[type_] == 8 else "$s4"


def store(segment: str, type_: str, number: int, place: str) -> str:
    """A store of the truncation of a wider value, which LLVM may undo."""
    made = {4: f"shr_u64 $d9, $d4, {number + 1}\n cvt_u32_u64 $s4, $d9", 8: ""}
    truncated = made.get(BYTES[type_], f"shr_u32 $s4, $s7, {number}")
    return f"{truncated}\n st_{segment}_{type_} {data(type_)}, {place}"


def address(number: int, type_: str, span: int, base: str) -> str:
    """$d6: element $s9 of the workgroup's part of access `number`, `span` elements a part."""
    return f"""
        add_u32 $s13, $s3, {number * GROUPS}
        mad_u32 $s13, $s13, {span}, $s9
        cvt_u64_u32 $d6, $s13
        mad_u64 $d6, $d6, {BYTES[type_]}, {base}"""


def check_stores(type_: str, size: int, width: int) -> None:
    span, bytes_ = 2 * size + 4, BYTES[type_]
    check(
        size,
        len(SHAPES) * GROUPS * span * bytes_,
        lambda number: (
            f"""{address(number, type_, span, "$d8")}
            {store("global", type_, number, f"[$d6+{bytes_}]")}"""
        ),
        width=width,
    )


@choices("u8 u16 u32", [1, 7, 32], SIZES)
def test_stores_to_global_memory_leave_neighbours_alone(type_: str, size: int) -> None:
    check_stores(type_, size, 32)


@choices("u8 u16 u32", [2, 5, 8], WIDTHS)
def test_stores_of_narrow_warps_leave_neighbours_alone(type_: str, size: int) -> None:
    """A kernel that asks for its lanes runs in warps of the width that was asked for."""
    check_stores(type_, size, size)


@choices("u8 f64", [1, 17], SIZES)
def test_loads_of_global_memory_give_what_is_there(type_: str, size: int) -> None:
    whole = "u64" if BYTES[type_] == 8 else "u32"
    check(
        size,
        len(SHAPES) * GROUPS * size * BYTES[whole],
        lambda number: (
            f"""{address(number, type_, 4, "$d7")}
            ld_global_{type_} {data(type_)}, [$d6+{BYTES[type_]}]
            mov_u32 $s9, $s1
            {address(number, whole, size, "$d8")}
            st_global_{whole} {data(type_)}, [$d6]"""
        ),
    )


@choices("u8 f64", [1, 17], SIZES)
def test_stores_to_group_memory_leave_neighbours_alone(type_: str, size: int) -> None:
    span = 2 * size + 4
    words = len(SHAPES) * span * BYTES[type_] // 4 + 2
    check(
        size,
        GROUPS * words * 4,
        lambda number: (
            f"""add_u32 $s13, $s9, {number * span + 1}
            mul_u32 $s13, $s13, {BYTES[type_]}
            {store("group", type_, number, "[tile+$s13]")}"""
        ),
        declared=f".group u32 room[1]\n.group u64 tile[{-(-words // 2)}]",
        end=f"barrier\n {copy('group', 'tile', '$s3', words, first='$s1', step='$s2')}",
    )


@choices("u8 f64", [1, 17], SIZES)
def test_stores_to_private_memory_leave_neighbours_alone(type_: str, size: int) -> None:
    words = len(SHAPES) * 4 * BYTES[type_] // 4 + 2
    check(
        size,
        GROUPS * size * words * 4,
        lambda number: (
            f"""and_u32 $s13, $s9, 3
            add_u32 $s13, $s13, {4 * number}
            mul_u32 $s13, $s13, {BYTES[type_]}
            {store("private", type_, number, "[kept+$s13]")}"""
        ),
        declared=f".private u64 kept[{-(-words // 2)}]",
        end=copy("private", "kept", "$s0", words, first="0", step="1"),
    )


def copy(segment: str, array: str, part: str, words: int, first: str, step: str) -> str:
    """Copy words `first`, `first + step`, ... of an array to a part of the buffer at $d8."""
    return f"""
        mul_u32 $s5, {part}, {words * 4}
        cvt_u64_u32 $d1, $s5
        add_u64 $d1, $d1, $d8
        mov_u32 $s6, {first}
    @copy:
        cmp_ge_u32 $c1, $s6, {words}
        cbr $c1, @copied
        shl_u32 $s13, $s6, 2
        ld_{segment}_u32 $s5, [{array}+$s13]
        cvt_u64_u32 $d2, $s13
        add_u64 $d2, $d1, $d2
        st_global_u32 $s5, [$d2]
        add_u32 $s6, $s6, {step}
        br @copy
    @copied:"""
