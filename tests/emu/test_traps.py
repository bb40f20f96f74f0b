"""Hostile accesses: every engine and scheme reports a trap of the kernel, and survives it."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest

import simtlab
from simtlab import Device, TrapKind
from simtlab.emu.engine import engine_names
from simtlab.emu.launch import Launch
from simtlab.emu.module import Module

from .support.hostile_kernels import (
    GROUP,
    HOSTILE,
    ITEMS,
    VICTIM,
    WIDTH,
    Scene,
    every_way,
    line_of,
    module,
    trap_of,
)


@every_way
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_access_traps_at_its_line_and_changes_no_buffer(
    name: str, engine: str, scheme: str
) -> None:
    hostile = HOSTILE[name]
    program = module(hostile.text)
    scene = Scene.make()
    before = scene.content()
    launch = program["hostile"].launch(
        items=ITEMS, group_size=GROUP, warp=WIDTH, engine=engine, scheme=scheme
    )
    trap = trap_of(launch, *scene.arguments)
    assert (trap.record.kind, trap.record.segment) == (hostile.kind, hostile.segment)
    assert (trap.workitem, trap.group) == ((VICTIM, 0, 0), (1, 0, 0))
    assert (trap.warp, trap.lane) == (1, 5)
    assert trap.span is not None
    assert trap.span.line == line_of(hostile.text)
    if hostile.segment is not None:
        start = scene.arrays[hostile.base].address if hostile.base else 0
        assert trap.record.address == start + hostile.address
    assert hostile.near in str(trap).splitlines()[0]
    assert scene.content() == before

    program["double"].launch(items=8, engine=engine, scheme=scheme)(scene.arrays["x"])
    assert scene.content() == {**before, "x": [2 * v for v in before["x"]]}


OVER_THE_END = """\
kernel k(global u8* %x) {
    workitemflatid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s1, [$d1]
    ret
}
"""


@every_way
@pytest.mark.parametrize("n_bytes", [5, 6])
def test_the_last_lane_runs_over_the_end(engine: str, scheme: str, n_bytes: int) -> None:
    launch = module(OVER_THE_END)["k"].launch(items=2, engine=engine, scheme=scheme)
    trap = trap_of(launch, np.zeros(n_bytes, np.uint8))
    assert (trap.record.kind, trap.lane) == (TrapKind.OUT_OF_BOUNDS, 1)


TOO_MANY = """\
kernel touch(global u32* %x, global u32* %y) {
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s0, [$d1] // here
    ret
}
"""


@every_way
def test_of_many_that_trap_one_is_reported_with_its_own_address(engine: str, scheme: str) -> None:
    x, y = np.zeros(8, np.uint32), np.full(8, 7, np.uint32)
    launch = module(TOO_MANY)["touch"].launch(
        items=ITEMS, group_size=GROUP, warp=WIDTH, engine=engine, scheme=scheme
    )
    trap = trap_of(launch, x, y)
    item = trap.workitem[0]
    assert item >= 8
    assert trap.record.address is not None
    assert trap.record.address - 4 * item == 0x1000_0000
    assert y.tolist() == [7] * 8


MIXED = """\
.readonly u32 WHERE[40] = { OFFSETS }
kernel mixed(global u32* %x, global u32* %frozen, global u32* %gone) {
    workitemflatabsid_u32 $s0
    mul_u32 $s1, $s0, 4
    ld_readonly_u32 $s2, [WHERE+$s1]
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s2
    add_u64 $d0, $d0, $d1
    st_global_u32 $s0, [$d0] // here
    ret
}
"""
MIXED_GROUP = """\
.readonly u32 WHERE[40] = { OFFSETS }
kernel mixed(global u32* %x, global u32* %frozen, global u32* %gone) {
    .group u32 tile[8]
    workitemflatabsid_u32 $s0
    mul_u32 $s1, $s0, 4
    ld_readonly_u32 $s2, [WHERE+$s1]
    ld_group_u32 $s3, [tile+$s2] // here
    ret
}
"""
INSIDE, ODD, OUT = 4, 2, 4096
GONE, FROZEN = "gone", "frozen"


@every_way
@pytest.mark.parametrize(
    ("faults", "kind"),
    [
        ({7: ODD, 3: OUT}, TrapKind.OUT_OF_BOUNDS),
        ({3: ODD, 7: OUT}, TrapKind.MISALIGNED),
        ({3: ODD, 7: GONE}, TrapKind.MISALIGNED),
        ({3: GONE, 7: OUT}, TrapKind.FREED),
        ({3: FROZEN, 7: ODD}, TrapKind.READ_ONLY),
        ({3: FROZEN, 39: OUT}, TrapKind.READ_ONLY),
        ({3: ODD, 7: FROZEN}, TrapKind.MISALIGNED),
        ({19: ODD, 22: OUT}, TrapKind.MISALIGNED),
    ],
)
def test_of_lanes_that_trap_in_several_ways_the_lowest_is_reported(
    engine: str, scheme: str, faults: dict[int, int | str], kind: TrapKind
) -> None:
    scene = Scene.make()
    start = {
        name: array.address - scene.arrays["x"].address for name, array in scene.arrays.items()
    }
    item = min(faults)
    for text in (MIXED, MIXED_GROUP):
        places = [INSIDE] * ITEMS
        for lane, place in faults.items():
            places[lane] = start[place] if isinstance(place, str) else place
        if text is MIXED_GROUP and set(faults.values()) & {GONE, FROZEN}:
            continue
        launch = module(text.replace("OFFSETS", ", ".join(map(str, places))))["mixed"].launch(
            items=ITEMS, group_size=GROUP, warp=WIDTH, engine=engine, scheme=scheme
        )
        trap = trap_of(launch, *scene.arguments)
        assert (trap.record.kind, trap.workitem[0]) == (kind, item)


@every_way
def test_pointers_may_wander_from_one_buffer_into_another(engine: str, scheme: str) -> None:
    text = """
        kernel wander(global u32* %x, global u32* %y) {
            ld_kernarg_u64 $d1, [%x]
            ld_kernarg_u64 $d2, [%y]
            sub_u64 $d3, $d2, $d1
            add_u64 $d4, $d1, $d3
            ld_global_u32 $s1, [$d1]
            st_global_u32 $s1, [$d4+4]
            ret
        }
    """
    x, y = np.array([41], np.uint32), np.zeros(2, np.uint32)
    module(text)["wander"].launch(items=1, engine=engine, scheme=scheme)(x, y)
    assert y.tolist() == [0, 41]


KEEP = """\
kernel keep(global u64* %place, global u32* %x) {
    ld_kernarg_u64 $d0, [%place]
    ld_kernarg_u64 $d1, [%x]
    st_global_u64 $d1, [$d0]
    ret
}
kernel follow(global u64* %place) {
    ld_kernarg_u64 $d0, [%place]
    ld_global_u64 $d1, [$d0]
    ld_global_u32 $s0, [$d1] // here
    ret
}
"""


@every_way
def test_a_pointer_that_outlives_its_array_traps(engine: str, scheme: str) -> None:
    program = module(KEEP)
    device = Device()
    place = device.zeros(1, np.uint64, "place")

    def launch(name: str) -> Launch:
        return program[name].launch(items=1, engine=engine, scheme=scheme)

    kept = device.to_device(np.array([5], np.uint32), "kept")
    launch("keep")(place, kept)
    launch("follow")(place)
    kept.free()
    trap = trap_of(launch("follow"), place)
    assert trap.record.kind is TrapKind.FREED
    assert "inside buffer kept, which was freed" in str(trap)
    # An array that was mapped for one launch only is gone after it, and its place stays empty.
    launch("keep")(place, np.zeros(1, np.uint32))
    fresh = device.zeros(1, np.uint32, "fresh")
    trap = trap_of(launch("follow"), place)
    assert "inside buffer x, which was freed" in str(trap)
    launch("keep")(place, fresh)
    launch("follow")(place)


@every_way
def test_an_empty_array_has_no_byte_to_read(engine: str, scheme: str) -> None:
    launch = module(TOO_MANY)["touch"].launch(items=1, engine=engine, scheme=scheme)
    trap = trap_of(launch, np.zeros(0, np.uint32), np.zeros(1, np.uint32))
    assert "0 bytes after the end of buffer x [0x10000000, 0x10000000)" in str(trap)


@pytest.mark.parametrize("engine", engine_names())
def test_a_program_without_readonly_data_has_nothing_to_read_there(engine: str) -> None:
    (k,) = simtlab.assemble("kernel k() {\n ld_readonly_u32 $s0, [$s0]\n ret\n}")
    trap = trap_of(k.launch(items=1, engine=engine))
    assert (trap.record.kind, trap.record.address) == (TrapKind.OUT_OF_BOUNDS, 0)


# --- whole messages

MESSAGES = {
    "not-scaled-back": """\
