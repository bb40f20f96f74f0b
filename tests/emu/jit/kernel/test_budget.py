"""How late native code ends a work-item that spends its budget, in iterations that it has run."""

from __future__ import annotations

import re

import numpy as np
import pytest

import simtlab
from simtlab import Device, TrapKind
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.llvm.toolchain import dump
from simtlab.emu.jit.runtime import helpers
from simtlab.emu.launch import Launch
from simtlab.emu.traps import Trap

BUDGET = 1 << 15


def straight(count: int) -> str:
    """So many instructions that LLVM computes with."""
    return "add_u32 $s3, $s3, $s1\n" * count


def endless(body: str, condition: str = "cmp_ne_u32 $c0, $s0, 1000") -> str:
    """A kernel that counts its iterations in x; it goes on while the condition holds.

    $s0 is the number of the work-item, $s1 that of its iterations.
    """
    return f"""
    kernel k(global u32* %x) {{
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        mov_u32 $s1, 0
        mov_u32 $s3, 0
    @loop:
        add_u32 $s1, $s1, 1
        st_global_u32 $s1, [$d0]
        {body}
        {condition}
        cbr $c0, @loop
        st_global_u32 $s3, [$d0]
        ret
    }}"""


def launched(text: str, items: int = 64) -> tuple[Launch, np.ndarray, TrapKind, int]:
    """Run a kernel until it traps; return x, the kind of trap, and the work-item."""
    launch = simtlab.assemble(text)["k"].launch(items=items, group_size=64, budget=BUDGET)
    x = Device().zeros(items, np.uint32)
    with pytest.raises(Trap) as caught:
        launch(x)
    record = caught.value.record
    assert record.local is not None
    return launch, x.to_host(), record.kind, record.local


@pytest.mark.parametrize("length", [0, 40, 1500])
def test_a_long_body_is_charged_as_a_whole(length: int) -> None:
    _, x, kind, item = launched(endless(straight(length)))
    assert kind is TrapKind.BUDGET
    executed = int(x[item]) * (length + 4)
    assert BUDGET < executed <= 2 * BUDGET + length + 4


@pytest.mark.parametrize("taken", [0, 1, 31])
def test_a_long_side_of_a_branch_is_charged_to_the_work_items_that_run_it(taken: int) -> None:
    side = f"""
        cmp_ne_u32 $c1, $s0, {taken}
        cbr $c1, @after
        {straight(1000)}
    @after:
    """
    _, x, kind, item = launched(endless(side))
    assert kind is TrapKind.BUDGET
    lengths = [6 + (1000 if i == taken else 0) for i in range(64)]
    assert item == taken
    assert BUDGET < int(x[item]) * lengths[item] <= 2 * BUDGET + lengths[item]


@pytest.mark.parametrize("iterations", [1, 7])
def test_an_inner_loop_is_charged_besides_the_body_around_it(iterations: int) -> None:
    inner = f"""
        mov_u32 $s4, 0
    @inner:
        {straight(300)}
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c1, $s4, $s5
        cbr $c1, @inner
        {straight(100)}
    """
    text = endless(inner).replace("mov_u32 $s3, 0", f"mov_u32 $s3, 0\n mov_u32 $s5, {iterations}")
    _, x, kind, item = launched(text)
    assert kind is TrapKind.BUDGET
    length = 4 + 1 + iterations * 303 + 100
    assert BUDGET < int(x[item]) * length <= 2 * BUDGET + length


@pytest.mark.parametrize(("rows", "length"), [(2, 3), (5, 20), (5, 400)])
def test_nests_of_loops_of_constant_counts_are_charged_as_a_whole(rows: int, length: int) -> None:
    """The inner loop is charged where the middle one is left, unless that would be late."""
    nest = f"""
        mov_u32 $s4, 0
    @row:
        mov_u32 $s5, 0
    @column:
        {straight(length)}
        add_u32 $s5, $s5, 1
        cmp_lt_u32 $c1, $s5, 4
        cbr $c1, @column
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c1, $s4, {rows}
        cbr $c1, @row
    """
    each = 5 + rows * (4 * (length + 3) + 4)
    _, x, kind, item = launched(endless(nest))
    assert kind is TrapKind.BUDGET
    assert BUDGET < int(x[item]) * each <= 2 * BUDGET + each
    within = endless(nest, f"cmp_lt_u32 $c0, $s1, {(BUDGET - 50) // each}")
    launch = simtlab.assemble(within)["k"].launch(items=64, group_size=64, budget=BUDGET)
    launch(Device().zeros(64, np.uint32))


@pytest.mark.parametrize("length", [0, 1500])
def test_a_work_item_that_has_not_spent_its_budget_does_not_trap(length: int) -> None:
    iterations = (BUDGET - 50) // (length + 4)
    text = endless(straight(length), f"cmp_lt_u32 $c0, $s1, {iterations}")
    launch = simtlab.assemble(text)["k"].launch(items=64, group_size=64, budget=BUDGET)
    launch(Device().zeros(64, np.uint32))


