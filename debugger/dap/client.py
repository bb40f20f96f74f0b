"""One client of the protocol: its session, and what is sent to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...isa.errors import SimtError, UsageError
from ...recording.recording import Recording
from ..commands.run import Commands
from ..cursor import INTERRUPTED, Stop
from ..session import Session
from .variables import Variables

Start = Callable[[Mapping[str, object]], tuple[Recording, Path, tuple[str, ...]]]
"""Records what a `launch` request names: the recording, the folder of its sources, remarks."""

Body = dict[str, Any]

After = list[Callable[[], None]]
"""What is done once a response has been sent."""

FOCUS_THREAD = 1
"""The thread that is the lane in focus; the others are warps: number + 2."""


class Client:
    """What all requests share. `send` writes a message."""

    def __init__(
        self,
        start: Start,
        send: Callable[[dict[str, object]], None],
        asked: Callable[[], bool],
    ) -> None:
        self.send = send
        self.start = start
        self.asked = asked
        self.was_interrupted = False
        """Whether the last move was ended by a pause, whose stop has been reported."""
        self.has_ended = False
        self.folder = Path()
        """Where the sources are."""
        self.options: Mapping[str, Any] = {}
        """The arguments of `launch`."""
        self.first_line = 1
        """The number that the client gives to the first line of a file."""
        self.frames: dict[int, tuple[int, int]] = {}
        """Number of a frame -> (warp, lane), for this stop."""
        self._session: Session | None = None
        self._commands: Commands | None = None
        self._variables: Variables | None = None

    def open(self, recording: Recording) -> None:
        """Begin a session."""
        self._session = Session(recording)
        self._session.asked = self.asked
        self._commands = Commands(self._session)
        self._variables = Variables(self._session)

    @property
    def is_open(self) -> bool:
        """Whether something is being debugged."""
        return self._session is not None

    @property
    def session(self) -> Session:
        """The session. Raises UsageError before there is one."""
        if self._session is None:
            raise UsageError("nothing is debugged yet: send `launch` first", code="SIM531")
        return self._session

    @property
    def commands(self) -> Commands:
        """The command language of the session."""
        _ = self.session
        assert self._commands is not None
        return self._commands

    @property
    def variables(self) -> Variables:
        """The variables of this stop."""
        _ = self.session
        assert self._variables is not None
        return self._variables

    def event(self, name: str, body: Body | None = None) -> None:
        """Send an event."""
        self.send({"type": "event", "event": name, **({"body": body} if body else {})})

    def complain(self, text: str) -> None:
        """Show a text in the client's console."""
        self.event("output", {"category": "important", "output": text + "\n"})

    def run(self, move: Callable[[], Stop]) -> None:
        """Make a move and report where it has ended; an error is reported as well."""
        try:
            stop = move()
        except SimtError as error:
            self.complain(plain(error))
            stop = Stop("pause", "")
        self.was_interrupted = stop.text == INTERRUPTED
        self.stopped(stop)

    def stopped(self, stop: Stop) -> None:
        """Report where the session is; the numbers of variables and frames are void."""
        self.variables.forget()
        self.frames.clear()
        reason = {
            "trap": "exception", "end": "pause", "start": "entry", "event": "step",
            "edit": "goto",
        }.get(stop.reason, stop.reason)  # fmt: skip
        body: Body = {
            "reason": reason, "threadId": self.session.warp + 2, "allThreadsStopped": True,
        }  # fmt: skip
        if stop.text:
            body |= {"description": stop.text.splitlines()[0], "text": stop.text}
        if stop.breakpoint is not None:
            body["hitBreakpointIds"] = [stop.breakpoint.number]
        if reason in ("exception", "pause") and stop.text:
            self.complain(stop.text)
        self.event("stopped", body)

    def source(self, file: str) -> Body:
        """Return a source file as the protocol has it."""
        path = self.folder / file
        found: Body = {"name": file.rpartition("/")[2]}
        if path.is_file():
            return {**found, "path": str(path)}
        files = list(self.session.recording.facts["sources"])
        return {**found, "sourceReference": files.index(file) + 1 if file in files else 0}

    def look_at(self, arguments: Body) -> None:
        """Look at the warp and lane of a frame, if one is given."""
        frame = self.frames.get(int(arguments.get("frameId") or 0))
        if frame is not None and frame[0] != self.session.warp:
            self.session.focus_warp(frame[0])


def plain(error: SimtError) -> str:
    """Return an error as one paragraph."""
    parts = [
        diagnostic.message + (f" ({diagnostic.hint})" if diagnostic.hint else "")
        for diagnostic in error.diagnostics
    ]
    return "; ".join(parts)
