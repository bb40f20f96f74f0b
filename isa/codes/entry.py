"""One entry of the registry of error codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Entry:
    """An error code: its title, the cause, and the remedy.

    `bad` is a source that has the error, `good` the same source corrected; both are empty where no
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
        """Return the entry as text for a terminal."""
        parts = [f"{self.code}: {self.title}", self.cause, f"What to do: {self.remedy}"]
        if self.bad:
            parts += [f"Wrong:\n\n{_indented(self.bad)}", f"Right:\n\n{_indented(self.good)}"]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, object]:
        """Return the entry for --json."""
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
