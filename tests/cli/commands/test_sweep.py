"""`simtlab sweep` and `simtlab results`: an interrupt, failures, mistakes of the command line."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from simtlab.cli.output.sweep_progress import SweepProgress
from simtlab.lab.workers import work

SWEEP = """\
programs = ["lessons/nested"]
sizes = ["tiny"]

[fields]
"l2.hit_latency" = [10, 20, 30, 40]
"""


@pytest.fixture
def file(cli):
    Path("s.toml").write_text(SWEEP)
    return "s.toml"


def test_an_interrupt_keeps_what_is_done_and_the_next_sweep_goes_on(cli, file, monkeypatch):
    simulate = work.execute
    count = 0

    def interrupted(resolved, look=None):
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        return simulate(resolved, look)

    monkeypatch.setattr(work, "execute", interrupted)
    done = cli("sweep", file)
    assert done.status == 130
    assert done.rows["runs"] == "2 of 4 are done"
    assert done.out.count("not run") == 2
    monkeypatch.setattr(work, "execute", simulate)
    again = cli("sweep", file)
    assert again.status == 0
    assert again.rows["simulated"].startswith("2 in")


def test_a_run_that_fails_is_told_and_the_others_are_done(cli):
    Path("s.toml").write_text(SWEEP.replace("nested", "barrier").replace("tiny", "wrong"))
    done = cli("sweep", "s.toml")
    assert done.status == 1
    assert "SIM405" in done.out
    assert done.err.count("error[SIM405]") == 1
    assert "and 3 more with SIM405" in done.err


def test_combinations_that_cannot_be_are_listed(cli):
    text = (
        SWEEP.partition("[fields]")[0]
        + '[fields]\n"l1d.ways" = [3, 8]\n"l1d.size" = [24576, 32768]\n'
    )
    Path("s.toml").write_text(text)
    done = cli("sweep", "s.toml")
    assert done.status == 2
    assert done.rows["runs"] == "2 of 4 are done"
    assert "cannot run: " in done.out
    assert done.err.count("error[SIM601]") == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["none.toml"], "cannot read none.toml"),
        (["s.toml", "--workers", "0"], "workers must be a whole number from 1"),
        (["s.toml", "--workers", "many"], "--workers takes a whole number"),
        (["s.toml", "--workers", "2", "--scheduler", "tcp://x:1"], "exclude each other"),
        (["s.toml", "--out", "f.xlsx"], "ends in .csv or .parquet"),
        (["s.toml", "--out", "none/f.csv"], "the folder none does not exist"),
        (["s.toml", "--picture", "f.bmp"], "a picture is a file"),
        (["s.toml", "--store", "none/f.db"], "the folder none does not exist"),
        (["s.toml", "--store", "scale.sasm"], "is not a store of results"),
    ],
)
def test_mistakes(cli, file, words, text):
    done = cli("sweep", *words)
    assert done.status == 2
    assert text in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["list"], "does not exist"),
        (["lists"], "unknown command 'lists'"),
        (["show", "0", "--store", "scale.sasm"], "is not a store of results"),
        (["prune"], "say which results are to be removed"),
    ],
)
def test_mistakes_about_results(cli, words, text):
    done = cli("results", *words)
    assert done.status == 2
    assert text in done.err


def test_two_stores_are_compared(cli, file):
    cli("sweep", file, "--store", "a.db")
    cli("sweep", file, "--store", "b.db")
    same = cli("results", "compare", "a.db", "b.db")
    assert (same.status, same.out) == (0, "0 of 4 common runs differ\n")
    with closing(sqlite3.connect("b.db")) as connection:
        connection.execute("UPDATE results SET cycles = 2 * cycles, digest = 'x' WHERE rowid = 2")
        connection.commit()
    other = cli("results", "compare", "a.db", "b.db")
    assert other.status == 1
    assert "l2.hit_latency=20" in other.out
    assert other.out.endswith("1 of 4 common runs differ\n")


def test_progress_off_a_terminal_is_a_line_every_minute(capsys, monkeypatch):
    now = 5000.0
    monkeypatch.setattr("simtlab.cli.output.sweep_progress.time.monotonic", lambda: now)
    with SweepProgress() as progress:
        progress.begin(100, 40)
        for _ in range(3):
            now += 25
            progress.finished(None)
        assert capsys.readouterr().err == "43 of 100 runs: 2.4 runs/min, 23 min 45 s left\n"
        now += 59
        progress.finished(None)
        assert capsys.readouterr().err == ""
        now += 1
        progress.waiting("no worker has connected")
        printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("44 of 100 runs: 1.8 runs/min")
    assert printed.err.endswith(", no worker has connected\n")


def test_progress_has_rate_and_time_left():
    progress = SweepProgress()
    progress.begin(100, 40)
    assert progress.text(1.0) == "the first runs"
    for _ in range(20):
        progress.finished(None)
    progress.finished(None, elsewhere=True)
    assert progress.text(7.0) == "3.0 runs/s, 13 s left"
    progress.waiting("no worker has connected")
    assert progress.text(7000.0) == "0.2 runs/min, 3 h 36 min left, no worker has connected"
