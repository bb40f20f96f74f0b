"""Syntax errors, named by example.

A parser's own message tells which tokens it would have taken. What a writer did wrong is better
told by comparison: each mistake below has broken lines, and a line that breaks at the same state
of the parser, on the same kind of token, is the same mistake. The lines are tests too.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ..isa.errors import did_you_mean
from ..isa.table import BY_NAME
from .source import Mistake
from .tables import ShapeError, Word, scan, shape


class Known(NamedTuple):
    """A mistake that is known by examples: lines, or addresses if they begin with a bracket.

    `{found}` in its texts is the word that cannot stand where it is; with `at_before` the message
    points at the one before. An `{x}` in an example stands for every sort of operand, `{y}` too.
    """

    code: str
    message: str
    label: str
    hint: str
    examples: tuple[str, ...]
    at_before: bool = False


_OPERANDS = ("$s0", "@loop", "[$d0]", "%n", '"a"', "1", "'a'", "N", "(N+1)")

KNOWN: tuple[Known, ...] = (
    Known(
        "SIM103",
        "missing comma in front of `{found}`",
        "a comma belongs in front of this",
        "operands are separated by commas",
        ("add_u32 {x} {y}", "add_u32 $s0, {x} {y}", "add_u32 $s0, -1 {y}"),
    ),
    Known(
        "SIM103",
        "missing comma in front of `{found}`",
        "a comma belongs in front of this",
        "parameters are separated by commas",
        (
            "kernel k(u32 %a u32 %b) {",
            "kernel k(u32 %a global f32* %b) {",
            "kernel k(u32 %a, u32 %b u32 %c) {",
            "kernel k(u32 %a, u32 %b global u32* %c) {",
            ".macro m a b",
            ".macro m a, b c",
        ),
    ),
    Known(
        "SIM103",
        "missing comma in front of `{found}`",
        "a comma belongs in front of this",
        "elements are separated by commas",
        (
            ".readonly u32 T[2] = { 1 2 }",
            ".readonly u32 T[2] = { N N }",
            ".readonly u32 T[2] = { 1, 2 3 }",
            ".readonly u32 T[2] = { 'a' 'b' }",
            ".readonly u32 T[2] = { (1) 2 }",
        ),
    ),
    Known(
        "SIM108",
        "an operand is missing behind the comma",
        "nothing follows this comma",
        "remove the comma, or write the operand",
        ("add_u32 $s0,", "add_u32 $s0, $s1,"),
        at_before=True,
    ),
    Known(
        "SIM108",
        "an operand is missing in front of the comma",
        "nothing in front of this comma",
        "remove the comma, or write the operand",
        ("add_u32 ,", "add_u32 $s0, ,", "add_u32 $s0, $s1, ,"),
    ),
    Known(
        "SIM109",
        "a label without a colon",
        "a colon belongs behind this",
        "a label is defined by a line like `@loop:`",
        ("@loop",),
        at_before=True,
    ),
    Known(
        "SIM109",
        "a label without a colon",
        "a colon belongs behind this",
        "a label is defined by a line like `@loop:`, and the instruction stands on the next line",
        ("@loop ret", "@loop $s0", "@loop 1", "@loop @x"),
        at_before=True,
    ),
    Known(
        "SIM102",
        "`{found}` stands behind a label",
        "belongs on the next line",
        "one label or instruction a line",
        ("@loop: ret", "@loop: @b", "@loop: }", "@loop: ,", "@loop: $s0", "@loop: 1"),
    ),
    Known(
        "SIM102",
        "`{found}` stands behind the opening brace",
        "belongs on the next line",
        "one label or instruction a line",
        ("kernel k() { ret", "kernel k() { }", "kernel k() { @a", "kernel k() { .group"),
    ),
    Known(
        "SIM102",
        "`{found}` stands behind the closing brace",
        "belongs on the next line",
        "the closing brace of a kernel has a line of its own",
        ("} ret", "} kernel", "} }", "} @a"),
    ),
    Known(
        "SIM102",
        "`}` stands behind an instruction",
        "belongs on the next line",
        "the closing brace of a kernel has a line of its own",
        ("ret }", "br @a }", "mov_u32 $s0, $s1 }", "mov_u32 $s0, 1 }", "st_u32 $s0, [$d0] }"),
    ),
    Known(
        "SIM102",
        "arithmetic without parentheses",
        "part of a constant expression",
        "write a constant expression in parentheses, as (N*4+1)",
        tuple(
            f"mov_u32 {first}{operand} {operator} 1"
            for first in ("", "$s0, ")
            for operand in ("N", "1", "'a'", "(N)", "-1")
            for operator in ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^")
        ),
    ),
    Known(
        "SIM123",
        "the kernel has no list of parameters",
        "( expected here",
        "a kernel begins with: kernel name(u32 %n) {",
        ("kernel k {", "kernel k u32", "kernel k"),
    ),
    Known(
        "SIM123",
        "the kernel has no name",
        "a name expected here",
        "a kernel begins with: kernel name(u32 %n) {",
        ("kernel (", "kernel {", "kernel", "kernel %n", "kernel @n", "kernel 1", "kernel kernel"),
    ),
    Known(
        "SIM123",
        "missing `{` at the end of the kernel's head",
        "{ belongs behind this",
        "a kernel begins with: kernel name(u32 %n) {",
        ("kernel k()", "kernel k(u32 %n)"),
        at_before=True,
    ),
    Known(
        "SIM123",
        "missing `)` behind the parameters",
        ") expected here",
        "a kernel begins with: kernel name(u32 %n) {",
        ("kernel k(u32 %n {", "kernel k({", "kernel k(u32 %a, u32 %n {", "kernel k(u32 %n"),
    ),
    Known(
        "SIM117",
        "a parameter without a percent sign: `{found}`",
        "write %{found}",
        "parameters are declared as `u32 %n` or `global f32* %x`",
        ("kernel k(u32 n", "kernel k(global f32* x", "kernel k(u32 %a, u32 n"),
    ),
    Known(
        "SIM117",
        "the parameter `{found}` has no type",
        "a type belongs in front of this",
        "parameters are declared as `u32 %n` or `global f32* %x`",
        ("kernel k(%n", "kernel k(u32 %a, %n", "kernel k(global %n"),
    ),
    Known(
        "SIM117",
        "a pointer without its memory",
        "global expected in front of the type",
        "a pointer is declared as `global f32* %x`",
        ("kernel k(f32* %x", "kernel k(u32 %a, f32* %x"),
    ),
    Known(
        "SIM117",
        "`global` stands in front of a parameter that is no pointer",
        "* expected in front of this",
        "a pointer is declared as `global f32* %x`, a value as `f32 %x`",
        ("kernel k(global f32 %x", "kernel k(u32 %a, global f32 %x"),
    ),
    Known(
        "SIM128",
        "the array has no length",
        "[length] belongs behind this",
        "an array is declared as: .group f32 tile[256]",
        (".group f32 tile", ".private f32 tile", ".readonly f32 T", ".readonly f32 T ="),
        at_before=True,
    ),
    Known(
        "SIM128",
        "the array has no type",
        "a type belongs in front of the name",
        "an array is declared as: .group f32 tile[256]",
        (".group tile[4]", ".private tile[4]", ".readonly T[4]"),
        at_before=True,
    ),
    Known(
        "SIM128",
        "only .readonly arrays have elements: `{found}`",
        "not possible here",
        "group and private memory begin as zero; store the elements in the kernel",
        (".group u32 a[2] = { 1 }", ".private u32 a[2] = { 1 }"),
    ),
    Known(
        "SIM128",
        "the elements are not in braces",
        "{ expected here",
        "write them as: .readonly u32 T[3] = { 1, 2, 3 }",
        (
            ".readonly u32 T[2] = 1",
            ".readonly u32 T[2] = N",
            ".readonly u32 T[2] =",
            ".readonly u32 T[2] = [1]",
        ),
    ),
    Known(
        "SIM128",
        "the list of elements has no closing brace",
        "} belongs behind this",
        "write it as: .readonly u32 T[3] = { 1, 2, 3 }",
        (
            ".readonly u32 T[2] = { 1, 2",
            ".readonly u32 T[2] = { 1",
            ".readonly u32 T[2] = { 1,",
            ".readonly u32 T[2] = {",
            ".readonly u32 T[2] = { N",
            ".readonly u32 T[2] = { N, N",
        ),
        at_before=True,
    ),
    Known(
        "SIM102",
        "the constant has no value",
        "= and a value belong behind this",
        "a constant is defined as: .const N = 5",
        (".const N", ".const N ="),
        at_before=True,
    ),
    Known(
        "SIM102",
        "missing `=` in front of `{found}`",
        "= belongs in front of this",
        "a constant is defined as: .const N = 5",
        (".const N 5", ".const N N", ".const N (", ".const N -5", ".const N 'a'"),
    ),
    Known(
        "SIM135",
        "the name of the included file is not in quotation marks",
        "a text expected here",
        'write: .include "common.sinc"',
        (".include common.sinc", ".include", ".include 1"),
    ),
    Known(
        "SIM141",
        "this is not a location",
        "not expected here",
        'write: .loc "file.sasm" 12 5',
        (
            ".loc",
            ".loc 1",
            '.loc "a"',
            '.loc "a" 1',
            '.loc "a" x',
            '.loc "a" 1 2 3',
            ".loc a",
            '.loc "a", 1',
            '.loc "a" 1,',
        ),
    ),
    Known(
        "SIM121",
        "an index cannot be scaled in an address",
        "not possible here",
        "scale it first, as: shl_u32 $s1, $s0, 2",
        ("[$s0*4]", "[tile+$s0*4]", "[$s0<<2]", "[tile+$s0<<2]", "[%n*4]"),
    ),
    Known(
        "SIM121",
        "an index cannot be scaled in an address",
        "not possible here",
        "scale it first, as: shl_u32 $s1, $s0, 2",
        ("[4*$s0]", "[tile+4*$s0]"),
    ),
    Known(
        "SIM121",
        "an address has nothing in its brackets",
        "empty",
        "write a register, an array or a parameter, as [$d0], [tile+4] or [%n]",
        ("[]",),
    ),
    Known(
        "SIM121",
        "the terms of an address are added",
        "+ expected in front of this",
        "write [base+register+offset], as [tile+$s0+4]",
        (
            "[$s0 $s1]",
            "[tile $s0]",
            "[tile, $s0]",
            "[$d0 8]",
            "[$d0, 8]",
            "[%n, 4]",
            "[%n 4]",
            "[tile 4]",
            "[4 4]",
            "[4, 4]",
            "[tile][4]",
        ),
    ),
    Known(
        "SIM121",
        "something is missing in front of the closing bracket",
        "a register or a number expected here",
        "write [base+register+offset], as [tile+$s0+4]",
        ("[$d0+]", "[tile+]", "[$d0-]", "[tile-]", "[tile+$s0+]"),
    ),
)


@cache
def _by_state() -> dict[tuple[str, int, str], Known]:
    """The mistakes by start rule, state of the parser and kind of the token that it refuses."""
    found: dict[tuple[str, int, str], Known] = {}
    for known in KNOWN:
        for example in examples_of(known):
            words, start = words_of(example)
            error = shape(tuple(word.kind for word in words), start)
            assert isinstance(error, ShapeError), f"{example!r} is no mistake"
            found.setdefault((start, error.state, _kind(words, error)), known)
    return found


def examples_of(known: Known) -> Iterator[str]:
    """The broken lines of a mistake, one for each sort of operand where it has a place for it."""
    for example in known.examples:
        if "{y}" not in example:
            yield example
            continue
        for x, y in itertools.product(_OPERANDS, repeat=2):
            yield example.replace("{x}", x).replace("{y}", y)


def words_of(example: str) -> tuple[list[Word], str]:
    """The words of an example and the start rule that it is for."""
    if not example.startswith("["):
        return scan(example), "line"
    inside = scan(example[1:-1])
    return [Word("[", "LSQB", 0), *inside, Word("]", "RSQB", len(example) - 1)], "address"


def _kind(words: Sequence[Word], error: ShapeError) -> str:
    return words[error.index].kind if error.index < len(words) else "$END"


def explain(words: Sequence[Word], error: ShapeError, start: str) -> Mistake:
    """The message for a line that no rule of the grammar takes."""
    found = words[error.index] if error.index < len(words) else None
    before = words[error.index - 1] if error.index else None
    special = _bad_character(words, found, start) or _misspelt(words)
    if special is not None:
        return special
    known = _by_state().get((start, error.state, _kind(words, error)))
    if known is None:
        return _unexpected(words, error, found)
    place = before if before is not None and (known.at_before or found is None) else found
    assert place is not None
    text = found.text if found else "the end of the line"
    code, message, label, hint = (part.replace("{found}", text) for part in known[:4])
    return Mistake(code, message, place.at, label, hint)


def _bad_character(words: Sequence[Word], found: Word | None, start: str) -> Mistake | None:
    """The message for a character that begins no token, or a bracket without its other half."""
    alone = ("LSQB", "RSQB") if start == "line" else ()
    if found is None or found.kind not in ("UNKNOWN", "DIRECTIVE", *alone):
        return None
    text, rest = found.text, f"`{found.text}` cannot stand here"
    if found.kind == "DIRECTIVE":
        return _unknown_directive(found)
    hints = {
        "[": ("SIM102", "the bracket is not closed", "] expected behind this", ""),
        "]": ("SIM102", "a closing bracket without an opening one", "nothing to close", ""),
        '"': ("SIM102", "the text has no end", "begins here", 'close it with "'),
        "'": ("SIM140", "the character has no end", "begins here", "write it as 'a'"),
        ";": ("SIM102", rest, "unexpected", "one instruction a line; comments begin with //"),
        "#": ("SIM102", rest, "unexpected", "comments begin with //"),
        "\\": ("SIM133", rest, "unexpected", "a parameter of a macro stands in its body only"),
        "!": ("SIM102", rest, "unexpected", "conditions are $c registers"),
        "$": ("SIM107", rest, "unexpected", "registers are $s0, $d0 and $c0"),
        "@": ("SIM109", "a label without a name", "a name expected behind this", "write @loop"),
        ".": ("SIM140", rest, "unexpected", "numbers begin with a digit, as 0.5"),
    }
    if text in hints:
        code, message, label, hint = hints[text]
        return Mistake(code, message, found.at, label, hint)
    name = unicodedata.name(text, "")
    shown = f" ({name})" if name and not text.isascii() else ""
    return Mistake(
        "SIM102",
        f"unexpected character `{text}`{shown}",
        found.at,
        "no part of the language",
        "names are made of the letters A to Z, a to z, digits, _ and ." if text.isalnum() else "",
    )


_DIRECTIVES = (
    *(".const", ".readonly", ".include", ".macro", ".endmacro", ".group", ".private"),
    ".loc",
)


def _unknown_directive(word: Word) -> Mistake:
    if word.text[1:2].isdigit():
        return Mistake(
            "SIM140",
            f"{word.text!r} is not a number",
            word.at,
            "cannot be read",
            f"numbers begin with a digit: 0{word.text}",
        )
    return Mistake(
        "SIM127",
        f"unknown directive `{word.text}`",
        word.at,
        "not a directive",
        did_you_mean(word.text, _DIRECTIVES) or f"directives are {', '.join(_DIRECTIVES)}",
    )


def _misspelt(words: Sequence[Word]) -> Mistake | None:
    """A line whose first word is nearly `kernel`, or a directive without its dot."""
    first = words[0]
    if first.kind != "NAME" or first.text in BY_NAME or len(words) < 2:
        return None
    if f".{first.text}" in _DIRECTIVES:
        return Mistake(
            "SIM127",
            f"the directive `.{first.text}` begins with a dot",
            first.at,
            "a dot belongs in front of this",
            f"write .{first.text}",
        )
    near = did_you_mean(f".{first.text}", _DIRECTIVES)
    if near and not did_you_mean(first.text, tuple(BY_NAME)) and words[1].kind == "NAME":
        return Mistake("SIM127", f"unknown directive `{first.text}`", first.at, "unknown", near)
    is_head = words[-1].kind == "LBRACE" or [w.kind for w in words[1:3]] == ["NAME", "LPAR"]
    if is_head:
        return Mistake(
            "SIM123",
            f"unexpected `{first.text}` at the head of a kernel",
            first.at,
            "kernel expected here",
            did_you_mean(first.text.lower(), ("kernel",))
            or "a kernel begins with: kernel name(u32 %n) {",
        )
    return None


_SHOWN = {
    **{"NAME": "a name", "REGISTER": "a register", "LABEL": "a label", "NUMBER": "a number"},
    **{"PARAMETER": "a parameter", "BRACKETS": "an address", "STRING": "a text"},
    **{"CHAR": "a character", "COMMA": "`,`", "LPAR": "`(`", "RPAR": "`)`", "LBRACE": "`{`"},
    **{"RBRACE": "`}`", "COLON": "`:`", "EQUAL": "`=`", "STAR": "`*`", "PLUS": "`+`"},
    **{"MINUS": "`-`", "RSQB": "`]`", "$END": "the end of the line", "KERNEL": "`kernel`"},
    **{"GLOBAL": "`global`"},
}


def _unexpected(words: Sequence[Word], error: ShapeError, found: Word | None) -> Mistake:
    """The general message: what was found, and what the parser would have taken."""
    expected = [_SHOWN[kind] for kind in sorted(error.expected) if kind in _SHOWN]
    label = f"expected {_either(expected)}" if 0 < len(expected) <= 8 else "not expected here"
    if found is None:
        return Mistake("SIM102", "the line ends too early", words[-1].at, f"{label} behind this")
    return Mistake("SIM102", f"unexpected `{found.text}`", found.at, label)


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
