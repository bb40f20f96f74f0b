"""Output of the command: JSON or text on stdout, errors on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from ...emu.text.tables import labelled
from ...isa.errors import Diagnostic, SimtError, render

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = (
    (r"^error\[\w+\]", "bold red"),
    (r"^warning\[\w+\]", "bold yellow"),
    (r"^note\[\w+\]", "bold cyan"),
    (r"^ *-->.*$", "blue"),
    (r"^ *\d* \|", "blue"),
    (r"^ *\d* \| +(\^+.*)$", "red"),
    (r"^ *= (help|note):", "cyan"),
)
"""The parts of a rendered diagnostic and their colours on a terminal."""


def on_terminal(stream: TextIO) -> bool:
    """Return whether the stream is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def prepare_streams() -> None:
    """Make both streams usable: a closed one discards its text, and encodings never fail.

    A file that is opened must not take the number of a closed stream: what a library in C writes
    there would go into the file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # which takes the least number that is free
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def print_json(value: object) -> None:
    """Print one JSON value on stdout. NaN and infinities would be a bug: JSON has neither."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def print_json_lines(error: SimtError) -> None:
    """Print every finding on stdout, as one JSON object a line."""
    for finding in error.diagnostics:
        sys.stdout.write(json.dumps(finding.to_dict(), ensure_ascii=False, allow_nan=False) + "\n")


def error_dict(error: SimtError) -> dict[str, object]:
    """Return the keys of an error under --json: `error` is the first finding, `diagnostics` all."""
    found = [d.to_dict() for d in error.diagnostics]
    keys = ("code", "message", "file", "line", "column", "hint")
    return {"error": {key: found[0][key] for key in keys}, "diagnostics": found}


def print_error(error: SimtError) -> None:
    """Print every finding on stderr, in colour on a terminal."""
    print_diagnostics(error.diagnostics)


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Print findings on stderr, in colour on a terminal."""
    print_remark("\n\n".join(render(d) for d in diagnostics))


def print_remark(text: str) -> None:
    """Print text on stderr, apart from the results."""
    if on_terminal(sys.stderr):
        from rich.text import Text

        styled = Text(text)
        for pattern, style in _STYLES:
            styled.highlight_regex(f"(?m){pattern}", style)
        # Soft wrapping keeps the caret under its word: the terminal folds long lines, not rich.
        console(sys.stderr).print(styled, soft_wrap=True)
    else:
        print(text, file=sys.stderr)


def print_source(text: str) -> None:
    """Print a source on stdout, highlighted on a terminal."""
    if not on_terminal(sys.stdout):
        sys.stdout.write(text)
        return
    from rich.syntax import Syntax

    from ...asm.lexer import SasmLexer

    styled = Syntax("", SasmLexer(), theme="ansi_dark", background_color="default").highlight(text)
    console(sys.stdout).print(styled, soft_wrap=True, end="")


def console(stream: TextIO) -> Console:
    """Return a rich console, which obeys NO_COLOR; off a terminal it has 160 columns."""
    from rich.console import Console

    width = None if on_terminal(stream) else 160
    return Console(file=stream, width=width, highlight=False, markup=False)


def print_rows(rows: list[tuple[str, str]]) -> None:
    """Print labels and values as two columns on stdout."""
    print(labelled(rows))


def print_table(columns: tuple[str, ...], lines: list[tuple[str, ...]]) -> None:
    """Print lines under bold titles on stdout, folded to the width of the terminal."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for line in lines:
        table.add_row(*line)
    console(sys.stdout).print(table)
