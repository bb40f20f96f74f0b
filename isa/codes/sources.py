"""Error codes of source texts, each with a wrong and a right example."""

from __future__ import annotations

from .entry import Entry


def _kernel(*lines: str) -> str:
    """Return a kernel with these lines as its body; labels and directives stay at the margin."""
    body = "".join(
        f"{line}\n" if line.startswith(("@", ".")) else f"    {line}\n" for line in lines
    )
    return f"kernel k(u32 %n, global f32* %x) {{\n{body}    ret\n}}\n"


ENTRIES = (
    Entry(
        "SIM101",
        "A character that a source may not contain",
        "A source is UTF-8 text of visible characters, spaces, tabs and line ends. Control "
        "characters, and those that make a line look different from its content, are refused.",
        "Remove the character; save the file as UTF-8.",
        "kernel k() {\n    ret \x07\n}\n",
        "kernel k() {\n    ret\n}\n",
    ),
    Entry(
        "SIM102",
        "A line that is not a statement",
        "A line is one instruction, one label or one directive.",
        "Write what the message expected; `simtlab explain language` describes the language.",
        _kernel("mov_u32 $s0, 4+1"),
        _kernel("mov_u32 $s0, (4+1)"),
    ),
    Entry(
        "SIM103",
        "A comma is missing",
        "Operands, parameters and elements are separated by commas.",
        "Add the comma.",
        _kernel("add_u32 $s0 $s1, $s2"),
        _kernel("add_u32 $s0, $s1, $s2"),
    ),
    Entry(
        "SIM104",
        "An instruction that does not exist",
        "The first word of a line is neither in the instruction table nor the name of a macro "
        "that was defined above.",
        "Correct the spelling: the message names the nearest instruction.",
        _kernel("fam_f32 $s3, $s4, $s2, $s3"),
        _kernel("fma_f32 $s3, $s4, $s2, $s3"),
    ),
    Entry(
        "SIM105",
        "An instruction without this type",
        "Instructions carry their type in the name, and not every operation exists for every "
        "type. Bitwise operations exist for u types only: the bits are the same.",
        "Choose one of the types in the message.",
        _kernel("and_s32 $s0, $s1, $s2"),
        _kernel("and_u32 $s0, $s1, $s2"),
    ),
    Entry(
        "SIM106",
        "An operand of the wrong kind",
        "Each operand of an instruction has a fixed kind: $s registers hold 32 bits, $d registers "
        "64, $c registers one; addresses are in brackets and labels begin with @.",
        "Compare with the form in the message.",
        _kernel("add_u32 $d0, $s1, $s2"),
        _kernel("add_u32 $s0, $s1, $s2"),
    ),
    Entry(
        "SIM107",
        "A register that does not exist",
        "There are 64 registers of each class: $s0 to $s63, $d0 to $d63, $c0 to $c63.",
        "Use another register.",
        _kernel("add_u32 $s0, $s64, $s2"),
        _kernel("add_u32 $s0, $s63, $s2"),
    ),
    Entry(
        "SIM108",
        "A wrong number of operands",
        "An instruction takes a fixed number of operands, apart from a few that may be left out.",
        "Compare with the form in the message.",
        _kernel("add_u32 $s0, $s1"),
        _kernel("add_u32 $s0, $s0, $s1"),
    ),
    Entry(
        "SIM109",
        "A label that is not defined properly",
        "A label is defined by a line of its own with a colon; its name begins with a letter.",
        "Write it as @loop: on a line of its own.",
        _kernel("@again", "br @again"),
        _kernel("@again:", "br @again"),
    ),
    Entry(
        "SIM110",
        "A branch to nowhere",
        "A branch names a label of its own kernel that is before an instruction, or the byte "
        "address of an instruction.",
        "Define the label, or correct its name.",
        _kernel("br @doen", "@done:"),
        _kernel("br @done", "@done:"),
    ),
    Entry(
        "SIM111",
        "A name is defined twice",
        "Constants and arrays share one set of names; labels, parameters, kernels and macros have "
        "their own. A few words of the language cannot be names.",
        "Choose another name.",
        ".const N = 4\n.const N = 5\n" + _kernel("mov_u32 $s0, N"),
        ".const N = 4\n.const M = 5\n" + _kernel("mov_u32 $s0, N"),
    ),
    Entry(
        "SIM112",
        "A number out of range",
        "An immediate has 32 bits; 64-bit integer operations extend its sign. Both readings are "
        "allowed: from -2147483648 to 4294967295 for u32 and s32 alike.",
        "Load a larger value into a register: mov_u64 takes any 64-bit value.",
        _kernel("add_u64 $d0, $d0, 0x100000000"),
        _kernel("mov_u64 $d1, 0x100000000", "add_u64 $d0, $d0, $d1"),
    ),
    Entry(
        "SIM113",
        "Two immediates",
        "An instruction word has room for one immediate.",
        "Move one of them into a register, or compute the result with a constant expression.",
        _kernel("add_u32 $s0, 1, 2"),
        _kernel("mov_u32 $s0, (1+2)"),
    ),
    Entry(
        "SIM114",
        "An f64 immediate that does not fit",
        "An immediate holds the upper 32 bits of an f64, so the lower ones must be zero: 1.5 and "
        "0.25 fit, 0.1 does not.",
        "Load it into a register with mov_u64, which takes any 64-bit value.",
        _kernel("add_f64 $d0, $d0, 0.1"),
        _kernel("mov_u64 $d1, 0.1", "add_f64 $d0, $d0, $d1"),
    ),
    Entry(
        "SIM115",
        "A float for an integer, or the reverse",
        "Nothing is converted silently: float operations take 1.0, integer operations 1. Only "
        "mov_u32 and mov_u64, which copy bits, take both.",
        "Write the number in the other form, or use an operation of the other type.",
        _kernel("add_f32 $s0, $s0, 1"),
        _kernel("add_f32 $s0, $s0, 1.0"),
    ),
    Entry(
        "SIM116",
        "A constant where a register is needed",
        "Stores, atomics and some others take registers only.",
        "Move the constant into a register first.",
        _kernel("st_global_f32 1.5, [$d0]"),
        _kernel("mov_u32 $s0, 1.5", "st_global_f32 $s0, [$d0]"),
    ),
    Entry(
        "SIM117",
        "A parameter that is not written as one",
        "Parameters are declared as `u32 %n` or `global f32* %x`, and named with the percent sign.",
        "Add what is missing.",
        _kernel("ld_kernarg_u32 $s0, [n]"),
        _kernel("ld_kernarg_u32 $s0, [%n]"),
    ),
    Entry(
        "SIM118",
        "A parameter loaded with another type",
        "A parameter is loaded with the type of its declaration, a pointer as u64. (A part of it "
        "is loaded with an offset, as [%x+4].)",
        "Use the instruction in the message.",
        _kernel("ld_kernarg_u32 $s0, [%x]"),
        _kernel("ld_kernarg_u64 $d0, [%x]"),
    ),
    Entry(
        "SIM119",
        "A name that is not declared",
        "A constant, array or parameter is used that no line declares. A constant expression uses "
        "constants from the lines above it.",
        "Declare it, or correct its name.",
        _kernel("mov_u32 $s0, N"),
        ".const N = 5\n" + _kernel("mov_u32 $s0, N"),
    ),
    Entry(
        "SIM120",
        "An array in another segment",
        "An array is reached by instructions of its own segment: ld_group_f32 for .group, and so "
        "on. Parameters are in kernarg memory.",
        "Use the instruction in the message.",
        _kernel(".group f32 tile[4]", "ld_private_f32 $s0, [tile]"),
        _kernel(".group f32 tile[4]", "ld_group_f32 $s0, [tile]"),
    ),
    Entry(
        "SIM121",
        "An impossible address",
        "An address is a sum of at most one array or parameter, one register and constants. "
        "Global memory takes a $d register, the other segments a $s register or none, kernarg "
        "memory none.",
        "Compute what does not fit into a register first.",
        _kernel("ld_global_f32 $s0, [$s1]"),
        _kernel("cvt_u64_u32 $d1, $s1", "ld_global_f32 $s0, [$d1]"),
    ),
    Entry(
        "SIM122",
        "An address outside its segment or array",
        "An address without a register is known to the assembler: it must lie inside its segment, "
        "at a multiple of the size of the access. If it names an array, it must lie inside that "
        "array. With a register, too, the offset must not be beyond the array's end, because a "
        "register is never negative. Offsets have 24 bits and a sign.",
        "Correct the offset, or declare a longer array.",
        _kernel(".group f32 tile[4]", "ld_group_f32 $s0, [tile+16]"),
        _kernel(".group f32 tile[4]", "ld_group_f32 $s0, [tile+12]"),
    ),
    Entry(
        "SIM123",
        "A kernel with a wrong head or without an end",
        "A kernel begins with `kernel name(u32 %n) {` and ends with `}` on a line of its own.",
        "Add what is missing.",
        "kernel k(u32 %n)\n    ret\n}\n",
        "kernel k(u32 %n) {\n    ret\n}\n",
    ),
    Entry(
        "SIM124",
        "A statement out of place",
        "Instructions, labels, .group and .private belong inside kernels, .readonly outside. A "
        "macro has instructions and labels only.",
        "Move the line.",
        "ret\n",
        "kernel k() {\n    ret\n}\n",
    ),
    Entry(
        "SIM125",
        "A kernel falls off its end",
        "Execution would continue after the last instruction of the kernel.",
        "End the kernel with ret, br or trap.",
        "kernel k() {\n    nop\n}\n",
        "kernel k() {\n    nop\n    ret\n}\n",
    ),
    Entry(
        "SIM126",
        "Nothing to run",
        "A source has at least one kernel, and a kernel at least one instruction.",
        "Add it; the shortest kernel is a ret.",
        "kernel k() {\n}\n",
        "kernel k() {\n    ret\n}\n",
    ),
    Entry(
        "SIM127",
        "A directive that does not exist",
        "Directives are .const, .readonly, .include, .macro, .endmacro, .group, .private and .loc.",
        "Correct the spelling.",
        _kernel(".grup f32 tile[4]"),
        _kernel(".group f32 tile[4]"),
    ),
    Entry(
        "SIM128",
        "An impossible declaration",
        "An array has a type other than b1 and a positive length. Only .readonly arrays list "
        "elements, at most as many as the length.",
        "Compare with: .readonly u32 T[3] = { 1, 2, 3 }.",
        ".readonly u32 T[2] = { 1, 2, 3 }\n" + _kernel("nop"),
        ".readonly u32 T[3] = { 1, 2, 3 }\n" + _kernel("nop"),
    ),
    Entry(
        "SIM129",
        "A segment is full",
        "Group memory has at most 1 MiB, private memory 64 KiB, readonly memory 4 MiB.",
        "Use smaller arrays, or global memory.",
        _kernel(".private u32 a[10000]", ".private u32 b[10000]"),
        _kernel(".private u32 a[8000]", ".private u32 b[8000]"),
    ),
    Entry(
        "SIM130",
        "A macro without end, or an end without macro",
        "A macro goes from .macro to .endmacro, each on a line of its own.",
        "Add the missing line.",
        ".macro twice a\n    add_u32 \\a, \\a, \\a\n" + _kernel("nop"),
        ".macro twice a\n    add_u32 \\a, \\a, \\a\n.endmacro\n" + _kernel("nop"),
    ),
    Entry(
        "SIM131",
        "A macro that grows without bound",
        "A macro that uses itself, directly or through another, would never end. Macros produce "
        "at most 100,000 lines of at most 4,096 characters in one source.",
        "Use a loop.",
        ".macro m\n    m\n.endmacro\n" + _kernel("m"),
        ".macro m\n    nop\n.endmacro\n" + _kernel("m"),
    ),
    Entry(
        "SIM132",
        "A wrong number of arguments for a macro",
        "A use of a macro has one argument for each parameter, separated by commas.",
        "Compare with the definition.",
        ".macro m a, b\n    mov_u32 \\a, \\b\n.endmacro\n" + _kernel("m $s0"),
        ".macro m a, b\n    mov_u32 \\a, \\b\n.endmacro\n" + _kernel("m $s0, $s1"),
    ),
    Entry(
        "SIM133",
        "A parameter that the macro does not have",
        "In the body of a macro \\a stands for the parameter a.",
        "Declare it after the name of the macro, or correct its name.",
        ".macro m a\n    mov_u32 \\a, \\b\n.endmacro\n" + _kernel("m $s0"),
        ".macro m a, b\n    mov_u32 \\a, \\b\n.endmacro\n" + _kernel("m $s0, $s1"),
    ),
    Entry(
        "SIM134",
        "A macro with the name of an instruction",
        "An instruction means the same everywhere, so no macro can take its name.",
        "Choose another name.",
        ".macro nop\n    barrier\n.endmacro\n" + _kernel("nop"),
        ".macro wait\n    barrier\n.endmacro\n" + _kernel("wait"),
    ),
    Entry(
        "SIM135",
        "A file that cannot be read",
        "An included file does not exist or may not be read. Its path is relative to the folder of "
        "the including file.",
        "Correct the path.",
        '.include "comon.sinc"\n' + _kernel("nop"),
        '.include "common.sinc"\n' + _kernel("nop"),
        {"common.sinc": "// shared constants\n"},
    ),
    Entry(
        "SIM136",
        "A file that may not be included",
        "Included files end in .sinc and are named by a relative path with forward slashes, at "
        "most four folders up, so that an object file does not depend on the source's folder.",
        "Rename or move the file.",
        '.include "common.sasm"\n' + _kernel("nop"),
        '.include "common.sinc"\n' + _kernel("nop"),
        {"common.sinc": "// shared constants\n"},
    ),
    Entry(
        "SIM137",
        "A file that includes itself",
        "A file that includes itself, directly or through another, would never end.",
        "Remove one of the includes.",
        '.include "circle.sinc"\n' + _kernel("nop"),
        '.include "common.sinc"\n' + _kernel("nop"),
        {"circle.sinc": '.include "circle.sinc"\n', "common.sinc": "// shared constants\n"},
    ),
    Entry(
        "SIM138",
        "A division by zero",
        "A constant expression divides by zero.",
        "Correct the expression.",
        ".const N = 8/(4-4)\n" + _kernel("nop"),
        ".const N = 8/4\n" + _kernel("nop"),
    ),
    Entry(
        "SIM139",
        "A constant that is too large",
        "Integers lie between -2^63 and 2^64 - 1, floats in the range of f64, shift counts from 0 "
        "to 63. Bit operations, shifts and % take integers.",
        "Correct the expression; write inf for infinity.",
        ".const N = 1<<64\n" + _kernel("nop"),
        ".const N = 1<<63\n" + _kernel("nop"),
    ),
    Entry(
        "SIM140",
        "A number that cannot be read",
        "Numbers are 42, 0x2a, 0b101010, 'a', 1.5, 1e-3, inf, nan, 0f3f800000 (the bits of an "
        "f32) and 0d3ff0000000000000 (the bits of an f64).",
        "Write it in one of these forms.",
        _kernel("mov_u32 $s0, 0xfg"),
        _kernel("mov_u32 $s0, 0xff"),
    ),
    Entry(
        "SIM141",
        "An impossible location",
        '.loc "file" line column sets the location of the next instruction in the line table.',
        "Give a relative file name, and a line and a column from 1 on.",
        _kernel('.loc "a.sasm" 0 1', "nop"),
        _kernel('.loc "a.sasm" 1 1', "nop"),
    ),
    Entry(
        "SIM142",
        "A literal that the instruction does not have",
        "A dimension is 0, 1 or 2, a field of bits lies inside its value, and a trap code has 16 "
        "bits.",
        "Correct the number.",
        _kernel("workitemabsid_u32 $s0, 3"),
        _kernel("workitemabsid_u32 $s0, 2"),
    ),
    Entry(
        "SIM143",
        "A flag that a branch does not have",
        "After its labels a cbr may have subdivide or nosubdivide, and loop or noloop; a br may "
        "have loop or noloop.",
        "Correct the flag, or leave it out: the assembler computes it.",
        _kernel("br @a, subdivide", "@a:"),
        _kernel("br @a, noloop", "@a:"),
    ),
    Entry(
        "SIM144",
        "A branch that is too far from its target",
        "Target and re-convergence point lie at most 2097151 instructions away.",
        "Split the kernel.",
    ),
    Entry(
        "SIM145",
        "A limit of sources is exceeded",
        "Names have at most 255 characters, operands 256 words, source files 64 MiB and "
        "1,048,576 lines, programs as many statements and 10,000 includes.",
        "Make it smaller.",
        f"kernel {'k' * 256}() {{\n    ret\n}}\n",
        "kernel k() {\n    ret\n}\n",
    ),
    Entry(
        "SIM150",
        "A re-convergence point that some path avoids",
        "A branch may name the label at which its two sides re-converge. Every path from the "
        "branch must pass it (a post-dominator), or a stack would wait there for lanes that "
        "never arrive.",
        "Leave it out, so that the assembler finds the immediate post-dominator, or write none.",
        _kernel("cbr $c0, @b, @a", "@a:", "nop", "@b:"),
        _kernel("cbr $c0, @b, @b", "@a:", "nop", "@b:"),
    ),
)
