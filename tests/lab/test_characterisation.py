"""The papers' tables beside ours: what is alike, what is told of what is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simtlab.lab import Result, experiments, find
from simtlab.lab.characterisation import Characterisation, Metric, load
from simtlab.programs import catalogue
from simtlab.timing.machines import machine as machines
from simtlab.timing.results.statistics import Statistics

COUNT = Metric("k", "between branches", "count")
SHARE = Metric("k", "divergent branches", "share")
CLASS = Metric("k", "idle", "class")
TABLES = [e for e in experiments() if isinstance(e, Characterisation)]


@pytest.mark.parametrize(
    ("metric", "ours", "theirs", "alike"),
    [
        (COUNT, 15, 10, True),
        (COUNT, 15.1, 10, False),
        (COUNT, 10, 15.1, False),
        (COUNT, 0, 0, True),
        (COUNT, 5, 0, False),
        (replace(COUNT, negligible=1000), 999, 0, True),
        (replace(COUNT, negligible=1000), 1001, 0, False),
        (SHARE, 0.0, 0.05, True),  # five points
        (SHARE, 0.0, 0.051, False),
        (SHARE, 0.9, 0.61, True),  # less than one and a half times
        (SHARE, 0.0, "none", True),
        (SHARE, 0.3, "none", False),
        (CLASS, "low", "low", True),
        (CLASS, "low", "medium", False),
    ],
)
def test_what_is_alike(metric, ours, theirs, alike):
    assert metric.alike(ours, theirs) is alike


@pytest.mark.parametrize(
    ("metric", "ours", "theirs", "text"),
    [
        (COUNT, 5, 10, "between branches 0.5 times"),
        (COUNT, 500, 10, "between branches 50 times"),
        (COUNT, 0, 10, "between branches 0.0 for 10"),
        (SHARE, 0.039, 0.69, "divergent branches 3.9% for 69%"),
        (SHARE, 0.3, "none", "divergent branches 30% for none"),
        (CLASS, "low", "high", "idle low for high"),
    ],
)
def test_how_figures_are_apart(metric, ours, theirs, text):
    assert metric.apart(ours, theirs) == text


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_tables_name_programs_sizes_and_machines_that_there_are(table):
    sizes = {e.name: e.workload.sizes for e in catalogue()}
    assert table.machine in machines.names()
    for scale in ("small", "paper"):
        assert all(s.size in sizes[s.program] for s in table.runs(scale))
    assert {c for claim in table.claims for c in claim.most} <= {r.program for r in table.rows}


def counted(*, branches: int, divergent: int, misses: int, parted: int) -> Statistics:
    return Statistics(
        cycles=10_000, wpus=1, width=16, warp_instructions=5900, branches=branches,
        divergent_branches=divergent, miss_accesses=misses, divergent_accesses=parted,
        accesses=misses,
    )  # fmt: skip


AS_PUBLISHED = counted(branches=100, divergent=3, misses=843, parted=590)  # fft's row
FEW_MISSES = counted(branches=100, divergent=3, misses=59, parted=6)


def report(**by_short: Statistics):
    table = load("dws-tab1")
    found = {
        run: Result(run, stats, "0" * 16, 0.1)
        for run in table.runs("paper")
        if (stats := by_short.get(run.program.partition("/")[2])) is not None
    }
    return table.report(found, "paper")


def test_a_row_like_the_papers():
    found = report(fft=AS_PUBLISHED)
    (row,) = found.to_dict()["rows"]
    assert (row["verdict"], row["apart"]) == ("alike", [])
    assert row["ours"]["instructions_between_branches"] == 59
    assert list(found.remarks()) == []
    assert found.table().rows == (
        (
            "dws/fft", "59 (59) ", "3.0% (3.4%) ", "7.0 (7.0) ", "10 (10) ", "70% (69%) ",
            "alike, 5 of 5",
        ),
    )  # fmt: skip


def test_a_row_that_is_another_says_in_what_and_why():
    found = report(fft=FEW_MISSES)
    (row,) = found.to_dict()["rows"]
    assert row["verdict"] == "unlike"  # three of five
    assert row["apart"] == [
        "instructions_between_misses",
        "instructions_between_divergent_misses",
        "divergent_access_share",
    ]
    ((program, text),) = found.remarks()
    assert program == "dws/fft"
    assert text.startswith(
        "between misses 14 times, between divergent misses 98 times, divergent misses 10% for 69%: "
    )
    assert text.endswith(row["why"])
    assert "100 (7.0)\\*" in found.markdown()


def test_a_report_of_a_part_names_the_rest():
    found = report(fft=AS_PUBLISHED, lu=FEW_MISSES)
    assert "not measured: dws/filter, dws/hotspot, dws/merge" in found.summary
    assert found.to_dict()["claims"] == []  # they are about all programs
    empty = report()
    assert empty.text().count("\n") > 5
    assert empty.to_dict()["judged"] == 0


def test_claims_look_at_programs_beside_each_other():
    shorts = [row.program.partition("/")[2] for row in load("dws-tab1").rows]
    calm = counted(branches=100, divergent=1, misses=100, parted=10)
    wild = replace(calm, divergent_branches=50)
    everyone = dict.fromkeys(shorts, calm)
    diverge, _ = report(**{**everyone, "short": wild, "merge": wild}).to_dict()["claims"]
    assert diverge["holds"]
    diverge, _ = report(**{**everyone, "short": wild, "lu": wild}).to_dict()["claims"]
    assert diverge["against"] == ["dws/lu"]


def test_a_claim_between_two_figures_of_a_program():
    _, claim = load("maws-tab2").claims
    many = Statistics(cycles=100, wpus=1, nonloop_divergent=3, divergent_accesses=5)
    few = replace(many, divergent_accesses=3)
    assert claim.against({"dws/fft": many, "dws/lu": few}) == ["dws/lu"]


def test_names():
    assert {"dws-tab1", "maws-tab2", "lwm-tab2"} < {e.name for e in find("all")}
    assert find("lwm-tab2") == (load("lwm-tab2"),)
