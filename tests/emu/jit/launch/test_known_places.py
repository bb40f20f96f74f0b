"""Launches that are watched, and copy nothing once their places are known not to meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device
from simtlab.emu.jit.launch import engine
from simtlab.emu.jit.launch.before import Before

from ...support.counts import assert_equal

ITEMS = 256

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


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[Before]:
    """Collect what is copied before launches."""
    found: list[Before] = []

    def noted(*args: Any) -> Before:
        found.append(Before(*args))
        return found[-1]

    monkeypatch.setattr(engine, "Before", noted)
    # All launches take the longer way.
    monkeypatch.setattr(engine, "_again", lambda *_args, **_named: None)
    return found


def launches(text: str, numbers: list[tuple[int, int]], x: np.ndarray) -> None:
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
    launches(EXCHANGE, [(1, 0), (40, 0), (1, 5), (40, 900), (1, 0)], X)
    assert len(copied) == 2


@pytest.mark.parametrize("text", [ROW, LOADED])
def test_places_that_meet_or_depend_on_memory_are_always_copied(
    copied: list[Before], text: str
) -> None:
    launches(text, [(128, 0), (128, 3), (128, 999)], X)
    assert len(copied) >= 3
