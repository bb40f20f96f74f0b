"""What follows from the branches that lead to a node."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.ranges.guards import MOST_PARTS, Guard, Guards
from simtlab.emu.analysis.values.ssa import Const, Op

HEAD = """
kernel k(global u32* %x) {
    ld_kernarg_u64 $d1, [%x]
    workitemabsid_u32 $s0, 0
    cmp_lt_u32 $c0, $s0, 100
    cmp_ge_s32 $c1, $s0, 200
    cmp_eq_u32 $c2, $s0, 7
    cmp_lt_f32 $c3, $s0, 1.0
"""
TAIL = """
    cbr $c0, @go
    ret
@go:
    cvt_u64_u32 $d0, $s0
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s0, [$d1]
    ret
}
"""


def guards_of(lines: str) -> tuple[Guards, int, int]:
    """Return the guards of a kernel, and where its branch on $c0 goes and falls through."""
    ssa = analyse(simtlab.assemble(HEAD + lines + TAIL).k.kernel).ssa
    (branch,) = ssa.conditions
    falls, goes = ssa.flow.nodes[branch].successors
    return Guards(ssa), goes, falls


def shown(guards: tuple[Guard, ...]) -> set[str]:
    """Return the guards of values, with their constants."""
    return {
        f"{g.relation} {g.other.bits} {g.type.name}"
        for g in guards
        if isinstance(g.value, Op) and isinstance(g.other, Const)
    }


@pytest.mark.parametrize(
    ("lines", "goes", "falls"),
    [
        pytest.param("", {"lt 100 u32"}, {"ge 100 u32"}, id="comparison"),
        pytest.param("not_b1 $c0, $c0", {"ge 100 u32"}, {"lt 100 u32"}, id="not"),
        pytest.param("and_b1 $c0, $c0, $c1", {"lt 100 u32", "ge 200 s32"}, set(), id="and"),
        pytest.param("or_b1 $c0, $c0, $c1", set(), {"ge 100 u32", "lt 200 s32"}, id="or"),
        pytest.param(
            "or_b1 $c0, $c0, $c1\nnot_b1 $c0, $c0",
            {"ge 100 u32", "lt 200 s32"}, set(), id="neither",
        ),
        pytest.param("mov_b1 $c0, $c2", {"eq 7 u32"}, set(), id="equal"),
        pytest.param("mov_b1 $c0, $c3", set(), set(), id="float"),
        pytest.param("xor_b1 $c0, $c0, $c1", set(), set(), id="xor"),
    ],
)  # fmt: skip
def test_a_branch_bounds_its_operands(lines: str, goes: set[str], falls: set[str]) -> None:
    guards, target, other = guards_of(lines)
    assert shown(guards.at(target)) == goes
    assert shown(guards.at(other)) == falls


@pytest.mark.parametrize("operands", ["$c0, $c0", "$c0, $c1"])
def test_a_long_condition_ends(operands: str) -> None:
    # Walked by recursion, the first doubled with each line, and the second was too deep.
    kernel = simtlab.assemble(HEAD + f"and_b1 $c0, {operands}\n" * 5_000 + TAIL).k
    x = np.zeros(256, np.uint32)
    kernel.launch(items=256, threads=2)(x)
    expected = np.where(np.arange(256) < 100, np.arange(256), 0)
    assert (x == (expected if operands == "$c0, $c0" else 0)).all()


def test_only_so_many_parts_of_a_condition_are_looked_at() -> None:
    lines = "".join(
        f"cmp_lt_u32 $c1, $s0, {n}\nand_b1 $c0, $c0, $c1\n" for n in range(200, 200 + MOST_PARTS)
    )
    guards, target, _ = guards_of(lines)
    assert 0 < len(guards.at(target)) <= 2 * MOST_PARTS
    guards, target, _ = guards_of("and_b1 $c0, $c0, $c0\n" * 5_000)
    assert guards.at(target) == ()
