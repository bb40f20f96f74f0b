"""What went wrong in a simulation, as an error: who, where, and who waits for what."""

from __future__ import annotations

import numpy as np

from ..emu.engine import Work
from ..emu.fairness import SecondOpinion, lanes_that, place
from ..emu.jit.engine import trap_record
from ..emu.jit.segment_table import SegmentKind
from ..emu.jit.warpstate import Header
from ..emu.traps import TrapKind, TrapRecord
from ..isa.errors import Diagnostic, Note, SimtError
from .causes import NAMES
from .code import Code
from .compose import EngineState
from .intrinsics import NEVER
from .ledger import groups_of
from .standing import is_held, parked

# As in state.py, which is engine code.
(
    RUNNING, DONE, TRAPPED, DIVERGENT_BARRIER, DEADLOCK, OVER_BUDGET, STACK_OVERFLOW, BAD_SPLIT
) = range(8)  # fmt: skip

MOST_NOTES = 8
"""Groups that a message names."""


class SimulationError(SimtError):
    """A simulation that cannot go on, although no work-item did anything wrong."""

    code = "SIM440"


def error_of(
    status: int,
    state: EngineState,
    work: Work,
    code: Code,
    slots: np.ndarray,
    opinion: SecondOpinion,
) -> SimtError:
    """The error behind a status of the engine; `slots` is the launch's context block."""
    S = state.S
    row = code.segments.table[int(S.trap_seg)]
    if status == TRAPPED and row["kind"] != SegmentKind.TRAP:
        return work.trap(trap_record(work, slots))
    pc = int(row["last_pc"])
    if status == TRAPPED:
        return work.trap(
            TrapRecord(TrapKind.TRAP, pc, *_culprit(state, code), code=int(row["imm"]))
        )
    if status == DIVERGENT_BARRIER:
        return work.trap(
            TrapRecord(
                TrapKind.DIVERGENT_BARRIER,
                pc,
                *_culprit(state, code),
                detail="not all work-items of the workgroup come to this barrier",
                notes=waiting(state, work, code),
            )
        )
    if status == OVER_BUDGET:
        return work.trap(_endless(state, work, code, pc, opinion))
    if status == STACK_OVERFLOW:
        return SimulationError("a re-convergence stack is full")
    if status == BAD_SPLIT:
        mask = int(state.rows["group"]["mask"][int(S.trap_g)])
        return _stuck(
            state,
            work,
            code,
            f"the policy splits lanes {_bits(int(S.trap_lanes), code)} off a group with lanes "
            f"{_bits(mask, code)}",
            "`split` takes some lanes of the group's mask, and leaves it some",
        )
    return _stuck(
        state,
        work,
        code,
        f"nothing can go on at cycle {int(S.now):,}: every group waits for another one",
        "the policy never wakes them; --policy conv finishes what can finish",
    )


def going_nowhere(state: EngineState, work: Work, code: Code) -> SimulationError:
    """The engine has been busy for a long while, and no lane has executed anything."""
    return _stuck(
        state,
        work,
        code,
        f"no lane executes anything any more at cycle {int(state.S.now):,}, and the policy or the "
        "scheduler goes on",
        "a group without lanes issues for ever (who is split keeps some lanes and gives some "
        "away); `on_stall` answers 1 only if it has woken somebody",
    )


def waiting_too_long(due: int, state: EngineState, work: Work, code: Code) -> SimulationError:
    """Nothing happens for longer than any machine takes."""
    return _stuck(
        state,
        work,
        code,
        f"nothing happens from cycle {int(state.S.now):,} to cycle {due:,}",
        "a latency of the machine is too long, or a policy wakes a group too late",
    )


def _stuck(state: EngineState, work: Work, code: Code, message: str, hint: str) -> SimulationError:
    return SimulationError(
        diagnostics=(
            Diagnostic(
                SimulationError.code,
                f"kernel {work.kernel.name}: {message}",
                notes=waiting(state, work, code),
                hint=hint,
            ),
        )
    )


