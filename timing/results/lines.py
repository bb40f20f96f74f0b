"""Counts by source line: instructions issued, divergence, and cycles by cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from ...emu.jit.segments.table import SegmentKind
from ...emu.text.tables import aligned
from ..compiler.launched import Code
from ..engine.causes import BANK, BARRIER, HIT, ISSUED, L2, MEMORY, MSHR, N_CAUSES, NAMES, READY

_OF_THE_ACCESS = (HIT, BANK, MSHR, L2, MEMORY, READY)
"""A warp that waits for one of these is at the access, the last instruction of its segment."""


@dataclass
class LineCount:
    """A source line of a kernel; without debug locations, an instruction."""

    kernel: str
    file: str | None
    line: int | None
    text: str
    warp_instructions: int = 0
    thread_instructions: int = 0
    divergent_branches: int = 0
    misses: int = 0
    """Accesses of which some lane missed."""
    divergent_misses: int = 0
    missed_lanes: int = 0
    cycles: dict[str, int] = field(default_factory=lambda: dict.fromkeys(NAMES, 0))
    """Of warps that issued or waited here, by cause."""

    @property
    def total(self) -> int:
        """Warp-cycles spent here."""
        return sum(self.cycles.values())

    def to_dict(self) -> dict[str, object]:
        """Return the fields for JSON, without causes of no cycle."""
        found = dict(vars(self))
        found["cycles"] = {name: n for name, n in self.cycles.items() if n}
        return found


def lines_of(code: Code) -> list[LineCount]:
    """Return the lines of a kernel, in the order of its code."""
    kernel, program, table = code.kernel, code.program, code.segments.table
    by_pc = _cycles_by_pc(code)
    sizes = table["n_instr"]
    runs, lanes = (np.repeat(code.seg_count[name], sizes) for name in ("runs", "lanes"))
    last = dict(zip(map(int, table["last_pc"]), code.seg_count, strict=True))
    found: dict[object, LineCount] = {}
    for pc in range(len(kernel.instructions)):
        span = program.span(kernel, pc)
        key = (span.file, span.line) if span else pc
        if key not in found:
            place = (span.file, span.line) if span else (None, None)
            found[key] = LineCount(kernel.name, *place, program.line_of(kernel, pc))
        line = found[key]
        line.warp_instructions += int(runs[pc])
        line.thread_instructions += int(lanes[pc])
        for name, cycles in zip(NAMES, by_pc[pc], strict=True):
            line.cycles[name] += int(cycles)
        if pc in last:
            counts = last[pc]
            line.divergent_branches += int(counts["n_div"])
            line.misses += int(counts["n_miss"])
            line.divergent_misses += int(counts["n_miss_div"])
            line.missed_lanes += int(counts["miss_lanes"])
    return list(found.values())


def _cycles_by_pc(code: Code) -> np.ndarray:
    """Return warp-cycles as int64 of shape (instructions, causes)."""
    table = code.segments.table
    cycles = code.seg_cycles["cycles"].reshape(-1, N_CAUSES)
    found = np.zeros((len(code.kernel.words), N_CAUSES), np.int64)
    for row, counts, spent in zip(table, code.seg_count, cycles, strict=True):
        first, last = int(row["first_pc"]), int(row["last_pc"])
        access = row["kind"] == SegmentKind.ACCESS
        found[first : last + 1, ISSUED] += counts["runs"]
        for cause in range(N_CAUSES):
            if cause == ISSUED or not spent[cause]:
                continue
            pc = last if access and cause in _OF_THE_ACCESS else first
            if cause == BARRIER:
                pc = max(0, first - 1)  # a waiting warp's pc is after the barrier
            found[pc, cause] += spent[cause]
    return found


def annotated(lines: Iterable[LineCount]) -> str:
    """Return the listing of --annotate: executions, mean lanes, share of warp-cycles, causes."""
    return "\n\n".join(
        _listing(kernel, list(found)) for kernel, found in groupby(lines, key=lambda x: x.kernel)
    )


def _listing(kernel: str, lines: list[LineCount]) -> str:
    everything = sum(line.total for line in lines)
    file = lines[0].file
    rows = [("line", "executions", "lanes", "cycles", "source")]
    for line in lines:
        n = line.warp_instructions
        mean = f"{line.thread_instructions / n:.1f}" if n else "-"
        share = f"{line.total / everything:.1%}" if everything else "-"
        rows.append((str(line.line or "-"), f"{n:,}", mean, share, line.text))
        if why := _why(line):
            rows.append(("", "", "", "", why))
    table = aligned(rows, left=(4,), least=(6, 11, 5, 6))
    return f"kernel {kernel}{f' ({file})' if file else ''}\n{table}"


def _why(line: LineCount) -> str:
    """Return what warps waited for at a line, and how often lanes diverged there."""
    parts: list[str] = []
    waits = sorted(
        ((n, name) for name, n in line.cycles.items() if name != "issued" and 100 * n > line.total),
        key=lambda pair: -pair[0],
    )
    waited = ", ".join(f"{name} {n / line.total:.0%}" for n, name in waits[:4])
    if waited and sum(n for n, _ in waits) * 50 > line.total:
        parts.append(f"^ {waited}")
    if line.divergent_branches:
        times = line.divergent_branches
        parts.append("diverged once" if times == 1 else f"diverged {times:,} times")
    if line.misses:
        misses = "1 miss" if line.misses == 1 else f"{line.misses:,} misses"
        parts.append(f"{misses}, {line.divergent_misses:,} divergent")
    return "; ".join(parts)
