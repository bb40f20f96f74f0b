"""`simtlab programs`: the programs that come with simtlab."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from .. import status
from ..options.complete import programs as complete_programs
from ..options.options import Json

if TYPE_CHECKING:
    from ...programs.index import Entry
    from ...programs.workload import Workload


def programs(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Show kernels, sizes and source of this program.",
            autocompletion=complete_programs,
        ),
    ] = None,
    json: Json = False,
) -> int:
    """List the programs that come with simtlab, or show one.

    `simtlab run NAME` runs a program on its own inputs and compares it with its reference.

    For example:

      simtlab programs
      simtlab programs mandelbrot
      simtlab programs --json
    """
    from ...programs.index import catalogue, find
    from ..output.output import print_json, print_remark, print_rows, print_table

    if name is None:
        if json:
            print_json([_brief(entry) for entry in catalogue()])
        else:
            lines = [_line(entry) for entry in catalogue()]
            print_table(("name", "title", "sizes", "source"), lines)
        return status.DONE
    entry = find(name)
    if entry.remark:
        print_remark(entry.remark)
    if json:
        print_json(_details(entry))
    else:
        print_rows(_rows(entry))
    return status.DONE


def _size(parameters: dict[str, float]) -> str:
    return " ".join(f"{key}={value}" for key, value in parameters.items())


def _brief(entry: Entry) -> dict[str, object]:
    workload = entry.workload
    return {
        "name": entry.name,
        "title": workload.title,
        "source": workload.source,
        "sizes": {size: dict(values) for size, values in workload.sizes.items()},
        "parameters": {name: asdict(p) for name, p in workload.parameters.items()},
        "picture": workload.picture is not None,
        "mappings": list(workload.mappings),
        "data": list(entry.data_names),
    }


def _details(entry: Entry) -> dict[str, object]:
    from ..inputs.sources import assemble_source, summary

    program = assemble_source(entry.path)
    return {**_brief(entry), "file": _shown(entry), **summary(program)}


def _rows(entry: Entry) -> list[tuple[str, str]]:
    from ..inputs.sources import assemble_source

    workload = entry.workload
    kernels = "\n".join(k.signature for k in assemble_source(entry.path).kernels)
    return [
        ("name", entry.name),
        ("title", workload.title),
        ("source", workload.source),
        ("kernels", kernels),
        *((f"size {name}", _size(dict(values))) for name, values in workload.sizes.items()),
        *_parameters(workload),
        ("tolerance", f"relative {workload.rtol:g}" if workload.rtol else "none: equal values"),
        *_variants(entry),
        ("picture", "yes, with --picture F.png" if workload.picture else "no"),
        ("file", _shown(entry)),
    ]


def _parameters(workload: Workload) -> list[tuple[str, str]]:
    """Return what --param can replace, one row if there is something."""
    lines = [f"{name}: {p.text}; {p.range}" for name, p in workload.parameters.items()]
    return [("parameters", "\n".join(lines))] if lines else []


def _variants(entry: Entry) -> list[tuple[str, str]]:
    """Return what --mapping and --data can choose, the usual ones first."""
    from ...programs.mappings import MAPPINGS

    found: list[tuple[str, str]] = []
    if names := entry.workload.mappings:
        found.append(("mappings", "\n".join(f"{n}: {MAPPINGS[n].title}" for n in names)))
    if entry.data_names:
        found.append(("data", ", ".join(entry.data_names)))
    return found


def _shown(entry: Entry) -> str:
    """Return the path of the source, relative where that is shorter."""
    try:
        return min(os.path.relpath(entry.path), str(entry.path), key=len)
    except (OSError, ValueError):  # the working folder is gone, or on another drive
        return str(entry.path)


def _line(entry: Entry) -> tuple[str, ...]:
    workload = entry.workload
    return entry.name, workload.title, " ".join(workload.sizes), workload.source
