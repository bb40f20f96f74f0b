"""Gathers that a loop repeats while it stores: to another buffer, or to what it has gathered."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ITEMS, ROWS, TERMS = 150, 3, 4

KINDS = {"u32": (np.uint32, "$s8", "$s9", "$s10"), "u64": (np.uint64, "$d8", "$d9", "$d10")}


REPEATS = {
    "constant": ("", f"cmp_lt_u32 $c0, $s2, {ROWS}\n cbr $c0, @row"),
    "header": ("cmp_ge_u32 $c0, $s2, $s6\n cbr $c0, @done", "br @row"),
    "latch": ("", "cmp_lt_s32 $c0, $s2, $s6\n cbr $c0, @row"),
}
"""How the loop over rows ends: after a constant number, or after as many as an argument says."""


def products(type_: str, apart: int, repeats: str = "constant") -> str:
    """y[apart * i + row] = the sum of m[4 * row + k] * x[apart * i + k] over four k."""
    before, after = REPEATS[repeats]
    dtype, total, factor, term = KINDS[type_]
    size = dtype().itemsize
    return f"""kernel products(u32 %n, u32 %rows, global {type_}* %m, global {type_}* %x,
                               global {type_}* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u32 $s6, [%rows]
        ld_kernarg_u64 $d1, [%m]
        ld_kernarg_u64 $d2, [%x]
        ld_kernarg_u64 $d3, [%y]
        mad_u64 $d3, $d0, {apart * size}, $d3
        mov_u32 $s2, 0
    @row:
        {before}
        mov_{type_} {total}, 0
        mov_u32 $s3, 0
    @term:
        mad_u32 $s4, $s2, {TERMS}, $s3
        cvt_u64_u32 $d5, $s4
        mad_u64 $d5, $d5, {size}, $d1
        ld_global_{type_} {factor}, [$d5]
        mad_u32 $s4, $s0, {apart}, $s3
        cvt_u64_u32 $d5, $s4
        mad_u64 $d5, $d5, {size}, $d2
        ld_global_{type_} {term}, [$d5]
        mad_{type_} {total}, {factor}, {term}, {total}
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c0, $s3, {TERMS}
        cbr $c0, @term
        cvt_u64_u32 $d5, $s2
        mad_u64 $d5, $d5, {size}, $d3
        st_global_{type_} {total}, [$d5]
        add_u32 $s2, $s2, 1
        {after}
    @done:
        ret
    }}"""


@pytest.mark.parametrize(
    ("type_", "apart", "width"),
    [("u32", 5, 1), ("u32", 5, 64), ("u32", 40, 32), ("u64", 6, 7), ("u64", 6, 16)],
)
def test_a_loop_stores_to_another_buffer_or_to_the_same(type_: str, apart: int, width: int) -> None:
    """Of views, one of which begins a word after the other, each row changes what others load."""
    text, dtype = products(type_, apart), KINDS[type_][0]
    for shared in ("nothing", "all", "words"):
        works = []
        for _ in range(2):
            rng = np.random.default_rng(apart)
            m = rng.integers(1, 9, ROWS * TERMS, dtype=dtype)
            x = rng.integers(1, 9, apart * ITEMS + 1, dtype=dtype)
            y = {"nothing": np.zeros_like(x), "all": x, "words": x[1:]}[shared]
            works.append(make(text, [ITEMS, ROWS, m, x, y], items=160, group_size=32, width=width))
        assert_as_oracle(*works)


@pytest.mark.parametrize(
    ("type_", "apart", "repeats", "width"),
    [("u32", 5, "header", 7), ("u32", 5, "latch", 64), ("u64", 6, "header", 32)],
)
def test_as_many_rows_as_an_argument_says(type_: str, apart: int, repeats: str, width: int) -> None:
    """Numbers and buffers that fit; a word of each buffer is missing; no row, or far too many."""
    text, dtype = products(type_, apart, repeats), KINDS[type_][0]
    for rows, short in ((ROWS, ""), (ROWS, "m"), (ROWS, "x"), (ROWS, "y"), (0, ""), (1 << 31, "")):
        if rows > ROWS and repeats == "latch":
            continue
        works = []
        for _ in range(2):
            ends = {"m": TERMS * ROWS, "x": apart * ITEMS - apart + TERMS,
                    "y": apart * ITEMS - apart + ROWS}  # fmt: skip
            arrays = [np.arange(size - (name == short), dtype=dtype) for name, size in ends.items()]
            works.append(make(text, [ITEMS, rows, *arrays], items=160, group_size=32, width=width))
        assert assert_as_oracle(*works) == (bool(short) or rows > ROWS)


@pytest.mark.skipif(not host_has("avx512f"), reason="other hosts gather in another way")
def test_nothing_is_repeated_where_the_buffer_may_change() -> None:
    """Kernels that store to the buffer that they gather from, or have atomics, read it again."""
    text = products("u64", 40)
    own = text.replace("ld_kernarg_u64 $d3, [%y]", "ld_kernarg_u64 $d3, [%x]")
    fenced = text.replace("@row:", "@row:\n memfence")
    counted = products("u64", 40, "header")
    for kernel, found in ((text, True), (counted, True), (own, False), (fenced, False)):
        work = make(kernel, [ITEMS, ROWS, *(np.zeros(9, np.uint64) for _ in range(3))], items=160)
        code = str(generate(work.kernel, 0, facts_of(work.kernel, work.geometry)))
        assert (" memory(none)\n" in code) == found
