"""Reads of registers, private and group memory and buffers that nothing has written."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab

from .support.kernels import found

FRAME = """\
kernel k(global u32* %x) {{
    .group u32 tile[64]
    .group u32 more[64]
    .group u32 counter[1]
    .private u32 own[4]
    .private u32 next[4]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s1
    mad_u64 $d1, $d1, 4, $d0
    shl_u32 $s3, $s0, 2
    {}
    ret
}}
"""

CASES = {
    "a register that no instruction writes": (
        "add_u32 $s4, $s5, 1 // A\n st_global_u32 $s4, [$d1]",
        {"SIM453 A"},
    ),
    "a register that is set": ("mov_u32 $s5, 0\n add_u32 $s4, $s5, 1", set()),
    "a register that one side of a branch sets": (
        "cmp_lt_u32 $c0, $s0, 60\n cbr $c0, @on\n mov_u32 $s5, 1\n@on:\n add_u32 $s4, $s5, 1 // A",
        {"SIM453 A"},
    ),
    "a register that one side sets, and all take it": (
        "cmp_lt_u32 $c0, $s0, 0\n cbr $c0, @on\n mov_u32 $s5, 1\n@on:\n add_u32 $s4, $s5, 1 // A",
        set(),
    ),
    "an address": ("ld_global_u32 $s4, [$d0]\n st_group_u32 $s4, [tile+$s6] // A",
                   {"SIM453 A", "(SIM451 A)"}),
    "the condition of a branch": ("cbr $c1, @on // A\n nop\n@on:\n", {"SIM453 A"}),
    "a wide constant": ("mov_u64 $d2, 0x123456789abcdef\n st_global_u64 $d2, [$d1]\n"
                        .replace("st_global_u64 $d2, [$d1]", "cvt_u32_u64 $s4, $d2"), set()),
    "a loop that sets it in its first iteration": (
        "mov_u32 $s4, 3\n@loop:\n cmp_ne_u32 $c0, $s4, 3\n cbr $c0, @later\n mov_u32 $s5, 7\n"
        "@later:\n add_u32 $s5, $s5, 1 // A\n sub_u32 $s4, $s4, 1\n cmp_ne_u32 $c0, $s4, 0\n"
        "cbr $c0, @loop",
        set(),
    ),
    "private memory": ("ld_private_u32 $s4, [own+4] // A", {"SIM454 A"}),
    "private memory after a store": (
        "st_private_u32 $s0, [own+4]\n ld_private_u32 $s4, [own+4] // A",
        set(),
    ),
    "private memory, half of a double word": (
        "st_private_u32 $s0, [own]\n ld_private_u64 $d2, [own] // A",
        {"SIM454 A"},
    ),
    "private memory, a byte of a word": (
        "st_private_u32 $s0, [own]\n ld_private_u8 $s4, [own+3] // A",
        set(),
    ),
    "private memory that another work-item wrote": (
        "cmp_ne_u32 $c0, $s0, 0\n cbr $c0, @on\n st_private_u32 $s0, [own]\n@on:\n"
        "ld_private_u32 $s4, [own] // A",
        {"SIM454 A"},
    ),
    "group memory": ("ld_group_u32 $s4, [tile+$s3] // A", {"SIM454 A"}),
    "group memory after a store": (
        "st_group_u32 $s0, [tile+$s3]\n ld_group_u32 $s4, [tile+$s3] // A",
        set(),
    ),
    "group memory that half of the workgroup wrote": (
        "cmp_ge_u32 $c0, $s0, 32\n cbr $c0, @on\n st_group_u32 $s0, [tile+$s3]\n@on:\n barrier\n"
        "ld_group_u32 $s4, [tile+$s3] // A",
        {"SIM454 A"},
    ),
    "a counter that starts at nothing": ("atomic_add_group_u32 [counter], $s0 // A", {"SIM454 A"}),
    "a counter that starts at zero": (
        "cmp_ne_u32 $c0, $s0, 0\n cbr $c0, @set\n st_group_u32 $s0, [counter]\n@set:\n barrier\n"
        "atomic_add_group_u32 [counter], $s0 // A",
        set(),
    ),
    "one element beyond the array, in the next": (
        "st_group_u32 $s0, [tile+$s3+4] // A",
        {"SIM411 A"},
    ),
    "the last element": ("st_group_u32 $s0, [tile+$s3] // A", set()),
    "one element before the array": (
        "st_group_u32 $s0, [tile+$s3]\n add_u32 $s4, $s3, 256\n"
        "st_group_u32 $s0, [more+$s4-260] // A",
        {"SIM411 A", "SIM450 A?"},
    ),
    "beyond a private array": (
        "and_u32 $s4, $s3, 12\n add_u32 $s4, $s4, 4\n st_private_u32 $s0, [own+$s4] // A",
        {"SIM411 A"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_unwritten_or_stray(name: str) -> None:
    body, expected = CASES[name]
    ours = {f for f in found(FRAME.format(body), groups=2)}
    expected = {f for f in expected if not f.startswith(("(", "SIM450"))}
    assert {f for f in ours if not f.startswith(("(", "SIM450"))} == expected


def test_group_memory_of_the_next_batch_is_unwritten_again() -> None:
    """More workgroups than are resident at once: a slot is used again, and is zero again."""
    body = (
        "cmp_ge_u32 $c0, $s1, 64\n cbr $c0, @on\n st_group_u32 $s0, [tile+$s3]\n@on:\n"
        "ld_group_u32 $s4, [tile+$s3] // A"
    )
    x = np.zeros(600 * 64, np.uint32)
    assert found(FRAME.format(body), groups=600, arrays=[x]) == {"SIM454 A"}


LOAD = """\
kernel k(global u32* %x) {
    workitemabsid_u32 $s1, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s1
    mad_u64 $d1, $d1, 4, $d0
    ld_global_u32 $s0, [$d1]
    add_u32 $s0, $s0, 1
    st_global_u32 $s0, [$d1]
    ret
}
"""


def codes(array: simtlab.DeviceArray, items: int = 8) -> list[tuple[str, str, int]]:
    kernel = simtlab.assemble(LOAD).k
    report = simtlab.check_run(kernel.launch(items=items), array)
    return [(f.code, f.place, f.count) for f in report.findings]


def test_an_array_of_unknown_content() -> None:
    device = simtlab.Device()
    assert codes(device.empty(8, np.uint32)) == [("SIM455", "x[0]", 8)]


def test_arrays_that_the_host_has_given() -> None:
    device = simtlab.Device()
    assert codes(device.zeros(8, np.uint32)) == []
    assert codes(device.to_device(np.empty(8, np.uint32))) == []
    filled = device.empty(8, np.uint32)
    filled.copy_from(np.ones(8, np.uint32))
    assert codes(filled) == []


def test_an_array_that_an_earlier_launch_has_written_in_part() -> None:
    from simtlab.emu.check.checker import Checker

    source = LOAD.replace("ld_global_u32 $s0, [$d1]", "mov_u32 $s0, 1")
    write, read = simtlab.assemble(source).k, simtlab.assemble(LOAD).k
    array = simtlab.Device().empty(8, np.uint32)
    checker = Checker()
    write.launch(items=5).run_by(checker.run, array)
    read.launch(items=8).run_by(checker.run, array)
    (finding,) = checker.report().findings
    assert (finding.code, finding.place, finding.count) == ("SIM455", "x[5]", 3)
