"""Hostile kernels, buffers to run them on, and the trap that a launch of them reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device, DeviceArray, Trap, TrapKind
from simtlab.emu.arguments import bind
from simtlab.emu.engine import Work, engine_names
from simtlab.emu.launch import Launch
from simtlab.emu.oracle.oracle import all_traps
from simtlab.emu.schemes import SCHEMES
from simtlab.isa.types import Segment

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
    "null": wild(
        "ld_global_u32 $s1, [$d9]", 0, "(4 bytes): every buffer is at 0x10000000 or above"
    ),
    "null-store": wild(
        "st_global_u64 $d0, [$d9+16]", 16, "(8 bytes): every buffer is at 0x10000000 or above"
    ),
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
        "ld_global_s8 $s1, [$d1-1]", -1, "1 byte before buffer x", "x"
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
    """A device with a buffer that is never written, one to write, a frozen one and a freed one."""

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


def _copy(argument: Any) -> Any:
    """A copy of an array of NumPy's; anything else itself."""
    if not isinstance(argument, np.ndarray):
        return argument
    copied = argument.copy()
    copied.flags.writeable = argument.flags.writeable
    return copied


def trap_of(launch: Launch, *arguments: Any) -> Trap:
    """The trap of a launch; its key is one of those that the oracle finds."""
    as_given = [_copy(argument) for argument in arguments]  # a launch that traps has stored, too
    with pytest.raises(Trap) as caught:
        launch(*arguments)
    trap = caught.value
    function = launch.function
    program = function.module.for_scheme(launch.scheme)
    kernel = program.kernel(function.name)
    bound = bind(kernel, as_given)
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
