"""Statistics from their JSON form, which a store of results keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from .lines import LineCount
from .mix import InstructionMix
from .races import StaleRead
from .samples import Interval, LaunchCount
from .statistics import Statistics

NAMES = tuple(f.name for f in fields(Statistics))


def stored_form(stats: Statistics) -> dict[str, Any]:
    """Return the counters for JSON, those of lines and races too, without derived values."""
    found = stats.counts()
    found["lines"] = [vars(line) for line in stats.lines]
    found["races"] = [vars(race) for race in stats.races]
    return found


def restored(form: Mapping[str, Any]) -> Statistics:
    """Return the statistics that `stored_form` was made of, after JSON. Raises ValueError."""
    try:
        found = {name: _tuples(form[name]) for name in NAMES}
        found["instruction_mix"] = InstructionMix(**form["instruction_mix"])
        found["launches"] = tuple(LaunchCount(**_row(row)) for row in form["launches"])
        found["intervals"] = tuple(Interval(**_row(row)) for row in form["intervals"])
        found["lines"] = tuple(LineCount(**row) for row in form["lines"])
        found["races"] = tuple(StaleRead(**row) for row in form["races"])
        return Statistics(**found)
    except (KeyError, TypeError) as problem:
        raise ValueError(f"these are not statistics: {problem}") from None


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _tuples(value) for key, value in row.items()}


def _tuples(value: Any) -> Any:
    """Return a value of JSON with tuples in the place of lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
