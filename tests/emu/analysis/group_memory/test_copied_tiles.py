"""Which tiles are copies of global memory, and where their words are."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.group_memory.copied_tiles import CopiedTile, copied_tile
from simtlab.emu.analysis.lanes.interior import Assumed, InteriorShapes

SIZE = 16, 4, 1
TEXT = """
kernel k(u32 %n, global u32* %x) {{
    .group u32 tile[128]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    mad_u32 $s2, $s1, 18, $s0
    shl_u32 $s2, $s2, 2                 // offset in rows of 18 words
    ld_kernarg_u32 $s3, [%n]
    ld_kernarg_u64 $d0, [%x]
    mad_u32 $s4, $s1, $s3, $s0
    cvt_u64_u32 $d1, $s4
    mad_u64 $d1, $d1, 4, $d0
    mov_u32 $s7, 0
    {body}
    st_global_u32 $s6, [$d1]
    ret
}}
"""
OWN = "ld_global_u32 $s5, [$d1]\n st_group_u32 $s5, [tile+$s2+4]\n"
LEFT = """
    cmp_ne_u32 $c0, $s0, 0
    cbr $c0, @other
    ld_global_u32 $s5, [$d1-4]
    st_group_u32 $s5, [tile+$s2]
@other:
"""
LOAD = "barrier\n ld_group_u32 $s6, [tile+$s2+{0}]\n"


def found(body: str, copied: tuple[int, ...] = (), *, inside: bool = True) -> CopiedTile:
    kernel = assemble(TEXT.format(body=body)).kernels[0]
    ssa = analyse(kernel).ssa
    shapes = InteriorShapes(ssa, Facts(64, SIZE, whole=True, one_warp=True), Assumed())
    loads = {op for ops in ssa.ops.values() for op in ops if op.ins.row.is_load and inside}
    return copied_tile(shapes, kernel.group_size, 16, copied, loads)


def runs(tile: CopiedTile) -> list[list[list[tuple[int, int, int, int, list[int]]]]]:
    """Return first lane, end, lane of the anchor, offset and numbers of steps for each run."""
    return [
        [
            [
                (r.first, r.end, r.place.anchor[2], r.place.offset, [n for _, n in r.place.steps])
                for r in vector
            ]
            for vector in vectors
        ]
        for vectors in tile.loads.values()
    ]


ROWS = [[[(0, 16, 0, 0, [])], [(0, 16, 16, 0, [])], *([(0, 16, 16, 0, [n])] for n in (1, 2))]]


def test_a_row_is_one_run_and_some_steps_from_another_one() -> None:
    tile = found(OWN + LOAD.format(4))
    assert runs(tile) == ROWS
    assert [*tile.anchors.values()] == [(0, 16)]


@pytest.mark.parametrize(
    "lines",
    [
        "shl_u32 $s4, $s4, 2\n cvt_u64_u32 $d1, $s4\n add_u64 $d1, $d1, $d0\n",
        "sub_u32 $s3, 0, $s3\n mad_u32 $s4, $s1, $s3, $s0\n cvt_s64_s32 $d1, $s4\n"
        "mad_u64 $d1, $d1, 4, $d0\n",
        "cvt_u64_u32 $d2, $s1\n cvt_u64_u32 $d3, $s3\n mul_u64 $d2, $d2, $d3\n"
        "cvt_u64_u32 $d1, $s0\n add_u64 $d1, $d1, $d2\n mad_u64 $d1, $d1, 4, $d0\n",
    ],
    ids=["an index that counts bytes", "a signed index", "an index of 64 bits"],
)
def test_distances_of_bytes_are_not_known_modulo_32_bits(lines: str) -> None:
    tile = found(lines + OWN + LOAD.format(4))
    kept = (0, 16, 32, 48) if "shl" in lines else (0, 16)
    assert [*tile.anchors.values()] == [kept]


def test_words_of_the_border_continue_a_row() -> None:
    tile = found(OWN + LEFT + LOAD.format(0))
    assert runs(tile) == ROWS
    (anchor,) = tile.anchors
    assert anchor[0].ins.address is not None
    assert anchor[0].ins.address.offset == -4


def test_lanes_that_do_not_load_have_no_run() -> None:
    body = f"{OWN} barrier\n cmp_lt_u32 $c1, $s0, 5\n cbr $c1, @past\n"
    (vectors,) = runs(found(body + "ld_group_u32 $s6, [tile+$s2+4]\n@past:\n"))
    assert [v[0][:2] for v in vectors] == [(5, 16)] * 4


LOOP = """
@again:
    {0}
    barrier
    add_u32 $s7, $s7, 1
    cmp_lt_u32 $c2, $s7, {1}
    cbr $c2, @again
