"""Differences between two results, and between the runs that two stores have in common."""

from __future__ import annotations

from typing import Any

from ..isa.errors import UsageError
from .runs.result import Result, RunOutcome
from .store import Store


def differences(first: RunOutcome, second: RunOutcome) -> list[dict[str, Any]]:
    """Return the names and numbers in which two results differ, with the change as a ratio.

    Raises UsageError for a run without a result.
    """
    for outcome in (first, second):
        if not isinstance(outcome, Result):
            raise UsageError(f"{outcome.run} has no result: {outcome.message}", code="SIM500")
    assert isinstance(first, Result)
    assert isinstance(second, Result)
    before = {**first.run.names(), **first.fields, **first.numbers()}
    after = {**second.run.names(), **second.fields, **second.numbers()}
    return [
        {"name": name, "before": before.get(name), "after": after.get(name),
         "change": _change(before.get(name), after.get(name))}
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]  # fmt: skip


def changes(first: Store, second: Store) -> tuple[list[dict[str, Any]], int]:
    """Return the common runs of two stores that have other results, and the number of common ones.

    Runs are the same if their descriptions are: what they depend on may have changed. Where a store
    has several versions of a run, its newest counts.
    """
    before, after = _newest(first), _newest(second)
    common = [run for run in before if run in after]
    kept = ("digest", "error")
    found: list[dict[str, Any]] = []
    for run in common:
        old, new = before[run], after[run]
        if any(old[name] != new[name] for name in kept):
            cycles = old["cycles"], new["cycles"]
            found.append({"run": old["name"], "before": cycles[0], "after": cycles[1],
                          "change": _change(*cycles)})  # fmt: skip
    return found, len(common)


def _newest(store: Store) -> dict[str, dict[str, Any]]:
    rows = store.database.query(
        "SELECT run, program, size, seed, policy, machine, sets, cycles, digest, error "
        "FROM results ORDER BY finished_at"
    )
    return {row["run"]: {**dict(row), "name": _name(dict(row))} for row in rows}


def _name(row: dict[str, Any]) -> str:
    sets = row["sets"].strip("{}").replace('"', "").replace(":", "=").replace(",", ", ")
    where = f"{row['program']}, size {row['size']}, {row['policy']} on {row['machine']}"
    return f"{where}, {sets}" if sets else where


def _change(before: object, after: object) -> float | None:
    if isinstance(before, (int, float)) and isinstance(after, (int, float)) and before:
        return after / before
    return None
