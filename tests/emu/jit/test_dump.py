"""What the analyses of a kernel look like when they are shown."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.dump import dump
from simtlab.emu.analysis.facts import Facts

from ..support.flows import kernel_of

BODY = """
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @end
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
@next:
    cmp_le_u32 $c0, $s2, 1
    cbr $c0, @store
    shr_u32 $s2, $s2, 1
    add_u32 $s3, $s3, 1
    br @next
@store:
    st_global_u32 $s3, [$d1]
@end:
    ret
"""
"""Halvings of each element down to 1."""

LISTINGS = {
    "ssa": """\
n0: start -> n1
n1: 0x00..0x20 -> n2 n6
    v0 = workitemabsid_u32 0
    v1 = ld_kernarg_u32 [8]
    v2 = cmp_ge_u32 v0, v1
    branch v2
n2: 0x20..0x40 -> n3
    v3 = cvt_u64_u32 v0
    v4 = ld_kernarg_u64 [0]
    v5 = mad_u64 v3, 0x4, v4
    v6 = ld_global_u32 [v5+0]
n3: 0x40..0x50 -> n4 n5
    v7 = phi n2: v6, n4: v10
    v8 = phi n2: 0x0, n4: v11
    v9 = cmp_le_u32 v7, 0x1
    branch v9
n4: 0x50..0x68 -> n7
    v10 = shr_u32 v7, 0x1
    v11 = add_u32 v8, 0x1
n7: latch of loop 0 -> n3
n5: 0x68..0x70 -> n6
    v12 = phi n3: v8  (leaves a loop)
    st_global_u32 v12, [v5+0]
n6: 0x70..0x78 -> none
loop 0: header n3, latch n7, nodes n3 n4 n7
""",
    "shapes": """\
v0    stride 1
v1    uniform
v2    varying
v3    stride 1
v4    uniform
v5    stride 4
v6    varying
v7    varying
v8    uniform
v9    varying
v10   varying
v11   uniform
v12   varying
uniform branches: none
divergent branches: n1 n3
joins: n6
loops that lanes leave in different iterations: loop 0
""",
    "masks": """\
n0    own mask
n1    mask of n0
n2    own mask, tested, others may wait at n6
n3    own mask, others may wait at n5 n6
n4    own mask, others may wait at n5 n6
n7    mask of n4, tested, others may wait at n5 n6
n5    mask of n2, others may wait at n6
n6    mask of n0
""",
}


@pytest.mark.parametrize("name", LISTINGS)
def test_a_pass_can_be_shown(name: str) -> None:
    facts = Facts(width=32, group_size=(64, 1, 1), whole=True)
    assert dump(kernel_of(BODY), name, facts) + "\n" == LISTINGS[name]
