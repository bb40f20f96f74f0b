"""The formatter: one layout for every layout of the same tokens, and never another program."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simtlab
from simtlab import SourceError, format_source
from simtlab.asm.assemble import assemble
from simtlab.asm.syntax.shapes import tokens
from simtlab.isa.program import Program

from ..quick import few

ROOT = Path(simtlab.__file__).parent
SOURCES = sorted([*ROOT.glob("programs/**/*.s*"), *ROOT.glob("bench/**/*.sasm")])
SOURCES = [path for path in SOURCES if path.suffix in (".sasm", ".sinc")]

EVERYTHING = """\
// All that a source may hold.
.const N = (5 + 3) << 2                         // a comment
.const SIZE = N * 4 - -1
.readonly u32 T[N] = { 1, -2, 0xff & N, }
.readonly f32 LONG[4] = {
    1.5, 1e-3,                                  // the first two
                                                // and more about them
    -inf, 0f3f800000
}

.macro mad type, a, b
    mad_\\type           \\a, \\b, 4, \\a           // \\type is a part of a word
    ld_group_\\type      \\a, [tile+$s1+(\\b * 4)]
@again:
    cbr                 $c0, @again
.endmacro

kernel every(
    f32 %a,
    global f32* %x                              // an array
) {
    .group f32 tile[N * 2]
    .private u32 stack[(N * 2)]
    // before the code
    mov_u32             $s1, 'a'                // one,
                                                // two
    ld_readonly_u32     $s0, [T+(N - 1)*4]
    workitemflatabsid_u32 $s0
    activelanepermute_u32 $s20, $s21, $s22, $s23, $c0  // long code
    .loc "a // b.sasm" 1 2
@loop:                                          // a label
    mad                 u32, $s1, $s2
    br                  @loop, noloop
}
"""


def code_of(program: Program) -> tuple[object, ...]:
    """What an object file holds except positions."""
    kernels = tuple(replace(kernel, locations=()) for kernel in program.kernels)
    return kernels, program.readonly, program.readonly_data


def content(text: str) -> list[str]:
    """The tokens and comments of a text, those in brackets too."""
    found: list[str] = []
    for word in tokens(text):
        inside = tokens(word.text[1:-1]) if word.kind == "BRACKETS" else [word]
        found += [part.text.rstrip() for part in inside]
    return found


def test_there_are_sources() -> None:
    assert len(SOURCES) > 40


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_shipped_source_is_in_the_house_style(path: Path) -> None:
    text = path.read_text("utf-8")
    assert format_source(text) == text


def test_the_example_of_every_form_is_in_the_house_style() -> None:
    assert format_source(EVERYTHING) == EVERYTHING


def squeezed(text: str) -> str:
    """A text without indentation, with one space where there are several, and more empty lines."""
    lines = [re.sub(r"(?<=\S)[ \t]+", " ", line).strip() for line in text.split("\n")]
    return "\n\n\n" + "\n".join(lines).replace("\n\n", "\n\n\n\n") + "\n\n"


@pytest.mark.parametrize("path", few(SOURCES, 3), ids=lambda path: path.stem)
def test_formatting_keeps_the_object_file(path: Path, tmp_path: Path) -> None:
    loose = squeezed(path.read_text("utf-8"))
    formatted = format_source(loose)
    assert format_source(formatted) == formatted
    assert content(formatted) == content(loose)
    if path.suffix == ".sasm":  # an included file has no kernels of its own
        assert code_of(assembled(formatted, path, tmp_path)) == code_of(assemble(path))


def assembled(text: str, path: Path, folder: Path) -> Program:
    """The program of a text in the place of a source, beside the files that it may include."""
    suite = path.relative_to(ROOT).parts[:2]
    root = ROOT.joinpath(*suite) if suite[0] == "programs" else path.parent
    for included in root.rglob("*.sinc"):
        copy = folder / included.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(included.read_text("utf-8"), "utf-8")
    place = folder / path.relative_to(root)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    return assemble(place)


def shaken(text: str, draw: st.DataObject) -> str:
    """The same tokens with other spaces between them; comments of their own lines stay alone.

    A character may be a space or a comma; nothing is put beside one.
    """
    gaps = st.sampled_from([" ", "  ", "\t", "          "])
    more = st.sampled_from(["", "", " ", "\t "])
    found: list[str] = []
    for line in text.split("\n"):
        parts = re.findall(r"//.*|[ \t]+|(?:'.'|(?!//)[^ \t])+", line)
        for part in parts:
            if part.isspace():
                found.append(draw.draw(gaps) if found and found[-1] != "\n" else draw.draw(more))
            elif part.startswith("//"):
                found.append(part)
            else:
                found.append(re.sub(r"(?<=[,(])(?<!'.)(?!\s)", lambda _: draw.draw(more), part))
        found.append(draw.draw(more) + "\n")
    return "".join(found)


@given(st.data(), st.sampled_from([path for path in SOURCES if path.stat().st_size < 3000]))
def test_every_layout_of_a_source_has_one_format(draw: st.DataObject, path: Path) -> None:
    text = path.read_text("utf-8")
    own = re.sub(r"(?m)^ *(//)", r"\1", text)  # the formatter indents these by the kernel
    assert format_source(shaken(own, draw)) == text


_WORDS = st.sampled_from(
    [
        *("add_u32", "$s0", "$d1", "%n", "@l", "@l:", "(", ")", "-", "+", "*", "<<", "~", ","),
        *("[tile+4]", "[ $d0 + 8 ]", "'a'", "'/'", '"x // y"', "// c", "1", "0x2a", "1.5", "{"),
        *("}", "kernel", "k(", "u32", "global", "\n", "\n\n", "\n.macro m a, b\n", "\n.endmacro\n"),
        *(
            "\\a",
            ".const",
            "N",
            "=",
            ".readonly",
            "\nkernel k(u32 %n) {\n",
            "\n}\n",
            " ",
            "\t",
            ".loc",
        ),
    ]
)


@given(st.lists(_WORDS, max_size=40).map(lambda words: " ".join(words)))
def test_any_text_keeps_its_tokens_or_is_refused(text: str) -> None:
    try:
        formatted = format_source(text)
    except SourceError:
        return
    assert content(formatted) == content(text)
    assert format_source(formatted) == formatted
    assert "\n\n\n" not in formatted
    assert all(line == line.rstrip() for line in formatted.split("\n"))


@pytest.mark.parametrize(
    ("loose", "formatted"),
    [
        (".const  N=1+ 2*-3", ".const N = 1 + 2 * -3"),
        (".const N = ~ 1 - - 2", ".const N = ~1 - -2"),
        (".const N = (1)<<2|3", ".const N = (1) << 2 | 3"),
        (".const A = B %2", ".const A = B % 2"),
        ("kernel k ( global  f32 * %x ,u32 %n )  {", "kernel k(global f32* %x, u32 %n) {"),
        ("@here :", "@here:"),
        ("mov_u32 $s0,- 1", "mov_u32             $s0, -1"),
        ("mov_u32$s0,(1-N)", "mov_u32             $s0, (1 - N)"),
        ("ld_group_u32 $s0,[ tile + $s1 - (N*4) ]", "ld_group_u32        $s0, [tile+$s1-(N * 4)]"),
        (".group u32 tile [ N*2+1 ]", ".group u32 tile[N * 2 + 1]"),
        ("ret//done", f"{'ret':46}  //done"),
        (f"br @{'a' * 30}    //far", f"{'br':19} @{'a' * 30}  //far"),
        ("a_mnemonic_with_more_columns  $s0", "a_mnemonic_with_more_columns $s0"),
    ],
)
def test_a_line(loose: str, formatted: str) -> None:
    assert format_source(loose) == formatted + "\n"


def test_spaces_beside_a_parameter_of_a_macro_stay() -> None:
    text = ".macro m t, a\nadd_\\t  $\\a,\\a  +\\a, (\\a*2), (\\a+ 4)\n.endmacro\n"
    body = "    add_\\t              $\\a, \\a +\\a, (\\a * 2), (\\a+ 4)\n"
    assert format_source(text) == f".macro m t, a\n{body}.endmacro\n"


def test_line_ends_and_empty_lines() -> None:
    assert format_source("\r\n\r\nret\r\n\r\n\r\n\r\nret  \r\n\r\n") == "ret\n\nret\n"
    assert format_source("") == format_source("\n \n") == ""


def test_a_source_with_a_syntax_error_is_refused_with_the_message_of_the_assembler() -> None:
    text = "kernel k() {\n    add_u32 $s0 $s1\n    ret\n}\n"
    with pytest.raises(SourceError) as refused:
        format_source(text)
    with pytest.raises(SourceError) as assembled:
        assemble(text)
    assert str(refused.value) == str(assembled.value)


def test_an_unknown_name_is_no_reason_to_refuse() -> None:
    assert format_source("  foo_u32 $s0,[%n]") == "foo_u32             $s0, [%n]\n"
