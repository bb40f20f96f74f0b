"""The assembler: text -> Program, as a list of passes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from ..isa.collection import without_garbage_collection
from ..isa.errors import Diagnostic, SourceError, Span, UsageError, did_you_mean, few_suggestions
from ..isa.program import Program
from ..isa.quoting import shown
from .draft import DraftProgram
from .emit import emit, verify
from .expand.expand import expand
from .flow import joins
from .flow import markers as marking
from .flow.cfg import build
from .resolve.resolve import resolve
from .syntax.parse import Parser, Statement
from .texts.collector import MAX_ERRORS, Collector
from .texts.source import Mistake, SourceFile, object_name, open_file, open_text

Markers = Literal["auto", "explicit", "none"]
"""What happens to `reconverge`: left as written, put at every join, or removed."""

PASSES = ("parse", "expand", "resolve", "markers", "flow", "joins", "encode")
"""The passes whose result `dump` can show, in their order."""

Dump = Mapping[str, Callable[[str], object]]
"""Takes the listing of a program after the pass of that name."""

Opener = Callable[[Path, str, Span | None], SourceFile]
"""Opens an included file by its path, its name, and the place that includes it."""

Show = Callable[[str, Any], None]
"""Called after a pass with its name and its result."""


def assemble(
    source: str | os.PathLike[str],
    *,
    markers: Markers = "auto",
    subdivide_limit: int = joins.SUBDIVIDE_LIMIT,
    dump: Dump | None = None,
    includes: Mapping[str, str] | None = None,
) -> Program:
    """Return the program of a source text, or of a file.

    A string is a path if it ends in .sasm or .sinc or names a file, and has one line; otherwise it
    is the text itself. A branch may subdivide a warp (DWS-06) if at most `subdivide_limit`
    instructions follow its join. `dump` shows the program after passes, as
    `dump={"joins": print}`. `includes` names files to include instead of others, as
    `includes={"tasks/cyclic.sinc": "tasks/blocks.sinc"}`, relative to the folder of the source.

    Raises SourceError with up to 20 diagnostics, and UsageError for an option that does not exist.
    """
    show = _shower(dump or {})
    _check_options(markers, subdivide_limit)
    with without_garbage_collection(), few_suggestions(MAX_ERRORS):
        file = _open(source)
        opener = open_file if not includes else _instead(file, includes)
        return assemble_file(file, markers, subdivide_limit, show, opener)


def assemble_file(
    file: SourceFile,
    markers: Markers = "auto",
    subdivide_limit: int = joins.SUBDIVIDE_LIMIT,
    show: Show = lambda _name, _result: None,
    opener: Opener = open_file,
) -> Program:
    """Run the passes on an open source and return the program.

    An editor has sources that are not saved: `opener` opens the included ones. `show` takes the
    result of each pass that is reached. Raises SourceError.
    """
    collector = Collector()
    try:
        return _passes(file, collector, markers, subdivide_limit, show, opener)
    except SourceError as error:  # also of a file that cannot be included, or of too many lines
        found = tuple(map(collector.with_bytes, error.diagnostics))
        raise SourceError(diagnostics=found) from None


def _passes(
    file: SourceFile,
    collector: Collector,
    markers: Markers,
    subdivide_limit: int,
    show: Show,
    opener: Opener,
) -> Program:

    def report(statement: Statement, mistake: Mistake) -> None:
        collector.add(statement.line.diagnostic(mistake))

    parser = Parser(collector)
    parsed = parser.file(file)
    show("parse", parsed)

    expanded = expand(file, parsed, parser, opener)
    show("expand", expanded.statements)

    draft = resolve(expanded, report)
    _check_not_empty(draft, file, collector)
    show("resolve", draft)
    collector.raise_if_any()

    _mark(draft, markers)
    show("markers", draft)

    graphs = {kernel.name: build(kernel.code) for kernel in draft.kernels}
    show("flow", graphs)

    for kernel in draft.kernels:
        joins.annotate(kernel, graphs[kernel.name], collector, subdivide_limit)
    show("joins", draft)
    collector.raise_if_any()

    program = emit(draft, collector)
    collector.raise_if_any()
    show("encode", program)

    verify(program)
    return program


def _shower(dump: Dump) -> Show:
    for name in dump:
        if name not in PASSES:
            raise UsageError(
                f"unknown pass {name!r} to dump",
                hint=did_you_mean(name, PASSES) or f"the passes are {', '.join(PASSES)}",
                code="SIM501",
            )

    def show(name: str, result: Any) -> None:
        if name in dump:
            from . import dump as listing

            dump[name](listing.LISTINGS[name](result))

    return show


def _check_options(markers: str, subdivide_limit: int) -> None:
    known = get_args(Markers)
    if not isinstance(markers, str) or markers not in known:
        raise UsageError(
            f"markers must be one of {', '.join(known)}, not {shown(markers)}",
            hint=did_you_mean(markers, known),
            code="SIM501",
        )
    if (
        not isinstance(subdivide_limit, int)
        or isinstance(subdivide_limit, bool)
        or subdivide_limit < 0
    ):
        raise UsageError(
            f"subdivide_limit must be a whole number of instructions, not {shown(subdivide_limit)}",
            code="SIM501",
        )


def _check_not_empty(draft: DraftProgram, file: SourceFile, collector: Collector) -> None:
    if not draft.kernels and not collector.diagnostics:
        collector.add(
            Diagnostic(
                "SIM126",
                f"{file.shown} has no kernel",
                hint="begin one with: kernel name(u32 %n) {",
            )
        )


def _mark(draft: DraftProgram, mode: Markers) -> None:
    if mode != "auto":
        change = {"explicit": marking.insert, "none": marking.strip}[mode]
        draft.kernels = [change(kernel) for kernel in draft.kernels]


def _open(source: str | os.PathLike[str]) -> SourceFile:
    if isinstance(source, str) and not _is_path(source):
        return open_text(source)
    if not isinstance(source, str | os.PathLike):
        raise UsageError(
            f"a source is a string or a path, not {type(source).__name__}", code="SIM501"
        )
    path = Path(os.fsdecode(source))
    return open_file(path, object_name(path))


def _instead(main: SourceFile, includes: Mapping[str, str]) -> Opener:
    """Return an opener that opens other files than those that are named."""
    folder = main.path.parent if main.path else Path()

    def opened(path: Path, name: str, where: Span | None) -> SourceFile:
        other = includes.get(name)
        return (
            open_file(path, name, where)
            if other is None
            else open_file(folder / other, other, where)
        )

    return opened


def _is_path(source: str) -> bool:
    if "\n" in source or len(source) > 4096:
        return False
    if source.endswith((".sasm", ".sinc")):
        return True
    try:
        return Path(source).is_file()
    except (OSError, ValueError):
        return False
