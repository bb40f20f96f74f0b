"""Segments: where kernels are cut, the fields of the table, the places of registers, the calls."""

from __future__ import annotations

import ctypes
from itertools import pairwise

import numpy as np
import pytest
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from simtlab.emu.jit.launch.trapped import trap_record
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.runtime.aligned import aligned_bytes
from simtlab.emu.jit.runtime.context import DELTA, param_slot
from simtlab.emu.jit.segments.compile import Segments, compile_segments, context_of
from simtlab.emu.jit.segments.table import FIELDS, UNITS, Grain, SegmentKind, Space
from simtlab.emu.jit.segments.warp_block import (
    HEADER_BYTES,
    Header,
    blocks_of,
    layout_of,
)
from simtlab.emu.recent import Recent
from simtlab.emu.traps import TrapKind
from simtlab.isa.instruction import Reg
from simtlab.isa.program import Program
from simtlab.isa.table import Unit
from simtlab.isa.types import RegClass

from ...support.flows import kernel_of
from ...support.oracle_work import make
from ..support.segment_walker import FN, START

LOOP = """
    workitemid_u32 $s1, 0
    ld_kernarg_u64 $d1, [%x]
    cvt_u64_u32 $d2, $s1
    mad_u64 $d2, $d2, 4, $d1
@top:
    ld_global_u32 $s2, [$d2+8]
    sin_f32 $s3, $s2
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c3, $s1, 9
    cbr $c3, @top
    st_private_u16 $s3, [own+2]
    lda_private_u32 $s4, [own]
    atomic_add_group_u64 [tile+$s4+8], $d2
    barrier
    memfence
    reconverge
    br @end
@end:
    nop
    clock_u64 $d3
    st_global_u64 $d3, [$d2]
    trap 7"""


def segments_of(body: str, grain: Grain = Grain.SEGMENT, width: int = 16) -> Segments:
    kernel = kernel_of(f".group u64 tile[4]\n.private u32 own[4]\n{body}")
    return compile_segments(kernel, Program((kernel,)), width, grain)


def columns(segments: Segments, *names: str) -> list[tuple[int, ...]]:
    return list(zip(*(segments.table[n].tolist() for n in names), strict=True))


def test_a_kernel_is_cut_behind_accesses_branches_and_barriers_and_in_front_of_targets():
    k = SegmentKind
    assert columns(segments_of(LOOP), "first_pc", "last_pc", "kind", "next", "target") == [
        (0, 3, k.FALL, 1, -1),
        (4, 4, k.ACCESS, 2, -1),
        (5, 8, k.BRANCH, 3, 1),
        (9, 9, k.ACCESS, 4, -1),
        (10, 11, k.ACCESS, 5, -1),
        (12, 12, k.BARRIER, 6, -1),
        (13, 13, k.FENCE, 7, -1),
        (14, 14, k.RECONVERGE, 8, -1),
        (15, 15, k.JUMP, 9, 9),
        (16, 16, k.FALL, 10, -1),
        (17, 18, k.ACCESS, 11, -1),
        (19, 19, k.TRAP, -1, -1),
        (20, 20, k.EXIT, -1, -1),
    ]


def test_pcs_lead_to_segments_and_back():
    for grain in Grain:
        segments = segments_of(LOOP, grain)
        for number, (first, last) in enumerate(columns(segments, "first_pc", "last_pc")):
            assert (segments.of_pc[first : last + 1] == number).all()
        assert len(segments.of_pc) == len(segments.kernel.words)


def test_the_fine_grain_has_a_record_per_instruction_and_the_same_sums():
    coarse, fine = segments_of(LOOP), segments_of(LOOP, Grain.INSTRUCTION)
    assert len(fine.table) == len(fine.kernel.words)
    assert (fine.table["n_instr"] == 1).all()
    for name in ("n_instr", "n_complex", "uses_clock", "is_load", "is_store", "is_atomic"):
        assert coarse.table[name].sum() == fine.table[name].sum(), name


def test_an_access_says_where_and_how_much():
    segments = segments_of(LOOP)
    rows = segments.layout.rows
    names = ("addr_row", "imm", "lane_bytes", "space", "is_load", "is_store", "is_atomic")
    accesses = [r for r in columns(segments, *names) if r[3]]
    assert accesses == [
        (rows[Reg(RegClass.D, 2)], 8, 4, Space.GLOBAL, 1, 0, 0),
        (-1, 2, 2, Space.PRIVATE, 0, 1, 0),
        (rows[Reg(RegClass.S, 4)], 8, 8, Space.GROUP, 0, 0, 1),
        (rows[Reg(RegClass.D, 2)], 0, 8, Space.GLOBAL, 0, 1, 0),
    ]
    assert segments.table["imm"][11] == 7  # the code of the trap
    deltas = [8 * param_slot(site, DELTA) for site in (0, 3)]
    assert [d for d, _ in columns(segments, "delta", "space") if d >= 0] == deltas


