"""Arithmetic whose code depends on what is known of its operands, at the ends of what is known."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.llvm.toolchain import host_has

from ..support.flows import kernel_of
from .support.agreement import same
from .test_values import NANS

MORE = np.array(
    [255.0, 255.5, 256.0, -0.5, -1.0, 0.5, 2.0**31, -(2.0**31), 2147483520.0, 2.0**32, 4294967040.0,
     3.4e38, -3.4e38, 1e-45, -1e-45, 1e-38, 126.99, -128.6, 32767.5, 1e9, -3e9],
    np.float32,
).view(np.uint32)  # fmt: skip

CLAMPED = "max_f32 $s5, $s1, 0.0\n min_f32 $s5, $s5, 255.0\n"
BYTE = "cvt_f32_u8 $s5, $s1\n"

BODIES = {
    "a clamped float as a byte": CLAMPED + "cvt_u8_f32 $s3, $s5",
    "a clamped float as a word": CLAMPED + "cvt_u32_f32 $s3, $s5\n cvt_s32_f32 $s4, $s5",
    "a sum of clamped floats": CLAMPED + "add_f32 $s5, $s5, $s5\n cvt_u8_f32 $s3, $s5\n"
    " cvt_s8_f32 $s4, $s5",
    "less than zero by less than one": CLAMPED + "sub_f32 $s5, $s5, 0.5\n cvt_u32_f32 $s3, $s5\n"
    " cvt_u8_f32 $s4, $s5",
    "any float": "cvt_s32_f32 $s3, $s1\n cvt_u32_f32 $s4, $s1\n cvt_s16_f32 $s5, $s1\n"
    " add_u32 $s4, $s4, $s5\n cvt_u16_f32 $s5, $s1\n mad_u32 $s4, $s5, 3, $s4",
    "numbers out of range": "max_f32 $s5, $s1, -1e20\n cvt_s32_f32 $s3, $s5\n cvt_u32_f32 $s4, $s5",
    "numbers below a limit": "min_f32 $s5, $s1, 1e9\n cvt_s32_f32 $s3, $s5\n cvt_u32_f32 $s4, $s5",
    "doubles": "cvt_f64_f32 $d5, $s1\n cvt_s32_f64 $s3, $d5\n cvt_u32_f64 $s4, $d5\n"
    " cvt_s64_f64 $d6, $d5\n shr_u64 $d6, $d6, 31\n cvt_u32_u64 $s5, $d6\n xor_u32 $s4, $s4, $s5\n"
    " cvt_u64_f64 $d6, $d5\n cvt_u32_u64 $s5, $d6\n mad_u32 $s4, $s4, 3, $s5",
    "doubles in range": "cvt_f64_u8 $d5, $s1\n cvt_s32_f64 $s3, $d5\n cvt_s64_f64 $d6, $d5\n"
    " cvt_u32_u64 $s4, $d6",
    "payloads in minima": "min_f32 $s3, $s1, $s2\n max_f32 $s4, $s1, $s2",
    "a payload and a sum": "add_f32 $s5, $s1, $s2\n min_f32 $s3, $s1, $s5\n max_f32 $s4, $s5, $s2",
    "sums": "add_f32 $s5, $s1, $s2\n mul_f32 $s6, $s1, $s2\n min_f32 $s3, $s6, $s5\n"
    " max_f32 $s4, $s5, $s6",
    "signs of zeros": "cvt_f32_s8 $s5, $s1\n cvt_f32_s8 $s6, $s2\n mul_f32 $s5, $s5, $s6\n"
    " mul_f32 $s7, $s6, -1e-45\n mul_f32 $s7, $s7, 0.1\n min_f32 $s3, $s5, $s7\n"
    " max_f32 $s4, $s5, $s7",
    "apart": BYTE + "add_f32 $s6, $s5, 1.0\n min_f32 $s3, $s5, $s6\n max_f32 $s4, $s6, $s5",
    "numbers and payloads": BYTE + "min_f32 $s3, $s5, $s2\n max_f32 $s4, $s2, $s5",
    "largest so far": "mov_u32 $s3, 0xff800000\n mov_u32 $s5, 3\n@a:\n max_f32 $s3, $s3, $s1\n"
    " max_f32 $s3, $s2, $s3\n sub_u32 $s5, $s5, 1\n cmp_ne_u32 $c0, $s5, 0\n cbr $c0, @a",
    "logarithm's parts": "and_u32 $s5, $s1, 0x7fffff\n or_u32 $s5, $s5, 0x3f800000\n"
    " sub_f32 $s6, $s5, 1.0\n add_f32 $s5, $s5, 1.0\n div_f32 $s3, $s6, $s5\n"
    " mul_f32 $s4, $s3, $s3\n xor_u32 $s4, $s4, 1",
    "angles": "sin_f32 $s3, $s1\n cos_f32 $s4, $s2",
    "angles of any sign up to a limit, and small ones": CLAMPED + "cos_f32 $s3, $s5\n"
    " max_f32 $s6, $s2, -131072.0\n min_f32 $s6, $s6, 9.0\n sin_f32 $s4, $s6",
    "infinite": CLAMPED + "mul_f32 $s5, $s5, 1e38\n sub_f32 $s3, $s5, $s5\n add_u32 $s4, $s5, 1",
    "zero by zero": CLAMPED + "div_f32 $s3, $s5, $s5\n xor_u32 $s3, $s3, 1",
    "root of what may be negative": CLAMPED + "sub_f32 $s5, $s5, 1.0\n sqrt_f32 $s3, $s5\n"
    " xor_u32 $s3, $s3, 1",
    "a sum in a loop": "mov_u32 $s3, 1.0\n mov_u32 $s5, 9\n@a:\n mul_f32 $s3, $s3, 1e30\n"
    " sub_f32 $s3, $s3, $s3\n sub_u32 $s5, $s5, 1\n cmp_ne_u32 $c0, $s5, 0\n cbr $c0, @a\n"
    " xor_u32 $s3, $s3, 1",
    "high halves": "cvt_u64_u32 $d5, $s1\n cvt_s64_s32 $d6, $s2\n mul_u64 $d5, $d5, -3\n"
    " mul_u64 $d6, $d6, 0x12345677\n mulhi_u64 $d7, $d5, $d6\n mulhi_s64 $d8, $d5, $d6\n"
    " cvt_u32_u64 $s3, $d7\n cvt_u32_u64 $s4, $d8\n shr_u64 $d7, $d7, 32\n cvt_u32_u64 $s5, $d7\n"
    " shr_u64 $d8, $d8, 32\n cvt_u32_u64 $s6, $d8\n mad_u32 $s3, $s5, 3, $s3\n"
    " mad_u32 $s4, $s6, 3, $s4",
}


@pytest.mark.parametrize("name", BODIES)
def test_results_have_the_oracles_bits(name: str) -> None:
    text = f"""
        kernel known(u32 %n, global f32* %a, global f32* %b, global u32* %out) {{
            workitemabsid_u32 $s0, 0
            ld_kernarg_u32 $s3, [%n]
            cmp_ge_u32 $c0, $s0, $s3
            cbr $c0, @over
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%a]
            mad_u64 $d2, $d0, 4, $d1
            ld_global_f32 $s1, [$d2]
            ld_kernarg_u64 $d3, [%b]
            mad_u64 $d4, $d0, 4, $d3
            ld_global_f32 $s2, [$d4]
            mov_u32 $s3, 0
            mov_u32 $s4, 0
            {BODIES[name]}
            ld_kernarg_u64 $d7, [%out]
            mad_u64 $d7, $d0, 8, $d7
            st_global_u32 $s3, [$d7]
            st_global_u32 $s4, [$d7+4]
        @over:
            ret
        }}"""
    values = np.concatenate([NANS, MORE])
    a, b = np.repeat(values, len(values)), np.tile(values, len(values))
    out = np.zeros(2 * a.size, np.uint32)
    args = [np.uint32(a.size), a.view(np.float32), b.view(np.float32), out]
    same(text, args, items=a.size, group_size=64)


RARE = {
    "st_global_f32 $s1, [$d0]": False,
    "mul_f32 $s2, $s1, $s1\n st_global_f32 $s2, [$d0]": True,
    "max_f32 $s2, $s1, 0.0\n min_f32 $s2, $s2, 1.0\n mul_f32 $s2, $s2, $s2\n"
    " st_global_f32 $s2, [$d0]": False,
    "cvt_s32_f32 $s2, $s1\n st_global_s32 $s2, [$d0]": True,
    "min_f32 $s2, $s1, 9.0\n cvt_s32_f32 $s2, $s2\n st_global_s32 $s2, [$d0]": False,
    "max_f32 $s2, $s1, 9.0\n cvt_s32_f32 $s2, $s2\n st_global_s32 $s2, [$d0]": True,
    "cvt_u32_f32 $s2, $s1\n st_global_u32 $s2, [$d0]": False,
    "cvt_s16_f32 $s2, $s1\n st_global_s16 $s2, [$d0]": False,
}


@pytest.mark.parametrize(
    ("least", "most", "calls"), [("-131072.0", "9.0", 1), ("-131071.9", "131071.9", 0)]
)
def test_small_angles_have_no_code_for_large_ones(least: str, most: str, calls: int) -> None:
    kernel = kernel_of(f"""
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d1, $s0
        ld_kernarg_u64 $d0, [%x]
        mad_u64 $d0, $d1, 4, $d0
        ld_global_f32 $s1, [$d0]
        max_f32 $s1, $s1, {least}
        min_f32 $s1, $s1, {most}
        sin_f32 $s1, $s1
        st_global_f32 $s1, [$d0]""")
    text = generate(kernel, 0, facts_of(kernel, Geometry.of(256, 64)))
    assert text.count("%need, ") == calls


@pytest.mark.skipif(not host_has("avx512dq"), reason="needs a CPU with AVX-512")
@pytest.mark.parametrize("lines", RARE)
def test_one_test_for_all_vectors_where_a_lane_may_need_care(lines: str) -> None:
    kernel = kernel_of(f"""
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d1, $s0
        ld_kernarg_u64 $d0, [%x]
        mad_u64 $d0, $d1, 4, $d0
        ld_global_f32 $s1, [$d0]
        {lines}""")
    text = generate(kernel, 0, facts_of(kernel, Geometry.of(256, 64)))
    assert ("\nrare" in text) is RARE[lines]
