"""bench/compare.py: turns, failures, ratios, tables, and the program as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
COMPARE = ROOT / "bench" / "compare.py"


def run(*options: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, COMPARE, "--small", "--rounds", "2", "--cpu", "-1", *options]
    return subprocess.run(command, check=False, capture_output=True, text=True)


class Fake:
    """A worker whose answers are given."""

    def __init__(self, peers: SimpleNamespace, column: str, answer: object, seconds: float) -> None:
        self.failed, self.column, self.answer = peers.worker.Failed, column, answer
        self.seconds = seconds

    def ask(self, request: str, *_given: object) -> object:
        if isinstance(self.answer, str):
            raise self.failed(self.answer)
        return [self.seconds] * 3 if request == "turn" else self.answer


def cells(peers: SimpleNamespace) -> list:
    """bitonic by four columns: ours, a peer, a wrong one and one that fails."""
    keys = peers.problem.make("bitonic", small=True).arrays["keys"]
    right, wrong = {"keys": np.sort(keys)}, {"keys": keys}
    workers = [
        Fake(peers, "jit", right, 0.002),
        Fake(peers, "pocl", right, 0.003),
        Fake(peers, "intel", wrong, 0.001),
        Fake(peers, "gcc", "it broke", 0.001),
    ]
    return peers.rounds.measure("bitonic", workers, small=True, rounds=3, seconds=0.0)


def test_only_right_columns_are_timed(peers: SimpleNamespace) -> None:
    ours, peer, wrong, failed = cells(peers)
    assert ours.seconds == [0.002] * 3
    assert peer.seconds == [0.003] * 3
    assert not ours.wrong
    assert not wrong.seconds
    assert wrong.wrong.startswith("keys: ")
    assert failed.wrong == "it broke"


def test_the_best_right_peer_is_compared_with(peers: SimpleNamespace) -> None:
    measured = cells(peers)
    page = peers.report.report(measured, {"jit": "a column"}, {"ispc-x16": "no ispc"})
    assert "| kernel | jit | pocl | intel | gcc | ispc-x16 | best peer / jit |" in page
    assert "| bitonic | 2 | 3 | wrong | wrong | - | 1.50 |" in page
    assert "geometric mean 1.50 over 1 kernels; worst bitonic, 1.50." in page
    assert "- `ispc-x16` is not here: no ispc" in page
    assert "- bitonic, `gcc`: it broke" in page


def test_two_checkouts_are_compared_round_by_round(peers: SimpleNamespace) -> None:
    cell = peers.rounds.Cell
    measured = [
        cell("saxpy", "jit", [1.0, 2.0, 4.0]),
        cell("saxpy", "old", [2.0, 4.0, 4.0]),
        cell("bfs", "jit", [1.0, 1.0, 1.0]),
        cell("bfs", "old", [0.5, 0.5, 0.5]),
    ]
    page = peers.report.report(measured, {}, {})
    assert "| saxpy | 2e+03 | 4e+03 | 2.000 | 1.000-2.000 |" in page
    assert "old / jit: geometric mean 1.00 over 2 kernels; worst bfs, 0.50." in page


def test_the_tables_replace_those_of_a_page(peers: SimpleNamespace, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    begin, end = peers.report.marks("some command")
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    for text in ("one", "two"):
        peers.report.put_into(page, text, "some command")
        assert page.read_text() == f"before\n{begin}\n\n{text}\n\n{end}\nafter\n"
    page.write_text(f"{begin}\nno end\n")
    with pytest.raises(ValueError, match="has no lines"):
        peers.report.put_into(page, "text", "some command")
    with pytest.raises(ValueError, match="has no lines"):
        peers.report.put_into(page, "text")


def test_launches_end_when_the_flag_stays_zero(peers: SimpleNamespace) -> None:
    left = np.array([3], np.int32)
    again = np.zeros(1, np.uint32)

    def step() -> None:
        left[0] -= 1
        again[0] = left[0] > 0

    problem = peers.problem.Problem({"left": left.copy(), "again": again}, [], ("left",), "again")
    job = peers.job.on_host(problem, {"left": left, "again": again}, [step] * 9)
    for _ in range(2):
        job.reset()
        job.run()
        assert job.result()["left"][0] == 0


def test_the_program_prints_markdown_and_writes_every_round(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    done = run("-k", "saxpy", "bfs", "-c", "jit", "numpy", "--json", out, "--compare", ROOT)
    assert done.returncode == 0, done.stderr
    assert "| kernel | jit | numpy | old | old / jit | quartiles |\n" in done.stdout
    results = json.loads(out.read_text("utf-8"))["results"]
    assert [(r["kernel"], r["column"]) for r in results] == [
        (kernel, column) for kernel in ("saxpy", "bfs") for column in ("jit", "numpy", "old")
    ]
    assert all(len(r["seconds"]) == 2 and not r["wrong"] for r in results)


def test_a_column_whose_tool_is_absent_is_listed_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ISPC", "no-such-compiler")
    done = run("-k", "saxpy", "-c", "numpy", "ispc-x16")
    assert done.returncode == 0, done.stderr
    assert "| kernel | numpy | ispc-x16 |" in done.stdout
    assert "- `ispc-x16` is not here: no command 'no-such-compiler'" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-k", "sax"), "invalid choice: 'sax'"),
        (("-c", "cuda"), "invalid choice: 'cuda'"),
        (("--rounds", "0"), "--rounds: expected 1 or more"),
        (
            ("--page", "nowhere.md"),
            "--page: expected a file with a line <!-- bench/compare.py: begin",
        ),
        (("--compare", "nowhere"), "--compare: nowhere is not a checkout of simtlab"),
    ],
)
def test_a_mistake_in_the_options_is_named(options: tuple[str, ...], message: str) -> None:
    done = run(*options)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.slow
def test_every_column_answers() -> None:
    # These need all that an adapter does; every kernel would take minutes.
    done = run("-k", "hotspot", "bfs", "scan", "matmul")
    assert done.returncode == 0, done.stdout
