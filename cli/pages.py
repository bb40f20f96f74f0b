"""The pages of the documentation, which the package contains, and the concepts of the glossary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import groupby
from textwrap import indent, wrap

from ..emu.text.tables import labelled
from ..isa.codes import codes
from ..isa.table import TABLE

_PACKAGE = __name__.partition(".cli.")[0]


OVERVIEW = "overview"
"""The page that the name of its folder means."""

GLOSSARY = "glossary"
"""The page with the concepts."""


def names() -> list[str]:
    """Return the names of all pages, as `isa` and `timing/hooks`."""
    return sorted(_below(resources.files(_PACKAGE) / "docs"))


def find(word: str) -> str | None:
    """Return the page that a word names: `isa`, `docs/isa.md`, or `timing` for its overview.

    A page in a folder is also found without the folder, if no other page has its name.
    """
    word = word.removeprefix("docs/").removesuffix(".md").rstrip("/")
    known = names()
    if name := next((name for name in (word, f"{word}/{OVERVIEW}") if name in known), None):
        return name
    below = [name for name in known if name.endswith(f"/{word}") and word != OVERVIEW]
    return below[0] if len(below) == 1 else None


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


@dataclass(frozen=True)
class Concept:
    """An entry of the glossary: its term, its text in Markdown, and other words for it."""

    term: str
    body: str
    others: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the entry for a terminal: links are shown as their words."""
        body = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", self.body)
        also = f"\n\nAlso: {', '.join(self.others)}" if self.others else ""
        return f"{self.term}\n\n{indent(body + also, '  ')}"

    def to_dict(self) -> dict[str, object]:
        """For --json."""
        return {
            "kind": "concept", "term": self.term, "text": self.body, "also": list(self.others),
        }  # fmt: skip


@cache
def concepts() -> tuple[Concept, ...]:
    """Return the entries of docs/glossary.md, in its order."""
    entries = re.split(r"^### ", Page(GLOSSARY).text(), flags=re.MULTILINE)[1:]
    return tuple(map(_concept, entries))


def _concept(entry: str) -> Concept:
    term, _, rest = entry.partition("\n")
    body, _, others = rest.partition("\n## ")[0].strip().partition("\n\nAlso: ")
    return Concept(term.strip(), body, tuple(filter(None, map(str.strip, others.split(",")))))


def concept(word: str) -> Concept | None:
    """Return the concept that a word names, in any case of letters; None if there is none."""
    wanted = _spelling(word)
    others = {_spelling(other): c for c in concepts() for other in c.others}
    return {**others, **{_spelling(c.term): c for c in concepts()}}.get(wanted)


def _spelling(word: str) -> str:
    """Return a word in the one spelling in which terms are compared: also plurals match."""
    return re.sub(r"[\s_-]+", " ", word.strip().lower()).removesuffix("s")


class Overview:
    """Everything that can be explained."""

    def __init__(self) -> None:
        stems = dict.fromkeys((row.unit.value, row.stem) for row in TABLE)
        self.instructions = {
            unit: list(dict.fromkeys(stem for u, stem in stems if u == unit))
            for unit, _ in groupby(sorted(stems), key=lambda pair: pair[0])
        }

    def text(self) -> str:
        """Return the instructions by unit, the concepts, and the pages."""
        rows = [(unit, _folded(found)) for unit, found in self.instructions.items()]
        first, *_, last = sorted(codes())
        rows += [
            ("errors", f"{first} to {last}, as messages name them"),
            ("concepts", _folded([f"{c.term}," for c in concepts()]).rstrip(",")),
            ("pages", _folded(names())),
        ]
        return labelled(rows)

    def to_dict(self) -> dict[str, object]:
        """For --json."""
        return {
            "kind": "overview",
            "instructions": self.instructions,
            "concepts": [c.term for c in concepts()],
            "pages": names(),
        }


def _folded(words: list[str], width: int = 80) -> str:
    return "\n".join(wrap(" ".join(words), width, break_on_hyphens=False))
