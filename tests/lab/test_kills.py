"""A sweep that is killed goes on where it was: nothing finished is lost, or simulated again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simtlab.lab import Failure, Result, Run, Store
from simtlab.lab.database import claims
from simtlab.lab.driver import Watcher, drive
from simtlab.lab.workers.local import LocalPool

from .support.processes import alive, children_of

PATIENCE = 600
"""Seconds until what does not happen is a failure."""

SCRIPT = Path(__file__).parent / "support" / "forks.py"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX signals")

RUNS = [Run("lessons/nested", "tiny", sets=(("l2.hit_latency", 10 + i),)) for i in range(60)]

DEADLY = """
import os, signal
from simtlab.programs import find
from dataclasses import replace

def launch(launcher, data):
    os.kill(os.getpid(), signal.SIGKILL)

WORKLOAD = replace(find("lessons/nested").workload, launch=launch)
"""


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.db")


def test_twenty_kills_of_the_driver_lose_and_repeat_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path / "results.db", "400", "7"],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    seen = json.loads(done.stdout)
    assert (seen["kills"], seen["runs"], seen["results"]) == (20, 400, 400)
    assert seen["cut"] == 20  # all were in the middle
    assert 0 < seen["at_the_last_kill"] < 400
    assert seen["kept"]
    assert seen["all_dead"]  # claims of the dead do not block
    assert len(set(seen["digests"])) > 1


class Killer(Watcher):
    """Kills a worker after some runs have finished."""

    def __init__(self, after: list[int]) -> None:
        self.pool = LocalPool(2)
        self.after = after
        self.count = self.owed = 0
        self.killed: list[int] = []
        self.chance = random.Random(7)

    def finished(self, failure, *, elsewhere=False):
        # A run whose second worker was killed, too, is given up.
        assert failure is None or failure.code == "SIM553", failure
        self.count += 1
        self.owed += self.count in self.after
        worker = self.chance.choice(self.pool._workers)
        for pid in list(worker.executor._processes or ())[: self.owed]:
            if alive(pid):
                self.killed.append(pid)
                os.kill(pid, signal.SIGKILL)
                self.owed -= 1


def killed_workers(store: Store, after: list[int]) -> None:
    resolved, _ = store.resolve(RUNS)
    killer = Killer(after)
    given_up = drive(store.database, list(resolved.values()), killer.pool, killer, retry=False)
    assert len(given_up) <= len(after) // 2
    assert len(killer.killed) >= len(after) - 2  # the last ones may find no worker any more
    assert killer.count == len(RUNS)
    kept = {row["key"]: row["finished_at"] for row in store.select()}
    assert len(kept) == len(RUNS) - len(given_up)
    found = store.run(RUNS)
    after_all = {row["key"]: row["finished_at"] for row in store.select()}
    assert kept.items() <= after_all.items()
    assert all(isinstance(r, Result) for r in found)
    assert store.database.query("SELECT * FROM claims") == []


def test_a_killed_worker_costs_only_its_run(store):
    killed_workers(store, [5, 40])


@pytest.mark.slow
def test_twenty_killed_workers(store):
    killed_workers(store, list(range(2, 42, 2)))


def test_a_run_that_kills_two_workers_is_told_and_the_others_are_done(store, tmp_path):
    (tmp_path / "deadly.py").write_text(DEADLY)
    source = Path(sys.modules["simtlab"].__file__ or "").parent / "programs/lessons/nested.sasm"
    (tmp_path / "deadly.sasm").write_text(source.read_text())
    deadly = Run(str(tmp_path / "deadly.py"), "tiny")
    *good, bad = store.run([*RUNS[:6], deadly], workers=2)
    assert all(isinstance(r, Result) for r in good)
    assert isinstance(bad, Failure)
    assert (bad.code, bad.kept) == ("SIM553", False)
    assert store.find(deadly) is None  # it is tried again the next time


DRIVER = """
import signal, sys
from simtlab.lab import Run, Store
from simtlab.lab.driver import Watcher

class Paced(Watcher):
    count = 0

    def finished(self, failure, *, elsewhere=False):
        self.count += 1
        if self.count == 10:
            print("ten are finished", flush=True)
        while self.count == 100:  # in the middle, if the machine is so fast
            signal.pause()

runs = [Run("lessons/nested", "tiny", sets=(("l2.hit_latency", 10 + i),)) for i in range(200)]
Store(sys.argv[1]).run(runs, workers=2, watcher=Paced())
"""


def test_workers_end_with_a_killed_driver(tmp_path):
    path = tmp_path / "results.db"
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, path], stdout=subprocess.PIPE)
    assert driver.stdout is not None
    try:
        assert driver.stdout.readline() == b"ten are finished\n"
        children = children_of(driver.pid)
        assert len(children) >= 2
    finally:
        driver.kill()
        driver.wait()
        driver.stdout.close()
    deadline = time.monotonic() + PATIENCE
    while any(map(alive, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, children))
    before = len(Store(path).database.query("SELECT key FROM results"))
    assert 10 <= before < 200
    held = [row["owner"] for row in Store(path).database.query("SELECT owner FROM claims")]
    assert held
    assert all(map(claims.has_died, held))
