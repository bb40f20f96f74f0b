"""The tables that every engine has: WPUs, warps, groups, stacks, workgroups, segments.

A table has one record for each piece of hardware of its kind. Memory systems and policies declare
more tables in their own files. Times are cycles; masks have a bit per lane; `NEVER` stands for no
time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...emu.jit.segments.table import RECORD as SEGMENT
from ...emu.jit.segments.table import SegmentKind, Space
from ...emu.jit.segments.warp_block import Header
from .causes import N_CAUSES
from .intrinsics import NEVER, WORD, record, table

if TYPE_CHECKING:
    from ..machines.machine import Machine

# Events of a WPU.
DISPATCH = 0
ACCESS = 1
ISSUE = 2

# The kind of instruction that ends a segment, and the memory that it accesses.
SEG_FALL = int(SegmentKind.FALL)
SEG_BRANCH = int(SegmentKind.BRANCH)
SEG_JUMP = int(SegmentKind.JUMP)
SEG_ACCESS = int(SegmentKind.ACCESS)
SEG_BARRIER = int(SegmentKind.BARRIER)
SEG_EXIT = int(SegmentKind.EXIT)
SEG_TRAP = int(SegmentKind.TRAP)
SEG_RECONVERGE = int(SegmentKind.RECONVERGE)
SEG_FENCE = int(SegmentKind.FENCE)
SPACE_GLOBAL = int(Space.GLOBAL)
SPACE_GROUP = int(Space.GROUP)
SPACE_PRIVATE = int(Space.PRIVATE)
SPACE_READONLY = int(Space.READONLY)

# Words of a register block's header: the workgroup, the warp in it, and what the engine writes.
BLOCK_GROUP = int(Header.GROUP)
BLOCK_WARP = int(Header.WARP)
BLOCK_CLOCK = int(Header.CLOCK)
BLOCK_GROUP_MEMORY = int(Header.GROUP_MEMORY)
BLOCK_CONTEXT = int(Header.CONTEXT)

# How the loop stopped.
RUNNING = 0
DONE = 1
TRAPPED = 2  # S.trap_w, S.trap_g, S.trap_seg, S.trap_lanes have the place
DIVERGENT_BARRIER = 3  # as for TRAPPED
DEADLOCK = 4
OVER_BUDGET = 5
STACK_OVERFLOW = 6
BAD_SPLIT = 7
ENDLESS_LOOP = 8  # in a file of the user: S.endless says where (compiler/bounded.py)

NEXT = record(at="i8")
next_event = table("next_event", NEXT)
"""The cycle of a WPU's next event."""

WPU = record(
    event="i8",  # DISPATCH, ACCESS or ISSUE
    current="i8",  # the group that is issuing, -1 for none
    busy="i8",  # cycles before this one have an owner
    free="i8",  # warp contexts without a warp, a mask of up to 64
    last="i8",  # the warp that was picked last
    checked="i8",  # cycle at which on_interval ran last
    groups="i8",  # groups that exist
    groups_at="i8",  # cycle at which that number changed last
    most_groups="i8",
    group_cycles="i8",  # the number of groups, summed over cycles
    slots_used="i8",  # scheduler slots from this number on are free
    scheduled="i8",  # scheduler slots that have a group
    scheduled_at="i8",  # cycle at which that number changed last
    scheduled_cycles="i8",  # that number, summed over cycles
    most_scheduled="i8",
    slots_full="i8",  # cycles in which all slots have a group
    n_slotless="i8",  # groups that wait for a scheduler slot
    entries="i8",  # entries of the warp-split table in use
    entries_at="i8",  # cycle at which that number changed last
    entry_cycles="i8",  # that number, summed over cycles
    most_entries="i8",  # in use at once for a cycle or longer
    entries_full="i8",  # cycles in which all entries are in use
    n_warp_instr="i8",
    n_thread_instr="i8",
    n_branch="i8",
    n_branch_div="i8",  # divergent ones of these
    n_access="i8",  # SIMD accesses to global and private memory
    n_miss="i8",  # those in which some lane missed
    n_miss_div="i8",  # those in which some lanes hit and some missed
    n_dispatch="i8",
    n_barrier="i8",
    n_riding="i8",  # thread-instructions of jumps that needed no lane of a sub-warp (LWM-12)
)
wpu = table("wpu", WPU)

