"""`simtlab.compare`, and what a comparison says of its contenders."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.engine import Interrupted
from simtlab.timing.compare import ComparedLaunch
from simtlab.timing.compiler.files import POLICIES
from simtlab.timing.results import chart
from simtlab.timing.results.comparison import Comparison, Contender
from simtlab.timing.simulation.simulator import Simulator

from ..support.kernels import SCALE

DOUBLE = SCALE.replace("kernel scale", "kernel double")
TWO = "conv,dws.branch-only"


def double(policies: Any = TWO, **options: Any) -> ComparedLaunch:
    """Doubles eight numbers on a toy machine, in a launch of two warps."""
    kernel = simtlab.assemble(DOUBLE)["double"]
    sets = {"memory": "ideal", **options.pop("set", {})}
    shape = {"items": 16, "group_size": 16, **options}
    return simtlab.compare(kernel, policies, machine="toy", set=sets, plain=True, **shape)


def test_every_policy_finds_the_arrays_as_they_were_given():
    x = np.arange(12, dtype=np.uint32)
    found = double()(12, x)
    np.testing.assert_array_equal(x, 2 * np.arange(12))
    assert [c.policy for c in found] == ["conv", "dws.branch-only"]
    assert found["conv"].memory_digest == found["dws.branch-only"].memory_digest
    assert not found.errors


def test_arrays_on_a_device_too():
    device = simtlab.Device()
    d = device.to_device(np.arange(12, dtype=np.uint32))
    assert not double()(12, d).errors
    np.testing.assert_array_equal(d.to_host(), 2 * np.arange(12))


def test_numbers_are_those_of_single_simulations():
    found = double()(12, np.zeros(12, np.uint32))
    kernel = simtlab.assemble(DOUBLE)["double"]
    for c in found:
        run = simtlab.simulate(kernel, machine="toy", policy=c.policy, set={"memory": "ideal"},
                               items=16, group_size=16, plain=True)  # fmt: skip
        alone = run(12, np.zeros(12, np.uint32))
        assert (c.stats, c.energy) == (alone.stats, alone.energy)
    slow = found["dws.branch-only"]
    assert slow.cycles > found["conv"].cycles
    assert found.speedup("dws.branch-only") == found["conv"].cycles / slow.cycles
    assert slow.stats is not None
    assert slow.stalled == 1 - slow.stats.issue_slots["issued"] / slow.cycles


def test_policies_by_object_the_baseline_and_settings():
    launch = double(
        [POLICIES["dws.branch-only"], "conv"], baseline="conv", set={"policy.branch-split": False}
    )
    found = launch(12, np.zeros(12, np.uint32))
    assert found.baseline == "conv"
    assert found.speedup("dws.branch-only") == 1.0  # it does not split any more


def test_a_trap_is_in_the_comparison():
    found = double()(12, np.zeros(8, np.uint32))
    assert {type(e) for e in found.errors.values()} == {simtlab.Trap}
    assert found.finished == ()
    assert found.speedup("conv") is None
    assert found["conv"].cycles > 0
    assert "error[SIM401]" in str(found)


def test_wrong_arguments_are_raised():
    with pytest.raises(simtlab.ArgumentError):
        double()(12, np.zeros(12))


def test_an_interruption_keeps_what_was_done(monkeypatch):
    advance = Simulator._advance

    def interrupted(self: Simulator, *launch: Any) -> int:
        if self.policy.name == "dws.branch-only":
            raise KeyboardInterrupt
        return advance(self, *launch)

    monkeypatch.setattr(Simulator, "_advance", interrupted)
    launch = double("conv,dws.branch-only,dws.lazy-split")
    with pytest.raises(Interrupted):
        launch(12, np.zeros(12, np.uint32))
    assert launch.comparison is not None
    assert [c.verdict for c in launch.comparison] == ["", "interrupted (SIM430)"]


def test_where_no_policy_can_run_the_reason_is_raised(tmp_path):
    file = tmp_path / "odd.py"
    file.write_text(f"EXTENDS = {POLICIES['conv'].files!r}\n\n\ndef on_nothing(S):\n    return 0\n")
    with pytest.raises(simtlab.UsageError, match="is no hook"):
        double(str(file))(12, np.zeros(12, np.uint32))
    found = double(["conv", str(file)])(12, np.zeros(12, np.uint32))
    assert [c.verdict for c in found] == ["", "cannot run (SIM610)"]


def test_a_contender_that_leaves_other_memory_than_the_baseline():
    stats = double()(12, np.zeros(12, np.uint32))["conv"]
    found = Comparison(
        [
            Contender("a", stats.stats, stats.energy, "1"),
            Contender("b", stats.stats, stats.energy, "2"),
            Contender("c", stats.stats, stats.energy, "2"),
        ],
        "b",
    )
    assert [c.verdict for c in found] == ["other memory (SIM421)", "", ""]
    assert "under a is not that under b" in str(found.errors["a"])


def test_bars_have_eighths_of_a_block():
    done = double()(12, np.zeros(12, np.uint32))["conv"]
    counted = done.stats
    assert counted is not None

    def of(policy: str, cycles: int) -> Contender:
        stats = dataclasses.replace(counted, cycles=cycles)
        return Contender(policy, stats, done.energy, "1")

    lines = Comparison([of("a", 100), of("b", 125), of("c", 10**6)], "a").bars().splitlines()
    assert lines[1:] == [
        "a  " + "█" * 40 + "  1.000",
        "b  " + "█" * 32 + " " * 8 + "  0.800",
        "c  " + "▏" + " " * 39 + "  0.000",
    ]
    lines = Comparison([of("a", 100), of("b", 90)], "a").bars().splitlines()
    assert lines[1] == "a  " + "█" * 36 + " " * 4 + "  1.000"
    lines = Comparison([of("a", 95), of("b", 90)], "a").bars().splitlines()
    assert lines[1] == "a  " + "█" * 37 + "▉" + " " * 2 + "  1.000"


def test_forms_of_a_comparison(tmp_path):
    found = double()(12, np.zeros(12, np.uint32))
    assert repr(found) == "<Comparison of conv, dws.branch-only>"
    assert "speedup over conv" in str(found)
    assert found._repr_html_().startswith("<pre>policy")
    pytest.importorskip("matplotlib")
    found.save_picture(tmp_path / "c.png", "a title")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_the_labels_of_a_picture_are_clear_of_bars_and_of_the_baselines_line(tmp_path, monkeypatch):
    figure_class = pytest.importorskip("matplotlib.figure").Figure
    drawn = []

    def figure(*args, **options):
        drawn.append(figure_class(*args, **options))
        return drawn[-1]

    monkeypatch.setattr(chart, "_matplotlib", lambda: figure)
    done = double()(12, np.zeros(12, np.uint32))["conv"]
    assert done.stats is not None
    cycles = {"a": 1000, "b": 1010, "c": 1066, "much.longer.name": 400, "e": 5000}
    contenders = [
        Contender(name, dataclasses.replace(done.stats, cycles=n), done.energy, "1")
        for name, n in cycles.items()
    ]
    Comparison(contenders, "a").save_picture(tmp_path / "c.png")
    left, right = drawn[0].axes
    labels = [text.get_window_extent() for text in left.texts]
    assert [text.get_text() for text in left.texts] == ["1.000", "0.990", "0.938", "2.500", "0.200"]
    assert all(box.x0 > left.get_window_extent().x1 for box in labels)
    assert all(box.x1 < right.get_window_extent().x0 for box in labels)


def test_a_picture_without_contenders(tmp_path):
    pytest.importorskip("matplotlib")
    double()(12, np.zeros(8, np.uint32)).save_picture(tmp_path / "c.png")
    assert (tmp_path / "c.png").exists()
