"""Compare-and-swap that is repeated until it succeeds: native code runs it as other atomics."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.launch import in_order

from .....support.counts import WIDTHS, assert_equal

LARGEST = """
kernel largest(u32 %n, global u32* %key, global f32* %x, global f32* %most) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%key]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_f32 $s3, [$d1]
    cvt_u64_u32 $d2, $s2
    ld_kernarg_u64 $d1, [%most]
    mad_u64 $d1, $d2, 4, $d1
    ld_global_u32 $s4, [$d1]
@try:
    cmp_leu_f32 $c0, $s3, $s4
    cbr $c0, @done
    atomic_cas_global_u32 $s5, [$d1], $s4, $s3
    cmp_eq_u32 $c0, $s5, $s4
    mov_u32 $s4, $s5
    cbr $c0, @done
    br @try
@done:
    ret
}
"""

SUM = LARGEST.replace(
    """    ld_global_u32 $s4, [$d1]
@try:
    cmp_leu_f32 $c0, $s3, $s4
    cbr $c0, @done
    atomic_cas_global_u32 $s5, [$d1], $s4, $s3
""",
    """@try:
    ld_global_u32 $s4, [$d1]
    add_f32 $s6, $s4, $s3
    atomic_cas_global_u32 $s5, [$d1], $s4, $s6
""",
)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("text", [LARGEST, SUM], ids=["largest", "sum"])
@pytest.mark.parametrize("keys", [1, 5, 300])
def test_floats_meet_by_compare_and_swap(text: str, keys: int, width: int, monkeypatch) -> None:
    rng = np.random.default_rng(keys)
    key = rng.integers(0, keys, 700).astype(np.uint32)
    x = rng.integers(-999, 999, 700).astype(np.float32)  # whose sums are exact in any order
    function = simtlab.assemble(text)["largest"]
    found = []
    for engine in ("jit", "interp"):
        with monkeypatch.context() as patch:
            if engine == "jit":
                patch.setattr(in_order, "run", None)  # not the interpreter's order
            most = np.full(keys, -50, np.float32)
            launch = function.launch(items=704, group_size=64, engine=engine, warp=width)
            launch(700, key, x, most)
            found.append(most)
    expected = np.full(keys, -50, np.float32)
    np.maximum.at(expected, key, x) if text is LARGEST else np.add.at(expected, key, x)
    for most in found:
        np.testing.assert_array_equal(most, expected)


@pytest.mark.parametrize("text", [LARGEST, SUM], ids=["largest", "sum"])
def test_statistics_are_those_of_the_interpreter(text: str) -> None:
    rng = np.random.default_rng(1)
    key = rng.integers(0, 9, 300).astype(np.uint32)
    x = rng.integers(-999, 999, 300).astype(np.float32)
    function = simtlab.assemble(text)["largest"]
    counted = []
    for engine in ("jit", "interp"):
        launch = function.launch(items=300, group_size=64, engine=engine, stats=True)
        counted.append(launch(300, key, x, np.zeros(9, np.float32)).statistics)
    assert_equal(*counted)
