"""Stores whose places are calculated from which lanes run them."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.lanes.compaction import compactions, rank_in
from simtlab.emu.analysis.values.ssa import Op

from ...support.flows import op_of, ssa_of

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


BEFORE = "mov_u64 $d4, 1\n shl_u64 $d4, $d4, $s4\n sub_u64 $d4, $d4, 1\n"
BALLOT = "activelanemask_u64 $d3, $c1\n"
AND = "and_u64 $d3, $d3, $d4\n"
RANK = "popcount_u64 $s5, $d3\n add_u32 $s5, $s1, $s5"
RANKS = {
    "among those that store": ("", "activelaneid_u32 $s5\n add_u32 $s5, $s5, $s1", "start"),
    "among those of a ballot": (BALLOT, BEFORE + AND + RANK, "ballot"),
    "those before this one elsewhere": (BALLOT + BEFORE, AND + RANK, "ballot"),
    "a ballot that is not kept": (BALLOT + BEFORE + AND, RANK, ""),
    "an index from elsewhere": (BALLOT + BEFORE + AND + RANK, "", ""),
    "up to this lane": (BALLOT, BEFORE.replace("$d4, 1", "$d4, 2") + AND + RANK, ""),
    "of all lanes before": ("activelaneid_u32 $s5\n", "add_u32 $s5, $s5, $s1", ""),
    "from places of lanes' own": ("", "activelaneid_u32 $s5\n add_u32 $s5, $s5, $s4", ""),
    "times two": ("", "activelaneid_u32 $s5\n add_u32 $s5, $s5, $s5", ""),
}


@pytest.mark.parametrize("name", RANKS)
def test_ranks_among_lanes(name: str) -> None:
    before, inside, expected = RANKS[name]
    form = ssa_of(f"{FOUND}{before}\n cbr $c1, @done\n {inside}\n {STORE}")
    limit = op_of(form, "ld_kernarg_u32")
    store = op_of(form, "st_global_u32")
    index = op_of(form, "cvt_u64_u32", 1).args[0]
    found = rank_in(index, store, lambda value: value is limit)
    assert (found is not None) == bool(expected)
    if found is not None:
        assert found.start is limit
        assert isinstance(found.ballot, Op) == (expected == "ballot")