error[SIM401]: kernel hostile: out-of-bounds load from global address 0x10001184 (4 bytes): 100 bytes after the end of buffer x [0x10001100, 0x10001120)
  --> <text>:13:5
   |
13 |     ld_global_u32 $s1, [$d4] // here
   |     ^^^^^^^^^^^^^^^^^^^^^^^^ ld_global_u32
   = note: work-item 33 (workgroup 1, warp 1, lane 5) at pc 8
   = help: guard the access, for example: cmp_ge_u32 $c0, $s0, $s1; cbr $c0, @done""",  # noqa: E501
    "group-over-the-end": """\
error[SIM401]: kernel hostile: out-of-bounds store to group address 12 (8 bytes): outside the group segment of 16 bytes, which shared[4] is a part of
  --> <text>:13:5
   |
13 |     st_group_u64 $d0, [shared+$s1] // here
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ st_group_u64
   = note: work-item 33 (workgroup 1, warp 1, lane 5) at pc 8
   = help: shared has 4 elements, and the workgroup 20 work-items: make the array larger, or the workgroup smaller with --block (or group_size=)""",  # noqa: E501
    "odd-store": """\
error[SIM402]: kernel hostile: misaligned store to global address 0x10001104: not a multiple of 8
  --> <text>:12:5
   |
