"""`simtlab view`: the options of a page that shows a recording."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.complete import policies, schemes, targets
from ..options.launch import LaunchOptions, with_launch_options
from ..options.options import EXECUTION, SIMULATION, MachineSets, whole_number
from ..options.recording import RecordIssues, RecordWindow, record_settings


@with_launch_options("out", "picture")
def view(
    target: Annotated[
        list[str],
        typer.Argument(
            metavar="F.npz...|F.sasm|F.sbc|PROGRAM",
            help="A recording, two recordings to compare, or what is to be run and recorded.",
            autocompletion=targets,
        ),
    ],
    *,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="F.html", help="The page (named after the target)."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The title of the page.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    launch: LaunchOptions,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|F.py",
            help="Execute in steps under this divergence scheme (stack).",
            autocompletion=schemes,
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    warp: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Lanes of a warp, 1 to 64 (32).",
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|F.toml",
            help="Simulate in cycles on this machine (dws); `simtlab machines` lists them.",
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|F.py",
            help="Simulate under this policy (conv); `simtlab policies` lists the policies.",
            autocompletion=policies,
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    set_: MachineSets = None,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Record under two policies, or two schemes, and show where they first differ; one "
            "name is compared with --policy or --scheme.",
        ),
    ] = None,
    record_window: RecordWindow = None,
    record_issues: RecordIssues = None,
) -> int:
    """Make a page that shows a run step by step: one file that a browser opens from disk.

    The page shows the source with its current line, the lanes by path, the re-convergence stack
    or what the scheme has instead, registers, memory, the control-flow graph and timelines. It
    needs no network and can be mailed.

    For example:

      simtlab view merge --size tiny -o merge.html
      simtlab view merge --size tiny --policy dws.revive-split -o merge.html
      simtlab view merge --size tiny --compare conv,dws.revive-split -o merge.html
      simtlab view recording.npz --open
    """
    from ..jobs.time import parse_sets
    from ..jobs.view import ViewSettings, make_page

    record = record_settings(record_window, record_issues, uses=["view"])
    assert record is not None
    settings = ViewSettings(
        launch=launch,
        output=output,
        title=title,
        opens=open_,
        scheme=scheme,
        warp=None if warp is None else whole_number(warp, "--warp"),
        machine=machine,
        policy=policy,
        sets=parse_sets(set_ or ()),
        compare=compare,
        window=record_window,
        issues=record_issues,
        record=record,
    )
    return make_page(target, settings)
