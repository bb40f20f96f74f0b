"""The holes of the engine, which machines and policies fill, and the answers of those holes.

A function marked `required` has to be filled by one file of the composition. One marked
`where_used` has to be filled where a file calls it. The others do what is written here, mostly
nothing, unless a file fills them. All arguments and results are 64-bit integers: `S` is the state,
`w` a WPU, `v` a warp context, `g` and `h` are groups, `s` is a segment, `t` a cycle.

A hook with more to answer than the number it returns sets words of the state. `answers` declares
them with the value that they have before the hook runs; `given` declares words that the caller sets
for it. The composition gives the state these words, and sets the answers before each call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., int])

REQUIRED: set[str] = set()
"""Hooks that every engine fills."""

WHERE_USED: set[str] = set()
"""Hooks that an engine fills if one of its files calls them."""

ANSWERS: dict[str, dict[str, tuple[int | str, str]]] = {}
"""Hook -> word of the state -> its value before the hook runs (a number or the name of a parameter
of the hook), and what it means."""

GIVEN: dict[str, dict[str, str]] = {}
"""Hook -> word of the state that the caller sets -> what it means."""


class State:
    """What engine code knows of the state: any field of the header, as a whole number."""

    def __getattr__(self, name: str) -> int:
        raise NotImplementedError

    def __setattr__(self, name: str, value: int) -> None:
        raise NotImplementedError


Row = Any
"""A record of a table."""


def required(f: _F) -> _F:
    """Mark a hook that has no default."""
    REQUIRED.add(f.__name__)
    return f


def where_used(f: _F) -> _F:
    """Mark a hook that has no default, and that not every engine calls."""
    WHERE_USED.add(f.__name__)
    return f


def answers(**words: tuple[int | str, str]) -> Callable[[_F], _F]:
    """Declare what a hook sets in the state; see `ANSWERS`."""

    def declare(f: _F) -> _F:
        ANSWERS[f.__name__] = words
        return f

    return declare


def given(**words: str) -> Callable[[_F], _F]:
    """Declare what a hook's caller sets in the state; see `GIVEN`."""

    def declare(f: _F) -> _F:
        GIVEN[f.__name__] = words
        return f

    return declare


# --- who issues


def on_turn(S: State, w: int, t: int) -> int:
    """A group is about to be picked: what has come about up to t (warps that retire, LWM-17)."""
    return 0


@required
def rank(S: State, w: int, g: int, t: int) -> int:
    """The order among the groups that are ready at t: the least is picked (schedule/).

    Not asked where one group is ready alone.
    """
    return 0


def on_pick(S: State, w: int, g: int, t: int) -> int:
    """A group was picked: move the pointers of a round-robin, the current fetch group."""
    return 0


def stand_in(S: State, w: int, g: int, t: int) -> int:
    """A group's turn has come: the group of its warp that takes it, itself or another (MAWS-04)."""
    return g


@required
def issue(S: State, w: int, g: int, t: int) -> int:
    """A group issues from cycle t on, until it stops; sets the WPU's next event (issue/)."""
    return 0


def extra_slots(S: State, w: int, g: int, n: int) -> int:
    """n instructions of a group issue: the issue slots that they take beyond one each."""
    return 0


def on_stall(S: State, w: int, t: int) -> int:
    """Nothing is ready: wake somebody by setting its ready time to t, and answer 1 (DWS-12)."""
    return 0


def on_dispatch(S: State, w: int, g: int, t: int) -> int:
    """A group leaves its wait: merge others that are ready into it (DWS-08, Q-DWS-24)."""
    return 0


# --- control flow


@required
def on_start(S: State, w: int, warp_id: int, t: int) -> int:
    """A warp begins: make its first group and schedule it."""
    return 0


@required
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """A conditional branch was issued; `taken` are the lanes of g that take it.

    Sets the segment and mask with which g goes on, and answers 1; or parks g and answers 0.
    """
    return 0


@required
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """A group is about to issue a segment: answer 1 if it must stop, and park it (RPC, waits)."""
    return 0


@required
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """All lanes of g have returned and left the warp's mask: answer 1 if g goes on with others."""
    return 0


def on_reconverge(S: State, w: int, g: int, t: int) -> int:
    """A `reconverge` instruction was issued (explicit schemes, PPC-02 and PPC-09)."""
    return 0


@required
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """A group has issued a barrier: answer 1 if with it all live lanes of its warp are there."""
    return 0


# --- memory


@required
def fetch(S: State, w: int, s: int, t: int) -> int:
    """Return the cycle at which the instructions of segment s arrive; t if at once (memory/)."""
    return 0


