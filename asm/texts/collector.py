"""The errors of one assembler run, collected so that several are shown at once."""

from __future__ import annotations

from ...isa.errors import Diagnostic, Note, SourceError

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
        self._added = 0

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
            shown = (
                *shown[:-1],
                Diagnostic(
                    last.code,
                    last.message,
                    last.span,
                    last.label,
                    last.hint,
                    (*last.notes, omission),
                    last.severity,
                ),
            )
        raise SourceError(diagnostics=shown)
