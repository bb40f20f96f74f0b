"""Queries of a store: SQL over the view `runs`, which has a column for each number and field."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from ...isa.errors import UsageError, did_you_mean
from .database import Database
from .errors import guarded
from .schema import COLUMNS, NAMES, SHAPE, SINGLE, view

TAKEN = {*NAMES, *COLUMNS, *SINGLE} - {*SHAPE}
"""Names of the view that are no fields."""


class Queries:
    """A connection that only reads; its view `runs` has the fields that some run has replaced."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with guarded(database.path):
            self._connection = sqlite3.connect(database.path, timeout=30.0, isolation_level=None)
            self.fields = self._fields()
            self._connection.execute(view("runs", self.fields, temporary=True))
            self._connection.execute("PRAGMA query_only = ON")

    def _fields(self) -> tuple[str, ...]:
        """Return the fields of machines that runs have replaced, in order of name."""
        rows = self._connection.execute("SELECT DISTINCT sets FROM results").fetchall()
        return tuple(sorted({key for (text,) in rows for key in json.loads(text)} - TAKEN))

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Return the rows of a query. Raises UsageError for wrong SQL, and for one that writes."""
        try:
            with closing(self._connection.execute(sql, values)) as cursor:
                names = [column[0] for column in cursor.description or ()]
                return [dict(zip(names, row, strict=True)) for row in cursor]
        except (sqlite3.OperationalError, sqlite3.ProgrammingError, sqlite3.Warning) as problem:
            if getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF not in (
                sqlite3.SQLITE_ERROR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_MISUSE,
            ):  # fmt: skip
                with guarded(self.database.path):
                    raise
            raise self._mistake(problem) from None
        except (sqlite3.Error, UnicodeDecodeError):
            with guarded(self.database.path):
                raise
            raise  # never reached

    def _mistake(self, problem: Exception) -> UsageError:
        text = str(problem)
        missing = text.partition("no such column: ")[2]
        names = (*NAMES, *self.fields, *SINGLE, "energy_nj", "error", "digest", "host_seconds")
        return UsageError(
            f"this is not a query that a store answers: {text}",
            code="SIM515",
            hint=(did_you_mean(missing, names) if missing else "")
            or "the table is runs, as in SELECT policy, cycles FROM runs WHERE size = 'tiny'; "
            "`simtlab explain sweeps` has its columns",
        )

    def selected(self, where: str | None, columns: str = "*") -> list[dict[str, Any]]:
        """Return rows of `runs` for which a condition is true, in the order of their end."""
        condition = f" WHERE {where}" if where else ""
        return self.rows(f"SELECT {columns} FROM runs{condition} ORDER BY finished_at, key")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
