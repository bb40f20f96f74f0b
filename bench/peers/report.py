"""Tables of medians and ratios, as Markdown."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path

from .columns import COLUMNS, OTHER_TREE
from .rounds import Cell

BASE = "jit"
COMMAND = "bench/compare.py"
Cells = Mapping[tuple[str, str], Cell]


def table(corner: str, columns: list[str], rows: Mapping[str, list[str]]) -> str:
    """Markdown."""
    lines = [[corner, *columns], ["---", *("---:" for _ in columns)]]
    lines += [[name, *cells] for name, cells in rows.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def geometric(ratios: Iterable[float]) -> float:
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def best_ratios(kernels: list[str], by: Cells) -> dict[str, float]:
    """For each kernel the best peer's time as a multiple of simtlab's, where both are right."""
    ratios = {}
    for kernel in kernels:
        ours = by.get((kernel, BASE))
        peers = [
            c for name, column in COLUMNS.items() if column.peer and (c := by.get((kernel, name)))
        ]
        right = [cell.median for cell in peers if not cell.wrong]
        if ours and not ours.wrong and right:
            ratios[kernel] = min(right) / ours.median
    return ratios


def tree_ratios(kernels: list[str], by: Cells) -> dict[str, tuple[float, float, float]]:
    """For each kernel old time / new time, round by round: the quartiles."""
    ratios = {}
    for kernel in kernels:
        new, old = by.get((kernel, BASE)), by.get((kernel, OTHER_TREE))
        if new and old and not new.wrong and not old.wrong:
            each = [o / n for o, n in zip(old.seconds, new.seconds, strict=True)]
            low, middle, high = statistics.quantiles(each, n=4) if len(each) > 1 else each * 3
            ratios[kernel] = low, middle, high
    return ratios


def marks(command: str) -> tuple[str, str]:
    """The lines of a page between which the tables of a command are."""
    return f"<!-- {command}: begin -->", f"<!-- {command}: end -->"


def put_into(page: Path, text: str, command: str = COMMAND) -> None:
    """Replace what lies between a command's two marks. Raises ValueError without them."""
    first, last = marks(command)
    whole = page.read_text("utf-8")
    before, begin, rest = whole.partition(f"{first}\n")
    _, end, after = rest.partition(f"{last}\n")
    if not begin or not end:
        raise ValueError(f"{page} has no lines {first} and {last}")
    page.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", "utf-8")


def summary(ratios: Mapping[str, float], what: str) -> str:
    """The geometric mean and the least ratio."""
    worst = min(ratios, key=lambda kernel: ratios[kernel])
    mean = geometric(ratios.values())
    return (
        f"{what}: geometric mean {mean:.2f} over {len(ratios)} kernels;"
        f" worst {worst}, {ratios[worst]:.2f}."
    )


def report(cells: list[Cell], versions: Mapping[str, str], missing: Mapping[str, str]) -> str:
    """Median milliseconds, the ratios to the best peer and to another checkout, and notes."""
    kernels = list(dict.fromkeys(cell.kernel for cell in cells))
    columns = [*dict.fromkeys(cell.column for cell in cells), *missing]
    by = {(cell.kernel, cell.column): cell for cell in cells}
    best, trees = best_ratios(kernels, by), tree_ratios(kernels, by)

    def shown(kernel: str, column: str) -> str:
        cell = by.get((kernel, column))
        if cell is None:
            return "-"
        return "wrong" if cell.wrong else f"{cell.median * 1e3:.3g}"

    rows = {kernel: [shown(kernel, column) for column in columns] for kernel in kernels}
    heads = list(columns)
    if best:
        heads.append(f"best peer / {BASE}")
        for kernel, row in rows.items():
            row.append(f"{best[kernel]:.2f}" if kernel in best else "-")
    if trees:
        heads += [f"{OTHER_TREE} / {BASE}", "quartiles"]
        for kernel, row in rows.items():
            low, middle, high = trees.get(kernel, (math.nan,) * 3)
            row += [f"{middle:.3f}", f"{low:.3f}-{high:.3f}"]
    parts = ["Median milliseconds:", table("kernel", heads, rows)]
    peers = ", ".join(name for name, column in COLUMNS.items() if column.peer and name in columns)
    if best:
        parts.append(summary(best, f"Best of {peers} / {BASE}"))
    if trees:
        middles = {kernel: middle for kernel, (_, middle, _) in trees.items()}
        parts.append(summary(middles, f"{OTHER_TREE} / {BASE}"))
    parts.append("\n".join(f"- `{name}`: {version}" for name, version in versions.items()))
    notes = [f"- `{name}` is not here: {reason}" for name, reason in missing.items()]
    notes += [f"- {cell.kernel}, `{cell.column}`: {cell.wrong}" for cell in cells if cell.wrong]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])
