"""Private memory at offsets of which few are possible, against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.memory.local import few_rows

from .....support.flows import kernel_of
from .....support.oracle_work import make
from ....support.against_oracle import assert_as_oracle

BODY = """\
    .private {type} m[24]
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s9, [%n]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
    ld_global_u32 $s1, [$d1]
    mov_u32 $s2, 0
@fill:
    add_u32 $s3, $s1, $s2
    st_private_u32 $s3, [m+$s2]
    add_u32 $s2, $s2, 4
    cmp_lt_u32 $c0, $s2, 96
    cbr $c0, @fill
    and_u32 $s4, $s1, {mask}
    shl_u32 $s4, $s4, {shift}               // one of few
    mov_u32 $s5, 0
    mov_u32 $s2, 0
@next:
    {offset}
    ld_private_u32 $s7, [m+$s6+{at}]
    mad_u32 $s5, $s5, 3, $s7
    add_u32 $s7, $s7, $s2
    and_u32 $s8, $s1, 16
    cmp_ne_u32 $c1, $s8, 0
    cbr $c1, @kept
    st_private_u32 $s7, [m+$s6+{at}]
@kept:
    add_u32 $s2, $s2, 1
    cmp_lt_u32 $c0, $s2, {trips}
    cbr $c0, @next
    mov_u32 $s2, 0
@sum:
    ld_private_u32 $s7, [m+$s2]
    mad_u32 $s5, $s5, 5, $s7
    add_u32 $s2, $s2, 4
    cmp_lt_u32 $c0, $s2, 96
    cbr $c0, @sum
    st_global_u32 $s5, [$d1]
"""
COUNTER = "shl_u32 $s8, $s2, 2\n add_u32 $s6, $s4, $s8"
USUAL = {"type": "u32", "mask": 3, "shift": 4, "offset": COUNTER, "at": 0, "trips": 4}
FEW = {
    "one of four": {"offset": "mov_u32 $s6, $s4", "at": 8},
    "and a counter": {},
    "and a product": {"offset": "mad_u32 $s6, $s2, 8, $s4"},
    "the other way round": {"offset": "shl_u32 $s8, $s2, 2\n add_u32 $s6, $s8, $s4"},
    "of two": {"mask": 1, "shift": 5},
    "after an offset": {"at": 32},
    "scaled at last": {
        "mask": 3,
        "shift": 2,
        "offset": "add_u32 $s6, $s4, $s2\n mul_u32 $s6, $s6, 2\n shl_u32 $s6, $s6, 1",
    },
}
OUTSIDE = 40
MANY = {
    "one of eight": {"mask": 7, "shift": 3},
    "some are outside": {"at": OUTSIDE},
    "in any iteration": {"trips": "$s9"},
    "fields of elements": {"type": "u64"},
}


def text(changes: dict[str, object]) -> str:
    body = BODY.format_map(USUAL | changes)
    if changes.get("type") == "u64":
        body = body.replace("    ld_private_u32 $s7, [m+$s2]", "    ld_private_u64 $d5, [m]\n"
                            "    ld_private_u32 $s7, [m+$s2]")  # fmt: skip
    return body


@pytest.mark.parametrize("width", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("name", ["one of four", "and a counter"])
def test_lanes_access_their_own_row(name: str, width: int) -> None:
    check(FEW[name], width)


@pytest.mark.parametrize("name", [*list(FEW)[2:], *MANY])
def test_other_sums(name: str) -> None:
    check((FEW | MANY)[name], 32)


def check(changes: dict[str, object], width: int) -> None:
    x = np.random.default_rng(4).integers(0, 1 << 32, 150, np.uint32)
    source = f"kernel k(global u32* %x, u32 %n) {{\n{text(changes)}    ret\n}}\n"
    own, expected = (
        make(source, [x.copy(), 3], items=150, group_size=64, width=width) for _ in range(2)
    )
    assert assert_as_oracle(own, expected) == (changes.get("at") == OUTSIDE)


@pytest.mark.parametrize("name", [*FEW, *MANY])
def test_rows_are_chosen_from_where_few_are_possible(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[object] = []
    access = few_rows.FewRows.access

    def noted(self: few_rows.FewRows, *args: Any) -> list[str]:
        found.append(args)
        return access(self, *args)

    monkeypatch.setattr(few_rows.FewRows, "access", noted)
    kernel = kernel_of(text((FEW | MANY)[name]))
    ir = generate(kernel, 0, Facts(32, (64, 1, 1), whole=True))
    assert bool(found) == (name in FEW)
    assert ("gather" in ir) == (name in MANY)