12 |     st_global_f64 $d0, [$d1+4] // here
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^ st_global_f64
   = note: work-item 33 (workgroup 1, warp 1, lane 5) at pc 7
   = help: scale the index by 8, for example: mad_u64 $d0, $d1, 8, $d0""",
    "freed": """\
error[SIM403]: kernel hostile: load from global address 0x10002204: inside buffer gone, which was freed
  --> <text>:12:5
   |
12 |     ld_global_u32 $s1, [$d3+4] // here
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^ ld_global_u32
   = note: work-item 33 (workgroup 1, warp 1, lane 5) at pc 7
   = help: free the buffer only after its last launch""",  # noqa: E501
    "rem-s64": """\
error[SIM404]: kernel hostile: integer division by zero
  --> <text>:12:5
   |
12 |     rem_s64 $d9, $d0, $d10 // here
   |     ^^^^^^^^^^^^^^^^^^^^^^ rem_s64
   = note: work-item 33 (workgroup 1, warp 1, lane 5) at pc 7
   = help: guard the division with a compare and a branch""",
    "trap": """\
error[SIM409]: kernel hostile: trap instruction with code 77
  --> <text>:12:5
   |
12 |     trap 77 // here
   |     ^^^^^^^ trap
   = note: work-item 33 (workgroup 1, warp 1, lane 5) at pc 7""",
    "frozen": """\
error[SIM410]: kernel hostile: store to global address 0x10003308: inside buffer frozen, which is read-only
  --> <text>:12:5
   |
