"""Kernels whose work-items wait for each other, and kernels that just loop."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.suitability.spin import may_spin

from ...support.flows import ssa_of

HEAD = """
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s9, [%n]
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
"""

WAITING = {
    "spin lock": "@top:\n atomic_cas_global_u32 $s1, [$d0], $s2, $s3\n cmp_ne_u32 $c0, $s1, 0\n"
    " cbr $c0, @top\n atomic_exch_global_u32 $s1, [$d0], $s2",
    "lock per item": "@top:\n atomic_exch_global_u32 $s1, [$d1], $s3\n cmp_ne_u32 $c0, $s1, 0\n"
    " cbr $c0, @top",
    "flag": "@top:\n ld_global_u32 $s1, [$d0]\n cmp_eq_u32 $c0, $s1, 0\n cbr $c0, @top",
    "flag of the neighbour": "@top:\n ld_global_u32 $s1, [$d1-4]\n cmp_eq_u32 $c0, $s1, 0\n"
    " cbr $c0, @top",
    "flag in the middle": "@top:\n ld_global_u32 $s1, [$d0]\n cmp_ne_u32 $c0, $s1, 0\n"
    " cbr $c0, @out\n add_u32 $s2, $s2, 1\n br @top\n@out:",
    "flag with patience": "@top:\n add_u32 $s2, $s2, 1\n ld_global_u32 $s1, [$d0]\n"
    " add_u32 $s1, $s1, $s2\n cmp_lt_u32 $c0, $s1, 100\n cbr $c0, @top",
    "flag at an address made in the loop": "@top:\n add_u64 $d2, $d0, 8\n"
    " ld_global_u32 $s1, [$d2]\n cmp_eq_u32 $c0, $s1, 0\n cbr $c0, @top",
    "flag for each of many": "@many:\n@top:\n ld_global_u32 $s1, [$d1]\n cmp_eq_u32 $c0, $s1, 0\n"
    " cbr $c0, @top\n add_u64 $d1, $d1, 4\n add_u32 $s2, $s2, 1\n cmp_lt_u32 $c0, $s2, $s9\n"
    " cbr $c0, @many",
}

WAITING |= {
    "a barrier that adds nothing": "mov_u32 $s3, 0\n@top:\n atomic_add_global_u32 $s1, [$d0], $s3\n"
    " cmp_ne_u32 $c0, $s1, $s9\n cbr $c0, @top",
    "a sum of what is loaded": "@top:\n ld_global_u32 $s3, [$d1]\n"
    " atomic_add_global_u32 $s1, [$d0], $s3\n cmp_ne_u32 $c0, $s1, $s9\n cbr $c0, @top",
}

RETRY = "@top:\n add_u32 $s3, $s2, 1\n atomic_cas_global_u32 $s1, [$d1], $s2, $s3\n"
SEEN = "ld_global_u32 $s2, [$d1]\n" + RETRY
DONE = " cmp_eq_u32 $c0, $s1, $s2\n cbr $c0, @out\n"

WAITING |= {
    "a swap of a value that stays": RETRY + DONE + " br @top\n@out:",
    "a swap that continues when it is done": SEEN
    + " cmp_ne_u32 $c0, $s1, $s2\n cbr $c0, @out\n br @top\n@out:",
    "a swap that continues when it has not failed": SEEN
    + " cmp_ne_u32 $c1, $s1, $s2\n not_b1 $c0, $c1\n mov_u32 $s2, $s1\n cbr $c0, @top",
    "a swap until a value is there": SEEN
    + " mov_u32 $s2, $s1\n cmp_ne_u32 $c0, $s1, 9\n cbr $c0, @top",
    "a swap when a lock is free": "@top:\n ld_global_u32 $s2, [$d1]\n cmp_eq_u32 $c0, $s2, 1\n"
    " cbr $c0, @next\n atomic_cas_global_u32 $s1, [$d1], $s2, $s9\n" + DONE + "@next:\n br @top\n"
    "@out:",
    "a swap of what is elsewhere": "@top:\n ld_global_u32 $s2, [$d1+4]\n"
    " atomic_cas_global_u32 $s1, [$d1], $s2, $s9\n" + DONE + " br @top\n@out:",
    "a swap of a part of what is there": "@top:\n ld_global_u16 $s2, [$d1]\n"
    " atomic_cas_global_u32 $s1, [$d1], $s2, $s9\n" + DONE + " br @top\n@out:",
    "many swaps until a value is there": "@many:\n"
    + SEEN
    + DONE
    + " mov_u32 $s2, $s1\n br @top\n@out:\n cmp_ne_u32 $c0, $s1, 9\n cbr $c0, @many",
}

WALKING = {
    "a swap until it succeeds": SEEN + DONE + " mov_u32 $s2, $s1\n br @top\n@out:",
    "a swap while it fails": SEEN + " cmp_ne_u32 $c0, $s2, $s1\n mov_u32 $s2, $s1\n cbr $c0, @top",
    "a swap while not done": SEEN
    + " cmp_eq_u32 $c1, $s1, $s2\n not_b1 $c0, $c1\n not_b1 $c1, $c0\n"
    " not_b1 $c1, $c1\n mov_u32 $s2, $s1\n cbr $c1, @top",
    "a swap of what is loaded anew": "@top:\n ld_global_u32 $s2, [$d1]\n"
    " add_u32 $s3, $s2, $s9\n atomic_cas_global_u32 $s1, [$d1], $s2, $s3\n"
    + DONE
    + " br @top\n@out:",
    "a swap while it is too small": "ld_global_u32 $s2, [$d1]\n@top:\n"
    " cmp_ge_u32 $c0, $s2, $s9\n cbr $c0, @out\n"
    " atomic_cas_global_u32 $s1, [$d1], $s2, $s9\n" + DONE + " mov_u32 $s2, $s1\n br @top\n@out:",
    "a place in a hash table": "mov_u32 $s3, 7\n@top:\n"
    " atomic_cas_global_u32 $s1, [$d1], $s2, $s3\n cmp_eq_u32 $c0, $s1, 0\n cbr $c0, @out\n"
    " add_u32 $s0, $s0, 1\n and_u32 $s0, $s0, 63\n cvt_u64_u32 $d1, $s0\n"
    " mad_u64 $d1, $d1, 4, $d0\n br @top\n@out:",
    "numbers from a queue": "mov_u32 $s3, 1\n@top:\n atomic_add_global_u32 $s1, [$d0], $s3\n"
    " cmp_lt_u32 $c0, $s1, $s9\n cbr $c0, @top",
    "counted": "@top:\n add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s1, $s9\n cbr $c0, @top",
    "counted with a sum": "@top:\n ld_global_u32 $s2, [$d1]\n add_u32 $s3, $s3, $s2\n"
    " add_u64 $d1, $d1, 4\n add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s1, $s9\n cbr $c0, @top\n"
    " st_global_u32 $s3, [$d0]",
    "counted with a fixed load": "@top:\n ld_global_u32 $s2, [$d0]\n add_u32 $s3, $s3, $s2\n"
    " add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s1, $s9\n cbr $c0, @top\n st_global_u32 $s3, [$d0]",
    "counted with an atomic": "@top:\n atomic_add_global_u32 [$d0], $s9\n add_u32 $s1, $s1, 1\n"
    " cmp_lt_u32 $c0, $s1, $s9\n cbr $c0, @top",
    "binary search": "mov_u32 $s1, 0\n@top:\n add_u32 $s3, $s1, $s9\n shr_u32 $s3, $s3, 1\n"
    " cvt_u64_u32 $d2, $s3\n mad_u64 $d2, $d2, 4, $d0\n ld_global_u32 $s4, [$d2]\n"
    " cmp_lt_u32 $c0, $s4, $s0\n cbr $c0, @low\n mov_u32 $s9, $s3\n br @next\n@low:\n"
    " add_u32 $s1, $s3, 1\n@next:\n cmp_lt_u32 $c0, $s1, $s9\n cbr $c0, @top",
    "linked data": "@top:\n ld_global_u64 $d1, [$d1]\n cmp_ne_u64 $c0, $d1, 0\n cbr $c0, @top",
    "search": "@top:\n ld_global_u32 $s1, [$d1]\n add_u64 $d1, $d1, 4\n cmp_ne_u32 $c0, $s1, $s0\n"
    " cbr $c0, @top",
    "bound from memory": "ld_global_u32 $s9, [$d0]\n@top:\n add_u32 $s1, $s1, 1\n"
    " cmp_lt_u32 $c0, $s1, $s9\n cbr $c0, @top",
    "no loop": "ld_global_u32 $s1, [$d0]\n cmp_eq_u32 $c0, $s1, 0\n cbr $c0, @out\n"
    " atomic_add_global_u32 [$d0], $s9\n@out:",
    "private memory": "@top:\n ld_private_u32 $s1, [$s63]\n cmp_eq_u32 $c0, $s1, 0\n cbr $c0, @top",
    "endless": "@top:\n st_global_u32 $s0, [$d1]\n br @top",
}


STORED = "\n st_global_u32 $s0, [$d1]"
ELSEWHERE = "\n ld_kernarg_u64 $d9, [%y]\n st_global_u32 $s0, [$d9]"
PARAMETERS = "global u32* %x, u32 %n, global u32* %y"


@pytest.mark.parametrize("name", WAITING)
def test_a_kernel_that_waits_for_others_is_seen(name: str):
    assert may_spin(ssa_of(HEAD + WAITING[name] + STORED))


@pytest.mark.parametrize("name", WAITING)
def test_a_loop_waits_for_no_buffer_that_the_kernel_only_loads_from(name: str):
    only_loads = "atomic" not in WAITING[name]
    assert may_spin(ssa_of(HEAD + WAITING[name])) != only_loads
    assert may_spin(ssa_of(HEAD + WAITING[name] + ELSEWHERE, PARAMETERS)) != only_loads


def test_a_store_by_a_loaded_pointer_may_be_to_any_buffer():
    stored = "\n ld_global_u64 $d9, [$d0+8]\n st_global_u32 $s0, [$d9]"
    assert may_spin(ssa_of(HEAD + WAITING["flag"] + stored))


def test_a_flag_in_group_memory_is_seen():
    head, flag = ".group u32 flag[1]\n" + HEAD, WAITING["flag"].replace("[$d0]", "[flag]")
    flag = flag.replace("global", "group")
    assert not may_spin(ssa_of(head + flag + STORED))
    assert may_spin(ssa_of(head + flag + "\n st_group_u32 $s0, [flag]"))


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("@top:\n barrier\n {load} {more} cbr $c0, @top", False),
        ("@top:\n {load} {more} barrier\n cbr $c0, @top", False),
        ("barrier\n@top:\n {load} {more} cbr $c0, @top\n barrier\n", True),
        ("@top:\n {load} {more} cbr $c1, @top\n barrier\n cbr $c0, @top", True),
        ("@top:\n barrier\n@in:\n {load} {more} cbr $c0, @in\n cbr $c1, @top", True),
    ],
)
def test_a_loop_that_passes_a_barrier_each_time_does_not_poll_group_memory(
    loop: str, *, expected: bool
):
    head = ".group u32 flag[1]\n" + HEAD + " cmp_eq_u32 $c1, $s9, $s0\n"
    test, stored = "cmp_ne_u32 $c0, $s1, 0\n", "\n st_{}_u32 $s0, [{}]"
    here = loop.format(load="ld_group_u32 $s1, [flag]\n", more=test)
    assert may_spin(ssa_of(head + here + stored.format("group", "flag"))) is expected
    there = loop.format(load="ld_global_u32 $s1, [$d0]\n", more=test)
    assert may_spin(ssa_of(head + there + stored.format("global", "$d0")))  # other workgroups


POLLED_FOR_ALL = """
        cmp_ne_u32 $c1, $s0, 0
    @top:
        cbr $c1, @wait
        ld_global_u32 $s1, [$d0]
        {}
    @wait:
        barrier
        ld_group_u32 $s2, [flag]
        barrier
        cmp_eq_u32 $c0, $s2, 0
        cbr $c0, @top
    """

SEEN_BY_ONE = "cmp_eq_u32 $c2, $s1, 0\n cbr $c2, @wait\n mov_u32 $s3, 1\n st_group_u32 $s3, [flag]"


@pytest.mark.parametrize("noted", ["st_group_u32 $s1, [flag]", SEEN_BY_ONE])
def test_one_work_item_may_poll_for_its_workgroup(noted: str):
    """Others leave the loop by what it stores to group memory, or by that it stores there."""
    text = ".group u32 flag[1]\n" + HEAD + POLLED_FOR_ALL.format(noted)
    assert may_spin(ssa_of(text + "st_global_u32 $s2, [$d0]"))
    assert not may_spin(ssa_of(text))  # no work-item changes what it reads
    text = text.replace("ld_global_u32 $s1, [$d0]", "add_u32 $s1, $s1, 1")
    assert not may_spin(ssa_of(text + "st_global_u32 $s2, [$d0]"))


@pytest.mark.parametrize("name", WALKING)
def test_a_kernel_that_ends_by_its_own_doing_is_not_suspected(name: str):
    assert not may_spin(ssa_of(HEAD + WALKING[name]))
