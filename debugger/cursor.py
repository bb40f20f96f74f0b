"""A position in a recorded run, the warp and lane in focus, and moves in both directions.

A move returns a `Stop`, which says where it has ended, and why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..isa.errors import UsageError, did_you_mean
from ..recording.recording import Recording
from .breakpoints import Breakpoint
from .edits import Edit
from .machine import Machine, Paused
from .paths import Path, paths, state_of
from .timeline import Timeline

Array = np.ndarray

EVENTS = {
    "divergence": "diverge", "split": "split", "merge": "merge", "join": "join",
    "barrier": "barrier", "open": "open", "miss": "miss", "exit": "exit",
}  # fmt: skip
"""Events to go to -> their name in recordings."""


INTERRUPTED = "interrupted"
"""The text of a stop that a pause has made."""


@dataclass(frozen=True)
class Stop:
    """Where a move has ended: `reason` is a word, `text` a sentence, for breakpoints the hit."""

    reason: str
    text: str
    breakpoint: Breakpoint | None = None


class Cursor:
    """Where one looks at a run. Raises UsageError for moves that it cannot make."""

    def __init__(self, recording: Recording) -> None:
        self.edits: list[Edit] = []
        self.asked: Callable[[], bool] = lambda: False
        """Returns whether a pause is asked for; a move then ends where it is."""
        self.load(recording)
        self.warp = int(self.timeline.warp[0]) if self.timeline.n else 0
        self.lane = 0
        self.changed: dict[str, Array] = {}
        """Registers of the warp in focus that have changed since the last stop: name -> lanes."""
        self._before: tuple[int, dict[str, Array]] = (-1, {})
        self._arrive()

    def load(self, recording: Recording) -> None:
        """Look at a run, from its beginning."""
        self.recording = recording
        self.timeline = Timeline(recording)
        self.machine = Machine(recording, self.edits, asked=lambda: self.asked())

    # --- where it is

    @property
    def position(self) -> int:
        """The number of executed instructions of the run."""
        return self.machine.position

    @property
    def t(self) -> int:
        """The time of the next instruction."""
        return self.timeline.time(self.position)

    @property
    def is_at_end(self) -> bool:
        """Whether nothing is left to be executed."""
        return self.position >= self.timeline.n

    @property
    def launch(self) -> int:
        """The number of the launch."""
        return self.timeline.launch_at(self.position)

    @property
    def kernel(self) -> dict[str, Any]:
        """The kernel of the launch, as recordings describe it."""
        return self.timeline.kernel(self.launch)

    @property
    def next_pc(self) -> int | None:
        """The pc of the next instruction of the warp in focus; None where it has none."""
        own = self.timeline.next_of(self.warp, self.position)
        if own is None or self.timeline.launch[own] != self.launch:
            return None
        return int(self.timeline.pc[own])

    @property
    def next_mask(self) -> int:
        """The lanes that execute the next instruction of the warp in focus."""
        own = self.timeline.next_of(self.warp, self.position)
        if own is None or self.timeline.launch[own] != self.launch:
            return 0
        return int(self.timeline.mask[own])

    def paths(self, warp: int | None = None) -> list[Path]:
        """Return where the lanes of a warp are; of the one in focus without `warp`."""
        return paths(
            self.timeline, self.machine, self.warp if warp is None else warp, self.position
        )

    def state(self, warp: int | None = None) -> dict[str, Any]:
        """Return the stack, pairs, groups and waiting lanes of a warp (docs/recording.md)."""
        return state_of(self.timeline, self.warp if warp is None else warp, self.position)

    def registers(self, warp: int | None = None) -> dict[str, Array]:
        """Return the registers of a warp's lanes, as bits: {"$s0": array, ...}."""
        chosen = self.warp if warp is None else warp
        return self.machine.registers(chosen, self.timeline.moment(chosen, self.position))

    # --- moves

    def goto(self, position: int, reason: str = "goto", text: str = "") -> Stop:
        """Go to a position; the ends of the run bound it."""
        try:
            self.machine.seek(min(max(position, 0), self.timeline.n))
        except Paused:
            return self._arrive("pause", INTERRUPTED)
        return self._arrive(reason, text)

    def goto_time(self, t: int) -> Stop:
        """Go to the first instruction at or after a time."""
        recording = self.recording
        if not recording.begin <= t <= recording.end:
            unit = recording.facts["unit"]
            raise UsageError(
                f"there is no {unit} {t:,}: the recording has {unit}s {recording.begin:,} to "
                f"{recording.end:,}",
                code="SIM531",
            )
        return self.goto(self.timeline.first_at(t))

    def step(self, count: int = 1, *, back: bool = False) -> Stop:
        """Execute the next instruction of the warp in focus, or take back its last one."""
        position = self.position
        for _ in range(count):
            if back:
                before = self.timeline.last_of(self.warp, position)
                if before is None:
                    return self._no_more(position, back, "instruction")
                position = before
                continue
            own = self.timeline.next_of(self.warp, position)
            if own is None:
                return self._no_more(position, back, "instruction")
            following = self.timeline.next_of(self.warp, own + 1)
            position = own + 1 if following is None else following
        return self.goto(position, "step")

    def _no_more(self, position: int, back: bool, what: str) -> Stop:
        side = "earlier" if back else "later"
        name = self.recording.facts["warps"][self.warp]
        stop = self.goto(position, "step", f"there is no {side} {what} of {name}")
        return stop

    def tick(self, count: int = 1, *, back: bool = False) -> Stop:
        """Go to the next (or the previous) time at which a warp issues."""
        position = self.position
        for _ in range(count):
            if back:
                if position == 0:
                    break
                position = self.timeline.first_at(int(self.timeline.t[position - 1]))
            elif position < self.timeline.n:
                position = self.timeline.after(int(self.timeline.t[position]))
        stop = self.goto(position, "step")
        self._follow()
        return stop

    def line(self, *, back: bool = False) -> Stop:
        """Step until the warp in focus is at another source line."""
        here = self._line_at(self.timeline.next_of(self.warp, self.position))
        own = self.timeline.of_warp(self.warp).tolist()
        position = self.position
        candidates = [p for p in own if p < position][::-1] if back else []
        if not back:
            start = self.timeline.next_of(self.warp, position)
            candidates = [p for p in own if start is not None and p > start]
        for candidate in candidates:
            if self._line_at(candidate) != here:
                return self.goto(candidate, "step")
        if candidates:
            last = candidates[-1]
            return self.goto(last if back else last + 1, "step")
        return self.step(back=back)

    def _line_at(self, position: int | None) -> tuple[Any, ...]:
        if position is None:
            return ()
        launch = int(self.timeline.launch[position])
        kernel = self.timeline.kernel(launch)
        ins = kernel["instructions"][int(self.timeline.pc[position])]
        return launch, ins["file"], ins["line"]

    def finish(self) -> Stop:
        """Go to where the path of the warp in focus next meets others, or ends."""
        places = [
            int(found[0])
            for kind in ("join", "merge", "exit")
            for found in [self._instants(kind, self.warp, back=False)]
            if len(found)
        ]
        if not places:
            return self.goto(self.timeline.n, "step")
        return self.goto(min(places), "step")

    def to_event(self, event: str, *, back: bool = False, anywhere: bool = False) -> Stop:
        """Go to just after the next (or the previous) event of the warp in focus, or of any warp.

        `event` is a key of `EVENTS`, "block" (the warp begins a basic block) or "change" (its mask
        changes).
        """
        warp = None if anywhere else self.warp
        if event == "block":
            places = self._beyond(self.timeline.block_starts(self.warp), back)
        elif event == "change":
            places = self._beyond(self.timeline.mask_changes(warp), back)
        elif event in EVENTS:
            places = self._instants(EVENTS[event], warp, back=back)
        else:
            known = (*EVENTS, "block", "change")
            raise UsageError(
                f"unknown event {event!r}; there are {', '.join(known)}",
                code="SIM531",
                hint=did_you_mean(event, known),
            )
        if not len(places):
            raise UsageError(self._none_left(event, back, anywhere), code="SIM531")
        position = int(places[-1 if back else 0])
        if event in EVENTS and anywhere:
            found = self.timeline.warp_of_instant(EVENTS[event], position)
            self.warp = self.warp if found is None else found
        elif anywhere and position < self.timeline.n:
            self.warp = int(self.timeline.warp[position])
        return self.goto(
            position, "event", f"after this: {event}" if event in EVENTS else f"at this: {event}"
        )

    def _none_left(self, event: str, back: bool, anywhere: bool) -> str:
        side = "earlier" if back else "later"
        if anywhere or event == "block":
            return f"there is no {side} {event}"
        others = 0
        if event in EVENTS:
            others = len(self._instants(EVENTS[event], None, back=back))
        name = self.recording.facts["warps"][self.warp]
        more = f"; other warps have {others} (`to {event} any`)" if others else ""
        return f"there is no {side} {event} of {name}{more}"

    def _instants(self, kind: str, warp: int | None, *, back: bool) -> Array:
        return self._beyond(self.timeline.instants(kind, warp), back)

    def _beyond(self, positions: Array, back: bool) -> Array:
        """Return the positions that lie before, or after, where the session is."""
        if back:
            return positions[positions < self.position]
        start = self.timeline.next_of(self.warp, self.position)
        # The warp in focus may be shown at an instruction that lies ahead.
        ahead = self.position if start is None else start
        later = positions[positions > ahead]
        return later if len(later) else positions[positions > self.position]

    def _arrive(self, reason: str = "start", text: str = "") -> Stop:
        """Note what has changed since the last stop, and return where the session is now."""
        now = self.registers()
        warp, before = self._before
        self.changed = {
            name: bits != before[name]
            for name, bits in now.items()
            if warp == self.warp and name in before and len(before[name]) == len(bits)
        }
        self._before = self.warp, now
        if self.is_at_end and reason != "start":
            return self._end(reason, text)
        return Stop(reason, text)

    def _end(self, reason: str, text: str) -> Stop:
        outcome, lost = self.recording.facts["outcome"], self.recording.facts["lost"]
        if lost:
            ending = f"end of the recording: {lost:,} later instructions were not recorded"
        elif outcome is not None:
            ending = f"the run ended here: {outcome['text']}"
        else:
            ending = "end of the run"
        kind = "trap" if outcome is not None and not lost else "end"
        return Stop(kind if reason != "data breakpoint" else reason, "; ".join(
            part for part in (text, ending) if part))  # fmt: skip

    # --- focus

    def focus_warp(self, warp: int) -> None:
        """Look at a warp (context), and at its first lane that is active."""
        if warp not in self.timeline.warps:
            known = self.timeline.warps
            shown = ", ".join(map(str, known[:8])) + (", …" if len(known) > 8 else "")
            raise UsageError(f"no warp {warp} has issued; there are {shown}", code="SIM531")
        self.warp = warp
        mask = self.next_mask
        if mask and not mask >> self.lane & 1:
            self.lane = (mask & -mask).bit_length() - 1
        self._before = self.warp, self.registers()
        self.changed = {}

    def focus_lane(self, lane: int) -> None:
        """Look at a lane of the warp in focus."""
        width = self.recording.width
        if not 0 <= lane < width:
            raise UsageError(
                f"there is no lane {lane}: a warp has lanes 0 to {width - 1}", code="SIM531"
            )
        self.lane = lane

    def focus_item(self, item: int) -> None:
        """Look at a work-item, by its flat absolute id, in the current launch."""
        place = self.timeline.place_of_item(item, self.launch)
        if place is None:
            raise UsageError(f"launch {self.launch} has no work-item {item}", code="SIM531")
        workgroup, wave, lane = place
        t = self.t
        spans = self.timeline.warps_of_place(workgroup, wave)
        current = [warp for warp, first, end in spans if first <= t < end]
        if not current:
            raise UsageError(
                f"work-item {item} is not on the machine at {self.recording.facts['unit']} {t:,}",
                code="SIM531",
            )
        self.focus_warp(current[0])
        self.lane = lane

    def _follow(self) -> None:
        """Look at the warp that issues next."""
        if not self.is_at_end:
            self.focus_warp(int(self.timeline.warp[self.position]))
