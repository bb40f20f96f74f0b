"""Simulates what `compare` was asked to, and reports it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

from ...isa.errors import SimtError
from ...timing.compiler.choice import choose, machine_for, sets_for
from ...timing.compiler.files import Policy
from ...timing.results.chart import check_picture
from ...timing.results.comparison import FULL_BLOCK, Comparison, Contender, contest
from ...timing.results.energy.model import energy_of
from .. import status
from ..inputs.files import cannot, check_writable
from ..inputs.sources import Listings
from ..inputs.target import Target, find_target, load_module
from ..output.output import error_dict, print_error, print_json, print_rows
from .run import execute, print_announcement, refuse_foreign
from .time import TimeOutcome, TimeSettings, machine_text, prepare


@dataclass(frozen=True)
class CompareSettings(TimeSettings):
    """The options of one comparison, with None for those that were not given."""

    policies: str = ""
    baseline: str | None = None
    chart: str | None = None


def compare(name: str, settings: CompareSettings) -> int:
    """Simulate a file or a program under every policy and print what came of it; the status."""
    target = find_target(name)
    refuse_foreign(target, settings)
    if settings.chart is not None:
        check_picture(settings.chart)
        check_writable(settings.chart, "--picture")
    policies, baseline = choose(
        settings.policies, settings.machine, settings.sets, settings.baseline
    )
    report = Report(target, settings, policies)
    print_announcement(target)
    comparison = contest(policies, baseline, report.prepare, report.run)
    if settings.chart is not None and comparison.finished:
        try:
            comparison.save_picture(settings.chart, report.title)
        except OSError as problem:
            raise cannot("write", settings.chart, problem) from None
    report.print(comparison)
    return _status(comparison)


class Report:
    """Prepares and runs the contenders, and keeps what is to be printed of them."""

    def __init__(self, target: Target, settings: CompareSettings, policies: list[Policy]) -> None:
        self.target = target
        self.settings = settings
        self.order = [policy.name for policy in policies]
        self.listings = Listings(None, keep=settings.json)
        self.module = load_module(target, settings, self.listings)
        self.title = ""
        self.rows: list[tuple[str, str]] = []
        self.told: dict[str, dict[str, object]] = {}

    def prepare(self, policy: Policy) -> TimeOutcome:
        """A simulation under one policy. Raises UsageError where the machine cannot run it."""
        own = replace(self.settings, sets=sets_for(policy, self.settings.sets))
        machine = machine_for(policy, own.machine, own.sets)
        step = f"{policy.name}, {self.order.index(policy.name) + 1} of {len(self.order)}"
        return prepare(self.module, own, machine, policy, self.listings, step=step)

    def run(self, outcome: TimeOutcome) -> Contender:
        """Simulate under one policy."""
        error = execute(self.target, self.settings, outcome)
        policy, machine, stats = outcome.simulator.policy, outcome.simulator.machine, outcome.stats
        if error is None or not self.rows:
            self._describe(outcome)
        if self.settings.json:
            self.told[policy.name] = outcome.to_dict()
        return Contender(
            policy.name, stats, energy_of(stats, machine), outcome.memory_digest, error
        )

    def _describe(self, outcome: TimeOutcome) -> None:
        """What all contenders have in common."""
        known = dict(outcome.text_rows(stats=False))
        shown = ("kernel", "kernels", "launches", "program")
        self.rows = [(label, known[label]) for label in shown if label in known]
        machine = machine_text(outcome.simulator.machine, self.settings.sets)
        self.rows.insert(1, ("machine", machine))
        self.title = f"{known.get('program', self.target.name)}, on {machine}"

    def print(self, comparison: Comparison) -> None:
        """The comparison on stdout; what went wrong on stderr unless it is in the JSON."""
        if self.settings.json:
            print_json([self._dict(comparison, c) for c in comparison])
            return
        rows = [*self.rows]
        if self.target.is_program and comparison.finished:
            but = (
                "" if len(comparison.finished) == len(comparison) else ", but for those that say so"
            )
            rows.append(("checked", f"equal to the reference{but}"))
        if len(comparison.finished) > 1:
            rows.append(("memory", f"{comparison.finished[0].memory_digest} under every policy"))
        if self.settings.chart is not None and comparison.finished:
            rows.append(("picture", self.settings.chart))
        print_rows(rows)
        print(f"\n{comparison.table()}" if rows else comparison.table())
        if bars := comparison.bars(_block()):
            print(f"\n{bars}")
        sys.stdout.flush()
        for error in _named(comparison):
            print_error(error)

    def _dict(self, comparison: Comparison, c: Contender) -> dict[str, object]:
        return {
            **self.told.get(c.policy, {"policy": c.policy}),
            "speedup": comparison.speedup(c.policy),
            **(error_dict(c.error) if c.error is not None else {}),
        }


def _block() -> str:
    """What bars are made of: a character that the output can show."""
    try:
        FULL_BLOCK.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "#"
    return FULL_BLOCK


def _named(comparison: Comparison) -> list[SimtError]:
    """The errors, each with the policies that have it."""
    owners: dict[str, list[str]] = {}
    for name, error in comparison.errors.items():
        owners.setdefault(str(error), []).append(name)
    found: list[SimtError] = []
    for names in owners.values():
        first, *rest = comparison.errors[names[0]].diagnostics
        named = replace(first, message=f"{', '.join(names)}: {first.message}")
        found.append(SimtError(diagnostics=(named, *rest)))
    return found


def _status(comparison: Comparison) -> int:
    """Of an interruption, else of a kernel that failed, else of a policy that cannot run."""
    found = {status.of(error) for error in comparison.errors.values()}
    order = (status.INTERRUPTED, status.FAILED, status.USAGE)
    return next((code for code in order if code in found), status.DONE)
