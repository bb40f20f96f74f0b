"""NaNs of f64: one test of all vectors in straight code, and canonical NaNs either way."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab

from ..support.agreement import same

HEAD = """
    workitemabsid_u32 $s0, 0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 8, $d1
    ld_kernarg_u64 $d2, [%out]
    mad_u64 $d2, $d0, 8, $d2
    ld_global_f64 $d3, [$d1]
"""
BODIES = {
    "straight": "fma_f64 $d4, $d3, $d3, -1.0\n sub_f64 $d5, $d4, $d3\n"
    "st_global_f64 $d4, [$d2]\n st_global_f64 $d5, [$d2+2048]",
    "a loop": "mov_u32 $s1, 0\n@next:\n sub_f64 $d3, $d3, $d3\n st_global_f64 $d3, [$d2]\n"
    "add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s1, 40\n cbr $c0, @next",
}
N = 256


def kernel(body: str) -> str:
    return f"kernel k(global f64* %x, global f64* %out) {{\n{HEAD}{BODIES[body]}\n    ret\n}}"


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("place", [None, 0, 7, 8, 100, 255])
def test_nans_are_canonical_in_any_lane(body: str, place: int | None) -> None:
    x = np.random.default_rng(1).normal(0, 1, N)
    if place is not None:
        x.view(np.uint64)[place] = 0xFFF0_0000_0000_0123
        x[N - 1 - place] = np.inf
    same(kernel(body), [x, np.zeros(2 * N)], items=N, group_size=128)


def test_only_straight_code_has_the_test() -> None:
    for body in BODIES:
        launch = simtlab.assemble(kernel(body))["k"].launch(items=N, group_size=128)
        has_test = "fcmp uno <16 x double>" in launch.generated("llvm")
        assert has_test is (body == "straight")
