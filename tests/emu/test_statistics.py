"""What a launch counts, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.engine import Interrupted, engine_names
from simtlab.emu.interp.interpreter import Interpreter
from simtlab.emu.schemes import SCHEMES
from simtlab.emu.statistics import Statistics

IF_ELSE = """
    kernel k() {
        workitemflatid_u32 $s0      // 0
        and_u32 $s1, $s0, 1
        cvt_b1_u32 $c0, $s1
        cbr $c0, @odd               // 3
        add_u32 $s2, $s0, 1
        br @join
    @odd:
        add_u32 $s2, $s0, 2         // 6
    @join:
        barrier                     // 7
        ret
    }
"""

EARLY_RETURN = """
    kernel k() {
        laneid_u32 $s0              // 0
        cmp_lt_u32 $c0, $s0, 2
        cbr $c0, @stay              // 2
        ret
    @stay:
        nop                         // 4
        ret
    }
"""


def count(text: str, scheme: str = "stack", engine: str = "interp", **launch: Any) -> Statistics:
    (kernel,) = simtlab.assemble(text)
    result = kernel.launch(scheme=scheme, engine=engine, stats=True, **launch)()
    assert result.statistics is not None
    return result.statistics


@pytest.mark.parametrize(
    ("scheme", "comparisons", "depth"), [("stack", 6, 3), ("ppc", 6, 1), ("per-thread", 54, 1)]
)
def test_an_if_else_in_a_whole_and_a_partial_warp(
    scheme: str, comparisons: int, depth: int
) -> None:
    # Warps of four and two lanes, half of which are odd; each issues every instruction once.
    s = count(IF_ELSE, scheme, items=6, group_size=6, warp=4)
    assert s.executions.tolist() == [2] * 9
    assert s.lanes.tolist() == [6, 6, 6, 6, 3, 3, 3, 6, 6]
    # While a path runs: its three instructions, in two warps. With a PC per thread: always, 4 + 2.
    assert (s.pc_comparisons, s.max_depth) == (comparisons, depth)
    assert s.to_dict() == {
        "warp_instructions": 18,
        "thread_instructions": 45,
        "activity_factor": 45 / 54,
        "branches": 4,
        "divergent_branches": 2,
        "barriers": 1,
        "pc_comparisons": comparisons,
        "max_depth": depth,
        "warps": 2,
    }


@pytest.mark.parametrize(("scheme", "depth"), [("ipdom-explicit", 3), ("ppc-explicit", 1)])
def test_explicit_schemes_issue_a_marker_per_side(scheme: str, depth: int) -> None:
    s = count(IF_ELSE, scheme, items=6, group_size=6, warp=4)
    assert s.executions.tolist() == [2, 2, 2, 2, 2, 2, 2, 4, 2, 2]
    assert s.lanes.tolist() == [6, 6, 6, 6, 3, 3, 3, 6, 6, 6]
    assert (s.pc_comparisons, s.max_depth, s.barriers) == (4, depth, 1)


def test_the_oracle_counts_work_items() -> None:
    s = count(IF_ELSE, engine="oracle", items=6, group_size=6, warp=4)
    assert s.executions.tolist() == s.lanes.tolist() == [6, 6, 6, 6, 3, 3, 3, 6, 6]
    assert (s.warps, s.branches, s.divergent_branches, s.barriers) == (6, 9, 0, 1)
    assert s.activity_factor == 1.0


@pytest.mark.parametrize("scheme", ["stack", "ppc", "per-thread"])
def test_lanes_that_returned_still_count_in_the_activity_factor(scheme: str) -> None:
    s = count(EARLY_RETURN, scheme, items=4, group_size=4, warp=4)
    assert s.executions.tolist() == [1] * 6
    assert s.lanes.tolist() == [4, 4, 4, 2, 2, 2]
    assert s.activity_factor == 18 / 24


@pytest.mark.parametrize("scheme", SCHEMES)
def test_warps_that_do_not_diverge_need_no_stack(scheme: str) -> None:
    text = IF_ELSE.replace("$s1, $s0, 1", "$s1, $s0, 4")
    s = count(text, scheme, items=8, group_size=8, warp=4)
    assert (s.divergent_branches, s.max_depth) == (0, 0)
    assert s.activity_factor == 1.0
    assert s.pc_comparisons == (4 * (8 + 7) if scheme == "per-thread" else 0)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("lanes", [1, 40, 10_000])
def test_counts_do_not_depend_on_how_many_workgroups_are_resident(
    lanes: int, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
        kernel k() {
            workitemflatabsid_u32 $s0
            and_u32 $s1, $s0, 7
        @loop:
            cmp_eq_u32 $c0, $s1, 0
            cbr $c0, @done
            sub_u32 $s1, $s1, 1
            br @loop
        @done:
            barrier
            ret
        }
    """
    whole = count(text, scheme, items=200, group_size=20, warp=8)
    monkeypatch.setattr("simtlab.emu.interp.interpreter.BATCH_LANES", lanes)
    parts = count(text, scheme, items=200, group_size=20, warp=8)
    assert parts.to_dict() == whole.to_dict()
    assert parts.executions.tolist() == whole.executions.tolist()
    assert parts.lanes.tolist() == whole.lanes.tolist()
    if scheme == "stack":
        # Four instructions a trip, two to leave the loop and four around it; the longest decides.
        longest = [max(i % 8 for i in range(w, min(w + 8, g + 20)))
                   for g in range(0, 200, 20) for w in range(g, g + 20, 8)]  # fmt: skip
        assert whole.warp_instructions == sum(4 * n + 6 for n in longest)


