"""Counts of random kernels whose branches depend on what they store."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ....support.counts import ORDER, REFUSED, WIDTHS, engines

PLACES = (
    "mov_u32 $s2, {i}",
    "xor_u32 $s2, {i}, {k}",
    "add_u32 $s2, {i}, {k}",
    "and_u32 $s2, {i}, {mask}",
    "mov_u32 $s2, {k}",
    "shl_u32 $s2, {i}, 1",
    "mul_u32 $s2, {i}, 5\n and_u32 $s2, $s2, 127",
    "and_u32 $s2, $s3, 127",
)


def random_kernel(draw: random.Random) -> str:
    """A kernel that loads, branches and stores by places that are sometimes its own."""
    kind = draw.choice(("global", "group", "both"))
    lines, calm = [], draw.random() < 0.6
    offset = draw.choice((0, 0, 1, 3))
    for step in range(draw.randint(1, 6)):
        segment = kind if kind != "both" else draw.choice(("global", "group"))
        i = "$s0" if segment == "group" else "$s1"
        choice = draw.choice(PLACES[:2] if calm else PLACES)
        # The same exchange of work-items all along, or between barriers, leaves each its own.
        k = draw.choice((1, 2, 32)) if not calm else draw.choice((1, 1, 1, 32))
        if calm and segment == "global":
            choice, k = PLACES[1], 1
        place = choice.format(i=i, k=k, mask=draw.choice((63, 126, ~1 & 255)))
        type_ = draw.choice(("u8", "u32")) if not calm else "u32"
        size = int(type_[1:]) // 8
        if segment == "global":
            where = f"[$d1+{offset * size}]"
            address = f"cvt_u64_u32 $d1, $s2\n mad_u64 $d1, $d1, {size}, $d0"
        else:
            where = f"[room+$s4+{offset * size}]"
            address = f"mul_u32 $s4, $s2, {size}"
        store = f"st_{segment}_{type_} $s3, {where}" if draw.random() < 0.6 else ""
        lines.append(f"""
            {place}
            {address}
            ld_{segment}_{type_} $s5, {where}
            xor_u32 $s3, $s3, $s5
            add_u32 $s3, $s3, {draw.randint(1, 99)}
            and_u32 $s6, $s3, {draw.choice((1, 2, 3))}
            cmp_eq_u32 $c0, $s6, 0
            cbr $c0, @over{step}
            add_u32 $s3, $s3, {draw.randint(1, 99)}
            {store}
        @over{step}:""")
        if draw.random() < (0.8 if calm else 0.4) and kind != "global":
            lines.append("\n barrier\n")
    return f"""
    kernel k(global u32* %x, global u32* %y) {{
        .group u32 room[600]
        workitemflatid_u32 $s0
        workitemflatabsid_u32 $s1
        ld_kernarg_u64 $d0, [%x]
        mov_u32 $s3, $s1
        {"".join(lines)}
        ld_kernarg_u64 $d2, [%y]
        cvt_u64_u32 $d3, $s1
        mad_u64 $d2, $d3, 4, $d2
        st_global_u32 $s3, [$d2]
        ret
    }}"""


def check_random(seeds: range) -> dict[str, int]:
    """Compare random kernels with the interpreter; return how many each engine has counted."""
    found = {"jit": 0, ORDER: 0}
    for seed in seeds:
        draw = random.Random(seed)
        size = draw.choice((8, 32, 64, 96))
        items = size * draw.randint(1, 3) - draw.choice((0, 0, 2))
        width = draw.choice(WIDTHS)
        x = np.random.default_rng(seed).integers(0, 256, 1200).astype(np.uint32)
        text = random_kernel(draw)
        y = np.zeros(items, np.uint32)
        who = engines(text, x, y, items=items, group_size=size, widths=(width,))
        found[ORDER if who.pop() in REFUSED else "jit"] += 1
    return found


def test_random_kernels() -> None:
    found = check_random(range(12))
    assert min(found.values()) > 2


@pytest.mark.slow
def test_hundreds_of_random_kernels() -> None:
    found = check_random(range(100, 500))
    assert min(found.values()) > 80
