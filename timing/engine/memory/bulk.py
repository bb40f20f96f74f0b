"""Private first levels on memory, made coherent only where a launch ends (MAWS-13).

Engine code. A write neither invalidates nor updates copies elsewhere. At the global barrier, which
is the boundary between launches, every dirty line is written to memory. The barrier opens when the
last one has crossed the bus (Q-MAWS-4); then all caches are empty. Requests cross the crossbar to
memory, whose ports are chosen by line.

Data move in the order of issue, so that no read returns old data. Where the real machine might
return them, the program has a race, and the race is reported: `seen` has the WPU that wrote a
word last since the flush. A load of the word by another WPU is counted, and the first ones are kept
with place and time (Q-MAWS-20).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import ctz, device, drop_lowest, low_bits, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, dram_access
    from ..state import SPACE_GLOBAL, group, seg
    from .addresses import lane_address
    from .crossbar import bank_date, code_down, line_down, line_up, message_up
    from .lines import EMPTY, EXCLUSIVE, FETCH, LOAD, MODIFIED, cache_line, cache_tag, clear
    from .seen import put, value_of

STALE = record(address="i8", seg="i8", launch="i8", reader="i8", writer="i8", t="i8")
stale = table("stale", STALE)
"""The first racy reads: address of the word, segment of the reader, launch from 1, WPUs, cycle."""

N_STALE = 64
WRITER_BITS = 6


@device
def next_level(S: State, w: int, line: int, kind: int, t: int) -> int:
    """Read a line of memory over the crossbar; see `hooks.next_level`."""
    bank = line & (S.crossbar_banks - 1)
    request_arrival = message_up(S, w, bank, t)
    S.reply_from_memory = 1
    S.reply_state = EXCLUSIVE if kind == LOAD else MODIFIED
    S.reply_until_l2 = request_arrival
    if kind == FETCH:
        data_arrival = dram_access(S, line << S.l1i_line_shift, S.l1i_line, 0, request_arrival)
        return code_down(S, bank, w, data_arrival)
    data_arrival = dram_access(S, line << S.l1d_line_shift, S.l1d_line, 0, request_arrival)
    return line_down(S, bank, w, data_arrival)


@device
def memory_date(S: State) -> int:
    """Return the cycle at which an undelayed request is at the memory's side of the crossbar."""
    return bank_date(S)


@device
def write_back(S: State, w: int, line: int, t: int) -> int:
    """Write a dirty line to memory; return the cycle at which it has crossed the bus."""
    arrived = line_up(S, w, line & (S.crossbar_banks - 1), t)
    return dram_access(S, line << S.l1d_line_shift, S.l1d_line, 1, arrived)


@device
def on_launch_end(S: State, t: int) -> int:
    """Write back all dirty lines, WPU by WPU, and empty the caches; see `hooks.on_launch_end`."""
    flush_end = t
    S.request_date = t
    per_wpu = S.l1d_sets * S.l1d_ways
    for w in range(S.wpus):
        for index in range(w * per_wpu, (w + 1) * per_wpu):
            line = cache_tag(S, index).tag
            if line == EMPTY:
                continue
            if cache_line(S, index).state == MODIFIED:
                S.n_flush_line += 1
                flush_end = max(flush_end, write_back(S, w, line, t))
            clear(S, index)
    S.flush_epoch += 1
    S.seen_from = S.flush_epoch << WRITER_BITS
    return flush_end - t


@device
def on_move(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Compare the words that `lanes` read with those that other WPUs wrote; see `hooks.on_move`.

    Memory performs atomics: they write what another WPU may read late, and they read current data.
    """
    grp = group(S, g)
    row = seg(S, grp.seg)
    if row.space != SPACE_GLOBAL:
        return 0
    rest = lanes
    while rest != 0:
        lane = ctz(rest)
        rest = drop_lowest(rest)
        address = lane_address(S, g, lane)
        for word in range(address >> 2, (address + row.lane_bytes + 3) >> 2):
            if row.is_store == 1 or row.is_atomic == 1:
                put(S, word, S.flush_epoch << WRITER_BITS | w)
                continue
            writer = value_of(S, word)
            if writer != 0 and writer & low_bits(WRITER_BITS) != w:
                count_stale(S, w, grp.seg, word, writer & low_bits(WRITER_BITS), t)
    return 0


@device
def count_stale(S: State, w: int, s: int, word: int, writer: int, t: int) -> int:
    """Count a racy read of `word` by segment s on WPU w at t; keep it if it is among the first."""
    if S.n_stale_read < N_STALE:
        read = stale(S, S.n_stale_read)
        read.address = word << 2
        read.seg = s
        read.launch = S.launch
        read.reader = w
        read.writer = writer
        read.t = t
    S.n_stale_read += 1
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return the table of racy reads and counters; epochs begin at 1: 0 means not written."""
    return {
        "atomics_past_l1": 1,  # memory does them
        "stale": N_STALE,
        "flush_epoch": 1,
        "n_flush_line": 0,
        "n_stale_read": 0,
    }
