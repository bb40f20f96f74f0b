"""Lanes that get their next work-items while others are in a loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.refilled import refilled
from simtlab.emu.jit.kernel.refilling import LEAST_ITEMS, SLICES
from simtlab.isa.program import Kernel

from ....support.flows import kernel_of
from ...support.agreement import same

FACTS = Facts(32, (64, 1, 1), True)
PARAMS = "global u32* %x, global u32* %y, u32 %n"
WIDTHS = (1, 7, 16, 32, 64)

BEGIN = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    {before}
"""
LOOP = """
    mov_u32 $s3, 0
@next:
    and_u32 $s4, $s2, 1
    cmp_eq_u32 $c1, $s4, 0
    cbr $c1, @even
    mul_u32 $s2, $s2, 3
    add_u32 $s2, $s2, 1
@even:
    shr_u32 $s2, $s2, 1
    {work}
    add_u32 $s3, $s3, 1
    cmp_gt_u32 $c0, $s2, 1
    cbr $c0, @next
"""
END = """
@stored:
    {after}
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s3, [$d2]
@done:
"""


def body(before: str = "", work: str = "", after: str = "", loop: str = LOOP) -> str:
    return BEGIN.format(before=before) + loop.format(work=work) + END.format(after=after)


def is_refilled(kernel: Kernel, facts: Facts = FACTS) -> bool:
    analysis = analyse(kernel)
    found = refilled(kernel, analysis.shapes(facts), analysis.lane_plan(facts))
    return found is not None


# --- which kernels


def test_a_loop_that_lanes_leave_in_different_iterations() -> None:
    assert is_refilled(kernel_of(body(), PARAMS))


@pytest.mark.parametrize(
    "other",
    [
        {"work": "ld_kernarg_u64 $d3, [%y]\n st_global_u32 $s3, [$d3]"},
        {"work": "ld_global_u32 $s5, [$d1]"},  # a neighbour of what other lanes load
        {"work": "@in:\n add_u32 $s5, $s5, 1\n cmp_lt_u32 $c1, $s5, 9\n cbr $c1, @in"},
        {"before": "barrier"},
        {"before": "workitemid_u32 $s5, 0"},
        {"before": "atomic_add_global_u32 $s5, [$d1], $s1"},
        {"after": "ld_kernarg_u64 $d3, [%x]\n mad_u64 $d3, $d0, 4, $d3\n st_global_u32 $s3, [$d3]"},
        {"loop": LOOP.replace("cmp_gt_u32 $c0, $s2, 1", "cmp_lt_u32 $c0, $s3, 9")},
    ],
    ids=["store", "neighbours", "nest", "barrier", "identity", "atomic", "own array", "together"],
)
def test_other_kernels_run_in_order(other: dict[str, str]) -> None:
    assert not is_refilled(kernel_of(body(**other), PARAMS))


# --- what they leave in memory

PAST = "and_u32 $s5, $s2, 3\n mov_u32 $s3, $s5\n cmp_eq_u32 $c0, $s5, 1\n cbr $c0, @stored"
MID = "and_u32 $s5, $s2, 31\n cmp_eq_u32 $c1, $s5, 5\n cbr $c1, @stored"
KEPT = "mul_u32 $s6, $s2, 5\n cvt_f32_u32 $s7, $s0\n add_f32 $s7, $s7, 0.5"
READ = "xor_u32 $s3, $s3, $s6\n cvt_u32_f32 $s7, $s7\n mad_u32 $s3, $s7, 7, $s3"
GATHER = (
    "and_u32 $s8, $s2, 15\n cvt_u64_u32 $d4, $s8\n ld_kernarg_u64 $d5, [%x]\n"
    " mad_u64 $d4, $d4, 4, $d5\n ld_global_u32 $s9, [$d4]\n xor_u32 $s6, $s6, $s9"
)
BEGUN = "add_u32 $s10, $s10, $s2"
"""A register that nothing has set before, in work-items of any turn."""

