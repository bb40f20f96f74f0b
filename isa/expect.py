"""Checks of values that callers pass to the Python face.

Each check returns the value in its plain form, or raises an error that says what it is the value
of, what was expected, and what was given.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np

from .errors import ArgumentError, SimtError, UsageError
from .quoting import shown


def whole(value: object, what: str, least: int, most: int) -> int:
    """Return a whole number of Python's or NumPy's in a range, but no bool and no span of time."""
    if not isinstance(value, (bool, np.bool_, np.timedelta64, np.ndarray)):
        try:
            number = index(value)  # pyright: ignore[reportArgumentType]
        except TypeError:
            pass
        else:
            if least <= number <= most:
                return number
    raise ArgumentError(
        f"{what} must be a whole number from {least:,} to {most:,}, not {shown(value)}",
        code="SIM309",
    )


def flag(value: object, what: str) -> bool:
    """Return True or False."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ArgumentError(f"{what} must be True or False, not {shown(value)}", code="SIM309")


def path(value: object, what: str, kind: str = "a path") -> str:
    """Return a path as a text."""
    if isinstance(value, (str, os.PathLike)):
        found = os.fspath(value)
        name = os.fsdecode(found) if isinstance(found, (str, bytes)) else ""
        if name and "\0" not in name and _can_be_encoded(name):
            return name
    raise UsageError(f"{what} must be {kind}, not {shown(value)}", code="SIM515")


def _can_be_encoded(name: str) -> bool:
    """Return whether the file system has a form for a name; lone surrogates have none."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True


def mapping(value: object, what: str, error: type[SimtError] = UsageError) -> Mapping[str, Any]:
    """Return a mapping whose keys are texts; an empty one for None."""
    if value is None:
        return {}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return value
    raise error(
        f"{what} must be a dictionary with texts for keys, not {shown(value)}", code="SIM515"
    )
