"""Counts of kernels whose batches of workgroups load before they store.

The counts and the memory must be those of the interpreter, whose warps load and store in rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of
from simtlab.emu.device import DeviceArray
from simtlab.emu.jit.launch.counting import guarded
from simtlab.emu.traps import Trap

from ....support.counts import BATCHES, ORDER, assert_equal, counted_by, engines
from ...support.short_launches import memory_of_others

ITEMS = 17_000
"""More than a batch."""


def hook(store: str = "atomic_min_global_u32 [$d2], $s6", load: str = "x", after: str = "") -> str:
    """A kernel that loads two elements of x by indices, and stores the less one at the greater."""
    return f"""
    kernel k(u32 %n, global u32* %a, global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u64 $d4, [%y]
        ld_kernarg_u64 $d3, [%{load}]
        cvt_u64_u32 $d1, $s0
        ld_kernarg_u64 $d2, [%a]
        mad_u64 $d2, $d1, 4, $d2
        ld_global_u32 $s2, [$d2]
        mad_u64 $d2, $d1, 4, $d3
        ld_global_u32 $s3, [$d2]
        cvt_u64_u32 $d2, $s2
        mad_u64 $d2, $d2, 4, $d0
        ld_global_u32 $s4, [$d2]
        cmp_eq_u32 $c0, $s3, $s4
        cbr $c0, @done
        min_u32 $s6, $s3, $s4
        mov_u32 $s7, 1
        {store}
        st_global_u32 $s7, [$d4]
        {after}
    @done:
        ret
    }}"""


def chase(last: str = "st_global_u32 $s3, [$d2]", count: int = 7, extra: str = "") -> str:
    """A kernel that follows indices in x for a few steps, and stores where it has come to."""
    return f"""
    kernel k(u32 %n, global u32* %a, global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        ld_kernarg_u64 $d0, [%x]
        cvt_u64_u32 $d1, $s0
        ld_kernarg_u64 $d2, [%a]
        mad_u64 $d2, $d1, 4, $d2
        ld_global_u32 $s2, [$d2]
        and_u32 $s2, $s2, {count}
        mad_u64 $d2, $d1, 4, $d0
        mov_u32 $s3, $s0
    @step:
        cvt_u64_u32 $d3, $s3
        mad_u64 $d3, $d3, 4, $d0
        ld_global_u32 $s3, [$d3]
        {extra}
        sub_s32 $s2, $s2, 1
        cmp_gt_s32 $c0, $s2, 0
        cbr $c0, @step
        and_u32 $s4, $s3, 3
        cmp_eq_u32 $c0, $s4, 0
        cbr $c0, @done
        {last}
    @done:
        ret
    }}"""


def given(items: int = ITEMS) -> tuple[Any, ...]:
    """Indices and elements for either kernel."""
    indices = np.random.default_rng(3).integers(0, items, (2, items)).astype(np.uint32)
    return np.uint32(items), indices[0], indices[1], np.zeros(2, np.uint32)


STORES = {
    "an atomic": "atomic_min_global_u32 [$d2], $s6",
    "atomics that commute": "atomic_add_global_u32 [$d2], $s6\n atomic_sub_global_u32 [$d2], $s3",
    "one value": "st_global_u32 $s7, [$d2]",
    "one store that warps reach together": "st_global_u32 $s6, [$d2]",
}


@pytest.mark.parametrize("store", STORES)
def test_loads_before_stores(store: str) -> None:
    assert engines(hook(STORES[store]), *given(), items=ITEMS, widths=(32,)) == {BATCHES}


@pytest.mark.parametrize(("width", "items"), [(1, 400), (7, ITEMS), (16, 400), (64, ITEMS)])
def test_widths(width: int, items: int) -> None:
    """At a width of 7 a batch has other workgroups than at 64."""
    assert engines(hook(), *given(items), items=items, widths=(width,)) == {BATCHES}


OTHERS = {
    "atomics whose order shows": hook(STORES["an atomic"] + "\n atomic_max_global_u32 [$d2], $s3"),
    "an atomic with a result": hook("atomic_min_global_u32 $s7, [$d2], $s6"),
    "two values": hook("st_global_u32 $s6, [$d2]\n st_global_u32 $s3, [$d2+4]"),
    "a load after a store": hook(after="ld_global_u32 $s3, [$d2]"),
    "a store in the loop": chase(extra="st_global_u32 $s3, [$d3]"),
    "a branch in the loop": chase(
        extra="cmp_eq_u32 $c0, $s3, 5\n cbr $c0, @t\n mov_u32 $s4, 1\n@t:"
    ),
    "a barrier": hook(after="@done:\n barrier").replace("@done:\n        ret", "ret"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_kernels(name: str) -> None:
    (kernel,) = simtlab.assemble(OTHERS[name])
    assert reliance_of(kernel.kernel, (64, 1, 1), by_batches=True) is None


def test_a_warp_at_a_store_has_executed_more_than_one_that_loads() -> None:
    """What skips loads comes to the store first in a fair round."""
    skips = "ld_kernarg_u64 $d3, [%x]\n cmp_lt_u32 $c0, $s0, 9\n cbr $c0, @skip\n"
    late = skips + "ld_global_u32 $s3, [$d3]\n" * 9 + "@skip:\n"
    head = "kernel k(global u32* %x) {\n workitemabsid_u32 $s0, 0\n"
    rest = "cmp_eq_u32 $c0, $s3, 1\n cbr $c0, @done\n ld_global_u32 $s3, [$d3]\n cmp_eq_u32 $c0,"
    rest += " $s3, 2\n cbr $c0, @done\n mov_u32 $s4, 1\n st_global_u32 $s4, [$d3]\n@done:\n ret\n}"
    for text, has in ((late, False), (skips.replace("cbr $c0, @skip", ""), True)):
        (kernel,) = simtlab.assemble(head + text + rest)
        found = reliance_of(kernel.kernel, (64, 1, 1), by_batches=True)
        assert (found is not None) == has


def test_a_loop_before_the_stores() -> None:
    assert engines(chase(), *given(), items=ITEMS, widths=(16, 64)) == {BATCHES}


def test_a_store_that_a_fair_round_may_have_made_too_early() -> None:
    """Some warps leave the loop after one iteration, others after 40."""
    n, _, x, y = given(2000)
    a = np.where(np.arange(2000) < 1000, 1, 40).astype(np.uint32)
    assert engines(chase(count=63), n, a, x, y, items=2000, widths=(7, 32)) == {ORDER}


@pytest.mark.parametrize("text", [hook(), chase()])
def test_elements_after_the_last_one(text: str) -> None:
    """Accesses of the last warp go one by one: loads find what was in memory before the batch."""
    x = given(1001)
    assert engines(text, *x, items=1024, group_size=64, widths=(32,)) == {BATCHES}


def way_on_device(
    text: str, arguments: Callable[[list[DeviceArray]], tuple[Any, ...]] = tuple
) -> str:
    """Compare what 500 work-items leave in buffers of a device; return what `counted_by` finds.

    `arguments` returns those after the number of them, from the buffers of `given`.
    """
    (kernel,) = simtlab.assemble(text)
    found = []
    for engine in ("jit", "interp"):
        device = simtlab.Device()
        n, *arrays = given(500)
        buffers = [device.to_device(v) for v in arrays]
        launch = kernel.launch(items=500, group_size=50, engine=engine, stats=True)
        result, by = counted_by(launch, n, *arguments(buffers))
        found.append((result.statistics, [buffer.to_host() for buffer in buffers], by))
    assert_equal(found[0][0], found[1][0])
    np.testing.assert_equal(found[0][1], found[1][1])
    return found[0][2]


def test_an_index_into_another_buffer() -> None:
    """Loads from a buffer that is stored to, but not by its own parameter, are refused."""

    def arguments(buffers: list[DeviceArray]) -> tuple[Any, ...]:
        indices = buffers[0].to_host()
        indices[7] = (buffers[2].address - buffers[1].address) // 4
        buffers[0].copy_from(indices)
        return tuple(buffers)

    assert way_on_device(hook(load="a"), arguments) == ORDER


def test_a_store_into_the_buffer_of_another_parameter() -> None:
    """Stores of each parameter are in any order, but not those of two in one buffer."""
    device = simtlab.Device()
    _, x, y = (device.to_device(v) for v in given(500)[1:])
    other = f"""cmp_gt_u32 $c0, $s0, 40
        cbr $c0, @done
        mov_u32 $s8, 2
        st_global_u32 $s8, [$d0+{y.address - x.address}]"""
    text = hook(store="", after=other)
    (kernel,) = simtlab.assemble(text)
    assert reliance_of(kernel.kernel, (50, 1, 1), by_batches=True) is not None
    assert way_on_device(text) == ORDER


def test_elements_that_go_down() -> None:
    """A batch copies those of the batch before as if they went up."""
    (kernel,) = simtlab.assemble(chase().replace("$d2, $d1, 4, $d0", "$d2, $d1, -4, $d0"))
    assert reliance_of(kernel.kernel, (50, 1, 1), by_batches=True) is None


def test_buffers_that_two_parameters_share() -> None:
    assert way_on_device(hook(), lambda buffers: (*buffers[:2], buffers[1])) == ORDER


def test_much_that_each_batch_would_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "MOST_EACH_BATCH", 1000)
    assert engines(hook(), *given(), items=ITEMS, widths=(32,)) == {ORDER}
    # Of a work-item's own elements, a batch copies those of the batch before.
    assert engines(chase(), *given(), items=ITEMS, widths=(32,)) == {BATCHES}


def test_short_launches_after_one_that_was_refused() -> None:
    """Arrays are NumPy's, and may lie elsewhere each time."""
    (kernel,) = simtlab.assemble(chase(count=63))
    jit, interp = (
        kernel.launch(items=2000, group_size=50, engine=engine, stats=True)
        for engine in ("jit", "interp")
    )
    n, _, x, y = given(2000)
    ways = set()
    for iterations in (3, 2, 3, 3, 40, 3, 3, 3):
        a = np.where(np.arange(2000) < 1000, 2, iterations).astype(np.uint32)
        outcomes = []
        for launch in (jit, interp):
            own = x.copy()
            result, by = counted_by(launch, n, a.copy(), own, y.copy())
            outcomes.append((result.statistics, own, by))
        ways.add(outcomes[0][2])
        assert_equal(outcomes[0][0], outcomes[1][0])
        np.testing.assert_array_equal(outcomes[0][1], outcomes[1][1])
    assert ways == {BATCHES, ORDER}


