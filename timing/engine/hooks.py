"""The hooks of the engine: functions that machines and policies fill, and what each returns.

A hook marked `required` must be filled by one file of the composition. One marked `where_used` must
be filled if a file calls it. Every other hook has the default written here: it does nothing and
returns what is shown, unless a file fills it.

All arguments and results are 64-bit integers. `S` is the state, `w` the index of a WPU, `v` that of
a warp context, `g` and `h` are groups, `s` is a segment, `t` a cycle. A mask has a bit per lane. A
hook that is called for its effect returns 0, and the caller ignores it.

A hook with more than one result writes the others to words of the state. `answers` declares these
words and the value that each has before the hook runs; `given` declares words that the caller sets
for the hook. The composition puts these words into the state and sets the answers before each call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., int])

REQUIRED: set[str] = set()
"""Hooks that every engine must fill."""

WHERE_USED: set[str] = set()
"""Hooks that an engine must fill if one of its files calls them."""

ANSWERS: dict[str, dict[str, tuple[int | str, str]]] = {}
"""Hook -> word of the state -> its value before the hook runs (a number, or the name of a parameter
of the hook) and its meaning."""

GIVEN: dict[str, dict[str, str]] = {}
"""Hook -> word of the state that the caller sets -> its meaning."""


class State:
    """The state as engine code sees it: any field of the header, a whole number."""

    def __getattr__(self, name: str) -> int:
        raise NotImplementedError

    def __setattr__(self, name: str, value: int) -> None:
        raise NotImplementedError


Row = Any
"""A record of a table."""


def required(f: _F) -> _F:
    """Mark a hook that has no default and that every engine must fill."""
    REQUIRED.add(f.__name__)
    return f


def where_used(f: _F) -> _F:
    """Mark a hook that has no default and that only some engines call."""
    WHERE_USED.add(f.__name__)
    return f


def answers(**words: tuple[int | str, str]) -> Callable[[_F], _F]:
    """Declare the words of the state that a hook sets, as in `ANSWERS`."""

    def declare(f: _F) -> _F:
        ANSWERS[f.__name__] = words
        return f

    return declare


def given(**words: str) -> Callable[[_F], _F]:
    """Declare the words of the state that a hook's caller sets, as in `GIVEN`."""

    def declare(f: _F) -> _F:
        GIVEN[f.__name__] = words
        return f

    return declare


# --- issue


def on_turn(S: State, w: int, t: int) -> int:
    """Bring the policy's state up to cycle t, before WPU w picks a group.

    Called at every dispatch, whether or not a group is ready. Warp formation lets warps that left
    the pipeline enter the pool here (LWM-17).
    """
    return 0


@required
def rank(S: State, w: int, g: int, t: int) -> int:
    """Return the place of group g among the groups of WPU w that are ready at cycle t.

    The group with the least value is picked. Ties go to the group in the lowest scheduler slot.
    The value must be below NEVER. Not called if only one group is ready. The files of schedule/
    fill it.
    """
    return 0


def is_urgent(S: State, w: int, g: int) -> int:
    """Return 1 if ready group g goes before all others, whatever the scheduler ranks first.

    Urgent groups among each other have the order of the scheduler.
    """
    return 0


def on_pick(S: State, w: int, g: int, t: int) -> int:
    """Note that WPU w has picked group g at cycle t: move a round-robin pointer or fetch group.

    Called after `stand_in`, so that g is the group that issues.
    """
    return 0


def stand_in(S: State, w: int, g: int, t: int) -> int:
    """Return the group that takes the turn of group g, which has won the ranking at cycle t.

    The result is g itself or another group of the same warp that has a scheduler slot and is ready
    at t (MAWS-04: the split that has issued least).
    """
    return g


@required
def issue(S: State, w: int, g: int, t: int) -> int:
    """Issue instructions of group g from cycle t until it stops, and set the next event of WPU w.

    A group stops at an access, a wait, its exit, or where the discipline gives the turn away. Then
    `stop(S, w, t)` sets the cycle of the next pick. The files of issue/ fill it.
    """
    return 0


