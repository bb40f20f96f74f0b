"""Stores wait for their line, as loads do, unless a buffer takes them (Q-DWS-5)."""

from __future__ import annotations

import pytest

from ...support.scenarios import Scenario, alu
from ...support.toy import Toy


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(("buffered", "cycles"), [(False, 2 + 9 + 3), (True, 5)])
def test_a_store_waits_for_its_line_unless_it_is_buffered(buffered, cycles, plain):
    # alu, st (a miss: ten cycles), two alu, ret
    store = Scenario(
        f"{alu(1)} st_global_u32 $s8, [$d0]\n {alu(2)} ret\n", width=2, lines={"d0": "ab"}
    )
    toy = Toy(store, plain=plain, store_buffer=buffered)
    assert toy.cycles == cycles
