"""The work of `simtlab compare`: simulations under several policies, and their report."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...emu.engine import SchemeSpec
from ...isa.errors import SimtError
from ...timing.compiler.choice import choose, machine_for, sets_for
from ...timing.compiler.files import Policy
from ...timing.results.chart import check_picture
from ...timing.results.comparison import FULL_BLOCK, Comparison, Contender, contest
from ...timing.results.energy.model import energy_of
from .. import status
from ..inputs.files import cannot, check_writable
from ..inputs.sources import Listings
from ..inputs.target import Target, chosen_target, load_module
from ..options.launch import LaunchOptions
from ..output.output import error_dict, print_error, print_json, print_rows
from .run import execute, print_announcement
from .time import TimeOutcome, build_simulator, machine_text, prepare


@dataclass(frozen=True)
class CompareSettings:
    """The options of one comparison, with None for those that were not given."""

    launch: LaunchOptions
    machine: str
    sets: Mapping[str, str]
    policies: str
    baseline: str | None
    checked: bool
    chart: str | None


def compare(name: str, settings: CompareSettings) -> int:
    """Simulate a file or a program under every policy, print the results; return the status."""
    target = chosen_target(name, settings.launch)
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
    """Prepares and runs the contenders, and keeps what is printed of them."""

    def __init__(self, target: Target, settings: CompareSettings, policies: list[Policy]) -> None:
        self.target = target
        self.settings = settings
        self.order = [policy.name for policy in policies]
        self.options = settings.launch
        self.listings = Listings(None, keep=self.options.json)
        self.module = load_module(target, self.options, SchemeSpec(), self.listings)
        self.title = ""
        self.rows: list[tuple[str, str]] = []
        self.dicts: dict[str, dict[str, object]] = {}

    def prepare(self, policy: Policy) -> TimeOutcome:
        """Return a simulation under one policy. Raises UsageError if the machine cannot run it."""
        sets = sets_for(policy, self.settings.sets)
        machine = machine_for(policy, self.settings.machine, sets)
        step = f"{policy.name}, {self.order.index(policy.name) + 1} of {len(self.order)}"
        simulator = build_simulator(machine, policy, checked=self.settings.checked, step=step)
        return prepare(simulator, self.module, self.options, sets, self.listings, step)

    def run(self, outcome: TimeOutcome) -> Contender:
        """Simulate under one policy and return what the comparison needs."""
        error = execute(self.target, self.options, outcome)
        policy, machine, stats = outcome.simulator.policy, outcome.simulator.machine, outcome.stats
        if error is None or not self.rows:
            self._describe(outcome)
        if self.options.json:
            self.dicts[policy.name] = outcome.to_dict()
        return Contender(
            policy.name,
            stats,
            energy_of(stats, machine),
            outcome.memory_digest,
            error,
            outcome.simulator.own_checked,
        )

    def _describe(self, outcome: TimeOutcome) -> None:
        """Keep what all contenders have in common."""
        row_of = dict(outcome.text_rows())
        shown = ("kernel", "kernels", "launches", "program")
        self.rows = [(label, row_of[label]) for label in shown if label in row_of]
        machine = machine_text(outcome.simulator.machine, self.settings.sets)
        self.rows.insert(1, ("machine", machine))
        self.title = f"{row_of.get('program', self.target.name)}, on {machine}"

    def print(self, comparison: Comparison) -> None:
        """Print the comparison on stdout, and errors on stderr unless they are in the JSON."""
        if self.options.json:
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
        if comparison.hooks:
            rows.append(("hooks", comparison.hooks))
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
            **self.dicts.get(c.policy, {"policy": c.policy}),
            "speedup": comparison.speedup(c.policy),
            **(error_dict(c.error) if c.error is not None else {}),
        }


def _block() -> str:
    """Return the character of which bars are made: one that the output can show."""
    try:
        FULL_BLOCK.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "#"
    return FULL_BLOCK


def _named(comparison: Comparison) -> list[SimtError]:
    """Return the errors, each with the names of its policies before the message."""
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
    """Return the status of an interruption, else of a failed kernel, else of a refused policy."""
    found = {status.of(error) for error in comparison.errors.values()}
    order = (status.INTERRUPTED, status.FAILED, status.USAGE)
    return next((code for code in order if code in found), status.DONE)
