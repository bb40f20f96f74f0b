"""Loads of group memory whose words are known to come from certain stores and lanes."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.group_memory.forwarded import NONE, Forwarded, forwarded

TEXT = """
kernel k(u32 %n, global u32* %x) {{
    .group u32 tile[128]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    mad_u32 $s2, $s1, 18, $s0
    shl_u32 $s2, $s2, 2                 // offset in rows of 18 words
    ld_kernarg_u32 $s3, [%n]
    ld_kernarg_u64 $d0, [%x]
    mov_u32 $s6, 0
    {body}
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
    st_global_u32 $s4, [$d1]
    ret
}}
"""
OWN = "st_group_u32 $s0, [tile+$s2+4]\n"
EDGE = """
    cmp_ne_u32 $c0, $s0, {at}
    cbr $c0, @other{at}
    st_group_u32 $s1, [tile+$s2+{place}]
@other{at}:
"""
LEFT = EDGE.format(at=0, place=0)
LOAD = "barrier\n ld_group_u32 $s4, [tile+$s2+{0}]\n"


def found(body: str, size: tuple[int, int, int] = (16, 4, 1)) -> Forwarded:
    kernel = assemble(TEXT.format(body=body)).kernels[0]
    facts = Facts(size[0] * size[1], size, whole=True, one_warp=True)
    return forwarded(analyse(kernel).shapes(facts), kernel.group_size, 16)


def lanes_of(body: str) -> list[list[tuple[int, int]]]:
    """Return (store, lane) for each lane of each load."""
    loads = found(body).loads.values()
    return [[*zip(s.store_of.tolist(), s.lane_of.tolist(), strict=True)] for s in loads]


def test_a_lane_has_what_it_has_stored() -> None:
    assert lanes_of(OWN + LOAD.format(4)) == [[(0, lane) for lane in range(64)]]


def test_neighbours_come_from_their_lanes_and_from_the_border() -> None:
    (lanes,) = lanes_of(OWN + LEFT + LOAD.format(0))
    assert lanes == [(1, lane) if lane % 16 == 0 else (0, lane - 1) for lane in range(64)]


def test_stores_that_are_loaded_from_registers_alone_need_no_memory() -> None:
    result = found(OWN + LEFT + LOAD.format(0))
    assert result.unread == {access.op for access in result.stores}
    assert len(result.stores) == 2


def test_the_highest_lane_of_a_store_to_one_place_wins() -> None:
    (lanes,) = lanes_of(
        "and_u32 $s5, $s0, 12\n mad_u32 $s5, $s1, 16, $s5\n shl_u32 $s5, $s5, 2\n"
        "st_group_u32 $s0, [tile+$s5]\n barrier\n ld_group_u32 $s4, [tile+$s5]\n"
    )
    assert lanes == [(0, lane | 3) for lane in range(64)]


def test_lanes_that_do_not_load_have_no_source() -> None:
    (lanes,) = lanes_of(
        f"{OWN} barrier\n cmp_lt_u32 $c1, $s0, 5\n cbr $c1, @past\n"
        "ld_group_u32 $s4, [tile+$s2+4]\n@past:\n"
    )
    assert lanes == [(NONE, 0) if lane % 16 < 5 else (0, lane) for lane in range(64)]


LOOP = """
@again:
    {0}
    barrier
    add_u32 $s6, $s6, 1
    cmp_lt_u32 $c2, $s6, $s3
    cbr $c2, @again
"""


def test_an_iteration_has_its_own_stores() -> None:
    body = LOOP.format(OWN + LEFT + LOAD.format(0))
    assert len(lanes_of(body)) == 1
    assert not found(LOOP.format(LOAD.format(4) + OWN)).loads


@pytest.mark.parametrize(
    "body",
    [
        LEFT + LOAD.format(0),
        OWN + LOAD.format(0),
        OWN + LOAD.format(4) + "ld_group_u32 $s5, [tile]\n add_u32 $s4, $s4, $s5\n",
        OWN + "atomic_add_group_u32 [tile+$s2], $s0\n" + LOAD.format(4),
        OWN + "and_u32 $s5, $s3, 15\n shl_u32 $s5, $s5, 2\n"
        "st_group_u32 $s0, [tile+$s5]\n" + LOAD.format(4),
        OWN + "st_group_u8 $s0, [tile+$s2+4]\n" + LOAD.format(4),
        OWN + "barrier\n ld_group_u16 $s4, [tile+$s2+4]\n",
        "st_group_u32 $s0, [tile+$s2+400]\n" + LOAD.format(400),
        "cmp_lt_u32 $c1, $s3, $s0\n cbr $c1, @past\n" + OWN + "@past:\n" + LOAD.format(4),
        "cmp_lt_u32 $c1, $s3, 5\n cbr $c1, @past\n" + OWN + "@past:\n" + LOAD.format(4),
        OWN + LOOP.format("st_group_u32 $s6, [tile+$s2+4]") + LOAD.format(4),
        "mul_u32 $s5, $s0, 16\n mad_u32 $s5, $s1, 4, $s5\n" + OWN.replace("s2+4", "s5")
        + "barrier\n mad_u32 $s5, $s1, 16, $s0\n shl_u32 $s5, $s5, 2\n"
        "ld_group_u32 $s4, [tile+$s5]\n",
    ],
    ids=[
        "not stored before",
        "only some have stored",
        "a load from memory",
        "an atomic",
        "a place that is not known",
        "bytes",
        "a load of half a word",
        "outside",
        "lanes that are not known",
        "a store that is not always made",
        "a loop that stores between",
        "many vectors for each vector",
    ],
)  # fmt: skip
def test_others_go_through_memory(body: str) -> None:
    assert not found(body).loads
    assert not found(body).unread


def test_a_condition_that_is_not_known_ends_where_its_sides_meet() -> None:
    body = "cmp_lt_u32 $c1, $s3, $s0\n cbr $c1, @past\n add_u32 $s6, $s6, 3\n@past:\n"
    assert len(lanes_of(body + OWN + LOAD.format(4))) == 1
    early = "cmp_lt_u32 $c1, $s3, $s0\n cbr $c1, @past\n ret\n@past:\n"
    assert not lanes_of(early + OWN + LOAD.format(4))
