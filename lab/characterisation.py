"""The papers' tables that characterise their programs, beside ours.

A table is a TOML file in `published/`: the paper's figures, and the reasons why ours differ.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from operator import attrgetter
from typing import Any, Literal

from ..timing.results.statistics import Statistics
from .runs.result import Result
from .runs.run import Run
from .tables import Table

PACKAGE = __package__ or "simtlab.lab"

Figure = float | str
"""A count, a share, or a class; NONE if there is nothing to count."""

NONE = "none"
"""The share of something that does not occur."""

ALIKE = 1.5
"""Two figures are alike if neither is more than this many times the other …"""

ALIKE_POINTS = 0.05
"""… and two shares also if they differ by at most this."""


def _per_wpu(name: str) -> Callable[[Statistics], Figure]:
    return lambda s: s.per_million_cycles[name] / s.wpus


def _nonloop_divergent_share(s: Statistics) -> Figure:
    return s.nonloop_divergent / s.nonloop_branches if s.nonloop_branches else NONE


FIGURES: dict[str, Callable[[Statistics], Figure]] = {
    **{name: attrgetter(name) for name in (
        "instructions_between_branches", "divergent_branch_share", "instructions_between_misses",
        "instructions_between_divergent_misses", "divergent_access_share", "mean_width",
        "branch_intensity", "idle_intensity",
    )},
    "nonloop_branches": _per_wpu("nonloop_branches"),
    "nonloop_divergent_share": _nonloop_divergent_share,
    "nonloop_divergent": _per_wpu("nonloop_divergent"),
    "miss_accesses": _per_wpu("miss_accesses"),
    "divergent_accesses": _per_wpu("divergent_accesses"),
    "idle_share": lambda s: s.utilisation["0"],
}  # fmt: skip


def _number(figure: Figure) -> float:
    return 0.0 if isinstance(figure, str) else figure


@dataclass(frozen=True)
class Metric:
    """A column; one that is not `published` is shown for information only."""

    key: str
    title: str
    kind: Literal["count", "share", "class"]
    published: bool = True
    negligible: float = 0.0
    """Counts up to this one count as none."""

    def alike(self, ours: Figure, theirs: Figure) -> bool:
        """Return whether our figure and the paper's are alike."""
        if self.kind == "class":
            return ours == theirs
        low, high = sorted((_number(ours), _number(theirs)))
        if self.kind == "share" and high - low <= ALIKE_POINTS:
            return True
        return high <= max(ALIKE * low, self.negligible)

    def shown(self, figure: Figure) -> str:
        """Return the text of a cell, with about two digits of a number."""
        if isinstance(figure, str):
            return figure
        if self.kind == "share":
            return f"{figure:.1%}" if figure < 0.1 else f"{figure:.0%}"
        return f"{figure:.1f}" if figure < 10 else f"{figure:,.0f}"

    def apart(self, ours: Figure, theirs: Figure) -> str:
        """Return the difference of ours from the paper's, in words."""
        if isinstance(ours, str) or isinstance(theirs, str) or self.kind == "share":
            return f"{self.title} {self.shown(ours)} for {self.shown(theirs)}"
        if theirs == 0 or ours == 0:
            return f"{self.title} {self.shown(ours)} for {self.shown(theirs)}"
        ratio = ours / theirs
        return (
            f"{self.title} {ratio:.1f} times" if ratio < 10 else f"{self.title} {ratio:,.0f} times"
        )


@dataclass(frozen=True)
class Row:
    """A program: the paper's figures by metric, and why ours differ."""

    program: str
    figures: Mapping[str, Figure]
    why: str


@dataclass(frozen=True)
class Claim:
    """What the paper's table says of programs relative to each other.

    The largest figures under `key` are those of the programs in `most`; or, in every program, the
    figure under `key` is larger than that under `than`.
    """

    text: str
    key: str
    most: tuple[str, ...] = ()
    than: str = ""

    def against(self, stats: Mapping[str, Statistics]) -> list[str]:
        """Return the programs that contradict it; it holds if there are none."""
        ours = {program: _number(FIGURES[self.key](s)) for program, s in stats.items()}
        if self.than:
            other = {program: _number(FIGURES[self.than](s)) for program, s in stats.items()}
            return [program for program in ours if ours[program] <= other[program]]
        ranked = sorted(ours, key=lambda program: -ours[program])
        return [p for p in ranked[: len(self.most)] if p not in self.most]


