"""Kernels of one element a work-item, after a guard."""

from __future__ import annotations


def guarded(body: str, params: str = "global u32* %x, global u32* %y") -> str:
    """Return a kernel whose work-items below %n execute `body`; `@done` is its end.

    $s0 is the number of the work-item, $d0 the same in 64 bits, and $s1 is %n.
    """
    return f"""
    kernel k(u32 %n, {params}) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        cvt_u64_u32 $d0, $s0
        {body}
    @done:
        ret
    }}"""


LOAD_X = """
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
"""
"""Load the element of x into $s2; $d1 is its address."""


def store_y(register: str) -> str:
    """Return code that stores a register to the element of y."""
    return f"""
        ld_kernarg_u64 $d2, [%y]
        mad_u64 $d2, $d0, 4, $d2
        st_global_u32 {register}, [$d2]
    """
