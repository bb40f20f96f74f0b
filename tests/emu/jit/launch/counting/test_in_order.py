"""Launches that native code counts in the interpreter's order: races, barriers, traps, budgets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.launch import in_order, order
from simtlab.emu.jit.runtime.helpers import forget_threads
from simtlab.emu.traps import Trap
from simtlab.isa.program import MOST_TABLES
from simtlab.isa.table import BY_NAME
from simtlab.isa.types import Segment as MemorySegment

from ....support.counts import ORDER, counted_by, engines, lanes_in_turn
from ....support.owned_places import numbers

RACE = """
kernel race(global u32* %x, u32 %n) {
    .group u32 last[1]
    .private u32 seen[4]
        workitemflatabsid_u32 $s0
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u32 $s1, [%n]
        mov_u32 $s5, 3
    @turn:
        cvt_u64_u32 $d1, $s0
        mad_u64 $d1, $d1, 4, $d0
        ld_global_u32 $s2, [$d1]            // what others may have stored
        rem_u32 $s3, $s2, $s1
        cvt_u64_u32 $d2, $s3
        mad_u64 $d2, $d2, 4, $d0
        and_u32 $s6, $s2, 3
        mul_u32 $s6, $s6, 4
        st_private_u32 $s2, [seen+$s6]
        and_u32 $s4, $s2, 1
        cmp_eq_u32 $c0, $s4, 0
        cbr $c0, @even
        mov_u32 $s8, 1
        atomic_add_global_u32 $s4, [$d2], $s8
        st_group_u32 $s4, [last]
        br @next
    @even:
        st_global_u32 $s0, [$d2]            // several to one place
        ld_group_u32 $s4, [last]
        cmp_gt_u32 $c0, $s4, 9999
        cbr $c0, @gone
    @next:
        ld_private_u32 $s6, [seen+4]
        add_u32 $s4, $s4, $s6
        add_u32 $s0, $s4, $s0
        rem_u32 $s0, $s0, $s1
        sub_u32 $s5, $s5, 1
        cmp_ne_u32 $c0, $s5, 0
        cbr $c0, @turn
    @gone:
        ret
}"""


def test_who_is_first_decides() -> None:
    """Groups of 50 leave lanes out; the larger grid takes two batches."""
    assert engines(RACE, numbers(470), 470, items=470, widths=(7, 64)) == {ORDER}
    x = numbers(17_000)
    assert engines(RACE, x, 17_000, items=17_000, group_size=64, widths=(32,)) == {ORDER}


def test_lanes_in_turn() -> None:
    with lanes_in_turn():
        assert engines(RACE, numbers(470), 470, items=470, widths=(1, 7, 64)) == {ORDER}
        assert engines(BARRIERS, numbers(320), items=320, group_size=64, widths=(16, 32)) == {ORDER}


LOOKS = """
kernel looks(global u32* %x, u32 %n) {
        workitemflatabsid_u32 $s0
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u32 $s1, [%n]
        mov_u32 $s5, 3
        br @turn
    @low:                                   // before the loop, in which others still load
        cvt_u64_u32 $d2, $s4
        mad_u64 $d2, $d2, 4, $d0
        st_global_u32 $s0, [$d2]
        br @next
    @turn:
        cvt_u64_u32 $d1, $s0
        mad_u64 $d1, $d1, 4, $d0
        ld_global_u32 $s2, [$d1]
        and_u32 $s3, $s2, 15
        rem_u32 $s4, $s2, $s1
        cmp_lt_u32 $c0, $s3, 3
        cbr $c0, @low
    @look:                                  // a block without stores, which warps repeat alone
        cvt_u64_u32 $d2, $s4
        mad_u64 $d2, $d2, 4, $d0
        ld_global_u32 $s6, [$d2]
        add_u32 $s4, $s4, $s6
        rem_u32 $s4, $s4, $s1
        sub_u32 $s3, $s3, 1
        cmp_gt_s32 $c0, $s3, 0
        cbr $c0, @look
    @next:
        add_u32 $s0, $s0, $s4
        rem_u32 $s0, $s0, $s1
        sub_u32 $s5, $s5, 1
        cmp_ne_u32 $c0, $s5, 0
        cbr $c0, @turn
        ret
}"""


def test_warps_repeat_a_loop_that_only_loads() -> None:
    assert engines(LOOKS, numbers(470), 470, items=470, widths=(7, 64)) == {ORDER}


def _atomics() -> str:
    """Return a kernel with every atomic: what each finds goes into operands of the next ones."""
    lines = []
    for number, row in enumerate(row for row in BY_NAME.values() if row.is_atomic):
        assert row.type is not None
        place = "$d0" if row.segment is MemorySegment.GLOBAL else "cells"
        wide, cls = row.type.bits == 64, row.type.reg.value
        sources = ", ".join(f"${cls}{6 + i}" for i in range(len(row.srcs)))
        lines += [f"{row.name} ${cls}5, [{place}+{8 * (number % 64)}], {sources}"]
        lines += ["cvt_u32_u64 $s5, $d5"] if wide else []
        lines += ["add_u32 $s6, $s6, $s5", "xor_u32 $s7, $s7, $s6", "cvt_u64_u32 $d7, $s6"]
        lines += ["add_u64 $d6, $d6, $d7"]
    body = "\n        ".join(lines)
    return f"""
