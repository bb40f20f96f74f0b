"""Distances of a warp's lanes, and the strides that follow from them."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.values.ssa import Op

from ...support.flows import shapes_of, stored

HEAD = """
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s9, [%n]
    workitemid_u32 $s0, 0
    workitemid_u32 $s7, 1
    workitemabsid_u32 $s6, 0
    workitemabsid_u32 $s5, 1
    workitemflatid_u32 $s4
"""
FLAT = np.arange(64)
X, Y = FLAT % 16, FLAT // 16
SQUARE = Facts(64, (16, 16, 1), whole=True)

CONSTANT = {
    "mov_u32 $s1, $s0": X,
    "mov_u32 $s1, $s7": Y,
    "mov_u32 $s1, $s6": X,
    "mov_u32 $s1, $s5": Y,
    "mad_u32 $s1, $s0, 17, $s7": 17 * X + Y,
    "sub_u32 $s1, $s7, $s0": Y - X,
    "shl_u32 $s1, $s0, 2\n add_u32 $s1, $s1, $s9": 4 * X,
    "and_u32 $s1, $s4, 15": X,
    "shr_u32 $s1, $s4, 4\n mad_u32 $s1, $s1, $s9, $s4": None,
    "xor_u32 $s1, $s0, 1": (X ^ 1) - 1,
    "div_u32 $s1, $s4, 20": None,  # its steps are at other lanes in each warp
    "rem_u32 $s1, $s4, 8": FLAT % 8,
    "mul_u32 $s1, $s0, -4": -4 * X,
    "mul_u32 $s1, $s0, $s7": None,
    "and_u32 $s1, $s6, 15": X,  # a workgroup begins at a multiple of 16
    "and_u32 $s1, $s6, 31": None,  # its place is not known
    "shr_u32 $s1, $s6, 1": X // 2,
    "div_u32 $s1, $s6, 4": X // 4,
    "shr_u32 $s1, $s6, 33": X // 2,  # of a shift, five bits count
    "div_u32 $s1, $s6, 3": None,
    "rem_u32 $s1, $s6, 3": None,
    "shr_u32 $s1, $s6, 5": None,
    "xor_u32 $s1, $s6, 5": (X ^ 5) - 5,
    "or_u32 $s1, $s6, 3": (X | 3) - 3,
    "and_u32 $s1, $s6, 0xfffffffc": X & ~3,
    "and_u32 $s1, $s6, 0xffffffdf": None,
    "xor_u32 $s1, $s6, 16": None,
    "xor_u32 $s1, $s6, $s9": None,
    "ld_global_u32 $s1, [$d0]\n add_u32 $s1, $s1, $s0": X,
    "cmp_lt_u32 $c0, $s0, 3\n cbr $c0, @a\n mov_u32 $s8, 1\n@a:\n add_u32 $s1, $s8, $s0": None,
}


@pytest.mark.parametrize("lines", CONSTANT)
def test_distances_are_constants(lines: str):
    shapes = shapes_of(f"{HEAD} {lines}\n st_global_u32 $s1, [$d0]\n", SQUARE)
    found = shapes.distances_of(stored(shapes.ssa))
    wanted = CONSTANT[lines]
    if wanted is None:
        assert found is None or found.multiples
    else:
        assert found is not None
        assert not found.multiples
        np.testing.assert_array_equal(found.constants, wanted)


@pytest.mark.parametrize(("group", "width"), [(48, 48), (96, 48), (192, 48), (96, 32), (64, 64)])
def test_quotients_are_known_where_workgroups_begin_at_multiples(group: int, width: int):
    for line, wanted in (
        ("div_u32 $s1, $s6, 3", np.arange(width) // 3),
        ("rem_u32 $s1, $s6, 3", np.arange(width) % 3),
    ):
        facts = Facts(width, (group, 1, 1), whole=False)
        shapes = shapes_of(f"{HEAD} {line}\n st_global_u32 $s1, [$d0]\n", facts)
        found = shapes.distances_of(stored(shapes.ssa))
        assert (found is not None) == (width == 48)
        if found is not None:
            np.testing.assert_array_equal(found.constants, wanted)


def test_distances_are_multiples_of_a_uniform_value():
    shapes = shapes_of(f"{HEAD} mad_u32 $s1, $s5, $s9, $s6\n st_global_u32 $s1, [$d0]\n", SQUARE)
    found = shapes.distances_of(stored(shapes.ssa))
    assert found is not None
    (((value,), numbers),) = found.multiples.items()
    assert isinstance(value, Op)
    assert value.ins.row.name == "ld_kernarg_u32"
    np.testing.assert_array_equal(numbers, Y)
    np.testing.assert_array_equal(found.constants, X)
    assert found.step is None


def test_distances_are_multiples_of_products():
    lines = "workitemid_u32 $s8, 2\n mad_u32 $s1, $s8, $s9, $s7\n mad_u32 $s1, $s1, $s9, $s0\n"
    facts = Facts(64, (4, 4, 4), whole=True)
    shapes = shapes_of(f"{HEAD} {lines} st_global_u32 $s1, [$d0]\n", facts)
    found = shapes.distances_of(stored(shapes.ssa))
    assert found is not None
    assert [len(term) for term in found.multiples] == [2, 1]
    of_planes, of_rows = found.multiples.values()
    np.testing.assert_array_equal(of_planes, FLAT // 16)
    np.testing.assert_array_equal(of_rows, FLAT // 4 % 4)
    np.testing.assert_array_equal(found.constants, FLAT % 4)
    shapes = shapes_of(
        f"{HEAD} {lines} mul_u32 $s1, $s1, $s9\n mul_u32 $s1, $s1, $s9\nst_global_u32 $s1, [$d0]\n",
        facts,
    )
    assert shapes.distances_of(stored(shapes.ssa)) is None


LOOP = """
    mov_u32 $s1, START
    mov_u32 $s2, 0
