"""Pictures of the report fit a page, and their text can be read."""

from __future__ import annotations

from itertools import combinations

import pytest

from simtlab.lab.reproduction.drawing import draw, drawn
from simtlab.lab.reproduction.figure import Figure, Kind
from simtlab.lab.reproduction.sizes import FONT, PAGE_INCHES
from simtlab.lab.reproduction.study import LONGEST_TABLE, Study, StudyReport

pytest.importorskip("matplotlib")

PROGRAMS = (
    "blackjack", "sort", "viterbi", "kmeans", "decrypt", "blackscholes", "needleman", "hotspot",
    "matrixmult", "reduction", "histogram", "bfs", "g-mean", "mean", "h-mean",
)  # fmt: skip
POLICIES = (
    "BranchOnly", "Revive.MemOnly", "AggressSplit", "LazySplit", "ReviveSplit", "Slip",
    "Slip.BranchBypass",
)  # fmt: skip
CHOICES = tuple(f"Q-DWS-{n}: the choice number {n}" for n in range(24))
MIXES = tuple(f"{share}, {n}" for share in (0.06, 0.1, 0.3) for n in (1, 4, "never"))
ROWS = tuple(f"{latency} cycles, {slots} slots" for latency in (30, 300) for slots in (8, 64))


def figure(
    kind: Kind, categories: tuple[str, ...], names: tuple[str, ...], panels: tuple[str, ...] = ()
) -> Figure:
    rows = tuple(f"{p}: {name}" for p in panels for name in names) or names
    series = {
        name: tuple(0.5 + (i + n) % 5 / 4 for n in range(len(categories)))
        for i, name in enumerate(rows)
    }
    return Figure("f", "A title", kind, "program", "speedup over Conv", categories, series,
                  rule=1.0, panels=panels)  # fmt: skip


WIDEST = {
    "nine groups of seven bars": figure("bars", PROGRAMS[:9], POLICIES),
    "fifteen groups of five bars": figure("bars", PROGRAMS, POLICIES[:5]),
    "twelve groups of two bars": figure("bars", PROGRAMS[:12], POLICIES[:2]),
    "long names": figure("bars", CHOICES, ("speedup",)),
    "nine lines": figure("lines", ("4", "8", "16", "32", "full"), PROGRAMS[:9]),
    "twelve stacks": figure("stacks", PROGRAMS[:12], POLICIES[:6]),
    "sixteen columns": figure("map", tuple(map(str, range(16))), ("warp 0", "warp 1")),
    "panels of nine columns": figure("map", MIXES, ROWS, POLICIES[:3]),
    "panels of three columns": figure("map", ("1", "2", "never"), ("low", "high"), POLICIES[:5]),
}


@pytest.mark.parametrize("name", WIDEST)
def test_text_is_as_large_as_the_page_s_and_does_not_overlap(name):
    canvas = drawn(WIDEST[name])
    canvas.draw_without_rendering()
    assert canvas.get_figwidth() <= PAGE_INCHES
    texts = list(_texts(canvas))
    assert min(float(text.get_fontsize()) for text in texts) >= FONT - 1
    edge = canvas.bbox.padded(1)
    boxes = [(text, text.get_window_extent()) for text in texts]  # each takes a layout of its text
    for text, box in boxes:
        assert box.x0 >= edge.x0, text
        assert box.x1 <= edge.x1, text
        assert box.y0 >= edge.y0, text
        assert box.y1 <= edge.y1, text
    flat = [(text, box) for text, box in boxes if text.get_rotation() in (0, 90)]
    for (one, its), (other, box) in combinations(flat, 2):
        assert not its.overlaps(box), (one, other)


def _texts(canvas):
    """Yield the texts that are seen: matplotlib keeps ticks that are not on their axis."""
    from matplotlib.text import Text

    unseen = {
        label
        for axes in canvas.axes
        for tick, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
        if not min(axes.get_ylim()) <= tick <= max(axes.get_ylim())
    }
    for text in canvas.findobj(Text):
        if text.get_text() and text.get_visible() and text not in unseen:
            yield text


