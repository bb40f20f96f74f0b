"""`simtlab fmt`: what it writes, prints and returns."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

LOOSE = "kernel k(){\n  ret //x\n}\n"
TIDY = f"kernel k() {{\n    {'ret':42}  //x\n}}\n"
BROKEN = "kernel k() {\n    add_u32 $s0 $s1\n"


def stdin(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), encoding="utf-8"))


def test_a_file_is_formatted_in_place(cli):
    Path("a.sasm").write_text(LOOSE)
    assert (cli("fmt", "a.sasm").out, Path("a.sasm").read_text()) == ("formatted a.sasm\n", TIDY)
    before = Path("a.sasm").stat().st_mtime_ns
    done = cli("fmt", "a.sasm")
    assert (done.status, done.out) == (0, "")
    assert Path("a.sasm").stat().st_mtime_ns == before, "an unchanged file is not written"


def test_a_folder_is_formatted_with_its_folders_but_not_hidden_ones(cli):
    for name in ("f/a.sasm", "f/g/b.sinc", "f/c.txt", "f/.old/d.sasm"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(LOOSE)
    assert cli("fmt", "f").out == "formatted f/a.sasm\nformatted f/g/b.sinc\n"
    assert Path("f/c.txt").read_text() == Path("f/.old/d.sasm").read_text() == LOOSE


def test_check_and_diff_write_nothing(cli):
    Path("a.sasm").write_text(LOOSE)
    Path("b.sasm").write_text(TIDY)
    done = cli("fmt", "a.sasm", "b.sasm", "--check")
    assert (done.status, done.out) == (1, "would format a.sasm\n")
    done = cli("fmt", "a.sasm", "b.sasm", "--diff")
    assert done.status == 1
    assert done.out.startswith("--- a.sasm\n+++ a.sasm\n@@ ")
    assert "-kernel k(){\n" in done.out
    assert "+kernel k() {\n" in done.out
    assert Path("a.sasm").read_text() == LOOSE
    assert cli("fmt", "b.sasm", "--check").status == 0


def test_stdin_goes_to_stdout(cli, monkeypatch):
    stdin(monkeypatch, LOOSE.encode())
    done = cli("fmt", "-")
    assert (done.status, done.out) == (0, TIDY)
    stdin(monkeypatch, LOOSE.encode())
    done = cli("fmt", "-", "--check")
    assert (done.status, done.out) == (1, "would format -\n")


def test_a_source_with_an_error_stays_as_it_is_and_the_others_are_formatted(cli):
    Path("a.sasm").write_text(BROKEN)
    Path("b.sasm").write_text(LOOSE)
    done = cli("fmt", "a.sasm", "b.sasm")
    assert (done.status, done.out) == (2, "formatted b.sasm\n")
    assert "a.sasm:2:17" in done.err
    assert Path("a.sasm").read_text() == BROKEN


def test_line_ends_and_a_byte_order_mark_count_as_a_difference(cli):
    Path("a.sasm").write_bytes(b"\xef\xbb\xbf" + TIDY.replace("\n", "\r\n").encode())
    done = cli("fmt", "a.sasm", "--diff")
    assert (done.status, done.out) == (
        1,
        "a.sasm: only line ends or the byte order mark differ\n",
    )
    assert cli("fmt", "a.sasm").status == 0
    assert Path("a.sasm").read_bytes() == TIDY.encode()


def test_what_cannot_be_formatted(cli):
    Path("empty").mkdir()
    done = cli("fmt", "empty")
    assert done.status == 2
    assert "the folder empty has no source" in done.err
    done = cli("fmt", "none.sasm")
    assert done.status == 2
    assert "cannot read none.sasm" in done.err
    Path("a.sbc").write_bytes(b"\xff\xfe\x00")
    done = cli("fmt", "a.sbc")
    assert done.status == 2
    assert "not UTF-8" in done.err
