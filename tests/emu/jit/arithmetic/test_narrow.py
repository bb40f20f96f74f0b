"""Arithmetic in lanes of 8 and 16 bits: results are the oracle's, for chosen values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.lanes.narrow import NarrowLanes
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.engine import Work

from ...support.oracle_work import make
from ..support.against_oracle import assert_as_oracle
from ..support.agreement import same

VALUES = [0, 1, 2, 3, 7, 8, 15, 31, 33, 100, 127, 128, 129, 200, 254, 255]
TYPES = {"u8": 1, "s8": 1, "u16": 2, "s16": 2}

BINARY = "add_u32 sub_u32 sub_s32 mul_u32 and_u32 or_u32 xor_u32 min_u32 min_s32 max_u32 max_s32"
FIRST = [f"{name} $s4, $s2, $s3" for name in BINARY.split()] + [
    "mad_u32 $s4, $s2, 3, $s3",
    "not_u32 $s4, $s2",
    "neg_s32 $s4, $s3",
    "abs_s32 $s4, $s2",
    "shl_u32 $s4, $s2, 33",
    "shl_s32 $s4, $s3, 5",
    "shr_u32 $s4, $s2, 3",
    "shr_s32 $s4, $s3, 34",
    "add_u32 $s4, $s2, 255",
    "sub_s32 $s4, $s3, 300",
    "and_u32 $s4, $s2, 15",
    "or_u32 $s4, $s2, -128",
    "cvt_s8_u32 $s4, $s2",
    "cvt_u32_b1 $s4, $c0",
    "cvt_u32_b1 $s4, $c0\n shl_u32 $s4, $s4, 7",
]
THEN = [
    "mov_u32 $s5, $s4",
    "abs_s32 $s5, $s4",
    "shr_u32 $s5, $s4, 1",
    "shr_s32 $s5, $s4, 1",
    "add_u32 $s5, $s4, $s2",
    "select_u32 $s5, $c0, $s4, $s3",
    "min_u32 $s5, $s4, $s3",
    "max_s32 $s5, $s4, -1",
    "cmp_lt_u32 $c1, $s4, $s2\n cvt_u32_b1 $s5, $c1",
    "cmp_ge_s32 $c1, $s4, $s3\n cvt_u32_b1 $s5, $c1",
    "cmp_eq_u32 $c1, $s4, 255\n cvt_u32_b1 $s5, $c1",
    "cmp_le_s32 $c1, $s4, -128\n cvt_u32_b1 $s5, $c1",
]
CHAINS = [*product(FIRST, THEN)]


def kernel(left: str, right: str, n: int, chains: list[tuple[str, str]]) -> str:
    """Chains of two operations on two loaded values; n results of each are stored in a row."""
    body = []
    for number, (one, two) in enumerate(chains):
        body += [one, two, f"mad_u64 $d5, $d0, 4, $d4\n st_global_u32 $s5, [$d5+{4 * n * number}]"]
    text = "\n".join(body)
    return f"""
        kernel k(global {left}* %a, global {right}* %b, global u32* %out) {{
            workitemflatabsid_u32 $s0
            laneid_u32 $s1
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%a]
            mad_u64 $d1, $d0, {TYPES[left]}, $d1
            ld_kernarg_u64 $d2, [%b]
            mad_u64 $d2, $d0, {TYPES[right]}, $d2
            ld_kernarg_u64 $d4, [%out]
            ld_global_{left} $s2, [$d1]
            ld_global_{right} $s3, [$d2]
            cmp_lt_u32 $c0, $s2, $s3
            {text}
            ret
        }}"""


def values(type_: str) -> list[int]:
    bits = 8 * TYPES[type_]
    found = [*VALUES, *(v << (bits - 8) for v in VALUES), (1 << bits) - 1]
    return [v & ((1 << bits) - 1) for v in found]


CASES = [
    pytest.param(*case, marks=() if case in fast else pytest.mark.slow)
    for fast in [{("u8", "s8", 32), ("s16", "u8", 64)}]
    for case in product(TYPES, TYPES, (1, 7, 16, 32, 64))
]


@pytest.mark.parametrize(("left", "right", "width"), CASES)
def test_narrow_arithmetic_is_that_of_32_bits(left: str, right: str, width: int) -> None:
    pairs = np.array([*product(values(left), values(right))][::4])
    a, b = (pairs[:, i].astype(f"u{TYPES[t]}").view(_numpy(t)) for i, t in ((0, left), (1, right)))
    n = len(pairs)
    chains = CHAINS[::7] if width > 16 else CHAINS[::41]
    out = np.zeros(n * len(chains), np.uint32)
    same(kernel(left, right, n, chains), [a, b, out], items=n, group_size=128, width=width)


def _numpy(type_: str) -> str:
    return {"u": "uint", "s": "int"}[type_[0]] + type_[1:]


def narrow_rows(left: str, right: str) -> dict[str, int]:
    (found,) = assemble(kernel(left, right, 1, CHAINS)).kernels
    shapes = analyse(found).shapes(Facts(32, (128, 1, 1), True))
    lanes = NarrowLanes(shapes)
    chosen = [
        (op.ins.row.name, narrow.bits)
        for op in shapes.ssa.values()
        if isinstance(op, Op) and (narrow := lanes.of(op)) is not None
    ]
    return {name: max(b for n, b in chosen if n == name) for name, _ in chosen}


def test_most_rows_are_narrow_where_bytes_are_loaded() -> None:
    found = narrow_rows("u8", "u8")
    assert found["add_u32"] == found["sub_s32"] == found["shl_u32"] == 16
    assert found["cmp_lt_u32"] == 16
    assert narrow_rows("u8", "s8").keys() >= {"min_s32", "abs_s32", "select_u32", "xor_u32"}


@pytest.mark.parametrize("row", ["mul_u32 $s4, $s2, $s3", "shl_u32 $s4, $s2, 20"])
def test_what_may_not_fit_is_not_narrow(row: str) -> None:
    text = kernel("u16", "u16", 1, [(row, THEN[0])])
    (found,) = assemble(text).kernels
    lanes = NarrowLanes(shapes := analyse(found).shapes(Facts(32, (128, 1, 1), True)))
    ops = [v for v in shapes.ssa.values() if isinstance(v, Op) and v.ins.row.name == row.split()[0]]
    assert ops
    assert all(lanes.of(op) is None for op in ops)


@pytest.mark.parametrize("between", ["", "barrier"])
def test_a_byte_of_each_row_is_a_number_of_the_row_behind_a_barrier_too(between: str) -> None:
    text = f"""
        kernel k(global u8* %rows, global u32* %out) {{
            workitemid_u32 $s0, 1
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%rows]
            add_u64 $d1, $d1, $d0
            ld_global_u8 $s1, [$d1]
            mul_u32 $s1, $s1, 155
            {between}
            workitemflatabsid_u32 $s0
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d2, [%out]
            mad_u64 $d2, $d0, 4, $d2
            st_global_u32 $s1, [$d2]
            ret
        }}
    """

    def work() -> Work:
        args = [np.array([7, 200], np.uint8), np.zeros(32, np.uint32)]
        return make(text, args, items=(16, 2), group_size=(16, 2), width=16)

    assert_as_oracle(work(), work())
