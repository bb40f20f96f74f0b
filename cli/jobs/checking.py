"""The checker of `simtlab run --check`, and its findings as the error of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...emu.checks import Checks
from ...emu.traps import Trap
from ...isa.errors import Outcome, SimtError
from ...programs.index import Entry

if TYPE_CHECKING:
    from ...emu.check.checker import Checker
    from ...emu.check.finding import Report


class Findings(SimtError):
    """The checker has found mistakes."""

    code = "SIM450"
    outcome = Outcome.FINDING


def checker_of(entry: Entry | None, checks: Checks | None, *, unread: bool) -> Checker:
    """Return the checker of a run; `checks` are made beside it."""
    from ...emu.check.checker import Checker

    benign = entry.workload.benign if entry is not None else {}
    return Checker(unread=unread, checks=checks, benign=benign)


def with_findings(error: SimtError | None, report: Report) -> SimtError | None:
    """Return the error of a run with the findings of its check; None if neither failed.

    A trap is among the findings already.
    """
    if report.ok:
        return error
    own = error.diagnostics if error is not None and not isinstance(error, Trap) else ()
    every = (*own, *(finding.diagnostic() for finding in report.findings))
    if error is not None and error.outcome is Outcome.INTERRUPTED:
        error.diagnostics = every
        return error
    return Findings(diagnostics=every)
