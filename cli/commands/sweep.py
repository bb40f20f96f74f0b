"""`simtlab sweep`: the options of a sweep."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.options import Json
from ..options.store import Scheduler, StoreFile, Workers


def sweep(
    file: Annotated[
        str, typer.Argument(metavar="F.toml", help="The sweep; paths in it are relative to it.")
    ],
    store: StoreFile = None,
    workers: Workers = "1",
    scheduler: Scheduler = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Simulate again what has failed before.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Count the runs and those that are missing; run nothing."),
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(metavar="F.csv|F.parquet", help="Write all numbers, a row for each run."),
    ] = None,
    picture: Annotated[
        str | None,
        typer.Option(
            metavar="F.png|F.svg|F.pdf",
            help="Draw the sweep as its [plot] says, into this file.",
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Simulate a program or kernel for all combinations of sizes, machines, policies and fields.

    Results are kept in a store, so that a finished run is never simulated a second time. Stop a
    sweep at any moment and give the same command again to continue. Two sweeps may use one store at
    the same time.

    For example:

      simtlab sweep latency.toml --workers 4
      simtlab sweep latency.toml --dry-run
      simtlab sweep latency.toml --store latency.db --out latency.csv --picture latency.svg
      simtlab sweep latency.toml --scheduler tcp://10.0.0.1:8786
    """
    from ..jobs.sweep import SweepSettings
    from ..jobs.sweep import sweep as job
    from ..options.options import whole_number

    settings = SweepSettings(
        file=file,
        store=store,
        workers=whole_number(workers, "--workers"),
        scheduler=scheduler,
        retry=retry,
        dry_run=dry_run,
        out=out,
        picture=picture,
        json=json,
    )
    return job(settings)
