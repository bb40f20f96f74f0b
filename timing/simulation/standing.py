"""Where the lanes of a warp stand: in a group, or in what each policy keeps instead of one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..compiler.compose import EngineState
from ..engine.causes import BARRIER
from ..engine.intrinsics import NEVER
from .books import groups_of

NO_SLOT = -2
"""As in groups.py, which is engine code: at an access, a group that is left behind (DWS-19)."""


def grouped(state: EngineState, v: int) -> list[tuple[int, int, bool]]:
    """(mask, pc, whether it will be ready) of the groups of a warp that are not left behind."""
    found: list[tuple[int, int, bool]] = []
    for g in groups_of(state, v):
        lanes = mask_of(state.rows["group"][g]["mask"])
        if lanes and not is_held(state, g):
            found.append((lanes, pc_of(state, g), ready_at(state, g) < NEVER))
    return found


def parked(state: EngineState, v: int) -> list[tuple[int, int]]:
    """(mask, pc) of lanes of a warp that wait until others of it come or are through."""
    rows = state.rows
    placed, found = 0, dict[int, int]()
    for lanes, _, _ in grouped(state, v):
        placed |= lanes
    for mask, segment, end in _kept(state, v):
        lanes = mask & mask_of(rows["warp"]["live"][v]) & ~placed
        placed |= lanes
        if lanes:
            pc = int(rows["seg"][segment][end])
            found[pc] = found.get(pc, 0) | lanes
    return [(lanes, pc) for pc, lanes in found.items()]


def pc_of(state: EngineState, g: int) -> int:
    """Where a group stands: at an access or barrier that it has issued, else at what comes next."""
    it = state.rows["group"][int(state.rows["group"]["lead"][g])]
    segment, end = int(it["seg"]), "last_pc" if it["at_memory"] else "first_pc"
    if it["cause"] == BARRIER and ready_at(state, g) == NEVER:
        segment, end = segment - 1, "last_pc"  # it will go on behind the barrier
    return int(state.rows["seg"][segment][end])


def ready_at(state: EngineState, g: int) -> int:
    """When a group can be picked, with those that it issues with."""
    return int(state.rows["ready_at"]["t"][int(state.rows["group"]["lead"][g])])


def is_held(state: EngineState, g: int) -> bool:
    """Whether a group is left behind until others come for it."""
    it = state.rows["group"][g]
    return bool(it["slot"] == NO_SLOT and it["at_memory"])


def _kept(state: EngineState, v: int) -> Iterator[tuple[int, int, str]]:
    """Masks and segments wherever policies keep them, those above before those below.

    With them comes whether lanes stand in front of the segment or at its end.
    """
    rows, S, width = state.rows, state.S, int(state.S.width)
    depth = int(rows["warp"]["depth"][v])
    for g in groups_of(state, v):
        if is_held(state, g):
            yield mask_of(rows["group"][g]["mask"]), int(rows["group"][g]["seg"]), "last_pc"
        if "local" in rows:
            n = int(rows["local_level"][g]["n"])
            yield from _upside_down(rows["local"][g * int(S.local_depth) :][:n])
    if "gathering" in rows:
        mates = rows["gathering"][v]
        yield mask_of(mates["waiting"]), int(mates["seg"]), "first_pc"
        yield mask_of(mates["barrier"]), int(mates["barrier_seg"]), "last_pc"
    if "large_row" in rows:
        mates = rows["large_row"][v]
        yield mask_of(mates["waiting"]), int(mates["seg"]), "first_pc"
    if "side" in rows:
        yield from _upside_down(rows["side"][2 * v * int(S.entries) :][: 2 * depth])
    if "lane_pc" in rows:
        mates = rows["parting"][v]
        yield mask_of(mates["waiting"]), int(mates["barrier"]), "last_pc"
        for lane, place in enumerate(rows["lane_pc"][v * width : (v + 1) * width]):
            yield 1 << lane, int(place["seg"]), "first_pc"
    yield from _upside_down(rows["stack"][v * int(S.stack_depth) :][:depth])


def _upside_down(entries: np.ndarray) -> Iterator[tuple[int, int, str]]:
    for entry in entries[::-1]:
        yield mask_of(entry["mask"]), int(entry["seg"]), "first_pc"


def mask_of(word: np.int64) -> int:
    """A word of a table as a set of lanes."""
    return int(word) & (1 << 64) - 1
