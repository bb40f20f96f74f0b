"""Panes: source with paths and breakpoints, lanes and stack, registers, memory."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from ...isa.errors import UsageError
from ...isa.types import TYPES
from .. import views
from ..paths import entries
from ..places import memories, register_type
from ..session import Session
from ..values import decode, elements, readings, register_size, shown_element, shown_value

NEXT = Style(bold=True, reverse=True)
PATH = Style(bold=True)
CHANGED = Style(bold=True, underline=True)
CURSOR = Style(bgcolor="grey37")
DIM = Style(dim=True)

WITH_HEXADECIMAL = {"s": 29, "d": 37}
"""Columns from which on a register is shown in hexadecimal as well."""

GUTTER = 9
"""Columns before the text of a source line: breakpoint, path, line number."""


class SourcePane(ScrollView):
    """The source of the current file, or its instructions; the cursor is a line of it."""

    can_focus = True
    BINDINGS: ClassVar = [
        Binding("up", "cursor(-1)", show=False),
        Binding("down", "cursor(1)", show=False),
        Binding("pageup", "cursor(-10)", show=False),
        Binding("pagedown", "cursor(10)", show=False),
        Binding("home", "cursor(-1000000)", show=False),
        Binding("end", "cursor(1000000)", show=False),
    ]

    class Toggled(Message):
        """A breakpoint of the cursor's line is wanted, or no longer wanted."""

    def __init__(self, session: Session) -> None:
        super().__init__(id="source")
        self.session = session
        self.file: str | None = None
        self.lines: list[str] = []
        self.cursor = 0
        self._marks: dict[int, str] = {}
        self._broken: set[int] = set()

    @property
    def line(self) -> int:
        """The line of the cursor, from 1 on; a pc plus 1 where there is no source."""
        return self.cursor + 1

    def show_session(self, *, follow: bool = True) -> None:
        """Show where the session is; with `follow` the cursor goes to the next instruction."""
        session = self.session
        rows, pc = session.kernel["instructions"], session.next_pc
        file = rows[pc if pc is not None else 0]["file"]
        text = session.recording.facts["sources"].get(file) if file else None
        if text is None:
            self.file = None
            self.lines = [row["text"].strip() for row in rows]
            marks = {p.pc + 1: "=>" if p.status == "next" else ">"
                     for p in reversed(session.paths()) if p.pc is not None}  # fmt: skip
            self._marks, self._broken = marks, set()
        else:
            self.file, self.lines = file, text.splitlines()
            self._marks = views.line_marks(session, file)
            self._broken = views.broken(session, file)
        self.border_title = self.file or session.kernel["name"]
        if follow:
            ahead = [number for number, mark in self._marks.items() if mark == "=>"]
            others = list(self._marks)
            if ahead or others:
                self.cursor = (ahead or others)[0] - 1
        self._show()

    def _show(self) -> None:
        self.cursor = min(max(self.cursor, 0), max(0, len(self.lines) - 1))
        width = max((len(line.expandtabs(4)) for line in self.lines), default=0) + GUTTER
        self.virtual_size = Size(width, len(self.lines))
        height = max(1, self.scrollable_content_region.height)
        top = int(self.scroll_offset.y)
        margin = min(2, height // 3)
        if not top + margin <= self.cursor < top + height - margin:
            self.scroll_to(y=max(0, self.cursor - height // 2), animate=False, force=True)
        self.refresh()

    def goto_line(self, number: int) -> None:
        """Put the cursor on a line, from 1 on."""
        self.cursor = number - 1
        self._show()

    def find(self, text: str) -> bool:
        """Put the cursor on the next line with a text, after the last line from the first on."""
        n = len(self.lines)
        for distance in range(1, n + 1):
            at = (self.cursor + distance) % n
            if text.lower() in self.lines[at].lower():
                self.goto_line(at + 1)
                return True
        return False

    def action_cursor(self, rows: int) -> None:
        """Move the cursor."""
        self.cursor += rows
        self._show()

    def on_click(self, event: Click) -> None:
        """Put the cursor on the line; in the gutter, toggle its breakpoint."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        row = offset.y + self.scroll_offset.y
        if row < len(self.lines):
            self.cursor = row
            self._show()
            if offset.x < GUTTER - 1:
                self.post_message(self.Toggled())

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        row = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if row >= len(self.lines):
            # Without colours (NO_COLOR) Textual needs a style of every segment.
            return Strip.blank(width, Style())
        number = row + 1
        mark = self._marks.get(number, "")
        style = CURSOR if row == self.cursor else Style()
        text_style = style + (NEXT if mark == "=>" else PATH if mark else Style())
        point = Segment("●" if number in self._broken else " ", style + Style(color="red"))
        strip = Strip(
            [
                point,
                Segment(f"{mark:>2}", style + PATH),
                Segment(f"{number:>5} ", style + DIM),
                Segment(self.lines[row].expandtabs(4), text_style),
            ]
        )
        left = self.scroll_offset.x
        return strip.crop_extend(left, left + width, style)


class Pane(Static):
    """A pane of text that follows the session."""

    def __init__(self, session: Session, name: str, title: str) -> None:
        super().__init__(id=name, markup=False)
        self.session = session
        self.border_title = title

    def show_session(self) -> None:
        """Show the session as it is now."""
        self.update(self.content_text())

    def content_text(self) -> Text:
        """Return what the pane shows."""
        raise NotImplementedError

    @property
    def room(self) -> Size:
        """Columns and rows of its content."""
        return self.content_size


class LanesPane(Pane):
    """The paths of the warp in focus, then its stack, pairs or groups."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "lanes", "lanes")

    def content_text(self) -> Text:
        session = self.session
        name = session.recording.facts["warps"][session.warp]
        self.border_title = f"{name}, lane {session.lane}"
        found = Text()
        for path in session.paths():
            mask = views.mask_text(session, path.mask)
            style = NEXT if path.status == "next" else Style()
            found.append("=> " if path.status == "next" else "   ", PATH)
            for lane, bit in enumerate(mask):
                bit_style = style if bit == "1" else DIM
                found.append(bit, bit_style + CHANGED if lane == session.lane else bit_style)
            place = views.label_text(session.kernel, path.pc) or (
                f"pc {path.pc}" if path.pc is not None else ""
            )
            found.append(f" {place} {path.status}\n".replace("  ", " "))
        state = session.state()
        if state.get("stack") or state.get("pairs"):
            found.append("stack, top first:\n", DIM)
            for entry in entries(state):
                place = views.label_text(session.kernel, entry.pc)
                found.append(f"   {views.mask_text(session, entry.mask)} {place} {entry.text}\n")
        return found


class RegistersPane(Pane):
    """The registers of the lane in focus; or one register in all lanes."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "registers", "registers")
        self.only = ""
        """A register that is shown in all lanes."""

    def content_text(self) -> Text:
        session = self.session
        self.border_title = f"{self.only} in all lanes" if self.only else "registers"
        if self.only:
            try:
                return Text("\n".join(self._lanes()))
            except UsageError:
                self.only = ""
        now = session.registers()
        if not now:
            return Text("this warp context is empty")
        found = Text()
        for name, bits in now.items():
            value = int(bits[session.lane])
            type_ = register_type(session.kernel, name)
            changed = session.changed.get(name)
            is_new = changed is not None and bool(changed[session.lane])
            shown = shown_value(decode(value, type_), size=register_size(name))
            if name[1] == "c":
                shown = readings(value, name)[0]
            found.append("*" if is_new else " ", PATH)
            found.append(f"{name:<5}", DIM)
            found.append(f"{shown:>12}", CHANGED if is_new else Style())
            if name[1] != "c" and self.room.width >= WITH_HEXADECIMAL[name[1]]:
                found.append(f" {readings(value, name)[0]}", DIM)
            found.append("\n")
        return found

    def _lanes(self) -> list[str]:
        lines = views.register_lanes(self.session, self.only)
        values = " ".join(line.partition(":")[2] for line in lines[1:]).split()
        width = max(map(len, values))
        per_row = max(1, (self.room.width - 4) // (width + 1))
        return [
            f"{first:>2}: " + " ".join(f"{v:>{width}}" for v in values[first : first + per_row])
            for first in range(0, len(values), per_row)
        ]


class MemoryPane(Pane):
    """Elements of one array; `*` marks those that have changed since it was last shown."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, "memory", "memory")
        self.array = ""
        self.first = 0
        self._before: dict[str, bytes] = {}

    def content_text(self) -> Text:
        session = self.session
        known = {m.name: m for m in memories(session.timeline, session.launch)}
        if not known:
            return Text("there are no arrays")
        if self.array not in known:
            self.array, self.first = next(iter(known)), 0
        memory = known[self.array]
        type_ = TYPES[memory.type]
        try:
            content = views.memory_bytes(session, memory)
        except UsageError as problem:
            return Text(str(problem))
        every = elements(content, type_)
        old = elements(np.frombuffer(self._before.get(self.array, content.tobytes()), "u1"), type_)
        self._before[self.array] = content.tobytes()
        texts = [shown_element(v, "", type_.size) for v in every[self.first : self.first + 512]]
        width = max(map(len, texts), default=1)
        per_row = max(1, (self.room.width - 6) // (width + 2))
        self.border_title = f"{self.array}: {memory.type}[{len(every)}]"
        found = Text()
        for row in range(0, len(texts), per_row):
            found.append(f"{self.first + row:>5} ", DIM)
            for i in range(row, min(row + per_row, len(texts))):
                at = self.first + i
                is_new = len(old) == len(every) and (
                    old[at : at + 1].tobytes() != every[at : at + 1].tobytes()
                )
                found.append("*" if is_new else " ", PATH)
                found.append(f"{texts[i]:>{width}} ", CHANGED if is_new else Style())
            found.append("\n")
        return found
