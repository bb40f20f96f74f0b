"""The part of a page that a module generates, between two marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

COLUMNS = 120
"""Columns of a line of a page."""


def folded(text: str, indent: str = "") -> list[str]:
    """Return a paragraph as lines of a page; all but the first begin with `indent`."""
    return wrap(
        text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


@dataclass(frozen=True)
class GeneratedPart:
    """A generated part of a page."""

    source: str
    """The file that it is generated from, as the marks name it."""
    module: str
    """The module that generates it: `python -m MODULE PAGE [--check]`."""
    listing: Callable[[], str]
    """Returns the part, as Markdown."""

    def rewrite(self, text: str) -> str:
        """Return the page with its part made new; raise ValueError if a mark is missing."""
        begin, end = (f"<!-- generated from {self.source}: {mark} -->" for mark in ("begin", "end"))
        head, found_begin, rest = text.partition(begin)
        _, found_end, tail = rest.partition(end)
        if not found_begin or not found_end:
            raise ValueError(f"the page has no part between {begin} and {end}")
        return f"{head}{begin}\n\n{self.listing()}\n\n{end}{tail}"

    def main(self, argv: list[str]) -> int:
        """Rewrite the page `argv[0]`; with `--check` return 1 if it is not current, else 0."""
        path = Path(argv[0])
        old = path.read_text(encoding="utf-8")
        new = self.rewrite(old)
        if "--check" in argv[1:]:
            if old != new:
                print(f"{path} is not current: run python -m {self.module} {path}")
            return int(old != new)
        path.write_text(new, encoding="utf-8")
        return 0
