"""Errors of simulations: what went wrong, where, and which groups wait for what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...emu.engine import Work
from ...emu.jit.launch.trapped import trap_record
from ...emu.jit.segments.table import SegmentKind
from ...emu.jit.segments.warp_block import Header
from ...emu.second_opinion import SecondOpinion
from ...emu.traps import TrapKind, TrapRecord
from ...emu.wording import IN_VAIN, lanes_that, lowest, mask_text, place, spinning
from ...isa.errors import Diagnostic, Note, Outcome, SimtError
from ..compiler.bounded import MOST_TURNS, place_of
from ..compiler.checks import fault_of
from ..compiler.engine_state import EngineState
from ..compiler.inspection import own_files
from ..compiler.launched import Code
from ..engine.causes import NAMES
from ..engine.intrinsics import NEVER
from ..engine.state import (
    BAD_SPLIT,
    DIVERGENT_BARRIER,
    OVER_BUDGET,
    STACK_OVERFLOW,
    TRAPPED,
)
from .books import groups_of
from .standing import grouped, is_held, mask_of, parked, pc_of, ready_at
from .wording import context_name, with_owner

MOST_NOTES = 8
"""Most groups that a message lists."""


class SimulationError(SimtError):
    """A simulation that cannot continue, although no work-item did anything wrong."""

    code = "SIM440"
    outcome = Outcome.FINDING


class BooksError(SimulationError):
    """Cycles or lanes of a launch have no owner, or two, with engine files of the user."""

    code = "SIM441"

    def __init__(self, files: Sequence[str], reason: str) -> None:
        names = ", ".join(Path(name).name for name in files)
        super().__init__(
            f"the books of a launch do not add up under {names}: {reason}",
            hint="most often lanes were taken from a group and added to no other, or a group was "
            "woken without the boundaries that its wait is charged by; "
            "simtlab.testing.policy_contract finds a small kernel that shows it",
        )


class HookError(SimulationError):
    """A hook has given a forbidden answer, or left groups in an impossible state (checks.py)."""

    code = "SIM442"


def error_of(
    status: int,
    state: EngineState,
    work: Work,
    code: Code,
    slots: np.ndarray,
    opinion: SecondOpinion,
) -> SimtError:
    """Return the error for a status of the engine; `slots` is the launch's context block."""
    S = state.S
    if S.endless:
        return HookError(diagnostics=(_endless_loop(state, work),))
    if "fault" in state.composition.fields and S.fault:
        return HookError(diagnostics=(replace(fault_of(state, work, code), code=HookError.code),))
    row = code.segments.table[int(S.trap_seg)]
    if status == TRAPPED and row["kind"] != SegmentKind.TRAP:
        return work.trap(trap_record(work, slots))
    v, pc = int(S.trap_g) // int(S.width), int(row["last_pc"])
    if status == TRAPPED:
        who = _place(state, code, v, mask_of(S.trap_lanes))
        return work.trap(TrapRecord(TrapKind.TRAP, pc, *who, code=int(row["imm"])))
    if status == DIVERGENT_BARRIER:
        return work.trap(_divergent(state, work, code, v, pc))
    if status == OVER_BUDGET:
        return work.trap(_endless(state, work, code, v, pc, opinion))
    if status == STACK_OVERFLOW:
        return SimulationError("a re-convergence stack is full")
    if status == BAD_SPLIT:
        mask, width = int(state.rows["group"]["mask"][int(S.trap_g)]), code.segments.width
        return _stuck(
            state,
            work,
            code,
            f"the policy splits lanes {mask_text(int(S.trap_lanes), width)} off a group with lanes "
            f"{mask_text(mask, width)}",
            "`split` must take some lanes of the group's mask, and leave some",
        )
    return _stuck(
        state,
        work,
        code,
        f"nothing can continue at cycle {int(S.now):,}: every group waits for another one",
        _remedy(state),
    )


def _endless_loop(state: EngineState, work: Work) -> Diagnostic:
    """Return the diagnostic for a loop of a user's file that does not end."""
    where = place_of(int(state.S.endless), own_files(state.composition.files))
    return Diagnostic(
        HookError.code,
        f"kernel {work.kernel.name}: the loop of {where} does not end (cycle {int(state.S.now):,})",
        notes=(Note(f"expected: at most {MOST_TURNS:,} turns in one call of a function"),),
        hint="each turn must change what the `while` asks for",
    )


