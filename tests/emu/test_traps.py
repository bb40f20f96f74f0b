"""Hostile kernels: every engine and scheme reports a trap that the kernel has, and survives it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simtlab
from simtlab import Device, DeviceArray, Trap, TrapKind
from simtlab.emu.arguments import bind
from simtlab.emu.engine import Work, engine_names
from simtlab.emu.module import Launch, Module
from simtlab.emu.oracle.oracle import all_traps
from simtlab.emu.schemes import SCHEMES
from simtlab.isa.types import Segment
from simtlab.testing import Case, kernels

WAYS = [(name, "stack") for name in engine_names()] + [
    ("interp", scheme) for scheme in SCHEMES if scheme != "stack"
]
every_way = pytest.mark.parametrize(("engine", "scheme"), WAYS)

HERE = "// here"
"""Marks the line that traps."""

VICTIM = 33
"""The only work-item that runs a hostile text: workgroup 1, local id 13, so warp 1, lane 5."""

ITEMS, GROUP, WIDTH = 40, 20, 8

FRAME = """\
.readonly u32 T[2] = { 1, 2 }
kernel hostile(global u32* %x, global u32* %frozen, global u32* %gone) {
    .group u32 shared[4]
    .private u32 own[2]
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u64 $d2, [%frozen]
    ld_kernarg_u64 $d3, [%gone]
    cmp_ne_u32 $c0, $s0, VICTIM
    cbr $c0, @out
    BODY
@out:
    ret
}
kernel double(global u32* %x) {
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s1, [$d1]
    add_u32 $s1, $s1, $s1
    st_global_u32 $s1, [$d1]
    ret
}
"""
X_BYTES = 32
"""x holds eight u32."""


@dataclass(frozen=True)
class Hostile:
    """Instructions for the victim; the last one traps.

    `address` counts from the start of the buffer `base`, or is the address itself where there is
    none; `near` is the end of the message's first line.
    """

    body: str
    kind: TrapKind
    segment: Segment | None = None
    address: int = 0
    base: str = ""
    near: str = ""

    @property
    def text(self) -> str:
        body = "\n    ".join(line.strip() for line in self.body.split(";"))
        return FRAME.replace("VICTIM", str(VICTIM)).replace("BODY", f"{body} {HERE}")


def wild(body: str, address: int, near: str = "", base: str = "") -> Hostile:
    """A global access out of bounds."""
    return Hostile(body, TrapKind.OUT_OF_BOUNDS, Segment.GLOBAL, address, base, near)


def off(segment: Segment, body: str, offset: int) -> Hostile:
    """An offset outside its segment."""
    return Hostile(body, TrapKind.OUT_OF_BOUNDS, segment, offset)


G, P, R = Segment.GROUP, Segment.PRIVATE, Segment.READONLY

HOSTILE = {
    # --- pointers
    "null": wild("ld_global_u32 $s1, [$d9]", 0),
    "null-store": wild("st_global_u64 $d0, [$d9+16]", 16),
    "below-null": wild("ld_global_u8 $s1, [$d9-1]", (1 << 64) - 1),
    "around-the-top": wild("mov_u64 $d4, -2; ld_global_u32 $s1, [$d4+1024]", 1022),
    "last-bytes": wild("mov_u64 $d4, -8; st_global_u64 $d0, [$d4]", (1 << 64) - 8),
    "over-the-top": wild("mov_u64 $d4, -4; ld_global_u64 $d5, [$d4]", (1 << 64) - 4),
    "wild": wild("mov_u64 $d4, 0xdeadbeef00; ld_global_f32 $s1, [$d4]", 0xDEADBEEF00),
    "wild-atomic": wild(
        "mov_u64 $d4, 0xdeadbeef00; atomic_add_global_u32 [$d4], $s0", 0xDEADBEEF00
    ),
    "not-scaled-back": wild(
        "mad_u64 $d4, $d0, 4, $d1; ld_global_u32 $s1, [$d4]",
        4 * VICTIM, "100 bytes after the end of buffer x", "x",
    ),
    "huge-stride": wild(
        "shl_u64 $d4, $d0, 40; add_u64 $d4, $d4, $d1; ld_global_u8 $s1, [$d4]", VICTIM << 40,
        "bytes after the end of buffer behind", "x",
    ),
    "negative-index": wild(
        "mov_u64 $d4, -1; mad_s64 $d4, $d4, 4, $d1; st_global_u32 $s0, [$d4]",
        -4, "4 bytes before buffer x", "x",
    ),
    # --- edges
    "one-past": wild(
        f"ld_global_u32 $s1, [$d1+{X_BYTES}]", X_BYTES, "0 bytes after the end of buffer x", "x"
    ),
    "one-byte-past": wild(
        f"st_global_u8 $s1, [$d1+{X_BYTES}]", X_BYTES, "0 bytes after the end of buffer x", "x"
    ),
    "one-byte-before": wild(
        "ld_global_s8 $s1, [$d1-1]", -1, "1 bytes before buffer x", "x"
    ),
    "over-the-end": wild(
        f"st_global_u64 $d0, [$d1+{X_BYTES - 4}]", X_BYTES - 4, "runs over the end of buffer x", "x"
    ),
    "over-the-start": wild(
        "ld_global_u64 $d5, [$d1-4]", -4, "4 bytes before buffer x", "x"
    ),
    "last-byte-of-the-gap": wild(
        "sub_u64 $d4, $d3, 1; ld_global_u8 $s1, [$d4]", -1, "", "gone"
    ),
    # --- alignment
    "odd-load": Hostile(
        "ld_global_u32 $s1, [$d1+2]", TrapKind.MISALIGNED, Segment.GLOBAL, 2, "x",
        "not a multiple of 4",
    ),
    "odd-store": Hostile(
        "st_global_f64 $d0, [$d1+4]", TrapKind.MISALIGNED, Segment.GLOBAL, 4, "x",
        "not a multiple of 8",
    ),
    "odd-atomic": Hostile(
        "atomic_max_global_s64 $d4, [$d1+20], $d0", TrapKind.MISALIGNED, Segment.GLOBAL, 20, "x",
        "not a multiple of 8",
    ),
    "odd-in-group": Hostile(
        "mov_u32 $s1, 2; ld_group_u32 $s2, [$s1]", TrapKind.MISALIGNED, G, 2,
        near="not a multiple of 4",
    ),
    "odd-in-private": Hostile(
        "mov_u32 $s1, 1; st_private_u16 $s2, [own+$s1]", TrapKind.MISALIGNED, P, 1,
        near="not a multiple of 2",
    ),
    "odd-in-readonly": Hostile(
        "mov_u32 $s1, 3; ld_readonly_u32 $s2, [T+$s1]", TrapKind.MISALIGNED, R, 3,
        near="not a multiple of 4",
    ),
    # --- the other segments: group has 16 bytes, private and readonly 8
    "group-past": off(G, "mov_u32 $s1, 16; ld_group_u8 $s2, [$s1]", 16),
    "group-over-the-end": off(G, "mov_u32 $s1, 12; st_group_u64 $d0, [shared+$s1]", 12),
    "group-below": off(G, "mov_u32 $s1, 4; st_group_u32 $s1, [$s1-8]", -4),
    "group-atomic": off(G, "mov_u32 $s1, 9999; atomic_or_group_u32 $s2, [$s1], $s1", 9999),
    "group-no-wrap": off(G, "mov_u32 $s1, -1; ld_group_u8 $s2, [$s1+1]", 1 << 32),
    "private-past": off(P, "mov_u32 $s1, 8; st_private_u8 $s2, [own+$s1]", 8),
    "private-below": off(P, "mov_u32 $s1, 0; ld_private_u32 $s2, [$s1-4]", -4),
    "private-of-a-neighbour": off(P, "mov_u32 $s1, -8; ld_private_u32 $s2, [own+$s1]", 2**32 - 8),
    "readonly-past": off(R, "mov_u32 $s1, 8; ld_readonly_u32 $s2, [T+$s1]", 8),
    "readonly-below": off(R, "mov_u32 $s1, 0; ld_readonly_u8 $s2, [$s1-1]", -1),
    # --- life and rights of buffers
    "freed": Hostile(
        "ld_global_u32 $s1, [$d3+4]", TrapKind.FREED, Segment.GLOBAL, 4, "gone",
        "inside buffer gone, which was freed",
    ),
    "freed-store": Hostile(
        "st_global_u8 $s1, [$d3+31]", TrapKind.FREED, Segment.GLOBAL, 31, "gone",
        "inside buffer gone, which was freed",
    ),
    "freed-before-alignment": Hostile(
        "ld_global_u32 $s1, [$d3+1]", TrapKind.FREED, Segment.GLOBAL, 1, "gone",
        "inside buffer gone, which was freed",
    ),
    "frozen": Hostile(
        "st_global_u32 $s1, [$d2+8]", TrapKind.READ_ONLY, Segment.GLOBAL, 8, "frozen",
        "inside buffer frozen, which is read-only",
    ),
    "frozen-atomic": Hostile(
        "atomic_cas_global_u32 $s1, [$d2], $s2, $s2", TrapKind.READ_ONLY, Segment.GLOBAL, 0,
        "frozen", "inside buffer frozen, which is read-only",
    ),
    # --- arithmetic and the trap instruction
    **{
        f"{stem}-{type_}": Hostile(
            f"{stem}_{type_} {r}9, {r}0, {r}10", TrapKind.DIVIDE_BY_ZERO,
            near="integer division by zero",
        )
        for stem in ("div", "rem")
        for type_, r in (("u32", "$s"), ("s32", "$s"), ("u64", "$d"), ("s64", "$d"))
    },
    "div-by-immediate": Hostile(
        "div_u32 $s9, $s0, 0", TrapKind.DIVIDE_BY_ZERO, near="integer division by zero"
    ),
    "trap": Hostile("trap 77", TrapKind.TRAP, near="trap instruction with code 77"),
}  # fmt: skip


@dataclass
class Scene:
    """A device with a buffer that nobody writes, one to write, a frozen one and a freed one."""

    device: Device
    arrays: dict[str, DeviceArray]

    @classmethod
    def make(cls) -> Scene:
        device = Device()
        content = np.arange(X_BYTES // 4, dtype=np.uint32)
        frozen = content + 500
        frozen.flags.writeable = False
        arrays = {
            "witness": device.to_device(content + 700, "witness"),
            "x": device.to_device(content, "x"),
            "gone": device.to_device(content, "gone"),
            "frozen": device.map(frozen, "frozen"),
            "behind": device.to_device(content + 900, "behind"),
        }
        arrays["gone"].free()
        return cls(device, arrays)

    @property
    def arguments(self) -> tuple[DeviceArray, ...]:
        return self.arrays["x"], self.arrays["frozen"], self.arrays["gone"]

    def content(self) -> dict[str, list[int]]:
        return {k: a.to_host().tolist() for k, a in self.arrays.items() if k != "gone"}


@cache
def module(text: str) -> simtlab.Module:
    return simtlab.assemble(text)


def trap_of(launch: Launch, *arguments: Any) -> Trap:
    """The trap of a launch; its key is one of those that the oracle finds."""
    with pytest.raises(Trap) as caught:
        launch(*arguments)
    trap = caught.value
    function = launch.function
    program = function.module.for_scheme(launch.scheme)
    kernel = program.kernel(function.name)
    bound = bind(kernel, arguments)
    work = Work(
        program,
        kernel,
        launch.geometry,
        bound.kernargs,
        bound.memory,
        budget=launch.budget,
        exited_arrive=launch.exited_arrive,
    )
    found = all_traps(work)
    bound.finish()
    if trap.record.kind is TrapKind.BUDGET:
        assert TrapKind.BUDGET in {kind for kind, *_ in found}
    else:
        assert trap.record.key in found
    return trap


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if HERE in line)


@every_way
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_access_traps_where_it_stands_and_harms_nobody(
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


# --- barriers

BARRIERS = {
    "half of a warp returned": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    cmp_lt_u32 $c0, $s0, 4
    cbr $c0, @out
    barrier // here
@out:
    ret
}
""",
    "half of a warp goes around": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    and_u32 $s1, $s0, 1
    cvt_b1_u32 $c0, $s1
    cbr $c0, @out
    barrier // here
