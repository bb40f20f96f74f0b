"""What every error code of sources and object files means: `simtlab explain SIM104`.

Each entry for a source has a bad and a good example; tests assemble both. Codes of launches and of
the command stand in cli/codes.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache


@dataclass(frozen=True, slots=True)
class Entry:
    """An error code: what it is called, why it happens, and what to do about it.

    `bad` is a source that has the error, `good` the same one put right; both are empty where no
    short text shows it. `files` are the texts that the examples include, by name.
    """

    code: str
    title: str
    cause: str
    remedy: str
    bad: str = ""
    good: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """For a person."""
        parts = [f"{self.code}: {self.title}", self.cause, f"What to do: {self.remedy}"]
        if self.bad:
            parts += [f"Wrong:\n\n{_indented(self.bad)}", f"Right:\n\n{_indented(self.good)}"]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, object]:
        """For --json."""
        return {
            "kind": "error",
            "code": self.code,
            "title": self.title,
            "cause": self.cause,
            "remedy": self.remedy,
            "bad": self.bad or None,
            "good": self.good or None,
        }


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip().split("\n"))


@cache
def entries() -> Mapping[str, Entry]:
    """Every entry by its code, in the order of the codes."""
    from .catalogue_objects import ENTRIES as objects
    from .catalogue_sources import ENTRIES as sources

    return {entry.code: entry for entry in (*sources, *objects)}


def find(code: str) -> Entry | None:
    """The entry of a code, in any case of letters."""
    return entries().get(code.upper())
