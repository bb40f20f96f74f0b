"""The registry of error codes: what `simtlab explain SIM104` prints.

Each entry for a source has a wrong and a right example; tests assemble both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from .entry import Entry

__all__ = ["Entry", "assembler_codes", "codes", "find"]


@cache
def assembler_codes() -> Mapping[str, Entry]:
    """Return the entries of sources and object files by code, in the order of the codes."""
    from .objects import ENTRIES as objects
    from .sources import ENTRIES as sources

    return {entry.code: entry for entry in (*sources, *objects)}


@cache
def codes() -> Mapping[str, Entry]:
    """Return every entry by its code."""
    from .command import ENTRIES as command
    from .launches import ENTRIES as launches

    return {**assembler_codes(), **{entry.code: entry for entry in (*launches, *command)}}


def find(code: str) -> Entry | None:
    """Return the entry of a code, in any case of letters."""
    return codes().get(code.upper())
