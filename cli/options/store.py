"""Options about the store of results."""

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

Where = Annotated[
    str | None,
    typer.Option(
        metavar="SQL",
        help="Only results for which this is true, as \"policy = 'conv' AND cycles > 1000\".",
    ),
]
