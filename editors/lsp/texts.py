"""What is shown when the mouse rests on a word, in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from ...asm.resolve.usage import REMARKS, usage
from ...isa.codes import Entry
from ...isa.errors import Diagnostic
from ...isa.table import Row
from .study import Study
from .symbols import Index, Kind, Occurrence

DIRECTIVES = {
    ".const": (".const N = 4 * 16", "A constant: an integer or float expression over constants."),
    ".readonly": (
        ".readonly u32 T[4] = { 1, 2 }",
        "An array of the whole program that no kernel writes. Missing elements are zero.",
    ),
    ".group": (".group f32 tile[256]", "An array that the work-items of a workgroup share."),
    ".private": (".private u32 stack[16]", "An array of each work-item."),
    ".include": ('.include "common.sinc"', "The text of another file, relative to this one."),
    ".macro": (
        ".macro swap a, b",
        "Lines that take the place of each use, with its arguments for `\\a` and `\\b`.",
    ),
    ".endmacro": (".endmacro", "The end of a macro."),
    ".loc": ('.loc "file" 12 5', "The location of the next instruction in messages and listings."),
    "kernel": (
        "kernel name(u32 %n, global f32* %x) {",
        "A kernel and its parameters. Pointers are to global memory.",
    ),
}
"""By directive: how it is written, and what it does."""


def instruction(row: Row) -> str:
    """Return what an instruction does."""
    lines = [f"**{row.name}** — {row.doc}"]
    if row.means:
        lines.append(f"`{row.means}`")
    lines.append(f"Written {usage(row)}")
    lines += [text for flag, text in REMARKS if flag in row.flags]
    lines.append(f"Unit: {row.unit.value}")
    return "\n\n".join(lines)


def directive(word: str) -> str:
    """Return what a directive does."""
    form, text = DIRECTIVES[word]
    return f"{code(form)}\n\n{text}"


def code(text: str) -> str:
    """Return a block of source."""
    return f"```sasm\n{text}\n```"


def error(entry: Entry) -> str:
    """Return the explanation of an error code."""
    return f"**{entry.code}: {entry.title}**\n\n{entry.cause}\n\n{entry.remedy}"


def message(finding: Diagnostic) -> str:
    """Return the text of a finding, with its label and hint, for a list of problems."""
    label = f" ({finding.label})" if finding.label else ""
    hint = f"\nhelp: {finding.hint}" if finding.hint else ""
    return f"{finding.message}{label}{hint}"


def declaration(found: Study, index: Index, name: Occurrence) -> str:
    """Return the line that defines a name; an empty text for an unknown one."""
    definitions = index.definitions(name)
    if not definitions:
        return ""
    parts = [_source(found, place) for place in definitions[:3]]
    first = definitions[0]
    if first.kind is Kind.REGISTER:
        uses = len(index.same(name))
        parts.append(f"First written in line {first.line}; {uses} uses in this kernel.")
    if first.kind is Kind.LABEL:
        lines = found.branches_to(first.scope, first.name[1:])
        if lines:
            parts.append(f"Re-convergence point of {_lines(lines)}.")
    if first.file != name.file:
        parts.append(f"Defined in {first.file}, line {first.line}.")
    return "\n\n".join(parts)


def _source(found: Study, place: Occurrence) -> str:
    """Return the code that defines a name."""
    lines = found.files[place.file].lines
    text = lines[place.line - 1].strip()
    if place.kind is Kind.PARAMETER:
        head = lines[place.line - 1][: place.column]
        start = max(head.rfind("("), head.rfind(",")) + 1
        return code(head[start:].strip() + " " + place.name)
    comment = _comment_above(lines, place.line)
    return code("\n".join((*comment, text)))


def _comment_above(lines: Sequence[str], line: int) -> list[str]:
    """Return the comment right before a line, which documents it; at most eight lines."""
    found: list[str] = []
    while line >= 2 and lines[line - 2].startswith("//") and len(found) < 8:
        found.insert(0, lines[line - 2].rstrip())
        line -= 1
    return found


def _lines(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")
    return f"the branch{'es' if len(numbers) > 1 else ''} in line{'s' * (len(numbers) > 1)} {shown}"
