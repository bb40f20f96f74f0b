"""Memory: accesses, cache lines and replies, and what a policy does at an access."""

from __future__ import annotations

from .declaration import State, answers, given, required, where_used


@required
def fetch(S: State, w: int, s: int, t: int) -> int:
    """Return the cycle at which the instructions of segment s are available to WPU w, t if at once.

    Called before a group issues the segment at cycle t. After a later cycle the group waits until
    then, and the hook is called again for the same segment. The files of memory/ fill it.
    """
    return 0


def prefetch_set(S: State, address: int) -> int:
    """Let the host fetch the tags that a first-level miss at `address` would be compared with.

    Called when an access issues, a cycle before it is performed. It changes nothing that is
    simulated, as `prefetch_line`.
    """
    return 0


def prefetch_line(S: State, line: int) -> int:
    """Let the host fetch what the second level has of `line`, for which `next_level` comes next."""
    return 0


@required
@given(
    access_is_packed=(
        "1 if the lanes belong to several warps; the table `lane_home` gives each lane's warp"
    )
)
@answers(
    access_hits=("lanes", "lanes that the first level serves"),
    access_hits_at=("t", "the cycle at which the last of these is served"),
    access_bubbles=(0, "issue slots that the access takes beyond its own"),
    access_until_bank=(0, "the cycle up to which it waits for a bank, 0 for none"),
    access_until_mshr=(0, "the cycle up to which it then waits for an MSHR, 0 for none"),
    access_until_l2=(0, "the cycle up to which it then waits for the second level, 0 for none"),
)
def simd_access(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Return the cycle at which the last of `lanes` is served in group g's access at cycle t.

    Called for accesses to global, read-only and private memory that are not on chip; `lanes` is a
    mask with at least one lane, and the segment of g describes the access. The result is t + 1 or
    later. The data themselves are moved by the engine after the call. The files of memory/ fill it.
    """
    return 0


def on_lanes_served(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Note that the memory system serves `lanes` of group g at cycle t in the current access.

    Called from `simd_access`, for the lanes of each line.
    """
    return 0


@given(line_lanes="how many lanes want the line")
@answers(
    line_until_mshr=(
        0,
        "after a miss: the cycle up to which the line waits for an MSHR, 0 for none",
    ),
    # Between these two, as a host that copies both at once would wait for their stores.
    line_hit=(0, "1 if the first level has the line"),
    line_until_l2=(
        0,
        "after a miss: the cycle up to which it waits for the second level, 0 for none",
    ),
)
def line_access(S: State, w: int, line: int, kind: int, t: int) -> int:
    """Return the cycle at which the first level serves the lanes that want `line` at cycle t.

    Called for each line of an access by WPU w. `line` is the address divided by the line size,
    `kind` is LOAD, STORE or ATOMIC (memory/lines.py).
    """
    return 0


@given(request_date="the cycle at which the request would leave the first level without any wait")
@answers(
    reply_state=(0, "what the first level may do with the line: SHARED, EXCLUSIVE or MODIFIED"),
    reply_from_memory=(0, "1 if the line comes from memory"),
    reply_until_l2=(0, "the cycle up to which the wait is for the second level, 0 for none"),
    reply_place=(0, "the place of the line in the second level"),
)
def next_level(S: State, w: int, line: int, kind: int, t: int) -> int:
    """Return the cycle at which `line` arrives that the first level of WPU w requests at cycle t.

    `kind` is LOAD, STORE, ATOMIC, FETCH (a line of code) or UPGRADE (ownership of a shared line).
    """
    return 0


def forget_line(S: State, w: int, line: int, l2_place: int, dirty: int) -> int:
    """Remove `line`, which left the first level of WPU w, from the directory; this costs no time.

    `l2_place` is its place in the second level, `dirty` is 1 if the first level had modified it.
    """
    return 0


def write_back(S: State, w: int, line: int, t: int) -> int:
    """Write back dirty `line`, which leaves the first level of WPU w at cycle t.

    Return the cycle at which it has arrived. The request that evicted the line does not wait for
    it.
    """
    return 0


def dram_access(S: State, address: int, size: int, write: int, t: int) -> int:
    """Return the cycle at which `size` bytes at `address`, requested at t, are transferred.

    For a read (`write` 0): when the data are back on this side of the bus. For a write (1): when
    they have crossed the bus.
    """
    return 0


@where_used
def memory_date(S: State) -> int:
    """Return the cycle at which the request of S.request_date, undelayed, would be at the bus.

    Claims of the bus and of ports on the way back have this date (memory.md, rule 4). The file that
    fills `next_level` fills it.
    """
    return 0


def on_move(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Examine the access of `lanes` of group g at cycle t before their data move (Q-MAWS-20).

    Called after `simd_access`. Registers still hold the addresses, which a load may overwrite.
    """
    return 0


def on_memory_pc(S: State, w: int, g: int, t: int) -> int:
    """Merge other groups into group g, which is about to access memory at cycle t (DWS-08).

    Called before `simd_access`, with `group(S, g).at_memory` set to 1. The access is made for all
    lanes of g that are not in `done`.
    """
    return 0


def on_miss(S: State, w: int, g: int, t: int) -> int:
    """Note that some lanes of group g missed in its access at cycle t (MAWS-10).

    `ready_at(S, g).t` is the cycle at which all lanes are served. Called before `on_access`, also
    where no lane hit.
    """
    return 0


def on_access(S: State, w: int, g: int, t: int) -> int:
    """Split group g, if that pays, after its access at t in which some lanes hit and some missed.

    `group(S, g).hits` are the lanes that hit, `S.access_hits_at` is the cycle at which the last of
    them is served, and g waits until all lanes are (DWS-09). For a pack the hook is called after
    its last sub-warp if any lane missed.
    """
    return 0


def on_served(S: State, w: int, g: int, t: int) -> int:
    """Note which lanes of pack g the first level has served, after each sub-warp's access at t.

    `S.access_hits` are these lanes, and `part(S, h).chosen` the lanes of each part h in the
    sub-warp.
    """
    return 0


def on_barrier_open(S: State, w: int, t: int) -> int:
    """Return how many cycles after t the warps of a workgroup on WPU w pass their barrier.

    0 or more. Called at cycle t, when the last warp has arrived at the barrier.
    """
    return 0


def on_launch_end(S: State, t: int) -> int:
    """Return the cycles from t, when the last workgroup returned, until the next launch may begin.

    0 or more; a flush of dirty lines takes some (MAWS-13).
    """
    return 0
