"""Findings of the checker: a rule, two places in the source, two work-items and an address."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ...isa.errors import Diagnostic, Note, Span


class Rule(StrEnum):
    """What a finding is about; the value is its code for `simtlab explain`."""

    STRAY = "SIM411"
    RACE = "SIM450"
    SAME_VALUE = "SIM451"
    MIXED = "SIM452"
    REGISTER = "SIM453"
    ON_CHIP = "SIM454"
    BUFFER = "SIM455"
    DIFFERS = "SIM456"
    UNREAD = "SIM457"


class Severity(StrEnum):
    """Whether a finding fails the check: only an error does."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Access:
    """What one work-item did: `action` (load, store, atomic, read) at `pc`, from a source line.

    `group` and `item` are workgroupid and workitemid, one number for each dimension of the launch;
    `warp` is the number of the warp in its workgroup.
    """

    action: str
    pc: int
    group: tuple[int, ...]
    item: tuple[int, ...]
    warp: int
    span: Span | None

    @property
    def who(self) -> str:
        """The work-item for a message."""
        return f"work-item {_dims(self.item)} of workgroup {_dims(self.group)}"

    def does(self, place: str) -> str:
        """Return the access as a sentence."""
        verb = {"load": "loads", "store": "stores to", "atomic": "makes an atomic on"}
        return f"{self.who} {verb.get(self.action, 'reads')} {place}"

    @property
    def where(self) -> str:
        """The place for a message."""
        return f"line {self.span.line}" if self.span else f"pc {self.pc}"

    def to_dict(self) -> dict[str, object]:
        """Return the access for JSON."""
        return {
            "action": self.action,
            "pc": self.pc,
            "file": self.span.file if self.span else None,
            "line": self.span.line if self.span else None,
            "workgroup": [*self.group],
            "workitem": [*self.item],
            "warp": self.warp,
        }


def _dims(value: tuple[int, ...]) -> str:
    return str(value[0]) if len(value) == 1 else f"({', '.join(map(str, value))})"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, folded: the first occurrence as the example, and how often there was one.

    `code` is a `Rule`, or that of the trap which ended a launch. `place` is what was accessed, as
    `tile[16]`. `accesses` has the example's accesses, the later one first; `count` is in accesses
    of work-items, or in launches where a finding is about whole launches.
    """

    code: str
    severity: Severity
    kernel: str
    message: str
    count: int = 1
    place: str = ""
    accesses: tuple[Access, ...] = ()
    hint: str = ""
    notes: tuple[Note, ...] = ()
    span: Span | None = None
    """Where no access has the place, as for a trap."""
    label: str = ""
    unit: str = "time"

    def diagnostic(self) -> Diagnostic:
        """Return the finding as it is printed."""
        later, *earlier = self.accesses or (None,)
        notes = [Note(e.does(self.place), e.span) for e in earlier if e is not None]
        notes += self.notes
        if self.count > 1:
            notes.append(Note(f"{self.count:,} {self.unit}s"))
        return Diagnostic(
            str(self.code),
            f"kernel {self.kernel}: {self.message}" if self.kernel else self.message,
            span=later.span if later is not None else self.span,
            label=later.does(self.place) if later is not None else self.label,
            hint=self.hint,
            notes=tuple(notes),
            severity=str(self.severity),
        )

    def to_dict(self) -> dict[str, object]:
        """Return the finding for JSON."""
        return {
            **self.diagnostic().to_dict(),
            "kernel": self.kernel,
            "count": self.count,
            "place": self.place or None,
            "accesses": [access.to_dict() for access in self.accesses],
        }


@dataclass(frozen=True)
class Report:
    """What a check has found, and what it has looked at.

    `accesses` counts loads, stores and atomics of work-items, `instructions` all instructions that
    work-items executed in launches that ended. `runs` are the executions whose memory was compared,
    the checked one first; `undecided` says what could not be compared, and why.
    """

    findings: tuple[Finding, ...] = ()
    accesses: int = 0
    instructions: int = 0
    launches: int = 0
    runs: tuple[str, ...] = ()
    undecided: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether no finding is an error; warnings and notes do not fail a check."""
        return not self.errors

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that fail the check."""
        return tuple(f for f in self.findings if f.severity is Severity.ERROR)

    @property
    def summary(self) -> str:
        """The proof that the check has run, and the number of its findings."""
        parts = [f"{len(self.errors) or 'no'} error{'s' * (len(self.errors) != 1)}"]
        for severity, word in ((Severity.WARNING, "warning"), (Severity.NOTE, "note")):
            count = sum(f.severity is severity for f in self.findings)
            parts += [f"{count} {word}{'s' * (count != 1)}"] * bool(count)
        return (
            f"{', '.join(parts)}; checked {self.accesses:,} accesses of "
            f"{self.instructions:,} instructions"
        )

    def lines(self) -> list[str]:
        """Return the summary, what was compared, and what was not."""
        compared = [f"compared {', '.join(self.runs)}"] if len(self.runs) > 1 else []
        return [self.summary, *compared, *self.undecided]

    def to_dict(self) -> dict[str, object]:
        """Return the report for JSON."""
        return {
            "ok": self.ok,
            "accesses": self.accesses,
            "instructions": self.instructions,
            "launches": self.launches,
            "runs": [*self.runs],
            "undecided": [*self.undecided],
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def __str__(self) -> str:
        from ...isa.errors import render

        return "\n\n".join([*(render(f.diagnostic()) for f in self.findings), *self._tail()])

    def _tail(self) -> list[str]:
        return ["\n".join(self.lines())]
