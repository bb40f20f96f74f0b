"""Spans of a recording: what each lane of a warp did from one time up to another.

A span has the lanes of one group, or lanes of no group that wait for the same reason at the same
place. At every time each live lane of a warp is in exactly one span. The exports and
`Recording.why` are made of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .tables import State

if TYPE_CHECKING:
    from .recording import Recording

ISSUED = "issued"

LONG = 1 << 62
"""A time after every other."""

_STATUS = {"slotless": "slot", "held": "held", "barrier-wait": "barrier", "parked": "parked"}

_WAITING = {
    "rpc-wait": "rpc-wait", "branch-wait": "branch-wait", "barrier-wait": "barrier",
    "parked": "parked", "ready": "path",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """What the lanes `mask` of a warp did from `begin` up to `end`, `end` excluded.

    `what` is `issued` or the cause of a wait (docs/recording.md). `pc` is the first of `n`
    instructions that were issued, or the one that is waited at (-1: none). `group` is the number
    of the group, or -1 for lanes that are in none.
    """

    begin: int
    end: int
    warp: int
    group: int
    launch: int
    what: str
    pc: int
    n: int
    mask: int

    @property
    def length(self) -> int:
        """Cycles or steps."""
        return self.end - self.begin


@dataclass(frozen=True, slots=True)
class _Part:
    """Lanes of a state: `causes` are (end, cause) in order; None for lanes that run."""

    group: int
    mask: int
    pc: int
    causes: tuple[tuple[int, str], ...] | None

    def cause(self, t: int) -> str:
        """Return what the lanes wait for at t, if they do not issue."""
        for until, cause in self.causes or ():
            if t < until:
                return cause
        return "ready"


def spans(recording: Recording) -> Iterator[Span]:
    """Yield the spans of all warps, warp by warp: issues, then waits in the order of their ends."""
    warps = {int(v) for v in recording.issues["warp"]} | {
        int(v) for v in recording.tables["state"]["warp"]
    }
    for warp in sorted(warps):
        yield from spans_of(recording, warp)


def spans_of(recording: Recording, warp: int) -> Iterator[Span]:
    """Yield the spans of a warp (of a warp context): issues, then waits by their ends."""
    rows = recording.issues
    issues = [
        Span(t, t + n, v, group, launch, ISSUED, pc, n, mask)
        for t, v, group, launch, pc, n, mask in rows[rows["warp"] == warp].tolist()
    ]
    yield from issues
    launches = [launch["t"] for launch in recording.facts["launches"]]
    waits: dict[tuple[int, str, int], Span] = {}
    for begin, end, parts in _waits(recording, warp, issues):
        launch = bisect_right(launches, begin) - 1
        now: dict[tuple[int, str, int], Span] = {}
        for group, what, pc, mask in parts:
            key = group, what, pc
            before = now.get(key)
            lanes = mask | (before.mask if before is not None else 0)
            now[key] = Span(begin, end, warp, group, launch, what, pc, 0, lanes)
        for key, span in waits.items():
            then = now.get(key)
            if then is not None and (then.mask, then.begin) == (span.mask, span.end):
                now[key] = Span(span.begin, then.end, warp, span.group, span.launch, span.what,
                                span.pc, 0, span.mask)  # fmt: skip
            else:
                yield span
        waits = now
    yield from waits.values()


def _waits(
    recording: Recording, warp: int, issues: list[Span]
) -> Iterator[tuple[int, int, list[tuple[int, str, int, int]]]]:
    """Yield intervals in which nothing changes, with (group, cause, pc, lanes) of the waits.

    The lanes that wait at t are those that do not issue. Their cause is in the state at the end of
    t - 1, or, where that says that they run, in the state at the end of t.
    """
    rows = recording.tables["state"]
    states = rows[rows["warp"] == warp]
    times = states["t"].tolist()
    parsed = _parsed(recording)
    known = [parsed(number) for number in states["row"].tolist()]
    occupied = _occupied(recording, warp)
    cuts = {t for issue in issues for t in (issue.begin, issue.end)}
    cuts |= {t for place in occupied for t in place}
    for t, parts in zip(times, known, strict=True):
        cuts |= {t, t + 1}
        cuts |= {until for part in parts for until, _ in part.causes or () if until < LONG}
    ordered = sorted(t for t in cuts if recording.begin <= t <= recording.end)
    issues = sorted(issues, key=lambda issue: issue.begin)
    following, running = 0, list[Span]()
    for begin, end in pairwise(ordered):
        while following < len(issues) and issues[following].begin <= begin:
            running.append(issues[following])
            following += 1
        running = [issue for issue in running if issue.end > begin]
        busy = 0
        for issue in running:
            busy |= issue.mask
        place = bisect_right(occupied, (begin, LONG)) - 1
        if place < 0 or begin >= occupied[place][1]:
            continue
        entering = bisect_right(times, begin - 1) - 1
        leaving = bisect_right(times, begin) - 1
        start, stop = occupied[place]
        if entering < 0 or times[entering] < start - 1 or not known[entering]:
            # Nothing has happened to this warp yet: it is as in its first state.
            first = bisect_right(times, start - 2)
            while first < len(times) and times[first] < stop and not known[first]:
                first += 1
            if first == len(times) or times[first] >= stop:
                continue
            entering = leaving = max(first, leaving)
        elif times[leaving] >= stop - 1:
            leaving = entering  # the other one is of the next warp
        yield begin, end, list(_classified(known[entering], known[leaving], busy, begin))


def _classified(
    entering: list[_Part], leaving: list[_Part], busy: int, t: int
) -> Iterator[tuple[int, str, int, int]]:
    placed = busy
    for part in entering:
        if part.causes is not None and (lanes := part.mask & ~placed):
            placed |= lanes
            yield part.group, part.cause(t), part.pc, lanes
    if entering is leaving and all(part.causes is not None for part in entering):
        return
    for part in leaving:
        if lanes := part.mask & ~placed:
            placed |= lanes
            yield part.group, part.cause(t), part.pc, lanes


def _occupied(recording: Recording, warp: int) -> list[tuple[int, int]]:
    """Return from when to when there are warps in a context."""
    rows = recording.tables["occupant"]
    rows = rows[rows["warp"] == warp]
    ends = [*rows["t"].tolist()[1:], recording.end][: len(rows)]
    return [
        (max(begin, recording.begin), end)
        for begin, end, group in zip(
            rows["t"].tolist(), ends, rows["workgroup"].tolist(), strict=True
        )
        if group >= 0
    ]


def _parsed(recording: Recording) -> Any:
    states = recording.facts["states"]

    @lru_cache(maxsize=1 << 12)
    def parts(number: int) -> list[_Part]:
        return list(_parts(states[number]))

    return parts


def _parts(state: State) -> Iterator[_Part]:
    """Yield the lanes of a state, each lane once."""
    placed = 0
    for group in state.get("groups", ()):
        mask = int(group["mask"], 16)
        placed |= mask
        yield _Part(group["id"], mask, _pc(group["pc"]), _causes(group))
    for text, pc, why in state.get("waiting", ()):
        mask = int(text, 16) & ~placed
        placed |= mask
        yield _Part(-1, mask, _pc(pc), ((LONG, _WAITING[why]),))
    for mask, pc, what in _below(state):
        if lanes := mask & ~placed:
            placed |= lanes
            yield _Part(-1, lanes, _pc(pc), ((LONG, what),))


def _causes(group: dict[str, Any]) -> tuple[tuple[int, str], ...] | None:
    status: str = group["status"]
    if status == "run":
        return None
    if status != "wait":
        return ((LONG, _STATUS.get(status, status)),)
    bounds = [(int(until), cause) for until, cause in group.get("parts", ())]
    return (*bounds, (group["ready"], group["cause"]), (LONG, "ready"))


def _below(state: State) -> Iterator[tuple[int, int | None, str]]:
    """Yield the lanes of paths that do not run, from the top of the stack or of the pairs."""
    stack = state.get("stack", [])
    for level in reversed(range(len(stack))):
        pc, _, text = stack[level]
        joins = any(rpc == pc and pc is not None for _, rpc, _ in stack[level + 1 :])
        # At the re-convergence point of the paths above, the lanes wait for those paths.
        yield int(text, 16), pc, "rpc-wait" if joins else "path"
    for pc, mask, other, others in reversed(state.get("pairs", [])):
        yield int(others, 16), other, "path"
        yield int(mask, 16), pc, "path"


def _pc(pc: int | None) -> int:
    return -1 if pc is None else pc


def by_cause(found: Iterable[Span]) -> dict[str, int]:
    """Return the cycles or steps of spans, by what happened; the longest first."""
    sums: dict[str, int] = {}
    for span in found:
        sums[span.what] = sums.get(span.what, 0) + span.length
    return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))
