"""The shared second level: inclusive, banked, with a MESI directory (DWS-22, MAWS-14).

Engine code; docs/timing/memory.md, rules 5 to 8. The directory has an entry for each L1D line
within an L2 line, a *sector*: who has a copy, and whether the one copy may be written to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import bit, ctz, device, drop_lowest, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, dram_access
    from .crossbar import (
        code_down,
        line_down,
        line_up,
        message_down,
        message_up,
    )
    from .l1 import l1d_find
    from .lines import (
        EMPTY,
        EXCLUSIVE,
        FETCH,
        LOAD,
        MODIFIED,
        SHARED,
        UPGRADE,
        cache_line,
        cache_tag,
        cache_used,
        choose_victim,
        clear,
        find,
        place,
    )
    from .mshr import first_free, mshr

SHARING = record(
    copies="i8",  # WPUs whose L1D has the sector
    owned="i1",  # 1: the one copy is EXCLUSIVE or MODIFIED
    dirty="i1",  # 1: newer than memory
)
sharing = table("sharing", SHARING)
"""Index: L2 line * S.l2_sectors + sector."""

l2_bank = table("l2_bank", record(free="i8"))


@device
def next_level(S: State, w: int, line: int, kind: int, t: int) -> int:
    """A request leaves WPU w's first level at t; see `hooks.next_level`."""
    number = line << S.l1i_line_shift >> S.l2_line_shift
    if kind != FETCH:
        number = line >> S.l2_sector_shift
    b = number & (S.crossbar_banks - 1)
    looked = claim_bank(S, b, message_up(S, w, b, t)) + S.l2_latency
    there = lookup(S, number, b, looked)
    wait = there - looked
    settled = looked
    if kind != FETCH:
        at = S.reply_place * S.l2_sectors + (line & (S.l2_sectors - 1))
        S.copies_wait = wait
        settled = settle_copies(S, w, line, at, kind, b, looked)
        wait = S.copies_wait
    if kind == UPGRADE:
        over = message_down(S, b, w, settled + wait)
    elif kind == FETCH:
        over = code_down(S, b, w, settled + wait)
    else:
        over = line_down(S, b, w, settled + wait)
    S.reply_until_l2 = over if S.reply_from_memory == 0 else looked
    return over


@device
def claim_bank(S: State, b: int, t: int) -> int:
    """A bank takes a request a cycle: when it takes this one."""
    start = max(t, l2_bank(S, b).free)
    l2_bank(S, b).free = max(S.request_date + S.to_bank, l2_bank(S, b).free) + 1
    return start


@device
def lookup(S: State, number: int, b: int, looked: int) -> int:
    """Return the cycle from `looked` on at which L2 has a line; set the reply but for its state."""
    S.tick += 1
    first = S.l2_first + (number & (S.l2_sets - 1)) * S.l2_ways
    at = find(S, first, S.l2_ways, number)
    if at < 0:
        return lookup_missed(S, first, number, b, looked)
    S.reply_place = at - S.l2_first
    it = cache_line(S, at)
    cache_used(S, at).tick = S.tick
    if it.ready <= looked:
        S.reply_from_memory = 0
        S.n_l2_hit += 1
        return looked
    S.reply_from_memory = 1
    S.n_l2_merge += 1
    if S.l2_targets > 0 and it.targets >= S.l2_targets:
        S.n_l2_target_full += 1
        return it.ready + S.l2_latency
    if S.l2_targets > 0:
        it.targets += 1
    return it.ready


@device
def lookup_missed(S: State, first: int, number: int, b: int, looked: int) -> int:
    """Fetch a line from memory, and make room for it."""
    S.n_l2_miss += 1
    S.reply_from_memory = 1
    start = looked
    entry = -1
    if S.l2_mshrs > 0:
        entry = first_free(S, S.l2_mshr_first, S.l2_mshrs)
        if mshr(S, entry).free > start:
            S.n_l2_mshr_full += 1
            start = mshr(S, entry).free
    at = choose_victim(S, first, S.l2_ways, start)
    if cache_line(S, at).ready > start:
        S.n_victim_wait += 1
        start = cache_line(S, at).ready
    S.reply_place = at - S.l2_first
    old = cache_tag(S, at).tag
    dirty = 0
    if old != EMPTY:
        dirty = evict(S, old, looked)
        clear(S, at)
    there = dram_access(S, number << S.l2_line_shift, S.l2_line, 0, start)
    if dirty == 1:
        S.n_l2_writeback += 1
        dram_access(S, old << S.l2_line_shift, S.l2_line, 1, start)
    place(S, at, number, there, EXCLUSIVE, 1)
    if entry >= 0:
        mshr(S, entry).free = there
    S.n_l2_mshr_time += there - start
    return there


