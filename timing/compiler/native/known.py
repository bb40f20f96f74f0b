"""What native code of an engine may know of the header that it is called with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

UNFIT = -1
"""What such code returns, having done nothing, if the header differs from what it knows."""


@dataclass(frozen=True)
class Known:
    """What is the same whenever an engine runs on one machine."""

    constants: Mapping[str, int]
    """The numbers of fields."""
    places: Mapping[str, int]
    """The offsets of tables from the header, in bytes."""


NOTHING_KNOWN = Known({}, {})
"""What the general code knows."""
