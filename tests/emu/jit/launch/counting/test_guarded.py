"""Launches that count and that copy nothing, since they are never refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device
from simtlab.emu.jit.launch import engine
from simtlab.emu.jit.launch.before import Before
from simtlab.emu.jit.launch.counting import guarded

from ....support.counts import ORDER, WIDTHS, assert_equal, counted_by

ITEMS = 256


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[Before]:
    """Collect what is copied before launches, which all take the longer way."""
    found: list[Before] = []

    def noted(*args: Any) -> Before:
        found.append(Before(*args))
        return found[-1]

    monkeypatch.setattr(engine, "Before", noted)
    monkeypatch.setattr(engine, "_again", lambda *_args, **_named: None)
    return found


ELEMENTS = """
kernel own(u32 %n, u64 %away, global u32* %x, global u32* %y) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u64 $d1, [%y]
    cvt_u64_u32 $d2, $s0
    mad_u64 $d0, $d2, 4, $d0
    mad_u64 $d1, $d2, 4, $d1
    {more}
    ld_global_u32 $s2, [$d0]
    cmp_lt_u32 $c0, $s2, 500
    cbr $c0, @done
    st_global_u32 $s2, [$d1]
@done:
    ret
}
"""
OWN = ELEMENTS.replace("{more}", "")
AWAY = ELEMENTS.replace("{more}", "ld_kernarg_u64 $d3, [%away]\n add_u64 $d1, $d1, $d3")


def check_elements(text: str, numbers: list[int], *, room: int, leaves: bool = False) -> None:
    """Check launches with these %n on arrays of `room` elements against the interpreter.

    They store to the other array if the pointer `leaves` its buffer.
    """
    (kernel,) = simtlab.assemble(text)
    x = np.random.default_rng(1).integers(0, 1000, room, np.uint32)
    states = []
    for name in ("jit", "interp"):
        device = Device()
        source, result = device.to_device(x), device.to_device(x[::-1].copy())
        away = np.uint64((source.address - result.address) % 2**64 if leaves else 0)
        run = kernel.launch(items=ITEMS, group_size=64, engine=name, stats=True)
        counts = [run(np.uint32(n), away, source, result).statistics for n in numbers]
        states.append((counts, source.to_host(), result.to_host()))
    (have, *left), (want, *right) = states
    np.testing.assert_array_equal(left, right)
    for native, expected in zip(have, want, strict=True):
        assert_equal(native, expected)


def test_elements_of_all_work_items_are_in_the_buffers(copied: list[Before]) -> None:
    check_elements(OWN, [ITEMS, 100, 7], room=ITEMS)
    assert not copied


def test_numbers_are_looked_at_when_they_come_again(
    copied: list[Before], monkeypatch: pytest.MonkeyPatch
) -> None:
    check_elements(OWN, [100, 100, 90, 100], room=100)
    assert len(copied) == 4  # which takes less time than to find bounds
    copied.clear()
    monkeypatch.setattr(guarded, "LITTLE", 0)
    check_elements(OWN, [100, 100, 90, 100, 90], room=100)
    assert len(copied) == 2


def test_a_pointer_that_leaves_its_buffer_is_not_inside(
    copied: list[Before], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded, "LITTLE", 0)
    check_elements(AWAY, [ITEMS] * 3, room=ITEMS)
    assert len(copied) == 1
    copied.clear()
    check_elements(AWAY, [ITEMS] * 3, room=ITEMS, leaves=True)
    assert len(copied) >= 3


EXCHANGE = """
kernel exchange(u32 %distance, u32 %step, global u32* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%distance]
    xor_u32 $s2, $s0, $s1
    cmp_le_u32 $c0, $s2, $s0
    cbr $c0, @done
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
    cvt_u64_u32 $d2, $s2
    mad_u64 $d2, $d2, 4, $d0
    ld_global_u32 $s3, [$d1]
    ld_global_u32 $s4, [$d2]
    ld_kernarg_u32 $s5, [%step]
    add_u32 $s4, $s4, $s5
    cmp_le_u32 $c0, $s3, $s4
    cbr $c0, @done
    st_global_u32 $s4, [$d1]
    st_global_u32 $s3, [$d2]
