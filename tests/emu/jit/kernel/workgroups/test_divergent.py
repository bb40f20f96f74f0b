"""Barriers that some work-items do not reach, in the code of whole kernels.

A first launch of few work-items need not run it (tests/emu/test_divergent_barriers.py).
"""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.traps import Trap, TrapKind

from ....support.oracle_work import make
from ....test_divergent_barriers import BARRIERS


@pytest.mark.parametrize("items", [16, 48])
def test_a_barrier_that_not_all_come_to_traps(items: int) -> None:
    for name, text in BARRIERS.items():
        x = np.zeros(3, np.uint32)
        work = make(text, [x], items=items, group_size=16, width=8, budget=1000)
        with pytest.raises(Trap) as caught:
            execute(work)
        assert caught.value.record.kind is TrapKind.DIVERGENT_BARRIER, name
