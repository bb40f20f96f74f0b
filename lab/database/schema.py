"""Tables of a store, and their version."""

from __future__ import annotations

from dataclasses import fields

from ...timing.results.statistics import DERIVED, Statistics

APPLICATION = 0x53494D54  # "SIMT"
"""What marks an SQLite file as a store (PRAGMA application_id)."""

VERSION = 1
"""The version of the tables (PRAGMA user_version). An older store has an entry in MIGRATIONS."""

MIGRATIONS: dict[int, str] = {}
"""By version: the statements that make the next one of it."""

TABLES = """
CREATE TABLE configurations (
    digest TEXT PRIMARY KEY,
    fields TEXT NOT NULL            -- JSON: every field of the machine and setting of the policy
);
CREATE TABLE results (
    key TEXT PRIMARY KEY,           -- digest of all that the result depends on
    program TEXT NOT NULL,
    size TEXT NOT NULL,
    seed INTEGER NOT NULL,
    machine TEXT NOT NULL,
    policy TEXT NOT NULL,
    sets TEXT NOT NULL,             -- JSON: the fields that were replaced
    run TEXT NOT NULL,              -- JSON: the whole description of the run
    parts TEXT NOT NULL,            -- JSON: digests of program, inputs, machine, engine, simtlab
    configuration TEXT NOT NULL REFERENCES configurations(digest),
    simtlab TEXT NOT NULL,          -- version of simtlab
    error TEXT,                     -- code, of a run that fails every time
    diagnostic TEXT,                -- JSON
    cycles INTEGER,
    numbers TEXT,                   -- JSON: counts and derived values that are single numbers
    statistics BLOB,                -- JSON, compressed: every count
    memory_digest TEXT,
    digest TEXT,
    host_seconds REAL NOT NULL,
    host TEXT NOT NULL,
    finished_at TEXT NOT NULL       -- UTC
);
CREATE INDEX results_by_program ON results(program, policy);
CREATE TABLE claims (
    key TEXT PRIMARY KEY,           -- of a run that a process is about to simulate
    owner TEXT NOT NULL,
    expires REAL NOT NULL           -- seconds since 1970, when another process may take it
);
"""


def _is_number(name: str) -> bool:
    return vars(Statistics)[name].fget.__annotations__["return"] in ("int", "float")


COLUMNS = (
    "key", "program", "size", "seed", "machine", "policy", "sets", "run", "parts", "configuration",
    "simtlab", "error", "diagnostic", "cycles", "numbers", "statistics", "memory_digest", "digest",
    "host_seconds", "host", "finished_at",
)  # fmt: skip
"""Of the table `results`."""

SINGLE = (
    *(f.name for f in fields(Statistics) if f.type == "int"),
    *(name for name in DERIVED if _is_number(name)),
)
"""Names of the counts and derived values that are single numbers."""

SHAPE = ("wpus", "warps", "width")
"""Fields of every machine that are among the numbers, too."""

NAMES = ("key", "program", "size", "seed", "machine", "policy")
"""The columns of the view that say which run it is; those of its fields follow."""


def view(name: str, columns: tuple[str, ...], *, temporary: bool = False) -> str:
    """Return the statement for a view with a column for each number and for these fields."""
    numbers = [n for n in SINGLE if n not in ("cycles", *SHAPE)]
    kind = "TEMP VIEW" if temporary else "VIEW"
    fields = dict.fromkeys((*SHAPE, *columns))
    chosen = [
        *(f"r.{n}" for n in NAMES),
        *(f"json_extract(c.fields, '$.{quoted(key)}') AS {quoted(key)}" for key in fields),
        "r.cycles",
        *(f"json_extract(r.numbers, '$.{n}') AS {n}" for n in (*numbers, "energy_nj")),
        *(f"r.{n}" for n in ("error", "memory_digest", "digest", "host_seconds", "host")),
        "r.finished_at",
        "json_extract(r.parts, '$.simtlab') AS version",
        "r.sets",
    ]
    return (
        f"CREATE {kind} {name} AS SELECT {', '.join(chosen)} FROM results r "
        "JOIN configurations c ON c.digest = r.configuration"
    )


def quoted(name: str) -> str:
    """Return a name as SQL and paths into JSON write it."""
    return '"' + name.replace('"', "").replace("'", "") + '"'
