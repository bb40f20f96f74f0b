"""Commands about breakpoints and watchpoints."""

from __future__ import annotations

from collections.abc import Sequence

from ...isa.errors import UsageError
from .. import views
from ..breakpoints import Breakpoint
from ..expressions import parse
from ..machine import Paused
from ..session import Session
from .registry import command, number
from .registry import item as item_of

_CLAUSES = ("if", "hits", "item", "warp")


def _clauses(text: str) -> tuple[str, dict[str, str]]:
    """Return what stands before the clauses, and each clause's text."""
    words = text.split()
    found: dict[str, str] = {}
    head: list[str] = []
    current = head
    name = ""
    parts: dict[str, list[str]] = {}
    for word in words:
        if word in _CLAUSES and name != "if" and (head or word == "if"):
            name = word
            if name in parts:
                raise UsageError(f"`{name}` is given twice", code="SIM531")
            current = parts[name] = []
        elif name == "if" and word == "hits" and "hits" not in parts:
            name = word
            current = parts[name] = []
        else:
            current.append(word)
    for clause, texts in parts.items():
        if not texts:
            raise UsageError(f"`{clause}` is followed by nothing", code="SIM531")
        found[clause] = " ".join(texts)
    return " ".join(head), found


def add_breakpoint(session: Session, text: str) -> Breakpoint:
    """Make the breakpoint that a `break` command describes. Raises UsageError."""
    where, clauses = _clauses(text)
    points = session.breakpoints
    item = number(clauses["item"], "a work-item") if "item" in clauses else None
    warp = number(clauses["warp"], "a warp") if "warp" in clauses else None
    words = where.split()
    first = words[0] if words else ""
    rest = " ".join(words[1:])
    made: Breakpoint
    if first == "item" and rest:
        made = points.at_item(item_of(session, rest))
    elif first == "mask" and not rest:
        made = points.at_mask(warp)
    elif first in ("time", "step", "cycle") and rest:
        made = points.at_time(number(rest, f"a {session.recording.facts['unit']}"))
    elif first == "event" and rest:
        made = points.at_event(rest, warp)
    elif where and where.rpartition(":")[2].isdigit():
        file, _, line = where.rpartition(":")
        made = points.at_line(int(line), file or None, item=item)
    elif where and not rest:
        made = points.at_label(where, item=item)
    else:
        raise UsageError(
            f"`break` takes a place, not {text!r}" if text else "`break` takes a place",
            code="SIM531",
            hint="as `break 31`, `break @key if $s3 == 7`, `break item 5`, `break mask`, "
            "`break time 120` or `break event divergence`",
        )
    try:
        made.set_condition(clauses.get("if", ""))
        made.set_count(clauses.get("hits", ""))
    except UsageError:
        points.delete(made.number)
        raise
    return made


def _made(session: Session, made: Breakpoint) -> list[str]:
    here = session.position
    word = "watchpoint" if made.after else "breakpoint"
    try:
        hits = made.hits(session.timeline, session.machine)
    except Paused:
        return [f"{word} {made.number}: {made.text}; interrupted before its hits were counted"]
    finally:
        session.settle(here)
    ahead = sum(hit.position > here for hit in hits)
    many = "hit" if len(hits) == 1 else "hits"
    lines = [f"{word} {made.number}: {made.text}; {len(hits)} {many}, {ahead} of them ahead"]
    if made.problem:
        lines.append(f"the condition cannot be evaluated for some lanes: {made.problem}")
    return lines


@command(
    "break b",
    "break PLACE [item N] [if EXPR] [hits N|>=N|%N]",
    "stop before a line (31, f.sasm:31), a label (@key), a kernel; `break item N` (or "
    "GROUP+LOCAL): where a work-item begins to run; `break mask [warp N]`: where a mask changes; "
    "`break time T`; `break event EVENT [warp N]`",
)
def _(self: Session, rest: str) -> Sequence[str]:
    return _made(self, add_breakpoint(self, rest))


def add_watchpoint(session: Session, text: str) -> Breakpoint:
    """Make the breakpoint that a `watch` command describes. Raises UsageError."""
    where, clauses = _clauses(text)
    count = 1
    if ".." in where:
        head, bracket, span = where.partition("[")
        low, _, high = span.rstrip("]").partition("..")
        first, last = number(low, "an index"), number(high, "an index")
        if not bracket or last < first:
            raise UsageError(
                f"{where!r} is not a range", code="SIM531", hint="give one as `watch y[0..7]`"
            )
        where, count = f"{head}[{first}]", last - first + 1
        session.names().place(parse(f"{head}[{last}]"))
    made = session.breakpoints.watch(where, count)
    try:
        made.set_condition(clauses.get("if", ""))
        made.set_count(clauses.get("hits", ""))
    except UsageError:
        session.breakpoints.delete(made.number)
        raise
    return made


@command(
    "watch",
    "watch y[5] | y[0..7] | mem[ADDR] | $s3[lane 5] [if EXPR] [hits N]",
    "stop after writes to memory, or after a lane's register has changed",
)
def _(self: Session, rest: str) -> Sequence[str]:
    return _made(self, add_watchpoint(self, rest))


@command("breaks", "breaks", "list breakpoints and watchpoints")
def _(self: Session, rest: str) -> Sequence[str]:
    return views.breakpoints_table(self)


def _chosen(self: Session, text: str) -> list[Breakpoint]:
    points = self.breakpoints
    if text == "all":
        return list(points)
    if not text:
        raise UsageError("name breakpoints by their numbers, or `all`", code="SIM531")
    return [points[number(word, "a breakpoint")] for word in text.split()]


@command("delete", "delete N…|all", "remove breakpoints")
def _(self: Session, rest: str) -> Sequence[str]:
    chosen = _chosen(self, rest)
    for point in chosen:
        self.breakpoints.delete(point.number)
    return [f"{len(chosen)} removed"]


@command("enable", "enable N…|all", "let breakpoints stop the run again")
def _(self: Session, rest: str) -> Sequence[str]:
    for point in _chosen(self, rest):
        point.enabled = True
    return views.breakpoints_table(self)


@command("disable", "disable N…|all", "keep breakpoints, but do not stop at them")
def _(self: Session, rest: str) -> Sequence[str]:
    for point in _chosen(self, rest):
        point.enabled = False
    return views.breakpoints_table(self)


@command("condition", "condition N [EXPR]", "set or remove the condition of a breakpoint")
def _(self: Session, rest: str) -> Sequence[str]:
    which, _, text = rest.partition(" ")
    point = self.breakpoints[number(which, "a breakpoint")]
    point.set_condition(text.strip())
    return _made(self, point)


@command("hits", "hits N [M|>=M|%M]", "set or remove which hits of a breakpoint stop the run")
def _(self: Session, rest: str) -> Sequence[str]:
    which, _, text = rest.partition(" ")
    point = self.breakpoints[number(which, "a breakpoint")]
    point.set_count(text.strip())
    return _made(self, point)
