"""Values that are the same calculation."""

from __future__ import annotations

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.values.numbering import numbering_of
from simtlab.emu.analysis.values.ssa import Op


def test_the_same_calculations_share_what_loads_do_not() -> None:
    (kernel,) = assemble("""
        kernel k(u32 %n, global u32* %x) {
            workitemabsid_u32 $s0, 0
            ld_kernarg_u32 $s1, [%n]
            mad_u32 $s2, $s0, 4, $s1
            workitemabsid_u32 $s3, 0
            ld_kernarg_u32 $s4, [%n]
            mad_u32 $s5, $s3, 4, $s4
            mad_u32 $s6, $s3, 8, $s4
            ld_kernarg_u64 $d0, [%x]
            ld_global_u32 $s7, [$d0]
            ld_global_u32 $s8, [$d0]
            ld_global_u32 $s9, [$d0+4]
            st_global_u32 $s2, [$d0+8]
            st_global_u32 $s5, [$d0+12]
            st_global_u32 $s6, [$d0+16]
            st_global_u32 $s7, [$d0+20]
            st_global_u32 $s8, [$d0+24]
            st_global_u32 $s9, [$d0+28]
            ret
        }
    """).kernels
    ssa = analyse(kernel).ssa
    shared = numbering_of(ssa)
    stored = [v.args[0] for v in ssa.values() if isinstance(v, Op) and v.ins.row.is_store]
    once, again, other, *loads = (shared[value] for value in stored)
    assert once is again
    assert len({once, other, *loads}) == 5