@out:
    nop
    ret
}
""",
    "two barriers": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    cmp_ge_u32 $c0, $s0, 12
    cbr $c0, @other
    barrier // here
    ret
@other:
    barrier
    ret
}
""",
    "a whole warp returned": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    cmp_lt_u32 $c0, $s0, 8
    cbr $c0, @out
    barrier // here
@out:
    ret
}
""",
    "once more": """\
kernel k(global u32* %x) {
    workitemflatid_u32 $s0
    cmp_ge_u32 $c0, $s0, 8
@again:
    barrier // here
    cbr $c0, @again
    ret
}
""",
}


@every_way
@pytest.mark.parametrize("name", BARRIERS)
def test_a_barrier_that_not_all_come_to_traps(name: str, engine: str, scheme: str) -> None:
    text = BARRIERS[name]
    device = Device()
    x = device.to_device(np.arange(3, dtype=np.uint32))
    launch = module(text)["k"].launch(
        items=48, group_size=16, warp=8, engine=engine, scheme=scheme, budget=1000
    )
    trap = trap_of(launch, x)
    assert trap.record.kind is TrapKind.DIVERGENT_BARRIER
    assert trap.span is not None
    # Where work-items wait at two barriers, either one is where it went wrong.
    lines = [n for n, line in enumerate(text.splitlines(), 1) if "barrier" in line]
    assert trap.span.line in lines
    assert x.to_host().tolist() == [0, 1, 2]


DIVERGENT = """\
error[SIM405]: kernel k: divergent barrier: {}
 --> <text>:5:5
  |
