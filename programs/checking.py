"""Checks of a kernel launch, or of a program with its launch sequence: `simtlab.check_run`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..asm.assemble import assemble
from ..emu.check.checker import Checker
from ..emu.check.finding import Finding, Report, Severity
from ..emu.launch import Launch
from ..emu.module import Module
from ..emu.traps import Trap
from ..isa.errors import UsageError, did_you_mean
from ..isa.quoting import shown
from .index import Entry, find
from .runner import PlainLauncher, run_program

OPTIONS = ("size", "seed", "reruns", "unread")
"""What `check_run` takes by name for a program."""


def check_run(
    what: Launch | Entry | str,
    /,
    *args: object,
    size: Any = None,
    seed: Any = None,
    reruns: bool = True,
    unread: bool = False,
    **named: object,
) -> Report:
    """Run a launch or a program under the checker, and return what it has found.

    `what` is a launch, `kernel[groups, group_size]` or `kernel.launch(...)`, with the arguments of
    the kernel by place or by name; parameters called `reruns` or `unread` go by place. Or it is the
    name of a program, whose launches are checked at a `size` ("tiny") with a `seed` (0), and whose
    result is compared with its reference. Arrays are changed as by the run itself. With `reruns`
    each launch is executed again by the oracle and under other schemes and warp widths, and the
    memory compared. With `unread` stores that no work-item reads are reported.

    A trap is a finding and ends the run. Raises ArgumentError and UsageError.
    """
    if isinstance(what, Launch):
        # A launch has neither size nor seed, so that these are names of parameters.
        named |= {k: v for k, v in (("size", size), ("seed", seed)) if v is not None}
        checker = Checker(reruns=reruns, unread=unread)
        try:
            what.run_by(checker.run, *args, **named)
        except Trap:
            pass  # which is among the findings
        return checker.report()
    if not isinstance(what, (str, Entry)):
        raise UsageError(
            f"check_run takes a launch or the name of a program, not {shown(what)}",
            code="SIM515",
            hint="kernel[groups, group_size] is a launch",
        )
    if args or named:
        raise UsageError(
            "a program brings its own inputs: check_run takes no arguments for it",
            code="SIM515",
            hint=did_you_mean(next(iter(named), None), OPTIONS),
        )
    entry = what if isinstance(what, Entry) else find(what)
    checker = Checker(reruns=reruns, unread=unread, benign=entry.workload.benign)
    launcher = PlainLauncher(Module(assemble(entry.path)), engine="interp", executor=checker.run)
    try:
        error = run_program(
            entry, launcher, size="tiny" if size is None else size, seed=0 if seed is None else seed
        ).error
    except Trap:
        error = None
    report = checker.report()
    if error is None:
        return report
    wrong = Finding(error.first.code, Severity.ERROR, "", error.first.message)
    return replace(report, findings=(wrong, *report.findings))
