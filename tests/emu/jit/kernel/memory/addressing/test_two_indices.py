"""Addresses with two indices: one of 32 bits where their sum does not wrap around."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.traps import Trap, TrapKind

from .....support.oracle_work import make
from ....support.agreement import same

ITEMS = 64
ELEMENTS = 200

TEXT = """
kernel k(global u32* %a, global u32* %b, global KIND* %x, global u32* %out) {
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%a]
    ld_kernarg_u64 $d2, [%b]
    ld_kernarg_u64 $d3, [%x]
    ld_kernarg_u64 $d4, [%out]
    mad_u64 $d1, $d0, 4, $d1
    mad_u64 $d2, $d0, 4, $d2
    mad_u64 $d4, $d0, 4, $d4
    ld_global_u32 $s1, [$d1]
    ld_global_u32 $s2, [$d2]
    mov_u32 $s3, 5
    and_u32 $s4, $s0, 7
    cmp_eq_u32 $c0, $s4, 3
    cbr $c0, @skip
    cvt_u64_u32 $d5, $s1
    cvt_u64_u32 $d6, $s2
    ADDRESS
    ACCESS
@skip:
    st_global_u32 $s3, [$d4]
    ret
}"""

ADDRESSES = {
    "added": ("mul_u64 $d5, $d5, SIZE\n mul_u64 $d6, $d6, SIZE\n add_u64 $d5, $d5, $d3\n"
              "add_u64 $d5, $d6, $d5"),
    "multiplied": "mad_u64 $d5, $d5, SIZE, $d3\n mad_u64 $d5, $d6, SIZE, $d5",
}  # fmt: skip
KINDS = {"u8": np.uint8, "s16": np.int16, "u32": np.uint32}


def text_of(kind: str, address: str, access: str = "ld_global_KIND $s3, [$d5]") -> str:
    text = TEXT.replace("ADDRESS", ADDRESSES[address]).replace("ACCESS", access)
    return text.replace("KIND", kind).replace("SIZE", str(KINDS[kind]().itemsize))


def arrays_of(kind: str) -> list[np.ndarray]:
    rng = np.random.default_rng(9)
    a = rng.permutation(ELEMENTS)[:ITEMS].astype(np.uint32)
    b = (rng.random(ITEMS) * a).astype(np.uint32)
    x = rng.integers(0, 127, ELEMENTS).astype(KINDS[kind])
    return [a - b, b, x, np.zeros(ITEMS, np.uint32)]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("kind", KINDS)
def test_elements_are_loaded_and_stored(kind: str, address: str) -> None:
    arrays = arrays_of(kind)
    same(text_of(kind, address), arrays, items=ITEMS, group_size=32)
    store = "st_global_KIND $s0, [$d5]"
    same(text_of(kind, address, store), arrays, items=ITEMS, group_size=32)
    arrays[0][arrays[0] + arrays[1] == 0] += 2  # the element before is inside as well
    before = "ld_global_KIND $s3, [$d5-SIZE]"
    same(text_of(kind, address, before), arrays, items=ITEMS, group_size=32)


@pytest.mark.parametrize("access", ["ld_global_KIND $s3, [$d5]", "st_global_KIND $s0, [$d5]"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "indices", [(0xFFFF_FFFF, 2), (0x8000_0000, 0x8000_0003), (ELEMENTS - 1, 1), (ELEMENTS, 0)]
)
def test_sums_that_wrap_around_are_outside(
    indices: tuple[int, int], kind: str, access: str
) -> None:
    """Cut to 32 bits, the first sums would be inside."""
    arrays = arrays_of(kind)
    text = text_of(kind, "multiplied", access)
    arrays[0][3], arrays[1][3] = indices  # a lane that does not run
    same(text, arrays, items=ITEMS, group_size=32)
    arrays[0][41], arrays[1][41] = indices
    with pytest.raises(Trap) as caught:
        execute(make(text, arrays, items=ITEMS, group_size=32))
    assert (caught.value.record.kind, caught.value.record.local) == (TrapKind.OUT_OF_BOUNDS, 9)


@pytest.mark.parametrize("address", ADDRESSES)
def test_gathers_have_indices_of_32_bits(address: str) -> None:
    work = make(text_of("u32", address), arrays_of("u32"), items=ITEMS, group_size=32)
    generated = generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert "getelementptr [4 x i8], ptr" in generated
    assert "x i64> %" not in "".join(
        line for line in generated.splitlines() if "getelementptr" in line
    )
