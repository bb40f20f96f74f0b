"""Recordings for Konata: the Kanata text form, version 4.

An instruction of Konata is an issue of a group. It is followed by what the group waits for until
its next issue: stage `Wa` of lane 0, and on lane 1, which Konata shows as stalls, the cause. A
group that waits before its first issue waits in that one. Lanes that are in no group have
instructions that only wait. Arrows are the flows of misses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...emu.wording import mask_text
from ..lanes import place_of
from ..spans import ISSUED, Span
from .timeline import Timeline

if TYPE_CHECKING:
    from ..recording import Recording


@dataclass
class _Instruction:
    """A row of Konata: an issue, and waits before or after it; the numbers of their slices."""

    warp: int
    issue: Span | None = None
    waits: list[Span] = field(default_factory=list)

    @property
    def begin(self) -> int:
        return min(s.begin for s in self.stages())

    @property
    def end(self) -> int:
        return max(s.end for s in self.stages())

    def stages(self) -> list[Span]:
        """Return the spans in the order of time."""
        every = [*self.waits, self.issue] if self.issue is not None else self.waits
        return sorted(every, key=lambda s: s.begin)


def kanata(recording: Recording) -> Iterator[str]:
    """Yield the lines of the file."""
    timeline = Timeline.of(recording)
    instructions, row_of = _instructions(timeline)
    order = sorted(range(len(instructions)), key=lambda i: instructions[i].begin)
    number_of = {i: number for number, i in enumerate(order)}
    commands: list[tuple[int, int, str]] = []
    for i in order:
        commands += _commands(recording, timeline, instructions[i], number_of[i])
    for flow in timeline.flows:
        if flow.kind == "miss" and len(flow.points) > 1:
            producer = number_of[row_of[flow.points[0][1]]]
            consumer = number_of[row_of[flow.points[-1][1]]]
            if consumer > producer:
                begin = instructions[order[consumer]].begin
                commands.append((begin, 1, f"W\t{consumer}\t{producer}\t0"))
    retired = sorted(order, key=lambda i: (instructions[i].end, number_of[i]))
    for place, i in enumerate(retired):
        commands.append((instructions[i].end, 3, f"R\t{number_of[i]}\t{place}\t0"))
    # Of one time: ends, then rows that begin, then arrows to them, then stages, then retirements.
    commands.sort(key=lambda c: (c[0], c[1]))
    yield "Kanata\t0004"
    now = commands[0][0] if commands else recording.begin
    yield f"C=\t{now}"
    for t, _, command in commands:
        if t > now:
            yield f"C\t{t - now}"
            now = t
        yield command


def _instructions(timeline: Timeline) -> tuple[list[_Instruction], dict[int, int]]:
    """Return the rows, and the number of the row of each slice."""
    rows: list[_Instruction] = []
    row_of: dict[int, int] = {}
    current: dict[tuple[int, int], int] = {}
    for number, piece in enumerate(timeline.slices):
        span, key = piece.span, (piece.span.warp, piece.span.group)
        at = current.get(key) if span.group >= 0 else None
        if span.what == ISSUED:
            if at is None or rows[at].issue is not None or rows[at].end > span.begin:
                rows.append(_Instruction(span.warp))
                at = len(rows) - 1
            rows[at].issue = span
        else:
            if at is None or rows[at].end > span.begin:
                rows.append(_Instruction(span.warp))
                at = len(rows) - 1
            rows[at].waits.append(span)
        current[key] = row_of[number] = at
    return rows, row_of


def _commands(
    recording: Recording, timeline: Timeline, row: _Instruction, number: int
) -> Iterator[tuple[int, int, str]]:
    spans = row.stages()
    shown = row.issue or spans[0]
    width = recording.width
    what = "" if row.issue is not None else f"{shown.what} at "
    label = f"[{mask_text(shown.mask, width)}] {what}{place_of(recording, shown)}"
    last = f"..{shown.pc + shown.n - 1}" if shown.n > 1 else ""
    details = [f"{timeline.recording.facts['warps'][row.warp]}, pc {shown.pc}{last}"]
    details += [f"{s.begin} to {s.end - 1}: {s.what} [{mask_text(s.mask, width)}]" for s in spans]
    yield row.begin, 1, f"I\t{number}\t{number}\t{row.warp}"
    yield row.begin, 1, f"L\t{number}\t0\t{label}"
    yield row.begin, 1, f"L\t{number}\t1\t{'; '.join(details)}"
    for span in spans:
        stage = "Is" if span.what == ISSUED else "Wa"
        yield span.begin, 2, f"S\t{number}\t0\t{stage}"
        yield span.end, 0, f"E\t{number}\t0\t{stage}"
        if span.what != ISSUED:
            yield span.begin, 2, f"S\t{number}\t1\t{span.what}"
            yield span.end, 0, f"E\t{number}\t1\t{span.what}"
