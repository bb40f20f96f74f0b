"""Which kernels without loops get warps of 16 or 64 lanes, and that results are the oracle's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.width import FEW, USUAL, WIDE

from ...support.agreement import same
from ...support.widths import ANYWHERE, LINE, NEIGHBOURS, OWN_WAY, START, STORE, STRAIGHT, width_of


def test_code_without_a_loop_gets_them_with_one_guard() -> None:
    body = STRAIGHT + OWN_WAY + "\n" + NEIGHBOURS + STORE + "@out:"
    assert width_of(body, replace(LINE, group_size=(256, 1, 1))) == WIDE
    assert width_of(body, replace(LINE, group_size=(128, 1, 1))) == USUAL


@pytest.mark.parametrize(
    "body", [ANYWHERE, OWN_WAY + "\n" + OWN_WAY.replace("gt", "lt") + "\n" + NEIGHBOURS]
)
def test_but_not_with_more_branches_or_gathers(body: str) -> None:
    assert width_of(STRAIGHT + body + STORE + "@out:") == USUAL


AT_EDGES = """
    cmp_eq_u32 $c0, $s0, 0
    cmp_ge_u32 $c1, $s0, $s1
    or_b1 $c0, $c0, $c1
    cbr $c0, @out
    cmp_eq_u32 $c0, $s0, 7
    cbr $c0, @out
"""


@pytest.mark.parametrize(("size", "width"), [(128, USUAL), (256, WIDE), (4096, WIDE)])
def test_branches_at_the_edges_of_long_rows_do_not_count(size: int, width: int) -> None:
    body = STRAIGHT + AT_EDGES + NEIGHBOURS + STORE + "@out:"
    facts = replace(LINE, group_size=(size, 1, 1))
    assert width_of(body, facts, many=True) == width
    assert width_of(body, facts) == USUAL, "masks at edges count where vectors take turns"
    two = AT_EDGES + OWN_WAY + "\n" + OWN_WAY.replace("gt", "lt") + "\n"
    body = STRAIGHT + two + NEIGHBOURS + STORE + "@out:"
    assert width_of(body, facts, many=True) == USUAL


def many_values(n: int, work: int) -> str:
    """`n` loaded values, all used after the last load, and `work` more instructions."""
    loads = [f"ld_global_u32 $s{10 + i}, [$d2+{4 * i}]" for i in range(n)]
    uses = [f"add_u32 $s4, $s4, $s{10 + i}" for i in range(n)]
    return "\n".join([*loads, *uses, *["mad_u32 $s4, $s4, $s4, 5"] * work])


@pytest.mark.parametrize(("n", "work"), [(5, 0), (12, 200)])
def test_registers_suffice_or_hardly_count_beside_a_chain(n: int, work: int) -> None:
    assert width_of(STRAIGHT + many_values(n, work) + STORE) == WIDE


def test_values_beyond_twice_the_registers_count_beside_a_chain() -> None:
    assert width_of(STRAIGHT + many_values(18, 200) + STORE) == USUAL


def network(n: int) -> str:
    """`n` loaded values that are exchanged in turns, so that all of them are live."""
    loads = [f"ld_global_u32 $s{10 + i}, [$d2+{4 * i}]" for i in range(n)]
    pairs = [(i, i + 1) for first in (0, 1) * 3 for i in range(10 + first, 9 + n, 2)]
    swaps = [
        f"max_u32 $s5, $s{a}, $s{b}\nmin_u32 $s{a}, $s{a}, $s{b}\nmov_u32 $s{b}, $s5"
        for a, b in pairs
    ]
    uses = [f"xor_u32 $s4, $s4, $s{10 + i}" for i in range(n)]
    return "\n".join([*loads, *swaps, *uses])


@pytest.mark.parametrize(("n", "width"), [(5, WIDE), (12, USUAL), (36, FEW), (48, USUAL)])
def test_vectors_of_few_values_have_registers(n: int, width: int) -> None:
    body = STRAIGHT + network(n) + STORE
    assert width_of(body) == width
    if width == FEW:
        x = np.random.default_rng(9).integers(0, 1 << 32, 256 + n, np.uint32)
        apart = body.replace(
            "st_global_u32 $s4, [$d2]", "mad_u64 $d2, $d0, 4, $d4\nst_global_u32 $s4, [$d2]"
        )
        apart = f"ld_kernarg_u64 $d4, [%y]\n{apart}"
        text = f"kernel k(global u32* %x, u32 %n, global u32* %y) {{\n{apart}ret\n}}"
        same(text, [x, 0, np.zeros(256, np.uint32)], items=256, group_size=128)


@pytest.mark.parametrize(("accesses", "width"), [(3, USUAL), (4, FEW), (8, FEW)])
def test_code_that_goes_by_a_list_gets_few_lanes(accesses: int, width: int) -> None:
    body = START.replace("@top:", "cvt_u64_u32 $d3, $s4\n mad_u64 $d3, $d3, 4, $d1")
    for at in range(accesses):
        body += f"ld_global_u32 $s3, [$d3+{4 * at}]\n add_u32 $s2, $s2, $s3\n"
    assert width_of(f"{body} st_global_u32 $s2, [$d2]\n") == width


@pytest.mark.parametrize(
    ("length", "many", "width"), [(128, True, WIDE), (128, False, USUAL), (64, True, USUAL)]
)
def test_short_rows_with_edges_get_them_where_vectors_are_cheap(
    length: int, many: bool, width: int
) -> None:
    body = STRAIGHT + OWN_WAY + "\n" + NEIGHBOURS + STORE + "@out:"
    assert width_of(body, Facts(USUAL, (length, 1, 1), True), many=many) == width
