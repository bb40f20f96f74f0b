"""The intermediate form of exports: tracks, slices, instants, flows and counters of a recording.

Every group of a warp has a track of its own while it exists, so that the slices of a track never
overlap, which Perfetto needs. Lanes that are in no group wait on tracks of their own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..spans import ISSUED, Span, spans
from ..tables import INSTANTS

if TYPE_CHECKING:
    from ..recording import Recording


@dataclass(frozen=True, slots=True)
class Track:
    """A row of a viewer: the warp's name, of which it may have several, in a process."""

    number: int
    process: int
    name: str


@dataclass(frozen=True, slots=True)
class Slice:
    """A span on a track."""

    span: Span
    track: int


@dataclass(frozen=True, slots=True)
class Instant:
    """An event without duration; `other` has the meaning of docs/recording.md."""

    t: int
    track: int
    kind: str
    launch: int
    pc: int
    mask: int
    other: int


@dataclass(frozen=True, slots=True)
class Flow:
    """Cause and effect: `points` are (time, slice), each time within its slice, rising."""

    kind: str
    """`miss`: access, its wait up to the fill, the instruction after it; or `split`: the group
    before, the part that leaves it, the group in which they are together again, if there is one."""
    points: tuple[tuple[int, int], ...]


@dataclass
class Timeline:
    """A recording as viewers show it; slices and instants are in the order of time."""

    recording: Recording
    processes: dict[int, str] = field(default_factory=dict)
    tracks: list[Track] = field(default_factory=list)
    slices: list[Slice] = field(default_factory=list)
    instants: list[Instant] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    counters: list[tuple[int, int, int]] = field(default_factory=list)
    """(time, process, lanes that issue from then on)."""

    @classmethod
    def of(cls, recording: Recording) -> Timeline:
        """Return the timeline of a recording."""
        timeline = cls(recording)
        found = sorted(spans(recording), key=lambda s: (s.begin, s.warp, s.group, s.end))
        _Tracks(timeline).place(found)
        links = _Links(timeline)
        timeline.instants = list(links.instants())
        timeline.flows = [*links.misses(), *links.splits()]
        timeline.counters = list(_counters(timeline))
        return timeline


@dataclass
class _Row:
    """A track while slices are placed; a group keeps its track up to `kept_until`."""

    track: int
    busy_until: int = 0
    group: int = -1
    kept_until: int = 0


