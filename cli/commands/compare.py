"""`simtlab compare`: the options of a comparison of policies."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.complete import policy_lists
from ..options.launch import LaunchOptions, with_launch_options
from ..options.options import SIMULATION, Checked, MachineName, MachineSets, Target


@with_launch_options("out", "picture", "markers")
def compare(
    target: Target,
    *,
    policies: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="The policies, as `simtlab policies` lists them; all: every policy that the "
            "machine can run.",
            autocompletion=policy_lists,
            rich_help_panel=SIMULATION,
        ),
    ],
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The policy that speedups are relative to (the first one).",
            autocompletion=policy_lists,
            rich_help_panel=SIMULATION,
        ),
    ] = None,
    machine: MachineName = "dws",
    set_: MachineSets = None,
    checked: Checked = False,
    picture: Annotated[
        str | None,
        typer.Option(metavar="F.png", help="Draw speedups and the causes of issue slots."),
    ] = None,
    launch: LaunchOptions,
) -> int:
    """Simulate the same launches under several policies: which is faster, and at what cost.

    Every policy begins with the same inputs and a cold machine. Results are checked as
    `simtlab time` checks them, and must be the same under every policy. If the machine cannot run
    a policy, or a kernel traps or gets stuck under it, its row says so and the others still run.
    --set policy.NAME=VALUE applies to the policies that have the setting.

    For example:

      simtlab compare merge --size tiny --policies conv,dws.branch-only,dws.revive-split
      simtlab compare filter --policies all --baseline conv --picture filter.png
      simtlab compare scan --machine lwm --policies conv,conv-explicit --set scheduler=two-level
    """
    from ..jobs.compare import CompareSettings
    from ..jobs.compare import compare as compare_policies
    from ..jobs.time import parse_sets

    settings = CompareSettings(
        launch=launch,
        machine=machine,
        sets=parse_sets(set_ or ()),
        policies=policies,
        baseline=baseline,
        checked=checked,
        chart=picture,
    )
    return compare_policies(target, settings)
