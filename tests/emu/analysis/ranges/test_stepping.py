"""Which indices step through a loop one by one to a bound that the loop does not change."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.ranges.stepping import steps_of
from simtlab.isa.types import RegClass

from ...support.flows import ssa_of

START = """
    workitemflatabsid_u32 $s0
    ld_kernarg_u32 $s9, [%n]
    mov_u32 $s1, $s0
"""
END = "\n@out:\nadd_u32 $s5, $s1, $s2"

FOUND = {
    "tested at the end": "@top:\nadd_u32 $s1, $s1, 1\ncmp_lt_u32 $c0, $s1, $s9\ncbr $c0, @top",
    "signed, from the left": "@top:\nadd_s32 $s1, 1, $s1\ncmp_lt_u32 $c0, $s1, $s9\ncbr $c0, @top",
    "the other way round": """@top:
        add_u32 $s1, $s1, 1
        cmp_ge_u32 $c0, $s1, $s9
        cbr $c0, @out
        br @top""",
    "to a constant": "@top:\nadd_u32 $s1, $s1, 1\ncmp_lt_u32 $c0, $s1, 99\ncbr $c0, @top",
    "from two places": """@top:
        add_u32 $s1, $s1, 1
        and_u32 $s3, $s1, 1
        cmp_eq_u32 $c0, $s3, 0
        cbr $c0, @odd
        cmp_lt_u32 $c0, $s1, $s9
        cbr $c0, @top
        br @out
    @odd:
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s1, $s9
        cbr $c0, @top""",
}

TESTED_FIRST = {
    "first": """@top:
        cmp_ge_u32 $c0, $s1, $s9
        cbr $c0, @out
        add_u32 $s2, $s2, $s1
        add_u32 $s1, $s1, 1
        br @top""",
    "in the only node, before the step": """@top:
        cmp_lt_u32 $c0, $s1, $s9
        add_u32 $s1, $s1, 1
        cbr $c0, @top""",
}

NOT_FOUND = {
    "by two": "@top:\nadd_u32 $s1, $s1, 2\ncmp_lt_u32 $c0, $s1, $s9\ncbr $c0, @top",
    "backwards": "@top:\nsub_u32 $s1, $s1, 1\ncmp_lt_u32 $c0, $s1, $s9\ncbr $c0, @top",
    "to the bound itself": "@top:\nadd_u32 $s1, $s1, 1\ncmp_le_u32 $c0, $s1, $s9\ncbr $c0, @top",
    "a signed bound": "@top:\nadd_s32 $s1, $s1, 1\ncmp_lt_s32 $c0, $s1, $s9\ncbr $c0, @top",
    "a bound that moves": """@top:
        add_u32 $s1, $s1, 1
        sub_u32 $s9, $s9, 1
        cmp_lt_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "the wrong side": "@top:\nadd_u32 $s1, $s1, 1\ncmp_ge_u32 $c0, $s1, $s9\ncbr $c0, @top",
    "another way back": """@top:
        add_u32 $s1, $s1, 1
        and_u32 $s3, $s1, 1
        cmp_eq_u32 $c0, $s3, 0
        cbr $c0, @top
        cmp_lt_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "two steps on one way": """@top:
        add_u32 $s1, $s1, 1
        and_u32 $s3, $s2, 1
        cmp_eq_u32 $c0, $s3, 0
        cbr $c0, @next
        add_u32 $s1, $s1, 1
    @next:
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "a test that stays in the loop": """@top:
        cmp_ge_u32 $c0, $s1, $s9
        cbr $c0, @far
        add_u32 $s2, $s2, $s1
    @far:
        add_u32 $s1, $s1, 1
        cmp_ne_u32 $c0, $s1, 0
        cbr $c0, @top""",
}


def found(body: str) -> list[tuple[int, bool]]:
    """The registers of the indices, and whether the header tests them."""
    form = ssa_of(START + body + END + "\nld_kernarg_u64 $d0, [%x]\nst_global_u32 $s5, [$d0]")
    return [
        (steps.index.register[1], steps.header_tests)
        for loop in form.flow.loops
        for steps in steps_of(form, loop)
        if steps.index.register[0] is RegClass.S
    ]


@pytest.mark.parametrize("name", FOUND)
def test_an_index_that_steps_to_a_bound(name: str) -> None:
    assert (1, False) in found(FOUND[name])


@pytest.mark.parametrize("name", TESTED_FIRST)
def test_an_index_that_the_header_tests(name: str) -> None:
    assert found(TESTED_FIRST[name]) == [(1, True)]


@pytest.mark.parametrize("name", NOT_FOUND)
def test_an_index_that_may_pass_its_bound(name: str) -> None:
    assert not found(NOT_FOUND[name])
