"""Values that nothing reads where group memory is not accessed."""

from __future__ import annotations

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.analysis.values.unread import unread_without_places

TEXT = """
kernel k(u32 %n, global u32* %x) {
    .group u32 t[64]
    workitemid_u32 $s0, 0
    shl_u32 $s1, $s0, 2
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s1
    add_u64 $d1, $d1, $d0
    ld_global_u32 $s2, [$d1]
    xor_u32 $s3, $s1, 4
    st_group_u32 $s2, [t+$s3]
    barrier
    mov_u32 $s4, 0
@next:
    ld_group_u32 $s5, [t+$s3]
    add_u32 $s3, $s3, 4
    add_u32 $s6, $s6, $s5
    add_u32 $s4, $s4, 1
    cmp_lt_u32 $c0, $s4, 3
    cbr $c0, @next
    st_global_u32 $s6, [$d1]
    ret
}
"""


def test_only_places_in_group_memory_are_unread() -> None:
    ssa = analyse(assemble(TEXT).kernels[0]).ssa
    (loop,) = ssa.flow.loops
    found = unread_without_places(ssa, [loop.number])
    assert [v.ins.row.stem for v in ssa.values() if v in found and isinstance(v, Op)] == [
        "xor",
        "add",
    ]
    assert len(found) == 3  # and the phi of the place
    assert not unread_without_places(ssa, [])
