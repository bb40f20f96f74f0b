"""What each lesson shows: a test that fails where the point is gone."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.engine import engine_names
from simtlab.emu.module import Module
from simtlab.emu.schemes import SCHEMES
from simtlab.isa.errors import SimtError
from simtlab.programs import catalogue, check, find
from simtlab.programs.runner import PlainLauncher
from simtlab.timing.compiler.files import POLICIES
from simtlab.timing.machines import machine as machines
from simtlab.timing.results.statistics import Statistics
from simtlab.timing.simulation.simulator import Simulator

PAGE = (Path(__file__).parents[2] / "docs" / "programs.md").read_text("utf-8")
WAYS = [*((name, "stack") for name in engine_names()), *(("interp", s) for s in SCHEMES)]

Runner = Callable[..., Any]


def simulate(
    lesson: str,
    size: str | Mapping[str, int],
    machine: str = "dws",
    policy: str = "conv",
    *,
    fields: Mapping[str, object] | None = None,
    plain: bool = True,
    right: bool = True,
    **options: Any,
) -> Statistics:
    """Simulate a lesson, whose result must be right or wrong, as told."""
    entry = find(f"lessons/{lesson}")
    workload = entry.workload
    parameters = workload.sizes[size] if isinstance(size, str) else size
    data = workload.make(np.random.default_rng(0), **parameters)
    before = copy.deepcopy(data)
    simulator = Simulator(machines.load(machine, fields or {}), POLICIES[policy], plain=plain)
    workload.launch(PlainLauncher.on(simulator, Module(assemble(entry.path)), **options), data)
    assert (not check(workload, data, before)) == right
    return simulator.statistics()


def code_of(caught: pytest.ExceptionInfo[SimtError]) -> str:
    return caught.value.first.code


@pytest.mark.parametrize(
    ("lesson", "size"),
    [
        (e.short, size)
        for e in catalogue()
        if e.folder == "lessons" and not e.workload.parameters  # whose sizes are not two sides
        for size in e.workload.sizes
        if size not in ("tiny", "small", "paper", "wrong")
    ],
)
def test_the_other_side_computes_the_same(run: Runner, lesson: str, size: str) -> None:
    other, small = (run(f"lessons/{lesson}", s) for s in (size, "small"))
    assert not other.mismatches
    assert other.instructions == small.instructions


def test_three_lessons_are_about_mistakes() -> None:
    wrong = {e.name for e in catalogue() if "wrong" in e.workload.sizes}
    assert wrong == {"lessons/barrier", "lessons/lockstep", "lessons/spinlock"}


def test_nested_ifs_halve_the_lanes(run: Runner) -> None:
    (counts,) = run("lessons/nested", "small", warp=8).launches
    warps = 4096 // 8
    assert set(counts.executions) == {warps}
    levels = [(8, 9), (4, 7), (2, 7), (1, 4), (8, 4)]
    assert (counts.lanes // warps).tolist() == [n for n, times in levels for _ in range(times)]
    assert counts.max_depth == 1 + 2 * 3


def test_ifs_that_whole_warps_enter_cost_no_lanes(run: Runner) -> None:
    (counts,) = run("lessons/nested", "agree", warp=8).launches
    assert (counts.activity_factor, counts.divergent_branches) == (1.0, 0)


@pytest.mark.parametrize("size", ["small", "sorted"])
def test_a_warp_makes_the_trips_of_its_longest_lane(run: Runner, size: str) -> None:
    found = run("lessons/trips", size, warp=8)
    (counts,) = found.launches
    longest = found.pristine["trips"].reshape(-1, 8).max(axis=1)
    assert counts.warp_instructions == 4 * longest.sum() + 11 * len(longest)


def test_sorted_trips_fill_the_warps(run: Runner) -> None:
    small, ordered = (run("lessons/trips", s, warp=8).launches[0] for s in ("small", "sorted"))
    assert small.activity_factor < 0.6
    assert ordered.activity_factor > 0.99


def test_half_of_a_warp_need_not_wait_for_the_other_half() -> None:
    conv, split = (simulate("missing", "tiny", policy=p) for p in ("conv", "dws.revive-split"))
    trips = 20
    assert conv.divergent_accesses == trips - 1  # at the first one all lanes miss
    assert split.splits_memory == 1
    assert conv.cycles > 1.6 * split.cycles


def test_lanes_that_run_ahead_fetch_for_the_others() -> None:
    conv, split = (simulate("runahead", "tiny", policy=p) for p in ("conv", "dws.revive-split"))
    assert conv.l1_misses == split.l1_misses
    assert split.splits_memory == split.merges_pc == 19
    assert conv.cycles > 1.6 * split.cycles


@pytest.mark.parametrize(
    ("warps", "latency", "wait", "gain"),
    [
        (1, 30, 0.87, 2.4),
        pytest.param(4, 30, 0.55, 1.3, marks=pytest.mark.slow),
        pytest.param(4, 300, 0.82, 1.8, marks=pytest.mark.slow),
    ],
)
def test_to_go_on_without_stragglers_gains_what_waiting_lost(
    warps: int, latency: int, wait: float, gain: float
) -> None:
    size = {"n": 16 * warps, "group": 16 * warps, "trips": 100}
    fields = {"wpus": 1, "l2.hit_latency": latency, "bus.bytes_per_cycle": 128}
    conv, split, limited = (
        simulate("stragglers", size, policy=p, fields=fields)
        for p in ("conv", "dws.revive-split", "dws.revive-split.bl")
    )
    assert 1 - conv.warp_instructions / conv.cycles == pytest.approx(wait, abs=0.02)
    assert conv.cycles / split.cycles == pytest.approx(gain, rel=0.1)
    assert conv.cycles / limited.cycles == pytest.approx(1, abs=0.01)


def test_splits_that_hide_nothing_cost_much() -> None:
    # One WPU; table and first level are an eighth of those at size `small`.
    size, fields = {"n": 64, "trips": 20, "words": 1 << 12}, {"wpus": 1, "l1d.size": 4096}
    conv, aggressive, revive = (
        simulate("splinters", size, policy=p, fields=fields)
        for p in ("conv", "dws.aggress-split", "dws.revive-split")
    )
    assert aggressive.mean_width < 12
    assert aggressive.cycles > 1.4 * conv.cycles
    assert revive.cycles < 1.05 * conv.cycles


def test_a_naive_lock_never_ends_in_a_warp(run: Runner) -> None:
    with pytest.raises(SimtError) as functional:
        run("lessons/spinlock", "wrong")
    with pytest.raises(SimtError) as timed:
        simulate("spinlock", "wrong", "toy", budget=200)
    assert code_of(functional) == code_of(timed) == "SIM407"


def test_a_naive_lock_ends_where_every_work_item_gets_a_turn(run: Runner) -> None:
    assert not run("lessons/spinlock", "wrong", engine="oracle").mismatches
    simulate("spinlock", "wrong", "toy", "dws.branch-only")


def test_a_patient_lock_ends(run: Runner) -> None:
    simulate("spinlock", "tiny", "toy")
    # tests/emu/jit leave this size out, because native code does not run a lock.
    assert not run("lessons/spinlock", "paper").mismatches


@pytest.mark.parametrize(("engine", "scheme"), WAYS)
def test_a_barrier_in_a_branch_traps(run: Runner, engine: str, scheme: str) -> None:
    with pytest.raises(SimtError) as caught:
        run("lessons/barrier", "wrong", engine=engine, scheme=scheme)
    assert code_of(caught) == "SIM405"


@pytest.mark.parametrize("policy", ["conv", "dws.branch-only", "ppc", "per-thread"])
def test_a_barrier_in_a_branch_traps_under_every_policy(policy: str) -> None:
    with pytest.raises(SimtError) as caught:
        simulate("barrier", "wrong", "toy", policy)
    assert code_of(caught) == "SIM405"
    simulate("barrier", "tiny", "toy", policy)


def test_lock_step_is_no_promise(run: Runner) -> None:
    hoping, meeting = {"sums": 60, "hoping": 1}, {"sums": 60, "hoping": 0}
    saved = simulate("lockstep", meeting).cycles - simulate("lockstep", hoping).cycles
    assert saved > 0
    simulate("lockstep", hoping, policy="dws.revive-split", right=False)
    simulate("lockstep", meeting, policy="dws.revive-split")
    assert run("lessons/lockstep", hoping, engine="oracle").mismatches


@pytest.mark.parametrize(("machine", "warps", "width"), [("toy", 4, 8), ("lwm", 1, 32)])
def test_lanes_of_one_bank_take_turns(machine: str, warps: int, width: int) -> None:
    padded, conflicting = (
        simulate("banks", {"tiles": 2, "line": line}, machine).issue_slots["unit"]
        for line in (33, 32)
    )
    assert padded == 0
    assert conflicting == 2 * warps * 32 * (width - 1)


def test_rows_of_memory_stay_open_for_those_who_go_along() -> None:
    along, across = (
        simulate("rows", {"n": 512, "trips": 33, "across": side}, "lwm") for side in (0, 1)
    )
    # A row has 32 lines, the first of which opens it; results and code come on top.
    assert along.row_hit_rate == pytest.approx(31 / 32, abs=0.01)
    assert across.row_hit_rate < 0.1
    assert along.dram_accesses == across.dram_accesses
    assert across.cycles > 1.5 * along.cycles


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lesson", "machine", "sides"),
    [
        ("missing", "dws", [("small", "conv"), ("small", "dws.revive-split")]),
        ("runahead", "dws", [("small", "conv"), ("small", "dws.revive-split")]),
        ("stragglers", "dws", [("small", "conv"), ("small", "dws.revive-split")]),
        ("splinters", "dws", [("small", "conv"), ("small", "dws.aggress-split")]),
        ("banks", "lwm", [("small", "conv"), ("conflicts", "conv")]),
    ],
)
def test_the_page_has_these_cycles(lesson: str, machine: str, sides: list[tuple[str, str]]) -> None:
    cycles = [simulate(lesson, size, machine, p, plain=False).cycles for size, p in sides]
    (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| [{lesson}](#lessons"))
    assert row.endswith("".join(f" | {n:,}" for n in cycles) + " |")
