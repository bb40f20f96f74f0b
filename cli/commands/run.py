"""`simtlab run`: the options of a run on an engine."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.complete import engines, schemes
from ..options.launch import LaunchOptions, with_launch_options
from ..options.options import EXECUTION, RunDump, Target, whole_number
from ..options.recording import (
    RecordFile,
    RecordIssues,
    RecordWindow,
    record_settings,
)


@with_launch_options()
def run(
    target: Target,
    *,
    launch: LaunchOptions,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="jit|interp|oracle",
            help="jit (the default): native code; interp: warps with active masks, also used for "
            "--stats and --scheme; oracle: every work-item on its own.",
            autocompletion=engines,
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="stack|ipdom-explicit|ppc|ppc-explicit|per-thread|F.py",
            help="How the lanes of a warp diverge and re-converge (stack); F.py: your own scheme.",
            autocompletion=schemes,
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="scheme.KNOB=VALUE",
            help="Set a knob of the scheme, as scheme.cascade=false.",
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    warp: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Lanes of a warp, 1 to 64.",
            rich_help_panel=EXECUTION,
        ),
    ] = "32",
    threads: Annotated[
        str,
        typer.Option(
            metavar="N|auto",
            help="Host threads that run native code; auto: one for each core, for kernels in which "
            "the order of workgroups does not show.",
            rich_help_panel=EXECUTION,
        ),
    ] = "auto",
    stats: Annotated[
        bool,
        typer.Option(
            "--stats", help="Print every count (instructions, branches, barriers and more)."
        ),
    ] = False,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines", help="Print executions and mean active lanes of every source line."
        ),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Report data races, memory and registers that are read before they are written, "
            "and results that depend on the engine, the scheme or the warp width.",
        ),
    ] = False,
    check_unread: Annotated[
        bool,
        typer.Option(
            "--check-unread", help="As --check, and report stores that no work-item reads."
        ),
    ] = False,
    check_arrays: Annotated[
        bool,
        typer.Option(
            "--check-arrays",
            help="Trap if an access leaves the group, private or readonly array that its address "
            "names.",
        ),
    ] = False,
    check_coverage: Annotated[
        bool,
        typer.Option(
            "--check-coverage", help="Print how many elements of each array were never written."
        ),
    ] = False,
    record: RecordFile = None,
    record_window: RecordWindow = None,
    record_issues: RecordIssues = None,
    dump: RunDump = None,
) -> int:
    """Run a kernel on arrays, or a program that comes with simtlab.

    A program has its own inputs and launches, and its result is compared with its reference. A
    file needs --items or --grid, and one --arg for each parameter; every array that the kernel
    changed is printed, or written to the file that --out names.

    For example:

      simtlab run saxpy --size tiny --check
      simtlab run mandelbrot --scheme ppc --stats --picture mandelbrot.png
      simtlab run saxpy.sasm --items 8 --arg n=8 --arg a=2.5 --arg x=@x.npy --arg y=ones:8
    """
    from ..jobs.record import saving
    from ..jobs.run import run as run_target
    from ..options.settings import RunSettings, parse_scheme, parse_threads

    settings = RunSettings(
        launch=launch,
        engine=engine,
        scheme=parse_scheme(scheme, set_ or (), engine),
        warp=whole_number(warp, "--warp"),
        threads=parse_threads(threads),
        stats=stats,
        lines=lines,
        check=check,
        check_unread=check_unread,
        check_arrays=check_arrays,
        check_coverage=check_coverage,
        dump=dump,
        record=record_settings(
            record_window, record_issues, [] if record is None else ["--record"]
        ),
    )
    return run_target(target, settings, saving(record))
