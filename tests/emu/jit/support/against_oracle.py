"""Native code against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.oracle import oracle
from simtlab.emu.traps import Trap, TrapRecord


def assert_as_oracle(work: Work, expected: Work) -> bool:
    """Execute `work`, and compare its memory, or its trap, with what the oracle does to `expected`.

    Both are the same launch. Where work-items trap, the trap is one that the oracle has. Returns
    whether they do.
    """
    return assert_as_left(work, expected, oracle.run_past_traps(expected))


def assert_as_left(work: Work, expected: Work, records: list[TrapRecord]) -> bool:
    """Execute `work` and compare as `assert_as_oracle`, after `run_past_traps(expected)`."""
    traps = {(r.key, r.address) for r in records}
    for ours, theirs in zip(work.memory.buffers, expected.memory.buffers, strict=True):
        assert not np.shares_memory(ours.host, theirs.host), "both launches change the same array"
    if traps:
        with pytest.raises(Trap) as caught:
            execute(work)
        assert (caught.value.record.key, caught.value.record.address) in traps
        return True
    execute(work)
    for ours, theirs in zip(work.memory.buffers, expected.memory.buffers, strict=True):
        np.testing.assert_array_equal(ours.host, theirs.host)
    return False