def test_a_second_row_of_groups_begins_where_bars_would_be_thin():
    assert len(drawn(WIDEST["nine groups of seven bars"]).axes) == 2
    assert len(drawn(WIDEST["twelve groups of two bars"]).axes) == 1
    first, second = drawn(WIDEST["fifteen groups of five bars"]).axes
    names = [text.get_text() for axes in (first, second) for text in axes.get_xticklabels()]
    assert tuple(names) == PROGRAMS
    assert first.get_ylim() == second.get_ylim()
    assert first.get_xlim() == second.get_xlim()
    assert len(first.patches) == 8 * 5
    assert len(second.patches) == 7 * 5


def test_no_bar_of_any_row_is_cut():
    names, values = PROGRAMS[:12], [1.0] * 11 + [3.0]
    series = {policy: tuple(values) for policy in POLICIES}
    first, second = drawn(Figure("f", "T", "bars", "x", "y", names, series)).axes
    assert first.get_ylim()[0] == second.get_ylim()[0] == 0
    assert first.get_ylim()[1] == second.get_ylim()[1] > 3


def test_a_rule_is_inside_the_axes():
    lines = Figure("f", "T", "lines", "x", "y", ("1", "2"), {"a": (0.5, 0.6)}, rule=1.0)
    (axes,) = drawn(lines).axes
    assert axes.get_ylim()[1] > 1.04


def test_the_legend_is_read_row_by_row():
    first, _ = drawn(WIDEST["nine groups of seven bars"]).axes
    legend = first.get_legend()
    assert legend is not None
    # matplotlib fills columns: the rows are 4 and 3 names.
    assert [text.get_text() for text in legend.get_texts()] == [
        POLICIES[i] for i in (0, 4, 1, 5, 2, 6, 3)
    ]


def test_what_is_not_measured_has_no_bar(tmp_path):
    long = Figure("f", "T", "bars", "choice", "speedup", CHOICES, {"speedup": (None,) * 24})
    draw(long, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text("utf-8").count("<!-- - -->") == 24


@pytest.mark.parametrize(
    ("shown", "alt"),
    [
        (WIDEST["twelve groups of two bars"],
         "Bars: A title; speedup over Conv by program, for BranchOnly, Revive.MemOnly."),
        (WIDEST["sixteen columns"], "Map: A title. Rows: speedup over Conv; columns: program."),
        (figure("map", ("1", "2"), ("low",), ("Slip", "DWS")),
         "Map: A title. One map each for Slip, DWS. Rows: speedup over Conv; columns: program."),
        (figure("places", ("here",), ("width", "height", "gain", "more")),
         "Dots: A title; height against width, coloured by gain."),
    ],
)  # fmt: skip
def test_a_picture_has_words_for_who_does_not_see_it(shown, alt):
    assert shown.alt == alt


@pytest.mark.parametrize(
    ("shown", "folded"),
    [
        (figure("bars", PROGRAMS, ("a", "b")), False),
        (figure("bars", (*PROGRAMS, "one more"), ("a", "b")), True),
        (figure("map", ("1", "2"), ("low", "high")), True),
        (figure("places", PROGRAMS[:4], ("width", "height", "gain")), True),
    ],
)
def test_a_table_below_a_picture_is_folded_if_it_is_long_or_the_picture_has_it(shown, folded):
    assert len(PROGRAMS) == LONGEST_TABLE
    study = Study("t", "T", "T", (), {}, lambda r: [shown])
    report = StudyReport(study, "small", (shown,), (), 0)
    text = report.markdown({"f": "f.svg"})
    rows = len(shown.table().rows)
    assert (f"<summary>The numbers: a table of {rows} rows</summary>" in text) is folded
    assert shown.table().markdown() in text
    assert "<details>" not in report.markdown()
