"""Runs and their store: simulated once, found again, in this process and in workers."""

from __future__ import annotations

import pytest

from simtlab.isa.errors import Outcome
from simtlab.lab import Failure, Result, Run, Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.db")


RUNS = [Run("basics/saxpy", "tiny", "toy", sets=(("wpus", n),)) for n in (1, 2)]


def test_a_run_is_simulated_once_and_found_again(store, monkeypatch):
    first = store.run(RUNS)
    assert [r.run for r in first] == RUNS
    assert first[0].result.cycles > first[1].result.cycles
    monkeypatch.setattr("simtlab.lab.workers.work.execute", None)  # nothing can be simulated
    assert store.run([*reversed(RUNS), RUNS[0]]) == [*reversed(first), first[0]]
    digests = [r.result.digest for r in first]
    assert [r.result.digest for r in Store(store.path).run(RUNS)] == digests
    assert store.find(RUNS[1]) == first[1]
    assert store.find(Run("basics/saxpy", "tiny", "toy", seed=1)) is None


def test_equal_work_under_two_names_is_done_once(store):
    width = store.run([Run("basics/saxpy", "tiny", "toy")])[0].fields["width"]
    plain, same = store.run(
        [Run("saxpy", "tiny", "toy"), Run("basics/saxpy", "tiny", "toy", sets=(("width", width),))]
    )
    assert plain.key == same.key
    assert same.run.values == {"width": width}
    assert len(store.database.query("SELECT key FROM results")) == 1


def test_failures_are_told_in_their_place(store):
    unknown = Run("basics/saxpi", "tiny")
    wrong = Run("lessons/barrier", "wrong", "toy")
    found = store.run([unknown, RUNS[0], wrong])
    assert [type(f) for f in found] == [Failure, Result, Failure]
    assert found[0].diagnostic.hint == "did you mean `basics/saxpy`?"
    assert (found[2].code, found[2].outcome, found[2].kept) == ("SIM405", Outcome.FINDING, True)
    again = store.run([wrong])[0]
    assert (again.message, again.kept) == (found[2].message, True)
