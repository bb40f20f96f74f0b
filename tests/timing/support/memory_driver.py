"""Engine code for tests: feeds a memory system with accesses at given times, without a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simtlab.timing.engine.intrinsics import device, record, table

if TYPE_CHECKING:
    from simtlab.timing.engine.hooks import State, line_access, simd_access
    from simtlab.timing.engine.memory.icache import code_line
    from simtlab.timing.engine.memory.lines import FETCH
    from simtlab.timing.engine.state import group, warp

REQUEST = record(
    w="i8", line="i8", kind="i8", lanes="i8", t="i8", ready="i8", hit="i8", mshr="i8", l2="i8"
)
request = table("request", REQUEST)

SIMD = record(
    w="i8", seg="i8", block="i8", mask="i8", t="i8", ready="i8", hits="i8", bank="i8", mshr="i8",
    l2="i8",
)  # fmt: skip
simd = table("simd", SIMD)


@device
def drive_lines(S: State, n: int) -> int:
    """Look up n lines, one after the other."""
    for i in range(n):
        it = request(S, i)
        if it.kind == FETCH:
            it.ready = code_line(S, it.w, it.line, it.t)
            continue
        S.line_lanes = it.lanes
        it.ready = line_access(S, it.w, it.line, it.kind, it.t)
        it.hit = S.line_hit
        it.mshr = S.line_until_mshr if S.line_hit == 0 else 0
        it.l2 = S.line_until_l2 if S.line_hit == 0 else 0
    return 0


@device
def drive_simd(S: State, n: int) -> int:
    """Make n accesses, each by the first group of a WPU's first warp."""
    for i in range(n):
        it = simd(S, i)
        v = it.w * S.warps
        warp(S, v).block = it.block
        group(S, v * S.width).seg = it.seg
        group(S, v * S.width).warp = v
        it.ready = simd_access(S, it.w, v * S.width, it.mask, it.t)
        it.hits = S.access_hits
        it.bank = S.access_until_bank
        it.mshr = S.access_until_mshr
        it.l2 = S.access_until_l2
    return 0


def setup(machine: Any) -> dict[str, Any]:
    """The tables are given with each run."""
    return {"request": 0, "simd": 0}
