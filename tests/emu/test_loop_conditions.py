"""An endless loop whose condition nothing changes is reported with the register and the line."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab

START = """\
kernel k(u32 %n, global u32* %x) {
    ld_kernarg_u32  $s1, [%n]
    ld_kernarg_u64  $d0, [%x]
    mov_u32         $s0, 0
    mov_u32         $s2, 0
@loop:
"""
END = "    ret\n}\n"
REASON = "no instruction of the loop changes"

ENDLESS = {
    "the counter is forgotten": (
        "    add_u32 $s2, $s2, 1\n    cmp_lt_u32 $c0, $s0, $s1\n    cbr $c0, @loop\n",
        f"{REASON} $s0 or $s1: its condition in line 9 depends on $s0 and $s1 only",
    ),
    "nothing at all changes": (
        "    cmp_lt_u32 $c0, $s0, $s1\n    cbr $c0, @loop\n",
        f"{REASON} $s0 or $s1: its condition in line 8 depends on $s0 and $s1 only",
    ),
    "the test is at the head": (
        "    cmp_ge_u32 $c0, $s0, $s1\n    cbr $c0, @out\n    add_u32 $s2, $s2, 1\n"
        "    br @loop\n@out:\n",
        f"{REASON} $s0 or $s1: its condition in line 8 depends on $s0 and $s1 only",
    ),
    "the compared value is computed": (
        "    add_u32 $s2, $s2, 1\n    add_u32 $s3, $s0, 1\n    cmp_ne_u32 $c0, $s3, 99\n"
        "    cbr $c0, @loop\n",
        f"{REASON} $s0: its condition in line 10 depends on $s0 only",
    ),
    "two ways out": (
        "    add_u32 $s2, $s2, 1\n    cmp_gt_u32 $c0, $s0, 3\n    cbr $c0, @out\n"
        "    cmp_lt_u32 $c1, $s0, $s1\n    cbr $c1, @loop\n@out:\n",
        f"{REASON} $s0 or $s1: its conditions in line 9 and line 11 depend on $s0 and $s1 only",
    ),
    "the loop around is the endless one": (
        "    mov_u32 $s3, 0\n@inner:\n    add_u32 $s3, $s3, 1\n    cmp_lt_u32 $c1, $s3, 4\n"
        "    cbr $c1, @inner\n    cmp_lt_u32 $c0, $s0, $s1\n    cbr $c0, @loop\n",
        f"{REASON} $s0 or $s1: its condition in line 13 depends on $s0 and $s1 only",
    ),
}

UNKNOWN = {
    "the counter counts the wrong way": (
        "    sub_u32 $s0, $s0, 1\n    add_u32 $s2, $s2, 1\n    cmp_ne_u32 $c0, $s2, 0\n"
        "    cbr $c0, @loop\n"
    ),
    "no way out": "    add_u32 $s2, $s2, 1\n    br @loop\n",
    "memory decides": (
        "    add_u32 $s2, $s2, 1\n    ld_global_u32 $s3, [$d0]\n    cmp_eq_u32 $c0, $s3, 0\n"
        "    cbr $c0, @loop\n"
    ),
    "another block may write it": (
        "    add_u32 $s2, $s2, 1\n    cmp_ne_u32 $c1, $s2, 0\n    cbr $c1, @next\n"
        "    mov_u32 $s0, 9\n@next:\n    cmp_lt_u32 $c0, $s0, 5\n    cbr $c0, @loop\n"
    ),
    "written after the test": (
        "    add_u32 $s2, $s2, 1\n    cmp_lt_u32 $c0, $s0, 5\n    and_u32 $s0, $s2, 3\n"
        "    cbr $c0, @loop\n"
    ),
    "only constants decide": (
        "    add_u32 $s2, $s2, 1\n    mov_u32 $s3, 1\n    cmp_lt_u32 $c0, $s3, 5\n"
        "    cbr $c0, @loop\n"
    ),
}


def message(body: str, engine: str) -> str:
    launch = simtlab.assemble(START + body + END)["k"].launch(
        items=4, group_size=4, engine=engine, budget=2000
    )
    with pytest.raises(simtlab.Trap, match=r"SIM406|SIM408|SIM412") as found:
        launch(7, np.zeros(4, np.uint32))
    return str(found.value)


@pytest.mark.parametrize("engine", ["jit", "interp", "oracle"])
@pytest.mark.parametrize("name", ENDLESS)
def test_the_register_and_the_line_are_named(name: str, engine: str):
    body, expected = ENDLESS[name]
    text = message(body, engine)
    assert f"= note: {expected}\n" in text
    assert "in the loop, or let the condition depend on a register that changes" in text


@pytest.mark.parametrize("engine", ["jit", "interp"])
@pytest.mark.parametrize("name", UNKNOWN)
def test_nothing_is_claimed_where_it_is_not_certain(name: str, engine: str):
    assert REASON not in message(UNKNOWN[name], engine)
