"""Statistics from their JSON form, which a store of results keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from .statistics import Statistics


def stored_form(stats: Statistics) -> dict[str, Any]:
    """Return the counters for JSON, those of lines and races too, without derived values."""
    found = stats.counts()
    found["lines"] = [vars(line) for line in stats.lines]
    found["races"] = [vars(race) for race in stats.races]
    return found


def restored(form: Mapping[str, Any]) -> Statistics:
    """Return the statistics that `stored_form` was made of, after JSON. Raises ValueError."""
    try:
        return Statistics(**{name: make(form[name]) for name, make in _makers().items()})
    except (KeyError, TypeError) as problem:
        raise ValueError(f"these are not statistics: {problem}") from None


@cache
def _makers() -> dict[str, Callable[[Any], Any]]:
    """Return by field what makes its value of one of JSON."""
    hints = get_type_hints(Statistics)
    return {f.name: _maker(hints[f.name]) for f in fields(Statistics)}


def _maker(kind: Any) -> Callable[[Any], Any]:
    """Return the maker for a type: a number, a mapping, rows of a table, or one row."""
    if is_dataclass(kind):
        return lambda row: _row(kind, row)
    inner = get_args(kind)[0] if get_origin(kind) is tuple else None
    if is_dataclass(inner):
        return lambda rows: tuple(_row(inner, row) for row in rows)
    return _tuples


def _row(kind: Any, row: Mapping[str, Any]) -> Any:
    return kind(**{key: _tuples(value) for key, value in row.items()})


def _tuples(value: Any) -> Any:
    """Return a value of JSON with tuples in the place of lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
