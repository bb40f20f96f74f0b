"""Kernels whose batches load before they store, and store in loops.

What follows the last load may have any branches and loops. Lanes may run such loops one by one,
with stores that must stay in the buffer of their parameter.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting
from simtlab.emu.traps import Trap

from ....support.counts import BATCHES, ORDER, assert_equal, counted_by, engines

ITEMS = 17_000
"""More than a batch."""

HEAD = """
    kernel k(u32 %n, global u32* %start, global u32* %to, global u32* %x, global u32* %y) {
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d2, $d0, 4, $d1
        ld_global_u32 $s2, [$d2]
        ld_kernarg_u64 $d3, [%y]
        ld_kernarg_u64 $d4, [%start]
        ld_kernarg_u64 $d5, [%to]
        mad_u64 $d4, $d0, 4, $d4
"""
EDGE = """
        cvt_u64_u32 $d7, $s3
        mad_u64 $d7, $d7, 4, $d5
        ld_global_u32 $s5, [$d7]
        cvt_u64_u32 $d7, $s5
        mad_u64 $d7, $d7, 4, $d1
"""


def peel(store: str = "atomic_add_global_u32 [$d7], $s6", least: int = 3, head: str = "") -> str:
    """A kernel that loads an element of x, and changes those of its neighbours if it is small."""
    return f"""{HEAD}
        cmp_ge_u32 $c0, $s2, {least}
        cbr $c0, @done
        mov_u32 $s6, -1
        st_global_u32 $s6, [$d3]
        ld_global_u32 $s3, [$d4]
        ld_global_u32 $s4, [$d4+4]
        {head}
    @edge:
        cmp_ge_u32 $c0, $s3, $s4
        cbr $c0, @done
        {EDGE}
        {store}
        add_u32 $s3, $s3, 1
        br @edge
    @done:
        ret
    }}"""


def given(items: int = ITEMS, seed: int = 5) -> tuple[Any, ...]:
    """A graph of which most nodes have few neighbours."""
    numbers = np.random.default_rng(seed)
    degrees = numbers.integers(0, 5, items) + 20 * (numbers.random(items) < 0.02)
    start = np.append(0, degrees.cumsum())
    to = numbers.integers(0, items, int(start[-1]) + 1)
    x = numbers.integers(0, 9, items)
    arrays = (array.astype(np.uint32) for array in (start, to, x, np.zeros(items)))
    return np.uint32(items), *arrays


STORES = {
    "an atomic": "atomic_add_global_u32 [$d7], $s6",
    "one value": "st_global_u32 $s6, [$d7]",
    "a branch": """and_u32 $s8, $s5, 1
        cmp_eq_u32 $c0, $s8, 0
        cbr $c0, @even
        atomic_xor_global_u32 [$d7], $s5
    @even:""",
}


@pytest.mark.parametrize("store", STORES)
def test_stores_in_a_loop(store: str) -> None:
    assert engines(peel(STORES[store]), *given(), items=ITEMS, widths=(32,)) == {BATCHES}


@pytest.mark.parametrize(("width", "items"), [(1, 400), (7, ITEMS), (16, 400), (64, ITEMS)])
def test_widths(width: int, items: int) -> None:
    assert engines(peel(), *given(items), items=items, widths=(width,)) == {BATCHES}


def test_lanes_run_such_a_loop_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "alone")
    (kernel,) = simtlab.assemble(peel())
    launch = kernel.launch(items=ITEMS, group_size=64)
    facts = facts_for_counting(launch.function.kernel, launch.geometry, by_batches=True)
    code = generate(launch.function.kernel, 0, facts)
    assert "call void @run" in code
    assert "call void @count1" not in code


OTHERS = {
    "a load in the loop": peel("atomic_add_global_u32 [$d7], $s6\n ld_global_u32 $s8, [$d2]"),
    "a loop back to the load": peel()
    .replace("ld_global_u32 $s2", "@again:\n ld_global_u32 $s2")
    .replace("br @edge", "cmp_eq_u32 $c0, $s5, 7\n cbr $c0, @again\n br @edge"),
    "an atomic with a result": peel(
        "atomic_add_global_u32 $s8, [$d7], $s6\n add_u32 $s6, $s6, $s8"
    ),
    "stores of two values": peel("st_global_u32 $s6, [$d7]\n st_global_u32 $s5, [$d7]"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_kernels(name: str) -> None:
    (kernel,) = simtlab.assemble(OTHERS[name])
    assert reliance_of(kernel.kernel, (64, 1, 1), by_batches=True) is None


def test_a_way_to_a_store_by_a_loop_may_be_short() -> None:
    """The loop is entered at its test: work-items that skip the loads soon jump back to a store."""
    text = """
    kernel k(global u32* %x) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u64 $d3, [%x]
        mov_u32 $s4, 1
        cmp_lt_u32 $c0, $s0, 9
        cbr $c0, @skip
        {}
    @skip:
        br @test
    @body:
        st_global_u32 $s4, [$d3]
    @test:
        sub_u32 $s0, $s0, 1
        cmp_gt_s32 $c0, $s0, 3
        cbr $c0, @body
        ret
    }}"""
    load = "ld_global_u32 $s3, [$d3]\n"
    several = (load + "cmp_eq_u32 $c0, $s3, 1\n cbr $c0, @skip\n") * 6
    for loads, has in (several, False), (load, True):
        (kernel,) = simtlab.assemble(text.format(loads))
        found = reliance_of(kernel.kernel, (64, 1, 1), by_batches=True)
        assert (found is not None) == has


def test_a_store_into_the_buffer_of_another_parameter() -> None:
    """An atomic of a lane that runs alone leaves its buffer: the order of both shows."""
    (kernel,) = simtlab.assemble(peel())
    outcomes = []
    for engine in ("jit", "interp"):
        device = simtlab.Device()
        n, start, to, x, y = given(500)
        buffers = [device.to_device(v) for v in (start, to, x, y)]
        far = (buffers[3].address - buffers[2].address) // 4
        changed = buffers[1].to_host()
        changed[::30] = far
        buffers[1].copy_from(changed)
        launch = kernel.launch(items=500, group_size=50, engine=engine, stats=True)
        result, by = counted_by(launch, n, *buffers)
        outcomes.append((result.statistics, [b.to_host() for b in buffers], by))
    assert_equal(outcomes[0][0], outcomes[1][0])
    np.testing.assert_equal(outcomes[0][1], outcomes[1][1])
    assert outcomes[0][2] == ORDER


# --- random kernels


def random_kernel(draw: random.Random) -> str:
    lines = []
    for i in range(draw.choice((0, 1, 2))):
        lines += [
            f"and_u32 $s10, $s{draw.choice((0, 2))}, {draw.choice((3, 7, 15))}",
            f"cmp_eq_u32 $c0, $s10, {i}",
            f"cbr $c0, @{draw.choice(('done', 'skip'))}",
        ]
        if draw.random() < 0.5:
            lines += ["ld_global_u32 $s2, [$d2]"]
    lines += ["@skip:", "ld_global_u32 $s3, [$d4]", "ld_global_u32 $s4, [$d4+4]", "mov_u32 $s6, 3"]
    if draw.random() < 0.5:
        lines += ["mov_u32 $s9, 0"]
        lines += ["@outer:"]
    end = "out" if "@outer:" in lines else "done"
    lines += ["@edge:", "cmp_ge_u32 $c0, $s3, $s4", f"cbr $c0, @{end}"]
    lines += EDGE.strip().splitlines()
    store = draw.choice(
        ("atomic_add_global_u32 [$d7], $s6", "st_global_u32 $s6, [$d7]", "st_global_u32 $s5, [$d2]")
    )
    how = draw.random()
    if how < 0.3:
        lines += ["and_u32 $s8, $s5, 1", "cmp_eq_u32 $c0, $s8, 0", "cbr $c0, @odd", store]
        lines += ["br @next", "@odd:", "add_u32 $s3, $s3, 1", "@next:"]
    elif how < 0.6:
        lines += ["and_u32 $s8, $s5, 3", "cmp_eq_u32 $c0, $s8, 0", "cbr $c0, @next", store]
        lines += ["@next:"]
    elif how < 0.7:
        lines += ["cmp_lt_u32 $c0, $s5, 90", "cbr $c0, @done", store]
    else:
        lines += [store]
    lines += ["add_u32 $s3, $s3, 1", "br @edge"]
    if "@outer:" in lines:
        lines += ["@out:", "ld_global_u32 $s3, [$d4]", "add_u32 $s9, $s9, 1"]
        lines += ["cmp_lt_u32 $c0, $s9, 2", "cbr $c0, @outer"]
    return HEAD + "\n".join([*lines, "@done:", "ret", "}"])


def check_random(seeds: range) -> dict[str, int]:
    """Compare random kernels with the interpreter; return how many were counted in each way."""
    found = {BATCHES: 0, ORDER: 0, "jit": 0, "trap": 0}
    for seed in seeds:
        draw = random.Random(seed)
        (kernel,) = simtlab.assemble(random_kernel(draw))
        width, size = draw.choice((32, 32, 16, 64, 7, 1)), draw.choice((32, 64, 96, 256, 50))
        items = draw.choice((200, 5000, 16_384, 20_000)) // (8 if width == 1 else 1)
        items -= draw.choice((0, 0, 7))
        budget = draw.choice((100_000, 100_000, 120))
        outcomes = []
        for engine in ("jit", "interp"):
            launch = kernel.launch(
                items=items, group_size=size, warp=width, engine=engine, stats=True, budget=budget
            )
            n, start, to, x, y = given(items, seed)
            ways, counts = [], []
            try:
                for _ in range(2):
                    result, by = counted_by(launch, n, start, to, x, y)
                    ways.append(by)
                    counts.append(result.statistics)
            except Trap as trap:
                ways, counts = ["trap"], [str(trap)]
            outcomes.append((ways, counts, x))
        (ways, native, have), (_, expected, want) = outcomes
        for by in ways:
            found[by] += 1
        if ways == ["trap"]:
            assert native == expected
            continue
        for a, b in zip(native, expected, strict=True):
            assert_equal(a, b)
        np.testing.assert_array_equal(have, want, f"seed {seed}")
    return found


def test_random_kernels() -> None:
    assert check_random(range(12))[BATCHES] > 3


@pytest.mark.slow
def test_many_random_kernels() -> None:
    assert check_random(range(12, 100))[BATCHES] > 30
