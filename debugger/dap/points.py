"""Breakpoints of the protocol: by line, by function (labels and kernels), and on data."""

from __future__ import annotations

from collections.abc import Callable

from ...isa.errors import SimtError, UsageError
from ..breakpoints import Breakpoint
from ..expressions import Element, Node, Register, parse
from .client import After, Body, Client, plain


class Points:
    """Answers requests about breakpoints."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._by_source: dict[str, list[int]] = {}

    def on_setBreakpoints(self, arguments: Body, after: After) -> Body:
        """Answer `setBreakpoints`."""
        source = arguments["source"]
        name = str(source.get("path") or source.get("name") or "")
        wanted = arguments.get("breakpoints") or []
        self._forget(name)
        points = self._client.session.breakpoints
        shift = 1 - self._client.first_line

        def make(item: Body) -> Breakpoint:
            return points.at_line(int(item["line"]) + shift, name)

        return {"breakpoints": [self._set(name, item, make) for item in wanted]}

    def on_setFunctionBreakpoints(self, arguments: Body, after: After) -> Body:
        """Answer `setFunctionBreakpoints`."""
        self._forget("functions")
        points = self._client.session.breakpoints

        def make(item: Body) -> Breakpoint:
            return points.at_label(str(item["name"]))

        return {"breakpoints": [self._set("functions", b, make) for b in arguments["breakpoints"]]}

    def on_dataBreakpointInfo(self, arguments: Body, after: After) -> Body:
        """Answer `dataBreakpointInfo`."""
        session, name = self._client.session, str(arguments["name"])
        reference = arguments.get("variablesReference")
        text = self._client.variables[int(reference)].place(name) if reference else name
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
            return {"dataId": None, "description": plain(problem)}
        return {"dataId": None, "description": f"{name} is not a register or a word of memory"}

    def on_setDataBreakpoints(self, arguments: Body, after: After) -> Body:
        """Answer `setDataBreakpoints`."""
        self._forget("data")
        session = self._client.session

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
            self._client.session.breakpoints.delete(number)

    def _set(self, owner: str, item: Body, make: Callable[[Body], Breakpoint]) -> Body:
        """Make one breakpoint that a client asks for; return it as the protocol has it."""
        try:
            made = make(item)
            try:
                made.set_condition(str(item.get("condition") or ""))
                made.set_count(str(item.get("hitCondition") or ""))
            except UsageError:
                self._client.session.breakpoints.delete(made.number)
                raise
        except SimtError as error:
            return {"verified": False, "message": plain(error)}
        self._by_source.setdefault(owner, []).append(made.number)
        found: Body = {"verified": True, "id": made.number, "message": made.text}
        if made.line:
            found |= {
                "line": made.line + self._client.first_line - 1,
                "source": self._client.source(made.file),
            }
        return found