def test_a_branch_says_on_what_and_where_its_lanes_meet():
    segments = segments_of(
        "cmp_eq_u32 $c2, $s1, 0\n cbr $c2, @else, @join, subdivide, noloop\n nop\n br @join\n"
        "@else:\n nop\n@join:\n nop"
    )
    branch = segments.table[0]
    assert branch["cond_row"] == segments.layout.rows[Reg(RegClass.C, 2)]
    assert (branch["next"], branch["target"], branch["rpc"]) == (1, 2, 3)
    assert (branch["subdivide"], branch["loop"]) == (1, 0)
    loop = segments_of(LOOP).table[2]
    assert (loop["rpc"], loop["loop"]) == (3, 1)
    leaves = segments_of("cmp_eq_u32 $c2, $s1, 0\n cbr $c2, @out\n nop\n ret\n@out:\n ret")
    assert leaves.table["rpc"][0] == -1


def test_units_are_those_of_the_slowest_instruction():
    table = segments_of(LOOP).table
    assert UNITS[table["unit"][2]] is Unit.COMPLEX
    assert UNITS[table["unit"][1]] is Unit.MEMORY
    assert table["n_complex"].tolist() == [0, 0, 1, *[0] * 10]
    assert set(UNITS) == set(Unit)


def test_fields_do_not_hide_attributes_of_a_numpy_record():
    assert not [name for name in FIELDS if hasattr(np.record, name)]


def test_nothing_to_compute_is_no_function_and_only_accesses_move():
    table = segments_of(LOOP).table
    assert [bool(f) for f in table["fn"]] == [i in (0, 2, 4, 10) for i in range(13)]
    assert [bool(m) for m in table["move"]] == [k == SegmentKind.ACCESS for k in table["kind"]]


@pytest.mark.parametrize("width", [1, 7, 8, 9, 16, 17, 32, 33, 64])
def test_rows_lie_apart_and_are_aligned(width: int):
    kernel = segments_of(LOOP).kernel
    layout = layout_of(kernel, width)
    sizes = {RegClass.S: 4, RegClass.D: 8}
    spans = [(layout.local_id(d), 4 * layout.lanes) for d in range(layout.dimensions)]
    for reg, at in layout.rows.items():
        if reg.cls is RegClass.C:
            spans.append((at, 8))
        else:
            spans.append((at, sizes[reg.cls] * layout.lanes))
            assert at % 64 == 0
    spans.sort()
    assert spans[0][0] >= HEADER_BYTES
    assert all(a + n <= b for (a, n), (b, _) in pairwise(spans))
    assert layout.total >= sum(spans[-1])
    assert layout.total % 64 == 0
    # Registers that warps share lie apart as well, and no longer in the block.
    brief = {reg for reg in layout.rows if reg.cls is RegClass.D}
    assert brief
    other = layout_of(kernel, width, frozenset(brief))
    assert other.rows.keys() | other.brief.keys() == layout.rows.keys()
    assert set(other.brief) == brief
    starts = sorted(other.brief.values())
    assert all(a + 8 * layout.lanes <= b for a, b in pairwise([*starts, other.brief_bytes]))
    assert other.total < layout.total
    assert layout.lanes >= width
    assert {str(r) for r in layout.rows} == {
        "$s1", "$s2", "$s3", "$s4", "$d1", "$d2", "$d3", "$c3"
    }  # fmt: skip


def test_a_register_that_no_instruction_reads_again_is_not_written_back():
    body = "add_u32 $s1, $s2, 1\n add_u32 $s3, $s1, 1\n st_group_u32 $s3, [tile]\n mov_u32 $s1, 0"
    for grain, kept in ((Grain.SEGMENT, True), (Grain.INSTRUCTION, False)):
        segments = segments_of(body, grain)
        block = blocks_of(segments.layout, 1)[0]
        first, third = (segments.layout.view(block, Reg(RegClass.S, i)) for i in (1, 3))
        first[:] = third[:] = 99
        for record in segments.table[:3]:
            if record["fn"]:
                FN(int(record["fn"]))(block.ctypes.data, 0xFFFF)
        assert (third == 2).all()
        assert (first == (99 if kept else 1)).all()


