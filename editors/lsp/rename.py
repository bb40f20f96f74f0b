"""New names for labels, registers, parameters, arrays, constants, macros and kernels."""

from __future__ import annotations

import re

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ...isa.types import REGISTERS_PER_CLASS
from .documents import Document
from .study import PART, study
from .symbols import LOCAL, Kind, Occurrence

_MARKS = {Kind.LABEL: "@", Kind.PARAMETER: "%", Kind.ARGUMENT: "\\"}
"""What names of a kind begin with."""

_WITHOUT = frozenset({Kind.INCLUDE, Kind.INSTRUCTION, Kind.DIRECTIVE})
"""Kinds that a source does not name itself."""


class Refused(JsonRpcException):
    """A name that cannot be changed, or not to this one; an editor shows the text."""

    CODE = types.LSPErrorCodes.RequestFailed


def can_be_renamed(document: Document, name: Occurrence) -> types.Range | None:
    """Return the place of a name; None if it cannot be renamed."""
    if name.kind in _WITHOUT or _defined_elsewhere(document, name):
        return None
    return document.location(name).range


def renamed(document: Document, name: Occurrence, wanted: str) -> types.WorkspaceEdit:
    """Return the edits that rename what an occurrence names. Raises Refused."""
    if name.kind in _WITHOUT:
        raise Refused(f"`{name.name}` is not a name of this source")
    if reason := _defined_elsewhere(document, name):
        raise Refused(f"`{name.name}` {reason}")
    new = _with_mark(name, wanted)
    if new == name.name:
        return types.WorkspaceEdit(changes={document.uri: []})
    places = document.index.same(name)
    if _is_taken(document, name, new):
        raise Refused(f"`{new}` is in use here already")
    _check_result(document, places, name, new)
    edits = [
        types.TextEdit(document.location(o).range, new[len(name.name) - o.length :]) for o in places
    ]
    return types.WorkspaceEdit(changes={document.uri: edits})


def _defined_elsewhere(document: Document, name: Occurrence) -> str:
    """Return why another file may depend on a name; an empty text where this one has it all."""
    main = document.study.main
    places = document.index.same(name)
    defined = [o for o in places if o.is_definition]
    if not defined:
        return "is not defined in this source"
    if any(o.file != main.shown for o in defined):
        return f"is defined in {defined[0].file}, which other sources may include"
    if used := next((o.file for o in places if o.file != main.shown), None):
        return f"is used in {used}, which other sources may include"
    kind = defined[0].kind
    if kind not in LOCAL and main.path is not None and main.path.suffix == PART:
        return "may be used by the sources that include this file"
    if any(o.name == name.name for o in _shared(document, name, kind)):
        return "is used by a macro and by a kernel"
    return ""


def _shared(document: Document, name: Occurrence, kind: Kind) -> list[Occurrence]:
    """Return the names of macros, or for a name in a macro those of all kernels.

    The body of a macro uses registers, parameters and arrays of the kernels that use the macro.
    Labels and parameters of macros are its own.
    """
    if kind not in (Kind.REGISTER, Kind.PARAMETER, Kind.ARRAY):
        return []
    main = document.study.main.shown
    macros = {s.begin for s in document.index.scopes if s.kind is Kind.MACRO}
    inside = name.scope in macros
    return [
        o
        for o in document.index.occurrences
        if (o.file, o.scope) != (main, name.scope)
        and (inside or o.file != main or o.scope in macros)
    ]


def _with_mark(name: Occurrence, wanted: str) -> str:
    """Return a new name with its mark, which may be left out. Raises Refused."""
    text = wanted.strip()
    if name.kind is Kind.REGISTER:
        file = name.name[:2]
        found = re.fullmatch(r"\$?[sdc]?(\d+)", text)
        fits = text.startswith((file, file[1:])) or text.isdigit()
        if found is None or not fits or int(found[1]) >= REGISTERS_PER_CLASS:
            raise Refused(
                f"`{text}` is not a register like {name.name}: expected {file}0 to "
                f"{file}{REGISTERS_PER_CLASS - 1}"
            )
        return f"{file}{int(found[1])}"
    mark = _MARKS.get(name.kind, "")
    plain = text.removeprefix(mark)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", plain):
        raise Refused(f"`{text}` is not a name: expected letters, digits and _")
    return mark + plain


def _is_taken(document: Document, name: Occurrence, new: str) -> bool:
    """Return whether the new name occurs where the old one is known."""
    kind = next(o.kind for o in document.index.same(name) if o.is_definition)
    if any(o.name == new for o in _shared(document, name, kind)):
        return True
    return any(
        o.name == new and (kind not in LOCAL or o.scope in (name.scope, 0))
        for o in document.index.occurrences
    )


def _check_result(
    document: Document, places: list[Occurrence], name: Occurrence, new: str
) -> None:  # fmt: skip
    """Raise Refused where the renamed source has an error that this one does not have."""
    main = document.study.main
    lines = list(main.lines)
    for o in sorted(places, key=lambda o: (o.line, o.column), reverse=True):
        line, end = lines[o.line - 1], o.column + o.length
        lines[o.line - 1] = line[: o.column] + new[len(name.name) - o.length :] + line[end:]
    unsaved = {
        source.path.resolve(): source.text
        for source in document.study.files.values()
        if source is not main and source.path is not None
    }
    found = study("\n".join(lines), main.path, unsaved).diagnostics
    if len(found) > len(document.study.diagnostics):
        before = {d.message for d in document.study.diagnostics}
        added = next((d for d in found if d.message not in before), found[0])
        raise Refused(f"renamed to `{new}` the source has an error: {added.message}")
