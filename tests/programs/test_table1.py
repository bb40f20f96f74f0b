"""lessons/table1: the rates that are asked for are measured, and what splitting gains at them."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import harmonic_mean
from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.isa.errors import UsageError
from simtlab.programs import find
from simtlab.programs.lessons import table1
from simtlab.programs.runner import PlainLauncher, run_program, size_of
from simtlab.timing.compiler.files import find as find_policy
from simtlab.timing.machines.machine import load
from simtlab.timing.results.statistics import Statistics
from simtlab.timing.simulation.simulator import Simulator

ENTRY = find("lessons/table1")
SIZES = ENTRY.workload.sizes
ROWS = ("fft", "filter", "hotspot", "lu", "merge", "short", "kmeans", "svm")
EXPENSIVE = {"l2.hit_latency": 300, "slots": 64, "wst_entries": 64}
PROGRAM = Module(assemble(ENTRY.path))

each_row = pytest.mark.parametrize("row", ROWS)


def simulate(
    row: str, policy: str = "conv", fields: Mapping[str, object] | None = None, **parameters: float
) -> Statistics:
    simulator = Simulator(load("dws", fields or {}), find_policy(policy))
    launcher = PlainLauncher.on(simulator, PROGRAM)
    run = run_program(ENTRY.with_parameters(**parameters), launcher, size=row)
    assert not run.mismatches
    return simulator.statistics()


def gain(row: str, fields: Mapping[str, object], **parameters: float) -> float:
    conv, split = (simulate(row, p, fields, **parameters) for p in ("conv", "dws.revive-split"))
    return conv.cycles / split.cycles


@each_row
def test_conv_has_the_rates_of_the_paper(row: str) -> None:
    """The tolerances are those that docs/programs.md states."""
    found, asked = simulate(row), SIZES[row]
    assert found.instructions_between_branches == pytest.approx(asked["branch_every"], rel=0.01)
    assert found.divergent_branch_share == pytest.approx(asked["branch_divergence"], abs=0.005)
    assert found.instructions_between_misses == pytest.approx(asked["miss_every"], rel=0.03)
    assert found.divergent_access_share == pytest.approx(asked["miss_divergence"], abs=0.02)
    degrees = np.array(found.degree_histogram)
    lanes = (degrees * np.arange(len(degrees))).sum() / degrees.sum() / found.width
    assert asked["miss_lanes"] < lanes < asked["miss_lanes"] + 0.03  # never no lane
    assert found.missed_lanes > 0


@pytest.mark.parametrize(
    ("name", "value", "measured"),
    [
        ("branch_every", 30, "instructions_between_branches"),
        ("branch_divergence", 0.15, "divergent_branch_share"),
        ("miss_every", 12.5, "instructions_between_misses"),
        ("miss_divergence", 0.3, "divergent_access_share"),
    ],
)
def test_a_rate_is_replaced_and_the_others_stay(name: str, value: float, measured: str) -> None:
    parameter: dict[str, Any] = {name: value}
    changed, usual = simulate("small", **parameter), simulate("small")
    rates = (
        "instructions_between_branches", "divergent_branch_share", "instructions_between_misses",
        "divergent_access_share",
    )  # fmt: skip
    for rate in rates:
        expected = value if rate == measured else getattr(usual, rate)
        assert getattr(changed, rate) == pytest.approx(expected, rel=0.05)


def test_the_share_of_lanes_is_that_of_divergent_accesses() -> None:
    degrees = np.array(simulate("small", miss_lanes=0.5).degree_histogram)
    assert (degrees * np.arange(len(degrees))).sum() / degrees.sum() == pytest.approx(8, rel=0.05)


def test_splitting_gains_what_the_paper_says_where_a_miss_takes_300_cycles() -> None:
    assert harmonic_mean([gain(row, {}, instructions=5_000) for row in ROWS]) < 1.1
    expensive = [gain(row, EXPENSIVE, instructions=5_000) for row in ROWS]
    assert harmonic_mean(expensive) == pytest.approx(1.7, abs=0.1)
    assert min(expensive) > 1


def test_what_the_gain_depends_on() -> None:
    assert gain("svm", EXPENSIVE) > 1.6
    assert gain("svm", EXPENSIVE, miss_divergence=0, branch_divergence=0) == 1
    assert gain("svm", EXPENSIVE, miss_divergence=0.1) < 1.15
    assert gain("svm", EXPENSIVE, miss_lanes=0.5) < 1.3
    assert gain("svm", EXPENSIVE, miss_every=200) < 1.2


@pytest.mark.parametrize("every", [0, 1, 2, 3, 4, 8, 100])
@pytest.mark.parametrize("size", SIZES)
def test_every_row_goes_together_with_any_barriers(size: str, every: int) -> None:
    a = {**SIZES[size], "barrier_every": every}
    chosen = table1.mix(
        a["instructions"], a["branch_every"], a["branch_divergence"], a["miss_every"], every
    )
    assert chosen.every == (every or chosen.iterations)
    assert chosen.iterations % chosen.every == 0
    length = chosen.body.instructions + chosen.works * chosen.body.work
    per_barrier, branches = length * every + 4, 2 * every + 1
    if every:
        assert per_barrier / branches == pytest.approx(a["branch_every"])
        assert chosen.diverges * every / branches == pytest.approx(a["branch_divergence"])
        misses = chosen.misses * chosen.body.accesses * every
        assert per_barrier / misses == pytest.approx(a["miss_every"])


@pytest.mark.parametrize("body", table1.BODIES, ids=lambda b: f"accesses{b.accesses}")
def test_the_table_of_bodies_is_that_of_the_source(body: table1.Body) -> None:
    kernel = next(k for k in PROGRAM.program.kernels if k.name == f"accesses{body.accesses}")
    code = kernel.instructions
    branches = [i for i, ins in enumerate(code) if ins.row.is_conditional]
    choice, inner, outer = branches
    begin = code[inner].target
    assert outer - inner == table1.BARRIER
    assert code[outer].target == begin
    loop = code[begin : inner + 1]
    assert [i.row.name for i in loop].count("ld_global_u64") == body.accesses
    assert len(loop) == body.longest
    assert code[choice].target == choice + 1 + body.work
    assert [i.row.name for i in loop].count("mad_u32") == body.always + body.work
    assert code[choice].subdivide


def test_a_chain_is_a_ring_of_places() -> None:
    rng = np.random.default_rng(0)
    misses = rng.random((3, table1.STEPS, table1.LANES)) < 0.3
    misses[:, :5] = True
    first, nodes = table1._chains(misses)
    place, places = first.copy(), []
    for _ in range(table1.STEPS):
        places.append(place)
        place = place + nodes[place // np.uint64(8)]
    assert (place == first).all()
    every = np.array(places).astype(np.int64)
    assert len(np.unique(every)) == every.size
    hot = every // table1.LINE % 32 < table1.HOT_SETS
    assert (hot == ~misses.transpose(1, 0, 2).reshape(hot.shape)).all()
    # Lanes that hit share a line, lanes that all miss do, and any other has its own.
    lines = (every // table1.LINE).reshape(table1.STEPS, 3, table1.LANES).transpose(1, 0, 2)
    for w, step in np.ndindex(3, table1.STEPS):
        lane_misses = misses[w, step]
        shared = 1 if lane_misses.all() else (not lane_misses.all()) + lane_misses.sum()
        assert len(set(lines[w, step])) == shared


def test_shares_of_all_warps_are_exact() -> None:
    counts = table1._spread(16, 48, 0.29, 0.29 * 0.8)
    assert counts.sum(axis=0).tolist() == [223, 178]
    assert counts.max(axis=0).tolist() == [14, 12]
    assert (table1._spread(5, 48, 1.0, 0.0) == [48, 0]).all()


def test_parameters_replace_those_of_a_size() -> None:
    entry = ENTRY.with_parameters(n=3.0, miss_every=30)
    assert size_of(entry, "lu") == {**SIZES["lu"], "n": 3, "miss_every": 30}
    assert size_of(entry.with_parameters(n=4), "lu")["n"] == 4
    assert size_of(ENTRY, "lu") == SIZES["lu"]
    run = run_program(entry.with_parameters(instructions=100), size="lu")
    assert (len(run.data["y"]), run.mismatches) == (3, [])


@pytest.mark.parametrize(
    ("program", "parameters", "message"),
    [
        ("table1", {"n": 0}, "lessons/table1 cannot have n=0: expected a whole number from 1 to"),
        ("table1", {"n": "3"}, "cannot have n='3'"),
        ("table1", {"n": True}, "cannot have n=True"),
        ("table1", {"miss_lanes": 1.01}, "expected a number from 0 to 1"),
        ("table1", {"miss_every": float("nan")}, "cannot have miss_every=nan"),
        ("table1", {"trips": 3}, "has no parameter 'trips'"),
        ("saxpy", {"n": 3}, "basics/saxpy has no parameters"),
    ],
)
def test_a_parameter_that_is_not_possible(program: str, parameters: dict, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        find(program).with_parameters(**parameters)
    assert caught.value.first.code == "SIM515"
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"branch_every": 79}, "expected about 7.3 to 78.2"),
        ({"branch_every": 7.2}, "expected about 7.3 to 78.2"),
        ({"miss_every": 4.49}, "miss_every=4.49 with branch_every=16: expected at least 4.50"),
    ],
)
def test_rates_that_do_not_go_together(parameters: dict, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        run_program(ENTRY.with_parameters(**parameters))
    assert message in str(caught.value)
    run_program(ENTRY.with_parameters(miss_every=4.5, instructions=1000))
