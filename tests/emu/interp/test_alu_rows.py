"""Every computing row of the table: the interpreter's arrays against the oracle's single values.

The two were written apart; this walk over the table is what ties them together.
"""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.interp.alu import LaneFault, dtype_of, implementation
from simtlab.emu.oracle.alu import OPERATIONS
from simtlab.emu.oracle.integers import DivideByZero
from simtlab.isa.table import BY_NAME, TABLE, Flags, Row
from simtlab.isa.types import Type

from ..support.alu_rows import COMPUTING, bit_patterns, literal_choices, source_types

CASES = 600


@pytest.mark.parametrize("name", COMPUTING)
def test_the_interpreter_computes_what_the_oracle_computes(name):
    row = BY_NAME[name]
    rng = np.random.default_rng(row.number)
    types = source_types(row)
    sources = [bit_patterns(t, rng, CASES) for t in types]
    for literals in literal_choices(row, rng):
        check(row, types, sources, literals)


def check(
    row: Row, types: list[Type], sources: list[np.ndarray], literals: tuple[int, ...]
) -> None:
    oracle = OPERATIONS[row.name]
    rows = list(zip(*(s.tolist() for s in sources), strict=True))
    expected = []
    faults = []
    for position, values in enumerate(rows):
        if Flags.READS_DST in row.flags:
            arguments = (*values[:-1], *literals, values[-1])
        else:
            arguments = (*values, *literals)
        try:
            expected.append(int(oracle(*map(int, arguments))))
        except DivideByZero:
            faults.append(position)
            expected.append(0)
    function = implementation(row, literals)
    views = [s.view(dtype_of(t)) for s, t in zip(sources, types, strict=True)]
    with np.errstate(all="ignore"):
        if faults:
            with pytest.raises(LaneFault) as caught:
                function(*views)
            assert caught.value.lanes.tolist() == faults
            keep = np.setdiff1d(np.arange(CASES), faults)
            views = [v[keep] for v in views]
            expected = [expected[i] for i in keep]
            rows = [rows[i] for i in keep]
        got = function(*views)
    assert row.dst is not None
    assert row.dst.type is not None
    got = np.broadcast_to(np.asarray(got), (len(expected),)).astype(dtype_of(row.dst.type))
    bits = got if got.dtype == bool else got.view(f"uint{got.dtype.itemsize * 8}")
    wrong = [i for i, (g, e) in enumerate(zip(bits.tolist(), expected, strict=True)) if int(g) != e]
    if wrong:
        i = wrong[0]
        pytest.fail(
            f"{row.name}{literals} of {[hex(v) for v in rows[i]]}: interpreter {int(bits[i]):#x}, "
            f"oracle {expected[i]:#x}; {len(wrong)} of {len(expected)} differ"
        )


def test_every_row_of_the_table_is_covered_by_one_of_the_kinds():
    """Nothing but control flow, memory and identity is left out of the walk above."""
    rest = {row.stem for row in TABLE if row.name not in COMPUTING}
    known = {
        "br", "cbr", "ret", "trap", "reconverge", "nop", "barrier", "memfence", "ld", "st", "lda",
        "clock",         "laneid", "waveid", "wavesize", "gridsize", "gridgroups",
    }  # fmt: skip
    prefixes = ("atomic_", "workitem", "workgroup", "currentworkgroup", "activelane")
    assert {stem for stem in rest - known if not stem.startswith(prefixes)} == set()