PARTS = {
    "plain": {},
    "past the loop": {"before": PAST},
    "two exits": {"work": MID},
    "kept": {"before": KEPT, "after": READ},
    "gathers": {"before": KEPT, "work": GATHER, "after": READ},
    "all": {"before": KEPT + "\n" + PAST, "work": GATHER + "\n" + MID, "after": READ},
    "registers are zero": {"work": BEGUN, "after": "xor_u32 $s3, $s3, $s10"},
    "exit at the top": {
        "loop": LOOP.replace("@next:", "@next:\n cmp_gt_u32 $c2, $s3, 40\n cbr $c2, @stored")
    },
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("width", WIDTHS)
def test_memory_is_the_oracle_s(part: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    text = f"kernel k({PARAMS}) {{ {body(**PARTS[part])} ret\n}}"
    assert is_refilled(kernel_of(body(**PARTS[part]), PARAMS))
    whole = ((256, 64), (1, 64)) if width == 32 else ()
    for items, group_size in ((300, 64), (100, 40), *whole):
        x = np.random.default_rng(items).integers(0, 1 << 9, max(items, 16), np.uint32)
        given = [x, np.zeros(items, np.uint32), np.uint32(items - items // 9)]
        same(text, given, items=items, group_size=group_size, width=width)


ROWS = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d2, $d0, 4, $d1
    ld_global_u32 $s2, [$d2]
    mov_u32 $s3, 0
    cmp_eq_u32 $c0, $s2, 0
    cbr $c0, @stored
@next:
    and_u32 $s5, $s2, 63
    cvt_u64_u32 $d3, $s5
    mad_u64 $d3, $d3, 4, $d1
    ld_global_u32 $s6, [$d3]
    and_u32 $s6, $s6, 63
    cvt_u64_u32 $d3, $s6
    mad_u64 $d3, $d3, 4, $d1
    ld_global_u32 $s6, [$d3]
    mad_u32 $s3, $s3, 3, $s6
    sub_u32 $s2, $s2, 1
    cmp_ne_u32 $c0, $s2, 0
    cbr $c0, @next
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_loops_that_never_run_for_one_lane_alone(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code for lanes that get work-items had such a loop for one lane, and was not valid."""
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    monkeypatch.setenv("SIMTLAB_LOOPS", "together")
    rows = ROWS + END.format(after="")
    assert not is_refilled(kernel_of(rows, PARAMS)), "lanes run alone"
    assert is_refilled(kernel_of(rows, PARAMS), replace(FACTS, together_from=1))
    x = np.random.default_rng(5).integers(0, 1 << 6, 300, np.uint32)
    given = [x, np.zeros(300, np.uint32), np.uint32(277)]
    text = f"kernel k({PARAMS}) {{ {rows} ret\n}}"
    same(text, given, items=300, group_size=64, width=width)


PLACES = """
kernel k(u32 %w, u32 %h, global u32* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    workitemabsid_u32 $s2, 2
    ld_kernarg_u32 $s3, [%w]
    ld_kernarg_u32 $s4, [%h]
    mad_u32 $s5, $s2, $s4, $s1
    mad_u32 $s5, $s5, $s3, $s0      // flat
    mul_u32 $s6, $s5, 2654435761
    mov_u32 $s7, 0
@next:
    mul_u32 $s6, $s6, 1664525
    add_u32 $s6, $s6, 1013904223
    add_u32 $s7, $s7, 1
    cmp_ge_s32 $c0, $s6, 0
    cbr $c0, @next
    mad_u32 $s7, $s1, 1000, $s7
    cvt_u64_u32 $d0, $s5
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d0, $d0, 4, $d1
    st_global_u32 $s7, [$d0]
    ret
}
"""


@pytest.mark.parametrize("items", [(40, 5, 1), (64, 3, 1), (37, 9, 2), (8, 8, 8), (5, 1, 7)])
@pytest.mark.parametrize("group_size", [(32, 1, 1), (8, 4, 1), (5, 3, 2)])
def test_places_in_the_grid(
    items: tuple[int, int, int], group_size: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    y = np.zeros(int(np.prod(items)), np.uint32)
    same(PLACES, [np.uint32(items[0]), np.uint32(items[1]), y], items=items, group_size=group_size)


SOME_PLACES = """
kernel k(global u32* %y) {{
    mov_u32 $s5, 0
    {read}
    mul_u32 $s6, $s5, 2654435761
    mov_u32 $s7, 0
@next:
    mul_u32 $s6, $s6, 1664525
    add_u32 $s6, $s6, 1013904223
    add_u32 $s7, $s7, 1
    cmp_ge_s32 $c0, $s6, 0
    cbr $c0, @next
    cvt_u64_u32 $d0, $s5
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d0, $d0, 4, $d1
    st_global_u32 $s7, [$d0]
    ret
}}
"""


@pytest.mark.parametrize("dimensions", ["0", "10", "20"])
@pytest.mark.parametrize("group_size", [(32, 1, 1), (64, 2, 1), (8, 2, 2)])
def test_places_in_some_dimensions(
    dimensions: str, group_size: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    read = "\n".join(f"workitemabsid_u32 $s1, {d}\n mad_u32 $s5, $s5, 64, $s1" for d in dimensions)
    y = np.zeros(64 * 64, np.uint32)
    text = SOME_PLACES.format(read=read)
    assert is_refilled(simtlab.assemble(text)["k"].kernel, Facts(32, group_size, True))
    same(text, [y], items=(64, 8, 4), group_size=group_size)


# --- long launches

ITEMS = LEAST_ITEMS * (SLICES + 1) + 77
LONG = f"kernel k({PARAMS}) {{ {body(before='div_u32 $s5, 1, $s2')} ret\n}}"


def steps_of(x: np.ndarray) -> np.ndarray:
    steps, values = np.zeros(x.size, np.uint32), x.astype(np.uint64)
    going = np.arange(x.size)
    while going.size:
        odd = values[going] & 1 != 0
        values[going[odd]] = (3 * values[going[odd]] + 1) & 0xFFFF_FFFF
        values[going] >>= np.uint64(1)
        steps[going] += 1
        going = going[values[going] > 1]
    return steps


@pytest.mark.parametrize("bad", [(), (5,), (ITEMS - 1,), (LEAST_ITEMS * 3 + 4000, ITEMS - 70)])
def test_the_lowest_trap_is_reported_and_what_is_below_has_run(bad: tuple[int, ...]) -> None:
    x = np.random.default_rng(2).integers(1, 1 << 20, ITEMS, np.uint32)
    expected = steps_of(x)
    x[list(bad)] = 0
    device = Device()
    launch = simtlab.assemble(LONG)["k"].launch(items=ITEMS, group_size=64, threads=1)
    given, y = device.to_device(x), device.zeros(ITEMS, np.uint32)
    if not bad:
        launch(given, y, np.uint32(ITEMS))
        np.testing.assert_array_equal(y.to_host(), expected)
        return
    with pytest.raises(Trap) as trap:
        launch(given, y, np.uint32(ITEMS))
    assert trap.value.record.group * 64 + trap.value.record.local == bad[0]
    below = bad[0] // 64 * 64
    np.testing.assert_array_equal(y.to_host()[:below], expected[:below])


def test_one_array_for_both_is_as_in_order() -> None:
    x = np.random.default_rng(3).integers(1, 1 << 20, ITEMS, np.uint32)
    device = Device()
    given = device.to_device(x)
    launch = simtlab.assemble(LONG)["k"].launch(items=ITEMS, group_size=64, threads=1)
    launch(given, given, np.uint32(ITEMS))
    np.testing.assert_array_equal(given.to_host(), steps_of(x))


@pytest.mark.parametrize("poison", [None, "0x5a5a5a5b"])
def test_a_work_item_without_an_end_spends_its_budget(
    poison: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if poison is not None:
        monkeypatch.setenv("SIMTLAB_POISON", poison)
    x = np.full(ITEMS, 9, np.uint32)
    endless = 12_345
    x[endless] = 77
    stuck = "cmp_eq_u32 $c1, $s6, 77\n mov_u32 $s11, 27\n select_u32 $s2, $c1, $s11, $s2"
    text = f"kernel k({PARAMS}) {{ {body(before='mov_u32 $s6, $s2', work=stuck)} ret\n}}"
    device = Device()
    launch = simtlab.assemble(text)["k"].launch(
        items=ITEMS, group_size=64, threads=1, budget=1 << 16
    )
    with pytest.raises(Trap) as trap:
        launch(device.to_device(x), device.zeros(ITEMS, np.uint32), np.uint32(ITEMS))
    assert trap.value.record.group * 64 + trap.value.record.local == endless
