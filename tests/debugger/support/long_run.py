"""A run that takes a while to walk through."""

LOOP = """\
kernel loop(u32 %n, global u32* %y) {
    mov_u32             $s0, 0
    ld_kernarg_u32      $s1, [%n]
@again:
    add_u32             $s0, $s0, 1
    cmp_lt_u32          $c0, $s0, $s1
    cbr                 $c0, @again
    ret
}
"""
