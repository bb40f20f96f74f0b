"""Sources that are wrong in all sorts of ways: the assembler gives a program or an error.

A program that comes out goes through its object file and its disassembly and stays the same.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from simtlab.asm.assemble import assemble
from simtlab.asm.disassemble import disassemble
from simtlab.asm.load import load
from simtlab.isa.codes import assembler_codes, codes
from simtlab.isa.errors import SimtError
from simtlab.isa.objectfile import dumps
from simtlab.isa.table import TABLE

from .example import Example, Files, Generator, without_lines

PROGRAMS = Path(__file__).resolve().parents[2] / "programs"

EVERYTHING = r"""
// one of everything
.const N = 4
.const HALF = (N*2-7)/2.0
.readonly f32 T[N] = { 1.0, -0.5,
    0f3f800000 }
.macro axpy y, a, x
    mul_f32 $s60, \a, \x
    cbr $c9, @skip
    add_f32 \y, \y, $s60
@skip:
.endmacro
kernel one(f32 %a, global f32* %x) {
    .group   f32 tile[(N<<2)]
    .private u32 stack[16]
    .loc "other.sasm" 3 4
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_f32 $s1, [%a]
@loop:
    ld_readonly_f32 $s2, [T+4]
    ld_group_f32 $s3, [tile+$s5+(N*4)]
    st_private_u32 $s3, [stack+8]
    axpy $s3, $s1, $s2
    mov_u64 $d3, 0x123456789abcdef
    cmp_lt_s32 $c0, $s3, 'a'
    atomic_add_global_u32 [$d0-8], $s1
    bitinsert_u32 $s1, $s1, $s2, 3, 4
    cbr $c0, @loop, none, nosubdivide, loop
    trap 7
}
"""

PIECES = (
    *(row.name for row in TABLE[::7]),
    *("kernel", "global", ".const", ".readonly", ".group", ".private", ".include", ".macro"),
    *(".endmacro", ".loc", "$s0", "$d1", "$c2", "$s64", "@a", "@a:", "%n", "[%n]", "[$d0+8]"),
    *("[", "]", "(", ")", "{", "}", ",", ":", "=", "+", "-", "*", "/", "<<", "|", "~", "\\a"),
    *("0", "1", "0x", "0xffffffffffffffffff", "1e999", "0f3f800000", "'a'", '"a.sinc"', "nan"),
    *("N", "m", "u32", "f64", "b1", "//", "\t", " ", "\r\n", "\n", "\x00", "é", "漢", "\u202e"),
)


def bytes_of_all_sorts(rng: random.Random) -> str:
    return rng.randbytes(rng.randrange(200)).decode("latin-1")


def pieces_in_a_row(rng: random.Random) -> str:
    return " ".join(rng.choice(PIECES) for _ in range(rng.randrange(60)))


def lines_of_pieces(rng: random.Random) -> str:
    body = "\n".join(
        " ".join(rng.choice(PIECES) for _ in range(rng.randrange(8)))
        for _ in range(rng.randrange(20))
    )
    return f"kernel k(u32 %n) {{\n{body}\nret\n}}\n"


def without_a_piece(rng: random.Random, text: str) -> str:
    start = rng.randrange(len(text))
    return text[:start] + text[start + rng.randrange(1, 8) :]


def with_a_piece(rng: random.Random, text: str) -> str:
    start = rng.randrange(len(text))
    return text[:start] + rng.choice(PIECES) + text[start:]


def with_a_token_changed(rng: random.Random, text: str) -> str:
    tokens = re.split(r"(\s+|,)", text)
    tokens[rng.randrange(len(tokens))] = rng.choice([*PIECES, rng.choice(tokens)])
    return "".join(tokens)


def with_lines_changed(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[i]
        case 1:
            lines.insert(j, lines[i])
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case _:
            lines[i] += lines[j]
    return "\n".join(lines)


FRESH: tuple[Callable[[random.Random], str], ...] = (
    bytes_of_all_sorts,
    pieces_in_a_row,
    lines_of_pieces,
)
CHANGES: tuple[Callable[[random.Random, str], str], ...] = (
    without_a_piece,
    with_a_piece,
    with_a_token_changed,
    with_lines_changed,
)


def valid_sources() -> list[str]:
    """Sources to start from: one of everything, the catalogue's examples, the small programs."""
    examples = [
        entry.good for entry in assembler_codes().values() if entry.good and not entry.files
    ]
    programs = sorted(PROGRAMS.glob("basics/*.sasm"), key=lambda path: path.stat().st_size)
    return [EVERYTHING, *examples, *(path.read_text(encoding="utf-8") for path in programs[:4])]


VALID = valid_sources()


def source(rng: random.Random) -> str:
    """A source: every fourth is new, the others are valid ones with some changes."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(FRESH)(rng)
    text = EVERYTHING if kind == 1 else rng.choice(VALID)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        text = rng.choice(CHANGES)(rng, text) or "\n"
    return text


def told(error: SimtError) -> str:
    """Check that an error is one for the user."""
    assert str(error).strip(), "an error without a text"
    unknown = {d.code for d in error.diagnostics} - set(codes())
    assert not unknown, f"codes without an entry: {sorted(unknown)}"
    return "errors"


@dataclass
class Source:
    """A text for the assembler."""

    text: str

    def run(self) -> str:
        try:
            program = assemble(self.text + "\n")
        except SimtError as error:
            return told(error)
        data = dumps(program)
        assert load(data) == program, "the object file gives another program"
        assert dumps(assemble(disassemble(program))) == data, "the disassembly assembles to another"
        return "programs"

    def files(self) -> Files:
        return {"source.sasm": self.text + "\n", "reproduce.py": REPRODUCE}

    def smaller(self) -> list[Example]:
        return [Source(text) for text in without_lines(self.text, lambda line: False)]


REPRODUCE = """\
from pathlib import Path
import simtlab
from simtlab.asm.disassemble import disassemble
from simtlab.isa.objectfile import dumps

text = Path(__file__).with_name("source.sasm").read_bytes().decode(errors="surrogatepass")
program = simtlab.assemble(text).program
again = simtlab.assemble(disassemble(program)).program
print("equal after disassembly:", dumps(program) == dumps(again))
"""

GENERATOR = Generator("sources", lambda scratch, rng: lambda rng: Source(source(rng)), 20.0, 1.0)
