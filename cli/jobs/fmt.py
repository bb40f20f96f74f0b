"""Formatting of files, folders and stdin."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...asm.format import format_file
from ...asm.texts.source import object_name, open_file, open_text
from ...isa.errors import UsageError
from ..inputs.files import STDIN, cannot, read_stdin_source

ENDINGS = (".sasm", ".sinc")
"""How the names of sources end."""


@dataclass(frozen=True)
class Formatted:
    """A source before and after; `name` is `-` for stdin."""

    name: str
    before: str
    after: str
    is_changed: bool
    """Whether the bytes of the file differ: also by line ends and a byte order mark."""

    def show(self, *, check: bool, diff: bool) -> None:
        """Print what was done, or what would be done."""
        if diff:
            sys.stdout.write(self.diff())
        elif check and self.is_changed:
            print(f"would format {self.name}")
        elif self.name == STDIN and not check:
            sys.stdout.write(self.after)
        elif self.is_changed:
            print(f"formatted {self.name}")

    def diff(self) -> str:
        """Return the change as a unified diff; a text without changed lines for none."""
        from difflib import unified_diff

        if not self.is_changed:
            return ""
        lines = list(
            unified_diff(
                self.before.split("\n"), self.after.split("\n"), self.name, self.name, lineterm=""
            )
        )
        if not lines:
            return f"{self.name}: only line ends or the byte order mark differ\n"
        return "\n".join(lines) + "\n"


def sources_of(names: Iterable[str]) -> Iterator[str]:
    """Yield the files that are named, those of a folder sorted. Raises UsageError."""
    for name in names:
        if name == STDIN or not Path(name).is_dir():
            yield name
            continue
        found = sorted(
            str(path)
            for path in Path(name).rglob("*")
            if path.suffix in ENDINGS
            and path.is_file()
            and not any(part.startswith(".") for part in path.relative_to(name).parts)
        )
        if not found:
            raise UsageError(
                f"the folder {name} has no source",
                code="SIM510",
                hint=f"sources are files whose names end in {' or '.join(ENDINGS)}",
            )
        yield from found


def format_path(name: str, *, write: bool) -> Formatted:
    """Format a file, or stdin for `-`; write the file back if asked and different.

    Raises SourceError where the source cannot be parsed, and UsageError where the file cannot be
    written.
    """
    if name == STDIN:
        text = read_stdin_source().removesuffix("\n")
        after = format_file(open_text(text))
        return Formatted(name, text, after, text != after)
    path = Path(name)
    file = open_file(path, object_name(path))
    after = format_file(file)
    data = after.encode()
    try:
        is_changed = path.read_bytes() != data
        if write and is_changed:
            path.write_bytes(data)
    except OSError as problem:
        raise cannot("write", name, problem) from None
    return Formatted(name, file.text, after, is_changed)
