"""`simtlab asm`, `check` and `disasm`: sources to object files and back."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...isa.errors import Diagnostic, SimtError, SourceError, UsageError
from .. import status
from ..options.options import Dump, Json, JsonLines, Markers, SubdivideLimit, whole_number


def asm(
    file: Annotated[str, typer.Argument(metavar="F.sasm", help="The source; - reads stdin.")],
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="F.sbc", help="The object file; - is stdout."),
    ] = None,
    markers: Markers = "auto",
    subdivide_limit: SubdivideLimit = "50",
    dump: Dump = None,
    json: Json = False,
    json_lines: JsonLines = False,
) -> int:
    """Assemble a source into an object file.

    Without -o the object file is written beside the source, under its name with .sbc. It replaces
    an older object file, but no other file.

    For example:

      simtlab asm saxpy.sasm
      simtlab asm saxpy.sasm -o build/saxpy.sbc --markers explicit
      simtlab asm saxpy.sasm --dump joins
      generate-kernel | simtlab asm - -o kernel.sbc
    """
    from ...isa.objectfile import dumps
    from ..inputs.files import STDIN, write_bytes
    from ..inputs.sources import Listings, assemble_source, read_source, summary
    from ..output.output import print_json, print_json_lines

    target = output or _default_output(file)
    if target == STDIN and (json or json_lines or dump):
        raise UsageError(
            "-o - cannot share stdout with --json, --json-lines or --dump",
            code="SIM517",
            hint="name a file",
        )
    _check_json(json, json_lines)
    limit = whole_number(subdivide_limit, "--subdivide-limit")
    listings = Listings(dump, keep=json)
    try:
        program = assemble_source(read_source(file), markers, limit, listings)
    except SourceError as error:
        if not json_lines:
            raise
        print_json_lines(error)
        return status.USAGE
    data = dumps(program)
    if target == STDIN:
        _write_stdout(data)
        return status.DONE
    replaced = output is None and os.path.exists(target)
    write_bytes(target, data)
    if json:
        print_json(
            {
                "file": file,
                "output": target,
                "bytes": len(data),
                **summary(program),
                **listings.to_dict(),
            }
        )
    elif not json_lines:
        kernels = ", ".join(f"{k.name} ({len(k.words)} instructions)" for k in program.kernels)
        print(f"{'replaced' if replaced else 'wrote'} {target}: {len(data):,} bytes; {kernels}")
    return status.DONE


def _check_json(json: bool, json_lines: bool) -> None:
    """Refuse two forms of output at once. Raises UsageError."""
    if json and json_lines:
        raise UsageError("--json and --json-lines exclude each other", code="SIM517")


def _default_output(file: str) -> str:
    """Return the path beside the source. Raises UsageError if another kind of file is there."""
    from ..inputs.files import STDIN, is_object_file

    if file == STDIN:
        raise UsageError(
            "a source on stdin needs -o to name the object file",
            code="SIM517",
            hint="simtlab asm - -o F.sbc",
        )
    target = str(Path(file).with_suffix(".sbc")) if Path(file).name else file
    if os.path.exists(target) and not is_object_file(target):
        raise UsageError(
            f"{target} exists and is not an object file, so it is not overwritten",
            code="SIM512",
            hint="name the object file with -o, which may overwrite",
        )
    return target


def _write_stdout(data: bytes) -> None:
    if sys.stdout.isatty():
        raise UsageError(
            "an object file is not printed on a terminal",
            code="SIM517",
            hint="redirect stdout, or name a file with -o",
        )
    sys.stdout.buffer.write(data)


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="F.sasm...", help="Sources; - reads stdin.")
    ],
    json: Json = False,
    json_lines: JsonLines = False,
) -> int:
    """Check sources and object files without writing anything.

    Every error of every file is reported; the exit status is 2 if there is one.

    For example:

      simtlab check saxpy.sasm
      simtlab check *.sasm --json
      simtlab check saxpy.sasm --json-lines
    """
    from ..inputs.files import is_object_file, load_program
    from ..inputs.sources import assemble_source, read_source, summary
    from ..output.output import error_dict, print_error, print_json, print_json_lines

    _check_json(json, json_lines)
    found: list[Diagnostic] = []
    reports: list[dict[str, object]] = []
    for file in files:
        report: dict[str, object] = {"file": file, "kernels": None, "diagnostics": []}
        try:
            program = (
                load_program(file) if is_object_file(file) else assemble_source(read_source(file))
            )
        except SimtError as error:
            found += error.diagnostics
            report["diagnostics"] = [d.to_dict() for d in error.diagnostics]
            if json_lines:
                print_json_lines(error)
            elif not json:
                print_error(error)
        else:
            report |= summary(program)
            if not json and not json_lines:
                signatures = "; ".join(k.signature for k in program.kernels)
                print(f"{file}: no errors; {signatures}")
        reports.append(report)
    if json:
        errors = error_dict(SimtError(diagnostics=tuple(found))) if found else {"diagnostics": []}
        print_json({"files": reports, **errors})
    return status.USAGE if found else status.DONE


def disasm(
    file: Annotated[str, typer.Argument(metavar="F.sbc", help="The object file; - reads stdin.")],
    no_loc: Annotated[
        bool,
        typer.Option("--no-loc", help="Leave out the .loc lines (source locations)."),
    ] = False,
    kernel: Annotated[str | None, typer.Option(metavar="K", help="Print this kernel only.")] = None,
    json: Json = False,
) -> int:
    """Print an object file as source text.

    With its .loc lines the text assembles to the identical object file.

    For example:

      simtlab disasm saxpy.sbc
      simtlab disasm saxpy.sbc --no-loc --kernel saxpy
    """
    from dataclasses import replace

    from ...asm.disassemble import disassemble
    from ..inputs.files import load_program
    from ..inputs.sources import kernel_of, summary
    from ..output.output import print_json, print_source

    program = load_program(file)
    if kernel is not None:
        program = replace(program, kernels=(kernel_of(program, kernel),))
    text = disassemble(program, loc=not no_loc)
    if json:
        print_json({"file": file, "text": text, **summary(program)})
    else:
        print_source(text)
    return status.DONE