"""


def test_iterations_of_a_loop_that_is_copied_have_loads_of_their_own() -> None:
    body = OWN + "barrier\n" + LOOP.format("ld_group_u32 $s6, [tile+$s2+4]", 3)
    assert len(found(body, (0,)).loads) == 3
    assert len(found(body).loads) == 1


def test_an_iteration_of_any_other_loop_has_its_own_copy() -> None:
    assert len(found(LOOP.format(OWN + LOAD.format(4), "$s3")).loads) == 1
    assert not found(OWN + LOOP.format(LOAD.format(4) + OWN, "$s3")).loads


@pytest.mark.parametrize(
    "body",
    [
        LEFT + LOAD.format(0),
        OWN + LOAD.format(0),
        "add_u32 $s5, $s0, $s3\n st_group_u32 $s5, [tile+$s2+4]\n" + LOAD.format(4),
        OWN + "st_group_u32 $s0, [tile+$s2+4]\n" + LOAD.format(4),
        OWN + "st_global_u32 $s0, [$d1]\n" + LOAD.format(4),
        OWN + "atomic_add_global_u32 [$d1], $s0\n" + LOAD.format(4),
        OWN + "atomic_add_group_u32 [tile+$s2], $s0\n" + LOAD.format(4),
        OWN + "barrier\n ld_group_u16 $s6, [tile+$s2+4]\n",
        OWN + LOAD.format(4) + "ld_group_u32 $s6, [tile+4]\n",
        OWN + "barrier\n mul_u32 $s8, $s1, 72\n ld_group_u32 $s6, [tile+$s8+4]\n",
        OWN + "and_u32 $s8, $s3, 15\n shl_u32 $s8, $s8, 2\n"
        "st_group_u32 $s5, [tile+$s8]\n" + LOAD.format(4),
        "cmp_lt_u32 $c1, $s3, $s0\n cbr $c1, @past\n" + OWN + "@past:\n" + LOAD.format(4),
        "cmp_lt_u32 $c1, $s3, 5\n cbr $c1, @past\n" + OWN + "@past:\n" + LOAD.format(4),
        OWN + "barrier\n" + LOOP.format("st_global_u32 $s7, [$d1]", "$s3") + LOAD.format(4),
        OWN + "barrier\n shl_u32 $s8, $s0, 2\n xor_u32 $s8, $s8, 4\n"
        "mad_u32 $s8, $s1, 72, $s8\n ld_group_u32 $s6, [tile+$s8+4]\n",
    ],
    ids=[
        "not stored before",
        "only some have stored",
        "computed words",
        "computed words over copies",
        "a store to global memory",
        "an atomic of global memory",
        "an atomic of the tile",
        "a load of half a word",
        "one word for all lanes",
        "one word for a row",
        "a place that is not known",
        "lanes that are not known",
        "a copy that is not always made",
        "a loop that stores between",
        "lanes that change places",
    ],
)
def test_others_go_through_the_tile(body: str) -> None:
    assert not found(body).loads


def test_only_loads_that_are_inside_count() -> None:
    assert not found(OWN + LOAD.format(4), inside=False).loads
