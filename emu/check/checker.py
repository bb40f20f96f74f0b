"""The checker: an engine that observes each launch, runs it again otherwise, and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..checks import Checks
from ..engine import Work, engine
from ..statistics import Statistics
from ..traps import Trap
from . import findings
from .agreement import Agreement
from .finding import Finding, Report, Severity
from .log import Log
from .timeline import Timeline
from .watch import LaunchWatch, Shadows


class Checker:
    """Checks the launches that it runs, one after the other; `report` is what was found.

    `run` is an executor: `launch.run_by(checker.run, *arguments)`. Shadow memory lives as long as
    the checker, so one checker serves all launches on the same arrays. `reruns` says whether each
    launch is executed again under other engines, schemes and warp widths; `unread`, whether stores
    that no work-item reads are reported. `checks` are made in the same run. `benign` gives, by
    array or register, the reason why what is found there does no harm.
    """

    def __init__(
        self,
        *,
        reruns: bool = True,
        unread: bool = False,
        checks: Checks | None = None,
        benign: Mapping[str, str] | None = None,
    ) -> None:
        self.reruns = reruns
        self._checks = checks or Checks()
        self._log = Log(benign or {}, wants_unread=unread)
        self._timeline = Timeline()
        self._shadows = Shadows()
        self._agreement = Agreement(self._log)
        self._instructions = 0
        self._launches = 0

    def run(self, work: Work) -> Statistics:
        """Run one launch, observed. Raises Trap, which is a finding as well."""
        self._launches += 1
        initial = work.memory.copy() if self.reruns else None
        watch = LaunchWatch(work, self._log, self._timeline, self._shadows)
        checks = replace(self._checks, observer=watch)
        try:
            statistics = engine("interp")(replace(work, checks=checks, kept={}))
        except Trap as trap:
            self._trapped(work, trap)
            raise
        watch.finish()
        assert statistics is not None
        self._instructions += statistics.thread_instructions
        if initial is not None:
            steps = int(statistics.executions.sum()) // max(1, statistics.warps)
            most = max(steps, int(statistics.executions.max(initial=0)))
            self._agreement.compare(work, initial, statistics.thread_instructions, most)
        return statistics

    def _trapped(self, work: Work, trap: Trap) -> None:
        first = trap.first
        self._log.add(
            (first.code, work.kernel.name, trap.record.pc),
            1,
            lambda: Finding(
                first.code, Severity.ERROR, work.kernel.name,
                first.message.removeprefix(f"kernel {work.kernel.name}: "),
                hint=first.hint, notes=first.notes, span=first.span, label=first.label,
            ),
        )  # fmt: skip

    def report(self) -> Report:
        """Return everything found until now."""
        if self._log.wants_unread:
            for buffer, shadow in self._shadows:
                findings.unread(self._timeline, self._log, shadow, buffer.name)
        return Report(
            self._log.findings,
            self._log.accesses,
            self._instructions,
            self._launches,
            tuple(self._agreement.runs),
            tuple(self._agreement.undecided),
        )
