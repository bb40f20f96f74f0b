"""The log of a check: occurrences, folded by rule and places, the first one kept as the example."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ...isa.errors import Note
from ...isa.program import Kernel
from ..engine import Work
from .finding import Access, Finding, Rule, Severity
from .timeline import ITEM, STAMP, Launched

Key = tuple[object, ...]

_BENIGN = (Rule.RACE, Rule.SAME_VALUE, Rule.MIXED, Rule.REGISTER, Rule.ON_CHIP, Rule.DIFFERS)
"""Rules whose findings a program can declare benign."""


class Log:
    """Findings by key. `benign` has the reasons of races that a program declares, by array."""

    def __init__(self, benign: Mapping[str, str], *, wants_unread: bool = False) -> None:
        self.benign = benign
        self.wants_unread = wants_unread
        self.accesses = 0
        self._findings: dict[Key, Finding] = {}

    def add(self, key: Key, count: int, example: Callable[[], Finding]) -> None:
        """Count occurrences; `example` makes the finding of the first one."""
        found = self._findings.get(key)
        if found is None:
            self._findings[key] = replace(self._judged(example()), count=count)
        else:
            self._findings[key] = replace(found, count=found.count + count)

    def _judged(self, finding: Finding) -> Finding:
        """Return the finding as a note if the program declares it benign."""
        name = finding.place.partition("[")[0]
        reason = self.benign.get(name)
        if reason is None or finding.code not in _BENIGN:
            return finding
        note = Note(f"the program declares this benign for {name}: {reason}")
        notes = (*finding.notes, note)
        return replace(finding, severity=Severity.NOTE, notes=notes, hint="")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings: errors first, else in the order in which they occurred."""
        order = list(Severity)
        return tuple(sorted(self._findings.values(), key=lambda f: order.index(f.severity)))


def line_key(kernel: Kernel, pc: int) -> tuple[object, ...]:
    """Return what findings at `pc` are folded by: the source line, or the pc without one."""
    if not 0 <= pc < len(kernel.locations):
        return kernel.name, pc
    place = kernel.locations[pc]
    return place.file, place.line


def access_of(launch: Launched, action: str, packed: int) -> Access:
    """Return an access of the timeline as a finding shows it."""
    pc = int(launch.pcs[(packed >> STAMP) - launch.first])
    return access_by(launch.work, launch.lanes_per_group, action, pc, packed & int(ITEM))


def access_by(work: Work, lanes_per_group: int, action: str, pc: int, item: int) -> Access:
    """Return what a work-item, by its flat number, did at `pc`."""
    group, local = divmod(item, lanes_per_group)
    geometry = work.geometry
    dims = max((d + 1 for d in range(3) if geometry.items[d] > 1), default=1)
    return Access(
        action,
        pc,
        geometry.group_id(group)[:dims],
        geometry.local_id(group, local)[:dims],
        local // geometry.width,
        work.program.span(work.kernel, pc),
    )
