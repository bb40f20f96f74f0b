"""Rows as files: CSV, and Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...isa.errors import UsageError

ENDINGS = (".csv", ".parquet")


def check_export(name: str) -> Path:
    """Return the path of a table, or raise UsageError for one that cannot be written."""
    path = Path(name)
    if path.suffix not in ENDINGS:
        raise UsageError(f"a table is a file that ends in .csv or .parquet, not {name}",
                         code="SIM515")  # fmt: skip
    if path.suffix == ".parquet":
        _pyarrow()
    if path.is_dir():
        raise UsageError(f"{name} is a folder", code="SIM511", hint="name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"the folder {path.parent} does not exist", code="SIM511")
    return path


def write_rows(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write rows with a column for each key, whole or not at all. Raises UsageError."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        if path.suffix == ".parquet":
            _write_parquet(rows, columns, temporary)
        else:
            with temporary.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, columns)
                writer.writeheader()
                writer.writerows(rows)
        os.replace(temporary, path)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageError(f"cannot write {path}: {reason}", code="SIM511") from None
    finally:
        temporary.unlink(missing_ok=True)


def _write_parquet(rows: Sequence[Mapping[str, Any]], columns: list[str], path: Path) -> None:
    pyarrow = _pyarrow()
    from pyarrow import parquet

    table = pyarrow.table({name: _column([row.get(name) for row in rows]) for name in columns})
    parquet.write_table(table, path)


def _column(values: list[Any]) -> list[Any]:
    """Return values of one type: a field may be a number in one run and a word in another."""
    kinds = {type(v) for v in values if v is not None}
    if len(kinds) < 2:
        return values
    if kinds <= {int, float}:
        return [None if v is None else float(v) for v in values]
    return [None if v is None else str(v) for v in values]


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise UsageError(
            "Parquet files need pyarrow, which is not installed",
            code="SIM520",
            hint="pip install 'simtlab[parquet]', or export a .csv",
        ) from None
    return pyarrow
