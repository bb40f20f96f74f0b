"""What the options of `sweep` and `results` change."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simtlab.lab.workers import local

from ..conftest import Cli, Done

SWEEP = """\
programs = ["lessons/nested"]
sizes = ["tiny"]
baseline = "conv"

[fields]
"l2.hit_latency" = [10, 20]

[plot]
x = "l2.hit_latency"
y = "cycles"
"""


def swept(cli: Cli, *arguments: str, text: str = SWEEP) -> Done:
    Path("s.toml").write_text(text)
    done = cli("sweep", "s.toml", *arguments)
    assert done.status == 0, done
    return done


def listed(cli: Cli, *arguments: str) -> list[dict[str, Any]]:
    return cli("results", "list", "--json", *arguments).json


def store(cli: Cli) -> None:
    assert "results.db" in swept(cli).rows["store"]
    assert swept(cli, "--store", "other.db").rows["store"] == "other.db"
    assert swept(cli, "--store", "other.db").rows["simulated"].startswith("0 in")
    key = listed(cli, "--store", "other.db")[0]["key"]
    for words in (
        ["list"], ["export", "f.csv"], ["show", key], ["sql", "SELECT 1"],
        ["compare", key, key], ["prune", "--failed"],
    ):  # fmt: skip
        assert cli("results", *words, "--store", "other.db").status == 0
        assert cli("results", *words, "--store", "none.db").status == 2


def workers(cli: Cli) -> None:
    asked: list[int] = []

    class Pool(local.LocalPool):
        def __init__(self, workers: int) -> None:
            asked.append(workers)
            super().__init__(workers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simtlab.lab.store.LocalPool", Pool)
        swept(cli, "--workers", "2")
    assert asked == [2]


def scheduler(cli: Cli) -> None:
    Path("s.toml").write_text(SWEEP)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simtlab.lab.workers.cluster.SECONDS", 0.5)
        done = cli("sweep", "s.toml", "--scheduler", "tcp://127.0.0.1:9")
    assert done.status == 2
    assert "no scheduler answers at tcp://127.0.0.1:9" in done.err
    assert "Traceback" not in done.err


FAILING = SWEEP.replace("lessons/nested", "lessons/barrier").replace("tiny", "wrong")


def retry(cli: Cli) -> None:
    Path("s.toml").write_text(FAILING)
    for words, count in ((), 2), ((), 0), (("--retry",), 2):
        done = cli("sweep", "s.toml", *words)
        assert done.status == 1
        assert done.rows["simulated"].startswith(f"{count} in")
        assert "error[SIM405]: lessons/barrier, size wrong, conv on dws" in done.err


def dry_run(cli: Cli) -> None:
    assert swept(cli, "--dry-run").rows["missing"] == "2"
    assert swept(cli).rows["simulated"].startswith("2 in")
    assert swept(cli, "--dry-run", "--json").json["missing"] == 0


def out(cli: Cli) -> None:
    swept(cli, "--out", "all.csv")
    with open("all.csv", newline="") as file:
        assert [row["l2.hit_latency"] for row in csv.DictReader(file)] == ["10", "20"]


def picture(cli: Cli) -> None:
    swept(cli, "--picture", "p.png")
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")
    Path("s.toml").write_text(SWEEP.partition("[plot]")[0])
    refused = cli("sweep", "s.toml", "--picture", "p.png").err
    assert "needs a table [plot]" in refused
    assert refused.endswith('as [plot] with x = "l2.hit_latency"\n')


def json(cli: Cli) -> None:
    found = swept(cli, "--json").json
    assert [run["l2.hit_latency"] for run in found["runs"]] == [10, 20]
    assert found["simulated"] == 2


def where(cli: Cli) -> None:
    swept(cli)
    assert len(listed(cli)) == 2
    assert len(listed(cli, "--where", '"l2.hit_latency" > 10')) == 1
    assert cli("results", "export", "f.csv", "--where", "cycles < 0").status == 2


def results_json(cli: Cli) -> None:
    swept(cli)
    first, second = (row["key"] for row in listed(cli))
    assert cli("results", "show", first[:9], "--json").json["key"] == first
    assert cli("results", "sql", "SELECT count(*) AS n FROM runs", "--json").json == [{"n": 2}]
    found = cli("results", "compare", first, second, "--json")
    assert found.status == 1
    assert {"l2.hit_latency", "cycles"} <= {row["name"] for row in found.json}
    assert cli("results", "compare", first, first).out == "0 numbers differ\n"


def prune_where(cli: Cli) -> None:
    swept(cli)
    words = ("results", "prune", "--where", '"l2.hit_latency" = 10')
    assert cli(*words).out.startswith("1 results were")
    assert [row["l2.hit_latency"] for row in listed(cli)] == [20]


def other_versions(cli: Cli) -> None:
    swept(cli)
    assert cli("results", "prune").status == 2
    assert cli("results", "prune", "--other-versions").out.startswith("0 results were")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simtlab.cli.jobs.results.version_digest", lambda: "another")
        assert cli("results", "prune", "--other-versions").out.startswith("2 results were")


def failed(cli: Cli) -> None:
    swept(cli)
    Path("s.toml").write_text(FAILING)
    cli("sweep", "s.toml")
    assert cli("results", "prune", "--failed", "--dry-run").out.startswith("2 results would be")
    assert cli("results", "prune", "--failed").out.startswith("2 results were")
    assert len(listed(cli)) == 2


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("sweep", "--store"): store,
    ("sweep", "--workers"): workers,
    ("sweep", "--scheduler"): scheduler,
    ("sweep", "--retry"): retry,
    ("sweep", "--dry-run"): dry_run,
    ("sweep", "--out"): out,
    ("sweep", "--picture"): picture,
    ("sweep", "--json"): json,
    ("results list", "--store"): store,
    ("results list", "--where"): where,
    ("results list", "--json"): results_json,
    ("results show", "--store"): store,
    ("results show", "--json"): results_json,
    ("results sql", "--store"): store,
    ("results sql", "--json"): results_json,
    ("results export", "--store"): store,
    ("results export", "--where"): where,
    ("results compare", "--store"): store,
    ("results compare", "--json"): results_json,
    ("results prune", "--store"): store,
    ("results prune", "--where"): prune_where,
    ("results prune", "--other-versions"): other_versions,
    ("results prune", "--failed"): failed,
    ("results prune", "--dry-run"): failed,
}