def test_the_second_time_segments_come_from_the_disk(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("simtlab.emu.jit.segments.compile._COMPILED", Recent())
    first = segments_of(LOOP)
    monkeypatch.setattr("simtlab.emu.jit.segments.compile._COMPILED", Recent())
    second = segments_of(LOOP)
    assert not first._code[0].from_cache
    assert second._code[0].from_cache
    assert segments_of(LOOP) is second


def test_start_counts_the_lanes_and_zeroes_what_a_workgroup_finds_zero():
    work = make(
        """kernel k() {
            .group u32 tile[4]
            .private u32 own[2]
            workitemid_u32 $s1, 1
            st_group_u32 $s1, [tile]
            st_private_u32 $s1, [own]
            ret
        }""",
        items=(10, 9), group_size=(4, 8), width=16,
    )  # fmt: skip
    segments = compile_segments(work.kernel, work.program, 16)
    layout, context = segments.layout, context_of(segments, work)
    block = blocks_of(layout, 1)[0]
    group, private = aligned_bytes(layout.group_bytes), aligned_bytes(layout.private_bytes)
    header = layout.header(block)
    start = START(segments.start)
    # Workgroup 5 is the last one both ways: 2 by 1 work-items.
    for number, index, lanes in ((0, 0, 16), (0, 1, 16), (0, 2, 0), (2, 0, 16), (5, 0, 2)):
        block[:], group[:], private[:] = 0xEE, 0xEE, 0xEE
        header[Header.GROUP_MEMORY] = group.ctypes.data
        header[Header.PRIVATE_MEMORY] = private.ctypes.data
        header[Header.CONTEXT] = context.address
        assert start(block.ctypes.data, number, index) == (1 << lanes) - 1
        assert header[Header.GROUP] == number
        assert header[Header.WARP] == index
        assert (header[Header.GROUP_X], header[Header.GROUP_Y]) == (number % 3, number // 3)
        assert header[Header.SIZE_X] == (2 if number % 3 == 2 else 4)
        assert header[Header.SIZE_Y] == (1 if number // 3 else 8)
        assert not layout.view(block, Reg(RegClass.S, 1)).any()
        assert not private.any()
        assert group.any() == (index > 0)


# --- numba


@intrinsic
def call(typing_context, function, warp, mask):
    """A function pointer, as a timing engine calls it."""

    def generate(context, builder, signature, arguments):
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word]).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], kind), list(arguments[1:]))

    return types.int64(types.int64, types.int64, types.int64), generate


@njit
def walk(table, warp, mask):
    """Follow a straight kernel to its end; returns what was refused."""
    number = 0
    refused = 0
    while table[number]["kind"] != 5 and refused == 0:
        row = table[number]
        for function in (row["fn"], row["move"]):
            if function != 0:
                # Numba gives an intrinsic its first argument.
                refused |= call(function, warp, mask)  # pyright: ignore[reportCallIssue]
        number = row["next"]
    return refused


def test_numba_calls_segments_through_their_addresses():
    text = """kernel k(global u32* %x) {
        workitemabsid_u32 $s1, 0
        ld_kernarg_u64 $d1, [%x]
        cvt_u64_u32 $d2, $s1
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s2, [$d2]
        mul_u32 $s2, $s2, $s1
        st_global_u32 $s2, [$d2]
        ret
    }"""
    x = np.arange(100, 110, dtype=np.uint32)
    work = make(text, [x], items=16, group_size=16, width=16)
    segments = compile_segments(work.kernel, work.program, 16)
    context, block = context_of(segments, work), blocks_of(segments.layout, 1)[0]
    segments.layout.header(block)[Header.CONTEXT] = context.address
    mask = START(segments.start)(block.ctypes.data, 0, 0)
    assert mask == 0xFFFF
    address = ctypes.c_int64(block.ctypes.data).value
    assert walk(segments.table, address, 0b1111_0111) == 0
    expected = np.arange(100, 110) * np.where(np.arange(10) == 3, 1, np.arange(10))
    expected[8:] = [108, 109]
    assert x.tolist() == expected.tolist()
    # Lanes beyond the array are refused, and no lane has stored.
    assert walk(segments.table, address, mask) == 0b1111_1100_0000_0000
    assert x.tolist() == expected.tolist()
    record = trap_record(work, context.slots)
    assert (record.kind, record.local) == (TrapKind.OUT_OF_BOUNDS, 10)
