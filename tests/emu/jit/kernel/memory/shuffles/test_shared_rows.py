"""Loads of nearly the same neighbours, which share a row of vectors, against the oracle."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.launch.regroup import as_run
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.isa.types import Segment

from ....support.agreement import same, trap_alike


@pytest.fixture(autouse=True)
def shifts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generate code for a host that shifts sooner than it loads."""
    monkeypatch.setattr(launch_facts, "shifts_fast", lambda kind=None: True)


TEXT = """\
kernel k(u32 %n, u32 %m, u32 %moved, global TYPE* %x, global TYPE* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%n]
    ld_kernarg_u32 $s3, [%m]
    cmp_lt_u32 $c0, $s0, BORDER
    sub_u32 $s4, $s2, BORDER
    cmp_ge_u32 $c1, $s0, $s4
    or_b1 $c0, $c0, $c1
    cmp_ge_u32 $c1, $s1, $s3
    or_b1 $c0, $c0, $c1
    cbr $c0, @done
    mad_u32 $s5, $s1, $s2, $s0
    ld_kernarg_u32 $s6, [%moved]
    add_u32 $s5, $s5, $s6
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u64 $d1, [%y]
    cvt_u64_u32 $d2, $s5
    mad_u64 $d3, $d2, SIZE, $d0
    mad_u64 $d4, $d2, SIZE, $d1
    mov_BITS $R8, 0
    LOADS
    st_global_TYPE $R8, [$d4]
@done:
    ret
}
"""
SIZES = {"u8": "u1", "s16": "i2", "u32": "u4", "f32": "f4", "f64": "f8"}


def text_of(offsets: tuple[int, ...], type_: str = "f32", border: int = 4, loads: str = "") -> str:
    size = int(type_[1:]) // 8
    add = f"add_{type_}" if type_[0] == "f" else "mul_BITS $R8, $R8, 3\n add_BITS"
    for offset in offsets:
        at = f"{offset * size:+d}" if offset else ""
        loads += f"\n ld_global_TYPE $R9, [$d3{at}]\n {add} $R8, $R8, $R9"
    words = {
        "LOADS": loads,
        "BORDER": border,
        "TYPE": type_,
        "SIZE": size,
        "BITS": f"u{max(32, 8 * size)}",
        "$R": "$d" if size == 8 else "$s",
    }
    text = TEXT
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text


def given(n: int, m: int = 3, type_: str = "f32", moved: int = 0, room: int = 0) -> list[Any]:
    x = np.random.default_rng(n).integers(0, 99, n * m + room).astype(SIZES[type_])
    return [n, m, moved, x, np.zeros(n * m + room, SIZES[type_])]


def run(text: str, values: list[Any], **more: Any) -> None:
    n, m = values[:2]
    more.setdefault("group_size", (64, 1))
    same(text, values, items=(n, m), **more)


THREE, NINE = (0, -1, 1), (-4, 4, 3, -3, 2, -2, 1, -1, 0)


@pytest.mark.parametrize("type_", SIZES)
def test_elements_of_any_size(type_: str) -> None:
    run(text_of(THREE, type_), given(200, type_=type_))


@pytest.mark.parametrize("offsets", [NINE, (0, 1), (-4, 4), (1, 1, 0)])
def test_stencils_along_a_row(offsets: tuple[int, ...]) -> None:
    for n in (73, 128):
        run(text_of(offsets), given(n))


GUARD = """\
    cmp_lt_u32 $c0, $s0, 4
    sub_u32 $s4, $s2, 4
    cmp_ge_u32 $c1, $s0, $s4
    or_b1 $c0, $c0, $c1
"""


@pytest.mark.parametrize("offsets", [THREE, NINE])
def test_vectors_of_bytes(offsets: tuple[int, ...]) -> None:
    """All work is on bytes, so that vectors have 64 lanes."""
    text = text_of(offsets, "u8").replace(GUARD, "    cmp_ge_u32 $c0, $s0, $s2\n")
    text = text.replace("mul_u32 $s8, $s8, 3", "xor_u32 $s8, $s8, 85")
    assert rows_in(text, (1024, 4)) > 0 or not host_has("avx512vbmi")
    for n in (100, 320):
        run(text, given(n, type_="u8", moved=4, room=8))


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
def test_warps_of_any_width(width: int) -> None:
    run(text_of(THREE), given(150), width=width)


