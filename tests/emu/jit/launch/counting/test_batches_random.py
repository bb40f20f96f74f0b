"""Random kernels whose batches load before they store, most of them in a loop.

How many rounds there are before a warp stores depends on the blocks around the loop, on the
iterations of all warps, and on the batches before.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import simtlab
from simtlab.emu.traps import Trap

from ....support.counts import BATCHES, ORDER, assert_equal, counted_by

BUDGET = 1500
"""Instructions of a work-item: some loops never end."""


def random_kernel(draw: random.Random) -> str:
    chase = [
        *("rem_u32 $s7, $s6, $s1", "cvt_u64_u32 $d5, $s7", "mad_u64 $d5, $d5, 4, $d0"),
        *("ld_global_u32 $s8, [$d5]", "add_u32 $s6, $s6, $s8"),
    ]
    before = [
        line
        for i in range(draw.choice((0, 0, 1, 2)))
        for line in (
            f"and_u32 $s4, $s{draw.choice((2, 3))}, {draw.choice((15, 31, 63))}",
            f"cmp_eq_u32 $c0, $s4, {i + 3}",
            f"cbr $c0, @{draw.choice(('done', 'done', 'end'))}",
        )
    ]
    if draw.random() < 0.4:
        before += ["and_u32 $s4, $s2, 7", "cmp_eq_u32 $c0, $s4, 0", "cbr $c0, @end"]
    after = [
        line
        for i in range(draw.choice((0, 0, 1, 2)))
        for line in (
            f"and_u32 $s4, $s6, {draw.choice((1, 3))}",
            f"cmp_eq_u32 $c0, $s4, {i}",
            "cbr $c0, @done",
        )
    ]
    store = draw.choice(
        (
            ["st_global_u32 $s6, [$d4]"],
            ["rem_u32 $s6, $s6, 97", "st_global_u32 $s6, [$d4]"],
            [*chase, f"atomic_{draw.choice(('max', 'add', 'xor'))}_global_u32 [$d5], $s6"],
            [*chase, "mov_u32 $s9, 7", "st_global_u32 $s9, [$d5]"],
        )
    )
    lines = [*before, "mov_u32 $s5, $s2", "mov_u32 $s6, $s3", *_loop(draw, chase), "@end:", *after]
    return """
    kernel k(u32 %n, global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u64 $d1, [%y]
        cvt_u64_u32 $d2, $s0
        mad_u64 $d3, $d2, 4, $d1
        ld_global_u32 $s2, [$d3]
        mad_u64 $d4, $d2, 4, $d0
        ld_global_u32 $s3, [$d4]
        {}
    @done:
        ret
    }}""".format("\n        ".join([*lines, *store]))


def _loop(draw: random.Random, chase: list[str]) -> list[str]:
    """A loop that is left at its head or at its end, after a few iterations in most work-items."""
    most = draw.choice((3, 7))
    if draw.random() < 0.5:
        odd = ["and_u32 $s10, $s8, 1", "add_u32 $s9, $s9, $s10"] * (draw.random() < 0.8)
        end = [f"and_u32 $s9, $s5, {most}", *odd, "cmp_ne_u32 $c0, $s9, 0", "cbr $c0, @loop"]
        return ["@loop:", *chase, "add_u32 $s5, $s5, 1", *end]
    test = [
        f"add_u32 $s9, $s5, $s{draw.choice((5, 6, 6))}",
        f"and_u32 $s9, $s9, {most}",
        f"cmp_eq_u32 $c0, $s9, {draw.choice((0, 1))}",
        "cbr $c0, @end",
    ]
    body = draw.choice(([*chase, *test], [*test, *chase], [*chase, *test, *chase]))
    return ["@loop:", *body, "add_u32 $s5, $s5, 1", "br @loop"]


def check_random(seeds: range) -> dict[str, int]:
    """Compare random kernels with the interpreter; return how many were counted in each way."""
    found = {BATCHES: 0, ORDER: 0, "jit": 0, "trap": 0}
    for seed in seeds:
        draw = random.Random(seed)
        (kernel,) = simtlab.assemble(random_kernel(draw))
        width, size = draw.choice((32, 32, 32, 16, 64, 7)), draw.choice((32, 64, 96, 256, 50))
        items = draw.choice((200, 5000, 16_384, 20_000, 40_000)) - draw.choice((0, 0, 0, 57))
        numbers = np.random.default_rng(seed)
        x = numbers.integers(0, 1000, items).astype(np.uint32)
        y = numbers.integers(0, draw.choice((3, 8, 1000)), items).astype(np.uint32)
        outcomes = []
        for engine in ("jit", "interp"):
            launch = kernel.launch(
                items=items, group_size=size, warp=width, engine=engine, stats=True, budget=BUDGET
            )
            own, ways, counts = x.copy(), [], []
            try:
                for _ in range(3):
                    result, by = counted_by(launch, np.uint32(items), own, y.copy())
                    ways.append(by)
                    counts.append(result.statistics)
            except Trap:
                ways = ["trap"]
            outcomes.append((ways, counts, own))
        (ways, native, have), (_, expected, want) = outcomes
        for by in ways:
            found[by] += 1
        if ways == ["trap"]:
            continue
        for a, b in zip(native, expected, strict=True):
            assert_equal(a, b)
        if "jit" not in ways:  # memory of a race may be any where no branch depends on it
            np.testing.assert_array_equal(have, want, f"seed {seed}")
    return found


@pytest.mark.slow
def test_random_kernels() -> None:
    found = check_random(range(40))
    assert min(found[BATCHES], found[ORDER]) > 5