@device
def evict(S: State, number: int, looked: int) -> int:
    """The L2 line at S.reply_place goes, and all copies of it; 1 if memory has to be written."""
    b = number & (S.crossbar_banks - 1)
    dirty = 0
    for sector in range(S.l2_sectors):
        it = sharing(S, S.reply_place * S.l2_sectors + sector)
        rest = it.copies
        while rest != 0:
            o = ctz(rest)
            rest = drop_lowest(rest)
            S.n_back_invalidate += 1
            at = l1d_find(S, o, number << S.l2_sector_shift | sector)
            modified = 1 if cache_line(S, at).state == MODIFIED else 0
            answer(S, o, b, modified, message_down(S, b, o, looked))
            clear(S, at)
            dirty |= modified
        dirty |= it.dirty
        it.copies = 0
        it.owned = 0
        it.dirty = 0
    return dirty


@device
def settle_copies(S: State, w: int, line: int, at: int, kind: int, b: int, looked: int) -> int:
    """Do with the copies elsewhere what the request asks for: when that is over.

    Sets S.reply_state, and raises S.copies_wait where a copy is itself in flight.
    """
    it = sharing(S, at)
    mine = bit(w)
    others = it.copies & ~mine
    over = looked
    if kind == LOAD:
        if others != 0 and it.owned == 1:
            S.n_forward += 1
            over = call_back(S, ctz(others), line, at, b, SHARED, looked)
        it.owned = 1 if others == 0 else 0
        it.copies |= mine
        S.reply_state = EXCLUSIVE if others == 0 else SHARED
        return over
    S.n_forward += it.owned
    while others != 0:
        o = ctz(others)
        others = drop_lowest(others)
        S.n_invalidate += 1
        over = max(over, call_back(S, o, line, at, b, 0, looked))
    it.owned = 1
    it.copies = mine
    S.reply_state = MODIFIED
    return over


@device
def call_back(S: State, o: int, line: int, at: int, b: int, state: int, looked: int) -> int:
    """WPU o's copy becomes SHARED, or INVALID (0): when its answer is there."""
    place_there = l1d_find(S, o, line)
    copy = cache_line(S, place_there)
    reached = message_down(S, b, o, looked)
    S.copies_wait = max(S.copies_wait, copy.ready - reached)
    modified = 1 if copy.state == MODIFIED else 0
    if state == SHARED:
        copy.state = SHARED
        sharing(S, at).dirty |= modified
    else:
        clear(S, place_there)
    return answer(S, o, b, modified, reached) + S.coherence_latency


@device
def answer(S: State, o: int, b: int, modified: int, t: int) -> int:
    """WPU o answers a bank at t: with the line where it is newer, else with a message."""
    return line_up(S, o, b, t) if modified == 1 else message_up(S, o, b, t)


@device
def forget_line(S: State, w: int, line: int, l2_place: int, dirty: int) -> int:
    """Remove WPU w's copy of a line from the directory; if it was dirty, L2 has it now."""
    it = sharing(S, l2_place * S.l2_sectors + (line & (S.l2_sectors - 1)))
    it.copies &= ~bit(w)
    it.owned = 0
    it.dirty |= dirty
    return 0


@device
def write_back(S: State, w: int, line: int, t: int) -> int:
    """A dirty victim crosses to its bank; nobody waits."""
    b = (line >> S.l2_sector_shift) & (S.crossbar_banks - 1)
    return claim_bank(S, b, line_up(S, w, b, t))


def setup(machine: Machine) -> dict[str, Any]:
    """Geometry, latencies, an empty directory; counters as in docs/timing/memory.md."""
    cache = machine.l2
    sectors = cache.line // machine.l1d.line
    return {
        "sharing": cache.sets * cache.n_ways * sectors,
        "l2_bank": machine.l2_banks,
        "l2_sets": cache.sets,
        "l2_ways": cache.n_ways,
        "l2_line": cache.line,
        "l2_line_shift": cache.line_shift,
        "l2_sectors": sectors,
        "l2_sector_shift": sectors.bit_length() - 1,
        "l2_latency": cache.hit_latency,
        # Cycles from the first level until an L2 lookup is over, if nothing is in the way:
        "to_memory": 1 + machine.crossbar.latency + cache.hit_latency,
        "l2_targets": cache.targets,
        "coherence_latency": machine.coherence_latency,
        "copies_wait": 0,  # cycles that the copies called back keep the request waiting
        "n_l2_hit": 0,
        "n_l2_merge": 0,
        "n_l2_miss": 0,
        "n_l2_mshr_full": 0,
        "n_l2_target_full": 0,
        "n_l2_mshr_time": 0,
        "n_l2_writeback": 0,
        "n_back_invalidate": 0,
        "n_invalidate": 0,
        "n_forward": 0,
    }
