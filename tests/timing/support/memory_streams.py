"""Random cache geometries and random streams of accesses to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from . import reference_memory as reference
from .memory_rig import ATOMIC, FETCH, LOAD, STORE

KINDS = {
    LOAD: reference.LOAD,
    STORE: reference.STORE,
    ATOMIC: reference.ATOMIC,
}
"""Kind of access: the rig's name -> the reference's."""

Access = tuple[int, int, int, Sequence[int | None]]
"""(WPU, kind, cycles since the one before, address of each lane)."""

WIDTH = 8


@st.composite
def geometries(draw: st.DrawFn) -> dict[str, Any]:
    """Small caches of all shapes, so that streams of a few dozen accesses fill them."""
    line = draw(st.sampled_from([16, 32, 64]))
    ways, sets = draw(st.sampled_from([1, 2, 3, 4])), draw(st.sampled_from([1, 2, 4]))
    l2_line = line * draw(st.sampled_from([1, 2, 4]))
    l2_ways, l2_sets = draw(st.sampled_from([1, 2, 4, 8])), draw(st.sampled_from([1, 2, 4]))
    code = draw(st.sampled_from([16, l2_line]))
    return {
        "wpus": draw(st.integers(1, 4)),
        "warps": 1,
        "width": WIDTH,
        "l1d.line": line,
        "l1d.ways": ways,
        "l1d.size": line * ways * sets,
        "l1d.hit_latency": draw(st.integers(1, 4)),
        "l1d.mshrs": draw(st.integers(0, 4)),
        "l1d.targets": draw(st.sampled_from([0, 1, 8, 12])),
        "l1d.banks": draw(st.sampled_from([0, 1, 4])),
        "l1i.line": code,
        "l1i.size": 4 * code,
        "l1i.ways": 2,
        "l1i.mshrs": draw(st.integers(0, 2)),
        "l2.line": l2_line,
        "l2.ways": l2_ways,
        "l2.size": l2_line * l2_ways * l2_sets,
        "l2.hit_latency": draw(st.integers(1, 30)),
        "l2.mshrs": draw(st.integers(0, 3)),
        "l2.targets": draw(st.sampled_from([0, 1, 2])),
        "l2.banks": draw(st.sampled_from([0, 1, 2])),
        "crossbar.clock_mhz": draw(st.sampled_from([0, 300, 450.5, 1000, 2500])),
        "crossbar.latency": draw(st.integers(0, 5)),
        "crossbar.bytes_per_cycle": draw(st.sampled_from([7, 57, 1024])),
        "bus.latency": draw(st.integers(0, 3)),
        "bus.bytes_per_cycle": draw(st.sampled_from([3.5, 16])),
        "dram.latency": draw(st.sampled_from([1, 20, 100])),
        "coherence_latency": draw(st.integers(0, 4)),
    }


@st.composite
def accesses(draw: st.DrawFn) -> Access:
    """Lanes side by side, at one place, or anywhere, in a memory of some kilobytes."""
    first = 4 * draw(st.integers(0, 255))
    shape = draw(st.sampled_from(["unit", "one", "any", "stride"]))
    wanted: Sequence[int] = {
        "unit": lambda: [first + 4 * i for i in range(WIDTH)],
        "one": lambda: [first] * WIDTH,
        "stride": lambda: [
            first + 4 * draw(st.sampled_from([2, 4, 8, 9])) * i for i in range(WIDTH)
        ],
        "any": lambda: [4 * draw(st.integers(0, 255)) for _ in range(WIDTH)],
    }[shape]()
    mask = draw(st.integers(1, (1 << WIDTH) - 1)) if draw(st.booleans()) else (1 << WIDTH) - 1
    lanes = [a if mask >> i & 1 else None for i, a in enumerate(wanted)]
    kind = draw(st.sampled_from([LOAD, LOAD, LOAD, STORE, STORE, ATOMIC, FETCH]))
    return draw(st.integers(0, 3)), kind, draw(st.sampled_from([0, 0, 1, 3, 40, 400])), lanes
