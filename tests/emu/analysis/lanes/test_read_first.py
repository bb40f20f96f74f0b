"""Which bytes of private memory a work-item may load before it has stored there."""

from __future__ import annotations

import pytest

from simtlab import assemble
from simtlab.emu.analysis.flow import order
from simtlab.emu.analysis.lanes import read_first as tested
from simtlab.emu.analysis.lanes.read_first import read_first
from simtlab.emu.analysis.values import construction

FRAME = """
kernel k(global u32* %x, u32 %n) {{
    .private u32 own[{words}]
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    ld_kernarg_u64 $d0, [%x]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_global_u32 $s9, [$d0]
    cmp_lt_u32 $c1, $s9, $s1
    {body}
    st_global_u32 $s3, [$d0]
@done:
    ret
}}
"""

FILL = """
    mov_u32 $s2, 0
@fill:
    st_private_u32 $s9, [own+$s2]
    add_u32 $s2, $s2, 4
    cmp_lt_u32 $c0, $s2, {end}
    cbr $c0, @fill
"""


def needed(body: str, words: int = 8) -> list[int]:
    """The bytes, ascending."""
    kernel = assemble(FRAME.format(words=words, body=body))["k"].kernel
    code = kernel.instructions
    ssa = construction.build(code, order.build(code))  # loops have no copies here
    found = read_first(ssa, 4 * words)
    return [b for b in range(4 * words) if found >> b & 1]


def words(*numbers: int) -> list[int]:
    return [4 * n + b for n in numbers for b in range(4)]


LOAD = "\n ld_private_u32 $s3, [own+$s2]"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("st_private_u32 $s9, [own]\n ld_private_u32 $s3, [own]", [], id="stored"),
        pytest.param("ld_private_u32 $s3, [own+4]", words(1), id="not stored"),
        pytest.param(
            "st_private_u8 $s9, [own+1]\n ld_private_u32 $s3, [own]", [0, 2, 3], id="a byte of it"
        ),
        pytest.param(FILL.format(end=32) + "and_u32 $s2, $s9, 28" + LOAD, [], id="all stored"),
        pytest.param(
            FILL.format(end=16) + "and_u32 $s2, $s9, 28" + LOAD,
            words(4, 5, 6, 7),
            id="an unknown place after half of it",
        ),
        pytest.param(
            "and_u32 $s2, $s9, 28\n st_private_u32 $s9, [own+$s2]" + LOAD,
            words(*range(8)),
            id="an unknown place is stored to",
        ),
        pytest.param(
            "cbr $c1, @over\n st_private_u32 $s9, [own]\n @over:\n ld_private_u32 $s3, [own]",
            words(0),
            id="stored on one way",
        ),
        pytest.param(
            """cbr $c1, @other
            st_private_u32 $s9, [own]
            br @join
        @other:
            st_private_u32 $s1, [own]
        @join:
            ld_private_u32 $s3, [own]""",
            [],
            id="stored on both ways",
        ),
        pytest.param(
            FILL.format(end=8)
            + """
        @window:
            ld_private_u32 $s3, [own+$s2-8]
            ld_private_u32 $s4, [own+$s2-4]
            add_u32 $s3, $s3, $s4
            st_private_u32 $s3, [own+$s2]
            add_u32 $s2, $s2, 4
            cmp_lt_u32 $c0, $s2, 32
            cbr $c0, @window""",
            [],
            id="a window that moves along",
        ),
        pytest.param(
            FILL.format(end=8)
            + """
        @window:
            ld_private_u32 $s3, [own+$s2]
            st_private_u32 $s3, [own+$s2]
            add_u32 $s2, $s2, 4
            cmp_lt_u32 $c0, $s2, 32
            cbr $c0, @window""",
            words(*range(2, 8)),
            id="a window one step too far",
        ),
        pytest.param(
            "st_private_u32 $s9, [own]\n mov_u32 $s2, 64\n ld_private_u32 $s3, [own+$s2]",
            [],
            id="outside",
        ),
        pytest.param(
            """st_private_u32 $s9, [own]
            mov_u32 $s2, 0
        @some:
            ld_private_u32 $s3, [own]
            add_u32 $s2, $s2, 1
            cmp_lt_u32 $c0, $s2, $s1
            cbr $c0, @some""",
            words(*range(1, 8)),
            id="a loop of unknown length",
        ),
    ],
)
def test_bytes_that_are_needed(body: str, expected: list[int]) -> None:
    assert needed(body) == expected


def test_nothing_is_known_beyond_the_most_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    body = FILL.format(end=32) + "sub_u32 $s2, $s2, 4" + LOAD
    assert needed(body) == []
    monkeypatch.setattr(tested, "MOST_STEPS", 20)
    assert set(words(7)) <= set(needed(body))
