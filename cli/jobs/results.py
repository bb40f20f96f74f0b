"""The work of `simtlab results`."""

from __future__ import annotations

from pathlib import Path

from ...emu.text.tables import aligned
from ...isa.errors import UsageError
from ...lab.compare import changes, differences
from ...lab.database.export import check_export, write_rows
from ...lab.runs.result import Result
from ...lab.runs.sources import version_digest
from ...lab.store import Store
from ...lab.tables import cell
from .. import status
from ..output.output import print_error, print_json, print_rows

SHORT = 8
"""Digits of a key that a list shows."""

MOST = 1000
"""Lines of a list."""


def _open(name: str | None) -> Store:
    return Store(name, must_exist=True)


def list_results(name: str | None, where: str | None, *, json: bool) -> int:
    """Print a line for each result."""
    store = _open(name)
    rows = store.select(where)
    if json:
        print_json(rows)
        return status.DONE
    fields = [key for key in store.fields() if len({repr(row[key]) for row in rows}) > 1]
    columns = ("program", "size", "seed", "machine", "policy", *fields)
    lines: list[tuple[str, ...]] = [("key", *columns, "cycles", "finished at")]
    for row in rows[-MOST:]:
        names = [cell(row[column], ".4g") for column in columns]
        cycles = f"{row['cycles']:,}" if row["cycles"] is not None else str(row["error"])
        lines.append((row["key"][:SHORT], *names, cycles, row["finished_at"][:19]))
    print(aligned(lines, left=(*range(len(columns) + 1), len(columns) + 2)))
    left_out = len(rows) - MOST
    before = f", {left_out:,} of them before these lines" if left_out > 0 else ""
    print(f"\n{len(rows):,} results in {store.path}{before}")
    return status.DONE


def show_result(name: str | None, key: str, *, json: bool) -> int:
    """Print one result."""
    store = _open(name)
    outcome = store.load(key)
    if json:
        print_json(outcome.to_dict())
        return status.DONE
    kept = store.select(f"key = '{outcome.key}'")[0]
    rows = [("key", outcome.key), ("run", str(outcome.run))]
    if outcome.run.launch is not None:
        launch = outcome.run.launch.to_dict()
        rows.append(("launch", ", ".join(f"{k} = {v}" for k, v in launch.items())))
    rows.append(("finished at", f"{kept['finished_at'][:19]} on {kept['host']}"))
    is_current = kept["version"] == version_digest()
    rows.append(("simtlab", "these sources" if is_current else f"other sources: {kept['version']}"))
    print_rows(rows)
    if isinstance(outcome, Result):
        print(f"\n{outcome.stats}\n\n{outcome.annotate()}")
    else:
        print_error(outcome.error)
    return status.DONE


def query_results(name: str | None, query: str, *, json: bool) -> int:
    """Print the rows of a query."""
    rows = _open(name).sql(query)
    if json:
        print_json(rows)
    elif rows:
        is_text = [isinstance(value, str) for value in rows[0].values()]
        lines = [tuple(rows[0]), *(tuple(cell(v, ".4g") for v in row.values()) for row in rows)]
        print(aligned(lines, left=tuple(n for n, text in enumerate(is_text) if text)))
    return status.DONE


def export_results(name: str | None, where: str | None, out: str) -> int:
    """Write rows to a file."""
    path = check_export(out)
    rows = _open(name).select(where)
    if not rows:
        raise UsageError(
            "the store has no result to export",
            code="SIM500",
            hint="`simtlab results list` lists the results; --where may exclude all of them",
        )
    write_rows(rows, path)
    print(f"{len(rows):,} results in {path}")
    return status.DONE


def compare_results(name: str | None, first: str, second: str, *, json: bool) -> int:
    """Print what differs between two results, or between two stores."""
    if Path(first).is_file() and Path(second).is_file():
        found, common = changes(_open(first), _open(second))
        summary = f"{len(found):,} of {common:,} common runs differ"
        columns = ("run", "before", "after", "change")
    else:
        store = _open(name)
        found = differences(store.load(first), store.load(second))
        summary = f"{len(found):,} numbers differ"
        columns = ("number", first[:SHORT], second[:SHORT], "change")
    if json:
        print_json(found)
    else:
        lines = [columns, *(tuple(cell(v, ".4g") for v in row.values()) for row in found)]
        print(aligned(lines, left=(0,)) + "\n\n" + summary if found else summary)
    return status.FAILED if found else status.DONE


def prune_results(
    name: str | None, where: str | None, *, other_versions: bool, failed: bool, dry_run: bool
) -> int:
    """Remove results."""
    conditions = [f"({where})"] if where else []
    conditions += [f"version <> '{version_digest()}'"] if other_versions else []
    conditions += ["error IS NOT NULL"] if failed else []
    if not conditions:
        raise UsageError(
            "say which results are to be removed",
            code="SIM514",
            hint="--other-versions, --failed, or --where SQL",
        )
    store = _open(name)
    condition = " AND ".join(conditions)
    count = len(store.select(condition, "key")) if dry_run else store.remove(condition)
    print(f"{count:,} results {'would be' if dry_run else 'were'} removed from {store.path}")
    return status.DONE
