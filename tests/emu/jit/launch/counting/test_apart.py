"""Launches in rows of the grid, counted by another kernel: with what branches depend on only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.launch.counting.apart import counted_apart
from simtlab.emu.jit.launch.run_apart import ApartAgain
from simtlab.emu.traps import Trap, TrapKind

from ....support.counts import assert_equal
from ....support.oracle_work import make

BODY = """
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u64 $d1, [%y]
    mad_u32 $s4, $s1, $s2, $s0
    cvt_u64_u32 $d2, $s4
    mad_u64 $d3, $d2, 4, $d0
    mad_u64 $d4, $d2, 4, $d1
    ld_global_u32 $s5, [$d3]
    ld_global_u32 $s6, [$d4]
    or_u32 $s7, $s5, 1
    div_u32 $s6, $s6, $s7
    mul_u32 $s5, $s5, $s6
    max_u32 $s5, $s5, 3
    add_u32 $s5, $s5, $s4
"""


def kernel(guard: str = "", end: str = "", body: str = BODY) -> str:
    """Work-item ($s0, $s1) of a grid $s2 wide and $s3 high."""
    return f"""
    kernel k(u32 %w, u32 %h, global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        workitemabsid_u32 $s1, 1
        ld_kernarg_u32 $s2, [%w]
        ld_kernarg_u32 $s3, [%h]
        cmp_ge_u32 $c0, $s0, $s2
        cmp_ge_u32 $c1, $s1, $s3
        or_b1 $c0, $c0, $c1
        cbr $c0, @done
        {guard}
        {body}
        {end}
        st_global_u32 $s5, [$d4]
    @done:
        ret
    }}"""


INNER = """
    cmp_gt_u32 $c0, $s0, 5
    cbr $c0, @outer
    atomic_add_global_u32 $s5, [$d3], $s0
    br @after
@outer:
    atomicnoret_add_global_u32 [$d3], $s1
@after:
"""

LAUNCHES = [
    ((64, 20), (8, 8), (64, 20)),
    ((61, 19), (8, 8), (61, 19)),
    ((64, 24), (16, 2), (40, 11)),
    ((100, 9), (4, 4), (99, 8)),
]


def outcome(text: str, engine: str, launch: tuple, width: int) -> tuple:
    items, group, (w, h) = launch
    (function,) = simtlab.assemble(text)
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 1 << 20, (2, 4096), np.uint32)
    run = function.launch(items=items, group_size=group, warp=width, engine=engine, stats=True)
    results = [run(w, h, x, y) for _ in range(2)]
    return results, x, y


@pytest.mark.parametrize("width", [7, 32])
@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("end", ["", INNER.replace("atomicnoret_add_global_u32", "nop //")])
def test_counts_are_the_interpreters(end: str, launch: tuple, width: int) -> None:
    text = kernel(end=end)
    work = make(text, [0, 0, np.zeros(1, np.uint32), np.zeros(1, np.uint32)], items=launch[0],
                group_size=launch[1], width=width)  # fmt: skip
    assert counted_apart(work.kernel, work.geometry) is not None
    (native, *have), (expected, *want) = (
        outcome(text, engine, launch, width) for engine in ("jit", "interp")
    )
    for a, b in zip(native, expected, strict=True):
        assert a.engine == "jit"
        assert_equal(a.statistics, b.statistics)
    if not end:  # the order of atomics shows
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize(
    "text",
    [
        kernel(end="cmp_gt_u32 $c1, $s5, 9\n cbr $c1, @done"),
        kernel(guard="mov_u32 $s8, 0\n@again:\n add_u32 $s8, $s8, 1\n"
               " cmp_lt_u32 $c1, $s8, 3\n cbr $c1, @again"),
        kernel(body="ld_kernarg_u64 $d4, [%y]\n mov_u32 $s5, 1"),
    ],
    ids=["a branch on memory", "a loop", "little besides the branch"],
)  # fmt: skip
def test_kernels_that_count_themselves(text: str) -> None:
    unused = np.zeros(1, np.uint32)
    work = make(text, [0, 0, unused, unused], items=(64, 16), group_size=(8, 8))
    assert counted_apart(work.kernel, work.geometry) is None


@pytest.mark.parametrize("group_size", [(32, 2), (64, 1)])
def test_warps_within_rows_count_themselves(group_size: tuple[int, int]) -> None:
    unused = np.zeros(1, np.uint32)
    work = make(kernel(), [0, 0, unused, unused], items=(64, 16), group_size=group_size)
    assert counted_apart(work.kernel, work.geometry) is None


def test_traps_are_those_of_the_run() -> None:
    """A divisor from memory, and an access that is outside."""
    (function,) = simtlab.assemble(kernel().replace("or_u32 $s7, $s5, 1", "mov_u32 $s7, $s5"))
    launch = function.launch(items=(64, 16), group_size=(8, 8), engine="jit", stats=True)
    x = np.ones(1024, np.uint32)
    x[70] = 0
    for arrays, kind in (
        ((x, np.ones(1024, np.uint32)), TrapKind.DIVIDE_BY_ZERO),
        ((x | 1, np.ones(1023, np.uint32)), TrapKind.OUT_OF_BOUNDS),
    ):
        with pytest.raises(Trap) as caught:
            launch(64, 16, *arrays)
        assert caught.value.record.kind is kind
    assert launch(64, 16, x | 1, np.ones(1024, np.uint32)).statistics is not None


ROWS = """
kernel k(u32 %w, u32 %h, global u32* %first, global u32* %x, global u32* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%w]
    ld_kernarg_u32 $s3, [%h]
    cmp_ge_u32 $c0, $s0, $s2
    cmp_ge_u32 $c1, $s1, $s3
    or_b1 $c0, $c0, $c1
    cbr $c0, @done
    ld_kernarg_u64 $d0, [%first]
    ld_kernarg_u64 $d1, [%x]
    cvt_u64_u32 $d2, $s1
    mad_u64 $d2, $d2, 4, $d0
    ld_global_u32 $s4, [$d2]
    ld_global_u32 $s5, [$d2+4]
    mov_u32 $s6, 0