def _remedy(state: EngineState) -> str:
    if "n_stalled" in state.rows and state.rows["n_stalled"]["groups"].any():
        return (
            "splits wait for entries, and the warp-split table is full: --set wst_entries=0 (no "
            "limit), or --set policy.wst-full=own-stack"
        )
    return "the policy never wakes them; --policy conv finishes what can finish"


def going_nowhere(state: EngineState, work: Work, code: Code) -> SimulationError:
    """Return the error of an engine that stays busy although no lane executes anything."""
    return _stuck(
        state,
        work,
        code,
        f"from cycle {int(state.S.now):,} on, no lane executes an instruction, but the policy or "
        "the scheduler keeps running",
        "a group with no lanes keeps issuing (a split must leave lanes on both sides), `rank` "
        "returns NEVER, or `on_stall` returns 1 although it has woken no group: --checked (or "
        "checked=True) names the hook",
    )


def waiting_too_long(due: int, state: EngineState, work: Work, code: Code) -> SimulationError:
    """Return the error of an engine whose next event is later than any machine's."""
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
                notes=(*waiting(state, work, code), *_kept_back(state, work, code)),
                hint=hint,
            ),
        )
    )


def _place(state: EngineState, code: Code, v: int, lanes: int) -> tuple[int, int]:
    """Return (workgroup, flat local id) of the lowest of some lanes of a warp context."""
    group, warp = _owner(code, v)
    return group, warp * int(state.S.width) + lowest(lanes)


def _owner(code: Code, v: int) -> tuple[int, int]:
    """Return (workgroup, warp of it) of a warp context."""
    header = code.segments.layout.header(code.blocks[v])
    return int(header[Header.GROUP]), int(header[Header.WARP])


def _divergent(state: EngineState, work: Work, code: Code, v: int, pc: int) -> TrapRecord:
    """Return the trap of a barrier at `pc` that not all lanes of warp v's workgroup reach."""
    rows, warps = state.rows, int(state.S.warps)
    places = [*((lanes, at) for lanes, at, _ in grouped(state, v)), *parked(state, v)]
    # The engine may name lanes that others wait for at the barrier and that never reach it.
    come = sum(lanes for lanes, at in places if at == pc) or mask_of(state.S.trap_lanes)
    away = [(lanes & ~come, at) for lanes, at in places if lanes & ~come]
    parts = ["not all work-items of the workgroup reach this barrier"]
    if away:
        parts = [f"only {lanes_that(come, 'reach', ' of the warp')} this barrier"]
        parts += [f"{lanes_that(lanes, 'are')} at {place(work, at)}" for lanes, at in away]
    workgroup = rows["workgroup"][rows["warp"]["workgroup"][v]]
    workgroup_warps = [
        v - v % warps + i for i in range(warps) if int(workgroup["contexts"]) >> i & 1
    ]
    returned_lanes = rows["warp"]["all"][workgroup_warps] & ~rows["warp"]["live"][workgroup_warps]
    returned = sum(mask_of(lanes).bit_count() for lanes in returned_lanes)
    if returned:
        parts.append(f"{returned:,} work-item{'s have' if returned > 1 else ' has'} returned")
    return TrapRecord(
        TrapKind.DIVERGENT_BARRIER,
        pc,
        *_place(state, code, v, come),
        detail=", ".join(parts),
        notes=waiting(state, work, code),
    )


def _endless(
    state: EngineState, work: Work, code: Code, v: int, pc: int, opinion: SecondOpinion
) -> TrapRecord:
    """Return the trap of warp v, whose budget is spent: budget, livelock or SIMT deadlock."""
    notes, lanes = waiting(state, work, code), mask_of(state.S.trap_lanes)
    if opinion.finishes():
        return _deadlock(state, work, code, v, lanes, pc, notes)
    kind, detail = TrapKind.BUDGET, f"{_spent(work)}; {spinning(work, lanes, pc)}"
    if opinion.is_livelock():
        kind, detail = TrapKind.LIVELOCK, spinning(work, lanes, pc) + IN_VAIN
    detail += _while(_asleep(state, work, v))
    return TrapRecord(kind, pc, *_place(state, code, v, lanes), detail=detail, notes=notes)


