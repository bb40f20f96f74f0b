"""Kernels under the checker: a launch of one workgroup or two, and what is found, by lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import simtlab
from simtlab.emu.check.finding import Report, Severity

ITEMS = 64


def report_of(
    source: str,
    *,
    groups: int | Sequence[int] = 1,
    items: int | Sequence[int] = ITEMS,
    arrays: Sequence[np.ndarray] | None = None,
    reruns: bool = False,
    unread: bool = False,
    **launch: Any,
) -> Report:
    """Check a launch of the only kernel; it takes some arrays, by default one of u32 zeros."""
    module = simtlab.assemble(source)
    (name,) = module.kernels
    given = [np.zeros(4 * ITEMS, np.uint32)] if arrays is None else arrays
    start = module[name].launch(groups=groups, group_size=items, **launch)
    return simtlab.check_run(start, *given, reruns=reruns, unread=unread)


def marks(source: str) -> dict[str, int]:
    """Return the numbers of the lines that end in a mark, as `// A`."""
    found = {}
    for number, line in enumerate(source.splitlines(), 1):
        mark = line.rpartition("// ")[2].strip()
        if "// " in line and len(mark) == 1:
            found[mark] = number
    return found


def found(source: str, **options: Any) -> set[str]:
    """Return findings as `SIM450 AB`: the code, and the marks of its lines in order.

    A warning is `(SIM451 AA)`, because it fails nothing.
    """
    names = {number: mark for mark, number in marks(source).items()}
    result = set()
    for finding in report_of(source, **options).findings:
        spans = [access.span for access in finding.accesses] or [finding.span]
        lines = sorted(names.get(span.line, "?") for span in spans if span is not None)
        text = f"{finding.code} {''.join(lines)}".strip()
        result.add(text if finding.severity is Severity.ERROR else f"({text})")
    return result