@pytest.mark.parametrize("border", [0, 1, 3])
def test_the_first_and_the_last_element_are_the_ends_of_the_arrays(border: int) -> None:
    """Nothing beyond them is read."""
    offsets = tuple(range(-border, border + 1))
    for n in (64, 129):
        run(text_of(offsets, border=border), given(n, 1))


def test_places_outside_trap() -> None:
    for moved in (2, 200, 1 << 31, (1 << 32) - 2):
        values = given(150, 1, moved=moved)
        trap_alike(text_of(THREE, border=1), values, items=(150, 1), group_size=(64, 1))


INDICES = """
    add_u32 $s10, $s5, 2
    cvt_u64_u32 $d5, $s10
    mad_u64 $d5, $d5, 4, $d0
    ld_global_f32 $s8, [$d5]
    sub_u32 $s10, $s5, 3
    cvt_u64_u32 $d5, $s10
    mad_u64 $d5, $d5, 4, $d0
    ld_global_f32 $s9, [$d5+8]
    sub_f32 $s8, $s8, $s9
    add_u32 $s11, 1, $s5
    cvt_u64_u32 $d5, $s11
    mad_u64 $d5, $d5, 4, $d0
    ld_global_f32 $s9, [$d5]
    add_f32 $s8, $s8, $s9
"""


def test_indices_that_differ_by_a_constant() -> None:
    """Some of them wrap around: their places are in the array nevertheless."""
    text = text_of((), loads=INDICES)
    for moved in (0, 5):
        run(text, given(200, moved=moved, room=8))


WRAPPED = """
    add_u32 $s10, $s5, 0xfffffff0
    add_u32 $s11, $s10, 15
    cvt_u64_u32 $d5, $s11
    mad_u64 $d5, $d5, 4, $d0
    ld_global_f32 $s8, [$d5]
    add_u32 $s11, $s10, 17
    cvt_u64_u32 $d5, $s11
    mad_u64 $d5, $d5, 4, $d0
    ld_global_f32 $s9, [$d5]
    sub_f32 $s8, $s8, $s9
"""


def test_indices_that_wrap_around() -> None:
    run(text_of((), loads=WRAPPED), given(200))


STORED = """
    ld_global_f32 $s8, [$d3-4]
    st_global_f32 $s8, [$d4]
    ld_global_f32 $s9, [$d3+4]
    add_f32 $s8, $s8, $s9
    ld_global_f32 $s9, [$d3]
    add_f32 $s8, $s8, $s9
"""


def test_a_store_between_may_change_what_is_loaded() -> None:
    """Both arrays are the same one, and each work-item stores to its own element only."""
    text = text_of((), loads=STORED.replace("$d3-4", "$d3").replace("$d3+4", "$d3"))
    n, m, moved, x, _ = given(200)
    values = [n, m, moved, x, x]
    got = same(text, values, items=(n, m), group_size=(64, 1))
    assert len(got) > 0
    run(text_of((), loads=STORED), given(200))


LOOP = """
    mov_u32 $s12, 0
@row:
    mov_u32 $s13, 0
@column:
    add_u32 $s10, $s5, $s13
    sub_u32 $s10, $s10, 1
    cvt_u64_u32 $d5, $s10
    mad_u64 $d5, $d5, 4, $d0
    ld_global_f32 $s9, [$d5]
    add_f32 $s8, $s8, $s9
    add_u32 $s13, $s13, 1
    cmp_lt_u32 $c2, $s13, COLUMNS
    cbr $c2, @column
    mul_f32 $s8, $s8, 0.5
    add_u32 $s12, $s12, 1
    cmp_lt_u32 $c2, $s12, ROWS
    cbr $c2, @row
"""


@pytest.mark.parametrize(("columns", "rows"), [(3, 3), (5, 2), (2, 1), (8, 4), (9, 2)])
def test_loops_along_a_row(columns: int, rows: int) -> None:
    loads = LOOP.replace("COLUMNS", str(columns)).replace("ROWS", str(rows))
    for n in (90, 256):
        run(text_of((), border=9, loads=loads), given(n))


