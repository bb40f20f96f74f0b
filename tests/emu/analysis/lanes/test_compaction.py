"""Stores whose places are calculated from which lanes run them."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.lanes.compaction import compactions

from ...support.flows import ssa_of

FOUND = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u32 $s1, [%n]
    cvt_u64_u32 $d0, $s0
    mad_u64 $d2, $d0, 4, $d1
    ld_global_u32 $s2, [$d2]
    laneid_u32 $s4
    cmp_ge_u32 $c1, $s2, 7
"""
STORE = """
    cvt_u64_u32 $d0, $s5
    mad_u64 $d2, $d0, 4, $d1
    st_global_u32 $s2, [$d2]
@done:
"""
SOURCES = {
    "rank of those that store": ("", "activelaneid_u32 $s5\n add_u32 $s5, $s5, $s1", True),
    "ballot": (
        "activelanemask_u64 $d3, $c1\n shr_u64 $d3, $d3, 3\n popcount_u64 $s5, $d3",
        "",
        True,
    ),
    "an atomic's place": ("", "atomic_add_global_u32 $s5, [$d1], $s1", True),
    "number of the lane": ("", "add_u32 $s5, $s4, $s1", False),
    "what was loaded": ("", "add_u32 $s5, $s2, $s1", False),
    "ballot of another condition": (
        "cmp_ge_u32 $c2, $s2, 9\n activelanemask_u64 $d3, $c2\n popcount_u64 $s5, $d3",
        "",
        False,
    ),
    "condition alone": ("cvt_u32_b1 $s5, $c1", "", False),
    "swapped numbers": ("activelanepermute_u32 $s5, $s2, 3", "", False),
    "a count by a branch": (
        "mov_u32 $s6, 0\n cbr $c1, @none\n mov_u32 $s6, 1\n@none:\n"
        "activelanepermute_u32 $s5, $s6, 3\n add_u32 $s5, $s5, $s6",
        "",
        True,
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_places_follow_from_the_lanes_that_run(name: str) -> None:
    before, inside, expected = SOURCES[name]
    body = f"{FOUND}{before}\n cbr $c1, @done\n {inside}\n {STORE}"
    assert bool(compactions(ssa_of(body))) == expected


def test_conditions_on_numbers_alone_do_not_count() -> None:
    body = FOUND.replace("$c1, $s2, 7", "$c1, $s4, 7")
    body += f"activelanemask_u64 $d3, $c1\n popcount_u64 $s5, $d3\n cbr $c1, @done\n {STORE}"
    assert not compactions(ssa_of(body))
