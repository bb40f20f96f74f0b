"""`simtlab fmt`: sources in the house style."""

from __future__ import annotations

from typing import Annotated

import typer

from ...isa.errors import SimtError
from .. import status


def fmt(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="F.sasm|FOLDER...",
            help="Sources, and folders of them; - formats stdin to stdout.",
        ),
    ],
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Write nothing; the exit status is 1 if a source would change."
        ),
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Like --check, and print what would change.")
    ] = False,
) -> int:
    """Format sources in place: indentation, columns, spaces and empty lines.

    The code of a program and its comments do not change. A source with a syntax error is
    reported and left as it is; the others are formatted, and the exit status is 2.

    For example:

      simtlab fmt saxpy.sasm
      simtlab fmt kernels --check
      simtlab fmt - < saxpy.sasm
    """
    from ..jobs.fmt import Formatted, format_path, sources_of
    from ..output.output import print_error

    formatted: list[Formatted] = []
    broken = 0
    for file in sources_of(files):
        try:
            formatted.append(format_path(file, write=not (check or diff)))
        except SimtError as error:
            print_error(error)
            broken += 1
            continue
        formatted[-1].show(check=check, diff=diff)
    if broken:
        return status.USAGE
    changed = any(file.is_changed for file in formatted)
    return status.FAILED if changed and (check or diff) else status.DONE
