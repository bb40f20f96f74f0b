"""`simtlab reproduce`: the papers' tables and figures, beside ours."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import status
from ..options.complete import experiments as complete_experiments
from ..options.options import Json
from ..options.store import Scheduler, StoreFile, Workers


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|all",
            help="The experiment, as --list names it; `dws` means all of that paper.",
            autocompletion=complete_experiments,
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    scale: Annotated[
        str,
        typer.Option(
            metavar="small|paper",
            help="Size of the programs' inputs; caches always have the paper's size.",
        ),
    ] = "paper",
    store: StoreFile = None,
    workers: Workers = "1",
    scheduler: Scheduler = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Write a report: Markdown, HTML, and figures as PNG and SVG."
        ),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the report as Markdown.")
    ] = False,
    json: Json = False,
) -> int:
    """Repeat an experiment of one of the papers: our figures, its claims, and a verdict on each.

    Results are kept in a store, so that a simulation that several figures need is done once, and an
    interrupted run continues where it was. Every result is compared with the program's reference. A
    simulation that fails is reported and left out.

    For example:

      simtlab reproduce --list
      simtlab reproduce dws-fig13 --scale small
      simtlab reproduce maws --workers 2 --out report
      simtlab reproduce all --scale small --json
    """
    from ...isa.errors import UsageError
    from ..jobs.reproduce import Settings, print_list
    from ..jobs.reproduce import reproduce as job
    from ..options.options import whole_number

    if markdown and json:
        raise UsageError("--markdown and --json exclude each other", code="SIM517")
    if list_:
        if name is not None:
            raise UsageError(f"--list takes no name, but {name!r} is given", code="SIM517")
        print_list(json=json)
        return status.DONE
    if name is None:
        raise UsageError(
            "the name of an experiment is missing",
            code="SIM514",
            hint="`simtlab reproduce --list` lists the experiments; all means every one",
        )
    settings = Settings(
        name=name,
        scale=scale,
        store=store,
        workers=whole_number(workers, "--workers"),
        scheduler=scheduler,
        out=out,
        markdown=markdown,
        json=json,
    )
    return job(settings)
