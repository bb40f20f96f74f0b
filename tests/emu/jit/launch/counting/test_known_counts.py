"""Counts of a launch that are known from an earlier one: by which arguments, and that they hold."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab import Trap
from simtlab.emu.engine import Kept, Work
from simtlab.emu.jit.launch import engine, known_counts
from simtlab.emu.jit.launch.known_counts import KnownCounts, deciding_arguments

from ....support.counts import assert_equal
from ....support.oracle_work import make


def kernel(test: str) -> str:
    """y[i] = a + how often a loop runs, whose end `test` decides."""
    return f"""
    .readonly u32 lengths[2] = {{3, 5}}
    kernel k(u32 %a, u32 %n, global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%a]
        ld_kernarg_u32 $s2, [%n]
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s3, [$d1]
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d0, 4, $d1
        and_u32 $s4, $s0, 1
        shl_u32 $s5, $s4, 2
        ld_readonly_u32 $s5, [lengths+$s5]
        mov_u32 $s6, 0
    @next:
        add_u32 $s1, $s1, 1
        add_u32 $s6, $s6, 1
        {test}
        cbr $c0, @next
        div_u32 $s1, $s1, $s3
        st_global_u32 $s1, [$d1]
        ret
    }}"""


NUMBER = "min_u32 $s7, $s2, $s0\n cmp_lt_u32 $c0, $s6, $s7"
CONSTANT = "cmp_lt_u32 $c0, $s6, $s5"
DATA = "cmp_lt_u32 $c0, $s6, $s3"


@pytest.mark.parametrize(
    ("test", "places"), [(NUMBER, (slice(4, 8),)), (CONSTANT, ()), (DATA, None)]
)
def test_which_arguments_branches_depend_on(test: str, places: tuple[slice, ...] | None) -> None:
    assert deciding_arguments(simtlab.assemble(kernel(test)).program.kernels[0]) == places


@pytest.mark.parametrize("test", [NUMBER, CONSTANT, DATA])
@pytest.mark.parametrize("size", [8, (8, 2)])
def test_statistics_are_the_interpreters_each_time(
    monkeypatch: pytest.MonkeyPatch, test: str, size: int | tuple[int, int]
) -> None:
    monkeypatch.setattr(known_counts, "WORTH_COMPILING", 0.0)
    (function,) = simtlab.assemble(kernel(test))
    rng = np.random.default_rng(3)
    items = 40 if size == 8 else (40, 3)
    runs = [
        function.launch(items=items, group_size=size, engine=e, warp=8, stats=True)
        for e in ("jit", "interp")
    ]
    for a, n in [(1, 4), (2, 4), (3, 7), (4, 4), (5, 7)]:
        x = rng.integers(1, 9, 40, np.uint32)
        out = np.zeros((2, 40), np.uint32)
        results = [run(a, n, x, y) for run, y in zip(runs, out, strict=True)]
        assert [r.engine for r in results] == ["jit", "interp"]
        assert_equal(*(r.statistics for r in results))
        assert out[0].tolist() == out[1].tolist()
        counts = results[0].statistics
        assert counts is not None
        counts.executions[:] = 0  # a caller's own


def work(a: int, n: int, x: np.ndarray, kept: Kept) -> Work:
    found = make(kernel(NUMBER), [a, n, x, np.zeros(16, np.uint32)], items=16, group_size=8)
    found.stats, found.kept = True, kept
    return found


def test_code_that_does_not_count_runs_once_it_is_worth_compiling() -> None:
    kept, x = Kept(), np.ones(16, np.uint32)
    known = None
    for a, n, is_known in [(1, 4, False), (2, 5, False), (3, 4, True), (4, 5, True)]:
        launch = work(a, n, x, kept)
        if known is not None:
            known._spent = known_counts.WORTH_COMPILING
            assert (known.find(launch) is not None) is is_known
        engine.execute(launch)
        known = KnownCounts.of(launch)


def test_launches_with_known_counts_trap() -> None:
    kept, x = Kept(), np.ones(16, np.uint32)
    launch = work(1, 4, x, kept)
    engine.execute(launch)
    KnownCounts.of(launch)._spent = known_counts.WORTH_COMPILING
    x[9] = 0
    with pytest.raises(Trap, match="division by zero") as caught:
        engine.execute(work(1, 4, x, kept))
    assert (caught.value.record.group, caught.value.record.local) == (1, 1)
