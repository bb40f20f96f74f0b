"""Which phis count the iterations of a loop: by a constant, to a bound that does not change."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.ranges.stepping import counters_of, increment_of
from simtlab.isa.types import RegClass

from ...support.flows import ssa_of

START = """
    workitemflatabsid_u32 $s0
    ld_kernarg_u32 $s9, [%n]
    mov_u32 $s1, $s0
"""
END = "\n@out:\nadd_u32 $s5, $s1, $s2"
USE = "\nld_kernarg_u64 $d0, [%x]\nst_global_u32 $s5, [$d0]"

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

BY_OTHER_STEPS = {
    "by two": ("add_u32 $s1, $s1, 2\ncmp_lt_u32 $c0, $s1, $s9", (2, "lt", False)),
    "twice by one": (
        "add_u32 $s1, $s1, 1\nadd_u32 $s1, 1, $s1\ncmp_lt_u32 $c0, $s1, $s9",
        (2, "lt", False),
    ),
    "to the bound itself": ("add_u32 $s1, $s1, 1\ncmp_le_u32 $c0, $s1, $s9", (1, "le", False)),
    "a signed bound": ("add_s32 $s1, $s1, 1\ncmp_lt_s32 $c0, $s1, $s9", (1, "lt", True)),
    "backwards": ("sub_u32 $s1, $s1, 3\ncmp_gt_u32 $c0, $s1, $s9", (-3, "gt", False)),
    "backwards to a bound": ("add_s32 $s1, $s1, -1\ncmp_ge_s32 $c0, $s1, $s9", (-1, "ge", True)),
    "another number": ("add_u32 $s1, $s1, 1\ncmp_ne_u32 $c0, $s1, $s9", (1, "ne", False)),
    "a bound on the left": ("add_u32 $s1, $s1, 1\ncmp_gt_u32 $c0, $s9, $s1", (1, "lt", False)),
}

NOT_FOUND = {
    "past its bound": "@top:\nsub_u32 $s1, $s1, 1\ncmp_lt_u32 $c0, $s1, $s9\ncbr $c0, @top",
    "over its bound": "@top:\nadd_u32 $s1, $s1, 2\ncmp_ne_u32 $c0, $s1, $s9\ncbr $c0, @top",
    "if they are equal": "@top:\nadd_u32 $s1, $s1, 1\ncmp_eq_u32 $c0, $s1, 0\ncbr $c0, @top",
    "by nothing": "@top:\nadd_u32 $s1, $s1, 0\ncmp_lt_u32 $c0, $s1, $s9\ncbr $c0, @top",
    "by a value": "@top:\nadd_u32 $s1, $s1, $s9\ncmp_lt_u32 $c0, $s1, 99\ncbr $c0, @top",
    "doubled": "@top:\nshl_u32 $s1, $s1, 1\ncmp_lt_u32 $c0, $s1, $s9\ncbr $c0, @top",
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
        cmp_ne_u32 $c0, $s1, $s2
        cbr $c0, @top""",
}


def found(body: str) -> list[tuple[int, bool]]:
    """The registers of the indices, and whether the header tests them."""
    form = ssa_of(START + body + END + USE)
    return [
        (counter.phi.register[1], counter.header_tests)
        for loop in form.flow.loops
        for counter in counters_of(form, loop)
    ]


@pytest.mark.parametrize("name", FOUND)
def test_a_phi_that_steps_to_a_bound(name: str) -> None:
    assert (1, False) in found(FOUND[name])


@pytest.mark.parametrize("name", TESTED_FIRST)
def test_a_phi_that_the_header_tests(name: str) -> None:
    assert found(TESTED_FIRST[name]) == [(1, True)]


@pytest.mark.parametrize("name", BY_OTHER_STEPS)
def test_steps_and_relations(name: str) -> None:
    body, expected = BY_OTHER_STEPS[name]
    form = ssa_of(f"{START}@top:\n{body}\ncbr $c0, @top{END}{USE}")
    (loop,) = form.flow.loops
    (counter,) = counters_of(form, loop)
    assert (counter.step, counter.relation, counter.is_signed) == expected


def test_pointers_that_grow_by_what_the_loop_does_not_change() -> None:
    body = """
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%x]
        ld_kernarg_u64 $d3, [%x]
        cvt_u64_u32 $d4, $s9
    @top:
        add_u64 $d1, $d1, $d4
        sub_u64 $d1, $d1, 4
        mul_u64 $d2, $d2, $d4
        ld_global_u64 $d3, [$d3]
        add_u32 $s1, $s1, 1
        cmp_lt_u32 $c0, $s1, $s9
        cbr $c0, @top
        st_global_u64 $d2, [$d1]
        st_global_u64 $d2, [$d3]"""
    form = ssa_of(START + body + END + USE)
    (loop,) = form.flow.loops
    found = {
        phi.register: None if terms is None else [sign for sign, _ in terms]
        for phi in form.phis[loop.header]
        for terms in [increment_of(loop, phi)]
    }
    assert found[RegClass.D, 1] == [-1, 1]
    assert found[RegClass.D, 2] is None
    assert found[RegClass.D, 3] is None
    assert found[RegClass.S, 1] == [1]


@pytest.mark.parametrize("name", NOT_FOUND)
def test_a_phi_that_does_not_count_its_bound(name: str) -> None:
    assert not found(NOT_FOUND[name])
