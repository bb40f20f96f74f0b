"""`simtlab results`: list, show, query, export, compare and remove kept results."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import status
from ..options.options import Json
from ..options.store import StoreFile, Where

Key = Annotated[
    str,
    typer.Argument(metavar="KEY", help="The key of a result, or its first digits."),
]


def overview(context: typer.Context) -> int:
    """Results of sweeps, as the store keeps them.

    For example:

      simtlab results list                        the runs that are kept
      simtlab results show 0715b4                 all numbers of one
      simtlab results export results.csv          a table of all
      simtlab results sql "SELECT policy, avg(cycles) FROM runs GROUP BY policy"
    """
    if context.invoked_subcommand is None:
        print(context.get_help())
    return status.DONE


def list_(store: StoreFile = None, where: Where = None, json: Json = False) -> int:
    """List results, oldest first.

    For example:

      simtlab results list
      simtlab results list --where "program = 'dws/merge' AND cycles > 10000"
    """
    from ..jobs.results import list_results

    return list_results(store, where, json=json)


def show(key: Key, store: StoreFile = None, json: Json = False) -> int:
    """Print all numbers of a result, and what it depends on.

    For example:

      simtlab results show 0715b4
    """
    from ..jobs.results import show_result

    return show_result(store, key, json=json)


def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SELECT over the view runs.")],
    store: StoreFile = None,
    json: Json = False,
) -> int:
    """Print the answer to an SQL query. The view `runs` has a column for each number and field.

    For example:

      simtlab results sql "SELECT policy, avg(cycles) FROM runs GROUP BY policy"
    """
    from ..jobs.results import query_results

    return query_results(store, query, json=json)


def export(
    out: Annotated[
        str, typer.Argument(metavar="F.csv|F.parquet", help="The file; Parquet needs pyarrow.")
    ],
    store: StoreFile = None,
    where: Where = None,
) -> int:
    """Write results to a file, a row for each run.

    For example:

      simtlab results export results.parquet --where "machine = 'dws'"
    """
    from ..jobs.results import export_results

    return export_results(store, where, out)


def compare(
    first: Annotated[str, typer.Argument(metavar="KEY|STORE", help="A result, or another store.")],
    second: Annotated[
        str, typer.Argument(metavar="KEY|STORE", help="The result or store to compare it with.")
    ],
    store: StoreFile = None,
    json: Json = False,
) -> int:
    """Compare two results number by number, or the runs that two stores have in common.

    Two stores show what a change of simtlab, or of a file, has changed. The status is 1 if anything
    differs.

    For example:

      simtlab results compare 0715b4 59a26f
      simtlab results compare before.db after.db
    """
    from ..jobs.results import compare_results

    return compare_results(store, first, second, json=json)


def prune(
    store: StoreFile = None,
    where: Where = None,
    other_versions: Annotated[
        bool,
        typer.Option(
            "--other-versions",
            help="Results of another version of simtlab: its sources differ from these.",
        ),
    ] = False,
    failed: Annotated[bool, typer.Option("--failed", help="Runs that have failed.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would be removed, and remove nothing.")
    ] = False,
) -> int:
    """Remove results: those for which all of the given conditions hold.

    For example:

      simtlab results prune --other-versions --dry-run
      simtlab results prune --failed
      simtlab results prune --where "size = 'tiny'"
    """
    from ..jobs.results import prune_results

    return prune_results(
        store, where, other_versions=other_versions, failed=failed, dry_run=dry_run
    )


SUBCOMMANDS = {
    "list": list_, "show": show, "sql": sql, "export": export, "compare": compare, "prune": prune,
}  # fmt: skip
"""By the word that is typed."""
