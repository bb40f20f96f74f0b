"""Loads of what the same node has loaded before."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.counting.plan import analyse_counting
from simtlab.emu.analysis.values.ssa import Op, Ssa
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.isa.program import Kernel
from simtlab.isa.types import Segment

TEXT = """
    kernel k(global u32* %x, global u32* %y) {
        .group u32 shared[64]
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%y]
        mad_u64 $d3, $d0, 4, $d1
        ld_global_u32 $s1, [$d3]
        cvt_u64_u32 $d4, $s1
        mad_u64 $d4, $d4, 4, $d1
        ld_global_u32 $s2, [$d4]
        BETWEEN
        mad_u64 $d5, $d0, 4, $d1
        ld_global_u32 $s3, [$d5]
        cvt_u64_u32 $d6, $s3
        mad_u64 $d6, $d6, 4, $d1
        ld_global_u32 $s4, [$d6+OFFSET]
        sub_u32 $s5, $s4, $s2
        mad_u64 $d7, $d0, 4, $d2
        st_global_u32 $s5, [$d7]
        ret
    }
"""


def kernel_of(between: str = "", offset: int = 0) -> Kernel:
    text = TEXT.replace("BETWEEN", between).replace("OFFSET", str(offset))
    (kernel,) = assemble(text).kernels
    return kernel


def loads_in(ssa: Ssa) -> int:
    rows = [v.ins.row for v in ssa.values() if isinstance(v, Op)]
    return sum(row.is_load and row.segment is Segment.GLOBAL for row in rows)


@pytest.mark.parametrize(
    ("between", "offset", "loads"),
    [
        ("", 0, 2),
        ("", 4, 3),
        ("st_group_u32 $s2, [shared]", 0, 2),
        ("st_global_u32 $s0, [$d2]", 0, 4),
        ("atomic_add_global_u32 [$d2], $s0", 0, 4),
        ("atomic_add_global_u32 $s9, [$d2], $s0", 0, 4),
        ("atomic_add_group_u32 [shared], $s0", 0, 4),
        ("memfence", 0, 4),
        ("barrier", 0, 4),
        ("cmp_eq_u32 $c0, $s1, 5\n cbr $c0, @on\n @on:", 0, 4),
    ],
)
def test_what_is_loaded_once(between: str, offset: int, loads: int) -> None:
    analysis = analyse(kernel_of(between, offset))
    assert loads_in(analysis.generated) == loads
    assert loads_in(analysis.ssa) == 4


def test_code_that_counts_has_all_loads() -> None:
    kernel = kernel_of()
    facts = facts_of(kernel, Geometry((64, 1, 1), (64, 1, 1), 32), counts=True)
    counting = analyse_counting(kernel, facts)
    assert counting is not None
    assert loads_in(counting.shapes(facts).ssa) == 4
