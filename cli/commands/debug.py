"""`simtlab debug`: the options of a debugging session."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from ...isa.errors import UsageError
from ..options.complete import machines, policies, schemes, sizes, targets
from ..options.launch import LaunchOptions, with_launch_options
from ..options.options import EXECUTION, SIMULATION, whole_number
from ..options.recording import RecordIssues

_FACE = "Interface"


@with_launch_options("out", "picture", "json", "subdivide_limit", "size")
def debug(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="F.sasm|F.sbc|PROGRAM|F.npz",
            help="What `run` takes, or a recording that `run` or `time` has written.",
            autocompletion=targets,
        ),
    ] = None,
    *,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="stack|ipdom-explicit|ppc|ppc-explicit|per-thread|F.py",
            help="How the lanes of a warp diverge and re-converge (stack).",
            autocompletion=schemes,
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    warp: Annotated[
        str | None,
        typer.Option(metavar="N", help="Lanes of a warp (32).", rich_help_panel=EXECUTION),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|F.py",
            help="Debug a simulation under this policy: time counts cycles (conv).",
            autocompletion=policies,
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|F.toml",
            help="Debug a simulation on this machine (dws).",
            autocompletion=machines,
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A knob of the scheme (scheme.KNOB=VALUE), or a field of the machine or policy.",
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    script: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Run commands from a file, one a line (-: stdin), and print what they show.",
            rich_help_panel=_FACE,
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="A prompt without panes.", rich_help_panel=_FACE),
    ] = False,
    dap: Annotated[
        bool,
        typer.Option(
            "--dap",
            help="Serve the Debug Adapter Protocol on stdin and stdout, for editors.",
            rich_help_panel=_FACE,
        ),
    ] = False,
    dap_port: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Serve the Debug Adapter Protocol on this port of the local host (0: any).",
            rich_help_panel=_FACE,
        ),
    ] = None,
    record_issues: RecordIssues = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="tiny|small|paper",
            help="Size of a program's inputs (tiny).",
            autocompletion=sizes,
            rich_help_panel="Running a program",
        ),
    ] = None,
    launch: LaunchOptions,
) -> int:
    """Walk through a run, forwards and backwards, warp by warp and lane by lane.

    The run is recorded first; one that traps or hangs is recorded up to that point. `help` lists
    the commands, and `simtlab explain debugging` has a walk-through.

    For example:

      simtlab debug merge --size tiny --scheme ppc
      simtlab debug merge --size tiny --policy dws.revive-split
      simtlab debug saxpy.sasm --items 8 --arg n=8 --arg a=2.5 --arg x=ones:8 --arg y=ones:8
      simtlab debug merge.npz --script look.txt
    """
    from ..jobs.debug import DebugSettings, serve
    from ..jobs.debug import debug as debug_target

    if dap or dap_port is not None:
        for option, value in (("a target", target), ("--script", script), ("--plain", plain)):
            if value:
                raise UsageError(
                    f"{option} has no effect with --dap: the editor says what is debugged",
                    code="SIM517",
                )
        port = None if dap_port is None else whole_number(dap_port, "--dap-port")
        if port is not None and port > 65535:
            raise UsageError(f"--dap-port takes 0 to 65535, not {port}", code="SIM515")
        return serve(port)
    if target is None:
        raise UsageError(
            "missing argument F.sasm|F.sbc|PROGRAM|F.npz",
            code="SIM514",
            hint="`simtlab debug --help` lists arguments and options",
        )
    settings = DebugSettings(
        launch=replace(launch, size=size),
        scheme=scheme,
        warp=None if warp is None else whole_number(warp, "--warp"),
        policy=policy,
        machine=machine,
        sets=set_ or (),
        most=None if record_issues is None else whole_number(record_issues, "--record-issues"),
    )
    return debug_target(target, settings, script, plain=plain)