def _culprit(state: EngineState, code: Code) -> tuple[int, int]:
    """(workgroup, flat local id) of the lowest lane that the engine names."""
    lanes = int(state.S.trap_lanes) & (1 << 64) - 1
    width = code.segments.width
    header = code.segments.layout.header(code.blocks[int(state.S.trap_g) // width])
    lane = (lanes & -lanes).bit_length() - 1
    return int(header[Header.GROUP]), int(header[Header.WARP]) * width + lane


def _endless(
    state: EngineState, work: Work, code: Code, pc: int, opinion: SecondOpinion
) -> TrapRecord:
    """The budget is spent: for nothing, where a fair schedule would come to an end, or none."""
    S, groups = state.S, state.rows["group"]
    kind, notes = TrapKind.BUDGET, waiting(state, work, code)
    detail = f"a work-item has executed {work.budget} instructions"
    lanes = int(S.trap_lanes) & (1 << 64) - 1
    loop = f"{lanes_that(lanes, 'repeat', ' of the warp')} the loop at {place(work, pc)}"
    if opinion.finishes():
        kind = TrapKind.SIMT_DEADLOCK
        notes = (Note("every work-item finishes when all are scheduled in turn"), *notes)
        detail += f"; {loop}"
        asleep = _asleep(state, work, code)
        if asleep:
            detail += f" while {asleep}"
        else:
            is_ready = state.rows["ready_at"]["t"] <= int(S.now)
            ready = int(((groups["mask"] != 0) & is_ready).sum())
            detail += f"; {ready} groups are ready, and not all are chosen"
    elif opinion.is_livelock():
        kind, detail = TrapKind.LIVELOCK, f"{loop} without changing anything"
    return TrapRecord(kind, pc, *_culprit(state, code), detail=detail, notes=notes)


def _asleep(state: EngineState, work: Work, code: Code) -> str:
    """Who waits for lanes of its own warp, in the culprit's or, if nobody does, in another one."""
    own = int(state.S.trap_g) // int(state.S.width)
    for v in (own, *np.flatnonzero(state.rows["warp"]["live"])):
        number = int(code.segments.layout.header(code.blocks[v])[Header.WARP])
        whose = "" if v == own else f" of warp {number}"
        found = [
            f"{lanes_that(mask, 'wait', whose)} at {place(work, at)}"
            for mask, at in parked(state, int(v))
        ]
        if found:
            return ", ".join(found)
    return ""


def waiting(state: EngineState, work: Work, code: Code) -> tuple[Note, ...]:
    """Where the groups stand and what for, the first few of them."""
    warps, rows = int(state.S.warps), state.rows
    found: list[Note] = []
    for v in np.flatnonzero(rows["warp"]["groups"]):
        for g in groups_of(state, int(v)):
            if rows["group"]["mask"][g]:  # a row of a large warp may have nobody on its path
                found.append(_note(state, work, code, int(v), g, warps))
    if len(found) > MOST_NOTES:
        rest = len(found) - MOST_NOTES
        found = [*found[:MOST_NOTES], Note(f"{rest:,} more groups wait")]
    return tuple(found)


def _bits(mask: int, code: Code) -> str:
    """A mask, lane 0 first."""
    return "".join("1" if mask >> i & 1 else "0" for i in range(code.segments.width))


def _note(state: EngineState, work: Work, code: Code, v: int, g: int, warps: int) -> Note:
    mask = int(state.rows["group"]["mask"][g]) & (1 << 64) - 1
    lead = int(state.rows["group"]["lead"][g])
    it, ready = state.rows["group"][lead], int(state.rows["ready_at"]["t"][lead])
    header = code.segments.layout.header(code.blocks[v])
    pc = int(code.segments.table[int(it["seg"])]["last_pc" if it["at_memory"] else "first_pc"])
    if is_held(state, g):
        state_ = "left behind until others come back"
    elif ready < NEVER:
        state_ = f"ready at cycle {ready:,}"
    else:
        state_ = f"waits: {NAMES[int(it['cause'])]}"
    return Note(
        f"WPU {v // warps}, warp context {v % warps} (workgroup {int(header[Header.GROUP])}, warp "
        f"{int(header[Header.WARP])}), lanes {_bits(mask, code)}: {state_}",
        span=work.program.span(work.kernel, pc),
    )
