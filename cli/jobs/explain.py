"""The texts of `explain`: instructions, error codes, concepts of the glossary, and pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from textwrap import indent
from typing import Protocol

from ...asm.resolve.usage import REMARKS, usage
from ...emu.text.tables import labelled
from ...isa.errors import UsageError, did_you_mean
from ...isa.table import BY_NAME, TABLE, Format, OperandKind, Row
from ...isa.types import Segment
from ..pages import Concept, Overview, Page, concept, concepts, find, names
from .elsewhere import elsewhere

_LAYOUT = {
    Format.ALU: "opcode 10 | dst 6 | r1 6 | r2 6 | which 2 | imm 32 | zero 2",
    Format.MEMORY: "opcode 10 | data 6 | base 6 | r1 6 | r2 6 | offset 24 | has base 1 | "
    "no data 1 | zero 4",
    Format.BRANCH: "opcode 10 | condition 6 | flags 4 | target 22 | join 22",
}
"""Bit fields from the lowest bit on, as isa/encoding.py explains them."""

_ADDRESS = {
    Segment.GLOBAL: "[$d8]",
    Segment.GROUP: "[tile+$s8]",
    Segment.PRIVATE: "[stack+$s8]",
    Segment.KERNARG: "[%n]",
    Segment.READONLY: "[table+$s8]",
}
"""An address of each segment, for examples."""


class Explanation(Protocol):
    """An explanation as text and as JSON."""

    def text(self) -> str: ...

    def to_dict(self) -> dict[str, object]: ...


@dataclass(frozen=True)
class InstructionText:
    """Rows of the table that share a stem and a meaning, explained together."""

    rows: tuple[Row, ...]

    @property
    def row(self) -> Row:
        """The first row, which represents all."""
        return self.rows[0]

    @cached_property
    def remarks(self) -> list[str]:
        """Properties that the meaning does not show."""
        return [text for flag, text in REMARKS if flag in self.row.flags]

    @cached_property
    def example(self) -> tuple[str, str]:
        """A line of source, and its place if it is from a program."""
        return _found_example(self.row.name) or (example_line(self.row), "")

    def text(self) -> str:
        row = self.row
        title = row.name if len(self.rows) == 1 else f"{row.stem} ({len(self.rows)} instructions)"
        line, place = self.example
        parts = [
            (title, ""),
            ("does", row.doc),
            ("meaning", row.means),
            ("written", usage(row).replace("`", "")),
            ("instructions", "" if len(self.rows) == 1 else self._names()),
            ("unit", str(row.unit.value)),
            ("opcode", _range([r.number for r in self.rows])),
            ("word", _LAYOUT[row.format]),
            ("example", line + (f"     ({place})" if place else "")),
            *(("note", remark) for remark in self.remarks),
        ]
        head, *rest = [(label, value) for label, value in parts if value or label == title]
        return f"{head[0]}\n{indent(labelled(rest, least=12), '  ')}"

    def _names(self) -> str:
        """Return the mnemonics, a line for each segment or destination type."""
        lines = [
            " ".join(r.name for r in group)
            for _, group in groupby(self.rows, key=lambda r: (r.segment, r.source and r.type))
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        row = self.row
        line, place = self.example
        return {
            "kind": "instruction",
            "name": row.name if len(self.rows) == 1 else row.stem,
            "stem": row.stem,
            "doc": row.doc,
            "means": row.means,
            "usage": usage(row).replace("`", ""),
            "instructions": [{"name": r.name, "opcode": r.number} for r in self.rows],
            "unit": row.unit.value,
            "format": row.format.value,
            "layout": _LAYOUT[row.format],
            "example": line,
            "example_from": place or None,
            "notes": self.remarks,
        }


@dataclass(frozen=True)
class InstructionAndConcept:
    """An instruction whose stem is a concept's term, too, as `barrier`."""

    instruction: InstructionText
    concept: Concept

    def text(self) -> str:
        return f"{self.instruction.text()}\n\n{self.concept.text()}"

    def to_dict(self) -> dict[str, object]:
        return {**self.instruction.to_dict(), "concept": self.concept.to_dict()}


