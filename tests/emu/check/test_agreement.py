"""Launches whose memory depends on the engine, the scheme or the warp width; and the report."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.check import agreement
from simtlab.emu.check.checker import Checker
from simtlab.emu.check.finding import Finding, Severity

from .support.kernels import found, report_of

FRAME = """\
kernel k(global u32* %x) {{
    .group u32 tile[64]
    workitemid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
    shl_u32 $s3, $s0, 2
    {}
    st_global_u32 $s4, [$d1] // S
    ret
}}
"""

CASES = {
    "nothing of the kind": ("mov_u32 $s4, $s0", set()),
    "a number of the warp": ("waveid_u32 $s4", {"(SIM456)"}),
    "a rank among lanes that run together": (
        "cmp_eq_u32 $c0, $s0, 3\n cbr $c0, @on\n nop\n@on:\n activelaneid_u32 $s4",
        {"(SIM456)"},
    ),
    "tickets in order of arrival": (
        "mov_u32 $s5, 1\n atomic_add_global_u32 $s4, [$d0+512], $s5",
        {"(SIM456)"},
    ),
    "a sum of atomics": (
        "mov_u32 $s4, 1\n atomic_add_global_u32 [$d0+512], $s4",
        set(),
    ),
    "lock step instead of a barrier": (
        "st_group_u32 $s0, [tile+$s3] // A\n xor_u32 $s3, $s3, 4\n"
        "ld_group_u32 $s4, [tile+$s3] // B",
        {"SIM450 AB", "SIM454 B", "SIM456"},
    ),
    "a barrier": (
        "st_group_u32 $s0, [tile+$s3] // A\n barrier\n xor_u32 $s3, $s3, 4\n"
        "ld_group_u32 $s4, [tile+$s3] // B",
        set(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_agreement(name: str) -> None:
    body, expected = CASES[name]
    ours = found(FRAME.format(body), reruns=True)
    # Whether the load comes first is up to the schedule; the interpreter's makes it come second.
    assert ours - {"SIM454 B"} == expected - {"SIM454 B"}


def finding_of(body: str) -> Finding:
    (finding,) = (f for f in report_of(FRAME.format(body), reruns=True).findings
                  if f.code == "SIM456")  # fmt: skip
    return finding


def test_the_message_names_the_first_element_and_the_runs() -> None:
    finding = finding_of("waveid_u32 $s4")
    assert finding.message.endswith(
        "x[1] is 0 under stack/32, oracle, ppc/32, per-thread/32; 1 under stack/1; "
        "other elements differ under stack/4, stack/64"
    )
    assert "waveid, whose value depends on the warp width" in finding.notes[0].message
    assert finding.severity is Severity.WARNING


def test_widths_beyond_the_workgroup_are_left_out_unless_the_kernel_asks() -> None:
    plain = report_of(FRAME.format("mov_u32 $s4, $s0"), items=8, reruns=True)
    assert plain.runs == (
        "stack/32", "oracle", "stack/1", "stack/4", "ppc/32", "per-thread/32",
    )  # fmt: skip
    asking = report_of(FRAME.format("wavesize_u32 $s4"), items=8, reruns=True)
    assert "stack/64" in asking.runs


def test_no_reruns() -> None:
    assert report_of(FRAME.format("waveid_u32 $s4"), reruns=False).runs == ()


def test_a_lock_that_only_lanes_of_their_own_can_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under warps of one lane it ends; in lock step it is a deadlock."""
    monkeypatch.setattr(agreement, "SPARE_STEPS", 5000)
    report = simtlab.check_run(
        simtlab.assemble(NAIVE).k.launch(groups=1, group_size=8, warp=1), np.zeros(4, np.uint32)
    )
    (finding,) = {f.code: f for f in report.errors}.values()
    assert finding.code == "SIM407"
    assert "only under stack/4; under stack/1 the launch ends" in finding.notes[-1].message
    assert "oracle" in report.runs


NAIVE = """\
kernel k(global u32* %x) {
    ld_kernarg_u64 $d0, [%x]
    mov_u32 $s0, 0
    mov_u32 $s1, 1
@try:
    atomic_cas_global_u32 $s2, [$d0], $s0, $s1
    cmp_ne_u32 $c0, $s2, 0
    cbr $c0, @try
    atomic_exch_global_u32 $s2, [$d0], $s0
    ret
}
"""