WARP = record(
    block="i8",  # host address of the register block
    live="i8",  # lanes that exist and have not returned
    all="i8",  # lanes that existed at the start
    groups="i8",  # mask of its groups: group id = warp * width + bit
    depth="i8",  # stack entries
    busy="i8",  # cycles before this one have an owner
    workgroup="i8",  # index of its workgroup's record
    n_thread_instr="i8",
    limit="i8",  # the most of these: the budget of all its work-items
)
warp = table("warp", WARP)
"""Index: WPU * S.warps + context."""

GROUP = record(
    mask="i8",
    seg="i8",  # the segment that it issues next, or that of the access for which it waits
    done="i8",  # lanes already served by that access
    at_memory="i8",  # 1 from the issue of an access to the next dispatch
    hits="i8",  # lanes that hit in that access
    cause="i8",  # cause of the last part of its wait
    until_bank="i8",  # the boundaries of the earlier parts, side by side as `add_parts` reads them
    until_mshr="i8",
    until_l2="i8",
    warp="i8",
    slot="i8",  # scheduler slot; negative for none (groups.py)
    lead="i8",  # the group with which it issues: itself, unless it is part of a pack
    seq="i8",  # order of creation
    turn="i8",  # number of its last pick, then `seq`: see groups.turn_of
    count="i8",  # instructions issued since the root, where its warp was whole (MAWS-03)
    issued="i8",  # instructions issued since it was made
    # An odd number of words, so that groups of different warps are in different sets of a host's
    # cache.
    unused="i8",
)
GROUP_BYTES = GROUP.itemsize
GROUP_SEG, GROUP_UNTIL = ((GROUP.names or ()).index(n) * WORD for n in ("seg", "until_bank"))
group = table("group", GROUP)
"""Index: warp * S.width + number; a warp has at most as many groups as lanes."""

WAIT = record(t="i8")
ready_at = table("ready_at", WAIT)
"""The cycle at which a group's wait ends, index as the group; NEVER while that is unknown. Times
are contiguous, since those of a whole warp are compared where its splits may merge."""

SLOT = record(group="i8")
slot = table("slot", SLOT)
"""Scheduler slots, index: WPU * S.slots + number. A free one has group -1."""
DUE = record(at="i8")
due = table("due", DUE)
"""The cycle from which the group of a slot can be picked, NEVER for none. Times are contiguous,
since all of a WPU are compared at every pick."""

STACK = record(seg="i8", rpc="i8", mask="i8", branch="i8")
stack = table("stack", STACK)
"""Index: warp * S.stack_depth + level."""

WORKGROUP = record(id="i8", live="i8", arrived="i8", contexts="i8", barrier="i8", first="i8")
workgroup = table("workgroup", WORKGROUP)
"""A workgroup on a WPU: its number, warps that have not ended, warps at its barrier, the mask of
its contexts; the barrier's segment and the group that arrived first. Index as its first warp."""

CYCLES = record(cycles="i8")
slot_cycles = table("slot_cycles", CYCLES)  # WPU * N_CAUSES + cause
warp_cycles = table("warp_cycles", CYCLES)  # WPU * N_CAUSES + cause
seg_cycles = table("seg_cycles", CYCLES)  # segment * N_CAUSES + cause: waits of warps there
SEG_COUNT = record(
    runs="i8",
    lanes="i8",  # summed over the runs
    n_div="i8",  # runs that ended in a branch that diverged
    n_miss="i8",  # accesses in which some lane missed
    n_miss_div="i8",  # those of them in which some lane hit
    miss_lanes="i8",  # lanes that missed
)
seg_count = table("seg_count", SEG_COUNT)
width_count = table("width_count", CYCLES)  # WPU * (width + 1) + lanes: instructions

