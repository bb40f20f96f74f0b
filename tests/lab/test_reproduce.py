"""`simtlab.reproduce`: experiments carried out through the store, and what they return."""

from __future__ import annotations

from dataclasses import replace

import pytest

import simtlab
from simtlab.lab.reproduce import Reproduction
from simtlab.lab.reproduction.claims import holds
from simtlab.lab.reproduction.figure import Figure, series
from simtlab.lab.reproduction.results import Config, Results
from simtlab.lab.reproduction.study import Study, StudyReport
from simtlab.lab.store import Store

PROGRAM = "lessons/nested"


def figures(results: Results) -> list[Figure]:
    values = series(["conv"], ["nested"], lambda c, p: results.cycles(c, f"lessons/{p}"))
    return [Figure("own", "Cycles", "bars", "program", "cycles", ("nested",), values, digits=0)]


def study(**sets: int) -> Study:
    claim = holds("it ends", "yes", lambda r: (str(r.cycles("conv", PROGRAM) > 0), True))
    return Study("own", "One program", "here", (PROGRAM,), {"conv": Config("dws", sets=sets)},
                 figures, (claim,))  # fmt: skip


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.db")


def test_what_is_missing_is_simulated_once(store):
    made = Reproduction([study(wpus=1)], "small", store)
    assert (made.wanted, len(made.results)) == (1, 0)
    assert made.figures["own"].series["conv"] == (None,)
    made.run()
    (result,) = made.results.values()
    assert made.figures["own"].series["conv"] == (result.stats.cycles,)
    assert made.failures == ()
    again = Reproduction([study(wpus=1)], "small", store)
    assert again.figures == made.figures  # nothing was carried out again


def test_its_reports_show_themselves(store, tmp_path):
    made = Reproduction([study(wpus=1)], "small", store)
    made.run()
    report = made["OWN"]
    assert isinstance(report, StudyReport)
    assert "it ends" in report.verdicts()._repr_markdown_()
    figure = made.figures["own"]
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert figure.to_frame().to_dict("list") == {
        "program": ["nested"], "conv": list(figure.series["conv"]),
    }  # fmt: skip
    figure.save_picture(tmp_path / "own.svg")
    assert (tmp_path / "own.svg").read_text("utf-8").startswith("<?xml")
    assert "it ends" in made.text()
    assert "it ends" in made.markdown()
    assert repr(made) == "<Reproduction: own at scale small, 1 simulations>"


def test_what_cannot_run_is_a_failure(store):
    with_field = replace(study(nonsense=1), name="other")
    made = Reproduction([study(wpus=1), with_field], "small", store)
    made.run()
    assert ["nonsense" in failure.message for failure in made.failures] == [True]
    assert len(made.results) == 1


def test_a_table_of_hardware_makes_no_store(tmp_path):
    made = simtlab.reproduce("lwm-hw", scale="small", store=tmp_path / "none.db")
    assert made.wanted == 0
    assert "bytes" in made.text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "dws-fig99"}, "unknown experiment"),
        ({"name": "dws-fig1c-"}, "did you mean `dws-fig1c`"),
        ({"name": "DWS-fig1"}, "there are .*dws-fig1a, dws-fig1b, dws-fig1c"),
        ({"name": 3}, "the name of an experiment is a string"),
        ({"name": "lwm-hw", "scale": "large"}, "unknown scale"),
        ({"name": "dws-fig1c", "workers": 0}, "workers"),
    ],
)
def test_wrong_arguments(arguments, message, tmp_path):
    with pytest.raises(simtlab.SimtError, match=message):
        simtlab.reproduce(**{"scale": "small", "store": tmp_path / "r.db", **arguments})


def test_an_unknown_report(store):
    made = Reproduction([study(wpus=1)], "small", store)
    with pytest.raises(simtlab.UsageError, match="no experiment 'other' here"):
        made["other"]
