"""Commands that show: the focus, paths, source, registers and memory."""

from __future__ import annotations

from collections.abc import Sequence

from ...isa.errors import UsageError
from .. import views
from ..expressions import parse
from ..session import Session
from ..values import shown_value
from .registry import command, item, number


@command("warp", "warp [N]", "look at a warp; without N, list the warps")
def _(self: Session, rest: str) -> Sequence[str]:
    if not rest:
        return views.warps_table(self)
    self.focus_warp(number(rest, "a warp"))
    return views.location(self)


@command("lane", "lane [N]", "look at a lane of the warp; without N, list its lanes by path")
def _(self: Session, rest: str) -> Sequence[str]:
    if not rest:
        return views.paths_table(self)
    self.focus_lane(number(rest, "a lane"))
    return views.location(self)


@command("item", "item N | GROUP+LOCAL", "look at a work-item")
def _(self: Session, rest: str) -> Sequence[str]:
    self.focus_item(item(self, rest))
    return views.location(self)


# --- what there is


@command("where w", "where", "where the lanes of the warp are: the path that runs, those that wait")
def _(self: Session, rest: str) -> Sequence[str]:
    return views.location(self) + views.paths_table(self)


@command("stack", "stack", "the re-convergence stack, pairs or groups of the warp, the top first")
def _(self: Session, rest: str) -> Sequence[str]:
    return views.stack_table(self)


@command("list l", "list [LINE]", "source lines; => next, > other paths, * breakpoint")
def _(self: Session, rest: str) -> Sequence[str]:
    return views.source(self, number(rest, "a line") if rest else None)


@command("disasm", "disasm [PC]", "instructions")
def _(self: Session, rest: str) -> Sequence[str]:
    return views.disassembly(self, number(rest, "a pc") if rest else None)


@command(
    "registers r",
    "registers [$s3[.x]]",
    "registers of the lane as hexadecimal, unsigned, signed and float; or one of them in all lanes",
)
def _(self: Session, rest: str) -> Sequence[str]:
    if not rest:
        return views.registers_table(self)
    name, _, fmt = rest.partition(".")
    return views.register_lanes(self, name, fmt)


@command(
    "print p",
    "print EXPR",
    "the value of an expression; formats: $s3.x .u .s .f .b, y[5].u8; another lane: $s3[lane 5]",
)
def _(self: Session, rest: str) -> Sequence[str]:
    return [f"{rest} = {views.value_text(self, rest)}"]


@command("lanes", "lanes EXPR", "the value of an expression in each active lane")
def _(self: Session, rest: str) -> Sequence[str]:
    session = self
    mask = session.next_mask
    if not rest:
        raise UsageError("lanes needs an expression, as `lanes $s0`", code="SIM531")
    if not mask:
        return ["no lane of this warp is active here"]
    return [
        f"lane {lane:>2}: {shown_value(session.value(rest, lane))}"
        for lane in range(session.recording.width)
        if mask >> lane & 1
    ]


@command(
    "memory m",
    "memory [NAME[FIRST..LAST][.FORMAT]]",
    "elements of a buffer, a parameter's buffer (%x), or a group or private array; without a "
    "name, list them",
)
def _(self: Session, rest: str) -> Sequence[str]:
    if not rest:
        return views.memory_list(self)
    name, bracket, span = rest.partition("[")
    first, fmt = 0, ""
    count: int | None = None
    if bracket:
        inside, closing, after = span.partition("]")
        if not closing:
            raise UsageError(f"expected `]` in {rest!r}", code="SIM531")
        low, dots, high = inside.partition("..")
        first = number(low, "an index") if low else 0
        if high:
            count = max(1, number(high, "an index") - first + 1)
        elif not dots:
            count = 1
        fmt = after.removeprefix(".")
    else:
        name, _, fmt = name.partition(".")
    return views.memory_table(self, name, first, count, fmt)


@command("writer", "writer y[5] | $s3", "the last write to a place: which work-item, line and time")
def _(self: Session, rest: str) -> Sequence[str]:
    found = self.last_writer(rest)
    if found is None:
        is_host = self.names().place(parse(rest)).where == "global"
        given = "the host gave it" if is_host else "it has its first value, zero"
        return [f"nothing has written {rest} yet: {given}"]
    unit = self.recording.facts["unit"]
    place = f"{found.file}:{found.line}" if found.file else f"pc {found.pc}"
    return [
        f"{rest} was written in {unit} {found.t:,} by work-item {found.item} "
        f"(warp {found.warp}, lane {found.lane}) at {place}: {found.source.strip()}"
    ]


@command("info", "info", "what ran, how, and how far the recording goes")
def _(self: Session, rest: str) -> Sequence[str]:
    session, facts = self, self.recording.facts
    unit, launches = facts["unit"], len(facts["launches"])
    return [
        f"{facts['title']}{' [edited]' if session.is_edited else ''}",
        f"{unit}s {facts['begin']:,} to {facts['end']:,}; {session.timeline.n:,} instructions of "
        f"{len(session.timeline.warps)} warps of {facts['width']} lanes; "
        f"{launches} launch{'' if launches == 1 else 'es'}",
        *([f"{facts['lost']:,} later instructions were not recorded"] if facts["lost"] else []),
        *([f"ended by: {facts['outcome']['text']}"] if facts["outcome"] else []),
    ]
