"""Group memory that a workgroup stores to before any load sees it."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.group_memory.first_stores import stored_first
from simtlab.emu.analysis.suitability.barriers import arrive_together
from simtlab.emu.jit.kernel.workgroups.zeroed import MOST_PARTS, zeroed

from ...support.flows import ssa_of

WORDS = 64
HEAD = f"""
    .group u32 part[{WORDS}]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    shl_u32 $s2, $s0, 2
    ld_kernarg_u32 $s3, [%n]
"""
AFTER = "\nbarrier\n ld_group_u32 $s9, [part+$s2]\n ld_kernarg_u64 $d0, [%x]\n"
AFTER += "st_global_u32 $s9, [$d0]\n"


def words(body: str, size: tuple[int, int, int] = (32, 1, 1)) -> list[int]:
    """The words of `part` that need not be zero before."""
    found = stored_first(ssa_of(HEAD + body + AFTER), size, 4 * WORDS).reshape(-1, 4)
    assert (found.all(1) == found.any(1)).all()
    return np.flatnonzero(found.all(1)).tolist()


def test_each_work_item_stores_to_its_place() -> None:
    assert words("st_group_u32 $s3, [part+$s2+8]") == list(range(2, 34))
    assert words("st_group_u32 $s3, [part+$s2]", (16, 1, 1)) == list(range(16))


def test_a_condition_on_numbers_decides() -> None:
    halo = """
        st_group_u32 $s3, [part+$s2]
        cmp_ge_u32 $c0, $s0, 4
        cbr $c0, @loaded
        st_group_u32 $s3, [part+$s2+128]
    @loaded:
    """
    assert words(halo) == list(range(36))


def test_a_condition_on_anything_else_does_not_count() -> None:
    guarded = """
        st_group_u32 $s3, [part+$s2]
        cmp_ge_u32 $c0, $s0, $s3
        cbr $c0, @loaded
        st_group_u32 $s3, [part+$s2+128]
    @loaded:
    """
    assert words(guarded) == list(range(32))


def test_what_a_skipped_side_changes_is_not_known_after_it() -> None:
    moved = """
        cmp_ge_u32 $c0, $s0, $s3
        cbr $c0, @same
        add_u32 $s2, $s2, 4
    @same:
        st_group_u32 $s3, [part+$s2]
    """
    assert words(moved) == []


def test_strides_through_a_tile() -> None:
    stride = """
        mov_u32 $s4, $s0
    @again:
        shl_u32 $s5, $s4, 2
        st_group_u32 $s3, [part+$s5]
        add_u32 $s4, $s4, 32
        cmp_lt_u32 $c0, $s4, 60
        cbr $c0, @again
    """
    assert words(stride) == list(range(60))
    # Of a loop of any number of iterations the first one counts.
    assert words(stride.replace("$s4, 60", "$s4, $s3")) == list(range(32))


def test_rows_of_a_tile() -> None:
    row = "mad_u32 $s4, $s1, 9, $s0\n shl_u32 $s4, $s4, 2\n st_group_u32 $s3, [part+$s4]"
    assert words(row, (8, 4, 1)) == [9 * y + x for y in range(4) for x in range(8)]


def test_what_is_loaded_before_needs_zeros() -> None:
    first = "ld_group_u32 $s4, [part+$s2]\n st_group_u32 $s4, [part+$s2]"
    assert words(first) == []
    own = "st_group_u32 $s3, [part+$s2]\n ld_group_u32 $s4, [part+$s2]\n"
    own += "st_group_u32 $s4, [part+$s2+128]"
    assert words(own) == list(range(64))
    others = own.replace("$s4, [part+$s2]\n", "$s4, [part+$s2+4]\n")
    assert words(others) == [0, *range(33, 64)]
    assert words(f"st_group_u32 $s3, [part+$s2]\n shl_u32 $s6, $s3, 2\n{LOADED}") == []


LOADED = "ld_group_u32 $s4, [part+$s6]\n st_group_u32 $s4, [part+$s2+128]"


def test_atomics_need_zeros() -> None:
    assert words("st_group_u32 $s3, [part+$s2]\n add_u32 $s6, $s2, $s3\n" + ATOMIC) == []
    other = ATOMIC.replace("$s6", "$s2+128")
    assert words("st_group_u32 $s3, [part+$s2]\n" + other) == list(range(32))


ATOMIC = "atomic_add_group_u32 $s7, [part+$s6], $s3\n st_group_u32 $s7, [part+$s2]"


def test_both_ways_around_a_loop_with_a_barrier() -> None:
    body = """
        mov_u32 $s4, 0
        st_group_u32 $s3, [part+$s2]
    @test:
        cmp_ge_u32 $c0, $s4, $s3
        cbr $c0, @over
        st_group_u32 $s3, [part+$s2+128]
        barrier
        add_u32 $s4, $s4, 1
        br @test
    @over:
    """
    assert words(body) == list(range(32))


@pytest.mark.parametrize("step", [1, 8])
def test_a_long_loop_is_given_up(step: int) -> None:
    body = f"""
        mov_u32 $s4, 0
        st_group_u32 $s3, [part+$s2]
    @again:
        st_group_u32 $s3, [part+$s2+128]
        add_u32 $s4, $s4, {step}
        cmp_lt_u32 $c0, $s4, 400
        cbr $c0, @again
    """
    assert words(body) == ([] if step == 1 else list(range(64)))


def test_parts() -> None:
    form = ssa_of(HEAD + "st_group_u32 $s3, [part+$s2+8]\n" + AFTER)
    facts = Facts(32, (32, 1, 1), True)
    assert arrive_together(form, facts)
    assert zeroed(form, facts, 256, together=True) == [(0, 8), (136, 120)]
    assert zeroed(form, facts, 256, together=False) == [(0, 256)]
    pairs = ssa_of(HEAD + "shl_u32 $s4, $s2, 1\n st_group_u32 $s3, [part+$s4]\n" + AFTER)
    assert zeroed(pairs, facts, 256, together=True) == [(8 * i + 4, 4) for i in range(32)]
    many = zeroed(pairs, Facts(32, (64, 1, 1), True), 512, together=True)
    assert many == [(4, 508)]
    assert 64 > MOST_PARTS


def test_workgroups_that_part_do_not_arrive_together() -> None:
    facts = Facts(32, (64, 1, 1), True)
    early = "cmp_ge_u32 $c0, $s0, $s3\n cbr $c0, @go\n ret\n@go:\n"
    assert not arrive_together(ssa_of(HEAD + early + AFTER), facts)
    # The same for each warp, but not for all of a workgroup.
    rows = "cmp_ge_u32 $c0, $s1, $s3\n cbr $c0, @go\n barrier\n@go:\n"
    assert not arrive_together(ssa_of(HEAD + rows + AFTER), Facts(32, (32, 2, 1), True))
    uniform = "cmp_ge_u32 $c0, $s3, 9\n cbr $c0, @go\n barrier\n@go:\n"
    assert arrive_together(ssa_of(HEAD + uniform + AFTER), facts)
    assert not arrive_together(ssa_of(HEAD + uniform + AFTER), Facts(32, (64, 1, 1), False))
