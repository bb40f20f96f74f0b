"""Text -> Program, as a list of passes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from ..isa.errors import SourceError, UsageError
from ..isa.program import Program
from . import joins, markers
from .diagnose import Collector
from .draft import DraftProgram
from .emit import emit, verify
from .expand import expand
from .parse import Parser, Statement
from .resolve import resolve
from .source import Mistake, SourceFile, open_file, open_text

Markers = Literal["auto", "explicit", "none"]
"""What happens to `reconverge`: left alone, put at every join, or taken out."""


def assemble(
    source: str | os.PathLike[str],
    *,
    markers: Markers = "auto",
    subdivide_limit: int = joins.SUBDIVIDE_LIMIT,
) -> Program:
    """The program of a source text or of a file."""
    file = _open(source)
    collector = Collector()
    parser = Parser(collector)

    def report(statement: Statement, mistake: Mistake) -> None:
        collector.add(statement.line.diagnostic(mistake))

    parsed = parser.file(file)
    expanded = expand(file, parsed, parser)
    draft = resolve(expanded, report)
    collector.raise_if_any()
    _mark(draft, markers)
    for kernel in draft.kernels:
        joins.annotate(kernel, collector, subdivide_limit)
    collector.raise_if_any()
    program = emit(draft, collector)
    collector.raise_if_any()
    verify(program)
    return program


def _mark(draft: DraftProgram, mode: Markers) -> None:
    if mode == "auto":
        return
    change = {"explicit": markers.insert, "none": markers.strip}[mode]
    draft.kernels = [change(kernel) for kernel in draft.kernels]


def _open(source: str | os.PathLike[str]) -> SourceFile:
    if isinstance(source, str) and not _is_path(source):
        return open_text(source)
    path = Path(source)
    return open_file(path, path.name)


def _is_path(source: str) -> bool:
    if "\n" in source:
        return False
    return source.endswith((".sasm", ".sinc")) or Path(source).is_file()
