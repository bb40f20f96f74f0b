"""Recordings for Perfetto and Chrome: the JSON form of trace events, which both read.

A process is a WPU (a workgroup of a functional recording), a thread a group of a warp. A cycle or
step is a microsecond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...emu.wording import mask_text
from ..lanes import place_of, text_of
from ..spans import ISSUED, Span
from .timeline import Instant, Timeline

if TYPE_CHECKING:
    from ..recording import Recording


def perfetto(recording: Recording) -> dict[str, Any]:
    """Return the trace, to be written as JSON."""
    timeline = Timeline.of(recording)
    events: list[dict[str, Any]] = []
    for piece in timeline.slices:
        span, place = piece.span, _place(timeline, piece.track)
        events.append({"ph": "X", "ts": span.begin, "dur": span.length, "cat": span.what,
                       **_described(recording, span), **place})  # fmt: skip
    for instant in timeline.instants:
        events.append({"ph": "i", "s": "t", "ts": instant.t, "name": instant.kind,
                       "cat": "instant", "args": _instant(recording, instant),
                       **_place(timeline, instant.track)})  # fmt: skip
    for number, flow in enumerate(timeline.flows):
        for at, (t, piece) in enumerate(flow.points):
            phase = "s" if at == 0 else "f" if at == len(flow.points) - 1 else "t"
            event = {"ph": phase, "ts": t, "id": number, "name": flow.kind, "cat": flow.kind,
                     **_place(timeline, timeline.slices[piece].track)}  # fmt: skip
            if phase == "f":
                event["bp"] = "e"  # it ends in the slice that encloses it
            events.append(event)
    for t, process, lanes in timeline.counters:
        events.append({"ph": "C", "ts": t, "pid": process, "name": "lanes",
                       "args": {"active": lanes}})  # fmt: skip
    events.sort(key=lambda e: e["ts"])
    facts = {k: recording.facts[k] for k in _FACTS if k in recording.facts}
    return {"traceEvents": [*_names(timeline), *events], "otherData": facts}


_FACTS = (
    "title", "kind", "unit", "begin", "end", "lost", "width", "machine", "policy", "scheme",
    "versions", "seed", "command", "statistics", "outcome", "sources",
)  # fmt: skip


def _place(timeline: Timeline, track: int) -> dict[str, int]:
    return {"pid": timeline.tracks[track].process, "tid": track}


def _names(timeline: Timeline) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": number, "args": {"name": name}}
        for number, name in sorted(timeline.processes.items())
    ]
    ordered = sorted(timeline.tracks, key=lambda track: (track.process, track.name))
    for order, track in enumerate(ordered):
        place = {"ph": "M", "pid": track.process, "tid": track.number}
        found.append({**place, "name": "thread_name", "args": {"name": track.name}})
        found.append({**place, "name": "thread_sort_index", "args": {"sort_index": order}})
    return found


def _described(recording: Recording, span: Span) -> dict[str, Any]:
    """Return name and arguments of a slice."""
    args: dict[str, Any] = {
        "lanes": mask_text(span.mask, recording.width),
        "active": span.mask.bit_count(),
    }
    if span.pc < 0:
        return {"name": span.what, "args": args}
    kernel = recording.facts["kernels"][recording.facts["launches"][span.launch]["kernel"]]
    covered = kernel["instructions"][span.pc : span.pc + max(span.n, 1)]
    first, last = covered[0], covered[-1]
    args["kernel"] = kernel["name"]
    args["pc"] = _range(span.pc, span.pc + len(covered) - 1)
    if first["line"] is not None:
        args["lines"] = f"{first['file']}:{_range(first['line'], last['line'])}"
    args["first"] = text_of(first)
    args["last"] = text_of(last)
    return {"name": args["first"] if span.what == ISSUED else span.what, "args": args}


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}..{last}"


def _instant(recording: Recording, instant: Instant) -> dict[str, str]:
    args = {"lanes": mask_text(instant.mask, recording.width)}
    if instant.other:
        args["other"] = mask_text(instant.other, recording.width)
    if instant.pc >= 0:
        at = Span(instant.t, instant.t, 0, -1, instant.launch, "", instant.pc, 0, instant.mask)
        args["where"] = place_of(recording, at)
    return args
