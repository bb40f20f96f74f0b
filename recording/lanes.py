"""What one lane or work-item did and waited for: `Recording.waits_of` and `Recording.why`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from ..emu.geometry import Geometry
from ..emu.wording import mask_text
from ..isa.errors import UsageError
from ..timing.simulation.wording import with_owner
from .spans import ISSUED, Span, by_cause, spans_of

if TYPE_CHECKING:
    from .recording import Recording

Item = int | tuple[int, int]
"""A work-item: its flat global id, or (flat id of its workgroup, flat local id)."""


@dataclass(frozen=True)
class Wait:
    """A wait of one lane from `begin` up to `end`, together with the lanes `mask` of its warp.

    `cause` is one of docs/recording.md, "Why a lane waited". `pc` and `place` are the instruction
    that the lane has at that time: its access, or the next one.
    """

    begin: int
    end: int
    cause: str
    pc: int
    place: str
    mask: int

    @property
    def length(self) -> int:
        """Cycles or steps."""
        return self.end - self.begin


def waits_of(recording: Recording, warp: int, lane: int) -> list[Wait]:
    """Return the waits of a lane in the order of time. Raises UsageError."""
    recording.check_warp(warp)
    if not 0 <= lane < recording.width:
        raise UsageError(
            f"lane {lane} is not in a warp: expected 0 to {recording.width - 1}", code="SIM515"
        )
    return [
        Wait(s.begin, s.end, s.what, s.pc, place_of(recording, s), s.mask)
        for s in _spans_of_lane(recording, warp, lane)
        if s.what != ISSUED
    ]


def _spans_of_lane(recording: Recording, warp: int, lane: int) -> list[Span]:
    every = (s for s in spans_of(recording, warp) if s.mask >> lane & 1)
    return sorted(every, key=lambda s: s.begin)


def place_of(recording: Recording, span: Span) -> str:
    """Return file, line and text of a span's first instruction."""
    if span.pc < 0:
        return "-"
    kernel = recording.facts["kernels"][recording.facts["launches"][span.launch]["kernel"]]
    instruction = kernel["instructions"][span.pc]
    file, line = instruction["file"], instruction["line"]
    where = f"{file}:{line}" if line is not None else f"pc {span.pc}"
    return f"{where}: {text_of(instruction)}"


def text_of(instruction: Mapping[str, Any]) -> str:
    """Return an instruction of `facts["kernels"]` as it is written, without a comment."""
    return " ".join(instruction["text"].partition("//")[0].split())


@dataclass(frozen=True)
class LaneTime:
    """All that a work-item did, from the start of its warp up to its end: `spans` have no gaps.

    `str()` is a table. `is_whole` is false where the recording does not have the item's end.
    """

    recording: Recording
    item: tuple[int, int]
    """Workgroup and flat local id."""
    warp: int
    lane: int
    spans: Sequence[Span]
    is_whole: bool

    @property
    def begin(self) -> int:
        """The time at which the item's warp was ready to begin."""
        return self.spans[0].begin

    @property
    def end(self) -> int:
        """The time after the item's last instruction."""
        return self.spans[-1].end

    @property
    def totals(self) -> dict[str, int]:
        """Cycles or steps by what happened, the longest first; the sum is `end - begin`."""
        return by_cause(self.spans)

    def __str__(self) -> str:
        facts, (group, local) = self.recording.facts, self.item
        width, unit = self.recording.width, facts["unit"]
        length = self.end - self.begin
        shares = ", ".join(f"{what} {n:,} ({n / length:.1%})" for what, n in self.totals.items())
        rows = [(unit + "s", "length", "what", "lanes", "where")]
        rows += [
            (f"{s.begin:,} to {s.end - 1:,}" if s.length > 1 else f"{s.begin:,}", f"{s.length:,}",
             s.what, mask_text(s.mask, width), place_of(self.recording, s) + _more(s))
            for s in self.spans
        ]  # fmt: skip
        sizes = [max(len(row[i]) for row in rows) for i in range(4)]
        table = "\n".join(
            f"{a:<{sizes[0]}}  {b:>{sizes[1]}}  {c:<{sizes[2]}}  {d:<{sizes[3]}}  {e}"
            for a, b, c, d, e in rows
        )
        cut = "" if self.is_whole else ", and the recording ends before the work-item does"
        return (
            f"work-item {local} of workgroup {group}: "
            f"{warp_name(self.recording, self.warp, self.spans[0].begin)}, lane {self.lane}\n"
            f"{table}\n"
            f"{unit}s {self.begin:,} to {self.end - 1:,}: {length:,}{cut}\n"
            f"{shares}"
        )


