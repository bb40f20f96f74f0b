"""The map of where DWS gains: its cells, places, claims and pictures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simtlab.lab.experiment import find
from simtlab.lab.reproduction.claims import Verdict
from simtlab.lab.reproduction.drawing import draw
from simtlab.lab.reproduction.dws.gains import places
from simtlab.lab.reproduction.dws.gains.points import REVIVE, VARIANTS, Point, mean_gain
from simtlab.lab.reproduction.dws.gains.surfaces import (
    GRIDS,
    TABLE1,
    Axis,
    Surface,
    axis,
    by_mapping,
    ground,
    left_open,
    surfaces,
)
from simtlab.lab.reproduction.figure import Figure
from simtlab.lab.reproduction.results import Results
from simtlab.lab.reproduction.study import ScaledStudy, Study
from simtlab.lab.runs.execute import simulate_run
from simtlab.lab.runs.result import Result
from simtlab.lab.runs.run import Run
from simtlab.programs import find as find_program
from simtlab.programs.lessons.table1 import mix
from simtlab.timing.results.energy.model import Energy
from simtlab.timing.results.statistics import WAITS_FOR_MEMORY, Statistics

COUNTS = Statistics(
    wpus=1, width=16, miss_accesses=10, divergent_accesses=5, warp_instructions=100,
    degree_histogram=(0, 3, 1), splits_memory=4, merges_pc=3,
    issue_slots=dict.fromkeys(WAITS_FOR_MEMORY, 0),
)  # fmt: skip


def the_map(scale: str) -> Study:
    (experiment,) = find("dws-map")
    assert isinstance(experiment, ScaledStudy)
    return experiment.studies[scale]


def made_up(run: Run) -> Result:
    """Conv takes 1,000 cycles, and a variant less by what a miss costs; a tenth of them with 30."""
    latency = int(run.values.get("l2.hit_latency", 30))
    saved = {"conv": 0, "dws.revive-split": 5, "dws.revive-split.bl": 2}.get(run.policy, 1)
    stats = replace(COUNTS, cycles=1_000 - (saved * latency) // 3)
    return Result(run, stats, "0" * 16, 0.0, Energy({"all": float(stats.cycles)}, 1.0))


def all_surfaces(scale: str) -> list[Surface]:
    grid = GRIDS[scale]
    mapping = by_mapping(places.MAPPINGS[scale], places.LATENCIES)
    return [*surfaces(grid), ground(grid), left_open(grid), mapping]


@pytest.mark.parametrize("scale", GRIDS)
def test_lessons_table1_can_have_the_rates_of_every_cell(scale):
    entry = find_program(TABLE1)
    for surface in all_surfaces(scale):
        for points in surface.cells().values():
            for point in (p for p in points if p.program == TABLE1):
                given = {k.removeprefix("param."): v for k, v in point.sets.items()
                         if k.startswith("param.")}  # fmt: skip
                rates = {**entry.workload.sizes[point.size], **given}
                mix(rates["instructions"], rates["branch_every"], rates["branch_divergence"],
                    rates["miss_every"], rates["barrier_every"])  # fmt: skip


@pytest.mark.parametrize("scale", GRIDS)
def test_names_of_points_with_different_values_differ(scale):
    seen: dict[str, Point] = {}
    for surface in all_surfaces(scale):
        for points in surface.cells().values():
            for point in points:
                assert seen.setdefault(point.name, point) == point
    for latency in places.LATENCIES:
        for point in places.places(scale, latency).values():
            assert seen.setdefault(point.name, point) == point


def test_the_fine_map_has_the_coarse_one_inside():
    few, many = (the_map(scale).runs(scale) for scale in ("small", "paper"))
    coarse = {run for run in few if run.program == TABLE1}
    assert len(many) > 3 * len(few)
    # Middle values of a coarse axis may lie between those of a fine one.
    assert len(coarse & set(many)) > 0.9 * len(coarse)


def test_a_cell_is_the_harmonic_mean_of_its_points():
    latency = axis("latency", "l2.hit_latency", (30, 300))
    seeds = Axis("instructions", {"many": {"param.instructions": 9}})
    points = (Point("a", TABLE1, {}, "fft"), Point("b", TABLE1, {}, "svm"))
    surface = Surface("s", "A surface", latency, seeds, points, (REVIVE,))
    assert len(surface.configs()) == 8
    study = Study("s", "S", "S", (), surface.configs(), lambda r: [surface.figure(r)])
    runs = study.runs("small")
    assert len(runs) == 8
    assert {run.size for run in runs} == {"fft", "svm"}
    found = {run: made_up(run) for run in runs}
    results = study.results(found, "small")
    assert surface.gain(REVIVE, "300", "many", results) == pytest.approx(1_000 / 500)
    figure = surface.figure(results)
    assert figure.series == {
        "ReviveSplit: 30": (pytest.approx(1_000 / 950),), "ReviveSplit: 300": (2.0,)
    }  # fmt: skip
    slow = next(
        r for r in runs if r.size == "fft" and r.policy != "conv" and 300 in r.fields.values()
    )
    found[slow] = replace(found[slow], stats=replace(COUNTS, cycles=1_000))
    assert mean_gain(surface.cell("300", "many"), REVIVE, results) == pytest.approx(4 / 3)


def claims_on(study: Study, change=lambda result: result) -> dict[str, tuple[str, Verdict]]:
    found = {run: change(made_up(run)) for run in study.runs("small")}
    report = study.report(found, "small")
    assert not report.missing
    return {f.claim.text: (f.ours, f.verdict) for f in report.findings}


def test_the_claims_name_where_the_gain_is_reached():
    found = claims_on(the_map("small"))
    ours, verdict = found["ReviveSplit's mean is in the range that the paper leaves open"]
    assert ours.startswith("1.05 (30 cycles, 8 slots")
    assert "2.00 (300 cycles" in ours
    assert verdict is Verdict.HOLDS
    ours, verdict = found["ReviveSplit gains 1.71 with the paper's latencies"]
    assert (ours, verdict) == ("1.05 to 1.05", Verdict.NOT)
    ours, verdict = found["a single program can gain 1.71"]
    assert "Distance between misses, and their latency: 300 with 7 to 100" in ours
    assert verdict is Verdict.HOLDS
    text = "energy that ReviveSplit saves with the rates of Table 1, 300 cycles"
    assert found[text] == ("50%", Verdict.DIRECTION)
    assert found["the gain grows with the latency"][1] is Verdict.HOLDS
    assert found["ReviveSplit gains more than BranchOnly and ReviveSplit.BL"][1] is Verdict.HOLDS
    assert found["AggressSplit loses with the rates of Table 1"][1] is Verdict.NOT
    assert found["8 slots and 16 entries cost less than 1%"][1] is Verdict.HOLDS


def test_the_claims_without_a_gain():
    def alike(result: Result) -> Result:
        return replace(result, stats=replace(COUNTS, cycles=1_000))

    found = claims_on(the_map("small"), alike)
    assert found["a single program can gain 1.71"] == ("nowhere", Verdict.NOT)
    text = "best mean of our eight programs, by mapping and latency"
    assert found[text] == ("1.00", Verdict.NOT)
    assert found["the gain shrinks with the cache"][1] is Verdict.NOT


def test_every_claim_that_may_fail_has_a_reason():
    for scale in GRIDS:
        assert all(claim.why for claim in the_map(scale).claims)


def test_places_have_their_own_rates():
    behind = ground(GRIDS["small"])
    found = {run: made_up(run) for run in the_map("small").runs("small")}
    results = the_map("small").results(found, "small")
    figure = places.figure("small", 300, behind, results)
    assert figure.categories[:2] == ("fft", "filter")
    assert {"merge blocks", "Table 1's svm", "stragglers", "exits"} <= set(figure.categories)
    first = [row[0] for row in figure.series.values()]
    assert first[:3] == [0.5, 0.0, 2.0]
    assert first[3:7] == [10.0, 1.25, 0.75, 0.5]
    assert len(figure.ground) == len(behind.cells())
    assert figure.table().columns[0] == "program"
    nothing = places.figure("small", 300, behind, Results((), results.configs, str, {}))
    assert nothing.ground == ()
    assert set(nothing.series[REVIVE]) == {None}


def test_a_surface_that_is_simulated(tmp_path):
    """Where misses take longer Conv waits longer, and splitting gains more."""
    latency = axis("latency", "l2.hit_latency", (30, 300))
    share = axis("share", "param.miss_divergence", (0, 1))
    points = (Point("tiny", TABLE1, {"param.instructions": 3_000}, "tiny"),)
    surface = Surface("tiny", "A tiny one", latency, share, points, (REVIVE,))
    study = Study("t", "T", "T", (), surface.configs(), lambda r: [surface.figure(r)])
    found = {run: simulate_run(run) for run in study.runs("small")}
    gains = surface.gains(REVIVE, study.results(found, "small"))
    assert gains["300", "1"] > gains["30", "1"] > gains["30", "0"] - 0.02
    assert gains["300", "0"] == pytest.approx(1, abs=0.02)
    (figure,) = study.report(found, "small").figures
    draw(figure, tmp_path / "a.svg")
    assert "ReviveSplit: 300" in figure.table().text()


@pytest.mark.parametrize("n_panels", [1, 2, 4, 5])
def test_pictures_of_panels(n_panels, tmp_path):
    panels = tuple(VARIANTS)[:n_panels]
    series = {f"{p}: {row}": (1.0, None, 1.5) for p in panels for row in ("low", "high")}
    figure = Figure("p", "T", "map", "x", "y", ("a", "b", "a long one"), series, rule=1.0,
                    panels=panels)  # fmt: skip
    draw(figure, tmp_path / "a.svg", tmp_path / "a.png")
    text = (tmp_path / "a.svg").read_text("utf-8")
    draw(figure, tmp_path / "b.svg")
    assert (tmp_path / "b.svg").read_text("utf-8") == text
    assert all(f"<!-- {panel} -->" in text for panel in panels)
    assert text.count("<!-- low -->") == -(-n_panels // 2)
    assert figure.table().columns == ("", "a", "b", "a long one")
    assert figure.table().rows[0] == (f"{panels[0]}: low", "1.00", "-", "1.50")
    assert figure.caption == "T (rows: y; columns: x)"
    assert figure.to_dict()["panels"] == list(panels)


@pytest.mark.parametrize("ground", [(), ((0.1, 0.1, 1.0),), (
    (0.0, 0.0, 1.0), (1.0, 0.0, 0.5), (0.0, 1.0, 2.0), (1.0, 1.0, 3.0)
)])  # fmt: skip
def test_pictures_of_places(ground, tmp_path):
    close = 12
    names = (*(f"place {n}" for n in range(close)), "unknown")
    row = (0.5,) * close + (None,)
    series = {"width": row, "height": row, "gain": row, "more": row}
    figure = Figure("p", "T", "places", "place", "gain", names, series, rule=1.0, ground=ground)
    draw(figure, tmp_path / "a.svg", tmp_path / "a.png")
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert all(f"<!-- place {n} 0.50 -->" in text for n in range(close))
    assert "unknown" not in text
    assert "<!-- width -->" in text
    assert figure.to_dict().get("ground", []) == [list(spot) for spot in ground]


def test_labels_of_close_places_do_not_overlap():
    from simtlab.lab.reproduction.maps import corners

    labels = ["a label"] * 6
    found = list(corners(labels, [(0.5, 0.5), (0.5, 0.51), (0.51, 0.5), (0.2, 0.5), (0.5, 0.49),
                                  (0.52, 0.52)]))  # fmt: skip
    assert len(set(found)) == 6
    for i, (x, y) in enumerate(found):
        for other_x, other_y in found[:i]:
            assert abs(x - other_x) >= 0.05 or abs(y - other_y) >= 0.02