degree_count = table("degree_count", CYCLES)  # the same, by lanes that missed: divergent accesses
lane_misses = table("lane_misses", record(n="i8"))
lane_stalls = table("lane_stalls", record(n="i8"))
"""Misses of each lane of each warp context, and those in divergent accesses (DWS Fig. 14).
Index: warp * S.width + lane."""

lane_home = table("lane_home", record(warp="i8"))
"""The warp whose registers a lane uses while `S.access_is_packed`."""

seg = table("seg", SEGMENT)
"""The code of the current launch (emu/jit/segments/table.py)."""


def setup(machine: Machine) -> dict[str, Any]:
    """Return the sizes and first contents of these tables, and the words of the header."""
    wpus, warps, width = machine.wpus, machine.warps, machine.width
    total = wpus * warps
    slots = machine.slots or warps * width
    # The lanes of a loop may leave it one by one, those of a large warp too.
    # An odd number, so that the warps' tops are in different sets of a host's cache.
    depth = 4 * width * machine.rows + 65
    cores = np.zeros(wpus, WPU)
    cores["current"], cores["last"] = -1, -1
    return {
        "wpus": wpus,
        "warps": warps,
        "width": width,
        "slots": slots,
        "wst_entries": machine.wst_entries,
        "stack_depth": depth,
        "first_path": machine.first_path,
        "rows": machine.rows,
        # Cycles until a group whose access is served at once can issue again.
        "pipeline": machine.pipeline if machine.issue == "barrel" else 1,
        # Cycles that an instruction of the complex units takes beyond its own.
        "complex_bubbles": -(-machine.width // (machine.complex_units or machine.width)) - 1,
        "interval": machine.interval or NEVER,
        "exited_arrive": 0,
        "store_buffer": int(machine.store_buffer),
        "now": 0,  # the cycle of the current event; between launches that of the next one
        "ended": 0,  # the cycle at which the last workgroup returned
        "starting": 0,
        "seq": 0,
        "picks": 0,
        "status": 0,
        "running": 0,  # workgroups on the machine
        "next_workgroup": 0,
        "workgroups": 0,
        "workgroup_warps": 0,  # warps of a workgroup
        "workgroup_items": 0,  # work-items of a workgroup
        "launch": 0,  # number of the launch, from 1
        "start_fn": 0,  # native code that fills a warp's block for a workgroup
        "group_memory": 0,  # host address of the first context's group memory
        "group_bytes": 0,  # of one workgroup, a multiple of 64
        "private_bytes": 0,  # of one warp, a multiple of 64
        "private_stride": 0,  # bytes from a work-item's stack to the next; 0: interleaved
        "code_base": 0,  # simulated address of the kernel's first instruction
        "budget": NEVER,  # instructions per work-item
        "events": 0,
        "max_depth": 0,  # of all stacks
        "pause_at": NEVER,  # the loop returns to Python before an event of this cycle or later
        "trap_w": 0,
        "trap_g": 0,
        "trap_seg": 0,
        "endless": 0,
        "trap_lanes": 0,
        "wpu": cores,
        "next_event": np.full(wpus, NEVER).view(NEXT),
        "warp": total,
        "group": total * width,
        "ready_at": total * width,
        "slot": np.full(wpus * slots, -1).view(SLOT),
        "due": np.full(wpus * slots, NEVER).view(DUE),
        "stack": total * depth,
        "workgroup": total,
        "slot_cycles": wpus * N_CAUSES,
        "warp_cycles": wpus * N_CAUSES,
        "width_count": wpus * (width + 1),
        "degree_count": wpus * (width + 1),
        "lane_misses": total * width,
        "lane_stalls": total * width,
        "lane_home": width,
        # The sizes of these depend on the launch's code.
        "seg": 0,
        "seg_cycles": 0,
        "seg_count": 0,
    }
