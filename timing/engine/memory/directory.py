"""The shared second level: inclusive, banked, with a MESI directory (DWS-22, MAWS-14).

Engine code; docs/timing/memory.md, rules 5 to 8. The directory has an entry for each L1D line
within an L2 line, a *sector*: the WPUs with a copy, and whether the one copy may be written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import WORD, bit, ctz, device, drop_lowest, prefetch, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, dram_access
    from .crossbar import (
        bank_date,
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
        cache_ready,
        cache_tag,
        cache_used,
        choose_victim,
        clear,
        find,
        place,
    )
    from .mshr import mshr, next_entry

SHARING = record(
    copies="i8",  # WPUs whose L1D has the sector
    owned="i1",  # 1: the one copy is EXCLUSIVE or MODIFIED
    dirty="i1",  # 1: newer than memory
)
SHARING_BYTES = SHARING.itemsize
sharing = table("sharing", SHARING)
"""Index: L2 line * S.l2_sectors + sector."""

HOST_LINE = 64
"""Bytes of a line of the host's caches, as all hosts have them."""

l2_bank = table("l2_bank", record(free="i8"))


@device
def next_level(S: State, w: int, line: int, kind: int, t: int) -> int:
    """Send a request from WPU w's first level at t; see `hooks.next_level`."""
    line_number = line << S.l1i_line_shift >> S.l2_line_shift
    if kind != FETCH:
        line_number = line >> S.l2_sector_shift
    bank = line_number & (S.crossbar_banks - 1)
    lookup_end = claim_bank(S, bank, message_up(S, w, bank, t)) + S.l2_latency
    arrival = lookup(S, line_number, bank, lookup_end)
    data_wait = arrival - lookup_end
    settle_end = lookup_end
    if kind != FETCH:
        sector = S.reply_place * S.l2_sectors + (line & (S.l2_sectors - 1))
        S.copies_wait = data_wait
        settle_end = settle_copies(S, w, line, sector, kind, bank, lookup_end)
        data_wait = S.copies_wait
    if kind == UPGRADE:
        completion = message_down(S, bank, w, settle_end + data_wait)
    elif kind == FETCH:
        completion = code_down(S, bank, w, settle_end + data_wait)
    else:
        completion = line_down(S, bank, w, settle_end + data_wait)
    S.reply_until_l2 = completion if S.reply_from_memory == 0 else lookup_end
    return completion


@device
def memory_date(S: State) -> int:
    """Return the cycle at which the lookup of an undelayed request ends (rule 4)."""
    return bank_date(S) + S.l2_latency


@device
def claim_bank(S: State, bank: int, t: int) -> int:
    """Return the cycle at which `bank`, which takes one request per cycle, takes that of t."""
    start = max(t, l2_bank(S, bank).free)
    l2_bank(S, bank).free = max(bank_date(S), l2_bank(S, bank).free) + 1
    return start


@device
def l2_set(S: State, line_number: int) -> int:
    """Return the index of the first way of a line's set."""
    return S.l2_first + (line_number & (S.l2_sets - 1)) * S.l2_ways


@device
def prefetch_set(S: State, address: int) -> int:
    """Let the host fetch the tags of the set of `address`; see `hooks.prefetch_set`."""
    tags = S.p_cache_tag + WORD * l2_set(S, address >> S.l2_line_shift)
    prefetch(tags)
    prefetch(tags + HOST_LINE)
    return 0


@device
def prefetch_line(S: State, line: int) -> int:
    """Find the L2 line of a request, for its lookup, and let the host fetch its records."""
    line_number = line >> S.l2_sector_shift
    index = find(S, l2_set(S, line_number), S.l2_ways, line_number)
    S.l2_found_line = line_number
    S.l2_found = index
    if index >= 0:
        prefetch(S.p_cache_ready + WORD * index)
        prefetch(S.p_cache_used + WORD * index)
        place = (index - S.l2_first) * S.l2_sectors + (line & (S.l2_sectors - 1))
        prefetch(S.p_sharing + SHARING_BYTES * place)
    return 0


@device
def lookup(S: State, line_number: int, bank: int, lookup_end: int) -> int:
    """Return the cycle from `lookup_end` on at which L2 has a line; set the reply but its state."""
    S.tick += 1
    first = l2_set(S, line_number)
    index = S.l2_found
    if S.l2_found_line == line_number:
        S.l2_found_line = -1
    else:
        index = find(S, first, S.l2_ways, line_number)
    if index < 0:
        return lookup_missed(S, first, line_number, bank, lookup_end)
    S.reply_place = index - S.l2_first
    cache_used(S, index).tick = S.tick
    ready = cache_ready(S, index).at
    if ready <= lookup_end:
        S.reply_from_memory = 0
        S.n_l2_hit += 1
        return lookup_end
    S.reply_from_memory = 1
    S.n_l2_merge += 1
    cached_line = cache_line(S, index)
    if S.l2_targets > 0 and cached_line.targets >= S.l2_targets:
        S.n_l2_target_full += 1
        return ready + S.l2_latency
    if S.l2_targets > 0:
        cached_line.targets += 1
    return ready


