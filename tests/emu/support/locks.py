"""A spin lock, which lanes of one warp cannot take one after the other under every scheme."""

SPIN_LOCK = """\
kernel lock(global u32* %mutex, global u32* %count) {
    ld_kernarg_u64  $d0, [%mutex]
    ld_kernarg_u64  $d1, [%count]
    mov_u32         $s1, 0
    mov_u32         $s2, 1
@acquire:
    atomic_cas_global_u32 $s0, [$d0], $s1, $s2
    cmp_ne_u32      $c0, $s0, 0
    cbr             $c0, @acquire
    ld_global_u32   $s3, [$d1]
    add_u32         $s3, $s3, 1
    st_global_u32   $s3, [$d1]
    atomic_exch_global_u32 [$d0], $s1
    ret
}
"""
