"""Tables of words."""

from __future__ import annotations

import pytest

from simtlab.lab.tables import Table


@pytest.mark.parametrize(
    "cells",
    [("1.13", "-"), ("27% (77%)", "33 (59)*"), ("64KiB", "8KiB"), ("1,652.4 µJ", ""), ("x 2", "")],
)
def test_numbers_are_flush_right_in_markdown(cells):
    table = Table(("program", "number"), tuple(("fft", c) for c in cells))
    assert table.markdown().splitlines()[1] == "| --- | ---: |"


@pytest.mark.parametrize("cells", [("13.4%", "each"), ("low (low)",), ("0.72 an access",)])
def test_words_are_flush_left_in_markdown(cells):
    table = Table(("program", "verdict", "n"), tuple(("fft", c, "1") for c in cells))
    assert table.markdown().splitlines()[1] == "| --- | --- | ---: |"


def test_a_table_without_rows_has_a_head():
    assert Table(("a", "b"), ()).markdown() == "| a | b |\n| --- | ---: |"
