"""The Kanata form, read by a small reader that accepts what Konata does, and nothing else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from simtlab.recording.export.kanata import kanata
from simtlab.recording.recording import Recording
from simtlab.recording.spans import spans

from ...timing.support import scenarios
from ..support.runs import scenario
from .test_perfetto import RECORDINGS


@dataclass
class Row:
    """An instruction of a file."""

    thread: int
    begin: int
    labels: dict[int, str] = field(default_factory=dict)
    open: dict[int, tuple[str, int]] = field(default_factory=dict)
    stages: list[tuple[int, str, int, int]] = field(default_factory=list)
    """(lane, name, begin, end)."""
    producers: list[int] = field(default_factory=list)
    end: int | None = None


def read(lines: list[str]) -> list[Row]:
    """Return the instructions; fail where the file breaks a rule of the form."""
    assert lines[0] == "Kanata\t0004"
    assert lines[1].startswith("C=\t")
    now, rows, retired = int(lines[1].split("\t")[1]), list[Row](), 0
    for line in lines[2:]:
        command, *words = line.split("\t")
        if command == "C":
            assert int(words[0]) > 0
            now += int(words[0])
            continue
        number = int(words[0])
        if command == "I":
            assert number == len(rows) == int(words[1])
            rows.append(Row(int(words[2]), now))
            continue
        row = rows[number]
        if command == "L":
            row.labels[int(words[1])] = words[2]
        elif command == "W":
            assert row.end is None
            assert number != int(words[1]) < len(rows)
            row.producers.append(int(words[1]))
        elif command == "S":
            assert row.end is None
            assert int(words[1]) not in row.open
            row.open[int(words[1])] = words[2], now
        elif command == "E":
            name, begin = row.open.pop(int(words[1]))
            assert (name, row.end) == (words[2], None)
            row.stages.append((int(words[1]), name, begin, now))
        else:
            assert (command, int(words[1]), words[2]) == ("R", retired, "0")
            assert not row.open
            assert row.end is None
            row.end, retired = now, retired + 1
    assert retired == len(rows)
    return rows


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_file_has_every_span_once(name: str) -> None:
    recording = RECORDINGS[name]()
    rows = read(list(kanata(recording)))
    found = Counter(
        (lane, stage, begin, end) for row in rows for lane, stage, begin, end in row.stages
    )
    expected: Counter[tuple[int, str, int, int]] = Counter()
    for span in spans(recording):
        if span.what == "issued":
            expected[0, "Is", span.begin, span.end] += 1
        else:
            expected[0, "Wa", span.begin, span.end] += 1
            expected[1, span.what, span.begin, span.end] += 1
    assert found == expected
    for row in rows:
        assert row.begin == min(begin for _, _, begin, _ in row.stages)
        assert row.end == max(end for _, _, _, end in row.stages)
        assert [lane for lane, stage, _, _ in row.stages if stage == "Is"] in ([], [0])
        assert row.labels[0].startswith("[")


def rows_of(which: Recording) -> list[Row]:
    return read(list(kanata(which)))


def test_figure_12():
    """Every row: lanes, then stalls of lane 1; arrows go from a miss to its waiter."""
    rows = rows_of(scenario(scenarios.F12, "dws.lazy-split"))
    issued = [(i, row) for i, row in enumerate(rows) if any(s[1] == "Is" for s in row.stages)]
    assert [row.labels[0].partition("]")[0] for _, row in issued] == [
        "[11111111", "[11111001", "[11100000", "[11000000", "[00011001", "[00111001", "[00000110",
        "[11111111",
    ]  # fmt: skip
    load = rows[issued[1][0]]
    assert load.labels[0] == "[11111001] <text>:8: ld_global_u32 $s8, [$d0]"
    assert sorted(load.stages) == [(0, "Is", 2, 3), (0, "Wa", 3, 14), (1, "memory", 3, 14)]
    assert "pc 2; 2 to 2: issued [11111001]; 3 to 13: memory [00011001]" in load.labels[1]
    assert rows[issued[4][0]].producers == [issued[1][0]]
    assert rows[issued[5][0]].producers == [issued[2][0]]
    assert {row.thread for row in rows} == {0}


def test_a_file(tmp_path: Path) -> None:
    which = scenario(scenarios.X9, "dws.lazy-split")
    which.export(tmp_path / "t.kanata")
    text = (tmp_path / "t.kanata").read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert read(text.splitlines()) == rows_of(which)
