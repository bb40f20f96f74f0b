"""An experiment of figures and claims: what it simulates, and its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

from ..runs.result import Result
from ..runs.run import Run
from ..tables import Table
from .claims import Claim, Finding, Verdict
from .figure import Figure
from .results import Config, Results

OTHER_SIZES = "Reasons, found at the papers' sizes; here figures may differ from those they name:"
"""What a report on smaller inputs says before the reasons."""


@dataclass(frozen=True)
class Study:
    """A figure of a paper; an `experiment.Experiment`.

    Every program is simulated under every configuration, unless that has programs of its own.
    `sizes` has the programs whose size at scale `paper` has another name.
    """

    name: str
    title: str
    source: str
    programs: tuple[str, ...]
    configs: Mapping[str, Config]
    figures: Callable[[Results], Sequence[Figure]]
    claims: tuple[Claim, ...] = ()
    note: str = ""
    sizes: Mapping[str, str] = field(default_factory=dict)

    def results(self, found: Mapping[Run, Result], scale: str) -> Results:
        """Return the measurements by configuration and program."""
        return Results(self.programs, self.configs, lambda p: self._size(p, scale), found)

    def _size(self, program: str, scale: str) -> str:
        return self.sizes.get(program, scale) if scale == "paper" else scale

    def runs(self, scale: str) -> tuple[Run, ...]:
        """Return all simulations, each once."""
        every = (
            config.run(program, self._size(program, scale))
            for config in self.configs.values()
            for program in config.programs or self.programs
        )
        return tuple(dict.fromkeys(every))

    def report(self, found: Mapping[Run, Result], scale: str) -> StudyReport:
        """Return figures and findings, as far as they have been measured."""
        results = self.results(found, scale)
        missing = [run for run in self.runs(scale) if run not in found]
        findings = tuple(claim.find(results) for claim in self.claims)
        return StudyReport(self, scale, tuple(self.figures(results)), findings, len(missing))


@dataclass(frozen=True)
class ScaledStudy:
    """A study whose configurations depend on the scale; an `experiment.Experiment`."""

    studies: Mapping[str, Study]

    @property
    def name(self) -> str:
        """The name, which is the same at every scale."""
        return self.studies["paper"].name

    @property
    def title(self) -> str:
        """What it shows, in one line."""
        return self.studies["paper"].title

    @property
    def source(self) -> str:
        """The place in the paper."""
        return self.studies["paper"].source

    def runs(self, scale: str) -> tuple[Run, ...]:
        """Return all simulations of a scale, each once."""
        return self.studies[scale].runs(scale)

    def report(self, found: Mapping[Run, Result], scale: str) -> StudyReport:
        """Return figures and findings, as far as they have been measured."""
        return self.studies[scale].report(found, scale)


@dataclass(frozen=True)
class StudyReport:
    """Figures, and the findings on the paper's claims."""

    of: Study
    scale: str
    figures: tuple[Figure, ...]
    findings: tuple[Finding, ...]
    missing: int

    @property
    def summary(self) -> str:
        """The count of claims by verdict, in words."""
        counts = [
            f"{n} {_plural(verdict) if n != 1 else verdict}"
            for verdict in Verdict
            if (n := sum(f.verdict is verdict for f in self.findings))
        ]
        said = f"of {len(self.findings)} claims: {', '.join(counts)}" if counts else ""
        cut = f"{self.missing} simulations are missing" if self.missing else ""
        return "; ".join(filter(None, (said, cut)))

    def verdicts(self) -> Table:
        """Return a row per claim."""
        rows = tuple((f.claim.text, f.claim.paper, f.ours, f.verdict) for f in self.findings)
        return Table(("claim", "paper", "ours", "verdict"), rows)

    def _reasons(self) -> Iterator[str]:
        seen: set[str] = set()
        for finding in self.findings:
            if finding.why and finding.why not in seen:
                seen.add(finding.why)
                yield finding.why

    def text(self) -> str:
        """Return tables, verdicts and reasons for a terminal."""
        head = f"{self.of.title}\n{self.of.source}; scale {self.scale}"
        parts = [head]
        for figure in self.figures:
            parts.append(f"{figure.caption}\n\n{figure.table().text()}")
        if self.of.note:
            parts.append(fill(self.of.note, 100))
        lines = [
            fill(
                f"{f.claim.text}: paper {f.claim.paper}; ours {f.ours}: {f.verdict}",
                100, subsequent_indent="    ",
            )
            for f in self.findings
        ]  # fmt: skip
        parts.append("\n".join(lines))
        reasons = [fill(why, 100) for why in self._reasons()]
        if reasons and self.scale != "paper":
            reasons.insert(0, OTHER_SIZES)
        parts.append("\n".join(reasons))
        parts.append(self.summary)
        return "\n\n".join(filter(None, parts))

    def markdown(self, pictures: Mapping[str, str] | None = None) -> str:
        """Return the same as Markdown; `pictures` are files by the name of their figure."""
        parts = []
        for figure in self.figures:
            parts.append(f"{figure.caption}:")
            table = figure.table()
            if pictures and figure.name in pictures:
                parts.append(f"![{figure.alt}]({pictures[figure.name]})")
                parts.append(_beside_picture(figure, table))
            else:
                parts.append(table.markdown())
        parts.append(self.of.note)
        if self.findings:
            parts.append(self.verdicts().markdown())
        reasons = [f"- {why}" for why in self._reasons()]
        if reasons and self.scale != "paper":
            parts.append(OTHER_SIZES)
        parts += reasons
        if self.missing:
            parts.append(f"{self.missing} simulations are missing.")
        return "\n\n".join(filter(None, parts))

    def to_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {
            "experiment": self.of.name,
            "title": self.of.title,
            "source": self.of.source,
            "scale": self.scale,
            "note": self.of.note,
            "figures": [figure.to_dict() for figure in self.figures],
            "claims": [finding.to_dict() for finding in self.findings],
            "missing": self.missing,
        }


LONGEST_TABLE = 15
"""Rows of the longest table that a page shows below a picture."""


def _beside_picture(figure: Figure, table: Table) -> str:
    """Return the table as Markdown; folded if it is long, or the picture has its numbers."""
    n = len(table.rows)
    if n <= LONGEST_TABLE and figure.kind not in ("map", "places"):
        return table.markdown()
    summary = f"<summary>The numbers: a table of {n} rows</summary>"
    return f"<details>\n{summary}\n\n{table.markdown()}\n\n</details>"


def _plural(verdict: Verdict) -> str:
    """Return a verdict on several claims in words."""
    return {Verdict.HOLDS: "hold", Verdict.NOT: "do not hold"}.get(verdict, str(verdict))
