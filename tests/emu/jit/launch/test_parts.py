"""Workgroups that run as parts: which do, and that no result, trap or order of stores shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.launch.parts import part_of
from simtlab.emu.jit.launch.plan import Plan
from simtlab.emu.jit.launch.regroup import as_run
from simtlab.emu.launch import Launch

from ..support.short_launches import short

ROWS, COLUMNS = 64, 70
ITEMS = ROWS * 32

SUM = """
kernel sum(u32 %columns, u32 %far, global u32* %place, global f32* %x, global f32* %y) {
    .group f32 t[256]
    workitemid_u32      $s0, 0
    workitemabsid_u32   $s1, 0
    shr_u32             $s2, $s1, 5             // row
    and_u32             $s3, $s0, 31            // lane
    ld_kernarg_u32      $s5, [%columns]
    ld_kernarg_u32      $s12, [%far]
    ld_kernarg_u64      $d1, [%place]
    ld_kernarg_u64      $d2, [%x]
    mul_u32             $s13, $s2, $s5
    mov_u32             $s4, $s3
    mov_u32             $s6, 0.0
@column:
    cmp_ge_u32          $c0, $s4, $s5
    cbr                 $c0, @summed
    add_u32             $s7, $s13, $s4
    cvt_u64_u32         $d4, $s7
    mad_u64             $d5, $d4, 4, $d1
    ld_global_u32       $s7, [$d5]
    cvt_u64_u32         $d4, $s7
    mad_u64             $d5, $d4, 4, $d2
    ld_global_f32       $s8, [$d5]
    add_f32             $s6, $s6, $s8
    add_u32             $s4, $s4, 32
    br                  @column
@summed:
    shl_u32             $s10, $s0, 2
    st_group_f32        $s6, [t+$s10]
    mov_u32             $s11, 16
@halve:
    barrier
    cmp_ge_u32          $c0, $s3, $s11
    cbr                 $c0, @halved
    mad_u32             $s14, $s11, 4, $s10
    ld_group_f32        $s8, [t+$s14]
    ld_group_f32        $s6, [t+$s10]
    add_f32             $s6, $s6, $s8
    st_group_f32        $s6, [t+$s10]
@halved:
    shr_u32             $s11, $s11, 1
    cmp_ne_u32          $c0, $s11, 0
    cbr                 $c0, @halve
    cmp_ne_u32          $c0, $s3, 0
    cbr                 $c0, @done
    add_u32             $s2, $s2, $s12
    cvt_u64_u32         $d0, $s2
    ld_kernarg_u64      $d1, [%y]
    mad_u64             $d1, $d0, 4, $d1
    st_global_f32       $s6, [$d1]
@done:
    ret
}
"""
PROGRAM = simtlab.assemble(SUM)


def launch(engine: str = "jit", *, items: int = ITEMS, group: int = 256, **options: Any) -> Launch:
    return PROGRAM["sum"].launch(items=items, group_size=group, engine=engine, **options)


def hosts(seed: int = 1) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    place = rng.integers(0, ITEMS, ROWS * COLUMNS, np.uint32)
    x = rng.random(ITEMS, np.float32)
    return place, x, np.zeros(ROWS, np.float32)


def run(made: Launch, *arrays: Any, far: int = 0) -> None:
    made(np.uint32(COLUMNS), np.uint32(far), *arrays)


def expected(arrays: tuple[np.ndarray, ...], **options: Any) -> np.ndarray:
    own = [array.copy() for array in arrays]
    run(launch("interp", **options), *own)
    return own[-1]


def plan_of(made: Launch, arrays: tuple[Any, ...]) -> Plan:
    """Return the plan that the first call of a launch uses."""
    found: list[Plan] = []
    of = Plan.of

    def noted(work: Any) -> Plan:
        found.append(of(work))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plan, "of", noted)
        run(made, *arrays)
    return found[-1]


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("group", [32, 64, 96, 128, 256])
def test_results(width: int, group: int) -> None:
    items = ITEMS // group * group
    arrays = hosts()
    wanted = expected(arrays, items=items, group=group, warp=width)
    for threads in (1, 3):
        own = [array.copy() for array in arrays]
        run(launch(items=items, group=group, warp=width, threads=threads), *own)
        np.testing.assert_array_equal(own[-1].view(np.uint32), wanted.view(np.uint32))


def test_parts_of_a_launch() -> None:
    (kernel,) = simtlab.assemble(SUM).program.kernels
    whole = Geometry.of(items=ITEMS, group_size=256)
    assert part_of(kernel, whole) == (32, 1, 1)
    for other in ((ITEMS - 32, 256), (ITEMS, 32), (ITEMS, 48)):
        assert part_of(kernel, Geometry.of(items=other[0], group_size=other[1])) is None
    assert part_of(kernel, replace(whole, group_size=(128, 2, 1), items=(128, 4, 1))) is None
    device = Device()
    arrays = tuple(map(device.to_device, hosts()))
    plan = plan_of(launch(), arrays)
    assert plan.is_in_parts
    assert plan.geometry.group_size == (32, 1, 1)
    assert not plan_of(launch(stats=True), arrays).is_in_parts


@pytest.mark.parametrize(
    "place",
    [
        "workgroupid_u32 $s1, 0\n mad_u32 $s1, $s1, 256, $s0",
        "workgroupid_u32 $s1, 0\n shl_u32 $s1, $s1, 8\n add_u32 $s1, $s1, $s0",
    ],
)
def test_places_that_are_calculated(place: str) -> None:
    text = SUM.replace("workitemabsid_u32   $s1, 0", place)
    made = simtlab.assemble(text)["sum"].launch(items=ITEMS, group_size=256)
    arrays = hosts()
    own = [array.copy() for array in arrays]
    assert plan_of(made, tuple(own)).is_in_parts
    np.testing.assert_array_equal(own[-1], expected(arrays))


ROW = "workgroupid_u32 $s20, 0\n shr_u32 $s21, $s0, 5\n "


@pytest.mark.parametrize(
    ("row", "is_found"),
    [
        (ROW + "mad_u32 $s2, $s20, 8, $s21", True),
        (ROW + "shl_u32 $s20, $s20, 3\n add_u32 $s2, $s20, $s21", True),
        (ROW + "mul_u32 $s22, $s20, 8\n add_u32 $s2, $s21, $s22", True),
        (ROW + "shl_u32 $s20, $s20, 3\n or_u32 $s2, $s20, $s21", True),
        (ROW + "mov_u32 $s23, $s20\n mad_u32 $s2, $s23, 8, $s21\n mov_u32 $s20, 7", True),
        (ROW + "mad_u32 $s2, $s20, 4, $s21", False),
        (ROW + "mad_u32 $s2, $s20, 8, $s21\n mad_u32 $s2, $s20, 0, $s2", False),
        (ROW + "shl_u32 $s20, $s20, 3\n xor_u32 $s2, $s20, $s21", False),
    ],
)
def test_rows_that_are_calculated(row: str, is_found: bool) -> None:
    text = SUM.replace("shr_u32             $s2, $s1, 5", row + "\n mov_u32 $s2, $s2")
    arrays = hosts()
    found = []
    for engine in ("jit", "interp"):
        own = [array.copy() for array in arrays]
        made = simtlab.assemble(text)["sum"].launch(items=ITEMS, group_size=256, engine=engine)
        if engine == "jit":
            assert plan_of(made, tuple(own)).is_in_parts is is_found
        else:
            run(made, *own)
        found.append(own[-1])
    np.testing.assert_array_equal(*found)


def test_rows_of_a_workgroup_with_three() -> None:
    """`3 * workgroup | row` is not a sum."""
    found = []
    for op, is_found in (("add", True), ("or", False)):
        row = ROW + f"mul_u32 $s22, $s20, 3\n {op}_u32 $s2, $s22, $s21"
        text = SUM.replace("shr_u32             $s2, $s1, 5", row)
        (kernel,) = simtlab.assemble(text).program.kernels
        own, geometry = as_run(kernel, Geometry.of(items=96 * 20, group_size=96))
        assert (geometry.group_size == (32, 1, 1)) is is_found
        assert (own is not kernel) is is_found
        arrays, launched = hosts(), {}
        for engine in ("jit", "interp"):
            y = np.zeros_like(arrays[-1])
            made = simtlab.assemble(text)["sum"].launch(items=96 * 20, group_size=96, engine=engine)
            run(made, *arrays[:-1], y)
            launched[engine] = y
        np.testing.assert_array_equal(launched["jit"], launched["interp"])
        found.append(launched["jit"])
    assert (found[0] != found[1]).any()


def test_partial_workgroups() -> None:
    arrays = hosts()
    own = [array.copy() for array in arrays]
    run(launch(items=ITEMS - 32), *own)
    np.testing.assert_array_equal(own[-1], expected(arrays, items=ITEMS - 32))


@pytest.mark.parametrize("calls", [1, 4])
def test_results_of_several_calls(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch, 1e9)
    device, made = Device(), launch()
    first, second = hosts(1), hosts(2)
    for given in (first, second):
        arrays = [device.to_device(array) for array in given]
        for _ in range(calls):
            run(made, *arrays)
            np.testing.assert_array_equal(arrays[-1].to_host(), expected(given))
            arrays[-1].copy_from(given[-1])
    for _ in range(calls):
        own = [array.copy() for array in first]
        run(made, *own)
        np.testing.assert_array_equal(own[-1], expected(first))


@pytest.mark.parametrize("calls", [1, 4])
def test_one_buffer_for_loads_and_stores(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads of all rows of a workgroup are before its stores, which is seen in one buffer."""
    short(monkeypatch, 1e9)
    device, made = Device(), launch(items=256)
    place, x, _ = hosts()
    place, x = place % 8, x[:ROWS]
    wanted = x.copy()
    run(launch("interp", items=256), place, wanted, wanted)
    on_device, places = device.to_device(x), device.to_device(place)
    assert not plan_of(made, (places, on_device, on_device)).is_in_parts
    for _ in range(calls):
        on_device.copy_from(x)
        run(made, places, on_device, on_device)
        np.testing.assert_array_equal(on_device.to_host(), wanted)


