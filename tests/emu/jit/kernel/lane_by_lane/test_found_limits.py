"""Sparse loops in kernels that find below how many running lanes each lane runs them alone."""

from __future__ import annotations

import re

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import NEVER_TOGETHER, Facts
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.workgroups import trial as comparing
from simtlab.emu.jit.kernel.workgroups.trial import LIMIT, versions_of
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.recent import Recent

KERNEL = """
kernel k(u32 %n, global u32* %start, global u32* %column, global u32* %x, global u32* %y) {{
    .group u32 totals[64]
    workitemabsid_u32   $s0, 0
    ld_kernarg_u32      $s1, [%n]
    ld_kernarg_u64      $d1, [%y]
    mov_u32             $s4, 0
    cmp_ge_u32          $c0, $s0, $s1
    cbr                 $c0, @done
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d4, [%start]
    mad_u64             $d4, $d0, 4, $d4
    ld_global_u32       $s2, [$d4]
    ld_global_u32       $s3, [$d4+4]
    ld_kernarg_u64      $d2, [%column]
    ld_kernarg_u64      $d3, [%x]
    mad_u64             $d1, $d0, 4, $d1
    cmp_ge_u32          $c0, $s2, $s3
    cbr                 $c0, @store
@entry:
    cvt_u64_u32         $d4, $s2
    mad_u64             $d4, $d4, 4, $d2
    ld_global_u32       $s5, [$d4]
    cvt_u64_u32         $d4, $s5
    mad_u64             $d4, $d4, 4, $d3
    {body}
    add_u32             $s2, $s2, 1
    cmp_lt_u32          $c0, $s2, $s3
    cbr                 $c0, @entry
@store:
    st_global_u32       $s4, [$d1]
@done:
    {after}
    ret
}}
"""

BODIES = {
    "a sum": """
    ld_global_u32       $s6, [$d4]
    mad_u32             $s4, $s4, 3, $s6""",
    "a way out": """
    ld_global_u32       $s6, [$d4]
    add_u32             $s4, $s4, $s6
    and_u32             $s6, $s6, 15
    cmp_eq_u32          $c0, $s6, 3
    cbr                 $c0, @store""",
}

BARRIER = """
    workitemid_u32      $s7, 0
    shl_u32             $s7, $s7, 2
    and_u32             $s7, $s7, 255
    st_group_u32        $s4, [totals+$s7]
    barrier"""


def text_of(body: str, after: str = "") -> str:
    text = KERNEL.format(body=body, after=after)
    return text if after else re.sub(r"\n    \.group.*", "", text)


def rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the starts of lists of several lengths, the places that they list, and numbers."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 12, n) * (rng.random(n) < 0.7)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
    column = rng.integers(0, 256, max(1, start[-1])).astype(np.uint32)
    return start, column, rng.integers(0, 1 << 32, 256, np.uint32)


