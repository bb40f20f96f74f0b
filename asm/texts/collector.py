"""The errors of one assembler run, collected so that several are shown at once."""

from __future__ import annotations

from dataclasses import replace

from ...isa.errors import Diagnostic, Note, SourceError, Span
from .source import SourceFile

MAX_ERRORS = 20
"""Errors shown per run; a number of those beyond is given with the last one."""


MAX_FOUND = 300
"""Findings after which a run ends: the search for a near name takes 3 ms for each."""


class Collector:
    """Errors of one run, at most one for each place and code.

    A pass adds what it finds and continues; `raise_if_any` ends the run between passes, so that a
    pass never works on what an earlier one has refused. A wrong line of a macro is wrong in every
    expansion: the first one is kept.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Diagnostic] = {}
        self._files: dict[str, int] = {}
        self._opened: dict[str, SourceFile] = {}
        self._added = 0

    def opened(self, file: SourceFile) -> None:
        """Remember a source, for the bytes of places in it."""
        self._opened.setdefault(file.shown, file)

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep a finding, unless the same code was reported for the same place.

        Raises SourceError with all of them after too many.
        """
        span = diagnostic.span
        if span is None:
            key: tuple[object, ...] = (diagnostic.code, diagnostic.message)
        else:
            key = (diagnostic.code, span.file, span.line, span.column)
            self._files.setdefault(span.file, len(self._files))
        self._found.setdefault(key, diagnostic)
        self._added += 1
        if self._added >= MAX_FOUND:
            self.raise_if_any()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything found, sorted by place; findings without a place come last."""
        return tuple(sorted(self._found.values(), key=self._place))

    def _place(self, diagnostic: Diagnostic) -> tuple[float, int, int]:
        span = diagnostic.span
        if span is None:
            return float("inf"), 0, 0
        return self._files[span.file], span.line, span.column

    def raise_if_any(self) -> None:
        """Raise SourceError with the first `MAX_ERRORS` findings, if there is one."""
        found = self.diagnostics
        if not found:
            return
        shown = found[:MAX_ERRORS]
        if len(found) > MAX_ERRORS:
            omission = Note(f"{len(found) - MAX_ERRORS} more errors are not shown")
            last = shown[-1]
            shown = (*shown[:-1], replace(last, notes=(*last.notes, omission)))
        raise SourceError(diagnostics=tuple(map(self.with_bytes, shown)))

    def with_bytes(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a finding whose places in the sources have their ranges of bytes."""

        def found(span: Span | None) -> Span | None:
            file = self._opened.get(span.file) if span and span.bytes is None else None
            return file.with_bytes(span) if file and span else span

        return replace(
            diagnostic,
            span=found(diagnostic.span),
            notes=tuple(replace(note, span=found(note.span)) for note in diagnostic.notes),
            edits=tuple(
                replace(edit, span=found(edit.span) or edit.span) for edit in diagnostic.edits
            ),
        )
