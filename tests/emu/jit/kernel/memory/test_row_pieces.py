"""Addresses of bits and quotients of a place, and pointers that loops step, against the oracle."""

from __future__ import annotations

from dataclasses import replace

import llvmlite.binding as llvm
import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.row_pieces import row_pieces
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.kernel.compile import generate

from ....support.counts import engines
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

WIDTH = 48
"""Elements of a row of the picture."""

WALK = """
kernel k(u32 %n, u32 %rows, u32 %far, u64 %pitch, global {type}* %x, global u32* %y) {{
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    {column}
    {row}
    mad_u32 $s4, $s3, {width}, $s2
    ld_kernarg_u32 $s5, [%far]
    add_u32 $s4, $s4, $s5
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s4
    mad_u64 $d1, $d1, {size}, $d0
    ld_kernarg_u64 $d2, [%pitch]
    ld_kernarg_u32 $s6, [%rows]
    mov_u32 $s7, 0
    mov_u32 $s8, 0
@row:
    mov_u64 $d3, $d1
    mov_u32 $s9, 0
@column:
    ld_global_{type} $s10, [$d3]
    mad_u32 $s7, $s7, 3, $s10
    add_u64 $d3, $d3, {size}
    add_u32 $s9, $s9, 1
    cmp_lt_u32 $c0, $s9, 3
    cbr $c0, @column
    add_u64 $d1, $d1, $d2
    add_u32 $s8, $s8, 1
    cmp_lt_u32 $c0, $s8, $s6
    cbr $c0, @row
    cvt_u64_u32 $d4, $s0
    ld_kernarg_u64 $d5, [%y]
    mad_u64 $d4, $d4, 4, $d5
    st_global_u32 $s7, [$d4]
@done:
    ret
}}
"""
SPLITS = {
    # name: (the column $s2, the row $s3, lanes of a piece)
    "bits": ("and_u32 $s2, $s0, 15", "shr_u32 $s3, $s0, 4", 16),
    "fewer bits": ("and_u32 $s2, $s0, 7", "shr_u32 $s3, $s0, 3", 8),
    "a quotient": ("rem_u32 $s2, $s0, 48", "div_u32 $s3, $s0, 48", 16),
    "a long row": ("rem_u32 $s2, $s0, 64", "div_u32 $s3, $s0, 64", 0),
    "thirds": ("rem_u32 $s2, $s0, 3", "div_u32 $s3, $s0, 3", 0),
    "signed": ("rem_s32 $s2, $s0, 48", "div_s32 $s3, $s0, 48", 0),
}


def text(name: str, type_: str) -> str:
    column, row, _ = SPLITS[name]
    size = int(type_[1:]) // 8
    return WALK.format(type=type_, size=size, column=column, row=row, width=WIDTH)


CASES = [(256, 0, 0), (200, 0, 0), (256, 9, 0), (256, 0, 0xFFFF_FFF8)]
"""(work-items, rows that the buffer has not, what is added to an index)"""


@pytest.mark.parametrize(
    ("name", "type_", "items", "missing", "far"),
    [
        *(("bits", "u8", *case) for case in CASES),
        *(("a quotient", "u32", *case) for case in CASES),
        *((name, "u8", *CASES[1]) for name in SPLITS),
    ],
)
def test_rows_by_parts_of_a_place(
    name: str, type_: str, items: int, missing: int, far: int
) -> None:
    """Whole and partial workgroups, a buffer that is too short, an index that wraps around."""
    size = int(type_[1:]) // 8
    numbers = np.random.default_rng(5).integers(0, 250, (90, WIDTH)).ravel()
    last = {"bits": 16, "fewer bits": 32, "thirds": 86}.get(name, 6) * WIDTH + 2 * WIDTH
    x = numbers[: last - missing * WIDTH].astype(f"u{size}")

    def work():
        arrays = [x.copy(), np.zeros(items, np.uint32)]
        return make(
            text(name, type_),
            [items - 3, 2, far, np.uint64(WIDTH * size), *arrays],
            items=items,
            group_size=64,
        )

    assert_as_oracle(work(), work())


@pytest.mark.parametrize("name", SPLITS)
def test_pieces_are_taken_where_they_gain(name: str) -> None:
    (kernel,) = assemble(text(name, "u32")).kernels
    facts = row_pieces(kernel, Facts(32, (256, 1, 1), whole=True, few_groups=True))
    assert facts.row_piece == SPLITS[name][2]
    if facts.row_piece:
        ir = generate(kernel, 0, facts)
        assert ir.count(f"load <{facts.row_piece} x i32>") > 0


