"""Every computing row of the table: the interpreter's arrays against the oracle's single values.

The two were written apart; this walk over the table is what ties them together.
"""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.interp.alu import LaneFault, dtype_of, implementation
from simtlab.emu.oracle.alu import OPERATIONS
from simtlab.emu.oracle.integers import DivideByZero
from simtlab.isa.table import BY_NAME, TABLE, Flags, Format, OperandKind, Row, Unit
from simtlab.isa.types import Type

CASES = 600


def bit_patterns(type_: Type, rng: np.random.Generator, count: int) -> np.ndarray:
    """Random register patterns with a good share of the values at which things change."""
    if type_.bits == 1:
        return rng.integers(0, 2, count).astype(bool)
    width = 64 if type_.bits == 64 else 32
    patterns = rng.integers(0, 1 << width, count, np.uint64, endpoint=False) if width < 64 else (
        rng.integers(0, np.iinfo(np.uint64).max, count, np.uint64, endpoint=True)
    )  # fmt: skip
    special = [
        0,
        1,
        2,
        3,
        (1 << width) - 1,
        (1 << width) - 2,
        1 << (width - 1),
        (1 << (width - 1)) - 1,
    ]
    special += [0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 31, 32, 33, 63, 64, 65]
    if type_.is_float:
        values = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 2.0**31, 
                  -(2.0**31), 2.0**32, 2.0**63, 2.0**64, 127.5, 255.5, 1e-45, 3.4e38, 1e300, 
                  1e-300, 5e-324]  # fmt: skip
        with np.errstate(all="ignore"):
            as_float = np.array(values).astype(type_.numpy)
        special += as_float.view(f"uint{width}").tolist()
        special += (
            [0x7F80_0001, 0xFFC1_2345] if width == 32 else [0x7FF0_0000_0000_0001, 0xFFF8 << 48 | 7]
        )
        # Neighbouring exponents, so that sums and fused products round.
        mantissa = rng.normal(size=count // 3).astype(type_.numpy).view(f"uint{width}")
        patterns[: count // 3] = mantissa
    chosen = rng.random(count) < 0.4
    patterns[chosen] = rng.choice(np.array(special, np.uint64), int(chosen.sum()))
    return patterns.astype(f"uint{width}")


def literal_choices(row: Row, rng: np.random.Generator) -> list[tuple[int, ...]]:
    kinds = [o.kind for o in row.literals]
    if kinds != [OperandKind.POS, OperandKind.LEN]:
        return [()]
    assert row.type is not None
    bits = row.type.bits
    choices = [(0, bits), (0, 1), (bits - 1, 1)]
    for _ in range(5):
        position = int(rng.integers(0, bits))
        choices.append((position, int(rng.integers(1, bits - position + 1))))
    return choices


COMPUTING = [
    row.name
    for row in TABLE
    if row.format is Format.ALU and row.unit not in (Unit.CONTROL, Unit.SYNC, Unit.ID)
]


@pytest.mark.parametrize("name", COMPUTING)
def test_the_interpreter_computes_what_the_oracle_computes(name):
    row = BY_NAME[name]
    rng = np.random.default_rng(row.number)
    types = [o.type for o in row.srcs]
    sources = [bit_patterns(t, rng, CASES) for t in types if t is not None]
    if Flags.READS_DST in row.flags:
        assert row.dst is not None
        assert row.dst.type is not None
        sources.append(bit_patterns(row.dst.type, rng, CASES))
        types.append(row.dst.type)
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
