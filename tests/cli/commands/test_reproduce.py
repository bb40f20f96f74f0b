"""`simtlab reproduce`: the table, what goes wrong in it, an interrupt."""

from __future__ import annotations

import pytest

from simtlab.cli.options.complete import experiments
from simtlab.lab.runs import execute
from simtlab.programs import runner

from ..support.reproduce_effects import reproduced

PROGRAMS = ["fft", "filter", "hotspot", "lu", "merge", "short", "kmeans", "svm"]
TABLE = ["reproduce", "dws-tab1", "--scale", "small"]


def test_a_table_of_the_papers(cli):
    done = cli(*TABLE, "--json")
    assert (done.status, done.err) == (0, "")
    (table,) = done.json["experiments"]
    assert [row["program"] for row in table["rows"]] == [f"dws/{p}" for p in PROGRAMS]
    assert table["judged"] == 40
    assert table["alike"] == 40 - sum(len(row["apart"]) for row in table["rows"])
    short = table["rows"][PROGRAMS.index("short")]
    assert short["paper"]["divergent_branch_share"] == 0.22
    assert 0.3 < short["ours"]["divergent_branch_share"] < 0.5
    assert (done.json["failed"], done.json["interrupted"]) == ([], False)


def test_a_wrong_result_is_told_and_left_out(cli, monkeypatch):
    right = runner.check

    def wrong_once(workload, data, pristine):
        found = right(workload, data, pristine)
        return [runner.Mismatch("x", "is wrong")] if workload.title.startswith("merge") else found

    monkeypatch.setattr(runner, "check", wrong_once)
    done = cli(*TABLE)
    assert done.status == 1
    assert "error[SIM420]: dws/merge, size small, conv on dws" in done.err
    assert "the result differs from the reference in x: is wrong" in done.err
    assert "not measured: dws/merge" in done.out
    assert "dws/short" in done.out


def test_an_interrupt_keeps_what_is_done(cli, monkeypatch):
    run = execute.run_program

    def interrupted(entry, *args, **options):
        if entry.short == "hotspot":
            raise KeyboardInterrupt
        return run(entry, *args, **options)

    monkeypatch.setattr(execute, "run_program", interrupted)
    done = cli(*TABLE)
    assert done.status == 130
    assert "interrupted; 2 of 8 simulations are done and kept" in done.err
    assert "dws/filter" in done.out
    assert "not measured: dws/hotspot, dws/lu" in done.out


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["dws-tab2"], "SIM500", "did you mean `dws-tab1`"),
        ([], "SIM514", "the name of an experiment is missing"),
        (["dws-tab1", "--scale", "tiny"], "SIM500", "the scales are small and paper"),
        (["--list", "dws-tab1"], "SIM517", "--list takes no name"),
        (["dws-tab1", "--markdown", "--json"], "SIM517", "exclude each other"),
    ],
)
def test_mistakes(cli, words, code, text):
    done = cli("reproduce", *words)
    assert done.status == 2
    assert code in done.err + done.out  # --json has errors on stdout
    assert text in done.err + done.out


def test_the_name_says_which(cli):
    done, asked = reproduced(cli, "maws-tab2")
    assert "MAWS Table 2" in done.out
    assert {run.machine for run in asked} == {"maws-coherent"}
    _, every = reproduced(cli, "all")
    assert {run.machine for run in every} >= {"dws", "maws-coherent", "maws-bulk", "ppc", "lwm"}
    _, paper = reproduced(cli, "PPC")
    assert {run.machine for run in paper} == {"ppc"}


def test_the_list(cli):
    names = [e["name"] for e in cli("reproduce", "--list", "--json").json]
    assert len(set(names)) == len(names)
    assert {"dws-tab1", "dws-fig13", "maws-fig7a", "ppc-fig6", "lwm-fig9"} <= set(names)
    assert experiments("maws-t") == ["maws-tab2"]


def test_what_is_done_is_found_again(cli, monkeypatch):
    table = ("reproduce", "ppc-fig7", "--scale", "small")
    first = cli(*table)
    monkeypatch.setattr(execute, "run_program", None)  # nothing may be simulated
    again = cli(*table)
    assert (again.status, again.out) == (0, first.out)