def expected(name: str, n: int, seed: int) -> np.ndarray:
    start, column, x = rows(n, seed)
    found = np.zeros(n, np.uint32)
    for item in range(n):
        total = 0
        for number in x[column[start[item] : start[item + 1]]].tolist():
            total = (3 * total + number if name == "a sum" else total + number) & 0xFFFF_FFFF
            if name == "a way out" and number & 15 == 3:
                break
        found[item] = total
    return found


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels find their limits, whatever this host's gathers take; no code is from before."""
    monkeypatch.setenv("SIMTLAB_LOOPS", "measured")
    monkeypatch.setattr(code, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")


@pytest.mark.parametrize("after", ["", BARRIER], ids=["straight", "barrier"])
@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("name", BODIES)
def test_every_launch_is_exact_while_versions_are_compared(
    name: str, width: int, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_facts, "depends_on_width", lambda kernel: True)
    n = 1000 + width
    device = Device()
    start, column, x = (device.to_device(a) for a in rows(n, width))
    y = device.zeros(n, np.uint32)
    launch = simtlab.assemble(text_of(BODIES[name], after))["k"].launch(
        items=-(-n // 64) * 64, group_size=64, engine="jit", warp=width
    )
    assert LIMIT in launch.generated("llvm")
    for _ in range(30):
        y.copy_from(np.zeros(n, np.uint32))
        launch(n, start, column, x, y)
        np.testing.assert_array_equal(y.to_host(), expected(name, n, width))


@pytest.mark.parametrize("name", BODIES)
def test_results_are_exact_with_each_limit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # One vote chooses, and what is known is found anew at once: each version runs again and again.
    for constant, value in {"LEAST_CYCLES": 0, "ENOUGH": 1, "MOST_PAIRS": 1, "PATIENCE": 1}.items():
        monkeypatch.setattr(comparing, constant, value)
    n = 2000
    device = Device()
    start, column, x = (device.to_device(a) for a in rows(n, 9))
    y = device.zeros(n, np.uint32)
    launch = simtlab.assemble(text_of(BODIES[name]))["k"].launch(
        items=2048, group_size=64, engine="jit", warp=32
    )
    for _ in range(12):
        y.copy_from(np.zeros(n, np.uint32))
        launch(n, start, column, x, y)
        np.testing.assert_array_equal(y.to_host(), expected(name, n, 9))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_compare_versions_together(threads: int) -> None:
    n = 20_000
    device = Device()
    start, column, x = (device.to_device(a) for a in rows(n, 5))
    y = device.zeros(n, np.uint32)
    launch = simtlab.assemble(text_of(BODIES["a sum"]))["k"].launch(
        items=-(-n // 64) * 64, group_size=64, engine="jit", threads=threads
    )
    for _ in range(20):
        y.copy_from(np.zeros(n, np.uint32))
        launch(n, start, column, x, y)
        np.testing.assert_array_equal(y.to_host(), expected("a sum", n, 5))


def test_a_fault_in_the_loop_is_reported_in_any_version() -> None:
    n, bad = 6400, 6000
    device = Device()
    start, column, x = rows(n, 3)
    column[start[bad]] = 1 << 20
    arrays = [device.to_device(a) for a in (start, column, x)]
    y = device.zeros(n, np.uint32)
    launch = simtlab.assemble(text_of(BODIES["a sum"]))["k"].launch(
        items=n, group_size=64, engine="jit"
    )
    messages = set()
    for _ in range(20):
        with pytest.raises(Trap, match="SIM401") as caught:
            launch(n, *arrays, y)
        messages.add(str(caught.value))
    assert len(messages) == 1


# --- where a limit is found


def finds_limit(body: str, *, loads: bool = True) -> bool:
    text = text_of(body)
    if not loads:
        text = text.replace("ld_global_u32       $s5, [$d4]", "mov_u32 $s5, $s2")
    kernel = simtlab.assemble(text)["k"].kernel
    facts = Facts(32, (64, 1, 1), whole=False, finds_limit=True)
    plan = analyse(kernel).lane_plan(facts)
    assert plan.sparse
    assert plan.finds_limit is (LIMIT in generate(kernel, 0, facts))
    assert plan.has_both is plan.finds_limit
    return plan.finds_limit


def test_no_limit_is_found_where_the_order_of_lanes_may_show() -> None:
    assert finds_limit(BODIES["a sum"])
    assert not finds_limit("atomic_add_global_u32 [$d4], $s2")  # it may have changed a column
    assert not finds_limit("st_global_u32 $s2, [$d4]")
    assert finds_limit("atomic_add_global_u32 [$d4], $s2", loads=False)


def test_a_host_that_knows_its_limit_finds_none() -> None:
    kernel = simtlab.assemble(text_of(BODIES["a sum"]))["k"].kernel
    for together_from in (0, 7, NEVER_TOGETHER):
        facts = Facts(32, (64, 1, 1), whole=False, together_from=together_from)
        assert LIMIT not in generate(kernel, 0, facts)


@pytest.mark.parametrize(
    ("width", "limits"), [(64, [0, 65, 16, 8]), (16, [0, 65, 8]), (7, [0, 65])]
)
def test_limits_between_all_and_none_are_tried_in_wide_warps(width: int, limits: list[int]) -> None:
    facts = Facts(width, (64, 1, 1), whole=False)
    versions = versions_of(facts, finds_limit=True, has_alone=False)
    assert [version.limit for version in versions] == limits
