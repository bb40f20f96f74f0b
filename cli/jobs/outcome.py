"""The outcome of a run: its launches and memory, as text and as JSON."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ...emu.checks import Coverage
from ...emu.engine import Interrupted
from ...emu.result import memory_digest
from ...emu.statistics import Statistics
from ...emu.traps import Trap
from ...isa.errors import SimtError
from ...isa.program import Program
from ...programs.runner import PlainLauncher
from ..inputs.sources import Listings
from ..options.launch import Dims
from ..options.settings import DEFAULT_BLOCK
from ..output.lines import ExecutedLine, count_lines, lines_text
from .coverage import Covered, covered

if TYPE_CHECKING:
    from ...emu.check.checker import Checker
    from ...emu.check.finding import Report
    from ..output.progress import Progress


@dataclass
class Outcome:
    """One run of a file or a program, as it is reported.

    `asked` is the engine of the command line, `stop` the error that ended the run early. `facts`
    are further keys of the JSON form, `rows` further lines of the text, `listings` what --dump kept
    for JSON. `wants_counts` and `wants_lines` ask for every count, and for counts by source line.
    """

    launcher: PlainLauncher
    program: Program
    asked: str
    listings: Listings
    checked: bool = False
    kernel: str = ""
    stop: SimtError | None = None
    coverage: Coverage | None = None
    checker: Checker | None = None
    wants_counts: bool = False
    wants_lines: bool = False
    facts: dict[str, object] = field(default_factory=dict)
    rows: list[tuple[str, str]] = field(default_factory=list)
    default_block: Dims = DEFAULT_BLOCK

    def keeps(self, error: SimtError) -> bool:
        """Return whether a run that this error ended still reports what was counted."""
        return isinstance(error, Interrupted) or (
            self.checker is not None and isinstance(error, Trap)
        )

    def voids(self, error: SimtError) -> bool:
        """Return whether an error makes what was counted worthless: the text leaves it out."""
        return False

    def watch(self, progress: Progress) -> None:
        """Let `progress` show more of a run while it is running."""

    def listing(self) -> str:
        """Return the text that is printed after the rows."""
        return lines_text(self.lines) if self.lines is not None else ""

    @cached_property
    def lines(self) -> list[ExecutedLine] | None:
        """Counts by source line, once the run has ended; None if they are not wanted."""
        return count_lines(self.program, self.launcher.results) if self.wants_lines else None

    @property
    def scheme(self) -> str | None:
        """The divergence scheme; None for the oracle, which has none."""
        return None if self.launcher.engine == "oracle" else self.launcher.scheme

    @property
    def interrupted(self) -> Interrupted | None:
        """The error that ended the run, if the user interrupted it."""
        return self.stop if isinstance(self.stop, Interrupted) else None

    @property
    def statistics(self) -> Statistics | None:
        """All launches added up, or None where nothing was counted."""
        found = [r.statistics for r in self.launcher.results]
        found += [self.interrupted.statistics] if self.interrupted is not None else []
        counted = [s for s in found if s is not None]
        return sum(counted[1:], counted[0]) if counted else None

    @property
    def host_seconds(self) -> float:
        """Time in the engine: of all launches, also of one that did not finish."""
        begun = self.stop.seconds if self.stop is not None else 0.0
        return begun + sum(r.host_seconds for r in self.launcher.results)

    @property
    def engine(self) -> str:
        """The engines that ran: the JIT leaves some kernels to the interpreter."""
        found = dict.fromkeys(r.engine for r in self.launcher.results)
        return ", ".join(found or [self.launcher.engine or self.asked])

    @property
    def kernels(self) -> list[str]:
        """The kernels that were launched, in the order of their first launch."""
        return list(dict.fromkeys(self.launcher.started or [self.kernel]))

    def counts(self) -> dict[str, int | float | None]:
        """Return the statistics; None for every one if nothing was counted."""
        if self.statistics is not None:
            return dict(self.statistics.to_dict())
        return dict.fromkeys(Statistics().to_dict())

    @property
    def covered(self) -> list[Covered]:
        """How much of each array was written, in the order in which kernels took them."""
        coverage, arrays = self.coverage, self.launcher.arrays
        return [covered(coverage, array) for array in arrays] if coverage is not None else []

    @cached_property
    def report(self) -> Report | None:
        """What the checker has found, once the run has ended; None if none was asked for."""
        return self.checker.report() if self.checker is not None else None

    @property
    def memory_digest(self) -> str:
        """Over the final memory: equal for every engine and scheme."""
        return memory_digest(self.launcher.device.memory)

    @property
    def digest(self) -> str:
        """Eight digits over memory and statistics: equal on every host, whatever its speed."""
        content = json.dumps([self.memory_digest, self.counts()])
        return f"{zlib.crc32(content.encode()):08x}"

    @property
    def compiling_seconds(self) -> float:
        """The part of `host_seconds` that compiled native code."""
        return min(self.launcher.compiling, self.host_seconds)

    def host_text(self) -> str:
        """Return the time in the engine; with that of compiling, where it counts."""
        spent = self.compiling_seconds
        part = f", compiling {spent:.3f} s" if spent >= 0.05 * self.host_seconds > 0 else ""
        return f"{self.host_seconds:.3f} s{part}"

    def to_dict(self) -> dict[str, object]:
        """Return the outcome for --json."""
        found: dict[str, object] = {
            "kernel": self.kernels[0],
            "kernels": self.kernels,
            "engine": self.engine,
            "scheme": self.scheme,
            "knobs": dict(self.launcher.knobs),
            "warp": self.launcher.warp,
            "threads": self.launcher.threads,
            "launches": len(self.launcher.results),
            **self.facts,
            **self.counts(),
            "checked": self.checked,
            "memory_digest": self.memory_digest,
            "digest": self.digest,
            "host_seconds": self.host_seconds,
            "compiling_seconds": self.compiling_seconds,
            **self.listings.to_dict(),
        }
        if self.coverage is not None:
            found["coverage"] = [gap.to_dict() for gap in self.covered]
        if self.report is not None:
            found["check"] = self.report.to_dict()
        if self.lines is not None:
            found["lines"] = [line.to_dict() for line in self.lines]
        return found

    def text_rows(self) -> list[tuple[str, str]]:
        """Return label and value of each line of the text."""
        launcher, found = self.launcher, self.statistics
        scheme = f", scheme {self.scheme}" if self.scheme else ""
        knobs = "".join(f" {k}={str(v).lower()}" for k, v in launcher.knobs.items())
        instead = "" if self.engine == self.asked else f" in place of {self.asked}"
        threads = f", {launcher.threads} threads" if launcher.threads not in (1, "auto") else ""
        rows = [
            ("kernel" if len(self.kernels) == 1 else "kernels", ", ".join(self.kernels)),
            (
                "run by",
                f"{self.engine}{instead}{scheme}{knobs}, warps of {launcher.warp}{threads}",
            ),
            ("launches", self._launches()),
        ]
        if found is not None:
            rows += [
                ("warp-instructions", f"{found.warp_instructions:,}"),
                ("thread-instructions", f"{found.thread_instructions:,}"),
                ("activity factor", f"{found.activity_factor:.4f}"),
            ]
        if found is not None and self.wants_counts:
            rows += [
                ("branches", f"{found.branches:,}"),
                ("divergent branches", f"{found.divergent_branches:,}"),
                ("barriers", f"{found.barriers:,}"),
                ("pc comparisons", f"{found.pc_comparisons:,}"),
                ("deepest stack", f"{found.max_depth:,}"),
                ("warps", f"{found.warps:,}"),
            ]
        rows.append(("host time", self.host_text()))
        rows += self.rows
        if self.coverage is not None:
            rows.append(("written", "\n".join(map(str, self.covered)) or "no arrays"))
        if self.report is not None:
            rows.append(("check", "\n".join(self.report.lines())))
        rows.append(("digest", f"{self.digest} (memory {self.memory_digest})"))
        return rows

    def _launches(self) -> str:
        results = self.launcher.results
        if self.interrupted is not None:
            return f"{len(results):,}, and one that was interrupted"
        if len(results) != 1:
            return f"{len(results):,}"
        shape = results[0].geometry
        return (
            f"1, of {_count(shape.n_items, 'work-item')} in {_count(shape.n_groups, 'workgroup')}"
        )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"