def test_work_items_that_take_turns_are_charged_their_own_iterations_only() -> None:
    # In each iteration one work-item runs the long side, and each has its turn.
    side = f"""
        and_u32 $s4, $s1, 63
        cmp_ne_u32 $c1, $s0, $s4
        cbr $c1, @after
        {straight(1000)}
    @after:
    """
    each = 7 * 64 + 1000
    rounds = (BUDGET - 100) // each
    text = endless(side, f"cmp_lt_u32 $c0, $s1, {64 * rounds}")
    launch = simtlab.assemble(text)["k"].launch(items=64, group_size=64, budget=BUDGET)
    launch(Device().zeros(64, np.uint32))


def in_wide_warp(body: str, width: int) -> str:
    """A kernel with two loops, whose lanes leave them together: its warps have many lanes."""
    barrier = "barrier" if width > 64 else ""
    return f"""
    kernel k(global u32* %x, u32 %most) {{
        .group u32 cells[{width}]
        workitemid_u32 $s0, 0
        ld_kernarg_u32 $s4, [%most]
        shl_u32 $s5, $s0, 2
        st_group_u32 $s0, [cells+$s5]
        {barrier}
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        mov_u32 $s1, 0
        mov_u32 $s3, 0
    @loop:
        add_u32 $s1, $s1, 1
        st_global_u32 $s1, [$d0]
        {body}
        cmp_lt_u32 $c0, $s1, $s4
        cbr $c0, @loop
    @tail:
        sub_u32 $s4, $s4, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @tail
        st_global_u32 $s3, [$d0]
        ret
    }}"""


@pytest.mark.parametrize(
    ("width", "taken"), [(16, 5), (32, 31), (64, 0), (64, 63), (256, 0), (256, 255)]
)
def test_a_helper_charges_the_work_items_of_warps(width: int, taken: int) -> None:
    # So long that no row runs vector by vector, of which the first would spend its budget first. A
    # workgroup that is one warp does not anyway.
    length = 60 if width > 64 else 160
    side = f"""
        cmp_ne_u32 $c1, $s0, {taken}
        cbr $c1, @after
        {straight(length)}
    @after:
    """
    program = simtlab.assemble(in_wide_warp(side, width))
    launch = program["k"].launch(items=width, group_size=width, budget=BUDGET)
    x = Device().zeros(width, np.uint32)
    with pytest.raises(Trap) as caught:
        launch(x, 1 << 31)
    facts = facts_of(program["k"].kernel, Geometry((width, 1, 1), (width, 1, 1), 32))
    assert facts.width == width
    assert "@simtlab_charge" in generate(program["k"].kernel, 0, facts)
    record = caught.value.record
    assert (record.kind, record.local) == (TrapKind.BUDGET, taken)
    executed = int(x.to_host()[taken]) * (length + 6)
    assert BUDGET < executed <= 2 * BUDGET + length + 6


def sides(count: int, taken: int, length: int) -> str:
    """Return branches past long sides, each of which one work-item runs."""
    return "".join(
        f"""
        cmp_ne_u32 $c1, $s0, {taken + at}
        cbr $c1, @after{at}
        {straight(length)}
    @after{at}:
    """
        for at in range(count)
    )


@pytest.mark.parametrize("taken", [0, 13, 28])
@pytest.mark.parametrize(("count", "by_helper"), [(2, False), (3, True)])
def test_a_helper_charges_one_loop_with_several_sides(
    count: int, by_helper: bool, taken: int
) -> None:
    length = 160
    text = endless(sides(count, taken, length))
    _, x, kind, item = launched(text)
    assert kind is TrapKind.BUDGET
    assert taken <= item < taken + count
    executed = int(x[item]) * (length + 4 + 2 * count)
    assert BUDGET < executed <= 2 * BUDGET + length + 4 + 2 * count
    kernel = simtlab.assemble(text)["k"].kernel
    facts = facts_of(kernel, Geometry((64, 1, 1), (64, 1, 1), 32))
    assert ("@simtlab_charge" in generate(kernel, 0, facts)) == by_helper


@pytest.mark.parametrize("width", [64, 256])
def test_lanes_that_take_turns_are_charged_one_by_one(width: int) -> None:
    # Of two halves each runs in every second iteration, so the mask changes all the time.
    side = f"""
        and_u32 $s6, $s1, 1
        shr_u32 $s7, $s0, {width.bit_length() - 2}
        cmp_ne_u32 $c1, $s6, $s7
        cbr $c1, @after
        {straight(50)}
    @after:
    """
    program = simtlab.assemble(in_wide_warp(side, width))
    launch = program["k"].launch(items=width, group_size=width, budget=BUDGET)
    x = Device().zeros(width, np.uint32)
    with pytest.raises(Trap) as caught:
        launch(x, 1 << 31)
    assert caught.value.record.kind is TrapKind.BUDGET
    executed = int(x.to_host()[caught.value.record.local or 0]) * (8 + 50 / 2)
    assert BUDGET <= executed <= 2 * BUDGET


def test_helpers_use_no_registers_that_are_not_preserved() -> None:
    # Of vector registers LLVM preserves a part only.
    code = dump(helpers.text(), "asm")
    assert not re.search(r"%[xyz]mm\d|%k[0-7]", code)
    called = set(re.findall(r"call\w*\s+(\w+)", code))
    assert all(name.startswith("simtlab_") for name in called)
