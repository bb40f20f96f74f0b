"""A branch whose two sides join again: even lanes take it, odd lanes do not."""

DIAMOND = """\
kernel diamond(global s32* %out) {
@A:
    workitemid_u32      $s0, 0
    and_u32             $s1, $s0, 1
    cmp_eq_u32          $c0, $s1, 0
    cbr                 $c0, @C
@B:
    mul_s32             $s2, $s0, 10
    br                  @D
@C:
    add_s32             $s2, $s0, 100
    add_s32             $s2, $s2, 1
@D:
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d1, [%out]
    mad_u64             $d1, $d0, 4, $d1
    st_global_s32       $s2, [$d1]
    ret
}
"""

EXPECTED = [101, 10, 103, 30, 105, 50, 107, 70]
"""What each of eight work-items stores."""
