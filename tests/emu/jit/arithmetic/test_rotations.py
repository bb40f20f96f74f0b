"""Rotations by counts that are no constants, and what only looks like them."""

from __future__ import annotations

import numpy as np

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.values.rotations import rotation_of
from simtlab.emu.analysis.values.ssa import Op

from ..support.agreement import same

COUNTS = (0, 1, 31, 32, 33, 63, 64, 4000)

FORMS = (
    # (instructions that leave a word in $d9, whether they rotate)
    ("shl_u64 $d2, $d1, $s2\n sub_u32 $s3, 64, $s2\n shr_u64 $d3, $d1, $s3", 64, True),
    ("shl_s64 $d3, $d1, $s2\n sub_u32 $s3, 0, $s2\n shr_u64 $d2, $d1, $s3", 64, True),
    (
        "add_f64 $d9, $d1, $d1\n shl_u64 $d2, $d9, $s2\n neg_s32 $s3, $s2\n shr_u64 $d3, $d9, $s3",
        64,
        True,
    ),
    ("neg_s32 $s3, $s2\n shl_u32 $s4, $s1, $s2\n shr_u32 $s5, $s1, $s3", 32, True),
    ("sub_u32 $s3, 32, $s2\n shr_u32 $s4, $s1, $s2\n shl_u32 $s5, $s1, $s3", 32, True),
    ("sub_u32 $s3, 32, $s2\n shl_u64 $d2, $d1, $s2\n shr_u64 $d3, $d1, $s3", 64, False),
    ("sub_u32 $s3, 32, $s2\n shl_u32 $s4, $s1, $s2\n shr_s32 $s5, $s1, $s3", 32, False),
    ("sub_u32 $s3, 32, $s2\n shl_u32 $s4, $s1, $s2\n shr_u32 $s5, $s0, $s3", 32, False),
    ("sub_u32 $s3, 33, $s2\n shl_u32 $s4, $s1, $s2\n shr_u32 $s5, $s1, $s3", 32, False),
    (
        "shl_u64 $d2, $d1, $s2\n neg_s32 $s3, $s2\n shr_u64 $d3, $d1, $s3\n"
        "cmp_lt_u32 $c0, $s0, 30\n cbr $c0, @or\n mov_u64 $d1, 7\n@or:",
        64,
        False,
    ),
)


def kernel(count: str) -> str:
    """A kernel of all forms, of which each one's result is a word of 64 bits."""
    body = "\n".join(
        f"{form}\n"
        + ("or_u64 $d4, $d2, $d3" if bits == 64 else "or_u32 $s6, $s4, $s5\n cvt_u64_u32 $d4, $s6")
        + f"\n st_global_u64 $d4, [$d0+{8 * i}]"
        for i, (form, bits, _) in enumerate(FORMS)
    )
    return f"""
        kernel k(u32 %count, global u64* %x, global u64* %out) {{
            workitemabsid_u32 $s0, 0
            {count}
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%x]
            mad_u64 $d1, $d0, 8, $d1
            ld_global_u64 $d1, [$d1]
            cvt_u32_u64 $s1, $d1
            ld_kernarg_u64 $d2, [%out]
            mad_u64 $d0, $d0, {8 * len(FORMS)}, $d2
            {body}
            ret
        }}"""


SHARED = "ld_kernarg_u32 $s2, [%count]"
OWN = f"{SHARED}\n add_u32 $s2, $s2, $s0"


def test_rotations_are_recognised() -> None:
    ssa = analyse(assemble(kernel(SHARED)).kernels[0]).ssa
    ops = [v for v in ssa.values() if isinstance(v, Op) and v.ins.row.stem == "or"]
    assert [rotation_of(op) is not None for op in ops] == [rotates for *_, rotates in FORMS]


def test_results_are_the_oracles() -> None:
    x = np.random.default_rng(1).integers(0, 1 << 64, 64, np.uint64)
    x[::5] |= np.uint64(0x7FF5_0000_0000_0001)  # NaNs
    out = np.zeros((64, len(FORMS)), np.uint64)
    for count in COUNTS:
        same(kernel(SHARED), [count, x, out], items=64, group_size=64)
    same(kernel(OWN), [3, x, out], items=64, group_size=64)
