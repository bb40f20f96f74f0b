"""The books of a launch: cycles without an owner get one, and all sums are checked.

The engine charges a wait when it ends, and closes the books of a launch that ends (account.py).
Where a launch is cut short, cycles are charged to what each warp was waiting for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..compiler.engine_state import EngineState
from ..engine.causes import BANK, BARRIER, IDLE, ISSUED, L2, MSHR, N_CAUSES, NAMES, READY


def close_early(state: EngineState) -> None:
    """End every wait now, in the middle of a launch that is given up."""
    S, rows = state.S, state.rows
    wpus, warps = int(S.wpus), int(S.warps)
    now = max(int(S.now), int(rows["wpu"]["busy"].max()), int(rows["warp"]["busy"].max()))
    S.now = now
    slots = rows["slot_cycles"]["cycles"].reshape(wpus, N_CAUSES)
    contexts = rows["warp_cycles"]["cycles"].reshape(wpus, N_CAUSES)
    segments = rows["seg_cycles"]["cycles"].reshape(-1, N_CAUSES)
    ready = rows["ready_at"]["t"]
    for w in range(wpus):
        first = -1
        for v in range(w * warps, (w + 1) * warps):
            g = _next_group(state, v)
            for cause, cycles in _shares(state, g, int(rows["warp"]["busy"][v]), now):
                contexts[w, cause] += cycles
                if g >= 0:
                    segments[rows["group"]["seg"][g], cause] += cycles
            if g >= 0 and (first < 0 or ready[g] < ready[first]):
                first = g
        for cause, cycles in _shares(state, first, int(rows["wpu"]["busy"][w]), now):
            slots[w, cause] += cycles
    rows["wpu"]["busy"] = now
    rows["warp"]["busy"] = now
    for field in ("live", "groups", "depth"):
        rows["warp"][field] = 0
    cores = rows["wpu"]
    cores["group_cycles"] += cores["groups"] * (now - cores["groups_at"])
    cores["groups"] = 0


def groups_of(state: EngineState, v: int) -> list[int]:
    """Return the groups of a warp context, in ascending order."""
    mask = state.columns["warp"].groups[v] & (1 << 64) - 1
    first = v * int(state.S.width)
    found: list[int] = []
    while mask:
        found.append(first + (mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return found


def _next_group(state: EngineState, v: int) -> int:
    """Return the group of a warp that is ready first, -1 for none."""
    groups = state.rows["group"]
    found = {int(groups["lead"][g]) for g in groups_of(state, v)}
    ready = state.rows["ready_at"]["t"]
    return min(found, key=lambda g: (int(ready[g]), g)) if found else -1


def _shares(state: EngineState, g: int, since: int, now: int) -> Iterator[tuple[int, int]]:
    """Yield (cause, cycles) of a group's wait from `since` to `now`, as `account.charge_wait`."""
    if g < 0:
        yield IDLE, now - since
        return
    row = state.rows["group"][g]
    for until, cause in (
        (row["until_bank"], BANK),
        (row["until_mshr"], MSHR),
        (row["until_l2"], L2),
        (state.rows["ready_at"]["t"][g], row["cause"]),
        (now, READY),
    ):
        until = min(int(until), now)
        if until > since:
            yield int(cause), until - since
            since = until


def check(
    state: EngineState, segments: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]]
) -> None:
    """Raise AssertionError unless every issue slot, warp-cycle and lane has exactly one owner.

    `segments` are the tables of all code that ran: (segments, their cycles, their counts).
    """
    S, rows = state.S, state.rows
    wpus, warps, width, now = int(S.wpus), int(S.warps), int(S.width), int(S.now)
    slots = rows["slot_cycles"]["cycles"].reshape(wpus, N_CAUSES)
    contexts = rows["warp_cycles"]["cycles"].reshape(wpus, N_CAUSES)
    _equal("lanes that have not returned", rows["warp"]["live"], 0)
    for what, cycles in (("issue slots", slots), ("warp-cycles", contexts)):
        _equal(f"{what} before their time", np.minimum(cycles, 0), 0)
    _equal("issue slots of a WPU", slots.sum(axis=1), now)
    _equal("warp-cycles of a WPU", contexts.sum(axis=1), now * warps)
    issued, lanes = rows["wpu"]["n_warp_instr"], rows["wpu"]["n_thread_instr"]
    widths = rows["width_count"]["cycles"].reshape(wpus, width + 1)
    _equal("issued instructions by width", widths.sum(axis=1), issued)
    took = widths @ np.arange(width + 1) + rows["wpu"]["n_riding"]
    _equal("lanes of issued instructions", took, lanes)
    _equal("slots that issued", slots[:, ISSUED], issued)
    by_line = np.zeros(N_CAUSES, np.int64)
    runs = work = 0
    for table, cycles, counts in segments:
        by_line += cycles["cycles"].reshape(-1, N_CAUSES).sum(axis=0)
        runs += int(counts["runs"] @ table["n_instr"])
        work += int(counts["lanes"] @ table["n_instr"])
    _equal("instructions of all lines", runs, issued.sum())
    _equal("lanes of all lines", work, lanes.sum())
    for cause, name in enumerate(NAMES):
        if cause not in (IDLE, BARRIER):  # with these causes a warp may be at no line
            _equal(f"{name} of all lines", by_line[cause], contexts[:, cause].sum())


def _equal(what: str, found: np.ndarray | int, expected: np.ndarray | int) -> None:
    if not np.equal(found, expected).all():
        raise AssertionError(f"{what}: {found}, expected {expected}")
