"""Kernels with several versions, and how the fastest is found: limits, memory of a lane's own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.jit.kernel.workgroups import trial as trials
from simtlab.emu.jit.kernel.workgroups.calls import ARGUMENTS
from simtlab.emu.jit.kernel.workgroups.trial import LIMIT, Version, trial
from simtlab.emu.jit.llvm.text import ModuleText
from simtlab.emu.jit.llvm.toolchain import Level, compile_text, function_attributes
from simtlab.emu.jit.runtime.gathers import VARIABLE

GROUPS = 3_200

VERSION = """
define internal i32 @{name}({arguments}, i64 {limit}) #0 {{
entry:
  %mark = trunc i64 {limit} to i8
  %works = getelementptr i8, ptr %ctx, i64 {groups}
  %work.at = getelementptr i64, ptr %works, i64 {limit}
  %work.of.one = load i64, ptr %work.at
  br label %group
group:
  %g = phi i64 [ %first, %entry ], [ %g.next, %ran ]
  %at = getelementptr i8, ptr %ctx, i64 %g
  %known = load i8, ptr %at
  %bad = icmp eq i8 %known, 9
  br i1 %bad, label %trap, label %work
work:
  store i8 %mark, ptr %at
  br label %again
again:
  %i = phi i64 [ 0, %work ], [ %i.next, %again ]
  store volatile i8 %mark, ptr %at
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %work.of.one
  br i1 %more, label %again, label %ran
ran:
  %g.next = add i64 %g, 1
  %rest = icmp ult i64 %g.next, %last
  br i1 %rest, label %group, label %over
over:
  ret i32 0
