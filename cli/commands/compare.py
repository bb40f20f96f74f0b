"""`simtlab compare`: its options."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options.complete import policy_lists
from ..options.options import (
    SIMULATION,
    Arg,
    Block,
    Budget,
    ExitedArrive,
    Grid,
    Items,
    Json,
    Kernel,
    MachineName,
    MachineSets,
    Seed,
    Size,
    SubdivideLimit,
    Target,
    whole_number,
)


def compare(
    target: Target,
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
    picture: Annotated[
        str | None,
        typer.Option(metavar="F.png", help="Draw speedups and the causes of issue slots."),
    ] = None,
    kernel: Kernel = None,
    grid: Grid = None,
    block: Block = None,
    items: Items = None,
    arg: Arg = None,
    size: Size = None,
    seed: Seed = "0",
    budget: Budget = None,
    exited_arrive: ExitedArrive = False,
    subdivide_limit: SubdivideLimit = "50",
    json: Json = False,
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
    from ...emu.engine import DEFAULT_BUDGET
    from ..jobs.compare import CompareSettings
    from ..jobs.compare import compare as carry_out
    from ..jobs.time import parse_sets
    from ..options.settings import parse_dims

    settings = CompareSettings(
        policies=policies,
        baseline=baseline,
        machine=machine,
        sets=parse_sets(set_ or ()),
        chart=picture,
        kernel=kernel,
        grid=parse_dims(grid, "--grid"),
        block=parse_dims(block, "--block"),
        items=parse_dims(items, "--items"),
        args=arg or (),
        size=size,
        seed=whole_number(seed, "--seed"),
        budget=DEFAULT_BUDGET if budget is None else whole_number(budget, "--budget"),
        exited_arrive=exited_arrive,
        subdivide_limit=whole_number(subdivide_limit, "--subdivide-limit"),
        json=json,
    )
    return carry_out(target, settings)
