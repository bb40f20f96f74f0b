"""The bits of traces at which branches look."""

from __future__ import annotations

import simtlab
from simtlab.emu.analysis.flow import order
from simtlab.emu.analysis.lanes.traced import bits_of, bits_read

TEXT = """
kernel k(u32 %n) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
@step:
    add_u32 $s0, $s0, 1
    and_u32 $s2, $s0, 3
    cmp_eq_u32 $c0, $s2, 0
    cbr $c0, @short
    cmp_eq_u32 $c0, $s2, 1
    cbr $c0, @short
    add_u32 $s2, $s2, 5
@short:
    mul_u32 $s2, $s2, 3
    cmp_gt_u32 $c0, $s2, 7
    cbr $c0, @inner
    add_u32 $s0, $s0, 2
@inner:
    sub_u32 $s2, $s2, 1
    cmp_gt_u32 $c0, $s2, 2
    cbr $c0, @inner
    cmp_lt_u32 $c0, $s0, $s1
    cbr $c0, @step
    ret
}"""


def test_where_ways_meet_the_shortest_one_says_how_many_bits_are_read() -> None:
    (kernel,) = simtlab.assemble(TEXT)
    code = kernel.kernel.instructions
    flow = order.build(code)
    loop = max(flow.loops, key=lambda loop: len(loop.nodes))
    read = bits_read(flow, loop)
    first = {ins.row.stem: at for at, ins in reversed(list(enumerate(code)))}
    at = {flow.nodes[n].start: bits for n, bits in read.items() if flow.nodes[n].latch_of is None}
    assert at[2] == 0
    assert at[first["mul"]] == 1  # two on the other way
    assert at[first["sub"]] == 0  # the header of a loop
    assert set(read) >= loop.nodes
    latches = {n: bits for n, bits in read.items() if flow.nodes[n].latch_of is not None}
    assert sorted(latches.values()) == [1, 2]
    assert bits_of(flow, loop) == 5
