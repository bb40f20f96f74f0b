"""Completion: what fits at a place of a line."""

from __future__ import annotations

import re

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    MarkupContent,
    MarkupKind,
    Position,
    TextEdit,
)

from ...asm.resolve.usage import usage
from ...asm.words import DIRECTIVES, FLAGS, INSIDE_KERNELS, TYPE_NAMES
from ...isa.table import BY_NAME, Row
from . import texts
from .documents import Document
from .symbols import Kind, Occurrence

_KINDS = {
    Kind.LABEL: CompletionItemKind.Reference,
    Kind.PARAMETER: CompletionItemKind.Variable,
    Kind.REGISTER: CompletionItemKind.Variable,
    Kind.CONSTANT: CompletionItemKind.Constant,
    Kind.ARRAY: CompletionItemKind.Field,
    Kind.READONLY: CompletionItemKind.Field,
    Kind.ARGUMENT: CompletionItemKind.TypeParameter,
    Kind.MACRO: CompletionItemKind.Module,
}

_BY_SIGN = {"@": Kind.LABEL, "%": Kind.PARAMETER, "$": Kind.REGISTER, "\\": Kind.ARGUMENT}

_WORD = re.compile(r"[@%$\\.]?[A-Za-z0-9_.]*$")


def completions(document: Document, position: Position) -> list[CompletionItem]:
    """Return what may be written at a position; nothing in comments and texts."""
    line, column = document.positions.column(position)
    lines = document.study.main.lines
    before = (lines[line - 1] if line <= len(lines) else "")[:column]
    if "//" in before or before.count('"') % 2:
        return []
    found = _WORD.search(before)
    assert found is not None  # it matches the empty text too
    word = found[0]
    where = document.positions.range(line, column - len(word), len(word))
    first = not before[: column - len(word)].strip()
    items: list[CompletionItem] = []
    if word[:1] in _BY_SIGN:
        items = _names(document, line, _BY_SIGN[word[0]])
    elif first:
        items = _statements(document, line)
    else:
        head = before.split()[0]
        items = _names(document, line, Kind.CONSTANT, Kind.ARRAY, Kind.READONLY)
        if head in ("br", "cbr"):
            items += [CompletionItem(flag, kind=CompletionItemKind.Keyword) for flag in FLAGS]
        if head == "kernel" or head in DIRECTIVES.values():
            items += [CompletionItem(name, kind=CompletionItemKind.Keyword) for name in TYPE_NAMES]
    for item in items:
        item.text_edit = TextEdit(where, item.label)
    return items


def _statements(document: Document, line: int) -> list[CompletionItem]:
    """Return what begins a line."""
    inside = document.index.scope_at(line) != 0
    items = _names(document, line, Kind.MACRO)
    if inside:
        items += [_instruction(row) for row in BY_NAME.values()]
    for word in (*DIRECTIVES.values(), "kernel"):
        if not inside or word in INSIDE_KERNELS or word == ".endmacro":
            text = texts.directive(word)
            items.append(
                CompletionItem(
                    word,
                    kind=CompletionItemKind.Keyword,
                    documentation=MarkupContent(MarkupKind.Markdown, text),
                )
            )
    return items


def _instruction(row: Row) -> CompletionItem:
    return CompletionItem(
        row.name,
        kind=CompletionItemKind.Function,
        detail=usage(row).replace("`", ""),
        documentation=MarkupContent(MarkupKind.Markdown, row.doc),
    )


def _names(document: Document, line: int, *kinds: Kind) -> list[CompletionItem]:
    """Return the names of these kinds that are known at a line, each once."""
    found: dict[str, Occurrence] = {}
    for name in document.index.named(kinds, line):
        found.setdefault(name.name, name)
    return [
        CompletionItem(name.name, kind=_KINDS[name.kind], detail=name.kind.value)
        for name in found.values()
    ]