@pytest.mark.parametrize("calls", [1, 4])
def test_loads_that_leave_their_buffer(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is legal, and such a load is seen before the stores of other parts as well."""
    short(monkeypatch, 1e9)
    place, x, y = hosts()
    y += 5
    results = []
    for engine in ("interp", "jit"):
        device = Device()
        arrays = [device.to_device(array) for array in (place, x, y)]
        away = (arrays[2].buffer.base - arrays[1].buffer.base) // 4 & 0xFFFF_FFFF
        made = launch(engine, items=256)
        for call in range(calls):
            arrays[2].copy_from(y)
            strays = place.copy()
            if call == calls - 1:
                strays[7 * COLUMNS :: 3] = away + np.arange(len(strays[7 * COLUMNS :: 3])) % 8
            arrays[0].copy_from(strays)
            run(made, *arrays)
        results.append(arrays[2].to_host())
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("calls", [1, 4])
def test_traps(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A load of a later part is before the stores of all parts."""
    short(monkeypatch, 1e9)
    place, x, y = hosts()
    wrong = place.copy()
    wrong[11 * COLUMNS + 33] = 0x3000_0000
    records = []
    for engine in ("interp", "jit"):
        device = Device()
        arrays = [device.to_device(array) for array in (place, x, y)]
        for places, far in ((wrong, 0), (place, ROWS - 3), (wrong, 1 << 28)):
            made = launch(engine)
            arrays[0].copy_from(place)
            for _ in range(calls - 1):
                run(made, *arrays)
            arrays[0].copy_from(places)
            arrays[2].copy_from(y)
            with pytest.raises(Trap) as trap:
                run(made, *arrays, far=far)
            records.append(str(trap.value))
            assert not arrays[2].to_host()[8:].any()
    assert records[:3] == records[3:]
    assert "work-item 353" in records[0]


def test_a_large_result_is_not_copied() -> None:
    device = Device()
    place, x, _ = hosts()
    arrays = (place, x, np.zeros(ITEMS, np.float32))
    on_device = tuple(map(device.to_device, arrays))
    made = launch()
    plan = plan_of(made, on_device)
    assert not plan.is_in_parts
    np.testing.assert_array_equal(on_device[-1].to_host(), expected(arrays))