def _more(span: Span) -> str:
    return f" (and {span.n - 1} more)" if span.n > 1 else ""


def why(recording: Recording, item: Item, launch: int = 0) -> LaneTime:
    """Return what a work-item of a launch did. Raises UsageError."""
    launches = recording.facts["launches"]
    if not 0 <= launch < len(launches):
        raise UsageError(
            f"launch {launch} is not in this recording: expected 0 to {len(launches) - 1}",
            code="SIM515",
        )
    items, size = launches[launch]["items"], launches[launch]["group_size"]
    group, local = _place(Geometry(tuple(items), tuple(size), recording.width), item)
    wave, lane = divmod(local, recording.width)
    first = launches[launch]["t"]
    stop = launches[launch + 1]["t"] if launch + 1 < len(launches) else recording.end + 1
    rows = recording.tables["occupant"]
    found = rows[
        (rows["workgroup"] == group) & (rows["wave"] == wave)
        & (rows["t"] >= first) & (rows["t"] < stop)
    ]  # fmt: skip
    if len(found):
        begin, warp = int(found["t"][0]), int(found["warp"][0])
        after = rows["t"][(rows["warp"] == warp) & (rows["t"] > begin)]
        until = min([int(t) for t in after] + [stop])
        spans = [s for s in _spans_of_lane(recording, warp, lane) if begin <= s.begin < until]
        if spans:
            return LaneTime(recording, (group, local), warp, lane, spans, _ends(recording, spans))
    raise UsageError(
        f"the recording does not have work-item {local} of workgroup {group} in launch {launch}: "
        + recording.coverage,
        code="SIM515",
        hint="record the part of the run in which it runs: --record-window FROM:TO",
    )


def _ends(recording: Recording, spans: Sequence[Span]) -> bool:
    last = spans[-1]
    kernel = recording.facts["kernels"][recording.facts["launches"][last.launch]["kernel"]]
    return last.what == ISSUED and kernel["instructions"][last.pc + last.n - 1]["kind"] == "exit"


def _place(geometry: Geometry, item: Item) -> tuple[int, int]:
    """Return workgroup and flat local id. Raises UsageError where there is no such item."""
    if isinstance(item, tuple):
        group, local = item
        if not 0 <= group < geometry.n_groups:
            raise UsageError(
                f"workgroup {group} is not in the launch: expected 0 to {geometry.n_groups - 1}",
                code="SIM515",
            )
        size = prod(geometry.current_size(group))
        if not 0 <= local < size:
            raise UsageError(
                f"work-item {local} is not in workgroup {group}: expected 0 to {size - 1}",
                code="SIM515",
            )
        return group, local
    count = prod(geometry.items)
    if not 0 <= item < count:
        raise UsageError(
            f"work-item {item} is not in the launch: expected 0 to {count - 1}", code="SIM515"
        )
    x, y, _ = geometry.items
    absolute = item % x, item // x % y, item // (x * y)
    gx, gy, gz = (a // size for a, size in zip(absolute, geometry.group_size, strict=True))
    lx, ly, lz = (a % size for a, size in zip(absolute, geometry.group_size, strict=True))
    group = gx + geometry.groups[0] * (gy + geometry.groups[1] * gz)
    sx, sy, _ = geometry.current_size(group)
    return group, lx + sx * (ly + sy * lz)


def warp_name(recording: Recording, warp: int, t: int) -> str:
    """Return a warp's name as in messages: WPU 0, warp context 3 (workgroup 5, warp 1)."""
    name = recording.facts["warps"][warp]
    if not recording.is_timing:
        return name
    group, wave = recording.occupant(warp, t)
    return name if group < 0 else with_owner(name, group, wave)