class _Tracks:
    """Gives each span a track."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self._rows: dict[tuple[int, int, int, bool], list[_Row]] = defaultdict(list)
        """(warp, workgroup, wave, whether lanes are in a group) -> its tracks."""
        self._last: dict[tuple[int, int], int] = {}
        self._occupants: dict[int, tuple[list[int], list[tuple[int, int]]]] = {}
        for t, warp, group, wave in timeline.recording.tables["occupant"].tolist():
            times, places = self._occupants.setdefault(warp, ([], []))
            times.append(t)
            places.append((group, wave))
        machine = timeline.recording.facts.get("machine")
        self._warps = int(machine["warps"]) if machine else 0

    def place(self, found: list[Span]) -> None:
        """Put all spans on tracks."""
        for span in found:
            if span.group >= 0:
                key = span.warp, span.group
                self._last[key] = max(self._last.get(key, 0), span.end)
        for span in found:
            row = self._row(span)
            row.busy_until = span.end
            if span.group >= 0:
                row.group, row.kept_until = span.group, self._last[span.warp, span.group]
            self.timeline.slices.append(Slice(span, row.track))

    def _row(self, span: Span) -> _Row:
        times, places = self._occupants.get(span.warp, ([], []))
        at = bisect_right(times, span.begin) - 1
        group, wave = places[at] if at >= 0 else (-1, -1)
        is_group = span.group >= 0
        rows = self._rows[span.warp, group, wave, is_group]
        free = [row for row in rows if row.busy_until <= span.begin]
        for row in free:
            if is_group and row.group == span.group:
                return row
        for row in free:
            if row.kept_until <= span.begin:
                return row
        process = span.warp // self._warps if self._warps else group
        self.timeline.processes.setdefault(
            process, f"WPU {process}" if self._warps else f"workgroup {process}"
        )
        name = self.timeline.recording.facts["warps"][span.warp]
        if self._warps and group >= 0:
            name += f" (workgroup {group}, warp {wave})"
        if not is_group:
            name += ", waiting lanes"
        if rows:
            name += f", {'more' if not is_group else 'split'} {len(rows)}"
        track = Track(len(self.timeline.tracks), process, name)
        self.timeline.tracks.append(track)
        rows.append(_Row(track.number))
        return rows[-1]


class _Links:
    """Finds the slices that instants and flows belong to."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self._issues: dict[int, list[int]] = defaultdict(list)
        self._waits: dict[int, list[int]] = defaultdict(list)
        for number, piece in enumerate(timeline.slices):
            kind = self._issues if piece.span.what == ISSUED else self._waits
            kind[piece.span.warp].append(number)
        self._begins = {
            id(kind): {warp: [timeline.slices[n].span.begin for n in found]
                       for warp, found in kind.items()}
            for kind in (self._issues, self._waits)
        }  # fmt: skip
        self._rows = timeline.recording.tables["instant"].tolist()

    def _span(self, number: int) -> Span:
        return self.timeline.slices[number].span

    def _before(self, warp: int, t: int, mask: int) -> int | None:
        """Return the last issue that begins by t and has a lane of `mask`."""
        begins = self._begins[id(self._issues)].get(warp, [])
        for i in range(bisect_right(begins, t) - 1, -1, -1):
            if self._span(self._issues[warp][i]).mask & mask:
                return self._issues[warp][i]
        return None

    def _after(self, warp: int, t: int, mask: int, *, waits: bool = False) -> int | None:
        """Return the first issue (or wait) that begins after t and has a lane of `mask`."""
        kind = self._waits if waits else self._issues
        begins = self._begins[id(kind)].get(warp, [])
        for i in range(bisect_right(begins, t), len(begins)):
            if self._span(kind[warp][i]).mask & mask:
                return kind[warp][i]
        return None

    def instants(self) -> Iterator[Instant]:
        """Yield the instants, on the track of the issue that they belong to."""
        launches = [launch["t"] for launch in self.timeline.recording.facts["launches"]]
        for t, warp, kind, pc, mask, other in self._rows:
            at = self._before(warp, t, mask | other)
            if at is None:
                at = self._after(warp, t, mask | other)
            if at is not None:
                launch = bisect_right(launches, t) - 1
                track = self.timeline.slices[at].track
                yield Instant(t, track, INSTANTS[kind], launch, pc, mask, other)

    def misses(self) -> Iterator[Flow]:
        """Yield a flow for each miss and each group that waits for it."""
        for t, warp, kind, _, _, missed in self._rows:
            access = self._before(warp, t, missed) if INSTANTS[kind] == "miss" else None
            left = missed
            while access is not None and left:
                wait = self._after(warp, t, left, waits=True)
                if wait is None or self._span(wait).begin > t + 1:
                    break  # hidden at once, or not in the recording
                lanes = self._span(wait).mask & left
                left &= ~lanes
                points = [(t, access), (self._span(wait).end - 1, wait)]
                issue = self._after(warp, t, lanes)
                if issue is not None:
                    points.append((self._span(issue).begin, issue))
                yield from self._flow("miss", points)

    def splits(self) -> Iterator[Flow]:
        """Yield a flow for each split, up to where its lanes are together again."""
        together: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for t, warp, kind, _, mask, _ in self._rows:
            if INSTANTS[kind] in ("merge", "join"):
                together[warp].append((t, mask))
        for t, warp, kind, _, mask, leaving in self._rows:
            if INSTANTS[kind] != "split":
                continue
            before, part = self._before(warp, t, mask), self._next(warp, t, leaving)
            if before is None or part is None:
                continue
            points = [(t, before), (self._span(part).begin, part)]
            rest = mask & ~leaving
            merges = together[warp]
            for when, lanes in merges[bisect_right(merges, (t, 1 << 64)) :]:
                if lanes & leaving and lanes & rest:
                    whole = self._after(warp, when - 1, lanes & leaving)
                    if whole is not None:
                        points.append((self._span(whole).begin, whole))
                    break
            yield from self._flow("split", points)

    def _next(self, warp: int, t: int, mask: int) -> int | None:
        """Return the first slice after t with a lane of `mask`."""
        found = [
            n for n in (self._after(warp, t, mask), self._after(warp, t, mask, waits=True))
            if n is not None
        ]  # fmt: skip
        return min(found, key=lambda n: self._span(n).begin, default=None)

    def _flow(self, kind: str, points: list[tuple[int, int]]) -> Iterator[Flow]:
        """Yield the flow through `points`, without those that do not lie after the one before."""
        kept: list[tuple[int, int]] = []
        for t, number in points:
            span = self._span(number)
            t = max(span.begin, min(t, span.end - 1))
            if not kept or (t > kept[-1][0] and number != kept[-1][1]):
                kept.append((t, number))
        if len(kept) > 1:
            yield Flow(kind, tuple(kept))


def _counters(timeline: Timeline) -> Iterator[tuple[int, int, int]]:
    """Yield how many lanes of each process issue, wherever the number changes."""
    changes: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for piece in timeline.slices:
        if piece.span.what == ISSUED:
            changed = changes[timeline.tracks[piece.track].process]
            changed[piece.span.begin] += piece.span.mask.bit_count()
            changed[piece.span.end] -= piece.span.mask.bit_count()
    for process, changed in changes.items():
        lanes = 0
        for t in sorted(changed):
            if changed[t]:
                lanes += changed[t]
                yield t, process, lanes
