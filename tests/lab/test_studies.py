"""The papers' figures: every study on made-up counts, verdicts, tables, pictures, reports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simtlab.lab.characterisation import CharacterisationReport
from simtlab.lab.database.records import run_of
from simtlab.lab.experiment import experiments, find
from simtlab.lab.reproduction.claims import (
    Claim,
    Finding,
    Verdict,
    at_most,
    holds,
    least,
    number,
    partly,
    unknown,
    verdict_on,
)
from simtlab.lab.reproduction.degrees import mean_degree, phases
from simtlab.lab.reproduction.drawing import draw
from simtlab.lab.reproduction.figure import Figure
from simtlab.lab.reproduction.report import Section, write
from simtlab.lab.reproduction.results import Config, NotMeasured, Results, mean
from simtlab.lab.reproduction.study import OTHER_SIZES, ScaledStudy, Study, StudyReport
from simtlab.lab.runs.execute import simulate_run
from simtlab.lab.runs.resolve import Resolver
from simtlab.lab.runs.result import Result
from simtlab.lab.runs.run import Run
from simtlab.timing.results.energy.model import Energy
from simtlab.timing.results.samples import Interval
from simtlab.timing.results.statistics import Statistics

STUDIES = [
    e.studies["small"] if isinstance(e, ScaledStudy) else e
    for e in experiments()
    if isinstance(e, Study | ScaledStudy)
]
COUNTS = Statistics(cycles=100, wpus=1, width=16)


def result(run: Run, cycles: int) -> Result:
    stats = replace(COUNTS, cycles=cycles)
    return Result(run, stats, "0" * 16, 0.0, Energy({"all": float(cycles)}, 1.0))


def two(cycles: dict[str, int]) -> Results:
    """Results of one program under two policies."""
    configs = {name: Config("dws", name) for name in cycles}
    runs = {name: config.run("dws/fft", "small") for name, config in configs.items()}
    found = {run: result(run, cycles[name]) for name, run in runs.items()}
    return Results(("dws/fft",), configs, lambda _: "small", found)


def test_every_figure_of_the_papers_has_a_name():
    names = {e.name for e in experiments()}
    dws = ("tab1", "fig1a", "fig1b", "fig1c", "fn2", "fig7", "fig11", "fig13", "stat", "fig14",
           "fig15", "fig16", "fig17", "fig18a", "fig18b", "fig18c", "fig18d", "fig19", "fig20",
           "fig21", "lim", "area", "map")  # fmt: skip
    maws = ("tab2", "intro", "fig2", "fig7a", "fig7b", "fig8", "fig9", "fig10", "fig11", "fig12",
            "area")  # fmt: skip
    ppc = ("fig6", "fig7", "fig8", "hw")
    lwm = ("tab2", "fig1", "fig9", "fig10", "fig11", "fig12", "fig13", "fig14", "hw", "micro")
    papers = {"dws": dws, "maws": maws, "ppc": ppc, "lwm": lwm}
    assert {f"{paper}-{name}" for paper, known in papers.items() for name in known} <= names


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_what_a_study_simulates_exists(study):
    """Programs, sizes, machines, fields, policies and settings: all can be run together."""
    resolver = Resolver()
    for scale in ("small", "paper"):
        runs = study.runs(scale)
        assert len(set(runs)) == len(runs)
    one_each = {(run.machine, run.policy, run.sets): run for run in study.runs("small")}
    for run in one_each.values():
        resolver.resolved(run)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_a_study_without_results_says_so(study):
    report = study.report({}, "small")
    assert report.missing == len(study.runs("small"))
    if study.programs:
        assert {f.verdict for f in report.findings} <= {Verdict.OPEN}
        values = {v for f in report.figures for row in f.series.values() for v in row}
        assert values <= {None, 0.0}
        assert "simulations are missing" in report.text()
        assert "simulations are missing" in report.markdown()
    assert study.title in report.text()
    assert report.to_dict()["experiment"] == study.name


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_every_claim_has_a_reason_for_the_case_that_it_does_not_hold(study):
    for claim in study.claims:
        assert len(claim.why) > 20, claim.text
        assert claim.why[-1] != "."
        failed = Finding(claim, "1", Verdict.NOT)
        assert failed.to_dict()["why"] == claim.why
        assert replace(failed, verdict=Verdict.DIRECTION).why == claim.why
        assert replace(failed, verdict=Verdict.HOLDS).why == ""


@pytest.mark.parametrize(("scale", "says_so"), [("small", True), ("paper", False)])
def test_reasons_are_those_of_the_papers_sizes(scale, says_so):
    (study,) = find("dws-fig13")
    report = study.report({}, scale)
    assert isinstance(report, StudyReport)
    assert OTHER_SIZES not in report.text() + report.markdown()
    failed = tuple(Finding(claim, "1", Verdict.NOT) for claim in report.of.claims)
    report = replace(report, findings=failed)
    for text in (report.text(), report.markdown()):
        assert (OTHER_SIZES in text) is says_so


def test_a_reason_that_is_not_known_says_so():
    assert unknown("a and b were tried") == "the cause is not known; a and b were tried"


def test_means():
    assert mean([1, 4], "arithmetic") == 2.5
    assert mean([1, 4], "geometric") == 2
    assert mean([1, 4], "harmonic") == 1.6
    with pytest.raises(NotMeasured):
        mean([], "harmonic")


def test_a_speedup_is_cycles_over_cycles():
    found = two({"conv": 120, "slip": 100})
    assert found.speedup("slip", "dws/fft", "conv") == 1.2
    assert found.mean_speedup("slip", "conv", "harmonic") == pytest.approx(1.2)
    assert found.speedups("slip", "conv") == {"fft": 1.2}
    assert found.energy("slip", "dws/fft") == 100
    with pytest.raises(NotMeasured):
        Results(("dws/lu",), found.configs, lambda _: "small", found.found).cycles("conv", "dws/lu")


@pytest.mark.parametrize(
    ("ours", "paper", "verdict"),
    [
        (0.71, 0.71, Verdict.HOLDS), (0.5, 0.71, Verdict.HOLDS), (0.47, 0.71, Verdict.DIRECTION),
        (1.1, 0.71, Verdict.DIRECTION), (0.06, 0.71, Verdict.NOT), (-0.2, 0.71, Verdict.NOT),
        (-0.1, -0.13, Verdict.HOLDS), (0.1, -0.13, Verdict.NOT),
    ],
)  # fmt: skip
def test_the_verdict_on_an_effect(ours, paper, verdict):
    assert verdict_on(ours, paper) is verdict


def found_by(claim: Claim, results: Results | None = None) -> tuple[str, str]:
    finding = claim.find(results or two({"conv": 120, "slip": 100}))
    return finding.ours, str(finding.verdict)


def test_kinds_of_claims():
    def speedup(r: Results) -> float:
        return r.speedup("slip", "dws/fft", "conv")

    assert found_by(number("x", 1.25, speedup)) == ("1.20", "holds")
    assert found_by(number("x", 2.0, speedup)) == ("1.20", "in direction only")
    assert found_by(number("x", 4.0, speedup, neutral=None)) == ("1.20", "does not hold")
    assert found_by(at_most("x", "1.3", 1.3, speedup)) == ("1.20", "holds")
    assert found_by(at_most("x", "1.1", 1.1, speedup)) == ("1.20", "does not hold")
    assert found_by(holds("x", "", lambda r: ("a", False))) == ("a", "does not hold")
    assert found_by(partly("x", "", lambda r: ("a", 2, 3))) == ("a", "in direction only")
    assert found_by(partly("x", "", lambda r: ("a", 1, 3))) == ("a", "does not hold")
    several = least("x", "1", lambda r: {"a": 0.9, "b": 0.8, "c": 2.0})
    assert found_by(several) == ("least 0.80 (b); below: a, b", "does not hold")
    rounding = least("x", "1", lambda r: {"a": 0.999}, slack=0.005)
    assert found_by(rounding) == ("least 1.00 (a)", "holds")
    nothing = replace(two({"conv": 120, "slip": 100}), found={})
    assert found_by(number("x", 2.0, speedup), nothing) == ("-", "not measured")


def test_a_reason_is_given_where_a_claim_does_not_hold():
    claim = number("x", 4.0, lambda r: 1.0, why="because")
    assert claim.find(two({"conv": 1})).why == "because"
    assert number("x", 1.5, lambda r: 1.5, why="because").find(two({"conv": 1})).why == ""


KINDS = ("bars", "lines", "stacks", "map")


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_of_every_kind(kind, tmp_path):
    series = {"a": (1.0, None, 2.0), "b": (0.5, 0.25, None)}
    figure = Figure(kind, "A title", kind, "x", "y", ("p", "q", "r"), series, rule=1.0)
    png, svg = tmp_path / "a.png", tmp_path / "a.svg"
    draw(figure, png, svg)
    assert png.read_bytes().startswith(b"\x89PNG")
    assert svg.read_text("utf-8").startswith("<?xml")
    again = tmp_path / "b.svg"
    draw(figure, tmp_path / "b.png", again)
    assert again.read_bytes() == svg.read_bytes()
    table = figure.table()
    assert table.columns == ("x", "a", "b")
    assert table.rows == (("p", "1.00", "0.50"), ("q", "-", "0.25"), ("r", "2.00", "-"))


def test_a_table_has_the_fewer_columns():
    figure = Figure("f", "t", "bars", "x", "y", ("p",), {"a": (1.0,), "b": (2.0,)})
    assert figure.table().columns == ("x", "p")
    assert figure.table().rows == (("a", "1.00"), ("b", "2.00"))


def test_a_report_is_a_folder_of_pages(tmp_path):
    chosen = [*find("dws-lim"), *find("dws-area")]
    # Without limits it takes 100 cycles, with them 101: a loss below 1%.
    found = {
        run: result(run, 100 if ("slots", 0) in run.sets else 101)
        for run in chosen[0].runs("small")
    }
    sections = [Section(e.name, e.title, e.source, e.report(found, "small")) for e in chosen]
    pages = write(sections, tmp_path, "simtlab reproduce some", "small")
    assert {p.name for p in pages} == {"index.md", "index.html", "dws.md", "dws.html"}
    index = (tmp_path / "index.md").read_text("utf-8")
    assert "simtlab reproduce some" in index
    assert "| all |  | 2 | 0 | 0 | 0 |  |" in index
    page = (tmp_path / "dws.html").read_text("utf-8")
    assert '<img src="figures/dws-lim.svg"' in page
    assert (tmp_path / "figures" / "dws-lim.png").exists()
    assert "8 slots and 16 entries cost" in page


def test_the_index_counts_the_figures_of_tables_that_are_alike(tmp_path):
    (chosen,) = find("lwm-tab2")
    run = next(iter(chosen.runs("small")))
    report = chosen.report({run: result(run, 100)}, "small")
    assert isinstance(report, CharacterisationReport)
    write([Section("lwm-tab2", "Table 2", "LWM", report)], tmp_path, "simtlab reproduce", "small")
    index = (tmp_path / "index.md").read_text("utf-8")
    assert f"| lwm-tab2 | LWM |  |  |  |  | {report.alike} of {report.judged} |" in index
    assert report.judged > 0


def intervals(*degrees: tuple[int, ...]) -> tuple[Interval, ...]:
    return tuple(Interval(5_000 * (n + 1), 0, 0, 0, 0, d) for n, d in enumerate(degrees))


def test_intervals_are_joined_to_phases_of_a_run():
    assert phases(()) == {}
    assert phases(intervals((0, 1, 0), (0, 2, 0))) == {"5": (0, 1, 0), "10": (0, 2, 0)}
    found = phases(intervals(*((0, 1, n) for n in range(40))))
    assert list(found)[:2] == ["15", "30"]
    assert list(found)[-1] == "200"
    assert len(found) == 14
    assert found["15"] == (0, 3, 0 + 1 + 2)
    assert found["200"] == (0, 1, 39)
    assert mean_degree((0, 3, 1)) == 1.25


def test_the_degree_of_divergence_has_phases_at_the_smallest_size():
    run = Run("dws/merge", "tiny", "maws-coherent", sample=500)
    stats = simulate_run(run).stats
    assert [i.end for i in stats.intervals[:3]] == [500, 1_000, 1_500]
    total = tuple(map(sum, zip(*(i.degree for i in stats.intervals), strict=True)))
    assert total == stats.degree_histogram
    assert simulate_run(replace(run, sample=0)).stats.intervals[0].end == stats.cycles
    # What does not set intervals is the same run as before, with the same key.
    resolver = Resolver()
    assert resolver.resolved(run).key != resolver.resolved(replace(run, sample=0)).key
    assert run_of(run.to_dict()) == run
    assert "sample" not in replace(run, sample=0).to_dict()
    assert str(run).endswith("intervals of 500 cycles")


def test_a_jump_of_a_full_large_warp_saves_seven_cycles():
    (micro,) = find("LWM-Micro")
    found = {run: simulate_run(run) for run in micro.runs("small")}
    report = micro.report(found, "small")
    assert isinstance(report, StudyReport)
    assert [(f.ours, f.verdict) for f in report.findings] == [("7", Verdict.HOLDS)]
    (row,) = report.figures[0].series.values()
    assert None not in row
    assert "a sub-warp for each row" in report.text()
    # A path of this machine is nothing that a report has.
    assert "jump.sasm" not in report.text() + str(report.to_dict())


def test_names_are_found_in_any_case():
    assert find("DWS-Fig13") == find("dws-fig13")
    assert {e.name for e in find("ppc")} == {"ppc-fig6", "ppc-fig7", "ppc-fig8", "ppc-hw"}
    assert all(e.name.startswith("ablations-") for e in find("ablations"))