@required
@given(access_is_packed="1 if the lanes are of several warps; `lane_home` has the warp of each")
@answers(
    access_hits=("lanes", "lanes that the first level serves"),
    access_hits_at=("t", "the cycle at which the last of these is served"),
    access_bubbles=(0, "issue slots that the access takes beyond its own"),
    access_until_bank=(0, "the cycle up to which it waits for a bank, 0 for none"),
    access_until_mshr=(0, "the cycle up to which it then waits for an MSHR, 0 for none"),
    access_until_l2=(0, "the cycle up to which it then waits for the second level, 0 for none"),
)
def simd_access(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Return the cycle at which the last of some lanes of g is served.

    Group g issues an access to global or private memory at t.
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
    """Return the cycle at which lanes are served that want a line at t.

    `line` is the address divided by the line size, `kind` is LOAD, STORE or ATOMIC
    (memory/lines.py).
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
    """Return the cycle at which a line arrives that the first level of WPU w requests at t.

    `kind` is LOAD, STORE, ATOMIC, FETCH (code) or UPGRADE (ownership of a shared line).
    """
    return 0


def forget_line(S: State, w: int, line: int, l2_place: int, dirty: int) -> int:
    """Note, at no cost, that a line left the first level of WPU w; L2 has it at `l2_place`."""
    return 0


def write_back(S: State, w: int, line: int, t: int) -> int:
    """Write back a dirty line that leaves the first level of WPU w at t; nothing waits for it."""
    return 0


def dram_access(S: State, address: int, size: int, write: int, t: int) -> int:
    """So many bytes of memory are wanted at t: when those read are on this side of the bus."""
    return 0


def on_move(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """The data of an access are about to move; addresses are still there (Q-MAWS-20)."""
    return 0


def on_memory_pc(S: State, w: int, g: int, t: int) -> int:
    """A running group is at a memory instruction, before the access: merge others (DWS-08)."""
    return 0


def on_miss(S: State, w: int, g: int, t: int) -> int:
    """After an access that some lanes missed: g is ready when all are served (MAWS-10)."""
    return 0


def on_access(S: State, w: int, g: int, t: int) -> int:
    """After an access of which some lanes hit and some missed: may split g (DWS-09).

    Of a pack: after its last sub-warp, if some lanes missed.
    """
    return 0


def on_served(S: State, w: int, g: int, t: int) -> int:
    """A sub-warp of pack g has accessed memory at t; the first level serves `S.access_hits`."""
    return 0


def on_barrier_open(S: State, w: int, t: int) -> int:
    """All warps of a workgroup are at its barrier: the cycles that it takes to open."""
    return 0


def on_launch_end(S: State, t: int) -> int:
    """Everything has returned: the cycles until the next launch may begin (MAWS-13)."""
    return 0


# --- lanes that hit run ahead (policy/memory_split.py), of a group or a pack


@where_used
def has_room(S: State, w: int, v: int) -> int:
    """Return whether the warp-split table has room for one more split of warp v."""
    return 0


@where_used
def lanes_ahead(S: State, g: int) -> int:
    """Return how many lanes of a waiting group were served and may run ahead; 0: it stays whole."""
    return 0


@where_used
def ahead_at(S: State, g: int) -> int:
    """Return the cycle at which the last lane that may run ahead is served."""
    return 0


@where_used
def run_ahead(S: State, w: int, g: int) -> int:
    """Make the lanes that were served a group of their own, which nothing has woken; return it."""
    return 0


@where_used
def split_chosen(S: State, w: int, g: int) -> int:
    """Make the chosen lanes of pack g a pack of their own (`part.chosen`); return it."""
    return 0


# --- splits (policy/splits.py)


def speculate(S: State, w: int, g: int, t: int) -> int:
    """Whether lanes of g that hit at t should run ahead, where that is asked (MAWS-09)."""
    return 0


def on_split(S: State, g: int, h: int) -> int:
    """Some lanes of g have become the group h."""
    return 0


def on_merge(S: State, g: int, h: int) -> int:
    """Group h is about to join g."""
    return 0


def on_leave(S: State, g: int) -> int:
    """g comes to where it waits for others of its warp, or has returned: wake who must go on."""
    return 0


def may_pass(S: State, g: int) -> int:
    """g stands at a branch at which splits wait for each other: 1 if it goes on (DWS-19)."""
    return 0


def on_bypass(S: State, g: int, taken: int) -> int:
    """g has passed such a branch, and its lanes disagree: answers as `on_branch`."""
    return 0


def on_wait(S: State, g: int) -> int:
    """All lanes of g are about to wait for others of their warp; g will be no more."""
    return 0


def on_rejoin(S: State, g: int) -> int:
    """Those who have waited go on as g."""
    return 0


# --- large warps (policy/large.py)


def on_row(S: State, v: int, before: int) -> int:
    """Warp v begins as a row of a large warp, behind the row of warp `before`; -1: the first."""
    return 0


def on_resume(S: State, w: int, g: int, t: int) -> int:
    """A large warp is fetched, and its wait has owners: merge others of it that are ready."""
    return 0


def gathers(S: State, w: int, g: int) -> int:
    """g is where all lanes of the top entry meet: 1 if it is no more, since others will come."""
    return 0


def leaves(S: State, w: int, g: int) -> int:
    """All lanes of g have returned: 1 if others of the top entry have not."""
    return 0


# --- time


def on_interval(S: State, w: int, t: int) -> int:
    """Every `S.interval` cycles of a WPU, at its next dispatch (DWS-21)."""
    return 0


def on_event(S: State, kind: int, w: int, g: int, t: int) -> int:
    """Something happened (account.py says what): what a trace records (trace_events.py)."""
    return 0
