"""Requests of an editor, answered from a session. Every error is a failed response."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...isa.errors import SimtError, UsageError
from .client import After, Body, Client, Start, plain
from .frames import Frames
from .moves import Moves
from .points import Points
from .values import Values

CAPABILITIES = (
    "supportsConfigurationDoneRequest", "supportsFunctionBreakpoints",
    "supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints",
    "supportsEvaluateForHovers", "supportsStepBack", "supportsSetVariable",
    "supportsDataBreakpoints", "supportsReadMemoryRequest", "supportsDisassembleRequest",
    "supportsSteppingGranularity", "supportsExceptionInfoRequest", "supportsCompletionsRequest",
)  # fmt: skip


class Adapter:
    """Takes requests one by one: `handle` finds the method `on_<command>` that answers one."""

    def __init__(
        self,
        start: Start,
        send: Callable[[dict[str, object]], None],
        asked: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begin without a session; `asked` says whether a move has to end where it is."""
        self.client = client = Client(start, send, asked)
        self._rooms = (self, Moves(client), Points(client), Frames(client), Values(client))

    def _method(self, command: object) -> Callable[[Body, After], Body | None]:
        for room in self._rooms:
            method = getattr(room, f"on_{command}", None)
            if method is not None:
                return method
        raise UsageError(f"unsupported request {command!r}", code="SIM531")

    def handle(self, message: Mapping[str, Any]) -> None:
        """Answer a request; other messages are ignored."""
        if message.get("type") != "request":
            return
        command, arguments = message.get("command"), message.get("arguments") or {}
        answer: dict[str, object] = {
            "type": "response", "request_seq": message.get("seq", 0), "command": command,
        }  # fmt: skip
        after: After = []
        try:
            method = self._method(command)
            if not isinstance(arguments, dict):
                raise UsageError("`arguments` is not an object", code="SIM531")
            body = method(arguments, after)
            answer |= {"success": True, **({"body": body} if body is not None else {})}
        except SimtError as error:
            answer |= _failure(plain(error))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            answer |= _failure(f"invalid arguments of {command}: {type(error).__name__}: {error}")
        except Exception as error:
            answer |= _failure(f"this is a bug in simtlab: {type(error).__name__}: {error}")
        self.client.send(answer)
        for action in after:
            action()

    # --- beginning and end

    def on_initialize(self, arguments: Body, after: After) -> Body:
        """Answer `initialize`."""
        self.client.first_line = 1 if arguments.get("linesStartAt1", True) else 0
        return dict.fromkeys(CAPABILITIES, True)

    def on_launch(self, arguments: Body, after: After) -> None:
        """Answer `launch`."""
        client = self.client
        if client.is_open:
            raise UsageError("a run is being debugged already", code="SIM531")
        recording, client.folder, remarks = client.start(arguments)
        client.open(recording)
        client.options = arguments
        after.append(lambda: client.event("initialized"))
        for remark in remarks:
            after.append(lambda text=remark: client.complain(text))

    def on_disconnect(self, arguments: Body, after: After) -> None:
        """Answer `disconnect`."""
        self.client.has_ended = True


def _failure(text: str) -> dict[str, object]:
    return {
        "success": False, "message": text,
        "body": {"error": {"id": 1, "format": text.replace("{", "(").replace("}", ")"),
                           "showUser": True}},
    }  # fmt: skip
