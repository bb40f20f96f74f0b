"""Private memory is zero where a work-item has not stored, whatever the warp before has left."""

from __future__ import annotations

import re

import numpy as np
import pytest

from simtlab import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate

from ....support.agreement import same

WIDTHS = [1, 7, 16, 32, 64]
ITEMS, GROUP = 300, 70
WORDS = 80
"""More than have registers."""

FRAME = """
kernel k(global u32* %out, global u32* %x, u32 %n) {{
    .private u32 own[{words}]
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u64 $d0, [%out]
    ld_kernarg_u64 $d1, [%x]
    cvt_u64_u32 $d2, $s0
    mad_u64 $d0, $d2, 4, $d0
    mad_u64 $d1, $d2, 4, $d1
    ld_global_u32 $s9, [$d1]
    mov_u32 $s8, 0
    {body}
    // What the next warp finds, and the sum of all.
    mov_u32 $s2, 0
@dirty:
    ld_private_u32 $s3, [own+$s2]
    mad_u32 $s8, $s8, 31, $s3
    or_u32 $s4, $s9, 1
    st_private_u32 $s4, [own+$s2]
    add_u32 $s2, $s2, 4
    cmp_lt_u32 $c0, $s2, {size}
    cbr $c0, @dirty
    st_global_u32 $s8, [$d0]
@done:
    ret
}}
"""

FILL = """
    mov_u32 $s2, {begin}
@fill:
    mad_u32 $s5, $s9, 7, $s2
    st_private_u32 $s5, [own+$s2]
    add_u32 $s2, $s2, 4
    cmp_lt_u32 $c0, $s2, {end}
    cbr $c0, @fill
"""

WINDOW = """
@window:
    ld_private_u32 $s3, [own+$s2-8]
    ld_private_u32 $s4, [own+$s2-28]
    xor_u32 $s3, $s3, $s4
    st_private_u32 $s3, [own+$s2]
    add_u32 $s2, $s2, 4
    cmp_lt_u32 $c0, $s2, 320
    cbr $c0, @window
"""

BODIES = {
    "all": FILL.format(begin=0, end=320),
    "none": "",
    "the first half": FILL.format(begin=0, end=160),
    "the middle": FILL.format(begin=80, end=200),
    "a window": FILL.format(begin=0, end=32) + WINDOW,
    "some lanes": "and_u32 $s6, $s9, 1\n cmp_eq_u32 $c1, $s6, 0\n cbr $c1, @over\n"
    + FILL.format(begin=0, end=320)
    + "@over:",
    "one place of each lane": "and_u32 $s6, $s9, 31\n shl_u32 $s6, $s6, 2\n"
    "ld_private_u32 $s7, [own+$s6]\n add_u32 $s8, $s8, $s7\n st_private_u32 $s9, [own+$s6]\n"
    + FILL.format(begin=0, end=320),
    "loops of each lane": FILL.format(begin=0, end=320)
    + """
    and_u32 $s6, $s9, 15
@each:
    shl_u32 $s7, $s6, 2
    ld_private_u32 $s3, [own+$s7]
    ld_private_u32 $s4, [own+$s7+4]
    add_u32 $s3, $s3, $s4
    st_private_u32 $s3, [own+$s7+8]
    sub_u32 $s6, $s6, 1
    cmp_lt_s32 $c1, $s6, 0
    cbr $c1, @all
    br @each
@all:
""",
}


def text(body: str) -> str:
    return FRAME.format(words=WORDS, size=4 * WORDS, body=BODIES[body])


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(
    "width", [pytest.param(w, marks=() if w in (7, 64) else pytest.mark.slow) for w in WIDTHS]
)
def test_results_are_the_oracles(body: str, width: int) -> None:
    x = np.random.default_rng(5).integers(0, 1 << 32, ITEMS, dtype=np.uint32)
    args = [np.zeros(ITEMS, np.uint32), x, ITEMS - 9]
    same(text(body), args, items=ITEMS, group_size=GROUP, width=width)


@pytest.mark.parametrize(
    ("body", "words"),
    [("all", 0), ("a window", 0), ("the first half", 40), ("some lanes", 80), ("none", 80)],
)
def test_only_what_is_needed_is_cleared(body: str, words: int) -> None:
    width = 64
    kernel = assemble(text(body))["k"].kernel
    ir = generate(kernel, 0, Facts(width=width, group_size=(width, 1, 1), whole=True))
    sizes = [int(n) for n in re.findall(r"memset\.p0\.i64\(ptr \S+, i8 0, i64 (\d+)", ir)]
    cleared = sum(size for size in sizes if size > 1000)
    assert cleared // (4 * width) == words
