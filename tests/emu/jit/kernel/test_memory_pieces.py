"""Pieces of group and private memory, and the NaNs that are stored to each of them."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.ranges.memory_pieces import pieces_of
from simtlab.emu.analysis.ranges.offset_ranges import Ranges
from simtlab.emu.jit.kernel.value_table import ValueTable
from simtlab.emu.traps import TrapKind

from ...support.flows import kernel_of
from ..support.agreement import same, trap_alike

ITEMS = 64

BODY = f"""\
    .SEGMENT f32 first[{ITEMS}]
    .SEGMENT f32 sums[{ITEMS}]
    workitemid_u32 $s0, 0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_f32 $s1, [$d1]
    shl_u32 $s2, $s0, 2
    st_SEGMENT_f32 $s1, [first+$s2]
    add_f32 $s3, $s1, $s1
    AT
    st_SEGMENT_f32 $s3, [ARRAY+$s4]
    BARRIER
    ld_SEGMENT_f32 $s5, [first+$s2]
    ld_SEGMENT_f32 $s6, [ARRAY+$s4]
    ld_kernarg_u64 $d2, [%out]
    mad_u64 $d2, $d0, 8, $d2
    st_global_f32 $s5, [$d2]
    st_global_f32 $s6, [$d2+4]
"""

PLACES = {
    "of its array": ("sums", "mov_u32 $s4, $s2", 2),
    "of the other array": ("first", "mov_u32 $s4, $s2", 1),
    "from data": ("sums", "and_u32 $s4, $s1, 0xfc", 2),
    "of any array": ("first", "and_u32 $s4, $s1, 0x1fc", 1),
}
"""Name -> the array that the sum is stored to, its place there, and the pieces of memory."""


def _body(segment: str, place: str) -> str:
    barrier = "barrier" if segment == "group" else ""
    array, at, _ = PLACES[place]
    body = BODY.replace("SEGMENT", segment).replace("BARRIER", barrier)
    return body.replace("ARRAY", array).replace("AT\n", f"{at}\n")


@pytest.mark.parametrize("segment", ["group", "private"])
@pytest.mark.parametrize("place", PLACES)
def test_arrays_are_pieces_unless_an_access_may_reach_another(place: str, segment: str) -> None:
    """The sums' NaNs are made canonical where they are loaded, if no other number is."""
    kernel = kernel_of(_body(segment, place), "global f32* %x, global f32* %out")
    shapes = analyse(kernel).shapes(Facts(64, (ITEMS, 1, 1), whole=True, one_warp=True))
    pieces = pieces_of(shapes.ssa, Ranges(shapes))
    assert len(pieces) == PLACES[place][2]
    assert len(pieces_of(shapes.ssa, None)) == 1
    # An element of group memory that a node loads again is loaded once.
    accesses = 4 - (segment == "group" and place == "of the other array")
    assert {len(piece.accesses) for piece in pieces} == {accesses // len(pieces)}
    assert bool(ValueTable(shapes.ssa, Ranges(shapes)).unseen_stores) is (len(pieces) == 2)
    assert not ValueTable(shapes.ssa).unseen_stores


@pytest.mark.parametrize("segment", ["group", "private"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
def test_bits_of_nans_are_those_of_the_oracle(place: str, segment: str, width: int) -> None:
    parameters = "global f32* %x, global f32* %out"
    text = f"kernel k({parameters}) {{\n{_body(segment, place)}    ret\n}}\n"
    rng = np.random.default_rng(8)
    places = rng.permutation(ITEMS).astype(np.uint32) << np.uint32(2)  # one for each work-item
    nans = rng.integers(0x7F80_0001, 0x8000_0000, ITEMS, np.uint32)
    bits = np.where(rng.random(ITEMS) < 0.6, nans, np.uint32(0x3F80_0000))
    x = ((bits & ~np.uint32(0x1FC)) | places | np.uint32(0x100)).view(np.float32)
    out = np.zeros(2 * ITEMS, np.float32)
    same(text, [x, out], items=ITEMS, group_size=ITEMS, width=width)


EXTREMES = {
    "sums": "add_f32 $s3, $s1, $s1",
    "numbers": "max_f32 $s3, $s1, 0.5",
    "signs": "neg_f32 $s3, $s1",
    "sums or any bits": "add_f32 $s3, $s1, $s1\n cmp_lt_u32 $c0, $s0, 9\n"
    " select_f32 $s3, $c0, $s1, $s3",
}


@pytest.mark.parametrize("segment", ["group", "private"])
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("width", [1, 16, 64])
def test_extremes_of_what_was_stored(name: str, segment: str, width: int) -> None:
    """A signalling NaN is none of what is computed, so that a number wins over what is loaded."""
    body = _body(segment, "of its array").replace("add_f32 $s3, $s1, $s1", EXTREMES[name])
    body = body.replace("st_global_f32 $s5", "min_f32 $s5, $s6, 2.0\n    st_global_f32 $s5")
    body = body.replace("st_global_f32 $s6", "max_f32 $s6, $s6, $s1\n    st_global_f32 $s6")
    text = f"kernel k(global f32* %x, global f32* %out) {{\n{body}    ret\n}}\n"
    rng = np.random.default_rng(9)
    nans = rng.integers(0x7F80_0001, 0x7FC0_0000, ITEMS, np.uint32)
    numbers = rng.integers(0, 0x7F80_0000, ITEMS, np.uint32)
    x = (
        np.where(rng.random(ITEMS) < 0.5, nans, numbers)
        | rng.integers(0, 2, ITEMS, np.uint32) << 31
    )
    same(
        text,
        [x.astype(np.uint32).view(np.float32), np.zeros(2 * ITEMS, np.float32)],
        items=ITEMS,
        group_size=ITEMS,
        width=width,
    )


@pytest.mark.parametrize("segment", ["group", "private"])
def test_a_place_after_all_arrays_traps(segment: str) -> None:
    """An access may begin in its piece and have any place after it: no other piece is there."""
    body = _body(segment, "of its array").replace("mov_u32 $s4, $s2", "shl_u32 $s4, $s2, 1")
    text = f"kernel k(global f32* %x, global f32* %out) {{\n{body}    ret\n}}\n"
    x, out = np.full(ITEMS, np.nan, np.float32), np.zeros(2 * ITEMS, np.float32)
    assert trap_alike(text, [x, out], items=ITEMS, group_size=ITEMS).kind is TrapKind.OUT_OF_BOUNDS
