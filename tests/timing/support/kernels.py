"""Kernels that several files simulate."""

SCALE = """
kernel scale(u32 %n, global u32* %x) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u32     $s1, [%n]
    cmp_ge_u32         $c0, $s0, $s1
    cbr                $c0, @done
    ld_kernarg_u64     $d0, [%x]
    cvt_u64_u32        $d1, $s0
    mad_u64            $d0, $d1, 4, $d0
    ld_global_u32      $s2, [$d0]
    add_u32            $s2, $s2, $s2
    st_global_u32      $s2, [$d0]
@done:
    ret
}
"""
"""Doubles the first n words of x."""

INCREMENT = """
kernel increment(global u32* %x) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u64     $d0, [%x]
    cvt_u64_u32        $d1, $s0
    mad_u64            $d0, $d1, 4, $d0
    ld_global_u32      $s1, [$d0]
    add_u32            $s1, $s1, 1
    st_global_u32      $s1, [$d0]
    ret
}
"""
"""Adds one to each word of x."""

DIVERGES = """\
kernel k(global u32* %x) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u64     $d0, [%x]
    cvt_u64_u32        $d1, $s0
    mad_u64            $d1, $d1, 4, $d0
    and_u32            $s1, $s0, 1
    cmp_eq_u32         $c0, $s1, 1
    cbr                $c0, @odd
    st_global_u32      $s0, [$d1]
@odd:
    ld_global_u32      $s2, [$d0]
@again:
    sub_u32            $s1, $s1, 1
    cmp_gt_s32         $c1, $s1, 0
    cbr                $c1, @again
    barrier
    ret
}
"""
"""A branch that odd work-items take, a load of one word by all, a short loop and a barrier."""
