"""Values that native code moves: NaNs' and lowest bits, every type by every kind of address."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.llvm.toolchain import host_has

from ...quick import few
from .support.agreement import same

# --- NaNs

NANS = np.array(
    [0x7FC00000, 0xFFC00000, 0x7FC00001, 0xFFFFFFFF, 0x7F800001, 0xFF800001, 0x7FA5A5A5,
     0x3F800000, 0x80000000, 0x7F800000, 0xFF800000, 0x00000001, 0xBF800000, 0],
    np.uint32,
)  # fmt: skip
"""Quiet and signalling NaNs of both signs with payloads, and some numbers."""

NAN_BODIES = {
    "bits move": "mov_u32 $s3, $s1",
    "sign": "neg_f32 $s3, $s1\n abs_f32 $s4, $s3\n xor_u32 $s3, $s3, $s4",
    "arithmetic": "add_f32 $s3, $s1, $s2",
    "sign of arithmetic": "mul_f32 $s3, $s1, $s2\n neg_f32 $s3, $s3",
    "payload chosen": "cmp_lt_u32 $c0, $s0, 50\n select_f32 $s3, $c0, $s1, $s2",
    "arithmetic or payload": "add_f32 $s3, $s1, $s2\n cmp_lt_u32 $c0, $s0, 50\n"
    " select_f32 $s3, $c0, $s3, $s1",
    "arithmetic or arithmetic": "add_f32 $s3, $s1, $s2\n mul_f32 $s4, $s2, $s1\n"
    " cmp_lt_u32 $c0, $s0, 50\n select_f32 $s3, $c0, $s3, $s4",
    "phi of arithmetic and payload": "mov_u32 $s3, $s1\n cmp_lt_u32 $c0, $s0, 50\n"
    " cbr $c0, @a\n sub_f32 $s3, $s1, $s2\n@a:",
    "phi of arithmetic": "mul_f32 $s3, $s1, $s2\n cmp_lt_u32 $c0, $s0, 50\n cbr $c0, @a\n"
    " sub_f32 $s3, $s1, $s2\n@a:",
    "phi of arithmetic and a number": "mov_u32 $s3, 0x3f800000\n cmp_lt_u32 $c0, $s0, 50\n"
    " cbr $c0, @a\n sub_f32 $s3, $s1, $s2\n@a:",
    "phi of arithmetic and a constant NaN": "mov_u32 $s3, 0x7fc00123\n cmp_lt_u32 $c0, $s0, 50\n"
    " cbr $c0, @a\n sub_f32 $s3, $s1, $s2\n@a:",
    "sum in a loop": "mov_u32 $s3, 0\n mov_u32 $s4, 3\n@a:\n add_f32 $s3, $s3, $s1\n"
    " sub_u32 $s4, $s4, 1\n cmp_ne_u32 $c0, $s4, 0\n cbr $c0, @a",
    "payload through a loop": "mov_u32 $s3, $s1\n and_u32 $s4, $s0, 3\n@a:\n"
    " cmp_eq_u32 $c0, $s4, 0\n cbr $c0, @b\n mul_f32 $s3, $s3, $s2\n sub_u32 $s4, $s4, 1\n"
    " br @a\n@b:",
    "minimum": "min_f32 $s3, $s1, $s2\n max_f32 $s4, $s2, $s1\n mad_u32 $s3, $s3, 3, $s4",
    "minimum of what LLVM does not change": "mul_f32 $s3, $s1, 1.0\n min_f32 $s3, $s3, $s2\n"
    " cvt_f64_f32 $d5, $s1\n cvt_f32_f64 $s4, $d5\n max_f32 $s4, $s2, $s4\n"
    " mad_u32 $s3, $s3, 3, $s4\n abs_f32 $s4, $s1\n mov_u32 $s5, 0\n add_f32 $s4, $s4, $s5\n"
    " min_f32 $s4, $s2, $s4\n mad_u32 $s3, $s3, 3, $s4",
    "minimum where a factor is one": "workgroupid_u32 $s5, 0\n and_u32 $s5, $s5, 7\n"
    " mul_u32 $s5, $s5, 14\n cvt_u64_u32 $d5, $s5\n mad_u64 $d5, $d5, 4, $d1\n"
    " ld_global_f32 $s4, [$d5]\n div_f32 $s4, $s4, $s4\n mov_u32 $s3, 0\n"
    " cmp_ne_f32 $c0, $s4, 1.0\n cbr $c0, @a\n mul_f32 $s3, $s1, $s4\n"
    " min_f32 $s3, $s3, $s2\n@a:",
    "maximum of two NaNs for all": "ld_global_f32 $s3, [$d1+224]\n ld_global_f32 $s4, [$d1+280]\n"
    " max_f32 $s3, $s3, $s4\n min_f32 $s3, $s3, $s1",
    "minimum of a NaN and a number for all": "ld_global_f32 $s3, [$d1]\n workgroupid_u32 $s4, 0\n"
    " cvt_f32_u32 $s4, $s4\n min_f32 $s3, $s3, $s4",
    "fused": "fma_f32 $s3, $s1, $s2, $s1",
    "wide": "cvt_f64_f32 $d5, $s1\n add_f64 $d6, $d5, 1.0\n cvt_f32_f64 $s3, $d6\n"
    " shr_u64 $d6, $d6, 20\n cvt_u32_u64 $s4, $d6\n xor_u32 $s3, $s3, $s4",
    "root": "sqrt_f32 $s3, $s1\n rsqrt_f32 $s4, $s2\n mad_u32 $s3, $s3, 3, $s4",
    "functions": "sin_f32 $s3, $s1\n exp2_f32 $s4, $s2\n mad_u32 $s3, $s3, 3, $s4",
    "round": "floor_f32 $s3, $s1\n rint_f32 $s4, $s2\n mad_u32 $s3, $s3, 3, $s4",
    "through group memory": "mul_u32 $s4, $s9, 4\n mul_f32 $s5, $s1, $s2\n"
    " st_group_f32 $s5, [tile+$s4]\n barrier\n xor_u32 $s4, $s4, 4\n ld_group_f32 $s3, [tile+$s4]",
    "computed, in private memory": "mul_f32 $s4, $s1, $s2\n st_private_f32 $s4, [own]\n"
    " sub_f32 $s4, $s1, $s2\n st_private_f32 $s4, [own+4]\n ld_private_f32 $s5, [own]\n"
    " ld_private_f32 $s6, [own+4]\n add_f32 $s7, $s5, $s6\n xor_u32 $s3, $s5, $s7",
    "payloads, in private memory": "mul_f32 $s4, $s1, $s2\n st_private_f32 $s4, [own]\n"
    " st_private_f32 $s1, [own+4]\n ld_private_f32 $s5, [own]\n ld_private_f32 $s6, [own+4]\n"
    " and_u32 $s7, $s0, 1\n cmp_eq_u32 $c0, $s7, 0\n select_f32 $s3, $c0, $s5, $s6",
    "numbers, in private memory": "mul_f32 $s4, $s1, $s2\n st_private_f32 $s4, [own]\n"
    " st_private_f32 $s1, [own+4]\n ld_private_f32 $s5, [own]\n ld_private_f32 $s6, [own+4]\n"
    " min_f32 $s3, $s5, $s6\n cmp_lt_f32 $c0, $s6, $s5\n cvt_u32_b1 $s4, $c0\n"
    " add_u32 $s3, $s3, $s4",
    "seen by one load": "mul_f32 $s4, $s1, $s2\n st_private_f32 $s4, [own]\n"
    " st_private_f32 $s1, [own+4]\n ld_private_f32 $s5, [own]\n"
    " ld_private_u32 $s6, [own+4]\n"
    " add_f32 $s5, $s5, $s6\n ld_private_u32 $s7, [own]\n xor_u32 $s3, $s5, $s7",
    "of mixed sizes": "mul_f32 $s4, $s1, $s2\n st_private_f32 $s4, [own]\n"
    " ld_private_u8 $s5, [own+3]\n ld_private_f32 $s6, [own]\n mad_u32 $s3, $s5, 3, $s6",
    "chosen, in group memory": "mul_u32 $s4, $s9, 4\n mul_f32 $s5, $s1, $s2\n"
    " cmp_lt_u32 $c0, $s0, 50\n cbr $c0, @a\n sub_f32 $s5, $s1, $s2\n@a:\n"
    " st_group_f32 $s5, [tile+$s4]\n barrier\n xor_u32 $s4, $s4, 4\n"
    " ld_group_f32 $s6, [tile+$s4]\n"
    " fma_f32 $s7, $s6, $s5, $s6\n st_group_f32 $s7, [tile+$s4]\n barrier\n"
    " ld_group_u32 $s3, [tile+$s4]",
    "one value, in group memory": "ld_global_f32 $s3, [$d1+16]\n ld_global_f32 $s4, [$d1+20]\n"
    " sub_f32 $s5, $s3, $s4\n st_group_f32 $s5, [tile+8]\n barrier\n ld_group_f32 $s4, [tile+8]\n"
    " xor_u32 $s3, $s4, $s1",
    "across a barrier": "mul_f32 $s3, $s1, $s2\n barrier\n cmp_lt_u32 $c0, $s0, 50\n"
    " cbr $c0, @a\n mov_u32 $s3, $s1\n@a:\n barrier",
    "uniform": "ld_global_f32 $s3, [$d1+16]\n ld_global_f32 $s4, [$d1+20]\n"
    " add_f32 $s5, $s3, $s4\n cmp_eq_u32 $c0, $s5, 3\n select_f32 $s3, $c0, $s3, $s5",
    "through an atomic": "sub_f32 $s4, $s1, $s2\n atomic_exch_global_u32 $s5, [$d4], $s4\n"
    " ld_global_u32 $s3, [$d4]",
    "compared": "add_f32 $s4, $s1, $s2\n cmp_ne_f32 $c0, $s4, $s4\n cmp_ltu_f32 $c1, $s4, $s1\n"
    " cvt_u32_b1 $s3, $c0\n cvt_u32_b1 $s4, $c1\n mad_u32 $s3, $s3, 2, $s4",
    "seen as an integer": "add_f32 $s4, $s1, $s2\n mov_u32 $s5, $s4\n add_u32 $s3, $s5, 1",
    "as a base": "sub_f32 $s4, $s1, $s1\n and_u32 $s4, $s4, 3\n mul_u32 $s4, $s4, 4\n"
    " ld_group_f32 $s3, [tile+$s4]",
}


@pytest.mark.parametrize("name", few([*NAN_BODIES], 3))
def test_nans_have_the_oracles_bits(name: str) -> None:
    text = f"""
        kernel nans(global f32* %a, global f32* %b, global u32* %out) {{
            .group f32 tile[256]
            .private f32 own[2]
            workitemflatabsid_u32 $s0
            workitemflatid_u32 $s9
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%a]
            mad_u64 $d2, $d0, 4, $d1
            ld_global_f32 $s1, [$d2]
            ld_kernarg_u64 $d3, [%b]
            mad_u64 $d4, $d0, 4, $d3
            ld_global_f32 $s2, [$d4]
            {NAN_BODIES[name]}
            ld_kernarg_u64 $d7, [%out]
            mad_u64 $d7, $d0, 4, $d7
            st_global_u32 $s3, [$d7]
            ret
        }}"""
    a, b = np.repeat(NANS, len(NANS)), np.tile(NANS, len(NANS))
    args = [a.view(np.float32), b.view(np.float32), np.zeros(a.size, np.uint32)]
    for group_size in (98, 64, 16, 7, 1):
        same(text, args, items=a.size, group_size=group_size)


@pytest.mark.parametrize("width", [1, 2, 7, 16, 26])
def test_extremes_of_nans_in_warps_of_any_width(width: int) -> None:
    """LLVM has no code for some operations on vectors of two floats, and ends the process.

    It also gives the NaN for an extreme of a NaN and a scalar that is a number.
    """
    text = """
        kernel nans(global f32* %a, global f32* %b, global u32* %out) {
            workitemflatabsid_u32 $s0
            laneid_u32 $s9              // so native code has warps of this width
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%a]
            mad_u64 $d1, $d0, 4, $d1
            ld_global_f32 $s1, [$d1]
            ld_kernarg_u64 $d1, [%b]
            mad_u64 $d1, $d0, 4, $d1
            ld_global_f32 $s2, [$d1]
            max_f32 $s3, $s1, $s2
            min_f32 $s3, $s3, $s1
            max_f32 $s4, $s1, 1.0
            min_f32 $s4, $s4, $s2
            add_u32 $s3, $s3, $s9
            xor_u32 $s3, $s3, $s4
            ld_kernarg_u64 $d1, [%out]
            mad_u64 $d1, $d0, 4, $d1
            st_global_u32 $s3, [$d1]
            ret
        }"""
    a, b = np.repeat(NANS, len(NANS)), np.tile(NANS, len(NANS))
    args = [a.view(np.float32), b.view(np.float32), np.zeros(a.size, np.uint32)]
    same(text, args, items=a.size, group_size=28, width=width)


# --- corners of memory

TYPES = ["u8", "s8", "u16", "s16", "u32", "s32", "f32", "u64", "s64", "f64"]


@dataclass(frozen=True)
class Place:
    """How an address of element number $s0 is spelled, {size} bytes each; `lanes` of 40."""

    segment: str
    lines: str
    address: str


PLACES = {
    "wide": Place("global", "cvt_u64_u32 $d2, $s0\n mad_u64 $d2, $d2, {size}, $d1", "[$d2]"),
    "shifted": Place("global", "cvt_u64_u32 $d2, $s0\n mad_u64 $d2, $d2, {size}, $d1", "[$d2+8]"),
    "scaled in 32 bits": Place(
        "global", "mul_u32 $s3, $s0, {size}\n cvt_u64_u32 $d2, $s3\n add_u64 $d2, $d2, $d1", "[$d2]"
    ),
    "reversed": Place(
        "global", "sub_u32 $s3, 63, $s0\n cvt_u64_u32 $d2, $s3\n mad_u64 $d2, $d2, {size}, $d1",
        "[$d2]",
    ),
    "strided": Place(
        "global", "mul_u32 $s3, $s0, 3\n and_u32 $s3, $s3, 63\n cvt_u64_u32 $d2, $s3\n"
        " mad_u64 $d2, $d2, {size}, $d1", "[$d2]",
    ),
    "every third": Place(
        "global", "cvt_u64_u32 $d2, $s1\n mul_u64 $d2, $d2, 3\n mad_u64 $d2, $d2, {size}, $d1",
        "[$d2]",
    ),
    "one": Place("global", "add_u64 $d2, $d1, 16", "[$d2+8]"),
    "group run": Place("group", "mul_u32 $s3, $s1, {size}", "[tile+$s3]"),
    "group strided": Place("group", "mul_u32 $s3, $s1, 24", "[tile+$s3]"),
    "group one": Place("group", "mov_u32 $s3, 0", "[tile+8]"),
    "private": Place("private", "and_u32 $s3, $s0, 3\n mul_u32 $s3, $s3, 8", "[own+$s3]"),
    "private one": Place("private", "nop", "[own+8]"),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_every_type_travels_by_every_way(place: str) -> None:
    """Store a type, load it and its neighbours as it and as bytes; the last warp is not full."""
    how = PLACES[place]
    for type_ in TYPES:
        size = int(type_[1:]) // 8
        cls = "$d" if size == 8 else "$s"
        text = f"""
            kernel types(global u64* %x, global u64* %in, global u64* %out) {{
                .group u64 tile[128]
                .private u64 own[4]
                workitemflatabsid_u32 $s0
                workitemflatid_u32 $s1
                cvt_u64_u32 $d0, $s0
                ld_kernarg_u64 $d1, [%x]
                ld_kernarg_u64 $d3, [%in]
                mad_u64 $d3, $d0, 8, $d3
                ld_global_u64 $d4, [$d3]
                cvt_u32_u64 $s4, $d4
                {how.lines.format(size=size)}
                ld_{how.segment}_{type_} {cls}5, {how.address}
                cvt_u64_u32 $d6, $s5
                add_u64 $d5, $d5, $d6
                barrier
                st_{how.segment}_{type_} {cls}4, {how.address}
                barrier
                ld_{how.segment}_u8 $s7, {how.address}
                cvt_u64_u32 $d7, $s7
                mad_u64 $d5, $d7, 3, $d5
                ld_kernarg_u64 $d8, [%out]
                mad_u64 $d8, $d0, 8, $d8
                st_global_u64 $d5, [$d8]
                ret
            }}"""
        rng = np.random.default_rng(size)
        x, data = (rng.integers(0, 1 << 64, 128, np.uint64) for _ in range(2))
        if place.endswith("one") and how.segment != "private":
            data[:] = data[0]  # all lanes store one value: the order of warps is open
        if place in ("every third", "strided"):
            # Within a workgroup all places differ.
            same(text, [x, data, np.zeros(40, np.uint64)], items=21, group_size=21)
        elif place == "one" or place == "group one":
            x[:] = data[0]
            same(text, [x, data, np.zeros(40, np.uint64)], items=21, group_size=21)
        else:
            same(text, [x, data, np.zeros(40, np.uint64)], items=40, group_size=40)


# --- lowest bits


def test_lowest_bits_of_64_bits_are_tested_by_one_instruction() -> None:
    text = """
        kernel odd(global u64* %x) {
            workitemabsid_u32 $s0, 0
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%x]
            mad_u64 $d1, $d0, 8, $d1
            ld_global_u64 $d2, [$d1]
        @halve:
            and_u64 $d3, $d2, 1
            cmp_ne_u64 $c0, $d3, 0
            cbr $c0, @done
            shr_u64 $d2, $d2, 1
            br @halve
        @done:
            st_global_u64 $d2, [$d1]
            ret
        }"""
    x = (np.arange(1, 101, dtype=np.uint64) << np.arange(100, dtype=np.uint64) % 57).astype("u8")
    same(text, [x], items=100, group_size=64)
    if host_has("avx512dq"):
        made = simtlab.assemble(text)["odd"].launch(items=128, group_size=64).generated("asm")
        assert "vptest" in made
        assert "vpmovq2m" not in made