@dataclass(frozen=True)
class Several:
    """Explanations of several words, one after the other."""

    parts: tuple[Explanation, ...]

    def text(self) -> str:
        return "\n\n".join(part.text() for part in self.parts)

    def to_dict(self) -> dict[str, object]:
        return {"kind": "several", "parts": [part.to_dict() for part in self.parts]}


def explanations(words: Sequence[str]) -> Explanation:
    """Return the explanation of words: of what they name together, or else of each.

    Raises UsageError as `explanation` does: about the words together unless one of them alone is
    known.
    """
    try:
        return explanation(" ".join(words))
    except UsageError:
        if len(words) < 2:
            raise
        parts = [_alone(word) for word in words]
        known = tuple(part for part in parts if part is not None)
        if not known:
            raise
    if len(known) < len(parts):
        explanation(words[parts.index(None)])
    return Several(known)


def _alone(word: str) -> Explanation | None:
    try:
        return explanation(word)
    except UsageError:
        return None


def explanation(word: str | None) -> Explanation:
    """Return the explanation of a word, or the overview of all words.

    Raises UsageError with the nearest known one.
    """
    if word is None:
        return Overview()
    wanted = word.strip().removeprefix("`").removesuffix("`")
    if wanted in BY_NAME and BY_NAME[wanted].stem != wanted:
        return InstructionText((BY_NAME[wanted],))
    idea = concept(wanted)
    rows = tuple(row for row in TABLE if row.stem == wanted)
    if rows:
        found = InstructionText(rows)
        return InstructionAndConcept(found, idea) if idea else found
    from ...isa.codes import codes

    code = wanted.upper()
    if code in codes():
        return codes()[code]
    titled = next((e for e in codes().values() if e.title.lower() == wanted.lower()), None)
    if titled:
        return titled
    page = find(wanted)
    if page and (page == wanted or not idea):
        return Page(page)
    if idea:
        return idea
    stems = dict.fromkeys(row.stem for row in TABLE)
    terms = [name for c in concepts() for name in (c.term, *c.others)]
    raise UsageError(
        f"unknown instruction, error code, concept or page {word!r}",
        code="SIM500",
        hint=elsewhere(wanted)
        or did_you_mean(wanted, (*stems, *BY_NAME, *codes(), *names(), *terms))
        or did_you_mean(code, tuple(codes()))
        or "`simtlab explain` lists all of them",
    )


def _range(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def example_line(row: Row) -> str:
    """Return a line that uses the instruction; `tile`, `stack`, `table`, `%n` are declared."""
    return f"{row.name} {', '.join(_example_operands(row))}".rstrip()


def _example_operands(row: Row) -> Iterator[str]:
    number = 0
    for operand in row.operands:
        match operand.kind:
            case OperandKind.DST | OperandKind.SRC | OperandKind.REG:
                assert operand.type is not None
                yield f"${operand.type.reg.value}{number}"
                number += 1
            case OperandKind.MEM:
                assert row.segment is not None
                yield _ADDRESS[row.segment]
            case OperandKind.TARGET:
                yield "@done"
            case OperandKind.JOIN:
                pass  # found by the assembler
            case OperandKind.CODE:
                yield "1"
            case OperandKind.DIM:
                yield "0"
            case OperandKind.POS:
                yield "4"
            case OperandKind.LEN:
                yield "8"


def _found_example(name: str) -> tuple[str, str] | None:
    """Return the first line of the programs that uses this instruction, and its place."""
    from ...programs.index import catalogue

    pattern = re.compile(rf"^\s*({re.escape(name)}\b[^\\]*?)\s*(//.*)?$")
    for entry in catalogue():
        lines = entry.path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if found := pattern.match(line):
                return re.sub(r"\s+", " ", found[1]), f"{entry.name}, line {number}"
    return None