kernel atomics(global u32* %x) {{
    .group u64 cells[64]
        workitemflatabsid_u32 $s6
        ld_kernarg_u64 $d0, [%x]
        mov_u32 $s7, 0x80000007
        cvt_u64_u32 $d6, $s6
        {body}
        and_u32 $s7, $s7, 1
        cmp_eq_u32 $c0, $s7, 0
        cbr $c0, @end
        atomic_add_global_u32 [$d0], $s6
    @end:
        ret
}}"""


def test_every_atomic() -> None:
    """Another thread than the first that has atomics takes locked ones."""
    text = _atomics()
    x = numbers(256)
    assert engines(text, x, items=90, widths=(16,)) == {ORDER}
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(engines, text, x, items=90, widths=(16,))
        assert other.result() == {ORDER}
    forget_threads()


BARRIERS = """
kernel rounds(global u32* %x) {
    .group u32 places[64]
        workitemflatid_u32 $s0
        workitemflatabsid_u32 $s1
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s2, [$d0]
        and_u32 $s3, $s2, 63
        mul_u32 $s3, $s3, 4
        mov_u32 $s4, 4
        mov_u32 $s8, 1
    @round:
        atomic_add_group_u32 $s5, [places+$s3], $s8
        barrier
        and_u32 $s6, $s5, 1
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @even
        ld_group_u32 $s7, [places+$s3]
        add_u32 $s2, $s2, $s7
    @even:
        barrier
        sub_u32 $s4, $s4, 1
        cmp_ne_u32 $c0, $s4, 0
        cbr $c0, @round
        st_global_u32 $s2, [$d0]
        ret
}"""


def test_barriers() -> None:
    assert engines(BARRIERS, numbers(320), items=320, group_size=64, widths=(1, 16, 32)) == {ORDER}


ALONE = """
kernel alone(global u32* %x, global u32* %y, u32 %wrong) {
        workitemflatabsid_u32 $s0
        ld_kernarg_u64 $d0, [%x]
        mov_u32 $s8, 1
        atomic_add_global_u32 $s1, [$d0], $s8
        ld_kernarg_u32 $s2, [%wrong]
        cmp_ne_u32 $c0, $s1, $s2
        cbr $c0, @right
        WRONG
    @right:
        cvt_u64_u32 $d1, $s1
        ld_kernarg_u64 $d2, [%y]
        mad_u64 $d1, $d1, 4, $d2
        st_global_u32 $s0, [$d1]
        ret
}"""

TABLE = """
.readonly u32 odd[2] = { A, B }
.readonly u8 rest[MOST] = { 1 }             // too large to be a part of the code
kernel table(global u32* %x, u32 %n) {
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u32 $s1, [%n]
        atomic_add_global_u32 $s2, [$d0], $s1
        and_u32 $s3, $s2, 4
        ld_readonly_u32 $s4, [odd+$s3]
        cmp_gt_u32 $c0, $s4, 8
        cbr $c0, @done
        cvt_u64_u32 $d1, $s3
        add_u64 $d1, $d1, $d0
        st_global_u32 $s4, [$d1+4]
    @done:
        ret
}"""


def test_what_a_launch_leaves_to_the_next() -> None:
    """Launches of one shape share a block: other arguments, arrays, grids and programs follow."""
    for a, b in ((3, 9), (11, 5), (3, 9)):
        text = TABLE.replace("A", str(a)).replace("B", str(b)).replace("MOST", str(MOST_TABLES))
        for n, items in ((1, 20_000), (2, 40_000)):
            args = numbers(8), n
            assert engines(text, *args, items=items, group_size=64, widths=(32,)) == {ORDER}


WRONG = {
    "trap": "trap 7",
    "a division": "sub_u32 $s2, $s1, $s2\n        div_u32 $s1, $s1, $s2",
    "an access": "st_global_u32 $s1, [$d0+4000]",
    "a loop": "@more:\n        br @more",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_the_interpreter_reports_what_goes_wrong(wrong: str) -> None:
    (kernel,) = simtlab.assemble(ALONE.replace("WRONG", WRONG[wrong]))
    found: list[Any] = []
    for engine in ("jit", "interp"):
        launch = kernel.launch(items=100, group_size=20, engine=engine, stats=True, budget=5000)
        x, y = np.zeros(1, np.uint32), np.zeros(100, np.uint32)
        with pytest.raises(Trap) as caught:
            launch(x, y, 70)
        found.append((caught.value.record, x.tolist(), y.tolist()))
        result, who = counted_by(launch, np.zeros(1, np.uint32), y, 1000)
        assert who == (ORDER if engine == "jit" else "interp")
        assert result.statistics is not None
        assert result.statistics.divergent_branches == 0
    assert found[0] == found[1]


def test_a_warp_that_runs_for_long_is_left_to_the_interpreter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(in_order, "MOST_STEPS", 30)
    monkeypatch.setattr(in_order, "MOST_SPINNING", 30)
    assert engines(RACE, numbers(470), 470, items=470) == {"interp"}


LANES = """
kernel lanes(global u32* %x) {
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s1, [$d0]
        mov_u32 $s4, 5
    @turn:
        cmp_gt_u32 $c0, $s1, 100
        activelanecount_u32 $s2, $c0
        shr_u32 $s1, $s1, 1
        sub_u32 $s4, $s4, 1
        cmp_eq_u32 $c1, $s4, 0
        cbr $c0, @large                     // both sides repeat the loop, and leave it
        activelaneid_u32 $s3
        add_u32 $s2, $s2, $s3
        cbr $c1, @done
        br @turn
    @large:
        cbr $c1, @done
        br @turn
    @done:
        CLOCK
        st_global_u32 $s2, [$d0]
        ret
}"""


def test_lanes_that_look_at_each_other() -> None:
    text = LANES.replace("CLOCK", "")
    assert engines(text, numbers(150), widths=(32, 64)) == {ORDER}
    clock = "clock_u64 $d2\n        cvt_u32_u64 $s2, $d2"
    assert engines(LANES.replace("CLOCK", clock), numbers(150)) == {"interp"}


BALLOT = """
kernel ballot(global u32* %x) {
        workitemabsid_u32 $s0, 0
        ld_kernarg_u64 $d0, [%x]
        cvt_u64_u32 $d1, $s0
        mad_u64 $d0, $d1, 4, $d0
        ld_global_u32 $s1, [$d0]
        cmp_lt_u32 $c0, $s1, 500
        activelanecount_u32 $s2, $c0
        st_global_u32 $s2, [$d0]
        ret
}"""


@pytest.mark.parametrize(
    ("least", "with_loops", "has_loop", "by"),
    [
        (1, 1 << 19, True, "jit"),
        (1 << 19, 1 << 19, True, "interp"),
        (1 << 19, 1, True, "jit"),
        (1 << 19, 1, False, "interp"),
        (1, 1, False, "jit"),
    ],
)
def test_long_launches_are_native_if_nothing_is_counted(
    least: int, with_loops: int, has_loop: bool, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, "LONG_IN_ORDER", least)
    monkeypatch.setattr(order, "LONG_WITH_LOOPS", with_loops)
    monkeypatch.setattr(order, "keeps_stack", lambda *_: False)  # as where no layout is found
    (kernel,) = simtlab.assemble(LANES.replace("CLOCK", "") if has_loop else BALLOT)
    found = []
    for name in (None, "interp"):
        x = numbers(150)
        result = kernel.launch(items=150, group_size=50, engine=name)(x)
        found.append((x.tolist(), result.engine))
    assert found == [(found[0][0], by), (found[0][0], "interp")]
