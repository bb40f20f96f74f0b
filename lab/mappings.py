"""DWS Table 1 and Figure 1a of the eight programs, under each mapping of tasks to work-items.

    python -m simtlab.lab.mappings table1
    python -m simtlab.lab.mappings fig1a --size small
    python -m simtlab.lab.mappings table1 --program lu --mapping row-tasks --set l1d.size=8KiB

All run Conv on machine `dws` and print Markdown. Results are compared with the references.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from ..isa.errors import SimtError
from ..programs.index import Entry, catalogue, find
from ..programs.mappings import MAPPINGS
from ..timing.results.statistics import Statistics
from .characterisation import FIGURES, Characterisation, Row, load
from .runs.execute import simulate_run
from .runs.run import Run
from .tables import Table

MACHINE, POLICY = "dws", "conv"

WIDTHS = (1, 2, 4, 8, 16)
"""The SIMD widths of Figure 1a."""

ORDERS: Mapping[str, str] = {"cyclic": "cyclic", "blocks": "blocks", "rows": "blocks"}
"""The mappings of Figure 1a: for grids, and for programs that have none."""


@dataclass(frozen=True)
class Selection:
    """What is measured: programs at a size, on machine `dws` with fields replaced.

    `mappings` and `data` choose among the variants of each program; empty means all.
    """

    entries: tuple[Entry, ...]
    size: str = "paper"
    sets: Mapping[str, str] = field(default_factory=dict)
    mappings: tuple[str, ...] = ()
    data: tuple[str, ...] = ()

    def variants(self, entry: Entry) -> Iterator[Entry]:
        """Yield the chosen variants of a program, data by data."""
        for data in entry.data_names:
            for mapping in entry.workload.mappings:
                if data in (self.data or (data,)) and mapping in (self.mappings or (mapping,)):
                    yield entry.variant(mapping, data)

    def measure(self, entry: Entry, **fields: str) -> Statistics:
        """Simulate a program under Conv, with further `fields` of the machine.

        Raises CheckFailed for a wrong result, UsageError for a size or a field that does not
        exist, and what a kernel raises.
        """
        print(*names(entry), self.size, *fields.values(), file=sys.stderr, flush=True)
        _, data, mapping = names(entry)
        variant = {"param.mapping": mapping, "param.data": data}
        sets = tuple({**self.sets, **fields, **variant}.items())
        return simulate_run(Run(entry.name, self.size, MACHINE, POLICY, sets)).stats


def programs() -> tuple[Entry, ...]:
    """Return the programs that have mappings."""
    return tuple(e for e in catalogue() if e.folder == "dws" and e.workload.mappings)


def names(entry: Entry) -> tuple[str, str, str]:
    """Return program, data and mapping of a row."""
    return entry.short, entry.data or entry.data_names[0], entry.mapping.name


@cache
def published() -> Characterisation:
    """Return the paper's Table 1."""
    return load("dws-tab1")


def table1(chosen: Selection) -> Iterator[Table]:
    """Yield Table 1, a part a program: a row for each variant, then the paper's.

    A star marks a figure that is unlike the paper's. The column `alike` counts the others,
    `waits` is the share of issue slots in which Conv waits for memory, and `cycles` is relative
    to the first row with the same data.
    """
    metrics = published().metrics
    columns = (
        "program", "data", "mapping", *(m.title for m in metrics), "alike", "waits", "cycles",
    )  # fmt: skip
    for entry in chosen.entries:
        row = next(r for r in published().rows if r.program == entry.name)
        cells: list[tuple[str, ...]] = []
        first: dict[str, int] = {}
        for variant in chosen.variants(entry):
            stats = chosen.measure(variant)
            usual = first.setdefault(variant.data, stats.cycles)
            figures, alike = _figures(stats, row)
            waits, time = f"{stats.memory_wait:.0%}", f"{stats.cycles / usual:.2f}"
            cells.append((*names(variant), *figures, str(alike), waits, time))
        paper = (m.shown(row.figures[m.key]) for m in metrics)
        yield Table(columns, (*cells, (entry.short, "", "the paper's", *paper, "", "", "")))


def _figures(stats: Statistics, row: Row) -> tuple[list[str], int]:
    """Return the cells of a row of Table 1, and how many are like the paper's."""
    texts: list[str] = []
    alike = 0
    for metric in published().metrics:
        ours = FIGURES[metric.key](stats)
        is_alike = metric.alike(ours, row.figures[metric.key])
        texts.append(metric.shown(ours) + ("" if is_alike else "*"))
        alike += is_alike
    return texts, alike


def fig1a(chosen: Selection) -> Iterator[Table]:
    """Yield Figure 1a, a part for each of `ORDERS`: times by SIMD width, relative to one lane.

    In brackets is the share of issue slots in which Conv waits for memory. The last row is the
    harmonic mean over all programs; those that an earlier part shows have no row of their own.
    Programs have the last of their data.
    """
    columns = ("program", "data", "mapping", *(f"width {w}" for w in WIDTHS), "rises")
    measured: dict[Entry, list[Statistics]] = {}
    for order, otherwise in ORDERS.items():
        if order not in (chosen.mappings or ORDERS):
            continue
        rows: list[tuple[str, ...]] = []
        every: list[list[float]] = []
        for entry in chosen.entries:
            mapping = order if order in entry.workload.mappings else otherwise
            variant = entry.variant(mapping, entry.data_names[-1])
            is_new = variant not in measured
            if is_new:
                measured[variant] = [chosen.measure(variant, width=str(w)) for w in WIDTHS]
            found = measured[variant]
            times = [s.cycles / found[0].cycles for s in found]
            every.append(times)
            pairs = zip(times, found, strict=True)
            cells = [f"{time:.3f} ({s.memory_wait:.0%})" for time, s in pairs]
            if is_new:
                rows.append((*names(variant), *cells, rise(times)))
        means = [len(every) / sum(1 / time for time in times) for times in zip(*every, strict=True)]
        shown = (f"{mean:.3f}" for mean in means)
        yield Table(columns, (*rows, ("harmonic mean", "", order, *shown, rise(means))))


def rise(times: Sequence[float]) -> str:
    """Return the first width that takes longer than the one before, or `no`."""
    pairs = zip(WIDTHS[1:], times[1:], times, strict=False)
    return next((f"at {width}" for width, time, before in pairs if time > before), "no")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m simtlab.lab.mappings",
        description="Print DWS Table 1 or Figure 1a under each mapping of tasks, as Markdown.",
    )
    parser.add_argument("what", choices=("table1", "fig1a"))
    parser.add_argument("--size", default="paper", help="size of the inputs (paper)")
    parser.add_argument("--program", action="append", default=[], help="only this one")
    parser.add_argument("--mapping", action="append", default=[], choices=MAPPINGS)
    parser.add_argument("--data", action="append", default=[], help="only this type of numbers")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="a field of the machine")  # fmt: skip
    chosen = parser.parse_args(arguments)
    sets = dict(word.partition("=")[::2] for word in chosen.set)
    try:
        entries = tuple(find(f"dws/{name}") for name in chosen.program) or programs()
        selection = Selection(entries, chosen.size, sets, tuple(chosen.mapping), tuple(chosen.data))
        parts = {"table1": table1, "fig1a": fig1a}[chosen.what](selection)
        for number, part in enumerate(parts):
            head, rule, *rows = part.markdown().splitlines()
            print("\n".join(rows if number else (head, rule, *rows)), flush=True)
    except SimtError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
