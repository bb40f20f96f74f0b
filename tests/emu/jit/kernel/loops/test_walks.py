"""Loops in which each lane walks by itself, together, one by one, and as native code finds."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.workgroups.trial import LIMIT

from ...support.agreement import same

WALK = """
kernel walk(u32 %n, global u8* %map, global u32* %steps) {
    workitemabsid_u32   $s0, 0
    ld_kernarg_u32      $s1, [%n]
    cmp_ge_u32          $c0, $s0, $s1
    cbr                 $c0, @done
    ld_kernarg_u64      $d0, [%map]
    mul_u32             $s2, $s0, 2654435761
    mov_u32             $s3, 0
    mov_u32             $s4, 0
@step:
    mul_u32             $s2, $s2, 1664525
    add_u32             $s2, $s2, 1013904223
    shr_u32             $s5, $s2, 28
    add_u32             $s3, $s3, $s5
    and_u32             $s3, $s3, 511
    add_u32             $s4, $s4, 1
    cvt_u64_u32         $d1, $s3
    add_u64             $d1, $d1, $d0
    ld_global_u8        $s6, [$d1]
    cmp_ne_u32          $c0, $s6, 0
    cbr                 $c0, @store
    cmp_lt_u32          $c0, $s4, 90
    cbr                 $c0, @step
@store:
    cvt_u64_u32         $d1, $s0
    ld_kernarg_u64      $d0, [%steps]
    mad_u64             $d1, $d1, 4, $d0
    st_global_u32       $s4, [$d1]
@done:
    ret
}
"""


ROWS = """
kernel rows(u32 %n, u32 %length, global u32* %x, global u32* %steps) {
    workitemabsid_u32   $s0, 0
    ld_kernarg_u32      $s1, [%n]
    cmp_ge_u32          $c0, $s0, $s1
    cbr                 $c0, @done
    ld_kernarg_u32      $s2, [%length]
    ld_kernarg_u64      $d0, [%x]
    mov_u32             $s3, 40                 // left
    mov_u32             $s4, 0
@step:
    mad_u32             $s5, $s0, $s2, $s4
    cvt_u64_u32         $d1, $s5
    mad_u64             $d1, $d1, 4, $d0
    ld_global_u32       $s6, [$d1]
    sub_u32             $s3, $s3, $s6
    cmp_lt_s32          $c0, $s3, 0
    cbr                 $c0, @store
    add_u32             $s4, $s4, 1
    br                  @step
@store:
    cvt_u64_u32         $d1, $s0
    ld_kernarg_u64      $d0, [%steps]
    mad_u64             $d1, $d1, 4, $d0
    st_global_u32       $s4, [$d1]
@done:
    ret
}
"""
"""Each lane goes along a row of its own until the sum is more than 40."""


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("loops", ["", "alone", "together", "measured", "5"])
def test_walks_end_where_each_lane_alone_would(
    loops: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", loops)
    place = (np.random.default_rng(2).random(512) < 0.04).astype(np.uint8)
    args = [290, place, np.zeros(300, np.uint32)]
    _, steps = same(WALK, args, items=300, group_size=64, width=width)
    assert 0 < steps[:290].min() < steps.max()


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("loops", ["", "alone", "together", "measured", "5"])
def test_rows_end_where_each_lane_alone_would(
    loops: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", loops)
    x = np.random.default_rng(3).integers(0, 5, (300, 70), np.uint32)
    x[:, -1] = 41
    _, steps = same(ROWS, [290, 70, x, np.zeros(300, np.uint32)], items=300, width=width)
    assert 0 < steps[:290].min() < steps.max() <= 69


@pytest.mark.parametrize("loops", ["", "measured", "5"])
def test_rows_without_an_end_trap_where_each_lane_alone_would(
    loops: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", loops)
    x = np.zeros((300, 70), np.uint32)
    x[:250, -1] = 41
    trap = [
        trap_of(ROWS, engine, 300, 70, x, np.zeros(300, np.uint32)) for engine in ("interp", "jit")
    ]
    assert trap[0] == trap[1]
    assert "out-of-bounds load" in trap[0]


def trap_of(text: str, engine: str, *args: object) -> str:
    """Return the report of the trap that ends a launch."""
    with pytest.raises(simtlab.Trap) as caught:
        simtlab.assemble(text)["rows"].launch(items=300, group_size=64, engine=engine)(*args)
    return str(caught.value)


@pytest.mark.parametrize(("text", "name"), [(WALK, "walk"), (ROWS, "rows")])
def test_native_code_finds_how_lanes_walk(text: str, name: str) -> None:
    kernel = simtlab.assemble(text)[name].kernel
    facts = Facts(32, (64, 1, 1), whole=False, finds_limit=True)
    assert LIMIT in generate(kernel, 0, facts)
    together = Facts(32, (64, 1, 1), whole=False, together_from=8)
    assert LIMIT not in generate(kernel, 0, together)