trap:
  ret i32 1
}}
"""
"""A version that marks the bytes of its workgroups, and takes the time that memory says."""


class Trial:
    """The function of some versions, whose limits are their marks: 1, 2 and so on."""

    def __init__(self, *works: int) -> None:
        """Compile versions that take so long for a workgroup. Every other one is a function."""
        module = ModuleText(function_attributes())
        for name in "together", "alone":
            text = VERSION.format(name=name, arguments=ARGUMENTS, limit=LIMIT, groups=GROUPS)
            module.define(name, text)
        names = ("together", "alone") * len(works)
        versions = [Version(names[i], i + 1) for i in range(len(works))]
        module.define("kernel", trial(module, f"define i32 @kernel({ARGUMENTS})", versions))
        self._code = compile_text(str(module), ["kernel"], level=Level.QUICK)
        pair = ctypes.c_int64, ctypes.c_int64
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *pair)
        self._run: Callable[..., int] = function(self._code["kernel"])
        self._memory = np.zeros(GROUPS // 8 + 1 + len(works), np.uint64)
        self.works = self._memory[GROUPS // 8 + 1 :]
        """By the mark less one."""
        self.works[:] = works
        self.marks = self._memory.view(np.uint8)[:GROUPS]

    def run(self, first: int = 0, last: int = GROUPS) -> int:
        return self._run(self._memory.ctypes.data, first, last)


@pytest.mark.parametrize(
    "works",
    [
        (20_000, 500),
        (500, 20_000),
        (400, 20_000, 20_000, 20_000),
        (20_000, 400, 20_000, 20_000),
        (20_000, 20_000, 400, 20_000),
        (20_000, 20_000, 20_000, 400),
        (40_000, 20_000, 10_000, 2_000),
    ],
)
@pytest.mark.parametrize("step", [1, 3, GROUPS])
def test_calls_find_the_fastest_version_and_run_each_workgroup_once(
    works: tuple[int, ...], step: int
) -> None:
    versions, mark = Trial(*works), 1 + works.index(min(works))
    marks = versions.marks
    for first in range(0, GROUPS, step):
        assert versions.run(first, min(first + step, GROUPS)) == 0
    # The fastest version is known by the end. All have run before: never more than these pairs.
    assert set(marks) == {*range(1, len(works) + 1)}
    assert set(marks[-50:]) == {mark}
    assert np.count_nonzero(marks != mark) < 3 * GROUPS // 4


def test_versions_that_take_equally_long_are_not_compared_for_ever() -> None:
    versions = Trial(30_000, 30_000)
    assert versions.run() == 0
    assert len(set(versions.marks[-50:])) == 1


def test_first_calls_decide_only_for_a_version_that_is_faster_by_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """CPUs learn the branches of launches with the same data."""
    # Only calls count: a busy host may take any time for them.
    monkeypatch.setattr(trials, "LEARNING_CYCLES", 1 << 60)
    monkeypatch.setattr(trials, "OF_CALL", (1 << 60) // trials.LEARNING_CALLS)
    versions = Trial(2_500, 2_000)
    for _ in range(trials.LEARNING_CALLS - 4):
        assert versions.run(0, 100) == 0
        assert set(versions.marks[:100]) == {1, 2}
    for _ in range(2_000):
        assert versions.run(0, 100) == 0
        if set(versions.marks[:100]) == {2}:
            break
    assert set(versions.marks[:100]) == {2}


@pytest.mark.parametrize("before", [0, 1])
def test_both_stretches_of_a_pair_are_in_one_call(before: int) -> None:
    """Whatever a call of one workgroup has begun."""
    versions = Trial(1, 1)
    for _ in range(10):  # pairs that are too short, so that stretches grow
        assert versions.run(0, 2) == 0
        assert set(versions.marks[:2]) == {1, 2}
    assert versions.run(100, 100 + before) == 0
    assert versions.run(100 + before, 163) == 0
    marks = versions.marks[100 + before : 163].astype(int)
    assert len(set(marks)) == 2
    assert np.count_nonzero(np.diff(marks)) == 1
    assert abs(np.count_nonzero(marks == 1) - np.count_nonzero(marks == 2)) <= 1


@pytest.mark.parametrize(
    "works", [(400, 20_000), (20_000, 400, 20_000), (20_000, 20_000, 20_000, 400)]
)
def test_another_version_is_found_when_it_has_become_faster(works: tuple[int, ...]) -> None:
    versions = Trial(*works)
    fastest = 1 + works.index(min(works))
    for _ in range(3):
        assert versions.run() == 0
    assert set(versions.marks[-50:]) == {fastest}
    for mark in range(1, len(works) + 1):
        versions.works[:] = 4_000
        versions.works[mark - 1] = 100
        for _ in range(20_000):
            assert versions.run() == 0
            if set(versions.marks) == {mark}:
                break
        assert set(versions.marks) == {mark}


@pytest.mark.parametrize("works", [(100, 100), (100, 100, 100, 100)])
def test_a_trap_ends_the_call_in_any_version(works: tuple[int, ...]) -> None:
    versions = Trial(*works)
    marks = versions.marks
    for bad in (0, 1, 2, 7, GROUPS - 1):
        marks[:] = 0
        marks[bad] = 9
        assert versions.run() == 1
        assert set(marks[:bad]) <= {*range(1, len(works) + 1)}
        assert not marks[bad + 1 :].any()


STACK = """
kernel k(u32 %n, global u32* %seed, global u32* %sum) {{
    .private u32 stack[16]
    workitemabsid_u32   $s0, 0
    ld_kernarg_u32      $s1, [%n]
    cmp_ge_u32          $c0, $s0, $s1
    cbr                 $c0, @done
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d1, [%seed]
    mad_u64             $d1, $d0, 4, $d1
    ld_global_u32       $s2, [$d1]
    mov_u32             $s3, 0
    mov_u32             $s4, 0
    mov_u32             $s5, 0                  // what leaves the loop and is one number,
    mov_u32             $s7, $s0                // or grows from lane to lane
@step:
    mul_u32             $s2, $s2, 1664525
    add_u32             $s2, $s2, 1013904223
    shr_u32             $s6, $s2, 30
    cmp_eq_u32          $c0, $s6, 0
    cbr                 $c0, @pop
    cmp_gt_u32          $c0, $s3, {highest}
    cbr                 $c0, @pop
    st_private_u32      $s2, [stack+$s3]
    add_u32             $s3, $s3, 4
    br                  @next
@pop:
    cmp_eq_u32          $c0, $s3, 0
    cbr                 $c0, @next
    sub_u32             $s3, $s3, 4
    ld_private_u32      $s6, [stack+$s3]
    xor_u32             $s4, $s4, $s6
@next:
    add_u32             $s5, $s5, 1
    add_u32             $s7, $s7, 3
    cmp_lt_u32          $c0, $s5, 60
    cbr                 $c0, @step
    add_u32             $s4, $s4, $s5
    xor_u32             $s4, $s4, $s7
    ld_kernarg_u64      $d1, [%sum]
    mad_u64             $d1, $d0, 4, $d1
    st_global_u32       $s4, [$d1]
@done:
    ret
}}
"""


def sums(seeds: np.ndarray) -> np.ndarray:
    """Return what the kernel computes."""
    found = []
    for item, seed in enumerate(seeds.tolist()):
        stack, total = [], 0
        for _ in range(60):
            seed = (seed * 1664525 + 1013904223) & 0xFFFF_FFFF
            if seed >> 30 and len(stack) < 16:
                stack.append(seed)
            elif stack:
                total ^= stack.pop()
        found.append((total + 60 & 0xFFFF_FFFF) ^ (item + 180))
    return np.array(found, np.uint32)


@pytest.mark.parametrize("loops", ["", "alone", "together", "measured", "7"])
@pytest.mark.parametrize("group", [1, 7, 16, 32, 64, 96])
def test_a_stack_in_a_loop_that_lanes_leave_together(
    group: int, loops: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, loops)
    items = 37 * group + group // 2
    device = Device()
    seeds = np.random.default_rng(group).integers(0, 1 << 32, items, np.uint32)
    launch = simtlab.assemble(STACK.format(highest=60))["k"].launch(
        items=items, group_size=group, engine="jit"
    )
    given, found = device.to_device(seeds), device.zeros(items, np.uint32)
    expected = sums(seeds)
    for _ in range(3):
        launch(items, given, found)
        np.testing.assert_array_equal(found.to_host(), expected)
        found.copy_from(np.zeros(items, np.uint32))
    has_two = "@trial.best" in launch.generated("llvm")
    assert has_two is (loops in ("", "measured"))


@pytest.mark.parametrize("loops", ["", "alone", "measured"])
def test_a_stack_that_is_too_high_faults_in_both_versions(
    loops: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, loops)
    device = Device()
    items = 64 * 40
    seeds = np.random.default_rng(1).integers(0, 1 << 32, items, np.uint32)
    launch = simtlab.assemble(STACK.format(highest=90))["k"].launch(
        items=items, group_size=64, engine="jit"
    )
    given, found = device.to_device(seeds), device.zeros(items, np.uint32)
    for _ in range(20):
        with pytest.raises(Trap, match="SIM401"):
            launch(items, given, found)
