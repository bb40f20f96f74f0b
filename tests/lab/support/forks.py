"""Kills of a sweep at random moments: run as a script, which prints what it has seen as JSON.

The script has the engine in memory and forks, so that a sweep begins at once. The child is killed
with SIGKILL; between two of them the store is looked at. A child reports its progress, and waits
for its end before it has done too much: however fast the machine, all are killed at work, and
however slow, most have finished some runs.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

from simtlab.lab import Failure, Run, Store, simulate_run
from simtlab.lab.database.claims import has_died
from simtlab.lab.driver import Watcher

ROUNDS = 20

AHEAD = 12
"""Runs that a child may finish after it has reported that it shall be killed."""


class Paced(Watcher):
    """Writes a byte when some runs are finished, and lets the sweep stand still after some more."""

    def __init__(self, wanted: int, pipe: int) -> None:
        self.wanted, self.pipe = wanted, pipe
        self.count = 0

    def finished(self, failure: Failure | None, *, elsewhere: bool = False) -> None:
        self.count += 1
        if self.count == self.wanted:
            os.write(self.pipe, b".")
        while self.count >= self.wanted + AHEAD:
            signal.pause()


def runs(n: int) -> list[Run]:
    return [Run("lessons/nested", "tiny", sets=(("l2.hit_latency", 10 + i),)) for i in range(n)]


def rows(path: Path) -> dict[str, tuple]:
    """What is finished, read without simtlab, with when and in how long."""
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        try:
            found = connection.execute(
                "SELECT key, digest, finished_at, host_seconds, statistics FROM results"
            ).fetchall()
        except sqlite3.OperationalError:  # killed before the tables were there
            return {}
        return {key: tuple(rest) for key, *rest in found}


def main(path: Path, n: int, seed: int) -> None:
    chance = random.Random(seed)
    simulate_run(runs(1)[0])
    before: dict[str, tuple] = {}
    kills = cut = 0
    while kills < ROUNDS:
        wanted = chance.choice((0, 1, 2, 3, 4, 5))
        assert ROUNDS * (5 + AHEAD) < n
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            Store(path).run(runs(n), watcher=Paced(wanted, writing))
            os._exit(0)
        os.close(writing)
        if wanted:
            os.read(reading, 1)  # returns at the end of the child, too
        time.sleep(chance.uniform(0.0, 0.03) if wanted else chance.uniform(0.002, 0.12))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        os.close(reading)
        kills += 1
        cut += os.WIFSIGNALED(status)
        now = rows(path)
        assert all(now[key] == kept for key, kept in before.items()), "a finished run was changed"
        before = now
    with closing(sqlite3.connect(path)) as connection:
        owners = [owner for (owner,) in connection.execute("SELECT owner FROM claims")]
    started = time.monotonic()
    done = Store(path).run(runs(n))
    after = rows(path)
    print(
        json.dumps(
            {
                "kills": kills,
                "cut": cut,
                "at_the_last_kill": len(before),
                "kept": all(after[key] == kept for key, kept in before.items()),
                "left_claims": len(owners),
                "all_dead": all(map(has_died, owners)),
                "runs": len(done),
                "results": len(after),
                "seconds": time.monotonic() - started,
                "digests": [r.result.digest for r in done],
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
