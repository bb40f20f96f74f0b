"""Barriers of the interpreter: who waits, when a workgroup may go on, and when it never can."""

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
    """Warps come to the barrier at `pc` with their running lanes."""
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
    """Open the barriers of all workgroups that wait and can do nothing else. False if none does.

    Raises Trap for a barrier that not all work-items of its workgroup come to.
    """
    state = batch.warps
    if not state.waits.any():
        return False
    shape = (batch.resident.slots, batch.resident.warps_per_group)
    waits = state.waits.reshape(shape)
    at = state.barrier_pc.reshape(shape)
    first = np.where(waits, at, NO_PC).min(axis=1)
    last = np.where(waits, at, SEVERAL).max(axis=1)
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
    for pc in np.unique(first[simple]).tolist():
        warps = np.flatnonzero((waits & (simple & (first == pc))[:, None]).reshape(-1))
        state.waits[warps] = False
        state.move(warps, pc + 1)
    return True


def _open_piecewise(batch: Batch, slot: int, returned: int) -> None:
    """A workgroup some of whose warps wait piece by piece, or whose barrier is divergent."""
    state = batch.warps
    size = batch.resident.warps_per_group
    waiting = np.flatnonzero(state.waits[slot * size : (slot + 1) * size]) + slot * size
    stands: dict[int, list[tuple[int, int]]] = {}
    for warp in waiting.tolist():
        for mask, pc in _at_barrier(batch, warp):
            stands.setdefault(pc, []).append((warp, mask))
    if len(stands) > 1 or (returned and not batch.work.exited_arrive):
        _unequal(batch, stands, returned)
    (pc,) = stands
    state.waits[waiting] = False
    pieces = state.barrier_pc[waiting] == SEVERAL
    state.event(waiting[pieces], pc, lambda scheme, i: scheme.release())
    state.move(waiting[~pieces], pc + 1)


def _at_barrier(batch: Batch, warp: int) -> list[tuple[int, int]]:
    """(mask, pc) of everything of a warp that waits at a barrier."""
    pc = int(batch.warps.barrier_pc[warp])
    return batch.warps.parked(warp) if pc == SEVERAL else [(batch.warps.mask_of(warp), pc)]


def _partial(batch: Batch, warp: int, pc: int, lanes: int, scheme: Scheme) -> NoReturn:
    """A lock-step warp comes to a barrier with only a part of its live lanes."""
    owner, first = batch.resident.place(warp * batch.resident.width)
    elsewhere = ", ".join(
        f"{lanes_that(mask, 'stand')} at {place(batch.work, at)}" for mask, at in scheme.parked()
    )
    who = lanes_that(lanes, "come", " of the warp")
    detail = f"only {who} to this barrier, {elsewhere}"
    raise batch.work.trap(
        TrapRecord(TrapKind.DIVERGENT_BARRIER, pc, owner, first + lowest(lanes), detail=detail)
    )


def _unequal(batch: Batch, stands: dict[int, list[tuple[int, int]]], returned: int) -> NoReturn:
    """The work-items of a workgroup wait at different barriers, or some have returned."""
    pc = min(stands)
    warp, mask = stands[pc][0]
    owner, first = batch.resident.place(warp * batch.resident.width)
    count = {at: sum(m.bit_count() for _, m in who) for at, who in stands.items()}
    parts = [f"{n} work-items wait at {place(batch.work, at)}" for at, n in sorted(count.items())]
    if returned:
        parts.append(f"{returned} have returned")
    detail = "of the workgroup, " + ", ".join(parts)
    raise batch.work.trap(
        TrapRecord(TrapKind.DIVERGENT_BARRIER, pc, owner, first + lowest(mask), detail=detail)
    )
