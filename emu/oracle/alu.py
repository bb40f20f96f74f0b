"""What every computing instruction gives, by row of the instruction table.

An operation takes the patterns of the sources in order, then the literals, then (`movhi`) the old
destination; it gives the pattern of the destination. Patterns are unsigned and as wide as the
register; b1 is 0 or 1. Integer division by zero raises `integers.DivideByZero`.
"""

from __future__ import annotations

from ...isa.functions import FUNCTIONS
from ...isa.table import TABLE, Row
from .compare import COMPARISONS, comparison
from .convert import conversion
from .elementary import elementary
from .floats import FLOAT
from .formats import FORMATS
from .integers import INTEGER, Operation


def _operation(row: Row) -> Operation | None:
    """Return a row's operation; None if it is a list of others or does more than compute."""
    if row.type is None:
        return None
    if row.source is not None:
        return conversion(row.type, row.source)
    if row.stem in COMPARISONS:
        return comparison(row.stem, row.type)
    if row.type.is_float and row.stem in FLOAT:
        return FLOAT[row.stem](FORMATS[row.type])
    if row.stem in INTEGER:
        return INTEGER[row.stem](row.type)
    return None


OPERATIONS: dict[str, Operation] = {
    row.name: operation for row in TABLE if (operation := _operation(row)) is not None
}
"""Operations by mnemonic."""

OPERATIONS.update(
    (row.name, elementary(FUNCTIONS[row.stem], OPERATIONS))
    for row in TABLE
    if row.stem in FUNCTIONS
)
