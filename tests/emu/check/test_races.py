"""Races in group memory and in buffers, each beside a kernel that is nearly the same and right."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.isa.errors import render

from .support.kernels import found, report_of

HEAD = """\
kernel k(global u32* %x) {
    .group u32 tile[128]
    .group u8 bytes[64]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    workgroupid_u32 $s2, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s1
    mad_u64 $d1, $d1, 4, $d0
    shl_u32 $s3, $s0, 2
"""

REDUCTION = """\
    st_group_u32 $s0, [tile+$s3] // A
    {first}
    mov_u32 $s4, 32
@halve:
    cmp_ge_u32 $c0, $s0, $s4
    cbr $c0, @idle
    shl_u32 $s5, $s4, 2
    add_u32 $s5, $s5, $s3
    ld_group_u32 $s6, [tile+$s5] // B
    ld_group_u32 $s7, [tile+$s3] // C
    add_u32 $s7, $s7, $s6
    st_group_u32 $s7, [tile+$s3] // D
@idle:
    {each}
    shr_u32 $s4, $s4, 1
    cmp_ne_u32 $c0, $s4, 0
    cbr $c0, @halve
"""

SCAN = """\
    mov_u32 $s8, 0
    mov_u32 $s9, {other}
    st_group_u32 $s0, [tile+$s3] // A
    barrier
    mov_u32 $s4, 4
@step:
    add_u32 $s5, $s8, $s3
    ld_group_u32 $s6, [$s5] // B
    cmp_lt_u32 $c0, $s3, $s4
    cbr $c0, @alone
    sub_u32 $s5, $s5, $s4
    ld_group_u32 $s7, [$s5] // C
    add_u32 $s6, $s6, $s7
@alone:
    add_u32 $s5, $s9, $s3
    {between}
    st_group_u32 $s6, [$s5] // D
    {after}
    mov_u32 $s5, $s8
    mov_u32 $s8, $s9
    mov_u32 $s9, $s5
    shl_u32 $s4, $s4, 1
    cmp_lt_u32 $c0, $s4, 256
    cbr $c0, @step
"""

CASES = {
    "reduction": (REDUCTION.format(first="barrier", each="barrier"), set()),
    "no barrier in the loop": (
        REDUCTION.format(first="barrier", each="nop"),
        {"SIM450 BD"},
    ),
    "no barrier before the loop": (
        REDUCTION.format(first="nop", each="barrier"),
        {"SIM450 AB"},
    ),
    "one buffer, two barriers": (
        SCAN.format(other=0, between="barrier", after="barrier"),
        set(),
    ),
    "two buffers, one barrier": (SCAN.format(other=256, between="nop", after="barrier"), set()),
    "one buffer, one barrier": (
        SCAN.format(other=0, between="nop", after="barrier"),
        {"SIM450 CD"},
    ),
    "two buffers, no barrier": (
        SCAN.format(other=256, between="nop", after="nop"),
        {"SIM450 CD"},
    ),
    "own elements": ("st_global_u32 $s0, [$d1]\n ld_global_u32 $s4, [$d1]\n", set()),
    "the neighbour's element": (
        "st_global_u32 $s0, [$d1] // A\n ld_global_u32 $s4, [$d1+4] // B\n",
        {"SIM450 AB"},
    ),
    "the neighbour's element after a barrier": (
        "st_global_u32 $s0, [$d1] // A\n barrier\n"
        "cmp_eq_u32 $c0, $s0, 63\n cbr $c0, @last\n ld_global_u32 $s4, [$d1+4] // B\n@last:\n",
        set(),
    ),
    "beyond the own workgroup after a barrier": (
        "st_global_u32 $s0, [$d1] // A\n barrier\n ld_global_u32 $s4, [$d1+4] // B\n",
        {"SIM450 AB"},
    ),
    "a load before another's store": (
        "ld_global_u32 $s4, [$d1+4] // A\n st_global_u32 $s0, [$d1] // B\n",
        {"SIM450 AB"},
    ),
    "all load one word": ("ld_global_u32 $s4, [$d0]\n", set()),
    "all load one word, one stores it later": (
        "ld_global_u32 $s4, [$d0] // A\n cmp_ne_u32 $c0, $s1, 0\n cbr $c0, @done\n"
        "st_global_u32 $s0, [$d0] // B\n@done:\n",
        {"SIM450 AB"},
    ),
    "different values to one word in one instruction": (
        "st_group_u32 $s0, [tile] // A\n",
        {"SIM450 AA"},
    ),
    "one value to one word": ("st_group_u32 7, [tile] // A\n".replace("7", "$s2"),
                              {"(SIM451 AA)"}),
    "one value to one word, one work-item": (
        "cmp_ne_u32 $c0, $s0, 0\n cbr $c0, @done\n st_group_u32 $s2, [tile] // A\n@done:\n",
        set(),
    ),
    "different values by two instructions": (
        "mov_u32 $s4, 1\n cmp_eq_u32 $c0, $s0, 1\n cbr $c0, @one\n cmp_ne_u32 $c0, $s0, 0\n"
        "cbr $c0, @done\n st_group_u32 $s0, [tile] // A\n br @done\n"
        "@one:\n st_group_u32 $s4, [tile] // B\n@done:\n",
        {"SIM450 AB"},
    ),
    "neighbours' bytes": (
        "st_group_u8 $s0, [bytes+$s0] // A\n ld_group_u8 $s4, [bytes+$s0]\n",
        set(),
    ),
    "neighbours' bytes, and a word over them": (
        "st_group_u8 $s0, [bytes+$s0] // A\n and_u32 $s4, $s0, 0x3c\n"
        "ld_group_u32 $s5, [bytes+$s4] // B\n",
        {"SIM450 AB"},
    ),
    "a word over bytes after a barrier": (
        "st_group_u8 $s0, [bytes+$s0] // A\n barrier\n and_u32 $s4, $s0, 0x3c\n"
        "ld_group_u32 $s5, [bytes+$s4] // B\n barrier\n"
        "and_u32 $s5, $s0, 3\n cmp_ne_u32 $c0, $s5, 0\n cbr $c0, @done\n"
        "st_group_u32 $s0, [bytes+$s4]\n@done:\n",
        set(),
    ),
    "halves of a double word": (
        "mul_u32 $s4, $s3, 2\n cmp_ge_u32 $c0, $s0, 32\n cbr $c0, @second\n"
        "cvt_u64_u32 $d2, $s0\n st_group_u64 $d2, [tile+$s4] // A\n@second:\n barrier\n"
        "ld_group_u32 $s5, [tile+$s3] // B\n",
        set(),
    ),
    "halves of a double word without a barrier": (
        "mul_u32 $s4, $s3, 2\n cmp_ge_u32 $c0, $s0, 32\n cbr $c0, @second\n"
        "cvt_u64_u32 $d2, $s0\n st_group_u64 $d2, [tile+$s4] // A\n@second:\n"
        "ld_group_u32 $s5, [tile+$s3] // B\n",
        {"SIM450 AB"},
    ),
    "atomics only": ("atomic_add_group_u32 [tile], $s0 // A\n".replace("[tile]", "[tile+$s3]"),
                     {"SIM454 A"}),
    "a counter of atomics": ("atomic_add_global_u32 [$d0], $s0\n", set()),
    "a counter of atomics that one loads": (
        "atomic_add_global_u32 [$d0], $s0 // A\n ld_global_u32 $s4, [$d0] // B\n",
        {"SIM452 AB"},
    ),
    "a counter that all load after a barrier, one workgroup": (
        "cmp_ne_u32 $c0, $s2, 0\n cbr $c0, @done\n"
        "atomic_add_global_u32 [$d0], $s0 // A\n barrier\n ld_global_u32 $s4, [$d0] // B\n@done:\n",
        set(),
    ),
    "a counter that one sets to zero first": (
        "cmp_ne_u32 $c0, $s0, 0\n cbr $c0, @set\n st_group_u32 $s2, [tile] // A\n@set:\n barrier\n"
        "atomic_add_group_u32 [tile], $s0 // B\n",
        set(),
    ),
    "a counter that one sets to zero without a barrier": (
        "cmp_ne_u32 $c0, $s0, 0\n cbr $c0, @set\n st_group_u32 $s2, [tile] // A\n@set:\n"
        "atomic_add_group_u32 [tile], $s0 // B\n",
        {"SIM452 AB"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("scheme", ["stack", "ppc", "per-thread"])
@pytest.mark.parametrize("name", CASES)
def test_race(name: str, scheme: str) -> None:
    body, expected = CASES[name]
    assert found(f"{HEAD}{body}    ret\n}}\n", groups=2, scheme=scheme) == expected


@pytest.mark.parametrize("warp", [1, 4, 64])
@pytest.mark.parametrize("name", ["reduction", "no barrier in the loop", "one buffer, one barrier"])
def test_races_do_not_depend_on_the_warp_width(name: str, warp: int) -> None:
    body, expected = CASES[name]
    assert found(f"{HEAD}{body}    ret\n}}\n", groups=2, warp=warp) == expected


def test_more_workgroups_than_are_resident_at_once() -> None:
    """Batches follow each other in the interpreter, which orders nothing."""
    body = "st_global_u32 $s0, [$d1] // A\n ld_global_u32 $s4, [$d0] // B\n"
    report = report_of(
        f"{HEAD}{body}    ret\n}}\n", groups=300, arrays=[np.zeros(300 * 64, np.uint32)]
    )
    (finding,) = report.errors
    assert finding.code == "SIM450"
    assert finding.count == 300 * 64 - 1


def test_a_finding_says_who_where_and_how_often() -> None:
    body, _ = CASES["no barrier in the loop"]
    (finding,) = report_of(f"{HEAD}{body}    ret\n}}\n", groups=2).findings
    later, earlier = finding.accesses
    assert (later.action, earlier.action) == ("load", "store")
    assert finding.place == "tile[16]"
    assert (later.group, later.item, earlier.item) == ((0,), (0,), (16,))
    assert finding.count == 2 * (16 + 8 + 4 + 2 + 1)
    text = render(finding.diagnostic())
    assert "work-item 0 of workgroup 0 loads tile[16]" in text
    assert "work-item 16 of workgroup 0 stores to tile[16]" in text
    assert "lanes of one warp" in finding.notes[0].message


def test_ids_have_the_dimensions_of_the_launch() -> None:
    source = """\
kernel k(global u32* %x) {
    ld_kernarg_u64 $d0, [%x]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workgroupid_u32 $s2, 1
    add_u32 $s0, $s0, $s1
    add_u32 $s0, $s0, $s2
    st_global_u32 $s0, [$d0+8]
    ret
}
"""
    report = report_of(source, groups=(1, 2), items=(4, 2))
    (finding,) = report.errors
    later, earlier = finding.accesses
    assert finding.place == "x[2]"
    assert len(later.item) == len(later.group) == 2
    assert later.item != earlier.item
    assert later.who.startswith("work-item (")


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("st_group_u32 $s0, [tile]", "give each work-item elements of its own"),
        ("st_group_u32 $s0, [tile+$s3]\n ld_group_u32 $s4, [tile]", "put a `barrier` between"),
    ],
)
def test_a_store_that_races_with_itself_needs_other_elements(body: str, hint: str) -> None:
    race = next(f for f in report_of(f"{HEAD} {body}\n ret\n}}\n").findings if f.code == "SIM450")
    assert race.hint.startswith(hint)
