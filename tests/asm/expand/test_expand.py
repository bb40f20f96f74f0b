"""Includes, constants and macros."""

from __future__ import annotations

from pathlib import Path

import pytest

from simtlab.asm.assemble import assemble
from simtlab.isa.errors import SourceError
from simtlab.isa.program import Program


def kernel(*lines: str, before: str = "") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"{before}kernel k(u32 %n) {{\n{body}    ret\n}}\n"


def words(source: str | Path) -> tuple[int, ...]:
    return assemble(source).kernels[0].words


def lines_of(program: Program) -> list[tuple[str, int]]:
    """File and line of every instruction."""
    return [(program.files[p.file], p.line) for p in program.kernels[0].locations]


def error_of(source: str | Path) -> SourceError:
    with pytest.raises(SourceError) as caught:
        assemble(source)
    return caught.value


MACRO = """
.macro mulacc sum, a, b   // sum += a * b
    mul_f32  $s63, \\a, \\b
    add_f32  \\sum, \\sum, $s63
.endmacro
"""


def test_a_macro_stands_for_its_lines() -> None:
    used = kernel("mulacc $s0, $s1, 2.0", before=MACRO)
    spelled = kernel("mul_f32 $s63, $s1, 2.0", "add_f32 $s0, $s0, $s63")
    assert words(used) == words(spelled)


def test_the_line_table_names_the_line_that_uses_the_macro() -> None:
    program = assemble(kernel("nop", "mulacc $s0, $s1, $s2", before=MACRO))
    assert lines_of(program) == [("<text>", 7), ("<text>", 8), ("<text>", 8), ("<text>", 9)]


def test_an_argument_may_be_any_operand_and_any_part_of_a_word() -> None:
    macro = ".macro both t, to, from\n    ld_kernarg_\\t \\to, \\from\n.endmacro\n"
    assert words(kernel("both u32, $s0, [%n]", before=macro)) == words(
        kernel("ld_kernarg_u32 $s0, [%n]")
    )


def test_an_argument_keeps_the_commas_inside_its_parentheses() -> None:
    macro = ".macro set to, value\n    mov_u32 \\to, \\value\n.endmacro\n"
    assert words(kernel("set $s0, ((1+2)*3)", before=macro)) == words(kernel("mov_u32 $s0, 9"))


def test_a_parameter_in_a_comment_or_a_character_is_text() -> None:
    macro = ".macro m n\n    mov_u32 $s0, '\\n' // \\n and \\whatever\n.endmacro\n"
    assert words(kernel("m 5", before=macro)) == words(kernel("mov_u32 $s0, 10"))


def test_labels_of_a_macro_are_its_own_in_every_use() -> None:
    macro = ".macro skip c\n    cbr \\c, @over\n    nop\n@over:\n.endmacro\n"
    source = kernel("skip $c0", "@over:", "skip $c1", "br @over", before=macro)
    program = assemble(source)
    assert dict(program.kernels[0].labels) == {"skip.1.over": 2, "over": 2, "skip.2.over": 4}
    assert [i.target for i in program.kernels[0].instructions if i.row.is_branch] == [2, 4, 2]


def test_a_label_that_is_an_argument_is_the_kernels() -> None:
    macro = ".macro unless c, there\n    cbr \\c, @on\n    br \\there\n@on:\n.endmacro\n"
    program = assemble(kernel("@on:", "unless $c0, @on", before=macro))
    assert [i.target for i in program.kernels[0].instructions if i.row.is_branch] == [2, 0]


def test_a_macro_may_use_another_and_define_a_label_that_it_is_given() -> None:
    macros = ".macro two\n    nop\n    nop\n.endmacro\n"
    macros += ".macro four l\n    two\n\\l:\n    two\n.endmacro\n"
    program = assemble(kernel("four @here", "br @here", before=macros))
    assert program.kernels[0].labels == (("here", 2),)
    assert len(program.kernels[0].words) == 6


def test_macros_that_double_each_other_end_in_an_error() -> None:
    text = ".macro m0\n    nop\n.endmacro\n"
    for depth in range(1, 40):
        text += f".macro m{depth}\n    m{depth - 1}\n    m{depth - 1}\n.endmacro\n"
    error = error_of(kernel("m39", before=text))
    assert "macros produce more than 100000 lines" in error.first.message


