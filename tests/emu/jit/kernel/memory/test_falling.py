"""Loads by an index that falls from lane to lane, of lanes that are inside an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.hostmemory import PAGE
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.kernel.memory import global_memory
from simtlab.emu.jit.kernel.memory.moves import Moves

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

TYPES = {"u8": "u1", "s16": "i2", "u32": "u4", "f32": "f4", "u64": "u8", "f64": "f8"}
LENGTH = 40


def text_of(type_: str, cvt: str = "u32") -> str:
    """Work-item i has the sum of x[d - i] in a loop over d, where 0 <= d - i < n."""
    size = np.dtype(TYPES[type_]).itemsize
    number = type_ if size >= 4 else "u32"
    register = "$d" if size == 8 else "$s"
    return f"""
    kernel k(u32 %n, u32 %first, u32 %last, global {type_}* %x, global {number}* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        ld_kernarg_u32 $s2, [%first]
        ld_kernarg_u32 $s3, [%last]
        ld_kernarg_u64 $d0, [%x]
        mov_u{8 * max(size, 4)} {register}8, 0
    @diagonal:
        sub_u32 $s4, $s2, $s0
        cmp_ge_u32 $c0, $s4, $s1
        cbr $c0, @wait
        cvt_u64_{cvt} $d1, $s4
        mad_u64 $d1, $d1, {size}, $d0
        ld_global_{type_} {register}9, [$d1]
        add_{number} {register}8, {register}8, {register}9
    @wait:
        add_u32 $s2, $s2, 1
        cmp_lt_s32 $c0, $s2, $s3
        cbr $c0, @diagonal
        cvt_u64_u32 $d1, $s0
        ld_kernarg_u64 $d2, [%y]
        mad_u64 $d1, $d1, {max(size, 4)}, $d2
        st_global_{number} {register}8, [$d1]
        ret
    }}"""


def ending_with_its_page(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    room = np.empty(3 * PAGE, np.uint8)
    end = -room.ctypes.data % PAGE + PAGE
    view = room[end - x.nbytes : end].view(x.dtype)
    view[:] = x
    return view


def work_of(
    type_: str,
    *,
    cvt: str = "u32",
    first: int = 0,
    last: int = LENGTH + 70,
    size: int = LENGTH,
    items: int = 70,
    group: int = 64,
    width: int = 32,
) -> Work:
    x = np.random.default_rng(5).integers(1, 100, size).astype(TYPES[type_])
    element = max(x.itemsize, 4)
    y = np.zeros(items, x.dtype if x.itemsize == element else np.uint32)
    args = [np.uint32(LENGTH), np.uint32(first & 0xFFFFFFFF), np.uint32(last)]
    text = text_of(type_, cvt)
    given = [*args, ending_with_its_page(x), y]
    return make(text, given, items=items, group_size=group, width=width)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("group", [64, 7])
def test_lanes_before_and_after_an_array_load_nothing(type_: str, group: int) -> None:
    assert not assert_as_oracle(*(work_of(type_, group=group) for _ in "ab"))


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("first", [-70, -1, 0, 33, 100])
def test_a_diagonal_may_begin_anywhere(width: int, first: int) -> None:
    for group in (1, 16, 32, 128):
        works = (work_of("u32", first=first, width=width, group=group, items=130) for _ in "ab")
        assert not assert_as_oracle(*works)


@pytest.mark.parametrize("cvt", ["u32", "s32"])
@pytest.mark.parametrize("size", [LENGTH, LENGTH - 1, 1])
def test_faults_are_those_of_the_oracle(cvt: str, size: int) -> None:
    works = (work_of("f32", cvt=cvt, size=size) for _ in "ab")
    assert assert_as_oracle(*works) == (size < LENGTH)


def test_running_lanes_load_under_their_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    """And only where not all lanes are inside."""
    backwards: list[bool] = []
    load, test = Moves.load_running, global_memory.in_running_lanes
    falls: list[object] = []

    def noted(self: Moves, *given: Any, **named: Any) -> list[str]:
        backwards.append(named.get("backwards", False))
        return load(self, *given, **named)

    def tested(*given: Any) -> str:
        falls.append(given[-1])
        return test(*given)

    monkeypatch.setattr(Moves, "load_running", noted)
    monkeypatch.setattr(global_memory, "in_running_lanes", tested)
    work = work_of("u8")
    generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert backwards
    assert all(backwards)
    assert None not in falls
