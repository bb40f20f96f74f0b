"""Table 1 and Figure 1a under mappings: rows, stars, relative cycles and means."""

from __future__ import annotations

import pytest

from simtlab.lab import mappings
from simtlab.lab.mappings import WIDTHS, Selection, fig1a, main, rise, table1
from simtlab.programs import Entry, find
from simtlab.timing.results.statistics import WAITS_FOR_MEMORY, Statistics


def statistics(cycles: int, waits: int = 0) -> Statistics:
    slots = {**dict.fromkeys(WAITS_FOR_MEMORY, 0), "memory": waits}
    return Statistics(
        cycles=cycles, wpus=1, width=16, warp_instructions=100, branches=10, miss_accesses=10,
        divergent_accesses=8, accesses=20, issue_slots=slots,
    )  # fmt: skip


@pytest.fixture
def without_simulations(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Replace simulations by figures: cycles 1000 / width, and twice that at width 16."""
    measured: list[tuple[str, ...]] = []

    def measure(self: Selection, entry: Entry, **fields: str) -> Statistics:
        measured.append((*mappings.names(entry), *fields.values()))
        width = int(fields.get("width", 1))
        faster = 1 if entry.mapping.name == "cyclic" else 2
        cycles = (2000 if width == 16 else 1000) // width // faster
        return statistics(cycles, waits=cycles // 4)

    monkeypatch.setattr(Selection, "measure", measure)
    return measured


def test_table1_has_a_row_for_each_variant_and_the_papers(without_simulations) -> None:
    (table,) = table1(Selection((find("svm"),)))
    rows = [row[:3] for row in table.rows]
    assert rows == [
        *(("svm", data, mapping)
          for data in ("f32", "f64") for mapping in ("cyclic", "affinity", "blocks", "tasks")),
        ("svm", "", "the paper's"),
    ]  # fmt: skip
    row = dict(zip(table.columns, table.rows[1], strict=True))
    # Ten between branches and ten between misses are like the paper's twelve and eleven.
    assert [row[c] for c in table.columns[3:]] == [
        "10", "0.0%", "10", "12", "80%", "5", "25%", "0.50",
    ]  # fmt: skip


def test_a_star_marks_what_is_unlike_the_papers(without_simulations) -> None:
    (table,) = table1(Selection((find("dws/kmeans"),), mappings=("blocks",)))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["between branches"], row["between misses"]) == ("10", "10*")
    assert len(table.rows) == 2


def test_variants_can_be_chosen() -> None:
    study = Selection((find("dws/hotspot"),), mappings=("rows", "tasks"), data=("f64",))
    found = [mappings.names(v) for v in study.variants(find("dws/hotspot"))]
    assert found == [("hotspot", "f64", "tasks"), ("hotspot", "f64", "rows")]


def test_fig1a_is_relative_to_one_lane_and_ends_with_the_mean(without_simulations) -> None:
    first, blocks, rows = fig1a(Selection((find("dws/lu"), find("svm"))))
    assert first.rows[0] == (
        "lu", "f64", "cyclic", "1.000 (25%)", "0.500 (25%)", "0.250 (25%)", "0.125 (25%)",
        "0.125 (25%)", "no",
    )  # fmt: skip
    assert first.rows[-1][:5] == ("harmonic mean", "", "cyclic", "1.000", "0.500")
    assert [row[:3] for row in blocks.rows[:2]] == [
        ("lu", "f64", "blocks"), ("svm", "f64", "blocks"),
    ]  # fmt: skip
    # svm has no rows: the mean has its blocks, which are measured and shown once.
    assert [row[:3] for row in rows.rows] == [("lu", "f64", "rows"), ("harmonic mean", "", "rows")]
    assert len(without_simulations) == len(set(without_simulations))
    assert {m[3] for m in without_simulations} == {str(w) for w in WIDTHS}


@pytest.mark.parametrize(
    ("times", "text"),
    [((1, 0.5, 0.3, 0.2, 0.1), "no"), ((1, 0.5, 0.3, 0.2, 0.21), "at 16"),
     ((1, 1.1, 0.3, 0.2, 0.3), "at 2"), ((1, 0.5, 0.5, 0.5, 0.5), "no")],
)  # fmt: skip
def test_where_time_rises(times: tuple[float, ...], text: str) -> None:
    assert rise(times) == text


def test_the_command_measures(capsys: pytest.CaptureFixture[str]) -> None:
    main(["table1", "--program", "merge", "--size", "tiny", "--mapping", "blocks"])
    out, err = capsys.readouterr()
    head, rule, ours, paper = out.splitlines()
    assert head.startswith("| program | data | mapping |")
    assert rule.startswith("| --- |")
    assert ours.startswith("| merge | s32 | blocks |")
    assert paper.startswith("| merge |  | the paper's | 9.0 |")
    assert err == "merge s32 blocks tiny\n"


@pytest.mark.parametrize(
    "words",
    [["table1", "--program", "sort"], ["table1", "--program", "lu", "--size", "huge"],
     ["table1", "--program", "lu", "--size", "tiny", "--set", "nothing=3"], ["fig2"]],
)  # fmt: skip
def test_mistakes_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert "error:" in capsys.readouterr().err
