"""Loops over group memory and tables that lanes run alone: a sieve whose loop steps by a stride."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.lanes.sparse import sparse_loops
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.recent import Recent
from simtlab.isa.types import Segment

from ...support.agreement import same

BODY = """
        workitemid_u32 $s0, 0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u32 $s1, [%n]
        mov_u32 $s2, $s0
        mov_u32 $s9, 1
        cmp_ge_u32 $c0, $s2, $s1
        cbr $c0, @struck
    @number:
        cvt_u64_u32 $d2, $s2
        mad_u64 $d2, $d2, 4, $d1
        ld_global_u32 $s3, [$d2]            // the step; it begins there
        mov_u32 $s4, $s3
        cmp_ge_u32 $c0, $s4, 512
        cbr $c0, @next
    @strike:
        and_u32 $s5, $s4, 7
        ld_readonly_u8 $s6, [marks+$s5]
        st_group_u8 $s6, [struck+$s4]
        shl_u32 $s5, $s5, 2
        atomic_add_group_u32 [counts+$s5], $s9
        add_u32 $s4, $s4, $s3
        cmp_lt_u32 $c0, $s4, 512
        cbr $c0, @strike
    @next:
        add_u32 $s2, $s2, 64
        cmp_lt_u32 $c0, $s2, $s1
        cbr $c0, @number
    @struck:
        barrier
        and_u32 $s5, $s0, 7
        shl_u32 $s5, $s5, 2
        ld_group_u32 $s3, [counts+$s5]
        ld_group_u8 $s4, [struck+$s0]
        ld_group_u8 $s5, [struck+$s0+256]
        mad_u32 $s3, $s3, 10, $s4
        mad_u32 $s3, $s3, 10, $s5
        cvt_u64_u32 $d2, $s0
        mad_u64 $d2, $d2, 4, $d1
        st_global_u32 $s3, [$d2]
        ret
"""
KERNEL = f"""
    .readonly u8 marks[8] = {{ 1, 2, 3, 4, 5, 6, 7, 8 }}
    kernel sieve(global u32* %x, u32 %n) {{
        .group u8 struck[512]
        .group u32 counts[8]
        {BODY}
    }}"""


@pytest.mark.parametrize("lanes", ["alone", "9"])
@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
def test_lanes_alone_strike_out_multiples(
    lanes: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", lanes)
    monkeypatch.setattr(code, "_COMPILED", Recent())
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    numbers = np.arange(3, 3 + 150, dtype=np.uint32)
    same(KERNEL, [numbers, 150], items=64, group_size=64, width=width)


def test_not_the_loop_around_that_all_lanes_leave_alike() -> None:
    (kernel,) = assemble(KERNEL).kernels
    shapes = analyse(kernel).shapes(Facts(32, (64, 1, 1), True))
    (loop,) = sparse_loops(shapes).values()
    segments = {op.ins.row.segment for n in loop.nodes for op in shapes.ssa.ops.get(n, ())}
    assert Segment.GROUP in segments
    assert Segment.GLOBAL not in segments
