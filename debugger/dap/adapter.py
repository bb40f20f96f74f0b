"""Requests of an editor, answered from a session. Every error is a failed response."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...isa.errors import SimtError, UsageError
from ...recording.recording import Recording
from .. import views
from ..breakpoints import Breakpoint
from ..commands.registry import COMMANDS
from ..commands.run import Commands, Quit
from ..cursor import Stop
from ..expressions import Element, Node, Register, parse
from ..paths import entries
from ..session import Session
from .variables import MOST_ROWS, Variables

Start = Callable[[Mapping[str, object]], tuple[Recording, Path, tuple[str, ...]]]
"""Records what a `launch` request names: the recording, the folder of its sources, remarks."""

Body = dict[str, Any]

FOCUS_THREAD = 1
"""The thread that is the lane in focus; the others are warps: number + 2."""

CAPABILITIES = (
    "supportsConfigurationDoneRequest", "supportsFunctionBreakpoints",
    "supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints",
    "supportsEvaluateForHovers", "supportsStepBack", "supportsSetVariable",
    "supportsDataBreakpoints", "supportsReadMemoryRequest", "supportsDisassembleRequest",
    "supportsSteppingGranularity", "supportsExceptionInfoRequest", "supportsCompletionsRequest",
)  # fmt: skip


class Adapter:
    """One client. `send` writes a message; `handle` takes one."""

    def __init__(self, start: Start, send: Callable[[dict[str, object]], None]) -> None:
        self.has_ended = False
        self._start = start
        self._send = send
        self._session: Session | None = None
        self._commands: Commands | None = None
        self._variables: Variables | None = None
        self._folder = Path()
        self._options: Mapping[str, Any] = {}
        self._client: Mapping[str, Any] = {}
        self._lines_start = 1
        self._last = Stop("entry", "")
        self._by_source: dict[str, list[int]] = {}
        self._frames: dict[int, tuple[int, int]] = {}
        """Number of a frame -> (warp, lane)."""

    # --- messages

    def handle(self, message: Mapping[str, Any]) -> None:
        """Answer a request; other messages are ignored."""
        if message.get("type") != "request":
            return
        command, arguments = message.get("command"), message.get("arguments") or {}
        answer: dict[str, object] = {
            "type": "response", "request_seq": message.get("seq", 0), "command": command,
        }  # fmt: skip
        after: list[Callable[[], None]] = []
        try:
            method = getattr(self, f"_on_{command}", None)
            if not isinstance(command, str) or method is None:
                raise UsageError(f"unsupported request {command!r}", code="SIM531")
            if not isinstance(arguments, Mapping):
                raise UsageError("`arguments` is not an object", code="SIM531")
            body = method(arguments, after)
            answer |= {"success": True, **({"body": body} if body is not None else {})}
        except SimtError as error:
            answer |= _failure(_plain(error))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            answer |= _failure(f"invalid arguments of {command}: {type(error).__name__}: {error}")
        except Exception as error:
            answer |= _failure(f"this is a bug in simtlab: {type(error).__name__}: {error}")
        self._send(answer)
        for action in after:
            action()

    def _event(self, name: str, body: Body | None = None) -> None:
        self._send({"type": "event", "event": name, **({"body": body} if body else {})})

    def complain(self, text: str) -> None:
        """Show a text in the client's console."""
        self._event("output", {"category": "important", "output": text + "\n"})

    @property
    def session(self) -> Session:
        """The session. Raises UsageError before there is one."""
        if self._session is None:
            raise UsageError("nothing is debugged yet: send `launch` first", code="SIM531")
        return self._session

    @property
    def variables(self) -> Variables:
        """The variables of this stop."""
        if self._variables is None or self._variables.session is not self.session:
            self._variables = Variables(self.session)
        return self._variables

    # --- beginning and end

    def _on_initialize(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        self._client = arguments
        self._lines_start = 1 if arguments.get("linesStartAt1", True) else 0
        return dict.fromkeys(CAPABILITIES, True)

    def _on_launch(self, arguments: Body, after: list[Callable[[], None]]) -> None:
        if self._session is not None:
            raise UsageError("a run is being debugged already", code="SIM531")
        recording, self._folder, remarks = self._start(arguments)
        self._session = Session(recording)
        self._commands = Commands(self._session)
        self._options = arguments
        after.append(lambda: self._event("initialized"))
        for remark in remarks:
            after.append(lambda text=remark: self.complain(text))

    def _on_configurationDone(self, arguments: Body, after: list[Callable[[], None]]) -> None:
        session = self.session
        if self._options.get("stopOnEntry", False):
            after.append(lambda: self._stopped(Stop("entry", "")))
        else:
            after.append(lambda: self._run(session.resume))

    def _on_disconnect(self, arguments: Body, after: list[Callable[[], None]]) -> None:
        self.has_ended = True

    # --- stops

    def _run(self, move: Callable[[], Stop]) -> None:
        """Make a move and report where it has ended; an error is reported as well."""
        try:
            stop = move()
        except SimtError as error:
            self.complain(_plain(error))
            stop = Stop("pause", "")
        self._stopped(stop)

    def _stopped(self, stop: Stop) -> None:
        self._last = stop
        self.variables.forget()
        self._frames.clear()
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
        self._event("stopped", body)

    def _move(
        self, arguments: Body, after: list[Callable[[], None]], move: Callable[[], Stop]
    ) -> None:
        thread = int(arguments.get("threadId", FOCUS_THREAD))
        if thread != FOCUS_THREAD and thread - 2 != self.session.warp:
            self.session.focus_warp(thread - 2)
        after.append(lambda: self._run(move))

    def _steps(self, arguments: Body, *, back: bool) -> Callable[[], Stop]:
        session = self.session
        if arguments.get("granularity") == "instruction":
            return lambda: session.step(back=back)
        return lambda: session.line(back=back)

    def _on_next(self, arguments: Body, after: list[Callable[[], None]]) -> None:
        self._move(arguments, after, self._steps(arguments, back=False))

    def _on_stepIn(self, arguments: Body, after: list[Callable[[], None]]) -> None:
        session = self.session
        self._move(arguments, after, lambda: session.step())

    def _on_stepOut(self, arguments: Body, after: list[Callable[[], None]]) -> None:
        self._move(arguments, after, self.session.finish)

    def _on_stepBack(self, arguments: Body, after: list[Callable[[], None]]) -> None:
        self._move(arguments, after, self._steps(arguments, back=True))

    def _on_continue(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        self._move(arguments, after, self.session.resume)
        return {"allThreadsContinued": True}

    def _on_reverseContinue(self, arguments: Body, after: list[Callable[[], None]]) -> None:
        session = self.session
        self._move(arguments, after, lambda: session.resume(back=True))

    def _on_pause(self, arguments: Body, after: list[Callable[[], None]]) -> None:
        _ = self.session
        after.append(lambda: self._stopped(Stop("pause", "")))

    def _on_exceptionInfo(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        outcome = self.session.recording.facts["outcome"]
        if outcome is None:
            raise UsageError("the run has not trapped", code="SIM531")
        return {
            "exceptionId": outcome["code"], "description": outcome["text"],
            "breakMode": "always",
        }  # fmt: skip

    # --- breakpoints

    def _on_setBreakpoints(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        source = arguments["source"]
        name = str(source.get("path") or source.get("name") or "")
        wanted = arguments.get("breakpoints") or []
        self._forget(name)
        points = self.session.breakpoints
        shift = 1 - self._lines_start

        def make(item: Body) -> Breakpoint:
            return points.at_line(int(item["line"]) + shift, name)

        return {"breakpoints": [self._set(name, item, make) for item in wanted]}

    def _on_setFunctionBreakpoints(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        self._forget("functions")
        points = self.session.breakpoints

        def make(item: Body) -> Breakpoint:
            return points.at_label(str(item["name"]))

        return {"breakpoints": [self._set("functions", b, make) for b in arguments["breakpoints"]]}

    def _on_dataBreakpointInfo(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        session, name = self.session, str(arguments["name"])
        reference = arguments.get("variablesReference")
        text = self.variables[int(reference)].place(name) if reference else name
        node: Node | None = None
        try:
            node = parse(text) if text else None
            if isinstance(node, (Register, Element)):
                place = session.names().place(node)
                lane = session.lane
                if isinstance(node, Register):
                    text = f"{node.name}[{place.place % session.recording.width}]"
                return {
                    "dataId": f"{session.warp} {lane} {text}", "accessTypes": ["write"],
                    "description": f"{text} is written",
                }  # fmt: skip
        except UsageError as problem:
            return {"dataId": None, "description": _plain(problem)}
        return {"dataId": None, "description": f"{name} is not a register or a word of memory"}

    def _on_setDataBreakpoints(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        self._forget("data")
        session = self.session

        def make(item: Body) -> Breakpoint:
            warp, lane, text = str(item["dataId"]).split(" ", 2)
            focus = session.warp, session.lane
            session.warp, session.lane = int(warp), int(lane)
            try:
                return session.breakpoints.watch(text)
            finally:
                session.warp, session.lane = focus

        return {"breakpoints": [self._set("data", b, make) for b in arguments["breakpoints"]]}

    def _forget(self, owner: str) -> None:
        for number in self._by_source.pop(owner, ()):
            self.session.breakpoints.delete(number)

    def _set(self, owner: str, item: Body, make: Callable[[Body], Breakpoint]) -> Body:
        """Make one breakpoint that a client asks for; return it as the protocol has it."""
        try:
            made = make(item)
            try:
                made.set_condition(str(item.get("condition") or ""))
                made.set_count(str(item.get("hitCondition") or ""))
            except UsageError:
                self.session.breakpoints.delete(made.number)
                raise
        except SimtError as error:
            return {"verified": False, "message": _plain(error)}
        self._by_source.setdefault(owner, []).append(made.number)
        found: Body = {"verified": True, "id": made.number, "message": made.text}
        if made.line:
            found |= {"line": made.line + self._lines_start - 1, "source": self._source(made.file)}
        return found

    # --- where it is

    def _on_threads(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        session = self.session
        names = session.recording.facts["warps"]
        focus = f"lane {session.lane} of {names[session.warp]}"
        return {
            "threads": [
                {"id": FOCUS_THREAD, "name": focus},
                *({"id": warp + 2, "name": names[warp]} for warp in session.timeline.warps),
            ]
        }

    def _on_stackTrace(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        session, thread = self.session, int(arguments["threadId"])
        warp = session.warp if thread == FOCUS_THREAD else thread - 2
        if warp not in session.timeline.warps:
            raise UsageError(f"there is no thread {thread}", code="SIM531")
        frames: list[Body] = []
        paths = session.paths(warp)
        if thread == FOCUS_THREAD:
            paths = [p for p in paths if p.mask >> session.lane & 1]
            frames += [self._frame(p.pc, session.lane, warp, p.status) for p in paths]
        else:
            running = paths[0] if paths and paths[0].status == "next" else None
            lane = session.lane if warp == session.warp else 0
            if running is not None:
                if not running.mask >> lane & 1:
                    lane = (running.mask & -running.mask).bit_length() - 1
                text = f"lanes {views.lanes_text(running.mask)}"
                frames.append(self._frame(running.pc, lane, warp, text))
            for entry in entries(session.state(warp)):
                if running is not None and entry.mask == running.mask:
                    continue
                first = (entry.mask & -entry.mask).bit_length() - 1
                text = f"{entry.text}, lanes {views.lanes_text(entry.mask)}"
                frames.append(self._frame(entry.pc, max(first, 0), warp, text, subtle=True))
        if not frames:
            frames.append(self._frame(None, session.lane, warp, "issues nothing more"))
        start, levels = int(arguments.get("startFrame") or 0), int(arguments.get("levels") or 0)
        chosen = frames[start : start + levels] if levels else frames[start:]
        return {"stackFrames": chosen, "totalFrames": len(frames)}

    def _frame(
        self, pc: int | None, lane: int, warp: int, text: str, *, subtle: bool = False
    ) -> Body:
        number = len(self._frames) + 1
        self._frames[number] = warp, lane
        kernel = self.session.kernel
        found: Body = {
            "id": number, "line": 0, "column": 0,
            "name": f"{kernel['name']} {views.label_text(kernel, pc)} ({text})",
        }  # fmt: skip
        if pc is not None and pc < len(kernel["instructions"]):
            ins = kernel["instructions"][pc]
            found["instructionPointerReference"] = f"0x{pc:x}"
            if ins["file"]:
                found |= {
                    "line": ins["line"] + self._lines_start - 1, "column": ins["column"],
                    "source": self._source(ins["file"]),
                }  # fmt: skip
        return {**found, "presentationHint": "subtle"} if subtle else found

    def _source(self, file: str) -> Body:
        path = self._folder / file
        found: Body = {"name": file.rpartition("/")[2]}
        if path.is_file():
            return {**found, "path": str(path)}
        files = list(self.session.recording.facts["sources"])
        return {**found, "sourceReference": files.index(file) + 1 if file in files else 0}

    def _on_source(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        sources = list(self.session.recording.facts["sources"].values())
        number = int(arguments.get("sourceReference") or 0)
        if not 1 <= number <= len(sources):
            raise UsageError("the recording has no such source", code="SIM531")
        return {"content": sources[number - 1]}

    def _focus(self, arguments: Body) -> None:
        """Look at the warp and lane of a frame, if one is given."""
        frame = self._frames.get(int(arguments.get("frameId") or 0))
        if frame is not None and frame[0] != self.session.warp:
            self.session.focus_warp(frame[0])

    def _on_scopes(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        frame = self._frames.get(int(arguments["frameId"]))
        if frame is None:
            raise UsageError(f"frame {arguments['frameId']} is not of this stop", code="SIM531")
        self._focus(arguments)
        return {"scopes": self.variables.scopes(frame[1])}

    def _on_variables(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        container = self.variables[int(arguments["variablesReference"])]
        count = int(arguments.get("count") or MOST_ROWS)
        start = int(arguments.get("start") or 0)
        return {"variables": container.rows(start, min(count, MOST_ROWS))}

    def _on_setVariable(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        name, value = str(arguments["name"]), str(arguments["value"])
        place = self.variables[int(arguments["variablesReference"])].place(name)
        if not place:
            if name not in ("warp", "lane"):
                raise UsageError(f"{name} cannot be changed", code="SIM530")
            after.append(lambda: self._stopped(Stop("goto", "")))
            self._run_command(f"{name} {value}")
            return {"value": value}
        session = self.session
        session.set_value(place, session.value(value))
        after.append(lambda: self._stopped(Stop("goto", "the run is edited")))
        return {"value": views.value_text(session, place).partition("  (")[0]}

    # --- values, memory, code

    def _on_evaluate(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        text = str(arguments["expression"]).strip()
        session = self.session
        self._focus(arguments)
        frame = self._frames.get(int(arguments.get("frameId") or 0))
        if arguments.get("context") != "repl" or text.split(" ")[0] not in COMMANDS:
            result = views.value_text(session, text, frame[1] if frame else None)
            return {"result": result, "variablesReference": 0}
        before = self._where()
        lines = self._run_command(text)
        if self._where() != before:
            after.append(lambda: self._stopped(Stop("goto", "")))
        return {"result": "\n".join(lines), "variablesReference": 0}

    def _where(self) -> tuple[int, ...]:
        session = self.session
        return session.position, session.warp, session.lane, len(session.edits)

    def _run_command(self, text: str) -> list[str]:
        assert self._commands is not None
        try:
            return self._commands.run(text)
        except Quit:
            return ["end the session with the editor's Stop"]

    def _on_completions(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        text = str(arguments.get("text", ""))
        words = [name for name in COMMANDS if len(name) > 2 and name.startswith(text)]
        return {"targets": [{"label": word} for word in dict.fromkeys(words)]}

    def _on_readMemory(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        start = int(str(arguments["memoryReference"]), 0) + int(arguments.get("offset") or 0)
        count = max(0, min(int(arguments["count"]), 1 << 20))
        readable = 0
        for buffer in self.session.recording.facts["buffers"]:
            if buffer["address"] <= start < buffer["address"] + buffer["size"]:
                readable = min(count, buffer["address"] + buffer["size"] - start)
        content = self.session.machine.global_bytes(start, readable) if readable else None
        data = content.tobytes() if content is not None else b""
        return {
            "address": f"0x{max(start, 0):x}", "unreadableBytes": count - len(data),
            "data": base64.b64encode(data).decode("ascii"),
        }  # fmt: skip

    def _on_disassemble(self, arguments: Body, after: list[Callable[[], None]]) -> Body:
        kernel = self.session.kernel
        first = int(str(arguments["memoryReference"]), 0)
        first += int(arguments.get("offset") or 0) // 8 + int(
            arguments.get("instructionOffset") or 0
        )
        count = max(0, min(int(arguments["instructionCount"]), 1 << 12))
        found: list[Body] = []
        for pc in range(first, first + count):
            if not 0 <= pc < len(kernel["instructions"]):
                found.append({"address": f"0x{max(pc, 0):x}", "instruction": "",
                              "presentationHint": "invalid"})  # fmt: skip
                continue
            ins = kernel["instructions"][pc]
            row: Body = {
                "address": f"0x{pc:x}", "instruction": ins["text"].strip(),
                "symbol": views.label_text(kernel, pc),
            }  # fmt: skip
            if ins["file"]:
                row |= {"location": self._source(ins["file"]),
                        "line": ins["line"] + self._lines_start - 1}  # fmt: skip
            found.append(row)
        return {"instructions": found}


def _failure(text: str) -> dict[str, object]:
    return {
        "success": False, "message": text,
        "body": {"error": {"id": 1, "format": text.replace("{", "(").replace("}", ")"),
                           "showUser": True}},
    }  # fmt: skip


def _plain(error: SimtError) -> str:
    """Return an error as one paragraph."""
    parts = [
        diagnostic.message + (f" ({diagnostic.hint})" if diagnostic.hint else "")
        for diagnostic in error.diagnostics
    ]
    return "; ".join(parts)