EXITED = """\
kernel k(global u32* %x) {
    workitemid_u32 $s0, 0
    cmp_ge_u32 $c0, $s0, 60
    cbr $c0, @done
    barrier // A
@done:
    ret
}
"""


def test_work_items_that_miss_a_barrier() -> None:
    assert found(EXITED) == {"SIM405 A"}
    returned = EXITED.replace("cbr $c0, @done", "cbr $c0, @done, none").replace(
        "@done:\n    ret", "    ret\n@done:\n    ret"
    )
    assert found(returned, warp=1) == {"SIM405 A"}
    assert found(returned, warp=1, exited_arrive=True, reruns=False) == set()


def test_what_was_executed_before_a_trap_counts() -> None:
    # 60 work-items execute three instructions and the barrier, four execute three and `ret`.
    assert 0 < report_of(EXITED).instructions <= 64 * 4


def test_a_trap_is_a_finding_after_those_before_it() -> None:
    body = "st_group_u32 $s0, [tile] // A\n ld_global_u32 $s4, [$d1+4096] // T"
    assert found(FRAME.format(body)) == {"SIM450 AA", "SIM401 T"}


def test_the_oracle_is_left_out_of_long_launches_and_the_report_says_so() -> None:
    loop = "mov_u32 $s4, 4000\n@l:\n sub_u32 $s4, $s4, 1\n cmp_ne_u32 $c0, $s4, 0\n cbr $c0, @l"
    report = report_of(FRAME.format(loop), reruns=True)
    assert report.ok
    assert "oracle" not in report.runs
    assert "not compared with the oracle" in report.undecided[0]


def test_arrays_are_changed_as_by_a_plain_run() -> None:
    x = np.zeros(64, np.uint32)
    simtlab.check_run(
        simtlab.assemble(FRAME.format("mov_u32 $s4, $s0")).k.launch(items=64), x
    )  # fmt: skip
    assert x.tolist() == list(range(64))


def test_the_report_counts_what_it_has_looked_at() -> None:
    report = report_of(FRAME.format("mov_u32 $s4, $s0"), reruns=True)
    assert (report.accesses, report.instructions, report.launches) == (64, 64 * 8, 1)
    assert report.ok
    assert str(report).startswith("no errors; checked 64 accesses of 512 instructions\ncompared ")
    assert report.to_dict()["findings"] == []


def test_errors_come_first_and_warnings_do_not_fail() -> None:
    body = "st_group_u32 $s3, [tile]\n mov_u32 $s4, 1\n st_global_u32 $s4, [$d0+512]"
    report = report_of(FRAME.format(body))
    assert [f.severity for f in report.findings] == ["error", "warning"]
    assert report.summary.startswith("1 error, 1 warning; checked ")
    assert not report.ok


def test_stores_that_no_work_item_reads() -> None:
    body = (
        "st_group_u32 $s0, [tile+$s3] // A\n barrier\n ld_group_u32 $s4, [tile] // B\n"
        "st_global_u32 $s4, [$d1+512] // C\n ld_global_u32 $s4, [$d1+512]"
    )
    report = report_of(FRAME.format(body), unread=True)
    counts = {f.accesses[0].where: f.count for f in report.findings if f.code == "SIM457"}
    assert counts == {"line 8": 63, "line 13": 64}
    assert report.ok
    assert not any(f.code == "SIM457" for f in report_of(FRAME.format(body)).findings)


def test_launches_are_ordered() -> None:
    source = FRAME.format("ld_global_u32 $s4, [$d1+4]\n barrier")
    kernel = simtlab.assemble(source.replace("st_global_u32", "nop //")).k
    other = simtlab.assemble(FRAME.format("mov_u32 $s4, 1")).k
    x = simtlab.Device().to_device(np.zeros(65, np.uint32))
    checker = Checker()
    for start in (kernel, other, kernel):
        start.launch(items=64).run_by(checker.run, x)
    assert checker.report().ok
    assert checker.report().launches == 3


def test_a_declared_race_is_told_and_does_not_fail() -> None:
    kernel = simtlab.assemble(FRAME.format("mov_u32 $s4, 1\n st_global_u32 $s0, [$d0]")).k
    checker = Checker(benign={"x": "any of them will do"})
    kernel.launch(items=64).run_by(checker.run, np.zeros(64, np.uint32))
    report = checker.report()
    assert report.ok
    assert {f.severity for f in report.findings} == {Severity.NOTE}
    assert "any of them will do" in report.findings[0].notes[-1].message