5 |     barrier // here
  |     ^^^^^^^ barrier
  = note: work-item {item} (workgroup 0, warp {warp}, lane {lane}) at pc 3
  = help: every work-item of a workgroup must execute the same barrier equally often; move it out of the branch"""  # noqa: E501


@pytest.mark.parametrize(
    ("name", "engine", "scheme", "detail", "item"),
    [
        ("half of a warp returned", "oracle", "stack",
         "of the workgroup's work-items, 4-15 wait at pc 3 (line 5), 0-3 have returned", 4),
        ("half of a warp returned", "interp", "stack",
         "only lanes 4-7 of the warp reach this barrier, lanes 0-3 are at line 7", 4),
        ("half of a warp returned", "interp", "per-thread",
         "of the workgroup, 12 work-items wait at line 5, 4 have returned", 4),
        ("a whole warp returned", "interp", "ppc",
         "of the workgroup, 8 work-items wait at line 5, 8 have returned", 8),
        ("two barriers", "oracle", "stack",
         "of the workgroup's work-items, 0-11 wait at pc 3 (line 5), 12-15 wait at pc 5 (line 8)",
         0),
        ("two barriers", "interp", "per-thread",
         "of the workgroup, 12 work-items wait at line 5, 4 work-items wait at line 8", 0),
    ],
)  # fmt: skip
def test_the_report_of_a_divergent_barrier_tells_who_waits_where(
    name: str, engine: str, scheme: str, detail: str, item: int
) -> None:
    launch = module(BARRIERS[name])["k"].launch(
        items=48, group_size=16, warp=8, engine=engine, scheme=scheme
    )
    trap = trap_of(launch, np.zeros(1, np.uint32))
    assert str(trap) == DIVERGENT.format(detail, item=item, warp=item // 8, lane=item % 8)


EARLY_OUT = """\
kernel k(global u32* %x) {
    .group u32 t[16]
    workitemflatid_u32 $s0
    ld_kernarg_u64 $d1, [%x]
    mul_u32 $s1, $s0, 4
    st_group_u32 $s0, [t+$s1]
    cmp_lt_u32 $c0, $s0, LIMIT
    cbr $c0, @out
    barrier
    xor_u32 $s1, $s1, 4
    ld_group_u32 $s2, [t+$s1]
    workitemflatabsid_u32 $s3
    cvt_u64_u32 $d0, $s3
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s2, [$d1]
    ret
@out:
    ret
}
"""


ASSERTION = EARLY_OUT.replace("cbr $c0, @out", "cbr $c0, @fine\n    trap 3\n@fine:")


@every_way
def test_a_barrier_may_stand_behind_an_assertion(engine: str, scheme: str) -> None:
    def launch(limit: int) -> Launch:
        text = ASSERTION.replace("LIMIT", str(limit))
        return module(text)["k"].launch(
            items=16, group_size=16, warp=8, engine=engine, scheme=scheme
        )

    x = np.zeros(16, np.uint32)
    launch(16)(x)
    assert x.tolist() == [i ^ 1 for i in range(16)]
    trap = trap_of(launch(11), x)
    assert (trap.record.kind, trap.record.code) == (TrapKind.TRAP, 3)


@every_way
@pytest.mark.parametrize("limit", [0, 3, 8, 12])
def test_with_exited_arrive_those_that_returned_are_not_waited_for(
    limit: int, engine: str, scheme: str
) -> None:
    # The early-outs stand behind the others, so that lock-step schemes must run them first.
    follows = engine == "interp" and scheme in ("stack", "ipdom-explicit")
    first_path = {"first-path": "taken"} if follows else {}
    x = np.full(32, 99, np.uint32)
    text = EARLY_OUT.replace("LIMIT", str(limit))
    launch = module(text)["k"].launch(
        items=32, group_size=16, warp=8, engine=engine, scheme=scheme, exited_arrive=True,
        knobs=first_path,
    )  # fmt: skip
    if limit in (3, 12) and (engine == "jit" or scheme in ("ppc", "ppc-explicit")):
        # The fall-through, or the side with the smaller PC, runs first: it reaches the barrier
        # before the others return.
        with pytest.raises(Trap, match=f"only lanes {limit % 8}-7 of the warp reach this barrier"):
            launch(x)
        return
    launch(x)
    local = np.arange(32) % 16
    assert x.tolist() == np.where(local < limit, 99, local ^ 1).tolist()
    if limit:
        strict = replace(launch, exited_arrive=False)
        assert trap_of(strict, x).record.kind is TrapKind.DIVERGENT_BARRIER


# --- budget

LOOPS = {
    "forward": "@loop:\n add_u32 $s1, $s1, 1\n br @loop",
    "of one work-item": "@loop:\n add_u32 $s1, $s1, 1\n cmp_eq_u32 $c0, $s0, 9\n cbr $c0, @loop",
    "of a warp": "@loop:\n add_u32 $s1, $s1, 1\n cmp_ge_u32 $c0, $s0, 8\n cbr $c0, @loop",
}


@every_way
@pytest.mark.parametrize("name", LOOPS)
def test_an_endless_loop_ends_with_the_budget(name: str, engine: str, scheme: str) -> None:
    text = f"kernel k(global u32* %x) {{\n workitemflatabsid_u32 $s0\n {LOOPS[name]}\n ret\n}}"
    x = Device().to_device(np.arange(3, dtype=np.uint32))
    launch = module(text)["k"].launch(
        items=16, group_size=16, warp=8, engine=engine, scheme=scheme, budget=500
    )
    trap = trap_of(launch, x)
    assert trap.record.kind is TrapKind.BUDGET
    assert "error[SIM406]: kernel k: instruction budget exhausted: " in str(trap)
    assert "executed 500 instructions" in str(trap)
    assert "raise it with --budget (or budget=)" in str(trap)
    assert x.to_host().tolist() == [0, 1, 2]


# Native code looks at the budget where it jumps back.
@pytest.mark.parametrize(("engine", "scheme"), [w for w in WAYS if w[0] in ("interp", "oracle")])
def test_the_budget_is_exact(engine: str, scheme: str) -> None:
    text = "kernel k(global u32* %x) {\n nop\n nop\n nop\n ret\n}"
    x = np.zeros(1, np.uint32)

    def launch(budget: int) -> Launch:
        return module(text)["k"].launch(items=40, budget=budget, engine=engine, scheme=scheme)

    launch(4)(x)
    trap = trap_of(launch(3), x)
    assert trap.record.kind is TrapKind.BUDGET


# --- random kernels with one hostile instruction

SIZES = {"u8": 1, "s16": 2, "u32": 4, "f64": 8}


@st.composite
def hostile_lines(draw: st.DrawFn) -> list[str]:
    """An instruction that may trap, for some work-items or all. Uses registers from 50 on."""
    lines = [f"and_u32 $s50, $s40, {draw(st.sampled_from((0, 1, 3, 31)))}"]
    type_ = draw(st.sampled_from(sorted(SIZES)))
    register = "$d52" if SIZES[type_] == 8 else "$s52"
    kind = draw(
        st.sampled_from(("global", "global", "group", "private", "readonly", "div", "trap"))
    )
    if kind == "trap":
        lines += ["cmp_ne_u32 $c50, $s50, 1", "cbr $c50, @TRAP", "trap 5", "@TRAP:"]
    elif kind == "div":
        stem, t = draw(st.sampled_from(("div", "rem"))), draw(st.sampled_from(("u32", "s32")))
        lines.append(f"{stem}_{t} $s51, $s40, $s50")
    elif kind == "global":
        # Stores go where they trap for certain: a store into a live buffer would be a race.
        does_store = draw(st.booleans())
        bases = ("INPUT", "null", "wild") if does_store else ("INPUT", "ROW", "SHARED", "wild")
        base = draw(st.sampled_from(bases))
        start = {"INPUT": "$d42", "ROW": "$d40", "SHARED": "$d43"}.get(base)
        stride = draw(st.sampled_from((0, 1, 2, 4, 8, 256, -4, 1 << 20)))
        offset = draw(st.sampled_from((0, 1, -1, 2, -4, 4, 8, 252, 255, 256, 4096, -8_000_000)))
        if start is None:
            value = draw(st.sampled_from((1 << 63, (1 << 64) - 8, 1 << 40, 0x0FFF_FFFC)))
            lines.append(f"mov_u64 $d50, {value if base == 'wild' else 0}")
        else:
            lines.append(f"mov_u64 $d50, {start}")
        lines += ["cvt_u64_u32 $d51, $s50", f"mad_s64 $d50, $d51, {stride}, $d50"]
        lines.append(
            f"st_global_{type_} {register}, [$d50{offset:+}]"
            if does_store
            else f"ld_global_{type_} {register}, [$d50{offset:+}]"
        )
    else:
        stride = draw(st.sampled_from((0, 1, 4, 8, 1 << 16, -8)))
        start = draw(st.sampled_from((0, 4, 24, 120, 600, 1 << 20, (1 << 32) - 4)))
        offset = draw(st.sampled_from((0, 0, 1, 8, -1, -4)))
        lines += [f"mov_u32 $s51, {start}", f"mad_s32 $s51, $s50, {stride}, $s51"]
        lines.append(f"ld_{kind}_{type_} {register}, [$s51{offset:+}]")
    return lines


@st.composite
def hostile_kernels(draw: st.DrawFn) -> Case:
    """A random kernel with one hostile instruction at any place of its body."""
    return draw(kernels(inserted=hostile_lines()))


def check_hostile(case: Case) -> None:
    """Every scheme agrees with the oracle that all is well, or reports one of its traps."""
    (function,) = case.module
    g = case.geometry
    names = [parameter.name for parameter in function.kernel.params]

    def arguments() -> list[Any]:
        arrays = case.arguments()
        for name, array in zip(names, arrays, strict=True):
            assert isinstance(array, np.ndarray)
            array.flags.writeable = name != "input"
        return list(arrays)

    def frozen(arrays: list[Any]) -> list[bytes]:
        return [a.tobytes() for a in arrays if not a.flags.writeable]

    def launch(engine: str, scheme: str) -> Launch:
        return function.launch(
            items=g.items, group_size=g.group_size, warp=g.width, engine=engine, scheme=scheme,
            budget=1 << 20,
        )  # fmt: skip

    expected = arguments()
    try:
        launch("oracle", "stack")(*expected)
    except Trap:
        for engine, scheme in WAYS:
            given = arguments()
            trap_of(launch(engine, scheme), *given)
            assert frozen(given) == frozen(expected)
        return
    # A wild store of all work-items that happens to be legal is a race: its outcome is anyone's.
    is_race = any(line.startswith(("st_", "atomic_")) for line in case.source.splitlines())
    for engine, scheme in WAYS:
        given = arguments()
        launch(engine, scheme)(*given)
        assert is_race or all(
            a.tobytes() == b.tobytes() for a, b in zip(given, expected, strict=True)
        )


@settings(max_examples=60)
@given(hostile_kernels())
def test_a_random_hostile_kernel_traps_only_as_the_oracle_does(case: Case) -> None:
    check_hostile(case)


@pytest.mark.slow
@settings(max_examples=2000)
@given(hostile_kernels())
def test_thousands_of_hostile_kernels_trap_only_as_the_oracle_does(case: Case) -> None:
    check_hostile(case)