@dataclass(frozen=True)
class Characterisation:
    """One of the papers' tables; an `experiment.Experiment`."""

    name: str
    title: str
    source: str
    machine: str
    note: str
    metrics: tuple[Metric, ...]
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...]
    sizes: Mapping[str, str]
    """By program: the size that represents the paper's, where that is not `paper`."""

    def run(self, row: Row, scale: str) -> Run:
        """Return the simulation that a row needs."""
        size = self.sizes.get(row.program, "paper") if scale == "paper" else scale
        return Run(row.program, size, self.machine)

    def runs(self, scale: str) -> tuple[Run, ...]:
        """Return one simulation per program, under Conv."""
        return tuple(self.run(row, scale) for row in self.rows)

    def report(self, found: Mapping[Run, Result], scale: str) -> CharacterisationReport:
        """Return the table, as far as it has been measured."""
        measured = [
            (row, found[run]) for row in self.rows if (run := self.run(row, scale)) in found
        ]
        return CharacterisationReport(self, scale, measured)


@dataclass(frozen=True)
class Verdict:
    """A row of ours beside the paper's."""

    row: Row
    result: Result
    ours: Mapping[str, Figure]
    apart: tuple[Metric, ...]
    """The metrics in which they differ."""

    @property
    def judged(self) -> int:
        """The number of the paper's figures."""
        return len(self.row.figures)

    @property
    def word(self) -> str:
        """The verdict: `alike`, `partly` if at least half of the figures are alike, or `unlike`."""
        if not self.apart:
            return "alike"
        return "partly" if 2 * len(self.apart) <= self.judged else "unlike"

    @property
    def text(self) -> str:
        """Word and count."""
        return f"{self.word}, {self.judged - len(self.apart)} of {self.judged}"


