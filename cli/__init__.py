"""The `simtlab` command. `main` is its entry point and imports the rest when it is called."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (default: the process's) and return its exit status.

    The statuses are listed in cli/status.py.
    """
    import sys

    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        from .guard import run

        return run(arguments)
    except KeyboardInterrupt:
        # During an import: nothing has run yet, and nothing of ours may be there to say so.
        if sys.stderr is not None:
            sys.stderr.write("interrupted\n")
        return 130