def test_counts_add_up() -> None:
    a = count(IF_ELSE, items=6, group_size=6, warp=4)
    b = count(IF_ELSE, "ppc", items=12, group_size=6, warp=4)
    total = a + b
    assert total.warp_instructions == 18 + 36
    assert total.activity_factor == (45 + 90) / (54 + 108)
    assert (total.max_depth, total.warps) == (3, 6)
    assert total.executions.tolist() == [6] * 9
    other = total + count(EARLY_RETURN, items=4)
    assert other.executions.size == 0
    assert other.barriers == 3


@pytest.mark.parametrize("engine", engine_names())
def test_counts_may_be_left_out(engine: str) -> None:
    (kernel,) = simtlab.assemble(IF_ELSE)
    result = kernel.launch(items=6, engine=engine, stats=False)()
    assert result.statistics is None or isinstance(result.statistics.executions, np.ndarray)


@pytest.mark.parametrize("scheme", ["stack", "per-thread"])
def test_an_interrupted_launch_tells_what_was_counted_and_can_be_repeated(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
        kernel k(global u32* %x) {
            ld_kernarg_u64 $d0, [%x]
            workitemflatid_u32 $s0
            add_u32 $s0, $s0, 50
        @loop:
            sub_u32 $s0, $s0, 1
            cmp_ne_u32 $c0, $s0, 0
            cbr $c0, @loop
            st_global_u32 $s0, [$d0]
            ret
        }
    """
    (kernel,) = simtlab.assemble(text)
    launch = kernel.launch(items=4, group_size=4, warp=4, engine="interp", scheme=scheme)
    usual = Interpreter.round

    def impatient(self: Interpreter) -> bool:
        if self.rounds == 11:
            raise KeyboardInterrupt
        return usual(self)

    x = np.ones(4, np.uint32)
    with monkeypatch.context() as patch:
        patch.setattr(Interpreter, "round", impatient)
        with pytest.raises(Interrupted) as caught:
            launch(x)
    assert str(caught.value) == "error[SIM430]: interrupted; the launch did not finish"
    counted = caught.value.statistics
    assert counted is not None
    # Three instructions before the loop, ten trips through it.
    assert counted.executions.tolist() == [1, 1, 1, 10, 10, 10, 0, 0]
    assert (counted.warp_instructions, counted.lane_slots) == (33, 132)
    launch(x)
    assert x.tolist() == [0, 1, 1, 1]


def test_statistics_are_equal_if_all_counts_are() -> None:
    first, second = (
        Statistics(branches=1, executions=np.array([1, 2]), lanes=np.array([4, 8]))
        for _ in range(2)
    )
    assert first == second
    second.lanes[1] = 9
    assert first != second
    assert first != Statistics(branches=1)
    assert first != "counts"
