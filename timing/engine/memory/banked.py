"""A first level with a bank per lane: all lines of an access are looked up together.

Engine code (DWS 3.3, MAWS 4); docs/timing/memory.md, rules 1 and 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, popcount

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, line_access, on_lanes_served
    from ..state import group
    from .coalesce import coalesce, wanted
    from .l1 import l1d
    from .lines import kind_of


@device
def simd_access(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Look up the lines of an access at once; see `hooks.simd_access`."""
    kind = kind_of(S, group(S, g).seg)
    n = coalesce(S, w, g, lanes)
    core = l1d(S, w)
    begin = max(t, core.free)
    core.free = begin + S.bank_steps
    begin = core.free - 1
    S.n_bank_wait += begin - t
    until_bank = begin & -(begin > t)
    hits = 0
    completion = 0
    for i in range(n):
        entry = wanted(S, i)
        S.line_lanes = popcount(entry.lanes)
        ready = line_access(S, w, entry.line, kind, begin)
        on_lanes_served(S, w, g, entry.lanes, ready)
        if S.line_hit == 1:
            # No lane is served sooner than a hit, so that a hit sets no boundary of the wait.
            hits |= entry.lanes
            S.access_hits_at = ready
            completion = max(completion, ready)
        elif ready > completion:
            completion = ready
            S.access_until_mshr = S.line_until_mshr
            S.access_until_l2 = S.line_until_l2
    S.access_hits = hits
    S.access_until_bank = until_bank
    return completion


def setup(machine: Machine) -> dict[str, Any]:
    """Return the counter of cycles that accesses waited for banks."""
    return {"n_bank_wait": 0}
