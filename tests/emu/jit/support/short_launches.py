"""A small kernel, and its launches by the shorter way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import simtlab
from simtlab.emu.jit.launch import again, engine, order_again
from simtlab.emu.launch import Launch
from simtlab.emu.result import Result

SOURCE = """
kernel scale(u32 %n, f32 %a, s16 %b, global f32* %x, global f32* %y) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u32     $s1, [%n]
    cmp_ge_u32         $c0, $s0, $s1
    cbr                $c0, @done
    cvt_u64_u32        $d0, $s0
    ld_kernarg_u64     $d1, [%x]
    ld_kernarg_u64     $d2, [%y]
    mad_u64            $d1, $d0, 4, $d1
    mad_u64            $d2, $d0, 4, $d2
    ld_global_f32      $s2, [$d1]
    ld_kernarg_f32     $s3, [%a]
    ld_kernarg_s16     $s4, [%b]
    cvt_f32_s32        $s4, $s4
    fma_f32            $s2, $s2, $s3, $s4
    st_global_f32      $s2, [$d2]
@done:
    ret
}
kernel turn(u32 %n, global u32* %x) {
    ld_kernarg_u32     $s0, [%n]
    ld_kernarg_u64     $d0, [%x]
@loop:
    sub_u32            $s0, $s0, 1
    cmp_ne_u32         $c0, $s0, 0
    cbr                $c0, @loop
    st_global_u32      $s0, [$d0]
    ret
}
"""
PROGRAM = simtlab.assemble(SOURCE)
N = 64

HOURS = 1e4
"""Seconds that no launch takes."""


def scale() -> Launch:
    return PROGRAM["scale"].launch(items=N, group_size=16)


def short(monkeypatch: pytest.MonkeyPatch, seconds: float, alone: float = 0.0) -> None:
    """Let calls of so many seconds be short, and those that get one thread."""
    for module in (again, engine):
        monkeypatch.setattr(module, "SHORT", seconds)
        monkeypatch.setattr(module, "SHORT_ALONE", alone)


def short_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let launches be short however long they take, as on a host with much else to do."""
    short(monkeypatch, HOURS, HOURS)
    monkeypatch.setattr(engine, "SHORT_KNOWN", HOURS)
    monkeypatch.setattr(order_again, "SHORT_ALONE", HOURS)


@contextmanager
def memory_of_others() -> Iterator[None]:
    """Let other threads have the memory that launches in the interpreter's order take in turns."""
    cells = [room.cell for room in order_again._ROOMS.values()]
    places = [cell[0] for cell in cells]
    for cell in cells:
        cell[0] = 0
    try:
        yield
    finally:
        for cell, place in zip(cells, places, strict=True):
            cell[0] = place


def shorter(launch: Launch) -> Any:
    """The shorter way of a launch that is warm."""
    return launch._prepared.kept.get("again")


def run_short(launch: Launch, args: tuple[object, ...]) -> Any:
    """Run a launch by the shorter way; None if the longer one must run it."""
    again = shorter(launch)
    found = again.native(args)
    return found if isinstance(found, Result) else again.finish(args, found)


def warm(launch: Launch, *args: object) -> None:
    """Call a launch, which is run by the shorter way from then on."""
    launch(*args)
    assert shorter(launch) is not None, "the call of a small kernel was not short"
