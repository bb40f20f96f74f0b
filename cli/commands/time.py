"""`simtlab time`: the options of a simulation on a machine."""

from __future__ import annotations

from typing import Annotated

import typer

from ...isa.errors import UsageError
from ..options.complete import policies
from ..options.launch import LaunchOptions, with_launch_options
from ..options.options import SIMULATION, Checked, Dump, MachineName, MachineSets, Target
from ..options.recording import (
    RECORDING,
    RecordFile,
    RecordIssues,
    RecordWindow,
    parse_item,
    record_settings,
    traced_window,
)


@with_launch_options()
def time(
    target: Target,
    *,
    machine: MachineName = "dws",
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME|F.py",
            help="What warps do at branches and misses; `simtlab policies` lists the policies, "
            "and F.py is your own.",
            autocompletion=policies,
            rich_help_panel=SIMULATION,
        ),
    ] = "conv",
    set_: MachineSets = None,
    checked: Checked = False,
    annotate: Annotated[
        bool,
        typer.Option(
            "--annotate",
            help="Print executions, mean lanes and causes of cycles of every source line.",
        ),
    ] = False,
    trace: Annotated[
        str | None,
        typer.Option(
            metavar="F.json.gz|F.kanata",
            help="Write what a recording has for another viewer: Perfetto, or Konata.",
            rich_help_panel=RECORDING,
        ),
    ] = None,
    trace_window: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO",
            help="The cycles that the trace covers (all).",
            rich_help_panel=RECORDING,
        ),
    ] = None,
    why: Annotated[
        str | None,
        typer.Option(
            metavar="ITEM|GROUP:LOCAL",
            help="Print what a work-item did and waited for, cycle by cycle, with totals by cause; "
            "ITEM@LAUNCH in a later launch than the first, which is 0.",
            rich_help_panel=RECORDING,
        ),
    ] = None,
    record: RecordFile = None,
    record_window: RecordWindow = None,
    record_issues: RecordIssues = None,
    history: Annotated[
        bool,
        typer.Option(
            "--history",
            help="Print what issued, the stacks and the groups of every warp, cycle by cycle.",
            rich_help_panel=RECORDING,
        ),
    ] = False,
    launch: LaunchOptions,
    dump: Dump = None,
) -> int:
    """Simulate a kernel or a program on a machine: how long it takes, and why.

    Results are the same as those of `simtlab run`, and are checked in the same way. A run that is
    interrupted or traps prints what was counted until then. The first run with a kind of machine
    and a policy compiles the engine, in under a second; later runs find it in the cache.

    For example:

      simtlab time filter --size tiny
      simtlab time merge --machine maws-bulk --set l1d.size=16KiB --annotate
      simtlab time saxpy.sasm --items 8 --arg n=8 --arg a=2.5 --arg x=ones:8 --arg y=ones:8
    """
    from ..jobs.record import both, explaining, exporting, saving
    from ..jobs.time import TimeSettings, parse_sets, simulate

    uses = [option for option, value in (("--record", record), ("--trace", trace),
            ("--history", history or None), ("--why", why)) if value is not None]  # fmt: skip
    window = traced_window(trace, trace_window, record_window)
    item = None if why is None else parse_item(why)
    if history and launch.json:
        raise UsageError(
            "--history prints a table, and --json excludes it",
            code="SIM517",
            hint="in Python: simtlab.recording.history.History(recording)",
        )
    if why is not None and launch.json:
        raise UsageError(
            "--why prints a table, and --json excludes it",
            code="SIM517",
            hint="in Python: simtlab.record(...)(...).why(item)",
        )
    settings = TimeSettings(
        launch=launch,
        machine=machine,
        policy=policy,
        sets=parse_sets(set_ or ()),
        checked=checked,
        annotate=annotate,
        dump=dump,
        record=record_settings(window, record_issues, uses),
        history=history,
    )
    return simulate(target, settings, both(saving(record), exporting(trace), explaining(item)))
