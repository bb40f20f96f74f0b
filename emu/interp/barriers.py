"""Barriers of the interpreter: who waits, when a workgroup may go on, and when it never can."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import numpy as np

from ..schemes import Scheme
from ..traps import TrapKind, TrapRecord
from ..wording import lanes_that, lowest
from .warps import NO_PC, SEVERAL

if TYPE_CHECKING:
    from .interpreter import Interpreter

Array = np.ndarray


def arrive(it: Interpreter, warps: Array, pc: int) -> None:
    """Warps come to the barrier at `pc` with their running lanes."""
    state = it.warps
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
            _partial(it, int(pieces[i]), pc, lanes, scheme)

    state.event(pieces, pc, wait)
    state.wait_in_pieces(pieces)


def open_complete(it: Interpreter) -> bool:
    """Open the barriers of all workgroups that wait and can do nothing else. False if none does.

    Raises Trap for a barrier that not all work-items of its workgroup come to.
    """
    state = it.warps
    if not state.waits.any():
        return False
    shape = (it.resident.slots, it.resident.warps_per_group)
    waits = state.waits.reshape(shape)
    at = state.barrier_pc.reshape(shape)
    first = np.where(waits, at, NO_PC).min(axis=1)
    last = np.where(waits, at, SEVERAL).max(axis=1)
    returned = (state.starters - state.live).reshape(shape).sum(axis=1)
    waiting = waits.any(axis=1) & (state.pc.reshape(shape) == NO_PC).all(axis=1)
    if not waiting.any():
        return False
    simple = waiting & (first == last) & (first != SEVERAL)
    if not it.work.exited_arrive:
        simple &= returned == 0
    for slot in np.flatnonzero(waiting & ~simple).tolist():
        _open_piecewise(it, slot, int(returned[slot]))
    it.statistics.barriers += int(waiting.sum())
    for pc in np.unique(first[simple]).tolist():
        warps = np.flatnonzero((waits & (simple & (first == pc))[:, None]).reshape(-1))
        state.waits[warps] = False
        state.move(warps, pc + 1)
    return True


def _open_piecewise(it: Interpreter, slot: int, returned: int) -> None:
    """A workgroup some of whose warps wait piece by piece, or whose barrier is divergent."""
    state = it.warps
    size = it.resident.warps_per_group
    waiting = np.flatnonzero(state.waits[slot * size : (slot + 1) * size]) + slot * size
    stands: dict[int, list[tuple[int, int]]] = {}
    for warp in waiting.tolist():
        for mask, pc in _at_barrier(it, warp):
            stands.setdefault(pc, []).append((warp, mask))
    if len(stands) > 1 or (returned and not it.work.exited_arrive):
        _unequal(it, stands, returned)
    (pc,) = stands
    state.waits[waiting] = False
    pieces = state.barrier_pc[waiting] == SEVERAL
    state.event(waiting[pieces], pc, lambda scheme, i: scheme.release())
    state.move(waiting[~pieces], pc + 1)


def _at_barrier(it: Interpreter, warp: int) -> list[tuple[int, int]]:
    """(mask, pc) of everything of a warp that waits at a barrier."""
    pc = int(it.warps.barrier_pc[warp])
    return it.warps.parked(warp) if pc == SEVERAL else [(it.warps.mask_of(warp), pc)]


def _partial(it: Interpreter, warp: int, pc: int, lanes: int, scheme: Scheme) -> NoReturn:
    """A lock-step warp comes to a barrier with only a part of its live lanes."""
    owner, first = it.resident.place(warp * it.resident.width)
    elsewhere = ", ".join(
        f"{lanes_that(mask, 'stand')} at {it.where(at)}" for mask, at in scheme.parked()
    )
    who = lanes_that(lanes, "come", " of the warp")
    detail = f"only {who} to this barrier, {elsewhere}"
    raise it.work.trap(
        TrapRecord(TrapKind.DIVERGENT_BARRIER, pc, owner, first + lowest(lanes), detail=detail)
    )


def _unequal(it: Interpreter, stands: dict[int, list[tuple[int, int]]], returned: int) -> NoReturn:
    """The work-items of a workgroup wait at different barriers, or some have returned."""
    pc = min(stands)
    warp, mask = stands[pc][0]
    owner, first = it.resident.place(warp * it.resident.width)
    count = {at: sum(m.bit_count() for _, m in who) for at, who in stands.items()}
    parts = [f"{n} work-items wait at {it.where(at)}" for at, n in sorted(count.items())]
    if returned:
        parts.append(f"{returned} have returned")
    detail = "of the workgroup, " + ", ".join(parts)
    raise it.work.trap(
        TrapRecord(TrapKind.DIVERGENT_BARRIER, pc, owner, first + lowest(mask), detail=detail)
    )
