"""Stale reads on a machine without coherence, with their lines (MAWS-13, Q-MAWS-20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..simulation.simulator import Simulator


@dataclass(frozen=True)
class StaleRead:
    """A read of a word that another WPU had written since the last flush."""

    kernel: str
    file: str | None
    line: int | None
    text: str
    launch: int
    """From 1."""
    address: int
    """Simulated, of the word's first byte."""
    reader: int
    writer: int
    cycle: int

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.file else f"line {self.line}"
        return (
            f"{where if self.line else self.kernel}: `{self.text}` on WPU {self.reader} read "
            f"{self.address:#x}, which WPU {self.writer} wrote in the same launch"
        )


def stale_reads(simulator: Simulator) -> list[StaleRead]:
    """Return the first stale reads, one for each instruction and launch."""
    rows = simulator.state.rows.get("stale")
    if rows is None:
        return []
    launches = simulator.launch_counts
    found: dict[tuple[int, int], StaleRead] = {}
    for row in rows[: simulator.counters()["stale_read"]]:
        launch, number = int(row["launch"]), int(row["seg"])
        if (launch, number) in found:
            continue
        name = launches[launch - 1].kernel
        code = next(c for c in simulator.codes if c.kernel.name == name)
        pc = int(code.segments.table[number]["last_pc"])
        span = code.program.span(code.kernel, pc)
        text = code.program.line_of(code.kernel, pc)
        found[launch, number] = StaleRead(
            name,
            span.file if span else None,
            span.line if span else None,
            text,
            launch,
            *(int(row[field]) for field in ("address", "reader", "writer", "t")),
        )
    return list(found.values())
