"""Branches that send the one lane somewhere whose number equals a scalar."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.lanes.equal_lane import equal_lane
from simtlab.emu.jit.kernel.compile import generate

from ...support.agreement import same

FRAME = """
kernel k(u32 %n, u32 %from, global u32* %x, global u32* %out) {{
    .group u32 row[128]
    .group u32 seen[4]
    workitemid_u32 $s0, 0
    workitemflatabsid_u32 $s1
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    mov_u32 $s6, 0
    ld_kernarg_u32 $s3, [%from]
    ld_kernarg_u32 $s4, [%n]
    ld_kernarg_u64 $d4, [%out]
    mad_u64 $d4, $d0, 4, $d4
    cvt_u64_u32 $d2, $s0
    {guard}
@step:
    {before}
    {test}
    cbr $c0, @{side}
    {fall}
@{label}:
    {one}
@over:
    {barrier}
    {after}
    mad_u32 $s2, $s2, 31, $s5
    add_u32 $s3, $s3, 1
    cmp_lt_u32 $c0, $s3, $s4
    cbr $c0, @step
@done:
    mad_u32 $s2, $s6, 7, $s2
    st_global_u32 $s2, [$d4]
    ret
}}
"""
USUAL = {
    "guard": "",
    "before": "mov_u32 $s5, 5",
    "test": "cmp_ne_u32 $c0, $s0, $s3",
    "side": "over",
    "fall": "",
    "label": "one",
    "one": "st_group_u32 $s2, [row]",
    "barrier": "barrier",
    "after": "ld_group_u32 $s5, [row]\n barrier",
}
CASES: dict[str, tuple[dict[str, str], bool]] = {
    "a row of one lane for all": ({}, True),
    "the scalar first": ({"test": "cmp_ne_u32 $c0, $s3, $s0"}, True),
    "the lane jumps": (
        {"test": "cmp_eq_u32 $c0, $s0, $s3", "side": "one", "fall": "br @over"},
        True,
    ),
    "numbers of 64 bits": (
        {"before": "cvt_u64_u32 $d3, $s3", "test": "cmp_ne_u64 $c0, $d2, $d3"},
        True,
    ),
    "nothing is stored": (
        {"one": "add_u32 $s6, $s6, $s2\n div_u32 $s6, $s6, 3", "barrier": "", "after": ""},
        True,
    ),
    "some lanes are elsewhere": (
        {
            "guard": "and_u32 $s7, $s2, 1\n cmp_eq_u32 $c1, $s7, 0\n cbr $c1, @done",
            "one": "st_group_u32 $s2, [seen]\n ld_group_u32 $s5, [seen]\n"
            "st_global_u32 $s5, [$d4]\n add_u32 $s6, $s6, $s5",
            "barrier": "",
            "after": "",
        },
        True,
    ),
    "a constant": ({"test": "cmp_ne_u32 $c0, $s0, 5"}, False),
    "a product of the number": (
        {"before": "mul_u32 $s7, $s0, 2", "test": "cmp_ne_u32 $c0, $s7, $s3"},
        False,
    ),
    "another lane": ({"test": "cmp_ge_u32 $c0, $s0, $s3"}, False),
    "a number that lanes have loaded": ({"test": "cmp_ne_u32 $c0, $s2, $s3"}, False),
}


def text_of(name: str) -> str:
    """Return the source of a case."""
    return FRAME.format(**(USUAL | CASES[name][0]))


@pytest.mark.parametrize("name", CASES)
def test_the_lane_is_known_where_its_number_steps_by_one(name: str) -> None:
    text, is_known = text_of(name), CASES[name][1]
    kernel = assemble(text).kernels[0]
    shapes = analyse(kernel).shapes(Facts(64, (64, 1, 1), whole=True))
    found = [equal_lane(shapes, node.number) for node in shapes.flow.nodes]
    assert any(found) == is_known


RACES = {"another lane", "a number that lanes have loaded"}
"""Cases in which several lanes store to one place."""


@pytest.mark.parametrize("name", [name for name in CASES if name not in RACES])
@pytest.mark.parametrize(("items", "group"), [(128, 64), (256, 128), (96, 32), (150, 70)], ids=str)
@pytest.mark.parametrize("first", [0, 30])
def test_one_lane_does_what_the_oracle_does(name: str, items: int, group: int, first: int) -> None:
    rng = np.random.default_rng(items + first)
    x = rng.integers(0, 1 << 32, items, np.uint32)
    out = np.zeros(items, np.uint32)
    launch = {"items": (items,), "group_size": (group,)}
    same(text_of(name), [np.uint32(80), np.uint32(first), x, out], **launch)


def test_a_scalar_passes_the_last_lane() -> None:
    """Of the steps 60 to 79, no lane of a warp of 64 has the number from 64 on."""
    x, out = np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32)
    args = [np.uint32(80), np.uint32(60), x, out]
    same(text_of("a row of one lane for all"), args, items=(128,), group_size=(64,))


@pytest.mark.parametrize("lane", [69, 70, 128, 191, 192])
def test_a_warp_has_a_lane_of_any_number(lane: int) -> None:
    guard = "mov_u32 $s5, 5\n cmp_lt_u32 $c1, $s0, 70\n cbr $c1, @over"
    text = FRAME.format(**(USUAL | {"before": guard}))
    x, out = np.arange(1, 193, dtype=np.uint32), np.zeros(192, np.uint32)
    launch = {"items": (192,), "group_size": (192,)}
    same(text, [np.uint32(lane + 1), np.uint32(lane), x, out], **launch)


def test_a_warp_looks_for_no_lane() -> None:
    kernel = assemble(text_of("a row of one lane for all")).kernels[0]
    facts = Facts(64, (64, 1, 1), whole=True, one_warp=True)
    assert "ctlz" not in generate(kernel, 0, facts)
    kernel = assemble(text_of("another lane")).kernels[0]
    assert "ctlz" in generate(kernel, 0, replace(facts, few_groups=True))
