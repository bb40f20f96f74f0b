"""Inputs of programs, kept for the runs that share them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...programs.index import Entry
from ...programs.runner import Inputs
from .own import errors_of
from .sources import digest_of

MOST_BYTES = 1 << 28
"""Bytes of inputs that a process keeps; the newest are kept in any case."""

_kept: dict[tuple[object, ...], Inputs] = {}


def inputs_of(entry: Entry, source: str, size: str, seed: int) -> Inputs:
    """Return the inputs of a program at a size and a seed; `source` digests what makes them.

    Raises UsageError where a user's file fails to make them.
    """
    key = (entry.name, entry.path, entry.parameters, source, size, seed)
    found = _kept.pop(key, None) or _made(entry, size, seed)
    _kept[key] = found  # the last one used is the last to go
    while len(_kept) > 1 and sum(inputs.bytes for inputs in _kept.values()) > MOST_BYTES:
        del _kept[next(iter(_kept))]
    return found


def _made(entry: Entry, size: str, seed: int) -> Inputs:
    with errors_of(entry):
        return Inputs(entry, size, seed)


def data_digest(data: Mapping[str, Any]) -> str:
    """Return a digest of arrays and numbers; of other values only their types count."""
    return digest_of(*(part for name, value in data.items() for part in (name, *_parts(value))))[
        :16
    ]


def _parts(value: Any) -> tuple[str | bytes, ...]:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return str(value.dtype), str(value.shape), np.ascontiguousarray(value).tobytes()
    if isinstance(value, (bool, int, float, str, np.generic)):
        return (repr(value),)
    if isinstance(value, (list, tuple)):
        return tuple(part for item in value for part in _parts(item))
    return (type(value).__qualname__,)
