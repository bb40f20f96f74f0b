"""The figures of the DWS paper. Means are harmonic, as the paper says of all of its own (3.2)."""

from __future__ import annotations

from ..study import ScaledStudy, Study
from .caches import caches
from .conv import figure_1
from .gains import dws_map
from .hardware import hardware
from .misses import figure_14
from .shapes import figure_18
from .variants import variants


def studies() -> list[Study | ScaledStudy]:
    """Return the paper's figures in its order; its Table 1 is a characterisation."""
    return [
        *figure_1(), *variants(), figure_14(), *caches(), *figure_18(), *hardware(), dws_map(),
    ]  # fmt: skip