@device
def lookup_missed(S: State, first: int, line_number: int, bank: int, lookup_end: int) -> int:
    """Fetch a line from memory, and make room for it; return its arrival."""
    S.n_l2_miss += 1
    S.reply_from_memory = 1
    start = lookup_end
    entry = -1
    if S.l2_mshrs > 0:
        entry = next_entry(S, 2 * S.wpus, S.l2_mshr_first, S.l2_mshrs, S.now)
        if mshr(S, entry).free > start:
            S.n_l2_mshr_full += 1
            start = mshr(S, entry).free
    index = choose_victim(S, first, S.l2_ways, start)
    if cache_ready(S, index).at > start:
        S.n_victim_wait += 1
        start = cache_ready(S, index).at
    S.reply_place = index - S.l2_first
    victim_tag = cache_tag(S, index).tag
    dirty = 0
    if victim_tag != EMPTY:
        dirty = evict(S, victim_tag, lookup_end)
    arrival = dram_access(S, line_number << S.l2_line_shift, S.l2_line, 0, start)
    if dirty == 1:
        S.n_l2_writeback += 1
        dram_access(S, victim_tag << S.l2_line_shift, S.l2_line, 1, start)
    place(S, index, line_number, arrival, EXCLUSIVE, 1)
    if entry >= 0:
        mshr(S, entry).free = arrival
    S.n_l2_mshr_time += arrival - start
    return arrival


@device
def evict(S: State, line_number: int, lookup_end: int) -> int:
    """Evict the L2 line at S.reply_place and all its copies; return 1 if memory must be written."""
    bank = line_number & (S.crossbar_banks - 1)
    dirty = 0
    for sector in range(S.l2_sectors):
        entry = sharing(S, S.reply_place * S.l2_sectors + sector)
        rest = entry.copies
        while rest != 0:
            owner = ctz(rest)
            rest = drop_lowest(rest)
            S.n_back_invalidate += 1
            index = l1d_find(S, owner, line_number << S.l2_sector_shift | sector)
            modified = 1 if cache_line(S, index).state == MODIFIED else 0
            send_reply(S, owner, bank, modified, message_down(S, bank, owner, lookup_end))
            clear(S, index)
            dirty |= modified
        dirty |= entry.dirty
        entry.copies = 0
        entry.owned = 0
        entry.dirty = 0
    return dirty


@device
def settle_copies(S: State, w: int, line: int, sector: int, kind: int, bank: int, t: int) -> int:
    """Downgrade or invalidate copies elsewhere, from t on, as the request needs; return the end.

    Sets S.reply_state, and raises S.copies_wait where a copy is itself in flight.
    """
    entry = sharing(S, sector)
    own_bit = bit(w)
    others = entry.copies & ~own_bit
    completion = t
    if kind == LOAD:
        if others != 0 and entry.owned == 1:
            S.n_forward += 1
            completion = call_back(S, ctz(others), line, sector, bank, SHARED, t)
        entry.owned = 1 if others == 0 else 0
        entry.copies |= own_bit
        S.reply_state = EXCLUSIVE if others == 0 else SHARED
        return completion
    S.n_forward += entry.owned
    while others != 0:
        owner = ctz(others)
        others = drop_lowest(others)
        S.n_invalidate += 1
        completion = max(completion, call_back(S, owner, line, sector, bank, 0, t))
    entry.owned = 1
    entry.copies = own_bit
    S.reply_state = MODIFIED
    return completion


@device
def call_back(S: State, owner: int, line: int, sector: int, bank: int, state: int, t: int) -> int:
    """Make the copy of WPU `owner` SHARED, or INVALID (state 0), from t on; return its reply."""
    index = l1d_find(S, owner, line)
    copy = cache_line(S, index)
    message_arrival = message_down(S, bank, owner, t)
    S.copies_wait = max(S.copies_wait, cache_ready(S, index).at - message_arrival)
    modified = 1 if copy.state == MODIFIED else 0
    if state == SHARED:
        copy.state = SHARED
        sharing(S, sector).dirty |= modified
    else:
        clear(S, index)
    return send_reply(S, owner, bank, modified, message_arrival) + S.coherence_latency


@device
def send_reply(S: State, owner: int, bank: int, modified: int, t: int) -> int:
    """Send WPU `owner`'s reply to `bank` at t: the line if it is modified, else a message."""
    return line_up(S, owner, bank, t) if modified == 1 else message_up(S, owner, bank, t)


@device
def forget_line(S: State, w: int, line: int, l2_place: int, dirty: int) -> int:
    """Remove WPU w's copy of a line from the directory; if it was dirty, L2 has it now."""
    entry = sharing(S, l2_place * S.l2_sectors + (line & (S.l2_sectors - 1)))
    entry.copies &= ~bit(w)
    entry.owned = 0
    entry.dirty |= dirty
    return 0


@device
def write_back(S: State, w: int, line: int, t: int) -> int:
    """Send a dirty victim to its bank; see `hooks.write_back`."""
    bank = (line >> S.l2_sector_shift) & (S.crossbar_banks - 1)
    return claim_bank(S, bank, line_up(S, w, bank, t))


def setup(machine: Machine) -> dict[str, Any]:
    """Return geometry, latencies, an empty directory, and counters (docs/timing/memory.md)."""
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
        # The index of the line that `prefetch_line` has looked for, and its number; -1 for none.
        "l2_found": -1,
        "l2_found_line": -1,
        "l2_latency": cache.hit_latency,
        "atomics_past_l1": 0,  # a first level does them in a line that it owns
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