def _deadlock(
    state: EngineState, work: Work, code: Code, v: int, lanes: int, pc: int, notes: tuple[Note, ...]
) -> TrapRecord:
    """Return the trap of lanes of warp v that spend their budget while others wait to be chosen."""
    v, lanes, pc = _starving_loop(state, v, lanes, pc)
    asleep = _asleep(state, work, v)
    loop = spinning(work, lanes, pc, " of the warp" if asleep else _whose(code, v))
    for other in np.flatnonzero(state.rows["warp"]["live"]):
        asleep = asleep or _asleep(state, work, int(other), _whose(code, int(other)))
    if asleep:
        waiters = _while(asleep)
    else:
        is_ready = state.rows["ready_at"]["t"] <= int(state.S.now)
        ready = int(((state.rows["group"]["mask"] != 0) & is_ready).sum())
        waiters = f"; {ready} groups are ready, but not all are chosen"
    return TrapRecord(
        TrapKind.SIMT_DEADLOCK,
        pc,
        *_place(state, code, v, lanes),
        detail=f"{_spent(work)}; {loop}{waiters}",
        notes=(Note("every work-item finishes when all are scheduled in turn"), *notes),
    )


def _spent(work: Work) -> str:
    return f"a work-item has executed {work.budget} instructions"


def _starving_loop(state: EngineState, v: int, lanes: int, pc: int) -> tuple[int, int, int]:
    """Return warp, lanes and pc of a loop for which other lanes of its warp wait.

    They are those given if there is no such loop. The warp that spends its budget first may wait
    for the lock of another warp, which then has been in its loop for as long.
    """
    if parked(state, v):
        return v, lanes, pc
    spent = state.rows["warp"]["n_thread_instr"]
    for other in map(int, np.flatnonzero(state.rows["warp"]["live"])):
        for mask, lanes_pc, will_run in grouped(state, other) if parked(state, other) else ():
            if will_run and 2 * spent[other] * lanes.bit_count() > spent[v] * mask.bit_count():
                return other, mask, lanes_pc
    return v, lanes, pc


def _asleep(state: EngineState, work: Work, v: int, whose: str = "") -> list[str]:
    """Say which lanes of a warp wait for others of the warp, and where."""
    return [
        f"{lanes_that(lanes, 'wait', whose)} at {place(work, at)}" for lanes, at in parked(state, v)
    ]


def _while(asleep: list[str]) -> str:
    return f" while {', '.join(asleep)}" if asleep else ""


def _whose(code: Code, v: int) -> str:
    group, warp = _owner(code, v)
    return f" of warp {warp} of workgroup {group}"


def waiting(state: EngineState, work: Work, code: Code) -> tuple[Note, ...]:
    """Return notes on where the first few groups are and what they wait for."""
    rows = state.rows
    found: list[Note] = []
    for v in np.flatnonzero(rows["warp"]["groups"]):
        for g in groups_of(state, int(v)):
            if rows["group"]["mask"][g]:  # a row of a large warp may have no lane on its path
                found.append(_note(state, work, code, int(v), g))
    if len(found) > MOST_NOTES:
        rest = len(found) - MOST_NOTES
        found = [*found[:MOST_NOTES], Note(f"{rest:,} more groups wait")]
    return tuple(found)


def _kept_back(state: EngineState, work: Work, code: Code) -> list[Note]:
    """Return notes on lanes that wait in tables of the policy, not in groups, the first few."""
    found: list[Note] = []
    for v in map(int, np.flatnonzero(state.rows["warp"]["live"])):
        for lanes, pc in parked(state, v):
            where = f"{_context(state, code, v)}, lanes {mask_text(lanes, code.segments.width)}"
            span = work.program.span(work.kernel, pc)
            found.append(Note(f"{where}: the policy keeps them until others arrive", span=span))
    return found[:MOST_NOTES]


def _context(state: EngineState, code: Code, v: int) -> str:
    """Return a warp context in words, with the warp that is in it."""
    return with_owner(context_name(v, int(state.S.warps)), *_owner(code, v))


def _note(state: EngineState, work: Work, code: Code, v: int, g: int) -> Note:
    mask, ready = mask_of(state.rows["group"]["mask"][g]), ready_at(state, g)
    lead = state.rows["group"][int(state.rows["group"]["lead"][g])]
    if is_held(state, g):
        status = "left behind until others return"
    elif ready < NEVER:
        status = f"ready at cycle {ready:,}"
    else:
        status = f"waits: {NAMES[int(lead['cause'])]}"
    return Note(
        f"{_context(state, code, v)}, lanes {mask_text(mask, code.segments.width)}: {status}",
        span=work.program.span(work.kernel, pc_of(state, g)),
    )
