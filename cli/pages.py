"""The pages of the documentation, which the package contains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import groupby

from ..emu.tables import labelled
from ..isa.codes import codes
from ..isa.table import TABLE

_PACKAGE = __name__.partition(".cli.")[0]


OVERVIEW = "overview"
"""The page for which the name of its folder stands."""


def names() -> list[str]:
    """Return the names of all pages, as `isa` and `timing/hooks`."""
    return sorted(_below(resources.files(_PACKAGE) / "docs"))


def find(word: str) -> str | None:
    """Return the page that a word names: `isa`, `docs/isa.md`, or `timing` for its overview."""
    word = word.removeprefix("docs/").removesuffix(".md").rstrip("/")
    known = names()
    return next((name for name in (word, f"{word}/{OVERVIEW}") if name in known), None)


def _below(folder: Traversable, prefix: str = "") -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _below(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".md"):
            yield f"{prefix}{entry.name.removesuffix('.md')}"


@dataclass(frozen=True)
class Page:
    """A page by its name."""

    name: str

    def text(self) -> str:
        """Return the page in Markdown."""
        file = resources.files(_PACKAGE) / "docs" / f"{self.name}.md"
        return file.read_text(encoding="utf-8").rstrip("\n")

    def to_dict(self) -> dict[str, object]:
        """For --json."""
        return {"kind": "page", "name": self.name, "text": self.text()}


class Overview:
    """Everything that can be explained."""

    def __init__(self) -> None:
        stems = dict.fromkeys((row.unit.value, row.stem) for row in TABLE)
        self.instructions = {
            unit: list(dict.fromkeys(stem for u, stem in stems if u == unit))
            for unit, _ in groupby(sorted(stems), key=lambda pair: pair[0])
        }

    def text(self) -> str:
        """Return the instructions by unit, and the pages."""
        rows = [(unit, _folded(found)) for unit, found in self.instructions.items()]
        first, *_, last = sorted(codes())
        rows += [
            ("errors", f"{first} to {last}, as messages name them"),
            ("pages", _folded(names())),
        ]
        return labelled(rows)

    def to_dict(self) -> dict[str, object]:
        """For --json."""
        return {"kind": "overview", "instructions": self.instructions, "pages": names()}


def _folded(words: list[str], width: int = 80) -> str:
    from textwrap import wrap

    return "\n".join(wrap(" ".join(words), width, break_on_hyphens=False))