12 |     st_global_u32 $s1, [$d2+8] // here
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^ st_global_u32
   = note: work-item 33 (workgroup 1, warp 1, lane 5) at pc 7
   = help: pass a writable array""",  # noqa: E501
}  # fmt: skip


@every_way
@pytest.mark.parametrize("name", MESSAGES)
def test_the_report_names_kernel_line_work_item_address_and_buffer(
    name: str, engine: str, scheme: str
) -> None:
    launch = module(HOSTILE[name].text)["hostile"].launch(
        items=ITEMS, group_size=GROUP, warp=WIDTH, engine=engine, scheme=scheme
    )
    assert str(trap_of(launch, *Scene.make().arguments)) == MESSAGES[name]


@pytest.mark.parametrize(
    ("segment", "address", "end"),
    [
        ("group", "[big+$s0]", "of 256 bytes, which big[64] is a part of"),
        ("group", "[$s0-8]", "of 256 bytes"),
        ("private", "[own+$s0]", "of 8 bytes, which own[2] is a part of"),
    ],
)
def test_an_array_as_large_as_the_workgroup_is_not_to_blame(
    segment: str, address: str, end: str
) -> None:
    text = f"""
        kernel k() {{
            .group u32 big[64]
            .private u32 own[2]
            mov_u32 $s0, 4000
            st_{segment}_u32 $s0, {address}
            ret
        }}"""
    trap = trap_of(module(text)["k"].launch(items=64, group_size=64))
    first, *_, last = str(trap).splitlines()
    assert first.endswith(f"outside the {segment} segment {end}")
    assert last.endswith("the address is a byte offset: is the index scaled by the element size?")


def test_in_two_dimensions_positions_are_told_as_such() -> None:
    (k,) = simtlab.assemble(
        "kernel k() {\n workitemabsid_u32 $s0, 1\n div_u32 $s1, $s0, $s0\n ret\n}"
    )
    trap = trap_of(k.launch(items=(6, 4), group_size=(3, 2), warp=4))
    assert "work-item (0, 0, 0) (workgroup (0, 0, 0), warp 0, lane 0) at pc 1" in str(trap)
    (k,) = simtlab.assemble("kernel k() {\n workitemabsid_u32 $s0, 1\n sub_u32 $s0, $s0, 3\n"
                            " div_u32 $s1, $s0, $s0\n ret\n}")  # fmt: skip
    trap = trap_of(k.launch(items=(6, 4), group_size=(3, 2), warp=4))
    assert "work-item (0, 3, 0) (workgroup (0, 1, 0), warp 0, lane 3) at pc 2" in str(trap)


def test_without_a_line_table_the_pc_has_to_do() -> None:
    program = simtlab.assemble("kernel k() {\n nop\n trap 3\n}").program
    bare = replace(program, kernels=(replace(program.kernels[0], locations=()),), files=())
    (k,) = Module(bare)
    assert str(trap_of(k.launch(items=1))) == (
        "error[SIM409]: kernel k: trap instruction with code 3\n"
        " = note: work-item 0 (workgroup 0, warp 0, lane 0) at pc 1"
    )


def test_a_trap_is_the_same_after_pickling() -> None:
    launch = module(next(iter(HOSTILE.values())).text)["hostile"].launch(
        items=ITEMS, group_size=GROUP
    )
    trap = trap_of(launch, *Scene.make().arguments)
    again = pickle.loads(pickle.dumps(trap))
    assert type(again) is simtlab.Trap
    assert str(again) == str(trap)
    assert again.record == trap.record
    assert (again.workitem, again.lane, again.span) == (trap.workitem, trap.lane, trap.span)
    assert again.first == trap.first


def test_a_trap_in_a_process_of_a_pool_is_raised_where_its_result_is_asked_for() -> None:
    program = simtlab.assemble(
        "kernel out(global u32* %x) {\n    ld_kernarg_u64 $d0, [%x]\n"
        "    ld_global_u32 $s0, [$d0+64]\n    ret\n}"
    )
    launch = program["out"].launch(items=1)
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(simtlab.Trap, match="kernel out: out-of-bounds load"),
    ):
        pool.submit(launch, np.zeros(4, np.uint32)).result(timeout=600)
