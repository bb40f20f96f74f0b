"""The range of a value holds what work-items compute, whatever wraps around."""

from __future__ import annotations

import random

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.ranges.guards import Guards
from simtlab.emu.analysis.ranges.launch_ranges import Ranges
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.geometry import Geometry

GROUP = (4, 2)
ITEMS = (18, 7)
BOUNDS = [0, 3, 5, 10, 12, 20]

HEAD = """
kernel k(u32 %a, s32 %b, global u32* %out) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    workitemid_u32 $s2, 0
    workgroupid_u32 $s3, 1
    ld_kernarg_u32 $s4, [%a]
    ld_kernarg_s32 $s5, [%b]
    workitemflatabsid_u32 $s6
    mov_u32 $s7, 3
    workitemflatabsid_u32 $s20
    cvt_u64_u32 $d0, $s20
    ld_kernarg_u64 $d1, [%out]
    mad_u64 $d1, $d0, 4, $d1
"""
TAIL = """
    st_global_u32 $s7, [$d1]
@done:
    ret
}
"""
BINARY = (
    "add_u32", "sub_u32", "mul_u32", "min_u32", "max_u32", "min_s32", "max_s32", "and_u32",
    "add_s32", "mul_s32",
)  # fmt: skip
BY_CONSTANT = ("div_u32", "rem_u32", "div_s32", "rem_s32", "shl_u32", "shr_u32", "shr_s32")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def line(rng: random.Random) -> str:
    """A random instruction on $s0 to $s7, or a branch around the rest."""

    def register() -> str:
        return f"$s{rng.randrange(8)}"

    target, a, b, c = (register() for _ in range(4))
    constant = rng.choice((1, 2, 3, 5, 8, 31, 1000, 0x7FFFFFFF, 0xFFFFFFFE))
    kind = rng.choice(("u32", "s32"))
    signed = constant - (1 << 32) if kind == "s32" and constant >> 31 else constant
    match rng.randrange(9):
        case 0:
            name = rng.choice(BY_CONSTANT)
            by = constant % 32 + 1 if "sh" in name else constant & 0x7FFFFFFF
            return f"{name} {target}, {a}, {by}"
        case 1:
            return f"mad_u32 {target}, {a}, {b}, {c}"
        case 2:
            comparison = rng.choice(COMPARISONS)
            return f"cmp_{comparison}_{kind} $c0, {a}, {b}\n select_u32 {target}, $c0, {b}, {c}"
        case 3:
            wide = f"cvt_s64_{kind} $d4, {a}\n mul_s64 $d4, $d4, {rng.choice((-3, 1, 7))}"
            more = rng.choice((-9, 4, 1 << 20))
            return f"{wide}\n add_s64 $d4, $d4, {more}\n cvt_u32_s64 {target}, $d4"
        case 4:
            return f"neg_s32 {target}, {a}"
        case 5:
            comparison = rng.choice(COMPARISONS)
            return f"cmp_{comparison}_{kind} $c0, {a}, {signed}\n cbr $c0, @done"
        case 6:
            comparisons = [
                f"cmp_{rng.choice(COMPARISONS)}_{kind} $c{i}, {r}, {c}" for i, r in ((1, a), (2, b))
            ]
            return "\n".join((*comparisons, f"{rng.choice(('and', 'or'))}_b1 $c0, $c1, $c2",
                              "not_b1 $c0, $c0", "cbr $c0, @done"))  # fmt: skip
        case _:
            return f"{rng.choice(BINARY)} {target}, {a}, {b}"


@pytest.mark.parametrize("seed", range(80))
def test_values_lie_in_their_range(seed: int) -> None:
    rng = random.Random(seed)
    source = HEAD + "\n".join(line(rng) for _ in range(rng.randrange(1, 9))) + TAIL
    (function,) = simtlab.assemble(source)
    geometry = Geometry.of(items=ITEMS, group_size=GROUP)
    a, b = rng.choice((0, 5, 0xFFFFFFFF)), rng.choice((-7, 0, 12))
    for_none, other = 0x5A5A5A5A, 0x3C3C3C3C
    outs = [np.full(geometry.n_items, fill, np.uint32) for fill in (for_none, other)]
    for out in outs:
        function.launch(items=ITEMS, group_size=GROUP, engine="interp")(a, b, out)
    stored = outs[0] == outs[1]
    form = analyse(function.kernel).ssa
    (store,) = (v for v in form.values() if isinstance(v, Op) and v.ins.row.is_store)
    kernargs = a.to_bytes(4, "little") + b.to_bytes(4, "little", signed=True) + bytes(8)
    ranges = Ranges(Guards(form), kernargs, geometry, BOUNDS)
    found = ranges.at(store.node).of(store.args[0])
    if found is None:
        return
    parts = (
        np.searchsorted(BOUNDS, [group_of(i, geometry) for i in range(geometry.n_items)], "right")
        - 1
    )
    distance = (outs[0].astype(np.int64) - found.low[parts]) % (1 << 32)
    assert (distance <= (found.high - found.low)[parts])[stored].all(), source


def group_of(item: int, geometry: Geometry) -> int:
    x, y = item % ITEMS[0], item // ITEMS[0]
    return x // GROUP[0] + geometry.groups[0] * (y // GROUP[1])


def test_most_of_these_ranges_are_known() -> None:
    """The test above would pass if nothing were known."""
    known = 0
    for seed in range(80):
        rng = random.Random(seed)
        source = HEAD + "\n".join(line(rng) for _ in range(rng.randrange(1, 9))) + TAIL
        (function,) = simtlab.assemble(source)
        form = analyse(function.kernel).ssa
        (store,) = (v for v in form.values() if isinstance(v, Op) and v.ins.row.is_store)
        geometry = Geometry.of(items=ITEMS, group_size=GROUP)
        ranges = Ranges(Guards(form), bytes(16), geometry, BOUNDS)
        known += ranges.at(store.node).of(store.args[0]) is not None
    assert known >= 40
