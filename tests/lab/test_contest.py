"""`simtlab.compare` of a program by its name."""

from __future__ import annotations

from typing import Any

import pytest

import simtlab
from simtlab import UsageError

TINY: Any = {"machine": "dws", "size": "tiny"}


def test_a_program_is_compared_with_its_own_inputs():
    found = simtlab.compare("lessons/stragglers", "conv,dws.revive-split", **TINY)
    assert [c.policy for c in found] == ["conv", "dws.revive-split"]
    for c in found:
        alone = simtlab.simulate("lessons/stragglers", policy=c.policy, **TINY)
        assert (c.stats, c.energy, c.memory_digest) == (
            alone.stats,
            alone.energy,
            alone.memory_digest,
        )


def test_settings_are_for_the_policies_that_have_them():
    sets: Any = {"policy.pc-merge": False, "l2.hit_latency": 40, "param.mapping": "cyclic"}
    options: Any = {**TINY, "set": sets, "baseline": "dws.revive-split"}
    found = simtlab.compare("dws/filter", ["conv", "dws.revive-split"], **options)
    split = simtlab.simulate("dws/filter", policy="dws.revive-split", **{**TINY, "set": sets})
    assert found["dws.revive-split"].stats == split.stats
    assert split.stats.merges_pc == 0
    assert found.speedup("conv") == split.cycles / found["conv"].cycles


TRAPS = """\
kernel traps() {
    add_u32 $s0, $s0, 1
    trap    7
}
"""

WORKLOAD = """\
from simtlab.programs import Workload

def launch(launcher, data):
    launcher("traps", items=4, group_size=4)()

WORKLOAD = Workload("traps", "", {"tiny": {}}, lambda rng: {}, launch, lambda data: {})
"""


def test_a_program_that_traps_has_its_error_and_counts(tmp_path):
    (tmp_path / "own.sasm").write_text(TRAPS)
    (tmp_path / "own.py").write_text(WORKLOAD)
    found = simtlab.compare(tmp_path / "own.py", "conv,slip", size="tiny")
    assert [error.first.code for error in found.errors.values()] == ["SIM409", "SIM409"]
    assert [c.verdict for c in found] == ["trapped (SIM409)"] * 2
    assert all(c.cycles > 0 for c in found)


def test_what_a_program_does_not_take_is_refused():
    with pytest.raises(UsageError, match="it has launches of its own") as found:
        simtlab.compare("dws/merge", "conv", items=4)  # pyright: ignore[reportCallIssue, reportArgumentType]
    assert "it takes policies, baseline, size, seed" in str(found.value)
    with pytest.raises(UsageError, match="has no size 'huge'"):
        simtlab.compare("dws/merge", "conv", size="huge")
    with pytest.raises(UsageError, match="unknown program 'nothing'"):
        simtlab.compare("nothing", "conv")
    with pytest.raises(UsageError, match="expected a list of policies"):
        simtlab.compare("dws/merge", None)  # pyright: ignore[reportArgumentType, reportCallIssue]
