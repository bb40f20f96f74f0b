"""What an iteration adds to an address."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.loops.growth import growth, of_iteration
from simtlab.emu.analysis.values.ssa import Value

from ...support.flows import op_of, ssa_of

LOOP = """
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s1, [%n]
    mov_u32 $s2, 0
@top:
    cmp_ge_u32 $c0, $s2, $s1
    cbr $c0, @end
    {sums}
    cvt_u64_u32 $d1, $s3
    mad_u64 $d1, $d1, 4, $d0
    st_global_u32 $s2, [$d1]
    add_u32 $s2, $s2, 1
    br @top
@end:
"""


@pytest.mark.parametrize(
    ("sums", "step"),
    [
        ("add_u32 $s3, $s2, $s1", 4),
        ("mul_u32 $s3, $s2, 3\n sub_u32 $s3, $s3, $s2", 8),
        ("sub_u32 $s3, $s1, $s2", -4),
        ("and_u32 $s3, $s2, 7", None),
        ("mul_u32 $s3, $s2, $s1", None),
    ],
)
def test_sums_and_products(sums: str, step: int | None) -> None:
    assert _grown(sums)[0] == step


def test_each_value_is_asked_for_once() -> None:
    """Each of 16 values is added to itself: 65,536 ways lead to the counter."""
    step, asked = _grown("add_u32 $s3, $s2, $s1\n" + "add_u32 $s3, $s3, $s3\n" * 16)
    assert step == 4 << 16
    assert len(asked) == len(set(asked)) < 30


def test_long_sums_are_not_followed() -> None:
    assert _grown("add_u32 $s3, $s2, $s1\n" + "add_u32 $s3, $s3, $s1\n" * 2000)[0] is None


def _grown(sums: str) -> tuple[int | None, list[Value]]:
    ssa = ssa_of(LOOP.format(sums=sums))
    (loop,) = ssa.flow.loops
    asked: list[Value] = []

    def known(value: Value) -> int | None:
        asked.append(value)
        return of_iteration(loop, value)

    base = op_of(ssa, "st_global_u32").base
    assert base is not None
    return growth(base, known), asked
