"""Arithmetic of which only low bits are stored: narrow lanes, and the oracle's results."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.lanes.low_bits import LowBits
from simtlab.emu.analysis.lanes.narrow import NarrowLanes
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.analysis.widths.width import BYTE_CHUNK, WIDE, best_facts
from simtlab.emu.jit.llvm.toolchain import host_has

from ..support.agreement import same

CHAINS = [
    "sub_u32 $s4, $s2, $s3",
    "mul_u32 $s4, $s2, $s3\n mul_u32 $s4, $s4, $s4",
    "mad_u32 $s4, $s2, 77, $s3\n shl_u32 $s4, $s4, 3",
    "mul_u32 $s4, $s2, 40503\n shr_u32 $s4, $s4, 4\n add_u32 $s4, $s4, $s3",
    "mul_u32 $s4, $s2, 40503\n shr_s32 $s4, $s4, 28",
    "shl_u32 $s4, $s2, 9\n or_u32 $s4, $s4, $s3\n shr_u32 $s4, $s4, 9",
    "sub_s32 $s4, $s2, 300\n and_u32 $s4, $s4, 63\n max_s32 $s4, $s4, $s3",
    "sub_u32 $s4, $s2, $s3\n select_u32 $s4, $c0, $s4, 1000\n not_u32 $s4, $s4",
    "sub_s32 $s4, $s2, $s3\n cmp_lt_s32 $c1, $s4, 7\n select_u32 $s4, $c1, $s4, $s2",
    "mul_u32 $s4, $s2, 257\n cvt_u8_u32 $s4, $s4\n neg_s32 $s4, $s4",
    "add_u32 $s4, $s2, $s3\n shl_u32 $s4, $s4, $s3",
    "cvt_u32_b1 $s4, $c0\n select_u32 $s5, $c0, 3, $s4\n sub_u32 $s4, $s5, $s4",
    "mov_u32 $s6, 70000\n select_u32 $s4, $c0, $s6, 3\n add_u32 $s4, $s4, $s2",
    "mov_u32 $s4, $s2\n cbr $c0, @+\n sub_u32 $s4, $s4, 200\n@+:\n add_u32 $s4, $s4, $s4",
]


def kernel(left: str, right: str, stored: str, n: int, chains: list[str]) -> str:
    """Results of chains of operations on two loaded values; n of each are stored in a row."""
    body = []
    for number, chain in enumerate(chains):
        at = f"mad_u64 $d5, $d0, {int(stored[1:]) // 8}, $d4\n"
        place = int(stored[1:]) // 8 * n * number
        text = chain.replace("@+", f"@label{number}")
        body += [text, at, f"st_global_{stored} $s4, [$d5+{place}]"]
    text = "\n".join(body)
    return f"""
        kernel k(global {left}* %a, global {right}* %b, global {stored}* %out) {{
            workitemabsid_u32 $s0, 0
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%a]
            mad_u64 $d1, $d0, {int(left[1:]) // 8}, $d1
            ld_kernarg_u64 $d2, [%b]
            mad_u64 $d2, $d0, {int(right[1:]) // 8}, $d2
            ld_kernarg_u64 $d4, [%out]
            ld_global_{left} $s2, [$d1]
            ld_global_{right} $s3, [$d2]
            cmp_lt_u32 $c0, $s2, $s3
            {text}
            ret
        }}"""


@pytest.mark.parametrize("width", [1, 7, 32, 64])
@pytest.mark.parametrize(("left", "right"), [("u8", "s8"), ("u8", "u8"), ("s16", "u8")])
@pytest.mark.parametrize("stored", ["u8", "s16"])
def test_what_is_stored_is_that_of_32_bits(left: str, right: str, stored: str, width: int) -> None:
    rng, n = np.random.default_rng(3), 256
    a, b = (rng.integers(-(1 << 15), 1 << 15, n).astype(_numpy(t)) for t in (left, right))
    out = np.zeros(n * len(CHAINS), _numpy(stored))
    same(kernel(left, right, stored, n, CHAINS), [a, b, out], items=n, group_size=128, width=width)


def _numpy(type_: str) -> str:
    return {"u": "uint", "s": "int"}[type_[0]] + type_[1:]


def lanes_of(chain: str, stored: str) -> dict[str, int | None]:
    (found,) = assemble(kernel("u8", "u8", stored, 1, [chain])).kernels
    shapes = analyse(found).shapes(Facts(32, (128, 1, 1), True))
    lanes = NarrowLanes(shapes)
    ops = [v for v in shapes.ssa.values() if isinstance(v, Op) and not v.ins.row.has_address]
    found_lanes = {op.ins.row.stem: lanes.of(op) for op in ops if op.ins.row.stem != "cvt"}
    return {stem: found and found.bits for stem, found in found_lanes.items()}


@pytest.mark.parametrize(
    ("chain", "stored", "stem", "bits"),
    [
        (CHAINS[0], "u8", "sub", 8),
        (CHAINS[0], "u16", "sub", 16),
        (CHAINS[0], "u32", "sub", 16),
        (CHAINS[1], "u8", "mul", 16),
        (CHAINS[1], "u32", "mul", None),
        (CHAINS[5], "u8", "shl", None),
        (CHAINS[7], "u8", "select", 8),
        (CHAINS[8], "u8", "sub", 16),
        (CHAINS[11], "u8", "select", 8),
        (CHAINS[12], "u8", "select", 8),
        (CHAINS[12], "u32", "select", None),
    ],
)
def test_lanes_are_as_wide_as_what_is_read(
    chain: str, stored: str, stem: str, bits: int | None
) -> None:
    assert lanes_of(chain, stored)[stem] == bits


def test_bits_that_are_read_follow_loops() -> None:
    text = """
        kernel k(global u32* %x, global u8* %out) {
            ld_kernarg_u64 $d0, [%x]
            ld_global_u32 $s1, [$d0]
            ld_global_u32 $s3, [$d0+4]
            mov_u32 $s2, 0
        @next:
            add_u32 $s4, $s3, 0
            add_u32 $s3, $s1, 1
            add_u32 $s2, $s2, 1
            cmp_lt_u32 $c0, $s2, 9
            cbr $c0, @next
            ld_kernarg_u64 $d1, [%out]
            st_global_u8 $s4, [$d1]
            ret
        }"""
    ssa = analyse(assemble(text).kernels[0]).ssa
    read = LowBits(ssa)
    adds = [v for v in ssa.values() if isinstance(v, Op) and v.ins.row.stem == "add"]
    assert sorted(map(read.of, adds)) == [8, 8, 32]


@pytest.mark.skipif(not host_has("avx512bw"), reason="no masks of bytes")
def test_bytes_behind_branches_have_wide_vectors() -> None:
    text = """
        kernel k(u32 %n, global u8* %p, global u8* %out) {
            workitemabsid_u32 $s0, 0
            ld_kernarg_u32 $s1, [%n]
            cmp_ge_u32 $c0, $s0, $s1
            cbr $c0, @done
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%p]
            add_u64 $d1, $d1, $d0
            ld_kernarg_u64 $d2, [%out]
            add_u64 $d2, $d2, $d0
            ld_global_u8 $s2, [$d1]
            cmp_lt_u32 $c1, $s2, 97
            cbr $c1, @keep
            cmp_gt_u32 $c1, $s2, 122
            cbr $c1, @keep
            sub_u32 $s2, $s2, 32
        @keep:
            st_global_u8 $s2, [$d2]
        @done:
            ret
        }"""
    facts = best_facts(assemble(text).kernels[0], Facts(32, (1024, 1, 1), True), True)
    assert (facts.width, facts.chunk) == (WIDE, BYTE_CHUNK)
    rng = np.random.default_rng(5)
    p = rng.integers(0, 256, 300).astype(np.uint8)
    same(text, [250, p, np.zeros(300, np.uint8)], items=512, group_size=256, width=32)
