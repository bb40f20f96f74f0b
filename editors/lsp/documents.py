"""Open documents: their studies, kept until a text changes, and answers about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast
from urllib.parse import quote

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from ...isa.codes import find
from ...isa.errors import Diagnostic, Edit, Note
from .positions import Positions
from .study import PART, Study, study
from .symbols import Index, Kind, Occurrence

SOURCE = "simtlab"
"""What a list of problems names as their origin."""


def path_of(uri: str) -> Path | None:
    """Return the path of a document, None for one that is not a file."""
    if not uri.startswith("file:"):
        return None
    path = to_fs_path(uri)
    return Path(path) if path else None


@dataclass
class Document:
    """A document as the assembler knows it, with places in the client's units."""

    uri: str
    study: Study
    encoding: str

    @cached_property
    def index(self) -> Index:
        """The names of the document and of the files that it includes."""
        return Index(self.study.files.values())

    @cached_property
    def positions(self) -> Positions:
        """The places of the document."""
        return self.positions_of(self.study.main.shown)

    def positions_of(self, file: str) -> Positions:
        """Return the places of the document or of an included file."""
        source = self.study.files.get(file, self.study.main)
        return Positions(source.lines, self.encoding)

    def uri_of(self, file: str) -> str:
        """Return the document of a file that messages name."""
        source = self.study.files.get(file)
        if source is None or source is self.study.main or source.path is None:
            return self.uri
        path = str(source.path.resolve())
        return from_fs_path(path) or f"file://{quote(path)}"

    def location(self, name: Occurrence) -> types.Location:
        """Return the place of a name."""
        positions = self.positions_of(name.file)
        return types.Location(
            self.uri_of(name.file), positions.range(name.line, name.column, name.length)
        )

    def at(self, position: types.Position) -> Occurrence | None:
        """Return the name at a position."""
        return self.index.at(self.study.main.shown, *self.positions.column(position))

    def diagnostics(self) -> list[types.Diagnostic]:
        """Return the errors of the document, those of included files at their `.include`."""
        return [self.diagnostic(found) for found in self.study.diagnostics]

    def diagnostic(self, found: Diagnostic) -> types.Diagnostic:
        """Return an error in the form of the protocol."""
        from .texts import message

        notes = list(found.notes)
        span = found.span
        text = message(found)
        if span is not None and span.file != self.study.main.shown:
            notes.insert(0, Note("the error is here", span))
            text = f"in {span.file}: {text}"
            own = (n.span for n in notes if n.span and n.span.file == self.study.main.shown)
            span = next(own, None)
        place = self.positions.of(span) if span else self.positions.line(1)
        related = [
            types.DiagnosticRelatedInformation(
                types.Location(self.uri_of(n.span.file), self.positions_of(n.span.file).of(n.span)),
                n.message,
            )
            for n in notes
            if n.span is not None
        ]
        return types.Diagnostic(
            range=place,
            message=text,
            severity=types.DiagnosticSeverity.Error,
            code=found.code,
            source=SOURCE,
            related_information=related or None,
        )

    def errors_at(self, position: types.Position) -> list[str]:
        """Return the explanations of the codes of the errors at a position."""
        from .texts import error

        codes = [
            found.code
            for found in self.study.diagnostics
            if found.span is not None
            and found.span.file == self.study.main.shown
            and _contains(self.positions.of(found.span), position)
        ]
        entries = (find(code) for code in dict.fromkeys(codes))
        return [error(entry) for entry in entries if entry is not None]

    def edits_in(self, where: types.Range) -> list[tuple[Diagnostic, Edit]]:
        """Return the exact edits of errors that a range touches."""
        return [
            (found, edit)
            for found in self.study.diagnostics
            for edit in found.edits
            if edit.span.file == self.study.main.shown
            and _touches(self.positions.of(edit.span), where)
        ]

    def symbols(self) -> list[types.DocumentSymbol]:
        """Return the definitions of the document: kernels and macros with what they hold."""
        own = [
            o for o in self.index.occurrences
            if o.is_definition and o.file == self.study.main.shown and o.kind in _SYMBOLS
        ]  # fmt: skip
        tops: list[types.DocumentSymbol] = []
        by_scope: dict[int, types.DocumentSymbol] = {}
        ends = {scope.begin: scope.end for scope in self.index.scopes}
        for name in own:
            symbol = self._symbol(name, ends)
            is_head = name.kind in (Kind.KERNEL, Kind.MACRO)
            parent = None if is_head else by_scope.get(name.scope)
            if is_head:
                by_scope[name.line] = symbol
            if parent is None:
                tops.append(symbol)
            else:
                parent.children = parent.children or []
                cast("list[types.DocumentSymbol]", parent.children).append(symbol)
        return tops

    def _symbol(self, name: Occurrence, ends: dict[int, int]) -> types.DocumentSymbol:
        chosen = self.positions.range(name.line, name.column, name.length)
        whole = self.positions.line(name.line)
        if name.kind in (Kind.KERNEL, Kind.MACRO):
            end = self.positions.line(ends.get(name.line, name.line)).end
            whole = types.Range(whole.start, end)
        return types.DocumentSymbol(name.name, _SYMBOLS[name.kind], whole, chosen, name.kind.value)


