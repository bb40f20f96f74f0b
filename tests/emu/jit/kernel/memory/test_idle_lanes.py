"""Loads that all rows of a grid share, from arrays that end with their row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.hostmemory import PAGE
from simtlab.testing import Case, assert_all_agree

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

TEXT = """
kernel k(u32 %w, u32 %h, global TYPE* %bias, global TYPE* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%w]
    ld_kernarg_u32 $s3, [%h]
    cmp_ge_u32 $c0, $s0, $s2
    cbr $c0, @done
    cmp_ge_u32 $c0, $s1, $s3
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%bias]
    mad_u64 $d1, $d0, SIZE, $d1
    ld_global_TYPE $R9, [$d1+OFFSET]
    mad_u32 $s6, $s1, $s2, $s0
    cvt_u64_u32 $d0, $s6
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, SIZE, $d1
    st_global_TYPE $R9, [$d1]
@done:
    ret
}
"""


def text_of(type_: str = "f32", offset: int = 0) -> str:
    size = int(type_[1:]) // 8
    parts = {"TYPE": type_, "SIZE": size, "OFFSET": offset, "$R": "$d" if size == 8 else "$s"}
    text = TEXT
    for name, part in parts.items():
        text = text.replace(name, str(part))
    return text


def arguments(w: int, bias: np.ndarray[Any, Any], h: int = 3) -> list[Any]:
    return [np.uint32(w), np.uint32(h), bias, np.zeros((h, w), bias.dtype)]


def work(text: str, w: int, bias: np.ndarray[Any, Any]) -> Work:
    items = (-(-w // 32) * 32, 8)
    return make(text, arguments(w, bias), items=items, group_size=(32, 8))


def ending_with_its_page(bias: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    room = np.empty(2 * PAGE, np.uint8)
    end = -room.ctypes.data % PAGE + PAGE
    view = room[end - bias.nbytes : end].view(bias.dtype)
    view[:] = bias
    return view


@pytest.mark.parametrize("type_", ["f32", "f64", "u8"])
@pytest.mark.parametrize("w", [5, 60, 100])
def test_rows_end_with_the_array(type_: str, w: int) -> None:
    dtype = np.dtype(type_[0] + str(int(type_[1:]) // 8))
    bias = np.random.default_rng(w).integers(1, 200, w).astype(dtype)
    works = [work(text_of(type_), w, bias.copy()) for _ in "ab"]
    assert not assert_as_oracle(*works)
    ends = (work(text_of(type_), w, ending_with_its_page(bias)) for _ in "ab")
    assert not assert_as_oracle(*ends)


@pytest.mark.parametrize(("missing", "offset"), [(1, 0), (60, 0), (0, 4), (0, -4), (0, 2)])
def test_a_lane_that_runs_outside_traps(missing: int, offset: int) -> None:
    bias = np.arange(100 - missing, dtype=np.float32)
    assert assert_as_oracle(*(work(text_of(offset=offset), 100, bias.copy()) for _ in "ab"))


@pytest.mark.parametrize("missing", [0, 1, 40])
def test_rows_that_are_read_backwards(missing: int) -> None:
    bias = np.arange(100 - missing, dtype=np.float32)
    place = "sub_u32 $s7, $s2, $s0\n    sub_u32 $s7, $s7, 1\n    cvt_u64_u32 $d0, $s7"
    text = text_of().replace("cvt_u64_u32 $d0, $s0", place)
    assert assert_as_oracle(*(work(text, 100, bias.copy()) for _ in "ab")) == (missing > 0)


def test_all_widths_agree() -> None:
    geometry = Geometry.of(items=(96, 8), group_size=(32, 8))
    case = Case(text_of(), geometry, tuple(arguments(70, np.arange(70, dtype=np.float32))))
    assert_all_agree(case, engines=["jit"], schemes=["stack"], widths=[1, 7, 16, 32, 64])
