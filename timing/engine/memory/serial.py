"""A first level with one port: the lines of an access are looked up one after the other.

Engine code (LWM, Q-LWM-8). An access of n lines holds the memory stage for n cycles, n - 1 of which
are bubbles in the pipeline. The port serves one whole line per cycle, so that banks do not matter.
Lanes of an atomic take turns even on one line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device, popcount

if TYPE_CHECKING:
    from ..hooks import State, line_access, on_lanes_served
    from ..state import group
    from .coalesce import coalesce, wanted
    from .lines import ATOMIC, kind_of


@device
def simd_access(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Look up the lines of an access in turn; see `hooks.simd_access`."""
    kind = kind_of(S, group(S, g).seg)
    hits = 0
    completion = 0
    lookup_cycle = t
    for i in range(coalesce(S, w, g, lanes)):
        entry = wanted(S, i)
        S.line_lanes = popcount(entry.lanes)
        if kind == ATOMIC:
            lookup_cycle += S.line_lanes - 1
        ready = line_access(S, w, entry.line, kind, lookup_cycle)
        on_lanes_served(S, w, g, entry.lanes, ready)
        if S.line_hit == 1:
            hits |= entry.lanes
            S.access_hits_at = max(S.access_hits_at, ready)
        if ready > completion:
            completion = ready
            S.access_until_bank = lookup_cycle
            S.access_until_mshr = S.line_until_mshr
            S.access_until_l2 = S.line_until_l2
        lookup_cycle += 1
    S.access_hits = hits
    S.access_bubbles = lookup_cycle - t - 1
    return completion
