"""`simtlab reproduce`: the papers' tables and figures, beside ours."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .. import status
from ..options.complete import experiments as complete_experiments
from ..options.options import Json

if TYPE_CHECKING:
    from ...isa.errors import SimtError
    from ...lab.experiment import Experiment
    from ...lab.runs.result import Result
    from ...lab.runs.run import Run


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|all",
            help="The experiment, as --list names it.",
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
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the report as Markdown.")
    ] = False,
    json: Json = False,
) -> int:
    """Repeat a measurement of one of the papers: our figures, the paper's, and a verdict.

    Every simulation's result is compared with the program's reference. A simulation that fails is
    reported and left out; after an interrupt the report covers the simulations that are done.

    For example:

      simtlab reproduce --list
      simtlab reproduce dws-tab1
      simtlab reproduce all --scale small --json
    """
    from ...isa.errors import UsageError
    from ...lab.experiment import check_scale, experiments, find
    from ..output.output import error_dict, print_json, print_table

    check_scale(scale)
    if markdown and json:
        raise UsageError("--markdown and --json exclude each other", code="SIM517")
    if list_:
        if name is not None:
            raise UsageError(f"--list takes no name, but {name!r} is given", code="SIM517")
        if json:
            print_json([{"name": e.name, "title": e.title, "source": e.source}
                        for e in experiments()])  # fmt: skip
        else:
            lines = [(e.name, e.title, e.source) for e in experiments()]
            print_table(("name", "what it shows", "source"), lines)
        return status.DONE
    if name is None:
        raise UsageError(
            "the name of an experiment is missing",
            code="SIM514",
            hint="`simtlab reproduce --list` lists the experiments; all means every one",
        )
    chosen = find(name)
    found, errors, interrupted = _simulate(chosen, scale)
    reports = [e.report(found, scale) for e in chosen]
    if json:
        dicts = [r.to_dict() for r in reports]
        failed = [{"setup": str(run), **error_dict(e)} for run, e in errors.items()]
        print_json({"experiments": dicts, "failed": failed, "interrupted": interrupted})
    else:
        print("\n\n\n".join(r.markdown() if markdown else r.text() for r in reports))
    return _status(errors, interrupted)


def _simulate(
    chosen: tuple[Experiment, ...], scale: str
) -> tuple[dict[Run, Result], dict[Run, SimtError], bool]:
    """Simulate what the experiments take, each run once; what went wrong; whether cut short."""
    from ...emu.engine import Interrupted
    from ...isa.errors import SimtError
    from ...lab.runs.execute import simulate_run
    from ..output.output import print_error, print_remark
    from ..output.progress import Progress, machine_clock

    wanted = list(dict.fromkeys(s for e in chosen for s in e.runs(scale)))
    found: dict[Run, Result] = {}
    errors: dict[Run, SimtError] = {}
    for number, run in enumerate(wanted, 1):
        try:
            with Progress(f"{run} ({number} of {len(wanted)})") as progress:
                progress.detail = "preparing the engine"
                found[run] = simulate_run(run, machine_clock(progress))
        except (Interrupted, KeyboardInterrupt):
            sys.stdout.flush()
            print_remark(f"interrupted in {run}; {len(found)} of {len(wanted)} are done")
            return found, errors, True
        except SimtError as error:
            errors[run] = error
            print_error(error)
    return found, errors, False


def _status(errors: dict[Run, SimtError], interrupted: bool) -> int:

    if interrupted:
        return status.INTERRUPTED
    return max((status.of(e) for e in errors.values()), default=status.DONE)