def test_a_line_that_doubles_in_each_macro_ends_in_an_error() -> None:
    text = ".macro m0 a\n    mov_u32 $s0, \\a\n.endmacro\n"
    for depth in range(1, 40):
        text += f".macro m{depth} a\n    m{depth - 1} (\\a+\\a)\n.endmacro\n"
    assert error_of(kernel("m39 1", before=text)).first.code in ("SIM131", "SIM145")


def test_macros_inside_each_other_have_a_limit() -> None:
    text = ".macro m0\n    nop\n.endmacro\n"
    for depth in range(1, 100):
        text += f".macro m{depth}\n    m{depth - 1}\n.endmacro\n"
    assert (
        "more than 64 macros use each other" in error_of(kernel("m99", before=text)).first.message
    )


def test_a_place_after_two_arguments_is_that_of_the_macro_s_body() -> None:
    macro = ".macro m long_name, b\n    mad_u32 $s0, \\long_name, \\b, $q1\n.endmacro\n"
    span = error_of(kernel("m 7, 123456", before=macro)).first.span
    assert span is not None
    assert (span.line, span.column, span.length) == (2, 34, 3)


def test_an_included_file_stands_where_it_is_included(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "all.sinc").write_text('.include "consts.sinc"\n' + MACRO, encoding="utf-8")
    (tmp_path / "lib" / "consts.sinc").write_text(".const TWO = 2.0\n", encoding="utf-8")
    (tmp_path / "body.sinc").write_text("    nop\n", encoding="utf-8")
    main = tmp_path / "main.sasm"
    main.write_text(
        kernel('.include "body.sinc"', "mulacc $s0, $s1, TWO", before='.include "lib/all.sinc"\n'),
        encoding="utf-8",
    )
    program = assemble(main)
    assert lines_of(program) == [("body.sinc", 1)] + [("main.sasm", 4)] * 2 + [("main.sasm", 5)]
    assert set(program.sources) == {"main.sasm", "body.sinc", "lib/all.sinc", "lib/consts.sinc"}


def test_a_mistake_in_an_included_file_tells_the_includes_from_the_inside_out(
    tmp_path: Path,
) -> None:
    (tmp_path / "inner.sinc").write_text("    nonsense\n", encoding="utf-8")
    (tmp_path / "outer.sinc").write_text('\n    .include "inner.sinc"\n', encoding="utf-8")
    main = tmp_path / "main.sasm"
    main.write_text(kernel('.include "outer.sinc"'), encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        assemble(main)
    spans = [caught.value.first.span, *(note.span for note in caught.value.first.notes)]
    places = [(Path(span.file).name, span.line) for span in spans if span is not None]
    assert places == [("inner.sinc", 1), ("outer.sinc", 2), ("main.sasm", 2)]


def test_an_include_may_go_up_four_folders(tmp_path: Path) -> None:
    (tmp_path / "top.sinc").write_text("    nop\n", encoding="utf-8")
    main = tmp_path / "a" / "b" / "c" / "d" / "main.sasm"
    main.parent.mkdir(parents=True)
    main.write_text(kernel('.include "../../../../top.sinc"'), encoding="utf-8")
    assert lines_of(assemble(main))[0] == ("../../../../top.sinc", 1)


def test_another_file_can_be_included_than_the_source_names(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "body.sinc").write_text("    nop\n", encoding="utf-8")
    (tmp_path / "two" / "body.sinc").write_text('.include "more.sinc"\n', encoding="utf-8")
    (tmp_path / "two" / "more.sinc").write_text("    nop\n    nop\n", encoding="utf-8")
    main = tmp_path / "main.sasm"
    main.write_text(kernel('.include "one/body.sinc"'), encoding="utf-8")
    assert lines_of(assemble(main))[0] == ("one/body.sinc", 1)
    assert assemble(main, includes={}) == assemble(main, includes={"unused.sinc": "x.sinc"})
    program = assemble(main, includes={"one/body.sinc": "two/body.sinc"})
    assert lines_of(program)[:2] == [("two/more.sinc", 1), ("two/more.sinc", 2)]
    assert set(program.sources) == {"main.sasm", "two/body.sinc", "two/more.sinc"}
    with pytest.raises(SourceError) as caught:
        assemble(main, includes={"one/body.sinc": "three.sinc"})
    first = caught.value.first
    assert (first.code, "three.sinc" in first.message) == ("SIM135", True)
    assert first.span is not None
    assert (first.span.file.rpartition("/")[2], first.span.line) == ("main.sasm", 2)


def test_a_file_may_be_included_twice_where_it_defines_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "body.sinc").write_text("    nop\n", encoding="utf-8")
    main = tmp_path / "main.sasm"
    main.write_text(kernel('.include "body.sinc"', '.include "body.sinc"'), encoding="utf-8")
    assert len(words(main)) == 3


