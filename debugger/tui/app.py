"""The terminal interface: panes over one session, keys for moves, a prompt for everything else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer, Input, RichLog, Static

from ...isa.errors import SimtError
from .. import views
from ..commands.run import Quit
from ..places import memories
from ..session import Session
from .choose import Choose
from .panes import LanesPane, MemoryPane, RegistersPane, SourcePane
from .running import Running


def _key(key: str, command: str, shown: str = "", label: str = "") -> Binding:
    """Return the binding of a key to a command of the language."""
    return Binding(key, f"command({command!r})", shown, show=bool(shown), key_display=label or None)


IN_A_MOVE = ("stop", "quit", "search", "keys", "panes")
"""Actions that a key has while a move is made; the arrows of the source pane have theirs."""


class Debugger(App[None]):
    """The debugger in a terminal, from 80 columns and 24 lines on."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #status { height: 1; background: $primary; color: $text; text-style: bold; padding: 0 1; }
    #status.edited { background: $error; }
    #status.running { background: $warning; color: auto; }
    #panes { height: 1fr; }
    #left { width: 3fr; }
    #right { width: 2fr; }
    #source { height: 2fr; border: round $primary; }
    #source:focus { border: round $accent; }
    .pane { border: round $primary; }
    .pane:focus { border: round $accent; }
    #lanes-box { height: 1fr; min-height: 5; }
    #registers-box { height: 2fr; }
    #memory-box { height: 1fr; min-height: 5; }
    #lanes, #registers, #memory {
        width: 100%; height: auto; text-wrap: nowrap; text-overflow: ellipsis;
    }
    #status { text-wrap: nowrap; text-overflow: ellipsis; }
    * { scrollbar-size: 1 1; }
    #source { scrollbar-size-horizontal: 0; }
    #output { height: 20%; min-height: 2; padding: 0 1; background: $surface; }
    #prompt { height: 1; border: none; padding: 0 1; background: $boost; }
    Footer { height: 1; }
    """
    BINDINGS: ClassVar = [
        Binding("escape,ctrl+c", "stop", "stop here", key_display="Esc ^C", priority=True),
        _key("n", "step", "step", "n/p"),
        _key("p", "back step"),
        _key("t", "tick"),
        _key("T", "back tick"),
        _key("d", "to divergence", "diverge", "d/D"),
        _key("D", "back to divergence"),
        _key("c", "continue", "go", "c/C"),
        _key("C", "back continue"),
        Binding("b", "breakpoint", "break"),
        Binding("w", "warps", "warp"),
        Binding("l", "lanes", "lane"),
        Binding("slash", "search", "find", key_display="/"),
        Binding("colon", "prompt", "type", key_display=":"),
        Binding("question_mark", "keys", "keys", key_display="?"),
        Binding("q", "quit", "quit"),
        Binding("m", "memory", show=False),
        Binding("r", "register", show=False),
        _key("f", "finish"),
        _key("j", "to join"),
        _key("J", "back to join"),
        _key("k", "to block"),
        _key("K", "back to block"),
        _key("g", "goto start"),
        _key("G", "goto end"),
        Binding("escape", "panes", "back to the keys", key_display="Esc"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.running = Running(session)
        self._searched = ""
        self._is_searching = False
        self._history: list[str] = []
        self._recalled = 0

    def compose(self) -> ComposeResult:
        """Yield the panes."""
        session = self.session
        yield Static(id="status", markup=False)
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield SourcePane(session)
                with VerticalScroll(id="lanes-box", classes="pane"):
                    yield LanesPane(session)
            with Vertical(id="right"):
                with VerticalScroll(id="registers-box", classes="pane"):
                    yield RegistersPane(session)
                with VerticalScroll(id="memory-box", classes="pane"):
                    yield MemoryPane(session)
        yield RichLog(id="output", wrap=True, markup=False, max_lines=2000)
        yield Input(placeholder=": command, ? keys, help", id="prompt", compact=True)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Show the session and let keys move it."""
        self.query_one(SourcePane).focus()
        self.set_interval(0.2, self._show_progress)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        outcome = self.session.recording.facts["outcome"]
        if outcome is not None:
            first = outcome["text"].splitlines()[0]
            self._say([f"the run ended with {first}", "G goes there"])
        self._show()

    def on_resize(self) -> None:
        """Lay out the panes' text again."""
        self.call_after_refresh(lambda: self._show(follow=False))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key has a meaning now: some have one in the prompt only, or outside."""
        in_prompt = isinstance(self.focused, Input)
        if action == "stop" or (self.running.line and action not in IN_A_MOVE):
            return action == "stop" and bool(self.running.line)
        if action == "panes":
            return in_prompt
        return not in_prompt or action not in ("search", "prompt", "keys")

    # --- what is shown

    def _status(self) -> str:
        session = self.session
        facts = session.recording.facts
        launches = len(facts["launches"])
        parts = [
            "EDITED" if session.is_edited else "",
            f"{facts['unit']} {session.t:,}" + (" (the end)" if session.is_at_end else ""),
            facts["warps"][session.warp],
            f"lane {session.lane}",
            f"launch {session.launch} of {launches}" if launches > 1 else "",
            session.kernel["name"] if session.timeline.n else "",
            facts["title"],
        ]
        return " | ".join(part for part in parts if part)

    def _show(self, *, follow: bool = True) -> None:
        if self.running.line:  # the session moves; it is shown where the move ends
            return
        session = self.session
        status = self.query_one("#status", Static)
        status.remove_class("running")
        status.set_class(session.is_edited, "edited")
        status.update(self._status())
        self.query_one(SourcePane).show_session(follow=follow)
        for pane, box in (
            (LanesPane, "lanes-box"), (RegistersPane, "registers-box"), (MemoryPane, "memory-box"),
        ):  # fmt: skip
            found = self.query_one(pane)
            found.show_session()
            self.query_one(f"#{box}").border_title = found.border_title

    def _show_progress(self) -> None:
        if self.running.line:
            status = self.query_one("#status", Static)
            status.add_class("running")
            status.update(self.running.progress())

    def _say(self, lines: list[str], style: str = "") -> None:
        """Print texts; where they have no room, the first lines are shown."""
        output = self.query_one("#output", RichLog)
        before = len(output.lines)
        for line in lines:
            output.write(Text(line, style), expand=True, scroll_end=False)
        top = min(before, len(output.lines) - output.size.height)
        output.scroll_to(y=max(0, top), animate=False)

    async def _run(self, line: str) -> None:
        """Run a command, and show what it prints: at once, or when a long move ends."""
        if self.running.line:
            self._say([f"`{self.running.line}` is running; Esc or Ctrl-C ends it"], "bold red")
            return
        task, has_ended = await self.running.start(line)
        if has_ended:
            self._show_outcome(task)
            return
        self._show_progress()
        self.refresh_bindings()
        task.add_done_callback(lambda task: self.call_later(self._show_outcome, task))

    def _show_outcome(self, task: asyncio.Task[list[str]]) -> None:
        """Print what a command has printed, and show the session."""
        self.refresh_bindings()
        try:
            printed = task.result()
        except Quit:
            self.exit()
            return
        except SimtError as error:
            first = error.diagnostics[0]
            hint = f" ({first.hint})" if first.hint else ""
            self._say([first.message + hint], "bold red")
            self._show(follow=False)
            return
        # Where the session is can be seen in the panes.
        head = views.location(self.session)
        if printed[-len(head) :] == head:
            printed = printed[: -len(head)]
        self._say(printed)
        self._show()

    # --- actions

    async def action_command(self, line: str) -> None:
        """Run a command of the language."""
        await self._run(line)

    def action_stop(self) -> None:
        """End the move that is being made, where it is."""
        self.running.stop()

    async def action_quit(self) -> None:
        """End the session, and a move that is being made."""
        self.running.stop()
        self.exit()

    def action_breakpoint(self) -> None:
        """Set or remove a breakpoint at the cursor's line."""
        pane = self.query_one(SourcePane)
        points = self.session.breakpoints
        present = [p for p in points if p.line == pane.line and p.file == pane.file]
        for point in present:
            points.delete(point.number)
            self._say([f"breakpoint {point.number} removed"])
        if not present:
            if pane.file is None:
                self._say(["there are no source lines; break at a label"], "bold red")
                return
            try:
                made = points.at_line(pane.line, pane.file)
            except SimtError as error:
                self._say([error.diagnostics[0].message], "bold red")
                return
            self._say([f"breakpoint {made.number}: {made.text}"])
        pane.show_session(follow=False)

    def on_source_pane_toggled(self) -> None:
        """Toggle a breakpoint that was clicked."""
        if not self.running.line:
            self.action_breakpoint()

    def action_warps(self) -> None:
        """Choose the warp in focus."""
        lines = views.warps_table(self.session)
        rows = [(str(w), t) for w, t in zip(self.session.timeline.warps, lines, strict=True)]
        self._choose("warp", rows, str(self.session.warp), lambda w: self._run(f"warp {w}"))

    def action_lanes(self) -> None:
        """Choose the lane in focus."""
        session = self.session
        rows: list[tuple[str, str]] = []
        for lane in range(session.recording.width):
            for path in session.paths():
                if path.mask >> lane & 1 and path.status != "no work-item":
                    item = session.names(lane).name("item")
                    place = views.label_text(session.kernel, path.pc)
                    text = f"lane {lane:>2}  work-item {item:<6} {path.status:<18} {place}"
                    rows.append((str(lane), text))
        self._choose("lane", rows, str(session.lane), lambda n: self._run(f"lane {n}"))

    def action_memory(self) -> None:
        """Choose the array of the memory pane."""
        pane = self.query_one(MemoryPane)
        found = memories(self.session.timeline, self.session.launch)
        lines = views.memory_list(self.session)
        rows = [(m.name, line) for m, line in zip(found, lines, strict=True)]

        async def chosen(name: str) -> None:
            pane.array, pane.first = name, 0
            self._show(follow=False)

        self._choose("array", rows, pane.array, chosen)

    def action_register(self) -> None:
        """Choose a register that is shown in all lanes, or all registers of one lane."""
        pane = self.query_one(RegistersPane)
        rows = [("", "all registers of the lane in focus")]
        rows += [(name, f"{name} in all lanes") for name in self.session.registers()]

        async def chosen(name: str) -> None:
            pane.only = name
            self._show(follow=False)

        self._choose("register", rows, pane.only, chosen)

    def _choose(
        self,
        title: str,
        rows: list[tuple[str, str]],
        current: str,
        chosen: Callable[[str], Awaitable[None]],
    ) -> None:
        if not rows:
            self._say([f"there is no {title} to choose"], "bold red")
            return

        async def done(value: str | None) -> None:
            if value is not None:
                await chosen(value)

        self.push_screen(Choose(f"Choose a {title}", rows, current), done)

    def action_keys(self) -> None:
        """Print what the keys do."""
        self._say([
            "n/p step, t/T time, d/D divergence, j/J join, k/K block, c/C continue: "
            "small forwards, capital (p) backwards",
            "f finish   g/G start/end   b breakpoint   w warp   l lane   m array   "
            "r register in all lanes",
            "/ find in the source   : type a command (Esc: back)   q quit   `help`: commands   "
            "Esc or Ctrl-C ends a long move",
        ])  # fmt: skip

    # --- the prompt

    def action_prompt(self) -> None:
        """Type a command."""
        self._ask(searching=False)

    def action_search(self) -> None:
        """Type a text to find in the source."""
        self._ask(searching=True)

    def _ask(self, *, searching: bool) -> None:
        self._is_searching = searching
        prompt = self.query_one("#prompt", Input)
        prompt.placeholder = "find (Enter: again)" if searching else "command"
        prompt.value = ""
        self._recalled = len(self._history)
        prompt.focus()

    def action_panes(self) -> None:
        """Leave the prompt."""
        self._is_searching = False
        prompt = self.query_one("#prompt", Input)
        prompt.placeholder = ": command, ? keys, help"
        prompt.value = ""
        self.query_one(SourcePane).focus()

    def on_key(self, event: object) -> None:
        """Recall earlier commands with the arrows while the prompt has the focus."""
        key = getattr(event, "key", "")
        prompt = self.query_one("#prompt", Input)
        if not prompt.has_focus or key not in ("up", "down") or not self._history:
            return
        step = -1 if key == "up" else 1
        self._recalled = min(max(self._recalled + step, 0), len(self._history))
        recalled = self._history[self._recalled : self._recalled + 1]
        prompt.value = recalled[0] if recalled else ""
        prompt.cursor_position = len(prompt.value)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run the command, or find the text."""
        text = event.value.strip()
        if self._is_searching:
            self._searched = text or self._searched
            found = bool(self._searched) and self.query_one(SourcePane).find(self._searched)
            if self._searched and not found:
                self._say([f"no line has {self._searched!r}"], "bold red")
            self.action_panes()
            return
        event.input.value = ""
        if text:
            self._history.append(text)
            self._recalled = len(self._history)
            self._say([f"> {text}"], "dim")
        await self._run(text)


def run(session: Session) -> int:
    """Run the terminal interface until the user quits; return the exit status."""
    Debugger(session).run()
    return 0
