"""Short loops that load the same in each iteration of the loop around them."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

POINTS, FEATURES, CENTRES = 130, 3, 5


def kernel(features: int = FEATURES, *, index: str = "$s0", then: str = "") -> str:
    """The sum of products of a work-item's features with those of each centre."""
    return f"""kernel k(u32 %n, u32 %k, global f32* %x, global f32* %c, global f32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        ld_kernarg_u32 $s2, [%k]
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%c]
        ld_kernarg_u64 $d5, [%y]
        cvt_u64_u32 $d0, $s0
        mad_u64 $d5, $d0, 4, $d5
        mov_u32 $s3, 0
        mov_u32 $s4, 0.0
    @centre:
        mov_u32 $s5, 1.0
        mov_u32 $s6, 0
    @feature:
        mad_u32 $s7, $s6, $s1, {index}
        cvt_u64_u32 $d3, $s7
        mad_u64 $d3, $d3, 4, $d1
        ld_global_f32 $s8, [$d3]
        ld_global_f32 $s9, [$d2]
        fma_f32 $s5, $s8, $s9, $s5
        add_u64 $d2, $d2, 4
        add_u32 $s6, $s6, 1
        cmp_lt_u32 $c0, $s6, {features}
        cbr $c0, @feature
        mul_f32 $s5, $s5, $s5
        add_f32 $s4, $s4, $s5
        {then}
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c0, $s3, $s2
        cbr $c0, @centre
        st_global_f32 $s4, [$d5]
    @done:
        ret
    }}"""


def arguments(points: int = POINTS) -> list[object]:
    rng = np.random.default_rng(2)
    x, c = (rng.standard_normal(n, np.float32) for n in (FEATURES * points, FEATURES * CENTRES))
    return [points, CENTRES, x, c, np.zeros(points, np.float32)]


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
def test_features_are_loaded_once(width: int) -> None:
    same(kernel(), arguments(), items=192, group_size=64, width=width)


def test_the_first_feature_outside_of_its_buffer_faults() -> None:
    given = arguments()
    given[2] = given[2][:-3]  # type: ignore[index]
    works = [
        make(kernel(), [a.copy() if isinstance(a, np.ndarray) else a for a in given], items=192,
             group_size=64)
        for _ in range(2)
    ]  # fmt: skip
    assert assert_as_oracle(*works)


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        (kernel(), 1),
        (kernel(9), 2),
        (kernel(index="$s3"), 2),  # the same for all lanes
        (kernel(then="st_global_f32 $s4, [$d5]"), 2),
        (kernel(then="add_u64 $d1, $d1, 4"), 2),
    ],
)
def test_inner_loops_that_repeat_loads_are_copied(text: str, loops: int) -> None:
    (made,) = assemble(text).kernels
    assert len(analyse(made).flow.loops) == loops
