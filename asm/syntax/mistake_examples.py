"""Broken lines, each the example of a mistake that writers make (used by mistakes.py)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple


class Known(NamedTuple):
    """A mistake that is known by examples: lines, or addresses if they begin with a bracket.

    `{found}` in its texts is the word that is not allowed there; with `at_before` the message
    points at the word before. `{x}` and `{y}` in an example are replaced by every kind of operand.
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
        "SIM102",
        "unexpected `{found}` after a register",
        "expected the end of the line or `,`",
        "addresses have brackets, also in a use of a macro: [$d0+8]; sums are add instructions",
        ("near $d0+1", "near $d0-n", "near $s0, $d0+1", "near $s0, $d0-n"),
    ),
    Known(
        "SIM103",
        "missing comma before `{found}`",
        "expected a comma before this",
        "operands are separated by commas",
        ("add_u32 {x} {y}", "add_u32 $s0, {x} {y}", "add_u32 $s0, -1 {y}"),
    ),
    Known(
        "SIM103",
        "missing comma before `{found}`",
        "expected a comma before this",
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
        "missing comma before `{found}`",
        "expected a comma before this",
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
        "an operand is missing after the comma",
        "nothing follows this comma",
        "remove the comma, or write the operand",
        ("add_u32 $s0,", "add_u32 $s0, $s1,"),
        at_before=True,
    ),
    Known(
        "SIM108",
        "an operand is missing before the comma",
        "nothing before this comma",
        "remove the comma, or write the operand",
        ("add_u32 ,", "add_u32 $s0, ,", "add_u32 $s0, $s1, ,"),
    ),
    Known(
        "SIM109",
        "a label without a colon",
        "expected a colon after this",
        "a label is defined by a line like `@loop:`",
        ("@loop",),
        at_before=True,
    ),
    Known(
        "SIM109",
        "a label without a colon",
        "expected a colon after this",
        "a label is defined by a line like `@loop:`, and the instruction belongs on the next line",
        ("@loop ret", "@loop $s0", "@loop 1", "@loop @x"),
        at_before=True,
    ),
    Known(
        "SIM102",
        "`{found}` follows a label on the same line",
        "belongs on the next line",
        "one label or instruction a line",
        ("@loop: ret", "@loop: @b", "@loop: }", "@loop: ,", "@loop: $s0", "@loop: 1"),
    ),
    Known(
        "SIM102",
        "`{found}` follows the opening brace on the same line",
        "belongs on the next line",
        "one label or instruction a line",
        ("kernel k() { ret", "kernel k() { }", "kernel k() { @a", "kernel k() { .group"),
    ),
    Known(
        "SIM102",
        "`{found}` follows the closing brace on the same line",
        "belongs on the next line",
        "the closing brace of a kernel has a line of its own",
        ("} ret", "} kernel", "} }", "} @a"),
    ),
    Known(
        "SIM102",
        "`}` follows an instruction on the same line",
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
        "expected ( here",
        "a kernel begins with: kernel name(u32 %n) {",
        ("kernel k {", "kernel k u32", "kernel k"),
    ),
    Known(
        "SIM123",
        "the kernel has no name",
        "expected a name here",
        "a kernel begins with: kernel name(u32 %n) {",
        ("kernel (", "kernel {", "kernel", "kernel %n", "kernel @n", "kernel 1", "kernel kernel"),
    ),
    Known(
        "SIM123",
        "missing `{` at the end of the kernel's head",
        "expected { after this",
        "a kernel begins with: kernel name(u32 %n) {",
        ("kernel k()", "kernel k(u32 %n)"),
        at_before=True,
    ),
    Known(
        "SIM123",
        "missing `)` after the parameters",
        "expected ) here",
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
        "expected a type before this",
        "parameters are declared as `u32 %n` or `global f32* %x`",
        ("kernel k(%n", "kernel k(u32 %a, %n", "kernel k(global %n"),
    ),
    Known(
        "SIM117",
        "a pointer without its memory",
        "expected global before the type",
        "a pointer is declared as `global f32* %x`",
        ("kernel k(f32* %x", "kernel k(u32 %a, f32* %x"),
    ),
    Known(
        "SIM117",
        "`global` before a parameter that is not a pointer",
        "expected * before this",
        "a pointer is declared as `global f32* %x`, a value as `f32 %x`",
        ("kernel k(global f32 %x", "kernel k(u32 %a, global f32 %x"),
    ),
    Known(
        "SIM128",
        "the array has no length",
        "expected [length] after this",
        "an array is declared as: .group f32 tile[256]",
        (".group f32 tile", ".private f32 tile", ".readonly f32 T", ".readonly f32 T ="),
        at_before=True,
    ),
    Known(
        "SIM128",
        "the array has no type",
        "expected a type before the name",
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
        "expected { here",
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
        "expected } after this",
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
        "expected = and a value after this",
        "a constant is defined as: .const N = 5",
        (".const N", ".const N ="),
        at_before=True,
    ),
    Known(
        "SIM102",
        "missing `=` before `{found}`",
        "expected = before this",
        "a constant is defined as: .const N = 5",
        (".const N 5", ".const N N", ".const N (", ".const N -5", ".const N 'a'"),
    ),
    Known(
        "SIM135",
        "the name of the included file is not in quotation marks",
        "expected a string in quotation marks here",
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
        "expected + before this",
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
        "something is missing before the closing bracket",
        "expected a register or a number here",
        "write [base+register+offset], as [tile+$s0+4]",
        ("[$d0+]", "[tile+]", "[$d0-]", "[tile-]", "[tile+$s0+]"),
    ),
)


def examples_of(known: Known) -> Iterator[str]:
    """Yield the broken lines of a mistake, with every kind of operand where it has `{x}`."""
    for example in known.examples:
        if "{y}" not in example:
            yield example
            continue
        for x, y in itertools.product(_OPERANDS, repeat=2):
            yield example.replace("{x}", x).replace("{y}", y)
