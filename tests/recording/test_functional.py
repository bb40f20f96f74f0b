"""Recordings of the interpreter: what issues, states of the schemes, and values by replay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.programs.index import find
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.recording.functional import FunctionalRecorder
from simtlab.recording.history import History
from simtlab.recording.recording import Recording

from .support.diamond import DIAMOND, EXPECTED

SCHEMES = ("stack", "ipdom-explicit", "ppc", "ppc-explicit", "per-thread")


def recorded(name: str, scheme: str, **options: Any) -> tuple[Recording, PlainLauncher]:
    entry = find(name)
    recorder = FunctionalRecorder(name, **options)
    module = simtlab.assemble(entry.path)
    launcher = PlainLauncher(module, scheme=scheme, warp=8, executor=recorder.run, engine="interp")
    assert run_program(entry, launcher, size="tiny").error is None
    return recorder.finish(), launcher


def diamond(scheme: str = "stack") -> Recording:
    kernel = simtlab.assemble(DIAMOND)["diamond"]
    out = np.zeros(8, np.int32)
    found = simtlab.record(kernel, groups=1, group_size=8, warp=8, scheme=scheme)(out)
    assert out.tolist() == EXPECTED
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["dws/merge", "basics/bfs", "basics/histogram", "lwm/reduction"])
def test_a_replay_leaves_the_memory_of_the_run(name: str, scheme: str) -> None:
    found, launcher = recorded(name, scheme)
    assert found.values().is_exact
    counted = [r.statistics for r in launcher.results]
    assert len(found.issues) == sum(s.warp_instructions for s in counted if s is not None)
    lanes = sum(int(mask).bit_count() for mask in found.issues["mask"])
    assert lanes == sum(s.thread_instructions for s in counted if s is not None)


def test_values_are_those_of_the_lanes() -> None:
    found = diamond()
    end = found.registers(0, found.end - 1)
    assert end["$s2"].view(np.int32).tolist() == EXPECTED
    assert end["$c0"].tolist() == [True, False] * 4
    values = found.values()
    assert values.stored.tolist() == EXPECTED  # the only store
    assert np.diff(values.address[-8:]).tolist() == [4] * 7
    # The fall-through B runs first: then only odd lanes have computed $s2.
    first = int(found.issues["t"][found.issues["pc"] == 4][0])
    assert found.registers(0, first)["$s2"].tolist() == [0, 10, 0, 30, 0, 50, 0, 70]


def test_the_stack_of_a_diamond() -> None:
    found = diamond()
    h = History(found)
    everyone, odd, even = "11111111", "01010101", "10101010"
    assert h.issued == {
        0: f"{everyone}@A", 4: f"{odd}@B", 6: f"{even}@C", 8: f"{everyone}@D",
    }  # fmt: skip
    assert h.stack == {
        0: f"(A,-,{everyone})",
        3: f"(D,-,{everyone})(C,D,{even})(B,D,{odd})",
        5: f"(D,-,{everyone})(C,D,{even})",
        7: f"(D,-,{everyone})",
        12: "-",
    }
    assert [found.facts["instants"][i["kind"]] for i in found.tables["instant"]] == [
        "diverge", "join", "exit",
    ]  # fmt: skip
    diverge, join, _ = found.tables["instant"]
    assert (int(diverge["mask"]), int(diverge["other"])) == (0xFF, 0x55)
    assert (int(join["mask"]), int(join["other"])) == (0xFF, 0xAA)


def test_the_paired_paths_of_a_diamond() -> None:
    h = History(diamond("ppc"))
    pairs = [text for text in h.stack.values() if "|" in text]
    assert pairs[0] == "(B,01010101|C,10101010)"
    assert pairs[-1] == "(C,10101010|D,01010101)"


def test_the_pcs_of_threads_on_their_own() -> None:
    found = diamond("per-thread")
    state = found.state(0, 3)
    assert state["groups"] == [{"id": 0, "mask": "aa", "pc": 4, "status": "run"}]
    assert state["waiting"] == [["55", 6, "ready"]]


def test_a_file_holds_all_of_it(tmp_path: Any) -> None:
    found, _ = recorded("lwm/reduction", "ppc")
    found.save(tmp_path / "r.npz")
    again = Recording.load(tmp_path / "r.npz")
    assert again.facts == found.facts
    assert all((again.tables[name] == table).all() for name, table in found.tables.items())
    assert again.values().stored.tolist() == found.values().stored.tolist()


@pytest.mark.parametrize("damage", ["cut", "other", "version"])
def test_a_file_that_is_no_recording(damage: str, tmp_path: Any) -> None:
    path = tmp_path / "r.npz"
    found = diamond()
    if damage == "version":
        found.facts["version"] = 99
    found.save(path)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "other":
        np.savez(path, x=np.zeros(3))
    with pytest.raises(simtlab.UsageError) as error:
        Recording.load(path)
    assert "recording" in str(error.value)


def test_a_file_that_is_missing(tmp_path: Any) -> None:
    for read in (Recording.load, lambda path: simtlab.view(path, tmp_path / "page.html")):
        with pytest.raises(simtlab.UsageError, match=r"cannot read .*no\.npz") as error:
            read(tmp_path / "no.npz")
        assert error.value.first.code == "SIM510"


def test_a_window_and_a_limit() -> None:
    whole, _ = recorded("dws/merge", "stack")
    part, _ = recorded("dws/merge", "stack", begin=100, end=200)
    inside = whole.issues[(whole.issues["t"] >= 100) & (whole.issues["t"] < 200)]
    assert (part.begin, part.end) == (100, 200)
    assert part.issues.tolist() == inside.tolist()
    few, _ = recorded("dws/merge", "stack", most=50)
    assert len(few.issues) == 50
    assert few.facts["lost"] > 0


def test_a_trap_is_the_end_of_a_recording() -> None:
    kernel = simtlab.assemble(DIAMOND)["diamond"]
    launch = simtlab.record(kernel, groups=1, group_size=8, warp=8)
    with pytest.raises(simtlab.Trap):
        launch(np.zeros(3, np.int32))
    found = launch.recording
    assert found is not None
    assert found.facts["outcome"]["code"] == "SIM401"
    last = found.tables["instant"][-1]
    assert found.facts["instants"][last["kind"]] == "trap"
    assert int(last["mask"]) == 1 << 3  # the first lane whose element does not exist
