"""Elements that are a work-item's own by its numbers in a grid."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.counting.accesses import Accesses
from simtlab.emu.analysis.counting.spaced import ONE, Spaced, spaced

W, H = 0, 4
"""The places of two arguments."""

AT = """
    cvt_u64_u32 $d1, $s4
    mad_u64 $d1, $d1, 4, $d0
"""

LOAD = "ld_global_u32 $s5, [$d1]\n"
STORE = "st_global_u32 $s5, [$d1]\n"


def found(body: str, size: tuple[int, int, int] = (16, 4, 1)) -> Spaced | None:
    """What is found of an image: $s0, $s1 are the numbers of a work-item, $s2, $s3 are w, h."""
    (kernel,) = assemble(f"""
        kernel k(u32 %w, u32 %h, global u32* %image) {{
            workitemabsid_u32 $s0, 0
            workitemabsid_u32 $s1, 1
            ld_kernarg_u32 $s2, [%w]
            ld_kernarg_u32 $s3, [%h]
            ld_kernarg_u64 $d0, [%image]
            {body}
        @end:
            ret
        }}
    """).kernels
    ssa = analyse(kernel).ssa
    each = spaced(ssa, kernel, Accesses(ssa, kernel), [2], size)
    return each[0] if each else None


def of(place: int, times: int = 1) -> tuple[tuple[tuple[int, ...], int], ...]:
    """An argument, so many times."""
    return (((place,), times),)


ROWS = ((0, ONE), (1, of(W)))


def test_steps_are_constants_and_arguments() -> None:
    body = "mad_u32 $s4, $s1, $s2, $s0\n" + AT + LOAD + STORE
    assert found(body) == Spaced(1, ROWS, ())
    assert found("mul_u32 $s6, $s1, $s2\n add_u32 $s4, $s0, $s6\n" + AT + STORE) == found(body)
    twice = (
        "shl_u32 $s6, $s2, 1\n mad_u32 $s4, $s1, $s6, $s0\n add_u32 $s4, $s4, $s3\n" + AT + STORE
    )
    assert found(twice) == Spaced(1, ((0, ONE), (1, of(W, 2))), ())


def test_each_part_of_a_number_is_calculated_once() -> None:
    element = "mad_u32 $s4, $s1, $s2, $s0\n" + AT + STORE
    doubled = found(30 * "add_u32 $s2, $s2, $s2\n" + element)
    assert doubled == Spaced(1, ((0, ONE), (1, of(W, 1 << 30))), ())
    eighth = found(3 * "mul_u32 $s2, $s2, $s2\n" + element)
    assert eighth == Spaced(1, ((0, ONE), (1, (((W,) * 8, 1),))), ())
    assert found(30 * "mul_u32 $s2, $s2, $s2\n" + element) is None


def test_numbers_in_workgroups_are_those_in_the_grid() -> None:
    by_hand = """
        workitemid_u32 $s6, 0
        workgroupid_u32 $s7, 0
        mad_u32 $s0, $s7, {size}, $s6
        mad_u32 $s4, $s1, $s2, $s0
    """
    assert found(by_hand.format(size=16) + AT + STORE) == Spaced(1, ROWS, ())
    assert found(by_hand.format(size=15) + AT + STORE) is None


def test_a_window_has_all_accesses_of_a_work_item() -> None:
    body = "mul_u32 $s4, $s0, 3\n mad_u32 $s4, $s1, $s2, $s4\n" + AT + LOAD
    rows = ((0, (((), 3),)), (1, of(W)))
    assert found(body + "st_global_u32 $s5, [$d1+8]\n") == Spaced(3, rows, ())
    assert found(body + "st_global_u32 $s5, [$d1+12]\n") is None  # the next one's
    assert found(body + "st_global_u8 $s5, [$d1-1]\n") == Spaced(2, rows, ())
    before = "sub_u32 $s4, $s4, 1\n" + AT
    assert found(body + before + STORE) == Spaced(2, rows, ())


@pytest.mark.parametrize(
    "other",
    [
        "mad_u32 $s4, $s1, $s3, $s0\n",  # another step
        "mad_u32 $s4, $s1, $s2, $s0\n add_u32 $s4, $s4, $s3\n",  # so far that it may be another's
        "and_u32 $s4, $s0, 7\n",
        "mov_u32 $s4, $s5\n",
        "mul_u32 $s4, $s0, $s1\n",
    ],
)
def test_all_accesses_must_have_the_same_steps(other: str) -> None:
    assert found("mad_u32 $s4, $s1, $s2, $s0\n" + AT + LOAD + other + AT + STORE) is None


@pytest.mark.parametrize(
    ("compare", "leaves", "most"),
    [
        ("cmp_ge_u32 $c0, $s0, $s2", True, (((), 2**32 - 1), ((W,), 1))),
        ("cmp_gt_u32 $c0, $s0, $s2", True, of(W)),
        ("cmp_le_u32 $c0, $s2, $s0", True, (((), 2**32 - 1), ((W,), 1))),
        ("cmp_lt_u32 $c0, $s2, $s0", True, of(W)),
        ("cmp_lt_u32 $c0, $s0, $s2", False, (((), 2**32 - 1), ((W,), 1))),
        ("cmp_le_u32 $c0, $s0, $s2", False, of(W)),
        ("cmp_gt_u32 $c0, $s2, $s0", False, (((), 2**32 - 1), ((W,), 1))),
        ("cmp_ge_u32 $c0, $s2, $s0", False, of(W)),
        ("cmp_lt_u32 $c0, $s0, $s2", True, None),
        ("cmp_ge_u32 $c0, $s0, $s2", False, None),
        ("cmp_ge_s32 $c0, $s0, $s2", True, None),
        ("cmp_ge_u32 $c0, $s0, $s2\n cmp_gt_u32 $c1, $s1, 9\n or_b1 $c0, $c0, $c1", True, "both"),
        ("cmp_ge_u32 $c0, $s0, $s2\n cmp_gt_u32 $c1, $s1, 9\n and_b1 $c0, $c0, $c1", True, None),
    ],
)
def test_branches_on_the_way_to_all_accesses_limit_numbers(
    compare: str, leaves: bool, most: object
) -> None:
    way = "cbr $c0, @end\n" if leaves else "cbr $c0, @in\n br @end\n@in:\n"
    body = "mad_u32 $s4, $s1, $s2, $s0\n" + AT
    one = found(compare + "\n" + way + body + LOAD + STORE)
    assert one is not None
    less = (((), 2**32 - 1), ((W,), 1))
    expected = ((0, less), (1, (((), 9),))) if most == "both" else ((0, most),) if most else ()
    assert one.most == expected
    if leaves and "or_b1" not in compare:
        without = found(body + LOAD + compare + "\n" + way + STORE)
        assert without is not None
        assert without.most == ()