@done:
    ret
}
"""

ROW = EXCHANGE.replace("xor_u32 $s2, $s0, $s1", "add_u32 $s2, $s0, $s1")
"""Where places meet, as lane i + distance has one as well."""

LOADED = EXCHANGE.replace(
    "ld_global_u32 $s3, [$d1]",
    "ld_global_u32 $s3, [$d1]\n cmp_gt_u32 $c0, $s3, 900\n cbr $c0, @done",
)
"""Where a load depends on another one."""


def check_exchanges(text: str, numbers: list[tuple[int, int]], x: np.ndarray) -> None:
    """Check launches with these numbers, one after the other, against the interpreter."""
    (kernel,) = simtlab.assemble(text)
    states = []
    for name in ("jit", "interp"):
        device = Device()
        array = device.to_device(x)
        run = kernel.launch(items=ITEMS, group_size=64, engine=name, stats=True)
        counts = [
            run(np.uint32(distance), np.uint32(step), array).statistics
            for distance, step in numbers
        ]
        states.append((counts, array.to_host()))
    (have, left), (want, right) = states
    np.testing.assert_array_equal(left, right)
    for native, expected in zip(have, want, strict=True):
        assert_equal(native, expected)


X = np.random.default_rng(3).integers(0, 1000, 2 * ITEMS, np.uint32)


def test_places_that_were_apart_once_are_not_copied_again(copied: list[Before]) -> None:
    """They depend on the distance alone, whatever is exchanged."""
    check_exchanges(EXCHANGE, [(1, 0), (40, 0), (1, 5), (40, 900), (1, 0)], X)
    assert len(copied) == 2


@pytest.mark.parametrize("text", [ROW, LOADED])
def test_places_that_meet_or_depend_on_memory_are_always_copied(
    copied: list[Before], text: str
) -> None:
    check_exchanges(text, [(128, 0), (128, 3), (128, 999)], X)
    assert len(copied) >= 3


BY_TWO_PARAMETERS = """
kernel k(global u32* %x, global u32* %a, global u32* %b) {{
    .group u32 flags[64]
        workitemflatid_u32 $s0
        workitemflatabsid_u32 $s1
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u64 $d1, [%a]
        ld_kernarg_u64 $d2, [%b]
        cvt_u64_u32 $d4, $s0
        mad_u64 $d5, $d4, 4, $d0
        ld_global_u32 $s2, [$d5]
        shl_u32 $s2, $s2, 2
        and_u32 $s3, $s0, 1
        st_group_u32 $s3, [flags+$s2]       // a place of its own, by what is in memory: watched
        ld_group_u32 $s4, [flags+$s2]
        cmp_eq_u32 $c0, $s4, 0
        cbr $c0, @even
        nop
    @even:
        cvt_u64_u32 $d4, $s1
        mov_u32 $s5, 1
        {}
        ret
}}"""

ELEMENTS = """
        mad_u64 $d1, $d4, 4, $d1
        ld_global_u32 $s6, [$d1]
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @first
        nop
    @first:
        st_global_u32 $s5, [$d1]
        mad_u64 $d2, $d4, 8, $d2
        ld_global_u32 $s6, [$d2]
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @second
        nop
    @second:
        st_global_u32 $s5, [$d2]"""

COUNTERS = """
        atomic_add_global_u32 $s6, [$d1], $s5
        cmp_ge_u32 $c0, $s6, 1000
        cbr $c0, @first
        nop
    @first:
        cmp_ge_u32 $c0, $s1, 8
        cbr $c0, @second
        mov_u32 $s5, 2
        atomic_add_global_u32 $s6, [$d2], $s5
        cmp_ge_u32 $c0, $s6, 100
        cbr $c0, @second
        nop
    @second:"""


@pytest.mark.parametrize("of_two", [ELEMENTS, COUNTERS])
@pytest.mark.parametrize("width", WIDTHS)
def test_two_parameters_have_buffers_of_their_own_where_group_memory_is_watched(
    of_two: str, width: int
) -> None:
    (function,) = simtlab.assemble(BY_TWO_PARAMETERS.format(of_two))
    x = np.random.default_rng(1).permutation(64).astype(np.uint32)
    for is_one, expected in ((False, "jit"), (True, ORDER)):
        counts = []
        for name in ("jit", "interp"):
            launch = function.launch(
                items=ITEMS, group_size=64, warp=width, engine=name, stats=True
            )
            a, b = (np.zeros(2 * ITEMS, np.uint32) for _ in range(2))
            result, by = counted_by(launch, x, a, a if is_one else b)
            counts.append((result.statistics, by))
        assert_equal(counts[0][0], counts[1][0])
        assert counts[0][1] == expected
