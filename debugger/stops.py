"""The breakpoints of a session: made by line, label, work-item, mask, time, event or place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..isa.errors import UsageError, did_you_mean
from .breakpoints import (
    Breakpoint,
    after_instants,
    at_time,
    issuing,
    memory_writes,
    register_changes,
)
from .cursor import EVENTS, Cursor
from .expressions import Node, parse
from .machine import SEGMENTS, Machine
from .places import LaneNames, Place
from .timeline import Timeline


class Breakpoints:
    """The breakpoints by number, in the order in which they were made."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._made = 0
        self._points: dict[int, Breakpoint] = {}

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter(list(self._points.values()))

    def __len__(self) -> int:
        return len(self._points)

    def add(self, kind: str, text: str, find: Callable[..., Any], **options: Any) -> Breakpoint:
        """Add a breakpoint whose candidates `find` yields (breakpoints.py)."""
        self._made += 1
        point = Breakpoint(self._made, kind, text, find, **options)
        self._points[point.number] = point
        return point

    def at_line(self, line: int, file: str | None = None, *, item: int | None = None) -> Breakpoint:
        """Stop before instructions of a source line, or of the next line that has any."""
        file = self.file(file)
        lines = self.lines_of(file)
        later = sorted(number for number in lines if number >= line)
        if not later:
            last = max(lines, default=0)
            raise UsageError(
                f"{file} has no instruction at or after line {line}; its last is in line {last}",
                code="SIM534",
            )
        places = lines[later[0]]
        text = f"{file}:{later[0]}" + (f" item {item}" if item is not None else "")
        return self.add("line", text, self._at(places, item), file=file, line=later[0])

    def at_label(self, label: str, *, item: int | None = None) -> Breakpoint:
        """Stop at a label, `@key` or `kernel@key`, or at the first instruction of a kernel."""
        kernel_name, at, name = label.rpartition("@")
        places: list[tuple[int, list[int]]] = []
        known: list[str] = []
        for number, kernel in enumerate(self._cursor.recording.facts["kernels"]):
            known += [f"@{name}" for name in kernel["labels"]]
            known.append(kernel["name"])
            if not at and name == kernel["name"]:
                places.append((number, [0]))
            elif name in kernel["labels"] and kernel_name in ("", kernel["name"]):
                places.append((number, [kernel["labels"][name]]))
        if not places:
            word = f"@{name}" if at or f"@{name}" in known else name
            raise UsageError(
                f"there is no label or kernel {label}",
                code="SIM534",
                hint=did_you_mean(word, dict.fromkeys(known))
                or f"there are {', '.join(dict.fromkeys(known))}",
            )
        number, pcs = places[0]
        ins = self._cursor.recording.facts["kernels"][number]["instructions"][pcs[0]]
        text = label if at or f"@{name}" in known else f"kernel {label}"
        text += f" item {item}" if item is not None else ""
        return self.add(
            "label", text, self._at(places, item), file=ins["file"] or "", line=ins["line"] or 0
        )

    def at_item(self, item: int) -> Breakpoint:
        """Stop where a work-item issues after others of its warp have issued without it."""
        if all(
            self._cursor.timeline.place_of_item(item, launch) is None
            for launch in range(len(self._cursor.recording.facts["launches"]))
        ):
            raise UsageError(f"no launch has a work-item {item}", code="SIM534")
        return self.add(
            "item", f"work-item {item} runs",
            lambda timeline, machine: issuing(timeline, timeline.item_begins(item)),
        )  # fmt: skip

    def at_mask(self, warp: int | None) -> Breakpoint:
        """Stop where a warp (any, for None) issues with other lanes than just before."""
        text = "the mask changes" if warp is None else f"the mask of warp {warp} changes"
        return self.add(
            "mask", text,
            lambda timeline, machine: issuing(timeline, timeline.mask_changes(warp)),
        )  # fmt: skip

    def at_time(self, t: int) -> Breakpoint:
        """Stop before the first instruction at or after a step or cycle."""
        unit = self._cursor.recording.facts["unit"]
        if self._cursor.timeline.first_at(t) >= self._cursor.timeline.n:
            raise UsageError(f"nothing issues at or after {unit} {t}", code="SIM534")
        return self.add("time", f"{unit} {t}", lambda timeline, machine: at_time(timeline, t))

    def at_event(self, event: str, warp: int | None = None) -> Breakpoint:
        """Stop after an event of a warp, or of any: a key of `EVENTS`."""
        if event not in EVENTS:
            raise UsageError(
                f"unknown event {event!r}; there are {', '.join(EVENTS)}",
                code="SIM531",
                hint=did_you_mean(event, EVENTS),
            )
        kind = EVENTS[event]
        text = event if warp is None else f"{event} of warp {warp}"
        return self.add(
            "event", text, lambda timeline, machine: after_instants(timeline, kind, warp)
        )

    def watch(self, place: str | Node, count: int = 1) -> Breakpoint:
        """Stop after writes to `count` elements of memory, or changes of a lane's register."""
        cursor = self._cursor
        node = parse(place) if isinstance(place, str) else place
        found = LaneNames(cursor.machine, cursor.timeline, cursor.warp, cursor.lane).place(node)
        if found.where.startswith("$"):
            warp, lane = cursor.warp, found.place % self._cursor.recording.width
            register = found.where
            text = f"{register} of lane {lane} of warp {warp} changes"
            return self.add(
                "register", text,
                lambda timeline, machine: register_changes(timeline, machine, register, warp, lane),
                after=True,
            )  # fmt: skip
        if found.where not in SEGMENTS:
            raise UsageError(f"{found.text} is constant: nothing writes it", code="SIM534")
        return self.watch_memory(found, count * found.size)

    def watch_memory(self, place: Place, size: int) -> Breakpoint:
        """Stop after writes to `size` bytes from a place on."""
        owner = ""
        if place.where == "group":
            owner = f" of workgroup {place.place}"
        elif place.where == "private":
            owner = f" of work-item {self._cursor.machine.item(place.place)}"
        more = f" ({size} bytes)" if size != place.size else ""
        return self.add(
            "memory", f"{place.text}{more}{owner} is written",
            lambda timeline, machine: memory_writes(timeline, machine, place, size),
            after=True,
        )  # fmt: skip

    def _at(
        self, places: list[tuple[int, list[int]]], item: int | None
    ) -> Callable[[Timeline, Machine], Any]:
        """Return what finds the instructions at pcs of kernels, as one work-item executes them."""

        def find(timeline: Timeline, machine: Machine) -> Any:
            parts = [timeline.at_pcs(number, pcs) for number, pcs in places]
            every = issuing(timeline, np.sort(np.concatenate(parts)))
            if item is None:
                yield from every
                return
            for position, warp, mask in every:
                place = timeline.place_of_item(item, int(timeline.launch[position]))
                if place is None:
                    continue
                occupant = timeline.recording.occupant(warp, int(timeline.t[position]))
                if occupant == place[:2] and mask >> place[2] & 1:
                    yield position, warp, 1 << place[2]

        return find

    def file(self, file: str | None) -> str:
        """Return the name that the run has for a file; without one, that of the next instruction.

        Raises UsageError.
        """
        files = {
            ins["file"]
            for kernel in self._cursor.recording.facts["kernels"]
            for ins in kernel["instructions"]
            if ins["file"] is not None
        }
        if file is None:
            pc = self._cursor.next_pc or 0
            current = self._cursor.kernel["instructions"][pc]["file"]
            if current is None:
                raise UsageError(
                    "this kernel has no source lines", code="SIM534", hint="break at a label"
                )
            return current
        if file in files:
            return file
        ending = [f for f in files if f.rpartition("/")[2] == file.rpartition("/")[2]]
        if len(ending) == 1:
            return ending[0]
        raise UsageError(
            f"no instruction comes from {file}; the files are {', '.join(sorted(files)) or 'none'}",
            code="SIM534",
            hint=did_you_mean(file, files),
        )

    def lines_of(self, file: str) -> dict[int, list[tuple[int, list[int]]]]:
        """Return the instructions of a file: line -> [(kernel, the first pc of each run of it)]."""
        found: dict[int, list[tuple[int, list[int]]]] = {}
        for number, kernel in enumerate(self._cursor.recording.facts["kernels"]):
            before = None
            for pc, ins in enumerate(kernel["instructions"]):
                line = ins["line"] if ins["file"] == file else None
                if line is not None and line != before:
                    rows = found.setdefault(line, [])
                    if rows and rows[-1][0] == number:
                        rows[-1][1].append(pc)
                    else:
                        rows.append((number, [pc]))
                before = line
        return found

    def __getitem__(self, number: int) -> Breakpoint:

        point = self._points.get(number)
        if point is None:
            known = ", ".join(map(str, self._points)) or "none"
            raise UsageError(f"there is no breakpoint {number}; there are: {known}", code="SIM534")
        return point

    def delete(self, number: int) -> None:
        """Remove a breakpoint. Raises UsageError."""
        del self._points[self[number].number]