@pytest.mark.parametrize(("width", "chunk"), [(40, 16), (48, 16), (7, 16), (64, 8), (16, 16)])
def test_pieces_divide_the_lanes_of_any_warp_and_vector(width: int, chunk: int) -> None:
    (kernel,) = assemble(text("bits", "u32")).kernels
    facts = Facts(width, (5 * width, 1, 1), whole=True, chunk=chunk, few_groups=True)
    found = row_pieces(kernel, facts)
    assert found.row_piece == {40: 8, 48: 16, 7: 0, 64: 8, 16: 0}[width]
    # Facts may get vectors of fewer lanes later.
    for lanes in (8, chunk):
        ir = generate(kernel, 0, replace(found, chunk=lanes))
        assert llvm.parse_assembly(ir)


@pytest.mark.parametrize("width", [40, 48, 64])
def test_warps_of_any_width_have_pieces(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_facts, "depends_on_width", lambda kernel: True)
    items = 5 * width
    x = np.random.default_rng(6).integers(0, 250, (90, WIDTH)).ravel().astype(np.uint8)

    def work():
        arrays = [x.copy(), np.zeros(items, np.uint32)]
        arguments = [items, 2, 0, np.uint64(WIDTH), *arrays]
        return make(text("bits", "u8"), arguments, items=items, group_size=items, width=width)

    assert_as_oracle(work(), work())


def test_a_kernel_without_such_places_has_no_pieces() -> None:
    (kernel,) = assemble(
        "kernel k(global u32* %x) {\nworkitemabsid_u32 $s0, 0\nand_u32 $s1, $s0, 15\nret\n}"
    ).kernels
    facts = Facts(32, (256, 1, 1), whole=True)
    assert row_pieces(kernel, facts) == facts


PLANES = """
kernel k(u32 %n, u32 %far, global u32* %x, global u32* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%n]
    ld_kernarg_u32 $s3, [%far]
    mad_u32 $s4, $s1, $s2, $s0
    add_u32 $s4, $s4, $s3
    cvt_u64_u32 $d0, $s4
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    cvt_u64_u32 $d2, $s2
    shl_u64 $d2, $d2, 2
    mov_u32 $s5, 0
    mov_u32 $s6, 0
@plane:
    ld_global_u32 $s7, [$d1]
    add_u64 $d3, $d1, $d2
    ld_global_u32 $s8, [$d3]
    mad_u32 $s5, $s5, 5, $s7
    add_u32 $s5, $s5, $s8
    mov_u64 $d1, $d3
    add_u32 $s6, $s6, 1
    cmp_lt_u32 $c0, $s6, 4
    cbr $c0, @plane
    st_global_u32 $s5, [$d3]
    ret
}
"""


@pytest.mark.parametrize("group", [(64, 1), (32, 2), (16, 4)])
@pytest.mark.parametrize("far", [0, 0xFFFF_FFE0])
def test_pointers_that_a_loop_steps(group: tuple[int, int], far: int) -> None:
    """With `far`, indices wrap around within a warp: its last lanes are at the buffer's start."""
    n, rows = 64, 1 if far else 4
    x = np.arange(1 << 11, dtype=np.uint32)

    def work():
        return make(
            PLANES,
            [n, far, x.copy(), np.zeros(1, np.uint32)],
            items=(n, rows * group[1]),
            group_size=group,
        )

    traps = assert_as_oracle(work(), work())
    assert traps == bool(far)


def test_such_a_pointer_is_an_address_and_an_offset() -> None:
    (kernel,) = assemble(PLANES).kernels
    shapes = analyse(kernel).shapes(Facts(64, (64, 1, 1), whole=True))
    header = shapes.flow.loops[0].header
    assert all(shapes.is_uniform(p) or p.cls.name == "S" for p in shapes.ssa.phis[header])
    ir = generate(kernel, 0, shapes.facts)
    assert "load <16 x i32>" in ir


@pytest.mark.parametrize("name", ["bits", "a quotient"])
def test_such_launches_are_counted_as_the_interpreter_counts(name: str) -> None:
    x = np.random.default_rng(6).integers(0, 250, 40 * WIDTH).astype(np.uint8)
    args = [253, 2, 0, np.uint64(WIDTH), x, np.zeros(256, np.uint32)]
    found = engines(text(name, "u8"), *args, items=256, group_size=64)
    assert found == {"jit"}
