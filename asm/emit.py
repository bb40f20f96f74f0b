"""Draft -> Program: the words of every kernel, and the verifier's consent."""

from __future__ import annotations

from dataclasses import replace

from ..isa.encoding import EncodingError, encode
from ..isa.errors import ObjectFileError, SourceError
from ..isa.instruction import Instruction
from ..isa.program import Kernel, Location, Program
from ..isa.verify import verify as verify_program
from .diagnose import Collector
from .draft import DraftInstruction, DraftKernel, DraftProgram, Join


def emit(draft: DraftProgram, collector: Collector) -> Program:
    """Encode a draft whose branches are complete; what has no encoding goes to the collector."""
    numbers = _file_numbers(draft)
    return Program(
        tuple([_kernel(kernel, numbers, collector) for kernel in draft.kernels]),
        draft.readonly,
        draft.readonly_data,
        tuple([draft.files[old] for old in numbers]),
        draft.sources,
    )


def _file_numbers(draft: DraftProgram) -> dict[int, int]:
    """New number of every file that is in use, by its old one, in the order of first use.

    Inserting and stripping markers may change that order, which the object file demands.
    """
    used = dict.fromkeys(ins.location.file for kernel in draft.kernels for ins in kernel.code)
    return {old: new for new, old in enumerate(used)}


def _kernel(draft: DraftKernel, numbers: dict[int, int], collector: Collector) -> Kernel:
    instructions = tuple([_instruction(ins) for ins in draft.code])
    words: list[int] = []
    for pc, ins in enumerate(instructions):
        try:
            words.append(encode(ins, pc))
        except EncodingError as problem:
            from ..isa.errors import Diagnostic

            collector.add(Diagnostic("SIM144", str(problem), draft.code[pc].span))
    kernel = Kernel(
        draft.name,
        draft.params,
        tuple(words),
        draft.group,
        draft.private,
        tuple(sorted(draft.labels.items(), key=lambda label: label[1])),
        _locations(draft, numbers),
    )
    # What the words were made from is what they decode to (tests/asm walk the table); decoding
    # them for the verifier would take as long as all passes before.
    kernel.__dict__["instructions"] = instructions
    return kernel


def _locations(draft: DraftKernel, numbers: dict[int, int]) -> tuple[Location, ...]:
    places = [ins.location for ins in draft.code]
    if all(old == new for old, new in numbers.items()):
        return tuple(places)
    return tuple([replace(place, file=numbers[place.file]) for place in places])


def _instruction(ins: DraftInstruction) -> Instruction:
    if not ins.row.is_branch:
        return Instruction(ins.row, ins.dst, ins.srcs, ins.address, ins.literals)
    return Instruction(
        ins.row,
        srcs=ins.srcs,
        target=ins.target,
        join=None if isinstance(ins.join, Join) else ins.join,
        subdivide=bool(ins.subdivide),
        loop=bool(ins.loop),
    )


def verify(program: Program) -> None:
    """What every loaded program satisfies; the passes before should have seen to it."""
    try:
        verify_program(program)
    except ObjectFileError as problem:
        raise SourceError(diagnostics=problem.diagnostics) from None
