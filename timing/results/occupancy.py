"""The occupancy of a WPU's scheduler slots and warp-split table (DWS-25)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..simulation.simulator import Simulator


@dataclass(frozen=True)
class Occupancy:
    """How many places of a WPU's table were in use."""

    size: int
    """Its places; 0 for no limit."""
    cycles: int
    """Places in use, summed over cycles."""
    most: int
    """The most places in use at once."""
    full: int
    """Cycles in which all places were in use; 0 without a limit."""

    @classmethod
    def of(cls, size: int, *columns: np.ndarray) -> tuple[Occupancy, ...]:
        """Return the occupancy of each WPU's table from columns of cycles, most and full."""
        return tuple(cls(size, *map(int, row)) for row in zip(*columns, strict=True))

    @staticmethod
    def text(tables: Sequence[Occupancy], mean: float, full: float) -> str:
        """Return in words how full the tables were, with their mean and their share of cycles."""
        most, size = max(t.most for t in tables), tables[0].size
        return f"{mean:.1f} of {size} in the mean, at most {most}; all in {full:.1%} of cycles"


def of_slots(simulator: Simulator) -> tuple[Occupancy, ...]:
    """Return the occupancy of each WPU's scheduler slots."""
    cores, size = simulator.state.rows["wpu"], simulator.machine.slots
    full = cores["slots_full"] if size else np.zeros_like(cores["slots_full"])
    return Occupancy.of(size, cores["scheduled_cycles"], cores["most_scheduled"], full)


def of_table(simulator: Simulator) -> tuple[Occupancy, ...]:
    """Return the occupancy of each WPU's warp-split table; nothing for a policy without one."""
    if "n_wst_full" not in simulator.composition.fields:
        return ()
    cores = simulator.state.rows["wpu"]
    columns = cores["entry_cycles"], cores["most_entries"], cores["entries_full"]
    return Occupancy.of(simulator.machine.wst_entries, *columns)
