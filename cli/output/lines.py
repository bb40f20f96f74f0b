"""Counts by source line (`run --lines`): executions and active lanes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ...emu.result import Result
from ...emu.text.tables import aligned
from ...isa.program import Kernel, Program


@dataclass
class ExecutedLine:
    """A line of a kernel: warp-instructions issued for it, and work-items active in them."""

    kernel: str
    file: str | None
    line: int | None
    text: str
    executions: int = 0
    lanes: int = 0

    def to_dict(self) -> dict[str, object]:
        """Return the line for --json."""
        return {
            "kernel": self.kernel,
            "file": self.file,
            "line": self.line,
            "text": self.text,
            "executions": self.executions,
            "lanes": self.lanes,
        }


def count_lines(program: Program, results: list[Result]) -> list[ExecutedLine]:
    """Return the lines of every launched kernel, in the order of the code.

    A line with several instructions (a macro, a 64-bit constant) has the sum of theirs. Without
    debug locations, an instruction is a line of its own.
    """
    counts: list[ExecutedLine] = []
    for kernel in program.kernels:
        totals = [
            (r.statistics.executions, r.statistics.lanes)
            for r in results
            if r.kernel == kernel.name and r.statistics is not None
        ]
        if totals:
            executions, lanes = (np.sum(column, axis=0) for column in zip(*totals, strict=True))
            counts += _lines_of(program, kernel, executions, lanes)
    return counts


def _lines_of(
    program: Program, kernel: Kernel, executions: np.ndarray, lanes: np.ndarray
) -> list[ExecutedLine]:
    found: dict[object, ExecutedLine] = {}
    for pc in range(len(kernel.instructions)):
        span = program.span(kernel, pc)
        key = (span.file, span.line) if span else pc
        if key not in found:
            file, line = (span.file, span.line) if span else (None, None)
            found[key] = ExecutedLine(kernel.name, file, line, program.line_of(kernel, pc))
        found[key].executions += int(executions[pc])
        found[key].lanes += int(lanes[pc])
    return list(found.values())


def lines_text(counts: list[ExecutedLine]) -> str:
    """Return the table that --lines prints."""
    parts: list[str] = []
    for kernel, lines in groupby(counts, key=lambda count: count.kernel):
        rows = [("line", "executions", "mean lanes", "source")]
        file = None
        for count in lines:
            file = file or count.file
            mean = f"{count.lanes / count.executions:.1f}" if count.executions else "-"
            rows.append((str(count.line or "-"), f"{count.executions:,}", mean, count.text))
        table = aligned(rows, left=(3,), least=(6, 11, 10))
        parts.append(f"\nkernel {kernel}{f' ({file})' if file else ''}\n{table}")
    return "\n".join(parts)
