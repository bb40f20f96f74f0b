"""A client of the Debug Adapter Protocol that drives `simtlab debug --dap` over pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 600
"""Seconds until a server that does not end is a failure."""


class RequestFailed(Exception):
    """A response without success; the message is its text."""


class DapClient:
    """A process that serves the protocol, and the messages of both sides."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.events: list[dict[str, Any]] = []
        self._seq = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "simtlab", "debug", *(options or ["--dap"])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=folder, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Return the next message of the server."""
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline():
            if line == b"\r\n":
                break
            name, _, value = line.decode().partition(":")
            if name == "Content-Length":
                length = int(value)
        if not length:
            raise EOFError("the server has ended")
        return json.loads(stream.read(length))

    def request(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Send a request and return the body of its response. Raises RequestFailed."""
        self._seq += 1
        body = json.dumps(
            {"seq": self._seq, "type": "request", "command": command, "arguments": arguments}
        ).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
                continue
            assert message["request_seq"] == self._seq, message
            assert message["command"] == command
            if not message["success"]:
                raise RequestFailed(message["message"])
            return message.get("body", {})

    def wait_for(
        self, name: str, fits: Callable[[dict[str, Any]], bool] = lambda body: True
    ) -> dict[str, Any]:
        """Return the body of the next event of a name; earlier ones are dropped."""
        while True:
            while self.events:
                event = self.events.pop(0)
                if event["event"] == name and fits(event.get("body", {})):
                    return event.get("body", {})
            self.events.append(self.receive())

    def begin(self, **launch: Any) -> None:
        """Initialize and launch, up to where breakpoints are set."""
        self.request("initialize", adapterID="simtlab", linesStartAt1=True)
        self.request("launch", **launch)
        self.wait_for("initialized")

    def close(self) -> int:
        """Disconnect; return the exit status."""
        self.request("disconnect")
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode
