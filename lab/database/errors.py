"""Errors of SQLite as messages about a store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...isa.errors import UsageError


class StoreError(UsageError):
    """A store of results cannot be used."""

    code = "SIM550"


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn errors of SQLite about the store at `path` into StoreErrors.

    Each change of a store is one transaction: it is kept whole or not at all.
    """
    try:
        yield
    except sqlite3.Error as problem:
        raise _error(path, problem) from None
    except UnicodeDecodeError:
        # Text of the file, or a message of SQLite that quotes the file.
        raise _damaged(path, "a text in it is not UTF-8") from None


def _damaged(path: Path, what: object) -> StoreError:
    return StoreError(
        f"the store {path} is damaged: {what}",
        hint="keep a copy and choose another one with --store; `sqlite3 FILE .recover` saves "
        "what can be read",
    )


def _error(path: Path, problem: sqlite3.Error) -> StoreError:
    code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return not_a_store(path)
    if code == sqlite3.SQLITE_CORRUPT:
        return _damaged(path, problem)
    if code == sqlite3.SQLITE_FULL:
        return StoreError(
            f"the store {path} cannot grow: {problem}",
            code="SIM511",
            hint="everything up to here is kept; make room and give the same command again",
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return StoreError(f"the store {path} cannot be written: {problem}", code="SIM511")
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"the store {path} cannot be opened: {problem}", code="SIM510")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError(
            f"another process has locked the store {path} for more than half a minute",
            hint="end it, or choose another store with --store",
        )
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(
            f"the store {path} cannot be read or written: {problem}",
            code="SIM511",
            hint="everything up to here is kept; the disk may be full",
        )
    return StoreError(f"the store {path}: {problem}")


def not_a_store(path: Path) -> StoreError:
    """Return the error for a file that is something else."""
    return StoreError(
        f"{path} is not a store of results; it is left as it is",
        hint="name a new file, or one that `simtlab sweep` has made",
    )
