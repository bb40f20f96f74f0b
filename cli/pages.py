"""The pages of the documentation, which the package contains."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from itertools import groupby

from ..emu.tables import labelled
from ..isa.codes import codes
from ..isa.table import TABLE

_PACKAGE = __name__.partition(".cli.")[0]


def names() -> list[str]:
    """Return the pages, as `isa` and `timing`."""
    folder = resources.files(_PACKAGE) / "docs"
    return sorted(f.name[: -len(".md")] for f in folder.iterdir() if f.name.endswith(".md"))


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
