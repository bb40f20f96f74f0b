"""Tables of plain text: columns of equal width, remarks, and HTML for notebooks."""

from __future__ import annotations

from simtlab.emu.text.tables import aligned, labelled, labelled_html


def test_labels_and_values_stand_in_two_columns() -> None:
    assert labelled([("a", "1"), ("long", "2")]) == "a     1\nlong  2"
    assert labelled([("a", "1")], least=4) == "a     1"


def test_further_lines_of_a_value_stand_below_its_first_one() -> None:
    assert labelled([("a", "1\n2"), ("bc", "")]) == "a   1\n    2\nbc"


def test_the_first_column_is_flush_left_and_numbers_flush_right() -> None:
    rows = [("name", "n", "size"), ("a", "10", "1"), ("longer", "2", "1,000")]
    assert aligned(rows) == "name     n   size\na       10      1\nlonger   2  1,000"


def test_columns_of_text_are_flush_left_where_that_is_asked_for() -> None:
    assert aligned([("n", "text", "x"), ("10", "a", "y")], left=(1,)) == " n  text  x\n10  a     y"


def test_a_column_has_its_least_width() -> None:
    assert aligned([("a", "b")], least=(3, 4)) == "a       b"


def test_a_shorter_row_is_a_remark_that_takes_the_room_it_needs() -> None:
    rows = [("name", "n", "size"), ("a", "1", "2"), ("longer", "cannot run at all (SIM602)")]
    assert aligned(rows).splitlines() == [
        "name    n  size",
        "a       1     2",
        "longer  cannot run at all (SIM602)",
    ]


def test_nothing_makes_nothing() -> None:
    assert aligned([]) == labelled([]) == ""


def test_html_is_escaped() -> None:
    assert "<td style='text-align:left'>&lt;b&gt;</td>" in labelled_html([("a", "<b>")])
