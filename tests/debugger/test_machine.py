"""Registers and memory at any position, forwards and backwards, are those of a replay."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.debugger.machine import Machine

from .support.kernels import ON_CHIP


@pytest.fixture(params=["stack", "per-thread", "conv"])
def recording(request):
    kernel = simtlab.assemble(ON_CHIP).turn
    how: dict[str, Any] = (
        {"policy": "conv"} if request.param == "conv" else {"scheme": request.param, "warp": 2}
    )
    launch = simtlab.record(kernel, items=12, group_size=4, **how)
    return launch(np.arange(100, 112, dtype=np.uint32), np.zeros(12, np.uint32))


def contents(replay):
    return [a.copy() for a in replay.code.arrays()] + [b.host.copy() for b in replay.memory.buffers]


def words(machine, array):
    content = machine.global_bytes(array.address, 16)
    assert content is not None
    return content.view("u4").tolist()


def every_content(recording):
    """By position, from a replay that goes forward only."""
    replay = recording.replay()
    total = int(recording.issues["n"].sum())
    found = []
    for position in range(total + 1):
        for _ in replay.advance(position):
            pass
        found.append(contents(replay))
    return found


@pytest.mark.parametrize(
    ("interval", "most_bytes"), [(256, 1 << 28), (4, 1 << 28), (2, 4000), (1, 1)]
)
def test_a_machine_is_a_replay_at_every_position(recording, interval, most_bytes):
    expected = every_content(recording)
    machine = Machine(recording, interval=interval, most_bytes=most_bytes)
    rng = random.Random(1)
    places = [rng.randrange(len(expected)) for _ in range(60)]
    for position in [*places, *reversed(range(len(expected)))]:
        machine.seek(position)
        assert machine.position == position
        for a, b in zip(expected[position], contents(machine._replay), strict=True):
            np.testing.assert_array_equal(a, b)


def test_checkpoints_take_bounded_memory(recording):
    one = recording.replay()
    _ = one.code
    size = one.snapshot().size
    machine = Machine(recording, interval=1, most_bytes=5 * size)
    total = int(recording.issues["n"].sum())
    machine.seek(total)
    assert 2 <= len(machine.checkpoints) <= 5
    assert machine.checkpoints[0] == 0
    gaps = np.diff([*machine.checkpoints, total])
    assert max(gaps) <= 2 * min(gaps[:-1])


def test_writes_are_all_stores_in_their_order(recording):
    machine = Machine(recording)
    machine.seek(5)
    writes = machine.writes
    assert machine.position == 5, "looking at the writes does not move the machine"
    stores = writes.segment == 0
    y = next(b for b in recording.facts["buffers"] if b["name"] == "y")
    index = (writes.address[stores].astype(np.int64) - y["address"]) // 4
    assert sorted(index.tolist()) == list(range(12))
    assert (np.diff(writes.position) >= 0).all()
    group = writes.segment == 1
    assert sorted(set(writes.place[group].tolist())) == [0, 1, 2]
    assert (writes.segment == 2).sum() == 12


def test_several_launches_have_registers_of_their_own():
    """At the first position of a launch its registers are zero and the host's changes are there."""
    from simtlab.emu.device import Device
    from simtlab.recording.functional import FunctionalRecorder

    kernel = simtlab.assemble(ON_CHIP).turn
    recorder = FunctionalRecorder("twice")
    device = Device()
    x = np.arange(4, dtype=np.uint32)
    y = np.zeros(4, np.uint32)
    first, second = device.map(x, "x"), device.map(y, "y")
    launch = kernel.launch(items=4, group_size=4, warp=4, engine="interp", stats=True)
    launch.run_by(recorder.run, first, second)
    x[:] = [9, 8, 7, 6]
    launch.run_by(recorder.run, first, second)
    recording = recorder.finish()
    machine = Machine(recording, interval=3)
    n = int(recording.issues["n"].sum())
    for _ in range(2):
        machine.seek(n)
        assert words(machine, second) == [6, 7, 8, 9]
        machine.seek(n // 2)
        assert words(machine, first) == [9, 8, 7, 6]
        assert words(machine, second) == [3, 2, 1, 0]
        assert machine.register_bits("$s2", slice(0, 4)).tolist() == [0] * 4
        machine.seek(n // 2 - 1)
        assert machine.register_bits("$s2", slice(0, 4)).tolist() == [0, 1, 2, 3]
        assert words(machine, first) == [0, 1, 2, 3]
