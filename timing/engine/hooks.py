"""The holes of the engine: what machines and policies fill in.

A function here that is marked `required` has to be filled by one file of the composition; the
others do what stands here, mostly nothing, where nobody fills them. All arguments and results are
64-bit integers; `S` is the state, `w` a WPU, `g` a group, `seg` a segment's number, `t` a cycle.
docs/timing/ shows which mechanism of which paper uses which hook.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., int])

REQUIRED: set[str] = set()


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
def fetch(S: State, w: int, seg: int, t: int) -> int:
    """The cycle at which the instructions of a segment are there; t if at once (memory/)."""
    return 0


@required
def simd_access(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """A memory instruction of global or private memory issues at t for some lanes of g.

    Answers the cycle at which the last lane is served. Sets `S.hits` (lanes served by the first
    level) and `S.hits_at` (when the last of them is), `S.bubbles` (issue slots that it takes beyond
    its own), and the boundaries of the wait: `S.until_bank`, `S.until_mshr`, `S.until_l2`.
    """
    return 0


def line_access(S: State, w: int, line: int, kind: int, t: int) -> int:
    """A line is looked up at t for `S.line_lanes` lanes: the cycle at which they are served.

    `line` is the address over the line size, `kind` one of LOAD, STORE, ATOMIC (memory/lines.py).
    Sets `S.hit` and, where it is 0, `S.line_mshr` and `S.line_l2`: up to when the line waited for
    an MSHR and for the second level.
    """
    return 0


def next_level(S: State, w: int, line: int, kind: int, t: int) -> int:
    """A request leaves the first level of WPU w at t: the cycle at which its line is there.

    `kind` may also be FETCH (code) and UPGRADE (ownership of a shared line). Sets `S.grant`
    (SHARED, EXCLUSIVE or MODIFIED), `S.far` (1: it comes from memory) and `S.line_l2`.
    """
    return 0


def forget_line(S: State, w: int, line: int, dirty: int) -> int:
    """A line has left the first level of WPU w: what lies behind is told, without a cost."""
    return 0


def write_back(S: State, w: int, line: int, t: int) -> int:
    """A dirty line leaves the first level of WPU w at t: it claims its way; nobody waits."""
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
    """A sub-warp of pack g has accessed at t, `S.hits` were served by the first level."""
    return 0


def on_barrier_open(S: State, w: int, t: int) -> int:
    """All warps of a workgroup are at its barrier: the cycles that it takes to open."""
    return 0


def on_launch_end(S: State, t: int) -> int:
    """Everything has returned: the cycles until the next launch may begin (MAWS-13)."""
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