@row:
    cmp_ge_u32 $c0, $s4, $s5
    cbr $c0, @store
    cvt_u64_u32 $d3, $s4
    mad_u64 $d3, $d3, 4, $d1
    ld_global_u32 $s7, [$d3]
    mad_u32 $s6, $s6, 3, $s7
    add_u32 $s4, $s4, 1
    br @row
@store:
    mad_u32 $s8, $s1, $s2, $s0
    add_u32 $s8, $s8, PLACE
    ld_kernarg_u64 $d4, [%y]
    cvt_u64_u32 $d5, $s8
    mad_u64 $d5, $d5, 4, $d4
    st_global_u32 $s6, [$d5]
@done:
    ret
}"""
"""A sum for each work-item of a grid, of the elements first[y] to first[y + 1] - 1."""


def summed(
    engine: str,
    place: int = 0,
    *,
    y_is: str = "",
    changes: bool = False,
    items: tuple[int, int] = (48, 40),
    group: tuple[int, int] = (16, 4),
    size: tuple[int, int] = (48, 40),
    width: int = 32,
) -> tuple:
    """Launch four times; `place` elements further, or with another array in the place of `y`.

    Bounds may be others in each launch.
    """
    (function,) = simtlab.assemble(ROWS.replace("PLACE", str(place % (1 << 32))))
    run = function.launch(items=items, group_size=group, warp=width, engine=engine, stats=True)
    rng = np.random.default_rng(5)
    device, counts = simtlab.Device(), []
    first = np.cumsum(rng.integers(0, 9, 1 + size[0] * size[1])).astype(np.uint32)
    x = rng.integers(0, 1 << 20, first[-1] + 1, np.uint32)
    given = {"y": np.zeros(size[0] * size[1], np.uint32), "first": first, "x": x}
    arrays = {name: device.to_device(array) for name, array in given.items()}
    y = arrays[y_is] if y_is else arrays["y"]
    for _ in range(4):
        found = run(*size, arrays["first"], arrays["x"], y)
        assert found.engine == engine or place  # then the interpreter decides
        counts.append(found.statistics)
        if changes:
            sizes = rng.integers(0, 5, first.size, np.uint32)
            arrays["first"].copy_from(np.cumsum(sizes, dtype=np.uint32))
    left = [array.to_host() for array in arrays.values()]
    bases = {name: array.buffer.base for name, array in arrays.items()}
    return counts, left, run._prepared.kept, bases


def alike(**given: Any) -> Any:
    """Compare both engines; return what native code has kept of the launch."""
    native, expected = summed("jit", **given), summed("interp", **given)
    for have, want in zip(native[0], expected[0], strict=True):
        assert_equal(have, want)
    for have, want in zip(native[1], expected[1], strict=True):
        np.testing.assert_array_equal(have, want)
    return native[2]


@pytest.mark.parametrize("width", [7, 32])
@pytest.mark.parametrize(
    ("items", "group", "size"),
    [((48, 40), (16, 4), (48, 40)), ((100, 12), (4, 4), (99, 9)), ((61, 37), (8, 8), (61, 33))],
)
def test_counts_of_loops_whose_bounds_are_loaded(
    items: tuple[int, int], group: tuple[int, int], size: tuple[int, int], width: int
) -> None:
    launch = {"items": items, "group": group, "size": size, "width": width}
    assert alike(changes=True, **launch)["apart"].kernel is not None


@pytest.mark.usefixtures("any_time_is_short")
@pytest.mark.parametrize("changes", [False, True])
def test_short_launches_of_loops_whose_bounds_are_loaded(changes: bool) -> None:
    kept = alike(changes=changes)
    assert kept["apart"].kernel is not None
    assert isinstance(kept["again"], ApartAgain)


def test_bounds_that_the_launch_may_change() -> None:
    assert alike(y_is="first")["apart"].kernel is None


def test_what_is_loaded_besides_bounds_may_change() -> None:
    """Each work-item adds up what others may have stored before: only counts are compared."""
    native, expected = summed("jit", y_is="x"), summed("interp", y_is="x")
    for have, want in zip(native[0], expected[0], strict=True):
        assert_equal(have, want)
    assert native[2]["apart"].kernel is not None


def test_a_store_that_leaves_its_buffer_for_bounds() -> None:
    bases = summed("jit")[3]
    place = (bases["first"] - bases["y"]) // 4
    assert alike(place=place)["apart"].kernel is None


@pytest.mark.parametrize("threads", [1, 3])
def test_arrays_of_numpy(threads: int) -> None:
    (function,) = simtlab.assemble(ROWS.replace("PLACE", "0"))
    sizes = {"items": (48, 40), "group_size": (16, 4), "stats": True}
    native = function.launch(**sizes, engine="jit", threads=threads)
    slow = function.launch(**sizes, engine="interp")
    rng = np.random.default_rng(6)
    for call in range(6):
        first = np.cumsum(rng.integers(0, 4 + call, 41)).astype(np.uint32)
        x = rng.integers(0, 1 << 20, 900, np.uint32)
        have, want = np.zeros((2, 48 * 40), np.uint32)
        found, expected = native(48, 40, first, x, have), slow(48, 40, first, x, want)
        assert_equal(found.statistics, expected.statistics)
        np.testing.assert_array_equal(have, want)
    apart = native._prepared.kept.get("apart")
    assert apart is not None
    assert apart.kernel is not None


def test_a_budget_that_only_the_loop_spends() -> None:
    (function,) = simtlab.assemble(ROWS.replace("PLACE", "0"))
    launch = function.launch(
        items=(48, 40), group_size=(16, 4), engine="jit", stats=True, budget=2000
    )
    first, y = np.zeros(41, np.uint32), np.zeros(48 * 40, np.uint32)
    assert launch(48, 40, first, np.zeros(9000, np.uint32), y).statistics is not None
    first[7:] = 9000
    with pytest.raises(Trap) as caught:
        launch(48, 40, first, np.zeros(9000, np.uint32), y)
    assert caught.value.record.kind is TrapKind.BUDGET
