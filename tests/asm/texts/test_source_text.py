"""Sources as files and as texts: encoding, line ends, names, limits."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import pytest

from simtlab.asm.assemble import assemble
from simtlab.asm.texts.source import Line, SourceFile
from simtlab.isa.codes import assembler_codes
from simtlab.isa.errors import SourceError, UsageError
from simtlab.isa.objectfile import dumps, loads

from ..support.patience import patience

SMALL = "kernel k() {\n    nop // é\n    ret\n}\n"


def error_of(source: str | Path) -> str:
    with pytest.raises(SourceError) as caught:
        assemble(source)
    return str(caught.value)


def test_a_string_with_a_line_end_is_a_text() -> None:
    program = assemble(SMALL)
    assert program.files == ("<text>",)
    assert program.sources == {"<text>": SMALL}


def test_a_path_is_a_file_whatever_its_type(tmp_path: Path) -> None:
    path = tmp_path / "k.sasm"
    path.write_text(SMALL, encoding="utf-8")
    assert assemble(path) == assemble(str(path))
    assert assemble(path).files == ("k.sasm",)


def test_a_string_without_a_line_end_that_names_a_file_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "kernel.txt"
    path.write_text(SMALL, encoding="utf-8")
    assert assemble(str(path)).files == ("kernel.txt",)


def test_a_string_that_ends_in_sasm_is_a_file_even_where_there_is_none() -> None:
    assert error_of("missing.sasm") == (
        "error[SIM510]: cannot read missing.sasm: no such file or directory"
    )


def test_a_folder_is_no_source(tmp_path: Path) -> None:
    assert "is a directory" in error_of(tmp_path)


def test_a_path_with_a_zero_byte_is_no_source() -> None:
    assert error_of("a\0b.sasm").startswith("error[SIM510]: 'a\\x00b.sasm' cannot be the name")


def test_what_is_neither_text_nor_path_is_refused() -> None:
    with pytest.raises(UsageError, match="a source is a string or a path, not bytes"):
        assemble(b"kernel k() {")  # pyright: ignore[reportArgumentType]


def test_bytes_that_are_no_utf8_are_shown_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "latin.sasm"
    path.write_bytes("kernel k() {\n    ret // é\n}\n".encode("latin-1"))
    name = path.name
    assert error_of(path) == (
        f"error[SIM101]: {name} is not UTF-8 text: byte 0xe9 is not allowed here\n"
        f" --> {name}:2:12\n"
        "  |\n"
        "2 |     ret // \N{REPLACEMENT CHARACTER}\n"
        "  |            ^ not UTF-8\n"
        "  = help: save the file as UTF-8; an object file (.sbc) is read by `simtlab disasm`"
    )


def test_the_place_of_a_byte_that_is_no_utf8_counts_characters(tmp_path: Path) -> None:
    path = tmp_path / "k.sasm"
    path.write_bytes("nop\n// é €".encode() + b" \xff\n")
    with pytest.raises(SourceError) as caught:
        assemble(path)
    span = caught.value.first.span
    assert span is not None
    assert (span.line, span.column, span.bytes) == (2, 8, (14, 15))


def test_control_characters_beside_bytes_that_are_no_utf8_do_not_reach_the_terminal(
    tmp_path: Path,
) -> None:
    path = tmp_path / "noise.sasm"
    path.write_bytes(b"\x1b[2J\r\x07\t\xff\x00kernel\n")
    name, shape = path.name, "\N{REPLACEMENT CHARACTER}"
    assert error_of(path).splitlines()[:5] == [
        f"error[SIM101]: {name} is not UTF-8 text: byte 0xff is not allowed here",
        f" --> {name}:1:8",
        "  |",
        f"1 | {shape}[2J{shape}{shape}  {shape}{shape}kernel",
        "  |         ^ not UTF-8",
    ]


@pytest.mark.parametrize(
    "character", ["\0", "\x07", "\x0b", "\x0c", "\r", "\x1b", "\x7f", "\x85", "\u2028", "\u202e"]
)
def test_a_character_that_no_editor_shows_is_refused_even_in_a_comment(character: str) -> None:
    assert error_of(f"kernel k() {{\n    ret // a{character}b\n}}\n") == (
        f"error[SIM101]: the character U+{ord(character):04X} is not allowed in a source text\n"
        " --> <text>:2:13\n"
        "  |\n"
        "2 |     ret // a\N{REPLACEMENT CHARACTER}b\n"
        "  |             ^ an invisible character\n"
        "  = help: remove it; a source text has visible characters, spaces, tabs and line ends"
    )


def test_an_invisible_character_in_code_is_named_by_its_number() -> None:
    assert error_of("kernel k() {\n    ret\u200b\n}\n") == (
        "error[SIM102]: unexpected character U+200B (ZERO WIDTH SPACE)\n"
        " --> <text>:2:8\n"
        "  |\n"
        "2 |     ret\N{REPLACEMENT CHARACTER}\n"
        "  |        ^ not part of the language\n"
        "  = help: remove it: it is invisible, and often comes with text that was copied"
    )


def test_a_space_that_is_not_an_ordinary_one_is_to_be_replaced() -> None:
    found = error_of("kernel k() {\n    mov_u32\u00a0$s0, 1\n}\n")
    assert "unexpected character U+00A0 (NO-BREAK SPACE)" in found
    assert found.endswith("= help: write a space")


def test_a_lone_surrogate_is_refused() -> None:
    assert "U+D800 is not allowed" in error_of("// \ud800\nkernel k() {\n    ret\n}\n")


def test_line_ends_of_windows_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    plain, windows = tmp_path / "plain" / "k.sasm", tmp_path / "windows" / "k.sasm"
    for path, data in ((plain, SMALL.encode()), (windows, SMALL.encode("utf-8-sig"))):
        path.parent.mkdir()
        path.write_bytes(data if path is plain else data.replace(b"\n", b"\r\n"))
    assert dumps(assemble(plain)) == dumps(assemble(windows))
    assert assemble(windows).sources == {"k.sasm": SMALL}


def test_the_line_table_counts_characters_not_columns_of_the_screen() -> None:
    program = assemble("kernel k() {\n\t\tnop\n\tret\n}\n")
    assert [(p.line, p.column) for p in program.kernels[0].locations] == [(2, 3), (3, 2)]


def test_a_column_beyond_the_line_table_counts_as_its_last() -> None:
    program = assemble(f"kernel k() {{\n{' ' * 70_000}ret\n}}\n")
    assert program.kernels[0].locations[0].column == 0xFFFF
    assert dumps(program)


@pytest.mark.parametrize("name", ['a"b.sasm', "a\tb.sasm", "a:b.sasm", "\udcff.sasm"])
def test_a_file_of_an_odd_name_makes_an_object_file_that_loads(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(SMALL, encoding="utf-8")
    program = assemble(path)
    assert loads(dumps(program)) == program
    path.write_text(SMALL.replace("nop", "fam"), encoding="utf-8")
    message = error_of(path)
    assert "unknown instruction `fam`" in message
    assert message.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "name", ["/a.sinc", "C:/a.sinc", "./a:b.sinc", "..\\a.sinc", "a\tb.sinc", "é\xad.sinc"]
)
def test_an_include_of_an_odd_name_is_refused(name: str) -> None:
    assert error_of(f'.include "{name}"\n').startswith("error[SIM136]")


def test_names_in_an_object_file_do_not_depend_on_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "common.sinc").write_text("    nop\n", encoding="utf-8")
    path = tmp_path / "sub" / "main.sasm"
    path.write_text('kernel k() {\n.include "../common.sinc"\n    ret\n}\n', encoding="utf-8")
    elsewhere = assemble(path)
    monkeypatch.chdir(tmp_path / "sub")
    assert dumps(assemble("main.sasm")) == dumps(elsewhere)
    assert elsewhere.files == ("../common.sinc", "main.sasm")
    assert set(elsewhere.sources) == {"../common.sinc", "main.sasm"}


def test_messages_name_files_relative_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "part.sinc").write_text("    fam_f32\n", encoding="utf-8")
    path = tmp_path / "sub" / "main.sasm"
    path.write_text('kernel k() {\n.include "part.sinc"\n    ret\n}\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert " --> sub/part.sinc:1:5\n" in error_of(path)
    monkeypatch.chdir(tmp_path / "sub")
    assert " --> part.sinc:1:5\n" in error_of(path)


def test_a_source_without_a_kernel_is_refused() -> None:
    assert error_of("// nothing\n") == (
        "error[SIM126]: <text> has no kernel\n = help: begin one with: kernel name(u32 %n) {"
    )


def test_a_file_that_is_too_large_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simtlab.asm.texts.source.MAX_BYTES", 10)
    path = tmp_path / "large.sasm"
    path.write_text(SMALL, encoding="utf-8")
    assert error_of(path).startswith("error[SIM145]: large.sasm is larger than")


@pytest.mark.parametrize("as_file", [False, True])
def test_a_source_with_too_many_lines_is_refused_before_it_is_taken_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_file: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "kernel k() {\n" + "\n" * (1 << 20) + "ret\n}\n"
    path = tmp_path / "long.sasm"
    path.write_text(text, encoding="utf-8")
    assert error_of(path if as_file else text) == (
        f"error[SIM145]: {'long.sasm' if as_file else '<text>'} has more than 1,048,576 lines, "
        "the most for one source\n"
        " = help: a kernel with so much code is a loop, or several kernels in files of their own"
    )


def test_a_text_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simtlab.asm.texts.source.MAX_BYTES", 10)
    assert "is larger than" in error_of("// " + "x" * 10)


@pytest.mark.parametrize(
    "line",
    [
        "    mov_u32 $s0, {long}",
        "    {long} $s0",
        "    mov_u32 $s0, %{long}",
        "    ld_group_u32 $s0, [{long}]",
        "    br @{long}",
        "    mov_u32 $s0, 1 {long} 2",
        '    mov_u32 $s0, "{long}"',
        "    mov_u32 $s0, '{long}'",
        "    mov_u32 $s0, 1{long}",
        "    mov_u32 ${long}, 1",
        "    .{long} 1",
        '    .include "{long}"',
        "    {spaces}mov_u32 $s0, $",
    ],
)
@pytest.mark.parametrize("length", [1 << 16, pytest.param(1 << 20, marks=pytest.mark.slow)])
def test_a_very_long_line_makes_a_short_message_that_shows_the_place(
    line: str, length: int
) -> None:
    text = line.format(long="x" * length, spaces=" " * length)
    with pytest.raises(SourceError) as found, patience():
        assemble(f"kernel k() {{\n{text}\n    ret\n}}\n")
    error = found.value
    message = str(error)
    assert len(message) < 6_000
    assert "…" in message
    assert "^" in message
    assert len(json.dumps([d.to_dict() for d in error.diagnostics])) < 6_000


def test_ten_thousand_names_are_searched_for_near_ones_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searches = []
    plain = difflib.get_close_matches
    monkeypatch.setattr(
        difflib, "get_close_matches", lambda *args: searches.append(1) or plain(*args)
    )
    constants = "".join(f".const limit{i} = {i}\n" for i in range(8_000))
    code = "".join(f"    mov_u32 $s0, limid{i}\n" for i in range(250))
    with pytest.raises(SourceError) as found:
        assemble(f"{constants}kernel k() {{\n{code}    ret\n}}\n")
    assert 0 < len(searches) <= 20
    assert len(found.value.diagnostics) == 20
    assert found.value.first.hint == "did you mean `limit0`?"
    assert "230 more errors are not shown" in str(found.value)


def test_a_branch_too_far_is_an_error_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simtlab.isa.encoding.BRANCH_REACH", 2)
    message = error_of("kernel k() {\n    br @a\n    nop\n    nop\n    nop\n@a:\n    ret\n}\n")
    assert message == (
        "error[SIM144]: the target lies 3 words away; at most 2 are possible\n"
        " --> <text>:2:5\n"
        "  |\n"
        "2 |     br @a\n"
        "  |     ^^^^^"
    )


def test_at_most_twenty_errors_are_shown_and_the_rest_is_counted() -> None:
    with pytest.raises(SourceError) as caught:
        assemble("kernel k() {\n" + "    nop $s0\n" * 25 + "    ret\n}\n")
    found = caught.value.diagnostics
    assert [d.span.line for d in found if d.span] == list(range(2, 22))
    assert [note.message for note in found[-1].notes] == ["5 more errors are not shown"]


def test_a_run_ends_where_there_are_very_many_errors() -> None:
    lines = "".join(f"    fam{i} $s0\n" for i in range(20_000))
    with pytest.raises(SourceError) as caught:
        assemble(f"kernel k() {{\n{lines}    ret\n}}\n")
    found = caught.value.diagnostics
    assert [d.span.line for d in found if d.span] == list(range(2, 22))


def test_a_diagnostic_has_its_place_as_numbers() -> None:
    with pytest.raises(SourceError) as caught:
        assemble("kernel k() {\n    fam_f32 $s0\n    ret\n}\n")
    assert caught.value.first.to_dict() == {
        "severity": "error",
        "code": "SIM104",
        "message": "unknown instruction `fam_f32`",
        "file": "<text>",
        "line": 2,
        "column": 5,
        "length": 7,
        "byte_start": 17,
        "byte_end": 24,
        "label": "not in the instruction table",
        "hint": "did you mean `fma_f32`?",
        "notes": [],
        "edits": [
            {
                "file": "<text>",
                "line": 2,
                "column": 5,
                "length": 7,
                "byte_start": 17,
                "byte_end": 24,
                "replacement": "fma_f32",
            }
        ],
        "rendered": str(caught.value),
    }


def test_a_place_in_a_statement_of_several_lines_ends_with_its_line() -> None:
    text = ".readonly u32 T[2] = {\n    12,\n    345 }"
    line = Line(SourceFile("k.sasm", "k.sasm", None, text), 7, text)
    place = text.index("12")
    span = line.span(place, 100)
    assert (span.line, span.column, span.length, span.source) == (8, 5, 3, "    12,")
    span = line.span(place, 1)
    assert (span.line, span.column, span.length) == (8, 5, 1)
    span = line.span(text.index("345"), 3)
    assert (span.line, span.column, span.length, span.source) == (9, 5, 3, "    345 }")


def test_the_bytes_of_a_place_are_those_of_the_file_and_never_a_line_end_of_windows() -> None:
    file = SourceFile("k.sasm", "k.sasm", None, "nop\r\né ret\r\n", mark=3)
    for line, column, length, found in [(1, 1, 3, (3, 6)), (1, 4, 1, (6, 6)), (2, 1, 9, (8, 14))]:
        assert file.with_bytes(file.span(line, column, length)).bytes == found


def test_the_codes_that_are_tested_here_are_in_the_catalogue() -> None:
    assert {"SIM101", "SIM144"} <= set(assembler_codes())
