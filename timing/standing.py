"""Where the lanes of a warp stand that do not run: what each policy keeps instead of a group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .compose import EngineState
from .ledger import groups_of

NO_SLOT = -2
"""As in groups.py, which is engine code: at an access, a group that is left behind (DWS-19)."""


def parked(state: EngineState, v: int) -> list[tuple[int, int]]:
    """(mask, pc) of lanes of a warp that wait until others of it come or are through."""
    rows = state.rows
    placed, found = 0, list[tuple[int, int]]()
    for g in groups_of(state, v):
        if not is_held(state, g):
            placed |= _mask(rows["group"][g]["mask"])
    for mask, segment, end in _kept(state, v):
        lanes = mask & _mask(rows["warp"]["live"][v]) & ~placed
        placed |= lanes
        if lanes:
            found.append((lanes, int(rows["seg"][segment][end])))
    return found


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
            yield _mask(rows["group"][g]["mask"]), int(rows["group"][g]["seg"]), "last_pc"
        if "local" in rows:
            n = int(rows["local_level"][g]["n"])
            yield from _upside_down(rows["local"][g * int(S.local_depth) :][:n])
    if "gathering" in rows:
        mates = rows["gathering"][v]
        yield _mask(mates["waiting"]), int(mates["seg"]), "first_pc"
        yield _mask(mates["barrier"]), int(mates["barrier_seg"]), "last_pc"
    if "large_row" in rows:
        mates = rows["large_row"][v]
        yield _mask(mates["waiting"]), int(mates["seg"]), "first_pc"
    if "side" in rows:
        yield from _upside_down(rows["side"][2 * v * int(S.entries) :][: 2 * depth])
    if "lane_pc" in rows:
        for lane, place in enumerate(rows["lane_pc"][v * width : (v + 1) * width]):
            yield 1 << lane, int(place["seg"]), "first_pc"
    yield from _upside_down(rows["stack"][v * int(S.stack_depth) :][:depth])


def _upside_down(entries: np.ndarray) -> Iterator[tuple[int, int, str]]:
    for entry in entries[::-1]:
        yield _mask(entry["mask"]), int(entry["seg"]), "first_pc"


def _mask(word: np.int64) -> int:
    return int(word) & (1 << 64) - 1