def test_includes_that_double_each_other_end_in_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simtlab.asm.expand.expand.MAX_STATEMENTS", 1_000)
    (tmp_path / "f0.sinc").write_text("    nop\n", encoding="utf-8")
    for depth in range(1, 30):
        inner = f'.include "f{depth - 1}.sinc"\n'
        (tmp_path / f"f{depth}.sinc").write_text(inner * 2, encoding="utf-8")
    main = tmp_path / "main.sasm"
    main.write_text(kernel('.include "f29.sinc"'), encoding="utf-8")
    assert "more than 1000 statements" in error_of(main).first.message


def test_includes_that_double_without_a_line_end_too(tmp_path: Path) -> None:
    (tmp_path / "f0.sinc").write_text("// nothing\n", encoding="utf-8")
    for depth in range(1, 30):
        inner = f'.include "f{depth - 1}.sinc"\n'
        (tmp_path / f"f{depth}.sinc").write_text(inner * 2, encoding="utf-8")
    main = tmp_path / "main.sasm"
    main.write_text(kernel('.include "f29.sinc"'), encoding="utf-8")
    assert "includes" in error_of(main).first.message


def test_files_included_inside_each_other_have_a_limit(tmp_path: Path) -> None:
    for depth in range(70):
        inner = f'.include "f{depth + 1}.sinc"\n'
        (tmp_path / f"f{depth}.sinc").write_text(inner, encoding="utf-8")
    main = tmp_path / "main.sasm"
    main.write_text(kernel('.include "f0.sinc"'), encoding="utf-8")
    assert "more than 64 files include each other" in error_of(main).first.message


def test_a_definition_that_is_missing_because_of_an_error_is_not_missed_again() -> None:
    broken = ".const N 5\n.const M = N*2\n.macro m a\n    mov_u32 $s0, \\b\n.endmacro\n"
    source = kernel("mov_u32 $s0, N", "mov_u32 $s0, M", "m 1", ".group f32 t", before=broken)
    assert [d.code for d in error_of(source).diagnostics] == ["SIM102", "SIM133", "SIM128"]


def test_everything_of_a_source_is_checked_in_one_run() -> None:
    source = (
        ".const N = 1/0\n"
        ".readonly u32 T[2] = { 1.5 }\n"
        "kernel a(u32 n) {\n    ld_kernarg_u32 $s0, [%n]\n    br @x\n}\n"
        "kernel b() {\n    mov_u32 $s0, N\n    st_global_u32 1, [$d0]\n    nop\n}\n"
    )
    found = [(d.code, d.span.line) for d in error_of(source).diagnostics if d.span]
    assert found == [("SIM138", 1), ("SIM115", 2), ("SIM117", 3), ("SIM110", 5), ("SIM116", 9)]


@pytest.mark.parametrize("value", ["Q", "(Q)", "Q + 1", "P"])
def test_a_constant_of_an_unknown_one_is_an_error_and_excuses_its_uses(value: str) -> None:
    with pytest.raises(SourceError) as caught:
        assemble(f".const P = {value}\nkernel k() {{\n    mov_u32 $s0, P\n    ret\n}}\n")
    assert [(d.code, d.span.line) for d in caught.value.diagnostics if d.span] == [("SIM119", 1)]
