"""Instructions in narrow lanes, where all that these save is to widen and to cut."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.lanes.narrow import NarrowLanes
from simtlab.emu.analysis.values.ssa import Op

from ...support.flows import op_of, shapes_of

BEGIN = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d2, $d1, 2, $d0
    ld_global_u16 $s2, [$d2]
    ld_global_u16 $s3, [$d2+512]
    mad_u64 $d3, $d1, 4, $d0
"""
FIELDS = "shr_u32 $s4, $s2, 11\n and_u32 $s5, $s2, 31\n bitextract_u32 $s6, $s2, 5, 6\n"
JOINED = (
    "shl_u32 $s5, $s5, 24\n shl_u32 $s6, $s6, 16\n or_u32 $s4, $s4, $s5\n or_u32 $s4, $s4, $s6\n"
)
GATHERED = "cvt_u64_u32 $d4, $s2\n add_u64 $d4, $d4, $d0\n ld_global_u8 $s5, [$d4]\n"
"""A byte at a place that another load says."""

WORD = " st_global_u32 $s4, [$d3]"
SHORT = " st_global_u16 $s4, [$d2]"

BODIES = {
    # name: (the kernel's end, its rows that are narrow in vectors of as many lanes)
    "fields of a pixel": (FIELDS + JOINED + WORD, set()),
    "one field": ("shr_u32 $s4, $s2, 11\n" + WORD, {"shr_u32"}),
    "two fields": (
        FIELDS + "add_u32 $s4, $s4, $s6\n st_global_u32 $s5, [$d3+4096]\n" + WORD,
        set(),
    ),
    "two fields of two numbers": (
        "and_u32 $s4, $s2, $s3\n xor_u32 $s5, $s2, $s3\n st_global_u32 $s5, [$d3+4096]\n" + WORD,
        {"and_u32", "xor_u32"},
    ),
    "a field that is stored as it is": (
        "shr_u32 $s4, $s2, 11\n and_u32 $s5, $s2, 31\n st_global_u32 $s5, [$d3+4096]\n" + SHORT,
        {"shr_u32", "and_u32"},
    ),
    "the same as a word": (
        "shr_u32 $s4, $s2, 11\n and_u32 $s5, $s2, 31\n st_global_u32 $s5, [$d3+4096]\n" + WORD,
        set(),
    ),
    "a comparison of both": (
        "and_u32 $s4, $s2, 31\n cmp_lt_u32 $c0, $s4, $s3\n cvt_u32_b1 $s4, $c0\n" + WORD,
        {"and_u32", "cmp_lt_u32"},
    ),
    "a comparison of fields": (
        FIELDS + "cmp_lt_u32 $c0, $s4, $s5\n cvt_u32_b1 $s7, $c0\n"
        " st_global_u32 $s7, [$d3+4096]\n st_global_u32 $s5, [$d3+8192]\n" + WORD,
        set(),
    ),
    "a factor": (
        "and_u32 $s4, $s2, 31\n mul_u32 $s5, $s4, $s0\n mov_u32 $s4, $s5\n" + WORD,
        {"and_u32"},
    ),
    "a gathered number as a word": (GATHERED + "xor_u32 $s4, $s5, 1\n" + WORD, set()),
    "a gathered number that is stored as it is": (
        GATHERED + "xor_u32 $s4, $s5, 1\n" + SHORT,
        {"xor_u32"},
    ),
    "a comparison of a gathered number": (
        GATHERED + "cmp_lt_u32 $c0, $s5, 9\n cvt_u32_b1 $s4, $c0\n" + WORD,
        {"cmp_lt_u32"},
    ),
    "a gathered number and a loaded one": (
        GATHERED + "xor_u32 $s4, $s5, $s3\n" + WORD,
        {"xor_u32"},
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_lanes_are_narrow_unless_more_is_widened_than_loaded_and_stored(name: str) -> None:
    body, narrow = BODIES[name]
    shapes = shapes_of(BEGIN + body)
    lanes = NarrowLanes(shapes, save_widening=True)
    ops = [v for v in shapes.ssa.values() if isinstance(v, Op)]
    assert {op.ins.row.name for op in ops if lanes.of(op) is not None} == narrow


def test_lanes_are_narrow_where_vectors_have_more_of_them() -> None:
    shapes = shapes_of(BEGIN + FIELDS + JOINED + WORD)
    assert NarrowLanes(shapes).of(op_of(shapes.ssa, "shr_u32")) is not None
