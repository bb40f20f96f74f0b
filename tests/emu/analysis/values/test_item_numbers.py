"""What instructions give all work-items, computed once for equal operands."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.lanes.running import Walk
from simtlab.emu.analysis.ranges.offset_ranges import Ranges
from simtlab.emu.analysis.values import item_numbers
from simtlab.emu.analysis.values.item_numbers import KnownNumbers, Results, calculated
from simtlab.emu.analysis.values.ssa import Op, Phi

from ...support.flows import kernel_of

CODE = """
    .group u32 part[256]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    and_u32 $s2, $s1, 7
    ld_kernarg_u32 $s3, [%n]
    mov_u32 $s4, 64
@step:
    shr_u32 $s4, $s4, 1
    add_u32 $s5, $s0, $s4
    add_u32 $s6, $s5, $s3
    mul_f32 $s7, $s5, $s5
    shl_u32 $s8, $s0, 2
    st_group_u32 $s5, [part+$s8]
    st_group_u32 $s2, [part+$s8]
    st_group_u32 $s6, [part+$s8]
    st_group_u32 $s7, [part+$s8]
    cmp_ne_u32 $c0, $s4, 1
    cbr $c0, @step
"""
SIZE = (64, 1, 1)
FACTS = Facts(64, SIZE, whole=True, one_warp=True)


def test_results_are_those_of_a_calculation_whatever_the_operands_are_now() -> None:
    ssa = analyse(kernel_of(CODE)).ssa
    results = Results(SIZE, whole=True)
    numbers, again = KnownNumbers(results), KnownNumbers(results)
    (halved,) = (phi for phis in ssa.phis.values() for phi in phis if isinstance(phi, Phi))
    found = 0
    for step in (64, 32, 16, 32, None):
        begin = None if step is None else np.full(64, step, np.uint32)
        for known in (numbers, again):
            known.set(halved, begin)
        for op in (op for ops in ssa.ops.values() for op in ops):
            wanted = calculated(op, SIZE, numbers.of, whole=True)
            got, other = numbers.calculate(op), again.calculate(op)
            assert got is other
            assert (wanted is None) == (got is None)
            if got is not None:
                assert wanted is not None
                assert wanted.tolist() == got.tolist()
                found += 1
                with pytest.raises(ValueError, match="read-only"):
                    got[0] = 1
    assert found > 4 * 5


def test_a_second_walk_computes_no_result_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Op] = []
    computed = item_numbers.computed

    def counted(op: Op, args: list[np.ndarray]) -> np.ndarray:
        made.append(op)
        return computed(op, args)

    monkeypatch.setattr(item_numbers, "computed", counted)
    shapes = analyse(kernel_of(CODE)).shapes(FACTS)
    trips = Ranges(shapes).trips
    made.clear()
    assert Walk(shapes, trips, gains=False).copied
    assert made
    made.clear()
    assert Walk(shapes, trips, gains=False).copied
    assert not made
