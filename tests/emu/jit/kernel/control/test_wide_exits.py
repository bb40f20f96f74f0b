"""Loops that lanes leave by comparisons of 64-bit numbers: the opposite of a mask."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.llvm.toolchain import host_has

from ...support.agreement import same

ITEMS, GROUP = 150, 70

FRAME = """
kernel k(global u{bits}* %x, global u64* %out) {{
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, {size}, $d1
    ld_global_u{bits} ${c}2, [$d1]
    mov_u64 $d5, 0
    and_u{bits} ${c}4, ${c}2, 15
    cmp_eq_u{bits} $c0, ${c}4, 3
    cbr $c0, @out
@outer:
    add_u{bits} ${c}3, ${c}2, 1
@inner:
    {way}
@again:
    shr_u{bits} ${c}2, ${c}2, 1
    add_u64 $d5, $d5, 1
    br @inner
@left:
    mul_u64 $d5, $d5, 3
    xor_u{bits} ${c}2, ${c}2, ${c}3
    shr_u{bits} ${c}2, ${c}2, 3
    cmp_ne_u{bits} $c0, ${c}2, 0
    cbr $c0, @outer
@out:
    ld_kernarg_u64 $d1, [%out]
    mad_u64 $d1, $d0, 8, $d1
    st_global_u64 $d5, [$d1]
    ret
}}
"""
ODD = "and_u{bits} ${c}4, ${c}2, 1\n cmp_{relation}_u{bits} $c0, ${c}4, 0\n"
CASES = {
    "lanes jump out": ODD.format(bits="{bits}", c="{c}", relation="ne") + "cbr $c0, @left",
    "lanes fall out": ODD.format(bits="{bits}", c="{c}", relation="eq")
    + "cbr $c0, @again\n br @left",
    "lanes are below": "cmp_lt_u{bits} $c0, ${c}2, 2\n cbr $c0, @left",
    "two ways out": ODD.format(bits="{bits}", c="{c}", relation="ne")
    + "cbr $c0, @left\n cmp_eq_u{bits} $c0, ${c}2, 6\n cbr $c0, @out",
}


def text_of(name: str, *, bits: int = 64) -> str:
    """Return the source of a case."""
    shape = {"bits": bits, "size": bits // 8, "c": "d" if bits == 64 else "s"}
    way = CASES[name].format(**shape)
    if name != "lanes are below":
        way += "\n cmp_eq_u{bits} $c0, ${c}2, 0\n cbr $c0, @left".format(**shape)
    if name == "lanes fall out":
        way = "cmp_eq_u{bits} $c0, ${c}2, 0\n cbr $c0, @left\n".format(**shape)
        way += CASES[name].format(**shape)
    return FRAME.format(way=way, **shape)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("bits", [32, 64])
def test_lanes_that_leave_do_what_the_oracle_does(name: str, bits: int) -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(0, 1 << 20, ITEMS, f"u{bits // 8}")
    x[::7] <<= 9
    x[::11] = 0
    launch = {"items": (ITEMS,), "group_size": (GROUP,)}
    same(text_of(name, bits=bits), [x, np.zeros(ITEMS, np.uint64)], **launch)


@pytest.mark.skipif(not host_has("avx512bw"), reason="masks are vectors of the host")
def test_only_masks_of_two_registers_are_hidden() -> None:
    facts = Facts(32, (32, 1, 1), whole=True)

    def hides(text: str) -> bool:
        return '"=^Yk,0"' in generate(assemble(text).kernels[0], 0, facts)

    assert hides(text_of("lanes jump out"))
    assert not hides(text_of("lanes jump out", bits=32))
    stays = "cmp_eq_u64 $c1, $d2, 5\n cbr $c1, @five\n add_u64 $d5, $d5, 2\n @five:"
    one = text_of("lanes are below", bits=32)
    assert not hides(one.replace("add_u64 $d5, $d5, 1", stays.replace("$d2", "$d5")))
