"""A session: a recorded run, a cursor in it, breakpoints, values and edits.

The command language, the terminal interface and the Debug Adapter Protocol are all made of these
calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..isa.errors import UsageError
from ..recording.recording import Recording
from .breakpoints import Breakpoint, Hit
from .cursor import INTERRUPTED, Cursor, Stop
from .edits import Edit, check_repeatable, repeat
from .expressions import evaluate, parse
from .machine import SEGMENTS, Paused
from .places import LaneNames, Place
from .stops import Breakpoints
from .values import Value, encode

MOST_ANEW = 1 << 17
"""Issues of a run that is executed anew, or as many as were recorded."""


@dataclass(frozen=True)
class Writer:
    """The last write to a place: a position after it, and who made it."""

    position: int
    warp: int
    lane: int
    item: int
    t: int
    pc: int
    file: str | None
    line: int | None
    source: str


class Session(Cursor):
    """A debugger without a face. Raises UsageError for what it cannot do."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording)
        self.original = recording
        self.breakpoints = Breakpoints(self)

    @property
    def is_edited(self) -> bool:
        """Whether a value was changed, so that this is no longer the recorded run."""
        return bool(self.edits)

    def names(self, lane: int | None = None) -> LaneNames:
        """Return what names mean for a lane of the warp in focus."""
        return LaneNames(
            self.machine, self.timeline, self.warp, self.lane if lane is None else lane
        )

    def resume(self, *, back: bool = False) -> Stop:
        """Continue to the next (or the previous) hit of a breakpoint, or to the end.

        If a pause is asked for (`asked`), the session stops where no hit was passed: as far as all
        breakpoints were searched, or where it was.
        """
        best: tuple[Hit, Breakpoint] | None = None
        here = self.position
        points = [point for point in self.breakpoints if point.enabled]
        try:
            for point in points:
                hit = (point.last_before if back else point.next_after)(
                    self.timeline, self.machine, here
                )
                if hit and (best is None or (hit.position < best[0].position) != back):
                    best = hit, point
        except Paused:
            # The hit at the position itself may not have been looked at.
            reached = self.machine.position - 1 if len(points) == 1 and not back else here
            return self._pause(max(here, reached))
        self.settle(here)
        if best is None:
            text = "no breakpoint was hit" if self.breakpoints else ""
            if back:
                return self.goto(0, "start", text)
            return self.goto(self.timeline.n, "end", text)
        hit, point = best
        warp, lane = self.warp, self.lane
        self.warp, self.lane = hit.warp, hit.lane
        kind = "data breakpoint" if point.after else "breakpoint"
        text = f"{'watchpoint' if point.after else 'breakpoint'} {point.number}: {point.text}"
        stop = self.goto(hit.position, kind, text)
        if self.position != hit.position:
            self.warp, self.lane = warp, lane
            return stop
        return Stop(stop.reason, stop.text, point)

    def _pause(self, position: int) -> Stop:
        """Stop at a position because a pause is asked for."""
        self.settle(position)
        return self.goto(position, "pause", INTERRUPTED)

    def settle(self, position: int) -> None:
        """Put the machine back to a position, whether or not a pause is asked for."""
        asked, self.asked = self.asked, lambda: False
        try:
            self.machine.seek(position)
        finally:
            self.asked = asked

    # --- values

    def value(self, text: str, lane: int | None = None) -> Value:
        """Return the value of an expression for a lane of the warp in focus."""
        return evaluate(parse(text), self.names(lane))

    def last_writer(self, text: str) -> Writer | None:
        """Return the last write before now to a register of a lane or a word of memory."""
        place = self.names().place(parse(text))
        if place.where.startswith("$"):
            lane = place.place % self.recording.width
            found = self.timeline.writers(self.warp, lane, place.where, self.position)
            return self._writer(int(found[-1]), lane) if len(found) else None
        if place.where not in SEGMENTS:
            return None
        writes = self.machine.writes
        rows = np.flatnonzero(
            (writes.segment == SEGMENTS.index(place.where))
            & (writes.place == place.place)
            & (writes.position < self.position)
            & (writes.address < np.uint64(place.address + place.size))
            & (writes.address + writes.size.astype(np.uint64) > np.uint64(place.address))
        )
        if place.where != "global":  # on-chip memory begins anew with each launch
            rows = rows[self.timeline.launch[writes.position[rows]] == self.launch]
        if not len(rows):
            return None
        return self._writer(int(writes.position[rows[-1]]), int(writes.lane[rows[-1]]))

    def _writer(self, position: int, lane: int) -> Writer:
        timeline = self.timeline
        launch, warp = int(timeline.launch[position]), int(timeline.warp[position])
        kernel, pc = timeline.kernel(launch), int(timeline.pc[position])
        ins, t = kernel["instructions"][pc], int(timeline.t[position])
        here = self.position
        self.machine.seek(position)
        item = self.machine.item(self.machine.first_lane(warp, t) + lane)
        self.machine.seek(here)
        return Writer(position + 1, warp, lane, item, t, pc, ins["file"], ins["line"], ins["text"])

    # --- edits

    def set_value(self, place: str, value: Value) -> Stop:
        """Change a register or a word of memory now, and execute the run anew from here.

        Raises UsageError where the run cannot be executed anew.
        """
        check_repeatable(self.recording)
        found = self.names().place(parse(place))
        if self.is_at_end:
            raise UsageError(
                "the run has ended: nothing reads the value any more",
                code="SIM530",
                hint="go back first, for example with `back step`",
            )
        if found.where not in ("global", "group", "private") and not found.where.startswith("$"):
            raise UsageError(f"{found.text} is constant", code="SIM530")
        edit = Edit(
            self.position, self._time_of_edit(found), found.where, found.place, found.address,
            encode(value, found.type),
        )  # fmt: skip
        edits = [*(e for e in self.edits if e.position <= self.position), edit]
        position = self.position
        # The run up to here is the same one, so that there is room for as much as was recorded.
        most = max(len(self.original.issues), MOST_ANEW)
        recording = repeat(self.original, edits, most)
        self.edits = edits
        self.load(recording)
        for point in self.breakpoints:
            point.forget()
        stop = self.goto(position, "edit")
        return Stop(stop.reason, f"{found.text} = {found.shown(found.read(self.machine))}")

    def _time_of_edit(self, place: Place) -> int:
        """Return the step before which the interpreter makes a change.

        A step executes one instruction for several warps at once, here one after the other.
        """
        t, timeline = self.t, self.timeline
        first = timeline.first_at(t)
        if first == self.position:
            return t
        if place.where.startswith("$"):
            lanes = slice(first, self.position)
            done = {int(w) for w in timeline.warp[lanes]}
            return t + 1 if self.warp in done else t
        ins = self.kernel["instructions"][int(timeline.pc[self.position])]
        if ins["kind"] in ("load", "store", "atomic"):
            raise UsageError(
                f"{self.recording.facts['unit']} {t} has begun: some warps have accessed memory "
                "already, others have not",
                code="SIM530",
                hint="`back tick` goes to its beginning, `tick` to its end",
            )
        return t

    def undo_edits(self) -> Stop:
        """Return to the recorded run."""
        position = self.position
        self.edits = []
        self.load(self.original)
        for point in self.breakpoints:
            point.forget()
        return self.goto(position, "edit", "all edits are undone")


def debug(recording: Recording | str | Path) -> Session:
    """Return a session over a recording, or over the file of one, for tests and notebooks.

    A session has the calls that the command `simtlab debug` is made of: `step`, `resume`,
    `to_event`, `breakpoints.at_line`, `value("$s3[5]")`, `last_writer("y[5]")`, `set_value`.
    Raises UsageError where the recording cannot be replayed.
    """
    return Session(Recording.given(recording, "simtlab.debug"))
