"""Sums that a branch in a loop skips, past a guard: masks of the lanes that run."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.guarded import LOAD_X, guarded, store_y
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle


def product(second: bool, *, n: int = 100, relation: str = "ge", width: int = 32) -> Work:
    """Multiply an element by constants, bit by bit, without carries."""
    more = "add_u32 $s6, $s6, $s4" if second else ""
    text = guarded(
        f"""
        {LOAD_X}
        mov_u32 $s3, 0
        mov_u32 $s4, 0x1b
        mov_u32 $s5, 0
        mov_u32 $s6, 0
    @bit:
        cmp_ge_s32 $c1, $s2, 0
        cbr $c1, @zero
        xor_u32 $s5, $s5, $s4
        {more}
    @zero:
        shl_u32 $s2, $s2, 1
        mul_u32 $s4, $s4, 3
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c1, $s3, 32
        cbr $c1, @bit
        mad_u32 $s5, $s6, 5, $s5
        {store_y("$s5")}"""
    )
    text = text.replace("cmp_ge_u32 $c0", f"cmp_{relation}_u32 $c0")
    x = np.random.default_rng(3).integers(0, 1 << 32, 128, np.uint32)
    return make(text, [n, x, np.zeros(128, np.uint32)], items=128, group_size=64, width=width)


def asks_for_running(work: Work) -> bool:
    """Return whether lanes below the bound are compared, not only those that return."""
    code = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    return "icmp ult <16 x i32>" in code or "icmp ult <32 x i32>" in code


def test_only_two_sums_ask_for_the_lanes_that_run() -> None:
    assert asks_for_running(product(second=True))
    assert not asks_for_running(product(second=False))


@pytest.mark.parametrize("width", [1, 16, 32, 64])
@pytest.mark.parametrize("relation", ["ge", "gt", "lt", "le", "eq", "ne"])
def test_the_opposite_of_each_relation(relation: str, width: int) -> None:
    """By `lt` and the like the other work-items return."""
    for n in (0, 1, 100, 128):
        works = [product(True, n=n, relation=relation, width=width) for _ in "ab"]
        assert not assert_as_oracle(*works)
