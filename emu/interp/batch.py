"""The state of a launch that the parts of the interpreter share."""

from __future__ import annotations

from dataclasses import dataclass

from ..engine import Work
from ..statistics import Statistics
from .resident import Resident
from .warps import Warps


@dataclass(frozen=True, slots=True)
class Batch:
    """The launch, and the workgroups of it that are resident: their memory, warps and counts."""

    work: Work
    resident: Resident
    warps: Warps
    statistics: Statistics
