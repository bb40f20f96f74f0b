"""Kernels with mistakes to be found, and sessions over them."""

from __future__ import annotations

from typing import Any

import numpy as np

import simtlab
from simtlab.debugger.session import Session

from ...emu.support.locks import SPIN_LOCK

AFFINE = """\
// y[i] = a * |x[i]| + b
kernel affine(s32 %a, s32 %b, global s32* %x, global s32* %y) {
    workitemabsid_u32  $s0, 0
    cvt_u64_u32        $d0, $s0
    ld_kernarg_u64     $d1, [%x]
    mad_u64            $d1, $d0, 4, $d1
    ld_global_s32      $s3, [$d1]
    ld_kernarg_s32     $s4, [%a]
    ld_kernarg_s32     $s5, [%b]
    cmp_ge_s32         $c0, $s3, 0
    cbr                $c0, @positive
    mov_u32            $s5, 0
    sub_s32            $s3, $s5, $s3
@positive:
    mad_s32            $s6, $s3, $s4, $s5
    ld_kernarg_u64     $d1, [%y]
    mad_u64            $d1, $d0, 4, $d1
    st_global_s32      $s6, [$d1]
    ret
}
"""
"""The negative path, which only lane 3 takes, uses $s5, which holds b."""

X = np.array([5, 1, 4, -7, 2, 6, 3, 8], np.int32)

ON_CHIP = """\
kernel turn(global u32* %x, global u32* %y) {
    .group u32 part[4]
    .private u32 own[2]
    workitemid_u32     $s0, 0
    workitemabsid_u32  $s1, 0
    cvt_u64_u32        $d0, $s1
    ld_kernarg_u64     $d1, [%x]
    mad_u64            $d1, $d0, 4, $d1
    ld_global_u32      $s2, [$d1]
    mul_u32            $s3, $s0, 4
    st_group_u32       $s2, [part+$s3]
    st_private_u32     $s1, [own+4]
    barrier
    sub_u32            $s3, 12, $s3
    ld_group_u32       $s4, [part+$s3]
    ld_kernarg_u64     $d1, [%y]
    mad_u64            $d1, $d0, 4, $d1
    st_global_u32      $s4, [$d1]
    ret
}
"""
"""Each workgroup of four turns its elements round, through group memory."""


def line_of(text: str) -> int:
    """Return the number of the line of AFFINE that has a text."""
    (found,) = [n for n, line in enumerate(AFFINE.splitlines(), 1) if text in line]
    return found


def affine(**options: Any) -> Session:
    """Return a session over AFFINE on eight work-items."""
    y = np.zeros(8, np.int32)
    launch = simtlab.record(simtlab.assemble(AFFINE).affine, items=8, **_usual(options))
    return Session(launch(2, 100, X.copy(), y))


def on_chip(**options: Any) -> Session:
    """Return a session over ON_CHIP on three workgroups of four."""
    launch = simtlab.record(
        simtlab.assemble(ON_CHIP).turn, items=12, group_size=4, **_usual(options)
    )
    return Session(launch(np.arange(100, 112, dtype=np.uint32), np.zeros(12, np.uint32)))


def hung() -> Session:
    """Return a session over SPIN_LOCK, which has ended in a SIMT deadlock."""
    launch = simtlab.record(simtlab.assemble(SPIN_LOCK).lock, items=4, warp=4)
    try:
        launch(np.zeros(1, np.uint32), np.zeros(1, np.uint32))
    except simtlab.Trap:
        assert launch.recording is not None
        return Session(launch.recording)
    raise AssertionError("it should hang")


def _usual(options: dict[str, Any]) -> dict[str, Any]:
    return options if "policy" in options or "warp" in options else {"warp": 8, **options}