def extra_slots(S: State, w: int, g: int, n: int) -> int:
    """Return the issue slots that n instructions of group g take beyond one each, 0 or more.

    Called when the instructions issue. The WPU issues nothing else in these cycles; they are
    charged to the units.
    """
    return 0


def on_stall(S: State, w: int, t: int) -> int:
    """Wake a waiting group of WPU w, on which no group is ready at cycle t, and return 1; else 0.

    Called when a dispatch finds nothing to pick while workgroups run. After 1 the WPU picks again
    at t. Return 1 only if a group was woken or made (DWS-12).
    """
    return 0


def on_dispatch(S: State, w: int, g: int, t: int) -> int:
    """Merge other ready groups into group g, which was picked at cycle t and ends its wait.

    Return the cycles from t after which g issues: 0, or what comparing PCs takes (Q-DWS-26). They
    are charged to re-convergence. Called before the wait is charged. If g waited for an access,
    `at_memory` is still 1 and its segment is still that of the access (DWS-08, Q-DWS-24).
    """
    return 0


# --- control flow


@required
def on_start(S: State, w: int, warp_id: int, t: int) -> int:
    """Begin the warp of context `warp_id` on WPU w at cycle t: make and schedule its first group.

    `warp(S, warp_id).live` has the lanes, and segment 0 is the kernel's first. Call `new_group`,
    `wake` the group at t, and `schedule` it.
    """
    return 0


@required
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Decide how group g continues after its conditional branch, which ends at cycle t.

    `taken` are the lanes of g that take the branch; `seg(S, group(S, g).seg)` has the `target`, the
    `next` segment and the re-convergence point `rpc`. Set the segment and mask with which g
    continues, and return 1; or `park` or end g, and return 0. For a pack, `part(S, h).taken` has
    the lanes of each part h.
    """
    return 0


@required
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Stop group g before it issues its segment at cycle t, if it must wait; return 1 if it stops.

    Called before every segment is fetched. Return 0 to let g issue; the hook may first change its
    segment and mask, as when a re-convergence point pops the stack. Before it returns 1, the hook
    parks g, ends it, or takes its scheduler slot away; WPU w then picks another group at t.
    """
    return 0


@required
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Continue group g with other lanes after all of its own have returned at cycle t, or return 0.

    The lanes of `group(S, g).mask` have left `warp(S, v).live` already. Set a new mask and segment,
    and return 1; after 0 the engine ends g. A pack has to be ended by the hook (`end_pack`).
    """
    return 0


def on_reconverge(S: State, w: int, g: int, t: int) -> int:
    """Handle a `reconverge` instruction that group g has issued and that ends at cycle t.

    Used by explicit schemes (PPC-02, PPC-09). The segment of g is already the one after the
    instruction.
    """
    return 0


@required
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Add group g, which has issued a barrier, to the lanes of its warp that wait there.

    The barrier ended at cycle t, g is parked without a scheduler slot, and its segment is still
    that of the barrier. Return 1 if all live lanes of the warp have now arrived; g must then have
    them all. Return 0 if others are missing, after keeping or ending g.
    """
    return 0


# --- memory


@required
def fetch(S: State, w: int, s: int, t: int) -> int:
    """Return the cycle at which the instructions of segment s are available to WPU w, t if at once.

    Called before a group issues the segment at cycle t. After a later cycle the group waits until
    then, and the hook is called again for the same segment. The files of memory/ fill it.
    """
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
    line_hit=(0, "1 if the first level has the line"),
    line_until_mshr=(
        0,
        "after a miss: the cycle up to which the line waits for an MSHR, 0 for none",
    ),
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


# --- lanes that run ahead after a hit (policy/memory_split.py), of a group or a pack


@where_used
def has_room(S: State, w: int, v: int) -> int:
    """Return 1 if the warp-split table of WPU w has room for one more split of warp v, else 0.

    A refusal is counted in `S.n_wst_full`.
    """
    return 0


@where_used
def lanes_ahead(S: State, g: int) -> int:
    """Return how many served lanes of waiting group g may run ahead, 0 to keep it whole."""
    return 0


@where_used
def ahead_at(S: State, g: int) -> int:
    """Return the cycle at which the last lane of group g that may run ahead is served.

    Called right after the access of g, from `on_access`.
    """
    return 0


