"""A search of a word in a text: lanes leave its loop in different iterations."""

from __future__ import annotations

SEARCH = """
kernel search(u32 %n, u32 %length, global u8* %text, global u8* %word, global u8* %found) {
    workitemabsid_u32   $s0, 0
    ld_kernarg_u32      $s1, [%n]
    cmp_ge_u32          $c0, $s0, $s1
    cbr                 $c0, @done
    ld_kernarg_u32      $s2, [%length]
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d1, [%text]
    add_u64             $d1, $d1, $d0
    ld_kernarg_u64      $d2, [%word]
    mov_u32             $s3, 0
    mov_u32             $s4, 0
@letter:
    ld_global_u8        $s5, [$d1]
    ld_global_u8        $s6, [$d2]
    cmp_ne_u32          $c0, $s5, $s6
    cbr                 $c0, @store
    add_u64             $d1, $d1, 1
    add_u64             $d2, $d2, 1
    add_u32             $s3, $s3, 1
    cmp_lt_u32          $c0, $s3, $s2
    cbr                 $c0, @letter
    mov_u32             $s4, 1
@store:
    ld_kernarg_u64      $d3, [%found]
    add_u64             $d3, $d3, $d0
    st_global_u8        $s4, [$d3]
@done:
    ret
}
"""
