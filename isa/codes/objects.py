"""Error codes of object files and of the verifier."""

from __future__ import annotations

from .entry import Entry

_AGAIN = "Assemble the source again; a file that `simtlab asm` has written is never like this."

ENTRIES = (
    Entry(
        "SIM200",
        "The object file cannot be read",
        "The file does not exist, may not be read, or is a folder.",
        "Check the path.",
    ),
    Entry(
        "SIM201",
        "Not an object file",
        "The file does not begin with the bytes SIMTLAB and a zero.",
        "Assemble the source first: simtlab asm F.sasm -o F.sbc.",
    ),
    Entry(
        "SIM202",
        "An object file of another version",
        "The format of object files or the instruction set has changed since it was written.",
        "Assemble the source again with this version.",
    ),
    Entry(
        "SIM203",
        "A damaged object file",
        "The checksum does not match, or the file ends too early.",
        _AGAIN,
    ),
    Entry(
        "SIM204",
        "An invalid field of the object file",
        "A name, a type number, a size or a location has a value that the assembler never writes.",
        _AGAIN,
    ),
    Entry(
        "SIM210",
        "A word is not an instruction",
        "An opcode does not exist, a field has an impossible value, or an unused bit is set.",
        _AGAIN,
    ),
    Entry(
        "SIM220",
        "A program without a kernel",
        "A program has at least one kernel.",
        "Add one.",
    ),
    Entry(
        "SIM221",
        "A name is taken",
        "Two kernels, parameters, arrays or labels have one name, or a name is a word of the "
        "language.",
        "Choose another name.",
    ),
    Entry(
        "SIM222",
        "An impossible segment",
        "The arrays of a segment are larger than it may be (group 1 MiB, private 64 KiB, readonly "
        "4 MiB), or bytes between them are not zero.",
        "Use smaller arrays, or global memory.",
    ),
    Entry(
        "SIM223",
        "An impossible array",
        "An array has at least one element, and its type is one that memory holds.",
        "Declare it with a positive length and a type other than b1.",
    ),
    Entry(
        "SIM224",
        "Impossible parameters",
        "A kernel has at most 256 parameters, and no parameter has type b1.",
        "Pass the values in an array.",
    ),
    Entry(
        "SIM225",
        "Labels are out of order",
        "An object file lists the labels of a kernel by ascending address, inside the code.",
        _AGAIN,
    ),
    Entry(
        "SIM226",
        "A kernel without instructions",
        "A kernel has at least one instruction.",
        "The shortest kernel is a ret.",
    ),
    Entry(
        "SIM227",
        "An instruction reaches outside",
        "A branch leaves its kernel, or an address without a register lies outside its segment or "
        "is not a multiple of the size of the access.",
        _AGAIN,
    ),
    Entry(
        "SIM228",
        "A kernel falls off its end",
        "Execution would continue after the last instruction.",
        "End the kernel with ret, br or trap.",
    ),
    Entry(
        "SIM230",
        "A re-convergence point is not a post-dominator",
        "Some path from a branch ends without passing its re-convergence point, so a stack would "
        "wait there for lanes that never arrive.",
        _AGAIN,
    ),
)
