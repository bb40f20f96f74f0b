"""Rows as a pandas DataFrame, where pandas is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..isa.errors import UsageError


def pandas() -> Any:
    """Return the module pandas. Raises UsageError if it is not installed."""
    try:
        import pandas
    except ImportError:
        raise UsageError(
            "tables as DataFrames need pandas, which is not installed",
            code="SIM520",
            hint="pip install 'simtlab[lab]'",
        ) from None
    return pandas


def frame_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return a DataFrame with a column for each key. Raises UsageError without pandas."""
    return pandas().DataFrame(list(rows))
