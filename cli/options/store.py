"""Options about the store of results, and about the workers that simulate what it lacks."""

from __future__ import annotations

from typing import Annotated

import typer

StoreFile = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="The file that keeps results (SIMTLAB_STORE, or results.db in the user's data "
        "folder).",
    ),
]

Workers = Annotated[
    str, typer.Option(metavar="N", help="Processes that simulate; 1: the command itself.")
]

Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Simulate on the workers of a dask scheduler, as tcp://10.0.0.1:8786.",
    ),
]

Where = Annotated[
    str | None,
    typer.Option(
        metavar="SQL",
        help="Only results for which this is true, as \"policy = 'conv' AND cycles > 1000\".",
    ),
]
