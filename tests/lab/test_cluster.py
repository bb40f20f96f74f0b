"""Sweeps through dask.distributed: a real scheduler with worker processes on this machine."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from simtlab.isa.errors import UsageError
from simtlab.lab import Failure, Result, Run, Store
from simtlab.lab.driver import Watcher
from simtlab.lab.workers import cluster

distributed = pytest.importorskip("distributed")

PATIENCE = 600
"""Seconds until what does not happen is a failure."""

RUNS = [Run("lessons/nested", "tiny", sets=(("l2.hit_latency", 10 + i),)) for i in range(40)]


class Cluster:
    """A scheduler and workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self._start("scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1",
                    "--scheduler-file", str(file))  # fmt: skip
        deadline = time.monotonic() + PATIENCE
        while not (file.exists() and file.read_text().strip()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]

    def add_worker(self) -> subprocess.Popen[bytes]:
        return self._start("worker", self.address, "--nthreads", "1", "--no-nanny",
                           "--no-dashboard", "--local-directory", str(self.folder))  # fmt: skip

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
        )  # fmt: skip
        self.processes.append(process)
        return process

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def running(tmp_path) -> Iterator[Cluster]:
    found = Cluster(tmp_path)
    try:
        yield found
    finally:
        found.close()


class At(Watcher):
    """Does something when a number of runs have finished, and keeps what was waited for."""

    def __init__(self, count: int, act) -> None:
        self.count, self.act = count, act
        self.done = 0
        self.texts: list[str] = []

    def finished(self, failure, *, elsewhere=False):
        self.done += 1
        if self.done == self.count:
            self.act()

    def waiting(self, text):
        if text and text not in self.texts:
            self.texts.append(text)


def test_a_worker_that_is_killed_costs_nothing_but_its_run(running, tmp_path):
    first, _ = running.add_worker(), running.add_worker()
    store = Store(tmp_path / "results.db")
    watcher = At(10, lambda: os.kill(first.pid, signal.SIGKILL))
    found = store.run(RUNS, scheduler=running.address, watcher=watcher)
    assert first.wait() == -signal.SIGKILL
    assert all(isinstance(r, Result) for r in found)
    assert watcher.done == len(RUNS)
    here = Store(tmp_path / "here.db").run(RUNS)
    assert [r.result.digest for r in here] == [r.result.digest for r in found]


@pytest.mark.slow
def test_a_scheduler_that_ends_is_one_message_and_loses_nothing(running, tmp_path):
    running.add_worker()
    store = Store(tmp_path / "results.db")
    scheduler = running.processes[0]
    with pytest.raises(UsageError, match="has gone") as caught:
        store.run(RUNS, scheduler=running.address, watcher=At(10, scheduler.kill))
    assert caught.value.first.code == "SIM552"
    kept = len(store.database.query("SELECT key FROM results"))
    assert 10 <= kept < len(RUNS)
    assert store.database.query("SELECT * FROM claims") == []
    assert len([r for r in store.run(RUNS) if isinstance(r, Result)]) == len(RUNS)


@pytest.mark.slow
def test_failures_come_back_from_a_cluster(running, tmp_path):
    running.add_worker()
    bad, good = Store(tmp_path / "results.db").run(
        [Run("lessons/barrier", "wrong"), RUNS[0]], scheduler=running.address
    )
    assert isinstance(bad, Failure)
    assert bad.code == "SIM405"
    assert isinstance(good, Result)


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("tcp://127.0.0.1:{silent}", "no scheduler answers at"),
        ("127.0.0.1", "is not the address of a scheduler"),
        ("nonsense://x:1", "is not the address of a scheduler"),
    ],
)
def test_a_scheduler_that_there_is_not_is_one_message(tmp_path, monkeypatch, address, text):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # kept, so that nothing else listens there
        address = address.format(silent=taken.getsockname()[1])
        monkeypatch.setattr(cluster, "SECONDS", 1.0)
        with pytest.raises(UsageError, match=text) as caught:
            Store(tmp_path / "results.db").run(RUNS[:1], scheduler=address)
    assert caught.value.first.code == "SIM552"


def test_what_is_left_of_a_client_is_collected_on_the_thread_that_asked(tmp_path):
    def clients() -> int:
        return sum(isinstance(one, distributed.Client) for one in gc.get_objects())

    gc.collect()
    before = clients()
    gc.disable()
    try:
        with pytest.raises(UsageError):
            Store(tmp_path / "results.db").run(RUNS[:1], scheduler="nonsense://x:1")
        assert clients() == before
    finally:
        gc.enable()