@where_used
def run_ahead(S: State, w: int, g: int) -> int:
    """Make the served lanes of group g a group of their own, scheduled but not woken; return it."""
    return 0


def on_revival(S: State, g: int, t: int) -> int:
    """Add the lanes of waiting group g that have been served by cycle t to its hits (Q-DWS-30).

    Called from `on_stall`, before `lanes_ahead`.
    """
    return 0


@where_used
def split_chosen(S: State, w: int, g: int) -> int:
    """Make the chosen lanes of pack g (`part(S, h).chosen` of each part h) a pack; return its lead.

    Not all lanes of the lead are chosen. The new pack is scheduled and waits as g does.
    """
    return 0


# --- splits (policy/splits/splits.py)


def speculate(S: State, w: int, g: int, t: int) -> int:
    """Return 1 if the lanes of group g that hit at cycle t should run ahead, 0 to keep g whole.

    Called from `on_access` where `memory-split` is `latency` and the table has room (MAWS-09).
    """
    return 0


def on_split(S: State, g: int, h: int) -> int:
    """Divide the policy's counts of group g after some of its lanes have become group h."""
    return 0


def on_merge(S: State, g: int, h: int) -> int:
    """Combine the policy's counts of group h, which is about to merge into g, with those of g."""
    return 0


def on_leave(S: State, g: int) -> int:
    """Wake or schedule groups that depended on group g, which starts to wait or has returned.

    Called in two cases: g is about to wait for other splits of its warp (its lanes are not yet
    counted as waiting), or all its lanes have returned.
    """
    return 0


def may_pass(S: State, g: int) -> int:
    """Return 1 if group g continues alone at a branch at which splits wait for each other, else 0.

    Called where splits wait at conditional branches; the segment of g ends in the branch (DWS-19).
    """
    return 0


def on_full_table(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Stop split g, whose branch diverges while the warp-split table is full; return 1 if it does.

    Called where a split has to divide (DWS-05) and `has_room` has refused. `taken` and t are as for
    `on_branch`. After 0 the split runs both paths in turn, on a stack of its own (Q-DWS-14).
    """
    return 0


def on_bypass(S: State, g: int, taken: int) -> int:
    """Decide how group g continues after a branch that it was allowed to pass and that diverged.

    Called after `may_pass` has returned 1. `taken` and the result are as for `on_branch`.
    """
    return 0


def on_wait(S: State, g: int) -> int:
    """Save the policy's counts of group g, which ends while its lanes wait for their warp."""
    return 0


def on_rejoin(S: State, g: int) -> int:
    """Add the saved counts of the lanes that waited to those of group g.

    The lanes are now lanes of g.
    """
    return 0


# --- large warps (policy/packs/large.py)


def on_row(S: State, v: int, before: int) -> int:
    """Make warp v the row that follows warp `before` in a large warp; -1: v is the first row."""
    return 0


def on_group_count(S: State, w: int) -> int:
    """Note that the number of WPU w's groups has changed, for a table that limits it (DWS-25)."""
    return 0


def on_resume(S: State, w: int, g: int, t: int) -> int:
    """Merge other ready packs of its large warp into pack g, which was picked at cycle t.

    Called from `on_dispatch`, after the wait of g is charged.
    """
    return 0


def gathers(S: State, w: int, g: int) -> int:
    """Let pack g wait for the others of its large warp: end it and return 1; 0 if all have arrived.

    Called at a re-convergence point, a conditional branch and a barrier, which all lanes of the
    stack's top entry reach together. The last pack to arrive becomes the whole large warp.
    """
    return 0


def leaves(S: State, w: int, g: int) -> int:
    """Return 1 if pack g has returned while other lanes of the stack's top entry are still live."""
    return 0


# --- time


def on_interval(S: State, w: int, t: int) -> int:
    """Adapt the policy to what WPU w has done since the last call (DWS-21).

    Called every `S.interval` cycles, at the next dispatch of the WPU, at cycle t.
    """
    return 0


def on_event(S: State, kind: int, w: int, g: int, t: int) -> int:
    """Record an event of group g on WPU w at cycle t, for a recording.

    `kind` is one of the EV_ constants of account.py.
    """
    return 0
