"""The checker on all programs: silent except about what is meant, and loud on wrong sizes."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab import ArgumentError, UsageError
from simtlab.emu.check.finding import Severity
from simtlab.programs import catalogue, find
from simtlab.programs.runner import PlainLauncher

from ..quick import few

ENTRIES = catalogue()

WRONG = {
    "lessons/barrier": {"SIM405"},
    "lessons/lockstep": {"SIM450", "SIM456"},
    "lessons/spinlock": {"SIM407"},
}
"""What the sizes called `wrong` are about."""

OTHER_RATES = {"fft", "filter", "hotspot", "kmeans", "lu", "short", "svm"}
"""Sizes of lessons/table1 whose random numbers alone differ from those of `merge`: 2 s each."""


@pytest.mark.parametrize("entry", few(ENTRIES, 3), ids=lambda entry: entry.name)
def test_no_program_has_an_error(entry) -> None:
    sizes = {"tiny", *entry.workload.sizes} - {"small", "paper", "maws", "wrong", *OTHER_RATES}
    for size in sizes:
        report = simtlab.check_run(entry.name, size=size)
        assert report.errors == (), size
        assert report.instructions
        declared = {f.place.partition("[")[0] for f in report.findings if f.severity == "note"}
        assert declared == set(entry.workload.benign), "declared but not found, or found but not"


def test_what_is_a_warning_in_our_programs() -> None:
    found = {
        (entry.name, finding.code)
        for entry in (find("lwm/sort"), find("lessons/lockstep"))
        for finding in simtlab.check_run(entry.name).findings
        if finding.severity is Severity.WARNING
    }
    assert found == {("lwm/sort", "SIM456"), ("lessons/lockstep", "SIM451")}


@pytest.mark.parametrize("name", [e.name for e in ENTRIES if "wrong" in e.workload.sizes])
def test_a_wrong_size_is_found(name: str) -> None:
    report = simtlab.check_run(name, size="wrong")
    assert {finding.code for finding in report.errors} == WRONG[name]


def test_the_races_of_bfs_are_told_with_their_reason() -> None:
    report = simtlab.check_run("bfs")
    assert report.ok
    assert {f.code for f in report.findings} == {"SIM450", "SIM451"}
    assert "the same level" in str(report)


def test_a_wrong_result_is_a_finding(monkeypatch) -> None:
    workload = find("saxpy").workload
    wrong = {"y": np.zeros(2500, np.float32)}
    monkeypatch.setitem(vars(workload), "reference", lambda data: wrong)
    report = simtlab.check_run("saxpy")
    assert [f.code for f in report.errors] == ["SIM420"]
    assert "differs from the reference" in str(report)


def test_requests_that_make_no_sense() -> None:
    with pytest.raises(UsageError, match="takes a launch or the name of a program"):
        simtlab.check_run(7)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="brings its own inputs"):
        simtlab.check_run("saxpy", 7)
    with pytest.raises(UsageError, match="brings its own inputs") as caught:
        simtlab.check_run("saxpy", sized="tiny")
    assert "did you mean `size`?" in str(caught.value)
    with pytest.raises(UsageError, match="unknown program"):
        simtlab.check_run("saxpi")
    with pytest.raises(UsageError, match="no size"):
        simtlab.check_run("saxpy", size="huge")


NAMED = """
kernel named(u32 %size, u32 %seed, global u32* %y) {
    workitemid_u32      $s0, 0
    ld_kernarg_u32      $s1, [%size]
    ld_kernarg_u32      $s2, [%seed]
    add_u32             $s1, $s1, $s2
    ld_kernarg_u64      $d0, [%y]
    cvt_u64_u32         $d1, $s0
    mad_u64             $d0, $d1, 4, $d0
    st_global_u32       $s1, [$d0]
    ret
}
"""


def test_a_launch_takes_arguments_by_name() -> None:
    launch = simtlab.assemble(NAMED).named[1, 4]
    y = np.zeros(4, np.uint32)
    assert simtlab.check_run(launch, size=7, y=y, seed=0).ok
    assert y.tolist() == [7] * 4
    assert simtlab.check_run(launch, 2, seed=1, y=y).ok
    assert y.tolist() == [3] * 4


def test_names_that_a_kernel_does_not_have() -> None:
    y = np.zeros(4, np.uint32)
    launch = simtlab.assemble(NAMED).named[1, 4]
    with pytest.raises(ArgumentError, match="has no parameter 'sise'"):
        simtlab.check_run(launch, sise=7, y=y, seed=0)
    with pytest.raises(ArgumentError, match="lacks its argument size, seed"):
        simtlab.check_run(launch, y=y)
    with pytest.raises(ArgumentError, match="size is given twice"):
        simtlab.check_run(launch, 2, 1, y, size=3)
    saxpy = simtlab.assemble(find("saxpy").path)["saxpy"].launch(items=4, group_size=4)
    x = np.ones(4, np.float32)
    with pytest.raises(ArgumentError, match="has no parameter 'size'"):
        simtlab.check_run(saxpy, 2.0, 4, x, x, size="tiny")


def test_the_checked_run_computes_what_a_plain_one_does() -> None:
    from simtlab.asm.assemble import assemble
    from simtlab.emu.check.checker import Checker
    from simtlab.emu.module import Module
    from simtlab.programs.runner import run_program

    entry = find("lwm/sort")
    module = Module(assemble(entry.path))
    plain = run_program(entry, PlainLauncher(module, engine="interp"), size="tiny")
    checker = Checker(reruns=False)
    checked = run_program(
        entry, PlainLauncher(module, engine="interp", executor=checker.run), size="tiny"
    )
    assert checked.memory_digest == plain.memory_digest
    assert checked.statistics is not None
    assert plain.statistics is not None
    assert checked.statistics.warp_instructions == plain.statistics.warp_instructions
    assert checker.report().instructions == plain.statistics.thread_instructions
