"""A client of the language server: JSON-RPC over the pipes of `simtlab lsp`."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

PATIENCE = 600
"""Seconds after which a missing answer is a failure; a loaded machine starts Python slowly."""


class Client:
    """A session with a server, from `initialize` on."""

    def __init__(self, folder: Path, encodings: list[str] | None = None) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "simtlab", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
        )
        self.messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self.kept: list[dict[str, Any]] = []
        self.number = 0
        threading.Thread(target=self._read, daemon=True).start()
        general = {"positionEncodings": encodings} if encodings else {}
        self.capabilities = self.ask(
            "initialize",
            processId=None,
            rootUri=folder.as_uri(),
            capabilities={"general": general, "textDocument": {}},
        )["capabilities"]
        self.tell("initialized")

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if line == b"":
                return
            self.messages.put(json.loads(stream.read(length)))

    def _send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        self._send(method=method, params=params)

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request; what the server tells meanwhile is kept."""
        self.number += 1
        self._send(id=self.number, method=method, params=params)
        while True:
            message = self.messages.get(timeout=PATIENCE)
            if message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            self.kept.append(message)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        document = {"uri": self.uri(name), "languageId": "sasm", "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=document)

    def change(self, name: str, text: str, version: int = 2) -> None:
        self.tell(
            "textDocument/didChange",
            textDocument={"uri": self.uri(name), "version": version},
            contentChanges=[{"text": text}],
        )

    def at(self, method: str, name: str, line: int, character: int, **more: Any) -> Any:
        """The result of a request about a position, from 0 on."""
        position = {"line": line, "character": character}
        document = {"uri": self.uri(name)}
        return self.ask(f"textDocument/{method}", textDocument=document, position=position, **more)

    def about(self, method: str, name: str, **more: Any) -> Any:
        """The result of a request about a document."""
        return self.ask(f"textDocument/{method}", textDocument={"uri": self.uri(name)}, **more)

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        """The next diagnostics that the server publishes for a document."""
        while True:
            for message in self.kept:
                params = message.get("params", {})
                if message.get("method") == "textDocument/publishDiagnostics":
                    if params["uri"] == self.uri(name):
                        self.kept.remove(message)
                        return params["diagnostics"]
            self.kept.append(self.messages.get(timeout=PATIENCE))

    def close(self) -> tuple[int, str]:
        """End the session; the exit status and what the server wrote to stderr."""
        if self.process.poll() is None:
            self.ask("shutdown")
            self.tell("exit")
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors.decode()
