"""Sums that may stop at the largest number of narrow lanes: which may, and their results."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.lanes.narrow import NarrowLanes
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.analysis.widths.width import BYTE_CHUNK, NARROW_CHUNK, best_facts
from simtlab.isa.program import Kernel

from ....quick import some
from ...jit.support.agreement import same

FLAG = "\n cvt_u32_b1 $s6, $c1"
SUM = "add_u32 $s5, $s2, $s3\n add_u32 $s5, $s5, $s4\n"

CAPPED = {
    "equal": SUM + "cmp_eq_u32 $c1, $s5, 3" + FLAG,
    "not equal to the last number": SUM + "cmp_ne_s32 $c1, $s5, 254" + FLAG,
    "less": SUM + "cmp_lt_u32 $c1, $s5, 200" + FLAG,
    "less, signed": SUM + "cmp_le_s32 $c1, $s5, 100" + FLAG,
    "with the number before": SUM + "or_u32 $s5, $s5, $s3\n cmp_eq_u32 $c1, $s5, 3" + FLAG,
    "two comparisons": SUM + "cmp_gt_u32 $c1, $s5, 1\n cmp_lt_u32 $c2, $s5, 4\n"
    " and_b1 $c1, $c1, $c2" + FLAG,
    "minimum": SUM + "min_u32 $s6, $s5, 255",
    "minimum, signed": SUM + "min_s32 $s6, $s5, 17",
    "maximum before": SUM + "max_u32 $s5, $s5, $s3\n min_u32 $s6, $s5, 250",
    "choice": SUM + "cmp_lt_u32 $c2, $s2, $s3\n select_u32 $s5, $c2, $s5, $s4\n"
    " cmp_ge_u32 $c1, $s5, 77" + FLAG,
    "a constant": SUM + "add_u32 $s5, $s5, 9\n cmp_eq_u32 $c1, $s5, 12" + FLAG,
    "a minimum within": SUM + "min_u32 $s5, $s5, 200\n add_u32 $s5, $s5, $s2\n"
    " cmp_gt_u32 $c1, $s5, 240" + FLAG,
}
"""The second sum does not need 16 bits for bytes."""

EXACT = {
    "compared with 255": SUM + "cmp_eq_u32 $c1, $s5, 255" + FLAG,
    "compared with more": SUM + "cmp_lt_u32 $c1, $s5, 300" + FLAG,
    "compared with a number that may be larger": SUM + "add_u32 $s6, $s2, $s2\n"
    " cmp_lt_u32 $c1, $s5, $s6" + FLAG,
    "low bits": SUM + "and_u32 $s6, $s5, 255",
    "stored": SUM + "mov_u32 $s6, $s5",
    "also stored": SUM + "min_u32 $s6, $s5, 255\n xor_u32 $s6, $s6, $s5",
    "odd": SUM + "and_u32 $s5, $s5, 1\n cmp_eq_u32 $c1, $s5, 1" + FLAG,
    "divided": SUM + "shr_u32 $s5, $s5, 1\n cmp_eq_u32 $c1, $s5, 3" + FLAG,
    "less another": SUM + "sub_u32 $s5, $s5, $s2\n cmp_eq_u32 $c1, $s5, 3" + FLAG,
    "less another, at once": SUM + "sub_s32 $s6, $s5, 300\n min_s32 $s6, $s6, 3",
    "a negative number": SUM + "add_s32 $s5, $s5, -300\n cmp_eq_s32 $c1, $s5, 3" + FLAG,
    "compared with a negative number": SUM + "cmp_gt_s32 $c1, $s5, -1" + FLAG,
    "a sum that wraps around": SUM + "or_u32 $s6, $s2, 0xfffffff0\n add_u32 $s5, $s5, $s6\n"
    " cmp_eq_u32 $c1, $s5, 3" + FLAG,
    "converted": SUM + "cvt_f32_u32 $s6, $s5\n cmp_eq_u32 $c1, $s5, 3\n"
    " select_u32 $s6, $c1, 1, $s6",
    "multiplied": SUM + "mul_u32 $s5, $s5, 3\n cmp_eq_u32 $c1, $s5, 9" + FLAG,
    "chosen by": SUM + "cmp_eq_u32 $c1, $s5, 3\n select_u32 $s6, $c1, $s5, 5",
}
"""The number itself, or a part of it, is needed somewhere."""


def kernel(body: str, type_: str = "u8", size: int = 1) -> str:
    loads = "\n".join(
        f"ld_kernarg_u64 $d1, [%{name}]\n mad_u64 $d1, $d0, {size}, $d1\n"
        f" ld_global_{type_} $s{2 + i}, [$d1]"
        for i, name in enumerate("abc")
    )
    return f"""
    kernel k(global {type_}* %a, global {type_}* %b, global {type_}* %c, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        {loads}
        {body}
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s6, [$d1]
        ret
    }}"""


def saturating(text: str) -> list[int]:
    """Return the bits of the lanes in which sums may stop."""
    lanes = NarrowLanes(shapes := analyse(kernel_of(text)).shapes(Facts(32, (64, 1, 1), True)))
    found = (lanes.of(v) for v in shapes.ssa.values() if isinstance(v, Op))
    return [narrow.bits for narrow in found if narrow is not None and narrow.saturating]


def kernel_of(text: str) -> Kernel:
    (found,) = assemble(text).kernels
    return found


@pytest.mark.parametrize("body", CAPPED.values(), ids=CAPPED)
def test_sums_of_which_small_numbers_matter_saturate(body: str) -> None:
    bits = saturating(kernel(body))
    assert bits
    assert set(bits) == {8}


@pytest.mark.parametrize("body", EXACT.values(), ids=EXACT)
def test_other_sums_do_not(body: str) -> None:
    assert 8 not in saturating(kernel(body))


def test_numbers_of_16_bits_saturate_at_their_own_largest_one() -> None:
    for body in (CAPPED["equal"], CAPPED["minimum"], CAPPED["with the number before"]):
        assert set(saturating(kernel(body, "u16", 2))) == {16}
    assert not saturating(kernel(CAPPED["equal"], "s8"))
    assert not saturating(kernel(CAPPED["equal"], "u32", 4))


BYTES = [0, 1, 2, 3, 4, 77, 100, 127, 128, 153, 200, 250, 253, 254, 255]
WORDS = [0, 1, 2, 3, 255, 256, 300, 32767, 32768, 65279, 65533, 65534, 65535]


@pytest.mark.parametrize(
    ("type_", "size", "values"), [("u8", 1, BYTES), ("u16", 2, WORDS), ("s8", 1, BYTES)]
)
def test_results_are_those_of_32_bits(type_: str, size: int, values: list[int]) -> None:
    triples = np.array([*product(values, repeat=3)])[:: 7 if size == 1 else 5]
    n = len(triples)
    bodies = [*CAPPED.values(), *EXACT.values()]
    columns = [triples[:, i].astype(f"u{size}") for i in range(3)]
    if type_ == "s8":
        columns = [column.view(np.int8) for column in columns]
    for body in some(bodies, 2) if type_ == "u8" else bodies[::3]:
        same(kernel(body, type_, size), [*columns, np.zeros(n, np.uint32)], items=n, group_size=64)


def test_bytes_alone_take_vectors_of_64_lanes() -> None:
    facts = Facts(32, (64, 1, 1), True)
    flag = CAPPED["equal"].replace("$s6", "$s7")

    def chunk(body: str, type_: str = "u8", size: int = 1) -> int:
        text = kernel(body, type_, size).replace(
            "mad_u64 $d1, $d0, 4, $d1", "add_u64 $d1, $d1, $d0"
        )
        text = text.replace("st_global_u32 $s6", "st_global_u8 $s7").replace(
            "u32* %out", "u8* %out"
        )
        return best_facts(kernel_of(text), facts, narrow=True).chunk

    assert chunk(flag) == BYTE_CHUNK
    assert chunk(EXACT["compared with more"].replace("$s6", "$s7")) == NARROW_CHUNK
    assert chunk(flag, "u16", 2) == NARROW_CHUNK