class CharacterisationReport:
    """Our figures with the paper's in brackets, and a verdict for each row."""

    def __init__(
        self, of: Characterisation, scale: str, measured: Iterable[tuple[Row, Result]]
    ) -> None:
        self.of = of
        self.scale = scale
        self.verdicts = tuple(self._verdict(row, m) for row, m in measured)

    def _verdict(self, row: Row, result: Result) -> Verdict:
        ours = {m.key: FIGURES[m.key](result.stats) for m in self.of.metrics}
        apart = tuple(
            m
            for m in self.of.metrics
            if m.published and not m.alike(ours[m.key], row.figures[m.key])
        )
        return Verdict(row, result, ours, apart)

    def table(self) -> Table:
        """Return the table, a row per program; figures that are not alike have a mark."""
        columns = ("program", *(m.title for m in self.of.metrics), "verdict")
        return Table(columns, tuple(self._cells(v) for v in self.verdicts))

    def _cells(self, v: Verdict) -> tuple[str, ...]:
        cells = []
        for m in self.of.metrics:
            cell = m.shown(v.ours[m.key])
            if m.published:
                cell += f" ({m.shown(v.row.figures[m.key])})" + ("*" if m in v.apart else " ")
            cells.append(cell)
        return (v.row.program, *cells, v.text)

    def remarks(self) -> Iterator[tuple[str, str]]:
        """Yield each program that differs from the paper's, with the differences and the reason."""
        for v in self.verdicts:
            if v.apart:
                parted = ", ".join(m.apart(v.ours[m.key], v.row.figures[m.key]) for m in v.apart)
                yield v.row.program, f"{parted}: {v.row.why}" if v.row.why else parted

    def claims(self) -> Iterator[tuple[Claim, list[str]]]:
        """Yield each claim and the programs that contradict it.

        Yields nothing unless every program has been measured.
        """
        if not self.missing:
            stats = {v.row.program: v.result.stats for v in self.verdicts}
            for claim in self.of.claims:
                yield claim, claim.against(stats)

    def claim_lines(self) -> list[str]:
        """Return one line per claim."""
        return [
            f"{claim.text}: " + (f"no ({', '.join(against)})" if against else "yes")
            for claim, against in self.claims()
        ]

    @property
    def summary(self) -> str:
        """The count of figures that are alike, in words."""
        missing = ", ".join(row.program for row in self.missing)
        cut = f"; not measured: {missing}" if missing else ""
        return f"{self.alike} of {self.judged} figures are alike{cut}"

    @property
    def judged(self) -> int:
        """The number of the paper's figures for the measured programs."""
        return sum(v.judged for v in self.verdicts)

    @property
    def alike(self) -> int:
        """The number of our figures that are alike."""
        return self.judged - sum(len(v.apart) for v in self.verdicts)

    @property
    def missing(self) -> list[Row]:
        """The rows that have not been measured."""
        there = [v.row.program for v in self.verdicts]
        return [row for row in self.of.rows if row.program not in there]

    @property
    def legend(self) -> str:
        """The explanation of the table's marks."""
        how = "Ours (the paper's); * apart: "
        if all(m.kind == "class" for m in self.of.metrics if m.published):
            return how + "another class"
        return how + (
            f"by more than {ALIKE:g} times, and shares also by more than "
            f"{100 * ALIKE_POINTS:g} points"
        )

    def text(self) -> str:
        """Return the table, the legend, and the reasons for differences."""
        from textwrap import fill

        head = f"{self.of.title}\n{self.of.source}; conv on {self.of.machine}, scale {self.scale}"
        remarks = [
            fill(f"{name}: {text}", 100, subsequent_indent="    ") for name, text in self.remarks()
        ]
        legend = fill(f"{self.legend}. {self.of.note}", 100)
        lines = (*self.claim_lines(), self.summary)
        parts = (head, self.table().text(), legend, "\n".join(remarks), "\n".join(lines))
        return "\n\n".join(filter(None, parts))

    def markdown(self) -> str:
        """Return the same as Markdown."""
        lines = (*(f"{name}: {text}" for name, text in self.remarks()), *self.claim_lines())
        parts = (
            self.table().markdown(),
            f"{self.legend}. {self.of.note} {self.summary}.",
            "\n".join(f"- {line}." for line in lines),
        )
        return "\n\n".join(filter(None, parts))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
        return {
            "experiment": self.of.name,
            "title": self.of.title,
            "source": self.of.source,
            "scale": self.scale,
            "machine": self.of.machine,
            "policy": "conv",
            "note": self.of.note,
            "alike": self.alike,
            "judged": self.judged,
            "rows": [self._row(v) for v in self.verdicts],
            "claims": [
                {"text": claim.text, "holds": not against, "against": against}
                for claim, against in self.claims()
            ],
            "missing": [r.program for r in self.missing],
        }

    def _row(self, v: Verdict) -> dict[str, Any]:
        return {
            "program": v.row.program,
            "size": v.result.run.size,
            "ours": dict(v.ours),
            "paper": dict(v.row.figures),
            "apart": [m.key for m in v.apart],
            "verdict": v.word,
            "why": v.row.why,
            "cycles": v.result.stats.cycles,
            "digest": v.result.digest,
            "host_seconds": v.result.seconds,
        }


def characterisations() -> Iterator[Characterisation]:
    """Yield all characterisations, in the order of the papers."""
    for name in ("dws-tab1", "maws-tab2", "lwm-tab2"):
        yield load(name)


def load(name: str) -> Characterisation:
    """Load a table from its file."""
    text = resources.files(PACKAGE).joinpath("published", f"{name}.toml").read_text("utf-8")
    table = tomllib.loads(text)
    metrics = tuple(Metric(**m) for m in table["metrics"])
    published = [m.key for m in metrics if m.published]
    rows = tuple(
        Row(program, dict(zip(published, row["figures"], strict=True)), row.get("why", ""))
        for program, row in table["rows"].items()
    )
    claims = tuple(
        Claim(c["text"], c["key"], tuple(c.get("most", ())), c.get("than", ""))
        for c in table.get("claims", ())
    )
    return Characterisation(
        name, table["title"], table["source"], table["machine"], table["note"],
        metrics, rows, claims, table.get("size", {}),
    )  # fmt: skip