@again:
    add_u32 $s1, $s1, STEP
    add_u32 $s2, $s2, 1
    cmp_lt_u32 $c0, $s2, BOUND
    cbr $c0, @again
    st_global_u32 $s1, [$d0]
"""


@pytest.mark.parametrize(
    ("start", "step", "bound", "known"),
    [
        ("$s0", "4", "$s9", True),
        ("$s0", "$s9", "$s9", True),
        ("$s0", "$s0", "$s9", False),
        ("$s0", "4", "$s0", False),  # lanes leave in different iterations
    ],
)
def test_distances_stay_in_loops(start: str, step: str, bound: str, known: bool):
    lines = LOOP.replace("START", start).replace("STEP", step).replace("BOUND", bound)
    shapes = shapes_of(HEAD + lines, SQUARE)
    found = shapes.distances_of(stored(shapes.ssa))
    assert (found is not None) == known
    if found is not None:
        np.testing.assert_array_equal(found.constants, X)
        assert found.chosen


def test_partial_workgroups_have_no_distances():
    line = f"{HEAD} mov_u32 $s1, $s7\n st_global_u32 $s1, [$d0]\n"
    shapes = shapes_of(line, Facts(64, (16, 16, 1), whole=False))
    assert shapes.distances_of(stored(shapes.ssa)) is None


@pytest.mark.parametrize(
    ("lines", "step"),
    [
        ("mad_u32 $s1, $s7, 8, $s0", 1),
        ("shl_u32 $s1, $s7, 3\n add_u32 $s1, $s1, $s0\n shl_u32 $s1, $s1, 2", 4),
        ("mad_u32 $s1, $s7, 9, $s0", None),
        ("mad_u32 $s1, $s7, $s9, $s0", None),
        ("mul_u32 $s1, $s0, 8", None),
    ],
)
def test_strides_go_on_from_row_to_row(lines: str, step: int | None):
    facts = Facts(64, (8, 8, 4), whole=True)
    shapes = shapes_of(f"{HEAD} {lines}\n st_global_u32 $s1, [$d0]\n", facts)
    assert shapes.stride(stored(shapes.ssa)) == step