PATCH = """
    mov_u32 $s12, 0
@there:
    mov_u32 $s13, 0
@row:
    mov_u32 $s14, -1
@column:
    mad_s32 $s15, $s13, $s2, $s14
    add_u32 $s10, $s5, $s15
    cvt_u64_u32 $d5, $s10
    mad_u64 $d5, $d5, 4, $d0
    ld_global_f32 $s9, [$d5]
    add_u32 $s10, $s15, $s12
    add_u32 $s10, $s10, $s5
    cvt_u64_u32 $d5, $s10
    mad_u64 $d5, $d5, 4, $d0
    ld_global_f32 $s10, [$d5]
    sub_f32 $s9, $s9, $s10
    fma_f32 $s8, $s9, $s9, $s8
    add_s32 $s14, $s14, 1
    cmp_le_s32 $c2, $s14, 1
    cbr $c2, @column
    add_u32 $s13, $s13, 1
    cmp_lt_u32 $c2, $s13, 3
    cbr $c2, @row
    mul_f32 $s8, $s8, 0.5
    add_u32 $s12, $s12, 1
    cmp_lt_u32 $c2, $s12, OTHERS
    cbr $c2, @there
"""
"""Differences of the 3 x 3 elements around a place from those around others."""


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("others", [1, 4, 9])
def test_windows_that_are_compared_with_others(others: int, width: int) -> None:
    text = text_of((), border=9, loads=PATCH.replace("OTHERS", str(others)))
    for n in (90, 256):
        run(text, given(n, 2, room=2 * n), width=width)


@pytest.mark.parametrize("room", [0, 300, 511])
def test_windows_that_end_outside_trap(room: int) -> None:
    text = text_of((), border=9, loads=PATCH.replace("OTHERS", "9"))
    trap_alike(text, given(256, 1, room=room), items=(256, 1), group_size=(64, 1))


def copied_accesses(text: str) -> int:
    """Return how many loads of global memory a kernel has, copies of loops included."""
    kernel = assemble(text).kernels[0]
    ops = (op for ops in analyse(kernel).ssa.ops.values() for op in ops)
    return sum(op.ins.row.is_load and op.ins.row.segment is Segment.GLOBAL for op in ops)


def test_rows_around_a_place_have_copies_where_a_loop_repeats_them() -> None:
    around = text_of((), loads=PATCH.replace("OTHERS", "4"))
    assert copied_accesses(around) == 18
    # Without a load that the outermost loop repeats, only columns have copies.
    assert copied_accesses(around.replace("$s10, $s5, $s15", "$s10, $s10, $s15")) == 6
    longer = around.replace("mul_f32 $s8, $s8, 0.5", "mul_f32 $s8, $s8, 0.5\n" * 20)
    assert copied_accesses(longer) == 18  # what is not in the rows does not count


def rows_in(text: str, shape: tuple[int, int], **more: int) -> int:
    """Return how many vectors are shifted out of two that are loaded."""
    kernel = assemble(text).kernels[0]
    kernel, geometry = as_run(kernel, Geometry.of(items=shape, group_size=(64, 1)))
    facts = replace(launch_facts.facts_of(kernel, geometry), **more)
    generated = code.generate(kernel, 0, facts)
    loaded = set(re.findall(r"(%t\d+) = load <(?:16 x i32|64 x i8)>", generated))
    pairs = re.findall(r"shufflevector <[^>]*> (%t\d+), <[^>]*> (%t\d+)", generated)
    return sum(loaded.issuperset(pair) for pair in pairs)


@pytest.mark.skipif(not host_has("avx512f"), reason="vectors of another size")
@pytest.mark.parametrize("shifts", [True, False])
def test_rows_are_shared_where_the_host_shifts_sooner(
    shifts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_facts, "shifts_fast", lambda kind=None: shifts)
    loop = text_of((), loads=LOOP.replace("COLUMNS", "3").replace("ROWS", "3"))
    patch = text_of((), loads=PATCH.replace("OTHERS", "4"))
    for text in (text_of(THREE), text_of((), loads=INDICES), loop, patch):
        assert (rows_in(text, (1024, 4)) > 0) == shifts
    assert (rows_in(text_of(THREE, "u8"), (1024, 4), width=64, chunk=64) > 0) == shifts


@pytest.mark.skipif(not host_has("avx512f"), reason="vectors of another size")
def test_rows_end_at_stores() -> None:
    loads = STORED.replace("ld_global_f32 $s9, [$d3]", "mov_u32 $s9, $s8")
    assert rows_in(text_of((), loads=loads), (1024, 4)) == 0
