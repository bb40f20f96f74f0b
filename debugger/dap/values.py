"""Values of the protocol: variables, expressions, commands and memory."""

from __future__ import annotations

import base64

from ...isa.errors import UsageError
from .. import views
from ..commands.registry import COMMANDS
from ..commands.run import Quit
from ..cursor import Stop
from .client import After, Body, Client
from .variables import MOST_ROWS


class Values:
    """Answers requests about values."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def on_variables(self, arguments: Body, after: After) -> Body:
        """Answer `variables`."""
        container = self._client.variables[int(arguments["variablesReference"])]
        count = int(arguments.get("count") or MOST_ROWS)
        start = int(arguments.get("start") or 0)
        return {"variables": container.rows(start, min(count, MOST_ROWS))}

    def on_setVariable(self, arguments: Body, after: After) -> Body:
        """Answer `setVariable`."""
        name, value = str(arguments["name"]), str(arguments["value"])
        place = self._client.variables[int(arguments["variablesReference"])].place(name)
        if not place:
            if name not in ("warp", "lane"):
                raise UsageError(f"{name} cannot be changed", code="SIM530")
            after.append(lambda: self._client.stopped(Stop("goto", "")))
            self._run_command(f"{name} {value}")
            return {"value": value}
        session = self._client.session
        session.set_value(place, session.value(value))
        after.append(lambda: self._client.stopped(Stop("goto", "the run is edited")))
        return {"value": views.value_text(session, place).partition("  (")[0]}

    def on_evaluate(self, arguments: Body, after: After) -> Body:
        """Answer `evaluate`."""
        text = str(arguments["expression"]).strip()
        session = self._client.session
        self._client.look_at(arguments)
        frame = self._client.frames.get(int(arguments.get("frameId") or 0))
        if arguments.get("context") != "repl" or text.split(" ")[0] not in COMMANDS:
            result = views.value_text(session, text, frame[1] if frame else None)
            return {"result": result, "variablesReference": 0}
        before = self._where()
        lines = self._run_command(text)
        if self._where() != before:
            after.append(lambda: self._client.stopped(Stop("goto", "")))
        return {"result": "\n".join(lines), "variablesReference": 0}

    def _where(self) -> tuple[int, ...]:
        session = self._client.session
        return session.position, session.warp, session.lane, len(session.edits)

    def _run_command(self, text: str) -> list[str]:
        try:
            return self._client.commands.run(text)
        except Quit:
            return ["end the session with the editor's Stop"]

    def on_completions(self, arguments: Body, after: After) -> Body:
        """Answer `completions`."""
        text = str(arguments.get("text", ""))
        words = [name for name in COMMANDS if len(name) > 2 and name.startswith(text)]
        return {"targets": [{"label": word} for word in dict.fromkeys(words)]}

    def on_readMemory(self, arguments: Body, after: After) -> Body:
        """Answer `readMemory`."""
        start = int(str(arguments["memoryReference"]), 0) + int(arguments.get("offset") or 0)
        count = max(0, min(int(arguments["count"]), 1 << 20))
        readable = 0
        for buffer in self._client.session.recording.facts["buffers"]:
            if buffer["address"] <= start < buffer["address"] + buffer["size"]:
                readable = min(count, buffer["address"] + buffer["size"] - start)
        content = self._client.session.machine.global_bytes(start, readable) if readable else None
        data = content.tobytes() if content is not None else b""
        return {
            "address": f"0x{max(start, 0):x}", "unreadableBytes": count - len(data),
            "data": base64.b64encode(data).decode("ascii"),
        }  # fmt: skip
