"""Barriers of the interpreter: which warps wait, and when a workgroup may continue or never can."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from ..schemes import Scheme
from ..traps import TrapKind, TrapRecord
from ..wording import lanes_that, lowest, place
from .batch import Batch
from .warps import NO_PC, SEVERAL

Array = np.ndarray


def arrive(batch: Batch, warps: Array, pc: int) -> None:
    """Let warps reach the barrier at `pc` with their running lanes; whole warps wait."""
    state = batch.warps
    whole = state.count[warps] == state.live[warps]
    waiting = warps[whole]
    state.pc[waiting] = NO_PC
    state.barrier_pc[waiting] = pc
    state.waits[waiting] = True
    pieces = warps[~whole]
    if not pieces.size:
        return

    def wait(scheme: Scheme, i: int) -> None:
        lanes = scheme.mask
        if not scheme.barrier():
            _partial(batch, int(pieces[i]), pc, lanes, scheme)

    state.event(pieces, pc, wait)
    state.wait_in_pieces(pieces)


def open_complete(batch: Batch) -> bool:
    """Open the barriers of all workgroups that can only wait; return whether there was one.

    Raises Trap for a barrier that not all work-items of its workgroup reach.
    """
    state = batch.warps
    if not state.waits.any():
        return False
    shape = (batch.resident.slots, batch.resident.warps_per_group)
    waits = state.waits.reshape(shape)
    barrier_pcs = state.barrier_pc.reshape(shape)
    first = np.where(waits, barrier_pcs, NO_PC).min(axis=1)
    last = np.where(waits, barrier_pcs, SEVERAL).max(axis=1)
    returned = (state.starters - state.live).reshape(shape).sum(axis=1)
    waiting = waits.any(axis=1) & (state.pc.reshape(shape) == NO_PC).all(axis=1)
    if not waiting.any():
        return False
    simple = waiting & (first == last) & (first != SEVERAL)
    if not batch.work.exited_arrive:
        simple &= returned == 0
    for slot in np.flatnonzero(waiting & ~simple).tolist():
        _open_piecewise(batch, slot, int(returned[slot]))
    batch.statistics.barriers += int(waiting.sum())
    if batch.work.checks is not None and batch.work.checks.observer is not None:
        batch.work.checks.observer.opened(waiting)
    for pc in np.unique(first[simple]).tolist():
        warps = np.flatnonzero((waits & (simple & (first == pc))[:, None]).reshape(-1))
        state.waits[warps] = False
        state.move(warps, pc + 1)
    return True


def _open_piecewise(batch: Batch, slot: int, returned: int) -> None:
    """Open the barrier of a workgroup with warps that wait piece by piece, or trap as divergent."""
    state = batch.warps
    size = batch.resident.warps_per_group
    waiting = np.flatnonzero(state.waits[slot * size : (slot + 1) * size]) + slot * size
    waiting_at: dict[int, list[tuple[int, int]]] = {}
    for warp in waiting.tolist():
        for mask, pc in _at_barrier(batch, warp):
            waiting_at.setdefault(pc, []).append((warp, mask))
    if len(waiting_at) > 1 or (returned and not batch.work.exited_arrive):
        _unequal(batch, waiting_at, returned)
    (pc,) = waiting_at
    state.waits[waiting] = False
    pieces = state.barrier_pc[waiting] == SEVERAL
    state.event(waiting[pieces], pc, lambda scheme, i: scheme.release())
    state.move(waiting[~pieces], pc + 1)


def _at_barrier(batch: Batch, warp: int) -> list[tuple[int, int]]:
    """Return (mask, pc) of all lanes of a warp that wait at a barrier."""
    pc = int(batch.warps.barrier_pc[warp])
    return batch.warps.parked(warp) if pc == SEVERAL else [(batch.warps.mask_of(warp), pc)]


def _partial(batch: Batch, warp: int, pc: int, lanes: int, scheme: Scheme) -> NoReturn:
    """Raise the trap of a lock-step warp that reaches a barrier with a part of its live lanes."""
    owner, first = batch.resident.place(warp * batch.resident.width)
    elsewhere = ", ".join(
        f"{lanes_that(mask, 'are')} at {place(batch.work, lanes_pc)}"
        for mask, lanes_pc in scheme.parked()
    )
    arrived = lanes_that(lanes, "reach", " of the warp")
    detail = f"only {arrived} this barrier, {elsewhere}"
    raise batch.work.trap(
        TrapRecord(TrapKind.DIVERGENT_BARRIER, pc, owner, first + lowest(lanes), detail=detail)
    )


def _unequal(batch: Batch, waiting_at: dict[int, list[tuple[int, int]]], returned: int) -> NoReturn:
    """Raise the trap of a workgroup whose work-items wait at several barriers or have returned."""
    pc = min(waiting_at)
    warp, mask = waiting_at[pc][0]
    owner, first = batch.resident.place(warp * batch.resident.width)
    count = {
        lanes_pc: sum(m.bit_count() for _, m in pieces) for lanes_pc, pieces in waiting_at.items()
    }
    parts = [
        f"{n} work-items wait at {place(batch.work, lanes_pc)}"
        for lanes_pc, n in sorted(count.items())
    ]
    if returned:
        parts.append(f"{returned} have returned")
    detail = "of the workgroup, " + ", ".join(parts)
    raise batch.work.trap(
        TrapRecord(TrapKind.DIVERGENT_BARRIER, pc, owner, first + lowest(mask), detail=detail)
    )