def test_launches_on_a_device_begin_with_what_is_in_memory() -> None:
    (kernel,) = simtlab.assemble(hook())
    launch = kernel.launch(items=ITEMS, group_size=50, stats=True)
    n, a, x, y = given()
    device = simtlab.Device()
    arrays = [device.to_device(v) for v in (a, x, y)]
    first = launch(n, *arrays).statistics
    for _ in range(3):
        arrays[1].copy_from(x)
        assert_equal(launch(n, *arrays).statistics, first)


@pytest.mark.usefixtures("any_time_is_short")
def test_launches_that_are_refused_again() -> None:
    """From the second one on, Python prepares nothing for the interpreter's order.

    It does while another thread has the memory that such launches take in turns.
    """
    (kernel,) = simtlab.assemble(chase(count=63))
    jit, interp = (
        kernel.launch(items=2000, group_size=50, engine=engine, stats=True)
        for engine in ("jit", "interp")
    )
    n, _, x, y = given(2000)
    device, ways = simtlab.Device(), []
    arrays = [device.to_device(v) for v in (x, x, y)]
    for turn, iterations in enumerate((3, 3, 3, 40, 3, 40, 40, 3, 40)):
        a = np.where(np.arange(2000) < 1000, 2, iterations).astype(np.uint32)
        for array, values in zip(arrays, (a, x, y), strict=True):
            array.copy_from(values)
        with memory_of_others() if turn == 6 else nullcontext():
            result, by = counted_by(jit, n, *arrays)
        own = x.copy()
        expected = interp(n, a.copy(), own, y.copy())
        ways.append(by)
        assert_equal(result.statistics, expected.statistics)
        np.testing.assert_array_equal(arrays[1].to_host(), own)
    assert [turn for turn, by in enumerate(ways) if by == ORDER] == [3, 6]
    assert "refused" not in jit._prepared.kept


@pytest.mark.usefixtures("any_time_is_short")
def test_a_refused_launch_that_traps_leaves_the_others_their_way() -> None:
    (kernel,) = simtlab.assemble(chase(count=63))
    launch = kernel.launch(items=2000, group_size=50, engine="jit", stats=True)
    n, _, x, y = given(2000)
    wild = np.where(np.arange(2000) == 1999, 1 << 28, x).astype(np.uint32)
    device = simtlab.Device()
    arrays = [device.to_device(v) for v in (x, x, y)]
    ways = []
    for iterations, indices in ((3, x), (40, x), (3, x), (40, wild), (3, x), (40, x), (40, x)):
        a = np.where(np.arange(2000) < 1000, 2, iterations).astype(np.uint32)
        for array, values in zip(arrays, (a, indices, y), strict=True):
            array.copy_from(values)
        before = launch._prepared.kept.get("again")
        with pytest.raises(Trap) if indices is wild else nullcontext():
            launch(n, *arrays)
        ways.append(launch._prepared.kept.get("again") is before)
    assert ways == [False, *[True] * 6]
