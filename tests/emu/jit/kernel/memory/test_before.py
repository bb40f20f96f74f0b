"""Indices that count from a constant before a buffer, as in `a[i - 1]`: results and traps."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import listing
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

N = 61

TEXT = """
kernel k(u32 %n, global u32* %index, global TYPE* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%index]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    PLACE
    CVT $d0, $s2
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, STEP, $d1
    ACCESS
@done:
    ret
}
"""
CHANGE = (
    "ld_global_TYPE DATA, [$d1-BEFORE]\n add_KIND DATA, DATA, 5\n st_global_TYPE DATA, [$d1-BEFORE]"
)
ATOMIC = "mov_u32 $s3, 7\n atomic_add_global_u32 $s4, [$d1-BEFORE], $s3"
PAIR = """ld_global_u32 $s3, [$d1-BEFORE]
    ld_global_u32 $s4, [$d1-4]
    mad_u32 $s3, $s3, 31, $s4
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%index]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s3, [$d1]"""
NEAR = "xor_u32 $s2, $s0, 3\n add_u32 $s2, $s2, 2"


def text(type_: str, step: int, before: int, access: str, cvt: str, place: str) -> str:
    wide = type_ == "u64"
    words = (
        ("ACCESS", access),
        ("PLACE", place),
        ("CVT", cvt),
        ("TYPE", type_),
        ("KIND", type_ if wide else "u32"),
        ("DATA", "$d2" if wide else "$s3"),
        ("STEP", str(step)),
        ("BEFORE", str(before)),
    )
    found = TEXT
    for word, value in words:
        found = found.replace(word, value)
    return found


KINDS = [
    ("u32", 4, 4, CHANGE, "cvt_u64_u32", ""),
    ("u32", 4, 8, CHANGE, "cvt_u64_u32", NEAR),
    ("u32", 12, 4, CHANGE, "cvt_s64_s32", ""),
    ("u64", 8, 8, CHANGE, "cvt_u64_u32", ""),
    ("u8", 1, 3, CHANGE, "cvt_u64_u32", ""),
    ("u32", 4, 8, ATOMIC, "cvt_u64_u32", ""),
    ("u32", 4, 8, PAIR, "cvt_u64_u32", ""),
]
"""Types, bytes between elements and before them, accesses, and how an index is widened."""


def arguments(type_: str, step: int, before: int, first: int | None) -> list[object]:
    rng = np.random.default_rng(5)
    least = -(-before // step)
    index = (least + rng.permutation(N)).astype(np.uint32)
    if first is not None:
        index[N // 2] = (least + first) % (1 << 32)
    x = rng.integers(0, 100, (N + least) * (8 * step // int(type_[1:])))
    return [N - 1, index, x.astype(np.dtype(f"u{int(type_[1:]) // 8}"))]


@pytest.mark.parametrize("kind", KINDS)
def test_elements_are_the_oracles(kind: tuple[str, int, int, str, str, str]) -> None:
    for width in (1, 7, 16, 32, 64):
        same(text(*kind), arguments(*kind[:3], None), items=N, group_size=N, width=width)


@pytest.mark.parametrize("first", [-1, -2, 400, -(1 << 31)])
@pytest.mark.parametrize("kind", KINDS)
def test_traps_are_the_oracles(kind: tuple[str, int, int, str, str, str], first: int) -> None:
    """An index may lead before the buffer, after it, or wrap around."""

    def work() -> Work:
        return make(text(*kind), arguments(*kind[:3], first), items=N, group_size=N)

    assert assert_as_oracle(work(), work()) == (kind[5] != NEAR)


@pytest.mark.skipif(not host_has("avx512f"), reason="needs AVX-512")
def test_they_are_gathered() -> None:
    """The test is of the index less the constant, so that it can hold."""
    (kernel,) = assemble(text(*KINDS[0])).kernels
    code = listing(kernel, 0, Facts(16, (64, 1, 1), whole=True), "asm")
    assert "vpgatherdd" in code
    assert "vpaddd" in code or "vpsubd" in code
