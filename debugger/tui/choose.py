"""A list to choose from, over the other panes."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option


class Choose(ModalScreen[str | None]):
    """Choose one of `rows`: (what is returned, what is shown). Esc chooses nothing."""

    CSS = """
    Choose { align: center middle; }
    Choose Vertical { width: 90%; max-width: 110; height: auto; max-height: 80%;
                      border: round $accent; background: $surface; padding: 0 1; }
    Choose OptionList { height: auto; max-height: 100%; border: none; text-wrap: nowrap; }
    """
    BINDINGS: ClassVar = [Binding("escape", "dismiss(None)", "back")]

    def __init__(self, title: str, rows: list[tuple[str, str]], current: str = "") -> None:
        super().__init__()
        self._title, self._rows, self._current = title, rows, current

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        with Vertical():
            yield Label(self._title)
            yield OptionList(*(Option(Text(text, no_wrap=True), id=f"o{i}")
                               for i, (_, text) in enumerate(self._rows)))  # fmt: skip

    def on_mount(self) -> None:
        """Begin at the current one."""
        options = self.query_one(OptionList)
        found = [i for i, (value, _) in enumerate(self._rows) if value == self._current]
        options.highlighted = found[0] if found else 0
        options.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the choice."""
        self.dismiss(self._rows[event.option_index][0])
