"""Kernels that trap, by name, and launches of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from simtlab.emu.engine import Work
from simtlab.emu.traps import TrapKind

from ...support.oracle_work import make

HOSTILE_FRAME = """\
.readonly u32 T[8] = { 1, 2, 3, 4 }
kernel hostile(global u32* %x, global u32* %frozen, global u64* %links, u32 %n) {
    .group u32 tile[32]
    .private u32 own[4]
    workitemflatabsid_u32 $s0
    workitemflatid_u32 $s1
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u64 $d2, [%frozen]
    ld_kernarg_u64 $d3, [%links]
    ld_kernarg_u32 $s2, [%n]
    mul_u32 $s3, $s1, 4
    mul_u32 $s4, $s0, 4
    mad_u64 $d4, $d0, 4, $d1
    mad_u64 $d5, $d0, 8, $d3
    // guard
    BODY
@out:
    ret
}
"""
ITEMS, GROUP = 64, 32

OUTSIDE, ODD, FROZEN, ZERO = (
    TrapKind.OUT_OF_BOUNDS, TrapKind.MISALIGNED, TrapKind.READ_ONLY, TrapKind.DIVIDE_BY_ZERO,
)  # fmt: skip

HOSTILE = {
    # x has 64 words, one a work-item; n is 3.
    "wide load": ("ld_global_u32 $s9, [$d4+4]", OUTSIDE),
    "wide load before": ("ld_global_u32 $s9, [$d4-4]", OUTSIDE),
    "wide store": ("st_global_u32 $s0, [$d4+128]", OUTSIDE),
    "wide load of bytes": ("add_u64 $d6, $d1, $d0\n ld_global_u8 $s9, [$d6+193]", OUTSIDE),
    "wide load of doubles": ("mad_u64 $d6, $d0, 8, $d1\n ld_global_f64 $d9, [$d6]", OUTSIDE),
    "uniform load": ("ld_global_u32 $s9, [$d1+256]", OUTSIDE),
    "uniform store": ("st_global_u32 $s2, [$d1-4]", OUTSIDE),
    "uniform store of lanes": ("st_global_u32 $s0, [$d1+256]", OUTSIDE),
    "gather": (
        "mul_u32 $s9, $s0, 3\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d1\n"
        " ld_global_u32 $s9, [$d6]", OUTSIDE),
    "scatter": (
        "xor_u32 $s9, $s0, 64\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d1\n"
        " st_global_u32 $s9, [$d6]", OUTSIDE),
    "signed gather": (
        "sub_s32 $s9, 3, $s0\n cvt_s64_s32 $d6, $s9\n mad_s64 $d6, $d6, 4, $d1\n"
        " ld_global_u32 $s9, [$d6]", OUTSIDE),
    "index that wraps": (
        "add_u32 $s9, $s0, 0xfffffff0\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d1\n"
        " mov_u64 $d7, 0x3ffffffc0\n sub_u64 $d6, $d6, $d7\n ld_global_u32 $s9, [$d6]", OUTSIDE),
    "scaled index that wraps": (
        "add_u32 $s9, $s4, 0xffffffc0\n cvt_u64_u32 $d6, $s9\n add_u64 $d6, $d6, $d1\n"
        " mov_u64 $d7, 0xffffffc0\n sub_u64 $d6, $d6, $d7\n ld_global_u32 $s9, [$d6]", OUTSIDE),
    "cold load": ("ld_global_u64 $d6, [$d5]\n ld_global_u32 $s9, [$d6]", OUTSIDE),
    "cold store": ("ld_global_u64 $d6, [$d5]\n st_global_u32 $s9, [$d6]", OUTSIDE),
    "null": ("ld_global_u32 $s9, [$d63]", OUTSIDE),
    "odd wide": ("ld_global_u32 $s9, [$d4+2]", ODD),
    "odd wide store": ("st_global_u16 $s9, [$d4+1]", ODD),
    "odd uniform": ("ld_global_u64 $d9, [$d1+4]", ODD),
    "odd gather": (
        "mul_u32 $s9, $s0, 3\n cvt_u64_u32 $d6, $s9\n add_u64 $d6, $d6, $d1\n"
        " ld_global_u16 $s9, [$d6]", ODD),
    "odd pointer": ("or_u64 $d6, $d4, 1\n st_global_u32 $s0, [$d6]", ODD),
    "frozen wide": ("mad_u64 $d6, $d0, 4, $d2\n st_global_u32 $s0, [$d6]", FROZEN),
    "frozen uniform": ("st_global_u32 $s2, [$d2]", FROZEN),
    "frozen scatter": (
        "xor_u32 $s9, $s0, 5\n cvt_u64_u32 $d6, $s9\n mad_u64 $d6, $d6, 4, $d2\n"
        " st_global_u32 $s0, [$d6]", FROZEN),
    "frozen atomic": ("mad_u64 $d6, $d0, 4, $d2\n atomic_add_global_u32 [$d6], $s0", FROZEN),
    "wild atomic": ("atomic_add_global_u32 [$d4+200], $s0", OUTSIDE),
    "odd atomic": ("atomic_add_global_u32 [$d4+2], $s0", ODD),
    "group run": ("ld_group_u32 $s9, [tile+$s3+4]", OUTSIDE),
    "group run store": ("st_group_u32 $s9, [tile+$s3+64]", OUTSIDE),
    "group gather": ("mul_u32 $s9, $s1, 12\n ld_group_u32 $s9, [tile+$s9]", OUTSIDE),
    "group scatter": ("xor_u32 $s9, $s3, 128\n st_group_u32 $s9, [tile+$s9]", OUTSIDE),
    "group uniform": ("mul_u32 $s9, $s2, 48\n ld_group_u32 $s9, [tile+$s9]", OUTSIDE),
    "group uniform store": ("mul_u32 $s9, $s2, 48\n st_group_u32 $s0, [tile+$s9]", OUTSIDE),
    "group below": ("sub_u32 $s9, $s3, 4\n ld_group_u32 $s9, [tile+$s9]", OUTSIDE),
    "group far below": ("ld_group_u32 $s9, [$s3-8]", OUTSIDE),
    "group never": ("ld_group_u32 $s9, [$s3+100000]", OUTSIDE),
    "group odd run": ("ld_group_u32 $s9, [tile+$s3+2]", ODD),
    "group odd": ("ld_group_u32 $s9, [tile+$s1]", ODD),
    "group odd uniform": ("st_group_u16 $s9, [$s2]", ODD),
    "group atomic": ("atomic_add_group_u32 [tile+$s3+4], $s0", OUTSIDE),
    "group odd atomic": ("atomic_add_group_u32 [$s1+1], $s0", ODD),
    "group atomic never": ("atomic_add_group_u32 [$s1+1000], $s0", OUTSIDE),
    "private": ("st_private_u32 $s0, [own+$s3]", OUTSIDE),
    "private uniform": ("mul_u32 $s9, $s2, 8\n ld_private_u32 $s9, [own+$s9]", OUTSIDE),
    "private odd": ("ld_private_u16 $s9, [$s2]", ODD),
    "private never": ("st_private_u64 $d0, [$s3+9000]", OUTSIDE),
    "readonly run": ("ld_readonly_u32 $s9, [T+$s3]", OUTSIDE),
    "readonly uniform": ("mul_u32 $s9, $s2, 16\n ld_readonly_u32 $s9, [T+$s9]", OUTSIDE),
    "readonly odd": ("ld_readonly_u16 $s9, [$s2]", ODD),
    "divide": ("sub_u32 $s9, $s0, 40\n div_u32 $s9, $s0, $s9", ZERO),
    "divide all": ("rem_s32 $s9, $s0, $s63", ZERO),
    "divide uniform": ("sub_u32 $s9, $s2, 3\n div_s32 $s9, $s2, $s9", ZERO),
    "divide wide": ("sub_u64 $d6, $d0, 33\n rem_u64 $d6, $d0, $d6", ZERO),
    "trap": ("cmp_lt_u32 $c0, $s0, 45\n cbr $c0, @out\n trap 5", TrapKind.TRAP),
    "partial barrier": (
        "cmp_lt_u32 $c0, $s1, 7\n cbr $c0, @out\n barrier", TrapKind.DIVERGENT_BARRIER),
    "two barriers": (
        "cmp_lt_u32 $c0, $s1, 7\n cbr $c0, @other\n barrier\n br @out\n@other:\n barrier",
        TrapKind.DIVERGENT_BARRIER),
    "one more barrier": (
        "@more:\n barrier\n sub_u32 $s1, $s1, 1\n cmp_gt_s32 $c0, $s1, 20\n cbr $c0, @more",
        TrapKind.DIVERGENT_BARRIER),
    "trap in a loop with a barrier": (
        "@more:\n cmp_ne_u32 $c0, $s1, 9\n cbr $c0, @good\n trap 5\n@good:\n barrier\n"
        " add_u32 $s9, $s9, 1\n cmp_lt_u32 $c0, $s9, 3\n cbr $c0, @more", TrapKind.TRAP),
}  # fmt: skip


def hostile_work(body: str, *, items: int = ITEMS, group: int = GROUP, **options: Any) -> Work:
    """Return a launch of HOSTILE_FRAME with this body; `frozen` cannot be written."""
    frozen = np.arange(ITEMS, dtype=np.uint32)
    frozen.flags.writeable = False
    x = np.arange(ITEMS, dtype=np.uint32)
    # Most links lead into x, which lies first; that of work-item 37 leads nowhere.
    links = np.uint64(0x1000_0000) + np.arange(ITEMS, dtype=np.uint64) * np.uint64(4)
    links[37] = 12345
    text = HOSTILE_FRAME.replace("BODY", body)
    return make(text, [x, frozen, links, 3], items=items, group_size=group, **options)
