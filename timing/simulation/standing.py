"""The place of every lane of a warp: in a group, or in a table of the policy."""

from __future__ import annotations

from collections.abc import Iterator

from ..compiler.engine_state import EngineState
from ..engine.causes import BARRIER
from ..engine.groups import NO_SLOT
from ..engine.intrinsics import NEVER
from .books import groups_of


def grouped(state: EngineState, v: int) -> list[tuple[int, int, bool]]:
    """(mask, pc, whether it will be ready) of the groups of a warp that are not left behind."""
    found: list[tuple[int, int, bool]] = []
    for g in groups_of(state, v):
        lanes = mask_of(state.columns["group"].mask[g])
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
    """Where a group is: at the access or barrier that it has issued, or at its next instruction."""
    it = state.rows["group"][int(state.rows["group"]["lead"][g])]
    segment, end = int(it["seg"]), "last_pc" if it["at_memory"] else "first_pc"
    if it["cause"] == BARRIER and ready_at(state, g) == NEVER:
        segment, end = segment - 1, "last_pc"  # it will continue after the barrier
    return int(state.rows["seg"][segment][end])


def ready_at(state: EngineState, g: int) -> int:
    """When a group can be picked, with those that it issues with."""
    columns = state.columns
    return columns["ready_at"].t[columns["group"].lead[g]]


def is_held(state: EngineState, g: int) -> bool:
    """Return whether a group waits until others reach it."""
    group = state.columns["group"]
    return bool(group.slot[g] == NO_SLOT and group.at_memory[g])


def _kept(state: EngineState, v: int) -> Iterator[tuple[int, int, str]]:
    """Yield masks and segments of a warp's lanes that wait, those above before those below.

    The third item is the column of the segment with their PC: its first or its last instruction.
    """
    for g in groups_of(state, v):
        if is_held(state, g):
            yield (
                mask_of(state.rows["group"]["mask"][g]),
                int(state.rows["group"]["seg"][g]),
                "last_pc",
            )
    for waiting_lanes in reversed(state.composition.waiting_lanes):
        for mask, segment, has_issued in waiting_lanes(state.rows, state.S, v):
            yield mask_of(mask), int(segment), "last_pc" if has_issued else "first_pc"


def mask_of(word: int) -> int:
    """Return a word of a table as a set of lanes."""
    return int(word) & (1 << 64) - 1
