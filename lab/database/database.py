"""The database of a store: a file of SQLite that several processes use at once."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import claims
from .errors import StoreError, guarded, not_a_store
from .records import Record
from .schema import APPLICATION, COLUMNS, MIGRATIONS, TABLES, VERSION, view

BUSY_SECONDS = 30.0
"""Seconds to wait for another process that writes."""

IN_A_QUERY = 500
"""Keys that one query names at most: SQLite has a limit."""

WITH_FIELDS = (
    "SELECT r.*, c.fields FROM results r JOIN configurations c ON c.digest = r.configuration"
)


@dataclass(frozen=True)
class Claimed:
    """What became of keys that were to be claimed."""

    mine: list[str]
    """To be simulated by this process."""
    finished: list[str]
    """Simulated meanwhile."""
    busy: list[str]
    """Claimed by another process."""


class Database:
    """A store's file; made if it does not exist. Raises StoreError.

    A thread has a connection of its own, so that each may use the object.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.owner = claims.new_owner()
        self._local = threading.local()
        if path.is_dir():
            raise StoreError(f"{path} is a folder", hint="name a file in it", code="SIM510")
        with self._guarded():
            self._open()

    # --- the file

    def _open(self) -> None:
        connection = self._connection
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if (application, version) == (APPLICATION, VERSION):
            connection.execute("SELECT key FROM results LIMIT 1")  # a damaged file shows here
            return
        with self.changes() as connection:
            # Read again: another process may have made the tables since.
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            is_empty = not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
            if application == 0 and version == 0 and is_empty:
                _create(connection)
            elif application != APPLICATION:
                raise not_a_store(self.path)
            elif version > VERSION:
                raise StoreError(
                    f"the store {self.path} is of a newer simtlab: its tables have version "
                    f"{version}, this simtlab knows up to {VERSION}",
                    hint="update simtlab, or choose another store with --store",
                )
            else:
                self._migrate(connection, version)

    def _migrate(self, connection: sqlite3.Connection, version: int) -> None:
        while version < VERSION:
            if version not in MIGRATIONS:
                raise StoreError(
                    f"the store {self.path} is of an older simtlab: its tables have version "
                    f"{version}, which cannot be converted to {VERSION}",
                    hint="it is left as it is; choose another store with --store",
                )
            for statement in _statements(MIGRATIONS[version]):
                connection.execute(statement)
            version += 1
        connection.execute(f"PRAGMA user_version = {VERSION}")

    @property
    def _connection(self) -> sqlite3.Connection:
        found = getattr(self._local, "connection", None)
        if found is None:
            found = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
            found.row_factory = sqlite3.Row
            _check_kind(found, self.path)
            found.execute("PRAGMA journal_mode = WAL")
            # In this mode a killed process loses nothing; only a power cut may lose the last rows.
            found.execute("PRAGMA synchronous = NORMAL")
            self._local.connection = found
        return found

    def close(self) -> None:
        """Close the connection of this thread."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            self._local.connection = None
            with suppress(sqlite3.Error):
                connection.close()

    def _guarded(self) -> Any:
        return guarded(self.path)

    @contextmanager
    def changes(self) -> Iterator[sqlite3.Connection]:
        """Change the file in one transaction: all of it is kept, or nothing. Raises StoreError."""
        with self._guarded():
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def query(self, sql: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return all rows of a query. Raises StoreError."""
        with self._guarded(), closing(self._connection.execute(sql, values)) as cursor:
            return cursor.fetchall()

    # --- results

    def present(self, keys: Iterable[str]) -> set[str]:
        """Return those keys that have a result."""
        return {row["key"] for row in self.rows(keys, "SELECT r.key FROM results r")}

    def rows(self, keys: Iterable[str], select: str = WITH_FIELDS) -> Iterator[sqlite3.Row]:
        """Yield the rows of these keys, in any order."""
        wanted = list(keys)
        for first in range(0, len(wanted), IN_A_QUERY):
            part = wanted[first : first + IN_A_QUERY]
            yield from self.query(f"{select} WHERE r.key IN ({', '.join('?' * len(part))})", part)

    def save(self, records: Sequence[Record]) -> list[str]:
        """Keep records and give up their claims; return the keys that were not there before."""
        new: list[str] = []
        with self.changes() as connection:
            for record in records:
                connection.execute(
                    "INSERT OR IGNORE INTO configurations VALUES (?, ?)",
                    (record.configuration, record.fields),
                )
                places = ", ".join("?" * len(COLUMNS))
                names = ", ".join(COLUMNS)
                inserted = connection.execute(
                    f"INSERT OR IGNORE INTO results ({names}) VALUES ({places})", record.row
                )
                new += [record.key] * inserted.rowcount
                connection.execute("DELETE FROM claims WHERE key = ?", (record.key,))
        return new

    def remove(self, keys: Iterable[str]) -> None:
        """Remove results, and configurations that no result has any more."""
        with self.changes() as connection:
            connection.executemany("DELETE FROM results WHERE key = ?", [(key,) for key in keys])
            connection.execute(
                "DELETE FROM configurations WHERE digest NOT IN (SELECT configuration FROM results)"
            )

    def shrink(self) -> None:
        """Give the space of removed results back to the disk."""
        with self._guarded():
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # --- claims

    def claim(self, keys: Iterable[str], most: int) -> Claimed:
        """Claim up to `most` of these runs for this process, in their order.

        Keys after the last one that was claimed are in none of the lists.
        """
        found = Claimed([], [], [])
        now = time.time()
        with self.changes() as connection:
            for key in keys:
                if len(found.mine) >= most:
                    break
                if connection.execute("SELECT 1 FROM results WHERE key = ?", (key,)).fetchone():
                    found.finished.append(key)
                    continue
                row = connection.execute(
                    "SELECT owner, expires FROM claims WHERE key = ?", (key,)
                ).fetchone()
                if row is not None and row["expires"] > now and not claims.has_died(row["owner"]):
                    if row["owner"] != self.owner:
                        found.busy.append(key)
                        continue
                connection.execute(
                    "INSERT OR REPLACE INTO claims VALUES (?, ?, ?)",
                    (key, self.owner, now + claims.LEASE),
                )
                found.mine.append(key)
        return found

    def renew(self) -> None:
        """Let the claims of this process hold for another `LEASE`."""
        with self.changes() as connection:
            connection.execute(
                "UPDATE claims SET expires = ? WHERE owner = ?",
                (time.time() + claims.LEASE, self.owner),
            )

    def release(self, key: str | None = None) -> None:
        """Give up a claim of this process, or all of them."""
        with self.changes() as connection:
            connection.execute(
                "DELETE FROM claims WHERE owner = ? AND key = ifnull(?, key)", (self.owner, key)
            )


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a database of another program before its journal is touched."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    has_tables = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    if application != APPLICATION and (application or has_tables):
        connection.close()
        raise not_a_store(path)


def _create(connection: sqlite3.Connection) -> None:
    for statement in _statements(TABLES):
        connection.execute(statement)
    connection.execute(view("runs", ()))
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _statements(text: str) -> list[str]:
    return [part for part in text.split(";") if part.strip()]


def exists(path: Path) -> bool:
    """Return whether there is a file of this name."""
    return os.path.lexists(path)
