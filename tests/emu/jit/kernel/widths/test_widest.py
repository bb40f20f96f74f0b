"""Which kernels get warps of 128 lanes, where hosts gain by these, and that results are right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import simtlab
from simtlab import Trap
from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.width import BYTE_CHUNK, USUAL, WIDE, WIDEST, best_facts
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.oracle import oracle

from ....support.oracle_work import make
from ...support.agreement import same

LINE = Facts(USUAL, (256, 1, 1), True)


@pytest.fixture(autouse=True)
def a_host_with_units_as_wide_as_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_facts, "takes_many", lambda: True)
    monkeypatch.setattr(launch_facts, "takes_many_lines", lambda: True)


ROW = 256
"""Words of a row, in loops that do not read this number."""

FAR = "cvt_u64_u32 $d3, $s1\n shl_u64 $d3, $d3, 2"
"""Rows of a length that only a launch knows."""


def columns(body: str, carried: int = 1, row: str = f"mov_u64 $d3, {4 * ROW}") -> str:
    """A loop down the columns of a matrix, which carries some sums, and runs `body`."""
    sums = "\n".join(f"mov_u32 $s{20 + i}, {i}" for i in range(carried))
    adds = "\n".join(f"mad_u32 $s{20 + i}, $s{20 + i}, 3, $s4" for i in range(carried))
    total = "\n".join(f"add_u32 $s20, $s20, $s{21 + i}" for i in range(carried - 1))
    return f"""
        kernel k(u32 %n, u32 %rows, global u32* %x, global u32* %out) {{
            workitemabsid_u32 $s0, 0
            ld_kernarg_u32 $s1, [%n]
            cmp_ge_u32 $c0, $s0, $s1
            cbr $c0, @done
            ld_kernarg_u32 $s2, [%rows]
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%x]
            mad_u64 $d1, $d0, 4, $d1
            ld_kernarg_u64 $d2, [%out]
            mad_u64 $d2, $d0, 4, $d2
            {row}
            mov_u32 $s3, 0
            {sums}
        @next:
            ld_global_u32 $s4, [$d1]
            {body}
            {adds}
            add_u64 $d1, $d1, $d3
            add_u32 $s3, $s3, 1
            cmp_lt_u32 $c0, $s3, $s2
            cbr $c0, @next
            {total}
            st_global_u32 $s20, [$d2]
        @done:
            ret
        }}"""


DIVERGENT = "cmp_gt_u32 $c1, $s4, $s3\n cbr $c1, @skip\n xor_u32 $s4, $s4, 5\n@skip:"


def width_of(text: str, facts: Facts = LINE, *, many: bool = True, lines: bool = False) -> int:
    asked = (lambda: many), (lambda: False), (lambda: lines)
    return best_facts(assemble(text).kernels[0], facts, True, *asked).width


def test_loops_that_carry_little_get_128_lanes_where_they_gain() -> None:
    assert width_of(columns("")) == WIDEST
    assert width_of(columns(""), many=False) == WIDE
    assert width_of(columns("", carried=3)) == WIDEST
    assert width_of(columns("", carried=5)) == WIDE, "five times eight registers"
    products = [f"mul_u32 $s{40 + i}, $s4, {i}" for i in range(6)]
    sums = [f"mad_u32 $s4, $s4, $s4, $s{40 + i}" for i in range(6)]
    assert width_of(columns("\n".join(products + sums))) == WIDE, "six more at a time"
    assert width_of(columns(DIVERGENT)) == WIDE, "eight masks"
    work = "\n".join(f"xor_u32 $s4, $s4, {i}" for i in range(20))
    store = f"{work}\n st_global_u32 $s4, [$d1]"
    assert width_of(columns(work, carried=3)) == width_of(columns(store, carried=2)) == WIDEST
    assert width_of(columns(store, carried=3)) == WIDE, "what is stored needs registers as well"
    assert width_of(columns("", row=FAR)) == WIDE, "rows may be far apart"
    assert width_of(columns("", row=f"mov_u64 $d3, {8 * ROW}")) == WIDE, "they are"
    doubles = columns("cvt_f64_u32 $d8, $s4\n add_f64 $d9, $d9, $d8").replace(
        "st_global_u32 $s20", "st_global_u64 $d9"
    )
    assert width_of(doubles) == WIDE, "64 are eight vectors"
    again = "mov_u32 $s9, 4\n@again:\n mov_u64 $d4, $d1\n mov_u32 $s3, 0"
    repeated = columns("", row=FAR).replace("mov_u32 $s3, 0", again)
    repeated = repeated.replace("[$d1]", "[$d4]").replace("$d1, $d1, $d3", "$d4, $d4, $d3")
    until = "cbr $c0, @next\n sub_u32 $s9, $s9, 1\n cmp_gt_u32 $c0, $s9, 0\n cbr $c0, @again"
    repeated = repeated.replace("cbr $c0, @next", until)
    assert width_of(repeated) == WIDEST, "they come from the cache in the loop around"
    moving = repeated.replace("@again:", "@again:\n add_u64 $d1, $d1, 64")
    assert width_of(moving) == WIDE, "other rows in each iteration"


@pytest.mark.parametrize("many", [False, True])
def test_far_rows_where_the_host_loads_many_lines_of_them_sooner(many: bool) -> None:
    for row in (FAR, f"mov_u64 $d3, {8 * ROW}"):
        assert width_of(columns("", row=row), many=many, lines=True) == WIDEST
        assert width_of(columns("", carried=5, row=row), many=many, lines=True) == WIDE
        for words, width in ((32, WIDEST), (33, WIDE)):
            private = f".private u32 rows[{words}]\n workitemabsid_u32 $s0, 0"
            text = columns("", row=row).replace("workitemabsid_u32 $s0, 0", private)
            assert width_of(text, many=many, lines=True) == width
    assert width_of(columns(""), many=False, lines=True) == WIDE, "not far"


def test_far_rows_of_loops_that_wait() -> None:
    text = columns("div_f32 $s20, $s4, $s20\n add_f32 $s20, $s20, 1.0", row=FAR)
    assert width_of(text, lines=False) == WIDEST
    assert width_of(text, many=False, lines=False) == WIDE


@pytest.mark.parametrize(
    ("size", "width"), [((64, 1, 1), WIDE), ((192, 1, 1), WIDE), ((384, 1, 1), WIDEST)]
)
def test_they_fill_workgroups(size: tuple[int, int, int], width: int) -> None:
    assert width_of(columns(""), replace(LINE, group_size=size)) == width


def test_the_host_is_asked_only_if_it_matters() -> None:
    for text in (columns(DIVERGENT), columns("", carried=5)):
        best_facts(assemble(text).kernels[0], LINE, True, lambda: pytest.fail("asked"))


@pytest.mark.parametrize("n", [256, 255, 129, 128, 65, 3])
@pytest.mark.parametrize("body", ["", "shl_u32 $s4, $s4, $s3"])
def test_results_are_the_oracles(body: str, n: int) -> None:
    rows = 9
    x = np.random.default_rng(n).integers(0, 1 << 32, (rows, ROW), np.uint32)
    args = [n, rows, x, np.zeros(n, np.uint32)]
    same(columns(body, 3), args, items=512, group_size=256)


def test_rows_that_may_be_far_apart() -> None:
    n, rows = 129, 9
    x = np.random.default_rng(n).integers(0, 1 << 32, (rows, n), np.uint32)
    same(columns("", row=FAR), [n, rows, x, np.zeros(n, np.uint32)], items=512, group_size=256)


@pytest.mark.parametrize("lane", [0, 63, 64, 100, 127, 128, 250])
def test_the_lane_that_traps_is_found(lane: int) -> None:
    n, rows = 256, 4
    short = np.zeros((rows - 1) * n + lane, np.uint32)
    found = []
    for run in (execute, oracle.run):
        args = [n, rows, short.copy(), np.zeros(n, np.uint32)]
        with pytest.raises(Trap, match="out-of-bounds") as caught:
            run(make(columns(""), args, items=n, group_size=256))
        found.append((caught.value.record.local, caught.value.record.pc))
    assert found[0] == found[1]
    assert found[0][0] == lane


@pytest.mark.parametrize("rows", [300, 700, 5000])
def test_budgets_that_are_spent(rows: int) -> None:
    n, found = 256, []
    x = np.ones((rows, n), np.uint32)
    for run in (execute, oracle.run):
        args = [n, rows, x, np.zeros(n, np.uint32)]
        try:
            run(make(columns(""), args, items=n, group_size=256, budget=4000))
            found.append(args[-1].tolist())
        except Trap as trap:
            found.append(trap.record.kind)
    # Native code charges the shortest paths: it may let a work-item execute more.
    assert found[0] == found[1] or rows == 700


def test_bytes_in_loops_that_lanes_leave_one_after_the_other() -> None:
    text = """
        kernel k(u32 %n, global u8* %x, global u8* %out) {
            workitemabsid_u32 $s0, 0
            ld_kernarg_u32 $s1, [%n]
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%x]
            add_u64 $d1, $d1, $d0
            ld_kernarg_u64 $d2, [%out]
            add_u64 $d2, $d2, $d0
            ld_global_u8 $s4, [$d1]
            mov_u32 $s3, 0
        @next:
            ld_global_u8 $s5, [$d1]
            cmp_ne_u32 $c0, $s5, $s4
            cbr $c0, @out
            add_u64 $d1, $d1, 1
            add_u32 $s3, $s3, 1
            cmp_lt_u32 $c0, $s3, $s1
            cbr $c0, @next
            mov_u32 $s4, 9
        @out:
            st_global_u8 $s4, [$d2]
            ret
        }"""
    facts = best_facts(assemble(text).kernels[0], LINE, True, lambda: True)
    assert (facts.width, facts.chunk) == (WIDEST, BYTE_CHUNK)
    x = np.random.default_rng(4).integers(0, 2, 600).astype(np.uint8)
    same(text, [5, x, np.zeros(512, np.uint8)], items=512, group_size=256)


WAITS = (
    columns("")
    .replace("        @done:", "            {after}\n        @done:")
    .replace("st_global_u32 $s20, [$d2]", "barrier\n            st_global_u32 $s20, [$d2]")
    .replace("cbr $c0, @done", "")
)
"""`columns` with a barrier, and instructions after its store."""

LEAVES = """cmp_gt_u32 $c0, $s20, 1000
            cbr $c0, @more
            ret
        @more:
            st_global_u32 $s0, [$d2]"""
"""Some lanes return before others do, so that warps note which are left."""


@pytest.mark.parametrize(("after", "width"), [("", WIDEST), (LEAVES, WIDE)])
@pytest.mark.parametrize("stats", [False, True])
def test_barriers(after: str, width: int, *, stats: bool) -> None:
    text = WAITS.replace("{after}", after)
    assert width_of(text) == width
    x = np.random.default_rng(4).integers(0, 1000, (9, 512), np.uint32)
    module, found = simtlab.assemble(text), []
    for engine in ("jit", "interp"):
        out = np.zeros(512, np.uint32)
        launch = module.k.launch(items=512, group_size=256, engine=engine, stats=stats)
        result = launch(512, 9, x, out)
        counts = result.statistics if stats else None
        found.append((out.tolist(), counts and counts.to_dict()))
        assert result.engine == engine
    assert found[0] == found[1]
