"""A replay goes to any position, and back to a snapshot; a warp is in its context to its end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.recording.replay import in_order

TWO_PATHS = """
kernel paths(global u32* %y) {
    .group u32 part[8]
    workitemabsid_u32  $s0, 0
    and_u32            $s1, $s0, 1
    cmp_eq_u32         $c0, $s1, 0
    cbr                $c0, @even
    add_u32            $s1, $s1, 10
@even:
    and_u32            $s2, $s0, 7
    mul_u32            $s2, $s2, 4
    st_group_u32       $s1, [part+$s2]
    cvt_u64_u32        $d0, $s0
    ld_kernarg_u64     $d1, [%y]
    mad_u64            $d1, $d0, 4, $d1
    st_global_u32      $s1, [$d1]
    ret
}
"""


@pytest.fixture(params=["stack", "conv"])
def recording(request):
    kernel = simtlab.assemble(TWO_PATHS).paths
    options: dict[str, Any] = {"scheme": "stack", "warp": 8}
    if request.param == "conv":
        options = {"policy": "conv"}
    return simtlab.record(kernel, items=40, group_size=8, **options)(np.zeros(40, np.uint32))


def contents(replay):
    return [a.copy() for a in replay.code.arrays()] + [b.host.copy() for b in replay.memory.buffers]


def test_a_snapshot_brings_back_registers_and_memory(recording):
    replay = recording.replay()
    total = int(recording.issues["n"].sum())
    for _ in replay.advance(total // 2):
        pass
    kept, values = replay.snapshot(), contents(replay)
    for _ in replay.advance(total):
        pass
    assert any((a != b).any() for a, b in zip(values, contents(replay), strict=True))
    replay.restore(kept)
    assert replay.position == total // 2
    for a, b in zip(values, contents(replay), strict=True):
        np.testing.assert_array_equal(a, b)
    for _ in replay.advance(total):
        pass
    assert replay.is_exact()


def test_every_instruction_belongs_to_the_warp_in_its_context(recording):
    """Also the `ret` after which the context is free for another warp."""
    times, rows, _ = in_order(recording)
    for t, row in zip(times.tolist(), rows.tolist(), strict=True):
        assert recording.occupant(int(recording.issues["warp"][row]), t) != (-1, -1)


def test_the_outcome_has_the_code_of_the_trap():
    kernel = simtlab.assemble("kernel k() {\n    trap 7\n}\n").k
    launch = simtlab.record(kernel, items=1, warp=1)
    with pytest.raises(simtlab.Trap):
        launch()
    assert launch.recording is not None
    assert launch.recording.facts["outcome"]["code"] == "SIM409"
