"""Threads and frames of the protocol: warps, and their paths one below the other."""

from __future__ import annotations

from ...isa.errors import UsageError
from .. import views
from ..paths import entries
from .client import FOCUS_THREAD, After, Body, Client


class Frames:
    """Answers requests about where the session is."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def on_threads(self, arguments: Body, after: After) -> Body:
        """Answer `threads`."""
        session = self._client.session
        names = session.recording.facts["warps"]
        focus = f"lane {session.lane} of {names[session.warp]}"
        return {
            "threads": [
                {"id": FOCUS_THREAD, "name": focus},
                *({"id": warp + 2, "name": names[warp]} for warp in session.timeline.warps),
            ]
        }

    def on_stackTrace(self, arguments: Body, after: After) -> Body:
        """Answer `stackTrace`."""
        session, thread = self._client.session, int(arguments["threadId"])
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
                if not entry.mask or (running is not None and entry.mask == running.mask):
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
        number = len(self._client.frames) + 1
        self._client.frames[number] = warp, lane
        kernel = self._client.session.kernel
        found: Body = {
            "id": number, "line": 0, "column": 0,
            "name": f"{kernel['name']} {views.label_text(kernel, pc)} ({text})",
        }  # fmt: skip
        if pc is not None and pc < len(kernel["instructions"]):
            ins = kernel["instructions"][pc]
            found["instructionPointerReference"] = f"0x{pc:x}"
            if ins["file"]:
                found |= {
                    "line": ins["line"] + self._client.first_line - 1, "column": ins["column"],
                    "source": self._client.source(ins["file"]),
                }  # fmt: skip
        return {**found, "presentationHint": "subtle"} if subtle else found

    def on_source(self, arguments: Body, after: After) -> Body:
        """Answer `source`."""
        sources = list(self._client.session.recording.facts["sources"].values())
        number = int(arguments.get("sourceReference") or 0)
        if not 1 <= number <= len(sources):
            raise UsageError("the recording has no such source", code="SIM531")
        return {"content": sources[number - 1]}

    def on_scopes(self, arguments: Body, after: After) -> Body:
        """Answer `scopes`."""
        frame = self._client.frames.get(int(arguments["frameId"]))
        if frame is None:
            raise UsageError(f"frame {arguments['frameId']} is not of this stop", code="SIM531")
        self._client.look_at(arguments)
        return {"scopes": self._client.variables.scopes(frame[1])}

    def on_disassemble(self, arguments: Body, after: After) -> Body:
        """Answer `disassemble`."""
        kernel = self._client.session.kernel
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
                row |= {"location": self._client.source(ins["file"]),
                        "line": ins["line"] + self._client.first_line - 1}  # fmt: skip
            found.append(row)
        return {"instructions": found}