_SYMBOLS = {
    Kind.KERNEL: types.SymbolKind.Function,
    Kind.MACRO: types.SymbolKind.Module,
    Kind.CONSTANT: types.SymbolKind.Constant,
    Kind.READONLY: types.SymbolKind.Array,
    Kind.ARRAY: types.SymbolKind.Array,
    Kind.LABEL: types.SymbolKind.Key,
    Kind.PARAMETER: types.SymbolKind.Variable,
}


def _order(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def _contains(where: types.Range, position: types.Position) -> bool:
    return _order(where.start) <= _order(position) <= _order(where.end)


def _touches(one: types.Range, other: types.Range) -> bool:
    return _order(one.start) <= _order(other.end) and _order(other.start) <= _order(one.end)


class Documents:
    """The open documents by their URIs; a study is kept until its text or a `.sinc` changes."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.encoding: str = types.PositionEncodingKind.Utf16
        self._known: dict[str, Document] = {}

    def change(self, uri: str, text: str | None) -> None:
        """Take a new text of a document; None closes it."""
        if text is None:
            self.texts.pop(uri, None)
        else:
            self.texts[uri] = text
        if uri.endswith(PART):
            self._known.clear()
        else:
            self._known.pop(uri, None)

    def forget(self) -> None:
        """Forget the studies of all documents, so that each is assembled again when it is used."""
        self._known.clear()

    def get(self, uri: str) -> Document | None:
        """Return a document that is open, or a file that can be read; None for any other one."""
        if uri in self._known:
            return self._known[uri]
        path = path_of(uri)
        text = self.texts.get(uri)
        if text is None:
            text = _saved(path)
        if text is None:
            return None
        unsaved = {
            found.resolve(): other
            for key, other in self.texts.items()
            if key != uri and (found := path_of(key)) is not None
        }
        self._known[uri] = Document(uri, study(text, path, unsaved), self.encoding)
        return self._known[uri]

    def including(self, uri: str) -> list[str]:
        """Return the open documents that include a document."""
        path = path_of(uri)
        if path is None or path.suffix != PART:
            return []
        found: list[str] = []
        for other in self.texts:
            document = self.get(other) if other != uri else None
            files = document.study.files.values() if document else ()
            if any(f.path is not None and f.path.resolve() == path.resolve() for f in files):
                found.append(other)
        return found


def _saved(path: Path | None) -> str | None:
    """Return the text of a source file; None where there is none."""
    if path is None or path.suffix not in (".sasm", ".sinc"):
        return None
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
